#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_readme.py ROOT BUILD: commands of the README, of the manual and of the
page of the papers do what these say.

All blocks marked as sh are run in order, by one shell that stops at the first
failure, in a folder that has what the clone has. Lines that set the machine up
are not run here: the script that they name must exist. The lines of a block
marked as text come out of the block before it, in this order; what is left out
between them is a line of dots. Times, sizes, digests and blanks may be others.

Tables of measured figures are those of the pages of results (figures.py).
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools'))
from program import with_program  # noqa: E402

import figures  # noqa: E402

SETUP = re.compile(r'sh ((?:examples|tests)/\w+\.sh)$|PATH=\$PWD/\.build/'
                   r'|apt-get |meson (?:setup|install) ')
BOTH = {'examples/quickstart.sh', 'tests/run.sh'}
BLOCK = re.compile(r'^```(sh|text)\n(.*?)^```$', re.M | re.S)
VARIES = re.compile(r'[0-9][0-9,.]*(?= (?:s|a second|[KMG]iB|[kMG]B)\b)'
                    r'|\b[0-9a-f]{16}\b|\b[0-9a-f]{32}\b')


def blocks(text):
    """Pairs of what is to be run and the lines that come of it."""
    found = []
    for kind, content in BLOCK.findall(text):
        if kind == 'sh':
            found.append((content.replace('\\\n', '').splitlines(), []))
        else:
            assert not found[-1][1], 'two blocks of text'
            found[-1][1].extend(content.splitlines())
    return found


def set_up(lines):
    """The scripts among them that set up, and what is left to run."""
    scripts, left = set(), []
    for line in lines:
        setup = SETUP.match(line)
        if setup is None:
            left.append(line)
        elif setup.group(1):
            scripts.add(setup.group(1))
    return scripts, left


def clone(root, directory):
    """A folder with the same names as the clone, where nothing is written."""
    for name in os.listdir(root):
        if not name.startswith('.'):
            os.symlink(os.path.join(root, name),
                       os.path.join(directory, name))


def run(found, build, directory, scratch):
    """One shell for all blocks; what each of them says goes to a file."""
    environment = dict(with_program(build), TMPDIR=scratch)
    text = 'set -eux\n' + ''.join(
        '{\n%s\n} >"$TMPDIR/%d.said" 2>&1\n' % ('\n'.join(lines or [':']), i)
        for i, (lines, _) in enumerate(found))
    return subprocess.run(['sh', '-c', text], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, check=False).returncode


def said(scratch, i):
    path = os.path.join(scratch, f'{i}.said')
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8') as file:
        return file.read()


def plain(line):
    return VARIES.sub('#', ' '.join(line.split()))


def missing(wanted, text):
    """The first line that is not where it should be, or None."""
    lines, at, close = [plain(x) for x in text.splitlines()
                        if not x.startswith('+ ')], 0, False  # sh -x
    for line in wanted:
        if line == '...':
            close = False
            continue
        here = lines[at:at + 1] if close else lines[at:]
        if plain(line) not in here:
            return line
        at += here.index(plain(line)) + 1
        close = True
    return None


def check(name, root, build):
    """Its blocks, run and compared; the scripts that it names."""
    with open(os.path.join(root, name), encoding='utf-8') as file:
        found = blocks(file.read())
    scripts = set()
    for lines, _ in found:
        named, lines[:] = set_up(lines)
        scripts |= named
    with tempfile.TemporaryDirectory() as directory, \
            tempfile.TemporaryDirectory() as scratch:
        clone(root, directory)
        before = sorted(os.listdir(directory))
        code = run(found, build, directory, scratch)
        last = max(i for i in range(len(found)) if i == 0 or said(scratch, i)
                   or os.path.exists(os.path.join(scratch, f'{i}.said')))
        assert code == 0, (f'the commands of {name} gave {code}: '
                           f'{found[last][0]}\n{said(scratch, last)}')
        for i, (_, wanted) in enumerate(found):
            line = missing(wanted, said(scratch, i))
            assert line is None, (f'{name} has another line: {line}\n'
                                  f'{said(scratch, i)}')
        assert sorted(os.listdir(directory)) == before, 'files were left'
    return scripts, found


def unknown_options(text, source):
    """Options that no table of src/cli has."""
    named = set(re.findall(r'(?<![\w-])--([a-z][a-z-]*)', text))
    return sorted(x for x in named if f'"{x}"' not in source)


def check_options(root):
    folder = os.path.join(root, 'src', 'cli')
    source = ''
    for name in os.listdir(folder):
        if name.endswith(('.c', '.h')):
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                source += file.read()
    assert unknown_options('--memory --memori', source) == ['memori']
    for name in ('README.md', 'examples/manual.md'):
        with open(os.path.join(root, name), encoding='utf-8') as file:
            unknown = unknown_options(file.read(), source)
        assert not unknown, f'{name}: {unknown}'


def main(root, build):
    check_options(root)
    figures.check(root)
    scripts, found = check('README.md', root, build)
    assert scripts == BOTH, scripts
    for script in scripts:
        assert os.path.isfile(os.path.join(root, script)), script
    with open(os.path.join(root, 'README.md'), encoding='utf-8') as file:
        head = file.read().partition('## References\n')[0]
    assert head.count('\n') <= 150, 'the README is too long'
    installed = re.search(r'apt-get install(.*?)meson setup', head, re.S)
    packages = subprocess.check_output(
        ['sh', '-c', '. "$0"; echo $packages_build',
         os.path.join(root, 'tests/tools/packages.sh')], text=True)
    assert installed.group(1).replace('\\\n', '').split() == \
        packages.split(), 'packages'
    _, shown = check('examples/manual.md', root, build)
    assert sum(len(wanted) > 0 for _, wanted in found + shown) >= 20, 'little'
    check('examples/papers.md', root, build)


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
