"""Offsets of rows: train.offset, train.base_margin (init_score), train.exposure, wherever rows are learned from or scored.

References are those of tests/quality/offsets.py; what must be so without another program is exact."""

import json
import math
import pathlib
import random
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import offsets  # noqa: E402  pylint: disable=wrong-import-position
import tree_references  # noqa: E402  pylint: disable=wrong-import-position

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sql" / "claims.sql"
NAMES = {"xgboost": ("xgboost.gbtree", "base_margin"), "lightgbm": ("lightgbm.gbdt", "init_score")}
# Estimators that learn the models of offsets.GLM, their settings, and how near coefficients are. The first five learn
# by descent.
DESCENT = "train.epoch = 300, model.l2 = 0"
ROUNDS = "num_boost_round = 300, lambda = 0"
LINEAR = (
    ("numbers", "LinearRegressor", "o", "z", DESCENT, 5e-3),
    ("two classes", "LinearClassifier", "o", "y", DESCENT, 5e-3),
    ("poisson", "LinearRegressor", "e", "n", f"model.loss = 'poisson', {DESCENT}", 5e-3),
    ("gamma", "LinearRegressor", "e", "q", f"model.loss = 'gamma', {DESCENT}", 5e-3),
    ("tweedie", "LinearRegressor", "e", "n", f"model.loss = 'tweedie', model.tweedie_variance_power = 1.3, {DESCENT}", 5e-3),
    ("numbers", "OLS", "o", "z", "model.l2 = 0", 2e-7),
    ("two classes", "Logit", "o", "y", "model.l2 = 0", 2e-7),
    ("numbers", "xgboost.gblinear", "o", "z", ROUNDS, 1e-6),
    ("two classes", "xgboost.gblinear", "o", "y", ROUNDS, 1e-6),
)
POISSON = "objective = 'count:poisson', n_estimators = 20, train.test_size = 0"


