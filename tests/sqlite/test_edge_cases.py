"""Tables as people have them: too few rows, odd values, odd names."""

import json
import math
import random
import sqlite3
import struct

import harness

LINEAR = "TO TRAIN LinearClassifier LABEL y INTO m"
NETWORK = "TO TRAIN DNNClassifier WITH model.hidden_units = [8] LABEL y INTO m"
REGRESSOR = "TO TRAIN LinearRegressor LABEL y INTO m"
PREDICT_ALL = "WITH predict.extra_outputs = 'probability,probabilities' "


def logarithm(x):
    """scoring/numbers/elementary.h's, operation by operation: the C library's last bit may differ."""
    power, k = math.frexp(x)
    if power < float.fromhex("0x1.6a09e667f3bcdp-1"):
        power, k = 2 * power, k - 1
    s = (power - 1) / (power + 1)
    q, total = s * s, 1 / 23
    for n in range(21, 2, -2):
        total = 1 / n + q * total
    return (k * float.fromhex("0x1.62e42fefap-1")
            + (2 * s + (2 * s * q * total + k * float.fromhex("0x1.cf79abc9e3b39p-40"))))


class EdgeCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(":memory:", isolation_level=None)

    def run_sql(self, sql):
        return self.database.execute(sql).fetchall()

    def one(self, sql):
        return self.run_sql(sql)[0][0]

    def make(self, columns, rows, name="t"):
        """A table without declared types, so that values stay what they are."""
        rows = list(rows)
        names = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        self.database.execute(f'CREATE TABLE "{name}" ({names})')
        marks = ", ".join("?" * len(columns))
        self.database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)

    def fails(self, sql, *parts):
        with self.assertRaises(sqlite3.Error) as raised:
            self.run_sql(sql)
        for part in parts:
            self.assertIn(part, str(raised.exception))

    def metric(self, rows, name):
        return next(row[1] for row in rows if row[0] == name)

    def train(self, sql):
        rows = self.run_sql(sql)
        self.assertTrue(math.isfinite(self.metric(rows, "loss")))
        return rows


class Encodings(EdgeCase):
    def test_a_database_of_utf_16_has_models_too(self):
        for encoding in ("UTF-16le", "UTF-16be"):
            with self.subTest(encoding):
                self.database = self.connect(":memory:", isolation_level=None)
                self.run_sql(f"PRAGMA encoding = '{encoding}'")
                self.make(["x", "wörd", "y"], [(i / 10, f"ü{i % 5}", "é" if i % 3 else "b") for i in range(60)])
                self.train(f"SELECT * FROM t {LINEAR}")
                self.assertEqual(len(self.run_sql("SELECT * FROM t TO EVALUATE m")), 1)
                guess = self.run_sql("SELECT * FROM t LIMIT 1 TO PREDICT guess USING m")[0][3]
                self.assertIn(guess, ("é", "b"))
                self.assertEqual(self.one("SELECT totrain_predict('m', 0.0, 'ü0')"), guess)
                self.assertEqual(self.one("""SELECT totrain_predict('m', json_object('x', 0.0, 'wörd', 'ü0'))"""), guess)
                self.assertEqual(self.run_sql("SELECT * FROM t TO PREDICT p.guess USING m")[0][:2], ("p", 60))
                self.assertEqual(self.one("SELECT name FROM totrain_models"), "m")


