#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_histories.py PROGRAM: what --on-duplicate and --dedupe keep, and stores
that lived through random histories against fresh ones of what is left: the
same documents, sketches and models, to the last bit.

KEDGE_HISTORIES=500 test_histories.py PROGRAM Histories: so many of them;
KEDGE_HISTORY=7: from this one on."""
import json
import os
import random
import re
import subprocess
import time
from collections import Counter

from shell import Case, main

COUNT = int(os.environ.get('KEDGE_HISTORIES', '10'))
FIRST = int(os.environ.get('KEDGE_HISTORY', '0'))
STATISTICS = ('raw', 'log', 'sqrt')
RULES = ('error', 'skip', 'replace')
WORDS = [f'{kind}{chr(97 + i)}{chr(97 + i)}' for kind in ('harb', 'field',
                                                          'mount')
         for i in range(9)]
FILES = ('vocab.txt', 'topics.npy', 'topic_cooccurrence.npy',
         'word_probability.npy', 'model.json', 'anchors.json')


def line(d, bag):
    """A document as it is written: its words in an order of its own."""
    words = [w for w in sorted(d['words']) for _ in range(d['words'][w])]
    random.Random(d['label']).shuffle(words)
    made = {'label': d['label'], 'text': d['words'] if bag else
            ', '.join(words[:3]) + ' ' + ' '.join(words[3:])}
    if d['id']:
        made['id'] = d['id']
    return json.dumps(made) + '\n'


class Refused(Exception):
    pass


class Expected:
    """What a store has, as plainly as can be: documents one by one."""

    def __init__(self):
        self.documents = []

    def find(self, name):
        return next((d for d in self.documents if d['id'] == name), None)

    def arrive(self, d, rule, dedupe):
        earlier = self.find(d['id']) if d['id'] else None
        if earlier and rule == 'replace':
            self.documents.remove(earlier)
            earlier = None
        if not d['words'] or dedupe and any(
                d['words'] == other['words'] for other in self.documents):
            return
        if earlier and rule == 'error':
            raise Refused
        if not earlier:
            self.documents.append(d)

    def file(self, documents, rule, dedupe):
        """All or nothing."""
        before = list(self.documents)
        try:
            for d in documents:
                self.arrive(d, rule, dedupe)
        except Refused:
            self.documents = before
            return False
        return True


def made(documents):
    return sorted(json.dumps([d['id'] or '', d['label'],
                              sorted(d['words'].items())]) for d in documents)


class Documents:
    """Random ones, of which contents and ids come again."""

    def __init__(self, chance, ids=30):
        self.chance, self.ids, self.number = chance, ids, 0
        self.pool = [self.words() for _ in range(12)]

    def words(self):
        kind = self.chance.randrange(3) * 9
        return dict(Counter(
            WORDS[(kind if self.chance.random() < 0.8 else
                   9 * self.chance.randrange(3)) +
                  int(9 * self.chance.random() ** 1.5)]
            for _ in range(self.chance.choice((1, 4, 9, 15, 30)))))

    def some(self, count):
        found = []
        for _ in range(count):
            self.number += 1
            kind = self.chance.random()
            found.append({
                'id': (f'd{self.chance.randrange(self.ids)}'
                       if self.chance.random() < 0.6 else None),
                'label': f'l{self.number}',
                'words': ({} if kind < 0.06 else
                          self.chance.choice(self.pool) if kind < 0.45 else
                          self.words())})
        return found


class StoreCase(Case):
    def ingest(self, store, files, rule='skip', dedupe=False, batch=None,
               code=0):
        result = self.kedge(
            'ingest', store, *files, '--from', 'jsonl', '--on-duplicate',
            rule, *(['--dedupe'] if dedupe else []),
            *(['--batch', batch] if batch else []), '--format', 'json')
        self.assertEqual(result.returncode, code, result.stderr.decode())
        return result

    def put(self, name, documents, bag=False, end=''):
        self.write(name, ''.join(line(d, bag) for d in documents) + end)

    def stored(self, store):
        found = [json.loads(l) for l in
                 self.works('cat', store).split('\n')[:-1]]
        return [{'id': None if re.fullmatch(re.escape(d['source']) +
                                            r'(#\d+)?:\d+', d['id'])
                 else d['id'], 'label': d['label'], 'words': d['words']}
                for d in found]

    def same(self, store, expected):
        self.assertEqual(made(self.stored(store)), made(expected.documents))


class Duplicates(StoreCase):
    def test_replaced_content_is_free(self):
        """The case that lost a document: a, a again, and b with a's first."""
        self.put('x', [{'id': i, 'label': 'l', 'words': {w: 3}}
                       for i, w in (('a', 'one'), ('a', 'two'),
                                    ('b', 'one'))])
        self.ingest('store', ['x'], 'replace', True)
        self.assertEqual([(d['id'], d['words']) for d in
                          self.stored('store')],
                         [('a', {'two': 3}), ('b', {'one': 3})])

    def test_what_is_skipped_has_no_content(self):
        self.put('x', [{'id': i, 'label': 'l', 'words': {w: 3}}
                       for i, w in (('a', 'one'), ('a', 'two'),
                                    ('b', 'two'))])
        self.ingest('store', ['x'], 'skip', True)
        self.assertEqual([d['id'] for d in self.stored('store')], ['a', 'b'])

    def test_replaced_by_nothing(self):
        """Who empties a text does not want it to be read any more."""
        old = [{'id': i, 'label': 'l', 'words': {w: 3}}
               for i, w in (('a', 'secret'), ('b', 'secret'), ('c', 'other'),
                            ('d', 'other'))]
        self.put('x', old)
        for bag in (False, True):
            store = f'store{bag}'
            self.ingest(store, ['x'])
            self.put('y', [dict(old[0], words={}), dict(old[1], words={'a': 1}),
                           dict(old[2], words={}), old[2]], bag)
            self.ingest(store, ['y'], 'skip')
            self.same(store, Expected_of(old))
            self.put('z', [dict(old[0], words={}, label='m'),
                           dict(old[1], words={'so': 1}),
                           dict(old[2], words={}), old[2]], bag)
            said = json.loads(self.ingest(store, ['z'], 'replace').stdout)
            self.assertEqual((said['documents'], said['replaced'],
                              said['emptied'], said['empty']), (2, 3, 2, 2))
            self.same(store, Expected_of(
                [old[3], dict(old[1], words={'so': 1}), old[2]]))
            self.assertNotIn('secret', self.works('cat', store))
            self.works('compact', store)
            self.assertEqual(self.kedge('vocab', store, 'secret').returncode,
                             1)
            self.ingest(store, ['z'], 'replace')
            self.assertEqual(len(self.stored(store)), 3)

    def test_refused_in_a_later_file(self):
        """What came before it is stored, as far as files go."""
        def of(ids):
            return [{'id': i, 'label': f'l{i}', 'words': {'w' + i: 5}}
                    for i in ids]
        self.put('x', of('ab'))
        self.put('y', of('c') + [dict(of('a')[0], words={'new': 5})] +
                 of('d'))
        self.put('z', of('e'))
        result = self.ingest('store', 'xyz', 'error', True, code=1)
        self.assertIn(b'kedge: y:2: the store has document "a" already, '
                      b'from x:1;', result.stderr)
        self.same('store', Expected_of(of('ab')))
        self.assertEqual(len(self.works_json('info', 'store', '--format',
                                             'json')['sources']), 1)
        self.works('verify', 'store')
        self.put('y', of('cd'))
        self.ingest('store', 'xyz', 'error', True)
        self.same('store', Expected_of(of('abcde')))

    def test_against_the_model(self):
        """Every rule, with and without dedupe, in files, ingests, removals,
        and after failures that are repeated."""
        for seed in range(5):
            chance = random.Random(seed)
            source, expected = Documents(chance, 8), Expected()
            store = f'store{seed}'
            self.put('first', source.some(1))
            self.ingest(store, ['first'], 'skip')
            expected.file(json_documents(self, 'first'), 'skip', False)
            for step in range(6):
                rule = chance.choice(RULES)
                dedupe = chance.random() < 0.7
                files = {f'{seed}-{step}-{i}': source.some(chance.randrange(
                    1, 30)) for i in range(chance.randrange(1, 4))}
                if rule == 'error':     # some of which will do
                    for documents in files.values():
                        for d in documents:
                            if chance.random() < 0.9:
                                d['id'] = None
                bad = chance.random() < 0.2
                for i, (name, documents) in enumerate(files.items()):
                    self.put(name, documents, seed % 2 == 0,
                             '}\n' if bad and i == len(files) - 1 else '')
                fine = True
                for i, documents in enumerate(files.values()):
                    fine = fine and not (bad and i == len(files) - 1)
                    fine = fine and expected.file(documents, rule, dedupe)
                self.ingest(store, files, rule, dedupe, code=0 if fine else 1)
                self.same(store, expected)
                if not fine and rule != 'error':
                    self.put(name, documents, seed % 2 == 0)
                    expected.file(documents, rule, dedupe)
                    self.ingest(store, files, rule, dedupe)
                    self.same(store, expected)
                leaves = [d for d in expected.documents
                          if d['id'] and chance.random() < 0.2]
                if leaves:
                    self.works('remove', store, *(d['id'] for d in leaves))
                    for d in leaves:
                        expected.documents.remove(d)
                self.same(store, expected)
            self.assertIs(self.works_json('verify', store, '--format',
                                          'json')['whole'], True)


