#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of the papers, made again with kedge.

Each figure is a page of its own, results/papers-FIGURE.md; results/papers.md
says which of the papers' findings hold. A module of figures has FIGURES,
{name: function(options, page)}; the function's docstring is the text of its
page (see pages.told). A module may have arguments(parser) for options of its
own: `papers.py --figures NAME --help` lists them.
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
    """The chosen figures, before their own options are known."""
    p = ask(argparse.ArgumentParser(add_help=False, allow_abbrev=False))
    return p.parse_known_args()[0].figures


def options_of(module):
    """The command line, with the options of this module."""
    p = ask(pages.options(common.parser(__doc__)))
    if hasattr(module, 'arguments'):
        module.arguments(p)
    return pages.finish(common.begin(p))


def main():
    figures = chosen()
    for name in figures:
        module = FIGURES[name]
        make = module.FIGURES[name]
        options = options_of(module)
        if len(figures) > 1 and options.answer != pages.NO_ANSWER:
            raise SystemExit('--answer is for one figure')
        page = pages.Page(options, 'papers-' + name,
                          inspect.getdoc(make) or module.__doc__)
        make(options, page)
        page.close()
    common.end()


if __name__ == '__main__':
    main()
