#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_streams.py PROGRAM: data goes to standard output, words to standard
error, and what cannot be written is told."""
import json
import os
import pty
import subprocess

from shell import PROGRAM, FittedCase, environment, main

FULL = '/dev/full'


def read_terminal(master):
    """What is written to it until its last writer has gone."""
    text = b''
    try:
        while True:
            text += os.read(master, 4096)
    except OSError:
        pass
    os.close(master)
    return text.decode()


class Streams(FittedCase):
    def run_to(self, stdout, *arguments, **options):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder,
                              env=environment(), stdout=stdout, check=False,
                              stderr=subprocess.PIPE, timeout=120, **options)

    def test_only_data(self):
        for arguments in (('topics', 'store'), ('info', 'store'),
                          ('--version',), ('--help',), ('fit', '--help')):
            result = self.kedge(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, b''))

    def test_full_disk(self):
        if not os.path.exists(FULL):
            self.skipTest(f'there is no {FULL}')
        for arguments in (('topics', 'store', '--format', 'json'),
                          ('info', 'store'), ('--help',), ('--version',)):
            with open(FULL, 'wb') as full:
                result = self.run_to(full, *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, b'kedge: standard output: '
                             b'No space left on device\n')

    def test_full_disk_within(self):
        """The same when the buffer was written long before the end."""
        with open(FULL, 'wb') as full:
            result = self.run_to(full, 'topics', 'store', '--format', 'json',
                                 '-n', '120')
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, b'^kedge: standard output: .*\n$')

    def test_no_reader(self):
        """As with head: nothing is said, and it is no failure."""
        reader, writer = os.pipe()
        os.close(reader)
        result = self.run_to(writer, 'topics', 'store', '--format', 'json',
                             '-n', '120')
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (0, b''))

    def test_closed(self):
        """Without a standard output no other file takes its place."""
        result = self.run_to(None, 'info', 'store',
                             preexec_fn=lambda: os.close(1))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, b'kedge: standard output: '
                         b'Bad file descriptor\n')

    def test_closed_but_not_needed(self):
        result = self.run_to(None, 'export', 'store', '-q', '-o', 'closed',
                             preexec_fn=lambda: os.close(1))
        self.assertEqual(result.stderr, b'')
        self.assertEqual(result.returncode, 0)


class Progress(FittedCase):
    def fit(self, *arguments):
        return self.kedge('fit', 'store', '-k', '3', '--model', 'p',
                          *arguments)

    def test_always(self):
        result = self.fit('--progress', 'bar')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        text = result.stderr.decode()
        self.assertIn('\r', text)
        for line in text.replace('\n', '\r').split('\r'):
            self.assertLessEqual(len(line), 80)

    def test_not_without_a_terminal(self):
        for option in ('--progress=auto', '--progress=none', '--quiet'):
            self.assertNotIn(b'\r', self.fit(option).stderr)

    def test_lines_for_programs(self):
        """Each stage begins with what is done of it, comes to its end, and is
        in the version that help tells of."""
        result = self.fit('--progress=json', '-q')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        last = {}
        for line in result.stderr.decode().splitlines():
            now = json.loads(line)
            self.assertEqual(list(now), [
                'kedge_progress', 'stage', 'done', 'total', 'unit',
                'documents', 'seconds', 'left'])
            self.assertEqual(now['kedge_progress'], 1)
            before = last.get(now['stage'], {'done': 0, 'seconds': 0})
            self.assertGreaterEqual(now['done'], before['done'])
            last[now['stage']] = now
        self.assertIn('spectrum', last)
        self.assertIn('topics', last)

    def test_a_silence_is_filled(self):
        """Who waits for a pipe hears that it is being waited."""
        process = self.start('ingest', 'waiting', '-', '--from', 'lines',
                             '--progress', 'json', '-q')
        self.addCleanup(process.communicate)
        lines = [json.loads(process.stderr.readline()) for _ in range(3)]
        self.assertLess(lines[0]['seconds'], lines[1]['seconds'])
        self.assertLess(lines[1]['seconds'], lines[2]['seconds'])
        self.assertEqual(len({line['done'] for line in lines}), 1)

    def test_on_a_terminal(self):
        """The line is drawn, and is erased before the summary comes."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, 'fit', 'store', '-k', '3', '--model', 'p'],
            cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        text = read_terminal(master)
        self.assertEqual(process.wait(), 0)
        self.assertRegex(text, r'\r +\r\r\nmodel p\r\n')


if __name__ == '__main__':
    main()
