# SPDX-License-Identifier: MIT
"""Just enough of C to measure it: comments, strings, directives, functions."""
import re
from collections import namedtuple

Function = namedtuple('Function', 'name line lines parameters')

TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
NESTED = r'\((?:[^()]|\([^()]*\))*\)'
SIGNATURE = re.compile(rf'(\w+)\s*\(((?:[^()]|{NESTED})*)\)\s*$')


def only_lines(text):
    return '\n' * text.count('\n')


def blank(match):
    """A comment gives way to a space, a literal to an empty one."""
    text = match.group(0)
    if text[0] in '"\'':
        return text[0] * 2
    return ' ' + only_lines(text)


def without_comments(text):
    """The code; literals are emptied, and every line keeps its number."""
    return TOKEN.sub(blank, text)


def without_directives(code):
    return DIRECTIVE.sub(lambda m: only_lines(m.group(0)), code)


def count_parameters(text):
    if text.strip() in ('', 'void'):
        return 0
    depth = commas = 0
    for c in text:
        depth += (c == '(') - (c == ')')
        commas += c == ',' and depth == 0
    return commas + 1


def closing(code, start):
    """The index of the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(code)):
        depth += (code[i] == '{') - (code[i] == '}')
        if depth == 0:
            return i
    return len(code) - 1


def describe(code, start, head, end):
    """The function whose signature is code[start:head], its body to `end`."""
    signature = SIGNATURE.search(code[start:head])
    if not signature:
        return None
    first = start + len(code[start:head]) - len(code[start:head].lstrip())
    line = code.count('\n', 0, first) + 1
    lines = code.count('\n', first, end) + 1
    return Function(signature.group(1), line, lines,
                    count_parameters(signature.group(2)))


def functions(text):
    """Every function defined in a C file."""
    code = without_directives(without_comments(text))
    code = re.sub(r'extern\s*""\s*\{', lambda m: ' ' * len(m.group(0)), code)
    found, start, i = [], 0, 0
    while i < len(code):
        if code[i] in ';}':
            start = i + 1
        elif code[i] == '{':
            end = closing(code, i)
            function = describe(code, start, i, end)
            if function:
                found.append(function)
            i = end
            if function:
                start = end + 1
        i += 1
    return found


def includes(text):
    """(line, name, quoted) of every #include."""
    pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')
    for number, line in enumerate(text.split('\n'), 1):
        match = pattern.match(line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def comment_lines(text):
    """The numbers of the lines that hold a part of a comment."""
    held = set()
    for match in TOKEN.finditer(text):
        if match.group(0)[0] == '/':
            first = text.count('\n', 0, match.start()) + 1
            last = first + match.group(0).count('\n')
            held.update(range(first, last + 1))
    return held
