#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the last of thirty daily batches cost what the second did?

Thirty batches of 10,000 documents, half of them abstracts of acl, half of them
arxiv300k's bags as texts, repeated with new ids and some new words a day, into
one store whose index and model were made after the first. Seconds and processor
seconds of each ingest; days 2 and 30 once more without the sketch, for its
share. Bar: the median of the last days is within 1.3 times that of the first
ones, apart from the growth of the vocabulary.
"""
import itertools
import os
import statistics
import subprocess

from common import (answer, begin, corpus, end, fit, kedge, lines_of, mib,
                    parser, place, remove, table, verdict)
from texts import fresh, lines, with_words

BAR = 1.3
NEAR = 3  # days at each end


def bags(options, count):
    """Lines of JSON of so many bags."""
    c = corpus(options, 'arxiv300k')
    words = lines_of(c.vocab)
    with subprocess.Popen(['zstd', '-dcq', c.docword], text=True,
                          stdout=subprocess.PIPE) as zstd:
        rows = (line.split() for line in itertools.islice(zstd.stdout, 3,
                                                          None))
        for d, bag in itertools.groupby(rows, lambda row: row[0]):
            if int(d) > count:
                break
            text = ' '.join(' '.join([words[int(w) - 1]] * int(n))
                            for _, w, n in bag)
            yield f'{{"id": "x{d}", "text": "{text}"}}'.encode()
        zstd.kill()


def write_day(options, day, sources):
    """One file; each document has its share of the day's new words."""
    path = place(options, 'daily.jsonl')
    half = options.documents // len(sources)
    share = options.new_words / options.documents
    with open(path, 'wb') as file:
        number = day * options.documents
        for source in sources:
            for i in range(day * half, (day + 1) * half):
                line = fresh(source[i % len(source)], i // len(source))
                first, last = int(number * share), int((number + 1) * share)
                file.write(with_words(line, range(first, last)) + b'\n')
                number += 1
    return path


def size_of(store):
    return sum(os.path.getsize(os.path.join(store, name))
               for name in os.listdir(store))


def without_sketch(options, store, path):
    """The same day into a copy of the store."""
    copy = place(options, 'daily-copy.store')
    remove(copy)
    subprocess.run(['cp', '-r', store, copy], check=True)
    result = kedge(options, 'ingest', copy, path, '--no-sketch', '--format',
                   'json')
    remove(copy)
    return result


def days(options, sources):
    """[(result of the day, result without a sketch or None, store's size)]"""
    store = place(options, 'daily.store')
    remove(store)
    found = []
    for day in range(options.days):
        path = write_day(options, day, sources)
        bare = (without_sketch(options, store, path)
                if day in (1, options.days - 1) else None)
        result = kedge(options, 'ingest', store, path, '--format', 'json')
        found.append((result, bare, size_of(store)))
        if day == 0:
            fit(options, store, options.k)
    os.unlink(path)
    remove(store)
    return found


def show(found):
    rows = []
    for day, (result, bare, size) in enumerate(found, 1):
        told = answer(result)
        share = (f'{100 * (1 - bare.cpu / result.cpu):.0f}' if bare else '')
        rows.append([day, told['documents'], told['words'], mib(size),
                     f'{result.seconds:.2f}', f'{result.cpu:.2f}',
                     mib(result.rss), share])
    table(['day', 'documents', 'words', 'store', 'seconds', 'processor',
           'peak', 'sketch %'], rows)


def main():
    p = parser(__doc__)
    p.add_argument('--days', type=int, default=30)
    p.add_argument('--documents', type=int, default=10000, help='a day')
    p.add_argument('--new-words', type=int, default=500, help='a day')
    p.add_argument('-k', type=int, default=20)
    options = begin(p)
    sources = [lines(os.path.join(options.data, 'acl.jsonl.zst')),
               list(bags(options, 30000))]
    found = days(options, sources)
    show(found)
    words = [answer(each[0])['words'] for each in found]
    print(f'# the vocabulary grew {words[-1] / words[1]:.2f} times from day 2 '
          'to the last')
    for what in ('seconds', 'cpu'):
        first, last = (statistics.median(getattr(each[0], what)
                                         for each in part)
                       for part in (found[1:1 + NEAR], found[-NEAR:]))
        name = 'seconds' if what == 'seconds' else 'processor seconds'
        verdict(last <= BAR * first, f'{name}: {last:.2f} on the last '
                f'{NEAR} days, {first:.2f} on days 2 to {1 + NEAR}: a factor '
                f'of {last / first:.2f}, at most {BAR}')
    end()


if __name__ == '__main__':
    main()
