#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls that fail while kedge writes.

Each scenario is a command. It runs once undisturbed, and its system calls and
allocations are counted (inject.c). Then, point by point, one of them fails:
with an error, cut short, or with the process killed at it. After each

- the command has ended with a message and exit code 1, 3 or 4; with 0, when
  the fault does no harm; by the signal, when it was killed;
- the store opens and is sound, or is no store yet; a model that was there is
  there, whole;
- the same command again completes it, and the model exported in the end is
  byte for byte that of the undisturbed run.

Points are chosen by --seed: every kind of fault at every kind of call in turn,
early and late ones. --one tries a single point again, as it was printed.
"""
import argparse
import os
import random
import sys
import tempfile
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor

from harness import (FIXTURES, Kedge, copy, digests, remove, strangers,
                     write_texts)
from common import table
from shards import shards

SHARDS = 3
READS = ('EIO', 'EINTR', 'SHORT', 'KILL')
WRITES = ('ENOSPC', 'EIO', 'EINTR', 'SHORT', 'KILL', 'TORN', 'POWER')
NAMES = ('EIO', 'ENOSPC', 'KILL', 'POWER')
MEMORY = ('ENOMEM', 'KILL')
KINDS = {
    'open': ('EIO', 'ENOSPC', 'EINTR', 'KILL'), 'openat': ('EIO', 'KILL'),
    'mkdir': NAMES, 'rename': NAMES, 'unlink': NAMES, 'link': NAMES,
    'chmod': NAMES, 'read': READS, 'pread': READS, 'write': WRITES,
    'pwrite': WRITES, 'writev': WRITES, 'pwritev': WRITES,
    'fwrite': ('ENOSPC', 'KILL'), 'fflush': ('ENOSPC', 'EIO', 'KILL'),
    'fclose': ('EIO', 'KILL'), 'close': ('EIO', 'EINTR', 'KILL'),
    'fsync': ('EIO', 'ENOSPC', 'EINTR', 'KILL', 'POWER'),
    'fdatasync': ('EIO', 'ENOSPC', 'EINTR', 'KILL', 'POWER'),
    'msync': ('EIO', 'KILL', 'POWER'), 'ftruncate': ('ENOSPC', 'EIO', 'KILL'),
    'posix_fallocate': ('ENOSPC', 'EINTR', 'KILL'), 'mmap': MEMORY,
    'munmap': ('KILL',), 'flock': ('EINTR', 'EIO', 'KILL'),
    'fcntl': ('EINTR', 'EIO', 'KILL'), 'malloc': MEMORY, 'calloc': MEMORY,
    'realloc': MEMORY, 'aligned_alloc': MEMORY, 'posix_memalign': MEMORY,
}
DEADLY = ('KILL', 'TORN', 'POWER')
HARMLESS = ('EINTR', 'SHORT')

# before: a store to begin with; command, then: what is run in the point's
# folder; model: an export of the store to begin with is possible.
Scenario = namedtuple('Scenario', 'name before command then')
Point = namedtuple('Point', 'scenario call kind at lasts')
Outcome = namedtuple('Outcome', 'point code again faults')


def named(point):
    return ':'.join([point.scenario, point.call, point.kind, str(point.at),
                     'lasts' if point.lasts else 'once'])


def parse(text):
    scenario, owner, call, kind, at, lasts = text.split(':')
    return Point(scenario, f'{owner}:{call}', kind, int(at), lasts == 'lasts')


class World:
    """Inputs, stores to begin with, and what each scenario ends with."""

    def __init__(self, kedge, folder):
        self.kedge, self.folder = kedge, folder
        self.inputs = self.path('inputs')
        os.makedirs(self.inputs, exist_ok=True)
        self.parts = shards(os.path.join(FIXTURES, 'docword.harbour.txt.zst'),
                            self.path('inputs', 'harbour'), SHARDS)
        self.vocab = self.path('inputs', 'vocab.txt')
        with open(os.path.join(FIXTURES, 'vocab.harbour.txt'), 'rb') as file:
            words = file.read()
        with open(self.vocab, 'wb') as file:
            file.write(words)
        write_texts(self.path('inputs', 'a.jsonl'), 400)
        write_texts(self.path('inputs', 'b.jsonl'), 300, first=250, seed=2)
        self.sketches = []
        self.scenarios = {s.name: s for s in self.make_scenarios()}
        self.counts, self.ends, self.begins = {}, {}, {}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def template(self, name, *commands):
        store = self.path('before-' + name)
        for command in commands:
            self.kedge.do(*self.filled(command, store, self.folder))
        return store

    def filled(self, command, store, folder):
        """Inputs are shared: where they lie is part of a source's name."""
        places = {'STORE': [store], 'PARTS': self.parts, 'VOCAB': [self.vocab],
                  'A': [self.path('inputs', 'a.jsonl')],
                  'B': [self.path('inputs', 'b.jsonl')],
                  'SKETCHES': self.sketches,
                  'OUT': [os.path.join(folder, 'out')]}
        return [word for name in command.split()
                for word in places.get(name, [name])]

    def send(self, part):
        """What another machine would: a part, without its documents."""
        store, file = part + '.store', part + '.sketch'
        self.kedge.do('ingest', store, part, '--vocab', self.vocab,
                      '--sketch-size', '96', '-q')
        self.kedge.do('sketch', 'export', store, '-o', file, '-q')
        self.sketches.append(file)

    def make_scenarios(self):
        usual = ' -q --threads 1'
        bags = 'ingest STORE PARTS --vocab VOCAB --sketch-size 96' + usual
        for part in self.parts[1:]:
            self.send(part)
        first = 'ingest STORE A --batch first' + usual
        second = 'ingest STORE B --batch second --on-duplicate replace' + usual
        fit = 'fit STORE -k 6 --model m' + usual
        other = 'fit STORE -k 4 --model m' + usual
        drop = 'remove STORE --batch second' + usual
        fitted = self.template('fitted', bags, fit)
        both = self.template('both', first, second, fit)
        one = self.template('one', first, fit)
        yield Scenario('ingest', None, bags, [fit])
        yield Scenario('texts', None, first, [fit])
        yield Scenario('replace', one, second, [fit])
        yield Scenario('fit', fitted, other, [])
        yield Scenario('spectrum', fitted, other + ' --term-weight none', [])
        yield Scenario('refine', fitted, fit + ' --power-iter 1', [])
        yield Scenario('refit', both, drop + ' --no-sketch', [fit])
        yield Scenario('remove', both, drop, [fit])
        kept = self.template('kept', bags, fit,
                             'infer STORE --save --method ls' + usual)
        yield Scenario('keep', kept, 'infer STORE --save' + usual, [])
        yield Scenario('unkeep', kept, other, [])
        yield Scenario('import', fitted, 'sketch import STORE SKETCHES' + usual,
                       [fit])
        yield Scenario('export', fitted, 'export STORE -q -o OUT', [])

    def undisturbed(self, name):
        """Counts the calls, and notes how a scenario begins and ends."""
        scenario = self.scenarios[name]
        folder = self.path('plain-' + name)
        store, report = os.path.join(folder, 'store'), folder + '.counts'
        remove(folder)
        remove(report)
        os.makedirs(folder)
        copy(scenario.before, store)
        if scenario.before:
            self.begins[name] = self.kedge.exported(
                store, os.path.join(folder, 'model'))[0]
        code, _, err = self.kedge.run(
            *self.filled(scenario.command, store, folder),
            inject={'KEDGE_INJECT_UNDER': self.folder,
                    'KEDGE_INJECT_REPORT': report})
        if code != 0:
            raise SystemExit(f'{name}: {code}: {err}')
        self.ends[name] = self.end(scenario, store, folder)
        with open(report, encoding='utf-8') as file:
            self.counts[name] = {
                call: int(n) for call, n in map(str.split, file)}
        remove(folder)

    def end(self, scenario, store, folder):
        """Digests of everything that a scenario is to come to."""
        for command in scenario.then:
            code, _, err = self.kedge.run(*self.filled(command, store, folder))
            if code != 0:
                return f'{command.split()[0]} gives {code}: {err.strip()}'
        found = self.kedge.exported(store, os.path.join(folder, 'model'))[0]
        out = os.path.join(folder, 'out')
        info = self.kedge.info(store)
        return found, written(out), {
            key: info[key] for key in ('documents', 'tokens', 'digest')}


