#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rival.py NAME FOLDER TOPICS SEED: fits another tool, in a process of its own.

Fits FOLDER/train.npz and writes FOLDER/answer.npz: p(word | topic), p(topic),
the proportions of FOLDER/seen.npz, and those of FOLDER/train.npz if there is a
FOLDER/labels. Prints JSON: processor seconds of the fit, and the peak of
resident memory up to the end of the fit.
"""
import bench

import json
import os
import resource
import sys
import time

import numpy as np
from scipy import sparse

from peers import PEERS


def main(name, folder, k, seed):
    def load(which):
        return sparse.load_npz(os.path.join(folder, which + '.npz'))
    train, seen = load('train'), load('seen')
    start = time.process_time()
    model = PEERS[name](train, int(k), int(seed))
    print(json.dumps({'cpu': time.process_time() - start,
                      'peak': resource.getrusage(
                          resource.RUSAGE_SELF).ru_maxrss * 1024}))
    rows, topics = model.mixture(seen)
    answer = {'topics': topics, 'shares': model.shares, 'rows': rows}
    if topics is not model.topics:
        answer['printed'] = model.topics / model.topics.sum(0)
    if os.path.exists(os.path.join(folder, 'labels')):
        answer['proportions'] = model.compose(train)
    np.savez(os.path.join(folder, 'answer.npz'), **answer)


if __name__ == '__main__':
    main(*sys.argv[1:])
