#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""alone.py SECONDS COMMAND...: runs COMMAND as the child of a small process.

Linux counts the parent's memory at the fork as part of a child's peak, and an
experiment holds whole corpora. Prints JSON: what common.run() returns. A
command that uses more SECONDS of a processor is ended by the signal SIGXCPU; 0:
no limit.
"""
import bench

import json
import os
import resource
import signal
import sys

from common import Run, run

OVER = -signal.SIGXCPU   # the exit code of a command that took too long


def measured(*command, limit=0, **options):
    """common.run() from a small process, with a limit in processor seconds."""
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
