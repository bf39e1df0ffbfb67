#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does any stage look hung, and is Ctrl-C prompt?

300,000 documents of arxiv300k go through every command that takes documents,
each on a terminal of its own:

  json   --progress json: the longest time between two reports that advance
         (begin and end count as reports), stages that end below their total,
         and how long each stood there
  bar    the same for the progress bar
  stop   SIGINT after several shares of the total time: seconds to the exit

Time that the process waited for a processor is subtracted, as the kernel
reports it for the thread that waited longest, so that other load does not
count. Bars: 1 s of silence, 1 s at the end of a stage, 0.5 s to stop.
"""
import json
import os
import pty
import select
import signal
import subprocess
import time
from collections import namedtuple
from fnmatch import fnmatch

from common import begin, corpus, end, kedge, parser, place, remove, table
from common import verdict

SILENCE = 1.0
STOPPED = 0.5
TICK = 1 / os.sysconf('SC_CLK_TCK')

Job = namedtuple('Job', 'name arguments changes', defaults=(False,))
Moment = namedtuple('Moment', 'wall own cpu')
Gap = namedtuple('Gap', 'wall own cpu after')


# ---- what is run ------------------------------------------------------------

INFER = ['infer', '{store}', '--model', 'k100']
FIT = ['fit', '{store}', '-k', '100', '--model', 'again']
JOBS = [
    Job('ingest', ['ingest', '{new}', '{docword}', '--vocab', '{vocab}']),
    Job('ingest, other index', ['ingest', '{new}', '{docword}', '--vocab',
                               '{vocab}', '--no-sketch']),
    Job('fit', FIT, True),
    Job('fit, an index of its own', [*FIT, '--min-df', '20', '--max-df', '0.1'],
        True),
    Job('fit --power-iter 1', [*FIT, '--power-iter', '1'], True),
    Job('fit --em-iter 1', [*FIT, '--em-iter', '1'], True),
    Job('fit --ncut', [*FIT, '--ncut'], True),
    Job('fit --recover kl', [*FIT, '--recover', 'kl'], True),
    Job('fit --anchors xray', [*FIT, '--anchors', 'xray'], True),
    Job('fit --rectify palm', ['fit', '{store}', '-k', '20', '--model',
                               'again', '--rectify', 'palm', '--rectify-iter',
                               '5'], True),
    *(Job('infer ' + method, [*INFER, '--method', method])
      for method in ('linear-bayes', 'least-squares', 'mean', 'tli', 'padd',
                     'pami')),
    Job('infer FILE', ['infer', '{store}', '{docword}', '--vocab', '{vocab}',
                       '--model', 'k100']),
    Job('infer --save', ['infer', '{store}', '--model', 'k20', '--save'],
        True),
    Job('eval', ['eval', '{store}', '--model', 'k20,k100']),
    Job('sweep', ['sweep', '{store}', '-k', '10:50:10'], True),
    Job('topics', ['topics', '{store}', '--model', 'k100']),
    Job('topics --documents', ['topics', '{store}', '--model', 'k100',
                               '--documents', '3']),
    Job('word', ['word', '{store}', '--model', 'k100', 'quantum', 'graph']),
    Job('report', ['report', '{store}', '--model', 'k100', '-o', '{out}']),
    Job('export', ['export', '{store}', '--model', 'k100', '-o', '{out}']),
    Job('export --also all', ['export', '{store}', '--model', 'k100', '-o',
                              '{out}', '--also',
                              'graphml,csv,counts,mallet,pyldavis']),
    Job('verify', ['verify', '{store}']),
    Job('info', ['info', '{store}']),
    Job('diff', ['diff', '{store}', 'k20', 'k100']),
    Job('cat', ['cat', '{store}']),
    Job('vocab', ['vocab', '{store}']),
    Job('merge', ['merge', '{new}', '{store}', '{small}']),
    Job('remove', ['remove', '{store}', '--ids', '{ids}'], True),
    Job('repair', ['repair', '{store}'], True),
    Job('compact', ['compact', '{removed}'], True),
    Job('drop', ['drop', '{store}', '--index', '0'], True),
]


def make_stores(options):
    """What the commands start from; made once and kept."""
    c = corpus(options, 'arxiv300k')
    small = corpus(options, 'kos')
    paths = {'docword': c.docword, 'vocab': c.vocab,
             'store': place(options, 'silence.store'),
             'small': place(options, 'silence-small.store'),
             'removed': place(options, 'silence-removed.store'),
             'ids': place(options, 'silence-ids.txt'),
             'new': place(options, 'silence-new'),
             'out': place(options, 'silence-out')}
    if os.path.exists(place(options, 'silence-made')):
        return paths
    for name in ('store', 'small', 'removed'):
        remove(paths[name])
    kedge(options, 'ingest', paths['store'], c.docword, '--vocab', c.vocab)
    kedge(options, 'ingest', paths['small'], small.docword, '--vocab',
          small.vocab)
    with open(paths['ids'], 'w', encoding='utf-8') as file:
        file.writelines(f'{c.docword}:{i}\n' for i in range(1, 300001, 10))
    subprocess.run(['cp', '-r', paths['store'], paths['removed']], check=True)
    kedge(options, 'fit', paths['store'], '-k', '20,100')
    kedge(options, 'infer', paths['store'], '--model', 'k100', '--save')
    kedge(options, 'remove', paths['removed'], '--ids', paths['ids'])
    with open(place(options, 'silence-made'), 'w', encoding='utf-8'):
        pass
    return paths


def made_ready(job, paths):
    """The command's arguments, on a copy where it changes the store."""
    remove(paths['new'])
    remove(paths['out'])
    here = dict(paths)
    for name in ('store', 'removed'):
        if job.changes and '{%s}' % name in job.arguments:
            subprocess.run(['cp', '-r', '--reflink=auto', paths[name],
                            paths['new']], check=True)
            here[name] = paths['new']
    return [argument.format(**here) for argument in job.arguments]


