"""Networks over embeddings, from the statement to the table: wide and deep, factorisation machines, cross networks and
compressed interactions."""

import json
import math
import random
import sqlite3
import struct

import harness

ROWS = 6000
MODELS = ("DNNLinearCombined", "DeepFM", "DCN", "XDeepFM")
SITES, ADS = 40, 300


def made_rows(seed=4):
    """Clicks: whether one follows depends on site and ad together, which no sum over the columns tells."""
    draw = random.Random(seed)
    site_side = [draw.choice((-1, 1)) for _ in range(SITES)]
    ad_side = [draw.choice((-1, 1)) for _ in range(ADS)]
    for _ in range(ROWS):
        site, ad, x = draw.randrange(SITES), min(int(draw.expovariate(0.03)), ADS - 1), draw.gauss(0, 1)
        logit = 2.2 * site_side[site] * ad_side[ad] + 0.7 * x
        yield (x, None if draw.random() < 0.05 else draw.random(), f"site{site}", None if draw.random() < 0.01 else f"ad{ad}",
               int(draw.random() < 1 / (1 + math.exp(-logit))))


def made_choices(seed=7):
    """Choices among four things: each likes its own sites and ads, and which of both come together decides."""
    draw = random.Random(seed)
    site_side = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(SITES)]
    ad_side = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(ADS)]
    likes = {name: [draw.gauss(0, 1.7) for _ in range(3)] for name in ("book", "film", "game", "song")}
    for _ in range(ROWS):
        site, ad, x = draw.randrange(SITES), min(int(draw.expovariate(0.03)), ADS - 1), draw.gauss(0, 1)
        logits = {name: sum(like * a * b for like, a, b in zip(of, site_side[site], ad_side[ad])) + x * (name == "film")
                  for name, of in likes.items()}
        yield (x, f"site{site}", f"ad{ad}", max(logits, key=lambda name: logits[name] + draw.gauss(0, .7)))  # pylint: disable=cell-var-from-loop


class Rows(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.make()

    def insert(self, table, columns, rows):
        self.database.execute(f"CREATE TABLE {table} ({columns})")
        self.database.execute("BEGIN")  # one by one, each row would wait for the disk
        self.database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * (columns.count(',') + 1))})", rows)
        self.database.execute("COMMIT")

    def make(self):
        self.insert("clicks", "x REAL, z REAL, site TEXT, ad TEXT, clicked INTEGER", made_rows())

    def execute(self, sql, parameters=()):
        return self.database.execute(sql, parameters).fetchall()

    def meta(self, model="m"):
        return json.loads(self.execute(f"SELECT data FROM {model} WHERE part = 'meta'")[0][0])


