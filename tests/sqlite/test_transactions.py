"""Transactions, locks, and what others can do meanwhile."""

import os
import re
import sqlite3
import subprocess
import threading

import harness

TRAIN = ("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m")


class Transactions(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect(isolation_level=None)

    def test_rolling_back_leaves_no_model(self):
        self.database.execute("BEGIN")
        self.database.execute(TRAIN).fetchall()
        self.assertEqual(len(self.database.execute("SHOW MODELS").fetchall()), 1)
        self.database.execute("ROLLBACK")
        self.assertEqual(self.tables(self.database), {"iris"})
        self.assertEqual(self.database.execute("SHOW MODELS").fetchall(), [])

    def test_committing_keeps_it_and_what_came_before(self):
        self.database.execute("BEGIN")
        self.database.execute("INSERT INTO iris SELECT * FROM iris")
        rows = harness.facts(self.database.execute(TRAIN))
        self.assertEqual(rows["rows"], 300)  # uncommitted rows are seen
        self.assertTrue(self.database.in_transaction)
        self.database.execute("COMMIT")
        self.assertEqual(len(self.connect().execute("SHOW MODELS").fetchall()), 1)

    def test_a_failing_statement_leaves_the_users_transaction_open(self):
        self.database.execute("BEGIN")
        self.database.execute("INSERT INTO iris SELECT * FROM iris")
        with self.assertRaises(sqlite3.OperationalError):
            self.database.execute("SELECT * FROM iris WHERE class = 1 TO TRAIN LinearClassifier "
                                  "LABEL class INTO m")
        self.assertTrue(self.database.in_transaction)
        self.database.execute("COMMIT")
        self.assertEqual(self.database.execute("SELECT count(*) FROM iris").fetchone(), (300,))

    def test_savepoints_of_the_user_work(self):
        self.database.execute("SAVEPOINT a")
        self.database.execute(TRAIN).fetchall()
        self.database.execute("ROLLBACK TO a")
        self.database.execute("RELEASE a")
        self.assertEqual(self.database.execute("SHOW MODELS").fetchall(), [])

    def insert_while_training(self, mode):
        self.database.execute(f"PRAGMA journal_mode = {mode}")
        database = self.connect(isolation_level=None, check_same_thread=False)
        failure, result = [], []

        def train():
            try:
                statement = re.sub(r"epoch = \d+", "epoch = 40", harness.TRAIN_LONG)
                result.extend(database.execute(statement).fetchall())
            except sqlite3.Error as error:
                failure.append(error)

        self.pace()
        thread = threading.Thread(target=train)
        thread.start()
        self.wait_until_training()
        self.database.execute("INSERT INTO iris SELECT * FROM iris LIMIT 10")
        self.hurry(lambda: not thread.is_alive(), "the end of the training")
        thread.join()
        self.assertEqual(failure, [])
        self.assertEqual(harness.facts(result)["rows"], 150)
        self.assertEqual(self.database.execute("SELECT count(*) FROM iris").fetchone(), (160,))

    def test_another_connection_inserts_while_training(self):
        self.insert_while_training("delete")

    def test_another_connection_inserts_while_training_in_wal_mode(self):
        self.insert_while_training("wal")

    def test_a_lock_of_somebody_else_is_waited_for(self):
        other = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(2, lambda: other.execute("COMMIT"))
        timer.start()
        self.assertEqual(self.connect(timeout=0).execute(TRAIN).fetchone()[0], "loss")
        timer.join()

    def test_a_lock_that_stays_is_an_error_and_the_model_is_not_lost(self):
        other = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.connect(timeout=0).execute(TRAIN)
        self.assertIn("locked", str(raised.exception))
        self.assertIn("totrain publish 1 writes it", str(raised.exception))
        other.execute("ROLLBACK")
        self.assertEqual(self.database.execute("SHOW MODELS").fetchall(), [])
        self.assertEqual(self.database.execute("SELECT id, state FROM totrain_jobs").fetchall(), [(1, "unpublished")])
        done = self.run_program("publish", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.database.execute("SELECT id, state FROM totrain_jobs").fetchall(), [(1, "done")])
        self.assertEqual(len(self.database.execute("SHOW VERSIONS m").fetchall()), 1)
        again = self.run_program("publish", "1")
        self.assertEqual(again.returncode, 2)
        self.assertIn("job 1 is done", again.stderr)

    def test_a_reader_that_stays_is_waited_for_by_the_clock(self):
        # Each try to commit takes the busy timeout, and they must not add up.
        self.database.execute(TRAIN).fetchall()
        other = sqlite3.connect(self.path, check_same_thread=False)
        self.addCleanup(other.close)
        reader = other.execute("SELECT * FROM m")
        reader.fetchone()
        given_up = threading.Timer(harness.DEADLINE, reader.close)
        given_up.start()
        self.addCleanup(given_up.cancel)
        with self.assertRaisesRegex(sqlite3.OperationalError, "locked(.|\n)*totrain publish"):
            self.connect(timeout=1).execute(TRAIN)
        reader.close()
        self.assertEqual(len(self.database.execute("SHOW VERSIONS m").fetchall()), 1)

    def test_a_model_that_is_being_read_is_not_replaced(self):
        self.database.execute(TRAIN).fetchall()
        reader = self.database.execute("SELECT * FROM m")
        reader.fetchone()
        with self.assertRaisesRegex(sqlite3.OperationalError, "being read"):
            self.database.execute(TRAIN)
        self.assertEqual(len(self.jobs_started()), 1)  # refused before training
        reader.close()
        self.database.execute(TRAIN).fetchall()

    def test_a_reader_of_another_table_does_not_disturb_a_new_model(self):
        reader = self.database.execute("SELECT * FROM iris")
        reader.fetchone()
        self.assertEqual(self.database.execute(TRAIN).fetchone()[0], "loss")
        self.assertEqual(len(reader.fetchall()), 149)

    def test_a_read_only_database_is_refused_before_training(self):
        database = self.connect(f"file:{self.path}?mode=ro", uri=True)
        with self.assertRaisesRegex(sqlite3.OperationalError, "read-only"):
            database.execute(TRAIN)
        self.assertEqual(self.jobs_started(), [])

    def test_query_only_is_refused_before_training(self):
        self.database.execute("PRAGMA query_only = on")
        with self.assertRaisesRegex(sqlite3.OperationalError, "read-only"):
            self.database.execute(TRAIN)
        self.assertEqual(self.jobs_started(), [])

    def test_a_full_database_leaves_it_as_it_was(self):
        pages = self.database.execute("PRAGMA page_count").fetchone()[0]
        self.database.execute(f"PRAGMA max_page_count = {pages}")
        with self.assertRaisesRegex(sqlite3.OperationalError, "full"):
            self.database.execute(TRAIN)
        self.assertFalse(self.database.in_transaction)
        self.assertEqual(self.tables(self.database), {"iris"})

    def test_a_full_disk_under_the_job_is_an_error(self):
        # A limit on the size of files stands in for a disk that is full.
        script = ("import resource, signal, sqlite3, sys\n"
                  "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                  "d = sqlite3.connect(sys.argv[1]); d.enable_load_extension(True)\n"
                  "d.load_extension(sys.argv[2])\n"
                  "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
                  "try:\n"
                  "    d.execute(\"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r "
                  "WHERE i < 100000) SELECT i AS x, i % 2 AS y FROM r TO TRAIN LinearClassifier "
                  "LABEL y INTO m\")\n"
                  "except sqlite3.Error as error: print(error)\n")
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.path, harness.EXTENSION],
                              capture_output=True, text=True, timeout=harness.DEADLINE)
        self.assertIn("File too large", done.stdout)
        self.assertEqual(self.tables(self.database), {"iris"})
        self.check_nothing_runs()
        spools = [name for _, _, names in os.walk(self.state) for name in names if "spool" in name]
        self.assertEqual(spools, [])


harness.main()
