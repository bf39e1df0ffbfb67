#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_rankfit.py PROGRAM: models and proportions by several processes."""
import json
import os
import random
import shutil
import sys

from shell import main
from test_ranks import (DOCUMENTS, KILLS, MODULE, SHARDS, SKIPPED, Ranks,
                        VOCABULARY)

WORDS = 'harbour ship sail mast crew storm anchor'.split(), \
    'judge court jury lawyer verdict witness law'.split(), \
    'nest wing feather egg bird plumage song'.split()


def texts(seed, documents):
    """JSON lines, mostly of one topic each; some words are of one shard."""
    chance = random.Random(seed)
    lines = []
    for i in range(documents):
        main_topic = chance.randrange(3)
        words = [chance.choice(WORDS[main_topic if chance.random() < 0.8
                                     else chance.randrange(3)])
                 for _ in range(30)]
        words += [f'rare{chr(97 + seed)}'] * (i % 3 == 0)
        lines.append(json.dumps({'id': f'{seed}-{i}',
                                 'text': ' '.join(words)}) + '\n')
    return ''.join(lines)


class Together(Ranks):
    """Stores of ranks, and beside them one store with all documents."""

    def files(self, store, model):
        """{name: bytes} of an exported model."""
        folder = self.path(f'{store}.{model}.out')
        shutil.rmtree(folder, ignore_errors=True)
        self.works('export', store, '--model', model, '-o', folder, '-q')
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), 'rb') as file:
                found[name] = file.read()
        return found

    def same(self, model, store='store'):
        ours, theirs = self.files(store, model), self.files('alone', model)
        self.assertEqual(sorted(ours), sorted(theirs))
        for name, data in theirs.items():
            self.assertEqual(ours[name], data, name)

    def anew(self):
        for name in os.listdir(self.folder):
            if name.startswith('store'):
                shutil.rmtree(self.path(name))

    def put_texts(self, shards=SHARDS, documents=60):
        names = [f'texts{i}.jsonl' for i in range(shards)]
        for seed, name in enumerate(names):
            self.write(name, texts(seed, documents))
        return names


