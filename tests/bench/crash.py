#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is anything that was committed lost when kedge is killed?

An ingest of arxiv300k is killed (SIGKILL) at twenty random moments, each time
followed by the same command again; then fits are killed. The export at the end
must be byte for byte that of an undisturbed run, and committed documents must
be skipped, not processed again. With --slow the corpus comes from seven slow
pipes, so that a small one (kos, harbour) is killed half way as well.
"""
import json
import os
import random
import subprocess
import threading
import time

from common import (add_counting, answer, begin, corpus, counting, digests, end,
                    export, fit, kedge, parser, place, remove, say_counting,
                    table, verdict, weighing)
from shards import shards

TOPICS = {'arxiv300k': 50, 'kos': 20, 'harbour': 12}
PARTS = 7     # pipes
PIECES = 20   # in which the text of one comes


class Job:
    """An ingest that can be started again and again."""

    def __init__(self, options, c):
        self.options, self.c = options, c
        self.store = place(options, f'crash.{c.name}.store')
        self.turn = 0
        self.files, self.texts, self.pipes = [c.docword], [], []
        if options.slow:
            parts = shards(c.docword, place(options, f'{c.name}-of-{PARTS}'),
                           PARTS)
            self.texts = [unpacked(path) for path in parts]
            self.files = [place(options, f'crash.{c.name}.pipe{i}')
                          for i in range(PARTS)]

    def make_pipes(self):
        """Whoever still feeds the ones before does not find these: they have
        another name for those who write."""
        before = self.pipes
        self.turn += 1
        self.pipes = [f'{path}.{self.turn}' for path in self.files]
        for path in before + self.files + self.pipes:
            remove(path)
        for pipe, path in zip(self.pipes, self.files):
            os.mkfifo(pipe)
            os.link(pipe, path)

    def start(self, seconds, out=subprocess.DEVNULL, err=subprocess.DEVNULL):
        """Starts it; the pipes' text comes evenly over the time."""
        if self.texts:
            self.make_pipes()
        child = subprocess.Popen(
            [self.options.program, 'ingest', self.store, *self.files,
             '--from', 'uci', '--vocab', self.c.vocab, '--format', 'json',
             *counting(self.options)],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        threading.Thread(target=self.feed, args=(seconds, self.pipes),
                         daemon=True).start()
        return child

    def feed(self, seconds, pipes):
        """A reader that was killed is no error."""
        pause = seconds / PARTS / PIECES
        try:
            for path, text in zip(pipes, self.texts):
                with open(path, 'wb', buffering=0) as pipe:
                    feed_one(pipe, text, pause)
        except OSError:
            pass

    def finish(self):
        """The same command to its end, undisturbed and not slowed."""
        child = self.start(0, subprocess.PIPE, subprocess.PIPE)
        out, err = child.communicate()
        if child.returncode != 0:
            raise SystemExit(f'ingest gave {child.returncode}: '
                             f'{err.decode()[-500:]}')
        return json.loads(out)


def unpacked(path):
    return subprocess.run(['zstd', '-dcq', path], stdout=subprocess.PIPE,
                          check=True).stdout


def feed_one(pipe, text, pause):
    step = len(text) // PIECES + 1
    for at in range(0, len(text), step):
        pipe.write(text[at:at + step])
        time.sleep(pause)


def kill_after(child, seconds):
    """Whether it was still running."""
    try:
        child.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return True


def told(options, store):
    return answer(kedge(options, 'info', store, '--format', 'json'))


def committed(options, store):
    """Documents in the store; none when it was killed before it was made."""
    result = kedge(options, 'info', store, '--format', 'json', check=False)
    return answer(result)['documents'] if result.code == 0 else 0


def exported(options, job):
    job.fitted = fit(options, job.store, TOPICS[job.c.name],
                     *weighing(options))
    return written(options, job)


def written(options, job):
    folder = place(options, f'crash.{job.c.name}.out')
    export(options, job.store, folder)
    found = digests(folder)
    remove(folder)
    return found


def undisturbed(options, job):
    """What there should be at the end, and how long it takes."""
    remove(job.store)
    start = time.perf_counter()
    job.finish()
    seconds = options.slow or time.perf_counter() - start
    start = time.perf_counter()
    found = exported(options, job)
    return found, seconds, time.perf_counter() - start, \
        told(options, job.store)


def one_round(options, job, chance, seconds, rows, left):
    """Kills a new store's ingest until it is complete or no kill is left;
    then lets it finish. How many documents the last run passed over."""
    remove(job.store)
    before, kills = 0, 0
    while kills < left:
        delay = chance.uniform(0.02, options.reach * seconds)
        if not kill_after(job.start(options.slow), delay):
            break
        kills += 1
        now = committed(options, job.store)
        rows.append([len(rows) + 1, f'{delay:.2f}', before, now])
        if now < before:
            verdict(False, f'kill {len(rows)}: {before - now} documents lost')
        before = now
    return kills, committed(options, job.store), job.finish()


def check_round(options, job, number, reference, outcome):
    found, _, _, info = reference
    kills, before, result = outcome
    now = told(options, job.store)
    passed = result['resumed'] if not result['sources_known'] else before
    verdict(passed == before and result['documents'] + before ==
            info['documents'], f'round {number}, {kills} kills: {before} '
            f'documents passed over, {result["documents"]} added, of '
            f'{info["documents"]}')
    verdict(now['digest'] == info['digest'] and
            now['tokens'] == info['tokens'], f'round {number}: the same '
            'documents in the store')
    verdict(exported(options, job) == found,
            f'round {number}: the same bytes exported')


def check_fit(options, job, chance, reference):
    """A model is whole or not there; the next fit is whole."""
    remove(job.store)
    job.finish()
    half, hits = 0, 0
    for _ in range(options.fit_kills):
        child = subprocess.Popen(
            [options.program, 'fit', job.store, '-k',
             str(TOPICS[job.c.name]), *weighing(options)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        hits += kill_after(child, chance.uniform(0.01, 0.9 * reference[2]))
        if told(options, job.store)['models']:
            half += written(options, job) != reference[0]
    verdict(half == 0, f'{hits} fits killed, {half} models half done')
    verdict(exported(options, job) == reference[0],
            'fitted again: the same bytes exported')


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', choices=TOPICS, default='arxiv300k')
    p.add_argument('--quick', action='store_true',
                   help='--corpus kos --slow 4 --kills 6 --fit-kills 3')
    p.add_argument('--slow', type=float, default=0,
                   help='seconds that pipes take to deliver the corpus')
    p.add_argument('--kills', type=int, default=20)
    p.add_argument('--fit-kills', type=int, default=5)
    p.add_argument('--reach', type=float, default=0.8,
                   help='latest kill of a run, as a share of a whole one')
    p.add_argument('--seed', type=int, default=1)
    add_counting(p)
    options = begin(p)
    if options.quick:
        options.corpus, options.slow = 'kos', 4
        options.kills, options.fit_kills = 6, 3
    job = Job(options, corpus(options, options.corpus))
    chance = random.Random(options.seed)
    reference = undisturbed(options, job)
    say_counting(options, job.store, job.fitted)
    print(f'# undisturbed: ingest {reference[1]:.1f} s')
    rows, outcomes, left = [], [], options.kills
    while left > 0:
        outcome = one_round(options, job, chance, reference[1], rows, left)
        outcomes.append(outcome)
        left -= outcome[0]
        check_round(options, job, len(outcomes), reference, outcome)
    table(['kill', 'after', 'committed before', 'now'], rows)
    verdict(any(before > 0 for _, before, _ in outcomes),
            f'{len(rows)} kills, some with documents committed')
    check_fit(options, job, chance, reference)
    remove(job.store)
    end()


if __name__ == '__main__':
    main()
