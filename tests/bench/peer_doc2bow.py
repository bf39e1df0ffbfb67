#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gensim on JSON lines from standard input: simple_preprocess, and a
Dictionary that grows with doc2bow, as its tutorials do it. Prints "seconds
processor-seconds documents words tokens"; the seconds are of reading, JSON and
all, and the bags are thrown away.
"""
import json
import sys
import time

try:
    from gensim.corpora import Dictionary
    from gensim.utils import simple_preprocess
except ImportError as e:
    print(e, file=sys.stderr)
    sys.exit(77)


def main():
    start, busy = time.perf_counter(), time.process_time()
    dictionary = Dictionary()
    documents = 0
    for line in sys.stdin:
        text = json.loads(line)['text']
        dictionary.doc2bow(simple_preprocess(text), allow_update=True)
        documents += 1
    print(f'{time.perf_counter() - start:.3f}',
          f'{time.process_time() - busy:.3f}', documents, len(dictionary),
          dictionary.num_pos)


if __name__ == '__main__':
    main()
