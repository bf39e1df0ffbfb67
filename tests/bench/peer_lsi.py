#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peer_lsi.py DOCWORD VOCAB TOPICS: gensim's one-pass LsiModel.

Prints JSON: seconds of the model alone, without gensim's start and without
reading the vocabulary. DOCWORD is plain text, as gensim likes it best.
"""
import json
import sys
import time

from gensim.corpora import UciCorpus
from gensim.models import LsiModel


def main(docword, vocab, topics):
    corpus = UciCorpus(docword, vocab)
    words = corpus.create_dictionary()
    start = time.perf_counter()
    LsiModel(corpus=corpus, id2word=words, num_topics=int(topics),
             chunksize=2000, onepass=True)
    print(json.dumps({'seconds': time.perf_counter() - start}))


if __name__ == '__main__':
    main(*sys.argv[1:4])
