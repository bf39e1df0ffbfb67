# SPDX-License-Identifier: MIT
"""Rules about every file: names, lines, words that must not stay."""
import os
import re
from collections import Counter

from rules import rule, under

CODE = ('.c', '.h', '.py', '.sh', '.js', '.css', 'meson.build')
LONGEST_LINE = 80
LONGEST_TABLE_LINE = 100

TOP = set('meson.build README.md LICENSE src include tests examples '
          'fixtures'.split())
REPEATED = ('meson.build', 'README.md')


def is_table(line):
    """A row of an initialiser or of an X-macro."""
    return re.match(r'\s*(\{.*\},?|X\(.*\).*)$', line) is not None


@rule('lines have at most 80 characters, those of tables 100',
      {'src/base/a.c': '    call(' + 'x' * 80 + ');\n'})
def line_length(tree):
    for path, text in under(tree, '', *CODE):
        for number, line in enumerate(text.split('\n'), 1):
            most = LONGEST_TABLE_LINE if is_table(line) else LONGEST_LINE
            if len(line) > most:
                yield f'{path}:{number}: {len(line)} characters'


@rule('no tabs and no spaces at the end of a line',
      {'src/base/a.c': 'int a; \n'})
def whitespace(tree):
    for path, text in under(tree, '', *CODE, '.md'):
        for number, line in enumerate(text.split('\n'), 1):
            if '\t' in line or line != line.rstrip():
                yield f'{path}:{number}'


@rule('code begins with its licence',
      {'tests/a.py': '"""No licence."""\n'})
def licence(tree):
    for path, text in under(tree, '', '.c', '.h', '.py', '.sh', '.js', '.css'):
        lines = text.split('\n')[:2]
        head = lines[1:] if lines[0].startswith('#!') else lines[:1]
        if 'SPDX-License-Identifier: MIT' not in ''.join(head):
            yield path


@rule('files of src have names of their own',
      {'src/base/a.c': '', 'src/store/a.c': ''})
def unique_names(tree):
    names = Counter(os.path.basename(path) for path, _ in under(tree, 'src/'))
    for name, times in sorted(names.items()):
        if times > 1 and name not in REPEATED:
            yield f'{name}: {times} files'


@rule('the top level holds only the names agreed on', {'docs/a.md': ''})
def top_level(tree):
    for name in sorted({path.split('/')[0] for path in tree}):
        if name not in TOP and not name.startswith('.'):
            yield name


UNFINISHED = '|'.join(('TO' 'DO', 'FIX' 'ME', 'X' 'XX', 'HA' 'CK'))


@rule('nothing is marked as unfinished',
      {'src/base/a.c': '/* ' + 'TO' 'DO */\n'})
def unfinished(tree):
    for path, text in tree.items():
        for number, line in enumerate(text.split('\n'), 1):
            if re.search(rf'\b({UNFINISHED})\b', line):
                yield f'{path}:{number}: {line.strip()[:60]}'


PLACES = '|'.join(('/wo' 'rk/', '/ro' 'ot/', '/ho' 'me/'))


@rule('no file names a place on somebody\'s machine',
      {'tests/a.sh': 'cd /ro' 'ot/kedge\n'})
def places(tree):
    for path, text in tree.items():
        for number, line in enumerate(text.split('\n'), 1):
            if re.search(PLACES, line):
                yield f'{path}:{number}: {line.strip()[:60]}'


@rule('src/README.md names every folder of src',
      {'src/README.md': '`base/`\n', 'src/store/a.c': ''})
def source_readme(tree):
    text = tree.get('src/README.md', '')
    folders = {p.split('/')[1] for p in tree if p.count('/') > 1
               and p.startswith('src/')}
    for folder in sorted(folders):
        if not re.search(rf'\b{folder}\b', text):
            yield folder
