#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""limits.py: the speed of one processor, as JSON: billions of operations of
dgemm and sgemm, with one thread, and billions of bytes that memcpy copies, in
a second of the processor. The best of several tries, so that other load does
not count.
"""
import json
import os
import time

os.environ['OPENBLAS_NUM_THREADS'] = '1'
import numpy  # noqa: E402

SIDE = 1024
COPIED = 256 << 20
TRIES = 8


def best(work, amount):
    most = 0
    for _ in range(TRIES):
        start = time.process_time()
        work()
        most = max(most, 1e-9 * amount / (time.process_time() - start))
    return most


def gemm(kind):
    a = numpy.ones((SIDE, SIDE), kind)
    c = numpy.empty_like(a)
    return best(lambda: numpy.dot(a, a, out=c), 2 * SIDE ** 3)


def main():
    source = numpy.ones(COPIED, numpy.uint8)
    target = numpy.ones(COPIED, numpy.uint8)
    print(json.dumps({
        'dgemm': gemm(numpy.float64), 'sgemm': gemm(numpy.float32),
        'copy': best(lambda: numpy.copyto(target, source), COPIED)}))


if __name__ == '__main__':
    main()
