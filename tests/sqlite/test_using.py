"""TO TRAIN ... USING old_model: learning goes on from a model, whose inputs, words and classes it keeps."""

import json
import random
import sqlite3

import harness


class Rows(harness.Case):
    ROWS = 700

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(5)
        self.run_all("CREATE TABLE t (id INTEGER PRIMARY KEY, colour TEXT, a REAL, day TEXT, b REAL, y TEXT, z REAL)")
        for i in range(self.ROWS):
            a, b, colour = draw.random(), draw.random(), draw.choice("rgb")
            self.database.execute(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                (i, colour, a, f"2024-0{1 + i % 9}-1{i % 7}", b if draw.random() < .9 else None,
                 "high" if a + (colour == "r") > 1.2 else "low" if a < .4 else "mid", 3 * a + b * b + (colour == "g")))


class Using(Rows):
    def train(self, into, using="", rounds=3, label="y", settings="", select="SELECT id, colour, a, day, b, {} FROM t",
              model="XGB{}"):
        kind = "Classifier" if label == "y" else "Regressor"
        return harness.facts(self.run_all(
            f"{select.format(label)} TO TRAIN {model.format(kind)} WITH train.num_boost_round = {rounds}{settings} "
            f"LABEL {label} {using and 'USING ' + using} INTO {into}"))

    def trees(self, model):
        return len(self.run_all(f"SELECT totrain_leaf('{model}', colour, a, day, b) FROM t LIMIT 1")[0][0].split(","))

    def test_going_on_comes_to_what_all_rounds_at_once_come_to(self):
        for label in ("y", "z"):
            with self.subTest(label):
                self.train("whole", rounds=6, label=label)
                self.train("half", rounds=3, label=label)
                self.train("more", "half", rounds=3, label=label)
                whole = self.run_all(f"SHOW TRAIN whole -- {label}")  # columns go by the model
                more = self.run_all(f"SHOW TRAIN more -- {label}")
                for late, again in zip(whole[3:], more):
                    self.assertAlmostEqual(late[2], again[2], 4)
                self.assertEqual(self.trees("more"), self.trees("whole"))

    def test_any_number_of_workers_and_threads_goes_on_to_the_same_model(self):
        self.train("old", settings=", subsample = 0.7")
        self.train("one", "old", settings=", subsample = 0.7, colsample_bynode = 0.6")
        for job in ("job.min_workers = 2, job.max_workers = 2", "job.threads = 3"):
            self.train("other", "old", settings=f", subsample = 0.7, colsample_bynode = 0.6, {job}")
            self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_the_order_of_columns_and_others_besides_do_not_matter(self):
        self.train("old")
        self.train("one", "old")
        self.train("other", "old", select="SELECT b, day, 7 AS other, {}, a, colour, z FROM t")
        self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_other_rows_words_and_a_class_that_is_not_there_are_no_matter(self):
        self.train("old")
        self.run_all("CREATE TABLE later AS SELECT id, CASE colour WHEN 'r' THEN 'new' ELSE colour END AS colour, "
                     "a + 1 AS a, day, b, y FROM t WHERE y <> 'mid'")
        self.train("m", "old", select="SELECT id, colour, a, day, b, {} FROM later")
        self.assertGreater(self.train("m", "m", select="SELECT id, colour, a, day, b, {} FROM t")["Accuracy"], .9)

    def test_a_class_that_the_old_model_does_not_know_is_refused(self):
        self.train("old")
        self.run_all("UPDATE t SET y = 'other' WHERE id % 50 = 0")
        with self.assertRaisesRegex(sqlite3.Error, "has 'other', a class that the old model does not know"):
            self.train("m", "old")
        self.assertEqual(self.run_all("SELECT name FROM sqlite_master WHERE name = 'm'"), [])

    def test_a_model_goes_on_to_its_own_next_version(self):
        self.train("m", label="z")
        before = self.trees("m")
        self.train("m", "m", label="z")
        self.assertEqual(self.trees("m"), 2 * before)
        self.assertEqual(self.run_all("SELECT max(version) FROM totrain_models WHERE name = 'm'"), [(2,)])

    def test_a_model_of_another_program_is_gone_on_from(self):
        self.train("old", label="z", select="SELECT a, b, {} FROM t")
        self.run_all(f"EXPORT MODEL old TO '{self.folder}/old.json' FORMAT xgboost")
        self.run_all(f"IMPORT MODEL theirs FROM '{self.folder}/old.json' FORMAT xgboost")
        self.train("one", "old", label="z", select="SELECT a, b, {} FROM t")
        self.train("other", "theirs", label="z", select="SELECT a, b, {} FROM t")
        ours, other = (self.run_all(f"SELECT totrain_predict('{m}', a, b) FROM t") for m in ("one", "other"))
        self.assertLess(max(abs(x[0] - y[0]) for x, y in zip(ours, other)), 1e-4)

    def test_an_objective_of_another_link_is_refused(self):
        self.train("old", label="z", settings=", objective = 'count:poisson'")
        with self.assertRaisesRegex(sqlite3.Error, "by the link \"exp\""):
            self.train("m", "old", label="z")
        self.train("m", "old", label="z", settings=", objective = 'reg:gamma'")

    def test_what_is_no_model_of_trees_is_refused(self):
        self.run_all("SELECT a, b, z FROM t TO TRAIN LinearRegressor LABEL z INTO old")
        with self.assertRaisesRegex(sqlite3.Error, "is a LinearRegressor, and XGBRegressor does not go on from one"):
            self.train("m", "old", label="z", select="SELECT a, b, {} FROM t")
        with self.assertRaisesRegex(sqlite3.Error, "not supported yet by KMeans"):
            self.run_all("SELECT a, b FROM t TO TRAIN KMeans USING old INTO m")


