"""Random tables: scales, offsets, units, words, dates, missing values, duplicates, and a label that follows from them."""

import datetime
import math

OFFSETS = (0, 0, 0, 1, -40, 1e3, 1e6, 1.7e9, -5.4e6)
SCALES = (1e-6, 1e-2, 1, 1, 1, 30, 1e3, 1e6)


class Column:
    """`values` as they are stored, `effect` what each row's value adds to the label; kind: "number", "words", "dates"."""

    def __init__(self, name, kind, values, effect):
        self.name, self.kind, self.values, self.effect = name, kind, values, effect


class Table:
    """Rows of columns, and the numbers `signal` that the label is made of, of deviation 1 or so."""

    def __init__(self, columns, signal):
        self.columns, self.signal = columns, signal
        self.rows = len(signal)

    def numbers(self):
        return [column for column in self.columns if column.kind == "number"]

    def rows_with(self, label):
        return list(zip(*(column.values for column in self.columns), label))


def _shape(draw):
    """A function of a number of deviation 1: a line, a step, a wave, a square."""
    return draw.choice((lambda u: u, lambda u: float(u > .3), lambda u: math.sin(3 * u), lambda u: u * u - 1))


def _numbers(draw, name, rows):
    scale, offset = draw.choice(SCALES), draw.choice(OFFSETS)
    if abs(offset) > 1e5 * scale:  # doubles hold no more digits, with room to spare
        scale = max(scale, abs(offset) * 1e-7)
    if draw.random() < .3:  # few different values, many of each
        units = [draw.randrange(12) / 3 - 2 for _ in range(rows)]
    else:
        units = [draw.gauss(0, 1) for _ in range(rows)]
    values = [offset + scale * u for u in units]
    shape = _shape(draw)
    if draw.random() < .25:
        for i in range(rows):
            if draw.random() < .1:
                values[i] = None
    return Column(name, "number", values, [shape(u) if v is not None else .5 for u, v in zip(units, values)])


def _words(draw, name, rows):
    count = draw.choice((2, 5, 12, 40))
    effects = [draw.gauss(0, 1) for _ in range(count)]
    chosen = [draw.randrange(count) for _ in range(rows)]
    return Column(name, "words", [f"{name} {word}" for word in chosen], [effects[word] for word in chosen])


def _dates(draw, name, rows):
    first = datetime.date(2019, 3, 1)
    days = [draw.randrange(1500) for _ in range(rows)]
    return Column(name, "dates", [str(first + datetime.timedelta(day)) for day in days], [day / 750 - 1 for day in days])


def make_large(draw, only_numbers=False):
    """A table large enough for a model to take time and memory; some columns have few different numbers."""
    rows = draw.choice((900, 3000, 12000))
    columns = []
    for i in range(draw.choice((2, 6, 16))):
        few = draw.choice((0, 0, 3, 17))
        values = [float(draw.randrange(few)) if few else draw.gauss(0, 1) for _ in range(rows)]
        columns.append(Column(f"c{i}", "number", values, values))
    for i in range(0 if only_numbers else draw.choice((0, 0, 1, 2))):
        words = draw.choice((5, 50, 800))
        effects, chosen = [draw.gauss(0, 1) for _ in range(words)], [draw.randrange(words) for _ in range(rows)]
        columns.append(Column(f"w{i}", "words", [f"w{word}" for word in chosen], [effects[word] for word in chosen]))
    return Table(columns, [columns[0].effect[i] + columns[-1].effect[i] + draw.gauss(0, .5) for i in range(rows)])


def make(draw, only_numbers=False, rows=None):
    rows = rows or draw.choice((80, 200, 400))
    kinds = [_numbers] if only_numbers else [_numbers, _numbers, _words, _dates]
    columns = [draw.choice(kinds)(draw, f"c{i}", rows) for i in range(draw.randint(1, 3))]
    if not any(column.kind == "number" for column in columns):
        columns.append(_numbers(draw, f"c{len(columns)}", rows))
    noise = draw.choice((.05, .2, .5))
    weights = [draw.choice((.3, 1, 1, 2)) for _ in columns]
    signal = [sum(weight * column.effect[i] for weight, column in zip(weights, columns)) + draw.gauss(0, noise)
              for i in range(rows)]
    mean = sum(signal) / rows
    deviation = math.sqrt(sum((value - mean) ** 2 for value in signal) / rows) or 1
    return Table(columns, [(value - mean) / deviation for value in signal])