class Rows(EdgeCase):
    def test_no_rows_are_an_error_for_every_model(self):
        self.make("xy", [])
        for how in (LINEAR, NETWORK, REGRESSOR):
            self.fails(f"SELECT * FROM t {how}", "the SELECT returned no rows")
        self.assertEqual(self.run_sql("SHOW MODELS"), [])

    def test_one_row_teaches_a_regressor_its_value(self):
        self.make("xy", [(3, 42)])
        self.train(f"SELECT * FROM t {REGRESSOR}")
        self.assertEqual(self.one("SELECT totrain_predict('m', 100)"), 42)

    def test_one_row_or_one_class_is_nothing_to_tell_apart(self):
        self.make("xy", [(3, "only")])
        self.fails(f"SELECT * FROM t {LINEAR}", 'has only the value "only"')
        self.run_sql("INSERT INTO t VALUES (4, 'only')")
        self.fails(f"SELECT * FROM t {NETWORK}", 'has only the value "only"')

    def test_one_row_is_never_held_out(self):
        self.make("xy", [(3, 42)])
        rows = self.train("SELECT * FROM t TO TRAIN LinearRegressor WITH train.test_size = 0.5 "
                          "LABEL y INTO m")
        self.assertIn(("rows", None, None, "1"), rows)

    def test_a_batch_larger_than_the_table_is_the_table(self):
        self.make("xy", [(i, i % 2) for i in range(10)])
        train = "SELECT * FROM t TO TRAIN LinearClassifier WITH train.batch_size = {} LABEL y INTO m"
        digests = set()
        for size in (10, 11, 1000000):
            self.train(train.format(size))
            digests.add(self.digest(self.database, "m"))
        self.assertEqual(len(digests), 1)

    def test_ten_thousand_classes(self):
        self.make("xy", [(i, f"c{i}") for i in range(10000)])
        self.train("SELECT * FROM t TO TRAIN LinearClassifier WITH train.max_steps = 2 "
                   "LABEL y INTO m")
        self.assertRegex(self.one("SELECT totrain_predict('m', 5)"), "^c[0-9]+$")
        probabilities = json.loads(self.run_sql(
            f"SELECT 5 AS x TO PREDICT {PREDICT_ALL}USING m")[0][3])
        self.assertEqual(len(probabilities), 10000)
        self.assertAlmostEqual(sum(probabilities.values()), 1, places=6)

    def test_two_hundred_thousand_rows_that_are_sorted_are_as_good_as_shuffled(self):
        chance = random.Random(1)
        rows = [(chance.gauss(0, 1), chance.gauss(0, 1), chance.choice("uvw"))
                for _ in range(200000)]
        rows = sorted((row + (int(row[0] * row[1] > 0.2),) for row in rows), key=lambda row: row[3])
        self.make("abcy", rows)
        train = ("SELECT * FROM {} TO TRAIN DNNClassifier WITH model.hidden_units = [16], "
                 "train.epoch = 2, train.test_size = 0.1 LABEL y INTO {}")
        result = self.run_sql(train.format("t", "m"))
        self.assertGreater(harness.validated(result)["Accuracy"], 0.95)
        for name, key in (("by_feature", lambda row: row[1]), ("shuffled", lambda row: chance.random())):
            self.make("abcy", sorted(rows, key=key), name)
            self.run_sql(train.format(name, "other"))
            self.assertEqual(self.digest(self.database, "other"), self.digest(self.database, "m"), name)

    def test_a_thousand_columns(self):
        chance = random.Random(2)
        names = [f"c{i}" for i in range(1000)]
        self.make(names + ["y"], [[chance.gauss(0, 1) for _ in names] + [i % 2] for i in range(60)])
        plan = dict(self.run_sql(f"EXPLAIN SELECT * FROM t {NETWORK}"))
        self.assertEqual(plan["inputs c0 ... c999"], "1000 numeric")
        self.assertEqual((plan["rows"], len(plan) < 30), ("60", True))
        trained = self.train(f"SELECT * FROM t {NETWORK}")
        self.assertEqual(self.metric(trained, "Accuracy"),
                         self.run_sql("SELECT * FROM t TO EVALUATE m")[0][1])
        self.run_sql("SELECT * FROM t TO PREDICT p.y USING m")
        streamed = self.run_sql("SELECT * FROM t TO PREDICT USING m")
        self.assertEqual(self.run_sql("SELECT * FROM p"), streamed)


