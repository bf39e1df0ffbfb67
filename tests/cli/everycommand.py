# SPDX-License-Identifier: MIT
"""Each command once, on a store that has models, for tests that go through all
of them. A command's files are in the folder of the store."""
import os
import random
import shutil

# name: what follows the command's name. {s}: a copy of the store that may be
# written to; {o}: something that is not there yet.
COMMANDS = {
    'ingest': ('{s}', 'more.jsonl'),
    'fit': ('{s}', '-k', '2', '--min-df', '2', '--max-df', '1'),
    'topics': ('{s}',),
    'infer': ('{s}', 'more.jsonl'),
    'eval': ('{s}',),
    'sweep': ('{s}', '-k', '2,3'),
    'label': ('{s}', '1', 'chess'),
    'diff': ('{s}', 'k2', 'k3'),
    'report': ('{s}', '-o', '{o}'),
    'export': ('{s}', '-o', '{o}'),
    'info': ('{s}',),
    'cat': ('{s}', '-n', '3'),
    'vocab': ('{s}', '-n', '3'),
    'word': ('{s}', 'oftena'),
    'remove': ('{s}', 'b1', 'b2'),
    'drop': ('{s}', '--model', 'k2'),
    'merge': ('{o}', '{s}'),
    'sketch export': ('{s}', '-o', '{o}', '--counts'),
    'sketch import': ('{o}', 'part'),
    'verify': ('{s}',),
    'compact': ('{s}',),
    'repair': ('{s}',),
}
READING = ('topics', 'diff', 'info', 'cat', 'vocab', 'word', 'verify', 'infer',
           'eval', 'report', 'export', 'sketch export')


def spelt(number):
    return ''.join('abcdefghij'[int(digit)] for digit in str(number))


def write_texts(case, name, documents, words, letters, seed=1):
    """JSONL of texts with ids b1, b2, ...: each has some words that are
    frequent, by its subject, and `words` that it has alone, of `letters`."""
    chance = random.Random(seed)
    with open(case.path(name), 'w', encoding='ascii') as file:
        for m in range(documents):
            often = ' '.join('often' + spelt(m % 3 + 3 * chance.randrange(12))
                             for _ in range(24))
            rare = ' '.join((spelt(seed) + spelt(m * words + i)).ljust(
                letters, 'q') for i in range(words))
            file.write(f'{{"id": "{spelt(seed)}{m}", '
                       f'"text": "{often} {rare}"}}\n')


def make_store(case, *rest, documents=300, words=3, letters=8):
    """Beside the store: more.jsonl, which it does not have, and part, which is
    a sketch of it."""
    write_texts(case, 'texts.jsonl', documents, words, letters)
    write_texts(case, 'more.jsonl', 30, 0, letters, seed=2)
    case.works('ingest', 'store', 'texts.jsonl', *rest)
    for k in '2', '3':
        case.works('fit', 'store', '-k', k, '--sketch-size', '32',
                   '--min-df', '2', '--max-df', '1')
    case.works('sketch', 'export', 'store', '-o', 'part', '--counts')


def arguments(case, name):
    """Of a run that begins with things as they were."""
    if os.path.isfile(case.path('out')):
        os.unlink(case.path('out'))
    shutil.rmtree(case.path('out'), ignore_errors=True)
    store = 'store'
    if name not in READING:
        store = 'copy'
        shutil.rmtree(case.path(store), ignore_errors=True)
        shutil.copytree(case.path('store'), case.path(store))
    return [*name.split(), *(a.format(s=store, o='out')
                             for a in COMMANDS[name])]
