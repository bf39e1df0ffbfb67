# SPDX-License-Identifier: MIT
"""What the benchmarks share: paths, running programs with their time and peak
memory, digests of files, tables, pages and verdicts.

This file loads nothing large: Linux counts what the parent held at the fork
as part of a child's peak, so whoever measures memory has to be small itself.
"""
import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHARED = os.path.join(os.path.dirname(ROOT), 'shared')
SKIPPED = 77

STATISTICS = ('raw', 'log', 'sqrt')
WEIGHTS = ('none', 'idf', 'sqrt')
# The oracle is the papers': raw counts, no term weights, fifteen iterations of
# ENN. Scripts that compare with it pass JOINT to ingest and PAPERS to fit.
ROUNDS = 15
JOINT = ('--tf', 'raw')
PAPERS = ('--term-weight', 'none', '--rectify-iter', ROUNDS)

Run = namedtuple('Run', 'code seconds rss out err cpu')
Corpus = namedtuple('Corpus', 'name docword vocab')

failures = []
said = set()


def parser(text):
    """The options of every benchmark."""
    p = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--program',
                   default=os.path.join(ROOT, '.build', 'src', 'cli', 'kedge'),
                   help='kedge; default: the one in .build')
    p.add_argument('--data', default=os.path.join(SHARED, 'data'))
    p.add_argument('--oracle', default=os.path.join(SHARED, 'oracle'))
    p.add_argument('--work', default=os.path.join(tempfile.gettempdir(),
                                                  'kedge-bench'),
                   help='where stores go and what takes long is kept')
    return p


def add_counting(p):
    """For what holds however occurrences and words count."""
    p.add_argument('--tf', choices=STATISTICS,
                   help='how occurrences count; default: as kedge chooses')
    p.add_argument('--term-weight', choices=WEIGHTS,
                   help='how words count; default: as kedge chooses')


def counting(options):
    """What add_counting() was told, for ingest or a fit that makes an
    index."""
    return ['--tf', options.tf] if options.tf else []


def weighing(options):
    """The same, for fit."""
    weight = options.term_weight
    return ['--term-weight', weight] if weight else []


def counted(options, store, fitted):
    """How occurrences and words count in the store's only model, and the
    columns of its sketch."""
    told = answer(kedge(options, 'info', store, '--format', 'json'))
    tf, = (index['tf'] for index in told['indexes']
           if index['number'] == told['models'][0]['index'])
    model = answer(fitted)['models'][0]
    return tf, model['term_weight'], model['sketch_size']


def say_counting(options, store, fitted):
    """Once for all stores that count alike."""
    how = counted(options, store, fitted)
    if how not in said:
        print('# tf {}, term weight {}, {} columns'.format(*how),
              flush=True)
    said.add(how)


def begin(p):
    """Reads the command line, makes the work folder, says how busy it is."""
    options = p.parse_args()
    options.program = os.path.abspath(options.program)
    if not os.access(options.program, os.X_OK):
        skip(f'there is no program {options.program}')
    os.makedirs(options.work, exist_ok=True)
    print(f'# load before: {load()}, {os.cpu_count()} cores', flush=True)
    return options


def load():
    return ' '.join(f'{x:.2f}' for x in os.getloadavg())


def skip(why):
    print(f'skipped: {why}')
    sys.exit(SKIPPED)


def corpus(options, name):
    """The files of a corpus; harbour is this project's own."""
    folder = (os.path.join(ROOT, 'fixtures') if name == 'harbour'
              else options.data)
    found = Corpus(name, os.path.join(folder, f'docword.{name}.txt.zst'),
                   os.path.join(folder, f'vocab.{name}.txt'))
    for path in found[1:]:
        if not os.path.exists(path):
            skip(f'there is no {path}')
    return found


def oracle_path(options):
    path = os.path.join(options.oracle, 'oracle.py')
    if not os.path.exists(path):
        skip(f'there is no {path}')
    return path


def oracle_module(options):
    """The oracle as a module, for those that look inside it."""
    oracle_path(options)
    sys.dont_write_bytecode = True
    sys.path.insert(0, options.oracle)
    try:
        import oracle
    except ImportError as e:
        skip(str(e))
    return oracle