class ManyFiles(StoreCase):
    """Small files share a turn, and a turn is there or is not."""

    def setUp(self):
        super().setUp()
        source = Documents(random.Random(4), 10 ** 6)
        self.names = [f'f{i:04}' for i in range(400)]
        self.documents = []
        for name in self.names:
            documents = source.some(3)
            self.documents += [d for d in documents if d['words']]
            self.put(name, documents)

    def whole(self, store):
        """Every source that is named has all its documents."""
        held = Counter(json.loads(l)['source'] for l in
                       self.works('cat', store).split('\n')[:-1])
        info = self.works_json('info', store, '--format', 'json')
        self.assertIs(self.works_json('verify', store, '--format',
                                      'json')['whole'], True)
        self.assertEqual({s['name']: s['documents'] for s in info['sources']
                          if s['documents']}, held)
        return info

    def test_kept_together_and_told_in_a_line(self):
        self.ingest('store', self.names, 'replace')
        self.assertEqual(len(self.whole('store')['sources']), 400)
        expected = Expected()
        expected.file(self.documents, 'replace', False)
        self.same('store', expected)
        said = self.ingest('store', self.names).stderr.decode()
        self.assertEqual([l for l in said.split('\n') if 'unchanged s' in l],
                         ['kedge: 400 sources: unchanged since they were '
                          'ingested; not read again'])
        said = self.ingest('store', self.names[:1]).stderr.decode()
        self.assertIn('kedge: f0000: unchanged since it was ingested; not '
                      'read again\n', said)
        said = self.ingest('store', [*self.names, '--reread'])
        self.assertIn('kedge: 400 sources: read to their end before; nothing '
                      'new\n', said.stderr.decode())

    def test_killed(self):
        """At any moment; the same command goes on."""
        wait = random.Random(1)
        for turn in range(6):
            with self.start('ingest', 'store', *self.names, '--from',
                            'jsonl', '--on-duplicate', 'replace',
                            '--memory', '600M') as process:
                try:
                    process.wait(wait.random() * 0.15)
                except subprocess.TimeoutExpired:
                    process.kill()
                process.communicate()
            if os.path.exists(self.path('store/data.mdb')):
                if self.kedge('info', 'store').returncode == 0:
                    self.whole('store')
            if turn % 2 == 1:   # a little more each time
                self.ingest('store', self.names[:40 * turn], 'replace')
        self.ingest('store', self.names, 'replace')
        self.assertEqual(len(self.whole('store')['sources']), 400)
        expected = Expected()
        expected.file(self.documents, 'replace', False)
        self.same('store', expected)

    def test_a_bad_file_among_them(self):
        self.write(self.names[200], '{"text": "one two"}\n{bad\n')
        result = self.ingest('store', self.names, 'replace', code=1)
        self.assertIn(b'kedge: f0200:2:', result.stderr)
        self.assertEqual(len(self.whole('store')['sources']), 200)

    def test_a_pipe_among_them_keeps_nobody_waiting(self):
        with self.start('ingest', 'store', self.names[0], '-', '--from',
                        'jsonl') as process:
            for _ in range(300):
                if self.kedge('info', 'store').returncode == 0 and \
                        self.stored('store'):
                    break
                time.sleep(0.1)
            self.assertTrue(self.stored('store'))
            process.communicate(b'{"text": "and so on"}\n')
            self.assertEqual(process.returncode, 0)


