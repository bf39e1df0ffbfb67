#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stopwords.py OUT.c LISTS.txt: the lists of stop words as strings of C."""
import sys


def lists(path):
    """(name, codes, words) of each language, as the file's head describes."""
    with open(path, encoding='utf-8') as file:
        for part in file.read().split('\n[')[1:]:
            heading, words = part.split(']')
            name, *codes = heading.split()
            yield name, codes, words.split()


def main(out, path):
    with open(out, 'w', encoding='utf-8') as file:
        file.write('#include "io/text/stopset.h"\n\n'
                   'const stopword_list stopword_lists[] = {\n')
        for name, codes, words in lists(path):
            text = ''.join(f'        "{word}\\n"\n' for word in words)
            file.write(f'    {{"{name}", " {" ".join(codes)} ",\n{text}    }},\n')
        file.write('    {0},\n};\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
