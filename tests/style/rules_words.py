# SPDX-License-Identifier: MIT
"""Rules about the words that users see: one name for each thing, plain ones."""
import re

import ctext
from rules import rule, under

# What was called otherwise before there was a glossary, and words that make a
# sentence hard to read.
OLD = re.compile(
    r'\b(foretell\w*|foretold|anew|likewise|telling words|compositions?|'
    r'statistics?|views?|polish(ed|ing)?|refin(e|ed|ing)|forgotten|rebuil[dt]|'
    r'shares of topics|correlations file|w(?:as|ere) expected|beside|'
    r'words\' weights|passed over|(?:comes?|came) twice|turned round|'
    r'there is no way|what is of|is of)\b', re.I)
LITERALS = re.compile(r'(?:"(?:\\.|[^"\\\n])*"\s*)+')
QUOTED = re.compile(r"'[^'\n]*'")  # of the page's JavaScript
PIECE = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def sentences(text):
    """Literals of C that have more than one word, with their line."""
    code = ctext.TOKEN.sub(
        lambda m: m.group(0) if m.group(0)[0] in '"\''
        else ' ' + ctext.only_lines(m.group(0)), text)
    for match in LITERALS.finditer(code):
        said = ''.join(PIECE.findall(match.group(0)))
        if ' ' in said:
            yield code.count('\n', 0, match.start()) + 1, said


# Titles of papers, and names of files, are what they are.
TITLES = re.compile(r'^```bibtex\n.*?^```$|\]\([^)]*\)|`[^`\n]*\.py`|'
                    r'\*[^*\n]+\*(?=, [A-Z]+ \d{4})', re.M | re.S)
PAGES = ('README.md', 'examples/manual.md', 'examples/papers.md',
         'examples/glossary.md')


@rule('users read the words of the glossary',
      {'src/cli/main.c': 'const char *s = "polish the views anew";\n'})
def words_of_users(tree):
    for path, text in under(tree, 'src/export/page/', '.js'):
        for number, line in enumerate(text.split('\n'), 1):
            for said in QUOTED.findall(line.partition('//')[0]):
                for match in OLD.finditer(said if ' ' in said else ''):
                    yield f'{path}:{number}: {match.group(0)} in {said[:50]}'
    for path, text in under(tree, '', '.c', '.h', '.md'):
        if path.startswith(('src/', 'include/')) and not path.endswith('.md'):
            for line, said in sentences(text):
                for match in OLD.finditer(said):
                    yield f'{path}:{line}: {match.group(0)} in "{said[:50]}"'
        elif path in PAGES:
            own = text.partition('## References\n')[0]  # titles of papers
            own = TITLES.sub(lambda m: ctext.only_lines(m.group(0)), own)
            for number, line in enumerate(own.split('\n'), 1):
                for match in OLD.finditer(line):
                    yield f'{path}:{number}: {match.group(0)}'
