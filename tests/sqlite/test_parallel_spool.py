"""Whole tables are read by several connections at once: the same model, the same rows."""

import os
import re
import signal
import sqlite3
import subprocess
import threading
import unittest

from harness import DEADLINE, EXTENSION, PROGRAM, Case, main, state_of, wait_for

ROWS = 30000
TRAIN = ("{select} TO TRAIN LinearClassifier WITH train.epoch = 1, train.batch_size = 1000, train.test_size = 0, "
         "train.verbose = 2{more} LABEL y INTO m")
SEVERAL = re.compile(r"rows are read by \d+ readers")


def fill(database, create="CREATE TABLE t(a REAL, b INTEGER, c TEXT, y INTEGER)", rows=ROWS,
         insert="INSERT INTO t(a, b, c, y)"):
    database.execute(create)
    database.execute(
        f"""{insert} WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n
            WHERE i < {rows - 1})
            SELECT CASE WHEN i % 17 THEN (i * 7919 % 1009) / 8.0 END, i * 31 % 101,
                   CASE WHEN i % 13 THEN 'word ' || i % 29 END, i * 7919 % 1009 > 500 FROM n""")
    database.commit()


def stands_still(pid):
    """All of its threads."""
    return all(state_of(f"{pid}/task/{task}") in ("T", "Z", None) for task in os.listdir(f"/proc/{pid}/task"))