class Values(EdgeCase):
    def test_constant_columns_do_no_harm(self):
        self.make("kxy", [(7, i, i > 50) for i in range(100)])
        self.train(f"SELECT * FROM t {LINEAR}")
        self.train(f"SELECT k, y FROM t {NETWORK}")
        self.train(f"SELECT x, k AS y FROM t {REGRESSOR}")
        self.assertEqual(self.one("SELECT totrain_predict('m', 50)"), 7)

    def test_a_column_of_nulls_does_no_harm(self):
        self.make("xzy", [(i, None, i % 2) for i in range(10)])
        self.train(f"SELECT * FROM t {LINEAR}")
        self.assertIn(self.one("SELECT totrain_predict('m', 3, 'new')"), (0, 1))
        self.train(f"SELECT z, y FROM t {NETWORK}")

    def test_infinities_are_refused_with_their_row(self):
        self.make("xy", [(1, 0), (math.inf, 1), (3, -math.inf)])
        self.fails(f"SELECT x, x > 1 AS y FROM t {LINEAR}", "row 2", '"x"', "infinite")
        self.fails(f"SELECT rowid AS x, y FROM t {REGRESSOR}", "row 3", '"y"', "infinite")

    def test_rows_that_cannot_be_judged_are_named_with_what_to_do(self):
        self.run_sql("CREATE TABLE t AS SELECT 0.5 AS x, 'a' AS y UNION ALL SELECT 3.0, 'b' UNION ALL SELECT 1.5, 'a'")
        self.run_sql(f"SELECT x, y FROM t {LINEAR}")
        for spoilt, reason in (("9e999", "infinite"), ("x'00'", "blob"), ("'words'", "words")):
            bad = f"SELECT CASE WHEN x = 3 THEN {spoilt} ELSE x END AS x, y FROM t TO"
            for judge in ("EVALUATE m", "EVALUATE m, m", "EVALUATE m WITH report = 'drift'", "EVALUATE m WITH job.max_workers = 2"):
                with self.subTest(judge, spoilt=spoilt):
                    self.fails(f"{bad} {judge}", "row 2: column \"x\"", reason, "WITH evaluate.bad_rows = 'skip'")
            for explain in ("EXPLAIN m", "EXPLAIN m USING SHAP", "EXPLAIN m USING partial_dependence"):
                with self.subTest(explain, spoilt=spoilt):
                    self.fails(f"{bad} {explain}", "row 2: column \"x\"", reason, "Leave such rows out in the SELECT")
        for judge in ("EVALUATE m", "EVALUATE m WITH report = 'drift'", "EXPLAIN m", "EXPLAIN m USING pdp"):
            self.fails(f"SELECT x, y FROM t WHERE x > 5 TO {judge}", "returns no rows", "Run it alone")
        self.fails("SELECT 9e999 AS x, y FROM t TO EVALUATE m WITH bad_rows = 'skip'", "no rows", "All of its rows are bad: ",
                   "infinite")

    def test_a_label_that_is_always_missing_is_not_left_out(self):
        self.run_sql("CREATE TABLE t AS SELECT 0.5 AS x, NULL AS y UNION ALL SELECT 3.0, NULL")
        self.fails(f"SELECT x, y FROM t {LINEAR}", "NULL in 2 of 2 rows", "LABEL names the column to learn")
        self.fails(f"SELECT x, y FROM t {REGRESSOR}", "NULL in 2 of 2 rows", "LABEL names the column to learn")

    def test_an_infinity_is_refused_at_prediction(self):
        self.make("xy", [(1, 0), (2, 1)])
        self.train(f"SELECT * FROM t {LINEAR}")
        self.fails("SELECT totrain_predict('m', 9e999)", '"x"', "infinite")
        self.fails("SELECT -9e999 AS x TO PREDICT USING m", '"x"', "infinite")

    def test_not_a_number_is_null_in_sqlite(self):
        self.make("xy", [(i, i % 2) for i in range(10)])
        digests = []
        for none, not_a_number in (("x / 0", "9e999 - 9e999"), ("NULL", "NULL")):
            self.train(f"SELECT x, {none} AS n, {not_a_number} AS nan, CASE WHEN x % 3 THEN x ELSE {none} END AS some, "
                       f"CASE WHEN x % 4 THEN x ELSE {not_a_number} END AS others, y FROM t {LINEAR}")
            digests.append(self.digest(self.database, "m"))
        self.assertEqual(digests[0], digests[1])
        here, there = (self.one(f"SELECT totrain_predict('m', 1, NULL, NULL, 2, {value})") for value in ("9e999 - 9e999", "NULL"))
        self.assertEqual(here, there)

    def test_null_labels_are_counted_and_the_way_out_is_said(self):
        self.make("xy", [(1, 0), (2, None), (3, 1), (4, None)])
        for how in (LINEAR, NETWORK, REGRESSOR):
            self.fails(f"SELECT * FROM t {how}", "NULL in 2 of 4 rows", "WHERE y IS NOT NULL")
        self.train(f"SELECT * FROM t WHERE y IS NOT NULL {LINEAR}")

    def test_nulls_where_training_had_none_and_the_reverse(self):
        rows = [(i, "ab"[i % 2], i % 2) for i in range(40)]
        self.make("xwy", rows)
        self.make("xwy", [(None, None, row[2]) if i % 5 == 0 else row
                          for i, row in enumerate(rows)], "holes")
        for learned, other in (("t", "holes"), ("holes", "t")):
            self.train(f"SELECT * FROM {learned} {NETWORK}")
            predicted = self.run_sql(f"SELECT * FROM {other} TO PREDICT USING m")
            self.assertTrue(all(row[2] in (0, 1) for row in predicted))
            evaluated = self.run_sql(f"SELECT * FROM {other} TO EVALUATE m")[0]
            self.assertTrue(math.isfinite(evaluated[0]))

    def test_a_numeric_null_counts_as_the_mean_where_training_had_none(self):
        self.make("xy", [(i, 2 * i) for i in range(11)])
        self.train(f"SELECT * FROM t {REGRESSOR}")
        self.assertEqual(self.one("SELECT totrain_predict('m', NULL)"),
                         self.one("SELECT totrain_predict('m', 5)"))

    def test_unseen_words_and_far_numbers_are_predicted(self):
        self.make("xwy", [(i, "ab"[i % 2], "no yes".split()[i % 2]) for i in range(40)])
        self.train(f"SELECT * FROM t {NETWORK}")
        for values in ("1, 'never seen'", "1, ''", "1, 3.5", "1e300, 'a'", "-1e300, 'b'"):
            self.assertIn(self.one(f"SELECT totrain_predict('m', {values})"), ("no", "yes"))
        self.fails("SELECT totrain_predict('m', 'abc', 'a')", '"x"', "'abc'", "number")
        self.fails("SELECT totrain_predict('m', x'00', 'a')", '"x"', "blob")

    def test_blank_text_among_numbers_is_a_missing_value(self):
        self.make("abxy", [(str(i), " " if i % 4 == 0 else str(i), i, i % 2) for i in range(20)])
        plan = dict(self.run_sql(f"EXPLAIN SELECT * FROM t {LINEAR}"))
        self.assertTrue(plan["input b"].startswith("numeric"), plan["input b"])
        self.train(f"SELECT * FROM t {LINEAR}")
        self.assertEqual(self.run_sql("SELECT totrain_probability('m', '1', '', 3), "
                                      "totrain_probability('m', 1, '  ', 3.0)")[0],
                         self.run_sql("SELECT totrain_probability('m', 1, NULL, 3), "
                                      "totrain_probability('m', 1, NULL, 3)")[0])
        self.fails(f"SELECT a, b AS y FROM t {REGRESSOR}", "NULL in 5 of 20 rows")

    def test_numbers_as_text_are_numbers(self):
        self.make("xy", [(i / 4, i % 2) for i in range(20)])
        self.train(f"SELECT * FROM t {LINEAR}")
        digest = self.digest(self.database, "m")
        self.train(f"SELECT CAST(x AS TEXT) AS x, y FROM t {LINEAR}")
        self.assertEqual(self.digest(self.database, "m"), digest)

    def test_labels_come_back_in_their_own_type(self):
        for low, high, kind in ((0, 1, "integer"), (1.0, 2.0, "real"), ("0", "1", "text"),
                                ("-", "x", "text"), ("Zürich", "東京", "text"),
                                (-2**63, 2**63 - 1, "integer")):
            self.database.execute("DROP TABLE IF EXISTS t")
            self.make("xy", [(0, low), (1, high)])
            self.train("SELECT * FROM t TO TRAIN LinearClassifier WITH train.epoch = 50 "
                       "LABEL y INTO m")
            self.assertEqual(self.run_sql("SELECT totrain_predict('m', x), typeof("
                                          "totrain_predict('m', x)) FROM t ORDER BY rowid"),
                             [(low, kind), (high, kind)])

    def test_fractions_are_no_classes(self):
        self.make("xy", [(1, 0.5), (2, 1.5)])
        self.fails(f"SELECT * FROM t {LINEAR}", "has 0.5", "whole numbers or text", "regressor")

    def test_words_are_no_numbers_for_a_regressor(self):
        self.make("xy", [(1, "a"), (2, "b")])
        self.fails(f"SELECT * FROM t {REGRESSOR}", "holds text that is not a number",
                   "LinearClassifier")

    def test_blobs_are_refused_by_name(self):
        self.make("xy", [(b"\0\xff", 0), (b"\1", 1)])
        self.fails(f"SELECT * FROM t {LINEAR}", '"x" holds binary data', "CAST(x AS TEXT)")
        self.fails("SELECT y AS a, x AS y FROM t " + LINEAR, '"y" holds binary data')

    def test_long_texts_train_and_longer_ones_are_refused(self):
        self.make("xy", [("ab"[i % 2] * 1000000, i % 2) for i in range(4)])
        self.train(f"SELECT * FROM t {LINEAR}")
        self.assertEqual(self.run_sql("SELECT * FROM t TO EVALUATE m")[0][1], 1)
        self.run_sql("UPDATE t SET x = x || x WHERE rowid = 3")
        self.fails(f"SELECT * FROM t {LINEAR}", "row 3", '"x"', "2000000 bytes")

    def test_words_may_hold_any_bytes(self):
        self.make("xy", [("a\0b", 0), ("a", 1), ("é", 2), ("'\"\\;--", 3)])
        self.train("SELECT * FROM t TO TRAIN LinearClassifier WITH train.epoch = 200 "
                   "LABEL y INTO m")
        self.assertEqual(self.run_sql("SELECT * FROM t TO EVALUATE m")[0][1], 1)

    def test_extreme_numbers_give_finite_models(self):
        for low, high in ((-1e308, 1e308), (1e-200, 2e-200), (1e15 + 1, 1e15 + 2)):
            self.database.execute("DROP TABLE IF EXISTS t")
            self.make("xy", [(low, 0), (high, 1)])
            self.train(f"SELECT * FROM t {NETWORK}")
            self.train("SELECT * FROM t TO TRAIN LinearRegressor WITH train.epoch = 500, model.l2 = 0 "
                       "LABEL y INTO m")
            self.assertAlmostEqual(self.one(f"SELECT totrain_predict('m', {high!r})"), 1, places=2)

    def test_labels_too_large_to_measure_by_are_said_to_be(self):
        done = self.run_program(
            self.path, "-c", "CREATE TABLE t AS SELECT 1 AS x, 1.7e308 AS y UNION SELECT 2, -1.7e308",
            "-c", "SELECT * FROM t TO TRAIN LinearRegressor WITH train.epoch = 2, "
            "validation.metrics = 'RMSE,MAPE' LABEL y INTO m")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NOTICE:  loss, RMSE: NULL, since the labels are too large", done.stderr)
        for job in ("", ", job.max_workers = 1"):
            with self.subTest(job):  # NULL, as TRAIN says, and no infinite number
                rows = self.connect().execute("SELECT * FROM t TO EVALUATE m WITH "
                    f"validation.metrics = 'RMSE,MAPE'{job}").fetchall()
                self.assertEqual(rows[0][:2], (None, None))
                self.assertGreater(rows[0][2], 0)

    def test_a_diverging_training_is_an_error_and_keeps_the_old_model(self):
        self.make("xy", [(i, i) for i in range(50)])
        self.train(f"SELECT * FROM t {REGRESSOR}")
        digest = self.digest(self.database, "m")
        self.fails("SELECT * FROM t TO TRAIN DNNRegressor WITH model.hidden_units = [8], "
                   "model.optimizer = SGD, optimizer.learning_rate = 100, train.epoch = 100 "
                   "LABEL y INTO m", "the loss is not finite", "optimizer.learning_rate")
        self.assertEqual(self.digest(self.database, "m"), digest)


