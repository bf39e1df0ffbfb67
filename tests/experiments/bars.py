# SPDX-License-Identifier: MIT
"""What kedge has to reach beside other tools.

`rows` are figures by (tool, rank), kedge's defaults as `mine`; `grid` is
figures of kedge for each lambda of its relevance.

LDA, each by its own ranking: kedge's defaults are ahead on every measure. NMF:
kedge has the higher NPMI at equal or higher coverage. That is judged three
ways: its defaults against NMF's own ranking as both stand, and for each of
NMF's two rankings the one of kedge, among those of the grid, that covers least
but no less. And kedge's clusters are nearer to the labels.
"""
from collections import namedtuple

from pages import show

OURS = 'kedge'
OWN, RELEVANCE = 'own', 'relevance'
HARDER = '1 + ln tf'    # in the name of what nobody asked to be beaten
MEASURES = ('npmi', 'distinct', 'coverage', 'coherence', 'accuracy',
            'perplexity')
SCALINGS = ('rows', 'angle')    # ways to cluster that accuracy is not judged by

Bar = namedtuple('Bar', 'name met text')


def exact(x):
    """A digit more than in tables, for what is nearly the same."""
    return f'{x:.4f}' if abs(x) < 10 else show(x)


def behind(figure, x, y):
    """Shares reach 1, so a tie is not behind."""
    return x > y if figure == 'perplexity' else x < y


def of_kind(rows, kind):
    """The tools that have this in their names, by their own ranking."""
    return {name: row for (name, rank), row in rows.items()
            if rank == OWN and kind in name}


def judge_lda(mine, rows):
    tools = of_kind(rows, 'LDA')
    for figure in MEASURES:
        theirs = {name: row[figure] for name, row in tools.items()
                  if row.get(figure) is not None}
        if theirs:
            met = not any(behind(figure, mine[figure], value)
                          for value in theirs.values())
            yield Bar(f'LDA: {figure}', met, f'{figure} {exact(mine[figure])}; '
                      + ', '.join(f'{name} {exact(value)}'
                                  for name, value in theirs.items()))


def level(row, grid):
    """kedge's figures at the least coverage that is no less, or None."""
    enough = [x for x in grid if x['coverage'] >= row['coverage']]
    return min(enough, key=lambda x: (x['coverage'], -x['npmi']),
               default=None)


def at(row):
    return f'{exact(row["npmi"])} at {exact(row["coverage"])}'


def judge_nmf(name, mine, rows, grid):
    own = rows[name, OWN]
    yield Bar(f'{name}: defaults as they stand',
              mine['npmi'] > own['npmi'] and
              mine['coverage'] >= own['coverage'],
              f'defaults: NPMI {at(mine)}; {name} {at(own)}')
    for rank in (OWN, RELEVANCE):
        row = rows[name, rank]
        best = level(row, grid)
        mine_at = 'covers nothing as much' if best is None else (
            f'NPMI {at(best)} (lambda {best["lambda"]:.2f})')
        yield Bar(f'{name}: {rank} ranking at its coverage',
                  best is not None and best['npmi'] > row['npmi'],
                  f'{mine_at}; {name} by {rank} {at(row)}')
    if own.get('accuracy') is not None:
        yield Bar(f'{name}: accuracy', mine['accuracy'] > own['accuracy'],
                  f'accuracy {exact(mine["accuracy"])}; {name} '
                  f'{exact(own["accuracy"])}')


def judge(mine, rows, grid):
    yield from judge_lda(mine, rows)
    for name in of_kind(rows, 'NMF'):
        if HARDER not in name:
            yield from judge_nmf(name, mine, rows, grid)


def judge_harder(mine, rows, grid):
    for name in of_kind(rows, HARDER):
        yield from judge_nmf(name, mine, rows, grid)


def otherwise(mine, rows):
    """Where other ways to cluster would have told another winner."""
    for kind in ('LDA', 'NMF'):
        for name, row in of_kind(rows, kind).items():
            for way in SCALINGS:
                if row.get('accuracy') is None:
                    continue
                if ((mine['accuracy'] > row['accuracy']) !=
                        (mine[way] > row[way])):
                    yield (f'by {way} {exact(mine[way])}, {name} '
                           f'{exact(row[way])}; as judged '
                           f'{exact(mine["accuracy"])} and '
                           f'{exact(row["accuracy"])}')
