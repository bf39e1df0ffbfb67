#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py OUT.c PAGE.html STYLE.css SCRIPT.js...: the page as arrays of C.

The style and the scripts, in the order given, take the places in the page that
are marked for them; where the data is marked, the page is cut in two.
"""
import sys

STYLE, DATA, SCRIPT = '<!-- style -->', '<!-- data -->', '<!-- script -->'


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def put(page, mark, text):
    assert page.count(mark) == 1, mark
    assert '</s' not in text, 'the text would end its element'
    return page.replace(mark, text)


def array(name, data):
    rows = [', '.join(str(byte) for byte in data[i:i + 16])
            for i in range(0, len(data), 16)]
    return (f'const unsigned char {name}[] = {{\n' + ',\n'.join(rows)
            + f'}};\nconst size_t {name}_size = sizeof {name};\n')


def main(out, page, style, *scripts):
    text = put(read(page), STYLE, read(style))
    text = put(text, SCRIPT, ''.join(read(script) for script in scripts))
    head, tail = (part.encode() for part in text.split(DATA))
    with open(out, 'w', encoding='utf-8') as file:
        file.write('#include "export/page.h"\n' + array('page_head', head)
                   + array('page_tail', tail))


if __name__ == '__main__':
    main(*sys.argv[1:])