# ---- a process and its time -------------------------------------------------

def hear():
    """What runs this may be deaf to Ctrl-C, and so would the command be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watched:
    """A command on a terminal of its own, and what its clocks say."""

    def __init__(self, options, arguments, progress):
        self.terminal, far = pty.openpty()
        self.child = subprocess.Popen(
            [options.program, *arguments, '--progress', progress],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=far,
            preexec_fn=hear)
        os.close(far)
        self.begun = time.monotonic()
        self.waited = {}

    def moment(self):
        """Seconds since it began, those less what the thread that waited
        longest waited for a processor, and those of processors."""
        folder = f'/proc/{self.child.pid}'
        try:
            for thread in os.listdir(folder + '/task'):
                with open(f'{folder}/task/{thread}/schedstat',
                          encoding='ascii') as file:
                    self.waited[thread] = int(file.read().split()[1]) / 1e9
            with open(folder + '/stat', encoding='ascii') as file:
                fields = file.read().rpartition(')')[2].split()
            cpu = (int(fields[11]) + int(fields[12])) * TICK
        except (OSError, IndexError):
            cpu = None
        wall = time.monotonic() - self.begun
        return Moment(wall, dict(self.waited), cpu)

    def pieces(self):
        """(bytes that came, the moment) until it ends."""
        while True:
            ready, _, _ = select.select([self.terminal], [], [], 0.05)
            if not ready:
                yield b'', self.moment()
                continue
            try:
                piece = os.read(self.terminal, 65536)
            except OSError:
                piece = b''
            now = self.moment()
            if not piece:
                break
            yield piece, now

    def close(self):
        code = self.child.wait()
        os.close(self.terminal)
        return code


def between(first, last, after):
    waited = max((value - first.own.get(thread, 0)
                  for thread, value in last.own.items()), default=0)
    wall = last.wall - first.wall
    cpu = (last.cpu - first.cpu if last.cpu is not None
           and first.cpu is not None else 0)
    return Gap(wall, max(0.0, wall - waited), cpu, after)


# ---- what is told -----------------------------------------------------------

class Stage:
    """From its first report to that of the next one."""

    def __init__(self, now, at):
        self.name = now['stage']
        self.first, self.begun = now, at
        self.last, self.moved = now, at

    def goes_on(self, now):
        return (now['stage'] == self.name and now['done'] >= self.last['done']
                and now['seconds'] >= self.last['seconds'])

    def hear(self, now, at):
        moves = now['done'] != self.last['done']
        if moves:
            self.moved = at
        self.last = now
        return moves


def hear_json(options, arguments):
    """All gaps, the stages with the moment of their end, and the whole."""
    w = Watched(options, arguments, 'json')
    gaps, stages, rest = [], [], b''
    at = last = w.moment()
    words = []

    def silent(to, after):
        gaps.append(between(last, to, after))

    for piece, at in w.pieces():
        *lines, rest = (rest + piece).split(b'\n')
        for line in lines:
            if not line.startswith(b'{'):
                words.append(line)
                continue
            now = json.loads(line)
            if stages and stages[-1][0].goes_on(now):
                if not stages[-1][0].hear(now, at):
                    continue
            else:
                if stages:
                    stages[-1][1] = at
                stages.append([Stage(now, at), None])
                if now['stage'] == 'working':
                    continue
            where = stages[-2][0].name if (len(stages) > 1 and
                                           stages[-1][0].begun is at) else \
                now['stage']
            silent(at, where)
            last = at
    if stages:
        stages[-1][1] = at
    silent(at, stages[-1][0].name + ', to the end' if stages else 'all')
    code = w.close()
    if code != 0:
        verdict(False, f'exit code {code}: {b" ".join(words)[-300:]}')
    return gaps, stages, at


def hear_bar(options, arguments):
    """Gaps between two drawings."""
    w = Watched(options, arguments, 'bar')
    gaps = []
    at = last = w.moment()
    for piece, at in w.pieces():
        if piece:
            gaps.append(between(last, at, 'drawing'))
            last = at
    gaps.append(between(last, at, 'the end'))
    w.close()
    return gaps


def stop_after(options, arguments, seconds):
    """The gap from the signal to the exit, and the exit code."""
    w = Watched(options, arguments, 'json')
    sent, rest, stage, at = None, b'', 'start', None
    for piece, at in w.pieces():
        *lines, rest = (rest + piece).split(b'\n')
        if sent is None:
            for line in lines:
                if line.startswith(b'{'):
                    stage = json.loads(line)['stage']
            if at.wall >= seconds:
                sent = w.moment()
                w.child.send_signal(signal.SIGINT)
    code = w.close()
    at = w.moment()
    return (between(sent, at, stage) if sent else None), code


# ---- the whole --------------------------------------------------------------

def show_stages(stages):
    rows = []
    for stage, over in stages:
        now, total = stage.last, stage.last['total']
        stood = between(stage.moved, over, '').own
        rows.append([stage.name, stage.first['done'], now['done'], total,
                     now['unit'], f'{over.wall - stage.begun.wall:.2f}',
                     f'{stood:.2f}',
                     'below' if now['done'] < total else
                     'stands' if total and stood > SILENCE else ''])
    table(['stage', 'from', 'to', 'of', 'unit', 'seconds', 'stood', ''], rows)
    return [row for row in rows if row[-1]]


def measure(options, job, paths):
    gaps, stages, whole = hear_json(options, made_ready(job, paths))
    print(f'\n## {job.name}: {whole.wall:.1f} s, {whole.cpu or 0:.1f} s of '
          'processors', flush=True)
    wrong = show_stages(stages) if stages else []
    for gap in gaps:
        if gap.own > SILENCE:
            print(f'silent {gap.own:.2f} s ({gap.wall:.2f} on the clock, '
                  f'{gap.cpu:.2f} of processors) in {gap.after}')
    longest = max(gaps, key=lambda gap: gap.own)
    verdict(longest.own <= SILENCE, f'{job.name}: silent for '
            f'{longest.own:.2f} s at most, in {longest.after}')
    verdict(not wrong, f'{job.name}: stages end at their total, and then are '
            'over' + ''.join(f'; {row[0]} {row[-1]}' for row in wrong))
    return whole


def measure_bar(options, job, paths):
    longest = max(hear_bar(options, made_ready(job, paths)),
                  key=lambda gap: gap.own)
    verdict(longest.own <= SILENCE, f'{job.name}: the line is drawn again '
            f'after {longest.own:.2f} s at most')


def measure_stop(options, job, paths, seconds):
    rows = []
    for i in range(options.stops):
        at = seconds * (i + 0.5) / options.stops
        gap, code = stop_after(options, made_ready(job, paths), at)
        if gap is not None:
            rows.append((gap, code, at))
    for gap, code, at in rows:
        print(f'  SIGINT at {at:.2f} s, in {gap.after}: {gap.own:.2f} s '
              f'({gap.wall:.2f} on the clock), exit code {code}')
    worst = max((gap.own for gap, _, _ in rows), default=0)
    verdict(worst <= STOPPED, f'{job.name}: stops within {worst:.2f} s')


def main():
    p = parser(__doc__)
    p.add_argument('--only', action='append', default=[],
                   help="commands of such a name, as 'infer *'")
    p.add_argument('--kinds', default='json,bar,stop')
    p.add_argument('--stops', type=int, default=6, help='signals a command')
    options = begin(p)
    paths = make_stores(options)
    for job in JOBS:
        if not any(fnmatch(job.name, o) for o in options.only or '*'):
            continue
        kinds = options.kinds.split(',')
        seconds = measure(options, job, paths).wall if kinds else 0
        if 'bar' in kinds:
            measure_bar(options, job, paths)
        if 'stop' in kinds:
            measure_stop(options, job, paths, seconds)
    end()


if __name__ == '__main__':
    main()
