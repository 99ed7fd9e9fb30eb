"""Words that are numbers or dates to people, in forms that no reading takes, and the SQL of the notice about them."""

import datetime
import re

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")


def ordinal(number):
    return f"{number}{'th' if number // 10 % 10 == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def numbers_in_shapes():
    rows = range(300)
    yield "2 numbers with '-' between them", [(f"{i}-{i + 5}", i) for i in rows]
    yield "2 numbers with 'to' between them", [(f"{i} to {i + 9.5}", i) for i in rows]
    yield "2 numbers with '–' between them", [(f"{1000 + i}–{1900 + i}", 1000 + i) for i in rows]
    yield "2 numbers with '/' between them", [(f"{90 + i}/{60 + i % 40}", 90 + i) for i in rows]
    yield "2 numbers with 'x' between them", [(f"{i:,} x {i + 1}", i) for i in range(900, 1200)]
    yield "3 numbers with '.' between them", [(f"{i // 100}.{i // 10 % 10}.{i % 10}", i // 100) for i in rows]
    yield "4 numbers with '.' between them", [(f"{i}.{i // 7}.{i % 7}.{i % 3}", i) for i in rows]
    yield "3 numbers with '-' between them", [(f"{200 + i}-555-{1000 + i}", 200 + i) for i in rows]
    yield "3 numbers with signs between them", [(f"({200 + i}) 555-{1000 + i}", 200 + i) for i in rows]
    yield "3 numbers with signs between them", [(f"{i}°{i % 4 * 15}'36\"{'SN'[i % 2]}", (i + i % 4 / 4 + .01) * (i % 2 * 2 - 1))
                                                for i in rows]
    yield "ordinal numbers", [(ordinal(i), i) for i in rows]
    yield "bounds or rough numbers", [(f"{('<', '>= ', '~', '≤')[i % 4]}{i}.5", i + .5) for i in rows]
    yield "bounds or rough numbers", [(f"{i}+", i) for i in rows]
    yield "fractions", [(f"{i // 7} {i % 7}/8", i // 7 + i % 7 / 8) if i % 3 else (f"{i}", i) if i % 2 else (f"{i}/8", i / 8)
                        for i in rows]
    yield "numbers with several units", [(f"{i} kB", i * 1e3) if i % 2 else (f"{i} MB", i * 1e6) for i in rows]
    yield "numbers with several units", [(f"{i}k", i * 1e3) if i % 2 else (f"{i}.5M", (i + .5) * 1e6) for i in rows]
    yield "numbers with several units", [(f"{i} {('kg', 'lb')[i % 2]}", i) for i in rows]
    yield "numbers with a unit", [(f"{i}.5k", (i + .5) * 1e3) if i % 2 else (str(i), i) for i in rows]
    yield "times of day", [(f"{i % 24:02}:{i // 24 * 3:02}:00", i % 24 + i // 24 * 3 / 60) for i in rows]


def durations():
    rows = range(300)
    for spell in (lambda i: f"{i // 60}h {i % 60}m" if i % 60 else f"{i // 60} h", lambda i: f"{i // 60}h{i % 60:02}m",
                  lambda i: f"{i // 60} hours {i % 60} minutes", lambda i: f"PT{i // 60}H{i % 60}M" if i > 59 else f"PT{i}M"):
        yield "durations", [(spell(i), i) for i in rows]


def in_week(day):
    """The day of its week that the week of January 4 begins the count with."""
    year, week, _ = day.isocalendar()
    return (datetime.date(year, 1, 4) + datetime.timedelta(weeks=week - 1)).isoformat()


def dates():
    for spell, in_quarters in ((lambda y, m: f"{y}-{m + 1:02}", 1), (lambda y, m: f"{MONTHS[m]} {y}", 1),
                               (lambda y, m: f"{MONTHS[m][:3]} {y}", 1), (lambda y, m: f"{y} {MONTHS[m]}", 1),
                               (lambda y, m: f"{y}-{MONTHS[m][:3]}", 1), (lambda y, m: f"{MONTHS[m][:3]}-{y % 100:02}", 1),
                               (lambda y, m: f"{y}Q{m // 3 + 1}", 3),
                               (lambda y, m: f"{y}-Q{m // 3 + 1}", 3), (lambda y, m: f"{y} q{m // 3 + 1}", 3),
                               (lambda y, m: f"Q{m // 3 + 1} {y}", 3)):
        months = [(2000 + i // 12, i % 12) for i in range(300)]
        yield "dates in a form that is not read", [(spell(y, m), f"{y}-{m // in_quarters * in_quarters + 1:02}-01")
                                                   for y, m in months]
    days = [datetime.date(2001, 1, 4) + datetime.timedelta(weeks=i) for i in range(300)]
    for form in ("%G-W%V", "%GW%V", "%G W%V", "W%V %G"):
        yield "dates in a form that is not read", [(day.strftime(form), in_week(day)) for day in days]
    yield "dates in a form that is not read", [(day.strftime("%Y-%j"), day.isoformat()) for day in days]


def words_in_shapes():
    """Shapes: how each is called, and words with what the first column means that the hint makes of them."""
    yield from numbers_in_shapes()
    yield from durations()
    yield from dates()


def sql_of(notice):
    """The columns that the notice's hint makes."""
    return re.search(r"(?:all are taken as words|it is left out)\. (.*?) (?:and so on make|makes|leaves) ", notice)[1]
