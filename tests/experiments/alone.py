#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""alone.py SECONDS COMMAND...: runs it as the child of something small.

Linux counts what the parent held at the fork as part of a child's peak, and an
experiment holds whole corpora. Prints JSON: what common.run() tells. A command
that uses more SECONDS of a processor is ended by the signal SIGXCPU; 0: none.
"""
import bench

import json
import os
import resource
import signal
import sys

from common import Run, run

OVER = -signal.SIGXCPU   # the exit code of what took too long


def measured(*command, limit=0, **options):
    """As common.run() does it, but small, and for so many seconds at most."""
    found = run([sys.executable, os.path.abspath(__file__), str(limit),
                 *map(str, command)], **options)
    result = Run(**json.loads(found.out))
    if result.code not in (0, OVER):
        raise SystemExit(f'{command[0]}: exit code {result.code}\n'
                         f'{result.err[-2000:]}')
    return result


def main(limit, *command):
    if int(limit):
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), hard))
    print(json.dumps(run(command, check=False)._asdict()))


if __name__ == '__main__':
    main(*sys.argv[1:])