class Offsets(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, z REAL, y INTEGER, k TEXT, p REAL, o REAL, e REAL, q REAL, "
                     "n REAL)")
        self.database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 11)})", offsets.rows())

    def train(self, model, settings, label, into="m", rows="t", select="a, b, c, o"):
        return self.run_all(f"SELECT {select}, {label} FROM {rows} TO TRAIN {model} WITH {settings} "
                            f"LABEL {label} INTO {into}")

    def scores(self, call, rows="t"):
        return [row[0] for row in self.run_all(f"SELECT {call} FROM {rows}")]

    def refused(self, message, sql):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(sql)

    def test_predictions_are_those_of_the_libraries(self):
        for name, (program, label, told, rounds) in offsets.LEARNED.items():
            estimator, attribute = NAMES[program]
            told = {**(tree_references.XGBOOST if program == "xgboost" else tree_references.LIGHTGBM), **told}
            self.train(estimator, ", ".join(f"{key} = {value!r}" for key, value in told.items()) +
                       f", num_boost_round = {rounds}, {attribute} = 'o', train.test_size = 0", label)
            function = "totrain_probability" if label == "y" else "totrain_predict"
            found = self.scores(f"{function}('m', a, b, c, o)")[:tree_references.SHOWN]
            near = 3e-5 if name.endswith("pseudo-huber") else 3e-6  # its hessians are near 0
            for number, reference in zip(found, offsets.PREDICTED[name], strict=True):
                with self.subTest(name):
                    self.assertAlmostEqual(number, reference, delta=near * max(1, abs(reference)))

    def test_coefficients_of_linear_models_are_those_of_statsmodels(self):
        for name, estimator, column, label, told, near in LINEAR:
            settings = f"{told}, {'exposure' if column == 'e' else 'offset'} = '{column}', train.test_size = 0"
            digests = set()
            for workers in (1, 3):
                self.train(estimator, f"{settings}, job.min_workers = {workers}, job.max_workers = {workers}", label,
                           select=f"a, c, {column}")
                digests.add(self.model_digest("m"))
            weights = dict(self.run_all("SELECT name, value FROM m WHERE part = 'weight'"))
            with self.subTest(name, estimator=estimator):
                self.assertEqual(len(digests), 1)
                self.assertEqual(set(weights), {"(intercept)", "a", "c"})
                for found, wanted in zip(weights.values(), offsets.GLM[name], strict=True):
                    self.assertAlmostEqual(found, wanted, delta=near * max(1, abs(wanted)))
                a, c, offset = self.run_all(f"SELECT a, c, {column} FROM t WHERE rowid = 4")[0]
                score = weights["(intercept)"] + a * weights["a"] + c * weights["c"] + (
                    math.log(offset) if column == "e" else offset)
                function = "totrain_probability" if label == "y" else "totrain_predict"
                found = self.scores(f"{function}('m', a, c, {column})")[3]
                wanted = 1 / (1 + math.exp(-score)) if label == "y" else math.exp(score) if column == "e" else score
                self.assertAlmostEqual(found, wanted, delta=1e-5 * max(1, abs(wanted)))

    def test_the_fit_of_regressions_is_of_what_is_left(self):
        self.train("OLS", "offset = 'o', train.test_size = 0", "z", select="a, c, o")
        fit = dict(self.run_all("SELECT 1 TO EXPLAIN m USING fit"))
        self.run_all("CREATE TABLE rests AS SELECT a, c, z - o AS r FROM t")
        self.run_all("SELECT * FROM rests TO TRAIN OLS WITH train.test_size = 0 LABEL r INTO other")
        for name, value in self.run_all("SELECT 1 TO EXPLAIN other USING fit"):
            self.assertAlmostEqual(fit[name], value, delta=1e-6 * max(1, abs(value)))
        self.train("Logit", "offset = 'o'", "y", select="a, c, o")
        fit = dict(self.run_all("SELECT 1 TO EXPLAIN m USING fit"))
        self.assertIsNone(fit["pseudo R2"])
        self.assertIsNone(fit["p-value of the ratio"])
        self.assertLess(fit["log-likelihood"], 0)

    def test_networks_have_offsets_too(self):
        settings = "model.hidden_units = [8], train.epoch = 60, train.test_size = 0"
        facts = harness.facts(self.train("DNNRegressor", f"{settings}, model.loss = 'poisson', exposure = 'e'", "n",
                                         select="a, c, e"))
        self.assertGreater(facts["R2"], .72)
        one, four = self.run_all("SELECT totrain_predict('m', 3.0, 4.0, 1.0), totrain_predict('m', 3.0, 4.0, 4.0)")[0]
        self.assertAlmostEqual(four / one, 4, 4)
        found = self.database.execute("SELECT a, c, e, n FROM t TO EVALUATE m")
        measured = dict(zip([column[0] for column in found.description], found.fetchone(), strict=True))
        self.assertAlmostEqual(measured["RMSE"], facts["RMSE"], 5)
        for model in ("DeepFMRegressor", "WideAndDeepRegressor", "DCNRegressor"):
            with self.subTest(model):
                facts = harness.facts(self.train(model, "train.epoch = 20, train.test_size = 0, model.loss = 'poisson', exposure = 'e'", "n",
                                                 select="a, c, k, e"))
                self.assertGreater(facts["R2"], .6)
                one, four = self.run_all("SELECT totrain_predict('m', 3.0, 4.0, k, 1.0), totrain_predict('m', 3.0, 4.0, k, 4.0) FROM t LIMIT 1")[0]
                self.assertAlmostEqual(four / one, 4, 4)
        self.run_all(f"EXPORT MODEL m TO '{self.path}.sql' FORMAT sql")
        self.run_all("CREATE VIEW m_rows AS SELECT * FROM t")
        self.database.executescript(pathlib.Path(f"{self.path}.sql").read_text(encoding="utf-8"))
        for found, wanted in self.run_all("SELECT prediction, totrain_predict('m', a, c, k, e) FROM m_predictions LIMIT 50"):
            self.assertAlmostEqual(found, wanted, delta=1e-5 * max(1, abs(wanted)))
        self.train("DeepFMClassifier", "train.epoch = 5, train.test_size = 0, offset = 'o'", "y", select="a, k, o")
        odds = [math.log(p / (1 - p)) for p in self.run_all("SELECT totrain_probability('m', 3.0, k, 0.0), totrain_probability('m', 3.0, k, 2.0) FROM t "
                                                            "LIMIT 1")[0]]
        self.assertAlmostEqual(odds[1] - odds[0], 2, 3)
        for model, base in (("LinearRegressor WITH model.loss = 'poisson', exposure = 'e', train.epoch = 20", "n"),
                            ("LinearClassifier WITH offset = 'o', train.epoch = 20", "y")):
            self.run_all(f"SELECT a, c, e, o, {base} FROM t TO TRAIN {model}, train.test_size = 0 "
                         + f"{'COLUMN a, c '}LABEL {base} INTO m")
            shown = self.run_all(f"SELECT a, c, e, o, {base} FROM t TO EXPLAIN m USING SHAP")
            self.assertEqual(sorted(row[0] for row in shown), ["a", "c"])

    def test_squares_with_an_offset_are_those_of_the_rests(self):
        self.run_all("CREATE TABLE whole AS SELECT a, b, c, round(z * 8) / 8 AS z, o, round(z * 8) / 8 - o AS r FROM t")
        for far in (0, 5e6):
            self.run_all(f"CREATE TABLE far AS SELECT a, b, c, z + {far} AS z, o + {far} AS o, r FROM whole")
            for offset in ("offset", "base_margin"):
                settings = "n_estimators = 10, train.test_size = 0"
                self.train("XGBRegressor", f"{settings}, {offset} = 'o'", "z", rows="far")
                self.train("XGBRegressor", settings + (", base_score = 0" if offset == "base_margin" else ""), "r", "rest",
                           rows="far", select="a, b, c")
                for ours, theirs in self.run_all(
                        "SELECT totrain_predict('m', a, b, c, o), totrain_predict('rest', a, b, c) + o FROM far"):
                    self.assertAlmostEqual(ours, theirs, delta=4e-6 * 40)
            self.run_all("DROP TABLE far")

    def test_other_boosters_and_aims_have_it_too(self):
        self.run_all("CREATE TABLE others AS SELECT a, b, c, z - o AS r, z, o, rowid % 30 AS g, min(31, cast(p AS INTEGER)) "
                     "AS s, (a - 3) / 2 AS m FROM t")
        for model in ("xgboost.dart", "HistGradientBoostingRegressor", "GradientBoostingRegressor"):
            settings = "train.num_boost_round = 6, train.test_size = 0"
            self.train(model, f"{settings}, offset = 'o'", "z", rows="others")
            self.train(model, settings, "r", "rest", rows="others", select="a, b, c")
            found = self.run_all("SELECT totrain_predict('m', a, b, c, o) - totrain_predict('rest', a, b, c) - o FROM others")
            with self.subTest(model):
                self.assertLess(max(abs(row[0]) for row in found), 2e-4)
        plain = harness.facts(self.train("XGBRanker", "qid = 'g', n_estimators = 5, train.test_size = 0", "s", rows="others",
                                         select="b, c, g"))
        facts = harness.facts(self.train("XGBRanker", "qid = 'g', n_estimators = 5, train.test_size = 0, base_margin = 'm'",
                                         "s", rows="others", select="b, c, g, m"))
        self.assertGreater(facts["NDCG"], plain["NDCG"])

    def test_a_constant_model_has_the_rate_of_all_events_by_all_exposure(self):
        self.run_all("CREATE TABLE flat AS SELECT 1.0 AS one, e, ln(e) AS l, n, 1 + (n > 3) AS w, q FROM t")
        events, exposure, rows = self.run_all("SELECT sum(n), sum(e), count(*) FROM flat")[0]
        for settings, column, label, rate in (
                ("objective = 'count:poisson', exposure = 'e'", "e", "n", events / exposure),
                ("objective = 'count:poisson', offset = 'l'", "l", "n", events / exposure),
                ("objective = 'reg:gamma', exposure = 'e'", "e", "q",
                 self.run_all("SELECT sum(q / e) FROM flat")[0][0] / rows),
                ("objective = 'reg:tweedie', tweedie_variance_power = 1.5, exposure = 'e'", "e", "n",
                 self.run_all("SELECT sum(n / sqrt(e)) / sum(sqrt(e)) FROM flat")[0][0])):
            with self.subTest(settings):
                self.train("XGBRegressor", settings + ", train.test_size = 0", label, rows="flat", select=f"one, {column}")
                for found, wanted in self.run_all(f"SELECT totrain_predict('m', one, {column}), e FROM flat"):
                    self.assertAlmostEqual(found, rate * wanted, delta=2e-6 * rate * wanted)
        self.run_all("CREATE TABLE halves AS SELECT 1.0 AS one, o, y FROM t")
        self.train("XGBClassifier", "offset = 'o', train.test_size = 0, model.positive = 1", "y", rows="halves",
                   select="one, o")
        shares = self.run_all("SELECT avg(totrain_probability('m', one, o)), avg(y) FROM halves")[0]
        self.assertAlmostEqual(*shares, 6)
        self.train("XGBRegressor", "objective = 'count:poisson', exposure = 'e', sample_weight = 'w', train.test_size = 0",
                   "n", rows="flat", select="one, e, w")
        rate = self.run_all("SELECT sum(n * w) / sum(e * w) FROM flat")[0][0]
        self.assertAlmostEqual(self.scores("totrain_predict('m', 1.0, 1.0)")[0], rate, delta=2e-6 * rate)

    def test_an_offset_of_0_changes_nothing(self):
        self.run_all("CREATE TABLE nought AS SELECT a, b, c, 0.0 AS o, z, y, p FROM t")
        # The other model has the column as one that tells nothing: equal rows lie where they lay.
        for objective, label in (("reg:squarederror", "z"), ("reg:absoluteerror", "z"), ("huber", "z"),
                                 ("binary:logistic", "y"), ("reg:gamma", "p"), ("survival:aft", "p")):
            with self.subTest(objective):
                settings = f"objective = '{objective}', num_boost_round = 5, train.test_size = 0"
                self.train("xgboost.gbtree", settings + ", offset = 'o'", label, rows="nought")
                self.train("xgboost.gbtree", settings, label, "plain", rows="nought", select="a, b, c, o")
                function = "totrain_probability" if label == "y" else "totrain_predict"
                for found, wanted in self.run_all(
                        f"SELECT {function}('m', a, b, c, o), {function}('plain', a, b, c, o) FROM nought"):
                    self.assertAlmostEqual(found, wanted, delta=2e-5 * max(1, abs(wanted)))

    def test_workers_and_the_order_of_rows_change_no_bit(self):
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY random()")
        for settings, label, select in (("objective = 'count:poisson', exposure = 'e'", "n", "a, b, c, e"),
                                        ("objective = 'binary:logistic', offset = 'o'", "y", "a, b, c, o"),
                                        ("objective = 'reg:quantileerror', quantile_alpha = [0.2, 0.7], base_margin = 'o'",
                                         "z", "a, b, c, o")):
            settings += ", num_boost_round = 8, subsample = 0.7"
            digests = set()
            for rows, more in (("t", ""), ("turned", ""), ("t", ", job.min_workers = 3, job.max_workers = 3")):
                self.train("xgboost.gbtree", settings + more, label, rows=rows, select=select)
                digests.add(self.model_digest("m"))
            with self.subTest(settings):
                self.assertEqual(len(digests), 1)

    def test_training_held_out_rows_and_evaluate_agree(self):
        settings = "objective = 'count:poisson', exposure = 'e', n_estimators = 20"
        half = "SELECT a, b, c, e, n FROM t WHERE rowid % 2 = {}"
        facts = harness.facts(self.run_all(
            f"{half.format(0)} TO TRAIN XGBRegressor WITH {settings}, validation.metrics = 'PoissonNLogLik, RMSE', "
            f"validation.select = '{half.format(1)}' LABEL n INTO m"))
        shown = self.database.execute("SHOW TRAIN m")
        last = dict(zip([column[0] for column in shown.description], shown.fetchall()[-1], strict=True))
        for part, which in (("train", 0), ("validation", 1)):
            found = self.database.execute(half.format(which) +
                                          " TO EVALUATE m WITH validation.metrics = 'PoissonNLogLik, RMSE'")
            measured = dict(zip([column[0] for column in found.description], found.fetchone(), strict=True))
            predicted = self.run_all(f"SELECT totrain_predict('m', a, b, c, e), n FROM t WHERE rowid % 2 = {which}")
            rmse = math.sqrt(sum((one - other) ** 2 for one, other in predicted) / len(predicted))
            self.assertAlmostEqual(measured["RMSE"], rmse, 5)
            self.assertAlmostEqual(last[f"{part}_rmse"], rmse, 5)
            self.assertAlmostEqual(last[f"{part}_poissonnloglik"], measured["PoissonNLogLik"], 5)
        self.assertIn("RMSE", facts)

    def test_workers_score_as_the_session_does(self):
        for model, settings, label in (("XGBRegressor", POISSON + ", exposure = 'e'", "n"),
                                       ("LinearRegressor", "offset = 'e', train.epoch = 5", "z")):
            self.train(model, settings, label, select="a, b, c, e")
            for name, more in (("alone", ""), ("shared", "WITH job.min_workers = 2, job.max_workers = 2 ")):
                self.run_all(f"SELECT * FROM t TO PREDICT {name}.found {more}USING m")
            self.assertEqual(self.run_all("SELECT found FROM alone ORDER BY rowid"),
                             self.run_all("SELECT found FROM shared ORDER BY rowid"))
            self.assertEqual(self.scores("found", "alone"), self.scores("totrain_predict('m', a, b, c, e)"))

    def test_crosses_stand_behind_it(self):
        self.run_all(f"SELECT a, k, e, n FROM t TO TRAIN XGBRegressor WITH {POISSON}, exposure = 'e' "
                     "COLUMN a, k, CROSS([a, k], 50) LABEL n INTO m")
        one, four = self.run_all("SELECT totrain_predict('m', 3.0, 'low', 1.0), totrain_predict('m', 3.0, 'low', 4.0)")[0]
        self.assertAlmostEqual(four / one, 4, 4)

    def test_folds_searches_and_early_stopping_take_it_along(self):
        """Rates of 100 to 1 by exposure alone: without it nothing explains the counts."""
        draw = random.Random(3)
        self.run_all("CREATE TABLE claims (x REAL, e REAL, n REAL)")
        for _ in range(800):
            exposure, x = 10 ** draw.uniform(-1, 1), draw.randrange(4)
            self.database.execute("INSERT INTO claims VALUES (?, ?, ?)", (x, exposure, round(exposure * (2 + 3 * x))))
        settings = "objective = 'count:poisson', n_estimators = 200, learning_rate = 0.3, exposure = 'e'"
        folds = harness.crossed(self.train("XGBRegressor", settings + ", train.folds = 4", "n", rows="claims", select="x, e"))
        self.assertGreater(folds["R2"][0], .99)
        found = harness.validated(self.train("XGBRegressor", settings + ", train.early_stopping = 3", "n", rows="claims",
                                             select="x, e"))
        self.assertGreater(found["R2"], .99)
        found = harness.validated(self.train("XGBRegressor", settings.replace("200", "RANGE(50, 200)") + ", tune.trials = 3",
                                             "n", rows="claims", select="x, e"))
        self.assertGreater(found["R2"], .99)

    def test_learning_goes_on_with_the_offset(self):
        settings = "objective = 'count:poisson', train.test_size = 0"
        for name, more in (("first", ", n_estimators = 8, exposure = 'e'"), ("whole", ", n_estimators = 20, exposure = 'e'")):
            self.train("XGBRegressor", settings + more, "n", name, select="a, b, c, e")
        self.run_all(f"SELECT * FROM t TO TRAIN XGBRegressor WITH {settings}, n_estimators = 12 LABEL n USING first INTO m")
        for found, wanted in self.run_all("SELECT totrain_predict('m', a, b, c, e), totrain_predict('whole', a, b, c, e) "
                                          "FROM t"):
            self.assertAlmostEqual(found, wanted, delta=1e-3 * max(1, wanted))
        self.refused(r'model "first" was trained with train.exposure = \'e\', and learning goes on with that',
                     f"SELECT * FROM t TO TRAIN XGBRegressor WITH {settings}, offset = 'o' LABEL n USING first INTO m")
        self.train("XGBRegressor", settings, "n", "plain", select="a, b, c")
        self.refused('model "plain" has no offset',
                     f"SELECT * FROM t TO TRAIN XGBRegressor WITH {settings}, offset = 'o' LABEL n USING plain INTO m")

    def test_shap_values_and_their_base_add_up_to_the_score(self):
        for settings, label in ((POISSON + ", exposure = 'e'", "n"), ("n_estimators = 5, offset = 'e'", "z")):
            self.train("XGBRegressor", settings, label, select="a, b, c, e")
            for text, predicted in self.run_all("SELECT totrain_shap('m', a, b, c, e), totrain_predict('m', a, b, c, e) "
                                                "FROM t LIMIT 50"):
                values = json.loads(text)
                score = math.log(predicted) if label == "n" else predicted
                self.assertAlmostEqual(sum(values.values()), score, delta=1e-4 * max(1, abs(score)))
                self.assertEqual(set(values), {"a", "b", "c", "(base)"})
            found = self.run_all("SELECT a, b, c, e, z, n FROM t TO EXPLAIN m USING SHAP")
            self.assertEqual(sorted(row[0] for row in found), ["a", "b", "c"])
            bases = [json.loads(text)["(base)"] for text in self.scores("totrain_shap('m', a, b, c, e)")]
            self.assertAlmostEqual(found[0][-1], sum(bases) / len(bases), 4)

    def test_rows_without_one_are_bad_rows(self):
        self.run_all("CREATE TABLE bad AS SELECT a, b, c, CASE rowid WHEN 3 THEN NULL WHEN 5 THEN 0 ELSE e END AS e, n FROM t")
        train = f"SELECT a, b, c, e, n FROM bad TO TRAIN XGBRegressor WITH {POISSON}, exposure = 'e'"
        self.refused('exposure column "e" is NULL in 1 of 900 rows', train + " LABEL n INTO m")
        self.refused('exposure column "e" has the number 0, and exposures are above 0',
                     train.replace("FROM bad", "FROM bad WHERE e IS NOT NULL") + " LABEL n INTO m")
        facts = harness.facts(self.run_all(train + ", train.bad_rows = 'quarantine' LABEL n INTO m"))
        self.assertEqual((facts["rows"], facts["bad_rows"]), (898, 2))
        self.assertEqual(sorted(self.scores("totrain_reason", "m_bad_rows")),
                         ['exposure column "e" is 0', 'exposure column "e" is NULL'])
        digest = self.model_digest("m")
        self.run_all(train.replace("FROM bad", "FROM bad WHERE e > 0") + " LABEL n INTO m")
        self.assertEqual(self.model_digest("m"), digest)
        self.refused('row 3: exposure column "e" is NULL', "SELECT * FROM bad TO PREDICT out.p USING m")
        self.run_all("SELECT * FROM bad TO PREDICT out.p WITH bad_rows = 'quarantine' USING m")
        self.assertEqual(self.run_all("SELECT count(*) FROM out")[0][0], 898)
        self.refused('no column "e", an input of model m', "SELECT a, b, c FROM t TO PREDICT p USING m")

    def test_what_it_cannot_be_is_said(self):
        self.refused('Select at least one column besides the label and the offset',
                     "SELECT o, z FROM t TO TRAIN XGBRegressor WITH offset = 'o' LABEL z INTO m")
        select = "SELECT a, b, c, k, o, e, z, n, y FROM t TO TRAIN "
        for settings, message in (
                ("XGBRegressor WITH exposure = 'e' LABEL z", "train.exposure needs a model whose prediction is the exponential of a sum"),
                ("XGBRegressor WITH base_margin = 'o', base_score = 1 LABEL z", "takes the place of base_score"),
                ("XGBRegressor WITH base_margin = 'o', offset = 'e' LABEL z", "exclude each other"),
                ("XGBRegressor WITH offset = 'z' LABEL z", 'column "z" is the label'),
                ("XGBRegressor WITH offset = 'x' LABEL z", 'offset column "x" is not among'),
                ("XGBRegressor WITH offset = 'k' LABEL z", 'offset column "k" holds text that is not a number'),
                ("XGBRegressor WITH offset = 'e', sample_weight = 'e' LABEL z", 'column "e" is named twice'),
                ("XGBRegressor WITH offset = 'o' COLUMN o LABEL z", 'column "o" is named by train.offset'),
                ("XGBRegressor WITH offset = 'o' COLUMN a, o LABEL z", 'column "o" is named by train.offset'),
                ("XGBClassifier WITH offset = 'o' LABEL k", "one number for all of the 3 classes"),
                ("RandomForestRegressor WITH offset = 'o' LABEL z", "no use with RandomForestRegressor"),
                ("LinearRegressor WITH base_margin = 'o' LABEL z", "no use with LinearRegressor"),
                ("LinearRegressor WITH exposure = 'e' LABEL z", "Name such a loss, as in model.loss = 'poisson'"),
                ("NaiveBayes WITH offset = 'o' LABEL y", "no use with NaiveBayes")):
            with self.subTest(settings):
                self.refused(message, select + settings + " INTO m")

    def test_what_shows_a_model_names_it(self):
        notice = harness.facts(self.train("XGBRegressor", POISSON + ", exposure = 'e'", "n", select="a, b, c, e"))
        self.assertNotIn("leak", str(notice))
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["exposure e"], "no input: its logarithm is added to each row's score")
        self.assertNotIn("input e", shown)
        explained = dict(self.run_all(f"EXPLAIN SELECT a, b, c, e, n FROM t TO TRAIN XGBRegressor WITH {POISSON}, "
                                      "exposure = 'e' LABEL n INTO m"))
        self.assertIn("exposure e", explained)
        importance = [row[0] for row in self.run_all("SELECT a, b, c, e, n FROM t TO EXPLAIN m")]
        self.assertEqual(sorted(importance), ["a", "b", "c"])

    def test_the_example_runs(self):
        done = self.run_program(self.path, "-f", EXAMPLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        claims, expected = done.stdout.strip().splitlines()[-1].split("|")
        self.assertAlmostEqual(float(claims), float(expected), delta=.03 * float(claims))

    def test_an_export_has_no_offset_and_says_so(self):
        for format_, suffix in (("xgboost", "json"), ("lightgbm", "txt")):
            for settings, call in ((POISSON + ", exposure = 'e'", "1.0"), (POISSON + ", base_margin = 'o'", "0.0")):
                column = settings[-2]
                self.train("XGBRegressor", settings, "n", select=f"a, b, c, {column}")
                path = f"{self.path}.{suffix}"
                shown = self.run_program(self.path, "-c", f"EXPORT MODEL m TO '{path}'")
                self.assertIn("the file has no offset", shown.stderr)
                self.run_all(f"IMPORT MODEL back FROM '{path}'")
                for found, wanted in self.run_all("SELECT totrain_predict('back', a, b, c), "
                                                  f"totrain_predict('m', a, b, c, {call}) FROM t LIMIT 100"):
                    self.assertAlmostEqual(found, wanted, delta=2e-5 * wanted)


harness.main()
