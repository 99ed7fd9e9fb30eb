"""Definitions with a loss of their own: codes of rows, what they cannot give back, and distances of examples."""

import pathlib
import random

import harness

DIGITS = pathlib.Path(__file__).resolve().parent / "digits.txt"
FOUR = "sepal_length, sepal_width, petal_length, petal_width"
# The digest of the first test, in all databases (tests/postgres/test_definitions.py).
CODE_DIGEST = "42306d1c279f011159bd570a0091d0125f4bbc23ec6df8cffb6e821b1265f545"


class Losses(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def refused(self, pattern, sql):
        with self.assertRaisesRegex(Exception, pattern):
            self.run_all(sql)

    def test_a_linear_code_loses_what_principal_components_lose(self):
        """The least squares that two numbers of a row leave are those of its two components."""
        self.make_iris()
        self.run_all(f"SELECT {FOUR} FROM iris TO TRAIN PCA WITH n_components = 2 INTO p")
        made = harness.facts(self.run_all(
            f"SELECT {FOUR} FROM iris TO TRAIN zoo/autoencoder WITH model.hidden = [], train.epoch = 400, "
            "optimizer.learning_rate = 0.03, model.l2 = 0 INTO m"))
        wanted = self.run_all(f"SELECT {FOUR} FROM iris TO EVALUATE p")[0][1] / 4
        self.assertAlmostEqual(made["Loss"], wanted, delta=1e-4 * wanted)
        self.assertEqual(self.run_all(f"SELECT {FOUR} FROM iris TO EVALUATE m")[0][:2], (made["Loss"],) * 2)
        self.assertEqual(self.digest(self.database, "m"), CODE_DIGEST)
        rows = self.run_all(f"SELECT totrain_distance('p', {FOUR}) AS far, totrain_distance('m', {FOUR}) FROM iris "
                            "ORDER BY far")
        for far, lost in rows[-20:]:
            self.assertAlmostEqual(lost, far * far / 4, delta=0.01 * lost)

    def test_predict_adds_the_code_and_the_loss_is_its_score(self):
        self.make_iris()
        self.run_all(f"SELECT {FOUR} FROM iris TO TRAIN zoo/autoencoder WITH model.code = 3, train.epoch = 5 INTO m")
        self.run_all("SELECT * FROM iris TO PREDICT coded.z WITH extra_outputs = 'score' USING m")
        names = [column[1] for column in self.run_all("PRAGMA table_info(coded)")]
        self.assertEqual(names[-4:], ["z_1", "z_2", "z_3", "score"])
        row = self.run_all(f"SELECT z_2, score, totrain_component('m', {FOUR}, 2), totrain_distance('m', {FOUR}) "
                           "FROM coded LIMIT 1")[0]
        self.assertEqual(row[:2], row[2:])
        mean = self.run_all("SELECT avg(score) FROM coded")[0][0]
        self.assertAlmostEqual(mean, self.run_all(f"SELECT {FOUR} FROM iris TO EVALUATE m")[0][0], delta=1e-9)
        explained = self.run_all(f"SELECT {FOUR} FROM iris TO EXPLAIN m")
        self.assertEqual({row[3] for row in explained}, {"Loss"})
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertIn("  loss = mean_1;\n  return dense_2\n", shown["graph"])
        self.run_all(shown["graph"])
        self.run_all(f"SELECT {FOUR} FROM iris TO TRAIN zoo/copy WITH train.epoch = 1 USING m INTO n")

    def test_the_same_bits_with_any_number_of_workers(self):
        draw = random.Random(2)
        self.run_all("CREATE TABLE t (a REAL, b REAL, plan TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [
            (draw.random(), draw.random(), draw.choice("xyz")) for _ in range(300)])
        self.check_workers_and_order(lambda settings, into, rows: self.run_all(
            f"SELECT a, b, plan FROM {rows} TO TRAIN zoo/autoencoder WITH train.epoch = 3, {settings} INTO {into}"))

    def test_digits_that_were_not_seen_are_given_back_badly(self):
        """A code of 8 numbers of the digits 0 to 7 loses 0.187 to 0.230 of held-out ones, and 0.36 to 0.40 of 8 and 9,
        with PyTorch: the same layers, Adam, 60 epochs of 128 rows, five seeds."""
        self.run_all("CREATE TABLE t (id INTEGER, picture TEXT, y INTEGER)")
        lines = DIGITS.read_text(encoding="ascii").split()
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [
            (i, ",".join(str(ord(letter) - ord("a")) for letter in line[1:]), int(line[0]))
            for i, line in enumerate(lines)])
        self.run_all("SELECT picture FROM t WHERE y < 8 AND id % 5 > 0 TO TRAIN zoo/autoencoder "
                     "WITH model.code = 8, model.hidden = [64], train.epoch = 60, "
                     "model.l2 = 0 COLUMN DENSE(picture, 64) INTO m")
        lost = dict(self.run_all("SELECT CASE WHEN y < 8 THEN 'usual' ELSE 'other' END, "
                                 "avg(totrain_distance('m', picture)) FROM t WHERE id % 5 = 0 GROUP BY 1"))
        self.assertLess(lost["usual"], 0.22)
        self.assertGreater(lost["other"], 0.35)

    def test_nearer_to_what_belongs_together(self):
        """Three rows side by side: an example, one of its kind and one of another; kinds are told by one number of
        eight."""
        draw = random.Random(4)

        def example(kind):
            return ",".join([f"{kind + draw.gauss(0, 0.3):.3f}"] + [f"{draw.gauss(0, 2):.3f}" for _ in range(7)])

        self.run_all("CREATE TABLE t (a TEXT, b TEXT, c TEXT)")
        for _ in range(400):
            kind = draw.choice((-1, 1))
            self.run_all("INSERT INTO t VALUES (?, ?, ?)", example(kind), example(kind), example(-kind))
        self.run_all("""DEFINE MODEL zoo/near (dim = 2) AS $$
            -- one layer for all three: their numbers are rows of one value
            h = reshape(concat(column(a), column(b), column(c)), [3, 8]);
            z = split(dense(h, dim), 3, axis = 0);
            near = z[0] - z[1];
            far = z[0] - z[2];
            loss = relu(1 + sum(near * near) - sum(far * far));
            return flatten(z[0]) $$""")
        made = harness.facts(self.run_all(
            "SELECT * FROM t TO TRAIN zoo/near WITH train.epoch = 40, optimizer.learning_rate = 0.02 "
            "COLUMN DENSE(a, 8), DENSE(b, 8), DENSE(c, 8) INTO m"))
        self.assertLess(made["Loss"], 0.5)
        right = self.run_all("SELECT avg(totrain_distance('m', a, b, c) < totrain_distance('m', a, c, b)) FROM t")
        self.assertGreater(right[0][0], 0.9)

    def test_what_does_not_go_together_is_refused(self):
        self.make_iris()
        train = f"SELECT {FOUR}, class FROM iris TO TRAIN zoo/autoencoder"
        self.refused("LABEL has no use with zoo/autoencoder, which learns without one", f"{train} LABEL class INTO m")
        self.refused('attribute "model.loss" has no use', f"{train} WITH model.loss = 'huber' INTO m")
        self.refused("(?s)metric ReconstructionError does not fit this model.*Loss",
                     f"{train} WITH validation.metrics = 'ReconstructionError' INTO m")
        self.refused("(?s)metric Loss does not fit this model.*loss of their own",
                     f"SELECT {FOUR} FROM iris TO TRAIN PCA WITH validation.metrics = 'Loss' INTO p")


harness.main()
