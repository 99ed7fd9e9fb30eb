"""Oracles for what is told of a table: columns that a model would learn wrongly from get a notice, whose SQL is right.

Each takes a case (statements.py) and returns None, or what is wrong in a sentence.
"""

import datetime
import math
import re

import statements
import tables

MISSING = (-1, -9, -99, -999, -9999, 999, 9999, 99999)
FORMS = {"%Y%m%d": 8, "%Y%m%d%H%M": 12, "%Y%m%d%H%M%S": 14, "%d%m%Y": 8}
PARTS = (("{a}-{b}", " - "), ("{a} to {b}", "to"), ("{a}/{b}", "/"), ("{a} x {b} cm", "x"), ("{a}:{b}:{c}.5", ":"),
         ("{a}.{b}.{c}", "."), ("({a}) {b}-{c}", "-"), ("{a}–{b}", "–"), ("{a}°{b}'", "°"), ("<{a}", "<"), (">= {a}", ">"),
         ("~{a}.25", "~"), ("{a}+", "+"),
         ("{a} kg", "kg"), ("{a}h {b}m", "h"), ("{a}th", "th"))


def _told(case, column, model=None):
    """The notices of EXPLAIN on the column of t, beside another."""
    names = [column] + [other.name for other in case.table.columns if other.name != column][:1]
    cursor = case.run(f"EXPLAIN SELECT {', '.join(names)}, y FROM t TO TRAIN {model or case.model} LABEL y INTO m")
    return [row[1] for row in cursor.fetchall() if row[0] == "notice" and f'"{column}"' in row[1]]


def _fill(case, values):
    """t, with a column v of these values before the others."""
    others = [column for column in case.table.columns if column.name != "v"]
    case.table = tables.Table([tables.Column("v", "other", values, [])] + others, case.table.signal)
    case.fill("t", case.table, case.label())


def _made(notice, words):
    return re.search(rf"(?:{words})\. (.*?) (?:and so on make|makes|leaves|in the SELECT makes) ", notice)


def codes_are_told(case):
    """A number in the place of NULL, apart from ages: whatever the model, share and order of rows are."""
    draw, code = case.draw, case.draw.choice(MISSING)
    share = draw.choice((.03, .1, .3))
    ages = [draw.randrange(18, 90) for _ in range(case.table.rows)]
    coded = [code if draw.random() < share else age for age in ages]
    if coded.count(code) < max(3, math.ceil(.02 * len(coded))):
        return None
    _fill(case, coded)
    told = _told(case, "v")
    if not any(f"{code}" in notice for notice in told):
        return f"{coded.count(code)} of {len(coded)} ages are {code}, and nothing says so: {told}"
    _fill(case, ages)
    told = _told(case, "v")
    return f"ages get a notice: {told}" if told else None


def weights_of_zero_leave_rows_out(case):
    """A row of weight 0 is as if it were not there, but for words, which are counted whatever they weigh."""
    draw = case.draw
    case.table = tables.make(draw, only_numbers=True)
    case.model, case.attributes = draw.choice((("Logit", ""), ("NaiveBayes", "")) if case.is_classifier else
                                              (("OLS", ""), ("XGBRegressor", "n_estimators = 20")))
    case.draws_rows = False
    label, weights = case.label(case.scale, case.offset), [draw.choice((0, 1, 1)) for _ in range(case.table.rows)]
    kept = [i for i, weight in enumerate(weights) if weight]
    if case.is_classifier and len({label[i] for i in kept}) < 2:
        return None
    fewer = tables.Table([tables.Column(column.name, column.kind, [column.values[i] for i in kept], [])
                          for column in case.table.columns], [case.table.signal[i] for i in kept])
    weighted = tables.Table(case.table.columns + [tables.Column("weight", "weight", weights, [])], case.table.signal)
    case.fill("fewer", fewer, [label[i] for i in kept])
    case.fill("weighted", weighted, label)
    case.train("fewer", "m")
    case.train("weighted", "f", "sample_weight = 'weight'")
    return statements.check_near(case, case.predictions("fewer", "m"), case.predictions("fewer", "f"), "rows of weight 0",
                                 .05 if case.model == "XGBRegressor" else None)


def dates_of_digits_are_told(case):
    """20240131 gets a notice, and its SQL makes the dates."""
    draw, form = case.draw, case.draw.choice(tuple(FORMS))
    first = datetime.datetime(2015, 1, 1)
    days = [first + datetime.timedelta(days=draw.randrange(3000), minutes=draw.randrange(1440)) for _ in range(case.table.rows)]
    _fill(case, [int(day.strftime(form)) for day in days])
    told = [notice for notice in _told(case, "v") if "dates that are written as whole numbers" in notice]
    if not told:
        return f"dates as {days[0].strftime(form)} get no notice"
    cure = re.search(r"ends\. (.*) AS v in the SELECT", told[0])
    if not cure:
        return f"the notice has no SQL: {told[0]}"
    shown = "%Y-%m-%d" if FORMS[form] == 8 else "%Y-%m-%d %H:%M" if FORMS[form] == 12 else "%Y-%m-%d %H:%M:%S"
    for (made,), day in zip(case.run(f"SELECT {cure[1]} FROM t ORDER BY rowid").fetchall(), days):
        if made != day.strftime(shown):
            return f"{day.strftime(form)} becomes {made} by the notice's SQL"
    return None


