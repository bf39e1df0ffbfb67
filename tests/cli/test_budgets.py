#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_budgets.py PROGRAM: --memory is kept. Every command, on stores that are
hard on memory each in its way: either it is refused with figures, or its peak
stays below the budget."""
import os
import random
import re
import subprocess
import tempfile

from everycommand import COMMANDS, arguments, spelt
from shell import PROGRAM, Case, environment, main

BUDGETS = 24, 32, 64, 128, 512
REFUSAL = (rb'takes [\d.]+ [MG]iB, the budget \(--memory\) is (\d+) MiB')
FIT = ('--min-df', '2', '--max-df', '1', '--sketch-size', '32',
       '--threads', '2')


def often(chance, m):
    return [f'often{spelt(m % 3 + 3 * chance.randrange(12))}'
            for _ in range(8)]


def short(count):
    """Many documents of few words, with ids."""
    chance = random.Random(1)
    for m in range(count):
        yield f'{{"id": "b{m}", "text": "{" ".join(often(chance, m)[:5])}"}}\n'


def texts(count, rare, letters):
    """Of words that a text has alone, so long."""
    chance = random.Random(2)
    for m in range(count):
        words = often(chance, m) + [
            spelt(m * rare + i).ljust(letters, 'q') for i in range(rare)]
        yield f'{{"id": "b{m}", "text": "{" ".join(words)}"}}\n'


def bags(count, rare, letters):
    """The same of words that were cut by others."""
    chance = random.Random(3)
    for m in range(count):
        words = often(chance, m) + [
            spelt(m * rare + i).ljust(letters, 'q') for i in range(rare)]
        counts = ', '.join(f'"{w}": 2' for w in dict.fromkeys(words))
        yield f'{{"id": "b{m}", "text": {{{counts}}}}}\n'


class Budgets(Case):
    def make(self, lines, *ingest):
        """A store of them with two models, a part, and what is to come."""
        with open(self.path('texts.jsonl'), 'w', encoding='ascii') as file:
            file.writelines(lines)
        with open(self.path('more.jsonl'), 'w', encoding='ascii') as file:
            file.writelines(line.replace('"b', '"c') for line in short(30))
        self.ingest = ('ingest', 'new', 'texts.jsonl', *ingest)
        self.works('ingest', 'store', 'texts.jsonl', *ingest)
        for k in '2', '3':
            self.works('fit', 'store', '-k', k, *FIT)
        self.works('sketch', 'export', 'store', '-o', 'part', '--counts')

    def check(self, command, budget, *codes):
        with tempfile.TemporaryFile() as err:
            child = subprocess.Popen(
                [PROGRAM, *command, '--memory', f'{budget}M'],
                cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = code = os.waitstatus_to_exitcode(status)
            err.seek(0)
            said = err.read()
        peak = usage.ru_maxrss / 1024
        what = f'{command} in {budget} MiB: {peak:.1f}, {said.decode()[-400:]}'
        self.assertIn(code, codes or (0, 4), what)
        self.assertLessEqual(peak, budget, what)
        if code == 4:
            told = int(re.search(REFUSAL, said).group(1))
            self.assertLessEqual(told, budget, what)  # less beside something

    def check_all(self):
        for budget in BUDGETS:
            subprocess.run(['rm', '-rf', self.path('new')], check=True)
            self.check(self.ingest, budget)
            for name in COMMANDS:
                self.check([*arguments(self, name),
                            *(FIT if name == 'fit' else ())],
                           budget)

    def test_short_documents(self):
        self.make(short(30000))
        self.check_all()

    def test_long_words(self):
        self.make(bags(100, 100, 4000), '--from', 'jsonl')
        self.check_all()

    def test_vocabulary(self):
        """With a sketch that is made while reading."""
        lines = list(short(3000))
        words = sorted({w for line in lines
                        for w in re.findall('often[a-j]+', line)})
        self.write('vocab.txt', '\n'.join(
            words + [spelt(i).ljust(30, 'q') for i in range(50000)]) + '\n')
        self.make(lines, '--vocab', 'vocab.txt', '--sketch-size', '64')
        self.check_all()

    def test_bag_of_very_long_words(self):
        """It is told where, and --skip-bad goes on."""
        with open(self.path('bag.jsonl'), 'w', encoding='ascii') as file:
            file.write('{"id": "a1", "text": "some words"}\n'
                       '{"id": "a2", "text": {"few": 1')
            for i in range(60):
                file.write(f', "{spelt(i).ljust(200000, "q")}": 1')
            file.write('}}\n')
        for budget in BUDGETS:
            self.check(('ingest', 'new', 'bag.jsonl'), budget, 1, 4)

    def test_many_long_words(self):
        self.make(texts(1000, 300, 64))
        self.check_all()


if __name__ == '__main__':
    main()