class Clicks(Rows):
    def train(self, model, more="", table="clicks", label="clicked", columns="*", into="m"):
        return harness.facts(self.execute(f"SELECT {columns} FROM {table} TO TRAIN {model} WITH train.epoch = 6{more} "
                                          f"LABEL {label} INTO {into}"))

    def evaluate(self, where="rowid > 5000", model="m"):
        cursor = self.database.execute(f"SELECT * FROM clicks WHERE {where} TO EVALUATE {model}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def test_what_depends_on_two_columns_together_is_learned(self):
        table = "(SELECT * FROM clicks WHERE rowid <= 5000)"
        self.train("LinearClassifier", table=table)
        linear = self.evaluate()["AUC"]
        self.assertLess(linear, 0.72)
        for model in MODELS:
            with self.subTest(model=model):
                self.train(f"{model}Classifier", table=table)
                self.assertGreater(self.evaluate()["AUC"], 0.85)

    PARTS = ("COLUMN x, CROSS([site, ad], 3000) FOR linear_feature_columns "
             "COLUMN z, EMBEDDING(site, 4), EMBEDDING(ad, 6) FOR dnn_feature_columns")

    def train_parts(self, parts=PARTS, more="", table="clicks", model="DNNLinearCombinedClassifier", into="m"):
        return harness.facts(self.execute(f"SELECT * FROM {table} TO TRAIN {model} WITH train.epoch = 6{more} {parts} "
                                          f"LABEL clicked INTO {into}"))

    def test_each_part_learns_from_its_own_columns(self):
        measured = self.train_parts(more=", train.test_size = 0")
        inputs = {one["name"]: one for one in self.meta()["inputs"]}
        self.assertEqual({name: one.get("model_part") for name, one in inputs.items()},
                         {"x": "linear", "z": "dnn", "site": "dnn", "ad": "dnn", "CROSS(site, ad)": "linear"})
        self.assertEqual({name: one.get("dimension") for name, one in inputs.items()},
                         {"x": None, "z": None, "site": 4, "ad": 6, "CROSS(site, ad)": None})
        self.assertEqual(self.meta()["format"], 10)
        self.assertEqual(measured["AUC"], self.evaluate("true")["AUC"])
        self.assertGreater(measured["AUC"], 0.85)
        alone = self.execute("SELECT totrain_predict('m', x, z, site, ad) FROM clicks")
        self.execute("SELECT * FROM clicks TO PREDICT p.guess USING m")
        self.assertEqual(self.execute("SELECT guess FROM p ORDER BY rowid"), alone)

    def test_parts_are_learned_the_same_in_any_order_by_any_workers(self):
        digests = {}
        for optimizer in ("", ", model.linear_optimizer = 'FTRL'"):
            for table in ("clicks", "(SELECT * FROM clicks ORDER BY ad DESC)"):
                for workers in (1, 2, 3):
                    self.train_parts(more=f"{optimizer}, train.max_steps = 15, job.min_workers = {workers}, job.max_workers = {workers}",
                                     table=table)
                    digests.setdefault(optimizer, set()).add(self.digest(self.database, "m"))
        self.assertEqual([len(one) for one in digests.values()], [1, 1])
        self.assertNotEqual(*digests.values())

    def wide_weights(self):
        """The weight of each word in the linear model, the first number of its row."""
        chunks = self.execute("SELECT data FROM m WHERE part = 'tensor' AND name = 'table' ORDER BY position")
        floats = b"".join(chunk[8:] for chunk, in chunks)
        return struct.unpack(f"<{len(floats) // 4}f", floats)[::9]

    def test_ftrl_of_the_linear_model_makes_weights_0(self):
        more = ", model.linear_optimizer = FTRL, linear_optimizer.l1_regularization_strength = {}, linear_optimizer.learning_rate = 0.2"
        columns = "COLUMN x, site, ad"
        self.train_parts(columns, more.format(0))
        self.assertLess(sum(one == 0 for one in self.wide_weights()), 30)  # words that no row has
        some = self.evaluate("true")["AUC"]
        self.train_parts(columns, more.format(50))
        self.assertGreater(sum(one == 0 for one in self.wide_weights()), 200)
        self.assertGreater(min(some, self.evaluate("true")["AUC"]), 0.8)

    def test_the_optimizer_of_all_is_that_of_the_linear_model(self):
        more = ", train.max_steps = 20"
        self.train("DeepFMClassifier", more)
        wanted = self.digest(self.database, "m")
        for same in ("model.linear_optimizer = 'Adam'", "linear_optimizer.learning_rate = 0.01", "dnn_optimizer.learning_rate = 0.01"):
            self.train("DeepFMClassifier", f"{more}, {same}")
            self.assertEqual(self.digest(self.database, "m"), wanted, same)
        self.train("DeepFMClassifier", f"{more}, linear_optimizer.learning_rate = 0.02")
        self.assertNotEqual(self.digest(self.database, "m"), wanted)

    def test_columns_of_both_parts_are_those_of_one_clause(self):
        more = ", train.max_steps = 15"
        self.train_parts("COLUMN x, site", more)
        wanted = self.digest(self.database, "m")
        self.train_parts("COLUMN site, x FOR linear_feature_columns COLUMN x, EMBEDDING(site, 8) FOR dnn_feature_columns", more)
        self.assertEqual(self.digest(self.database, "m"), wanted)
        self.train_parts("COLUMN x, site FOR dnn_feature_columns", more)
        self.assertNotEqual(self.digest(self.database, "m"), wanted)

    def test_a_part_without_a_column_learns_nothing_of_it(self):
        """The columns of a part do not tell the classes apart, and so it learns nothing."""
        self.train_parts("COLUMN z FOR linear_feature_columns COLUMN z FOR dnn_feature_columns")
        self.assertLess(self.evaluate("true")["AUC"], 0.55)

    def test_embeddings_may_have_dimensions_of_their_own(self):
        for model in ("DNNLinearCombinedClassifier", "DCNClassifier"):
            self.train_parts("COLUMN x, EMBEDDING(site, 3), EMBEDDING(ad, 9), z", model=model, more=", train.test_size = 0")
            self.assertEqual([one.get("dimension") for one in self.meta()["inputs"]], [None, None, 3, 9])
            self.assertGreater(self.evaluate("true")["AUC"], 0.8)
            self.assertEqual(self.meta()["embedding"]["embedding_dimension"], 8)

    CONCAT = ("COLUMN z, EMBEDDING(CONCAT(site, CATEGORY_HASH(ad, 400), BUCKETIZE(x, num_buckets = 4)) AS g, 8) FOR deep_embeddings "
              "COLUMN x, EMBEDDING(g, 1) FOR wide_embeddings")

    def test_members_of_a_concat_have_one_embedding(self):
        measured = self.train_parts(self.CONCAT, ", train.test_size = 0")
        inputs = {one["name"]: one for one in self.meta()["inputs"]}
        self.assertEqual({name: one.get("concat") for name, one in inputs.items()},
                         {"x": None, "z": None} | dict.fromkeys(("site", "CATEGORY_HASH(ad)", "BUCKET(x)"),
                                                                {"number": 1, "combiner": "mean"}))
        self.assertEqual({name for name, one in inputs.items() if one.get("model_part") is None},
                         {"site", "CATEGORY_HASH(ad)", "BUCKET(x)"})
        self.assertEqual(self.meta()["format"], 14)
        [(weights,)] = self.execute("SELECT data FROM m WHERE part = 'tensor' AND name = 'hidden0/weights'")
        self.assertEqual((len(weights) - 8) // 4, (8 + 2) * 64)  # one embedding; z and whether it was NULL
        self.assertGreater(self.evaluate("true")["AUC"], 0.6)
        self.assertEqual(measured["AUC"], self.evaluate("true")["AUC"])
        shown = dict(self.execute("SHOW MODEL m"))
        self.assertIn("with the others of CONCAT 1 by their mean", shown["input site"])
        alone = self.execute("SELECT totrain_predict('m', x, z, site, ad) FROM clicks")
        self.execute("SELECT * FROM clicks TO PREDICT p.guess USING m")
        self.assertEqual(self.execute("SELECT guess FROM p ORDER BY rowid"), alone)

    def test_a_concat_is_learned_the_same_in_any_order_by_any_workers(self):
        digests = set()
        for table in ("clicks", "(SELECT * FROM clicks ORDER BY ad DESC)"):
            for workers in (1, 2, 3):
                self.train_parts(self.CONCAT, f", train.max_steps = 15, job.min_workers = {workers}, job.max_workers = {workers}",
                                 table=table)
                digests.add(self.digest(self.database, "m"))
        self.assertEqual(len(digests), 1)

    def test_a_concat_is_another_model_than_its_members_beside_one_another(self):
        digests = []
        for columns in ("EMBEDDING(site, 4), EMBEDDING(ad, 4)", "EMBEDDING(CONCAT(site, ad), 4)",
                        "EMBEDDING(CONCAT(site, ad), 4, sum)", "EMBEDDING(CONCAT(site, ad), 4, combiner = mean)"):
            for model in MODELS:
                self.train_parts(f"COLUMN x, {columns}", ", train.max_steps = 15", model=f"{model}Classifier")
                digests.append(self.digest(self.database, "m"))
        count = len(MODELS)
        self.assertEqual(digests[count:2 * count], digests[3 * count:])
        self.assertEqual(len(set(digests)), 3 * count)

    def test_a_model_with_a_concat_is_gone_on_from(self):
        self.train_parts("COLUMN x, EMBEDDING(CONCAT(site, ad), 8)", into="old")
        before = self.evaluate("true", "old")["AUC"]
        self.execute("SELECT * FROM clicks TO TRAIN DNNLinearCombinedClassifier WITH train.epoch = 2 LABEL clicked USING old INTO m")
        self.assertEqual([one.get("concat") for one in self.meta()["inputs"]][-2:], [{"number": 1, "combiner": "mean"}] * 2)
        self.assertGreater(self.evaluate("true")["AUC"], before - 0.02)

    def test_the_same_model_in_any_order_by_any_workers(self):
        for model in MODELS:
            digests = set()
            for table in ("clicks", "(SELECT * FROM clicks ORDER BY ad DESC)"):
                for more in ("", ", job.min_workers = 3, job.max_workers = 3"):
                    self.train(f"{model}Classifier", more + ", train.max_steps = 15", table=table)
                    digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1, model)

    def test_every_way_of_scoring_gives_the_same(self):
        for model in MODELS:
            with self.subTest(model=model):
                measured = self.train(f"{model}Classifier", ", train.test_size = 0, train.max_steps = 60")
                function = ("SELECT totrain_predict('m', x, z, site, ad), totrain_probability('m', x, z, site, ad) FROM clicks "
                            "WHERE rowid <= 500")
                alone = self.execute(function)
                self.execute("SELECT * FROM clicks WHERE rowid <= 500 TO PREDICT p.guess WITH predict.extra_outputs = 'probability', "
                             "predict.replace = true USING m")
                self.assertEqual(self.execute("SELECT guess, probability FROM p ORDER BY rowid"), alone)
                whole = self.evaluate("true")
                self.assertAlmostEqual(measured["loss"], whole["loss"], 12)
                self.assertEqual(measured["Accuracy"], whole["Accuracy"])
                [(unknown,)] = self.execute("SELECT totrain_probability('m', 0, NULL, 'never seen', NULL)")
                self.assertTrue(0 < unknown < 1)

    def test_numbers_and_classes_are_predicted(self):
        self.execute("CREATE TABLE prices AS SELECT x, site, ad, 100 + 10 * x + 5 * (site < 'site3') AS price, "
                     "CASE WHEN x > 1 THEN 'high' WHEN x > -1 THEN 'mid' ELSE 'low' END AS band FROM clicks")
        for model in MODELS:
            with self.subTest(model=model):
                measured = self.train(f"{model}Regressor", table="prices", label="price", columns="x, site, ad, price")
                self.assertGreater(measured["R2"], 0.95)
                measured = self.train(f"{model}Classifier", table="prices", label="band", columns="x, site, ad, band")
                self.assertGreater(measured["Accuracy"], 0.95)

    def test_numbers_alone_are_enough_where_nothing_asks_for_categories(self):
        for model in ("DNNLinearCombined", "DCN"):
            measured = self.train(f"{model}Regressor", columns="x, z, 3 * x AS y", label="y")
            self.assertGreater(measured["R2"], 0.98)
        for model in ("DeepFM", "XDeepFM"):
            with self.assertRaisesRegex(sqlite3.Error, "the model is one of categories, and no column is a category"):
                self.train(f"{model}Classifier", columns="x, z, clicked")

    def test_texts_have_embeddings_of_their_words(self):
        self.execute("CREATE TABLE notes AS SELECT site || ' and ' || coalesce(ad, 'none') AS note, clicked FROM clicks")
        measured = harness.facts(self.execute(
            "SELECT * FROM notes TO TRAIN DeepFMClassifier WITH train.epoch = 6 COLUMN TEXT(note, 2000) LABEL clicked INTO m"))
        self.assertGreater(measured["AUC"], 0.85)
        one = "SELECT totrain_probability('m', ?)"
        self.assertEqual(self.execute(one, ("site1 and ad2",)), self.execute(one, ("AD2 and: site1",)))

    def test_the_model_has_its_arrays_and_says_what_it_is(self):
        self.train("DeepFMClassifier", ", embedding_dimension = 4, hidden_units = [8]")
        meta = self.meta()
        self.assertEqual(meta["embedding"], {"hidden_units": [8], "activation": "relu", "embedding_dimension": 4, "wide": True,
                                             "interaction": "pairs", "cross_layers": 0, "cross_parameterization": "vector",
                                             "cin_layer_size": []})
        names = [name for name, in self.execute("SELECT DISTINCT name FROM m WHERE part = 'tensor' ORDER BY name")]
        self.assertEqual(names, ["hidden0/bias", "hidden0/weights", "last/bias", "last/weights", "table"])
        shown = dict(self.execute("EXPLAIN SELECT * FROM clicks TO TRAIN XDeepFMClassifier LABEL clicked INTO m"))
        self.assertEqual(shown["parts"], "2 numbers, 2 embeddings of 8, 64 relu, 32 relu, 16 compressed interactions, "
                                         "16 compressed interactions; a linear model beside them; as many classes as the data has")

    def test_names_of_tensorflow_s_parts_are_taken(self):
        for model in ("DNNLinearCombinedClassifier", "WideAndDeepClassifier", "sqlflow_models.DNNLinearCombinedClassifier"):
            self.train(model, ", model.dnn_hidden_units = [8], model.dnn_activation_fn = 'tanh', model.dnn_dropout = 0.1, "
                              "model.dnn_optimizer = 'Adagrad', train.max_steps = 5")
            self.assertEqual(self.meta()["embedding"]["hidden_units"], [8])
            self.assertEqual(self.meta()["embedding"]["activation"], "tanh")
        with self.assertRaisesRegex(sqlite3.Error, '"model.cross_layers" has no use in a network and a factorisation machine'):
            self.train("DeepFMClassifier", ", model.cross_layers = 2")

    def test_importance_is_that_of_the_columns(self):
        self.train("DeepFMClassifier")
        importance = {row[0]: row[1] for row in self.execute("SELECT * FROM clicks TO EXPLAIN m")}
        self.assertGreater(min(importance["site"], importance["ad"]), 3 * abs(importance["z"]))


class Norms(Rows):
    """model.batch_norm of networks over embeddings."""

    def train(self, model, more="", norms=", model.batch_norm = true", columns="*", into="m", using="", parts=""):
        return harness.facts(self.execute(
            f"SELECT {columns} FROM clicks TO TRAIN {model} WITH train.epoch = 6{norms}{more} {parts} "
            f"LABEL clicked {using} INTO {into}"))

    def test_any_workers_make_the_same_model(self):
        """Also where the linear model has an optimizer of its own, and with dropout and clipping."""
        for model, more in ((*((model, "") for model in MODELS), ("DNNLinearCombined", ", model.linear_optimizer = 'FTRL'"),
                             ("DeepFM", ", model.dropout = 0.2, clipnorm = 0.5"))):
            with self.subTest(model + more):
                digests = set()
                for workers in (1, 2, 3):
                    self.train(f"{model}Classifier",
                               f"{more}, train.max_steps = 12, job.min_workers = {workers}, job.max_workers = {workers}")
                    digests.add(self.digest(self.database, "m"))
                self.train(f"{model}Classifier", f"{more}, train.max_steps = 12", norms="")
                self.assertEqual(len(digests), 1)
                self.assertNotIn(self.digest(self.database, "m"), digests)

    def test_what_was_measured_is_what_the_stored_model_says(self):
        """Its arrays and its format are those of a model without norms, which are in its weights."""
        for model in MODELS:
            with self.subTest(model):
                measured = self.train(f"{model}Classifier", ", train.test_size = 0")
                self.assertGreater(measured["AUC"], 0.85)
                cursor = self.database.execute("SELECT * FROM clicks TO EVALUATE m")
                whole = dict(zip([column[0] for column in cursor.description], cursor.fetchone()))
                self.assertAlmostEqual(measured["loss"], whole["loss"], 12)
                self.assertEqual(measured["Accuracy"], whole["Accuracy"])
                self.execute("SELECT * FROM clicks TO PREDICT p.guess WITH predict.replace = true USING m")
                self.assertEqual(self.execute("SELECT avg(guess = clicked) FROM p"), [(whole["Accuracy"],)])
                normalized = self.meta(), self.execute("SELECT DISTINCT name FROM m WHERE part = 'tensor'")
                self.train(f"{model}Classifier", ", train.max_steps = 1", norms="")
                self.assertEqual((self.meta()["format"], self.meta()["embedding"]), (normalized[0]["format"], normalized[0]["embedding"]))
                self.assertEqual(self.execute("SELECT DISTINCT name FROM m WHERE part = 'tensor'"), normalized[1])

    def test_numbers_classes_and_embeddings_of_columns_are_learned(self):
        self.assertGreater(self.train("DNNClassifier", parts="COLUMN x, z, EMBEDDING(site, 4), EMBEDDING(ad, 6)")["AUC"], 0.8)
        columns = "x, site, ad, 100 + 10 * x + 5 * (site < 'site3') AS clicked"
        self.assertGreater(self.train("WideAndDeepRegressor", columns=columns)["R2"], 0.95)
        columns = "x, site, ad, CASE WHEN x > 1 THEN 'high' WHEN x > -1 THEN 'mid' ELSE 'low' END AS clicked"
        self.assertGreater(self.train("DeepFMClassifier", columns=columns)["Accuracy"], 0.95)

    def test_what_has_no_norms_says_so(self):
        self.train("DeepFMClassifier", ", train.max_steps = 5")
        with self.assertRaisesRegex(sqlite3.Error, "model.batch_norm has no use with USING"):
            self.train("DeepFMClassifier", using="USING m", into="n")
        self.train("DeepFMClassifier", ", train.max_steps = 5", norms="", using="USING m", into="n")


class Choices(Rows):
    """Four classes: a softmax over what each part says of each class."""

    def make(self):
        self.insert("t", "x REAL, site TEXT, ad TEXT, y TEXT", made_choices())

    def train(self, model, more="", rows="t", into="m", using=""):
        return harness.facts(self.execute(f"SELECT x, site, ad, y FROM {rows} TO TRAIN {model} WITH train.epoch = 8{more} "
                                          f"LABEL y {using} INTO {into}"))

    def evaluate(self, where="rowid > 5000", model="m", more=""):
        cursor = self.database.execute(f"SELECT * FROM t WHERE {where} TO EVALUATE {model}{more}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    EARLY = "(SELECT * FROM t WHERE rowid <= 5000)"

    def test_what_depends_on_two_columns_together_is_learned(self):
        self.train("LinearClassifier", rows=self.EARLY)
        linear = self.evaluate()["Accuracy"]
        self.assertLess(linear, 0.5)
        for model in MODELS:
            with self.subTest(model):
                self.train(f"{model}Classifier", rows=self.EARLY)
                found = self.evaluate()
                self.assertGreater(found["Accuracy"], linear + 0.15)
                self.assertLess(found["loss"], 1.1)
        self.execute(f"SELECT x, site, ad, y FROM {self.EARLY} TO TRAIN DNNClassifier WITH train.epoch = 8 "
                     "COLUMN x, EMBEDDING(site, 6), EMBEDDING(ad, 8) LABEL y INTO m")
        self.assertGreater(self.evaluate()["Accuracy"], linear + 0.15)

    def test_pairs_alone_tell_classes_apart(self):
        """With one hidden unit, what is no sum over the columns is left to the machine."""
        self.train("DNNLinearCombinedClassifier", ", model.hidden_units = [1]", rows=self.EARLY)
        without = self.evaluate()["Accuracy"]
        self.train("DeepFMClassifier", ", model.hidden_units = [1]", rows=self.EARLY)
        self.assertGreater(self.evaluate()["Accuracy"], without + 0.15)
        sizes = dict(self.execute("SELECT name, sum(length(data) - 8) / 4 FROM m WHERE part = 'tensor' GROUP BY name"))
        self.assertEqual(sizes["last/weights"], (1 + 1 + 8) * 4)  # x, the unit and the pairs' numbers, for each class

    def test_any_workers_in_any_order_make_the_same_model(self):
        for model in MODELS:
            digests = set()
            for rows in ("t", "(SELECT * FROM t ORDER BY ad DESC)"):
                for workers in (1, 2, 3, 8):
                    self.train(f"{model}Classifier", f", train.max_steps = 12, job.min_workers = {workers}, job.max_workers = {workers}", rows=rows)
                    digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1, model)
            self.assertEqual(self.meta()["format"], 13 if model == "DeepFM" else 2)

    def test_every_way_of_scoring_gives_the_same(self):
        for model in MODELS:
            with self.subTest(model):
                measured = self.train(f"{model}Classifier", ", train.test_size = 0, train.max_steps = 60")
                alone = self.execute("SELECT totrain_predict('m', x, site, ad), totrain_probability('m', x, site, ad) FROM t WHERE rowid <= 500")
                self.execute("SELECT x, site, ad FROM t WHERE rowid <= 500 TO PREDICT p.guess WITH predict.extra_outputs = 'probability', "
                             "predict.replace = true USING m")
                self.assertEqual(self.execute("SELECT guess, probability FROM p ORDER BY rowid"), alone)
                for text, in self.execute("SELECT totrain_probabilities('m', x, site, ad) FROM t WHERE rowid <= 50"):
                    self.assertAlmostEqual(sum(json.loads(text).values() if text[0] == "{" else json.loads(text)), 1, 6)
                whole = self.evaluate("true")
                self.assertAlmostEqual(measured["loss"], whole["loss"], 12)
                self.assertEqual(measured["Accuracy"], whole["Accuracy"])

    def test_metrics_and_importance_are_those_of_many_classes(self):
        self.train("DeepFMClassifier")
        found = self.evaluate("true", more=" WITH validation.metrics = 'Accuracy, F1, Precision, Recall, LogLoss'")
        self.assertGreater(min(found[name] for name in ("Accuracy", "F1", "Precision", "Recall")), 0.6)
        matrix = self.execute("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'confusion'")
        self.assertEqual(len(matrix), 16)
        importance = {row[0]: row[1] for row in self.execute("SELECT * FROM t TO EXPLAIN m")}
        self.assertGreater(min(importance["site"], importance["ad"]), importance["x"])

    def test_losses_weights_and_optimizers_are_those_of_networks(self):
        digests = {}
        for more in ("", ", model.loss = 'focal'", ", model.label_smoothing = 0.1", ", train.class_weight = 'balanced'",
                     ", model.optimizer = 'Adagrad'", ", model.linear_optimizer = 'FTRL'", ", model.dropout = 0.2"):
            self.train("DeepFMClassifier", more)
            digests[self.digest(self.database, "m")] = more
            self.assertGreater(self.evaluate("true")["Accuracy"], 0.42, more)
        self.assertEqual(len(digests), 7)
        self.execute("SELECT x, site, ad, y, 1 + (y = 'song') AS w FROM t TO TRAIN DeepFMClassifier WITH train.epoch = 8, "
                     "train.sample_weight = 'w' LABEL y INTO m")
        self.assertNotIn(self.digest(self.database, "m"), digests)

    def test_folds_trials_and_going_on_work(self):
        self.train("DeepFMClassifier", ", train.folds = 3")
        self.assertGreater(self.evaluate("true")["Accuracy"], 0.6)
        self.train("DeepFMClassifier", ", tune.trials = 2, model.hidden_units = [[8], [16, 8]]")
        self.assertGreater(self.evaluate("true")["Accuracy"], 0.6)
        before = self.evaluate("true")["loss"]
        self.train("DeepFMClassifier", ", train.test_size = 0", using="USING m", into="n")
        self.assertLess(self.evaluate("true", model="n")["loss"], before)
        self.assertEqual(self.meta("n")["format"], 13)

    def test_a_file_of_another_library_is_refused(self):
        self.train("DeepFMClassifier", ", train.max_steps = 3")
        with self.assertRaisesRegex(sqlite3.Error, "EXPORT MODEL|export"):
            self.execute(f"EXPORT MODEL m TO '{self.folder}/m.json'")


class Factors(Rows):
    """MatrixFactorization: people and films by whole numbers, whose ratings are two biases and a product of factors."""

    def make(self):
        draw = random.Random(11)
        people, films = ([(draw.gauss(0, .5), [draw.gauss(0, .8) for _ in range(3)]) for _ in range(count)] for count in (150, 90))
        pairs = sorted(draw.sample(range(150 * 90), 7000), key=lambda pair: draw.random())
        self.insert("ratings", "person INTEGER, film INTEGER, stars REAL", (
            (1000 + pair // 90, 7 * (pair % 90), 3 + people[pair // 90][0] + films[pair % 90][0] + draw.gauss(0, .3) +
             sum(a * b for a, b in zip(people[pair // 90][1], films[pair % 90][1]))) for pair in pairs))

    def train(self, rows="ratings", model="MatrixFactorization", more="", into="m"):
        return harness.facts(self.execute(f"SELECT * FROM {rows} TO TRAIN {model}{more} LABEL stars INTO {into}"))

    def rmse(self, model="m"):
        return self.execute(f"SELECT * FROM ratings WHERE rowid > 6000 TO EVALUATE {model} WITH validation.metrics = 'RMSE'")[0][1]

    def test_more_is_learned_than_two_biases(self):
        rows = "(SELECT * FROM ratings WHERE rowid <= 6000)"
        self.train(rows)
        self.train(rows, "LinearRegressor", " COLUMN VOCABULARY(person), VOCABULARY(film)", "biases")
        self.assertLess(self.rmse(), 0.7 * self.rmse("biases"))

    def test_the_same_model_in_any_order_by_any_workers(self):
        digests = set()
        for rows in ("ratings", "(SELECT * FROM ratings ORDER BY film DESC)", "(SELECT film, CAST(person AS TEXT) AS person, stars FROM ratings)"):
            for workers in (1, 3):
                self.train(rows, more=f" WITH train.max_steps = 20, job.min_workers = {workers}, job.max_workers = {workers}")
                digests.add((rows.startswith("(SELECT film"), self.digest(self.database, "m")))
        self.assertEqual(len(digests), 2)  # columns in another order are another model

    def test_ratings_of_another_origin_move_the_predictions(self):
        self.train()
        self.train("(SELECT person, film, stars + 64 AS stars FROM ratings)", into="n")
        here, there = zip(*self.execute("SELECT totrain_predict('m', person, film), totrain_predict('n', person, film) FROM ratings"))
        self.assertLess(math.sqrt(sum((a + 64 - b) ** 2 for a, b in zip(here, there)) / len(here)), 0.6 * self.rmse())

    def test_who_is_unknown_has_no_bias_and_no_factors(self):
        self.train()
        [(nobody, null, neither, mean)] = self.execute(
            "SELECT totrain_predict('m', 5, 7), totrain_predict('m', NULL, 7), totrain_predict('m', 5, 5), avg(stars) FROM ratings")
        self.assertEqual(nobody, null)
        self.assertNotAlmostEqual(nobody, neither, 3)
        self.assertAlmostEqual(neither, mean, 0)

    def test_weights_make_it_one_of_implicit_feedback(self):
        self.execute("CREATE TABLE seen AS SELECT p.person, f.film, coalesce(r.stars > 3.5, 0) AS stars, 1 + 4 * coalesce(r.stars > 3.5, 0) AS w "
                     "FROM (SELECT DISTINCT person FROM ratings) AS p CROSS JOIN (SELECT DISTINCT film FROM ratings) AS f "
                     "LEFT JOIN ratings AS r ON (r.person, r.film) = (p.person, f.film)")
        self.train("seen", more=" WITH train.sample_weight = 'w'")
        others, liked = self.execute("SELECT avg(totrain_predict('m', person, film)) FROM seen GROUP BY stars ORDER BY stars")
        self.assertGreater(liked[0], others[0] + 0.1)


if __name__ == "__main__":
    harness.main()
