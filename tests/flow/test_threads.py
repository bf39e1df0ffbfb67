#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_threads.py THREADS ROOT: that program, on the corpus of fixtures/."""
import os
import subprocess
import sys
import tempfile

FILES = ('vocab.harbour.txt', 'docword.harbour.txt.zst')


def main(threads, root):
    with tempfile.TemporaryDirectory() as folder:
        corpus = [os.path.join(root, 'fixtures', x) for x in FILES]
        told = subprocess.run([threads, folder, *corpus], check=True,
                              stdout=subprocess.PIPE, universal_newlines=True)
    print(told.stdout)
    assert told.stdout == '3000 documents, 3 threads: same\n', told.stdout


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
