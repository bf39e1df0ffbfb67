#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_readme.py ROOT BUILD: the commands of the README do what it says.

All blocks marked as sh are run in order, by one shell that stops at the first
failure, in a folder that has what the clone has. Lines that set the machine up
are not run here: the script that they name must exist.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools'))
from program import with_program  # noqa: E402

SETUP = re.compile(r'sh ((?:examples|tests)/\w+\.sh)$|PATH=\$PWD/\.build/')
BOTH = {'examples/quickstart.sh', 'tests/run.sh'}


def blocks(text):
    return re.findall(r'^```sh\n(.*?)^```$', text, re.M | re.S)


def split(text):
    """The scripts that set up, and the lines to run."""
    scripts, lines = set(), []
    for line in ''.join(blocks(text)).splitlines():
        setup = SETUP.match(line)
        if setup is None:
            lines.append(line)
        elif setup.group(1):
            scripts.add(setup.group(1))
    return scripts, lines


def check_setup(root, scripts):
    assert scripts == BOTH, scripts
    for script in scripts:
        assert os.path.isfile(os.path.join(root, script)), script


def clone(root, directory):
    """A folder with the same names as the clone, where nothing is written."""
    for name in os.listdir(root):
        if not name.startswith('.'):
            os.symlink(os.path.join(root, name),
                       os.path.join(directory, name))


def run(lines, build, directory, scratch):
    environment = dict(with_program(build), TMPDIR=scratch)
    text = 'set -eux\n' + '\n'.join(lines) + '\n'
    return subprocess.run(['sh', '-c', text], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, check=False).returncode


def main(root, build):
    with open(os.path.join(root, 'README.md'), encoding='utf-8') as file:
        scripts, lines = split(file.read())
    check_setup(root, scripts)
    assert sum(line.startswith('kedge ') for line in lines) >= 6, lines
    with tempfile.TemporaryDirectory() as directory, \
            tempfile.TemporaryDirectory() as scratch:
        clone(root, directory)
        before = sorted(os.listdir(directory))
        code = run(lines, build, directory, scratch)
        assert code == 0, f'the commands of the README gave {code}'
        assert sorted(os.listdir(directory)) == before, 'files were left'


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
