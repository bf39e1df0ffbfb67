#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stores that are damaged: single bytes that changed, files that were cut off,
other things in their place.

Each damaged store is read by every command that reads. None may crash, hang,
or give another model: each says what is wrong and ends with 3 (or 1, when
nothing is left that looks like a store), or gives what the sound store gives.
Then it is fitted, added to and removed from: where that succeeds, the models
are those of a sound store that went through the same.
"""
import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from harness import Kedge, copy, remove, write_texts
from common import table

SECONDS = 20
PAGE = 4096
KINDS = {1: 'branch', 2: 'leaf', 4: 'overflow', 8: 'meta', 0x20: 'leaf'}


class Sound:
    """A store with ids, batches, removed documents, a view of listed words, a
    model and compositions, and what is to be read from it."""

    def __init__(self, kedge, folder):
        self.kedge, self.folder = kedge, folder
        self.store = os.path.join(folder, 'sound')
        texts = os.path.join(folder, 'texts.jsonl')
        gone = os.path.join(folder, 'gone.txt')
        more = os.path.join(folder, 'more.jsonl')
        self.next = os.path.join(folder, 'next.jsonl')
        write_texts(texts, 300)
        write_texts(more, 200, first=300, seed=2)
        write_texts(self.next, 50, first=600, seed=3)
        with open(gone, 'w', encoding='utf-8') as file:
            file.writelines(f'd{i}\n' for i in range(0, 500, 13))
        for batch, path in (('one', texts), ('two', more)):
            kedge.do('ingest', self.store, path, '--batch', batch, '-q')
        kedge.do('remove', self.store, '--ids', gone, '-q')
        kedge.do('fit', self.store, '-k', '4', '--min-df', '3', '-q')
        kedge.do('fit', self.store, '-k', '3', '--model', 'm', '-q')
        kedge.do('infer', self.store, '--save', '--model', 'm', '-q')
        self.bytes = self.read()
        while newest(self.bytes) & 2:
            kedge.do('label', self.store, '1', f'T{newest(self.bytes)}', '-q')
            self.bytes = self.read()
        self.answers = self.ask(self.store, folder)
        changed = os.path.join(folder, 'changed')
        copy(self.store, changed)
        self.changes = self.change(changed, folder)

    def read(self):
        with open(os.path.join(self.store, 'data.mdb'), 'rb') as file:
            return file.read()

    def ask(self, store, folder):
        """Every reading command: exit code and what it gave."""
        out = os.path.join(folder, 'out')
        given = {}
        for name, command in (('info', ['info', store]),
                              ('topics', ['topics', store]),
                              ('typical', ['topics', store, '--model', 'm',
                                           '--documents', '3']),
                              ('diff', ['diff', store, 'k4', 'm']),
                              ('eval', ['eval', store, '--model', 'm']),
                              ('verify', ['verify', store])):
            if name != 'verify' or self.kedge.verifies:
                code, text, err = self.kedge.run(*command, seconds=SECONDS)
                given[name] = code, [
                    line.replace(store, 'STORE') for line in text.split('\n')
                    if 'on disk' not in line], err
        for model in ('k4', 'm'):
            found, code, err = self.kedge.exported(store, out, '--model',
                                                   model)
            given['export ' + model] = code, found, err
        return given


    def change(self, store, folder):
        """Commands that write, as far as they succeed: exit code, the model
        after it, and what it said."""
        given = []
        fit = ['fit', store, '-k', '4', '--min-df', '3', '-q']
        for command in (fit, ['ingest', store, self.next, '-q'], fit,
                        ['remove', store, '--batch', 'two', '-q'], fit):
            code, _, err = self.kedge.run(*command, seconds=SECONDS)
            model = None
            if code == 0:
                model, code, err = self.kedge.exported(
                    store, os.path.join(folder, 'out'), '--model', 'k4')
            given.append((code, model, err))
            if code != 0:
                break
        return given


def newest(data):
    """The number of the newest transaction. One less by two would make the
    state before it the newest, whole as it is: LMDB has no checksum of these
    numbers, and nobody could tell. So that bit is 0 here; what comes out of any
    other one is no number that there can be."""
    return max(int.from_bytes(data[at:at + 8], sys.byteorder)
               for at in (144, PAGE + 144))


def kind_of_page(data, at):
    start = at // PAGE * PAGE
    flags = int.from_bytes(data[start + 10:start + 12], sys.byteorder)
    number = int.from_bytes(data[start:start + 8], sys.byteorder)
    if number != start // PAGE or flags not in KINDS:
        return 'within'  # a run of overflow pages, or never written
    return KINDS[flags]


def faults_of(sound, answers):
    """What a command gave that it may not give."""
    faults = []
    for name, (code, given, err) in answers.items():
        right = sound.answers[name]
        if code is None:
            faults.append(f'{name} hangs')
        elif code == 0 and given != right[1]:
            faults.append(f'{name} gives something else')
        elif code not in (0, 1, 3):
            faults.append(f'{name}: exit code {code}: {err.strip()}')
        elif code != 0 and 'kedge: ' not in err:
            faults.append(f'{name}: no message')
    return faults


def faults_of_changes(sound, changes):
    faults = []
    for step, (code, model, err) in enumerate(changes):
        if code == 0 and model != sound.changes[step][1]:
            faults.append(f'change {step} comes to another model')
        if code not in (0, 1, 3, 5):
            faults.append(f'change {step}: exit code {code}: {err.strip()}')
    return faults


def told(answers, changes):
    codes = [given[0] for given in [*answers.values(), *changes]]
    return ('found' if 3 in codes else 'refused' if 1 in codes else
            'same')


def try_bytes(sound, case):
    """A store with these bytes for data, read, and then written to."""
    kind, number, data = case
    folder = os.path.join(sound.folder, f'case-{number}')
    store = os.path.join(folder, 'store')
    remove(folder)
    copy(sound.store, store)
    with open(os.path.join(store, 'data.mdb'), 'wb') as file:
        file.write(data() if callable(data) else data)
    answers = sound.ask(store, folder)
    changes = sound.change(store, folder)
    faults = faults_of(sound, answers) + faults_of_changes(sound, changes)
    remove(folder)
    return kind, number, told(answers, changes), faults


def flip(data, at, bit):
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


def flips(data, many, chance):
    """Spread over the kinds of pages, and within each over all of them; of
    the small kinds, the heads of pages more often than their share."""
    places = {}
    for start in range(0, len(data), PAGE):
        places.setdefault(kind_of_page(data, start), []).append(start)
    for n in range(many):
        kind = sorted(places)[n % len(places)]
        start = chance.choice(places[kind])
        reach = chance.choice((16, 160, PAGE, PAGE))
        at, bit = start + chance.randrange(reach), chance.randrange(8)
        yield f'flip in {kind}', f'{at}.{bit}', \
            lambda at=at, bit=bit: flip(data, at, bit)


def places_of_heads(data):
    """Every byte of the head of a page of a tree or of a long value, and of
    the heads of nodes and where they are."""
    for start in range(2 * PAGE, len(data), PAGE):
        kind = kind_of_page(data, start)
        if kind == 'within':
            continue
        yield from ((f'head of {kind}', start + n) for n in range(16))
        if kind == 'overflow':
            continue
        lower = int.from_bytes(data[start + 12:start + 14], sys.byteorder)
        for at in range(start + 16, min(start + lower, start + PAGE), 2):
            node = start + int.from_bytes(data[at:at + 2], sys.byteorder)
            yield from ((f'node of {kind}', at + n) for n in range(2))
            yield from ((f'node of {kind}', node + n) for n in range(8)
                        if node + n < start + PAGE)


def heads(data, many, chance):
    """Bits of these: so many, or all where it is below 0. Of each kind of
    place as many."""
    kinds = {}
    for kind, at in places_of_heads(data):
        kinds.setdefault(kind, []).extend((at, bit) for bit in range(8))
    for kind, places in sorted(kinds.items()):
        some = places if many < 0 else \
            chance.sample(places, min(len(places), many // len(kinds)))
        for at, bit in some:
            yield kind, f'{at}.{bit}', \
                lambda at=at, bit=bit: flip(data, at, bit)


def cuts(data, many, chance):
    for n in range(many):
        size = chance.randrange(len(data))
        size = size if n % 2 else size // PAGE * PAGE
        yield 'cut off', size, lambda size=size: data[:size]


def swaps(data, many, chance):
    """A page in the place of another, or zeros."""
    for n in range(many):
        a, b = (chance.randrange(len(data) // PAGE) * PAGE for _ in range(2))
        page = data[a:a + PAGE] if n % 2 else bytes(PAGE)
        yield 'another page', f'{a}-{b}-{n % 2}', \
            lambda b=b, page=page: data[:b] + page + data[b + PAGE:]


def numbers(data, many):
    """Bits of the transactions' numbers in the two meta pages, which choose
    between two states."""
    for n in range(min(many, 128)):
        at, bit = (n % 2) * PAGE + 144 + n // 2 // 8, n // 2 % 8
        yield 'transaction', f'{at}.{bit}', \
            lambda at=at, bit=bit: flip(data, at, bit)


def garbage(data, chance):
    yield 'garbage', 'random', chance.randbytes(3 * PAGE)
    yield 'garbage', 'text', b'not a store\n' * 5000
    yield 'garbage', 'behind the head', data[:2 * PAGE] + \
        chance.randbytes(len(data) - 2 * PAGE)
    yield 'garbage', 'appended', data + chance.randbytes(1000)


def main():
    p = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('program')
    p.add_argument('--flips', type=int, default=60)
    p.add_argument('--heads', type=int, default=40, metavar='BITS',
                   help='of heads of pages and nodes; -1: all')
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--seed', type=int, default=1)
    options = p.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix='kedge-damage-') as folder:
        sound = Sound(Kedge(options.program), folder)
        data = sound.bytes
        few = options.flips // 6
        cases = [*flips(data, options.flips, chance),
                 *heads(data, options.heads, chance), *cuts(data, few, chance),
                 *swaps(data, few, chance), *numbers(data, few),
                 *garbage(data, chance)]
        with ThreadPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(lambda c: try_bytes(sound, c), cases))
    sys.exit(1 if tell(outcomes) else 0)


def tell(outcomes):
    """A row for each kind of damage; how many were not dealt with."""
    rows = {}
    for kind, _, what, faults in outcomes:
        rows.setdefault(kind, Counter()).update(
            ['cases', what, *(['faults'] if faults else [])])
    head = ['cases', 'found', 'refused', 'same', 'faults']
    table(['damage', *head], [[kind, *(row[name] for name in head)]
                              for kind, row in sorted(rows.items())])
    bad = [o for o in outcomes if o[3]]
    for kind, number, _, faults in bad:
        print('FAIL', kind, number, '; '.join(faults))
    return len(bad)


if __name__ == '__main__':
    main()
