#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_callers.py CALLERS ROOT: that program, which does everything that takes
callbacks and looks on which thread they come."""
import glob
import os
import re
import subprocess
import sys
import tempfile


def with_control(root):
    """The functions that take a kedge_control."""
    names = set()
    for path in glob.glob(os.path.join(root, 'include/kedge/*.h')):
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
        names |= {m[1] for m in re.finditer(
            r'^kedge_\w+\s+\*?|(kedge_\w+)\(([^;()]*)\);', text, re.M)
            if m[2] and 'const kedge_control *' in m[2]}
    return names


def main(callers, root):
    names = with_control(root)
    assert len(names) > 20, names
    with open(os.path.join(root, 'tests/flow/callers.c'),
              encoding='utf-8') as file:
        text = file.read()
    missing = [name for name in names if f'DO({name}(' not in text]
    assert not missing, f'callers.c does not call {missing}'
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([callers, folder], check=False,
                                stdout=subprocess.PIPE,
                                universal_newlines=True)
    print(result.stdout)
    assert result.stdout == ('progress yes, log yes, stop yes, own yes, '
                             'elsewhere 0\n'), result.stdout
    assert result.returncode == 0


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
