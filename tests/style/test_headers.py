#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_headers.py INCLUDE C_COMPILER [CXX_COMPILER]: each public header, alone,
as C11 and as C++11, as TAP. Without a C++ compiler that half is skipped.
"""
import os
import subprocess
import sys

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-fsyntax-only']


def compile_alone(compiler, language, include, header):
    """What the compiler says to a file that only includes the header."""
    command = [compiler, *language, *WARNINGS, '-I', include, '-']
    result = subprocess.run(command, input=f'#include <kedge/{header}>\n',
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            universal_newlines=True, check=False)
    return result.returncode, result.stdout


def languages(compilers):
    yield 'C11', compilers[0], ['-x', 'c', '-std=c11']
    cxx = compilers[1] if len(compilers) > 1 else None
    yield 'C++11', cxx, ['-x', 'c++', '-std=c++11']


def report(number, title, compiler, outcome):
    if compiler is None:
        print(f'ok {number} - {title} # SKIP no C++ compiler')
        return
    code, text = outcome
    print(f'{"not ok" if code else "ok"} {number} - {title}')
    for line in text.splitlines():
        print(f'#   {line}')


def main(include, compilers):
    headers = sorted(os.listdir(os.path.join(include, 'kedge')))
    print(f'1..{2 * len(headers)}')
    number = failures = 0
    for name, compiler, options in languages(compilers):
        for header in headers:
            number += 1
            outcome = (0, '')
            if compiler:
                outcome = compile_alone(compiler, options, include, header)
            report(number, f'{header} as {name}', compiler, outcome)
            failures += outcome[0] != 0
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
