#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""look.py REPORT.html FOLDER: pictures of a report, to be looked at.

As wide as a desk and as a phone, in light and dark, the window and the whole
page; and the PDF that printing gives. It prints how long loading takes.
"""
import os
import sys

from browser import Browser

SIZES = (('desk', 1440, 1000, False), ('phone', 390, 844, True))
LOADED = '''const t = performance.getEntriesByType('navigation')[0];
return [t.domComplete, t.loadEventEnd]'''


def main(report, folder):
    os.makedirs(folder, exist_ok=True)
    with Browser() as browser:
        for name, width, height, mobile in SIZES:
            browser.resize(width, height, mobile)
            for theme in ('light', 'dark'):
                browser.media(prefers_color_scheme=theme)
                browser.open(report)
                print(name, theme, 'drawn after %d ms, loaded after %d ms'
                      % tuple(browser.run(LOADED)))
                start = os.path.join(folder, f'{name}-{theme}')
                browser.picture(f'{start}.png')
                browser.picture(f'{start}-whole.png', True)
        browser.resize(1440, 1000)
        browser.open(report)
        with open(os.path.join(folder, 'print.pdf'), 'wb') as file:
            file.write(browser.pdf())


if __name__ == '__main__':
    main(*sys.argv[1:])
