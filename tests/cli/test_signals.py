#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_signals.py PROGRAM: interrupted ingests, and two at a time."""
import json
import os
import signal
import threading
import time

from shell import Case, Corpus, main

STOPPED = ('kedge: stopped; committed work stays, the same command '
           'continues from there')
INGEST = ('ingest', 'store', '-', '--from', 'uci', '--vocab', 'vocab.txt')


def write_all(pipe, data):
    """To a process that may end before it has read all."""
    try:
        pipe.write(data)
        pipe.flush()
    except BrokenPipeError:
        pass


class Slow(Case):
    """An ingest from a pipe that gives some and then nothing for long."""

    def setUp(self):
        super().setUp()
        self.corpus = Corpus().put(self)
        self.process = None

    def tearDown(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def begin(self):
        self.process = self.start(*INGEST, '--quiet')
        write_all(self.process.stdin, self.corpus.text[:20000])
        lock = time.monotonic() + 60
        while not os.path.exists(self.path('store')):
            self.assertLess(time.monotonic(), lock)
            time.sleep(0.01)
        time.sleep(0.5)
        self.assertIsNone(self.process.poll())

    def end(self):
        """Standard error and the exit code; the pipe stays open till then."""
        killer = threading.Timer(30, self.process.kill)
        killer.start()
        code = self.process.wait()
        killer.cancel()
        said = self.process.stderr.read().decode()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        return said, code

    def goes_on(self):
        """The same command, with the whole corpus."""
        self.works(*INGEST, input=self.corpus.text)
        info = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual((info['documents'], info['tokens']),
                         (self.corpus.documents, self.corpus.tokens))
        self.works('ingest', 'other', 'docword.txt', '--vocab', 'vocab.txt')
        other = self.works_json('info', 'other', '--format', 'json')
        self.assertEqual(info['digest'], other['digest'])

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                self.begin()
                self.process.send_signal(number)
                self.assertEqual(self.end(), (STOPPED + '\n', 130))
        self.goes_on()

    def test_input_breaks_off_with_the_signal(self):
        """As when Ctrl-C ends a whole pipeline."""
        self.begin()
        self.process.send_signal(signal.SIGINT)
        self.process.stdin.close()
        self.assertEqual(self.end(), (STOPPED + '\n', 130))
        self.goes_on()

    def test_reading_has_nothing_to_commit(self):
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('fit', 'store', '-k', '3', '--max-df', '1')
        self.process = self.start('infer', 'store', '-', '--from', 'lines',
                                  '--quiet')
        write_all(self.process.stdin, b'a b\n')
        self.process.stdout.readline()
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.end(), ('kedge: stopped\n', 130))

    def test_killed(self):
        self.begin()
        self.process.kill()
        self.assertEqual(self.end(), ('', -signal.SIGKILL))
        self.goes_on()

    def test_commits_by_the_clock(self):
        """What a pipe gave is safe soon, though nothing follows it."""
        for threads in ('1', '2'):
            with self.subTest(threads=threads):
                self.process = self.start(
                    'ingest', 'store' + threads, *INGEST[2:], '--quiet',
                    '--threads', threads)
                write_all(self.process.stdin, self.corpus.text[:20000])
                held = self.wait_for_documents('store' + threads)
                self.process.kill()
                self.end()
                # all but the last one, which might have gone on
                whole = self.corpus.text[:20000].split(b'\n')[3:-1]
                last = int(whole[-1].split()[0])
                self.assertEqual(held, last - 1)
        self.goes_on()

    def wait_for_documents(self, store):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            result = self.kedge('info', store, '--format', 'json')
            if result.returncode == 0:
                held = json.loads(result.stdout)['documents']
                if held > 0:
                    return held
            time.sleep(0.1)
        return 0

    def test_one_writer(self):
        self.begin()
        for arguments in (('ingest', 'store', 'docword.txt', '--vocab',
                           'vocab.txt'), ('fit', 'store', '-k', '3')):
            self.fails(1, self.busy(), *arguments)
        self.works('info', 'store')  # readers go on
        write_all(self.process.stdin, self.corpus.text[20000:])
        self.process.stdin.close()
        self.assertEqual(self.end(), ('', 0))

    def busy(self):
        return ('kedge: another process is writing to store (process '
                f'{self.process.pid}); wait for it to end, or use --wait\n')

    def test_a_second_writer_waits(self):
        self.begin()
        waiting = ('kedge: waiting for process '
                   f'{self.process.pid}, which writes to store\n')
        self.fails(1, waiting + self.busy(), 'compact', 'store',
                   '--wait=0.2')
        self.fails(1, self.busy(), 'compact', 'store', '--wait=0')
        self.fails(2, "kedge: --wait: -1 is less than 0\n"
                   "Try 'kedge compact --help'.\n", 'compact', 'store',
                   '--wait=-1')
        second = self.start('compact', 'store', '--wait', '--quiet')
        time.sleep(0.3)
        self.assertIsNone(second.poll())
        write_all(self.process.stdin, self.corpus.text[20000:])
        self.process.stdin.close()
        self.assertEqual(self.end(), ('', 0))
        self.assertEqual(second.communicate(timeout=60), (b'', b''))
        self.assertEqual(second.returncode, 0)


if __name__ == '__main__':
    main()
