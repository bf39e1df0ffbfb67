#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_ncut.py PROGRAM: documents weighed by the normalised cut, in corpora of
uneven groups."""
import json
import random
import re
import struct

from shell import Case, main

GROUPS = (500, 120, 25)  # documents
OWN, SHARED = 40, 30     # words of a group, and of all
ALL = ('--min-df', '1', '--max-df', '1', '--stopwords', 'none')
BAGS = ('--from', 'jsonl', '--text-field', 'words')
FILES = ('topics.npy', 'topic_cooccurrence.npy', 'word_probability.npy',
         'model.json')


def word(group, chance):
    if chance.random() < 0.3:
        return f's{int(SHARED * chance.random() ** 2)}'
    return f'g{group}w{int(OWN * chance.random() ** 2)}'


def documents():
    chance = random.Random(11)
    made = []
    for group, count in enumerate(GROUPS):
        for i in range(count):
            words = {}
            for _ in range(chance.randrange(4, 60)):
                one = word(group if chance.random() < 0.9 else
                           chance.randrange(len(GROUPS)), chance)
                words[one] = words.get(one, 0) + 1
            made.append({'id': f'{group}-{i}', 'words': words})
    chance.shuffle(made)
    return made


def jsonl(made):
    return ''.join(json.dumps(d) + '\n' for d in made)


class Ncut(Case):
    @classmethod
    def setUpClass(cls):
        cls.documents = documents()

    def put(self, store, made, *arguments):
        self.write(store + '.jsonl', jsonl(made))
        self.works('ingest', store, store + '.jsonl', *BAGS, *arguments)

    def fit(self, store, *arguments):
        model, = self.works_json('fit', store, '-k', '3', '--model', 'm',
                                 '--align', 'none', *arguments, '--format',
                                 'json')['models']
        return model

    def model(self, store, *arguments):
        """All bytes of the model that is fitted."""
        self.fit(store, *arguments)
        return self.exported(store)

    def exported(self, store, files=FILES):
        self.works('export', store, '--model', 'm', '-o', 'out')
        return [self.read(f'out/{name}') for name in files]

    def mass(self, group):
        """p(word), of the group's words together."""
        words = self.read('out/vocab.txt').decode().splitlines()
        p = struct.unpack(f'<{len(words)}d', self.read(
            'out/word_probability.npy')[-8 * len(words):])
        self.assertAlmostEqual(sum(p), 1)
        return sum(x for w, x in zip(words, p) if w.startswith(group))

    def told(self):
        return json.loads(self.read('out/model.json'))

    def test_small_groups_count_for_more(self):
        self.put('store', self.documents)
        for arguments in ((), ('--tf', 'log'),
                          ('--tf', 'sqrt', '--term-weight', 'idf')):
            plain = self.model('store', *ALL, *arguments)
            large, small = self.mass('g0'), self.mass('g2')
            cut = self.model('store', *ALL, *arguments, '--ncut')
            self.assertNotEqual(plain[0], cut[0])
            self.assertLess(self.mass('g0'), 0.9 * large)
            self.assertGreater(self.mass('g2'), 1.3 * small)

    def test_told(self):
        self.put('store', self.documents)
        info = ('info', 'store', '--format', 'json')
        for cut in (False, True):
            options = ('--ncut',) if cut else ()
            self.assertEqual(self.fit('store', *ALL, *options)['ncut'], cut)
            self.exported('store')
            self.assertEqual(self.told()['options'].get('ncut', False), cut)
            model, = self.works_json(*info)['models']
            self.assertEqual(model['ncut'], cut)
            shown = self.works('info', 'store', '--model', 'm')
            self.assertEqual('m: ncut' in shown, cut)
            result = self.kedge('fit', 'store', '-k', '3', '--model', 'm',
                                *options)
            self.assertEqual(re.search(r'(?m)^ +ncut +yes  ',
                                       result.stderr.decode()) is not None,
                             cut)

    def test_digests_tell_it(self):
        self.put('store', self.documents)
        digests = []
        for options in ((), ('--ncut',), ('--ncut',)):
            self.fit('store', *ALL, *options)
            told = self.works_json('verify', 'store', '--format', 'json')
            self.assertEqual(told['damaged'], [])
            digests.append(told['models'][0]['digest'])
        self.assertNotEqual(digests[0], digests[1])
        self.assertEqual(digests[1], digests[2])

    def test_threads_and_orders_leave_no_trace(self):
        self.put('store', self.documents)
        self.put('turned', self.documents[::-1][:200])
        self.put('turned', self.documents[::-1])
        for arguments in (('--power-iter', '1'),
                          ('--tf', 'log', '--term-weight', 'sqrt'),
                          ('--tf', 'sqrt', '--term-weight', 'idf',
                           '--power-iter', '2', '--em-iter', '1')):
            models = [self.model(store, *ALL, *arguments, '--ncut',
                                 '--threads', threads)
                      for store in ('store', 'turned')
                      for threads in ('1', '2')]
            self.assertEqual(self.told()['documents']['counted'],
                             sum(sum(d['words'].values()) >= 2
                                 for d in self.documents))
            for model in models[1:]:
                self.assertEqual(model[:3], models[0][:3])

    def test_removed_documents_do_not_count(self):
        self.put('store', self.documents)
        self.write('ids', ''.join(d['id'] + '\n' for d in
                                  self.documents[::3]))
        arguments = ('--tf', 'log', '--keep-words', 'words', '--power-iter',
                     '1', '--ncut')
        self.write('words', ''.join(f'g{g}w{i}\n' for g in range(3)
                                    for i in range(OWN)))
        before = self.model('store', *arguments)
        self.works('remove', 'store', '--ids', 'ids')
        after = self.model('store', *arguments)
        left = [d for i, d in enumerate(self.documents) if i % 3 > 0]
        self.put('never', left)
        self.assertEqual(self.model('never', *arguments)[:3], after[:3])
        self.assertNotEqual(after[0], before[0])

    def test_words_that_are_not_listed_are_not_seen(self):
        """As in a store that never had them."""
        listed = {f'g{g}w{i}' for g in range(3) for i in range(OWN)}
        self.write('words', ''.join(w + '\n' for w in sorted(listed)))
        self.put('store', self.documents)
        seen = [dict(d, words={w: n for w, n in d['words'].items()
                               if w in listed}) for d in self.documents]
        self.put('less', [d for d in seen if d['words']])
        arguments = ('--tf', 'sqrt', '--keep-words', 'words', '--power-iter',
                     '1', '--ncut')
        self.assertEqual(self.model('store', *arguments)[:3],
                         self.model('less', *arguments)[:3])

    def texts(self):
        """The word g0w0 never stands alone."""
        for d in self.documents:
            parts = [w + ' next' if w == 'g0w0' else w
                     for w, n in sorted(d['words'].items()) for _ in range(n)]
            yield json.dumps({'id': d['id'], 'text': '. '.join(parts)}) + '\n'

    def test_phrases_are_words(self):
        arguments = ('--tf', 'log', *ALL, '--sketch-size', '400', '--ncut',
                     '--power-iter', '1')
        files = ('vocab.txt', *FILES[:3])
        self.write('texts.jsonl', ''.join(self.texts()))
        self.works('ingest', 'texts', 'texts.jsonl', '--digits')
        self.fit('texts', *arguments, '--phrases', '2')
        found = self.exported('texts', files)
        self.assertTrue(found[0].startswith(b'g0w0_next\n'))
        self.put('bags', [dict(d, words={
            'g0w0_next' if w == 'g0w0' else w: n
            for w, n in d['words'].items()}) for d in self.documents])
        self.fit('bags', *arguments)
        self.assertEqual(self.exported('bags', files), found)

    def test_a_small_budget_is_refused(self):
        self.put('store', self.documents)
        self.fit('store', *ALL, '--sketch-size', '400')
        fit = ('fit', 'store', '-k', '3', '--threads', '1', *ALL,
               '--sketch-size', '400', '--memory')
        for mib in range(60, 400, 5):
            if self.kedge(*fit, f'{mib}M').returncode == 0:
                break
        result = self.kedge(*fit, f'{mib}M', '--ncut')
        self.assertEqual(result.returncode, 4)
        said = re.search(r'fitting takes (\d+) MiB, .*without --ncut\n$',
                         result.stderr.decode())
        self.assertIsNotNone(said, result.stderr)
        self.works(*fit, said.group(1) + 'M', '--ncut')


if __name__ == '__main__':
    main()
