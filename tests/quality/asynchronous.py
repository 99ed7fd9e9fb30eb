"""Jobs over parameter servers learn as well under kills as those that nobody disturbs.

    asynchronous.py JOB_ROLES IRIS_CSV [RUNS]

Pushes come in another order each time, so one AUC tells little. RUNS (20) jobs are killed at random, and so many are
left alone: the 95 % interval of the difference of their means lies within NEAR of 0, or the script fails. `make test-full`
runs it; the tests that run for each commit count batches instead.
"""

import pathlib
import random
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cluster"), str(HERE.parent)]
import intervals  # noqa: E402
import job as harness  # noqa: E402
from test_server_kills import RandomKills, SEED  # noqa: E402

RUNS = 20
KILLS = 8  # a job
NEAR = .003  # difference of the AUC


def undisturbed():
    job = RandomKills.job(2, paced=False)
    assert job.end() == 0, job.last
    return RandomKills.auc_of(job)


def disturbed(case, draw):
    job = RandomKills.job(draw.randint(2, 4), draw.randint(1, 3), draw.choice((0, .2, .5)))
    kills = case.disturb(job, draw, KILLS, {})
    assert job.end() == 0, job.last
    assert kills > 0, "the job ended before anybody could be killed"
    return RandomKills.auc_of(job)


def main():
    harness.PROGRAM, harness.CSV = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else RUNS
    RandomKills.setUpClass()
    draw = random.Random(SEED)
    try:
        alone = [undisturbed() for _ in range(runs)]
        killed = [disturbed(RandomKills("kill_somebody"), draw) for _ in range(runs)]
    finally:
        RandomKills.doClassCleanups()
    least, most = intervals.of_difference(killed, alone)
    for what, found in (("that nobody disturbs", alone), ("under kills", killed)):
        print(f"AUC of {runs} jobs {what}: {statistics.mean(found):.5f}, deviation {statistics.stdev(found):.5f}")
    print(f"their difference: {least:+.5f} to {most:+.5f}")
    sys.exit(0 if -NEAR < least and most < NEAR else f"the difference may be {NEAR} or more")


if __name__ == "__main__":
    main()
