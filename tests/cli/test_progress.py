#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_progress.py PROGRAM: what '--progress json' tells of each command: a
stage begins with nothing, never goes back, and ends with all of it."""
import json

from shell import FittedCase, main

FIT = ('fit', 'store', '-k', '3', '--model')


def stages_of(case, *arguments):
    """[reports of a stage], as the stages came."""
    result = case.kedge(*arguments, '--progress', 'json', '-q')
    case.assertEqual(result.returncode, 0, result.stderr.decode())
    stages = []
    for line in result.stderr.decode().splitlines():
        now = json.loads(line)
        last = stages[-1][-1] if stages else {'stage': '', 'done': 0}
        if now['stage'] != last['stage'] or (now['done'] < last['done'] and
                                             now['done'] == 0):
            stages.append([])
        stages[-1].append(now)
    return [each for each in stages if each[0]['stage'] != 'working']


class Stages(FittedCase):
    def tells(self, names, *arguments):
        """The stages are of these names, and each is whole."""
        stages = stages_of(self, *arguments)
        found = [each[0]['stage'] for each in stages]
        self.assertLessEqual(set(names.split(', ')), set(found), found)
        for each in stages:
            done = [now['done'] for now in each]
            with self.subTest(stage=each[0]['stage'], arguments=arguments):
                self.assertEqual(done[0], 0)
                self.assertEqual(done, sorted(done))
                if each[-1]['total'] > 0 or each[0]['total'] > 0:
                    self.assertEqual(done[-1], each[-1]['total'])

    def test_stores(self):
        vocabulary = ('--vocab', 'vocab.txt')
        self.tells('reading', 'ingest', 'one', 'docword.txt', *vocabulary)
        self.tells('reading', 'ingest', 'two', 'docword.txt.zst', *vocabulary,
                   '--no-sketch')
        self.tells('reading, saving the sketch', 'merge', 'both', 'one')
        self.tells('documents, removing', 'remove', 'both', 'docword.txt:7')
        self.tells('compacting, copying', 'compact', 'both')
        self.tells('counting, sketch', 'repair', 'both')
        self.tells('records, counting, sketch', 'verify', 'both')
        self.tells('documents', 'cat', 'both')

    def test_fits(self):
        usual = 'spectrum, eigenvectors, rectify, anchors, topics'
        self.tells(usual, *FIT, 'a')
        self.tells('sketch, saving the sketch, ' + usual, *FIT, 'a',
                   '--min-df', '3')
        self.tells('power iteration, accuracy', *FIT, 'a', '--power-iter', '2')
        self.tells('EM', *FIT, 'a', '--em-iter', '2')
        self.tells('degrees, sketch', *FIT, 'a', '--ncut')
        self.tells('co-occurrence', *FIT, 'a', '--cooccurrence', 'dense')
        for way in ('palm', 'ap', 'dr', 'none'):
            self.tells('topics', *FIT, 'a', '--rectify', way)
        for way in ('fast', 'spa', 'snpa', 'xray'):
            self.tells('anchors', *FIT, 'a', '--anchors', way)
        self.tells('co-occurrence, anchors', *FIT, 'a', '--cooccurrence',
                   'dense', '--anchors', 'counted')
        for way in ('kl', 'inverse'):
            self.tells('topics', *FIT, 'a', '--recover', way)
        self.tells('anchor-free', *FIT, 'a', '--recover', 'anchor-free')

    def test_models(self):
        infer = ('infer', 'store', '--model', 'k3', '--method')
        for method in ('linear-bayes', 'least-squares', 'mean'):
            self.tells('composing', *infer, method)
        self.tells('inverting, composing', *infer, 'tli')
        for method in ('padd', 'pami'):
            self.tells('learning, agreeing, composing', *infer, method)
        self.tells('composing', *infer, 'linear-bayes', 'docword.txt',
                   '--vocab', 'vocab.txt')
        self.tells('composing', 'infer', 'store', '--model', 'k3', '--save')
        self.tells('ranking', 'topics', 'store', '--model', 'k3',
                   '--documents', '2')
        self.tells('measuring, summing up', 'eval', 'store', '--model',
                   'k2,k3')
        self.tells('spectrum, measuring, summing up', 'sweep', 'store', '-k',
                   '2:4', '--model', 'swept')
        self.tells('batches, ranking, measuring', 'report', 'store',
                   '--model', 'k3', '-o', 'page.html')
        self.tells('exporting', 'export', 'store', '--model', 'k3', '-o',
                   'files', '--also', 'counts,mallet,pyldavis')


if __name__ == '__main__':
    main()
