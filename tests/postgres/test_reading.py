"""How the program reads a table: by one connection or by several, whatever the order and place of its rows."""

import os
import signal
import sqlite3
import threading
import unittest

import program

COLUMNS = "a, b, c, d, y"
TRAIN = "SELECT {} TO TRAIN LinearClassifier WITH train.epoch = 1, train.test_size = 0, train.verbose = 2 LABEL y INTO m"
ROWS = 120000  # more pages than one reader is worth


class Reading(program.Case):
    settings = {"synchronize_seqscans": "on", "max_parallel_workers_per_gather": "2", "min_parallel_table_scan_size": "0",
                "parallel_setup_cost": "0", "parallel_tuple_cost": "0"}

    @classmethod
    def prepare(cls, connection):
        with connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION totrain; SELECT setseed(.5); CREATE TABLE t AS SELECT i AS a, random() AS b, "
                           "CASE WHEN i % 11 = 0 THEN NULL ELSE random()::float4 END AS c, 'word ' || i % 9 AS d, "
                           f"i % 2 AS y FROM generate_series(1, {ROWS}) i")

    def setUp(self):
        super().setUp()
        if program.harness.ONE_PROCESSOR:
            self.skipTest("one processor: there is one reader")

    hosts = None

    def environment(self, *arguments):
        found = super().environment(*arguments)
        return {**found, "PGHOST": self.hosts or found["PGHOST"]}

    def train(self, source=None, readers=2, before=""):
        done = self.run_program("-c", before + TRAIN.format(source or f"{COLUMNS} FROM t"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "rows are read by [2-8] readers" if readers > 1 else "rows are read by one reader")
        return self.digest("m")

    def test_one_reader_or_several(self):
        several = self.train()
        self.assertEqual(self.train(f"{COLUMNS} FROM t WHERE true", readers=1), several)
        self.assertEqual(self.train(f"{COLUMNS} FROM t", readers=1, before="BEGIN; "), several)
        self.assertEqual(self.train("* FROM public.t"), several)
        self.assertEqual(self.train('"a", b, C, d, y FROM "public" . T'), several)

    def test_shuffled_by_cluster(self):
        before = self.train()
        self.execute("CREATE INDEX shuffled ON t (b)")
        self.execute("CLUSTER t USING shuffled")
        self.assertEqual(self.train(), before)

    def test_partitioned_with_columns_in_another_order(self):
        before = self.train()
        self.execute("CREATE TABLE parts (a int, b float8, c float4, d text, y int) PARTITION BY RANGE (a)")
        self.execute("CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10000)")
        self.execute("CREATE TABLE parts_2 (y int, gone int, d text, c float4, b float8, a int); "
                     "ALTER TABLE parts_2 DROP COLUMN gone; "
                     "ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (10000) TO (10000000)")
        self.execute("INSERT INTO parts SELECT * FROM t")
        self.assertEqual(self.train("* FROM parts"), before)
        self.assertEqual(self.train("* FROM parts WHERE true", readers=1), before)

    def test_the_same_rows_in_sqlite(self):
        file = f"{self.folder}/t.db"
        database = sqlite3.connect(file)
        database.execute("CREATE TABLE t (a INTEGER, b REAL, c REAL, d TEXT, y INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", self.execute(f"SELECT a, b, c::float8, d, y FROM t"))
        database.commit()
        database.close()
        done = self.run_program("--format", "csv", "-c", TRAIN.format("* FROM t"), "-c", "SHOW MODELS FULL", address=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(self.train(), done.stdout)

    def test_pieces_are_read_by_tid_range_scans(self):
        counted = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 't'"
        self.execute("ANALYZE t")
        before = self.execute(counted)[0][0]
        self.train()
        program.harness.wait_for(lambda: self.execute(counted)[0][0] > before, "the statistics")  # statistics of the sample
        self.assertEqual(self.execute(counted)[0][0], before + 1)

    def test_all_readers_see_one_state(self):
        stop = threading.Event()

        def write():
            connection = self.connect(autocommit=False)
            while not stop.is_set():
                with connection.cursor() as cursor:
                    cursor.execute("DELETE FROM t WHERE a IN (SELECT a FROM t WHERE a > 0 ORDER BY ctid LIMIT 50); "
                                   "INSERT INTO t SELECT -i, 0, 0, 'new', 1 FROM generate_series(1, 50) i")
                connection.commit()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(5):
                self.train()
                rows = self.check("SHOW MODEL m")
                self.assertEqual([row["value"] for row in rows if row["name"] == "rows"], [ROWS])
        finally:
            stop.set()
            writer.join()

    def test_ctrl_c_ends_all_readers(self):
        self.execute("INSERT INTO t SELECT t.* FROM t, generate_series(1, 9)")  # long enough to be met
        readers = ("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%ctid%'")
        running = self.started("-c", TRAIN.format("* FROM t"))
        watcher = self.connect()
        with watcher.cursor() as cursor:
            def stop_one():
                cursor.execute(readers)
                found = cursor.fetchall()
                if found:
                    os.kill(found[0][0], signal.SIGSTOP)
                return found
            stopped = program.harness.wait_for(stop_one, "a reader")[0][0]
        running.send_signal(signal.SIGINT)
        os.kill(stopped, signal.SIGCONT)
        _, errors = running.communicate(timeout=program.DEADLINE)
        self.assertEqual(running.returncode, 130, errors)
        program.harness.wait_for(lambda: not self.execute(readers), "the end of the readers")
        self.assertEqual(self.tables(), {"t"})

    def test_rows_of_the_transaction_and_temporary_tables(self):
        self.check(f"BEGIN; INSERT INTO t SELECT * FROM t LIMIT 100; {TRAIN.format('* FROM t')}; COMMIT")
        self.assertEqual([row["value"] for row in self.check("SHOW MODEL m") if row["name"] == "rows"], [ROWS + 100])
        self.train("* FROM mine", readers=1, before="CREATE TEMP TABLE mine AS TABLE t; ")

    def test_of_several_hosts_the_one_that_was_reached(self):
        self.hosts = f"/nowhere,{self.server.socket}"
        self.train()

    def test_tables_that_inherit(self):
        self.execute("CREATE TABLE child () INHERITS (t); INSERT INTO child SELECT * FROM t LIMIT 1000")
        self.train(readers=1)
        self.assertEqual([row["value"] for row in self.check("SHOW MODEL m") if row["name"] == "rows"], [ROWS + 1000])

    def test_row_security_is_kept(self):
        self.execute("CREATE ROLE reader LOGIN; GRANT totrain_user TO reader; GRANT CREATE ON SCHEMA public TO reader; "
                     "GRANT SELECT ON t TO reader; ALTER TABLE t ENABLE ROW LEVEL SECURITY; "
                     "CREATE POLICY few ON t USING (a <= current_setting('mine.most')::int)")
        self.addCleanup(self.server.execute, "DROP ROLE reader")
        self.addCleanup(self.execute, "DROP OWNED BY reader")
        done = self.run_program("-c", f"SET mine.most = '1000'; {TRAIN.format('* FROM t')}", user="reader")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not all of its rows are yours to see", done.stderr)
        self.assertIn("1000", [str(row["value"]) for row in self.check("SHOW MODEL m") if row["name"] == "rows"])
        self.execute("DROP TABLE m")
        self.check(f"SET ROLE reader; SET mine.most = '500'; {TRAIN.format('* FROM t')}")
        self.assertIn("500", [str(row["value"]) for row in self.check("SHOW MODEL m") if row["name"] == "rows"])

    def test_a_value_that_is_refused_names_its_row(self):
        self.execute("INSERT INTO t VALUES (0, 'Infinity', 0, 'x', 1)")
        self.refused(TRAIN.format("* FROM t"), 2, "one reader: a value was refused", ': column "b" holds an infinite number')


if __name__ == "__main__":
    unittest.main(verbosity=2)
