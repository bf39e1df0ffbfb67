#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of the papers, made again with kedge's own ways.

Each is a page of its own, results/papers-FIGURE.md; what came of them is told
in results/papers.md. A module of figures has FIGURES, {name: function(options,
page)}, whose text the page begins with, and may have arguments(parser) for
options of its own: `papers.py --figures NAME --help` tells them.
"""
import bench

import argparse
import inspect

import anchorless
import common
import pages
import planting
import practical
import printed
import rectified

MODULES = (
    practical,
    rectified,
    anchorless,
    planting,
    printed,
)
FIGURES = {name: module for module in MODULES for name in module.FIGURES}


def names(text):
    chosen = text.split(',')
    for name in chosen:
        if name not in FIGURES:
            raise argparse.ArgumentTypeError(f'there is no figure {name}: '
                                             f'{", ".join(FIGURES)}')
    return chosen


def ask(p):
    p.add_argument('--figures', type=names, default=list(FIGURES),
                   help='of ' + ', '.join(FIGURES))
    return p


def chosen():
    """Figures that are asked for, before it is known what options they have."""
    p = ask(argparse.ArgumentParser(add_help=False, allow_abbrev=False))
    return p.parse_known_args()[0].figures


def options_of(module):
    """The command line as this module reads it."""
    p = ask(pages.options(common.parser(__doc__)))
    if hasattr(module, 'arguments'):
        module.arguments(p)
    return pages.finish(common.begin(p))


def main():
    for name in chosen():
        module = FIGURES[name]
        make = module.FIGURES[name]
        options = options_of(module)
        page = pages.Page(options, 'papers-' + name,
                          inspect.getdoc(make) or module.__doc__)
        make(options, page)
        page.close()
    common.end()


if __name__ == '__main__':
    main()
