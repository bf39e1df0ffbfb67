#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_preset.py PROGRAM: fit --preset is the options that it stands for, and
others override it."""
import json
import os
import re

from shell import Case, main

FIXTURES = os.path.join(os.path.dirname(__file__), '..', '..', 'fixtures')
COUNTS = ('--tf', 'raw', '--min-tokens', '2')
LAW = ('--anchor-min-df', '1', '--recover', 'l2', '--topic-cooccurrence',
       'diagonal', '--em-iter', '0', '--power-iter', '0', '--term-weight',
       'none', *COUNTS)
SPELLED = {
    'lr-jsmf': (*LAW, '--cooccurrence', 'sketch', '--rectify', 'enn',
                '--rectify-iter', '150', '--rectify-tol', '1e-4',
                '--anchors', 'qr', '--solver', 'admm'),
    'raw': (*LAW, '--cooccurrence', 'dense', '--rectify', 'ap',
            '--rectify-iter', '150', '--rectify-tol', '0',
            '--anchors', 'qr', '--solver', 'admm'),
    'aw': (*LAW, '--cooccurrence', 'dense', '--rectify', 'none',
           '--anchors', 'counted', '--solver', 'expgrad'),
}
SETTINGS = {
    'lr-jsmf': '--tf raw --min-tokens 2 --term-weight none --cooccurrence '
               'sketch --power-iter 0 --rectify enn --rectify-iter 150 '
               '--rectify-tol 0.0001 --anchors qr --anchor-min-df 1 --recover '
               'l2 --solver admm --topic-cooccurrence diagonal --em-iter 0',
    'raw': '--tf raw --min-tokens 2 --term-weight none --cooccurrence dense '
           '--power-iter 0 --rectify ap --rectify-iter 150 --rectify-tol 0 '
           '--anchors qr --anchor-min-df 1 --recover l2 --solver admm '
           '--topic-cooccurrence diagonal --em-iter 0',
    'aw': '--tf raw --min-tokens 2 --term-weight none --cooccurrence dense '
          '--power-iter 0 --rectify none --anchors counted --anchor-min-df 1 '
          '--recover l2 --solver expgrad --topic-cooccurrence diagonal '
          '--em-iter 0',
}
K = '6'
ARRAYS = ('topics.npy', 'topic_cooccurrence.npy', 'word_probability.npy',
          'anchors.txt', 'vocab.txt')


class Preset(Case):
    def setUp(self):
        super().setUp()
        self.ingest('store')

    def ingest(self, store, *more):
        self.works('ingest', store, '-q', *more, '--vocab',
                   os.path.join(FIXTURES, 'vocab.harbour.txt'),
                   os.path.join(FIXTURES, 'docword.harbour.txt.zst'))

    def fit(self, *options, store='store', model='m'):
        told, = self.works_json('fit', store, '-k', K, '--model', model,
                                '--align', 'none', '--format', 'json',
                                *options)['models']
        return told

    def exported(self, store='store', model='m'):
        self.works('export', store, '--model', model, '-o', 'out', '-q')
        return ([self.read(f'out/{name}') for name in ARRAYS],
                json.loads(self.read('out/model.json')))

    def digest(self, model):
        models = self.works_json('verify', 'store', '--format',
                                 'json')['models']
        return {m['name']: m['digest'] for m in models}[model]

    def test_is_the_options_that_it_stands_for(self):
        seen = []
        for name, options in SPELLED.items():
            told = self.fit('--preset', name, model=name)
            self.assertEqual((told['preset'], told['settings']),
                             (name, SETTINGS[name]))
            self.assertEqual(told['min_tokens'], 2)
            short, described = self.exported(model=name)
            told = self.fit(*options, model='spelled')
            self.assertEqual((told['preset'], told['settings']), ('none', ''))
            self.assertEqual(self.exported(model='spelled')[0], short)
            self.assertEqual(self.digest(name), self.digest('spelled'))
            self.check_described(name, described)
            self.assertNotIn(short, seen)
            seen.append(short)
        self.assertIn(f'preset {name},', self.works('info', 'store'))

    def check_described(self, name, described):
        """model.json has all that the preset sets."""
        told = {**described['options'], **described['sketch']}
        self.assertEqual(told['preset'], name)
        words = SETTINGS[name].split()
        for option, value in zip(words[::2], words[1::2]):
            key = option[2:].replace('-', '_')
            self.assertEqual(str(told[key]).lower(),
                             '0.0001' if value == '0.0001' else value, key)

    def test_makes_one_index_by_a_pass(self):
        for _ in range(2):
            self.assertEqual(self.fit('--preset', 'lr-jsmf')['index'], 1)
        self.assertEqual(self.fit('--preset', 'raw')['index'], 1)

    def test_takes_the_index_of_ingest(self):
        self.fit('--preset', 'lr-jsmf')
        passed, _ = self.exported()
        self.ingest('raw', *COUNTS)
        self.assertEqual(self.fit('--preset', 'lr-jsmf', store='raw')['index'],
                         0)
        self.assertEqual(self.exported('raw')[0], passed)

    def test_another_sketch_is_made_of_the_store(self):
        self.assertEqual(self.fit('--sketch-size', '300')['sketch_size'], 300)
        self.assertEqual(self.fit()['index'], 0)

    def test_options_override_it(self):
        told = self.fit('--term-weight', 'idf', '--preset', 'lr-jsmf',
                        '--rectify-iter', '3')
        settings = SETTINGS['lr-jsmf'].replace('--term-weight none',
                                               '--term-weight idf')
        self.assertEqual(told['settings'], settings.replace(' 150 ', ' 3 '))
        self.assertEqual((told['term_weight'], told['rectify_iter']),
                         ('idf', 3))
        short, _ = self.exported()
        self.fit(*SPELLED['lr-jsmf'], '--term-weight', 'idf',
                 '--rectify-iter', '3')
        self.assertEqual(self.exported()[0], short)

    def test_a_solver_gives_way_to_another_recovery(self):
        told = self.fit('--preset', 'aw', '--anchors', 'fast', '--projection',
                        '100', '--recover', 'kl', '--topic-cooccurrence',
                        'least-squares')
        self.assertEqual((told['anchors'], told['recover']), ('fast', 'kl'))
        self.assertNotIn('--solver', told['settings'])
        _, described = self.exported()
        self.assertEqual(described['options']['solver'], 'admm')
        result = self.kedge('fit', 'store', '-k', K, '--preset', 'raw',
                            '--cooccurrence', 'sketch')
        self.assertEqual(result.returncode, 2)
        self.assertIn(b'--cooccurrence dense', result.stderr)

    def test_sweep_has_it(self):
        self.fit('--preset', 'lr-jsmf')
        fitted, _ = self.exported()
        self.works('sweep', 'store', '--preset', 'lr-jsmf', '-k', '4:6:2')
        self.assertEqual(self.exported(model='sweep-k6')[0], fitted)

    def test_several_numbers_of_topics_and_names(self):
        told = self.works_json('fit', 'store', '-k', '2,3', '-k4', '--preset',
                               'raw', '--format', 'json', '--model', 'x')
        self.assertEqual([m['model'] for m in told['models']],
                         ['x-k2', 'x-k3', 'x-k4'])
        self.assertEqual({m['preset'] for m in told['models']}, {'raw'})

    def test_summary_and_wrong_names(self):
        result = self.kedge('fit', 'store', '-k', K, '--preset', 'aw')
        said = ' '.join(result.stderr.decode().split())
        self.assertIn('preset aw settings --tf raw --min-tokens 2', said)
        self.fails(2, "kedge: --preset: 'jst' is not one of "
                   "none|lr-jsmf|raw|aw\nTry 'kedge fit --help'.\n", 'fit',
                   'store', '-k', K, '--preset', 'jst')

    def test_page_has_the_settings(self):
        """The table of examples/papers.md."""
        with open(os.path.join(FIXTURES, '..', 'examples', 'papers.md'),
                  encoding='utf-8') as file:
            rows = [[x.strip(' `') for x in line.split('|')[1:-1]]
                    for line in file if line.startswith(('| option |',
                                                         '| `--'))]
        names = rows.pop(0)[1:]
        self.assertEqual(names, list(SETTINGS))
        for i, name in enumerate(names):
            told = [f'{row[0]} {re.split("[`:]", row[i + 1])[0]}'
                    for row in rows if row[i + 1]]
            self.assertEqual(sorted(told), sorted(
                re.findall(r'--\S+ \S+', SETTINGS[name].replace('0.0001',
                                                                 '1e-4'))))

    def test_texts(self):
        """Words are chosen as ever, their sketch is of raw counts."""
        self.write('lines.txt', self.works('cat', 'store', '--format', 'text',
                                           '--limit', '400'))
        self.works('ingest', 'texts', 'lines.txt', '--from', 'lines',
                   '-q')
        told = self.fit('--preset', 'raw', store='texts')
        self.assertEqual(told['vocabulary'], 'rule')
        _, described = self.exported('texts')
        self.assertEqual(described['sketch']['tf'], 'raw')


if __name__ == '__main__':
    main()