class Queries(EdgeCase):
    def setUp(self):
        super().setUp()
        harness.load_csv(self.database, "iris")

    def check(self, select, rows=150, label="class"):
        result = self.train(f"{select} TO TRAIN LinearClassifier LABEL {label} INTO m;")
        self.assertEqual(harness.facts(result)["rows"], rows)

    def test_every_kind_of_select_is_trained_on(self):
        self.database.execute("CREATE VIEW seen AS SELECT petal_width AS w, class FROM iris")
        self.check("WITH x AS (SELECT * FROM iris) SELECT * FROM x")
        self.check("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 90) "
                   "SELECT i, i % 2 AS class FROM r", 90)
        self.check("SELECT * FROM seen")
        self.check("SELECT a.petal_width, b.petal_length, a.class FROM iris a JOIN iris b "
                   "ON a.rowid = b.rowid")
        self.check("SELECT * FROM iris ORDER BY random() LIMIT 120 OFFSET 10", 120)
        self.check("SELECT * FROM iris UNION ALL SELECT * FROM iris", 300)
        self.check("SELECT class, sum(petal_width) FROM iris GROUP BY class, sepal_length > 5", 6)
        self.check('SELECT * FROM (SELECT * FROM iris) AS "to"')
        self.check("SELECT petal_length AS train, petal_width AS [label], ' TO TRAIN x ; ' AS s, "
                   "class FROM iris")

    def test_without_rowid_and_generated_columns(self):
        self.database.execute("CREATE TABLE w (id TEXT PRIMARY KEY, a REAL, y INT, g AS (a * 2), "
                              "s AS (a + 1) STORED) WITHOUT ROWID")
        self.run_sql("INSERT INTO w (id, a, y) VALUES ('x', 1, 0), ('y', 2, 1), ('z', 3, 0)")
        self.check("SELECT * FROM w", 3, "y")
        self.assertEqual(len(self.run_sql("SELECT * FROM w TO PREDICT USING m")), 3)

    def test_comments_stand_anywhere(self):
        rows = self.run_sql("/* a ; TO */ SELECT /* TO TRAIN */ * -- x ; TO TRAIN\n FROM /*;*/ iris"
                            " -- ;\n TO/**/TRAIN --\n LinearClassifier /* */ WITH/**/train.epoch/*"
                            "*/=/**/3 LABEL/**/class INTO/**/m -- k")
        self.assertIn(("rows", None, None, "150"), rows)

    def test_expressions_without_a_name_are_found_again_by_their_text(self):
        self.check("SELECT petal_width * 2, petal_length+1, class FROM iris")
        self.run_sql("SELECT petal_length+1, petal_width * 2 FROM iris TO PREDICT USING m")
        self.fails("SELECT petal_length + 1, petal_width * 2 FROM iris TO PREDICT USING m",
                   'no column "petal_length+1"', "The model needs")

    def test_columns_of_one_name_are_refused(self):
        for select in ("SELECT petal_width, petal_width, class FROM iris",
                       "SELECT petal_width AS w, petal_length AS W, class FROM iris",
                       "SELECT a.*, b.* FROM iris a, iris b"):
            self.fails(f"{select} TO TRAIN LinearClassifier LABEL class INTO m",
                       "more than one column", "AS")

    def test_names_are_taken_as_the_database_takes_them(self):
        self.make(["select", "group by", 'wéird "q"', "from"], [(1, 2, "a", 0), (2, 3, "b", 1)],
                  "order")
        for column in ('"group by"', "[select]", "`select`", '"wéird ""q"""'):
            self.train(f'SELECT * FROM "order" TO TRAIN LinearClassifier COLUMN {column} '
                       f'LABEL "from" INTO "select"')
        self.run_sql('SELECT * FROM "order" TO PREDICT "table"."from" USING "select"')
        self.assertEqual(self.one('SELECT count(*) FROM "table"'), 2)
        self.assertEqual(self.one("SELECT totrain_predict('\"select\"', 'a')"),
                         self.one("SELECT totrain_predict('select', 'a')"))
        self.train("""SELECT * FROM "order" TO TRAIN LinearClassifier LABEL "from" INTO "a b'c" """)
        self.run_sql("""SELECT * FROM "order" TO EVALUATE "a b'c" """)
        self.assertEqual({row[0] for row in self.run_sql("SHOW MODELS")}, {"select", "a b'c"})
        self.fails('SELECT * FROM "order" TO TRAIN LinearClassifier LABEL from INTO select',
                   'found "select"', "quote it")

    def test_a_pattern_may_stand_in_double_quotes(self):
        self.run_sql('SELECT * FROM iris TO TRAIN LinearClassifier COLUMN "sepal.*", petal_width '
                     "LABEL class INTO m")
        self.assertIn(self.one("SELECT totrain_predict('m', 1, 2, 3)"), (0, 1, 2))
        self.fails('SELECT * FROM iris TO TRAIN LinearClassifier COLUMN "petal_wdth" LABEL class '
                   "INTO m", "Did you mean petal_width?")


