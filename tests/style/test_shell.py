#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_shell.py ROOT: shellcheck finds nothing in the project's scripts."""
import shutil
import subprocess
import sys

import rules

SKIPPED = 77
BAD = 'cd $1 && rm -r $2/*\n'


def scripts(root):
    tree = rules.read_tree(root)
    return sorted(path for path, text in tree.items()
                  if path.endswith('.sh') or
                  text.startswith(('#!/bin/sh', '#!/bin/bash')))


def finds_something():
    """The check itself can fail."""
    result = subprocess.run(['shellcheck', '-s', 'sh', '-'], input=BAD,
                            stdout=subprocess.DEVNULL, check=False,
                            universal_newlines=True)
    return result.returncode != 0


def main(root):
    if shutil.which('shellcheck') is None:
        print('shellcheck is not installed')
        return SKIPPED
    if not finds_something():
        print('shellcheck accepts a bad script')
        return 1
    names = scripts(root)
    print(' '.join(names))
    return subprocess.run(['shellcheck', '-x', *names], cwd=root,
                          check=False).returncode


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
