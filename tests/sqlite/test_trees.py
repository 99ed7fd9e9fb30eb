"""Boosted trees, forests and trees from the statement to the table, by the names of their libraries."""

import random
import sqlite3

import harness

CLASSIFIERS = ("XGBClassifier", "XGBRFClassifier", "LGBMClassifier", "RandomForestClassifier", "DecisionTreeClassifier",
               "BoostedTreesClassifier", "HistGradientBoostingClassifier", "GradientBoostingClassifier",
               "boosted_tree_classifier", "xgboost.gbtree", "lightgbm.gbdt", "lightgbm.rf")
REGRESSORS = tuple(name.replace("Classifier", "Regressor").replace("classifier", "regressor") for name in CLASSIFIERS)


class Trees(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.make()

    def make(self, rows=1300):
        """y: classes by two numbers together; z: a number; kind: words; with missing values."""
        draw = random.Random(3)
        self.run_all("CREATE TABLE t (a REAL, b REAL, kind TEXT, y INTEGER, z REAL, three INTEGER)")
        for _ in range(rows):
            a, b, kind = draw.random(), draw.random(), draw.choice("pqrs")
            self.database.execute(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)",
                (a, b if draw.random() < .9 else None, kind, int((a > .5) != (b > .5)), 3 * a + b * b + (kind == "p"),
                 (a > .3) + (a > .6)))

    def train(self, model, label="y", settings="", into="m", source="t"):
        columns = "a, b, kind" if label == "kind" else f"a, b, kind, {label}"
        return harness.facts(self.run_all(
            f"SELECT {columns} FROM {source} TO TRAIN {model} {settings and 'WITH ' + settings} LABEL {label} INTO {into}"))

    def test_every_name_learns_classes_with_the_defaults_of_its_library(self):
        self.run_all("DELETE FROM t WHERE rowid > 600")
        for model in CLASSIFIERS:
            with self.subTest(model):
                self.assertGreater(self.train(model)["Accuracy"], .85)

    def test_every_name_learns_numbers_with_the_defaults_of_its_library(self):
        self.run_all("DELETE FROM t WHERE rowid > 600")
        for model in REGRESSORS:
            with self.subTest(model):
                least = .5 if model.startswith("XGBRF") or model == "xgboost.gbtree" else .8
                self.assertGreater(self.train(model, "z")["R2"], least)

    def test_a_statement_of_sqlflow_runs_unchanged(self):
        facts = self.train("xgboost.gbtree", "three", "objective = 'multi:softprob', num_class = 3, "
                                                      "train.num_boost_round = 30")
        self.assertGreater(facts["Accuracy"], .97)
        epochs = self.run_all("SHOW TRAIN m")
        self.assertEqual(len(epochs), 30)

    def test_any_number_of_workers_makes_the_same_table(self):
        settings = "n_estimators = 5, subsample = 0.7, colsample_bynode = 0.6, seed = 5"
        self.train("XGBClassifier", "y", settings, "one")
        for workers in (2, 3):
            self.train("XGBClassifier", "y",
                       f"{settings}, job.min_workers = {workers}, job.max_workers = {workers}", f"m{workers}")
            self.assertEqual(self.model_digest(f"m{workers}"), self.model_digest("one"))

    def weigh(self):
        """Table w: t with weights 0 to 2. Table r: its rows as often as they weigh."""
        self.run_all("CREATE TABLE w AS SELECT a, b, kind, y, z, three, rowid % 3 AS weight FROM t")
        self.run_all("CREATE TABLE r AS SELECT w.* FROM w JOIN (VALUES (1), (2)) AS n ON n.column1 <= weight")

    def test_gradients_of_one_are_exact(self):
        """Another column draws other numbers for rows, which decide how gradients are rounded: here none is."""
        self.run_all("CREATE TABLE beside AS SELECT a, b, kind, 7.25 AS constant, z, y FROM t")
        for model, label, objective in (("XGBRegressor", "z", "reg:absoluteerror"), ("LGBMRegressor", "z", "l1"),
                                        ("XGBClassifier", "y", "binary:hinge")):
            with self.subTest(objective):
                for source, columns in (("t", "a, b, kind"), ("beside", "a, b, kind, constant")):
                    self.run_all(f"SELECT {columns}, {label} FROM {source} TO TRAIN {model} WITH objective = '{objective}',"
                                 f" n_estimators = 30, test_size = 0 LABEL {label} INTO {source}_model")
                self.assertEqual(self.run_all("SELECT totrain_predict('t_model', a, b, kind) FROM beside"),
                                 self.run_all("SELECT totrain_predict('beside_model', a, b, kind, constant) FROM beside"))

    def test_a_row_of_weight_two_counts_as_two_rows_and_one_of_weight_0_as_none(self):
        self.weigh()
        for label, model in (("z", "XGBRegressor"), ("y", "XGBClassifier"), ("three", "LGBMClassifier")):
            settings = "n_estimators = 1, max_depth = 2, test_size = 0"
            rows = f"SELECT a, b, kind, {label}, weight FROM"
            self.run_all(f"{rows} w TO TRAIN {model} WITH {settings}, sample_weight = 'weight' LABEL {label} INTO mw")
            self.run_all(f"SELECT a, b, kind, {label} FROM r TO TRAIN {model} WITH {settings} LABEL {label} INTO mr")
            self.assertEqual(self.run_all("SELECT totrain_predict('mw', a, b, kind) FROM r"),
                             self.run_all("SELECT totrain_predict('mr', a, b, kind) FROM r"))

    def test_a_column_of_weights_is_no_input_and_evaluation_does_not_need_it(self):
        self.weigh()
        facts = self.run_all("SELECT a, b, kind, y, weight FROM w TO TRAIN XGBClassifier "
                             "WITH n_estimators = 5, sample_weight = 'weight' LABEL y INTO m")
        self.assertIn('column "weight" weighs the rows, and is not used as a feature', str(facts))
        self.assertEqual(len(self.run_all("SELECT a, b, kind, y FROM t TO EVALUATE m")), 1)
        self.run_all("SELECT a, b, kind FROM t TO PREDICT p.y USING m")
        self.run_all("SELECT a, weight, y FROM w TO TRAIN XGBClassifier WITH n_estimators = 2, sample_weight = 'weight' "
                     "COLUMN a, weight LABEL y INTO both")
        self.assertIsNotNone(self.run_all("SELECT totrain_predict('both', 0.5, 1)")[0][0])

    def test_weights_have_the_same_bits_with_any_number_of_workers(self):
        self.weigh()
        for workers in (1, 2, 3):
            self.run_all("SELECT a, b, kind, three, weight FROM w TO TRAIN XGBClassifier WITH n_estimators = 5, "
                         f"subsample = 0.7, sample_weight = 'weight', min_workers = {workers}, "
                         f"max_workers = {workers} LABEL three INTO m{workers}")
            self.assertEqual(self.model_digest(f"m{workers}"), self.model_digest("m1"))

    def test_weights_that_are_none_are_refused_or_their_rows_left_out(self):
        self.weigh()
        for value, message in (("NULL", 'weight column "weight" is NULL in 13 of 1300 rows'),
                               ("-1", 'weight column "weight" has the number -1, and weights are from 0 to'),
                               ("2e9", 'weight column "weight" has the number 2e+09'),
                               ("'much'", 'column "weight" holds \'much\', where a number was expected')):
            with self.subTest(value):
                sql = ("SELECT a, b, y, weight FROM v TO TRAIN XGBClassifier WITH n_estimators = 2, "
                       "sample_weight = 'weight'{} LABEL y INTO m")
                self.run_all("DROP TABLE IF EXISTS v")
                self.run_all("CREATE TABLE v AS SELECT a, b, y, CASE WHEN rowid % 100 = 99 "
                             f"THEN {value} ELSE weight END AS weight FROM w")
                with self.assertRaises(sqlite3.Error) as caught:
                    self.run_all(sql.format(""))
                self.assertIn(message, str(caught.exception))
                facts = harness.facts(self.run_all(sql.format(", bad_rows = 'skip'")))
                self.assertEqual(facts["bad_rows"], 13)
        with self.assertRaises(sqlite3.Error) as caught:
            self.run_all("SELECT a, y, 0 AS weight FROM t TO TRAIN XGBClassifier WITH sample_weight = 'weight' "
                         "LABEL y INTO m")
        self.assertIn('weight column "weight" is 0 in all rows to learn from', str(caught.exception))

    def survive(self):
        """Table s: times that were seen (lower = upper), lost from sight (NULL), between; signed for Cox's model."""
        self.run_all("CREATE TABLE s AS SELECT a, b, 1.0 + abs(z) AS lower, CASE rowid % 3 WHEN 0 THEN NULL "
                     "WHEN 1 THEN 1.0 + abs(z) ELSE 2.0 + abs(z) END AS upper, "
                     "(1.0 + abs(z)) * (CASE rowid % 3 WHEN 0 THEN -1 ELSE 1 END) AS time FROM t")

    def test_times_of_survival_have_the_same_bits_with_any_number_of_workers(self):
        self.survive()
        for workers in (1, 3):
            settings = f"n_estimators = 6, min_workers = {workers}, max_workers = {workers}"
            self.run_all("SELECT a, b, lower, upper FROM s TO TRAIN XGBRegressor WITH objective = 'survival:aft', "
                         f"label_upper_bound = 'upper', {settings} LABEL lower INTO aft{workers}")
            facts = harness.facts(self.run_all(
                "SELECT a, b, time FROM s TO TRAIN XGBRegressor WITH objective = 'survival:cox', "
                f"{settings} LABEL time INTO cox{workers}"))
            self.assertNotIn("RMSE", facts)
            self.assertGreater(facts["Concordance"], .7)
            self.assertEqual(self.model_digest(f"aft{workers}"), self.model_digest("aft1"))
            self.assertEqual(self.model_digest(f"cox{workers}"), self.model_digest("cox1"))
        # rows that were lost from sight may have lived on: without the bounds times are shorter
        self.run_all("SELECT a, b, lower FROM s TO TRAIN XGBRegressor WITH objective = 'survival:aft', n_estimators = 6 "
                     "LABEL lower INTO short")
        self.assertEqual(self.run_all("SELECT avg(totrain_predict('aft1', a, b)) > 1.1 * "
                                      "avg(totrain_predict('short', a, b)) FROM s"), [(1,)])

    def test_bounds_of_labels_that_are_none_are_refused(self):
        self.survive()
        for select, settings, message in (
                ("a, lower, -1.0 AS upper FROM s", "objective = 'survival:aft'", 'upper bound "upper" has the number -1'),
                ("a, lower, 9e999 AS upper FROM s", "objective = 'survival:aft'", "infinit"),
                ("a, -lower AS lower, upper FROM s", "objective = 'survival:aft'", "learns numbers from 0 on"),
                ("a, lower, upper FROM s", "objective = 'survival:cox'", "no use with the objective survival:cox")):
            with self.subTest(message), self.assertRaises(sqlite3.Error) as caught:
                self.run_all(f"SELECT {select} TO TRAIN XGBRegressor WITH n_estimators = 2, {settings}, "
                             "label_upper_bound = 'upper' LABEL lower INTO m")
            self.assertIn(message, str(caught.exception))
        with self.assertRaises(sqlite3.Error) as caught:
            self.run_all("SELECT a, -abs(time) AS time FROM s TO TRAIN XGBRegressor WITH objective = 'survival:cox' "
                         "LABEL time INTO m")
        self.assertIn('no label of column "time" is above 0', str(caught.exception))

    def rankings(self, queries=120):
        """Table f: documents that were found for queries, with how relevant each is."""
        draw = random.Random(4)
        self.run_all("CREATE TABLE f (a REAL, b REAL, of_query REAL, query TEXT, relevance INTEGER, clicked INTEGER)")
        for query in range(queries):
            of_query = draw.gauss(0, 2)
            for _ in range(draw.randint(5, 25)):
                a, b = draw.random(), draw.random()
                score = 2 * a + b * b + draw.gauss(0, .1)
                self.database.execute("INSERT INTO f VALUES (?, ?, ?, ?, ?, ?)",
                                      (a + of_query, b, of_query, f"q{query}", min(4, int(1.5 * score)), int(score > 2)))

    def rank(self, model="XGBRanker", settings="", label="relevance", into="m", order=""):
        return harness.facts(self.run_all(
            f"SELECT a, b, of_query, query, {label} FROM f {order} TO TRAIN {model} WITH train.group = 'query'"
            f"{settings and ', ' + settings} LABEL {label} INTO {into}"))

    def test_rankings_are_learned_by_their_libraries_names(self):
        self.rankings()
        for model, settings in (("XGBRanker", ""), ("LGBMRanker", ""), ("XGBRanker", "objective = 'rank:pairwise'"),
                                ("xgboost.gbtree", "objective = 'rank:ndcg', lambdarank_pair_method = 'mean'"),
                                ("lightgbm.gbdt", "objective = 'lambdarank', lambdarank_truncation_level = 5"),
                                ("XGBRanker", "early_stopping_rounds = 3, ndcg_exp_gain = false")):
            with self.subTest(f"{model} {settings}"):
                facts = self.rank(model, settings)
                self.assertGreater(facts["NDCG"], .9)
                self.assertNotIn("RMSE", facts)
        self.assertGreater(self.rank(settings="objective = 'rank:map'", label="clicked")["MAP"], .9)
        last = self.run_all("SHOW TRAIN m")[-1]
        self.assertLess(last["validation_loss"] if isinstance(last, dict) else last[3], .2)
        self.run_all("SELECT a, b, of_query FROM f TO PREDICT p.score USING m")

    def test_a_ranking_has_the_same_bits_with_any_workers_and_order_of_rows(self):
        self.rankings()
        self.run_all("INSERT INTO f SELECT * FROM f WHERE query IN ('q1', 'q2', 'q3')")  # equal rows stay in their group
        settings = "n_estimators = 5, subsample = 0.7, lambdarank_pair_method = 'mean', seed = 3"
        self.rank(settings=settings, into="one")
        for workers in (2, 3):
            self.rank(settings=f"{settings}, job.min_workers = {workers}, job.max_workers = {workers}", into="many")
            self.assertEqual(self.model_digest("many"), self.model_digest("one"))
        self.rank(settings=settings, into="turned", order="ORDER BY a")
        self.assertEqual(self.model_digest("turned"), self.model_digest("one"))

    def test_groups_are_held_out_whole(self):
        """A group that is known by its column alone cannot be predicted where none of its rows was learned from."""
        self.run_all("CREATE TABLE g (who INTEGER, noise REAL, y INTEGER)")
        draw = random.Random(1)
        for who in range(200):
            y = draw.randint(0, 1)
            for _ in range(10):
                self.database.execute("INSERT INTO g VALUES (?, ?, ?)", (who * 7919 % 200, draw.random(), y))
        sql = ("SELECT CAST(who AS TEXT) || 'x' AS word, noise, who, y FROM g TO TRAIN XGBClassifier "
               "WITH {}n_estimators = 30, max_cat_to_onehot = 2 LABEL y INTO m")
        facts = [row for row in self.run_all(sql.format("train.group = 'who', "))]
        grouped = [row for row in facts if row[0] == "Accuracy" and row[2] == "validation"]
        plain = [row for row in self.run_all(sql.replace("noise, who", "noise").format(""))
                 if row[0] == "Accuracy" and row[2] == "validation"]
        self.assertLess(grouped[0][1], .8)
        self.assertGreater(plain[0][1], .9)

    def test_rankings_refuse_what_cannot_be_ranked(self):
        self.rankings(40)
        for sql, message in (
                ("SELECT a, query, relevance FROM f TO TRAIN XGBRanker LABEL relevance INTO m",
                 "rank:ndcg needs train.group"),
                ("SELECT a, CASE WHEN a > 1 THEN query END AS query, relevance FROM f TO TRAIN XGBRanker "
                 "WITH train.group = 'query' LABEL relevance INTO m", 'group column "query" is NULL in'),
                ("SELECT a, query, relevance - 1 AS relevance FROM f TO TRAIN XGBRanker WITH train.group = 'query' "
                 "LABEL relevance INTO m", "rank:ndcg learns numbers from 0 to 31"),
                ("SELECT a, query, relevance FROM f TO TRAIN XGBRanker WITH train.group = 'query', "
                 "objective = 'rank:map' LABEL relevance INTO m", "rank:map learns numbers that are 0 or 1"),
                ("SELECT n.value AS a, 1 AS query, n.value % 2 AS relevance FROM generate_series(1, 12000) AS n "
                 "TO TRAIN XGBRanker WITH train.group = 'query' LABEL relevance INTO m",
                 "a group has 12000 rows, where at most 10000 are ranked")):
            with self.subTest(message):
                sql = sql.replace("generate_series(1, 12000) AS n",
                                  "(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c "
                                  "WHERE value < 12000) SELECT value FROM c) AS n")
                with self.assertRaises(sqlite3.Error) as caught:
                    self.run_all(sql)
                self.assertIn(message, str(caught.exception))

    def test_whether_a_label_holds_classes_is_told_by_all_rows_in_any_order(self):
        """Its first 1,000 values are 0 and 1, and then there are many, or the other way round."""
        self.run_all("CREATE TABLE late AS SELECT a, b, kind, CASE WHEN rowid > 1100 THEN rowid ELSE y END AS n FROM t")
        self.run_all("CREATE TABLE early AS SELECT * FROM late ORDER BY rowid DESC")
        self.assertIn("R2", self.train("lightgbm.gbdt", "n", "num_iterations = 5", "late_model", "late"))
        self.assertIn("R2", self.train("lightgbm.gbdt", "n", "num_iterations = 5", "early_model", "early"))
        self.assertEqual(self.model_digest("late_model"), self.model_digest("early_model"))
        self.assertIn("Accuracy", self.train("lightgbm.gbdt", "y", "num_iterations = 5"))
        self.assertIn("Accuracy", self.train("lightgbm.gbdt", "kind", "num_iterations = 5"))
        self.assertIn("R2", self.train("lightgbm.gbdt", "z", "num_iterations = 5"))
        self.assertIn("R2", self.train("lightgbm.gbdt", "y", "num_iterations = 5, objective = 'regression'"))

    # ----- metrics of each round -----

    def history(self, model="m"):
        self.shown = getattr(self, "shown", 0) + 1  # columns go by the model: no statement of before
        cursor = self.database.execute(f"SHOW TRAIN {model} -- {self.shown}")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def test_metrics_that_are_named_are_measured_each_round(self):
        self.train("XGBClassifier", "y", "n_estimators = 6, eval_metric = 'aucpr,auc,merror,mlogloss'")
        rounds = self.history()
        self.assertEqual(list(rounds[0]),
                         ["epoch", "seconds", "train_loss", "validation_loss", "validation_accuracy", "validation_prauc",
                          "validation_auc", "train_accuracy", "train_logloss", "validation_logloss"])
        self.assertEqual(len(rounds), 6)
        for row in rounds:
            self.assertAlmostEqual(row["validation_logloss"], row["validation_loss"], places=9)
            self.assertAlmostEqual(row["train_logloss"], row["train_loss"], places=9)
        shown = dict(self.database.execute("SHOW MODEL m").fetchall())
        self.assertAlmostEqual(rounds[-1]["validation_auc"], shown["AUC, validation"], places=6)
        self.assertAlmostEqual(rounds[-1]["validation_prauc"], shown["PRAUC, validation"], places=6)
        self.train("XGBClassifier", "y", "n_estimators = 2", "unnamed")
        self.assertEqual(len(self.history("unnamed")[0]), 5)

    def test_any_workers_measure_the_same_rounds(self):
        for label, settings in (("y", "eval_metric = 'auc,f1,logloss'"), ("three", "eval_metric = 'auc,mcc'"),
                                ("z", "eval_metric = ['rmse', 'r2', 'mape', 'tweedie-nloglik@1.2']")):
            histories = []
            for job in ("", "job.min_workers = 2, job.max_workers = 2, ", "job.min_workers = 3, job.max_workers = 3, "):
                model = "XGBRegressor" if label == "z" else "XGBClassifier"
                self.train(model, label, f"{job}n_estimators = 4, {settings}")
                histories.append([{name: value for name, value in row.items() if name != "seconds"}
                                  for row in self.history()])
            self.assertEqual(histories[0], histories[1])
            self.assertEqual(histories[0], histories[2])

    def test_early_stopping_goes_by_the_last_metric(self):
        for metrics, column, best_of in (("'logloss,auc'", "validation_auc", max),
                                         ("['auc', 'logloss']", "validation_logloss", min)):
            self.train("XGBClassifier", "y",
                       f"eta = 1, n_estimators = 60, test_size = 0.3, early_stopping_rounds = 4, eval_metric = {metrics}")
            values = [row[column] for row in self.history()]
            best = values.index(best_of(values)) + 1
            self.assertEqual(len(values), min(best + 4, 60))
            shown = dict(self.database.execute("SHOW MODEL m").fetchall())
            self.assertEqual(int(shown["best epoch"]), best)

    def test_a_statement_of_before_does_not_give_columns_their_old_names(self):
        for number, (metric, message) in enumerate((("mae", None), ("mape", "its columns had other names"),
                                                    ("mae,mape", "returned 7 columns; it returns 9 now"))):
            self.train("XGBRegressor", "z", f"n_estimators = 2, eval_metric = '{metric}'")
            if number == 0:
                kept, = self.run_all("SELECT totrain_sql('SHOW TRAIN m')")[0]
                self.assertEqual(len(self.run_all(kept)), 2)
            else:
                with self.assertRaisesRegex(sqlite3.Error, message):
                    self.run_all(kept)

    def test_metrics_that_do_not_fit_the_objective_are_refused(self):
        for model, settings, message in (
                ("XGBRegressor", "eval_metric = 'ndcg'", "metric NDCG does not fit this model"),
                ("XGBRegressor", "eval_metric = 'quantile'", "metric Pinball does not fit this model"),
                ("XGBRegressor", "objective = 'survival:aft', eval_metric = 'cox-nloglik'",
                 "metric CoxNLogLik does not fit this model"),
                ("XGBRegressor", "eval_metric = 'rmse@3'", 'unknown metric "rmse@3"'),
                ("XGBRegressor", "eval_metric = 'tweedie-nloglik@2'", 'unknown metric "tweedie-nloglik@2"'),
                ("XGBRegressor", "objective = 'survival:aft', early_stopping_rounds = 3, eval_metric = 'cindex'",
                 "Concordance is not measured each round")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.Error, message):
                self.train(model, "z", settings)

    def test_early_stopping_ends_the_rounds(self):
        self.train("LGBMClassifier", "y", "num_iterations = 1000, early_stopping_round = 3, test_size = 0.2")
        self.assertLess(len(self.run_all("SHOW TRAIN m")), 900)

    def test_an_objective_of_two_classes_is_not_for_three(self):
        with self.assertRaisesRegex(sqlite3.Error, "binary:logistic"):
            self.train("XGBClassifier", "three", "objective = 'binary:logistic'")
        self.assertEqual(self.run_all("SELECT name FROM sqlite_master WHERE name = 'm'"), [])

    def test_trees_predict_missing_values_and_words_that_they_have_not_seen(self):
        self.train("XGBRegressor", "z")
        self.run_all("CREATE TABLE new (a REAL, b REAL, kind TEXT)")
        self.run_all("INSERT INTO new VALUES (0.9, NULL, 'p'), (NULL, NULL, NULL), (0.1, 0.1, 'never')")
        self.run_all("SELECT * FROM new TO PREDICT p.z USING m")
        found = [row[0] for row in self.run_all("SELECT z FROM p")]
        self.assertEqual(len(found), 3)
        self.assertTrue(all(0 < value < 5 for value in found))
        self.assertGreater(found[0], 3)
        self.assertLess(found[2], 1)


harness.main()
