"""Two workers against one, computing as fast as they can, through the statement."""

import json
import os
import shutil
import subprocess

ROWS, BATCH, LANE_ROWS, HIDDEN, STEPS, PAIRS = 1000000, 4096, 64, (512, 256), 400, 3
ROUNDS = 60


def table(bench):
    """rows28 of bench/speed: made once for a build."""
    made = bench.build / "bench" / f"rows28-{ROWS}.db"
    generator = bench.build / "bench" / "generate"
    if not made.exists() or made.stat().st_mtime < generator.stat().st_mtime:
        unfinished = made.with_suffix(".tmp")
        unfinished.unlink(missing_ok=True)
        subprocess.run([generator, unfinished, "rows28", str(ROWS)], check=True)
        unfinished.rename(made)
    return made


def statement(workers, steps):
    return (f"SELECT * FROM rows28 TO TRAIN DNNClassifier WITH model.hidden_units = {list(HIDDEN)}, "
            f"train.batch_size = {BATCH}, train.epoch = 100, train.max_steps = {steps}, "
            f"job.lanes = {BATCH // LANE_ROWS}, job.min_workers = {workers}, "
            f"job.max_workers = {workers}, job.threads = 1 LABEL y INTO m;")


def trees(workers, rounds):
    return (f"SELECT * FROM rows28 TO TRAIN lightgbm.gbdt WITH objective = 'binary', num_leaves = 31, "
            f"train.num_boost_round = {rounds}, train.test_size = 0, job.min_workers = {workers}, "
            f"job.max_workers = {workers}, job.threads = 1 LABEL y INTO m;")


def step_times(bench, name, workers, steps, of=statement):
    """Milliseconds from step to step, ascending, without the first tenth; and the raw lines."""
    folder = bench.folder / name
    (folder / "trace").mkdir(parents=True)
    (folder / "state").mkdir()
    database = folder / "rows.db"
    shutil.copyfile(table(bench), database)
    subprocess.run([bench.program, database, "--progress=none", "-c", of(workers, steps)],
                   check=True, capture_output=True,
                   env={"PATH": "/usr/bin:/bin", "TOTRAIN_STATE": str(folder / "state"),
                        "TOTRAIN_TRACE": str(folder / "trace")})
    lines = [json.loads(line) for path in (folder / "trace").iterdir()
             for line in path.read_text().splitlines()]
    shutil.rmtree(folder)
    assert max(line["workers"] for line in lines) == workers
    first = {}  # step -> when the first worker had applied it
    for line in sorted(lines, key=lambda line: line["at"]):
        first.setdefault(line["step"], line["at"])
    times = [first[step] for step in range(max(steps // 10, 1), steps + 1)]
    return sorted((b - a) / 1000 for a, b in zip(times, times[1:])), lines


def compare(bench, name, steps, of):
    """The pair in the middle of three: how much faster two are, also among the fastest tenth; and both times."""
    pairs, raw = [], []
    for pair in range(PAIRS):
        found = []
        for workers in (1, 2):
            times, lines = step_times(bench, f"{name}-{pair}-{workers}", workers, steps, of)
            found.append(times)
            raw += [dict(line, pair=pair, event="applied") for line in lines]
        middle, tenth = (found[0][len(found[0]) * share // 100] / found[1][len(found[1]) * share // 100]
                         for share in (50, 10))
        pairs.append((middle, tenth, found[0][len(found[0]) // 2], found[1][len(found[1]) // 2]))
    with open(bench.out / f"{name}.jsonl", "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in raw)
    return sorted(pairs)[PAIRS // 2]


def run(bench):
    """One and two workers of one thread, not paced; the pair in the middle of three counts."""
    steps = max(int(STEPS * bench.scale), 50)
    middle, tenth, one, two = compare(bench, "scaling", steps, statement)
    setting = (f"DNN 28-{HIDDEN[0]}-{HIDDEN[1]}-1, {ROWS:,} rows, batch {BATCH}, "
               f"{BATCH // LANE_ROWS} lanes, {steps} steps, 1 thread a worker, not paced, "
               f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    return (setting, f"a step takes {one:.1f} ms with one worker, {two:.1f} ms with two: "
            f"{middle:.2f} x ({tenth:.2f} x among the fastest tenth, which nothing else disturbed)",
            middle >= 1.8)


def run_trees(bench):
    """One and two workers of one thread boost trees; the pair in the middle of three counts."""
    rounds = max(int(ROUNDS * bench.scale), 20)
    middle, tenth, one, two = compare(bench, "scaling-trees", rounds, trees)
    setting = (f"trees of 31 leaves and 256 bins, {ROWS:,} rows of 28 columns, {rounds} rounds, 1 thread a worker, "
               f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    return (setting, f"a round takes {one:.1f} ms with one worker, {two:.1f} ms with two: {middle:.2f} x "
            f"({tenth:.2f} x among the fastest tenth)", middle >= 1.7)
