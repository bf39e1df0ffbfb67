#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_nulls.py ROOT BUILD: calls every function of include/kedge with NULL for
each of its pointers in turn, by a program that is made of the headers. A
pointer that a function may do without is in OPTIONAL, or is one that may be
NULL everywhere (kedge/status.h); a type that nothing is known of fails here."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ANYWHERE = ('err', 'opts', 'control', 'data')
OPTIONAL = {('kedge_model_load', 'name'), ('kedge_label_topic', 'model'),
            ('kedge_saved_get_info', 'model'), ('kedge_saved_open', 'model'),
            ('kedge_typical_find', 'model'), ('kedge_verify', 'found'),
            ('kedge_report', 'out'), ('kedge_store_open_wait', 'wait')}
HANDLES = ('store', 'model', 'infer', 'documents', 'saved', 'typical',
           'words_answer', 'wordlist', 'member')
RESULTS = ('diff', 'sweep', 'verify')

# Each handle has a store of its own: nothing else may be done with it.
HEAD = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kedge/kedge.h>

static kedge_error err;
static unsigned char area[16][65536];
static char *path, *folder;
static const char *word = "sail", *name = "k2";
static const char *list[1];
static uint64_t numbers[1] = {2};

static int given_none(void *data, kedge_given *out)
{
    (void)data;
    (void)out;
    return 0;
}

static bool write_none(void *data, const void *bytes, size_t size)
{
    (void)data;
    (void)bytes;
    (void)size;
    return true;
}

static void found_none(void *data, const char *what, const char *why)
{
    (void)data;
    (void)what;
    (void)why;
}

