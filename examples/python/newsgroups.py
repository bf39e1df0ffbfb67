# SPDX-License-Identifier: MIT
"""The topics of 20 Newsgroups, in the steps of a notebook.

    python3 newsgroups.py newsgroups.jsonl.zst

Each line of the file is a posting: {"label": "sci.space", "text": "..."}.
"""
# %% Read the postings without their headers, which name the group.
import json
import re
import subprocess
import sys

import numpy as np

from kedge import Kedge


def postings(path):
    reader = ['zstd', '-dc', path] if path.endswith('.zst') else ['cat', path]
    with subprocess.Popen(reader, stdout=subprocess.PIPE) as lines:
        for line in lines.stdout:
            posting = json.loads(line)
            body = re.split(r'[\n\t]\s*[\n\t]', posting['text'], 1)[-1]
            yield posting['label'], body


path = sys.argv[1]
labels = np.array([label for label, _ in postings(path)])
print(f'{len(labels):,} postings of {len(set(labels))} groups')

# %% Fit twenty topics. Texts are read one by one and not kept in memory.
model = Kedge(n_topics=20)
model.fit(text for _, text in postings(path))
print(f'{len(model.feature_names_):,} words\n')

for topic in np.argsort(-model.prevalence_):
    print(f'{topic + 1:2} {model.prevalence_[topic]:6.1%}',
          *model.top_words(8)[topic])

# %% Which topics occur together more often than their prevalence implies?
together = model.topic_cooccurrence_ / np.outer(model.prevalence_,
                                                model.prevalence_)
above = np.triu(together, 1)
print('\ntogether more often than by chance:')
for at in np.argsort(-above, axis=None)[:5]:
    one, other = np.unravel_index(at, above.shape)
    print(f'{above[one, other]:4.1f} times:', *model.top_words(3)[one], '+',
          *model.top_words(3)[other])

# %% Topic proportions of each posting, and their mean in some groups.
W = model.transform(text for _, text in postings(path))
print('\nlargest topic of some groups:')
for group in ('sci.space', 'rec.sport.hockey', 'talk.politics.guns',
              'comp.graphics'):
    mean = W[labels == group].mean(axis=0)
    print(f'{group:20} {mean.max():4.0%}',
          *model.top_words(5)[mean.argmax()])

# %% Fit another number of topics. The postings are not read again.
model.set_topics(50)
print(f'\n50 topics, from {model.anchors_[0]} to {model.anchors_[-1]}')

# %% How well does the largest topic of a posting predict its group?
W = model.transform(text for _, text in postings(path))
largest = W.argmax(axis=1)
right = sum(max(np.unique(labels[largest == topic], return_counts=True)[1])
            for topic in np.unique(largest))
print(f'the most frequent group of each topic is right for '
      f'{right / len(labels):.0%} of the postings')
