# SPDX-License-Identifier: MIT
"""The registry of rules, and the tree of files that they look at.

A rule is a function from a tree, {path: text}, to the violations it finds. It
comes with a bad tree in which it must find one: a rule that cannot fail is no
rule. And it must find nothing in GOOD, which every rule accepts.
"""
import os
from collections import namedtuple

Rule = namedtuple('Rule', 'title find bad')

RULES = []

GOOD = {
    'README.md': '# kedge\n',
    'meson.build': "project('kedge', 'c')\n",
    'include/kedge/status.h': (
        '/* SPDX-License-Identifier: MIT */\n#ifndef KEDGE_STATUS_H\n'
        '#define KEDGE_STATUS_H\n/*\n * What a call can answer.\n */\n'
        '/* Never NULL. */\nconst char *kedge_text(int status);\n#endif\n'),
    'src/README.md': '`base/` and `store/` and `linalg/` and `cli/`\n',
    'src/base/mem.c': (
        '/* SPDX-License-Identifier: MIT */\n#include "base/mem.h"\n\n'
        '/* not malloc(3) alone */\nvoid *mem_new(size_t n)\n{\n'
        '    return malloc(n);\n}\n'),
    'src/base/mem.h': (
        '/* SPDX-License-Identifier: MIT */\n#ifndef BASE_MEM_H\n'
        '#define BASE_MEM_H\nvoid *mem_new(size_t n);\n#endif\n'),
    'src/store/store.c': (
        '/* SPDX-License-Identifier: MIT */\n#include <lmdb.h>\n\n'
        'int store_sync(MDB_env *env)\n{\n    return mdb_env_sync(env, 1);\n'
        '}\n'),
    'src/linalg/gemm.c': (
        '/* SPDX-License-Identifier: MIT */\n#include <cblas.h>\n'),
    'src/cli/main.c': (
        '/* SPDX-License-Identifier: MIT */\n#include <kedge/status.h>\n'
        '#include <stdio.h>\n#include "cli/main.h"\n\nint main(void)\n{\n'
        '    return puts("abort()") < 0;\n}\n'),
    'src/cli/main.h': (
        '/* SPDX-License-Identifier: MIT */\n#ifndef CLI_MAIN_H\n'
        '#define CLI_MAIN_H\n#endif\n'),
    'tests/unit/base/test_mem.c': '/* SPDX-License-Identifier: MIT */\n',
    'tests/unit/store/test_store.c': '/* SPDX-License-Identifier: MIT */\n',
    'tests/unit/linalg/test_gemm.c': '/* SPDX-License-Identifier: MIT */\n',
    'tests/style/one.py': (
        '# SPDX-License-Identifier: MIT\ndef one():\n    return 1\n'),
}


def rule(title, bad):
    """Registers a rule under a title, with a tree that breaks it."""
    def register(find):
        RULES.append(Rule(title, find, bad))
        return find
    return register


def wanted(path):
    """Hidden names at the top are builds and the like, but for .ci."""
    top = path.split(os.sep)[0]
    return not top.startswith('.') or top == '.ci'


def read(path):
    """A file's text; empty where it is no text."""
    with open(path, 'rb') as file:
        data = file.read()
    try:
        return '' if b'\0' in data else data.decode('utf-8')
    except UnicodeDecodeError:
        return ''


def read_tree(root):
    tree = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f != '__pycache__' and wanted(
            os.path.relpath(os.path.join(folder, f), root)))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            if wanted(path):
                tree[path] = read(os.path.join(root, path))
    return tree


def under(tree, prefix, *endings):
    """(path, text) of the files below a prefix with one of the endings."""
    for path, text in tree.items():
        if path.startswith(prefix) and path.endswith(endings or ('',)):
            yield path, text
