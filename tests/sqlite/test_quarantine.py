"""predict.bad_rows: each row is in one of two tables, with its prediction or with the reason."""

import os
import sqlite3

import harness

PREDICT = "SELECT * FROM t TO PREDICT p.label WITH predict.bad_rows = 'quarantine' USING m"


class Quarantine(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (id INTEGER, x REAL, word TEXT, label TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [
            (i, i / 7, "abc"[i % 3], "yes" if i % 5 > 2 else "no") for i in range(200)])
        self.run_all("SELECT x, word, label FROM t TO TRAIN DNNClassifier WITH "
                     "model.hidden_units = [4], train.epoch = 3 LABEL label INTO m")

    def spoil(self):
        """Every tenth row gets something that no model can take."""
        for i in range(0, 200, 10):
            self.database.execute(
                "UPDATE t SET x = ? WHERE id = ?",
                (["many", b"\x00", float("inf"), "1e5x"][i // 10 % 4], i))

    def fails(self, sql, *parts):
        with self.assertRaises(sqlite3.Error) as caught:
            self.run_all(sql)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_bad_rows_go_aside_with_their_reason_and_the_others_are_predicted_as_ever(self):
        expected = self.run_all("SELECT * FROM t TO PREDICT USING m")
        self.spoil()
        names = [row[:2] for row in self.run_all(PREDICT)]
        self.assertEqual(names, [("p", 180), ("p_bad_rows", 20)])
        self.assertEqual(self.run_all("SELECT * FROM p"),
                         [row for row in expected if row[0] % 10])
        self.assertEqual(self.run_all("SELECT id, x, word, label FROM p_bad_rows"),
                         self.run_all("SELECT * FROM t WHERE id % 10 = 0"))
        reasons = self.run_all("SELECT totrain_reason FROM p_bad_rows LIMIT 4")
        self.assertEqual(reasons, [
            ("column \"x\" holds 'many', where a number was expected",),
            ("column \"x\" holds a blob, where a number was expected",),
            ('column "x" holds an infinite number',),
            ("column \"x\" holds '1e5x', where a number was expected",)])
        declared = self.run_all("SELECT name, type FROM pragma_table_info('p_bad_rows')")
        self.assertEqual(declared, [("id", "INTEGER"), ("x", "REAL"), ("word", "TEXT"),
                                    ("label", "TEXT"), ("totrain_reason", "TEXT")])
        self.assertEqual(self.run_all("SELECT * FROM sqlite_temp_schema"), [])

    def test_without_it_the_first_bad_row_fails_the_statement_and_nothing_changes(self):
        self.run_all("SELECT * FROM t TO PREDICT p.label USING m")
        before = self.run_all("SELECT * FROM p")
        self.spoil()
        for attribute in ("", "WITH predict.bad_rows = 'error' "):
            self.fails(f"SELECT * FROM t TO PREDICT p.label {attribute}USING m", "'many'", '"x"')
        self.assertEqual(self.run_all("SELECT * FROM p"), before)

    def test_rows_that_were_mended_leave_the_quarantine_with_the_next_statement(self):
        self.spoil()
        self.run_all(PREDICT)
        self.run_all("UPDATE t SET x = id / 7.0")
        self.assertEqual([row[1] for row in self.run_all(PREDICT)], [200, 0])
        self.assertEqual(self.run_all("SELECT count(*) FROM p_bad_rows"), [(0,)])
        self.run_all("UPDATE t SET x = 'bad'")
        self.assertEqual([row[1] for row in self.run_all(PREDICT)], [0, 200])

    def test_the_query_may_read_the_tables_that_are_replaced(self):
        self.spoil()
        self.run_all(PREDICT)
        self.run_all("SELECT id, id / 7.0 AS x, word, label FROM p_bad_rows UNION ALL "
                     "SELECT id, x, word, label FROM p ORDER BY id "
                     "TO PREDICT p.label WITH predict.bad_rows = 'quarantine' USING m")
        self.assertEqual(self.run_all("SELECT count(*), min(id), max(id) FROM p"), [(200, 0, 199)])
        self.assertEqual(self.run_all("SELECT count(*) FROM p_bad_rows"), [(0,)])

    def test_a_query_that_answers_differently_each_time_is_asked_once(self):
        self.run_all("SELECT id, CASE abs(random()) % 2 WHEN 1 THEN 'bad' ELSE x END AS x, word "
                     "FROM t TO PREDICT p.label WITH predict.bad_rows = 'quarantine' USING m")
        ids = self.run_all("SELECT id FROM p UNION ALL SELECT id FROM p_bad_rows ORDER BY 1")
        self.assertEqual(ids, [(i,) for i in range(200)])

    def test_a_table_that_no_predict_made_is_not_replaced(self):
        self.run_all("CREATE TABLE p_bad_rows (precious TEXT)")
        self.run_all("INSERT INTO p_bad_rows VALUES ('data')")
        self.fails(PREDICT, "p_bad_rows", "holds no bad rows")
        self.assertEqual(self.run_all("SELECT * FROM p_bad_rows"), [("data",)])
        self.assertNotIn("p", self.tables(self.database))
        self.run_all("DROP TABLE p_bad_rows")
        self.run_all("CREATE VIEW p_bad_rows AS SELECT 1 AS totrain_reason")
        self.fails(PREDICT, "p_bad_rows", "is no ordinary table")

    def test_both_tables_are_written_in_one_transaction(self):
        self.spoil()
        self.run_all("BEGIN")
        self.run_all(PREDICT)
        self.assertEqual(self.run_all("SELECT count(*) FROM p_bad_rows"), [(20,)])
        self.run_all("ROLLBACK")
        self.assertNotIn("p", self.tables(self.database))
        self.assertNotIn("p_bad_rows", self.tables(self.database))
        self.run_all(PREDICT)
        before = self.run_all("SELECT * FROM p"), self.run_all("SELECT * FROM p_bad_rows")
        self.run_all("UPDATE t SET word = word || hex(randomblob(2000))")
        pages = self.run_all("PRAGMA page_count")[0][0]
        self.run_all(f"PRAGMA max_page_count = {pages + 20}")
        self.fails(PREDICT, "full")
        after = self.run_all("SELECT * FROM p"), self.run_all("SELECT * FROM p_bad_rows")
        self.assertEqual(after, before)

    def test_an_attached_database_and_a_name_with_quotes(self):
        self.spoil()
        other = os.path.join(self.folder, "other.db")
        self.database.execute("ATTACH ? AS other", (other,))
        self.run_all('SELECT * FROM t TO PREDICT other."a ""b""".label WITH '
                     "predict.bad_rows = 'quarantine' USING main.m")
        self.assertEqual(self.run_all('SELECT count(*) FROM other."a ""b""_bad_rows"'), [(20,)])
        self.assertEqual(self.run_all('SELECT count(*) FROM other."a ""b"""'), [(180,)])

    def test_many_inputs(self):
        names = [f"c{i}" for i in range(150)]
        self.run_all(f"CREATE TABLE wide ({', '.join(names)}, y)")
        rows = [[(i * 31 + j * 7) % 13 for j in range(150)] + [i % 2] for i in range(40)]
        marks = ", ".join("?" * 151)
        self.database.executemany(f"INSERT INTO wide VALUES ({marks})", rows)
        self.run_all("SELECT * FROM wide TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL y "
                     "INTO wide_model")
        self.run_all("UPDATE wide SET c149 = 'last' WHERE rowid = 7")
        done = self.run_all("SELECT * FROM wide TO PREDICT q.y WITH predict.bad_rows = "
                            "'quarantine' USING wide_model")
        self.assertEqual([row[:2] for row in done], [("q", 39), ("q_bad_rows", 1)])
        self.assertIn("c149", self.run_all("SELECT totrain_reason FROM q_bad_rows")[0][0])

    def test_what_is_no_fault_of_the_row_is_an_error(self):
        self.fails("SELECT totrain_problem('m', 1)", "takes 2 values")
        self.fails("SELECT totrain_problem('none', 1, 2)", "none")
        self.assertEqual(self.run_all("SELECT totrain_problem('m', 1, 'a')"), [(None,)])


harness.main()
