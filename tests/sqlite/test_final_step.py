"""train.threshold and train.calibration: kept in the model, and used wherever it gives a class or a probability."""

import json
import math
import random
import sqlite3

import harness

ROWS, FRESH = 3000, 6000


def people(count, seed):
    """a, b, kind, one of two classes and one of three, whose chances are known."""
    draw = random.Random(seed)
    for _ in range(count):
        a, b, kind = draw.gauss(0, 1), draw.gauss(0, 1), draw.choice("uvw")
        chance = 1 / (1 + math.exp(1.5 + b - 2 * a - (kind == "u")))
        lot = draw.random()
        yield a, b, kind, int(draw.random() < chance), "pq"[lot < chance / 2] if lot < 0.6 else "r"


class FinalStep(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        for table, count, seed in (("t", ROWS, 1), ("fresh", FRESH, 2)):
            self.run_all(f"CREATE TABLE {table} (a REAL, b REAL, kind TEXT, y INTEGER, z TEXT)")
            self.run_all("BEGIN")
            self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", people(count, seed))
            self.run_all("COMMIT")

    def train(self, into, estimator="XGBClassifier", label="y", **attributes):
        settings = {"train.test_size": 0.3, "train.early_stopping": 0, **attributes}
        listed = ", ".join(f"{name} = {value!r}" for name, value in settings.items())
        self.run_all(f"SELECT a, b, kind, {label} FROM t TO TRAIN {estimator} WITH {listed} LABEL {label} INTO {into}")

    def shown(self, model):
        return dict(self.run_all(f"SHOW MODEL {model}"))

    def evaluate(self, model, more="", table="fresh"):
        cursor = self.database.execute(f"SELECT * FROM {table} TO EVALUATE {model}{more}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def scored(self, model, table="fresh"):
        return self.run_all(f"SELECT y, totrain_predict('{model}', a, b, kind), "
                            f"totrain_probability('{model}', a, b, kind) FROM {table}")

    def final(self, model):
        return json.loads(self.run_all(f"SELECT data FROM {model} WHERE part = 'meta'")[0][0])["final"]

    def fails(self, statement, message):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(statement)

    def test_a_threshold_is_kept_and_decides_everywhere(self):
        self.train("plain")
        self.train("m", **{"train.threshold": "recall >= 0.95"})
        threshold = self.final("m")["threshold"]
        self.assertLess(threshold, 0.4)
        self.assertEqual(self.final("m")["rows"], 900)
        self.assertEqual(self.shown("m")["threshold"], f"1 from a probability of {threshold!r} up: 'recall >= 0.95' on 900 "
                                                       "validation rows")
        rows = self.scored("m")
        self.assertEqual([p for _, _, p in rows], [p for _, _, p in self.scored("plain")])
        self.assertEqual([predicted for _, predicted, _ in rows], [int(p >= threshold) for _, _, p in rows])
        metrics = self.evaluate("m", " WITH validation.metrics = 'Accuracy,Precision,Recall,F1,AUC'")
        hits, predicted = sum(y * c for y, c, _ in rows), sum(c for _, c, _ in rows)
        self.assertAlmostEqual(metrics["Recall"], hits / sum(y for y, _, _ in rows), 12)
        self.assertAlmostEqual(metrics["Precision"], hits / predicted, 12)
        self.assertAlmostEqual(metrics["Accuracy"], sum(y == c for y, c, _ in rows) / FRESH, 12)
        self.assertGreater(metrics["Recall"], 0.9)
        self.assertEqual(metrics["AUC"], self.evaluate("plain", " WITH validation.metrics = 'AUC'")["AUC"])
        for more in ("", " WITH job.max_workers = 2"):
            self.run_all(f"SELECT * FROM fresh TO PREDICT out.y{more} USING m")
            self.assertEqual(sorted(self.run_all("SELECT a, y FROM out")),
                             sorted(self.run_all("SELECT a, totrain_predict('m', a, b, kind) FROM fresh")))
        named = self.run_all("SELECT * FROM fresh TO PREDICT y WITH predict.threshold = 0.5 USING m")
        self.assertEqual([row[-1] for row in named], [int(p >= 0.5) for _, _, p in rows])
        self.assertEqual(self.evaluate("m", " WITH evaluate.threshold = 0.5")["F1"], self.evaluate("plain")["F1"])
        lines = dict(self.run_all("EXPLAIN SELECT * FROM fresh TO EVALUATE m"))
        self.assertEqual(lines["threshold"], f"1 from a probability of {threshold!r} up, by the model")

    def test_the_threshold_is_the_best_of_the_held_out_rows(self):
        """validation.select, so that the test knows which rows they are."""
        rule = {"train.threshold": "f1", "train.test_size": 0, "validation.select": "SELECT * FROM fresh"}
        self.train("m", **rule)
        rows = self.scored("m")

        def f1(threshold):
            hits = sum(y for y, _, p in rows if p >= threshold)
            return 2 * hits / (sum(y for y, _, _ in rows) + sum(p >= threshold for _, _, p in rows))
        best = max(f1(p) for p in {p for _, _, p in rows[::25]} | {self.final("m")["threshold"]})
        self.assertAlmostEqual(f1(self.final("m")["threshold"]), best, 12)
        self.assertEqual(self.final("m")["rows"], FRESH)
        self.assertAlmostEqual(self.evaluate("m")["F1"], best, 12)

    def test_of_the_lesser_label(self):
        self.train("m", **{"train.threshold": "precision >= 0.8", "model.positive": "0", "train.calibration": "isotonic"})
        rows = self.scored("m")
        threshold = self.final("m")["threshold"]
        self.assertEqual([predicted for _, predicted, _ in rows], [int(p < threshold) for _, _, p in rows])
        self.assertGreater(self.evaluate("m", " WITH validation.metrics = 'Precision'")["Precision"], 0.75)

    def test_calibrated_probabilities_are_no_worse_on_fresh_rows(self):
        """The boosted trees overfit, so that they are far too sure of themselves."""
        for label in "yz":
            self.train("plain", label=label)
            plain = self.evaluate("plain", f" LABEL {label}")
            for method in ("isotonic", "sigmoid"):
                self.train("m", label=label, **{"train.calibration": method})
                found = self.evaluate("m", f" LABEL {label}")
                self.assertLess(found["LogLoss"], plain["LogLoss"] - 0.02, (label, method))
                self.assertTrue(self.shown("m")["calibration"].startswith(f"{method}, by 900 validation rows"))
                if label == "z":
                    continue

                def off(model):
                    bins = self.run_all(f"SELECT * FROM fresh TO EVALUATE {model} WITH evaluate.report = 'calibration'")
                    return sum(rows * abs(mean - actual) for _, _, rows, mean, actual in bins if rows) / FRESH
                self.assertLess(off("m"), off("plain") / 2, method)

    def test_probabilities_are_the_same_through_every_door(self):
        self.train("m", "LinearClassifier", "z", **{"train.calibration": "isotonic"})
        self.run_all("SELECT * FROM fresh TO PREDICT out.z WITH predict.extra_outputs = 'probabilities,probability' USING m")
        self.run_all("SELECT * FROM fresh TO PREDICT jobs.z WITH predict.extra_outputs = 'probabilities,probability', "
                     "job.max_workers = 2 USING m")
        found = self.run_all("SELECT z, probabilities, probability FROM out ORDER BY a")
        self.assertEqual(found, self.run_all("SELECT z, probabilities, probability FROM jobs ORDER BY a"))
        self.assertEqual(found, self.run_all("SELECT totrain_predict('m', a, b, kind), totrain_probabilities('m', a, b, kind), "
                                             "totrain_probability('m', a, b, kind) FROM fresh ORDER BY a"))
        loss = 0
        for (label,), (predicted, probabilities, probability) in zip(self.run_all("SELECT z FROM fresh ORDER BY a"), found):
            shares = json.loads(probabilities)
            self.assertAlmostEqual(sum(shares.values()), 1, 12)
            self.assertEqual((predicted, probability), max(shares.items(), key=lambda item: item[1]))
            loss -= math.log(shares[label])
        self.assertAlmostEqual(self.evaluate("m", " LABEL z")["LogLoss"], loss / FRESH, 9)

    def test_any_number_of_workers_makes_the_same_bits(self):
        for estimator in ("XGBClassifier", "LinearClassifier", "DNNClassifier"):
            digests = set()
            for workers in (1, 2, 3):
                self.train("m", estimator, **{"train.calibration": "sigmoid", "train.threshold": "f1", "n_estimators": 5,
                                              "job.min_workers": workers} if estimator[0] == "X" else
                           {"train.calibration": "isotonic", "train.threshold": "cost 1, 5", "train.epoch": 2,
                            "job.min_workers": workers})
                digests.add((self.shown("m")["digest"], json.dumps(self.final("m"))))
            self.assertEqual(len(digests), 1, estimator)

    def test_a_model_without_one_is_as_before(self):
        self.train("m", "LinearClassifier", **{"train.epoch": 1})
        meta = json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])
        self.assertLess(meta["format"], 20)
        self.assertNotIn("final", meta)
        self.train("m", "LinearClassifier", **{"train.epoch": 1, "train.threshold": 0.3})
        self.assertEqual(self.final("m"), {"rows": 0, "threshold": 0.3, "rule": "0.3"})
        self.assertEqual(self.shown("m")["threshold"], "1 from a probability of 0.3 up")

    def by_hand(self, estimator, settings):
        """The score of each row by the model of the other groups: (logit, is it positive), sorted."""
        scores = []
        for group in range(4):
            self.run_all(f"SELECT a, b, y, g FROM grouped WHERE g <> {group} TO TRAIN {estimator} WITH {settings}, "
                         f"train.group = g, validation.select = 'SELECT a, b, y, g FROM grouped WHERE g = {group}' LABEL y INTO other")
            scores += [(math.log(p / (1 - p)), y) for y, p in self.run_all(
                f"SELECT y, totrain_probability('other', a, b) FROM grouped WHERE g = {group}")]
        return sorted(scores)

    @staticmethod
    def isotonic(scores):
        """Shares that never fall, of blocks of scores: (first, last, share)."""
        counts, blocks = {}, []
        for score, y in scores:
            rows, hits = counts.get(score, (0, 0))
            counts[score] = rows + 1, hits + y
        for score, (rows, hits) in counts.items():
            blocks.append([score, score, rows, hits])
            while len(blocks) > 1 and blocks[-2][3] * blocks[-1][2] >= blocks[-1][3] * blocks[-2][2]:
                _, last, rows, hits = blocks.pop()
                blocks[-1] = [blocks[-1][0], last, blocks[-1][2] + rows, blocks[-1][3] + hits]
        least = 1 / (len(scores) + 2)
        return [(first, last, min(max(hits / rows, least), 1 - least)) for first, last, rows, hits in blocks]

    def test_folds_score_each_row_by_a_model_of_the_others(self):
        self.run_all("CREATE TABLE grouped AS SELECT a, b, y, rowid % 4 AS g FROM t LIMIT 400")
        settings = {"LinearClassifier": "train.epoch = 5", "XGBClassifier": "n_estimators = 5"}
        for estimator, more in settings.items():
            wanted = self.isotonic(self.by_hand(estimator, more))
            statement = (f"SELECT a, b, y, g FROM grouped TO TRAIN {estimator} WITH train.folds = 4, train.group = g, {more}, "
                         "train.calibration = 'isotonic', train.threshold = 'recall >= 0.9'{} LABEL y INTO m")
            self.run_all(statement.format(""))
            final, digest = self.final("m"), self.digest(self.database, "m")
            self.assertEqual(final["rows"], 400)
            points = dict(zip(final["maps"][0]["scores"], final["maps"][0]["shares"]))
            self.assertEqual(len(points), len({score for first, last, _ in wanted for score in (first, last)}))
            for first, last, share in wanted:
                for score in (first, last):
                    nearest = min(points, key=lambda one, score=score: abs(one - score))
                    self.assertAlmostEqual(nearest, score, 4)
                    self.assertAlmostEqual(points[nearest], share, 9)
            self.run_all(statement.format(", job.min_workers = 2"))
            self.assertEqual(self.digest(self.database, "m"), digest)

    def test_calibration_by_folds_helps_fresh_rows_and_learns_from_all(self):
        self.train("plain", **{"train.test_size": 0})
        self.run_all("SELECT a, b, kind, y FROM t TO TRAIN XGBClassifier WITH train.folds = 3, train.calibration = 'sigmoid' "
                     "LABEL y INTO m")
        self.assertLess(self.evaluate("m")["LogLoss"], self.evaluate("plain")["LogLoss"] - 0.02)
        self.assertAlmostEqual(self.evaluate("m")["AUC"], self.evaluate("plain")["AUC"], 9)
        self.run_all("SELECT a, b, kind, z FROM t TO TRAIN XGBClassifier WITH n_estimators = 9, train.folds = 2, "
                     "train.calibration = 'isotonic', tune.trials = 2, max_depth = [1, 2] LABEL z INTO three")
        self.assertEqual((self.final("three")["rows"], len(self.final("three")["maps"])), (ROWS, 3))
        self.fails("SELECT a, b, CASE WHEN rowid = 5 THEN 's' ELSE z END AS z FROM t TO TRAIN XGBClassifier WITH n_estimators = 2, "
                   "train.folds = 2, train.calibration = 'sigmoid' LABEL z INTO four",
                   "the rows have 4 classes, and the model of a fold has learned 3 of them")

    def test_mistakes(self):
        train = "SELECT a, b, kind, {1} FROM t TO TRAIN XGBClassifier WITH {0} LABEL {1} INTO m"
        for settings, label, message in (
                ("train.threshold = 'f2'", "y", "a number from 0 to 1, or how one is chosen"),
                ("train.threshold = 1.5", "y", "a number from 0 to 1, or how one is chosen"),
                ("train.threshold = true", "y", "a number from 0 to 1, or how one is chosen"),
                ("train.threshold = 'f1'", "z", 'train.threshold needs two classes, and label column "z" has 3'),
                ("train.threshold = 'f1', train.test_size = 0", "y", "held out, and train.test_size is 0"),
                ("train.calibration = 'platt'", "y", "none.*isotonic.*sigmoid")):
            self.fails(train.format(settings, label), message)
        self.fails("SELECT a, b, y FROM t TO TRAIN LinearClassifier WITH train.calibration = 'sigmoid', model.loss = 'hinge' "
                   "LABEL y INTO m", "needs probabilities, and a model that is learned by a hinge loss has none")
        self.fails("SELECT a, y FROM t TO TRAIN LinearRegressor WITH train.threshold = 'f1' LABEL y INTO m", "no use with a")
        self.fails("SELECT a, b, kind, y FROM t LIMIT 3 TO TRAIN XGBClassifier WITH train.threshold = 'f1' LABEL y INTO m",
                   "held-out rows have the same class")
        self.train("m", **{"train.calibration": "sigmoid", "n_estimators": 2})
        self.fails("SELECT totrain_export_model('m', 'xgboost')", "is calibrated, and such a file would give other")

    def test_many_calibrated_classes_are_not_exported(self):
        self.run_all("CREATE TABLE many AS SELECT rowid % 101 AS y, a FROM t")
        for into, more in (("plain", ""), ("m", ", train.calibration = 'sigmoid'")):
            self.run_all(f"SELECT a, y FROM many TO TRAIN LinearClassifier WITH train.epoch = 1{more} LABEL y INTO {into}")
        self.assertTrue(self.run_all("SELECT totrain_export_model('plain', 'sql')")[0][0])
        self.fails("SELECT totrain_export_model('m', 'sql')", "calibrated probabilities of 101 classes")
        (shares,), = self.run_all("SELECT totrain_probabilities('m', 0.5)")
        self.assertAlmostEqual(sum(json.loads(shares).values()), 1, 12)

    def test_a_damaged_final_step_is_refused(self):
        self.train("m", "LinearClassifier", **{"train.epoch": 1, "train.calibration": "isotonic", "train.threshold": "f1"})
        (data,), = self.run_all("SELECT data FROM m WHERE part = 'meta'")
        for change in (lambda f: f.update(threshold=1.5), lambda f: f.update(rule="f2"), lambda f: f.update(maps=[]),
                       lambda f: f.update(calibration="none"), lambda f: f["maps"][0]["shares"].reverse(),
                       lambda f: f["maps"][0]["scores"].pop(), lambda f: f["maps"][0].update(scores=[], shares=[]),
                       lambda f: f["maps"][0].update(scores=[1] * len(f["maps"][0]["scores"])),
                       lambda f: [f.pop(name) for name in ("threshold", "rule", "calibration", "maps")],
                       lambda f: f.update(threshold=f["threshold"] / 2)):
            meta = json.loads(data)
            change(meta["final"])
            self.run_all("UPDATE m SET data = ? WHERE part = 'meta'", json.dumps(meta))
            self.fails("SELECT totrain_predict('m', 1, 1, 'u')", "model")


harness.main()
