#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_headers.py ROOT C_COMPILER [CXX_COMPILER]: each public header, alone, as
C11 and as C++11, and each example as C11 and as C++20 (for its designated
initializers), as TAP. Without a C++ compiler those halves are skipped.
"""
import os
import subprocess
import sys

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-fsyntax-only',
            '-Wno-missing-field-initializers']


def compiled(compiler, language, root, text):
    """What the compiler says to the text of a program."""
    command = [compiler, *language, *WARNINGS,
               '-I', os.path.join(root, 'include'), '-']
    result = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, universal_newlines=True,
                            check=False)
    return result.returncode, result.stdout


def programs(root):
    """Of each: a title, its text, and the C++ that it needs."""
    for name in sorted(os.listdir(os.path.join(root, 'include', 'kedge'))):
        yield name, f'#include <kedge/{name}>\n', 'c++11'
    examples = os.path.join(root, 'examples')
    for name in sorted(os.listdir(examples)):
        if name.endswith('.c'):
            with open(os.path.join(examples, name), encoding='utf-8') as file:
                yield name, file.read(), 'c++20'


def report(number, title, compiler, outcome):
    if compiler is None:
        print(f'ok {number} - {title} # SKIP no C++ compiler')
        return
    code, text = outcome
    print(f'{"not ok" if code else "ok"} {number} - {title}')
    for line in text.splitlines():
        print(f'#   {line}')


def main(root, compilers):
    cxx = compilers[1] if len(compilers) > 1 else None
    every = list(programs(root))
    print(f'1..{2 * len(every)}')
    number = failures = 0
    for title, text, newest in every:
        for standard, language, compiler in (('c11', 'c', compilers[0]),
                                             (newest, 'c++', cxx)):
            number += 1
            outcome = (0, '')
            if compiler:
                outcome = compiled(compiler, ['-x', language,
                                              f'-std={standard}'], root, text)
            report(number, f'{title} as {standard}', compiler, outcome)
            failures += outcome[0] != 0
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
