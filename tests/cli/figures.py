# SPDX-License-Identifier: MIT
"""Measured figures in the README and in the manual are those of the pages of
results."""
import os
import re
import statistics

COMPARED = 'tests/experiments/results/compared.md'
LARGE = 'tests/bench/results/large.md'
CORPORA = {     # first cells of the README's tables: the page's sections
    '300,000 abstracts of arXiv, 50 topics':
        'arxiv300k, K = 50, one pass: measured earlier',
    '20 Newsgroups, 20 topics': 'newsgroups, K = 20',
}
TOOLS = {
    'kedge': 'kedge',
    'kedge, from a compressed file': 'kedge',
    'kedge, `--em-iter 2`': 'kedge --em-iter 2',
    'NMF of tf-idf': 'scikit-learn NMF',
    'NMF of (1 + ln tf) idf': 'scikit-learn NMF (1 + ln tf)',
    'scikit-learn, LDA, median of 3': 'scikit-learn LDA',
    'scikit-learn, LDA, one pass': 'scikit-learn LDA, one pass',
    'gensim, LDA': 'gensim LDA',
    'gensim, LDA, one pass': 'gensim LDA, one pass',
    'Gibbs sampling, 1,000 sweeps': 'Gibbs sampling',
}
COLUMNS = {
    'NPMI': 'npmi, probability',
    'NPMI by probability': 'npmi, probability',
    'by relevance': 'npmi, relevance',
    'coverage': 'document coverage, relevance',
    'nats': 'held-out nats per word',
    'processor time': 'seconds',
    'time': 'seconds',
    'peak memory': 'memory',
    'memory': 'memory',
}
JOBS = {'300,000': 'nytimes', '8,200,000': 'pubmed'}    # documents
STAGES = {'ingest': ('ingest',), 'fit': ('spectrum', 'rectify', 'topics'),
          'infer': ('infer',), 'all': ('all',)}


def tables(root, name):
    """(section, {column: cell}) of each row of the tables of a page."""
    section, head = '', None
    with open(os.path.join(root, name), encoding='utf-8') as file:
        for line in file.read().splitlines():
            cells = [x.strip() for x in line.strip('|').split('|')]
            if not line.startswith('|'):
                section = line[3:] if line.startswith('## ') else section
                head = None
            elif head is None:
                head = cells
            elif not set(line) <= set('|-'):
                yield section, dict(zip(head, cells))


def number(text):
    return float(re.match('-?[0-9.,]+', text).group().replace(',', ''))


def agrees(shown, value):
    """Whether this is the value, rounded to as many digits as are shown."""
    digits = len(re.match(r'[0-9,]*\.?([0-9]*)', shown).group(1))
    scale = 100 if shown.endswith('%') else 1
    return abs(number(shown) - scale * value) < 0.50001 * 10 ** -digits


def same(what, shown, value):
    assert agrees(shown, value), f'{what}: {shown} for {value}'
    assert not agrees(shown, 1.2 * value + 1), what


def compared(root):
    """The README's tables; how many figures there are."""
    page, count = list(tables(root, COMPARED)), 0
    for _, row in tables(root, 'README.md'):
        corpus, tool = next(iter(row.items()))
        if corpus not in CORPORA:
            continue
        found = {}
        for section, measured in page:
            if section == CORPORA[corpus]:
                if measured['tool'] == TOOLS[tool]:
                    found.update((k, number(x)) for k, x in measured.items()
                                 if k != 'tool')
            elif 'median' in tool and measured.get('tool') == TOOLS[tool] \
                    and measured.get('corpus') == CORPORA[corpus]:
                found.update((k, statistics.median(map(number, x.split(', '))))
                             for k, x in measured.items()
                             if k not in ('tool', 'corpus'))
        for column in list(row)[1:]:
            same(f'{corpus}, {tool}, {column}', row[column],
                 found[COLUMNS[column]])
            count += 1
    return count


def large(root):
    """The manual's table of whole jobs; how many figures there are."""
    page, count = list(tables(root, LARGE)), 0
    for section, row in tables(root, 'examples/manual.md'):
        if section == 'Speed':
            found = {measured['stage']: measured for job, measured in page
                     if job == JOBS[row['documents']]}
            for column, stages in STAGES.items():
                same(f'{section}, {column}', row[column],
                     sum(number(found[x]['processor s']) for x in stages))
                count += 1
            same(f'{section}, memory', row['peak memory'],
                 number(found['all']['peak']))
    return count


def text_of(root, name):
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return ' '.join(file.read().split())


def sentences(root):
    """Figures in the manual's text."""
    manual = text_of(root, 'examples/manual.md')
    assert re.search('took 4,287 MiB', manual)
    assert '4,287 MiB' in text_of(root, LARGE)
    nmf, kedge = re.search('NMF ([0-9.]+) s and kedge ([0-9.]+) s',
                           manual).groups()
    for tool, shown in (('scikit-learn NMF', nmf), ('kedge', kedge)):
        value = next(number(row['seconds']) for section, row
                     in tables(root, COMPARED) if 'seconds' in row and
                     section == 'newsgroups, K = 20' and row['tool'] == tool)
        same(f'{tool} in the manual', shown, value)


def origins(root):
    """Each page names the machine, the commit and the command."""
    for folder in map(os.path.dirname, (COMPARED, LARGE)):
        for name in os.listdir(os.path.join(root, folder)):
            if name.endswith('.md') and name != 'papers.md':    # an index
                text = text_of(root, os.path.join(folder, name))
                for part in ('AMD|Intel|[Mm]achine not recorded', 'commit',
                             r'`tests/(bench|experiments)/\w+\.py'):
                    assert re.search(part, text), f'{name}: {part}'


def check(root):
    sentences(root)
    origins(root)
    assert compared(root) >= 50, 'tables of the README'
    assert large(root) == 8, 'the table of the manual'
