# SPDX-License-Identifier: MIT
"""What the tests of faults share: running kedge with calls that fail, stores
that are looked at afterwards, and texts to fill them with."""
import json
import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, 'bench'))
# pylint: disable-next=wrong-import-position
from common import digests, remove  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIXTURES = os.path.join(ROOT, 'fixtures')
SECONDS = 60  # more than any command here takes, many times over
OURS = {'data.mdb', 'lock.mdb', 'writer.lock', 'checked', 'checked.new'}


class Kedge:
    """The program; what it is asked may be disturbed by inject.so."""

    def __init__(self, program, injector=None):
        self.program = os.path.abspath(program)
        self.injector = injector and os.path.abspath(injector)
        self.verifies = self.run('verify', '--help')[0] == 0

    def run(self, *arguments, inject=None, seconds=SECONDS):
        """Exit code (None: it hangs), standard output, standard error."""
        env = dict(os.environ, OPENBLAS_NUM_THREADS='1', LC_ALL='C.UTF-8')
        if inject:
            env.update(inject, LD_PRELOAD=self.injector)
        try:
            done = subprocess.run(
                [self.program, *map(str, arguments)], env=env, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None, '', ''
        return (done.returncode, done.stdout.decode('utf-8', 'replace'),
                done.stderr.decode('utf-8', 'replace'))

    def do(self, *arguments):
        """What has to succeed."""
        code, out, err = self.run(*arguments)
        if code != 0:
            raise SystemExit(f'kedge {" ".join(map(str, arguments))} gave '
                             f'{code}: {err}')
        return out

    def info(self, store):
        return json.loads(self.do('info', store, '--format', 'json'))

    def exported(self, store, folder, *more):
        """Digests of the files of a model, or None and why not."""
        remove(folder)
        code, _, err = self.run('export', store, '-o', folder, '-q', *more)
        found = digests(folder) if code == 0 else None
        remove(folder)
        return found, code, err

    def looks_sound(self, store):
        """'' when the store opens and nothing in it is damaged."""
        code, _, err = self.run('info', store)
        if code == 0 and self.verifies:
            code, _, err = self.run('verify', store, '-q')
        return '' if code == 0 else f'exit code {code}: {err.strip()}'


def copy(source, target):
    """A store as it is; nobody has it open."""
    remove(target)
    if source is not None:
        shutil.copytree(source, target)


def topic_words():
    """The lists of words that the harbour fixture is made of."""
    lists = []
    path = os.path.join(FIXTURES, 'vocab.harbour.txt')
    with open(path, encoding='utf-8') as file:
        words = file.read().split()
    for i in range(6):
        lists.append(words[i * 60:(i + 1) * 60])
    return lists


def write_texts(path, count, first=0, seed=1):
    """Documents with ids d<first> and so on, each of one or two topics."""
    chance = random.Random(seed)
    lists = topic_words()
    with open(path, 'w', encoding='utf-8') as out:
        for number in range(first, first + count):
            kinds = chance.sample(lists, chance.choice((1, 1, 2)))
            words = [chance.choice(chance.choice(kinds))
                     for _ in range(chance.randint(30, 60))]
            json.dump({'id': f'd{number}', 'text': ' '.join(words)}, out)
            out.write('\n')


def strangers(store):
    """Files in a store's folder that are none of its own."""
    return (set(os.listdir(store)) - OURS) if os.path.isdir(store) else set()
