"""DENSE and SPARSE: the numbers of texts are inputs, in training and wherever the model scores."""

import json
import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import clusters  # noqa: E402  pylint: disable=wrong-import-position
import lists  # noqa: E402  pylint: disable=wrong-import-position

LISTS = f"DENSE(v, 2), SPARSE(s, {lists.IDS})"
MODELS = ("LinearRegressor", "DNNRegressor", "xgboost.gbtree", "DeepFMRegressor")


class Lists(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (v TEXT, s TEXT, kind TEXT, y REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)",
                                  [(v, s, "ab"[len(s) % 2], y) for v, s, y in lists.made()])

    def train(self, columns=LISTS, model="LinearRegressor", more="", table="t"):
        hidden = ", model.hidden_units = [8]" if "DNN" in model else ""
        return harness.facts(self.run_all(f"SELECT * FROM {table} TO TRAIN {model} WITH train.test_size = 0{hidden}{more} "
                                          f"COLUMN {columns} LABEL y INTO m"))

    def evaluate(self, table="t", more=""):
        cursor = self.database.execute(f"SELECT * FROM {table} TO EVALUATE m{more}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def meta(self):
        return json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])

    def test_least_squares_are_those_of_numpy(self):
        self.train(model="OrdinaryLeastSquares")
        found = {name: value for name, value, *_ in self.run_all("SELECT * FROM t TO EXPLAIN m USING coefficients")}
        names = ["(intercept)", "v[1]", "v[2]", "s[0]", "s[1]", "s[2]", "s[3]"]
        self.assertEqual(len(found), len(names))
        for name, wanted in zip(names, lists.COEFFICIENTS):
            self.assertAlmostEqual(found[name], wanted, delta=1e-5, msg=name)

    def test_columns_of_the_same_numbers_make_the_same_weights(self):
        """The texts are what a table of their numbers is."""
        self.run_all("CREATE TABLE wide (v1 REAL, v2 REAL, s0 REAL, s1 REAL, s2 REAL, s3 REAL, y REAL)")
        self.database.executemany("INSERT INTO wide VALUES (?, ?, ?, ?, ?, ?, ?)",
                                  [(*lists.columns(row), row[2]) for row in lists.made()])
        self.train("NUMERIC(v1), NUMERIC(v2), NUMERIC(s0), NUMERIC(s1), NUMERIC(s2), NUMERIC(s3)", "OrdinaryLeastSquares", table="wide")
        wide = [row[1] for row in self.run_all("SELECT * FROM wide TO EXPLAIN m USING coefficients")]
        self.train(model="OrdinaryLeastSquares")
        for ours, theirs in zip([row[1] for row in self.run_all("SELECT * FROM t TO EXPLAIN m USING coefficients")], wide):
            self.assertAlmostEqual(ours, theirs, delta=1e-9)

    def test_inputs_are_named_and_stored(self):
        self.train(LISTS + ", CATEGORY_HASH(s, 7), kind")
        inputs = self.meta()["inputs"]
        self.assertEqual([one["name"] for one in inputs],
                         ["v[1]", "v[2]", "s[0]", "s[1]", "s[2]", "s[3]", "CATEGORY_HASH(s)", "kind"])
        self.assertEqual(inputs[3]["list"], {"form": "sparse", "size": 4, "delimiter": "", "pair": ":"})
        self.assertEqual((inputs[3]["column"], inputs[3]["element"]), ("s", 1))
        self.assertEqual(self.meta()["format"], 11)
        self.assertIn("input s[3]", dict(self.run_all("SHOW MODEL m")))

    def test_every_way_of_scoring_does_as_training_did(self):
        for model in MODELS:
            measured = self.train(LISTS + ", kind", model)
            self.assertAlmostEqual(measured["RMSE"], self.evaluate()["RMSE"], 5, model)
            self.assertEqual(self.evaluate(more=" WITH job.min_workers = 2"), self.evaluate())
            alone = self.run_all("SELECT totrain_predict('m', v, s, kind) FROM t")
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
            self.assertEqual(self.run_all("SELECT guess FROM p ORDER BY rowid"), alone)
            self.assertLess(measured["RMSE"], 2.5, model)

    def test_the_same_model_in_any_order_by_any_workers(self):
        for model in MODELS:
            digests = set()
            for table, workers in (("t", 1), ("t", 2), ("t", 3), ("(SELECT * FROM t ORDER BY y)", 1)):
                self.train(LISTS + ", kind", model, f", job.min_workers = {workers}, job.max_workers = {workers}", table)
                digests.add(self.model_digest())
            self.assertEqual(len(digests), 1, model)

    def test_a_row_that_is_no_such_list_is_a_bad_one(self):
        for column, text, message in (("v", "1, 2, 3", "column \"v\" holds '1, 2, 3', where a list of 2 numbers, separated by \",\", was expected"),
                                      ("v", "1, x", "column \"v\" holds '1, x'"),
                                      ("s", "4", "column \"s\" holds '4', where a list of ids from 0 to 3, or of id:number, was expected"),
                                      ("s", "1:a", "column \"s\" holds '1:a'")):
            self.run_all("CREATE TABLE bad AS SELECT * FROM t")
            self.run_all(f"UPDATE bad SET {column} = ? WHERE rowid = 300", text)
            with self.assertRaisesRegex(sqlite3.Error, "row 300: " + message):
                self.train(table="bad")
            self.train(more=", train.bad_rows = 'skip'", table="bad")
            self.assertEqual(self.meta()["rows"], lists.ROWS - 1)
            with self.assertRaisesRegex(sqlite3.Error, message):
                self.evaluate("bad")
            self.evaluate("bad", " WITH evaluate.bad_rows = 'skip'")
            self.run_all("DROP TABLE bad")

    def test_no_value_is_null_or_no_id(self):
        self.run_all("INSERT INTO t VALUES (NULL, NULL, 'a', 1), ('', '', 'a', 1)")
        self.train()
        self.assertTrue(self.meta()["inputs"][0]["has_nulls"])
        self.assertFalse(self.meta()["inputs"][2]["has_nulls"])
        [(null,), (blank,)] = self.run_all("SELECT totrain_predict('m', v, s) FROM t WHERE rowid > ?", lists.ROWS)
        self.assertEqual(null, blank)

    def test_rows_that_measure_are_read_alike(self):
        self.run_all("CREATE TABLE w AS SELECT y, kind, s, v FROM t LIMIT 100")
        self.train(more=", validation.select = 'SELECT * FROM w'")
        [rmse] = [one["validation"] for one in self.meta()["metrics"] if one["name"] == "RMSE"]
        self.assertAlmostEqual(self.evaluate("w")["RMSE"], rmse, 5)

    def test_importance_is_that_of_the_column(self):
        self.train(LISTS + ", kind", "xgboost.gbtree")
        self.assertEqual({row[0] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}, {"v", "s", "kind"})

    def test_training_goes_on_from_it(self):
        self.train(model="xgboost.gbtree")
        self.run_all("SELECT * FROM t TO TRAIN xgboost.gbtree WITH train.test_size = 0 LABEL y USING m INTO m2")
        inputs = json.loads(self.run_all("SELECT data FROM m2 WHERE part = 'meta'")[0][0])["inputs"]
        self.assertEqual(inputs, self.meta()["inputs"])

    def test_the_plan_of_a_prediction_says_what_it_takes(self):
        self.train()
        plan = dict(self.run_all("EXPLAIN SELECT * FROM t TO PREDICT p.guess USING m"))
        self.assertIn("sparse list of 4 numbers", plan["input s"])


