# SPDX-License-Identifier: MIT
"""Makes what the benchmarks share importable, and says what all experiments
need: packages, one thread for every BLAS, options."""
import os
import sys

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), 'bench'))
