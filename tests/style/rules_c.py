# SPDX-License-Identifier: MIT
"""Rules about C: guards, and who may call what."""
import re

import ctext
from rules import rule, under

SPDX = '/* SPDX-License-Identifier: MIT */\n'


def guard_of(path):
    name = re.sub(r'^(include|src)/', '', path)
    return re.sub(r'\W', '_', name).upper()


@rule('headers are guarded by a name made from their path',
      {'src/base/mem.h': SPDX + '#ifndef MEM_H\n#define MEM_H\n#endif\n'})
def include_guard(tree):
    for path, text in under(tree, '', '.h'):
        guard = guard_of(path)
        if path.endswith('_inl.h') and '#undef NAME' in text:
            continue  # made to be included more than once
        if f'#ifndef {guard}\n#define {guard}\n' not in text:
            yield f'{path}: the guard is not {guard}'


def calls(tree, pattern, allowed):
    """Where the code of src, outside the allowed paths, matches."""
    for path, text in under(tree, 'src/', '.c', '.h'):
        if path.startswith(allowed):
            continue
        lines = ctext.without_comments(text).split('\n')
        for number, line in enumerate(lines, 1):
            match = re.search(pattern, line)
            if match:
                yield f'{path}:{number}: {match.group(0).strip()}'


@rule('memory comes from base/mem alone',
      {'src/store/a.c': 'void f(void *p)\n{\n    free(p);\n}\n'})
def allocation(tree):
    names = ('malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|'
             'strndup|asprintf|reallocarray')
    return calls(tree, rf'(?<![\w.>])({names})\s*\(',
                 ('src/base/mem.c', 'src/cli/'))


@rule('the library never prints, exits, or reads the environment',
      {'src/base/a.c': 'void f(void)\n{\n    abort();\n}\n'})
def quiet_library(tree):
    names = ('printf|vprintf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|'
             'abort|getenv|secure_getenv|setenv|signal|sigaction|raise|system')
    return calls(tree, rf'(?<![\w.>])({names})\s*\(|\b(stdout|stderr)\b',
                 ('src/cli/',))


@rule('no call that hides errors or chance',
      {'src/cli/a.c': 'int f(char *s)\n{\n    return atoi(s);\n}\n'})
def unsafe_calls(tree):
    names = 'atoi|atol|atoll|atof|rand|srand|random|gets|sprintf|strcpy|strcat'
    return calls(tree, rf'(?<![\w.>])({names})\s*\(', ('\0',))


@rule('only src/store knows LMDB',
      {'src/cooccur/a.c': '#include <lmdb.h>\n'})
def lmdb(tree):
    return calls(tree, r'include\s*<lmdb\.h>|\b(mdb_\w+|MDB_\w+)',
                 ('src/store/', 'src/base/version.c'))


@rule('only src/linalg knows BLAS and LAPACK',
      {'src/topics/a.c': 'void f(void)\n{\n    cblas_dgemm();\n}\n'})
def blas(tree):
    return calls(tree, r'include\s*<(cblas|lapacke?)\S*\.h>|'
                       r'\b(cblas_|LAPACKE_|openblas_)\w+',
                 ('src/linalg/', 'src/base/version.c', 'src/cli/main.c'))


@rule('only src/cli/team_mpi.c knows MPI',
      {'src/cli/ranks.c': '#include <mpi.h>\n'})
def mpi(tree):
    return calls(tree, r'include\s*<mpi\.h>|\bMPI_\w+\(',
                 ('src/cli/team_mpi.c',))
