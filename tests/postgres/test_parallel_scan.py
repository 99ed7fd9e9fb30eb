"""A large table is read by the backend and its parallel workers: the same rows, the same model."""

import os
import signal
import subprocess

import harness

ROWS = 200000
TABLE = (f"SELECT i AS id, sin(i) AS a, cos(i)::real AS b, i % 7 AS c, (i % 3)::numeric AS d, "
         f"CASE WHEN i % 5 > 0 THEN 'w' || i % 5 END AS e, i % 2 AS y FROM generate_series(1, {ROWS}) i")
TRAIN = ("SELECT a, b, c, d, e, y FROM {} TO TRAIN LinearClassifier WITH train.epoch = 1, train.test_size = 0, train.verbose = 2, "
         "train.batch_size = 4096 LABEL y INTO {};")


class ParallelScan(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute(f"CREATE TABLE big AS {TABLE}; ANALYZE big")
        cursor.execute(f"CREATE TABLE parted (LIKE big) PARTITION BY RANGE (id)")
        for i, (low, high) in enumerate((("MINVALUE", 70000), (70000, 130000), (130000, "MAXVALUE"))):
            cursor.execute(f"CREATE TABLE part_{i} (y int, e text, d numeric, id int, a float8, b real, c int); "
                           f"ALTER TABLE parted ATTACH PARTITION part_{i} FOR VALUES FROM ({low}) TO ({high})")
        cursor.execute("INSERT INTO parted SELECT * FROM big; ANALYZE parted")

    def train(self, table="big", model="m", before=""):
        """The processes that read the rows, and the digest."""
        done = self.psql(f"SET totrain.progress_interval = -1; {before} {TRAIN.format(table, model)}", "-v", "ON_ERROR_STOP=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        readers = [line for line in done.stderr.splitlines() if "rows are read by" in line]
        return readers[0].split("rows are read by ")[1], self.digest(model)

    @harness.unittest.skipIf(harness.ONE_PROCESSOR, "one processor: there is one reader")
    def test_the_model_is_that_of_one_reader(self):
        alone = self.train(before="SET max_parallel_workers_per_gather = 0;")
        self.assertEqual(alone[0], "one reader: max_parallel_workers_per_gather is 0")
        for table in ("big", "parted"):
            readers, digest = self.train(table)
            self.assertRegex(readers, r"^[2-9] readers$")
            self.assertEqual(digest, alone[1], table)

    @harness.unittest.skipIf(harness.ONE_PROCESSOR, "one processor: there is one reader")
    def test_uncommitted_rows_are_read(self):
        digests = []
        for workers in (2, 0):
            connection = self.connect(autocommit=False)
            cursor = connection.cursor()
            cursor.execute("DELETE FROM big WHERE id % 10 = 0; SAVEPOINT one; UPDATE big SET a = 1 WHERE id % 10 = 1; "
                           f"SET LOCAL max_parallel_workers_per_gather = {workers}")
            cursor.execute(f"SELECT detail FROM totrain.run($${TRAIN.format('big', 'm')}$$) WHERE name = 'rows'")
            self.assertEqual(int(cursor.fetchone()[0]), ROWS * 0.9)
            self.assertEqual(sum(f"by {workers} readers" in notice for notice in connection.notices), workers // 2)
            cursor.execute("SELECT digest FROM totrain.models")
            digests.append(cursor.fetchone())
            connection.rollback()
        self.assertEqual(digests[0], digests[1])

    def test_what_workers_may_not_see_is_read_alone(self):
        self.execute("CREATE VIEW seen AS SELECT * FROM big")
        readers, _ = self.train("seen")
        self.assertIn("one reader", readers)
        readers, _ = self.train("temporary", before="CREATE TEMP TABLE temporary AS SELECT * FROM big;")
        self.assertIn("one reader", readers)

    def test_a_value_that_is_refused_names_its_row(self):
        self.execute(f"UPDATE big SET e = 5; UPDATE big SET e = 'w' WHERE id = {ROWS}")
        done = self.psql(TRAIN.format("big", "m").replace("LABEL", "COLUMN a, NUMERIC(e) LABEL"))
        self.assertRegex(done.stderr, r'ERROR:  row \d+: column "e" holds')
        self.assertEqual(self.execute("SELECT * FROM totrain.models"), [])

    def test_an_error_of_a_worker_is_the_statements(self):
        """A page that cannot be read."""
        path = self.execute("SELECT pg_relation_filepath('big')")[0][0]
        self.execute("CHECKPOINT")
        self.server.stop(signal.SIGINT)
        with open(self.server.folder / "data" / path, "r+b") as file:
            file.seek(8192 * 900)
            file.write(b"\xff" * 8192)
        self.server.start()
        done = self.psql(TRAIN.format("big", "m"))
        self.assertIn("ERROR:  invalid page in block 900", done.stderr)
        self.check_nothing_runs()

    @harness.unittest.skipIf(harness.ONE_PROCESSOR, "one processor: there is one reader")
    def test_an_interrupt_ends_all_readers(self):
        self.execute("INSERT INTO big SELECT b.* FROM big b, generate_series(1, 9)")
        environment = {**os.environ, **self.server.variables(self.database)}
        with subprocess.Popen(["psql", "-Xq", "-c", TRAIN.format("big", "m")], text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as psql:
            harness.wait_for(lambda: self.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker'"),
                             "a parallel worker")
            psql.send_signal(signal.SIGINT)
            self.assertIn("ERROR:  canceling statement due to user request", psql.communicate()[1])
        harness.wait_for(lambda: not self.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker'"),
                         "the end of all readers")
        self.assertEqual(list(self.server.state.glob("*/*/jobs/*/*.spool")), [])


if __name__ == "__main__":
    harness.main()
