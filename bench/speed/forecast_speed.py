"""Time and memory of TO TRAIN Forecast and its relatives over many series, beside statsforecast.

    bench/quality/run BUILD --forecast-speed [--peers] [--scale SHARE]

Ours is the whole of it: the program's start, its reading of the table, all processes of its job, and the model's table.
Seconds are the processor's, a series in milliseconds; memory is the most that all processes together held. --peers:
statsforecast's, on PEER_SERIES of the same series as it takes much longer; its time is without that of reading and
compiling, on one processor. There is no verdict: seconds depend on the machine, and what else it does.
"""

import argparse
import ctypes
import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile

import memory
import numpy

HERE = pathlib.Path(__file__).resolve().parent
PEER_SERIES = 100
PR_SET_CHILD_SUBREAPER = 36
LOOKED_UP = 100000
LOOK_UP = """
import json, pathlib, sqlite3, sys, time
database = sqlite3.connect(sys.argv[1])
database.enable_load_extension(True)
database.load_extension(sys.argv[2])
held = lambda: int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
before, found = held(), []
for time_of in range(10):
    started = time.process_time()
    name = f"store {int(sys.argv[3]) * (time_of + 1) // 11}"
    rows = database.execute("SELECT value FROM totrain_forecast('m') WHERE series = ?", (name,)).fetchall()
    found.append((1000 * (time.process_time() - started), (held() - before) / 1024))
    assert len(rows) == 28
print(json.dumps(found))
"""
# Table: series, values of each, step of time, season, horizon, and methods with what else WITH says and statsforecast's
# name. Only without errors of the past do both do the same.
NO_BACKTEST = "forecast.backtest = 0"
TABLES = {
    "months": (10000, 100, "month", 12, 12, (
        ("Forecast", "", None), ("Forecast", NO_BACKTEST, None), ("AutoETS", NO_BACKTEST, "AutoETS"),
        ("AutoARIMA", NO_BACKTEST, "AutoARIMA"), ("DynamicOptimizedTheta", NO_BACKTEST, "DynamicOptimizedTheta"))),
    "days": (2000, 730, "day", 7, 28, (
        ("Forecast", "", None), ("Forecast", NO_BACKTEST, None), ("AutoETS", NO_BACKTEST, "AutoETS"))),
}


def make_table(path, name, scale):
    """Level, trend, season and noise of each series: drawn, the same in each run."""
    series, length, step, season, *_ = TABLES[name]
    series = max(1, round(series * scale))
    draw = numpy.random.default_rng(7)
    index = numpy.arange(length)
    first = numpy.datetime64("2015-01" if step == "month" else "2015-01-01")
    times = [f"{time}-01" if step == "month" else str(time) for time in first + index]
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (series INTEGER, at TEXT, y REAL)")
        for number in range(series):
            places = draw.normal(size=season) * draw.uniform(0, 20)
            values = (100 + draw.uniform(-.5, .5) * index + places[index % season] +
                      numpy.cumsum(draw.normal(size=length)) + draw.normal(size=length) * 5)
            database.executemany("INSERT INTO t VALUES (?, ?, ?)", zip([number] * length, times, values.round(2).tolist()))
    return series


def processor_seconds():
    """Processor time of all processes that have ended. Those of a job whose parent is gone are ours to wait for."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def train(build, path, folder, method, more, horizon):
    statement = (f"SELECT series, at, y FROM t TO TRAIN {method} WITH forecast.time = 'at', forecast.group = 'series', "
                 f"forecast.horizon = {horizon}{', ' if more else ''}{more} LABEL y INTO m")
    before = processor_seconds()
    megabytes, _ = memory.peak([build / "totrain", path, "--progress=none", "-c", statement],
                               {**os.environ, "TOTRAIN_STATE": str(folder / "state")}, folder)
    return processor_seconds() - before, megabytes


def look_up(build, folder, scale):
    """Processor time and memory of one series of many, in a new connection: the first, the eighth, the ninth, which reads
    the model, and the one behind it."""
    series = max(10, round(LOOKED_UP * scale))
    path = folder / "looked_up.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (series TEXT, at TEXT, y REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", ((f"store {number}", f"2024-01-0{day}", number * 7 % 101 + day)
                                                                for number in range(series) for day in range(1, 7)))
    train(build, path, folder, "Naive", NO_BACKTEST, 28)
    made = subprocess.run([sys.executable, "-c", LOOK_UP, path, build / "totrain.so", str(series)], stdout=subprocess.PIPE, check=True)
    return series, json.loads(made.stdout)


def peer(path, model, series, season, horizon):
    made = subprocess.run([sys.executable, HERE / "forecast_peer.py", path, "t", str(series), model, str(season), str(horizon)],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(made.stdout)["seconds"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--peers", action="store_true")
    arguments.add_argument("--scale", type=float, default=1, help="of the number of series")
    arguments = arguments.parse_args()
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("this system does not tell of processes whose parent is gone")
    print("| series | values | method | seconds | ms a series | MB | statsforecast, ms a series | times |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (_, length, _, season, horizon, methods) in TABLES.items():
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            path = folder / "series.db"
            series = make_table(path, name, arguments.scale)
            for method, more, model in methods:
                seconds, megabytes = train(arguments.build, path, folder, method, more, horizon)
                ours = seconds / series * 1000
                shown = "|"
                if arguments.peers and model:
                    some = min(series, PEER_SERIES)
                    theirs = peer(path, model, some, season, horizon) / some * 1000
                    shown = f"{theirs:.2f} | {theirs / ours:.1f}"
                called = f"{method} {more}".strip()
                print(f"| {series} {name} | {length} | {called} | {seconds:.1f} | {ours:.2f} | {megabytes:.0f} | {shown} |",
                      flush=True)
    with tempfile.TemporaryDirectory() as made:
        series, found = look_up(arguments.build, pathlib.Path(made), arguments.scale)
    print(f"\n| one of {series} series, in a new connection | ms | MB |\n|---|---|---|")
    for name, (milliseconds, megabytes) in zip(("first", "eighth", "ninth", "tenth"), (found[0], *found[7:10])):
        print(f"| {name} | {milliseconds:.2f} | {megabytes:.1f} |")


main()
