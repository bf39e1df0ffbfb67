# SPDX-License-Identifier: MIT
"""Small line charts side by side, as SVG."""
import math
import os
from html import escape

import pages

WIDTH, HEIGHT = 250, 170        # of a panel
LEFT, TOP, RIGHT, BOTTOM = 58, 26, 10, 24
ACROSS = 3
DIGIT = 6   # its width in a scale
# Told apart by those who do not see all colours, and by their strokes.
STYLES = (('#0072b2', ''), ('#d55e00', '6 3'), ('#009e73', '2 2'),
          ('#cc79a7', '8 3 2 3'), ('#56b4e9', '1 3'), ('#e69f00', '10 4'),
          ('#000000', '4 4'))
HEAD = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" '
        'width="{0}" height="{1}" font-family="sans-serif" font-size="10">'
        '<rect width="100%" height="100%" fill="#fff"/>')


def ends(values, log):
    low, high = min(values), max(values)
    if log:
        low, high = math.log10(low), math.log10(high)
    room = (high - low) * 0.05 or abs(high) * 0.05 or 1
    return low - room, high + room


def figure(x):
    return f'{x:.3g}'


def text(x, y, words, anchor='middle', size=10):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}" fill="#222">{escape(words)}</text>')


class Panel:
    """One chart: {line: [(x, y)]}, with lines named in `order`."""

    def __init__(self, title, lines, order, log=False):
        self.title, self.order, self.log = title, order, log
        self.lines = {name: [(x, y) for x, y in points
                             if y is not None and (not log or y > 0)]
                      for name, points in lines.items()}
        points = [p for line in self.lines.values() for p in line]
        self.x = ends([x for x, _ in points] or [0], False)
        self.y = ends([y for _, y in points] or [1], log)

    def place(self, x, y):
        y = math.log10(y) if self.log else y
        (x0, x1), (y0, y1) = self.x, self.y
        return (LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - (y - y0) / (y1 - y0) *
                (HEIGHT - TOP - BOTTOM))

    def marks(self):
        """The scales."""
        for i in range(3):
            y = self.y[0] + (self.y[1] - self.y[0]) * (0.05 + 0.45 * i)
            value = 10 ** y if self.log else y
            _, at = self.place(self.x[0], value)
            yield (f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" '
                   f'y2="{at:.1f}" stroke="#ddd"/>')
            yield text(LEFT - 4, at + 3, figure(value), 'end')
        last = 0
        for x in sorted({x for line in self.lines.values() for x, _ in line}):
            at, _ = self.place(x, 10 ** self.y[0] if self.log else self.y[0])
            room = DIGIT * len(figure(x))
            if at - room / 2 > last:    # those that would touch are left out
                yield text(at, HEIGHT - BOTTOM + 13, figure(x))
                last = at + room / 2 + DIGIT / 2

    def draw(self):
        yield text(WIDTH / 2, 15, self.title, size=11)
        yield from self.marks()
        for name, points in self.lines.items():
            colour, dashes = STYLES[self.order.index(name) % len(STYLES)]
            path = ' '.join('{:.1f},{:.1f}'.format(*self.place(*p))
                            for p in points)
            yield (f'<polyline points="{path}" fill="none" stroke="{colour}" '
                   f'stroke-width="1.6" stroke-dasharray="{dashes}"/>')


def legend(order, y):
    x = LEFT
    for i, name in enumerate(order):
        colour, dashes = STYLES[i % len(STYLES)]
        yield (f'<line x1="{x}" x2="{x + 26}" y1="{y}" y2="{y}" '
               f'stroke="{colour}" stroke-width="1.6" '
               f'stroke-dasharray="{dashes}"/>')
        yield text(x + 30, y + 3, name, 'start')
        x += 44 + 6 * len(name)


def draw(panels, order):
    down = (len(panels) + ACROSS - 1) // ACROSS
    height = down * HEIGHT + 30
    parts = [HEAD.format(ACROSS * WIDTH, height)]
    for i, panel in enumerate(panels):
        parts.append(f'<g transform="translate({i % ACROSS * WIDTH},'
                     f'{i // ACROSS * HEIGHT})">')
        parts += [*panel.draw(), '</g>']
    parts += [*legend(order, height - 14), '</svg>']
    return '\n'.join(parts) + '\n'


def save(page, name, panels, order):
    """Beside the page, which shows it; where the page is kept."""
    if page.path is None:
        return
    name += page.apart
    path = os.path.join(pages.RESULTS, name + '.svg')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(draw(panels, order))
    page.keep(f'![{name}]({name}.svg)')
