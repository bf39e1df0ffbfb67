#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_install.py ROOT BUILD: what `meson install` leaves is all that another
program needs: the examples are built with it, against the shared library and
the static one, and run; and the library shows the functions of its headers and
no others."""
import os
import re
import subprocess
import sys
import tempfile

EXAMPLES = ('train', 'feed', 'answer', 'watch')
CORPUS = ('fixtures/vocab.harbour.txt', 'fixtures/docword.harbour.txt.zst')
KEDGE_EIO = 5
STRICT = ('-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror')


def run(*command, code=0, quiet=False, **more):
    print('$', *command, flush=True)
    result = subprocess.run(command, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, universal_newlines=True,
                            **more)
    print('' if quiet else result.stdout, end='', flush=True)
    assert result.returncode == code, result.returncode
    return result.stdout


class Place:
    """An installation of its own."""

    def __init__(self, build, folder):
        self.folder = folder
        run('meson', 'install', '-C', build, '--no-rebuild', '--quiet',
            '--destdir', folder)
        self.library = os.path.dirname(self.find('libkedge.so'))
        found = os.path.dirname(self.find('kedge.pc'))
        self.env = dict(os.environ, PKG_CONFIG_PATH=found,
                        PKG_CONFIG_SYSROOT_DIR=folder,
                        LD_LIBRARY_PATH=self.library)

    def find(self, name):
        paths = [os.path.join(at, name)
                 for at, _, files in os.walk(self.folder) if name in files]
        assert len(paths) == 1, (name, paths)
        return paths[0]

    def flags(self, *how):
        told = run('pkg-config', *how, 'kedge', env=self.env).split()
        # The root of the packages that kedge needs is the system's.
        return [x.replace(self.folder, '', 1)
                if not os.path.exists(x[2:]) else x for x in told]

    def compile(self, root, example, static):
        return self.build(
            os.path.join(root, 'examples', example + '.c'),
            os.path.join(self.folder, example + '-static' * static), static)

    def build(self, source, program, static):
        flags = self.flags('--cflags', '--libs', *['--static'] * static)
        if static:
            flags = [self.find('libkedge.a') if x == '-lkedge' else x
                     for x in flags]
        run('cc', *STRICT, source, '-o', program, *flags)
        return program


def exported(library, *how):
    lines = run('nm', *how, '--defined-only', '--extern-only', library,
                quiet=True).splitlines()
    return {line.split()[-1].split('@')[0] for line in lines
            if len(line.split()) == 3}


def declared(folder):
    names = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
        for found in re.findall(r'^KEDGE_API\b([^;]*);', text, re.M):
            names.add(re.search(r'(\w+)\s*\(', found.replace(
                'KEDGE_CHECKED', '')).group(1))
    return names


def check_static(place):
    """The static library defines what the headers declare and nothing else: a
    program may call its own functions as kedge calls its own."""
    names = ('mem_free', 'mem_new', 'docs_begin', 'pool_run', 'store_abort')
    source = os.path.join(place.folder, 'own.c')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('#include <kedge/kedge.h>\n#include <stdio.h>\n' +
                   ''.join(f'int {name}(void);\nint {name}(void)\n'
                           '{\n    return 1;\n}\n' for name in names) +
                   'int main(void)\n{\n    kedge_store *s;\n'
                   '    kedge_error err;\n    int st = kedge_store_open('
                   '"/dev/null/x", KEDGE_OPEN_READ, &s, &err);\n'
                   '    printf("%d %d\\n", st, ' +
                   ' + '.join(f'{name}()' for name in names) +
                   ');\n    return 0;\n}\n')
    program = place.build(source, os.path.join(place.folder, 'own'), True)
    told = run(program, env=place.env)
    assert told == f'{KEDGE_EIO} {len(names)}\n', told


def check_examples(root, place, static):
    program = {x: place.compile(root, x, static) for x in EXAMPLES}
    store = os.path.join(place.folder, 'store' + '-static' * static)
    corpus = [os.path.join(root, x) for x in CORPUS]
    told = run(program['watch'], store, *corpus, env=place.env)
    assert 'reading: ' in told and '3000 documents added' in told, told
    told = run(program['train'], store, *corpus, env=place.env)
    assert told.startswith('0 documents read\n'), told
    assert len(told.splitlines()) == 13 and 'boat' in told, told
    told = run(program['answer'], store, env=place.env,
               input='a boat in the harbour\n\nqqq\n').splitlines()
    assert len(told) == 3 and told[0].endswith('(ok)'), told
    assert told[1].endswith('(empty)') and told[2].endswith('(unknown)'), told
    texts = store + '-texts'
    assert run(program['feed'], texts, env=place.env).startswith('4 documents')
    told = run(program['feed'], texts, env=place.env)
    assert told == '0 documents added, 4 were there before\n', told
    for name in EXAMPLES:
        run(program[name], code=2, env=place.env)


def main(root, build):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(build, folder)
        headers = os.path.dirname(place.find('fit.h'))
        said = declared(headers)
        for shown in (exported(place.find('libkedge.so'), '-D'),
                      exported(place.find('libkedge.a'))):
            assert shown == said, (shown - said, said - shown)
        assert len(said) > 80, said
        check_examples(root, place, False)
        check_examples(root, place, True)
        check_static(place)
        help_ = run(place.find('kedge'), '--version', env=place.env)
        assert help_.startswith('kedge '), help_


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
