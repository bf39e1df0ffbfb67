#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does memory follow the words of texts, not the documents?

One and four gigabytes of JSON lines from a pipe, with the same number of words,
more than a million: the peaks of `kedge ingest --memory 1G` are within the
budget and near each other, with a limited address space as well. Then an index
of all words, the rarest included, in a file-backed sketch, and one of the
default words are fitted within the same budget. Last, a budget that the words
outgrow is refused with figures, and the documents before that stay.
"""
import os
import re
import subprocess
import sys

from common import (answer, begin, end, kedge, mib, parser, place, remove, run,
                    table, verdict, HERE)

BUDGET = 1 << 30
SMALL = 400 << 20  # for more words than it can hold
ALLOWANCE = 1 << 30  # as in memory.py
NEAR = 1.25  # times the peak of less text
EBUDGET = 4


def piped(options, size, words, command, **how):
    """Runs it with so much text on its standard input."""
    source = os.path.join(options.data, 'acl.jsonl.zst')
    with subprocess.Popen([sys.executable, os.path.join(HERE, 'texts.py'),
                           source, str(int(size)), str(words),
                           'scattered'],
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as text:
        result = run(command, stdin=text.stdout, check=False, **how)
        text.stdout.close()
    return result


def ingest_command(options, store, budget):
    return [options.program, 'ingest', store, '-', '--from', 'jsonl',
            '--memory', str(budget), '--format', 'json']


def limited(limit, command):
    return ['sh', '-c', f'ulimit -v {limit >> 10}; exec "$@"', 'sh', *command]


def size_of(store):
    return sum(os.path.getsize(os.path.join(store, name))
               for name in os.listdir(store))


def check_ingest(options, size, rows):
    """The address space: the budget, an allowance, and the store's map."""
    store = place(options, 'text-memory.store')
    remove(store)
    limit = BUDGET + options.allowance + int(size / 2)
    result = piped(options, size, options.words,
                   limited(limit, ingest_command(options, store, BUDGET)))
    name = f'{1e-9 * size:g} GB'
    if result.code != 0:
        print(result.err.strip())
        verdict(False, f'{name}: exit code {result.code}')
        return result
    told = answer(result)
    rows.append([f'ingest {name}', told['documents'], told['words'],
                 mib(told['planned_memory']), mib(result.rss),
                 mib(size_of(store)), result.seconds])
    verdict(told['words'] > 1e6, f'{name}: {told["words"]} words')
    verdict(result.rss <= min(BUDGET, told['planned_memory']),
            f'{name}: peak {mib(result.rss)} is within the plan of '
            f'{mib(told["planned_memory"])} and the budget of {mib(BUDGET)}, '
            f'under ulimit -v {mib(limit)}')
    return result


def check_fit(options, name, rows, *more):
    store = place(options, 'text-memory.store')
    result = kedge(options, 'fit', store, '--memory', BUDGET, '--format',
                   'json', *more, check=False)
    if result.code != 0:
        print(result.err.strip())
    told = answer(result) if result.code == 0 else {}
    rows.append([f'fit {name}', '', '', '', mib(result.rss), '',
                 result.seconds])
    verdict(result.code == 0 and result.rss <= BUDGET,
            f'fit, {name}: peak {mib(result.rss)}, exit code {result.code}')
    return told


def check_refused(options):
    """More and more words: what was committed stays, and more can come."""
    store = place(options, 'text-refused.store')
    remove(store)
    result = piped(options, 2.5e8, 2500000,
                   ingest_command(options, store, SMALL))
    print(result.err.strip())
    figures = re.findall(r'[0-9.]+ [MG]iB', result.err)
    verdict(result.code == EBUDGET and len(figures) >= 2,
            f'budget {mib(SMALL)}, outgrown by words: refused with figures, '
            f'exit code {result.code}')
    verdict(result.rss <= SMALL, f'its peak is {mib(result.rss)}')
    told = answer(kedge(options, 'info', store, '--format', 'json',
                        check=False))
    documents = told.get('documents', 0)
    verdict(documents > 0, f'{documents} documents stay')
    remove(store)


def main():
    p = parser(__doc__)
    p.add_argument('--sizes', default='1e9,4e9', help='bytes of text')
    p.add_argument('--words', type=int, default=1400000,
                   help='new words in each of them')
    p.add_argument('--allowance', type=int, default=ALLOWANCE,
                   help='address space beyond the budget and the map')
    options = begin(p)
    rows, peaks = [], []
    check_refused(options)
    for size in map(float, options.sizes.split(',')):
        peaks.append(check_ingest(options, size, rows).rss)
    share = max(peaks) / min(peaks)
    verdict(share <= NEAR, f'peaks differ by a factor of {share:.2f}, at most '
            f'{NEAR}')
    check_fit(options, 'all words', rows, '--min-df', 1, '--max-df', 1,
              '--stopwords', 'none', '--sketch-size', 64, '-k', 5)
    check_fit(options, 'usual words', rows, '-k', 20, '--min-df', 5)
    remove(place(options, 'text-memory.store'))
    table(['', 'documents', 'words', 'plan', 'peak', 'store', 'seconds'], rows)
    end()


if __name__ == '__main__':
    main()