#define WORKS(call)                                      \
    do {                                                 \
        strcpy(err.text, "left from before");            \
        if ((call) != KEDGE_OK || err.text[0] != '\0') { \
            printf("%s: %s\n", #call, err.text);         \
            exit(1);                                     \
        }                                                \
    } while (0)

static kedge_store *open_copy(unsigned i)
{
    kedge_store *s;
    char at[512];

    snprintf(at, sizeof at, "%s/%u", folder, i);
    WORKS(kedge_store_open(at, KEDGE_OPEN_WRITE, &s, &err));
    return s;
}

/* NULL as it should be: no crash, EINVAL with a text, nothing given out. */
static void check(const char *what, kedge_status st, int needed, int place)
{
    const int clear = place < 0 || area[place][0] != 0xaa;

    if ((needed && st != KEDGE_EINVAL) ||
        (st != KEDGE_OK) != (err.text[0] != '\0') ||
        (st != KEDGE_OK && !clear)) {
        printf("%s: status %d, \"%s\"%s\n", what, st, err.text,
               clear ? "" : ", out is as it was");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    kedge_model *model;
    kedge_infer *infer;
    kedge_documents *documents;
    kedge_saved *saved;
    kedge_typical *typical;
    kedge_words_answer *words_answer;
    kedge_wordlist *wordlist;
    uint64_t heard = 0;
    kedge_comm team = {.size = 1, .heard = &heard};
    kedge_source source = {.next = given_none};
    kedge_ingest_opts ingest;
    kedge_ingest_result read;
    kedge_infer_opts compose;
    kedge_remove_opts remove;
    kedge_control control;
    kedge_store *store;
    kedge_status st;

    setvbuf(stdout, NULL, _IONBF, 0);
    (void)argc;
    folder = argv[1];
    path = argv[2];
    list[0] = path;
    store = open_copy(0);
    kedge_control_init(&control);
    kedge_ingest_opts_init(&ingest);
    kedge_infer_opts_init(&compose);
    kedge_remove_opts_init(&remove);
    WORKS(kedge_model_load(store, NULL, NULL, &model, &err));
    WORKS(kedge_infer_open(open_copy(1), NULL, 0, NULL, NULL, &infer, &err));
    WORKS(kedge_documents_open(open_copy(2), NULL, 0, NULL, &documents, &err));
    WORKS(kedge_saved_open(open_copy(3), NULL, NULL, &saved, &err));
    WORKS(kedge_typical_find(store, NULL, 1, NULL, &typical, &err));
    WORKS(kedge_words_ask(store, &word, 1, NULL, NULL, &words_answer, &err));
    WORKS(kedge_wordlist_load(store, NULL, NULL, &wordlist, &err));
    kedge_member member = {.team = &team, .own = store, .sum = open_copy(4)};
    kedge_member half = member;

    half.team = NULL;
    check("a member without a team", kedge_comm_settle(&half, &err), 1, -1);
    half = member;
    half.sum = NULL;
    check("a fit without a store of sums",
          kedge_comm_fit(&half, numbers, 1, NULL, NULL, (void *)area[0], &err),
          1, -1);
    ingest.source = compose.source = &source;
    source.next = NULL;
    check("ingest of a source without next",
          kedge_ingest(store, NULL, 0, &ingest, NULL, &read, &err), 1, -1);
    check("infer of a source without next",
          kedge_infer_open(store, NULL, 0, &compose, NULL,
                           (kedge_infer **)(void *)area[0], &err), 1, -1);
    list[0] = NULL;
    check("a list with NULL in it",
          kedge_ingest(store, list, 1, NULL, NULL, &read, &err), 1, -1);
    check("another", kedge_merge(store, list, 1, KEDGE_DUPLICATE_ERROR, NULL,
                                 (void *)area[0], &err), 1, -1);
    list[0] = path;
'''


def functions(root):
    """Name, what it gives back, parameters as (type, name)."""
    for header in sorted(glob.glob(os.path.join(root, 'include/kedge/*.h'))):
        with open(header, encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', ' ', file.read(), flags=re.S)
        for found in re.finditer(r'^KEDGE_API\s+([^;]*?)\b(kedge_\w+)\s*'
                                 r'\(([^;]*?)\)\s*;', text, re.M):
            kind = found[1].replace('KEDGE_CHECKED', '').strip()
            parameters = []
            for one in ' '.join(found[3].split()).split(', '):
                if one != 'void':
                    array = '[' in one
                    one = re.sub(r'\[.*', '', one)
                    at = re.search(r'\w+$', one).start()
                    parameters.append((one[:at].strip() + ' *' * array,
                                       one[at:]))
            yield found[2], kind, parameters


def valid(kind, name, place):
    """A value for a parameter, in C; `place` is the memory that it may fill."""
    known = {'const char *': 'word' if name in ('word', 'phrase') else
             'name' if name in ('name', 'model') else 'path',
             'const char *const *': 'list', 'const uint64_t *': 'numbers',
             'kedge_error *': '&err', 'const kedge_wait *': 'NULL',
             'const kedge_control *': '&control',
             'void *': '(void *)area[15]',
             'kedge_sketch_write *': 'write_none',
             'kedge_verify_found *': 'found_none',
             'uint64_t': '0' if name in ('i', 'topic', 'row', 'number') else
             '1', 'size_t': '1', 'double': '0.5', 'bool': 'false'}
    if kind in known:
        return known[kind]
    handle = re.fullmatch(r'(?:const )?kedge_(\w+) \*', kind)
    if handle and handle[1] in HANDLES:
        return ('&' if handle[1] == 'member' else '') + handle[1]
    if kind.endswith('*') and (name in ('out', 'got', 'found', 'next', 'opts',
                                        'result', 'control')):
        return f'(void *)area[{place}]'
    if kind.endswith('*'):
        raise SystemExit(f'test_nulls.py does not know {kind} {name}')
    return f'({kind})0'  # an enum


def calls(root):
    count = 0
    for function, kind, parameters in functions(root):
        names = [name for _, name in parameters]
        pointers = [i for i, (of, _) in enumerate(parameters)
                    if of.endswith('*')]
        for null in pointers:
            values, place = [], -1
            for i, (of, name) in enumerate(parameters):
                if i == null:
                    values.append('NULL')
                    continue
                if of.startswith('const kedge_') and name == 'opts':
                    values.append('NULL')
                    continue
                values.append(valid(of, name, i))
                if name == ('got' if 'got' in names else 'out'):
                    place = i
            name = parameters[null][1]
            needed = not (name in ANYWHERE or
                          (function, name) in OPTIONAL)
            if function == 'kedge_free' or kind == 'void' and (
                    'free' in function or 'close' in function or
                    'withdraw' in function):
                needed = False
            text = f'{function}({", ".join(values)})'
            if not needed and name in ('opts', 'control') and \
                    kind == 'kedge_status':
                continue  # it is done in WORKS, and by the other tests
            yield '    memset(area, 0xaa, sizeof area);'
            yield f'    puts("{function} {name}");'
            if kind == 'kedge_status':
                yield '    strcpy(err.text, "left from before");'
                yield f'    st = {text};'
                if name == 'err':
                    yield '    (void)st;'
                else:
                    yield (f'    check("{function}, {name} NULL", st, '
                           f'{int(needed)}, {place});')
            else:
                yield f'    (void){text};'
            count += 1
    assert count > 200, count


def main(root, build):
    program = os.path.join(build, 'src/cli/kedge')
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, '0')
        lines = os.path.join(folder, 'texts.txt')
        with open(lines, 'w', encoding='utf-8') as file:
            for m in range(60):
                words = ('sail harbour anchor deck mast wave',
                         'oven flour butter dough bread yeast')[m % 2].split()
                file.write(' '.join(words[(m + i * i) % 6]
                                    for i in range(12)) + '\n')
        for command in (['ingest', place, lines, '--from', 'lines'],
                        ['fit', place, '-k', '2', '--max-df', '1'],
                        ['infer', place, '--save']):
            subprocess.run([program, *command, '-q'], check=True,
                           stdout=subprocess.DEVNULL)
        for i in range(1, 5):
            shutil.copytree(place, os.path.join(folder, str(i)))
        source = os.path.join(folder, 'nulls.c')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(HEAD + '\n'.join(calls(root)) + '\n    return 0;\n}\n')
        nulls = os.path.join(folder, 'nulls')
        subprocess.run(['cc', '-std=c11', '-Wall', '-Werror',
                        '-Wno-nonnull', '-I', os.path.join(root, 'include'),
                        source, '-o', nulls, '-L', os.path.join(build, 'src'),
                        '-lkedge'], check=True)
        result = subprocess.run(
            [nulls, folder, os.path.join(folder, 'some', 'path')],
            check=False, stdout=subprocess.PIPE, universal_newlines=True,
            env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(build, 'src')))
        print(result.stdout)
        assert result.returncode == 0, (
            f'exit {result.returncode} after {result.stdout.splitlines()[-1]}')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