def written(folder):
    """Digests of an export's files; what a killed one left has another name,
    with the number of its process."""
    if not os.path.isdir(folder):
        return None
    return {name: value for name, value in digests(folder).items()
            if '.tmp-' not in name}


def faults_left(point, store, folder):
    """Files that should not be there; who was killed cannot remove them."""
    left = strangers(store)
    out = os.path.join(folder, 'out')
    if os.path.isdir(out) and point.kind not in DEADLY:
        left |= {name for name in os.listdir(out) if '.tmp-' in name}
    return [f'left behind: {sorted(left)}'] if left else []


def faults_of_exit(point, fired, code, err):
    """What is wrong with how the command ended, if anything."""
    if code is None:
        return ['it hangs']
    if not fired:
        return [] if code == 0 else [f'exit code {code} without a fault']
    if point.kind in DEADLY:
        return [] if code == -9 else [f'exit code {code}, not killed']
    if code not in (0, 1, 3, 4):
        return [f'exit code {code}']
    if code != 0 and 'kedge: ' not in err:
        return ['no message']
    # What LMDB makes of a call that was cut short or interrupted is its own.
    if code != 0 and point.kind in HARMLESS and \
            not point.call.startswith('lmdb:'):
        return [f'exit code {code}: {err.strip()}']
    return []


