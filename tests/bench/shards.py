#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shards.py DOCWORD PREFIX PARTS [DOCUMENTS]

Splits a compressed UCI corpus, or its first DOCUMENTS, into PARTS of about as
many documents: PREFIX-1.txt.zst and so on. Each has a header of its own and
counts its documents from 1.
"""
import os
import subprocess
import sys
import tempfile


def write_part(path, head, body):
    """The header is known at the end, so the body waits in a file."""
    body.flush()
    with open(path + '.new', 'wb') as out:
        pack = subprocess.Popen(['zstd', '-qc'], stdin=subprocess.PIPE,
                                stdout=out)
        pack.stdin.write(b'%d\n%d\n%d\n' % head)
        pack.stdin.flush()
        body.seek(0)
        for piece in iter(lambda: body.read(1 << 20), b''):
            pack.stdin.write(piece)
        pack.stdin.close()
        if pack.wait() != 0:
            sys.exit('zstd failed')
    os.replace(path + '.new', path)


def copy_part(lines, line, first, last, body):
    """Documents first+1 to last; the count, and the line that follows."""
    count = 0
    while line:
        document, rest = line.split(b' ', 1)
        number = int(document)
        if number > last:
            break
        body.write(b'%d %b' % (number - first, rest))
        count += 1
        line = next(lines, b'')
    return count, line


def split(source, prefix, parts, documents=None):
    unpack = subprocess.Popen(['zstd', '-dcq', source],
                              stdout=subprocess.PIPE)
    lines = iter(unpack.stdout)
    total, words, _ = (int(next(lines)) for _ in range(3))
    total = min(total, documents or total)
    line = next(lines, b'')
    for part in range(parts):
        first, last = (total * (part + i) // parts for i in (0, 1))
        with tempfile.TemporaryFile() as body:
            count, line = copy_part(lines, line, first, last, body)
            write_part(f'{prefix}-{part + 1}.txt.zst',
                       (last - first, words, count), body)
    unpack.kill()
    unpack.wait()


def shards(source, prefix, parts, documents=None):
    """Their paths; split in a process of its own where they are absent."""
    paths = [f'{prefix}-{i + 1}.txt.zst' for i in range(parts)]
    if not all(map(os.path.exists, paths)):
        more = [str(documents)] if documents else []
        subprocess.run([sys.executable, os.path.abspath(__file__), source,
                        prefix, str(parts), *more], check=True)
    return paths


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    split(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:5]))