def Expected_of(documents):
    expected = Expected()
    expected.documents = list(documents)
    return expected


def json_documents(case, name):
    found = []
    for text in case.read(name).decode().split('\n')[:-1]:
        d = json.loads(text)
        words = d['text'] if isinstance(d['text'], dict) else dict(Counter(
            d['text'].replace(',', ' ').split()))
        found.append({'id': d.get('id'), 'label': d['label'], 'words': words})
    return found


class History:
    """One store's life, and what it should have in the end."""

    def __init__(self, case, seed):
        self.case, self.seed = case, seed
        self.chance = random.Random(seed)
        self.bag = seed % 2 == 0
        self.source = Documents(self.chance)
        self.expected = Expected()
        self.elsewhere = []     # documents of parts
        self.files = {}         # name: documents, batch, known
        self.named = 0
        self.told = []

    def name(self):
        self.named += 1
        return f'{self.seed}.{self.named}'

    def sources(self, most=3, whole=False):
        made = {}
        for _ in range(self.chance.randrange(1, most + 1)):
            made[self.name()] = self.source.some(self.chance.randrange(1, 25))
        if whole:   # all words of the list occur, so that it stays the same
            made[self.name()] = [{'id': None, 'label': self.name(),
                                  'words': {w: 1 for w in WORDS}}]
        for name, documents in made.items():
            self.case.put(name, documents, self.bag)
        return made

    def ingest(self, first=False):
        rule = self.chance.choice(('skip', 'replace'))
        dedupe = self.chance.random() < 0.4
        batch = None if first else self.chance.choice((None, 'one', 'two'))
        made = self.sources(whole=first)
        self.case.ingest('store', made, rule, dedupe, batch)
        for name, documents in made.items():
            self.expected.file(documents, rule, dedupe)
            for d in documents:
                d['batch'] = batch
            self.files[name] = [documents, batch, True]

    def again(self):
        """A file that came before, and may have grown, or have left."""
        if not self.files:
            return
        name = self.chance.choice(sorted(self.files))
        file = self.files[name]
        more = self.source.some(self.chance.randrange(0, 5))
        file[0] = file[0] + more
        for d in more:
            d['batch'] = file[1]
        self.case.put(name, file[0], self.bag)
        self.case.ingest('store', [name], 'replace', False, file[1])
        self.expected.file(more if file[2] else file[0], 'replace', False)
        file[2] = True

    def remove(self):
        documents = self.expected.documents
        ids = [d['id'] for d in documents
               if d['id'] and self.chance.random() < 0.15]
        batch = self.chance.choice((None, None, 'one', 'two'))
        if batch not in (d['batch'] for d in documents):
            batch = None
        if not ids and not batch:
            return
        self.case.works('remove', 'store', *ids,
                        *(['--batch', batch] if batch else []),
                        *self.chance.choice(((), ('--no-sketch',))))
        self.expected.documents = [
            d for d in documents if d['id'] not in ids
            and not (batch and d['batch'] == batch)]
        for file in self.files.values():
            file[2] = file[2] and not (batch and file[1] == batch)

    def other(self):
        """A store of its own."""
        store, expected = self.name(), Expected()
        made = self.sources(2, True)
        self.case.ingest(store, made, 'replace')
        for documents in made.values():
            expected.file(documents, 'replace', False)
        for d in expected.documents:
            d['batch'] = None
        return store, expected.documents

    def merge(self):
        store, documents = self.other()
        rule = self.chance.choice(('skip', 'replace'))
        self.case.works('merge', 'store', store, '--on-duplicate', rule)
        for d in documents:
            self.expected.arrive(d, rule, False)

    def part(self):
        store, documents = self.other()
        if not documents:
            return
        for of in ('store', store):     # what both have can be added up
            for statistic in STATISTICS:
                self.case.works('sketch', 'export', of, '-o', 'part.sketch',
                                '--keep-words', 'words.txt', '--sketch-size',
                                '24', '--tf', statistic)
        self.case.works('sketch', 'export', store, '-o', 'part.sketch')
        self.case.works('sketch', 'import', 'store', 'part.sketch')
        self.elsewhere += documents

    def compact(self):
        self.case.works('compact', 'store')

    def fit(self):
        model(self.case, 'store', self.chance.choice(STATISTICS))

    def live(self):
        steps = [self.ingest] * 4 + [self.again] * 2 + [self.remove] * 3 + [
            self.merge, self.compact, self.fit, self.fit]
        steps += [self.part] if self.seed % 3 == 0 else []
        self.ingest(True)
        for _ in range(self.chance.randrange(4, 9)):
            step = self.chance.choice(steps)
            self.told.append(step.__name__)
            step()
            if os.environ.get('KEDGE_HISTORY_STEPS'):
                print(self.told, flush=True)
                self.case.same('store', self.expected)
        if not self.elsewhere:
            self.case.same('store', self.expected)

    def fresh(self):
        documents = self.expected.documents + self.elsewhere
        for d in documents:         # of parts, ids may come twice
            d['id'] = None
        self.chance.shuffle(documents)
        self.case.put('fresh.jsonl', documents, self.bag)
        self.case.ingest('fresh', ['fresh.jsonl'])
        return len(documents)