class Settings(EdgeCase):
    def setUp(self):
        super().setUp()
        harness.load_csv(self.database, "iris")

    def iris(self, settings, model="DNNClassifier"):
        return (f"SELECT * FROM iris TO TRAIN {model} WITH {settings} LABEL class INTO m")

    def test_absurd_values_are_refused_before_anything_starts(self):
        units = "model.hidden_units = [8], "
        for settings, *parts in (
                ("model.hidden_units = [0]", "from 1 to 8192, not 0"),
                ("model.hidden_units = [-1]", "not -1"),
                ("model.hidden_units = []", "not []"),
                ("model.hidden_units = eight", "not 'eight'"),
                ("model.hidden_units = [99999999999999999999]", "EiB", "16 GiB"),
                ("model.hidden_units = [" + "8192, " * 15 + "8192]", "GiB"),
                ("hiden_units = [8]", "Did you mean model.hidden_units?"),
                (units + "train.epoch = 0", "from 1 to"),
                (units + "train.epoch = 1.5", "whole number"),
                (units + "train.batch_size = -3", "not -3"),
                (units + "optimizer.learning_rate = 1e300", "not 1e300"),
                (units + "optimizer.learning_rate = nan", "not 'nan'"),
                (units + "train.test_size = 1", "from 0 to 0.9"),
                (units + "train.test_size = 0, train.early_stopping = 2", "needs validation rows"),
                (units + "train.seed = 99999999999999999999", "to 9223372036854775807"),
                (units + "job.lanes = 0", "from 1 to 1024"),
                (units + "job.max_workers = 1000000", "from 1 to 1024"),
                (units + "validation.metrics = 'Acuracy'", "Did you mean Accuracy?"),
                (units + "validation.select = ''", "not ''"),
                (units + "validation.select = 'SELECT * FROM iris; DROP TABLE iris'",
                 "something follows"),
                (units + "validation.select = 'DELETE FROM iris'", "validation.select"),
                (units + "model.dropout = 1", "from 0 to 0.99"),
                (units + "no.such = 1", 'unknown attribute "no.such"')):
            with self.subTest(settings=settings):
                self.fails(self.iris(settings), *parts, "LINE 1: ")
        self.assertEqual(self.jobs_started(), [])
        self.assertEqual(self.one("SELECT count(*) FROM iris"), 150)

    def test_an_unknown_model_suggests_the_nearest(self):
        self.fails(self.iris("train.epoch = 1", "LinearClasifier"), "Did you mean LinearClassifier")
        self.fails(self.iris("train.epoch = 1", "DeepEmbeddingClusterModel"), "not supported yet")

    def test_the_largest_seed_is_a_seed(self):
        digests = set()
        for seed in (0, 1, 9223372036854775807):
            self.train(self.iris(f"train.seed = {seed}", "LinearClassifier"))
            digests.add(self.digest(self.database, "m"))
        self.assertEqual(len(digests), 3)

    def test_max_steps_ends_training(self):
        self.train(self.iris("train.epoch = 1, train.batch_size = 75", "LinearClassifier"))
        two_steps = self.digest(self.database, "m")
        self.train(self.iris("train.epoch = 1, train.batch_size = 75, train.max_steps = 1",
                             "LinearClassifier"))
        self.assertNotEqual(self.digest(self.database, "m"), two_steps)

    def test_early_stopping_keeps_the_best_model(self):
        rows = self.run_sql(self.iris(
            "model.hidden_units = [32], train.epoch = 500, train.early_stopping = 3, "
            "train.test_size = 0.3, optimizer.learning_rate = 0.05, model.l2 = 0"))
        worst = self.run_sql(self.iris(
            "model.hidden_units = [32], train.epoch = 500, train.test_size = 0.3, "
            "optimizer.learning_rate = 0.05, model.l2 = 0"))
        self.assertIn(("rows", None, None, "105"), rows)
        loss, worst_loss = (next(row[1] for row in found if row[:3:2] == ("loss", "validation"))
                            for found in (rows, worst))
        self.assertLessEqual(loss, worst_loss)

    def test_balanced_classes_move_the_border_to_the_rare_one(self):
        self.make("xy", [(random.Random(i).gauss(i % 20 == 0, 1), int(i % 20 == 0))
                         for i in range(2000)])
        count = "SELECT count(*) FROM t WHERE totrain_predict('m', x) = 1"
        train = ("SELECT * FROM t TO TRAIN LinearClassifier WITH train.epoch = 20{} "
                 "LABEL y INTO m")
        self.train(train.format(""))
        rare = self.one(count)
        self.train(train.format(", train.class_weight = 'balanced'"))
        self.assertGreater(self.one(count), rare + 200)

    def test_validation_rows_with_a_class_that_training_lacks_count_as_wrong(self):
        rows = self.run_sql("SELECT * FROM iris WHERE class < 2 TO TRAIN LinearClassifier WITH "
                            "validation.select = 'SELECT * FROM iris;' LABEL class INTO m")
        self.assertAlmostEqual(next(row[1] for row in rows if row[:3:2] == ("Accuracy", "validation")),
                               2 / 3)

    def test_any_lanes_with_any_workers_give_the_digest_of_one_worker(self):
        for lanes in (1, 3, 8, 64):
            digests = set()
            for workers in (1, 2, 3, 8):
                self.train(self.iris(f"model.hidden_units = [8], train.epoch = 2, job.lanes = "
                                     f"{lanes}, job.max_workers = {workers}, job.min_workers = "
                                     f"{min(lanes, workers, 3)}"))
                digests.add(self.digest(self.database, "m"))
            self.assertEqual(len(digests), 1, f"{lanes} lanes")

    def test_regressors_do_not_list_the_attributes_of_classifiers(self):
        for model in ("LinearRegressor", "DNNRegressor"):
            names = {row[0] for row in self.run_sql(f"SHOW ATTRIBUTES FOR {model}")}
            self.assertIn("train.epoch", names)
            self.assertFalse(names & {"model.n_classes", "train.class_weight"}, model)

    def test_explain_tells_what_would_be_trained(self):
        plan = dict(self.run_sql("EXPLAIN " + self.iris("model.hidden_units = [16, 4]")))
        self.assertEqual(plan["layers"].split(", as")[0], "4 inputs, 16 gelu, 4 gelu")
        self.assertIn("train.epoch = auto: at least 10, and 200 steps", plan["defaults"])
        self.assertEqual(plan["model.hidden_units"], "[16, 4]")
        for item in ("label class", "parameters", "memory", "lanes", "workers", "where"):
            self.assertIn(item, plan)
        self.assertEqual(self.jobs_started(), [])


