# SPDX-License-Identifier: MIT
"""To be imported before all else: makes what the benchmarks share importable,
leaves with 77 where packages are absent, and gives BLAS and k-means one thread,
which has to be said before numpy is loaded."""
import importlib.util
import os
import sys

for library in ('OPENBLAS', 'OMP'):
    os.environ.setdefault(library + '_NUM_THREADS', '1')
sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), 'bench'))


def need(*packages):
    """Those that only some need are asked for by whoever does."""
    from common import skip
    for package in packages:
        if importlib.util.find_spec(package) is None:
            skip(f'there is no python package {package}')


need('numpy', 'scipy', 'sklearn')