def shapes_are_told(case):
    """Numbers around fixed signs get a notice, and its SQL makes a column of the first numbers."""
    draw, (form, sign) = case.draw, case.draw.choice(PARTS)
    numbers = [(draw.randrange(40), draw.randrange(10, 60), draw.randrange(60)) for _ in range(case.table.rows)]
    words = [form.format(a=a, b=b, c=c) for a, b, c in numbers]
    if len(set(words)) < 10:
        return None
    _fill(case, words)
    told = [notice for notice in _told(case, "v") if "look like" in notice]
    if not told:
        return f"words as '{words[0]}' get no notice ({sign})"
    cure = _made(told[0], "all are taken as words|it is left out")
    if not cure:
        return f"the notice has no SQL: {told[0]}"
    for row, (a, b, _) in zip(case.run(f"SELECT {cure[1]} FROM t ORDER BY rowid").fetchall(), numbers):
        meant = {"°": a + b / 60, "h": 60 * a + b, "~": a + .25}.get(sign, a)
        if abs(float(row[0]) - meant) > 1e-9 and "look like times" not in told[0]:
            return f"'{form.format(a=a, b=b, c=0)}' becomes {row[0]} by the notice's SQL"
    return None


def names_get_no_notice(case):
    """Codes, names and numbers with letters are words, and nothing is said of their shape."""
    draw = case.draw
    form = draw.choice(("A{a}", "AB-{a}-{b}", "w{a}", "{a}{letter}", "item {a}", "{letter}{a}{letter}", "{a}-{letter}{b}", "#{a}",
                        "no {a}"))
    words = [form.format(a=draw.randrange(40), b=draw.randrange(9), letter=draw.choice("ABCEFIJLNOPQRUVXZ"))
             for _ in range(case.table.rows)]
    _fill(case, words)
    told = [notice for notice in _told(case, "v") if "look like" in notice]
    return f"words as '{words[0]}' get a notice: {told[0]}" if told else None


UNITS = ((lambda draw: math.exp(draw.gauss(3, 1)), "x * 100"), (lambda draw: math.exp(draw.gauss(3, 1)), "x / 1000.0"),
         (lambda draw: draw.random(), "x * 100"), (lambda draw: 1.7e9 + draw.randrange(10 ** 7), "x * 1000.0"),
         (lambda draw: draw.gauss(14, 7), "x + 273.15"), (lambda draw: draw.randrange(5, 300), "x * 60"))


def units_are_told(case):
    """Rows in another unit get a notice, whose SQL ends it; other rows of the same unit get none."""
    draw, (number, change) = case.draw, case.draw.choice(UNITS)
    if case.table.rows < 150:  # deciles of few rows are too rough for a unit, and a notice names none
        return None
    _fill(case, [number(draw) for _ in range(case.table.rows)])
    case.run("DROP TABLE IF EXISTS fresh")
    case.run("CREATE TABLE fresh (x REAL)")
    case.database.executemany("INSERT INTO fresh VALUES (?)", [(number(draw),) for _ in range(200)])
    model = draw.choice(("XGBRegressor", "LinearRegressor", "DecisionTreeRegressor"))
    case.run(f"SELECT v, {'y' if not case.is_classifier else 'length(y) AS y'} FROM t TO TRAIN {model} LABEL y INTO m").fetchall()

    def told(select):
        cursor = case.run(f"EXPLAIN SELECT {select} TO PREDICT guess USING m -- {case.seed} {select}")
        return [row[1] for row in cursor.fetchall() if row[0] == "notice" and "8 of 10 training rows" in row[1]]

    said = told("x AS v FROM fresh")
    if said:
        return f"rows of the same unit get a notice: {said}"
    said = told(f"{change} AS v FROM fresh")
    if len(said) != 1:
        return f"rows as {change} get no notice"
    cure = re.search(r"write (.*) AS v in the SELECT", said[0])
    if not cure:
        return f"the notice has no SQL: {said[0]}"
    said = told(f"{cure[1]} AS v FROM (SELECT {change} AS v FROM fresh) t")
    return f"the notice's SQL {cure[1]} does not end it: {said}" if said else None


ORACLES = (codes_are_told, weights_of_zero_leave_rows_out, dates_of_digits_are_told, shapes_are_told, names_get_no_notice, units_are_told)
