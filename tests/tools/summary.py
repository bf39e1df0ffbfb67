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


def output(test):
    return (test.get('stdout') or '') + (test.get('stderr') or '')


def skipped_inside(test):
    """What a test that passed as a whole left out: (name, reason)."""
    found = re.findall(r'^ok \d+\W*(.*?)\s*# skip\S*\s*(.*)$', output(test),
                       re.IGNORECASE | re.MULTILINE)
    return [(f'{test["name"]}: {name}', why) for name, why in found]


def reason(test):
    """Why a test was skipped: what TAP says, else its last line."""
    text = output(test)
    said = re.search(r'# skip\S*\s+(.+)', text, re.IGNORECASE)
    if said:
        return said.group(1)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else 'no reason given'


def count(path, skipped):
    """Passed and failed cases of one log: those that a test tells in TAP, else
    the test itself. Appends (name, reason) to skipped."""
    passed = failed = 0
    for test in read_log(path):
        cases = re.findall(r'^(?:not )?ok \d+.*', output(test), re.MULTILINE)
        wrong = sum(case.startswith('not') for case in cases)
        if test['result'] in GOOD:
            left_out = skipped_inside(test)
            passed += max(len(cases) - len(left_out), 1)
            skipped.extend(left_out)
        elif test['result'] == 'SKIP':
            skipped.append((test['name'], reason(test)))
        else:
            passed += len(cases) - wrong
            failed += max(wrong, 1)
            print(f'FAILED: {test["name"]} ({path}): {test["result"]}')
    return passed, failed


def main(arguments):
    passed, failed = int(arguments[0]), int(arguments[1])
    skipped = []
    print()
    for path in arguments[2:]:
        good, bad = count(path, skipped)
        passed += good
        failed += bad
    for name, why in skipped:
        print(f'skipped: {name}: {why}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
