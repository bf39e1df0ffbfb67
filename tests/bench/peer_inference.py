#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peer_inference.py DOCWORD VOCAB MODEL: gensim's LdaModel infers topic
proportions, with the topics of a model that kedge exported.

Prints JSON: documents, and seconds of the inference alone, without gensim's
start and without reading. DOCWORD is plain text; words that the model does not
have are removed.
"""
import json
import os
import sys
import time

import numpy as np
from gensim.corpora import UciCorpus
from gensim.models import LdaModel

CHUNK = 2000
LEAST = 1e-12   # of a probability: gensim divides by what it sums of them


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read().split('\n')[:-1]


def main(docword, vocab, folder):
    topics = np.load(os.path.join(folder, 'topics.npy'))
    words = lines_of(os.path.join(folder, 'vocab.txt'))
    row = {word: i for i, word in enumerate(words)}
    rows = [row.get(word) for word in lines_of(vocab)]
    model = LdaModel(id2word=dict(enumerate(words)),
                     num_topics=topics.shape[1])
    model.expElogbeta = np.maximum(topics.T, LEAST).astype(model.dtype)
    documents, seconds, chunk = 0, 0.0, []
    for bag in UciCorpus(docword, vocab):
        chunk.append([(rows[i], count) for i, count in bag
                      if rows[i] is not None])
        documents += 1
        if len(chunk) == CHUNK:
            seconds += took(model, chunk)
            chunk = []
    seconds += took(model, chunk)
    print(json.dumps({'documents': documents, 'seconds': seconds}))


def took(model, chunk):
    start = time.perf_counter()
    model.inference(chunk)
    return time.perf_counter() - start


if __name__ == '__main__':
    main(*sys.argv[1:4])
