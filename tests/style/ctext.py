# SPDX-License-Identifier: MIT
"""Just enough of C to search it: comments, strings, includes."""
import re

TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

LIBC = set('''assert complex ctype errno fenv float inttypes iso646 limits
locale math setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio
stdlib stdnoreturn string tgmath threads time uchar wchar wctype dirent fcntl
fts getopt glob langinfo libgen poll pthread strings termios unistd'''.split())


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


def includes(text):
    """(line, name, quoted) of every #include."""
    pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')
    for number, line in enumerate(text.split('\n'), 1):
        match = pattern.match(line)
        if match:
            yield number, match.group(2), match.group(1) == '"'