def faults_of_store(world, point, store, folder):
    """What is wrong with the store, as the disturbed command left it."""
    before = world.scenarios[point.scenario].before
    found = []
    sound = world.kedge.looks_sound(store)
    if sound and (before or 'no store' not in sound):
        found.append('the store: ' + sound)
    if before and not sound:
        model = world.kedge.exported(store, os.path.join(folder, 'model'))[0]
        if model not in (world.begins[point.scenario],
                         world.ends[point.scenario][0]):
            found.append('another model than before or after')
    return found


def try_point(world, point, number):
    """Disturbs one command, and looks at everything after it."""
    scenario = world.scenarios[point.scenario]
    folder = world.path(f'point-{number}')
    store, report = os.path.join(folder, 'store'), folder + '.report'
    command = world.filled(scenario.command, store, folder)
    remove(report)
    remove(folder)
    os.makedirs(folder)
    copy(scenario.before, store)
    inject = {'KEDGE_INJECT_UNDER': world.folder,
              'KEDGE_INJECT_CALL': point.call,
              'KEDGE_INJECT_AT': str(point.at),
              'KEDGE_INJECT_WHAT': point.kind,
              'KEDGE_INJECT_REPORT': report}
    if point.lasts:
        inject['KEDGE_INJECT_LASTS'] = '1'
    code, _, err = world.kedge.run(*command, inject=inject)
    fired = False
    if os.path.exists(report):
        with open(report, encoding='utf-8') as file:
            fired = file.readline() == 'fired\n'
    faults = faults_of_exit(point, fired, code, err)
    faults += faults_of_store(world, point, store, folder)
    again = None
    if code != 0:
        again, _, err = world.kedge.run(*command)
        if again != 0:
            faults.append(f'again: exit code {again}: {err.strip()}')
    faults += faults_left(point, store, folder)
    end = world.end(scenario, store, folder) if not faults else None
    if not faults and end != world.ends[point.scenario]:
        faults.append(f'it comes to something else: {end}')
    if not faults:
        remove(folder)
        remove(report)
    return Outcome(point, code, again, faults)


def choose(world, names, many, seed):
    """Every scenario's calls and kinds in turn, in an order by chance."""
    chance = random.Random(seed)
    kinds = [(name, call, kind)
             for name in names for call in sorted(world.counts[name])
             for kind in KINDS[call.split(':')[1]]]
    points, turn = [], []
    while len(points) < many and kinds:
        turn = turn or chance.sample(kinds, len(kinds))
        name, call, kind = turn.pop()
        last = world.counts[name][call]
        at = chance.choice((1, last, chance.randint(1, last),
                            chance.randint(1, last)))
        lasts = kind in ('ENOSPC', 'EIO', 'ENOMEM', 'SHORT') and \
            chance.random() < 0.5
        points.append(Point(name, call, kind, at, lasts))
    return points


def tell(outcomes):
    """A row for each scenario and kind."""
    groups = {}
    for outcome in outcomes:
        key = (outcome.point.scenario, outcome.point.kind)
        groups.setdefault(key, Counter())
        row = groups[key]
        row['points'] += 1
        row['unharmed'] += outcome.code == 0
        row['errors'] += outcome.code in (1, 3, 4)
        row['killed'] += outcome.code == -9
        row['resumed'] += outcome.again == 0
        row['equal'] += not outcome.faults
    head = ['points', 'unharmed', 'errors', 'killed', 'resumed', 'equal']
    rows = [[*key, *(row[name] for name in head)]
            for key, row in sorted(groups.items())]
    total = [sum(row[i + 2] for row in rows) for i in range(len(head))]
    table(['scenario', 'kind', *head], rows + [['all', '', *total]])
    codes = Counter(o.code for o in outcomes)
    print('exit codes:', ', '.join(f'{code}: {n}' for code, n in sorted(
        codes.items(), key=str)))


def main():
    p = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('program')
    p.add_argument('injector', help='libinject.so')
    p.add_argument('--points', type=int, default=60)
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--scenario', action='append')
    p.add_argument('--one', type=parse)
    options = p.parse_args()
    with tempfile.TemporaryDirectory(prefix='kedge-faults-') as folder:
        world = World(Kedge(options.program, options.injector), folder)
        names = options.scenario or list(world.scenarios)
        if options.one:
            names = [options.one.scenario]
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(world.undisturbed, names))
            points = [options.one] if options.one else choose(
                world, names, options.points, options.seed)
            outcomes = list(pool.map(lambda n: try_point(world, points[n], n),
                                     range(len(points))))
    tell(outcomes)
    bad = [o for o in outcomes if o.faults]
    for outcome in bad:
        print('FAIL', named(outcome.point), f'({outcome.code})',
              '; '.join(outcome.faults))
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
