#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_usage.py PROGRAM: help, version, and wrong command lines."""
import os
import re

from shell import Case, main

COMMANDS = (
    'ingest', 'fit', 'topics', 'infer', 'word', 'vocab', 'cat', 'info', 'eval',
    'sweep', 'diff', 'label', 'remove', 'drop', 'merge', 'sketch', 'export',
    'report', 'compact', 'verify', 'repair')
COMMON = {'--memory', '--threads', '--progress', '--quiet', '--help',
          '--help-all'}
OPTION = re.compile(r'(?m)^  (?:-\w, )?(--[\w-]+)')

# what is typed, and what is said about it
WRONG = (
    ('ingst S F', "there is no command 'ingst'; ingest perhaps?", ''),
    ('topic S', "there is no command 'topic'; topics perhaps?", ''),
    ('frobnicate', "there is no command 'frobnicate'", ''),
    ('--threads 2 ingest', "'--threads' stands before the command; write "
     'kedge COMMAND STORE [OPTION...]', ''),
    ('ingest', 'ingest needs STORE FILE...', 'ingest'),
    ('ingest S', 'ingest needs STORE FILE...', 'ingest'),
    ('fit', 'fit needs STORE -k K[,K...]', 'fit'),
    ('info A B', "info takes STORE: what is 'B'?", 'info'),
    ('fit S', 'fit needs the number of topics, as in -k 50', 'fit'),
    ('export S', 'export needs a directory, as in -o DIR', 'export'),
    ('export S -o D --also csv,graph', "--also: 'graph' is not one of "
     'graphml|csv|counts|pyldavis|mallet; graphml perhaps?', 'export'),
    ('train S', "there is no command 'train'; fit perhaps?", ''),
    ('Forget S', "there is no command 'Forget'; drop perhaps?", ''),
    ('fit S --num_topics 5', "fit has no option '--num_topics'; --topics "
     'perhaps?', 'fit'),
    ('fit S -k 5 --min_df 3', "fit has no option '--min_df'; --min-df perhaps?",
     'fit'),
    ('fit S -k 5 --solver admn', "--solver: 'admn' is not one of "
     'admm|active-set|expgrad; admm perhaps?', 'fit'),
    ('fit S -k 10,10', '-k: 10 is given twice', 'fit'),
    ('fit S -k -3', '-k: -3 is not within 2 to 2000', 'fit'),
    ('fit S -k 5 --power-iter -1',
     '--power-iter: -1 is not within 0 to 20', 'fit'),
    ('sweep S -k 5:9 --held-out 5%',
     "--held-out: '5%' is not a number; write 0.05", 'sweep'),
    ('fit S -k 0', '-k: 0 is not within 2 to 2000', 'fit'),
    ('fit S -k 5:1', "-k: '5:1' is a range, which kedge sweep takes: write "
     'a list, as 10,20,50', 'fit'),
    ('infer S --format none', '--format none prints nothing: it needs --save',
     'infer'),
    ('topics S --rank anchor --lambda 0.3',
     '--lambda belongs to --rank relevance, not to anchor', 'topics'),
    ('export S -o D --also csv,', "--also: '' is not one of "
     'graphml|csv|counts|pyldavis|mallet', 'export'),
    ('export S -o D --also graphml,csv,graphml',
     "--also: 'graphml' is named twice", 'export'),
    ('ingest S F --tf log,cube',
     "--tf: 'cube' is not one of raw|log|sqrt", 'ingest'),
    ('fit S -k 2 --tf log,raw',
     "--tf: 'log,raw' is not one of raw|log|sqrt", 'fit'),
    ('eval S --tf cube',
     "--tf: 'cube' is not one of model|raw|log|sqrt", 'eval'),
    ('eval --explain S', "eval --explain takes no STORE: what is 'S'?",
     'eval'),
    ('help formats more', "help takes COMMAND or TOPIC: what is 'more'?", ''),
    ('help fit --help x', "help takes COMMAND or TOPIC: what is 'x'?",
     ''),
    ('infer S --method mean --iterations 5',
     '--iterations belongs to --method linear-bayes, least-squares, padd, '
     'pami, not to mean', 'infer'),
    ('infer S --method tli --weighted',
     '--weighted belongs to --method least-squares, not to tli', 'infer'),
    ('infer S --rho 2',
     '--rho belongs to --method pami, not to linear-bayes', 'infer'),
    ('infer S --method lb --rho 2',
     '--rho belongs to --method pami, not to linear-bayes', 'infer'),
    ('report S -o -', 'the page goes to a file, not to standard output: name '
     'one, as in -o report.html', 'report'),
    ('sweep S', 'sweep needs numbers of topics, as in -k 5:100:5 or -k '
     '10,20,50', 'sweep'),
    ('ingest S F --vocabb V',
     "ingest has no option '--vocabb'; --vocab perhaps?", 'ingest'),
    ('fit S -k 5 --cooccurence=dense',
     "fit has no option '--cooccurence'; --cooccurrence perhaps?", 'fit'),
    ('topics S --xyzzy', "topics has no option '--xyzzy'", 'topics'),
    ('topics S -z', "topics has no option '-z'", 'topics'),
    ('info S --memory 2Q',
     "--memory: '2Q' is not a size; write 500M or 2G", 'info'),
    ('info S --memory=', "--memory: '' is not a size; write 500M or 2G",
     'info'),
    ('info S --memory 99999999999T',
     "--memory: '99999999999T' is not a size; write 500M or 2G", 'info'),
    ('info S --memory 0', "--memory: '0' is not a size; write 500M or 2G",
     'info'),
    ('info S --memory', '--memory: a value is missing: --memory SIZE',
     'info'),
    ('info S --threads 0', '--threads: 0 is not within 1 to 256', 'info'),
    ('info S --threads 1e1', "--threads: '1e1' is not a whole number",
     'info'),
    ('ingest S F --seed -1', '--seed: -1 is less than 1', 'ingest'),
    ('ingest S F --seed 18446744073709551616',
     "--seed: '18446744073709551616' is not a whole number", 'ingest'),
    ('ingest S F --sketch-size 15',
     '--sketch-size: 15 is not within 16 to 8192', 'ingest'),
    ('ingest S F --min-tokens 1', '--min-tokens: 1 is not within 2 to 1000',
     'ingest'),
    ('fit S -k 2 --min-tokens 1', '--min-tokens: 1 is not within 2 to 1000',
     'fit'),
    ('ingest S F --seed 0',
     '--seed: 0 is less than 1', 'ingest'),
    ('ingest S F --digits --no-digits',
     'words may hold digits, or may not: --digits or --no-digits, not both',
     'ingest'),
    ('infer S --dense --threshold 0.01',
     '--dense writes all topics: leave out --threshold', 'infer'),
    ('infer S --format npy -o F --threshold 0.1',
     '--threshold is for tsv and jsonl, not for npy', 'infer'),
    ('infer S --save --threshold 0.1',
     '--threshold is for tsv and jsonl, not for --save', 'infer'),
    ('ingest S F --from xml', "--from: 'xml' is not one of auto|uci|jsonl|"
     'lines|mallet|tsv|csv|svmlight|ldac|mtx|vw|files', 'ingest'),
    ('ingest S F --on-duplicate keep',
     "--on-duplicate: 'keep' is not one of error|skip|replace", 'ingest'),
    ('ingest S F --min-chars 0', '--min-chars: 0 is not within 1 to 255',
     'ingest'),
    ('ingest S F --skip-bad=yes', '--skip-bad: takes no value', 'ingest'),
    ('fit S -k', '-k: a value is missing: -k K[,K...]', 'fit'),
    ('fit S -k 5,,6', '-k: a number is missing before or after a comma', 'fit'),
    ('fit S -k5,x', "-k: 'x' is not a whole number", 'fit'),
    ('fit S -k 0', '-k: 0 is not within 2 to 2000', 'fit'),
    ('fit S -k 5,1', '-k: 1 is not within 2 to 2000', 'fit'),
    ('fit S -k 5 --rectify-tol nan',
     "--rectify-tol: 'nan' is not a number; write 1e-7 or 0.001", 'fit'),
    ('fit S -k 5 --rectify-tol 1e-7x',
     "--rectify-tol: '1e-7x' is not a number; write 1e-7 or 0.001", 'fit'),
    ('infer S --tau 0', '--tau: 0 is not above 0', 'infer'),
    ('infer S --tolerance -1', '--tolerance: -1 is not above 0', 'infer'),
    ('fit S -k 5 --max-df 0', '--max-df: 0 is not above 0', 'fit'),
    ('fit S -k 5 --power-iter 21', '--power-iter: 21 is not within 0 to 20',
     'fit'),
    ('fit S -k 5 --em-iter 51', '--em-iter: 51 is not within 0 to 50', 'fit'),
    ('fit S -k 5 --rectify maybe',
     "--rectify: 'maybe' is not one of enn|none|palm|ipalm|ap|dr", 'fit'),
    ('topics S --rank best',
     "--rank: 'best' is not one of relevance|probability|weighted|anchor|"
     'all', 'topics'),
    ('topics S --lambda 2', '--lambda: 2 is not within 0 to 1', 'topics'),
    ('eval S --completion -0.1', '--completion: -0.1 is not within 0 to 1',
     'eval'),
    ('sweep S -k 2:4 --completion 1.5', '--completion: 1.5 is not within 0 to 1',
     'sweep'),
    ('eval S --probes 65', '--probes: 65 is not a multiple of 64', 'eval'),
    ('infer S --tolerance 3', '--tolerance: 3 is not within 0 to 1', 'infer'),
    ('infer S --rho 2e9', '--rho: 2e9 is not within 0 to 1e+09', 'infer'),
    ('fit S -k 5 --rectify-tol -1', '--rectify-tol: -1 is less than 0', 'fit'),
    ('fit S -k 5 --phrase-score -2', '--phrase-score: -2 is not within -1 to '
     '1', 'fit'),
    ('fit S -k 5 --term-weight heavy',
     "--term-weight: 'heavy' is not one of none|idf|sqrt", 'fit'),
    ('topics S --format csv',
     "--format: 'csv' is not one of table|tsv|json; tsv perhaps?", 'topics'),
    ('vocab S --index 1,2', '--index: one index at a time, not 2', 'vocab'),
    ('vocab S --index x', "--index: 'x' is not a whole number", 'vocab'),
    ('vocab S --sort size',
     "--sort: 'size' is not one of tf-idf|tf|df|word", 'vocab'),
    ('cat', 'cat needs STORE [ID...]', 'cat'),
    ('info S --progress perhaps',
     "--progress: 'perhaps' is not one of auto|none|bar|json", 'info'),
)