class Weights(Rows):
    """Networks, linear models and networks over embeddings start from the old model's weights."""

    ROWS = 300
    MODELS = (("Linear{}", ""), ("DNN{}", ", hidden_units = [5, 3]"), ("DeepFM{}", ", hidden_units = [4]"),
              ("WideAndDeep{}", ", hidden_units = [4], embedding_dimension = 3"))

    def train(self, into, using="", epochs=2, label="z", settings="", select="SELECT id, colour, a, day, b, {} FROM t",
              model="DNN{}"):
        kind = "Classifier" if label in ("y", "c") else "Regressor"
        return harness.facts(self.run_all(
            f"{select.format(label)} TO TRAIN {model.format(kind)} WITH train.epoch = {epochs}{settings} "
            f"LABEL {label} {using and 'USING ' + using} INTO {into}"))

    def predicted(self, model):
        return [json.loads(row[0]) for row in self.run_all(f"SELECT totrain_logits('{model}', colour, a, day, b) FROM t")]

    def check_same_predictions(self, one, other):
        for row, wanted in zip(self.predicted(one), self.predicted(other), strict=True):
            for number, reference in zip(row, wanted, strict=True):
                self.assertAlmostEqual(number, reference, 5)

    def test_a_step_of_nothing_leaves_the_model_as_it_was(self):
        """Weights, label's scale, words, activation and shape are the old model's: so are predictions."""
        self.run_all("ALTER TABLE t ADD COLUMN c INTEGER")
        self.run_all("UPDATE t SET c = z > 2")
        self.run_all("CREATE TABLE later AS SELECT id, CASE colour WHEN 'r' THEN 'new' ELSE colour END AS colour, "
                     "a * 9 + 5 AS a, day, b, y, z + 100 AS z, c FROM t WHERE id < 200")
        for model, settings in self.MODELS:
            for label in ("z", "c", "y"):
                with self.subTest(model, label=label):
                    self.train("old", label=label, settings=f"{settings}, activation = 'tanh'" if settings else "",
                               model=model)
                    self.train("m", "old", label=label, model=model, select="SELECT id, colour, a, day, b, {} FROM later",
                               settings=", learning_rate = 1e-12, max_steps = 1, model.l2 = 0, optimizer = 'SGD'")
                    self.check_same_predictions("m", "old")

    def test_parts_and_dimensions_are_those_of_the_old_model(self):
        self.run_all("SELECT id, colour, a, day, b, z FROM t TO TRAIN WideAndDeepRegressor WITH train.epoch = 2, hidden_units = [4], "
                     "model.linear_optimizer = 'FTRL' COLUMN a, day FOR linear_feature_columns "
                     "COLUMN b, EMBEDDING(colour, 3), day FOR dnn_feature_columns LABEL z INTO old")
        wanted = self.run_all("SELECT totrain_logits('old', colour, a, day, b) FROM t")
        columns = [row[0] for row in self.run_all("SHOW MODEL old") if row[0].startswith("input ")]
        self.run_all("SELECT id, colour, a, day, b, z FROM t TO TRAIN WideAndDeepRegressor WITH train.max_steps = 1, "
                     "learning_rate = 1e-12, model.l2 = 0, optimizer = 'SGD' LABEL z USING old INTO m")
        self.assertEqual([row[0] for row in self.run_all("SHOW MODEL m") if row[0].startswith("input ")], columns)
        for row, reference in zip(self.run_all("SELECT totrain_logits('m', colour, a, day, b) FROM t"), wanted, strict=True):
            self.assertAlmostEqual(json.loads(row[0])[0], json.loads(reference[0])[0], 5)

    FUNCTIONS = ("*, BUCKET(a, 4), BUCKET(a, [0.2, 0.6]), CATEGORY_HASH(day, 30), CROSS([colour, BUCKET(b, [0.5]), day], 50), "
                 "EMBEDDING(CONCAT(LOG_ROUND(a, 3, 2), CATEGORY_HASH(colour, 8)), 3), CATEGORY_ID(tags, 6, ',')")

    def made_tags(self, more=""):
        self.run_all("ALTER TABLE t ADD COLUMN tags TEXT")
        self.run_all("ALTER TABLE t ADD COLUMN c INTEGER")
        self.run_all("UPDATE t SET tags = (id % 5) || ',' || (id % 3), c = z > 2")
        self.run_all("CREATE TABLE later AS SELECT id, CASE colour WHEN 'r' THEN 'new' ELSE colour END AS colour, "
                     "a * .7 AS a, day, b, y, z + 100 AS z, tags, c FROM t WHERE id < 200")

    def check_functions(self, model, columns, settings, more, function="totrain_logits"):
        select = "SELECT tags, colour, a, day, b, c FROM {} TO TRAIN {} WITH {} {} LABEL c {} INTO {}"
        self.run_all(select.format("t", model, settings, f"COLUMN {columns}", "", "old"))
        wanted = self.run_all(f"SELECT {function}('old', tags, colour, a, day, b) FROM t")
        inputs = [row for row in self.run_all("SHOW MODEL old") if row[0].startswith("input ")]
        planned = dict(self.run_all("EXPLAIN " + select.format("later", model, more, "", "USING old", "m")))
        for name, detail in inputs:
            if name in planned:  # numbers of one kind are one line
                self.assertEqual("CONCAT 1" in planned[name], "CONCAT 1" in detail, name)
        self.run_all(select.format("later", model, more, "", "USING old", "m"))
        self.assertEqual([row for row in self.run_all("SHOW MODEL m") if row[0].startswith("input ")], inputs)
        return wanted, self.run_all(f"SELECT {function}('m', tags, colour, a, day, b) FROM t")

    NOTHING = "train.epoch = 2, train.max_steps = 1, learning_rate = 1e-12, model.l2 = 0, optimizer = 'SGD'"

    def test_what_functions_of_column_make_is_made_as_before(self):
        """Bounds, quantiles, hash buckets, crosses, items and members of a CONCAT: the old model's, whatever the rows are."""
        self.made_tags()
        for model, columns, settings in (
                ("LinearClassifier", self.FUNCTIONS.replace("EMBEDDING", "INDICATOR").replace("8)), 3)", "8)))"), "train.epoch = 2"),
                ("DNNClassifier", self.FUNCTIONS, "train.epoch = 2, hidden_units = [4]"),
                ("DeepFMClassifier", self.FUNCTIONS, "train.epoch = 2, hidden_units = [4]"),
                ("DeepFMClassifier", "a, b, tags, colour, day, EMBEDDING(CONCAT(CATEGORY_HASH(colour, 8), CATEGORY_HASH(day, 9)), 3)",
                 "train.epoch = 2, embedding_dimension = 3, hidden_units = [4]"),
                ("DCNClassifier", "a, b, tags, EMBEDDING(colour, 2), day, EMBEDDING(CATEGORY_HASH(colour, 8), 5)", "train.epoch = 2"),
                ("WideAndDeepClassifier", "a, CROSS([colour, day], 20) FOR linear_feature_columns COLUMN a, "
                                          "EMBEDDING(CATEGORY_HASH(colour, 8), 5), EMBEDDING(day, 2), tags, b FOR dnn_feature_columns", "train.epoch = 2")):
            with self.subTest(model):
                for row, reference in zip(*self.check_functions(model, columns, settings, self.NOTHING), strict=True):
                    self.assertAlmostEqual(json.loads(row[0])[0], json.loads(reference[0])[0], 5)

    def test_trees_go_on_with_what_functions_of_column_make(self):
        self.made_tags()
        columns = "*, BUCKET(a, 4), CATEGORY_HASH(day, 30), CROSS([colour, day], 50)"
        wanted, more = self.check_functions("XGBClassifier", columns, "num_boost_round = 3", "num_boost_round = 1, eta = 1e-9")
        for row, reference in zip(more, wanted, strict=True):
            self.assertAlmostEqual(json.loads(row[0])[0], json.loads(reference[0])[0], 5)

    def test_going_on_with_functions_of_column_any_workers_and_order_make_the_same_model(self):
        self.made_tags()
        digests = set()
        for select, job in (("tags, colour, a, day, b, c", ""), ("b, c, day, a, 5 AS other, colour, tags", ", job.min_workers = 3, job.max_workers = 3")):
            self.run_all(f"SELECT tags, colour, a, day, b, c FROM t TO TRAIN DeepFMClassifier WITH train.epoch = 2 COLUMN {self.FUNCTIONS} "
                         "LABEL c INTO old")
            self.run_all(f"SELECT {select} FROM later TO TRAIN DeepFMClassifier WITH train.epoch = 2{job} LABEL c USING old INTO m")
            digests.add(self.model_digest("m"))
        self.assertEqual(len(digests), 1)
        with self.assertRaisesRegex(sqlite3.Error, 'the query has no column "tags", an input of model "old"'):
            self.run_all("SELECT colour, a, day, b, c FROM later TO TRAIN DeepFMClassifier LABEL c USING old INTO m")

    def test_more_epochs_make_it_better(self):
        for model, settings in self.MODELS[:2]:
            with self.subTest(model):
                before = self.train("old", settings=settings, model=model)["RMSE"]
                after = self.train("m", "old", epochs=8, model=model)["RMSE"]
                self.assertLess(after, 0.98 * before)
                anew = self.train("n", epochs=1, settings=settings, model=model)["RMSE"]
                self.assertLess(self.train("m", "m", epochs=1, model=model)["RMSE"], anew)

    def test_any_number_of_workers_and_threads_goes_on_to_the_same_model(self):
        for model, settings in self.MODELS[1:3]:
            with self.subTest(model):
                self.train("old", settings=settings, model=model)
                self.train("one", "old", model=model)
                for job in ("job.min_workers = 3, job.max_workers = 3", "job.threads = 3"):
                    self.train("other", "old", settings=f", {job}", model=model)
                    self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_going_on_is_not_what_all_epochs_at_once_are(self):
        """The optimizer starts anew, and with it the schedule; but it is as good."""
        self.assertGreater(self.train("old", epochs=20)["R2"], 0.8)
        self.assertGreater(self.train("m", "old", epochs=20)["R2"], 0.9)

    def test_the_order_of_columns_and_others_besides_do_not_matter(self):
        self.train("old")
        self.train("one", "old")
        self.train("other", "old", select="SELECT b, day, 7 AS other, {}, a, colour, y FROM t")
        self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_other_rows_words_and_a_class_that_is_not_there_are_no_matter(self):
        self.train("old", label="y", epochs=30)
        self.train("m", "old", label="y",
                   select="SELECT id, CASE colour WHEN 'r' THEN 'new' ELSE colour END AS colour, a, day, b, {} FROM t "
                          "WHERE y <> 'mid'")
        self.assertEqual(set(self.run_all("SELECT DISTINCT totrain_predict('m', colour, a, day, b) FROM t")) -
                         {("high",), ("low",), ("mid",)}, set())

    def test_a_class_that_the_old_model_does_not_know_is_refused(self):
        self.train("old", label="y")
        self.run_all("UPDATE t SET y = 'other' WHERE id % 50 = 0")
        with self.assertRaisesRegex(sqlite3.Error, "has 'other', a class that the old model does not know"):
            self.train("m", "old", label="y")

    def test_a_model_goes_on_to_its_own_next_version(self):
        self.train("m")
        self.train("m", "m")
        self.assertEqual(self.run_all("SELECT max(version) FROM totrain_models WHERE name = 'm'"), [(2,)])

    def test_texts_and_their_words_are_the_old_models(self):
        select = "SELECT a, colour || ' ' || day || ' of some words' AS note, {} FROM t"
        self.run_all(f"{select.format('z')} TO TRAIN LinearRegressor WITH train.epoch = 2 COLUMN a, TEXT(note, 64) LABEL z INTO old")
        self.train("m", "old", select=select, model="Linear{}",
                   settings=", learning_rate = 1e-12, max_steps = 1, model.l2 = 0, optimizer = 'SGD'")
        one, other = (self.run_all(f"SELECT totrain_predict('{model}', a, colour || ' ' || day || ' of some words') FROM t")
                      for model in ("m", "old"))
        for (number,), (wanted,) in zip(one, other, strict=True):
            self.assertAlmostEqual(number, wanted, 5)

    def test_another_shape_is_refused(self):
        self.train("old", settings=", hidden_units = [5, 3], activation = 'tanh'")
        self.train("m", "old", settings=", hidden_units = [5, 3], activation = 'auto'")
        for settings, model, message in (
                (", hidden_units = [5]", "DNN{}", r'model "old" has model.hidden_units = \[5,3\], and learning goes on'),
                (", activation = 'relu'", "DNN{}", 'model "old" has model.activation = "tanh", and learning goes on'),
                ("", "Linear{}", r'model "old" has model.hidden_units = \[5,3\], which no LinearRegressor has'),
                ("", "DeepFM{}", 'is a DNNRegressor, and DeepFMRegressor does not go on from one'),
                (", loss = 'poisson'", "DNN{}", 'the label of model "old" has the link "none", and the loss has "exp"'),
                (", model.standardize = false", "DNN{}", "model.standardize has no use with USING")):
            with self.subTest(settings + model), self.assertRaisesRegex(sqlite3.Error, message):
                self.train("m", "old", settings=settings, model=model)
        with self.assertRaisesRegex(sqlite3.Error, 'model "old" is a regressor, and DNNClassifier learns a classifier'):
            self.train("m", "old", label="y")

    def test_a_link_goes_on_with_a_loss_of_the_same(self):
        self.train("old", settings=", loss = 'poisson'", epochs=10)
        with self.assertRaisesRegex(sqlite3.Error, 'has the link "exp", and the loss has "none"'):
            self.train("m", "old")
        self.train("m", "old", settings=", loss = 'gamma', learning_rate = 1e-12, max_steps = 1, optimizer = 'SGD', model.l2 = 0",
                   select="SELECT id, colour, a, day, b, 1 + {0} AS {0} FROM t")
        self.check_same_predictions("m", "old")

    def test_what_is_no_model_of_trees_is_refused(self):
        self.run_all("SELECT id, a, b, z FROM t TO TRAIN XGBRegressor LABEL z INTO old")
        with self.assertRaisesRegex(sqlite3.Error, "is a XGBRegressor, and LinearRegressor does not go on from one"):
            self.train("m", "old", model="Linear{}", select="SELECT id, a, b, {} FROM t")


harness.main()
