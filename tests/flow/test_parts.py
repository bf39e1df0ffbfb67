#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_parts.py ROOT BUILD: the scripts of examples/parts, which read the parts
of a corpus apart from each other, come to the model of one store."""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', folder)
                for folder in ('tools', 'bench')]
from program import with_program  # noqa: E402
from shards import shards  # noqa: E402

PARTS = 4
WORDS = ('--from', 'jsonl', '--text-field', 'words')


class Place:
    """A folder with the corpus in one file, in shards, and as lines."""

    def __init__(self, root, build, folder):
        self.folder, self.environment = folder, with_program(build)
        self.scripts = os.path.join(root, 'examples', 'parts')
        self.vocab = os.path.join(root, 'fixtures', 'vocab.harbour.txt')
        corpus = os.path.join(root, 'fixtures', 'docword.harbour.txt.zst')
        self.shards = shards(corpus, self.path('shard'), PARTS)
        self.run('kedge', 'ingest', 'one', corpus, '--vocab', self.vocab)
        self.lines = self.run('kedge', 'cat', 'one').splitlines(True)
        self.wanted = self.digests('one')

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, text=b'', **more):
        result = subprocess.run(command, cwd=self.folder, check=False,
                                env=dict(self.environment, **more),
                                input=text, stdout=subprocess.PIPE)
        assert result.returncode == 0, (command, result.returncode)
        return result.stdout

    def script(self, name, *arguments, **more):
        return self.run('sh', os.path.join(self.scripts, name), *arguments,
                        **more)

    def digests(self, store):
        self.run('kedge', 'fit', store, '-k', '12', '--quiet')
        return self.exported(store)

    def exported(self, store):
        """Digests of all files of a model."""
        folder = store + '.model'
        self.run('kedge', 'export', store, '-o', folder, '--quiet')
        found = {}
        for name in os.listdir(self.path(folder)):
            with open(os.path.join(self.path(folder), name), 'rb') as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
        return found

    def check(self, store):
        assert self.digests(store) == self.wanted, store


def check_parallel(place):
    for shards_so_far in (PARTS - 1, PARTS, PARTS):
        place.script('parallel.sh', place.vocab, 'apart',
                     *place.shards[:shards_so_far], JOBS='2')
    place.check('apart/all')


def check_array(place):
    with open(place.path('list'), 'w', encoding='utf-8') as file:
        file.write(''.join(name + '\n' for name in place.shards))
    os.mkdir(place.path('array'))
    for task in range(PARTS, 0, -1):
        place.script('array.sh', 'list', place.vocab, 'array',
                     SLURM_ARRAY_TASK_ID=str(task))
    names = sorted(os.path.join('array', name)
                   for name in os.listdir(place.path('array'))
                   if name.endswith('.sketch'))
    assert len(names) == PARTS, names
    place.run('kedge', 'sketch', 'import', 'array/all', *names)
    place.check('array/all')


def check_pipe(place):
    """Partitions as they come: by turns, and one without documents. The first
    goes through a pipe all the way."""
    os.mkdir(place.path('shared'))
    for part in range(PARTS):
        text = b''.join(place.lines[part::PARTS])
        out = place.script('pipe.sh', place.vocab,
                           'shared' if part > 0 else '-', *WORDS, text=text)
        place.run('kedge', 'sketch', 'import', 'piped',
                  out.decode().strip() if part > 0 else '-',
                  text=out if part == 0 else b'')
    assert place.script('pipe.sh', place.vocab, 'shared', *WORDS) == b''
    assert len(os.listdir(place.path('shared'))) == PARTS - 1
    place.check('piped')


def compositions(texts):
    """Of all documents, whatever their names: those are of files."""
    return sorted(line.split(b'\t', 1)[1] for text in texts
                  for line in text.split(b'\n')[1:-1])


def check_mpi(place):
    """As root, with more ranks than cores, none of which turns round and
    round."""
    more = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_MCA_mpi_yield_when_idle': '1',
            'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'RANKS': '3',
            'OMPI_MCA_rmaps_base_oversubscribe': '1'}
    for _ in range(2):
        place.script('mpi.sh', place.vocab, 'together', '12', *place.shards,
                     **more)
    assert place.exported('together') == place.wanted
    shares = []
    for rank in range(3):
        with open(place.path(f'together.shares.{rank}'), 'rb') as file:
            shares.append(file.read())
    whole = place.run('kedge', 'infer', 'one', '--quiet')
    assert compositions(shares) == compositions([whole])


def main(root, build):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.abspath(root), build, folder)
        check_parallel(place)
        check_array(place)
        check_pipe(place)
        module = os.path.join(build, 'src', 'cli', 'kedge-mpi.so')
        if os.path.exists(module) and shutil.which('mpirun'):
            check_mpi(place)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
