"""IsolationForest, from the statement to rows that are unlike the others."""

import json
import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import isolation  # noqa: E402  pylint: disable=wrong-import-position
import outliers  # noqa: E402  pylint: disable=wrong-import-position

BELOW = .015  # area under the curve: the means of 20 forests of scikit-learn differ by some .001, one forest by .005


class Isolation(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (x REAL, y REAL, z REAL, anywhere INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", outliers.rows())

    def train(self, settings="", into="m", rows="t", columns="x, y, z"):
        settings = f"WITH {settings} " if settings else ""
        return harness.facts(self.run_all(f"SELECT {columns} FROM {rows} TO TRAIN IsolationForest {settings}INTO {into}"))

    def scores(self, columns="x, y, z", rows="t"):
        return [row[0] for row in self.run_all(f"SELECT totrain_distance('m', {columns}) FROM {rows}")]

    def test_unlike_rows_are_found_as_scikit_learn_finds_them(self):
        for settings in isolation.SETTINGS:
            with self.subTest(settings):
                self.train(settings)
                area = outliers.area(self.scores(), [row[3] for row in outliers.rows()])
                self.assertGreater(area, isolation.REFERENCE[settings] - BELOW)

    def test_categories_are_inputs_by_themselves(self):
        rows = isolation.rows_of_words()
        self.run_all("CREATE TABLE w (city TEXT, plan TEXT, x REAL, unusual INTEGER)")
        self.database.executemany("INSERT INTO w VALUES (?, ?, ?, ?)", rows)
        self.train(rows="w", columns="city, plan, x")
        area = outliers.area(self.scores("city, plan, x", "w"), [row[3] for row in rows])
        self.assertGreater(area, isolation.REFERENCE["words"] - BELOW)
        usual, unseen = (self.run_all(f"SELECT totrain_distance('m', {values})")[0][0]
                         for values in ("'Oslo', 'free', 0.0", "'Atlantis', 'free', 0.0"))
        self.assertLess(unseen, usual)

    def test_scores_are_those_that_forests_come_near_to(self):
        self.train("n_estimators = 2000")
        for score, wanted in zip(self.scores()[::isolation.EACH], isolation.EXPECTED, strict=True):
            self.assertAlmostEqual(score - .5, wanted, delta=.008)

    def test_contamination_is_the_share_of_outliers(self):
        for share in (.01, .0625, .5):
            with self.subTest(share):
                trained = self.train(f"contamination = {share}")
                scores = sorted(self.scores())
                # numpy.percentile: scores up to that place are below it
                below = int(share * (len(scores) - 1)) + (share * (len(scores) - 1) % 1 > 0)
                self.assertEqual(sum(score <= 0 for score in scores), below)
                self.assertAlmostEqual(trained["Outliers"], below / len(scores), delta=1e-9)
                self.assertAlmostEqual(self.run_all("SELECT * FROM t TO EVALUATE m")[0][1], below / len(scores), delta=1e-9)

    def test_the_threshold_moves_scores_and_nothing_else(self):
        self.train()
        scores = self.scores()
        self.train("contamination = 0.1")
        moved = [score - other for score, other in zip(scores, self.scores(), strict=True)]
        self.assertLess(max(moved) - min(moved), 1e-6)

    def test_predict_gives_sides_scores_shap_values_and_leaves(self):
        self.train("n_estimators = 20")
        for settings in ("", ", job.max_workers = 2"):
            with self.subTest(settings):
                self.run_all(f"SELECT * FROM t TO PREDICT p.side WITH extra_outputs = ['score', 'shap', 'leaf']{settings} USING m")
                different = self.run_all("SELECT count(*) FROM p WHERE side <> totrain_predict('m', x, y, z) OR "
                                         "score <> totrain_distance('m', x, y, z) OR (side = 1) <> (score > 0)")
                self.assertEqual(different, [(0,)])
        for score, shares, leaves in self.run_all("SELECT score, shap, leaf FROM p LIMIT 40"):
            self.assertAlmostEqual(score, .5 - 2 ** -sum(json.loads(shares).values()), delta=1e-6)
            self.assertEqual(len(json.loads(leaves)), 20)

    def test_missing_numbers_are_taken(self):
        self.run_all("CREATE TABLE gaps AS SELECT x, CASE WHEN rowid % 5 = 0 THEN NULL ELSE y END AS y, "
                     "CASE WHEN rowid = 77 THEN NULL ELSE z END AS z FROM t WHERE NOT anywhere")
        self.train(rows="gaps")
        scores = self.scores(rows="gaps")
        self.assertLess(scores[76], sorted(scores)[60])  # the only one without z
        usual = [score for i, score in enumerate(scores, 1) if i % 5 == 0]
        self.assertGreater(sum(usual) / len(usual), 0)  # many lack y

    def test_what_lies_far_away_is_an_outlier(self):
        self.train()
        for far in ("1e6", "-1e30", "1e300"):
            self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {far}, {far}, {far})"), [(-1,)])

    def test_any_number_of_workers_and_any_order_make_the_same_table(self):
        self.run_all("ALTER TABLE t ADD COLUMN w TEXT")
        self.run_all("UPDATE t SET w = CASE WHEN anywhere THEN NULL ELSE rowid % 7 || 'th' END")
        self.check_workers_and_order(lambda settings, into, rows: self.train(
            f"{settings}, contamination = 0.1, n_estimators = 40", into, rows, "x, y, z, w"))

    def test_seeds_and_settings_make_other_models(self):
        for i, settings in enumerate(("", "random_state = 3", "max_features = 0.5", "max_samples = 100")):
            self.train(settings, f"m{i}")
        self.assertEqual(len({self.digest(self.database, f"m{i}") for i in range(4)}), 4)

    def test_it_is_explained_and_shown_as_others_are(self):
        plan = dict(self.run_all("EXPLAIN SELECT x, y, z FROM t TO TRAIN IsolationForest WITH contamination = 0.1 INTO m"))
        self.assertIn("100 trees of splits at random, each of 256 rows and at most 8 deep", plan["isolation forest"])
        self.train()
        for using in ("", " USING SHAP"):
            shown = self.run_all(f"SELECT * FROM t TO EXPLAIN m{using}")
            self.assertEqual({row[0] for row in shown}, {"x", "y", "z"})
        self.assertIn(("kind", "IsolationForest"), self.run_all("SHOW MODEL m"))

    def test_what_it_does_not_do_is_refused(self):
        for settings, message in (("contamination = 0.6", "model.contamination"), ("max_samples = 0", "model.max_samples"),
                                  ("n_estimators = 0", "model.n_estimators"), ("train.epoch = 3", "train.epoch"),
                                  ("max_samples = 0.001", "from 2 rows at least")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.OperationalError, message):
                self.train(settings)
        with self.assertRaisesRegex(sqlite3.OperationalError, "learns without one"):
            self.run_all("SELECT * FROM t TO TRAIN IsolationForest LABEL anywhere INTO m")


if __name__ == "__main__":
    harness.main()
