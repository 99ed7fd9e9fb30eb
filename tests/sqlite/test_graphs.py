"""Graphs of operations in jobs: layers, pictures and sequences, with the same bits whoever works; docs/definitions.md."""

import pathlib
import random

import harness

DIGITS = pathlib.Path(__file__).resolve().parent / "digits.txt"  # UCI's, as scikit-learn has them; a: 0, q: 16
PICTURES = """DEFINE MODEL zoo/digits (filters = 16, units = 64, dropout = 0.2) AS '
  x = reshape(numbers, [8, 8, 1]);
  x = relu(conv2d(x, filters, 3, padding = same));
  x = max_pool(relu(conv2d(x, 2 * filters, 3, padding = same)), 2);
  h = dropout(relu(dense(flatten(x), units)), dropout);
  return dense(h, outputs)
'"""
STEPS = """DEFINE MODEL zoo/steps (units = 8) AS '
  return dense(gru(sequence(s), units), outputs)
'"""


class Graphs(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def make_digits(self):
        self.run_all("CREATE TABLE t (id INTEGER, picture TEXT, digit INTEGER)")
        lines = DIGITS.read_text(encoding="ascii").split()[:1000]
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [
            (number, ",".join(str(ord(letter) - ord("a")) for letter in line[1:]), int(line[0]))
            for number, line in enumerate(lines)])

    def train_digits(self, settings, into, rows="(SELECT * FROM t WHERE id % 5 > 0)"):
        return self.run_all(f"SELECT picture, digit FROM {rows} TO TRAIN zoo/digits WITH {settings} "
                            f"COLUMN DENSE(picture, 64) LABEL digit INTO {into}")

    def test_a_convolution_reads_digits(self):
        self.make_digits()
        self.run_all(PICTURES)
        self.train_digits("train.epoch = 12", "m")
        rows = self.run_all("SELECT digit, totrain_predict('m', picture) FROM t WHERE id % 5 = 0")
        self.assertEqual(len(rows), 200)
        self.assertGreaterEqual(sum(digit == answer for digit, answer in rows) / len(rows), 0.97)

    def test_pictures_have_the_same_bits_with_any_number_of_workers(self):
        self.make_digits()
        self.run_all(PICTURES)
        self.check_workers_and_order(lambda settings, into, rows: self.train_digits(
            f"model.filters = 4, train.epoch = 2, {settings}", into, rows))

    def test_layers_and_words_have_the_same_bits_with_any_number_of_workers(self):
        draw = random.Random(3)
        self.run_all("CREATE TABLE t (x REAL, plan TEXT, city TEXT, y REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [
            (draw.random(), f"p{i % 4}", f"c{draw.randrange(30)}", i % 4 + draw.random()) for i in range(600)])
        self.check_workers_and_order(lambda settings, into, rows: self.run_all(
            f"SELECT * FROM {rows} TO TRAIN zoo/wide_deep WITH model.dropout = 0.1, train.epoch = 4, {settings} "
            f"LABEL y INTO {into}"))
        metrics = harness.facts(self.run_all("SELECT * FROM t TO TRAIN zoo/mlp LABEL y INTO m"))
        self.assertGreater(float(metrics["train R2"] if "train R2" in metrics else 1), 0.8)

    def make_steps(self):
        """Sums of up to six numbers: 1 where the last two are more than those before."""
        draw = random.Random(5)
        self.run_all("CREATE TABLE t (s TEXT, y INTEGER)")
        rows = [[draw.uniform(-1, 1) for _ in range(draw.randrange(2, 7))] for _ in range(1500)]
        self.database.executemany("INSERT INTO t VALUES (?, ?)", [
            (",".join(f"{x:.3f}" for x in row), int(sum(row[-2:]) > sum(row[:-2]))) for row in rows])

    def train_steps(self, settings, into, rows="t"):
        return self.run_all(f"SELECT s, y FROM {rows} TO TRAIN zoo/steps WITH {settings} COLUMN SEQUENCE(s, 6) "
                            f"LABEL y INTO {into}")

    def test_a_recurrent_layer_learns_the_order_of_steps(self):
        self.make_steps()
        self.run_all(STEPS)
        self.train_steps("train.epoch = 30", "m")
        rows = self.run_all("SELECT y, totrain_predict('m', s) FROM t")
        self.assertGreater(sum(y == answer for y, answer in rows) / len(rows), 0.93)

    def test_steps_have_the_same_bits_with_any_number_of_workers(self):
        self.make_steps()
        self.run_all(STEPS)
        self.check_workers(lambda settings, into: self.train_steps(f"train.epoch = 2, {settings}", into))

    def make_plans(self):
        draw = random.Random(3)
        self.run_all("CREATE TABLE t (x REAL, plan TEXT, city TEXT, y REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [
            (draw.random(), f"p{i % 4}", f"c{draw.randrange(30)}", i % 4 + draw.random()) for i in range(600)])

    def tensors(self, model):
        return dict(self.run_all(f"SELECT name, group_concat(hex(data)) FROM {model} WHERE part = 'tensor' GROUP BY name"))

    def train_mlp(self, into, settings="train.epoch = 2", using="", rows="t"):
        self.run_all(f"SELECT * FROM {rows} TO TRAIN zoo/mlp WITH model.hidden = [8, 8], {settings} LABEL y {using} INTO {into}")
        return self.tensors(into)

    def test_learning_goes_on_from_a_model_and_leaves_what_is_frozen(self):
        self.make_plans()
        first = self.train_mlp("m")
        none = self.train_mlp("same", "train.epoch = 1, optimizer.learning_rate = 1e-12", "USING m")
        self.assertEqual(sorted(none), sorted(first))
        second = self.train_mlp("n", "train.epoch = 3, train.freeze = 'embedding*, dense_1, dense_3/bias'", "USING m")
        frozen = {"dense_1/weights", "dense_1/bias", "dense_3/bias", "words/table"}
        self.assertEqual({name for name in first if first[name] == second[name]}, frozen)
        loss = [self.run_all(f"SELECT avg((y - totrain_predict('{model}', x, plan, city)) * (y - totrain_predict('{model}', x, "
                             f"plan, city))) FROM t")[0][0] for model in ("m", "same", "n")]
        self.assertAlmostEqual(loss[0], loss[1], 4)
        self.assertLess(loss[2], loss[0])

    def test_going_on_has_the_same_bits_with_any_number_of_workers(self):
        self.make_plans()
        self.train_mlp("old")
        self.check_workers(lambda settings, into: self.train_mlp(
            into, f"train.epoch = 2, train.freeze = 'dense_2', {settings}", "USING old"))

    def test_a_search_goes_over_arguments_of_a_definition(self):
        self.make_plans()
        self.run_all("SELECT * FROM t TO TRAIN zoo/mlp WITH tune.trials = 6, model.hidden = [[4], [8, 8]], "
                     "model.dim = RANGE(2, 4), train.epoch = 1 LABEL y INTO m")
        tried = [value for row in self.run_all("SHOW TRIALS m") for value in row if "model.dim" in str(value)]
        self.assertEqual(len(set(tried)), 6, tried)
        self.assertTrue(all(any(f"model.dim = {n}" in one for one in tried) for n in (2, 3, 4)), tried)
        self.assertTrue(any("model.hidden = [8, 8]" in one for one in tried), tried)
        with self.assertRaisesRegex(Exception, "size of embedding is a whole number from 1 to 512, not 2.414"):
            self.run_all("SELECT * FROM t TO TRAIN zoo/mlp WITH tune.trials = 2, model.dim = RANGE(0.5, 4) LABEL y INTO m")
        with self.assertRaisesRegex(Exception, "RANGE has numbers, and model.hidden accepts other values"):
            self.run_all("SELECT * FROM t TO TRAIN zoo/mlp WITH tune.trials = 2, model.hidden = RANGE(1, 4) LABEL y INTO m")

    def test_another_graph_and_other_names_are_refused(self):
        self.make_plans()
        self.train_mlp("m", "train.epoch = 1")
        for settings, using, message in (
                ("model.hidden = [8, 9]", "USING m", r'model "m" has another graph: it has dense.*units = 8'),
                ("model.dim = 9", "USING m", r"embedding\(column_1, size = 8\), where zoo/mlp has embedding"),
                ("train.freeze = 'dense_9'", "", r'nothing that is learned is called "dense_9"'),
                ("train.freeze = 'embedding_1'", "", r"all words have one table, and embedding_2"),
                ("train.freeze = '*'", "", r"all that could be learned is frozen")):
            with self.assertRaisesRegex(Exception, message):
                self.run_all(f"SELECT * FROM t TO TRAIN zoo/mlp WITH {settings} LABEL y {using} INTO n")
        with self.assertRaisesRegex(Exception, 'model "m" is a zoo/mlp, and DNNRegressor does not go on from one'):
            self.run_all("SELECT * FROM t TO TRAIN DNNRegressor LABEL y USING m INTO n")

    def test_shapes_that_do_not_fit_are_refused_at_their_place(self):
        self.make_digits()
        self.run_all(PICTURES)
        with self.assertRaisesRegex(Exception, r"zoo/digits, line 2, column .*: reshape: \(32\) cannot become \(8, 8, 1\)"):
            self.run_all("SELECT picture, digit FROM t TO TRAIN zoo/digits COLUMN DENSE(picture, 32) LABEL digit INTO m")


harness.main()