def hide_a(action, table, column, schema, trigger):
    """An authorizer that makes NULL of the column a of t."""
    is_hidden = action == sqlite3.SQLITE_READ and (table, column) == ("t", "a")
    return sqlite3.SQLITE_IGNORE if is_hidden else sqlite3.SQLITE_OK


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one processor has one reader")
class ParallelSpool(Case):
    def setUp(self):
        super().setUp()
        self.plain = sqlite3.connect(self.path)
        self.addCleanup(self.plain.close)

    def train(self, select, more="", before=()):
        arguments = [self.path]
        for statement in (*before, TRAIN.format(select=select, more=more)):
            arguments += ["-c", statement]
        return self.run_program(*arguments)

    def trained(self, select, **options):
        """How it was read, the model's digest and its rows."""
        done = self.train(select, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        meta = self.plain.execute("SELECT json_extract(data, '$.digest'), "
                                  "json_extract(data, '$.rows') FROM m WHERE part = 'meta'")
        digest, rows = meta.fetchone()
        return re.search(r"rows are read by .*", done.stderr)[0], digest, rows

    def check_one_reader(self, select, reason, **options):
        self.assertIn(reason, self.trained(select, **options)[0])

    def test_the_model_is_that_of_one_reader(self):
        fill(self.plain)
        how, digest, rows = self.trained("SELECT * FROM t")
        self.assertRegex(how, SEVERAL)
        plain_how, plain_digest, plain_rows = self.trained("SELECT * FROM t LIMIT -1")
        self.assertIn("one reader: the SELECT is more than the columns of one table", plain_how)
        self.assertEqual((digest, rows), (plain_digest, plain_rows))

    def check_as_one_reader(self, select):
        how, digest, rows = self.trained(select)
        self.assertRegex(how, SEVERAL)
        self.assertEqual(self.trained(f"{select} LIMIT -1")[1:], (digest, rows))

    def test_a_table_of_more_columns_than_a_function_has_arguments(self):
        names = [f"x{i}" for i in range(140)]
        fill(self.plain, f"CREATE TABLE t(a REAL, b INTEGER, c TEXT, y INTEGER, "
             f"{' REAL, '.join(names)} REAL)", rows=25001)
        self.plain.execute("UPDATE t SET " + ", ".join(f"{name} = rowid * {i} % 101 / 4.0"
                                                       for i, name in enumerate(names)))
        self.plain.commit()
        self.check_as_one_reader("SELECT * FROM t")
        self.spread()
        self.check_as_one_reader("SELECT * FROM t")

    def spread(self):
        """Sixty rows far from each other, and all others side by side among them."""
        self.plain.execute("UPDATE t SET rowid = CASE WHEN rowid <= 60 THEN (rowid - 30) << 57 "
                           "ELSE (1 << 61) + 12345 + rowid END")
        self.plain.commit()

    def test_a_crowd_among_far_rowids_loses_no_row(self):
        fill(self.plain, rows=60000)
        self.spread()
        self.check_as_one_reader("SELECT * FROM t")

    def test_values_of_every_type_in_every_column(self):
        """SQLite stores what it is given: integers, numbers as texts, NULL, in any column."""
        fill(self.plain, "CREATE TABLE t(a, b, c, y INTEGER)")
        self.plain.executescript(
            """UPDATE t SET a = CAST(a AS INTEGER) WHERE rowid % 5 = 1;
               UPDATE t SET a = CAST(a AS TEXT) WHERE rowid % 5 = 2;
               UPDATE t SET a = ' ' WHERE rowid % 700 = 3;
               UPDATE t SET b = b + 0.0, c = rowid % 3 WHERE rowid % 5 = 3;
               UPDATE t SET b = NULL, c = rowid % 3 + 0.5 WHERE rowid % 5 = 4;""")
        self.check_as_one_reader("SELECT c, y, a, b FROM t")
        self.check_as_one_reader("SELECT a, y FROM t")

    def test_columns_of_one_name_are_told_apart(self):
        fill(self.plain)
        self.check_as_one_reader("SELECT a AS c0, b AS c1, a AS x, y FROM t")

    def test_holes_and_far_rowids_lose_no_row(self):
        fill(self.plain)
        self.plain.execute("DELETE FROM t WHERE rowid BETWEEN 100 AND 9000 OR rowid % 7 = 0")
        self.plain.execute("UPDATE t SET rowid = -9223372036854775807 - 1 WHERE rowid = 1")
        self.plain.execute("UPDATE t SET rowid = 9223372036854775807 WHERE rowid = 2")
        self.plain.commit()
        how, digest, rows = self.trained("SELECT * FROM t")
        self.assertRegex(how, SEVERAL)
        self.assertEqual(self.trained("SELECT * FROM t LIMIT -1")[1:], (digest, rows))

    def test_names_of_every_spelling_are_read_in_parallel(self):
        fill(self.plain)
        for select in ('SELECT a, "b" AS n, [y] FROM main.t', "select `a`,y from T"):
            self.assertRegex(self.trained(select)[0], SEVERAL, select)

    def test_a_column_called_rowid_is_no_rowid(self):
        fill(self.plain, "CREATE TABLE t(rowid REAL, oid INTEGER, c TEXT, y INTEGER)",
             insert="INSERT INTO t(rowid, oid, c, y)")
        how, digest, rows = self.trained("SELECT * FROM t")
        self.assertRegex(how, SEVERAL)
        self.assertEqual(self.trained("SELECT * FROM t LIMIT -1")[1:], (digest, rows))

    def test_what_is_no_plain_scan_is_read_by_one(self):
        fill(self.plain)
        self.plain.executescript(
            """CREATE VIEW v AS SELECT * FROM t;
               CREATE TABLE w(k INTEGER PRIMARY KEY, a REAL, y INTEGER) WITHOUT ROWID;
               INSERT INTO w SELECT rowid, a, y FROM t;
               CREATE TABLE g(a REAL, d REAL AS (a * 2), y INTEGER);
               INSERT INTO g(a, y) SELECT a, y FROM t;
               CREATE TABLE few(a REAL, y INTEGER);
               INSERT INTO few SELECT a, y FROM t LIMIT 1000;""")
        for select in ("SELECT a + 1 AS a, y FROM t", "SELECT DISTINCT a, y FROM t",
                       "SELECT a, y FROM t LIMIT 25000", "SELECT t.a, t.y FROM t",
                       "SELECT a, y FROM t ORDER BY a", "SELECT a, y FROM (t)",
                       "SELECT x.a, x.y FROM t AS x", "SELECT a, y FROM t UNION ALL SELECT a, y FROM t",
                       "WITH t AS (SELECT * FROM few) SELECT a, y FROM t"):
            self.check_one_reader(select, "more than the columns of one table")
        self.check_one_reader("SELECT a, y FROM v", "it is no table")
        self.check_one_reader("SELECT a, y FROM w", "no rowid")
        self.check_one_reader("SELECT a, d, y FROM g", "computed or hidden")
        self.check_one_reader("SELECT a, y FROM few", "the table is small")
        self.check_one_reader("SELECT a, y FROM t", "in order", more=", train.shuffle = false")

    def check_some(self, where):
        how, digest, rows = self.trained(f"SELECT * FROM t WHERE {where}")
        self.assertRegex(how, SEVERAL, where)
        one_reader = self.trained(f"SELECT * FROM t WHERE {where} LIMIT -1")
        self.assertIn("one reader", one_reader[0])
        self.assertEqual(one_reader[1:], (digest, rows), where)

    def test_rows_that_a_where_chooses(self):
        fill(self.plain)
        self.plain.execute("CREATE INDEX of_b ON t(b)")
        self.plain.execute("UPDATE t SET a = NULL WHERE rowid % 11 = 0")
        self.plain.commit()
        for where in ("true", "rowid <= 21000", "rowid > 3000 and _rowid_ < 28000", "rowid % 10 <> 1",
                      "a > 0.25 OR a IS NULL -- the rest\n", "c = 'x' OR NOT b - 1 < 7", "t.a = a AND y IN (0, 1)",
                      "(c > 'k' AND a BETWEEN 1 AND 1e9) OR oid < 25000"):
            self.check_some(where)

    def test_a_where_that_other_connections_may_read_otherwise_is_read_by_one(self):
        fill(self.plain)
        self.plain.executescript("""CREATE TABLE n(a REAL, c TEXT COLLATE NOCASE, y INTEGER);
                                    INSERT INTO n SELECT a, c, y FROM t;
                                    CREATE INDEX of_a ON n(a, y);""")
        for where in ("abs(a) >= 0", "c LIKE '%'", "(a = NULL) IS NULL", "random() <> 1", "a > (SELECT min(a) FROM n)",
                      "y IN (SELECT y FROM n)", "a > 0 GROUP BY b", "a > 0 ORDER BY b", "a > 0 LIMIT 25000",
                      "c <> 'q' COLLATE RTRIM", "CAST(c AS TEXT) <> 'q'", "EXISTS (SELECT 1)"):
            self.assertIn("one reader: ", self.trained(f"SELECT * FROM t WHERE {where}")[0], where)
        self.check_one_reader("SELECT a, y FROM n WHERE c <> 'q'", "the WHERE does more than compare")

    def test_rows_that_only_the_session_sees_are_read_by_it(self):
        fill(self.plain)
        how, _, rows = self.trained("SELECT a, y FROM t",
                                    before=["CREATE TEMP TABLE t AS SELECT * FROM main.t "
                                            "WHERE rowid <= 25000"])
        self.assertIn("not in a file", how)
        self.assertEqual(rows, 25000)
        done = self.train("SELECT a, y FROM t", before=["BEGIN", "DELETE FROM t WHERE rowid > 25000"])
        self.assertIn("one reader: a transaction is open", done.stderr)
        self.assertIn("25000", done.stdout)

    def test_a_column_that_is_hidden_stays_hidden(self):
        fill(self.plain)
        database = self.connect()
        train = TRAIN.format(select="SELECT a, b, y FROM t", more="")
        database.execute(train).fetchall()
        open_digest = self.digest(database, "m")
        database.set_authorizer(hide_a)
        database.execute(train).fetchall()
        self.assertNotEqual(self.digest(database, "m"), open_digest)

    def test_a_column_that_is_hidden_from_a_where_stays_hidden(self):
        fill(self.plain)
        database = self.connect()
        database.set_authorizer(hide_a)
        with self.assertRaisesRegex(sqlite3.Error, "no rows"):
            database.execute(TRAIN.format(select="SELECT b, y FROM t WHERE a > -1e9", more="")).fetchall()

    def test_another_writer_means_one_reader(self):
        fill(self.plain)
        self.plain.execute("PRAGMA journal_mode = WAL")
        self.plain.execute("ALTER TABLE t ADD COLUMN one INTEGER DEFAULT 1")
        self.plain.execute("BEGIN IMMEDIATE")
        done = self.run_program(":memory:", "-c", f"ATTACH '{self.path}' AS data", "-c",
                                TRAIN.format(select="SELECT a, one AS y FROM data.t", more=""))
        self.plain.rollback()
        self.assertIn("one reader: another connection is writing", done.stderr)
        self.assertIn("A classifier needs rows of two classes", done.stderr)  # not published: that would wait

    def test_a_value_that_is_refused_is_named_with_its_row(self):
        fill(self.plain)
        self.plain.execute("UPDATE t SET a = 'abc' WHERE rowid IN (20000, 29000)")
        self.plain.commit()
        done = self.train("SELECT a, y FROM t")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("one reader: a value was refused", done.stderr)
        self.assertIn("row 20000: column \"a\" holds 'abc'", done.stderr)

    def test_a_page_that_is_broken_is_an_error(self):
        fill(self.plain)
        size = self.plain.execute("PRAGMA page_size").fetchone()[0]
        leaf = b"\x0d"  # a leaf page of a table
        with open(self.path, "r+b") as file:
            pages = range(os.path.getsize(self.path) // size // 2 * size,
                          os.path.getsize(self.path), size)
            file.seek(next(at for at in pages if os.pread(file.fileno(), 1, at) == leaf))
            file.write(b"\xff" * 100)
        done = self.train("SELECT * FROM t")
        self.assertEqual(done.returncode, 1)
        self.assertIn("malformed", done.stderr)
        self.assertEqual(self.jobs_with("job.json"), [])

    def jobs_with(self, name):
        return list(self.state.glob(f"jobs/*/{name}"))

    def stopped_while_it_reads(self, command, text=None):
        """A process that stands still between its first row and its last."""
        for attempt in range(50):
            self.state = self.folder / f"state-{attempt}"
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env=dict(os.environ, TOTRAIN_STATE=str(self.state)))
            self.addCleanup(self.end, process)
            if text:
                process.stdin.write(text)
                process.stdin.flush()
            wait_for(lambda: any(spool.stat().st_size for spool in self.jobs_with("train*.spool")), "the first rows")
            process.send_signal(signal.SIGSTOP)
            wait_for(lambda: stands_still(process.pid), "the stop")
            if not self.jobs_with("job.json"):  # it comes when all rows are read
                return process
            self.end(process)
        self.fail("never met while it reads")

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def check_interrupted(self, command, text=None):
        fill(self.plain, rows=400000)
        process = self.stopped_while_it_reads(command, text)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=DEADLINE)
        self.assertIn("interrupted", err)
        self.assertEqual(self.jobs_with("*"), [])
        return process.returncode

    def test_ctrl_c_while_the_rows_are_read(self):
        self.assertEqual(self.check_interrupted([PROGRAM, self.path, "-c", TRAIN.format(
            select="SELECT * FROM t", more="")]), 130)

    def test_ctrl_c_in_the_shell_while_the_rows_are_read(self):
        self.check_interrupted(["sqlite3", self.path], f".load {EXTENSION}\n" + TRAIN.format(
            select="SELECT * FROM t", more="") + ";\n")

    def check_one_state(self, mode):
        """Each transaction moves 500 rows; none may be seen in part."""
        fill(self.plain, rows=25000)
        self.plain.execute(f"PRAGMA journal_mode = {mode}")
        done = threading.Event()
        commits, readings = [], []

        def was_parallel(reading):
            return SEVERAL.search(reading.stderr)

        def write():
            writer = sqlite3.connect(self.path, timeout=60)
            while not done.is_set():
                first = 1 + 500 * (len(commits) % 40)
                with writer:
                    writer.execute("INSERT INTO t(a, b, c, y) SELECT a, b, c, y FROM t "
                                   "WHERE rowid <= 500")
                    writer.execute("INSERT INTO t(a, b, c, y) SELECT a, b, c, y FROM t "
                                   "WHERE rowid <= 500")
                    writer.execute("DELETE FROM t WHERE rowid IN (SELECT rowid FROM t "
                                   "ORDER BY rowid DESC LIMIT 500 OFFSET ?)", [first])
                commits.append(first)
                done.wait(0.05)  # publishing takes the lock, too, and must get its turn
            writer.close()

        thread = threading.Thread(target=write)
        thread.start()
        try:
            while len(readings) < 4 or not any(map(was_parallel, readings)):
                self.assertLess(len(readings), 100, "never read in parallel")
                readings.append(self.run_program(
                    ":memory:", "-c", f"ATTACH '{self.path}' AS data", "-c",
                    TRAIN.format(select="SELECT a, b, y FROM data.t", more=""), "-c",
                    "SELECT 'rows=' || json_extract(data, '$.rows') FROM m WHERE part = 'meta'"))
        finally:
            done.set()
            thread.join()
        for reading in readings:
            self.assertEqual(reading.returncode, 0, reading.stderr)
            rows = int(re.search(r"rows=(\d+)", reading.stdout)[1])
            self.assertEqual(rows % 500, 0)
            self.assertGreaterEqual(rows, 25000)
        self.assertGreater(len(commits), 0)

    def test_a_writer_meanwhile_is_seen_whole_or_not_with_a_wal(self):
        self.check_one_state("WAL")

    def test_a_writer_meanwhile_is_seen_whole_or_not_with_a_journal(self):
        self.check_one_state("DELETE")

    def test_an_extension_of_the_stock_library_reads_the_same(self):
        fill(self.plain)
        _, digest, _ = self.trained("SELECT * FROM t")
        database = self.connect()
        database.execute(TRAIN.format(select="SELECT * FROM t", more="")).fetchall()
        self.assertEqual(self.digest(database, "m"), digest)


if __name__ == "__main__":
    main()
