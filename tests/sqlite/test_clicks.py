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


class Clicks(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.database.execute("CREATE TABLE clicks (x REAL, z REAL, site TEXT, ad TEXT, clicked INTEGER)")
        self.database.execute("BEGIN")  # one by one, each row would wait for the disk
        self.database.executemany("INSERT INTO clicks VALUES (?, ?, ?, ?, ?)", made_rows())
        self.database.execute("COMMIT")

    def execute(self, sql, parameters=()):
        return self.database.execute(sql, parameters).fetchall()

    def train(self, model, more="", table="clicks", label="clicked", columns="*", into="m"):
        return harness.facts(self.execute(f"SELECT {columns} FROM {table} TO TRAIN {model} WITH train.epoch = 6{more} "
                                          f"LABEL {label} INTO {into}"))

    def evaluate(self, where="rowid > 5000", model="m"):
        cursor = self.database.execute(f"SELECT * FROM clicks WHERE {where} TO EVALUATE {model}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def meta(self):
        return json.loads(self.execute("SELECT data FROM m WHERE part = 'meta'")[0][0])

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

    def train_parts(self, parts=PARTS, more="", table="clicks", model="DNNLinearCombinedClassifier"):
        return harness.facts(self.execute(f"SELECT * FROM {table} TO TRAIN {model} WITH train.epoch = 6{more} {parts} LABEL clicked INTO m"))

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
        """Of each word its weight in the linear model, the first number of its row."""
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
        """What tells the classes apart is not there for the part that is asked."""
        self.train_parts("COLUMN z FOR linear_feature_columns COLUMN z FOR dnn_feature_columns")
        self.assertLess(self.evaluate("true")["AUC"], 0.55)

    def test_embeddings_may_have_dimensions_of_their_own(self):
        for model in ("DNNLinearCombinedClassifier", "DCNClassifier"):
            self.train_parts("COLUMN x, EMBEDDING(site, 3), EMBEDDING(ad, 9), z", model=model, more=", train.test_size = 0")
            self.assertEqual([one.get("dimension") for one in self.meta()["inputs"]], [None, None, 3, 9])
            self.assertGreater(self.evaluate("true")["AUC"], 0.8)
            self.assertEqual(self.meta()["embedding"]["embedding_dimension"], 8)

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
                if model == "DeepFM":
                    with self.assertRaisesRegex(sqlite3.Error, "a factorisation machine has one output, and the label has 3 classes"):
                        self.train("DeepFMClassifier", table="prices", label="band", columns="x, site, ad, band")
                    continue
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


if __name__ == "__main__":
    harness.main()