class Agreement(EdgeCase):
    DATA = (("iris", "class", "Classifier"), ("titanic", "survived", "Classifier"),
            ("breast_cancer", "benign", "Classifier"), ("diamonds", "cut", "Classifier"),
            ("boston", "medv", "Regressor"), ("diamonds", "price", "Regressor"))

    def check_rows(self, table, label, kind):
        columns = [row[1] for row in self.run_sql(f"PRAGMA table_info({table})") if row[1] != label]
        values = ", ".join(f'"{column}"' for column in columns)
        extra = PREDICT_ALL if kind == "Classifier" else ""
        functions = f"totrain_predict('m', {values})"
        if kind == "Classifier":
            functions += f", totrain_probability('m', {values})"
        streamed = self.run_sql(f"SELECT * FROM {table} TO PREDICT {extra}USING m")
        self.run_sql(f"SELECT * FROM {table} TO PREDICT p.{label} {extra}USING m")
        self.assertEqual(self.run_sql("SELECT * FROM p"), streamed)
        called = self.run_sql(f"SELECT {values}, {functions} FROM {table}")
        self.assertEqual([row[:len(called[0])] for row in streamed], called)
        return [row[len(columns):] for row in streamed]

    def check_evaluation(self, table, label, kind, predicted):
        actual_values = [row[0] for row in self.run_sql(f"SELECT {label} FROM {table}")]
        if kind == "Classifier":
            losses = [-logarithm(min(max(json.loads(row[2])[str(actual)], 1e-15), 1))
                      for row, actual in zip(predicted, actual_values)]
        else:
            losses = [(row[0] - actual) ** 2 for row, actual in zip(predicted, actual_values)]
        loss, first, *_ = self.run_sql(f"SELECT * FROM {table} TO EVALUATE m -- {kind}")[0]
        self.assertAlmostEqual(loss / (math.fsum(losses) / len(losses)), 1, places=12)
        if kind == "Classifier":
            right = sum(row[0] == actual for row, actual in zip(predicted, actual_values))
            self.assertEqual(first, right / len(actual_values))
        for row in (0, len(actual_values) // 2, len(actual_values) - 1):
            single = self.run_sql(f"SELECT * FROM {table} LIMIT 1 OFFSET {row} TO EVALUATE m "
                                  f"-- {kind}")[0][0]
            self.assertEqual(struct.pack("d", single), struct.pack("d", losses[row]))

    def test_predict_evaluate_and_the_functions_agree_to_the_last_bit_on_all_data(self):
        for name in {name for name, _, _ in self.DATA}:
            harness.load_csv(self.database, name, limit=10000)
        for table, label, kind in self.DATA:
            for model, settings in (("Linear", ""), ("DNN", ", model.hidden_units = [16, 8]")):
                with self.subTest(table=table, label=label, model=model):
                    self.run_sql(f"SELECT * FROM {table} TO TRAIN {model}{kind} WITH "
                                 f"train.epoch = 3{settings} LABEL {label} INTO m")
                    self.check_evaluation(table, label, kind, self.check_rows(table, label, kind))

    def test_integer_labels_beyond_the_reals_are_told_apart(self):
        self.make("xy", [(1, 2**53 + 1), (2, 2**53)])
        trained = self.train(f"SELECT * FROM t {LINEAR}")
        self.assertEqual(self.run_sql("SELECT * FROM t TO EVALUATE m")[0][1],
                         self.metric(trained, "Accuracy"))


class ModelTables(EdgeCase):
    def setUp(self):
        super().setUp()
        harness.load_csv(self.database, "iris")
        self.run_sql("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8] "
                     "LABEL class INTO m")

    def test_a_prediction_with_one_name_is_a_column_of_that_name(self):
        self.run_sql("CREATE TABLE customers AS SELECT 'Ann' AS name")
        rows = self.run_sql("SELECT * FROM iris TO PREDICT customers USING m")
        self.assertEqual([row[:4] + row[5:] for row in rows],
                         self.run_sql("SELECT * FROM iris TO PREDICT USING m"))
        self.assertEqual([row[:5] for row in rows], self.run_sql("SELECT * FROM iris"))
        self.assertEqual(self.run_sql("SELECT * FROM customers"), [("Ann",)])

    def test_a_poisoned_model_is_refused_and_never_crashes(self):
        self.run_sql("CREATE TABLE kept AS SELECT * FROM m")
        for change in (
                "UPDATE m SET data = '{' WHERE part = 'meta'",
                "UPDATE m SET data = printf('%.*c', 100000, '[') WHERE part = 'meta'",
                "UPDATE m SET data = json_set(data, '$.inputs[0].mean', 1e10) WHERE part = 'meta'",
                "UPDATE m SET data = json_set(data, '$.labels.values[0]', 7) WHERE part = 'meta'",
                "UPDATE m SET data = json_set(data, '$.network.layers[0].width', 2147483647) "
                "WHERE part = 'meta'",
                "UPDATE m SET data = json_set(data, '$.version', -5) WHERE part = 'meta'",
                "UPDATE m SET data = replace(data, '\"classification\"', '\"regression\"') "
                "WHERE part = 'meta'",
                "UPDATE m SET data = replace(data, 'sepal_length', 'petal_length') "
                "WHERE part = 'meta'",
                "UPDATE m SET data = zeroblob(length(data)) WHERE part = 'tensor'",
                "UPDATE m SET data = zeroblob(3) WHERE part = 'tensor'",
                "UPDATE m SET data = NULL WHERE part = 'tensor'",
                "UPDATE m SET position = 9223372036854775807 WHERE part = 'tensor'",
                "UPDATE m SET name = 'x' WHERE part = 'tensor'",
                "UPDATE m SET part = NULL",
                "INSERT INTO m SELECT * FROM m",
                "INSERT INTO m VALUES ('tensor', 'layer9/bias', 0, NULL, zeroblob(100))",
                "DELETE FROM m WHERE name = 'layer0/bias'",
                "DELETE FROM m"):
            with self.subTest(change=change):
                self.run_sql("DELETE FROM m")
                self.run_sql("INSERT INTO m SELECT * FROM kept")
                self.one("SELECT totrain_predict('m', 5, 3, 1, 1)")
                self.run_sql(change)
                for use in ("SELECT totrain_predict('m', 5, 3, 1, 1)",
                            "SELECT * FROM iris TO PREDICT USING m",
                            "SELECT * FROM iris TO PREDICT p.class USING m",
                            "SELECT * FROM iris TO EVALUATE m"):
                    self.fails(use, "m")

    def test_a_renamed_model_predicts_and_a_dropped_one_is_unknown(self):
        self.run_sql("ALTER TABLE m RENAME TO other")
        self.assertEqual(self.one("SELECT totrain_predict('other', 5, 3, 1, 0.2)"), 0)
        self.fails("SELECT totrain_predict('m', 5, 3, 1, 0.2)", 'no model "m"')
        self.run_sql("DROP TABLE other")
        self.fails("SELECT totrain_predict('other', 5, 3, 1, 0.2)", 'no model "other"')
        self.fails("SELECT * FROM iris TO EVALUATE other", 'no model "other"')
        self.assertEqual(self.run_sql("SHOW MODELS"), [])

    def test_wrong_arguments_of_the_functions_say_what_they_take(self):
        for call in ("totrain_predict('m')", "totrain_predict('m', 1, 2, 3)",
                     "totrain_probability('m', 1, 2, 3, 4, 5)"):
            self.fails(f"SELECT {call}", "takes 4 values", "petal_width")
        for name in ("NULL", "3", "x'6d'"):
            self.fails(f"SELECT totrain_predict({name}, 1, 2, 3, 4)", "the model's name in quotes")
        self.fails("SELECT totrain_predict()", "expected the model's name")
        self.fails("SELECT totrain_predict('m; DROP TABLE iris', 1, 2, 3, 4)", "there is no model")

    def test_going_back_and_forth_between_versions_restores_the_bits(self):
        first = self.digest(self.database, "m")
        self.run_sql("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m")
        second = self.digest(self.database, "m")
        self.run_sql("ROLLBACK MODEL m TO 1")
        self.assertEqual(self.digest(self.database, "m"), first)
        self.run_sql("ROLLBACK MODEL m TO 2")
        self.assertEqual(self.digest(self.database, "m"), second)
        for version in ("99", "'ffff'"):
            self.fails(f"ROLLBACK MODEL m TO {version}", "no version", "SHOW VERSIONS")

    def test_an_evaluation_takes_the_model_that_is_there_now(self):
        before = self.run_sql("SELECT * FROM iris TO EVALUATE m")
        self.run_sql("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
                     "LABEL class INTO m")
        self.assertLess(self.run_sql("SELECT * FROM iris TO EVALUATE m")[0][1], before[0][1])

    def test_a_reader_on_another_connection_sees_the_old_model_or_the_new_one(self):
        self.make_iris()
        writer = self.connect(isolation_level=None)
        writer.execute("PRAGMA journal_mode = WAL")
        train = ("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {} LABEL class "
                 "INTO shared")
        writer.execute(train.format(1)).fetchall()
        reader = self.connect(isolation_level=None)
        old = self.digest(reader, "shared")
        reader.execute("BEGIN")
        probability = "SELECT totrain_probability('shared', 5, 3, 1, 0.2)"
        before = reader.execute(probability).fetchall()
        writer.execute(train.format(50)).fetchall()
        self.assertEqual(reader.execute(probability).fetchall(), before)
        self.assertEqual(self.digest(reader, "shared"), old)
        reader.execute("COMMIT")
        self.assertNotEqual(reader.execute(probability).fetchall(), before)

    def test_predictions_go_where_they_may_and_nowhere_else(self):
        self.run_sql("CREATE VIEW v AS SELECT 1")
        for target, *parts in (("m.class", "is the model itself"),
                               ("main.m.class", "is a model"),
                               ("v.class", "exists and is no ordinary table"),
                               ("totrain_models.class", "reserved"),
                               ("sqlite_master.class", "reserved"),
                               ("nope.t.class", '"nope"', "attached"),
                               ("p.sepal_length", "already has a column")):
            with self.subTest(target=target):
                self.fails(f"SELECT * FROM iris TO PREDICT {target} USING m", *parts)
        self.assertIn(self.one("SELECT totrain_predict('m', 5, 3, 1, 0.2)"), (0, 1, 2))

    def test_no_rows_predict_to_an_empty_table_and_are_nothing_to_evaluate(self):
        self.run_sql("SELECT * FROM iris WHERE 0 TO PREDICT p.class USING m")
        self.assertEqual(self.one("SELECT count(*) FROM p"), 0)
        self.fails("SELECT * FROM iris WHERE 0 TO EVALUATE m", "no rows")


harness.main()
