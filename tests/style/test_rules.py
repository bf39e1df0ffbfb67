#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_rules.py ROOT: every rule on the files of ROOT, as TAP.
test_rules.py --self: every rule on its bad sample and on a good tree, as TAP.
"""
import sys

import rules
import rules_c
import rules_folders
import rules_tree
import rules_words

# They register their rules.
assert rules_c and rules_folders and rules_tree and rules_words


def report(number, title, problems):
    print(f'{"not ok" if problems else "ok"} {number} - {title}')
    for problem in problems:
        print(f'#   {problem}')


def on_tree(rule, tree):
    return list(rule.find(tree))


def on_samples(rule):
    """What is wrong with the rule itself."""
    wrong = [f'accepts nothing: {x}' for x in rule.find(rules.GOOD)]
    if not list(rule.find(rule.bad)):
        wrong.append('finds nothing in its bad sample')
    return wrong


def main(arguments):
    print(f'1..{len(rules.RULES)}')
    tree = None if arguments == ['--self'] else rules.read_tree(arguments[0])
    failures = 0
    for number, rule in enumerate(rules.RULES, 1):
        problems = on_samples(rule) if tree is None else on_tree(rule, tree)
        report(number, rule.title, problems)
        failures += bool(problems)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
