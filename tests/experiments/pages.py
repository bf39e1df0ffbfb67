# SPDX-License-Identifier: MIT
"""What an experiment finds, as Markdown: on standard output, and with --write
in results/, where it is kept beside the script."""
import bench

import os
import shlex
import subprocess
import sys

import common
from common import HERE, ROOT, verdict

RESULTS = os.path.join(os.path.dirname(HERE), 'experiments', 'results')
PLACES = ('--program', '--data', '--work', '--oracle', '--commit')


def options(p):
    """The options that all experiments have."""
    p.add_argument('--kedge', default='', metavar='OPTIONS',
                   help="more options of `kedge fit`, as one word: "
                   "'--tf log --term-weight idf'")
    p.add_argument('--ingest', default='', metavar='OPTIONS',
                   help='likewise of `kedge ingest`')
    p.add_argument('--seed', type=int, default=0,
                   help='of the peers and of what is held out')
    p.add_argument('--commit', help='that the program is of, where it is not '
                   'the one of this tree')
    p.add_argument('--write', nargs='?', const='', metavar='NAME',
                   help='the results into results/ as well, with NAME as a '
                   'part of the name')
    return p


def finish(o):
    """Texts of the command line as lists."""
    o.kedge, o.ingest = shlex.split(o.kedge), shlex.split(o.ingest)
    return o


def show(cell):
    if cell is None:
        return ''
    if isinstance(cell, float):
        return f'{cell:.3f}' if abs(cell) < 10 else f'{cell:,.0f}'
    return str(cell)


def lay(head, rows):
    """A table of Markdown."""
    cells = [[show(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ['| ' + ' | '.join(cell.ljust(width) for cell, width
                               in zip(row, widths)) + ' |' for row in cells]
    lines.insert(1, '|' + '|'.join('-' * (w + 2) for w in widths) + '|')
    return '\n'.join(lines)


def commit(o):
    """That of the program, as well as it is known."""
    if o.commit:
        return o.commit
    found = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], cwd=ROOT,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return found.stdout.decode().strip() or 'unknown'


def command():
    """The command line, less where things are on this machine."""
    words = iter(sys.argv[1:])
    kept = ['tests/experiments/' + os.path.basename(sys.argv[0])]
    for word in words:
        if word in PLACES:
            next(words, None)
        elif not word.startswith(tuple(x + '=' for x in PLACES)):
            kept.append(word)
    return shlex.join(kept)


class Page:
    def __init__(self, o, name, text):
        self.path, self.apart = None, f'-{o.write}' if o.write else ''
        if o.write is not None:
            self.path = os.path.join(RESULTS, name + self.apart + '.md')
        self.parts, self.place = [], 0
        self.add(f'# {name}')
        self.add(text.strip())
        given = ' '.join(['kedge fit', *o.kedge])
        if o.ingest:
            given = ' '.join(['kedge ingest', *o.ingest, 'and', given])
        self.add(f'Options given to kedge: `{given}`.'
                 if o.kedge or o.ingest else 'kedge with its defaults.')
        self.add(f'Made with kedge at commit {commit(o)} by `{command()}`; '
                 f'load before: {common.load()}, {os.cpu_count()} cores.')
        self.add('')
        self.place = len(self.parts) - 1

    def front(self, text):
        """What stands before all that was found."""
        self.parts[self.place] = text
        self.save()

    def add(self, text):
        print(text + '\n', flush=True)
        self.keep(text)

    def keep(self, text):
        """Written at once: an experiment takes hours."""
        self.parts.append(text)
        self.save()

    def save(self):
        if self.path:
            os.makedirs(RESULTS, exist_ok=True)
            with open(self.path, 'w', encoding='utf-8') as file:
                file.write('\n\n'.join(filter(None, self.parts)) + '\n')

    def table(self, head, rows):
        self.add(lay(head, rows))

    def verdicts(self, found):
        """Of (whether it is met, the bar)."""
        lines = [f'- {"PASS" if verdict(good, text) else "FAIL"} {text}'
                 for good, text in found]
        self.keep('\n'.join(lines))
        print(flush=True)

    def close(self):
        self.keep(f'Load after: {common.load()}.')

    def end(self):
        """Of the only page."""
        self.close()
        common.end()
