#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_fixtures.py ROOT: the generator makes the fixtures, byte for byte.

Documents are compared decompressed: what the compressor makes of them depends
on its version.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NAMES = ('vocab.harbour.txt', 'topics.harbour.tsv', 'docword.harbour.txt')


def contents(path):
    if os.path.exists(path):
        with open(path, 'rb') as file:
            return file.read()
    return subprocess.run(['zstd', '-dcq', path + '.zst'], check=True,
                          stdout=subprocess.PIPE).stdout


def make_again(fixtures, directory):
    subprocess.run([sys.executable, os.path.join(fixtures, 'generate.py'),
                    '--plain', directory], check=True)


def main(root):
    if shutil.which('zstd') is None:
        print('the zstd program is not installed')
        return SKIPPED
    fixtures = os.path.join(root, 'fixtures')
    differ = 0
    with tempfile.TemporaryDirectory() as directory:
        make_again(fixtures, directory)
        for name in NAMES:
            same = (contents(os.path.join(fixtures, name)) ==
                    contents(os.path.join(directory, name)))
            print(f'{name}: {"the same" if same else "differs"}')
            differ += not same
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
