"""TEXT(c, ngrams = 2, weights = 'tfidf'): pairs of words, counts and rarity, in every kind of model that reads texts."""

import json
import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import weighted_texts  # noqa: E402  pylint: disable=wrong-import-position

# Texts that pairs of words tell apart: single words are the same in both.
SIDES = ("good not bad", "bad not good")


class WeightedTexts(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        for table, rows in zip(("train", "test"), weighted_texts.halves()):
            self.run_all(f"CREATE TABLE {table} (body TEXT, y INTEGER)")
            self.database.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)

    def run_all(self, sql, parameters=()):
        return self.database.execute(sql, parameters).fetchall()

    def train(self, column, model="LinearClassifier", settings="train.test_size = 0", table="train", into="m"):
        return self.run_all(f"SELECT body, y FROM {table} TO TRAIN {model} WITH {settings} COLUMN {column} LABEL y INTO {into}")

    def evaluate(self, table="test"):
        cursor = self.database.execute(f"SELECT * FROM {table} TO EVALUATE m")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def meta(self, model="m"):
        return json.loads(self.run_all(f"SELECT data FROM {model} WHERE part = 'meta'")[0][0])

    def test_naive_bayes_is_scikit_learn_s_over_counts_and_tfidf(self):
        for (ngrams, weights), (terms, wanted) in weighted_texts.REFERENCE.items():
            with self.subTest(ngrams=ngrams, weights=weights):
                self.train(f"TEXT(body, ngrams = {ngrams}, weights = '{weights}')", "NaiveBayes")
                self.assertEqual(self.meta()["inputs"][0]["words"], terms)
                found = self.run_all(f"SELECT totrain_probability('m', body) FROM test LIMIT {weighted_texts.JUDGED}")
                for (one,), other in zip(found, wanted, strict=True):
                    self.assertAlmostEqual(one / other, 1, delta=1e-5)
        self.train("TEXT(body)", "NaiveBayes")
        self.assertEqual(self.meta()["inputs"][0]["weight"], "count")
        shown = {row[:2]: row[4] for row in self.run_all("SELECT * FROM test TO EXPLAIN m USING likelihoods")}
        self.assertGreater(shown["body=ship", "0"], 2 * shown["body=ship", "1"])

    def test_a_linear_model_of_tfidf_is_as_good_as_scikit_learn_s(self):
        self.train("TEXT(body, ngrams = 2, weights = 'tfidf')", settings="train.seed = 1")
        self.assertGreater(self.evaluate()["AUC"], weighted_texts.AUC - 0.01)
        best = [name for name, in self.run_all("SELECT name FROM m WHERE part = 'weight' ORDER BY abs(value) DESC LIMIT 5")]
        about = [f"body={word.lower()}" for words in weighted_texts.texts.ABOUT for word in words]
        self.assertLessEqual(set(best), set(about))

    def test_pairs_tell_what_words_do_not(self):
        self.run_all("CREATE TABLE sides AS SELECT CASE WHEN rowid % 2 THEN ? ELSE ? END AS body, rowid % 2 AS y FROM train", SIDES)
        for model, weights, settings in (
                ("LinearClassifier", "words", "train.epoch = 9"), ("NaiveBayes", "count", "alpha = 1"),
                ("DecisionTreeClassifier", "count", "max_depth = 2"), ("DNNClassifier", "tfidf", "train.epoch = 9"),
                ("WideAndDeepClassifier", "tfidf", "train.epoch = 9, train.batch_size = 32")):
            with self.subTest(model=model, weights=weights):
                for ngrams, right in ((1, 0.5), (2, 1)):
                    self.train(f"TEXT(body, 99, ngrams = {ngrams}, weights = {weights})", model, settings, "sides")
                    self.assertAlmostEqual(self.evaluate("sides")["Accuracy"], right, delta=0.01)

    def test_the_same_model_in_any_order_by_any_workers(self):
        for model, settings in (("LinearClassifier", "train.epoch = 3"), ("NaiveBayes", "alpha = 1"),
                                ("LGBMClassifier", "n_estimators = 2")):
            digests = set()
            for table, workers in (("train", ""), ("(SELECT * FROM train ORDER BY body)", ", job.min_workers = 3, job.max_workers = 3")):
                self.train("TEXT(body, 200, ngrams = 2, weights = 'tfidf')", model, settings + workers, table)
                digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1)

    def test_every_way_of_scoring_reads_them(self):
        self.run_all("UPDATE test SET body = NULL WHERE rowid % 10 = 0")
        self.run_all("UPDATE test SET body = '' WHERE rowid % 10 = 1")
        for model, settings in (("NaiveBayes", "alpha = 1"), ("LinearClassifier", "train.epoch = 3")):
            self.train("TEXT(body, ngrams = 2, weights = 'tfidf')", model, settings)
            alone = self.run_all("SELECT totrain_predict('m', body), totrain_probability('m', body) FROM test")
            self.run_all("SELECT * FROM test TO PREDICT p.guess WITH predict.extra_outputs = 'probability' USING m")
            self.assertEqual(self.run_all("SELECT guess, probability FROM p ORDER BY rowid"), alone)
            right = sum(y == one[0] for (y,), one in zip(self.run_all("SELECT y FROM test"), alone))
            self.assertEqual(self.evaluate()["Accuracy"], right / len(alone))
        one = "SELECT totrain_probability('m', ?)"
        self.assertEqual(self.run_all(one, (None,)), self.run_all(one, ("!",)))
        self.assertNotEqual(self.run_all(one, ("oven ship oven",)), self.run_all(one, ("ship oven",)))
        importance = dict(row[:2] for row in self.run_all("SELECT * FROM train TO EXPLAIN m"))
        self.assertEqual(list(importance), ["body"])
        shap = self.run_all("SELECT * FROM test LIMIT 3 TO EXPLAIN m USING SHAP")
        self.assertEqual(shap[0][0], "body")

    def test_training_goes_on_with_the_words_of_the_old_model(self):
        for model in ("LinearClassifier", "DNNClassifier", "WideAndDeepClassifier"):
            self.train("TEXT(body, 700, 99, 2, 'tfidf')", model, "train.epoch = 2")
            self.run_all(f"SELECT body, y FROM test TO TRAIN {model} WITH train.epoch = 2 LABEL y USING m INTO m2")
            self.assertEqual(self.meta("m2")["inputs"], self.meta("m")["inputs"])
            self.assertEqual(self.run_all("SELECT data, value FROM m2 WHERE part = 'vocabulary' ORDER BY position"),
                             self.run_all("SELECT data, value FROM m WHERE part = 'vocabulary' ORDER BY position"))

    def test_what_does_not_count_is_told(self):
        self.train("TEXT(body, 100, 4, 2, 'tfidf')")
        notices = [one["text"] + ". " + one["hint"] for one in self.meta()["notices"]]
        self.assertIn('800 of 800 texts of column "body" have more than 4 different words and pairs of words, of which the others '
                      "do not count. TEXT(body, words = 1024) takes the most.", notices)
        self.assertRegex("\n".join(notices), r'column "body" has \d+ different words and pairs of words: the model knows the 100 '
                         r"that most texts have. TEXT\(body, \d+\) keeps all that are in two texts.")
        self.train("TEXT(body, weights = 'tfidf')", "XGBClassifier", "n_estimators = 1")
        self.assertIn('TEXT of column "body" counts words: XGBClassifier splits each count by itself, so weights by rarity '
                      "change nothing", [one["text"] for one in self.meta()["notices"]])

    def test_a_changed_count_of_texts_is_found(self):
        self.train("TEXT(body, weights = 'tfidf')", settings="train.epoch = 1")
        self.run_all("UPDATE m SET value = value + 1 WHERE part = 'vocabulary' AND position = 7")
        with self.assertRaisesRegex(sqlite3.Error, "it was changed after training"):
            self.run_all("SELECT totrain_predict('m', 'ship')")

    def test_what_cannot_be_is_refused(self):
        for column, message in (("TEXT(body, ngrams = 3)", "TEXT takes ngrams from 1 to 2"),
                                ("TEXT(body, weights = 'bm25')", "the weights of TEXT are 'words', 'count' or 'tfidf'"),
                                ("TEXT(body, weights = 7)", "the weights of TEXT are 'words', 'count' or 'tfidf'"),
                                ("TEXT(body, words = 0)", "TEXT takes a number of words of one text from 1 to 1024"),
                                ("TEXT(body, ngrams = 2, ngrams = 2)", "argument \"ngrams\" is given twice"),
                                ("TEXT(body, 1, 2, 2, 'tfidf', 3)", "TEXT takes a column's name, and after it possibly")):
            with self.assertRaisesRegex(sqlite3.Error, message.replace("(", r"\(")):
                self.train(column)
        with self.assertRaisesRegex(sqlite3.Error, "column \"body\" is a text, and KMeans accepts numbers, categories and dates"):
            self.run_all("SELECT y, body FROM train TO TRAIN KMeans WITH model.n_clusters = 2 "
                         "COLUMN y, TEXT(body, weights = 'tfidf') INTO m")
        self.train("TEXT(body, weights = 'tfidf')", settings="train.epoch = 1")
        with self.assertRaisesRegex(sqlite3.Error, "input \"body\" is the words of a text, which is not exported"):
            self.run_all(f"EXPORT MODEL m TO '{self.folder}/m.onnx' FORMAT onnx")


if __name__ == "__main__":
    harness.main()
