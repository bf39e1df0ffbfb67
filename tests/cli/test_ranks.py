#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_ranks.py PROGRAM: several processes that mpirun starts as one job."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from shell import Case, PROGRAM, document, environment, main, vocabulary

MODULE = os.path.join(os.path.dirname(PROGRAM), 'kedge-mpi.so')
SKIPPED = 77
SHARDS = 7
DOCUMENTS = 300    # of a shard
KILLS = 3 if 'ASAN_OPTIONS' in os.environ else 10
# Of OpenMPI: root may, more ranks than cores may, and they do not turn round
# and round while they wait for each other; memory that it does not give back
# at the end is not kedge's.
MPI = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
       'OMPI_MCA_rmaps_base_oversubscribe': '1',
       'OMPI_MCA_mpi_yield_when_idle': '1',
       'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'}
VOCABULARY = ('--vocab', 'vocab.txt')


def shard(seed, documents):
    """A UCI corpus of its own."""
    chance = random.Random(seed)
    lines = []
    for i in range(1, documents + 1):
        counts = document(chance)
        lines += [b'%d %d %d\n' % (i, w, counts[w]) for w in sorted(counts)]
    return b'%d\n%d\n%d\n' % (documents, len(vocabulary()),
                              len(lines)) + b''.join(lines)


