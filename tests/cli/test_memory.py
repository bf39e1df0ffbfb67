#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_memory.py PROGRAM: the memory that a command takes does not follow the
size of the store on the disk, nor the number of documents. The twin of a store
of many views has one."""
import itertools
import json
import os
import random
import re
import resource
import shutil
import subprocess
import tempfile

from shell import PROGRAM, Case, environment, main

WORDS = 12000
VIEWS = 9
MORE = 24 << 20  # of the map of the larger store, at most
BAGS = ('--from', 'jsonl', '--text-field', 'words')


def documents(count, seed):
    """As JSONL; those of another seed have the same ids."""
    chance = random.Random(seed)
    lines = []
    for i in range(count):
        words = {f'w{int(WORDS * chance.random())}': 1 + chance.randrange(3)
                 for _ in range(150)}
        lines.append(json.dumps({'id': f'd{i}', 'words': words}) + '\n')
    return ''.join(lines)


class MeasuredCase(Case):
    def peak(self, command, out=subprocess.DEVNULL):
        """Resident bytes; what it says is in err."""
        with open(self.path('err'), 'w+b') as err:
            child = subprocess.Popen([PROGRAM, *command], cwd=self.folder,
                                     env=environment(), stderr=err,
                                     stdout=out)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            self.assertEqual(child.returncode, 0, err.read())
        return usage.ru_maxrss << 10

    def said(self):
        """MiB that it would take at most."""
        size, unit = re.search(rb'memory: ([0-9.]+) ([MG])iB at most',
                               self.read('err')).groups()
        return int(float(size) * (1024 if unit == b'G' else 1))


class Memory(MeasuredCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        maker.write('first.jsonl', documents(800, 1))
        maker.works('ingest', 'store', 'first.jsonl', *BAGS)
        for view in range(VIEWS):
            maker.works('fit', 'store', '-k', '2', '--sketch-size', '640',
                        '--stopwords', 'none', '--max-df', '1',
                        '--min-df', str(1 + view))
            if view == 0:
                shutil.copytree(maker.path('store'), maker.path('twin'))

    def setUp(self):
        super().setUp()
        for store in ('store', 'twin'):
            shutil.copytree(os.path.join(self.shared.name, store),
                            self.path(store))

    def check(self, command, *arguments):
        large, small = [
            self.peak((command, store, *arguments, '--memory', '250M',
                       '--threads', '2')) for store in ('store', 'twin')]
        self.assertLess(large, small + MORE)

    def test_compact(self):
        sizes = [os.path.getsize(self.path(store + '/data.mdb'))
                 for store in ('store', 'twin')]
        self.assertGreater(sizes[0], sizes[1] + 4 * MORE)
        self.check('compact')

    def test_eval(self):
        self.check('eval', '--probes', '64')

    def test_eval_stays_within_its_plan(self):
        """Which follows its largest block, not the largest that there may
        be."""
        peak = self.peak(('eval', 'store', '--completion', '1'))
        self.assertLess(peak, self.said() << 20)
        self.assertLess(self.said() << 20, 2 * peak)

    def test_ingest(self):
        self.write('more.jsonl', documents(200, 3).replace('"d', '"more'))
        self.check('ingest', 'more.jsonl', *BAGS)

    def test_remove(self):
        self.check('remove', *(f'd{i}' for i in range(200)))

    def test_replace(self):
        self.write('second.jsonl', documents(200, 2))
        self.check('ingest', 'second.jsonl', *BAGS,
                   '--on-duplicate', 'replace')

    def test_a_sketch_on_the_disk(self):
        """Of the normalised cut, where the budget has no room for it."""
        fit = ('fit', 'twin', '-k', '2', '--index', '1', '--ncut', '--align',
               'none', '--model', 'm', '--threads', '2')
        said = self.kedge(*fit).stderr.decode()
        self.works('export', 'twin', '-o', 'out')
        topics = self.read('out/topics.npy')
        mib = int(re.search(r'memory: (\d+) MiB at most', said).group(1)) - 30
        self.assertLess(self.peak((*fit, '--memory', f'{mib}M')), mib << 20)
        self.works('export', 'twin', '-o', 'out')
        self.assertEqual(self.read('out/topics.npy'), topics)

    def test_verify(self):
        self.check('verify')


class Grid(MeasuredCase):
    """What each step takes is at most what it said, and not far below that,
    whatever the sizes are: of a turn that is sketched it is told what it can
    take, by any counts."""

    def put_bags(self, name, words, documents):
        chance = random.Random(words)
        with open(self.path(name), 'w', encoding='ascii') as file:
            for _ in range(documents):
                file.write('| ' + ' '.join(
                    f'w{int(words * chance.random() ** 2)}:'
                    f'{1 + chance.randrange(3)}' for _ in range(60)) + '\n')

    def check(self, far, *command):
        peak, said = self.peak(command), self.said() << 20
        self.assertLess(peak, said, command)
        self.assertLess(said, far * peak, command)

    def test_every_size(self):
        for words, documents in (2500, 8000), (12000, 12000):
            self.put_bags('bags.txt', words, documents)
            store = f'store{words}'
            self.peak(('ingest', store, 'bags.txt', '--from', 'vw'))
            for width, topics, threads in itertools.product(
                    (200, 1000), (3, 40), (1, 2)):
                self.check(6 if topics == 3 and threads == 1 else 3,
                           'fit', store, '-k', str(topics), '--sketch-size',
                           str(width), '--threads', str(threads),
                           '--min-df', '1', '--max-df', '1')
        for more in ('--power-iter', '1'), ('--em-iter', '1'), ('--ncut',), (
                '--anchors', 'xray'), ('--recover', 'kl'):
            self.check(3, 'fit', 'store2500', '-k', '5', *more)

    def test_a_square_beside_the_spectrum(self):
        """Which stays until the last number of topics is fitted."""
        self.put_bags('bags.txt', 3500, 4000)
        self.peak(('ingest', 'store', 'bags.txt', '--from', 'vw'))
        self.check(2, 'fit', 'store', '-k', '3', '--cooccurrence', 'dense',
                   '--rectify', 'ap', '--rectify-iter', '1', '--sketch-size',
                   '1200', '--min-df', '1', '--max-df', '1')

    def test_an_ingest_that_syncs_an_index(self):
        """What it plans includes the sketch that follows the documents: more
        than without, and more than it takes."""
        self.put_bags('bags.txt', 6000, 4000)
        self.put_bags('more.txt', 6001, 1000)
        self.works('ingest', 'store', 'bags.txt', '--from', 'vw')
        self.works('fit', 'store', '-k', '3', '--sketch-size', '1500',
                   '--min-df', '1', '--max-df', '1')
        shutil.copytree(self.path('store'), self.path('alone'))
        planned = {}
        for store, *option in ('store',), ('alone', '--no-sketch'):
            ingest = ('ingest', store, 'more.txt', '--from', 'vw', *option,
                      '--threads', '2', '--format', 'json')
            with open(self.path('out'), 'w+b') as out:
                peak = self.peak(ingest, out)
                out.seek(0)
                told = json.load(out)
            planned[store] = told['planned_memory']
            self.assertEqual(told['documents'], 1000)
            self.assertLess(peak, told['planned_memory'], store)
            self.assertLess(told['planned_memory'], 6 * peak, store)
            index = self.works_json('info', store, '--format',
                                    'json')['indexes'][0]
            self.assertEqual(index['current'], not option)
        # a row of 1,500 columns of eight bytes for each word
        self.assertGreater(planned['store'], 6000 * 1500 * 8)
        self.assertGreater(planned['store'], planned['alone'])

    def put_store(self, store, words):
        """With an index of all its words."""
        self.write('vocab.txt', ''.join(f'w{i}\n' for i in range(words)))
        entries = [f'{1 + m} {1 + (37 * m + i * i) % words} 1\n'
                   for m in range(300) for i in range(60)]
        entries = sorted(set(entries))
        self.write('docword.txt', f'300\n{words}\n{len(entries)}\n' +
                   ''.join(sorted(entries, key=lambda e: int(e.split()[0]))))
        self.works('ingest', store, 'docword.txt', '--vocab', 'vocab.txt',
                   '--sketch-size', '2000')

    def test_an_index_of_all_words_that_grows(self):
        """Texts and other stores bring it words. What it takes is planned
        with these, not with those that it had when it was saved."""
        self.put_store('few', 200)
        self.put_store('many', 20000)
        new = map(''.join, itertools.product('abcdefgh', repeat=5))
        self.write('texts.txt', ''.join(
            ' '.join(itertools.islice(new, 60)) + '\n' for _ in range(300)))
        for budget in '2G', '300M':
            shutil.copytree(self.path('few'), self.path(f'texts{budget}'))
            for command in (
                    ('ingest', f'texts{budget}', 'texts.txt', '--from',
                     'lines'),
                    ('merge', f'merged{budget}', 'few', 'many')):
                peak = self.peak((*command, '--memory', budget))
                said = max(map(float, re.findall(
                    rb'memory: ([0-9.]+) MiB at most', self.read('err'))))
                self.assertLess(peak, said * (1 << 20), command)
                self.assertLess(said, 300 if budget == '300M' else 1000)

    def test_documents_that_are_held_out(self):
        """The largest plan of a sweep is that of the fits without them; with
        less memory their sketch is on the disk, and figures are the same."""
        self.put_bags('bags.txt', 6000, 3000)
        self.peak(('ingest', 'store', 'bags.txt', '--from', 'vw'))
        sweep = ('sweep', 'store', '-k', '3,20', '--format', 'tsv', '--min-df',
                 '1', '--max-df', '1', '--memory')
        budget, found = '2G', set()
        for _ in range(2):
            peak = self.peak((*sweep, budget))
            said = max(map(float, re.findall(
                rb'memory: ([0-9.]+) MiB at most', self.read('err'))))
            self.assertLess(peak, said * (1 << 20))
            self.assertLess(said * (1 << 20), 3 * peak)
            found.add(self.works(*sweep, budget))
            budget = f'{int(said) - 1}M'
        self.assertEqual(len(found), 1)


class ManyWords(MeasuredCase):
    """Nearly all of them rare: none of the model's, but of the store's."""
    RARE, LINE = 5000000, 250

    def test_the_plan_knows_of_them(self):
        letters = 'abcdefghijklmnopqrstuv'
        rare = map(''.join, itertools.product(letters, repeat=5))
        with open(self.path('texts.txt'), 'w', encoding='ascii') as file:
            for m in range(self.RARE // self.LINE):
                often = (f'{a}{b}{c}often' for a in 'qrst' for b in 'uvwx'
                         for c in 'yzab' if ord(b) % 3 == m % 3)
                file.write(' '.join(itertools.islice(rare, self.LINE)) + ' '
                           + ' '.join(often) + '\n')
        self.works('ingest', 'store', 'texts.txt', '--from', 'lines')
        fit = ('fit', 'store', '-k', '2', '--min-df', '5', '--max-df', '1',
               '--sketch-size', '32', '--threads', '2', '--memory')
        self.assertEqual(self.kedge(*fit, '100M').returncode, 4)
        budget = '2G'
        for _ in range(3):  # making a sketch, without, and with no more
            peak = self.peak((*fit, budget))
            budget = f'{self.said()}M'
            self.assertLess(peak, self.said() << 20)


class Inference(Case):
    def put(self, name, documents):
        """Bags, written one by one: a child begins with the peak of its
        parent."""
        with open(self.path(name), 'w', encoding='ascii') as file:
            for m in range(documents):
                file.write('| ' + ' '.join(
                    f'w{m % 3}x{(m + i * i) % 40}:{1 + i % 2}'
                    for i in range(30)) + '\n')

    def peak(self, store, *arguments):
        result = self.kedge('infer', store, '--summary', 'json', '--threads',
                            '2', '--memory', '250M', *arguments)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        told = json.loads(result.stderr)
        self.assertLess(told['peak_memory'], told['planned_memory'])
        self.assertLess(told['planned_memory'], 250 << 20)
        return told

    def test_it_does_not_follow_the_documents(self):
        """Twelve times as many take no more, stored or from a file."""
        for name, documents in ('small', 2000), ('large', 24000):
            self.put(f'{name}.txt', documents)
            self.works('ingest', name, f'{name}.txt', '--from', 'vw')
            self.works('fit', name, '-k', '3', '--max-df', '1')
        for ending in (), ('.txt', '--from', 'vw'), (
                '.txt', '--from', 'vw', '--method', 'padd'), (
                '.txt', '--from', 'vw', '--method', 'pami'):
            small, large = [self.peak(name, *(
                [name + ending[0], *ending[1:]] if ending else []))
                for name in ('small', 'large')]
            self.assertEqual(large['documents'], 12 * small['documents'])
            self.assertLess(large['peak_memory'],
                            small['peak_memory'] + (8 << 20))
        self.check_least('large')
        self.check_least('large', 'large.txt', '--from', 'vw')

    def test_little_address_space_is_told(self):
        """OpenBLAS tries for ever where there is none for its buffers."""
        self.put('some.txt', 500)
        self.works('ingest', 'store', 'some.txt', '--from', 'vw')
        self.works('fit', 'store', '-k', '3', '--max-df', '1')
        told = 0
        for mib in range(80, 240, 20):
            limit = (mib << 20, mib << 20)
            result = self.kedge(
                'infer', 'store', '-q', preexec_fn=lambda limit=limit:
                resource.setrlimit(resource.RLIMIT_AS, limit))
            told += b'out of address space' in result.stderr
        self.assertGreater(told, 0)

    def check_least(self, *arguments):
        """The smallest budget that is not refused is kept, and is not far
        above what it takes."""
        infer = ('infer', *arguments, '--threads', '2', '--memory')
        refused = self.kedge(*infer, '1M')
        self.assertEqual(refused.returncode, 4)
        mib = int(re.search(rb'takes (\d+) MiB', refused.stderr).group(1))
        told = json.loads(self.kedge(*infer, f'{mib}M', '--summary',
                                     'json').stderr)
        self.assertLess(told['peak_memory'], mib << 20)
        self.assertLess(mib, 150)


if __name__ == '__main__':
    main()
