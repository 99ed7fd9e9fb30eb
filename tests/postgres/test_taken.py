"""A worker of a job in tables takes the bytes of its rows out of them, and not the whole input."""

import re

import staged
from staged import harness

ROWS = 400_000
WORKERS = 4
TRAIN = ("SELECT * FROM measured TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 2, "
         "train.batch_size = 4096, train.test_size = {held_out}, job.lanes = 8, job.min_workers = {workers}, "
         "job.max_workers = {workers}, train.shuffle = {shuffle} LABEL class INTO iris_model;")


def train(held_out=0, workers=WORKERS, shuffle="true"):
    return TRAIN.format(held_out=held_out, workers=workers, shuffle=shuffle)


class Taken(staged.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE measured AS SELECT g % 3 AS class, 'c' || g % 50 AS colour, "
                       + ", ".join(f"sin(g * {i + 1}) + g % 3 AS x{i}" for i in range(6))
                       + f" FROM generate_series(1, {ROWS}) g; GRANT SELECT ON measured TO alice, bob")

    def run_job(self, text, workers=WORKERS):
        """The bytes that the workers took together, the bytes of all rows, and the number of workers."""
        job = self.stage(text)
        size, = self.execute(f"SELECT sum(octet_length(bytes)) FROM totrain_jobs.input_{job}")[0]
        master = self.master(job)
        roles = [self.worker(job, i, master.address()) for i in range(workers)]
        self.check_done(job, master, self.expected(text))
        took = []
        for role in roles:
            self.assertEqual(role.end(), 0, role.log.text())
            took += re.findall(r"took (\d+) bytes of (\d+) of the job's rows", role.log.text())
        self.assertLessEqual({int(of) for _, of in took}, {int(size)})
        groups = master.log.text().count(" group: epoch ")  # lanes may have moved with each new one
        return sum(int(count) for count, _ in took), int(size) * groups, len(took)

    def check_taken_once(self, text):
        took, size, workers = self.run_job(text)
        self.assertEqual(workers, WORKERS)
        self.assertLessEqual(took, 1.2 * size)
        self.assertGreater(took, 0.8 * size / WORKERS)

    def test_workers_take_the_table_once_together(self):
        self.check_taken_once(train())

    def test_the_same_with_rows_that_are_held_out(self):
        self.check_taken_once(train(held_out=0.05))

    def test_rows_in_the_order_of_the_select_are_fetched_by_everybody(self):
        took, _, workers = self.run_job(train(shuffle="false", workers=2), workers=2)
        self.assertEqual((took, workers), (0, 0))

    def test_a_worker_says_what_is_missing(self):
        job = self.stage(train(workers=1))
        self.execute(f"DELETE FROM totrain_jobs.input_{job} WHERE piece = "
                     f"(SELECT max(piece) FROM totrain_jobs.input_{job} WHERE file = 'train.spool')")
        worker = self.worker(job, 0, self.master(job).address())
        worker.wait_log("pieces of the job's rows are missing from its input")


if __name__ == "__main__":
    harness.main()
