"""One inverted bit in a running job, again and again: what becomes of it, counted.

    flips.py BUILD [--runs N] [--seed S] [--kind KIND]... [--workers N]

A bit is inverted in the memory of one of three workers (weights, optimizer's slots, rows, sums ...), in a message,
in what is written to a file of the job, in the store of a job whose processes were killed before it goes on, or in
the tables of a PostgreSQL server that keep a job of a cluster (journals.py).
Every model that is in the database afterwards must be that of the undisturbed job. Otherwise the job ended with an
error and the old model is there. A hang or a wrong model is printed, and the exit code is 1.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sys.exit(__doc__)
os.environ["TOTRAIN_BUILD"] = str(BUILD)
sys.path.insert(0, str(ROOT / "tests" / "faults"))
import small_job  # noqa: E402  pylint: disable=wrong-import-position
del sys.modules["harness"]  # SQLite's; journals imports PostgreSQL's
import journals  # noqa: E402  pylint: disable=wrong-import-position

STATEMENT = ("SELECT {columns} FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = {epochs}, "
             "train.batch_size = 32, train.seed = {seed}, job.lanes = 6, job.min_workers = {workers}, {more}"
             "job.checkpoint_seconds = 0.01 LABEL class INTO m;")
WORKERS, EPOCHS = 3, 6
STEPS = 5 * EPOCHS
MEMORY = ("weights", "slots", "rows", "labels", "order", "transposed", "sums", "integers", "reals", "message")
POINTS = ("begin", "after_partial", "after_sum", "before_apply", "after_apply", "publishing")
KINDS = [f"memory {name}" for name in MEMORY] + ["send of worker", "send of master", "write of master", "write of session",
                                                 "store at rest", "spec at rest", *journals.KINDS]
SENDS = {"worker": 150, "master": 25}  # messages of one role in such a job, about
WRITES = {"master": 120, "session": 8}


def statement(seed=2, more="", workers=WORKERS):
    return STATEMENT.format(columns="*", epochs=EPOCHS, seed=seed, more=more, workers=workers)


class Place(small_job.Place):
    """The run for failing calls, with three workers."""

    def train(self, path, seed):
        run = small_job.Run(self, "undisturbed", path=path, statement=statement(seed))
        run.start({})
        code, errors = run.end()
        assert code == 0, errors
        run.remove()
        return small_job.digest_of(path)


def environment_of(run, kind, chance):
    what, _, rest = kind.partition(" ")
    library = {"LD_PRELOAD": small_job.library("failing_calls"), "TOTRAIN_CALLS": str(run.calls)}
    bit = chance.randrange(1 << 24)
    if what == "memory":
        point = chance.choice(POINTS if rest != "message" else POINTS[:2])
        step = f"step={chance.randrange(STEPS)}," if point != "publishing" else ""
        return {**library, "TOTRAIN_FAULT": f"role=worker,index={chance.randrange(WORKERS)},{step}attempt=0,"
                                            f"point={point},flip={rest},bit={bit}"}
    role = rest.split()[-1]
    most = (SENDS if what == "send" else WRITES)[role]
    return {**library, "TOTRAIN_FLIP": f"role={role},call={what},at={chance.randrange(1, most)},bit={bit}"}


def was_inverted(run):
    return "is inverted" in run.log() or "inverted in" in run.failed()


def outcome_of(place, run, kind, code, errors):
    """right, error, or what is wrong."""
    if code is None:
        return "WRONG: it does not end"
    digest = small_job.digest_of(run.path)
    if run.crashes() and not kind.startswith("memory"):
        return "WRONG: somebody crashed: " + run.crashes()[0]
    if run.crashes() and digest == place.new and code == 0:
        return "right, after a crash"  # the crashed worker's own memory had been inverted
    if digest == place.new:
        return "right" if code == 0 else "right, with an error"
    if code == 0 or digest != place.old:
        return f"WRONG: exit code {code}, another model"
    return "error" if small_job.said_error(errors) else "WRONG: no error is said"


def disturb_while_it_runs(place, kind, chance):
    run = small_job.Run(place, kind.replace(" ", "-"), statement=statement())
    run.start(environment_of(run, kind, chance))
    code, errors = run.end()
    outcome = outcome_of(place, run, kind, code, errors)
    return run, "nothing was inverted" if outcome == "right" and not was_inverted(run) else outcome, errors


def disturb_at_rest(place, kind, chance):
    """A detached job is killed after a checkpoint, its store is changed, and it goes on."""
    run = small_job.Run(place, "at-rest", statement=statement(more="job.wait = false, "))
    run.start({"TOTRAIN_PACE": "us=2000"})
    code, errors = run.end()
    assert code == 0, errors
    folder = next(run.state.glob("jobs/*"))
    small_job.wait_for(lambda: "checkpoint: step" in run.log(), "a checkpoint")
    run.end_what_is_left()
    run.wait_until_gone()
    names = ("job.json",) if kind == "spec at rest" else ("job.db", "job.db-wal", "train.spool")
    file = chance.choice([folder / name for name in names if (folder / name).exists() and (folder / name).stat().st_size])
    content = bytearray(file.read_bytes())
    bit = chance.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)
    run.follow(folder.name)
    code, errors = run.end()
    run.wait_until_gone()
    digest = small_job.digest_of(run.path)
    errors = f"{file.name}, bit {bit}: {errors}"
    if code is None:
        return run, "WRONG: it does not end", errors
    if digest == place.new:
        return run, "right" if code == 0 else "right, with an error", errors
    return run, "error" if code and digest == place.old else f"WRONG: exit code {code}, another model", errors


def attempt(place, kind, seed):
    chance = random.Random(seed)
    if kind in journals.KINDS:
        return kind, *journals.Job(seed).attempt(kind, chance)
    disturb = disturb_at_rest if kind.endswith("at rest") else disturb_while_it_runs
    run, outcome, said = disturb(place, kind, chance)
    try:
        if not outcome.startswith("WRONG"):
            return kind, outcome, said
        log = "\n".join(line for line in run.log().splitlines() if re.search("fault:|warn|error|replaced|restored", line))
        return kind, outcome, f"{said}\n{run.failed()}{log}"
    finally:
        run.end_what_is_left()
        shutil.rmtree(run.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--workers", type=int, default=2, help="runs side by side")
    parser.add_argument("--verbose", action="store_true", help="what was said in each run")
    options = parser.parse_args()
    kinds = options.kind or KINDS
    place = Place()
    if set(kinds) & set(journals.KINDS):
        journals.Job.setUpClass()
    started, counts, wrong = time.monotonic(), {kind: {} for kind in kinds}, 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            runs = [(kinds[turn % len(kinds)], options.seed * 1000003 + turn) for turn in range(options.runs)]
            for kind, outcome, said in pool.map(lambda one: attempt(place, *one), runs):
                name = outcome.split(":")[0]
                counts[kind][name] = counts[kind].get(name, 0) + 1
                wrong += outcome.startswith("WRONG")
                if outcome.startswith("WRONG") or options.verbose:
                    print(f"{kind}: {outcome}\n{said}\n", flush=True)
    finally:
        place.remove()
        journals.Job.doClassCleanups()
    names = sorted({name for kind in kinds for name in counts[kind]})
    print(f"{'':18}" + "".join(f"{name:>22}" for name in names))
    for kind in kinds:
        print(f"{kind:18}" + "".join(f"{counts[kind].get(name, 0):22}" for name in names))
    print(f"{options.runs} bits in {time.monotonic() - started:.0f} s, {wrong} of them wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
