"""A column's kind follows from all rows, and from the set of them alone."""

import json
import pathlib
import sqlite3
import sys
import unittest

from harness import Case, main

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import customers  # noqa: E402  pylint: disable=wrong-import-position

ROWS = 1500  # more than the sample's 1,000
TRAIN = "TO TRAIN LinearClassifier WITH train.epoch = 2{more} {column} LABEL y INTO m"


class ColumnKinds(Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def fill(self, table, cell, columns="i INTEGER, x, y"):
        """Makes a table: for each row its number, the cell that `cell` makes of it, and a label that a number
        explains."""
        self.database.execute("BEGIN")
        self.database.execute(f"CREATE TABLE {table} ({columns})")
        self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)",
                                  [(i, cell(i, i * 7919 % 1000 / 1000), int(i * 7919 % 1000 > 500))
                                   for i in range(1, ROWS + 1)])
        self.database.execute("COMMIT")

    def train(self, select, more="", column=""):
        self.database.execute(f"{select} {TRAIN.format(more=more, column=column)}").fetchall()
        return self.digest(self.database, "m")

    def meta(self):
        return json.loads(self.database.execute("SELECT data FROM m WHERE part = 'meta'").fetchone()[0])

    def notices(self):
        return " ".join(notice["text"] for notice in self.meta().get("notices", []))

    def test_a_missing_value_is_null_wherever_it_stands(self):
        for row, spelling in ((1, "n/a"), (1200, " NULL "), (ROWS, "?")):
            self.fill("spelled", lambda i, x, row=row, spelling=spelling: spelling if i == row else x)
            self.fill("plain", lambda i, x, row=row: None if i == row else x)
            wanted = self.train("SELECT x, y FROM plain")
            for order in ("i", "i DESC"):
                self.assertEqual(self.train(f"SELECT x, y FROM spelled ORDER BY {order}"), wanted)
            self.assertIn(f"column \"x\": of {ROWS} rows 1 is read as NULL", self.notices())
            self.database.execute("DROP TABLE spelled")
            self.database.execute("DROP TABLE plain")

    def test_the_order_of_rows_does_not_decide(self):
        """The first 1,000 rows say one thing, all of them another."""
        cases = {"words": lambda i, x: f"w{i % 7}" if i > 1000 else x,
                 "separators": lambda i, x: f"{i * 1000:,}" if i > 1000 else i,
                 "truths": lambda i, x: ("yes" if i % 2 else "no") if i < 1100 else "perhaps" if i % 2 else "yes",
                 "keys": lambda i, x: f"k{i}" if i < 1100 else "k1",
                 "texts": lambda i, x: f"k{i % 300}" if i < 1100 else f"k{i}"}
        for name, cell in cases.items():
            with self.subTest(name):
                self.fill(name, cell)
                digests = {self.train(f"SELECT x, i % 10 AS z, y FROM {name} ORDER BY {order}")
                           for order in ("i", "i DESC")}
                self.assertEqual(len(digests), 1)

    def auc(self, select):
        """The metrics of a model of the first 3,000 customers that `select` makes, with nothing but a label said, on
        the others."""
        for part, rows in (("train", "<="), ("test", ">")):
            self.database.execute(f"DROP TABLE IF EXISTS {part}")
            self.database.execute(f"CREATE TABLE {part} AS {select} FROM customers WHERE id {rows} 3000")
        self.database.execute("SELECT * FROM train TO TRAIN LinearClassifier LABEL churn INTO m").fetchall()
        return self.database.execute("SELECT * FROM test TO EVALUATE m WITH validation.metrics = 'AUC'").fetchall()[0][1]

    def test_a_table_as_people_have_them_needs_no_preparing(self):
        columns = ["id", "email", "signup", "last_seen", "active", "revenue", "plan", "city", "age", "visits", "score",
                   "country", '"order"', '"group"', '"label to train"', "churn"]
        self.database.execute(f"CREATE TABLE customers ({', '.join(columns)})")
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO customers VALUES ({', '.join('?' * len(columns))})", customers.made(4000))
        self.database.execute("COMMIT")
        as_they_are = self.auc("SELECT *")
        digest = self.digest(self.database, "m")
        self.database.execute("SELECT * FROM train ORDER BY email DESC TO TRAIN LinearClassifier LABEL churn INTO m").fetchall()
        self.assertEqual(self.digest(self.database, "m"), digest)
        by_hand = self.auc("SELECT julianday(signup) AS signup, julianday(last_seen) AS seen, active = 't' AS active, "
                           "CAST(replace(revenue, ',', '') AS REAL) AS revenue, plan, city, "
                           "CAST(nullif(nullif(age, 'n/a'), '?') AS REAL) AS age, visits, score, churn")
        self.assertGreater(as_they_are, 0.83)
        self.assertGreater(as_they_are, by_hand - 0.015)

    def test_a_label_is_what_all_rows_say(self):
        self.fill("t", lambda i, x: x)
        for label, kind in (("CASE WHEN i = 1200 THEN '1' ELSE y END", "text"), ("CASE WHEN i = 1200 THEN 1.0 ELSE y END", "real"),
                            ("y", "integer")):
            digests = {self.train(f"SELECT x, {label} AS y FROM t ORDER BY {order}") for order in ("i", "i DESC")}
            self.assertEqual(len(digests), 1, kind)
            self.assertEqual(self.meta()["labels"]["type"], kind)

    def test_a_text_that_cannot_be_read_is_an_error_with_its_row(self):
        self.fill("t", lambda i, x: "abc" if i == 1200 else x)
        refused = self.run_program(self.path, "-c", f"SELECT x, y FROM t ORDER BY i {TRAIN.format(more='', column='')}").stderr
        self.assertIn("row 1200: column \"x\" holds 'abc'", refused)
        self.assertIn("HINT:  WITH train.bad_rows = 'skip' leaves such rows out", refused)
        with self.assertRaisesRegex(sqlite3.Error, "row 301: column \"x\" holds 'abc'"):
            self.train("SELECT x, y FROM t ORDER BY i DESC")

    def test_bad_rows_are_left_out_or_put_aside(self):
        self.fill("t", lambda i, x: "abc" if i == 1200 else x)
        wanted = self.train("SELECT x, y FROM t WHERE i <> 1200")
        self.assertEqual(self.train("SELECT x, y FROM t", ", train.bad_rows = 'skip'"), wanted)
        self.assertEqual(self.train("SELECT x, y FROM t", ", train.bad_rows = 'quarantine'"), wanted)
        self.assertEqual([row[0] for row in self.database.execute("SELECT x FROM m_bad_rows")], ["abc"])

    def test_many_words_make_a_category(self):
        self.fill("t", lambda i, x: "low" if i % 10 == 0 else x)
        self.train("SELECT x, y FROM t")
        self.assertEqual(self.meta()["inputs"][0]["type"], "category")

    def test_a_model_reads_cells_as_it_was_trained(self):
        self.fill("t", lambda i, x: f"{int(x * 1e6):,}")
        self.train("SELECT x, CASE WHEN y THEN 'T' ELSE 'f' END AS flag, y FROM t")
        self.assertEqual([one["reading"] for one in self.meta()["inputs"]], ["separated", "boolean"])
        self.assertRegex(self.notices(), "comma between thousands.*1 for yes")
        score = "SELECT totrain_probabilities('m', ?, ?)"
        one = self.database.execute(score, ("900,000", "true")).fetchone()
        self.assertEqual(one, self.database.execute(score, (900000, 1)).fetchone())
        missing = self.database.execute(score, ("N/A", None)).fetchone()
        self.assertEqual(missing, self.database.execute(score, (None, "?")).fetchone())
        with self.assertRaisesRegex(sqlite3.Error, "column \"x\" holds '1.234,5', where a number was expected"):
            self.database.execute(score, ("1.234,5", "t")).fetchone()
        with self.assertRaisesRegex(sqlite3.Error, "column \"flag\" holds 'maybe', where yes or no was expected"):
            self.database.execute(score, (1, "maybe")).fetchone()

    def test_predict_and_evaluate_read_the_same(self):
        self.fill("t", lambda i, x: "n/a" if i % 50 == 0 else f"{int(x * 1e6):,}")
        self.fill("u", lambda i, x: None if i % 50 == 0 else int(x * 1e6))
        self.train("SELECT x, y FROM t")
        results = []
        for table in ("t", "u"):
            results.append(self.database.execute(f"SELECT x, y FROM {table} TO EVALUATE m").fetchall())
            self.database.execute(f"SELECT i, x FROM {table} TO PREDICT p_{table}.guess USING m").fetchall()
            results.append(self.database.execute(f"SELECT i, guess FROM p_{table} ORDER BY i").fetchall())
        self.assertEqual(results[0], results[2])
        self.assertEqual(results[1], results[3])

    def test_a_regression_s_label_is_read_alike(self):
        self.fill("t", lambda i, x: x)
        train = "SELECT x, {} AS v FROM t TO TRAIN LinearRegressor WITH train.epoch = 2 LABEL v INTO m"
        digests = []
        for label in ("cast(x * 1e6 AS INTEGER)", "printf('%,d', x * 1e6)"):
            self.database.execute(train.format(label)).fetchall()
            digests.append(self.meta()["inputs"])
        self.assertEqual(*digests)
        self.assertEqual(self.meta()["labels"]["reading"], "separated")
        evaluate = "SELECT x, {} AS v FROM t TO EVALUATE m"
        self.assertEqual(self.database.execute(evaluate.format("printf('%,d', x * 1e6)")).fetchall(),
                         self.database.execute(evaluate.format("cast(x * 1e6 AS INTEGER)")).fetchall())

    def test_a_model_of_before_reads_as_before(self):
        self.fill("t", lambda i, x: x)
        self.train("SELECT x, y FROM t")
        self.database.execute("UPDATE m SET data = json_remove(data, '$.inputs[0].reading') WHERE part = 'meta'")
        with self.assertRaisesRegex(sqlite3.Error, "column \"x\" holds 'n/a', where a number was expected"):
            self.database.execute("SELECT totrain_predict('m', 'n/a')").fetchone()
        self.assertEqual(self.database.execute("SELECT totrain_predict('m', '.9'), totrain_predict('m', '')").fetchone(),
                         self.database.execute("SELECT totrain_predict('m', .9), totrain_predict('m', NULL)").fetchone())

    def test_keys_and_free_text_are_left_out_unless_they_are_named(self):
        self.fill("t", lambda i, x: x)
        select = ("SELECT i AS customer_id, x, 'user' || i || '@example.org' AS email, y, "
                  "'it was a day of ' || i || ' and there is much more to be said about it' AS note FROM t")
        digest = self.train(select)
        self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["x"])
        for name in ("customer_id", "email", "note"):
            self.assertIn(f'column "{name}" is skipped', self.notices())
        explained = self.database.execute(f"EXPLAIN {select} {TRAIN.format(more='', column='')}").fetchall()
        self.assertEqual(sum("is skipped" in detail for item, detail in explained if item == "notice"), 3)
        self.assertEqual(digest, self.train("SELECT x, y FROM t"))
        self.database.execute("SELECT x FROM t TO PREDICT p.guess USING m").fetchall()
        self.train(select, column="COLUMN customer_id, email")
        self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["customer_id", "email"])

    def test_keys_and_free_text_without_other_columns_are_taken_with_a_word(self):
        self.fill("t", lambda i, x: f"it was a day of {i} and there is much more to be said about it")
        for columns, said in (("x", r'column "x" is taken, as there is no other: it is free text.*COLUMN TEXT\(x\) learns'),
                              ("i AS id", 'column "id" is taken, as there is no other: its whole numbers.*select other columns')):
            select = f"SELECT {columns}, y FROM t"
            self.train(select)
            self.assertEqual(len(self.meta()["inputs"]), 1)
            explained = self.database.execute(f"EXPLAIN {select} {TRAIN.format(more='', column='')}").fetchall()
            told = [f"{one['text']}. {one.get('hint')}" for one in self.meta()["notices"] if "is taken" in one["text"]]
            sampled = ", in the sample; all rows decide when it is trained"
            self.assertEqual([detail.replace(sampled, "") for item, detail in explained if item == "notice"], told)
            self.assertRegex(told[0], said)
        self.train("SELECT x, y FROM t", column="COLUMN TEXT(x)")
        self.assertNotIn("is taken", self.notices())

    def test_what_only_looks_like_a_key_stays(self):
        self.fill("t", lambda i, x: x)
        self.train("SELECT i AS height, x + i AS id, i % 700 AS customer_id, 'c' || i % 700 AS city, "
                   "date('2020-01-01', i || ' days') AS day, y FROM t")
        self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["height", "id", "customer_id", "city", "day.age", "day.month", "day.weekday"])
        self.train("SELECT i AS id, y FROM t")
        self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["id"])
        self.train("SELECT i AS id, x, y FROM t LIMIT 99")
        self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["id", "x"])

    def test_several_readers_count_as_one(self):
        """A whole table is read by several connections."""
        database = sqlite3.connect(self.path)
        database.execute("CREATE TABLE t (id INTEGER, x, word TEXT, v TEXT, y INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)",
                             [(i, "NA" if i % 1000 == 999 else i * 7919 % 1009 / 8, f"w{i % 41}",
                               f"{i:,}" if i > 20000 else f"v{i}" if i % 2 else f"v{i + 1}", int(i * 7919 % 1009 > 500))
                              for i in range(30000)])
        database.commit()
        database.close()
        digests = set()
        for where in ("", " WHERE true", " WHERE true ORDER BY id DESC"):
            digests.add(self.train(f"SELECT * FROM t{where}"))
            self.assertIn("of 30000 rows 30 are read as NULL: 'na' 30", self.notices())
            self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["x", "word", "v"])
        self.assertEqual(len(digests), 1)

    def test_rare_words_share_what_is_left(self):
        self.fill("t", lambda i, x: f"rare{i}" if i % 10 == 0 else f"w{i % 10}")
        self.train("SELECT x, y FROM t", ", train.test_size = 0")
        self.assertEqual((self.meta()["inputs"][0]["words"], self.meta()["inputs"][0]["hash_buckets"]), (9, 15))


if __name__ == "__main__":
    main()
