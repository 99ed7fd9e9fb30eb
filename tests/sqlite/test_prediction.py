"""Predictions: the same bits through every way, labels in their own type, NULLs, order."""

import json
import random

import harness

NETWORK = "TO TRAIN DNNClassifier WITH model.hidden_units = [8, 8], train.epoch = {} LABEL {} INTO m"


class Prediction(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def test_all_ways_agree_to_the_last_bit(self):
        harness.load_csv(self.database, "diamonds", limit=2000)
        self.run_all("SELECT * FROM diamonds TO TRAIN DNNRegressor WITH model.hidden_units = [8], "
                     "train.epoch = 3 LABEL price INTO m")
        streamed = self.run_all("SELECT * FROM diamonds TO PREDICT USING m")
        self.run_all("SELECT * FROM diamonds TO PREDICT p.price USING m")
        self.assertEqual(self.run_all("SELECT * FROM p"), streamed)
        called = self.run_all("SELECT totrain_predict('m', carat, cut, color, clarity, depth, "
                              '"table", x, y, z) FROM diamonds')
        self.assertEqual([row[0] for row in called], [row[-1] for row in streamed])
        one_by_one = [self.database.execute(
            "SELECT totrain_predict('m', ?, ?, ?, ?, ?, ?, ?, ?, ?)", row[:-1]).fetchone()[0]
            for row in streamed[:20]]
        self.assertEqual(one_by_one, [row[-1] for row in streamed[:20]])
        # The same sum in the same order as EVALUATE makes it.
        squares = 0.0
        for (price,), row in zip(self.run_all("SELECT price FROM diamonds"), streamed):
            squares += (row[-1] - price) ** 2
        mse = self.run_all("SELECT * FROM diamonds TO EVALUATE m WITH validation.metrics = 'MSE'")
        self.assertAlmostEqual(mse[0][1], squares / 2000, delta=1e-9 * squares / 2000)

    def test_into_makes_the_table_that_a_path_makes(self):
        self.make_iris()
        self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO m")
        self.run_all("SELECT * FROM iris TO PREDICT p.guess USING m")
        self.run_all("SELECT * FROM iris TO PREDICT guess WITH extra_outputs = 'probabilities' USING m INTO q")
        self.run_all("SELECT * FROM iris TO PREDICT USING m INTO main.r")
        named = self.run_all("SELECT class, guess FROM p ORDER BY rowid")
        self.assertEqual(len(named), 150)
        self.assertEqual(self.run_all("SELECT class, guess FROM q ORDER BY rowid"), named)
        self.assertEqual(self.run_all("SELECT class FROM r ORDER BY rowid"), [(row[1],) for row in named])
        self.run_all("SELECT * FROM iris TO PREDICT guess WITH job.max_workers = 2 USING m INTO q")
        self.assertEqual(self.run_all("SELECT class, guess FROM q ORDER BY rowid"), named)

    def test_train_reports_what_evaluate_finds(self):
        harness.load_csv(self.database, "iris")
        rows = self.run_all("SELECT * FROM iris " + NETWORK.format(5, "class"))
        reported = harness.facts(rows)
        loss, accuracy, log_loss, _ = self.run_all("SELECT * FROM iris TO EVALUATE m")[0]
        self.assertEqual(accuracy, reported["Accuracy"])
        self.assertAlmostEqual(loss, reported["loss"], places=12)

    def test_the_row_that_is_scored_is_the_row_that_is_returned(self):
        harness.load_csv(self.database, "diamonds", limit=500)
        self.run_all("SELECT carat, depth, price FROM diamonds TO TRAIN LinearRegressor WITH "
                     "train.epoch = 2 LABEL price INTO m")
        self.run_all("CREATE VIEW noise AS SELECT abs(random()) % 1000 / 7.0 AS carat, depth "
                     "FROM diamonds")
        differ = "SELECT count(*) FROM {} WHERE price <> totrain_predict('m', carat, depth)"
        for select in ("SELECT random() / 1e18 AS carat, depth FROM diamonds",
                       "SELECT * FROM noise", "SELECT * FROM noise -- a comment"):
            self.run_all(f"{select}\nTO PREDICT p.price USING m")
            self.assertEqual(self.run_all(differ.format("p")), [(0,)])
            self.assertEqual(self.run_all("SELECT count(*) FROM p"), [(500,)])
            streamed = self.run_all(f"{select}\nTO PREDICT USING m")
            self.assertEqual(len(streamed), 500)
            for carat, depth, price in streamed:
                self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {carat!r}, {depth!r})"),
                                 [(price,)])

    def test_text_labels_come_back_as_text(self):
        harness.load_csv(self.database, "titanic")
        self.run_all("SELECT * FROM titanic " + NETWORK.format(3, "survived"))
        rows = self.run_all("SELECT * FROM titanic TO PREDICT USING m")
        self.assertEqual({row[-1] for row in rows}, {"yes", "no"})
        self.run_all("SELECT * FROM titanic TO PREDICT p.survived USING m")
        self.assertEqual(self.run_all("SELECT DISTINCT typeof(survived) FROM p"), [("text",)])

    def test_digits_as_text_stay_text_and_integers_stay_integers(self):
        self.run_all("CREATE TABLE t (x REAL, word TEXT, number INTEGER)")
        self.run_all("WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 99) "
                     "INSERT INTO t SELECT i, '0' || (i / 50), i / 50 * 7 FROM r")
        self.run_all("SELECT x, word FROM t " + NETWORK.format(2, "word"))
        words = self.run_all("SELECT x FROM t TO PREDICT USING m")
        self.assertLessEqual({row[1] for row in words}, {"00", "01"})
        self.run_all("SELECT x, number FROM t " + NETWORK.format(2, "number").replace("INTO m", "INTO n"))
        numbers = self.run_all("SELECT x FROM t TO PREDICT USING n")
        self.assertLessEqual({row[1] for row in numbers}, {0, 7})

    def test_probabilities_agree_with_the_prediction(self):
        harness.load_csv(self.database, "titanic")
        self.run_all("SELECT * FROM titanic " + NETWORK.format(3, "survived"))
        rows = self.run_all("SELECT class, age, sex FROM titanic TO PREDICT p.survived WITH "
                            "predict.extra_outputs = 'probability,probabilities,logits' USING m")
        self.assertEqual(rows[0][0], "p")
        for survived, probability, both, logits in self.run_all(
                "SELECT survived, probability, probabilities, logits FROM p"):
            both = json.loads(both)
            self.assertEqual(list(both), ["no", "yes"])
            self.assertEqual(probability, both["yes"])  # the positive class's
            self.assertAlmostEqual(sum(both.values()), 1)
            self.assertEqual(survived == "yes", json.loads(logits)[0] > 0)
        self.assertEqual(self.run_all("SELECT totrain_probability('m', class, age, sex) FROM titanic "
                                      "LIMIT 1"), self.run_all("SELECT probability FROM p LIMIT 1"))

    def test_a_regressor_has_no_probability(self):
        harness.load_csv(self.database, "boston")
        self.run_all("SELECT * FROM boston TO TRAIN LinearRegressor WITH train.epoch = 1 LABEL medv "
                     "INTO m")
        with self.assertRaisesRegex(Exception, "no probabilities"):
            self.run_all("SELECT totrain_probability('m', " + "0, " * 12 + "0)")

    def test_nulls_train_and_predict(self):
        harness.load_csv(self.database, "titanic")
        self.run_all("UPDATE titanic SET age = NULL WHERE rowid % 3 = 0")
        self.run_all("ALTER TABLE titanic ADD COLUMN fare REAL")
        self.run_all("UPDATE titanic SET fare = rowid WHERE rowid % 5 = 0")
        self.run_all("SELECT * FROM titanic " + NETWORK.format(2, "survived"))
        rows = self.run_all("SELECT NULL AS class, NULL AS age, NULL AS sex, NULL AS fare "
                            "TO PREDICT USING m")
        self.assertIn(rows[0][-1], {"yes", "no"})

    def test_a_null_label_is_an_error_with_a_way_out(self):
        harness.load_csv(self.database, "titanic")
        self.run_all("SELECT * FROM titanic " + NETWORK.format(1, "survived"))
        self.run_all("UPDATE titanic SET survived = NULL WHERE rowid = 7")
        for statement in ("SELECT * FROM titanic " + NETWORK.format(1, "survived"),
                          "SELECT * FROM titanic TO EVALUATE m"):
            with self.assertRaisesRegex(Exception, "NULL"):
                self.run_all(statement)

    def test_rows_in_any_physical_order_give_the_same_model(self):
        harness.load_csv(self.database, "iris")
        self.run_all("SELECT * FROM iris " + NETWORK.format(3, "class"))
        expected = self.digest(self.database, "m")
        rows = self.run_all("SELECT * FROM iris")
        random.Random(1).shuffle(rows)
        self.run_all("DELETE FROM iris")
        self.database.executemany("INSERT INTO iris VALUES (?, ?, ?, ?, ?)", rows)
        self.run_all("SELECT * FROM iris " + NETWORK.format(3, "class"))
        self.assertEqual(self.digest(self.database, "m"), expected)
        self.run_all("SELECT * FROM iris ORDER BY class " + NETWORK.format(3, "class"))
        self.assertEqual(self.digest(self.database, "m"), expected)

    def test_any_number_of_workers_gives_the_same_model(self):
        harness.load_csv(self.database, "iris")
        digests = set()
        for workers in (1, 2, 3):
            self.run_all("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], "
                         f"train.epoch = 2, job.lanes = 8, job.min_workers = {workers}, "
                         f"job.max_workers = {workers} LABEL class INTO m")
            digests.add(self.digest(self.database, "m"))
        self.assertEqual(len(digests), 1)

    def test_validation_rows_by_name_and_in_any_order_of_columns(self):
        harness.load_csv(self.database, "iris")
        rows = self.run_all(
            "SELECT * FROM iris WHERE rowid % 2 TO TRAIN LinearClassifier WITH train.epoch = 3, "
            "validation.select = 'SELECT class, petal_width, petal_length, sepal_width, "
            "sepal_length FROM iris WHERE rowid % 2 = 0' LABEL class INTO m")
        validation = harness.validated(rows)
        found = self.run_all("SELECT * FROM iris WHERE rowid % 2 = 0 TO EVALUATE m")
        self.assertEqual(validation["Accuracy"], found[0][1])

    def test_validation_rows_that_lack_a_column_are_refused(self):
        harness.load_csv(self.database, "iris")
        with self.assertRaisesRegex(Exception, "petal_width"):
            self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH validation.select = "
                         "'SELECT class, sepal_length, sepal_width, petal_length FROM iris' "
                         "LABEL class INTO m")

    def test_more_columns_than_a_function_takes(self):
        names = [f"c{i}" for i in range(300)]
        self.run_all(f"CREATE TABLE wide ({', '.join(names)}, y)")
        generator = random.Random(2)
        for i in range(60):
            row = [generator.random() for _ in names] + [i % 2]
            self.database.execute(f"INSERT INTO wide VALUES ({', '.join('?' * 301)})", row)
        self.run_all("SELECT * FROM wide TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL y "
                     "INTO m")
        parts = [f"totrain_row({', '.join(names[i:i + 100])})" for i in range(0, 300, 100)]
        called = self.run_all(f"SELECT totrain_predict('m', {', '.join(parts)}) FROM wide")
        self.assertLessEqual({row[0] for row in called}, {0, 1})
        self.assertEqual(self.run_all("SELECT * FROM wide TO EVALUATE m")[0][1],
                         sum(row[0] == i % 2 for i, row in enumerate(called)) / 60)
        streamed = [row[-1] for row in self.run_all("SELECT * FROM wide TO PREDICT USING m")]
        self.assertEqual(streamed, [row[0] for row in called])
        self.run_all("SELECT * FROM wide TO PREDICT predicted.y USING m")
        self.assertEqual([row[0] for row in self.run_all("SELECT y FROM predicted")], streamed)

    def test_scoring_in_views_triggers_and_where(self):
        harness.load_csv(self.database, "iris")
        self.run_all("SELECT * FROM iris " + NETWORK.format(20, "class"))
        call = "totrain_predict('m', sepal_length, sepal_width, petal_length, petal_width)"
        self.run_all(f"CREATE VIEW scored AS SELECT *, {call} AS predicted FROM iris")
        agreeing = self.run_all("SELECT count(*) FROM scored WHERE predicted = class")[0][0]
        where = self.run_all(f"SELECT count(*) FROM iris WHERE {call} = class")[0][0]
        self.assertEqual(agreeing, where)


harness.main()