class ByThemselves(harness.Case):
    """Texts that all are lists, without COLUMN, and DENSE and SPARSE without a size: it is that of all rows."""

    ROWS, IDS = 3000, 40

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (v TEXT, s TEXT, many TEXT, y REAL)")
        draw = clusters.uniform(7)
        self.rows = []
        for i in range(self.ROWS):
            pair = [round(4 * next(draw) - 2, 3) for _ in range(2)]
            items = {int(20 * next(draw)): round(2 * next(draw), 2) for _ in range(3)}
            items[self.IDS - 1 if i == self.ROWS - 3 else 0] = 1.5  # the greatest id is far behind
            many = {int(5000 * next(draw)) for _ in range(5)} | {i // 10 * 11}
            self.rows.append((f"{pair[0]}, {pair[1]}", " ".join(f"{k}:{w}" for k, w in items.items()),
                              ", ".join(f"{k}:1" for k in sorted(many)), round(pair[0] + sum(items.values()) + len(many) / 9, 4)))
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", self.rows)
        self.run_all("COMMIT")

    def train(self, columns="", model="LinearRegressor", more="", table="t"):
        steps = "" if "xgboost" in model else ", train.max_steps = 60"
        hidden = ", model.hidden_units = [8]" if "DNN" in model else ""
        return self.run_all(f"SELECT * FROM {table} TO TRAIN {model} WITH train.test_size = 0{steps}{hidden}{more} "
                            f"{'COLUMN ' * bool(columns)}{columns} LABEL y INTO m")

    def meta(self):
        return json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])

    def sources(self):
        """How many inputs each column has, and the last one."""
        return {one.get("column", one["name"]): one for one in self.meta()["inputs"]}

    def test_size_is_that_of_all_rows(self):
        found = self.train()
        inputs = self.sources()
        self.assertEqual((inputs["v"]["name"], inputs["s"]["name"], inputs["many"]["name"]), ("v[2]", "s[39]", "SPARSE(many)"))
        self.assertEqual(inputs["many"]["hash_buckets"], 5000)
        notices = harness.notices(found)
        self.assertTrue(any(one.startswith('column "v" is read as lists of 2 numbers, each of which is an input') for one in notices))
        self.assertTrue(any(one.startswith('column "s" is read as lists of numbers with ids from 0 to 39') for one in notices))
        wanted = self.model_digest()
        self.train("DENSE(v), SPARSE(s), SPARSE(many)")
        self.assertEqual(self.model_digest(), wanted)
        self.train(f"DENSE(v, 2), SPARSE(s, {self.IDS}), SPARSE(many, 5000)")
        self.assertEqual(self.model_digest(), wanted)

    def test_the_same_model_in_any_order_by_any_workers(self):
        for model in ("LinearRegressor", "DNNRegressor", "WideAndDeepRegressor"):
            digests = set()
            for table, workers in (("t", 1), ("t", 2), ("t", 3), ("t", 8), ("(SELECT * FROM t ORDER BY y)", 1), ("(SELECT * FROM t ORDER BY rowid DESC)", 1)):
                self.train("", model, f", job.min_workers = {workers}, job.max_workers = {workers}", table)
                digests.add(self.model_digest())
            self.assertEqual(len(digests), 1, model)

    def test_every_way_of_scoring_does_as_training_did(self):
        for model in ("LinearRegressor", "DNNRegressor", "DeepFMRegressor"):
            measured = harness.facts(self.train("", model))
            cursor = self.database.execute("SELECT * FROM t TO EVALUATE m")
            evaluated = dict(zip([column[0] for column in cursor.description], cursor.fetchone()))
            self.assertAlmostEqual(measured["RMSE"], evaluated["RMSE"], 5, model)
            alone = self.run_all("SELECT totrain_predict('m', v, s, many) FROM t")
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
            self.assertEqual(self.run_all("SELECT guess FROM p ORDER BY rowid"), alone)

    def test_one_row_that_is_no_such_list_makes_it_a_category(self):
        for column, text in (("v", "1, 2, 3"), ("v", "n/a"), ("v", "1, x"), ("s", "3"), ("s", "red:1"), ("s", "-1:2 3:4"), ("s", "3:x 4:1")):
            self.run_all("CREATE TABLE other AS SELECT v, s, y FROM t")
            self.run_all(f"UPDATE other SET {column} = ? WHERE rowid = ?", text, self.ROWS - 5)
            self.train("*", table="other")
            self.assertNotIn("list", self.sources().get(column, {}), text)
            with self.assertRaisesRegex(sqlite3.Error, "hold from 2 to 3 numbers|not all texts of column"):
                self.train(("DENSE(v)" if column == "v" else "SPARSE(s)") if text != "3" else "DENSE(s)", table="other")
            self.run_all("DROP TABLE other")

    def test_a_size_that_is_said_makes_others_bad_rows(self):
        self.run_all("UPDATE t SET many = '5000:1' WHERE rowid = 2500")
        with self.assertRaisesRegex(sqlite3.Error, "row 2500: column \"many\" holds '5000:1', where a list of up to 128 ids from 0 to 4999"):
            self.train("SPARSE(many, 5000)")
        self.train("SPARSE(many, 5000)", more=", train.bad_rows = 'skip'")
        self.assertEqual(self.meta()["rows"], self.ROWS - 1)
        self.train("SPARSE(many)")
        self.assertEqual(self.sources()["many"]["hash_buckets"], 5001)

    def test_rows_have_room_for_the_longest_of_all_rows(self):
        for items, room in ((65, 256), (300, 1024), (600, 1024)):
            self.run_all("UPDATE t SET many = ? WHERE rowid = 2500", " ".join(f"{i}:1" for i in range(items)))
            self.train("SPARSE(many)")
            self.assertEqual(self.sources()["many"]["list"]["size"], room)
        self.run_all("UPDATE t SET many = ? WHERE rowid = 2500", " ".join(f"{i}:1" for i in range(1025)))
        with self.assertRaisesRegex(sqlite3.Error, "row 2500: .* where a list of up to 1024 ids from 0 to 4999"):
            self.train("SPARSE(many)")

    def test_null_and_blank_texts_have_no_ids(self):
        self.run_all("UPDATE t SET v = NULL, s = '', many = NULL WHERE rowid % 7 = 0")
        self.train()
        self.assertEqual([name for name, one in self.sources().items() if "list" in one], ["v", "s", "many"])

    def test_texts_that_look_like_lists_are_none(self):
        texts = {"decimal": "{},5", "price": "1,{:03}", "clock": "{}:30", "version": "{}.4.1", "dated": "2024-01-{:02}", "pair": "{}:{}", "words": "a{},b"}
        self.run_all(f"CREATE TABLE no_lists ({', '.join(name + ' TEXT' for name in texts)}, y REAL)")
        self.database.executemany(f"INSERT INTO no_lists VALUES ({'?, ' * len(texts)}?)",
                                  [[text.format(i % 20 + 1, i % 3) for text in texts.values()] + [i % 5] for i in range(300)])
        self.train(table="no_lists")
        self.assertEqual([one["name"] for one in self.meta()["inputs"] if "list" in one], [])

    def test_many_ids_are_a_weighted_category(self):
        for model in ("LinearRegressor", "DNNRegressor"):
            guesses = []
            for columns in ("SPARSE(many, 5000)", "WEIGHTED_CATEGORY(CATEGORY_ID(SPARSE(many, 5000), 5000))"):
                self.train(columns, model)
                guesses.append(self.run_all("SELECT totrain_predict('m', many) FROM t"))
            self.assertEqual(*guesses)
        with self.assertRaisesRegex(sqlite3.Error, "SPARSE of more than 2000 ids is not supported yet in xgboost.gbtree"):
            self.train("SPARSE(many)", "xgboost.gbtree", ", train.num_boost_round = 2")


