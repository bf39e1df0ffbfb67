#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_quickstart.py ROOT BUILD: the example script works, and twice."""
import os
import subprocess
import sys
import tempfile

COMMANDS = ('$ kedge ingest ', '$ kedge fit ', '$ kedge topics ',
            '$ kedge report ')


def quickstart(root, build, folder):
    script = os.path.join(root, 'examples', 'quickstart.sh')
    result = subprocess.run(['sh', script, folder], check=False,
                            env=dict(os.environ, KEDGE_BUILD=build),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, universal_newlines=True)
    print(result.stdout)
    assert result.returncode == 0, result.returncode
    return result.stdout


def check(text):
    at = [text.find('\n' + command) for command in COMMANDS]
    assert -1 not in at and at == sorted(at), at
    topics = text[at[2]:]
    for word in ('boat', 'patient', 'orchestra'):
        assert word in topics, f'{word} is in no topic'


def main(root, build):
    with tempfile.TemporaryDirectory() as directory:
        folder = os.path.join(directory, 'a new folder')
        check(quickstart(root, build, folder))
        names = sorted(os.listdir(folder))
        assert names == ['harbour.html', 'harbour.kedge'], names
        check(quickstart(root, build, folder))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
