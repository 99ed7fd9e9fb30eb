"""Functions of COLUMN: what they make of a column is learned from, stored, and done again wherever the model scores."""

import json
import math
import random
import sqlite3

import harness

ROWS = 3000
COLUMNS = "age, BUCKET(age, [20, 40, 60]), BUCKET(pay, 8), CATEGORY_ID(shop, 30), CATEGORY_HASH(site, 200)"


def made_rows():
    """The label depends on where age and pay lie, on the shop and on the site; a line of them tells little."""
    draw = random.Random(18)
    likes = {f"s{i}.org": draw.random() < 0.5 for i in range(100)}
    rows = []
    for _ in range(ROWS):
        age, shop, site = draw.randrange(80), draw.randrange(30), f"s{draw.randrange(100)}.org"
        pay = round(draw.expovariate(1 / 3000), 2)
        score = 2 * (age // 20 % 2) + (shop % 3 == 0) + likes[site] + (1000 < pay < 3000) + draw.gauss(0, 0.3)
        rows.append((age if draw.random() > 0.02 else None, pay, shop, site, int(score > 2.5)))
    return rows


class Columns(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.rows = made_rows()
        self.run_all("CREATE TABLE t (age INTEGER, pay REAL, shop INTEGER, site TEXT, y INTEGER)")
        self.run_all("BEGIN")  # one by one, each row would wait for the disk
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", self.rows)
        self.run_all("COMMIT")

    def train(self, columns=COLUMNS, model="LinearClassifier", more="", table="t"):
        length = "train.num_boost_round" if "xgboost" in model else "train.epoch"
        return harness.facts(self.run_all(f"SELECT * FROM {table} TO TRAIN {model} WITH {length} = 10{more} COLUMN {columns} LABEL y INTO m"))

    def evaluate(self, more=""):
        cursor = self.database.execute(f"SELECT * FROM t TO EVALUATE m{more}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))

    def meta(self):
        return json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])

    def test_a_linear_model_learns_what_a_line_does_not_tell(self):
        self.train("age, pay, shop, CATEGORY_HASH(site, 200)")
        self.assertLess(self.evaluate()["Accuracy"], 0.75)
        self.train()
        self.assertGreater(self.evaluate()["Accuracy"], 0.85)

    def test_inputs_are_named_and_stored(self):
        self.train()
        names = ["age", "BUCKET(age)", "BUCKET(pay)", "CATEGORY_ID(shop)", "CATEGORY_HASH(site)"]
        inputs = self.meta()["inputs"]
        self.assertEqual([one["name"] for one in inputs], names)
        self.assertEqual(inputs[1]["bounds"], [20, 40, 60])
        self.assertEqual(self.meta()["format"], 7)
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["input BUCKET(age)"], "category of 4 buckets, with NULLs")
        self.assertEqual(shown["input CATEGORY_ID(shop)"], "category of the ids from 0 to 29")
        self.assertEqual(shown["input CATEGORY_HASH(site)"], "category of 200 hash buckets")
        weights = [name for name, in self.run_all("SELECT name FROM m WHERE part = 'weight'")]
        for name in ("BUCKET(age)=[20, 40)", "BUCKET(age) is null", "CATEGORY_ID(shop)=29", "CATEGORY_HASH(site) in bucket 199"):
            self.assertIn(name, weights)

    def test_quantiles_are_those_of_the_training_rows(self):
        self.train("BUCKET(pay, 8)", more=", train.test_size = 0")
        pay = sorted(row[1] for row in self.rows)
        self.assertEqual(self.meta()["inputs"][0]["bounds"], [pay[len(pay) * i // 8] for i in range(1, 8)])

    def test_rounded_numbers_are_buckets_of_their_bounds(self):
        rounds = "LOG_ROUND(pay, 6, 10), LOG_ROUND(pay, 9), ROUND_IDENTITY(shop, 20), INDICATOR(LOG_ROUND(age, 4, 2))"
        for model in ("LinearClassifier", "DeepFMClassifier", "xgboost.gbtree"):
            digests = set()
            for workers in (1, 3):
                measured = self.train(rounds, model, f", train.test_size = 0, job.min_workers = {workers}, job.max_workers = {workers}")
                digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1, model)
            self.assertEqual(measured["Accuracy"], self.evaluate()["Accuracy"])
            alone = self.run_all("SELECT totrain_predict('m', age, pay, shop) FROM t")
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
            self.assertEqual(self.run_all("SELECT guess FROM p ORDER BY rowid"), alone)
        names = [one["name"] for one in self.meta()["inputs"]]
        self.assertEqual(names, ["LOG_ROUND(age)", "LOG_ROUND(pay)", "LOG_ROUND(pay) 2", "ROUND_IDENTITY(shop)"])
        self.assertEqual([math.floor(one) for one in self.meta()["inputs"][1]["bounds"]], [3, 31, 316, 3162, 31622])
        self.train("BUCKETIZE(pay, 8), HASH(site, 200), VOCABULARIZE(site)")
        wanted = self.digest(self.database, "m")
        self.train("BUCKET(pay, 8), CATEGORY_HASH(site, 200), VOCABULARY(site)")
        self.assertEqual(self.digest(self.database, "m"), wanted)

    def test_the_same_model_in_any_order_by_any_workers(self):
        for model, numbers in (("LinearClassifier", (1, 3)), ("DNNClassifier", (1, 2, 3, 8)), ("DeepFMClassifier", (1, 3)),
                               ("xgboost.gbtree", (1, 2))):
            digests = set()
            for table, workers in [("t", number) for number in numbers] + [("(SELECT * FROM t ORDER BY pay)", 1)]:
                self.train(model=model, table=table, more=f", job.min_workers = {workers}, job.max_workers = {workers}")
                digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1, model)

    def test_every_way_of_scoring_does_as_training_did(self):
        for model in ("DNNClassifier", "DeepFMClassifier", "xgboost.gbtree"):
            measured = self.train(model=model, more=", train.test_size = 0")
            self.assertEqual(measured["Accuracy"], self.evaluate()["Accuracy"])
            alone = self.run_all("SELECT totrain_predict('m', age, pay, shop, site) FROM t")
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
            self.assertEqual(self.run_all("SELECT guess FROM p ORDER BY rowid"), alone)
            self.assertEqual(self.evaluate(" WITH job.min_workers = 2"), self.evaluate())
            self.assertGreater(measured["Accuracy"], 0.8)

    def test_rows_that_measure_are_read_alike(self):
        self.run_all("CREATE TABLE v AS SELECT y, site, shop, pay, age FROM t LIMIT 500")
        self.train(more=", validation.select = 'SELECT * FROM v'")
        self.assertEqual(self.meta()["rows"], ROWS)
        [accuracy] = [one["validation"] for one in self.meta()["metrics"] if one["name"] == "Accuracy"]
        cursor = self.database.execute("SELECT * FROM v TO EVALUATE m")
        self.assertEqual(dict(zip([column[0] for column in cursor.description], cursor.fetchone()))["Accuracy"], accuracy)
        with self.assertRaisesRegex(sqlite3.Error, 'validation.select has no column "pay"'):
            self.train(more=", validation.select = 'SELECT y, site, shop, age FROM v'")

    def test_an_embedding_s_dimension_is_the_attribute(self):
        self.train("age, VOCABULARY(site), CATEGORY_ID(shop, 30)", "DeepFMClassifier", ", model.embedding_dimension = 3")
        wanted = self.digest(self.database, "m")
        self.train("age, EMBEDDING(site, 3), EMBEDDING(CATEGORY_ID(shop, 30), 3, mean)", "DeepFMClassifier")
        self.assertEqual(self.digest(self.database, "m"), wanted)

    def test_another_number_is_no_id(self):
        self.train()
        one = "SELECT totrain_predict('m', 1, 2, ?, 'a')"
        for value in (30, -1, 2.5, "x"):
            with self.assertRaisesRegex(sqlite3.Error, 'column "shop" holds'):
                self.run_all(one, value)
        self.assertEqual(self.run_all(one, "7"), self.run_all(one, 7.0))
        self.run_all("UPDATE t SET shop = 30 WHERE rowid = 2000")
        with self.assertRaisesRegex(sqlite3.Error, 'row 2000: column "shop" holds 30, where a whole number from 0 to 29 was expected'):
            self.train()
        self.train(more=", train.bad_rows = 'skip', train.test_size = 0")
        self.assertEqual(self.meta()["rows"], ROWS - 1)
        with self.assertRaisesRegex(sqlite3.Error, 'column "shop" holds 30'):
            self.evaluate()
        self.evaluate(" WITH evaluate.bad_rows = 'skip'")

    def test_numbers_may_be_texts(self):
        self.train(more=", train.test_size = 0")
        wanted = self.digest(self.database, "m")
        self.run_all("CREATE TABLE texts AS SELECT age, CAST(pay AS TEXT) AS pay, CAST(shop AS TEXT) AS shop, site, y FROM t")
        self.train(more=", train.test_size = 0", table="texts")
        self.assertEqual(self.digest(self.database, "m"), wanted)
        self.run_all("UPDATE texts SET shop = 'a lot' WHERE rowid = 2500")
        with self.assertRaisesRegex(sqlite3.Error, "row 2500: column \"shop\" holds 'a lot', where a number was expected"):
            self.train(table="texts")

    def test_a_column_s_importance_is_that_of_all_its_inputs(self):
        self.train()
        importance = {row[0]: row[1] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}
        self.assertEqual(set(importance), {"age", "pay", "shop", "site"})
        self.assertGreater(importance["age"], 0.1)

    def test_a_column_of_one_value_has_one_bucket(self):
        self.run_all("CREATE TABLE one AS SELECT 5 AS c, age, y FROM t")
        self.train("age, BUCKET(c, 10)", table="one")
        self.assertEqual(self.meta()["inputs"][0]["bounds"], [])
        self.assertIn('BUCKET(c)\\" is 5 in all', json.dumps(self.meta()["notices"]))

    def made_pairs(self):
        """Whether a shop sells well depends on the weekday, so that neither of both tells anything alone."""
        draw = random.Random(7)
        sells = {(shop, day): draw.random() < 0.5 for shop in range(30) for day in "abcdefg"}
        self.run_all("CREATE TABLE pairs (shop INTEGER, day TEXT, age REAL, y TEXT)")
        rows = [(draw.randrange(30), draw.choice("abcdefg")) for _ in range(ROWS)]
        self.run_all("BEGIN")  # one by one, each row would wait for the disk
        self.database.executemany("INSERT INTO pairs VALUES (?, ?, ?, ?)", ((shop, day if draw.random() > 0.02 else None, draw.randrange(80),
                                                                             "yes" if sells[shop, day] else "no") for shop, day in rows))
        self.run_all("COMMIT")

    def test_a_cross_tells_what_its_columns_do_not(self):
        self.made_pairs()
        self.train("shop, day", table="pairs")
        self.assertLess(self.accuracy("pairs"), 0.65)
        for model in ("LinearClassifier", "DNNClassifier", "DeepFMClassifier", "xgboost.gbtree"):
            columns = "*, EMBEDDING(CROSS([shop, day], 5000), 8)" if model == "DeepFMClassifier" else "*, INDICATOR(CROSS(['shop', day], 5000))"
            measured = self.train(columns, model, ", train.test_size = 0", "pairs")
            self.assertGreater(measured["Accuracy"], 0.75 if "xgboost" in model else 0.9)
            self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["shop", "day", "age", "CROSS(shop, day)"])
            self.assertEqual(self.meta()["format"], 9)
            self.assertEqual(measured["Accuracy"], self.accuracy("pairs"))
            self.assertEqual(self.accuracy("pairs", " WITH job.min_workers = 2"), measured["Accuracy"])
            alone = self.run_all("SELECT totrain_predict('m', shop, day, age) FROM pairs")
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all("SELECT * FROM pairs TO PREDICT p.guess USING m")
            self.assertEqual(self.run_all("SELECT guess FROM p ORDER BY rowid"), alone)
        importance = {row[0]: row[1] for row in self.run_all("SELECT * FROM pairs TO EXPLAIN m")}
        self.assertEqual(set(importance), {"shop", "day", "age"})
        self.assertGreater(min(importance["shop"], importance["day"]), 5 * abs(importance["age"]))

    def accuracy(self, table, more=""):
        cursor = self.database.execute(f"SELECT * FROM {table} TO EVALUATE m{more}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))["Accuracy"]

    def test_a_cross_takes_columns_that_are_no_inputs(self):
        self.made_pairs()
        self.train("CROSS([day, BUCKET(age, [30]), CATEGORY_ID(shop, 30)], 3000)", table="pairs")
        self.assertEqual([one["name"] for one in self.meta()["inputs"]], ["CROSS(day, BUCKET(age), CATEGORY_ID(shop))"])
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["input CROSS(day, BUCKET(age), CATEGORY_ID(shop))"], "category of 3000 buckets of 3 columns")
        one = "SELECT totrain_probability('m', ?, ?, ?)"
        self.assertEqual(self.run_all(one, "a", 29.5, 3), self.run_all(one, "a", "-4", "3"))
        self.assertNotEqual(self.run_all(one, "a", 30, 3), self.run_all(one, "a", 29.5, 3))
        with self.assertRaisesRegex(sqlite3.Error, 'column "shop" holds 30, where a whole number from 0 to 29'):
            self.run_all(one, "a", 29, 30)
        self.run_all("UPDATE pairs SET shop = 31 WHERE rowid = 1234")
        wrong = "CROSS([day, CATEGORY_ID(shop, 30)], 3000), age"
        with self.assertRaisesRegex(sqlite3.Error, 'row 1234: column "shop" holds 31'):
            self.train(wrong, table="pairs")
        self.train(wrong, table="pairs", more=", train.bad_rows = 'skip', train.test_size = 0")
        self.assertEqual(self.meta()["rows"], ROWS - 1)

    def test_a_cross_is_the_same_in_any_order_by_any_workers(self):
        self.made_pairs()
        columns = "age, CROSS([day, shop], 3000), CROSS([shop, BUCKET(age, [20, 40])], 500)"
        for model in ("LinearClassifier", "DeepFMClassifier"):
            digests = set()
            for table, workers in [("pairs", 1), ("pairs", 2), ("pairs", 3), ("(SELECT * FROM pairs ORDER BY age)", 1)]:
                self.train(columns, model, f", job.min_workers = {workers}, job.max_workers = {workers}", table)
                digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1, model)

    def cross_bounds(self):
        return [column.get("bounds") for one in self.meta()["inputs"] for column in one.get("cross", ())]

    def test_a_cross_has_quantiles_of_all_rows(self):
        self.train("BUCKET(pay, 5), CROSS([site, BUCKET(pay, 5)], 900), CROSS([BUCKET(age, 4), BUCKET(pay, 3)], 40)",
                   more=", train.test_size = 0")
        [wanted] = [one["bounds"] for one in self.meta()["inputs"] if one["name"] == "BUCKET(pay)"]
        site, pay, age, pay_of_three = self.cross_bounds()
        self.assertEqual((site, pay, len(age), len(pay_of_three)), (None, wanted, 3, 2))
        numbers = sorted(row[1] for row in self.rows)
        self.assertEqual(pay, [numbers[len(numbers) * i // 5] for i in range(1, 5)])
        self.train(f"BUCKET(pay, 5), CROSS([site, BUCKET(pay, {pay})], 900), CROSS([BUCKET(age, {age}), BUCKET(pay, {pay_of_three})], 40)",
                   more=", train.test_size = 0")
        said = self.digest(self.database, "m")
        self.train("BUCKET(pay, 5), CROSS([site, BUCKETIZE(pay, num_buckets = 5)], 900), CROSS([BUCKET(age, 4), BUCKET(pay, 3)], 40)",
                   more=", train.test_size = 0")
        self.assertEqual(self.digest(self.database, "m"), said)
        self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
        self.assertEqual(self.run_all("SELECT totrain_predict('m', pay, site, age) FROM t"),
                         self.run_all("SELECT guess FROM p ORDER BY rowid"))

    def test_quantiles_of_a_cross_are_the_same_in_any_order_and_are_found_once(self):
        columns = "age, CROSS([shop, BUCKET(pay, 6)], 500), CROSS([site, BUCKET(pay, 6)], 700)"
        digests = set()
        for table, more in (("t", ""), ("t", ", job.min_workers = 3, job.max_workers = 3"), ("(SELECT * FROM t ORDER BY pay DESC)", "")):
            self.train(columns, "DeepFMClassifier", f", train.max_steps = 20{more}", table)
            digests.add(self.digest(self.database, "m"))
        self.assertEqual(len(digests), 1)
        self.train(columns, more=", tune.trials = 3, optimizer.learning_rate = RANGE(0.001, 0.1)")
        self.assertEqual(len(self.cross_bounds()[1]), 5)
        shown = dict(self.run_all(f"EXPLAIN SELECT * FROM t TO TRAIN LinearClassifier COLUMN {columns} LABEL y INTO m"))
        self.assertIn("500 hash buckets of 2 columns", shown["input CROSS(shop, BUCKET(pay))"])

    def test_quantiles_of_what_has_few_numbers(self):
        self.run_all("CREATE TABLE few AS SELECT 5 AS c, NULL AS n, CASE WHEN rowid % 2 THEN '1,234' ELSE '7' END AS s, site, y FROM t")
        self.train("CROSS([BUCKET(c, 10), site], 50), CROSS([BUCKET(s, 2), site], 60)", table="few")
        self.assertEqual(self.cross_bounds(), [[5], None, [1234], None])
        with self.assertRaisesRegex(sqlite3.Error, "VOCABULARY within CROSS accepts no number of words"):
            self.train("CROSS([shop, VOCABULARY(site, 10)], 50)")

    def test_what_except_leaves_out_is_no_input(self):
        for columns, names in (("* EXCEPT (age, LIKE 'SH%')", ["pay", "site"]), ("* EXCLUDE ('a.*|pay'), BUCKET(age, 4)", ["BUCKET(age)", "shop", "site"])):
            self.train(columns)
            self.assertEqual([one["name"] for one in self.meta()["inputs"]], names)
            shown = self.run_all("SHOW MODEL m")
            self.assertEqual([name for name, _ in shown if name.startswith("input ")], [f"input {name}" for name in names])
        self.train("pay, site")
        named = self.digest(self.database, "m")
        self.train("* EXCEPT (age, shop)")
        self.assertEqual(self.digest(self.database, "m"), named)
        [(rows,)] = self.run_all("SELECT count(*) FROM t WHERE totrain_predict('m', pay, site) IN (0, 1)")
        self.assertEqual(rows, ROWS)
        self.run_all("SELECT pay, site FROM t TO PREDICT p.guess USING m")
        shown = dict(self.run_all("EXPLAIN SELECT * FROM t TO TRAIN LinearClassifier COLUMN * EXCEPT (age, shop), BUCKET(age, 4) LABEL y INTO m"))
        self.assertEqual(shown["left out by EXCEPT"], "shop")

    def test_a_cross_is_measured_by_rows_of_another_table(self):
        self.made_pairs()
        self.run_all("CREATE TABLE v AS SELECT y, age, day, shop FROM pairs LIMIT 500")
        self.train("age, CROSS([day, shop], 3000)", more=", validation.select = 'SELECT * FROM v'", table="pairs")
        [accuracy] = [one["validation"] for one in self.meta()["metrics"] if one["name"] == "Accuracy"]
        self.assertEqual(self.accuracy("v"), accuracy)
        with self.assertRaisesRegex(sqlite3.Error, 'validation.select has no column "shop"'):
            self.train("age, CROSS([day, shop], 3000)", more=", validation.select = 'SELECT y, age, day FROM v'", table="pairs")

    def test_files_of_other_programs_have_no_place_for_it(self):
        self.train("pay, BUCKET(age, 4)", model="xgboost.gbtree")
        done = self.run_program(self.path, "-c", f"EXPORT MODEL m TO '{self.folder}/m.json' FORMAT xgboost")
        self.assertIn('input "BUCKET(age)" is made by a function of COLUMN', done.stderr)


if __name__ == "__main__":
    harness.main()