ITEMS = "WEIGHTED_CATEGORY(CATEGORY_ID(SPARSE(s, 4), 4)), CATEGORY_HASH(tags, 20, ';'), SEQ_CATEGORY_ID(seen, 9, COMMA)"
EMBEDDED = ("EMBEDDING(WEIGHTED_CATEGORY(CATEGORY_HASH(SPARSE(s, 10, ' ', \"int\", ':', \"float\"), 10)), 4), "
            "EMBEDDING(CATEGORY_ID(seen, 9, COMMA), 4, {}), EMBEDDING(SPARSE(s, 4), 4, 'sum')")


class Items(harness.Case):
    """Categories of several values a cell."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (s TEXT, tags TEXT, seen TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)",
                                  [(s, ";".join(("red hat", "blue", "x")[:i % 4]), ",".join(str(i * k % 9) for k in range(i % 5)), int(y > 2))
                                   for i, (_, s, y) in enumerate(lists.made())])

    def train(self, columns=ITEMS, model="LinearClassifier", more="", table="t"):
        return harness.facts(self.run_all(f"SELECT * FROM {table} TO TRAIN {model} WITH train.test_size = 0, train.epoch = 5{more} "
                                          f"COLUMN {columns} LABEL y INTO m"))

    def meta(self):
        return json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])

    def probabilities(self):
        return [row[0] for row in self.run_all("SELECT totrain_probability('m', s, tags, seen) FROM t")]

    def test_logistic_regression_is_that_of_scikit_learn(self):
        self.run_all(f"SELECT s, y FROM t TO TRAIN LinearClassifier WITH train.test_size = 0, model.l2 = {lists.L2}, train.epoch = 400 "
                     "COLUMN WEIGHTED_CATEGORY(CATEGORY_ID(SPARSE(s, 4), 4)) LABEL y INTO m")
        found = dict(self.run_all("SELECT name, value FROM m WHERE part = 'weight'"))
        for name, wanted in zip(["(intercept)"] + [f"CATEGORY_ID(s)={i}" for i in range(4)], lists.LOGISTIC):
            self.assertAlmostEqual(found[name], wanted, delta=2e-3, msg=name)

    def test_every_way_of_scoring_does_as_training_did(self):
        for columns, model in ((ITEMS, "LinearClassifier"), (ITEMS, "DNNClassifier"), (EMBEDDED.format("mean"), "DeepFMClassifier"),
                               (EMBEDDED.format("sqrtn"), "WideAndDeepClassifier")):
            measured = self.train(columns, model)
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
            right, = self.run_all("SELECT avg(p.guess = t.y) FROM p, t WHERE p.rowid = t.rowid")[0]
            self.assertAlmostEqual(measured["Accuracy"], right, 9, model)
            cells = ", ".join(self.taken())
            self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {cells}) FROM t"), self.run_all("SELECT guess FROM p ORDER BY rowid"))
            [one] = self.run_all("SELECT * FROM t TO EVALUATE m WITH job.min_workers = 2")
            self.assertEqual([one], self.run_all("SELECT * FROM t TO EVALUATE m"))

    def taken(self):
        columns = []
        for one in self.meta()["inputs"]:
            name = one.get("column", one["name"])
            if name not in columns:
                columns.append(name)
        return columns

    def test_the_same_model_in_any_order_by_any_workers(self):
        for columns, model in ((ITEMS, "LinearClassifier"), (ITEMS, "DNNClassifier"), (EMBEDDED.format("mean"), "DeepFMClassifier")):
            digests = set()
            for table, workers in (("t", 1), ("t", 2), ("t", 3), ("(SELECT * FROM t ORDER BY seen)", 1)):
                self.train(columns, model, f", job.min_workers = {workers}, job.max_workers = {workers}", table)
                digests.add(self.model_digest())
            self.assertEqual(len(digests), 1, model)

    def test_combiners_make_other_models_and_the_order_of_items_none(self):
        digests = set()
        for combiner in ("sum", "mean", "sqrtn"):
            self.train(EMBEDDED.format(combiner), "DeepFMClassifier")
            digests.add(self.model_digest())
        self.assertEqual(len(digests), 3)
        self.run_all("CREATE TABLE turned AS SELECT s, tags, seen, y FROM t")
        turned = [(" ".join(reversed(s.split())), ",".join(reversed(seen.split(","))), row)
                  for row, s, seen in self.run_all("SELECT rowid, s, seen FROM t")]
        self.train()
        before = self.probabilities()
        self.database.executemany("UPDATE t SET s = ?, seen = ? WHERE rowid = ?", turned)
        self.assertEqual(self.probabilities(), before)

    def test_inputs_are_shown_and_stored(self):
        self.train()
        inputs = {one["name"]: one for one in self.meta()["inputs"]}
        self.assertEqual(inputs["CATEGORY_ID(s)"]["list"], {"form": "items", "size": 128, "delimiter": "", "pair": ":"})
        self.assertEqual((inputs["CATEGORY_ID(s)"]["combiner"], inputs["CATEGORY_ID(s)"]["weighted"]), ("sum", True))
        self.assertEqual(self.meta()["format"], 11)
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["input CATEGORY_ID(s)"], "text of up to 128 ids from 0 to 3, with weights, by their sum")
        self.assertEqual(shown["input CATEGORY_HASH(tags)"], "text of up to 128 items, in 20 hash buckets, by their sum")

    def test_a_row_with_another_id_is_a_bad_one(self):
        self.run_all("UPDATE t SET seen = '1,9' WHERE rowid = 300")
        with self.assertRaisesRegex(sqlite3.Error, "row 300: column \"seen\" holds '1,9', where a list of up to 128 ids from 0 to 8 was expected"):
            self.train()
        self.train(more=", train.bad_rows = 'skip'")
        self.assertEqual(self.meta()["rows"], lists.ROWS - 1)
        with self.assertRaisesRegex(sqlite3.Error, "column \"seen\" holds '1,9'"):
            self.run_all("SELECT * FROM t TO EVALUATE m")
        with self.assertRaisesRegex(sqlite3.Error, "where a list of up to 3 ids from 0 to 8 was expected"):
            self.train("CATEGORY_ID(seen, 9, ',', 3)")

    def test_importance_and_shap_are_of_the_columns(self):
        self.train()
        self.assertEqual({row[0] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}, {"s", "tags", "seen"})
        self.run_all("SELECT * FROM t TO EXPLAIN m USING SHAP")


if __name__ == "__main__":
    harness.main()