class Ranks(Case):
    """A job of some ranks on some shards."""

    def setUp(self):
        super().setUp()
        self.write('vocab.txt', b'\n'.join(vocabulary()) + b'\n')

    def shards(self, documents=DOCUMENTS):
        names = [f'shard{i}.txt' for i in range(SHARDS)]
        for seed, name in enumerate(names):
            self.write(name, shard(seed, documents))
        return names

    def begin(self, *parts, **changes):
        """Starts a job; each part is a number of ranks and what they run."""
        line = ['mpirun']
        for ranks, *arguments in parts:
            line += [':'] * (len(line) > 1)
            line += ['-n', str(ranks), PROGRAM, *arguments]
        return subprocess.Popen(line, cwd=self.folder, text=True,
                                env=environment(**MPI, **changes),
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def end(self, job):
        out, told = job.communicate(timeout=120)
        return job.returncode, out, told

    def job(self, *parts, **changes):
        """Begun again where mpirun itself came to grief."""
        for _ in range(3):
            ended = self.end(self.begin(*parts, **changes))
            if ended[0] >= 0:
                break
        return ended

    def job_works(self, ranks, *arguments):
        code, out, told = self.job((ranks, *arguments))
        self.assertEqual(code, 0, told)
        return out, told

    def digest(self, store):
        told = self.works_json('info', store, '--format', 'json')
        return told['digest']

    def merged(self, ranks, store='merged'):
        shutil.rmtree(self.path(store), ignore_errors=True)
        self.works('merge', store, *(f'store.{r}' for r in range(ranks)), '-q')
        return self.digest(store)

    def kill_one(self, job, after):
        """One of the ranks, some time after they have begun."""
        ranks = {}
        while job.poll() is None and not ranks:
            time.sleep(0.001)
            ranks = self.find_ranks()
        time.sleep(after)
        if not ranks or job.poll() is not None:
            return None
        rank = random.choice(sorted(ranks))
        try:
            os.kill(ranks[rank], signal.SIGKILL)
        except ProcessLookupError:
            return None
        return rank

    def find_ranks(self):
        """{rank: its process}, of those that have opened a store here: before
        that it is MPI that does not get over the loss of one."""
        ranks = {}
        for name in os.listdir('/proc'):
            try:
                with open(f'/proc/{name}/environ', 'rb') as f:
                    told = dict(x.split(b'=', 1) for x in f.read().split(b'\0')
                                if b'=' in x)
                if os.readlink(f'/proc/{name}/exe') == os.path.realpath(
                        PROGRAM) and os.readlink(
                            f'/proc/{name}/cwd') == self.folder and \
                        self.has_store(name):
                    ranks[int(told[b'OMPI_COMM_WORLD_RANK'])] = int(name)
            except (OSError, KeyError):
                continue
        return ranks

    def has_store(self, process):
        with open(f'/proc/{process}/maps', encoding='utf-8') as file:
            return self.path('store.') in file.read()

    def alone(self, names):
        self.works('ingest', 'alone', *names, *VOCABULARY, '-q')
        return self.digest('alone')


class Ingest(Ranks):
    def test_all_is_read_once(self):
        names = self.shards()
        expected = self.alone(names)
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                for r in range(ranks):
                    shutil.rmtree(self.path(f'store.{r}'), ignore_errors=True)
                out, told = self.job_works(ranks, 'ingest', 'store/', *names,
                                           *VOCABULARY, '--format', 'json')
                sums = json.loads(out)
                self.assertEqual(sums['documents'], SHARDS * DOCUMENTS, told)
                self.assertEqual(sums['sources'], SHARDS)
                self.assertEqual(self.merged(ranks), expected)
                out, told = self.job_works(ranks, 'ingest', 'store', *names,
                                           *VOCABULARY, '--format', 'json')
                sums = json.loads(out)
                self.assertEqual((sums['documents'], sums['sources_known']),
                                 (0, SHARDS), told)

    def test_fewer_ranks_are_refused(self):
        names = self.shards(20)
        self.job_works(3, 'ingest', 'store', *names, *VOCABULARY, '-q')
        code, _, told = self.job((2, 'ingest', 'store', *names, *VOCABULARY))
        self.assertEqual(code, 2)
        self.assertIn('kedge: rank 0: there is a store store.2 from an earlier '
                      'run with more ranks: use as many again\n', told)
        self.job_works(4, 'ingest', 'store', *names, *VOCABULARY, '-q')

    def test_ranks_have_to_be_alike(self):
        names = self.shards(20)
        line = ('ingest', 'store', *names, *VOCABULARY)
        code, _, told = self.job((1, *line), (1, *line, '--seed', '3'))
        self.assertEqual(code, 2)
        self.assertRegex(told, "kedge: rank 1: this rank was started as 'kedge "
                         ".*--seed 3', another 'kedge .*': they must be "
                         "equal\n")
        self.assertFalse(os.path.exists(self.path('store.0')))
        self.assertFalse(os.path.exists(self.path('store.1')))

    def test_what_is_named_twice_is_read_once(self):
        names = self.shards(20)
        out, told = self.job_works(3, 'ingest', 'store', *names, *names[::-1],
                                   *VOCABULARY, '--format', 'json')
        sums = json.loads(out)
        self.assertEqual((sums['documents'], sums['sources']),
                         (20 * SHARDS, SHARDS), told)

    def counted(self, ranks, *names):
        """Documents, sources and known ones of such a job."""
        out, _ = self.job_works(ranks, 'ingest', 'store', *names, *VOCABULARY,
                                '--format', 'json')
        sums = json.loads(out)
        return tuple(sums[k] for k in ('documents', 'sources',
                                       'sources_known'))

    def test_a_file_is_one_whatever_leads_to_it(self):
        names = self.shards(20)
        os.symlink(names[1], self.path('another'))
        os.link(self.path(names[2]), self.path('second'))
        os.mkdir(self.path('in'))
        self.assertEqual(
            self.counted(3, *names, './' + names[0], 'in/../' + names[0],
                         self.path(names[0]), 'another', 'second'),
            (20 * SHARDS, SHARDS, 0))

    def test_what_was_read_is_known_whatever_leads_to_it(self):
        """By the file, or as one machine alone knows it: by its documents."""
        names = self.shards(20)
        self.assertEqual(self.counted(2, *names), (20 * SHARDS, SHARDS, 0))
        expected = self.merged(2)
        for again in (['./' + n for n in names],
                      [self.path(n) for n in names[::-1]]):
            self.assertEqual(self.counted(2, *again), (0, 0, SHARDS))
        os.mkdir(self.path('moved'))
        for name in names:
            os.rename(self.path(name), self.path('moved/' + name))
        self.assertEqual(self.counted(3, *('moved/' + n for n in names)),
                         (0, 0, SHARDS))
        self.assertEqual(self.merged(3), expected)

    def test_what_is_not_the_same_is_read(self):
        """Under a name that is known: other documents, or more of them."""
        self.write('a', 'one two three\n' * 30)
        self.write('b', 'four five six\n' * 30)
        line = ('--from', 'lines')

        def documents():
            out, told = self.job_works(2, 'ingest', 'store', 'a', 'b', *line,
                                       '--format', 'json')
            return json.loads(out)['documents'], told

        self.assertEqual(documents()[0], 60)
        self.write('a', 'seven eight nine\n' * 30)
        with open(self.path('b'), 'a', encoding='utf-8') as file:
            file.write('ten\n' * 5)
        added, told = documents()
        self.assertEqual(added, 35, told)
        self.assertEqual(documents()[0], 0)
        # as a machine alone would have it
        self.write('c', 'one two three\n' * 30)
        self.works('ingest', 'alone', 'c', 'a', 'b', *line, '-q')
        self.assertEqual(self.merged(2), self.digest('alone'))

    def test_names_that_no_number_can_follow(self):
        names = self.shards(20)
        os.mkdir(self.path('in'))
        for store in ('.', './', '..', 'in/..', 'in/.//', '/'):
            code, _, told = self.job((2, 'ingest', store, *names,
                                      *VOCABULARY))
            self.assertEqual(code, 2, told)
            self.assertIn(f'kedge: rank 0: {store}: cannot append a number'
                          ": the ranks' stores are STORE.0, STORE.1 and so "
                          'on\n', told)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         sorted([*names, 'in', 'vocab.txt']))
        self.assertFalse(os.path.exists(self.folder + '/..0'))
        self.job_works(2, 'ingest', 'in/.hidden', *names, *VOCABULARY, '-q')
        self.assertEqual(sorted(os.listdir(self.path('in'))),
                         ['.hidden.0', '.hidden.1'])

    def test_standard_input_is_refused(self):
        code, _, told = self.job((2, 'ingest', 'store', '-', '--from', 'uci',
                                  *VOCABULARY))
        self.assertEqual(code, 2)
        self.assertIn('kedge: rank 0: standard input cannot be dealt out to '
                      'ranks: name files\n', told)

    def test_bad_shard_ends_all(self):
        names = self.shards(20)
        self.write('shard3.txt', b'3\n2\nnonsense\n')
        code, _, told = self.job((2, 'ingest', 'store', *names, *VOCABULARY))
        self.assertEqual(code, 1, told)
        self.assertRegex(told, r'kedge: rank [01]: shard3\.txt')

    def test_what_was_settled_holds_for_all(self):
        """Also for a rank that gets its first documents later."""
        words = ['crew', 'crews', 'sailing', 'sails', 'storms', 'harbours']
        chance = random.Random(4)
        for name in ('a.txt', 'b.txt', 'c.txt'):
            self.write(name, ''.join(
                ' '.join(chance.choices(words, k=12)) + '\n'
                for _ in range(40)))
        self.job_works(2, 'ingest', 'store', 'a.txt', '--from', 'lines',
                       '--stem', 'english', '-q')
        self.job_works(2, 'ingest', 'store', 'b.txt', 'c.txt', '--from',
                       'lines', '-q')
        self.works('ingest', 'alone', 'a.txt', 'b.txt', 'c.txt', '--from',
                   'lines', '--stem', 'english', '-q')
        self.assertEqual(self.merged(2), self.digest('alone'))

    def test_sketches_are_alike_from_the_beginning(self):
        names = self.shards(20)
        self.job_works(2, 'ingest', 'store', names[0], *VOCABULARY,
                       '--sketch-size', '40', '--min-tokens', '20',
                       '--tf', 'sqrt', '-q')
        self.job_works(2, 'ingest', 'store', *names, *VOCABULARY, '-q')
        for r in range(2):
            index, = self.works_json('info', f'store.{r}', '--format',
                                     'json')['indexes']
            self.assertEqual((index['sketch_size'], index['tf'],
                              index['min_tokens']), (40, 'sqrt', 20))
            self.works('verify', f'store.{r}', '-q')

    def test_one_rank_is_one_of_them(self):
        names = self.shards(20)
        self.job_works(1, 'ingest', 'store', *names, *VOCABULARY, '-q')
        self.assertFalse(os.path.exists(self.path('store')))
        self.job_works(2, 'ingest', 'store', *names, *VOCABULARY, '-q')
        code, _, told = self.job((1, 'ingest', 'store', *names, *VOCABULARY))
        self.assertIn('there is a store store.1', told)
        self.assertEqual(code, 2)

    def test_files_of_one_name_have_to_be_alike(self):
        names = self.shards(20)
        for folder, words in (('one', b'a\nb\n'), ('two', b'a\nc\n')):
            os.mkdir(self.path(folder))
            self.write(f'{folder}/v', words)
        line = ['ingest', self.path('store'), self.path(names[0]), '--vocab',
                'v']
        job = ['mpirun']
        for folder in ('one', 'two'):
            job += [':'] * (len(job) > 1)
            job += ['-n', '1', '--wdir', self.path(folder), PROGRAM, *line]
        result = subprocess.run(job, env=environment(**MPI), check=False,
                                capture_output=True, text=True, timeout=100)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "has a file with digest '[0-9a-f]+'")

    def test_other_mpirun(self):
        result = subprocess.run(
            [PROGRAM, 'ingest', 'store', 'x'], cwd=self.folder, check=False,
            env=environment(PMI_SIZE='3', **MPI), capture_output=True,
            text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn('mpirun started 3 processes, but they find only 1',
                      result.stderr)


class Killed(Ranks):
    def test_the_same_goes_on(self):
        names = self.shards(8000)
        expected = self.alone(names)
        chance, killed, tries, within = random.Random(5), 0, 0, 0.35
        line = (3, 'ingest', 'store', *names, *VOCABULARY, '--threads', '1',
                '-q')
        while killed < KILLS and tries < 4 * KILLS:
            tries += 1
            for r in range(3):
                shutil.rmtree(self.path(f'store.{r}'), ignore_errors=True)
            job = self.begin(line)
            rank = self.kill_one(job, within * chance.random())
            code, _, told = self.end(job)
            if rank is None or code == 0:
                within *= 0.7    # it was done before
                continue
            killed += 1
            self.assertRegex(told, rf'rank {rank} ')
            for r in range(3):
                if os.path.exists(self.path(f'store.{r}')):
                    self.works('verify', f'store.{r}', '-q')
            self.job_works(*line)
            self.assertEqual(self.merged(3), expected)
        self.assertEqual(killed, KILLS)


if __name__ == '__main__':
    if not os.path.exists(MODULE) or shutil.which('mpirun') is None:
        print('skipped: kedge was built without MPI, or there is no mpirun')
        sys.exit(SKIPPED)
    main()
