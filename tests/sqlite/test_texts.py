"""TEXT(c): a model learns from the words of free texts, and reads them wherever it scores."""

import json
import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import texts  # noqa: E402  pylint: disable=wrong-import-position

TRAIN = "SELECT {} FROM {} TO TRAIN {}Classifier WITH train.epoch = {}{} COLUMN {} LABEL y INTO m"

TREES = "SELECT body, y FROM train TO TRAIN {}Classifier WITH train.seed = 1{} COLUMN TEXT(body) LABEL y INTO m"


class Texts(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE train (body TEXT, y INTEGER)")
        self.run_all("CREATE TABLE test (body TEXT, y INTEGER)")
        rows = texts.made()
        half = len(rows) // 2
        self.database.executemany("INSERT INTO train VALUES (?, ?)", rows[:half])
        self.database.executemany("INSERT INTO test VALUES (?, ?)", rows[half:])

    def run_all(self, sql, parameters=()):
        return self.database.execute(sql, parameters).fetchall()

    def train(self, columns="body, y", table="train", model="Linear", epochs=5, more="", column="TEXT(body)"):
        rows = self.run_all(TRAIN.format(columns, table, model, epochs, more, column))
        return harness.facts(rows)

    def evaluate(self, table="test"):
        cursor = self.database.execute(f"SELECT * FROM {table} TO EVALUATE m")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def meta(self):
        return json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])

    def test_as_much_is_learned_as_by_scikit_learn(self):
        self.run_all("SELECT body, y FROM train TO TRAIN LinearClassifier COLUMN TEXT(body) LABEL y INTO m")
        measured = self.evaluate()
        self.assertGreater(measured["Accuracy"], texts.ACCURACY - 0.01)
        self.assertGreater(measured["AUC"], texts.AUC - 0.01)
        self.run_all("SELECT body, y FROM train TO TRAIN DNNClassifier COLUMN TEXT(body) LABEL y INTO m")
        self.assertGreater(self.evaluate()["AUC"], 0.75)
        self.run_all("SELECT body, y FROM train TO TRAIN LinearClassifier LABEL y INTO m")  # each body is one word
        self.assertLess(self.evaluate()["AUC"], 0.6)

    def test_free_text_is_left_out_with_a_word_about_text(self):
        self.run_all("CREATE TABLE wide AS SELECT rowid % 7 AS x, body, y FROM train")
        self.run_all("SELECT * FROM wide TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL y INTO m")
        [notice] = [one for one in self.meta()["notices"] if one["kind"] == "free text"]
        self.assertEqual(notice["hint"], "COLUMN *, TEXT(body) learns from its words.")
        self.train("*", "wide", column="*, TEXT(body)")
        self.assertEqual([(one["name"], one["type"]) for one in self.meta()["inputs"]],
                         [("x", "numeric"), ("body", "text")])
        self.assertNotIn("free text", json.dumps(self.meta().get("notices", [])))

    def test_the_same_model_in_any_order_by_any_workers(self):
        for model in ("Linear", "DNN"):
            digests = set()
            for table in ("train", "(SELECT * FROM train ORDER BY body)"):
                for workers in ("", ", job.min_workers = 3, job.max_workers = 3"):
                    self.train(table=table, model=model, more=workers)
                    digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1)

    def test_every_way_of_scoring_reads_the_words(self):
        self.run_all("UPDATE test SET body = NULL WHERE rowid % 10 = 0")
        self.run_all("UPDATE test SET body = '' WHERE rowid % 10 = 1")
        self.train(model="DNN", more=", train.test_size = 0")
        guess = "SELECT totrain_predict('m', body), totrain_probability('m', body) FROM test"
        alone = self.run_all(guess)
        self.run_all("SELECT * FROM test TO PREDICT p.guess WITH predict.extra_outputs = 'probability' USING m")
        self.assertEqual(self.run_all("SELECT guess, probability FROM p ORDER BY rowid"), alone)
        right = sum(y == one[0] for (y,), one in zip(self.run_all("SELECT y FROM test"), alone))
        self.assertEqual(self.evaluate()["Accuracy"], right / len(alone))
        by_workers = self.database.execute("SELECT * FROM test TO EVALUATE m WITH job.min_workers = 2").fetchone()
        self.assertEqual(by_workers, tuple(self.evaluate().values()))
        one = "SELECT totrain_probability('m', ?)"
        self.assertEqual(self.run_all(one, (None,)), self.run_all(one, ("!",)))
        self.assertEqual(self.run_all(one, ("Ship-harbour",)), self.run_all(one, ("harbour, SHIP; ship",)))
        with self.assertRaisesRegex(sqlite3.Error, "column \"body\" holds a blob, where text or a number was expected"):
            self.run_all(one, (b"ship",))

    def test_what_train_measured_evaluate_measures(self):
        measured = self.train(model="DNN", more=", train.test_size = 0")
        self.assertEqual(measured["Accuracy"], self.evaluate("train")["Accuracy"])
        self.assertAlmostEqual(measured["loss"], self.evaluate("train")["loss"], 12)

    def test_buckets_and_words_are_the_statement_s(self):
        self.train(column="TEXT(body, 50, 3)")
        [body] = self.meta()["inputs"]
        self.assertEqual((self.meta()["format"], body["hash_buckets"], body["words_max"]), (5, 50, 3))
        self.assertEqual(self.run_all("SELECT count(*) FROM m WHERE part = 'weight'"), [(51,)])
        self.assertIn(("body in bucket 7",), self.run_all("SELECT name FROM m WHERE part = 'weight'"))
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["input body"], "text of up to 3 different words, in 50 hash buckets")
        one = "SELECT totrain_probability('m', ?)"
        self.assertEqual(self.run_all(one, ("a b c",)), self.run_all(one, ("a A b c ship",)))

    def test_a_text_s_importance_is_that_of_all_its_words(self):
        self.run_all("CREATE TABLE wide AS SELECT rowid % 7 AS x, body, 'c' || rowid % 3 AS c, y FROM train")
        self.train("*", "wide", epochs=50, column="*, TEXT(body)")
        importance = {row[0]: row[1] for row in self.run_all("SELECT * FROM wide TO EXPLAIN m")}
        self.assertGreater(importance["body"], 0.2)
        self.assertLess(max(importance["x"], importance["c"]), importance["body"] / 4)

    def test_trees_learn_from_counts_of_words(self):
        for model in ("XGB", "LGBM", "RandomForest", "HistGradientBoosting"):
            self.run_all(TREES.format(model, ""))
            self.assertGreater(self.evaluate()["AUC"], texts.TREES_AUC[model] - 0.01, model)
        body = self.meta()["inputs"]
        self.assertEqual((self.meta()["format"], len(body), body[17]["name"], body[17]["type"]), (19, 1000, "body[17]", "numeric"))
        self.assertNotIn("is 0 in all", json.dumps(self.meta().get("notices", [])))
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["input body[0] ... body[999]"], "how many words of the text are in each of 1000 hash buckets")
        self.assertEqual([row[0] for row in self.run_all("SELECT * FROM test TO EXPLAIN m")], ["body"])

    def test_words_of_buckets_are_named_by_the_rows_that_are_explained(self):
        self.run_all("CREATE TABLE wide AS SELECT rowid % 7 AS x, body, y, 'Tide, tide!' AS title FROM train")
        self.run_all("SELECT * FROM wide TO TRAIN LGBMClassifier WITH train.seed = 1, n_estimators = 30 COLUMN *, TEXT(body), TEXT(title, 9) LABEL y INTO m")
        found = []
        for table in ("wide", "(SELECT * FROM wide ORDER BY title, body)"):
            cursor = self.database.execute(f"SELECT * FROM {table} TO EXPLAIN m WITH summary.plot_type = bar USING SHAP")
            self.assertEqual([column[0] for column in cursor.description], ["input", "importance", "direction", "base", "words", "bar"])
            found.append(cursor.fetchall())
        self.assertEqual(*found)
        words = {row[0]: row[4] for row in found[0]}
        self.assertEqual([words["x"], *sorted({words[f"title[{i}]"] for i in range(9)}, key=str)], [None, None, "tide 1600"])
        for row in found[0][:8]:
            self.assertIn(row[4].split()[0], [word.lower() for about in texts.ABOUT for word in about], row)
        self.assertGreater(len(found[0]), 1000)
        self.run_all("SELECT x, y FROM wide TO TRAIN LGBMClassifier LABEL y INTO plain")
        self.assertNotIn("words", [one[0] for one in self.database.execute("SELECT * FROM wide TO EXPLAIN plain USING SHAP").description])

    def test_trees_count_the_same_words_in_any_order_by_any_workers(self):
        digests = set()
        for table in ("train", "(SELECT * FROM train ORDER BY body)"):
            for workers in ("", ", job.min_workers = 2, job.max_workers = 2", ", job.min_workers = 3, job.max_workers = 3"):
                self.run_all(TREES.format("LGBM", ", n_estimators = 20" + workers).replace("FROM train", f"FROM {table}"))
                digests.add(self.digest(self.database, "m"))
        self.assertEqual(len(digests), 1)

    def test_every_way_of_scoring_counts_the_words(self):
        self.run_all("UPDATE test SET body = NULL WHERE rowid % 10 = 0")
        self.run_all("UPDATE test SET body = '' WHERE rowid % 10 = 1")
        self.run_all(TREES.format("XGB", ", train.test_size = 0"))
        alone = self.run_all("SELECT totrain_predict('m', body), totrain_probability('m', body) FROM test")
        self.run_all("SELECT * FROM test TO PREDICT p.guess WITH predict.extra_outputs = 'probability' USING m")
        self.assertEqual(self.run_all("SELECT guess, probability FROM p ORDER BY rowid"), alone)
        one = "SELECT totrain_probability('m', ?)"
        self.assertEqual(self.run_all(one, (None,)), self.run_all(one, ("!",)))
        self.assertEqual(self.run_all(one, ("Ship-harbour",)), self.run_all(one, ("harbour, SHIP",)))
        with self.assertRaisesRegex(sqlite3.Error, "column \"body\" holds a blob, where text or a number was expected"):
            self.run_all(one, (b"ship",))

    def test_how_often_a_word_is_there_counts_for_trees(self):
        """All texts have the same words: their presence tells nothing."""
        self.run_all("CREATE TABLE often AS SELECT CASE WHEN rowid % 2 THEN 'ship oven ship' ELSE 'oven ship oven' END AS body, "
                     "rowid % 2 AS y FROM train")
        self.run_all("SELECT * FROM often TO TRAIN DecisionTreeClassifier COLUMN TEXT(body, 50, 2) LABEL y INTO m")
        self.assertEqual(self.evaluate("often")["Accuracy"], 0.5)  # two words are read, and no more
        self.run_all("SELECT * FROM often TO TRAIN DecisionTreeClassifier COLUMN TEXT(body, 50) LABEL y INTO m")
        self.assertEqual(self.evaluate("often")["Accuracy"], 1)
        self.run_all("SELECT * FROM often TO TRAIN DecisionTreeClassifier LABEL y USING m INTO m2")
        self.assertEqual(self.run_all("SELECT totrain_predict('m2', 'ship ship')"), [(1,)])

    def test_clusters_refuse_texts(self):
        with self.assertRaisesRegex(sqlite3.Error, "column \"body\" is a text, and KMeans accepts numbers, categories and dates"):
            self.run_all("SELECT y, body FROM train TO TRAIN KMeans WITH model.n_clusters = 2 COLUMN y, TEXT(body) INTO m")


if __name__ == "__main__":
    harness.main()