class Usage(Case):
    def test_alone(self):
        result = self.kedge()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, b'')
        text = result.stderr.decode()
        for command in ('ingest', 'fit', 'topics'):
            self.assertIn(f'  kedge {command} STORE', text)

    def test_help(self):
        text = self.works('--help')
        self.assertEqual(re.findall(r'(?m)^  (\w+) ', text.split("'kedge")[0]),
                         list(COMMANDS))
        self.assertEqual(self.works('help'), text)
        for code in (0, 1, 2, 3, 4, 5, 130):
            self.assertRegex(self.works('help', 'exit-codes'),
                             rf'(?m)^ +{code}  \w')

    def test_help_is_a_screen(self):
        """Of 80 columns and 40 lines, with twelve options at most."""
        for command in COMMANDS:
            with self.subTest(command):
                text = self.works(command, '--help')
                self.assertLess(max(map(len, text.split('\n'))), 80)
                self.assertLessEqual(text.count('\n'), 40)
                self.assertLessEqual(len(OPTION.findall(text)), 12)
                self.assertIn(f'usage: kedge {command}', text)
                examples = text.split('\nExamples:\n')[1].split('\n\n')[0]
                for line in examples.split('\n'):
                    self.assertTrue(line.startswith('  kedge '), line)

    def test_help_all_has_a_line_for_each_option(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.works(command, '--help-all')
                self.assertLess(max(map(len, text.split('\n'))), 80)
                found = OPTION.findall(text)
                self.assertEqual(len(found), len(set(found)))
                self.assertLessEqual(
                    set(OPTION.findall(self.works(command, '--help'))),
                    set(found))
                self.assertLessEqual(COMMON, set(found))
                body = text.split('\n\n', 2)[2].split('\nExamples:\n')[0]
                for line in body.split('\n'):
                    self.assertRegex(line, r'^$|^\S.*:$|^  -')

    def test_options_that_are_shown_are_taken(self):
        for command in COMMANDS:
            for option in OPTION.findall(self.works(command, '--help-all')):
                told = self.kedge(command, option + '=\1').stderr.decode()
                self.assertNotIn('has no option', told)

    def test_help_wins(self):
        text = self.works('fit', '--help')
        self.assertEqual(self.works('fit', '-h', '--memory', '2Q'), text)
        self.assertEqual(self.works('fit', '--rectify-iter', '9', '--help'),
                         text)
        self.assertEqual(self.works('fit', '-qh'), text)
        self.assertEqual(self.works('help', 'fit'), text)

    def test_defaults_are_told(self):
        self.assertIn('[2G]', self.works('info', '--help-all'))
        fit = self.works('fit', '--help-all')
        for text in ('[enn 5; ap, dr 15; palm, ipalm 100]', '[0.002]',
                     'none|idf|sqrt [idf]', 'raw|log|sqrt [as STORE'):
            self.assertIn(text, fit)

    def test_version(self):
        lines = self.works('--version').split('\n')
        self.assertRegex(lines[0], r'^kedge \d+\.\d+\.\d+$')
        for library in ('lmdb', 'zstd', 'zlib', 'openblas'):
            self.assertRegex(lines[1].lower(), rf'{library}\S* \S*\d+\.\d+')

    def test_kernels(self):
        """None of twenty years ago on a processor that has more, unless they
        are asked for."""
        with open('/proc/cpuinfo', encoding='ascii', errors='replace') as f:
            can = set(f.read().split())
        if not {'avx2', 'fma'} <= can:
            self.skipTest('an old processor')
        saved = os.environ.pop('OPENBLAS_CORETYPE', None)
        try:
            self.assertNotIn('(Prescott)', self.works('--version'))
            os.environ['OPENBLAS_CORETYPE'] = 'Prescott'
            self.assertIn('(Prescott)', self.works('--version'))
        finally:
            del os.environ['OPENBLAS_CORETYPE']
            if saved is not None:
                os.environ['OPENBLAS_CORETYPE'] = saved

    def test_wrong(self):
        for typed, said, command in WRONG:
            with self.subTest(typed):
                about = f'{command} ' if command else ''
                self.fails(2, f"kedge: {said}\nTry 'kedge {about}--help'.\n",
                           *typed.split())

    def test_empty_name(self):
        self.fails(2, 'kedge: an empty name is no name\n'
                   "Try 'kedge info --help'.\n", 'info', '')

    def test_nothing_was_made(self):
        self.kedge('ingest', 'S', 'F', '--sketch-size', '15')
        self.assertRaises(FileNotFoundError, self.read, 'S')

    def test_terminal_is_not_commanded(self):
        result = self.kedge('\x1b[2Jfit')
        self.assertEqual(result.returncode, 2)
        self.assertNotIn(b'\x1b', result.stderr)

    def test_after_two_dashes_all_are_operands(self):
        self.fails(2, "kedge: info takes STORE: what is '--quiet'?\n"
                   "Try 'kedge info --help'.\n",
                   'info', '--', '-k', '--quiet')


if __name__ == '__main__':
    main()
