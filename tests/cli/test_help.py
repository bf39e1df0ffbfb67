#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_help.py PROGRAM [MESON]: help on topics, manual pages, and completion
in the shells that are here. MESON is the file that lists the pages."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

MESON = sys.argv.pop(2) if len(sys.argv) > 2 else None

from shell import PROGRAM, Case, FittedCase, environment, main  # noqa: E402


def built_path(name):
    """What the build made beside the program."""
    return os.path.join(os.path.dirname(os.path.abspath(PROGRAM)), name)


def built(name):
    with open(built_path(name), encoding='utf-8') as file:
        return file.read()


HEADING = "\n'kedge help TOPIC':\n"  # of 'kedge --help'


def listed(text):
    return re.findall(r'(?m)^  (\S+) ', text)


EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..',
                        'examples')
OURS = {'option', 'kedge', 'the printed way', 'where in kedge', 'lr-jsmf'}


def cells_of_ours(page):
    """Of the tables of a page: the section, and each cell that speaks of kedge
    and not of other tools."""
    with open(os.path.join(EXAMPLES, page), encoding='utf-8') as file:
        lines = file.read().split('\n')
    section, head = '', None
    for line in lines:
        if line.startswith('## '):
            section = line[3:]
        cells = [x.strip() for x in re.split(r'(?<!\\)\|', line)[1:-1]]
        if not cells:
            head = None
        elif head is None:
            head = [x.strip('`') for x in cells]
        else:
            yield from ((section, cell) for name, cell in zip(head, cells)
                        if name in OURS)


class Pages(Case):
    """What the pages for users name is there."""

    def test_options(self):
        commands = listed(self.works('--help').split(HEADING)[0])
        known = set(re.findall(r'--[a-z][a-z-]*', ''.join(
            self.works(command, '--help-all') for command in commands)))
        for page, least in (('papers.md', 20), ('glossary.md', 25)):
            named = {option for _, cell in cells_of_ours(page)
                     for option in re.findall(r'--[a-z][a-z-]*', cell)}
            self.assertGreaterEqual(len(named), least)
            self.assertEqual(named - known, set(), page)

    def test_measures(self):
        """Each measure of the glossary is one, and none is left out but
        variants and those that say how A came out."""
        told = self.works('help', 'measures')
        known = set(re.findall(r'(?m)^  ([a-z_0-9]+)(?: \(|$)', told))
        known |= {'held_out_log_likelihood', 'held_out_perplexity',
                  'eigengap', 'anchor_gap'}   # of sweep
        named = {name for section, cell in cells_of_ours('glossary.md')
                 if section == 'Measures'
                 for name in re.findall(r'`([a-z_0-9]+)`', cell)} - {'sweep'}
        self.assertEqual(named - known, set())
        self.assertLess(len(known - named), 14, known - named)

    def test_files(self):
        told = self.works('help', 'files')
        named = {name for _, cell in cells_of_ours('glossary.md')
                 for name in re.findall(r'\w+\.(?:npy|txt|json)\b', cell)}
        self.assertGreaterEqual(len(named), 8)
        for name in named - {'rectified.npy'}:  # of --spectrum
            self.assertIn(name, told)