def run(command, check=True, **options):
    """Runs it to its end: exit code, seconds, peak resident bytes, output, and
    seconds of a processor."""
    options.setdefault('stdin', subprocess.DEVNULL)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err, **options)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode('utf-8', 'replace'))
    result = Run(child.returncode, seconds, usage.ru_maxrss * 1024, *texts,
                 usage.ru_utime + usage.ru_stime)
    if check and result.code != 0:
        print('$', *command)
        print(result.err[-2000:])
        sys.exit(f'exit code {result.code}')
    return result


def kedge(options, *arguments, **how):
    return run([options.program, *map(str, arguments)], **how)


def built(options, name):
    """A program of this folder, from the build that kedge is of."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(options.program)))
    path = os.path.join(build, 'tests', 'bench', name)
    if not os.access(path, os.X_OK):
        skip(f'there is no program {path}')
    return path


def made(options, path, *shape):
    """A file that the program of corpus.c writes: documents, or words."""
    with open(path, 'wb') as out:
        subprocess.run([built(options, 'corpus'), *map(str, shape)],
                       stdout=out, check=True)
    return path


def answer(result):
    """What a command printed with --format json."""
    return json.loads(result.out)


def ingest(options, store, files, vocab, *more, **how):
    """Into a store that is emptied first, unless keep=True."""
    if not how.pop('keep', False):
        remove(store)
    return kedge(options, 'ingest', store, *files, '--vocab', vocab,
                 '--format', 'json', *more, **how)


def fit(options, store, k, *more, **how):
    return kedge(options, 'fit', store, '-k', k, '--format', 'json', *more,
                 **how)


def export(options, store, folder, *more, **how):
    remove(folder)
    return kedge(options, 'export', store, '-o', folder, *more, **how)


def place(options, *names):
    return os.path.join(options.work, *names)


def remove(path):
    subprocess.run(['rm', '-rf', '--', path], check=True)


def digest(path):
    value = hashlib.sha256()
    with open(path, 'rb') as file:
        for piece in iter(lambda: file.read(1 << 20), b''):
            value.update(piece)
    return value.hexdigest()


def digests(folder):
    """{name: sha256} of the files in a folder."""
    return {name: digest(os.path.join(folder, name))
            for name in sorted(os.listdir(folder))}


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read().split('\n')[:-1]


def machine():
    """The model of the processor and how many cores there are."""
    model = platform.machine()
    if os.path.exists('/proc/cpuinfo'):
        model = next((line.split(':')[1].strip() for line
                      in lines_of('/proc/cpuinfo')
                      if line.startswith('model name')), model)
    return f'{model}, {os.cpu_count()} cores'


def commit():
    """The commit of this tree, if it is known."""
    found = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], cwd=ROOT,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return found.stdout.decode().strip() or 'unknown'


def made_by(command, at=None):
    """When, where and by what the figures of a page were made."""
    return (f'Made on {time.strftime("%Y-%m-%d")} with kedge at commit '
            f'{at or commit()}, {machine()}, by `{command}`.')


def kept(path, make):
    """JSON that takes long to make: from the file, or made and written."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    value = make()
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump(value, file)
    os.replace(path + '.new', path)
    return value


def table(head, rows):
    """Columns as wide as they need to be."""
    cells = [[show(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    for row in cells:
        print('  '.join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))
    sys.stdout.flush()


def show(cell):
    return f'{cell:.4g}' if isinstance(cell, float) else str(cell)


def mib(size):
    return f'{size / (1 << 20):.0f}M'


NO_ANSWER = 'No answer is written yet: see the tables.'


def compose(question, answer, caveats='', columns='', tables=(), appendix=()):
    """A page of results in Markdown: the one order of all of them. Parts that
    are empty are left out."""
    parts = [f'# {question}', *(textwrap.fill(
        part.replace(' %', '\xa0%'), 79, break_long_words=False,
        break_on_hyphens=False).replace('\xa0', ' ')
        for part in answer.split('\n\n'))]
    for title, some in (('Caveats', [caveats]), ('Columns', [columns]),
                        (None, tables), ('Appendix', appendix)):
        some = [part.strip() for part in some if part]
        if some and title:
            parts.append(f'## {title}')
        parts += some
    return '\n\n'.join(parts) + '\n'


def verdict(good, text):
    print('PASS' if good else 'FAIL', text, flush=True)
    if not good:
        failures.append(text)
    return good


def end():
    print(f'# load after: {load()}')
    print(f'bars missed: {len(failures)}' if failures else 'all bars met')
    sys.exit(1 if failures else 0)
