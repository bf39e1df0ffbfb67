#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does memory follow the vocabulary, not the documents?

Peak memory of ingest for the first 75,000 documents of arxiv300k and for all
300,000, with one vocabulary: within 5 % of each other, and both below the
budget. Then a budget that is refused with figures; the smallest one that is
not, which puts the accumulators into a file; the same with the address space
limited to the budget plus an allowance for code, libraries and the store's map;
and the peak of fit and export.
"""
import re

from common import (add_counting, answer, begin, corpus, counting, end, export,
                    fit, ingest, mib, parser, place, remove, run, say_counting,
                    table, verdict, weighing)
from shards import shards

BUDGET = 2 << 30
NARROW = 700 << 20
REFUSED = 64 << 20
FEW = 75000
# Address space that is no resident memory: code and libraries, OpenBLAS's
# buffers, stacks of threads and arenas of malloc, LMDB's map of the store. A
# sketch in a file is mapped as well, and comes on top of it.
ALLOWANCE = 1 << 30
EBUDGET = 4


def measured(options, files, vocab):
    """The store stays, for fit."""
    result = ingest(options, place(options, 'memory.store'), files, vocab,
                    '--memory', BUDGET, *counting(options))
    return result, answer(result)


def row(name, budget, result, told):
    return [name, mib(budget), mib(told['planned_memory']), mib(result.rss),
            told['sketch_size'], 'file' if told['mapped'] else 'memory',
            result.seconds]


def check_growth(options, c, rows):
    few = shards(c.docword, place(options, f'{c.name}-{FEW}'), 1, FEW)
    peaks = []
    for name, files in ((f'{FEW} documents', few), ('all', [c.docword])):
        result, told = measured(options, files, c.vocab)
        rows.append(row(name, BUDGET, result, told))
        peaks.append(result.rss)
        verdict(result.rss <= BUDGET, f'{name}: peak {mib(result.rss)} is '
                f'under {mib(BUDGET)}')
        verdict(result.rss <= told['planned_memory'], f'{name}: peak '
                f'{mib(result.rss)} is under the plan of '
                f'{mib(told["planned_memory"])}')
    share = max(peaks) / min(peaks) - 1
    verdict(share <= 0.05, f'four times the documents: peaks differ by '
            f'{100 * share:.1f} %')


def check_budget(options, c, rows, budget):
    store = place(options, 'small.store')
    result = ingest(options, store, [c.docword], c.vocab, '--memory', budget,
                    *counting(options), check=False)
    remove(store)
    if result.code != 0:
        print(result.err.strip())
        verdict(False, f'budget {mib(budget)}: exit code {result.code}')
        return False
    told = answer(result)
    rows.append(row('all', budget, result, told))
    verdict(result.rss <= told['planned_memory'], f'budget {mib(budget)}: '
            f'peak {mib(result.rss)} is under the plan of '
            f'{mib(told["planned_memory"])}')
    verdict(result.rss <= budget, f'budget {mib(budget)}: peak '
            f'{mib(result.rss)}, sketch size {told["sketch_size"]}, '
            f'{"in a file" if told["mapped"] else "in memory"}')
    return 8 * told['words'] * told['sketch_size'] if told['mapped'] else 0


def check_limit(options, c, budget, mapped):
    """Under ulimit -v, in KiB; `mapped`: bytes of a sketch in a file."""
    store = place(options, 'limit.store')
    remove(store)
    limit = budget + options.allowance + mapped
    command = [options.program, 'ingest', store, c.docword, '--vocab', c.vocab,
               '--memory', str(budget), *counting(options)]
    result = run(['sh', '-c', f'ulimit -v {limit >> 10}; exec "$@"', 'sh',
                  *command], check=False)
    verdict(result.code == 0, f'ulimit -v {mib(limit)} with a budget of '
            f'{mib(budget)}: exit code {result.code}')
    if result.code != 0:
        print(result.err[-500:])
    remove(store)


def check_refused(options, c):
    """The smallest budget that is not, by what the refusal says."""
    store = place(options, 'refused.store')
    result = ingest(options, store, [c.docword], c.vocab, '--memory', REFUSED,
                    *counting(options), check=False)
    print(result.err.strip())
    figures = re.findall(r'([0-9.]+) MiB', result.err)
    verdict(result.code == EBUDGET and len(figures) == 2,
            f'budget {mib(REFUSED)}: refused with figures, exit code '
            f'{result.code}')
    remove(store)
    return int(float(figures[0]) + 1) << 20 if figures else NARROW


def check_fit(options, k, least):
    store = place(options, 'memory.store')
    for budget in (BUDGET, least):
        result = fit(options, store, k, '--memory', budget,
                     *weighing(options), check=False)
        verdict(result.code in (0, EBUDGET) and result.rss <= budget,
                f'fit, K = {k}, budget {mib(budget)}: peak {mib(result.rss)}, '
                f'exit code {result.code}')
        if result.code != 0:
            print(result.err[-500:].strip())
        elif budget == BUDGET:
            say_counting(options, store, result)
    folder = place(options, 'memory.out')
    result = export(options, store, folder)
    verdict(result.rss <= BUDGET, f'export: peak {mib(result.rss)}')
    remove(folder)
    remove(store)


def main():
    p = parser(__doc__)
    p.add_argument('-k', type=int, default=50)
    p.add_argument('--allowance', type=int, default=ALLOWANCE,
                   help='address space beyond the budget, in bytes')
    add_counting(p)
    options = begin(p)
    c = corpus(options, 'arxiv300k')
    rows = []
    check_growth(options, c, rows)
    least = check_refused(options, c)
    mapped = [check_budget(options, c, rows, budget)
              for budget in (NARROW, least)]
    verdict(any(mapped), 'a small budget sends the sketch into a file')
    check_limit(options, c, BUDGET, 0)
    check_limit(options, c, least, mapped[1])
    check_fit(options, options.k, least)
    table(['ingest', 'budget', 'plan', 'peak', 'width', 'sketch in',
           'seconds'], rows)
    end()


if __name__ == '__main__':
    main()
