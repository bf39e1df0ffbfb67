#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rival.py NAME FOLDER TOPICS SEED: one of the other tools, in a process of its
own.

Learns from FOLDER/train.npz. Prints JSON: seconds of that, of a processor and
by the clock, the peak of resident memory up to its end, and seconds of a
processor for the shares of FOLDER/new.npz. FOLDER/answer.npz gets the topics,
and rows and p(word | topic) that foretell what FOLDER/seen.npz goes on with.
"""
import bench

import json
import os
import resource
import sys
import time

import numpy as np
from scipy import sparse

from peers import PEERS, GensimLda, SklearnLda


class GensimOnce(GensimLda):
    """One pass, as it does by itself; but perplexity is not looked at."""

    settings = dict(eval_every=None)


class SklearnOnce(SklearnLda):
    """One pass, without the one more that fit() ends with."""

    settings = dict(batch_size=4096)

    def __init__(self, h, k, seed):
        from sklearn.decomposition import LatentDirichletAllocation
        self.model = LatentDirichletAllocation(
            k, random_state=seed, total_samples=h.shape[0], **self.settings)
        self.model.partial_fit(h)
        self.tell()


KINDS = {**PEERS, 'gensim LDA, one pass': GensimOnce,
         'scikit-learn LDA, one pass': SklearnOnce}


def learnt(kind, h, k, seed):
    cpu, clock = time.process_time(), time.perf_counter()
    model = kind(h, k, seed)
    return model, {'cpu': time.process_time() - cpu,
                   'clock': time.perf_counter() - clock,
                   'peak': resource.getrusage(
                       resource.RUSAGE_SELF).ru_maxrss * 1024}


def shared(model, h):
    """Seconds."""
    cpu = time.process_time()
    model.compose(h)
    return time.process_time() - cpu


def main(name, folder, k, seed):
    def load(which):
        path = os.path.join(folder, which + '.npz')
        return sparse.load_npz(path) if os.path.exists(path) else None
    model, told = learnt(KINDS[name], load('train'), int(k), int(seed))
    answer = {'topics': model.topics}
    new, seen = load('new'), load('seen')
    if new is not None:
        told['shares'] = shared(model, new)
    if seen is not None and model.foretells:
        answer['rows'], answer['emission'] = model.mixture(seen)
    np.savez(os.path.join(folder, 'answer.npz'), **answer)
    print(json.dumps(told))


if __name__ == '__main__':
    main(*sys.argv[1:])
