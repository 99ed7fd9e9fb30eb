"""train.bad_rows and evaluate.bad_rows: an error, left out, or put aside with the reason."""

import os
import sqlite3

import harness

TRAIN = ("SELECT x, n, word, label FROM {table} TO TRAIN DNNClassifier WITH model.hidden_units = [4], "
         "train.epoch = 3, {more}train.batch_size = 16 LABEL label INTO {model}")
SKIP, QUARANTINE = "train.bad_rows = 'skip', ", "train.bad_rows = 'quarantine', "
BAD = [("many", 0, "a", 1), (1.5, b"\x00", "b", 0), (float("inf"), 1, "c", 1), (2.5, 3, "a", None),
       (2.5, 3, "b", 0.5), (0.5, "", b"\xff", 1)]
REASONS = ["column \"x\" holds 'many', where a number was expected",
           'column "n" holds a blob, where a number was expected',
           'column "x" holds an infinite number',
           'label column "label" is NULL',
           'column "label" holds 0.5, where the rows before it hold whole numbers',
           'column "word" holds a blob, where text or a number was expected']


class BadRows(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("BEGIN")
        self.make("good", [])
        self.make("t", BAD)
        self.run_all("COMMIT")

    def make(self, table, bad, rows=300):
        """Good rows, and bad ones among them; the first sample is good."""
        self.run_all(f"CREATE TABLE {table} (x, n, word, label)")
        every = rows // (len(bad) + 1)
        for i in range(rows):
            self.database.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?)",
                                  (i / 7, i % 11 or None, "abc"[i % 3], int(i % 5 > 2)))
            if i % every == every - 1 and i // every < len(bad):
                self.database.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", bad[i // every])

    def train(self, table="t", more="", model="m"):
        rows = self.run_all(TRAIN.format(table=table, more=more, model=model))
        return harness.facts(rows)

    def fails(self, sql, *parts):
        with self.assertRaises(sqlite3.Error) as caught:
            self.run_all(sql)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def check_same(self, model="m"):
        """The model is the one that the good rows alone give."""
        self.train("good", model="expected")
        self.assertEqual(self.digest(self.database, model), self.digest(self.database, "expected"))

    def test_rows_that_are_left_out_leave_no_trace_in_the_model(self):
        facts = self.train(more=SKIP)
        self.assertEqual((facts["rows"], facts["bad_rows"]), (300, 6))
        self.check_same()
        self.assertNotIn("m_bad_rows", self.tables(self.database))

    def test_rows_in_the_order_of_the_query_keep_it(self):
        self.train(more=SKIP + "train.shuffle = false, ")
        self.train("good", "train.shuffle = false, ", "expected")
        self.assertEqual(self.digest(self.database), self.digest(self.database, "expected"))

    def digest(self, database, model="m"):
        return super().digest(database, model)

    def test_rows_that_are_put_aside_are_as_they_were_with_the_reason(self):
        facts = self.train(more=QUARANTINE)
        self.assertEqual((facts["rows"], facts["bad_rows"]), (300, 6))
        self.assertEqual(self.run_all("SELECT x, n, word, label FROM m_bad_rows"), BAD)
        self.assertEqual(self.run_all("SELECT totrain_reason FROM m_bad_rows"),
                         [(reason,) for reason in REASONS])
        self.check_same()

    def test_without_it_the_first_bad_row_fails_the_statement(self):
        for more in ("", "train.bad_rows = 'error', "):
            self.fails(TRAIN.format(table="t", more=more, model="m"), "binary data")
        self.assertNotIn("m", self.tables(self.database))
        self.assertNotIn("bad_rows", self.train("good"))

    def test_mended_rows_leave_the_quarantine_with_the_next_statement(self):
        self.train(more=QUARANTINE)
        self.assertEqual(self.train("good", QUARANTINE)["bad_rows"], 0)
        self.assertEqual(self.run_all("SELECT * FROM m_bad_rows"), [])

    def test_nothing_but_bad_rows_is_an_error_that_leaves_them_to_be_seen(self):
        self.run_all("UPDATE t SET label = NULL")
        self.fails(TRAIN.format(table="t", more=QUARANTINE, model="m"), "no rows")
        self.assertEqual(self.run_all("SELECT count(*) FROM m_bad_rows"), [(306,)])

    def test_a_table_of_that_name_that_holds_other_things_is_left_alone(self):
        self.run_all("CREATE TABLE m_bad_rows AS SELECT 'precious' AS data")
        self.fails(TRAIN.format(table="t", more=QUARANTINE, model="m"), "holds no bad rows", "than m.")
        self.assertEqual(self.run_all("SELECT * FROM m_bad_rows"), [("precious",)])
        self.assertEqual(self.jobs_started(), [])

    def test_bad_rows_of_validation_count_too(self):
        self.run_all("CREATE TABLE v (label, word, x, n)")
        self.run_all("INSERT INTO v VALUES (1, 'a', 'few', 7), (0, 'b', 1.5, NULL), (NULL, 'c', 2, 2)")
        select = "validation.select = 'SELECT * FROM v', "
        facts = self.train("good", QUARANTINE + select)
        self.assertEqual((facts["rows"], facts["bad_rows"]), (300, 2))
        self.assertEqual(self.run_all("SELECT x, n, word, label FROM m_bad_rows"),
                         [("few", 7, "a", 1), (2, 2, "c", None)])
        self.run_all("DELETE FROM v WHERE label IS NULL OR x = 'few'")
        self.train("good", select, "expected")
        self.assertEqual(self.digest(self.database), self.digest(self.database, "expected"))

    def test_a_table_that_several_readers_read(self):
        """Infinite numbers and labels that are NULL are met by readers that look at no row."""
        count = 60000
        self.run_all("CREATE TABLE big (id INTEGER PRIMARY KEY, x REAL, label INTEGER)")
        self.run_all(f"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < {count}) "
                     "INSERT INTO big SELECT i, (i * 7919 % 1000) / 10.0, i % 3 = 0 FROM r")
        train = ("SELECT x, label FROM {} TO TRAIN LinearClassifier WITH train.epoch = 1, train.test_size = 0, "
                 "train.bad_rows = '{}' LABEL label INTO {}")
        self.run_all(train.format("big", "skip", "expected"))
        for spoil, reason in (("(NULL, 9e999, 1)", "infinite"), ("(NULL, 1, NULL)", "NULL"),
                              ("(NULL, 'word', 1)", "'word'")):
            self.run_all(f"INSERT INTO big VALUES {spoil}")
            rows = harness.facts(self.run_all(train.format("big", "quarantine", "m")))
            self.assertEqual((rows["rows"], rows["bad_rows"]), (count, 1))
            self.assertIn(reason, self.run_all("SELECT totrain_reason FROM m_bad_rows")[0][0])
            self.assertEqual(self.digest(self.database), self.digest(self.database, "expected"))
            self.run_all(f"DELETE FROM big WHERE id > {count}")

    def test_an_attached_database_and_a_detached_job(self):
        other = os.path.join(self.folder, "other.db")
        self.database.execute("ATTACH ? AS other", (other,))
        facts = self.train(more=QUARANTINE + "job.wait = false, ", model='other."a ""b"""')
        self.assertEqual(facts["bad_rows"], 6)
        self.assertEqual(self.run_all('SELECT count(*) FROM other."a ""b""_bad_rows"'), [(6,)])
        self.assertEqual(self.run_program("wait", facts["job"], "--progress=none").returncode, 0)
        self.check_same('other."a ""b"""')

    def test_in_a_transaction_of_the_user(self):
        self.run_all("BEGIN")
        self.train(more=QUARANTINE)
        self.assertEqual(self.run_all("SELECT count(*) FROM m_bad_rows"), [(6,)])
        self.run_all("ROLLBACK")
        self.assertFalse({"m", "m_bad_rows"} & self.tables(self.database))

    def test_the_notice_names_the_first(self):
        done = self.run_program(self.path, "-c", TRAIN.format(table="t", more=SKIP, model="m"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"NOTICE:  6 bad rows are left out; the first: {REASONS[0]}", done.stderr)

    # ----- EVALUATE -----

    def test_evaluate_without_the_bad_rows(self):
        self.train("good")
        expected = self.run_all("SELECT * FROM good TO EVALUATE m")
        self.fails("SELECT * FROM t TO EVALUATE m", "'many'")
        self.run_all("DELETE FROM t WHERE label = 0.5")  # a label that no row had is not bad
        for job in ("", ", job.max_workers = 2"):
            with self.subTest(job):
                self.check_left_out(job, expected)

    def check_left_out(self, job, expected):
        self.assertEqual(self.run_all(f"SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = 'skip'{job}"),
                         expected)
        rows = self.run_all(f"SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = 'quarantine'{job} INTO e")
        self.assertEqual([row[:2] for row in rows], [("e", 1), ("e_bad_rows", 5)])
        self.assertEqual(self.run_all("SELECT * FROM e"), expected)
        self.assertEqual(self.run_all("SELECT x, n, word, label FROM e_bad_rows"),
                         [row for row in BAD if row[3] != 0.5])
        self.assertEqual([reason.split(": ")[-1] for reason, in
                          self.run_all("SELECT totrain_reason FROM e_bad_rows")],
                         [reason for reason in REASONS if "whole" not in reason])

    def test_evaluate_without_the_session_and_the_bad_rows(self):
        self.train("good")
        self.run_all("DELETE FROM t WHERE label = 0.5")
        job, = self.run_all("SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = 'skip', job.wait = false INTO e")
        self.assertEqual(self.run_program("wait", job[0], "--progress=none").returncode, 0)
        self.assertEqual(self.run_all("SELECT * FROM e"), self.run_all("SELECT * FROM good TO EVALUATE m"))

    def test_evaluate_refuses_what_it_cannot_do(self):
        self.train("good")
        evaluate = "SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = '{}'{}"
        self.fails(evaluate.format("quarantine", ""), "only where EVALUATE writes a table")
        self.fails(evaluate.format("quarantine", ", job.wait = false INTO e"), "which has to wait")
        self.run_all("UPDATE t SET label = NULL")
        for job in ("", ", job.max_workers = 2"):
            self.fails(evaluate.format("skip", job), "no rows to evaluate")


harness.main()
