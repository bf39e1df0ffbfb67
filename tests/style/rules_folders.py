#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules about who includes whom, by folders of src.

rules_folders.py ROOT prints the graph: a line for each folder with those that
it includes, and how often.
"""
import os
import re
import sys
from collections import defaultdict

import ctext
import rules
from rules import rule, under


def included(tree):
    """{(folder, folder): [(file, file)]} of all that src includes of itself."""
    edges = defaultdict(list)
    for path, text in under(tree, 'src/', '.c', '.h'):
        here = os.path.dirname(path)
        for _, name, quoted in ctext.includes(text):
            target = f'src/{name}' if f'src/{name}' in tree else \
                os.path.normpath(os.path.join(here, name))
            there = os.path.dirname(target)
            if quoted and target in tree and there != here:
                edges[here[4:], there[4:]].append((path, target))
    return edges


def reached(edges, start):
    found, left = set(), [start]
    while left:
        at = left.pop()
        new = {b for a, b in edges if a == at} - found
        found |= new
        left += new
    return found


@rule('folders of src include one another in no circle',
      {'src/base/a.c': '#include "store/a.h"\n', 'src/base/a.h': '',
       'src/store/a.h': '#include "base/a.h"\n'})
def circles(tree):
    edges = included(tree)
    for (here, there), files in sorted(edges.items()):
        if here in reached(edges, there):
            yield from (f'{path} includes {target}, whose folder leads back'
                        for path, target in files)


def cli_may_include(tree, name, quoted):
    if quoted:
        return f'src/{name}' in tree and name.startswith('cli/') or \
            f'src/cli/{name}' in tree
    if name.startswith(('kedge/', 'sys/')) or name in ('dlfcn.h', 'mpi.h'):
        return True
    return name.endswith('.h') and name[:-2] in ctext.LIBC


@rule('the command line includes kedge, its own headers and libc',
      {'src/cli/a.c': '#include "store/store.h"\n',
       'src/store/store.h': ''})
def cli_includes(tree):
    for path, text in under(tree, 'src/cli/', '.c', '.h'):
        for number, name, quoted in ctext.includes(text):
            if not cli_may_include(tree, name, quoted):
                yield f'{path}:{number}: {name}'


@rule('the library includes nothing of the command line',
      {'src/base/a.c': '#include "cli/a.h"\n', 'src/cli/a.h': ''})
def above_library(tree):
    for (_, there), files in included(tree).items():
        if there == 'cli':
            yield from (f'{path}: {target}' for path, target in files)


@rule('public headers include libc and kedge alone',
      {'include/kedge/a.h': '#include <zstd.h>\n'})
def public_includes(tree):
    for path, text in under(tree, 'include/', '.h'):
        for number, name, quoted in ctext.includes(text):
            plain = name.startswith('kedge/') or name[:-2] in ctext.LIBC
            if quoted or not plain:
                yield f'{path}:{number}: {name}'


def main():
    edges = included(rules.read_tree(sys.argv[1]))
    for here in sorted({a for a, _ in edges}):
        print(here, '->', ', '.join(
            f'{b} {len(files)}' for (a, b), files in sorted(edges.items())
            if a == here))


if __name__ == '__main__':
    main()
