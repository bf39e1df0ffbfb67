#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_spectrum.py PROGRAM: a fit takes the spectrum that an earlier one made
where it is of the same documents and words, and never where it is not; models
are the same bytes either way."""
import json
import os
import random
import shutil
import tempfile

from shell import Case, main

WORDS = 150
BAGS = ('--from', 'jsonl', '--text-field', 'words')
INDEX = ('--min-df', '2', '--max-df', '1', '--stopwords', 'none',
         '--sketch-size', '40')
TAKEN = "using the sketch's spectrum of an earlier fit"


def documents(count, seed, name):
    chance = random.Random(seed)
    lines = []
    for i in range(count):
        words, topic = {}, chance.randrange(4)
        for _ in range(chance.randrange(10, 50)):
            word = (topic * WORDS // 4
                    + int(chance.random() ** 2 * WORDS / 2)) % WORDS
            words[f'w{word:03}'] = words.get(f'w{word:03}', 0) + 1
        lines.append(json.dumps({'id': f'{name}-{i}', 'words': words}) + '\n')
    return ''.join(lines)


class Spectrum(Case):
    """Each test has a copy of a store that was fitted with 3 topics; another,
    beside it, was not."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        maker.write('first.jsonl', documents(300, 1, 'first'))
        maker.write('second.jsonl', documents(60, 2, 'second'))
        maker.works('ingest', 'bare', 'first.jsonl', *BAGS, '--batch', 'one')
        shutil.copytree(maker.path('bare'), maker.path('store'))
        maker.works('fit', 'store', '-k', '3', *INDEX)

    def setUp(self):
        super().setUp()
        for name in ('bare', 'store', 'first.jsonl', 'second.jsonl'):
            copy = (shutil.copytree if '.' not in name else shutil.copy)
            copy(os.path.join(self.shared.name, name), self.path(name))

    def fit(self, store, *more, topics=4):
        """Whether the spectrum was taken from the store."""
        result = self.kedge('fit', store, '-k', str(topics), '--align', 'none',
                            '--model', 'm', *(more or INDEX))
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return TAKEN in result.stderr.decode()

    def exported(self, store):
        self.works('export', store, '--model', 'm', '-o', store + '.out')
        return {name: self.read(f'{store}.out/{name}')
                for name in sorted(os.listdir(self.path(store + '.out')))}

    def check_same(self, other='bare'):
        """The other store has nothing to take."""
        self.assertFalse(self.fit(other))
        self.assertEqual(self.exported('store'), self.exported(other))

    def check_made_again(self, other='bare'):
        self.assertFalse(self.fit('store'))
        self.check_same(other)
        self.assertTrue(self.fit('store', topics=5))
        self.assertTrue(self.fit('store'))
        self.assertEqual(self.exported('store'), self.exported(other))
        self.works('verify', 'store')

    def test_another_number_of_topics(self):
        self.assertTrue(self.fit('store'))
        self.check_same()

    def test_each_kind_of_weights_has_one(self):
        kinds = ('none', 'sqrt', 'idf')
        self.assertEqual([self.fit('store', '--term-weight', kind, *INDEX)
                          for kind in kinds], [False, False, True])
        for kind in kinds:
            self.assertTrue(self.fit('store', '--term-weight', kind, *INDEX,
                                     topics=5))

    def kept(self, store='store'):
        """Spectra of each index, and their bytes."""
        indexes = self.works_json('info', store, '--format',
                                  'json')['indexes']
        return [(i['spectra'], i['spectra_bytes']) for i in indexes]

    def test_info_tells_what_is_kept(self):
        self.assertEqual(self.kept('bare'), [])
        (one, size), = self.kept()
        self.assertEqual(one, 1)
        # 27 eigenpairs; arbitrary doubles hardly shrink
        doubles = 8 * (40 * 41 + 27 * 28)
        self.assertTrue(doubles / 2 < size < 2 * doubles)
        self.assertRegex(
            ' '.join(self.works('info', 'store').split()), r'index 1: words in '
            r'2 documents or more.* \(a spectrum is kept for later fits, in '
            r'\d+\.\d kB\)')
        self.fit('store', '--term-weight', 'none', *INDEX)
        (two, more), = self.kept()
        self.assertEqual(two, 2)
        self.assertGreater(more, 1.5 * size)
        self.assertRegex(' '.join(self.works('info', 'store').split()),
                         r'\(2 spectra are kept for later fits, in ')
        self.works('compact', 'store')
        self.assertEqual(self.kept(), [(0, 0)])
        self.assertNotIn('kept for later', self.works('info', 'store'))

    def test_refined(self):
        """Passes over the documents begin with the spectrum, which is not
        worth a message where the eigenvectors are exact."""
        for more in ('--power-iter', '1'), ('--cooccurrence', 'dense'):
            shutil.rmtree(self.path('bare'))
            shutil.copytree(os.path.join(self.shared.name, 'bare'),
                            self.path('bare'))
            self.assertEqual(self.fit('store', *INDEX, *more),
                             'dense' not in more)
            self.assertFalse(self.fit('bare', *INDEX, *more))
            self.assertEqual(self.exported('store'), self.exported('bare'))

    def test_a_sketch_of_its_own(self):
        for _ in range(2):
            self.assertFalse(self.fit('store', *INDEX, '--ncut'))
        self.assertTrue(self.fit('store'))

    def test_another_index(self):
        narrow = INDEX[:-1] + ('30',)
        self.assertFalse(self.fit('store', *narrow))
        self.assertTrue(self.fit('store', *narrow))
        self.assertTrue(self.fit('store'))

    def test_documents_come(self):
        for store in ('store', 'bare'):
            self.works('ingest', store, 'second.jsonl', *BAGS)
        self.check_made_again()

    def test_documents_come_and_go(self):
        """The same documents as before, and yet not what was kept."""
        self.works('ingest', 'store', 'second.jsonl', *BAGS, '--batch', 'two')
        self.works('remove', 'store', '--batch', 'two')
        self.check_made_again()

    def test_documents_leave(self):
        for store in ('store', 'bare'):
            self.works('remove', store, 'first-7', 'first-30', '--no-sketch')
        self.check_made_again()

    def test_documents_are_replaced(self):
        self.write('other.jsonl', documents(5, 3, 'first'))
        for store in ('store', 'bare'):
            self.works('ingest', store, 'other.jsonl', *BAGS,
                       '--on-duplicate', 'replace')
        self.check_made_again()

    def test_merged(self):
        self.works('ingest', 'more', 'second.jsonl', *BAGS)
        self.works('merge', 'store', 'more')
        self.works('merge', 'bare', 'more')
        self.check_made_again()
        self.works('merge', 'out', 'store')
        self.assertFalse(self.fit('out'))
        self.assertEqual(self.exported('out'), self.exported('store'))

    def test_compacted(self):
        """It leaves the disk, with whatever it was made of."""
        self.assertIn(b'KSPC', self.read('store/data.mdb'))
        self.works('compact', 'store')
        self.assertNotIn(b'KSPC', self.read('store/data.mdb'))
        self.check_made_again()

    def test_rebuilt(self):
        self.works('repair', 'store')
        self.check_made_again()

    def test_forgotten(self):
        self.works('drop', 'store', '--index', '1')
        self.check_made_again()

    def spoil(self):
        """A bit of each chunk that is in the file."""
        data = bytearray(self.read('store/data.mdb'))
        at = data.find(b'KSPC')
        self.assertGreater(at, 0)
        while at > 0:
            data[at + 100] ^= 8
            at = data.find(b'KSPC', at + 1)
        self.write('store/data.mdb', data)

    def test_damage(self):
        """It is found, and mended by the next fit."""
        self.spoil()
        found = self.kedge('verify', 'store')
        self.assertEqual(found.returncode, 3)
        self.assertIn(b'spectrum of index 1, weights 1', found.stdout
                      + found.stderr)
        result = self.kedge('fit', 'store', '-k', '4', '--align', 'none',
                            '--model', 'm', *INDEX)
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'is damaged', result.stderr)
        self.assertIn(b'; it is computed again', result.stderr)
        self.check_same()
        self.works('verify', 'store')
        self.assertTrue(self.fit('store'))

    def test_several_threads(self):
        """What one made is taken by two."""
        self.assertFalse(self.fit('bare', *INDEX, '--threads', '1'))
        self.assertTrue(self.fit('bare', *INDEX, '--threads', '2'))
        self.assertTrue(self.fit('store', *INDEX, '--threads', '1'))
        self.assertEqual(self.exported('store'), self.exported('bare'))


if __name__ == '__main__':
    main()
