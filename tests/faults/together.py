#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One writer and four readers of a store, all at once.

The writer adds batch after batch, takes one out now and then, and fits. The
readers show topics, export, and ask for information, over and over. No command
fails; every export is, byte for byte, one that the writer saw after a fit, so
its files belong together. And while somebody writes, a second writer is
refused at once, with words.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time

from harness import Kedge, write_texts
from common import table

READERS = 4
BUSY = 'another process is writing'


class Shared:
    """What the threads tell each other."""

    def __init__(self, kedge, folder, seconds):
        self.kedge, self.folder = kedge, folder
        self.store = os.path.join(folder, 'store')
        self.ends = time.monotonic() + seconds
        self.models, self.exports = [], []
        self.counts, self.faults = {}, []
        self.lock = threading.Lock()

    def going(self):
        return time.monotonic() < self.ends

    def did(self, name, code, err):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
            if code != 0:
                self.faults.append(f'{name}: exit code {code}: {err.strip()}')
        return code == 0

    def run(self, name, *command):
        code, out, err = self.kedge.run(*command)
        return out if self.did(name, code, err) else None

    def export(self, name):
        found, code, err = self.kedge.exported(
            self.store, os.path.join(self.folder, 'out-' + name))
        return found if self.did('export', code, err) else None


def write_one(shared, turn):
    """A batch more, or one less, and a model of what there is now."""
    path = os.path.join(shared.folder, f'batch-{turn}.jsonl')
    if turn % 4 == 3:
        shared.run('remove', 'remove', shared.store, '--batch',
                   f'b{turn - 2}', '-q', '--threads', 1)
    else:
        write_texts(path, 200, first=200 * turn, seed=turn)
        shared.run('ingest', 'ingest', shared.store, path, '--batch',
                   f'b{turn}', '-q', '--threads', 1)
    shared.run('fit', 'fit', shared.store, '-k', 4, '--model', 'm', '-q',
               '--threads', 1)
    shared.models.append(shared.export('writer'))


def write(shared):
    turn = 1
    while shared.going():
        write_one(shared, turn)
        turn += 1


def read(shared, number):
    turn = number
    while shared.going():
        if turn % 3 == 0:
            found = shared.export(f'reader-{number}')
            if found:
                shared.exports.append(found)
        elif turn % 3 == 1:
            if shared.run('topics', 'topics', shared.store) == '':
                shared.faults.append('topics: nothing was printed')
        else:
            shared.run('info', 'info', shared.store, '--format', 'json')
        turn += 1


def second_writers(shared):
    """While one waits for its input, the others are refused."""
    pipe = os.path.join(shared.folder, 'pipe')
    os.mkfifo(pipe)
    path = os.path.join(shared.folder, 'batch-0.jsonl')
    with subprocess.Popen(
            [shared.kedge.program, 'ingest', shared.store, pipe, '--from',
             'jsonl', '-q'], stdin=subprocess.DEVNULL) as first:
        # It has the pipe open, hence the store; and waits for this.
        with open(pipe, 'wb', buffering=0) as slow:
            slow.write(b'{"id": "slow", "text": "harbour sail wind"}\n')
            for command in (['ingest', shared.store, path],
                            ['fit', shared.store, '-k', '4'],
                            ['remove', shared.store, '--batch', 'b0']):
                start = time.monotonic()
                code, _, err = shared.kedge.run(*command)
                shared.counts['refused'] = shared.counts.get('refused', 0) + 1
                if code != 1 or BUSY not in err:
                    shared.faults.append(f'second {command[0]}: exit code '
                                         f'{code}: {err.strip()}')
                if time.monotonic() - start > 5:
                    shared.faults.append(f'second {command[0]} waited')
            shared.run('info', 'info', shared.store)
            shared.export('meanwhile')
        if first.wait() != 0:
            shared.faults.append(f'first writer: {first.returncode}')


def main():
    p = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('program')
    p.add_argument('--seconds', type=float, default=10)
    options = p.parse_args()
    with tempfile.TemporaryDirectory(prefix='kedge-together-') as folder:
        shared = Shared(Kedge(options.program), folder, options.seconds)
        write_one(shared, 0)
        threads = [threading.Thread(target=write, args=(shared,))] + [
            threading.Thread(target=read, args=(shared, i))
            for i in range(READERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        second_writers(shared)
        wrong = shared.kedge.looks_sound(shared.store)
    strange = [e for e in shared.exports if e not in shared.models]
    shared.faults += [f'the store: {wrong}'] if wrong else []
    shared.faults += ['an export that is no model of the writer'] * len(strange)
    table(['command', 'times'], sorted(shared.counts.items()))
    print(f'{len(shared.models)} models, {len(shared.exports)} exports of '
          f'readers, {len(strange)} of them of no model')
    for fault in shared.faults:
        print('FAIL', fault)
    sys.exit(1 if shared.faults or not shared.exports else 0)


if __name__ == '__main__':
    main()
