#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures ingest, fit and infer along one axis, as JSON, for scale.py.

At each size kedge reads what corpus.c generates, through a pipe, then fits and
infers, one program after the other. This is a program of its own because
scale.py loads large modules, which would count as memory of its children.
"""
import argparse
import json
import os
import subprocess
import tempfile

from common import Run, answer, built, kedge, made

PARTS = ('spectrum', 'rectify', 'topics')  # of fit


def stage(name, took):
    return {'stage': name, 'seconds': took.seconds, 'processor': took.cpu,
            'memory': took.rss}


def size_of(folder):
    return sum(os.stat(os.path.join(folder, name)).st_blocks * 512
               for name in os.listdir(folder))


def ingest(options, job, store, folder):
    """(what corpus.c took, what ingest did)"""
    shape = ['--shape', options.shape, '-d', job['documents'], '--vocabulary',
             job['vocabulary'], '-k', job['topics']]
    words = made(options, os.path.join(folder, 'words'), *shape, '--words')
    with subprocess.Popen([built(options, 'corpus'), *map(str, shape)],
                          stdout=subprocess.PIPE) as maker:
        read = kedge(options, 'ingest', store, '-', '--from', 'ldac',
                     '--vocab', words, '--sketch-size', job['width'],
                     *options.how, '--threads', job['threads'],
                     stdin=maker.stdout)
        maker.stdout.close()
        _, status, usage = os.wait4(maker.pid, 0)
        maker.returncode = os.waitstatus_to_exitcode(status)
    return Run(maker.returncode, read.seconds, usage.ru_maxrss * 1024, '', '',
               usage.ru_utime + usage.ru_stime), read


def measure(options, job):
    """A run: what its stages took, and what it was of."""
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        store = os.path.join(folder, 'store')
        maker, read = ingest(options, job, store, folder)
        fitted = kedge(options, 'fit', store, '-k', job['topics'],
                       *options.how, '--threads', job['threads'])
        size = size_of(store)
        composed = kedge(options, 'infer', store, '-q', '--memory',
                         options.memory, '--threads', job['threads'])
    model, told = answer(fitted)['models'][0], answer(read)
    return dict(job, nonzeros=told['nonzeros'], words=model['words'],
                rounds=model['rectify_iter'], store=size, kedge=told['kedge'],
                stages=[stage('corpus', maker), stage('ingest', read),
                        stage('fit', fitted),
                        *({'stage': part,
                           'seconds': model[f'seconds_{part}']}
                          for part in PARTS),
                        stage('infer', composed)])


def main():
    p = argparse.ArgumentParser(description=__doc__)
    for name in ('program', 'work', 'memory', 'axis'):
        p.add_argument(f'--{name}', required=True)
    p.add_argument('--shape', default='nytimes')
    for name in ('documents', 'vocabulary', 'topics', 'width', 'threads'):
        p.add_argument(f'--{name}', type=int)
    p.add_argument('values', type=int, nargs='+')
    options = p.parse_args()
    options.how = ('--memory', options.memory, '--format', 'json', '-q')
    usual = {name: getattr(options, name) for name in
             ('documents', 'vocabulary', 'topics', 'width', 'threads')}
    runs = [measure(options, dict(usual, **{options.axis: value}))
            for value in options.values]
    print(json.dumps({'axis': options.axis, 'kedge': runs[0].pop('kedge'),
                      'processors': os.cpu_count(), 'runs': runs}))


if __name__ == '__main__':
    main()
