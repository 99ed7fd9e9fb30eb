"""A hundred random kills of whoever is there, at random moments.

    test_random.py JOB_ROLES IRIS_CSV

After each sign of progress, so that no role exhausts its restarts, a number is drawn of the messages, writes and pauses that
a worker is to come by before the kill, and it has to be a sign from after the last kill. What is drawn comes from SEED;
where it hits depends on the machine.
The oracle is the digest of the undisturbed run with one worker.
"""

import os
import random
import signal
import sys
import unittest

import job as harness

KILLS = 100
# Under sanitizers, where a kill costs ten times as much, a quarter of them looks at the same code.
SHARE, LEAST = (4, 8) if harness.SLOW > 1 else (1, 0)
EPOCHS = 3000
ROUNDS = EPOCHS // harness.SLOW  # a round takes all rows, and under sanitizers long
SEED = 20240229
SECONDS = 10  # time that a job lasts at least, until everybody has been killed
TURNS = 75  # turns of a worker, at most, between the sign of progress and the kill: some ten steps


class RandomKillTest(harness.JobTest):
    kills = KILLS
    epochs = ROUNDS

    def kill_somebody(self, job, draw):
        """True when a role was killed that could have been in the middle of anything."""
        try:
            job.pass_turns(draw.randrange(TURNS))
            pids = sorted(job.children())
        except OSError:
            return False  # the supervisor is at its end
        if not pids:
            return False
        try:
            os.kill(draw.choice(pids), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def disturb(self, job, draw, most):
        """Kills until the job has ended; how many."""
        kills, step = 0, 0
        while job.event() is not None and job.last["event"] not in ("done", "failed"):
            if kills >= most:
                job.hurry()
            elif job.last["event"] == "progress" and job.last["step"] > step:
                step = job.last["step"]
                kills += self.kill_somebody(job, draw)
                # A line read next may have been written before: only a step that the books do not have yet is a sign
                # of life after this kill.
                step = max([step, *(row[0] for row in job.query("SELECT step FROM job"))])
        return kills

    def test_random_kills_leave_the_digest_as_it_is(self):
        draw = random.Random(SEED)
        expected = self.digest_of(self.epochs)
        kills = jobs = 0
        most = max(self.kills // SHARE, LEAST)
        while kills < most:
            workers = draw.randint(2, 4)
            job = self.job(workers, least=1, epochs=self.epochs, checkpoint=1, seconds=SECONDS)
            kills += self.disturb(job, draw, most - kills)
            jobs += 1
            with self.subTest(job=jobs, kills=kills, workers=workers):
                self.assertEqual(job.end(), 0, job.last)
                self.assertEqual(job.last["event"], "done")
                self.assertEqual(job.digest(), expected)
            self.assertLess(jobs, most, "jobs end before anybody can be killed")
        self.assertEqual(kills, most)


class RandomKillOfClustersTest(RandomKillTest):
    kind = "clusters"
    kills = 25


class RandomKillOfTreesTest(RandomKillTest):
    kind = "trees"
    epochs = ROUNDS
    kills = 25


class RandomKillOfWeightsTest(RandomKillTest):
    kind = "medians"
    epochs = ROUNDS
    kills = 15


class RandomKillOfQuantilesTest(RandomKillTest):
    kind = "quantiles"
    epochs = ROUNDS
    kills = 10


class RandomKillOfGroupsTest(RandomKillTest):
    kind = "rankings"
    epochs = ROUNDS
    kills = 15


class RandomKillOfSeriesTest(RandomKillTest):
    kind = "series"
    epochs = ROUNDS // 3  # a step fits many series
    kills = 15


class RandomKillOfSeriesTreesTest(RandomKillTest):
    kind = "series_trees"
    epochs = ROUNDS
    kills = 10


if __name__ == "__main__":
    harness.PROGRAM = os.path.abspath(sys.argv[1])
    harness.CSV = os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
