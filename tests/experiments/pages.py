# SPDX-License-Identifier: MIT
"""The pages of results: Markdown on standard output, and with --write in
results/.

Every page has one order: question, answer, caveats, columns, tables, appendix.
The question and what a reader has to know come from the script's own text (see
`told`). The answer is written by hand once the tables are there: --answer, or
in the page itself.
"""
import bench

import os
import shlex
import sys

import common
from common import HERE, NO_ANSWER, compose, verdict

RESULTS = os.path.join(os.path.dirname(HERE), 'experiments', 'results')
PLACES = ('--program', '--data', '--work', '--oracle', '--commit',
          '--answer')     # not part of the command that a page tells
PARTS = ('Caveats', 'Columns')
MISSED = ('### Missed bars\n\nWhat was expected, with the figures that do not '
          'meet it:\n\n')


def options(p):
    """The options that all experiments have."""
    p.add_argument('--kedge', default='', metavar='OPTIONS',
                   help="more options of `kedge fit`, as one word: "
                   "'--tf log --term-weight idf'")
    p.add_argument('--ingest', default='', metavar='OPTIONS',
                   help='more options of `kedge ingest`, as one word')
    p.add_argument('--seed', type=int, default=0,
                   help='of the other tools and of the held-out documents')
    p.add_argument('--commit', help='commit of --program, if it was not built '
                   'from this tree')
    p.add_argument('--write', nargs='?', const='', metavar='NAME',
                   help='write the page to results/ too, with NAME added to '
                   'its file name')
    p.add_argument('--answer', default=NO_ANSWER, metavar='TEXT',
                   help='the answer of the page, two to four sentences; write '
                   'it after you have read the tables')
    return p


def finish(o):
    """Splits the options that hold options."""
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
    """The commit that the program was built from, if it is known."""
    return o.commit or common.commit()


def command():
    """The command line without the paths of this machine."""
    words = iter(sys.argv[1:])
    kept = ['tests/experiments/' + os.path.basename(sys.argv[0])]
    for word in words:
        if word in PLACES:
            next(words, None)
        elif not word.startswith(tuple(x + '=' for x in PLACES)):
            kept.append(word)
    return shlex.join(kept)


def told(text):
    """A script's own text in parts: its first paragraph is the question; a line
    'Caveats:' or 'Columns:' begins that part; the rest is the method."""
    question, *paragraphs = text.strip().split('\n\n')
    parts, now = {'Method': []}, 'Method'
    for paragraph in paragraphs:
        first, _, rest = paragraph.partition('\n')
        if first.rstrip(':') in PARTS and first.endswith(':'):
            now, paragraph = first.rstrip(':'), rest
        parts.setdefault(now, []).append(paragraph)
    return ' '.join(question.split()).rstrip('.'), {
        name: '\n\n'.join(some) for name, some in parts.items()}


class Page:
    def __init__(self, o, name, text):
        self.path, self.apart = None, f'-{o.write}' if o.write else ''
        if o.write is not None:
            self.path = os.path.join(RESULTS, name + self.apart + '.md')
        self.question, self.parts = told(text)
        self.answer, self.first = o.answer, ''
        self.tables, self.appendix = [], []
        self.asked, self.missed = 0, []
        given = [f'`kedge {program} {shlex.join(some)}`' for program, some
                 in (('ingest', o.ingest), ('fit', o.kedge)) if some]
        self.made = (
            f'{common.made_by(command(), o.commit)} Options of kedge: '
            f'{" and ".join(given) or "its defaults"}. Load: '
            f'{common.load()} before')
        print(f'# {self.question}\n', flush=True)

    def front(self, text):
        """Stands before all tables."""
        self.first = text
        self.save()

    def columns(self, text):
        """More lines for the list of columns."""
        self.parts['Columns'] = '\n'.join(filter(None, [
            self.parts.get('Columns'), text]))

    def add(self, text, long=False):
        """Something long goes to the appendix."""
        print(text + '\n', flush=True)
        self.keep(text, long)

    def keep(self, text, long=False):
        """Written at once: an experiment takes hours."""
        (self.appendix if long else self.tables).append(text)
        self.save()

    def bars(self):
        """How many bars were met, and where to find those that were not."""
        if not self.asked:
            return ''
        met = f'Bars met: {self.asked - len(self.missed)} of {self.asked}'
        return met + ('; the appendix lists the missed ones.' if self.missed
                      else '.')

    def text(self):
        method = self.parts.get('Method')
        return compose(
            self.question, '\n\n'.join(filter(None, [self.answer,
                                                     self.bars()])),
            self.parts.get('Caveats', ''), self.parts.get('Columns', ''),
            [self.first, *self.tables],
            [method and '### Method\n\n' + method, *self.appendix,
             self.missed and MISSED + '\n'.join(self.missed),
             '### Run\n\n' + self.made + '.'])

    def save(self):
        if self.path:
            os.makedirs(RESULTS, exist_ok=True)
            with open(self.path, 'w', encoding='utf-8') as file:
                file.write(self.text())

    def table(self, head, rows, long=False):
        self.add(lay(head, rows), long)

    def verdicts(self, found):
        """Of (whether it is met, the bar); the page lists the missed ones."""
        for good, text in found:
            self.asked += 1
            if not verdict(good, text):
                self.missed.append(f'- {text}')
        print(flush=True)
        self.save()

    def close(self):
        print(self.first, flush=True)
        self.made += f', {common.load()} after'
        self.save()

    def end(self):
        """Of the only page."""
        self.close()
        common.end()
