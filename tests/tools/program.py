# SPDX-License-Identifier: MIT
"""Where the program is in a build folder, and running it."""
import os
import subprocess


def folder_of_program(build):
    """The folder that holds kedge; an end with words when there is none."""
    folder = os.path.join(os.path.abspath(build), 'src', 'cli')
    if not os.access(os.path.join(folder, 'kedge'), os.X_OK):
        raise SystemExit(f'there is no program kedge in {folder}')
    return folder


def with_program(build):
    """An environment in which kedge is a command."""
    path = folder_of_program(build) + os.pathsep + os.environ.get('PATH', '')
    return dict(os.environ, PATH=path)


def kedge(build, *arguments):
    """Runs kedge and gives what it wrote to stdout."""
    print('$ kedge', *arguments, flush=True)
    command = [os.path.join(folder_of_program(build), 'kedge'), *arguments]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, check=False,
                            stdout=subprocess.PIPE, universal_newlines=True)
    if result.returncode != 0:
        print(result.stdout)
        raise SystemExit(f'kedge {arguments[0]} gave {result.returncode}')
    return result.stdout