class Models(Together):
    def test_models_are_those_of_one_store(self):
        names = self.shards()
        self.alone(names)
        self.works('fit', 'alone', '-k', '2,3', '-q')
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                self.anew()
                random.Random(ranks).shuffle(names)
                self.job_works(ranks, 'ingest', 'store', *names, *VOCABULARY,
                               '-q')
                out, told = self.job_works(ranks, 'fit', 'store', '-k', '2,3',
                                           '--format', 'json')
                told = json.loads(out)
                self.assertEqual([m['model'] for m in told['models']],
                                 ['k2', 'k3'])
                self.assertEqual(len(told['ranks']), ranks)
                self.same('k2')
                self.same('k3')
                self.works('verify', 'store', '-q')

    def test_weights_and_statistics(self):
        names = self.shards()
        for options in (('--term-weight', 'none'), ('--term-weight', 'sqrt'),
                        ('--rectify', 'none', '--topic-cooccurrence',
                         'diagonal'),
                        ('--save-spectrum', '--legal')):
            with self.subTest(options=options):
                self.anew()
                shutil.rmtree(self.path('alone'), ignore_errors=True)
                self.alone(names)
                line = ('-k', '3', *options, '-q')
                self.works('fit', 'alone', *line)
                self.job_works(2, 'ingest', 'store', *names, *VOCABULARY,
                               '-q')
                self.job_works(2, 'fit', 'store', *line)
                self.same('k3')

    def test_words_are_chosen_by_the_counts_of_all(self):
        names = self.put_texts()
        self.works('ingest', 'alone', *names, '-q')
        rules = ((), ('--min-df', '1', '--max-df', '1'), ('--min-df', '20'),
                 ('--vocab-size', '12'))
        self.job_works(3, 'ingest', 'store', *names, '-q')
        for number, rule in enumerate(rules):
            with self.subTest(rule=rule):
                line = ('-k', '3', *rule, '--model', f'm{number}')
                self.works('fit', 'alone', *line)
                self.job_works(3, 'fit', 'store', *line)
                self.same(f'm{number}')
        for r in range(3):
            self.works('verify', f'store.{r}', '-q')

    def test_tomorrow(self):
        names = self.put_texts(4)
        later = names[:2]
        self.job_works(2, 'ingest', 'store', *later, '-q')
        self.works('ingest', 'alone', *later, '-q')
        for day in (names[:2], names[:3], names):
            self.job_works(2, 'ingest', 'store', *day, '-q')
            self.works('ingest', 'alone', *day, '-q')
            self.job_works(2, 'fit', 'store', '-k', '3', '--min-df', '2')
            self.works('fit', 'alone', '-k', '3', '--min-df', '2', '-q')
            self.same('k3')

    def test_what_was_removed_is_gone(self):
        names = self.put_texts(2)
        self.job_works(2, 'ingest', 'store', *names, '-q')
        self.job_works(2, 'fit', 'store', '-k', '3', '--min-df', '2', '-q')
        gone = '0-1\n0-7\n1-3\n'
        for r in range(2):
            self.write('ids', gone)
            self.kedge('remove', f'store.{r}', '--ids', 'ids', '-q')
        self.works('ingest', 'alone', *names, '-q')
        self.works('remove', 'alone', '--ids', 'ids', '-q')
        self.job_works(2, 'fit', 'store', '-k', '3', '--min-df', '2', '-q',
                       '--align', 'none')
        self.works('fit', 'alone', '-k', '3', '--min-df', '2', '-q')
        self.same('k3')

    def test_what_works_on_the_result(self):
        names = self.shards()
        self.alone(names)
        self.works('fit', 'alone', '-k', '3', '-q')
        self.job_works(2, 'ingest', 'store', *names, *VOCABULARY, '-q')
        self.job_works(2, 'fit', 'store', '-k', '3', '-q')
        for line in (('topics', '{}'), ('word', '{}', 'a1'),
                     ('vocab', '{}', '-n', '5')):
            with self.subTest(line=line):
                one, other = (self.works(*(a.format(s) for a in line))
                              for s in ('store', 'alone'))
                self.assertEqual(one, other)
        self.works('report', 'store', '-o', 'page.html', '-q')
        told = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual(told['documents'], SHARDS * DOCUMENTS)
        self.write('new.jsonl', json.dumps({'a1': 3, 'b1': 2}) + '\n')
        new = ('new.jsonl', '--from', 'lines', '-q')
        self.assertEqual(*(self.works('infer', s, *new)
                           for s in ('store', 'alone')))


class Refused(Together):
    def begun(self, ranks=2):
        names = self.shards(20)
        self.job_works(ranks, 'ingest', 'store', *names, *VOCABULARY, '-q')
        return names

    def refuse(self, ranks, code, text, *arguments):
        got, out, told = self.job((ranks, *arguments))
        self.assertIn(text, told)
        self.assertEqual((got, out), (code, ''))

    def test_what_takes_all_documents(self):
        self.begun()
        for option in (('--power-iter', '1'), ('--em-iter', '1'), ('--ncut',),
                       ('--cooccurrence', 'dense'), ('--rectify', 'palm'),
                       ('--anchors', 'spa'), ('--recover', 'kl'),
                       ('--phrases', '2'), ('--solver', 'active-set')):
            with self.subTest(option=option):
                self.refuse(2, 2, f"{option[0]} needs all documents in one "
                                  f"process: 'kedge merge' joins the stores", 'fit', 'store', '-k', '3', *option)
                self.assertFalse(os.path.exists(self.path('store')))

    def test_one_alone_cannot_fit_the_sum(self):
        self.begun()
        self.job_works(2, 'fit', 'store', '-k', '3', '-q')
        result = self.kedge('fit', 'store', '-k', '4')
        self.assertEqual(result.returncode, 2)
        self.assertIn(b'the sketch of index 0 is in 2 other stores',
                      result.stderr)

    def test_other_numbers_of_ranks(self):
        self.begun(3)
        self.refuse(2, 2, 'there is a store store.2 from an earlier run with '
                    'more ranks: use as many again', 'fit', 'store', '-k',
                    '3')
        self.refuse(4, 1, 'rank 3: store.3: there is no store', 'fit',
                    'store', '-k', '3')

    def test_a_store_of_its_own(self):
        names = self.begun()
        self.works('ingest', 'store', names[0], *VOCABULARY, '-q')
        self.refuse(2, 2, 'store has documents, but the common counts', 'fit', 'store',
                    '-k', '3')

    def test_texts_cut_otherwise(self):
        self.write('a.jsonl', texts(0, 20))
        self.write('b.jsonl', texts(1, 20))
        self.works('ingest', 'store.0', 'a.jsonl', '-q')
        self.works('ingest', 'store.1', 'b.jsonl', '--stem', 'english', '-q')
        self.refuse(2, 2, 'these stores cannot be '
                          'merged', 'fit', 'store', '-k',
                    '2')

    def test_seeds_and_widths(self):
        names = self.shards(20)
        self.works('ingest', 'store.0', names[0], *VOCABULARY, '-q')
        self.works('ingest', 'store.1', names[1], *VOCABULARY, '--seed', '7',
                   '-q')
        self.refuse(2, 2, 'the seed 7', 'fit', 'store', '-k', '3')

    def test_inference(self):
        self.begun()
        self.job_works(2, 'fit', 'store', '-k', '3', '-q')
        for code, text, *line in (
                (2, 'give -o FILE',),
                (2, 'name no FILE to read', '-o', 'x', 'shard0.txt'),
                (2, 'run infer --save in one process', '-o', 'x', '--save'),
                (2, 'padd and pami need all documents', '-o', 'x',
                 '--method', 'padd'),
                (1, 'no model', '-o', 'x', '--model', 'k9')):
            with self.subTest(text=text):
                self.refuse(2, code, text, 'infer', 'store', *line)
        self.assertFalse(os.path.exists(self.path('x.0')))


