# SPDX-License-Identifier: MIT
"""Rules about C: sizes, names, and who may call what."""
import re
import statistics

import ctext
from rules import rule, under

SPDX = '/* SPDX-License-Identifier: MIT */\n'
LONGEST_FUNCTION = 100
MEDIAN_FUNCTION = 20
MOST_FUNCTIONS = 60  # nine in ten are at most this long
MOST_PARAMETERS = 7
LEAST_DOCUMENTATION = 0.4

# Functions that may be longer, each for a reason said beside it.
LONG_FUNCTIONS = ()

# Functions that may take more, for one reason: their arguments are matrices,
# and a matrix is an array and its shape. The call then reads as the formula.
WIDE_FUNCTIONS = (
    'blas_gemm', 'blas_gemm_single', 'tall_cross', 'tall_multiply',
    'tall_combine', 'warm_eigen', 'spectrum_measure', 'enn_rectify',
    'ap_rectify', 'dr_rectify',
    'anchors_pivot', 'simplex_solve', 'refine_residual',
    'farthest_project', 'expgrad_solve', 'recover_topics',
)

# Files of src/ without a test of their own, each for a reason.
UNTESTED = ()

LIBC = set('''assert complex ctype errno fenv float inttypes iso646 limits
locale math setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio
stdlib stdnoreturn string tgmath threads time uchar wchar wctype dirent fcntl
fts getopt glob langinfo libgen poll pthread strings termios unistd'''.split())


def c_functions(tree, *prefixes):
    for prefix in prefixes:
        for path, text in under(tree, prefix, '.c', '.h'):
            for function in ctext.functions(text):
                yield path, function


def make_function(name, lines, parameters='void'):
    return (f'static int {name}({parameters})\n{{\n'
            + '    step();\n' * (lines - 3) + '}\n')


@rule('functions have at most 100 lines',
      {'src/base/long.c': make_function('long_one', 101)})
def function_length(tree):
    for path, f in c_functions(tree, 'src/', 'tests/', 'examples/'):
        if f.lines > LONGEST_FUNCTION and f.name not in LONG_FUNCTIONS:
            yield f'{path}:{f.line}: {f.name} has {f.lines} lines'


@rule('half of the functions have at most 20 lines',
      {'src/base/a.c': make_function('a', 21) + make_function('b', 30)})
def function_median(tree):
    lengths = [f.lines for _, f in c_functions(tree, 'src/')]
    median = statistics.median(lengths or [0])
    if median > MEDIAN_FUNCTION:
        yield f'the median function of src has {median} lines'


@rule('nine functions in ten have at most 60 lines',
      {'src/base/a.c': make_function('a', 61) + make_function('b', 9) * 8})
def function_most(tree):
    lengths = [f.lines for _, f in c_functions(tree, 'src/')]
    longer = sum(n > MOST_FUNCTIONS for n in lengths)
    if longer > 0.1 * len(lengths):
        yield f'{longer} of {len(lengths)} functions have more lines'


@rule('functions take at most 7 parameters',
      {'src/base/a.c': make_function('a', 5, 'int a, int b, void (*c)(int, '
                                     'int), int d, int e, int f, int g, int h')
       })
def parameters(tree):
    for path, f in c_functions(tree, 'src/', 'tests/', 'examples/'):
        if (f.parameters > MOST_PARAMETERS
                and f.name not in WIDE_FUNCTIONS):
            yield f'{path}:{f.line}: {f.name} takes {f.parameters}'


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


def tested_by(path):
    folder, name = path[len('src/'):].rsplit('/', 1)
    return f'tests/unit/{folder}/test_{name}'


@rule('every file of src has a unit test beside it in tests/unit',
      {'src/base/lonely.c': SPDX})
def unit_tests(tree):
    for path, _ in under(tree, 'src/', '.c'):
        if path.startswith('src/cli/') or path in UNTESTED:
            continue
        if tested_by(path) not in tree:
            yield f'{path}: there is no {tested_by(path)}'


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
      {'src/sketch/a.c': '#include <lmdb.h>\n'})
def lmdb(tree):
    return calls(tree, r'include\s*<lmdb\.h>|\b(mdb_\w+|MDB_\w+)',
                 ('src/store/', 'src/base/version.c'))


@rule('only src/linalg knows BLAS and LAPACK',
      {'src/topics/a.c': 'void f(void)\n{\n    cblas_dgemm();\n}\n'})
def blas(tree):
    return calls(tree, r'include\s*<(cblas|lapacke?)\S*\.h>|'
                       r'\b(cblas_|LAPACKE_|openblas_)\w+',
                 ('src/linalg/', 'src/base/version.c'))


@rule('only src/cli/team_mpi.c knows MPI',
      {'src/cli/ranks.c': '#include <mpi.h>\n'})
def mpi(tree):
    return calls(tree, r'include\s*<mpi\.h>|\bMPI_\w+\(',
                 ('src/cli/team_mpi.c',))


def cli_may_include(tree, name, quoted):
    if quoted:
        return f'src/{name}' in tree and name.startswith('cli/') or \
            f'src/cli/{name}' in tree
    if name.startswith(('kedge/', 'sys/')) or name in ('dlfcn.h', 'mpi.h'):
        return True
    return name.endswith('.h') and name[:-2] in LIBC


@rule('the command line includes kedge, its own headers and libc',
      {'src/cli/a.c': '#include "store/store.h"\n',
       'src/store/store.h': ''})
def cli_includes(tree):
    for path, text in under(tree, 'src/cli/', '.c', '.h'):
        for number, name, quoted in ctext.includes(text):
            if not cli_may_include(tree, name, quoted):
                yield f'{path}:{number}: {name}'


@rule('public headers include libc and kedge alone',
      {'include/kedge/a.h': '#include <zstd.h>\n'})
def public_includes(tree):
    for path, text in under(tree, 'include/', '.h'):
        for number, name, quoted in ctext.includes(text):
            plain = name.startswith('kedge/') or name[:-2] in LIBC
            if quoted or not plain:
                yield f'{path}:{number}: {name}'


FRAME = re.compile(r'#(ifndef|define|endif|ifdef __cpl|include)|extern "C"|}$')


def documentation(text):
    """The share of lines that explain; None for a list of includes. A row of
    a table with a text in it explains as well as a comment."""
    lines = [(n, line.strip()) for n, line in enumerate(text.split('\n'), 1)]
    held = ctext.comment_lines(text)
    held.update(n for n, line in lines if re.match(r'X\(.*".*"\)', line))
    body = [n for n, line in lines
            if line and (n in held or not FRAME.match(line))]
    said = sum(n in held for n in body)
    return said / len(body) if said < len(body) else None


@rule('two lines in five of a public header are documentation',
      {'include/kedge/a.h': SPDX + 'int a(void);\nint b(void);\n'})
def header_documentation(tree):
    for path, text in under(tree, 'include/', '.h'):
        share = documentation(text)
        if share is not None and share < LEAST_DOCUMENTATION:
            yield f'{path}: {share:.0%}'
