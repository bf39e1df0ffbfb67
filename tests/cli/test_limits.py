#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_limits.py PROGRAM: what the system refuses is told. No command hangs,
none is killed, whatever the limit of address space, and where there are no
threads to be had.

KEDGE_LIMITS_STEP=25000: all limits from 50,000 to 2,000,000 kB in such steps
(about an hour for 25,000)."""
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

from everycommand import COMMANDS, arguments, make_store
from shell import PROGRAM, Case, environment, main

STEP = int(os.environ.get('KEDGE_LIMITS_STEP', '0'))
LIMITS = range(50000, 2000001, STEP) if STEP else (70000, 210000, 400000)
SECONDS = 30


class Limits(Case):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        make_store(maker)

    def setUp(self):
        self.folder = self.shared.name

    def limited(self, command, limits):
        """Its exit code and what it says."""
        def limit():
            for what, most in limits.items():
                resource.setrlimit(what, (most, most))

        child = subprocess.Popen(
            [PROGRAM, *command], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=environment(), preexec_fn=limit)
        try:
            _, err = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.communicate()
            self.fail(f'{command} with {limits}: no end')
        return child.returncode, err.decode()

    def check(self, name, kb):
        code, err = self.limited(
            [*arguments(self, name), '--threads', '2'],
            {resource.RLIMIT_AS: kb << 10})
        if code == 127:  # the dynamic linker's
            self.assertIn('error while loading shared libraries', err)
        elif code != 0:
            self.assertEqual(code, 1, (name, kb, err))
            last = err.splitlines()[-1]
            self.assertRegex(last, '^kedge: .*;', (name, kb))
        return code

    def test_address_space(self):
        """A few steps for each command; all of them where it is asked for."""
        names = re.findall(r'^  ([a-z]+) ', self.works('--help'), re.M)
        for name in names:
            self.assertTrue(name in ('kedge', 'help') or any(
                c.split()[0] == name for c in COMMANDS) or self.is_topic(name),
                            name)
        for name in COMMANDS:
            start, codes = time.time(), []
            for kb in LIMITS:
                codes.append(self.check(name, kb))
            if STEP:
                print(f'{name}: {codes.count(0)} of {len(codes)} work, '
                      f'{time.time() - start:.0f} s', flush=True)
                self.assertEqual(codes[-1], 0)

    def is_topic(self, name):
        return 'usage:' not in self.works('help', name)

    def test_a_first_ingest_that_fails_leaves_nothing(self):
        self.write('t', ''.join(f'harbour ship w{chr(97 + i % 26)}x crane\n'
                                for i in range(2000)))
        for most in (1 << 10, 1 << 13, 1 << 15):
            with self.subTest(most=most):
                code, err = self.limited(
                    ['ingest', 'first', 't', '--from', 'lines', '-q'],
                    {resource.RLIMIT_FSIZE: most})
                self.assertEqual(code, 1, err)
                self.assertIn('first: cannot ', err)
                self.assertFalse(os.path.exists(self.path('first')))

    def test_without_threads(self):
        """A stack for each thread that is larger than the address space: the
        command works by itself, and says so."""
        expected = self.read_topics('copy', {})
        limits = {resource.RLIMIT_STACK: 1 << 40,
                  resource.RLIMIT_AS: 4 << 30}
        self.assertEqual(self.read_topics('copy', limits), expected)
        code, err = self.limited(arguments(self, 'compact'), limits)
        self.assertEqual(code, 1)
        self.assertIn('no thread for the copy', err)

    def read_topics(self, store, limits):
        code, err = self.limited(
            [*arguments(self, 'fit'), '--threads', '3'], limits)
        self.assertEqual(code, 0, err)
        self.assertEqual('the system allows 1 of 3 threads' in err,
                         bool(limits))
        self.works('export', store, '-o', 'out')
        return self.read('out/topics.npy')


if __name__ == '__main__':
    main()