def model(case, store, statistic):
    """A model's files, or why there is none."""
    result = case.kedge('fit', store, '-k', '2', '--keep-words', 'words.txt',
                        '--tf', statistic, '--sketch-size', '24', '--model',
                        'm', '--align', 'none', '-q')
    if result.returncode != 0:
        return result.stderr
    case.works('export', store, '--model', 'm', '-o', store + '.out')
    return [case.read(f'{store}.out/{name}') for name in
            sorted(os.listdir(case.path(store + '.out')))]


class Histories(StoreCase):
    def test_no_trace(self):
        failed = 0
        for seed in range(FIRST, FIRST + COUNT):
            self.setUp()
            self.write('words.txt', ''.join(w + '\n' for w in WORDS))
            history = History(self, seed)
            with self.subTest(seed=seed):
                history.live()
                history.fresh()
                for statistic in STATISTICS:
                    lived, fresh = [model(self, store, statistic)
                                    for store in ('store', 'fresh')]
                    self.assertTrue(lived == fresh,
                                    (statistic, history.told,
                                     str(lived)[:300], str(fresh)[:300]))
                sums = [self.works_json('verify', store, '--format', 'json')
                        for store in ('store', 'fresh')]
                for key in ('documents', 'tokens', 'documents_digest',
                            'whole'):
                    self.assertEqual(sums[0][key], sums[1][key])
                # a fit that fails leaves no index, but there may be an older
                indexes = [Counter(v['digest'] for v in s['indexes'])
                           for s in sums]
                self.assertEqual(indexes[1] - indexes[0], Counter())
            self.doCleanups()


if __name__ == '__main__':
    main()
