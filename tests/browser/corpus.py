# SPDX-License-Identifier: MIT
"""A small store for the page to show: topics that are known, three batches in
which their shares change, and words and ids that would be markup."""
import json
import random

TOPICS = 6
PER_TOPIC = 30
DOCUMENTS = 240
BATCHES = ('march', 'april', '<b>may</b>')

# Were any of these taken for markup, window.hit would be there, or an element
# that the page has no use for.
HOSTILE = ('</script><img src=x onerror=window.hit=1>',
           '<script>window.hit=2</script>', '<svg onload=window.hit=3>',
           '"onfocus="window.hit=4"autofocus="', "javascript:window.hit=5",
           '<!--<script>', ']]>', '&lt;i&gt;', '\u2028window.hit=6\u2029',
           '${window.hit=7}', '__proto__', '\u202egnp.exe')


def word(topic, place):
    own = HOSTILE[topic::TOPICS]
    return own[place] if place < len(own) else f'{"abcdef"[topic]}{place}'


def words_of(chance, topic):
    """Mostly of one topic, and a little of the next one in its pair."""
    counts = {}
    for _ in range(80):
        of = topic ^ 1 if chance.random() < 0.15 else topic
        name = word(of, int(PER_TOPIC * chance.random() ** 2))
        counts[name] = counts.get(name, 0) + 1
    return counts


def documents(batch):
    """The later the batch, the more of the first topic."""
    chance = random.Random(batch)
    for i in range(DOCUMENTS):
        first = chance.random() < 0.15 * (batch + 1)
        topic = 0 if first else chance.randrange(TOPICS)
        yield {'id': f'<img src=x onerror=window.hit=8>{batch}-{i}',
               'label': f'</li><b>{topic}', 'words': words_of(chance, topic)}


def make(case):
    """The store `store`, with models k4 and k6, and their report.html."""
    for i, batch in enumerate(BATCHES):
        case.write(f'{i}.jsonl', ''.join(json.dumps(d) + '\n'
                                         for d in documents(i)))
        case.works('ingest', 'store', f'{i}.jsonl', '--text-field', 'words',
                   '--batch', batch)
    case.works('fit', 'store', '-k', '4,6', '--max-df', '1')
    case.works('infer', 'store', '--model', 'k6', '--save')
    case.works('label', 'store', '--model', 'k6', '2', '<i>named</i>')
    case.works('report', 'store', '--model', 'k6', '-o', 'report.html')