class Compositions(Together):
    def lines(self, *names):
        """Of all files but their heads, in order."""
        found = []
        for name in names:
            found += self.read(name).split(b'\n')[1:-1]
        return sorted(found)

    def test_compositions_are_those_of_one_store(self):
        names = self.put_texts(5)
        self.works('ingest', 'alone', *names, '-q')
        self.works('fit', 'alone', '-k', '3', '--min-df', '2', '-q')
        self.job_works(3, 'ingest', 'store', *names, '-q')
        self.job_works(3, 'fit', 'store', '-k', '3', '--min-df', '2', '-q')
        for method in ('linear-bayes', 'least-squares', 'mean', 'tli'):
            with self.subTest(method=method):
                line = ('--method', method, '--dense')
                whole = self.works('infer', 'alone', *line, '-q')
                _, told = self.job_works(3, 'infer', 'store', '-o', 'out',
                                         *line)
                self.assertRegex(told, r'documents  +300\n')
                self.assertEqual(
                    self.lines('out.0', 'out.1', 'out.2'),
                    sorted(whole.encode().split(b'\n')[1:-1]))
        self.job_works(3, 'infer', 'store', '-o', 'm', '--format', 'npy', '-q')
        self.assertTrue(self.read('m.2').startswith(b'\x93NUMPY'))
        self.assertFalse([n for n in os.listdir(self.folder)
                          if n.endswith('.part')])


class Killed(Together):
    def test_the_same_goes_on(self):
        names = self.shards(2500)
        self.alone(names)
        self.works('fit', 'alone', '-k', '2,3', '--model', 'm', '-q')
        self.job_works(3, 'ingest', 'store', *names, *VOCABULARY, '-q')
        line = (3, 'fit', 'store', '-k', '2,3', '--model', 'm', '--threads',
                '1', '-q')
        killed, tries, within = 0, 0, 0.5
        chance = random.Random(9)
        while killed < KILLS and tries < 4 * KILLS:
            tries += 1
            job = self.begin(line)
            rank = self.kill_one(job, within * chance.random())
            code, _, told = self.end(job)
            if rank is None or code == 0:
                within *= 0.7
                continue
            killed += 1
            self.assertRegex(told, rf'rank {rank} ')
            for r in range(3):
                self.works('verify', f'store.{r}', '-q')
            if os.path.exists(self.path('store')):
                self.works('verify', 'store', '-q')
            if killed % 3 == 0:
                self.job_works(*line)
                self.same('m-k3')
                self.same('m-k2')
                shutil.rmtree(self.path('store'))
        self.assertEqual(killed, KILLS)
        self.job_works(*line)
        self.same('m-k2')


if __name__ == '__main__':
    if not os.path.exists(MODULE) or shutil.which('mpirun') is None:
        print('skipped: kedge was built without MPI, or there is no mpirun')
        sys.exit(SKIPPED)
    main()
