# SPDX-License-Identifier: MIT
"""Texts in any amount: a corpus of JSON lines repeated with new ids and, if
asked for, with words that occur nowhere else.

    texts.py FILE BYTES [NEW-WORDS [scattered]]

writes them to standard output, so that gigabytes need no disk. The same call
gives the same bytes. Scattered ids come in no order, as those of many
databases.
"""
import os
import subprocess
import sys

from common import skip

ID = b'{"id": "'
LETTERS = 'bcdfghjklmnpqrstvwxz'
VOWELS = 'aeiou'


def lines(path):
    """The lines of a .zst file of JSON objects that begin with their id."""
    if not os.path.exists(path):
        skip(f'there is no {path}')
    out = subprocess.run(['zstd', '-dcq', path], check=True,
                         stdout=subprocess.PIPE).stdout
    return out.split(b'\n')[:-1]


def made_up(number):
    """A word that only this number has: syllables of it, and an end that is
    in no language."""
    word = ''
    while True:
        number, low = divmod(number, 100)
        word += LETTERS[low // 5] + VOWELS[low % 5]
        if number == 0:
            return word + 'qx'


def fresh(line, turn):
    return ID + b'%d:' % turn + line[len(ID):]


def scattered(line, number):
    """A number that no other has, all over the range of 32 bits."""
    return ID + b'%08x:' % (number * 2654435761 & 0xffffffff) + line[len(ID):]


def with_words(line, numbers):
    """The text comes last, so what is put before its quote is part of it."""
    if not numbers:
        return line
    more = ' '.join(map(made_up, numbers)).encode()
    return line[:-2] + b' ' + more + b'"}'


def documents(source, start, count, share=0, ordered=True):
    """`count` documents of the endless corpus, from number `start` on; each
    has `share` new words, if need be one in every few documents."""
    for i in range(start, start + count):
        line = source[i % len(source)]
        line = fresh(line, i // len(source)) if ordered else scattered(line, i)
        yield with_words(line, range(int(i * share), int((i + 1) * share)))


def write(out, source, size, new_words, ordered=True):
    """`size` bytes or a little more, with `new_words` spread over them."""
    each = sum(map(len, source)) / len(source) + 3
    share = new_words / (size / each)
    left, i, part = size, 0, 2000
    while left > 0:
        bytes_ = b'\n'.join(
            documents(source, i, part, share, ordered)) + b'\n'
        out.write(bytes_)
        left -= len(bytes_)
        i += part
    return i


def main():
    new_words = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    write(sys.stdout.buffer, lines(sys.argv[1]), int(sys.argv[2]), new_words,
          len(sys.argv) < 5)


if __name__ == '__main__':
    main()