class Help(Case):
    def setUp(self):
        super().setUp()
        text = self.works('--help')
        self.commands, self.topics = map(listed, text.split(HEADING))

    def test_topics(self):
        self.assertIn('formats', self.topics)
        for topic in self.topics:
            text = self.works('help', topic)
            self.assertGreater(len(text), 300)
            self.assertLess(max(map(len, text.split('\n'))), 81)
            self.assertFalse(text.startswith('\n'))

    def test_one_source(self):
        self.assertEqual(self.works('help', 'measures'),
                         self.works('eval', '--explain'))
        for option in ('--from', '--skip-bad', '--text-field', '--vocab'):
            self.assertIn(option, self.works('help', 'formats'))
            self.assertIn(option, self.works('ingest', '--help-all'))

    def test_formats_are_all_there(self):
        known = re.search(
            r'not one of auto\|(\S+)', self.kedge(
                'ingest', 'store', 'x', '--from', 'x').stderr.decode()).group(1)
        text = self.works('help', 'formats')
        for name in known.split('|'):
            self.assertRegex(text, rf'(?m)^  (\w+, )?{name}\b')

    def test_unknown_topics(self):
        self.fails(2, "kedge: there is no help on 'format'; formats perhaps?\n"
                   "Try 'kedge --help'.\n", 'help', 'format')
        self.fails(2, "kedge: there is no help on 'xyzzy'\n"
                   "Try 'kedge --help'.\n", 'help', 'xyzzy')

    def test_lines_fit_the_terminal(self):
        """But for the names of options and what is set in lines of its own:
        how a command is written, and its examples."""
        for command in 'ingest', 'fit', 'topics', 'sketch', 'verify':
            usual = self.works(command, '--help-all')
            for width in 44, 60, 79, 200:
                text = self.works(command, '--help-all', columns=width)
                own = text.partition('\nExamples:\n')[0].split('\n')[1:]
                for told in own:
                    if not told.startswith('  -') and told[-1:] != ':':
                        self.assertLessEqual(len(told), width)
                self.assertEqual(text.split(), usual.split())
                if width >= 79:
                    self.assertEqual(text, usual)

    def pages(self):
        yield 'kedge.1'
        for name in self.commands:
            yield f'kedge-{name}.1'
        for name in self.topics:
            yield f'kedge-{name}.7'

    def test_manual_pages(self):
        tools = [tool for tool in (
            ['mandoc', '-Tlint', '-Wwarning'],
            ['man', '--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z'])
            if shutil.which(tool[0])]
        for name in self.pages():
            text = built(name)
            self.assertTrue(text.startswith('.TH KEDGE'))
            self.assertRegex(text, r'\.SH NAME\nkedge.* \\- \w')
            for tool in tools:
                told = subprocess.run(tool + [built_path(name)],
                                      capture_output=True, check=False,
                                      env=environment(MANWIDTH='80'))
                words = (told.stdout if tool[0] == 'mandoc'
                         else told.stderr).decode()
                words = [w for w in words.splitlines()
                         if 'missing date' not in w]
                self.assertEqual(words, [], name)

    def test_pages_have_every_option(self):
        for command in self.commands:
            page = built(f'kedge-{command}.1')
            text = self.works(command, '--help-all')
            wanted = re.findall(r'(?m)^  (?:-\w, )?--([\w-]+)', text)
            got = re.findall(r'(?m)^(?:\\fB\\-\w\\fR, )?\\fB\\-\\-(\S+?)\\fR',
                             page)
            self.assertEqual([g.replace('\\-', '-') for g in got], wanted)

    def test_pages_do_not_tell_of_the_machine(self):
        page = built('kedge-fit.1')
        self.assertIn("default: all cores", page)

    def test_the_build_makes_all_pages(self):
        if MESON is None:
            self.skipTest('without the list of pages')
        with open(MESON, encoding='utf-8') as file:
            text = file.read()
        for key, wanted in (('commands', self.commands),
                            ('topics', self.topics)):
            names = re.search(rf'(?m)^{key} = \[(.*?)\]', text, re.S).group(1)
            self.assertEqual(re.findall(r"'([\w-]+)'", names), wanted)


class Terminal:
    """A shell on a terminal, which is typed to."""

    def __init__(self, arguments, folder, **changes):
        pid, self.end = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments,
                       environment(TERM='dumb', **changes))
        self.pid = pid

    def type(self, text):
        os.write(self.end, text.encode())

    def wait(self, wanted, seconds=20):
        """What came until `wanted` did; all of it when it did not."""
        text, last = '', time.monotonic() + seconds
        while wanted not in text and time.monotonic() < last:
            if select.select([self.end], [], [], 0.2)[0]:
                try:
                    text += os.read(self.end, 4096).decode(errors='replace')
                except OSError:
                    break
        return text

    def close(self):
        os.close(self.end)
        os.waitpid(self.pid, 0)


# what is typed, some of what is offered, and what is not
OFFERS = (
    (['swe'], {'sweep'}, {'fit'}),
    ([''], {'ingest', 'word', 'help'}, set()),
    (['sketch', ''], {'export', 'import'}, {'store'}),
    (['help', 'f'], {'fit', 'formats', 'files'}, {'sweep'}),
    (['fit', 'store', '--rec'], {'--recover', '--rectify'}, {'--topics'}),
    (['fit', 'store', '--rectify', ''], {'enn', 'palm', 'dr'}, {'store'}),
    (['topics', 'store', '--model', ''], {'k2', 'k3'}, {'store'}),
    (['diff', 'store', 'k'], {'k2', 'k3'}, {'store'}),
    (['eval', 'store', '--model', 'k3,'], {'k3,k2'}, {'k3,k3', 'k2'}),
    (['export', 'store', '-o', 'x', '--also', 'g'], {'graphml'}, {'csv'}),
    (['export', 'store', '-o', 'x', '--also', 'csv,graphml,'],
     {'csv,graphml,counts', 'csv,graphml,mallet'},
     {'csv,graphml,csv', 'counts'}),
    (['ingest', 'store', '--tf', 'log,s'], {'log,sqrt'}, {'log,log'}),
    (['ingest', 'store', 'docw'], {'docword.txt', 'docword.txt.gz'},
     {'vocab.txt'}),
    (['ingest', 'store', '--vocab', 'voc'], {'vocab.txt'}, {'docword.txt'}),
)


