# SPDX-License-Identifier: MIT
"""Rules about every file: what its lines must not have, and must."""
import posixpath
import re

from rules import rule, under

CODE = ('.c', '.h', '.py', '.sh', '.js', '.css', 'meson.build')


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


@rule('src/README.md names files and functions that exist',
      {'src/README.md': '`a.c`, `make_it`\n', 'src/base/b.c': ''})
def source_names(tree):
    code = [(p, t) for p, t in tree.items()
            if p.startswith(('src/', 'include/')) and p != 'src/README.md']
    words = set(re.findall(r'\w+', ' '.join(text for _, text in code)))
    for name in re.findall(r'`([^`\s]+)`', tree.get('src/README.md', '')):
        end = '/' + name.replace('../', '').replace('cmd_X', 'cmd_fit')
        if re.search(r'\.(c|h|md)$', name):
            if not any(('/' + path).endswith(end) for path, _ in code):
                yield name
        elif re.fullmatch(r'\w+_\w+', name) and name not in words:
            yield name


LINK = re.compile(r'\]\(([^)\s]+)\)|^\[[^\]\n]+\]: (\S+)', re.M)
BLOCK = re.compile(r'^```.*?^```$', re.M | re.S)


def headings(text):
    """Their names in links."""
    return {re.sub(r'[^\w\- ]', '', x.lower()).replace(' ', '-')
            for x in re.findall(r'^#+ (.*)$', text, re.M)}


@rule('links between pages lead to files and headings',
      {'README.md': '[a](examples/b.md)\n'})
def links(tree):
    for path, text in under(tree, '', '.md'):
        for match in LINK.finditer(BLOCK.sub('', text)):
            name, _, heading = ''.join(filter(None, match.groups())).partition(
                '#')
            to = posixpath.normpath(posixpath.join(
                posixpath.dirname(path), name)) if name else path
            if '://' not in name and (
                    heading and heading not in headings(tree.get(to, '')) or
                    not any(x == to or x.startswith(to + '/') for x in tree)):
                yield f'{path}: {match.group(0)}'
