"""Several quantiles in one model of trees: learned, predicted, measured, exported, gone on from, the same bits."""

import json
import random
import sqlite3

import harness

ALPHAS = "quantile_alpha = [0.1, 0.5, 0.9]"


class Quantiles(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(5)
        self.run_all("CREATE TABLE t (a REAL, b REAL, y REAL)")
        for _ in range(600):
            a, b = draw.random(), draw.random()
            self.database.execute("INSERT INTO t VALUES (?, ?, ?)", (a, b, 10 * a + draw.gauss(0, .2 + 2 * b)))

    def train(self, settings=ALPHAS, into="m", end="", rounds=15):
        return harness.facts(self.run_all(
            f"SELECT * FROM t TO TRAIN XGBRegressor WITH objective = 'reg:quantileerror', n_estimators = {rounds}, "
            f"eta = 0.3, max_depth = 3, {settings} LABEL y {end} INTO {into}"))

    def quantiles(self, model="m"):
        return [json.loads(row[0]) for row in self.run_all(f"SELECT totrain_quantiles('{model}', a, b) FROM t")]

    def evaluate(self, settings="", model="m"):
        found = self.database.execute(f"SELECT * FROM t TO EVALUATE {model} {settings}")
        names = [column[0] for column in found.description]
        return dict(zip(names, found.fetchall()[0], strict=True))

    def test_each_quantile_is_what_its_share_of_rows_is_below(self):
        self.train()
        found = self.quantiles()
        labels = [row[0] for row in self.run_all("SELECT y FROM t")]
        for name in ("0.1", "0.5", "0.9"):
            share = sum(row[name] >= label for row, label in zip(found, labels, strict=True)) / len(labels)
            self.assertAlmostEqual(share, float(name), delta=.05)
        wide = [row["0.9"] - row["0.1"] for row in found]
        b = [row[0] for row in self.run_all("SELECT b FROM t")]
        self.assertGreater(sum(w for w, x in zip(wide, b) if x > .8), 1.5 * sum(w for w, x in zip(wide, b) if x < .2))

    def test_a_quantile_is_that_of_a_model_of_its_own(self):
        self.train()
        for alpha in ("0.1", "0.5", "0.9"):
            self.train(f"quantile_alpha = {alpha}", "one")
            own = self.quantiles("one")
            self.assertEqual(list(own[0]), [alpha])
            self.assertLess(sum(abs(row[alpha] - other[alpha]) for row, other in zip(self.quantiles(), own, strict=True)),
                            .4 * len(own))  # gradients are rounded by other random bits

    def test_predict_gives_the_one_nearest_to_the_median_and_all_beside_it(self):
        for settings, wanted in ((ALPHAS, "0.5"), ("quantile_alpha = [0.9, 0.3, 0.1]", "0.3"),
                                 ("quantile_alpha = [0.9, 0.1]", "0.9")):
            self.train(settings)
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM t TO PREDICT p.guess WITH predict.extra_outputs = ['quantiles', 'score'] USING m")
            for guess, found, score in self.run_all("SELECT guess, quantiles, score FROM p"):
                self.assertEqual([json.loads(found)[wanted], score], [guess, guess])
            self.assertEqual(self.run_all("SELECT count(*) FROM p WHERE json_extract(quantiles, '$.\"0.9\"') IS NULL"),
                             [(0,)])

    def test_any_number_of_workers_makes_the_same_table_and_the_same_predictions(self):
        self.train(into="one")
        for job in ("job.min_workers = 2, job.max_workers = 2", "job.min_workers = 3, job.max_workers = 3", "job.threads = 3"):
            self.train(f"{ALPHAS}, {job}", "other")
            self.assertEqual(self.model_digest("other"), self.model_digest("one"))
        predicted = []
        for settings in ("", ", job.max_workers = 2"):
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all(f"SELECT * FROM t TO PREDICT p.g WITH predict.extra_outputs = 'quantiles'{settings} USING one")
            predicted.append(self.run_all("SELECT a, b, g, quantiles FROM p ORDER BY a, b"))
        self.assertEqual(predicted[0], predicted[1])

    def test_what_is_measured_is_what_the_predictions_say(self):
        self.train(f"{ALPHAS}, eval_metric = 'quantile', early_stopping_rounds = 5", rounds=300)
        rounds = self.run_all("SHOW TRAIN m")
        self.assertLess(len(rounds), 300)
        rows = self.run_all("SELECT y, totrain_quantiles('m', a, b), totrain_predict('m', a, b) FROM t")
        pinball = covered = squares = absolute = 0
        for y, text, guess in rows:
            found = json.loads(text)
            pinball += sum((y - q) * (float(alpha) - (y < q)) for alpha, q in found.items()) / 3
            covered += found["0.1"] <= y <= found["0.9"]
            squares += (y - guess) ** 2
            absolute += abs(y - guess)
        facts = self.evaluate()
        self.assertAlmostEqual(facts["Pinball"], pinball / len(rows), 9)
        self.assertAlmostEqual(facts["Coverage"], covered / len(rows), 9)
        for settings in ("WITH validation.metrics = 'RMSE,MAE'", "WITH validation.metrics = 'RMSE,MAE,Pinball'",
                         "WITH validation.metrics = 'RMSE,MAE', job.max_workers = 2"):
            facts = self.evaluate(settings)
            self.assertAlmostEqual(facts["RMSE"], (squares / len(rows)) ** .5, 9)
            self.assertAlmostEqual(facts["MAE"], absolute / len(rows), 9)
        found = self.database.execute("SELECT * FROM t TO EXPLAIN m")
        place = [column[0] for column in found.description].index("metric")
        self.assertEqual([row[place] for row in found.fetchall()], ["Pinball"] * 2)

    def test_boosting_goes_on_from_the_same_quantiles_alone(self):
        self.train()
        self.train(into="longer", end="USING m")
        self.assertLess(self.evaluate(model="longer")["Pinball"], self.evaluate()["Pinball"])
        for other in ("[0.1, 0.5]", "[0.1, 0.9, 0.5]", "0.5"):
            with self.assertRaisesRegex(sqlite3.Error, "other quantiles than those that are learned"):
                self.train(f"quantile_alpha = {other}", "longer", end="USING m")

    def test_files_of_xgboost_keep_the_quantiles_and_those_of_lightgbm_have_one(self):
        self.train()
        for name in ("xgboost", "xgboost_ubj"):
            self.run_all(f"SELECT totrain_import_model('back', totrain_export_model('m', '{name}'), '{name}')")
            for row, other in zip(self.quantiles(), self.quantiles("back"), strict=True):
                for alpha, value in row.items():
                    self.assertAlmostEqual(other[alpha], value, delta=1e-6 * max(1, abs(value)))
            measured = self.database.execute("SELECT a, b, y AS label FROM t TO EVALUATE back")
            names = [column[0] for column in measured.description]
            self.assertAlmostEqual(dict(zip(names, measured.fetchall()[0]))["Pinball"], self.evaluate()["Pinball"], 6)
        with self.assertRaisesRegex(sqlite3.Error, "3 quantiles, and a file of LightGBM's has one"):
            self.run_all("SELECT totrain_export_model('m', 'lightgbm')")
        self.train("quantile_alpha = 0.3")
        self.run_all("SELECT totrain_import_model('back', totrain_export_model('m', 'lightgbm'), 'lightgbm')")

    def test_mistakes_have_a_place_and_say_what_is_wanted(self):
        for settings, message in (("quantile_alpha = [0.1, 1]", "above 0 and below 1"),
                                  ("quantile_alpha = [0.1, 0.1]", "0.1 twice"),
                                  ("quantile_alpha = []", "a number, or a list of numbers, from 0 to 1"),
                                  ("quantile_alpha = [0.1, 50]", "from 0 to 1, not 50"),
                                  ("quantile_alpha = '0.1'", "a number, or a list"),
                                  (f"quantile_alpha = [{', '.join(f'0.{i + 11}' for i in range(17))}]", "17 items"),
                                  (f"{ALPHAS}, monotone_constraints = '(1,0)'", "cannot be kept")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.Error, message):
                self.train(settings)
        self.run_all("SELECT * FROM t TO TRAIN XGBRegressor WITH n_estimators = 3 LABEL y INTO plain")
        for statement in ("SELECT totrain_quantiles('plain', a, b) FROM t",
                          "SELECT * FROM t TO PREDICT g WITH predict.extra_outputs = 'quantiles' USING plain"):
            with self.assertRaisesRegex(sqlite3.Error, "quantiles"):
                self.run_all(statement)


harness.main()