class Completion(FittedCase):
    def script(self, name):
        return built_path('_kedge' if name == 'zsh' else 'kedge.' + name)

    def path_with_program(self):
        return os.path.dirname(PROGRAM) + ':' + os.environ['PATH']

    def run_shell(self, arguments):
        told = subprocess.run(arguments, capture_output=True, cwd=self.folder,
                              check=False, timeout=60, env=environment(
                                  PATH=self.path_with_program(),
                                  HOME=self.folder))
        self.assertEqual(told.returncode, 0, told.stderr.decode())
        return told.stdout.decode()

    def check(self, offered, words, wanted, unwanted):
        self.assertEqual(wanted - offered, set(), words)
        self.assertEqual(unwanted & offered, set(), words)

    def bash(self, words):
        script = self.script('bash')
        line = ' '.join(f"'{w}'" for w in ['kedge'] + words)
        return set(self.run_shell(
            ['bash', '--norc', '-c',
             f'. {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; '
             '_kedge 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"']
        ).splitlines())

    def test_bash(self):
        for words, wanted, unwanted in OFFERS:
            self.check(self.bash(words), words, wanted, unwanted)
        self.check(self.bash(['fit', 'store', '--rectify', '=', 'p']), '=',
                   {'palm'}, {'enn', '='})
        self.assertEqual(self.bash(['fit', 'store', '--power-iter', '']), {''})
        self.assertEqual(self.bash(['nonsense', '']), {''})

    def test_names_of_models_are_text(self):
        evil = '$(touch evil)'
        self.works('fit', 'store', '-k', '2', '-q', '--model', evil)
        self.works('fit', 'store', '-k', '2', '-q', '--model', 'two words')
        self.assertEqual(self.bash(['topics', 'store', '--model', 't']),
                         {'two\\ words'})
        self.assertEqual(self.bash(['topics', 'store', '--model', '$']),
                         {'\\$\\(touch\\ evil\\)'})
        self.assertFalse(os.path.exists(self.path('evil')))

    def test_bash_is_well_formed(self):
        if shutil.which('shellcheck') is None:
            self.skipTest('without shellcheck')
        self.run_shell(['shellcheck', '-s', 'bash', self.script('bash')])

    def typed(self, shell, first, *pairs):
        """Each is typed on an empty line, and its answer waited for."""
        terminal = Terminal(shell, self.folder, HOME=self.folder,
                            PATH=self.path_with_program())
        self.addCleanup(terminal.close)
        terminal.type(first + "; echo rea''dy\n")
        self.assertIn('ready', terminal.wait('ready\r'))
        for text, wanted in pairs:
            terminal.type(text)
            self.assertIn(wanted, terminal.wait(wanted))
            terminal.type('\x15')

    def test_bash_typed(self):
        first = f'PS1=; . {self.script("bash")}'
        self.typed(['bash', '--norc', '-i'], first,
                   ('kedge swe\t', 'eep'))

    def test_fish(self):
        if shutil.which('fish') is None:
            self.skipTest('without fish')
        script = self.script('fish')
        for words, wanted, unwanted in OFFERS:
            line = ' '.join(['kedge'] + words)
            told = self.run_shell(['fish', '--no-config', '-c',
                                   f'source {script}; complete -C "{line}"'])
            self.check({t.split('\t')[0] for t in told.splitlines()}, words,
                       wanted, unwanted)

    def test_zsh(self):
        if shutil.which('zsh') is None:
            self.skipTest('without zsh')
        folder = self.path('functions')
        os.makedirs(folder, exist_ok=True)
        shutil.copy(self.script('zsh'), os.path.join(folder, '_kedge'))
        first = (f'PS1=; fpath=({folder} $fpath); autoload -U compinit; '
                 'compinit -u -D; setopt no_beep')
        self.typed(['zsh', '-f', '-i'], first,
                   ('kedge swe\t', 'sweep '),
                   ('kedge fit store --rectif\t', 'rectify'),
                   ('kedge fit store --rectify=pal\t', 'palm'),
                   ('kedge fit store --stopwords engl\t', 'english'),
                   ('kedge export store --also cs\t', 'csv'),
                   ('kedge export store --also csv,coun\t', 'csv,counts'),
                   ('kedge eval store --model k3,k\t', 'k3,k2'),
                   ('kedge sketch exp\t', 'export'),
                   ('kedge help repro\t', 'reproducibility'),
                   ('kedge topics store --model k\t\t', 'k3'),
                   ('kedge ingest store --vocab voc\t', 'vocab.txt'),
                   ('kedge ingest store docword.txt.z\t', 'docword.txt.zst'))


if __name__ == '__main__':
    main()
