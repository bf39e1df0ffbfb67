#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""summary.py PASSED FAILED TESTLOG...

Adds the tests in Meson's testlog.json files to counts that are known already,
names what failed or was skipped and why, and ends with "N passed, N failed".
"""
import json
import os
import re
import sys

GOOD = ('OK', 'EXPECTEDFAIL')


def read_log(path):
    """The tests of one log; a log without tests is a failure of its own."""
    tests = []
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            tests = [json.loads(line) for line in file if line.strip()]
    return tests or [{'name': path, 'result': 'NO TESTS', 'stdout': ''}]


def reason(test):
    """Why a test was skipped: what TAP says, else its last line."""
    text = (test.get('stdout') or '') + (test.get('stderr') or '')
    said = re.search(r'# skip\S*\s+(.+)', text, re.IGNORECASE)
    if said:
        return said.group(1)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else 'no reason given'


def main(arguments):
    passed, failed = int(arguments[0]), int(arguments[1])
    skipped = []
    print()
    for path in arguments[2:]:
        for test in read_log(path):
            if test['result'] in GOOD:
                passed += 1
            elif test['result'] == 'SKIP':
                skipped.append(test)
            else:
                failed += 1
                print(f'FAILED: {test["name"]} ({path}): {test["result"]}')
    for test in skipped:
        print(f'skipped: {test["name"]}: {reason(test)}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
