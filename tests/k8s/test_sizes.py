"""Workers of a job of which nothing but the most is said, beside fixed numbers of them: DLRover's cold start.

Three kinds of jobs, each of a minute or more at its best fixed number: rows that take their time, which more workers
share; a small network with an exchange that takes longer than its sums; boosted trees. Then the first run with one to four
workers, and the second, which knows what the first has measured. Times are reported; models are the same.
TOTRAIN_SIZES: part of the rows' work (1).
"""

import os
import sys

import harness
import test_train
from harness import Stopwatch

PART = float(os.environ.get("TOTRAIN_SIZES", "1"))
MOST = 4
CLUSTER = ", job.where = 'kubernetes', job.worker_cpu = 0.1, job.worker_memory = '256Mi'"
PACED = ("SELECT * FROM points TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.test_size = 0, train.epoch = {work}, "
         "train.batch_size = 1000, job.lanes = 8{more} LABEL class INTO {model};")
SMALL = ("SELECT * FROM many TO TRAIN DNNClassifier WITH model.hidden_units = [48, 24], train.test_size = 0, train.epoch = {work}, "
         "train.batch_size = 512, job.lanes = 8{more} LABEL class INTO {model};")
TREES = ("SELECT * FROM many TO TRAIN XGBClassifier WITH train.num_boost_round = {work}, max_depth = 6, train.test_size = 0, "
         "job.lanes = 8{more} LABEL class INTO {model};")


class Sizes(test_train.Case):
    def prepare_server(self):
        super().prepare_server()
        self.server.execute("CREATE TABLE many AS SELECT g % 3 AS class, g % 3 + sin(g) AS a, g % 3 * 2 + cos(g) AS b, "
                            "g % 5 AS c, g % 7 AS d, sin(g * 2) AS e, cos(g * 3) AS f FROM generate_series(1, 60000) g; "
                            "GRANT SELECT ON many TO alice")

    def test_rows_that_take_their_time(self):
        self.compare("rows that take their time", PACED, 40, test_train.PACED)

    def test_a_small_network(self):
        self.compare("a small network", SMALL, 2000)

    def test_trees(self):
        self.compare("boosted trees", TREES, 300)

    def compare(self, what, text, work, image=test_train.IMAGE):
        self.server.execute(f"ALTER SYSTEM SET totrain.images = '{image}'")
        self.server.execute("SELECT pg_reload_conf()")
        self.text, self.work, self.digests = text, max(round(work * PART), 2), set()
        fixed = {count: self.run_job(f"fixed_{count}", f", job.min_workers = {count}, job.max_workers = {count}")
                 for count in (1, 2, MOST)}
        found = [self.run_job("found", f", job.max_workers = {MOST}") for _ in range(2)]
        best = min(fixed.values())
        for count, seconds in fixed.items():
            self.report(f"{what}: {count} workers", seconds)
        for run, seconds in zip(("first", "second"), found):
            self.report(f"{what}: numbers found by the job, {run} run", seconds)
            self.report(f"{what}: {run} run beside the best fixed number", f"{seconds / best:.2f}")
        self.assertEqual(len(self.digests), 1)

    def run_job(self, model, more):
        watch = Stopwatch()
        done = self.psql(self.text.format(work=self.work, more=CLUSTER + more, model=model))
        took = watch.read()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.digests.add(self.digest(model))
        return took


if __name__ == "__main__":
    if not harness.FULL:
        print("skipped: in the full form alone (make test-k8s-full)")  # half an hour
        sys.exit(77)
    harness.main()
