"""Ordinary tables that a model learns wrongly from: TRAIN says so (tests/silent_tables.py; PostgreSQL has the same test)."""

import re
import sqlite3

import harness
import silent_tables as tables


class Silence(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def make(self, statements):
        for statement in statements:
            self.run_all(statement)

    def notices(self, columns, train):
        found = self.run_all(f"SELECT {columns} FROM t TO TRAIN {train} INTO m")
        return [row[3] for row in found if row[0] == "notice"]

    # ---- a class without weight ----

    def test_a_class_without_weight_is_named(self):
        self.make(tables.weighed_table())
        for model in tables.CLASSIFIERS:
            with self.subTest(model):
                said = self.notices("*", f"{model} WITH sample_weight = 'w', test_size = 0 LABEL y")
                self.assertIn(f'weight column "w" is 0 in all 100 training rows {tables.OF_ROWS}', said)
                self.assertFalse([notice for notice in said if "alone explains" in notice or "no better" in notice], said)
                self.assertNotIn("c", {row[-1] for row in self.run_all("SELECT a, b FROM t TO PREDICT guess USING m")})
        self.make(tables.weighed_table(None))
        self.assertFalse([notice for notice in self.notices("*", "XGBClassifier WITH sample_weight = 'w' LABEL y")
                          if "weight column" in notice])

    def test_a_class_that_weighs_nothing_is_named(self):
        self.make(tables.weighed_table())
        said = self.notices("a, b, y", "XGBClassifier WITH class_weight = '{\"c\": 0}', test_size = 0 LABEL y")
        self.assertIn("train.class_weight is 0 in all 100 training rows " + tables.WEIGHTLESS, " ".join(said))

    def test_models_that_need_weight_of_each_class_name_the_one_that_has_none(self):
        self.make(tables.weighed_table())
        for model in tables.WEIGHING:
            with self.subTest(model), self.assertRaisesRegex(sqlite3.Error, tables.NEEDED):
                self.notices("*", f"{model} WITH sample_weight = 'w' LABEL y")
        with self.assertRaisesRegex(sqlite3.Error, tables.NEEDED):
            self.run_all("SELECT * FROM t WHERE y <> 'a' TO TRAIN ScoreCard WITH sample_weight = 'w' LABEL y INTO m")

    def test_workers_and_the_order_of_rows_change_no_word(self):
        self.make(tables.weighed_table())
        train = "XGBClassifier WITH sample_weight = 'w', job.min_workers = {0}, job.max_workers = {0} LABEL y"
        said = self.notices("*", train.format(1))
        self.assertTrue(said)
        self.assertEqual(self.notices("*", train.format(2)), said)
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY b")
        self.run_all("DROP TABLE t")
        self.run_all("ALTER TABLE turned RENAME TO t")
        self.assertEqual(self.notices("*", train.format(2)), said)

    # ---- codes and dates ----

    def test_numbers_that_stand_for_missing_values_are_named(self):
        self.make(tables.coded_table())
        for model in tables.LEARNERS:
            with self.subTest(model):
                said = self.notices("age, score, z, y", f"{model} test_size = 0 LABEL y")
                self.assertIn(tables.CODE, said)
                # A network and a linear model take such a code for a missing value by themselves.
                if "XGB" in model or "Forest" in model or "OLS" in model:
                    self.assertTrue([notice for notice in said if notice.startswith(tables.CODES)], said)
        for model in tables.LEARNERS_WITHOUT_LABEL:
            self.assertIn(tables.CODE, self.notices("age, score, z", model))

    def test_what_the_hint_writes_ends_the_notice(self):
        self.make(tables.coded_table())
        said = self.notices("nullif(age, -1) AS age, CASE WHEN score < 98 THEN score END AS score, z, y", "XGBRegressor LABEL y")
        self.assertFalse([notice for notice in said if "apart from" in notice], said)
        said = self.notices("age, score, z, y", "XGBRegressor COLUMN *, NUMERIC(age), NUMERIC(score) LABEL y")
        self.assertFalse([notice for notice in said if "apart from" in notice], said)

    def test_labels_that_stand_for_missing_ones_are_named(self):
        self.make(tables.coded_table())
        for model in tables.LEARNERS:
            with self.subTest(model):
                labels = "CASE WHEN age < 60 OR z > 0.5 THEN y ELSE -999 END AS y"
                rows = self.run_all(f"SELECT count(*) FROM (SELECT {labels} FROM t) WHERE y = -999")[0][0]
                said = self.notices(f"age, {labels}", f"{model} test_size = 0 LABEL y")
                self.assertIn(tables.LABELS.replace(" 15 ", f" {rows} "), said)
        said = self.notices("age, z, y", "XGBRegressor LABEL y")
        self.assertFalse([notice for notice in said if "label column" in notice], said)

    def test_classes_that_stand_for_missing_labels_are_named(self):
        self.make(tables.coded_table())
        for model, codes in (("XGBClassifier", (-999, 99)), ("LinearClassifier", (8888,))):
            for code in codes:
                with self.subTest(model, code=code):
                    said = self.notices(f"age, z, CASE WHEN z > 3.9 THEN {code} ELSE score % 5 END AS y", f"{model} WITH test_size = 0 LABEL y")
                    self.assertIn(f'label column "y" is {code} in ', " ".join(said))
                    self.assertIn(f"leave the rows out: WHERE y <> {code}.", " ".join(said))
            said = self.notices("age, z, CASE WHEN z > 3.9 THEN -1 ELSE z > 2 END AS y", f"{model} WITH test_size = 0 LABEL y")
            self.assertNotIn("far from all others", " ".join(said))

    def test_dates_that_are_written_as_numbers_are_named(self):
        self.make(tables.coded_table())
        for model in tables.LEARNERS:
            with self.subTest(model):
                said = [notice for notice in self.notices("seen, z, y", f"{model} test_size = 0 LABEL y") if notice.startswith(tables.DATES)]
                self.assertEqual(said, [tables.DATES + tables.DATE + " in the SELECT makes dates of them."])
        self.assertLess(self.r_squared("seen, z, y"), .95)
        self.assertGreater(self.r_squared(f"{tables.DATE}, z, y"), .999)
        said = self.notices("z, seen AS y", "XGBRegressor LABEL y")
        self.assertTrue([notice for notice in said if notice.startswith(f"label {tables.DATES.replace('seen', 'y')}Predict days")], said)

    # ---- numbers beyond the reach of a model ----

    def test_numbers_that_a_model_does_not_tell_apart_are_named(self):
        self.make(tables.far_table())
        for model in tables.KEEPING:
            with self.subTest(model):
                self.assertIn(tables.FAR, " ".join(self.notices("a, b, y", f"{model} LABEL y")))

    def test_whole_numbers_beyond_the_doubles_are_named(self):
        self.make([f"DROP TABLE IF EXISTS t", "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) "
                   "SELECT 9223372036854775807 - i * 37 % 101 AS v, '922337203685477' || (1000 + i * 37 % 101) AS w, "
                   "i * 7000000000000 AS far, i % 7 AS b, i * 37 % 101 AS y FROM n"])
        for column, step in (("v", 2048), ("w", 1024)):
            with self.subTest(column):
                said = " ".join(self.notices(f"{column}, b, y", "LinearRegressor LABEL y"))
                self.assertIn(f'column "{column}" has numbers as large as 9.22337', said)
                self.assertIn(f"which a model distinguishes in steps of {step} alone. Subtract a number near them in the SELECT; ids are words by "
                              f"COLUMN *, VOCABULARY({column}).", said)
        said = " ".join(self.notices("b, v", "LinearRegressor LABEL v"))
        self.assertIn('label column "v" has numbers as large as 9.22337', said)
        self.assertNotIn("steps of", " ".join(self.notices("far, v - 9223372036854775000 AS v, b, y", "LinearRegressor LABEL y")))
        found = self.run_all("SELECT v, y FROM t TO TRAIN XGBRegressor COLUMN VOCABULARY(v) LABEL y INTO m")
        self.assertGreater(next(row[1] for row in found if row[0] == "R2"), .9)

    def test_rows_that_are_scored_have_such_numbers(self):
        self.make(tables.far_table())
        self.run_all("CREATE TABLE late AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999) "
                     "SELECT CASE i WHEN 2990 THEN -1e300 WHEN 2991 THEN 1e39 ELSE i * .001 END AS a, 1. AS b, i * 1. AS y FROM n")
        for model, reach in (("XGBRegressor", r"-3\.4e\+38 and 3\.4e\+38"), ("LinearRegressor", r"-\S+ and \S+"), ("OLS", r"-\S+ and \S+")):
            with self.subTest(model):
                self.run_all(f"SELECT a, b, y FROM t WHERE a < 1e6 TO TRAIN {model} LABEL y INTO m")
                said = f'column "a" has the number -1e\\+300: the model distinguishes none beyond {reach}'
                first = self.run_all("EXPLAIN SELECT a, b FROM late WHERE b = 1 AND a < 0 TO PREDICT guess USING m")
                self.assertRegex(str(first), said)
                self.assertNotIn("tells none", str(self.run_all("EXPLAIN SELECT a, b FROM late TO PREDICT guess USING m")))
                self.assertRegex(self.run_all(f"SELECT * FROM late TO EVALUATE m -- {model}")[0][-1], said)
                for target in ("guess", "late_guess.guess"):
                    done = self.run_program(self.path, "-c", f"SELECT a, b FROM late TO PREDICT {target} USING m")
                    self.assertRegex(done.stderr, said)
                self.assertNotIn("tells none", self.run_all(f"SELECT * FROM late WHERE a >= 0 AND a < 1e9 TO EVALUATE m -- {model}")[0][-1])

    def r_squared(self, columns):
        rows = self.run_all(f"SELECT {columns} FROM t TO TRAIN LinearRegressor WITH test_size = 0 LABEL y INTO m")
        return next(row[1] for row in rows if row[0] == "R2")

    # ---- losses in the label's units ----

    def r2(self, columns, train):
        """R2 of the training rows, and the notices."""
        found = self.run_all(f"SELECT {columns} FROM t TO TRAIN {train} INTO m")
        return next(row[1] for row in found if row[0] == "R2"), [row[3] for row in found if row[0] == "notice"]

    def test_a_loss_whose_bound_is_far_from_the_labels_is_named(self):
        self.make(tables.priced_table())
        for objective, bound in tables.UNITS.items():
            with self.subTest(objective):
                train = f"lightgbm.gbdt WITH objective = '{objective}', num_boost_round = 40, test_size = 0"
                said = [notice for notice in self.r2("a, b, price", f"{train} LABEL price")[1] if tables.OF_UNITS in notice]
                self.assertEqual(len(said), 1)
                self.assertIn(f"{objective} has {bound}, in", said[0])
                cure = re.search(r"WITH ([a-z_]+ = [0-9.e+]+)", said[0])[1]
                found, said = self.r2("a, b, price", f"{train}, {cure} LABEL price")
                self.assertFalse([notice for notice in said if tables.OF_UNITS in notice], said)
                self.assertGreater(found, .9)
                self.assertFalse([notice for notice in self.r2("a, b, near", f"{train} LABEL near")[1] if tables.OF_UNITS in notice])

    def test_a_bounded_loss_does_not_run_away(self):
        self.make(tables.priced_table())
        for label, least in (("price", -.1), ("price / 1000", .95)):
            with self.subTest(label):
                self.assertGreater(self.r2(f"a, b, {label} AS y", "lightgbm.gbdt WITH objective = 'fair', test_size = 0 LABEL y")[0], least)

    def test_networks_say_what_few_rows_and_narrow_labels_keep_from_them(self):
        self.make(tables.priced_table())
        train = "DNNRegressor WITH test_size = 0, model.hidden_units = [8], train.epoch = 200{} LABEL {}"
        few = "training rows hardly move predictions from the mean. WITH model.l2 = 0.001 the model follows such rows."
        narrow = "of their mean, and the loss is one of shares of the mean"
        year = "a, b, 2000 + near AS year"
        self.assertIn(narrow, " ".join(self.notices(year, train.format(", model.loss = 'poisson'", "year"))))
        self.assertNotIn(narrow, " ".join(self.notices(year, train.format("", "year"))))
        self.assertNotIn(narrow, " ".join(self.notices("a, b, near", train.format(", model.loss = 'poisson'", "near"))))
        self.make(["DELETE FROM t WHERE rowid > 4"])
        self.assertIn("with model.l2 = 0.75, 4 " + few, " ".join(self.notices("a, b, near", train.format("", "near"))))
        found, said = self.r2("a, b, near", train.format(", model.l2 = 0.001", "near"))
        self.assertGreater(found, .9)
        self.assertNotIn(few, " ".join(said))

    def test_labels_that_make_derivatives_small_are_named(self):
        self.make(tables.priced_table())
        for label, train, hint in (
                ("tiny", "XGBRegressor WITH objective = 'count:poisson',", "Divide the label in the SELECT"),
                ("tiny", "LGBMRegressor WITH objective = 'poisson',", "Divide the label in the SELECT"),
                ("price", "XGBRegressor WITH objective = 'reg:squaredlogerror',", "Divide the label in the SELECT")):
            with self.subTest(train):
                said = " ".join(self.notices(f"a, b, {label}", f"{train} test_size = 0 LABEL {label}"))
                self.assertIn("no tree has a split: the loss's second derivatives add up to ", said)
                self.assertIn(hint, said)
        said = " ".join(self.notices("a, b, price > 300000 AS dear", "XGBClassifier WITH test_size = 0 LABEL dear"))
        self.assertNotIn("no tree has a split", said)
        self.make(["DELETE FROM t WHERE rowid > 3", "UPDATE t SET near = rowid"])
        said = " ".join(self.notices("a, b, near > 1 AS dear", "XGBClassifier LABEL dear"))
        self.assertIn("WITH min_child_weight = 0 parts them", said)
        self.make(["DELETE FROM t WHERE rowid > 1"])
        said = " ".join(self.notices("a, b, near", "DecisionTreeRegressor LABEL near"))
        self.assertIn("no tree has a split: there is one training row", said)

    # ---- words in several spellings ----

    def test_words_and_classes_that_differ_in_spelling_alone_are_named(self):
        self.make(tables.spelled_table())
        for model in ("XGBClassifier", "LinearClassifier", "NaiveBayes"):
            with self.subTest(model):
                said = self.notices("city, gene, town, z, y", f"{model} WITH test_size = 0 LABEL y")
                self.assertEqual([notice for notice in said if "in capitals" in notice], [tables.SPELLED_WORDS, tables.SPELLED])
                said = self.notices(tables.SPELLED_ONE, f"{model} WITH test_size = 0 LABEL y")
                self.assertFalse([notice for notice in said if "in capitals" in notice], said)
        said = self.run_all("EXPLAIN SELECT city, z, y FROM t TO TRAIN XGBClassifier LABEL y INTO m")
        self.assertEqual([row[1] for row in said if "in capitals" in str(row[1])], [tables.SPELLED_WORDS, tables.SPELLED])

    def test_rows_whose_words_are_all_strange_are_named(self):
        self.make(tables.spelled_table())
        said = 'column "town": 300 of 300 rows have a value that the model has not learned, such as \'LYON\'. It knows \'Lyon\': a difference in ' \
            "capitals, spaces or characters that look alike makes another value."
        for model in ("XGBRegressor", "LinearRegressor"):
            with self.subTest(model):
                self.run_all(f"SELECT town, city, z FROM t WHERE town = 'Lyon' TO TRAIN {model} COLUMN city, VOCABULARY(town) LABEL z INTO m")
                for rows in ("upper(town) AS town", "'LYON' AS town"):
                    explained = self.run_all(f"EXPLAIN SELECT {rows}, city, z FROM t TO PREDICT guess USING m")
                    self.assertIn(said, [row[1] for row in explained if row[0] == "notice"])
                    self.assertIn(said, self.run_all(f"SELECT {rows}, city, z FROM t TO EVALUATE m")[0][-1])
                for rows, told in (("rowid % 10 = 0 THEN 'LYON'", "30 of 300 rows"), ("rowid % 100 = 1 THEN 'LYON'", "3 of 300 rows"),
                                   ("rowid % 150 = 1 THEN 'LYON'", None), ("rowid % 2 THEN 'Pau'", None),
                                   ("rowid % 9 = 0 THEN 'A' || rowid % 63 WHEN rowid % 9 = 1 THEN 'LYON'", "67 of 300 rows")):
                    noticed = self.run_all(f"SELECT CASE WHEN {rows} ELSE 'Lyon' END AS town, city, z FROM t TO EVALUATE m")[0][-1]
                    if told:
                        self.assertIn(f"{told} have a value that the model has not learned, such as 'LYON'. It knows 'Lyon'", noticed)
                    else:
                        self.assertNotIn("not learned", noticed)
                for rows in ("'Lyon' AS town", "NULL AS town"):
                    self.assertNotIn("not learned", self.run_all(f"SELECT {rows}, city, z FROM t TO EVALUATE m")[0][-1])
                    self.assertNotIn("not learned", str(self.run_all(f"EXPLAIN SELECT {rows}, city, z FROM t TO EVALUATE m")))
                self.assertNotIn("has not learned", self.run_all("SELECT 'LYON' AS town, city, z FROM t LIMIT 9 TO EVALUATE m")[0][-1])

    # ---- words that look alike, digits of other scripts ----

    def test_words_that_look_alike_are_named_with_sql_that_makes_them_one(self):
        self.make(tables.alike_table())
        for i, (_, _, points) in enumerate(tables.ALIKE):
            with self.subTest(points):
                said = [notice for notice in self.notices(f"c{i}, y", "LinearRegressor WITH epoch = 1 LABEL y") if "look like others" in notice]
                self.assertEqual(len(said), 1)
                self.assertIn(f"with {points} in 50 rows", said[0])
                cure = said[0].split(" rows. ")[1].split(" in SQLite, ")[0]
                self.assertNotIn("look like others", " ".join(self.notices(f"{cure}, y", "LinearRegressor WITH epoch = 1 LABEL y")))
        said = " ".join(self.notices("c0 AS y, plain", "XGBClassifier LABEL y"))
        self.assertIn('label column "y": 2 classes look like others', said)
        self.run_all(f"SELECT c0, y FROM t WHERE c0 <> '{tables.ALIKE[0][1]}' TO TRAIN LinearRegressor COLUMN VOCABULARY(c0) LABEL y INTO m")
        said = self.run_all(f"SELECT '{tables.ALIKE[0][1]}' AS c0, y FROM t TO EVALUATE m")[0][-1]
        self.assertIn(f"It knows '{tables.ALIKE[0][0]}'", said)

    def test_the_only_column_is_named_once(self):
        self.run_all("CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
                     "SELECT i || '.5 \u00b1 0.1' AS c, i * 1.0 AS y FROM n")
        said = self.notices("c, y", "LinearRegressor WITH epoch = 1 LABEL y")
        self.assertEqual(len([notice for notice in said if "look like 2 numbers" in notice]), 1)

    def test_digits_of_other_scripts_are_read(self):
        self.make(tables.alike_table())
        self.notices("plain, plain_day, y", "LinearRegressor LABEL y")
        wanted = self.run_all("SELECT totrain_predict('m', plain, plain_day) FROM t")
        for script in ("arabic", "wide"):
            with self.subTest(script):
                said = " ".join(self.notices(f"{script} AS plain, {script}_day AS plain_day, y", "LinearRegressor LABEL y"))
                self.assertIn("digits of other scripts, in 200 rows", said)
                self.assertEqual(self.run_all("SELECT totrain_predict('m', plain, plain_day) FROM t"), wanted)
                self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {script}, {script}_day) FROM t"), wanted)

    # ---- far labels and values, ids that are numbers, columns that are nearly one another ----

    def test_labels_far_from_all_others_are_named_by_all_that_learn_by_squares(self):
        self.make(tables.stays_table())
        quick = {"XGBRegressor": "n_estimators = 3", "RandomForestRegressor": "n_estimators = 3", "OLS": "test_size = 0", "xgboost.gblinear": "num_boost_round = 2"}
        for model in tables.SQUARING:
            with self.subTest(model):
                told = f"{model} WITH {quick.get(model, 'train.epoch = 1')} LABEL "
                said = self.notices("id, stop, far", told + "far")
                self.assertTrue([notice for notice in said if notice.startswith(tables.FAR_LABELS)], said)
                self.assertFalse([notice for notice in said if "alone predicts" in notice], said)  # one label is no leak
                self.assertFalse([notice for notice in self.notices("id, stop, liked", told + "liked") if "labels are far" in notice])
        for train in ("XGBRegressor WITH objective = 'reg:absoluteerror', n_estimators = 2", "DNNRegressor WITH model.loss = 'absolute_error', train.epoch = 1"):
            self.assertNotIn("labels are far", " ".join(self.notices("id, stop, far", f"{train} LABEL far")))

    def test_values_far_from_all_others_are_named_where_squares_are_summed(self):
        self.make(tables.stays_table())
        for train in ("OLS LABEL liked", "xgboost.gblinear WITH num_boost_round = 2 LABEL liked", "KMeans WITH n_clusters = 2", "PCA"):
            with self.subTest(train):
                columns = "wide, liked" if "LABEL" in train else "wide, paid"
                self.assertIn(tables.FAR_VALUES, " ".join(self.notices(columns, train)))
                self.assertNotIn("few values are far", " ".join(self.notices(columns.replace("wide", "id"), train)))

    def test_ids_are_named_though_each_tells_little_or_is_the_only_column(self):
        self.make(tables.stays_table())
        for columns, train in (("id, paid, liked", "LinearRegressor LABEL liked"), ("id, liked", "OLS LABEL liked"),
                               ("id, paid, liked > 0 AS likes", "LinearClassifier LABEL likes"), ("id, liked", "XGBRegressor LABEL liked")):
            with self.subTest(train, columns=columns):
                self.assertIn(tables.NAMED, " ".join(self.notices(columns, train)))
        self.assertNotIn("names", " ".join(self.notices("id, paid", "LinearRegressor LABEL paid")))
        self.assertNotIn("names", " ".join(self.notices("id, id * 1.0 + liked AS y", "LinearRegressor LABEL y")))

    def test_a_difference_of_two_columns_that_tells_is_named(self):
        self.make(tables.stays_table())
        for model in ("LinearRegressor", "XGBRegressor", "DNNRegressor"):
            with self.subTest(model):
                said = " ".join(self.notices("start, stop, paid", f"{model} LABEL paid"))
                self.assertIn(tables.DIFFERENT, said)
                self.assertIn("stop - start AS difference in the SELECT", said)
        self.assertNotIn("nearly the same", " ".join(self.notices("start, stop, stop - start AS difference, paid", "LinearRegressor LABEL paid")))
        self.assertNotIn("nearly the same", " ".join(self.notices("start, stop, paid", "OLS LABEL paid")))  # it finds them
        self.assertIn("julianday(stop) - julianday(start) AS days", " ".join(self.notices(
            "datetime(start, 'unixepoch') AS start, datetime(stop, 'unixepoch') AS stop, paid", "LinearRegressor LABEL paid")))

    def test_advice_that_is_followed_is_not_given(self):
        self.make(tables.stays_table())
        rare = "id, paid, paid > 120 AS y"
        self.assertIn("class_weight = 'balanced'", " ".join(self.notices(rare, "XGBClassifier WITH n_estimators = 3 LABEL y")))
        said = " ".join(self.notices(rare, "XGBClassifier WITH n_estimators = 3, class_weight = 'balanced' LABEL y"))
        self.assertIn("look at F1 or Recall.", said)
        self.assertNotIn("balanced", said)

    def test_seconds_since_1970_are_told_by_the_name_of_a_time(self):
        self.make(tables.stays_table())
        for column, sql in (("start AS created_at", "datetime(created_at, 'unixepoch') AS created_at"),
                            ("start * 1000 AS ts", "datetime(ts / 1000, 'unixepoch') AS ts")):
            said = [notice for notice in self.notices(f"{column}, id, liked", "LinearRegressor LABEL liked") if "since 1970, such as " in notice]
            self.assertEqual(len(said), 1)
            self.assertIn(sql, said[0])
        self.assertNotIn("since 1970", " ".join(self.notices("start AS price, start / 100 AS ts, liked", "LinearRegressor LABEL liked")))
        self.assertIn("holds dates", " ".join(self.notices(f"{sql.replace('/ 1000', '')}, liked".replace("(ts", "(start"), "LinearRegressor LABEL liked")))

    def test_classes_that_all_say_yes_or_no_are_named(self):
        self.make(tables.stays_table())
        many = "CASE WHEN liked > 0 THEN CASE id % 3 WHEN 0 THEN 'yes' WHEN 1 THEN 'Y' ELSE '1' END ELSE CASE id % 2 WHEN 0 THEN 'no' ELSE '0' END END"
        said = [notice for notice in self.notices(f"paid, {many} AS y", "LinearClassifier LABEL y") if "all mean yes or no" in notice]
        self.assertEqual(len(said), 1)
        cure = said[0].split(". ", 1)[1].split(" in the SELECT")[0]
        found = self.run_all(f"SELECT paid, {cure} FROM (SELECT paid, {many} AS y FROM t) TO TRAIN LinearClassifier LABEL y INTO m")
        self.assertNotIn("yes or no", str(found))
        self.assertIn("AUC", [row[0] for row in found])
        self.assertNotIn("yes or no", " ".join(self.notices("paid, CASE WHEN liked > 0 THEN 'yes' ELSE 'no' END AS y", "LinearClassifier LABEL y")))

    def test_quantiles_with_uneven_weights_are_told(self):
        self.make(tables.stays_table())
        train = "XGBRegressor WITH objective = 'reg:quantileerror', quantile_alpha = 0.9, n_estimators = 3, sample_weight = 'w' LABEL liked"
        self.assertIn("with weights from 1 to 100: gradients are rounded", " ".join(self.notices("paid, 1 + 99 * (id % 2) AS w, liked", train)))
        self.assertNotIn("gradients are rounded", " ".join(self.notices("paid, 1 + id % 9 AS w, liked", train)))

    def test_labels_whose_squares_vanish_are_named(self):
        self.make(tables.stays_table())
        for model in ("LinearRegressor", "XGBRegressor", "OLS"):
            self.assertIn("whose square is 0", " ".join(self.notices("paid, liked * 1e-300 AS y", f"{model} LABEL y")))
            self.assertNotIn("whose square", " ".join(self.notices("paid, liked * 1e-30 AS y", f"{model} LABEL y")))

    def test_weights_too_small_for_sums_are_told(self):
        self.make(tables.stays_table())
        with self.assertRaisesRegex(sqlite3.Error, "Only their ratios matter: multiply them in the SELECT"):
            self.run_all("SELECT id, paid, 1e-12 * (1 + id % 7) AS w, liked FROM t TO TRAIN OLS WITH sample_weight = 'w' LABEL liked INTO m")

    # ---- clusters ----

    def test_an_inertia_of_a_sample_says_so(self):
        self.run_all("CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 16999) "
                     "SELECT i * 7919 % 1009 AS a, i * 31 % 97 AS b FROM n")
        said = "Inertia is the sum over a sample of 16384 of 17000 training rows. TO EVALUATE measures all rows of its SELECT."
        for rows, told in (("big", True), ("big LIMIT 16000", False)):
            found = self.run_all(f"SELECT * FROM {rows} TO TRAIN KMeans WITH n_clusters = 2, n_init = 1, test_size = 0 INTO m")
            self.assertEqual(said in [row[3] for row in found if row[0] == "notice"], told, found)

    # ---- rows in another unit ----

    def told_of_units(self, statement):
        """Notices of units by EXPLAIN, and by the statement itself, which are the same where there are few rows."""
        explained = [row[1] for row in self.run_all(f"EXPLAIN {statement}") if row[0] == "notice"]
        return [notice for notice in explained if "8 of 10 training rows" in notice]

    def test_rows_in_another_unit_are_named_with_sql_that_converts_them(self):
        self.make(tables.units_table())
        for model in ("XGBRegressor", "LinearRegressor", "DNNRegressor", "OLS", "RandomForestRegressor"):
            with self.subTest(model):
                self.run_all(f"SELECT price, share, height, moment, degrees, y FROM t TO TRAIN {model} LABEL y INTO m")
                predict = f"SELECT {tables.IN_UNITS} FROM t TO PREDICT guess USING m"
                said = self.told_of_units(predict)
                self.assertEqual(len(said), len(tables.UNIT_CURES), said)
                for notice, (column, cure) in zip(said, tables.UNIT_CURES):
                    self.assertIn(tables.OUTSIDE.format(column), notice)
                    self.assertIn(tables.ANOTHER + cure + " in the SELECT", notice)
                cured = ", ".join(cure for _, cure in tables.UNIT_CURES)
                self.assertEqual(self.told_of_units(f"SELECT {cured} FROM (SELECT {tables.IN_UNITS} FROM t) t TO PREDICT guess USING m"), [])
                evaluated = self.run_all(f"SELECT {tables.IN_UNITS} FROM t TO EVALUATE m -- {model}")[0][-1]
                self.assertEqual([notice in evaluated for notice in said], [True] * len(said))
        for settings in ("", "WITH job.max_workers = 1 "):
            done = self.run_program(self.path, "-c", f"SELECT {tables.IN_UNITS} FROM t TO PREDICT out.guess {settings}USING m")
            self.assertEqual([f"NOTICE:  {notice}" in done.stderr for notice in said], [True] * len(said), done.stderr)

    def test_rows_of_which_a_part_has_another_unit_are_named(self):
        self.make(tables.units_table())
        self.run_all("SELECT price, share, height, moment, degrees, y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
        cents = "SELECT CASE WHEN rowid % 3 = 0 THEN price * 1000 ELSE price END AS price, share, height, moment, degrees, y FROM t"
        said = [row[1] for row in self.run_all(f"EXPLAIN {cents} TO PREDICT guess USING m") if row[0] == "notice"]
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], r'column "price": \d+ of 600 numbers lie above .* as in another unit than the others')
        cure = re.search(r"write (CASE WHEN price > \S+ THEN price / 1000.0 ELSE price END AS price) in the SELECT", said[0])
        mended = f"SELECT {cure.group(1)}, share, height, moment, degrees, y FROM ({cents}) t"
        self.assertEqual(self.told_of_units(f"{mended} TO PREDICT guess USING m"), [])

    def test_rows_that_drift_or_are_few_have_no_other_unit(self):
        self.make(tables.units_table())
        self.run_all("SELECT price, share, height, moment, degrees, y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
        for rows in ("t WHERE price > 60", "t WHERE degrees < 2", "t WHERE share > 0.9", "t LIMIT 3",
                     "(SELECT price * 1.6 AS price, share, height + 9 AS height, moment + 3000000 AS moment, degrees + 15 AS degrees FROM t) t",
                     "(SELECT price * 100 AS price, share, height, moment, degrees FROM t LIMIT 9) t"):
            self.assertEqual(self.told_of_units(f"SELECT * FROM {rows} TO PREDICT guess USING m"), [], rows)

    def test_a_column_of_texts_and_one_without_a_unit_are_named(self):
        self.make(tables.units_table())
        self.run_all("SELECT price, share, y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
        said = self.told_of_units("SELECT CAST(price * 100 AS TEXT) AS price, share + 1e5 AS share FROM t TO PREDICT guess USING m")
        self.assertIn("write CAST(price AS double precision) / 100.0 AS price in the SELECT", said[0])
        self.assertIn("If their unit or their zero differs from that of the training rows", said[1])
        for text, cure in (("", "CAST(NULLIF(trim(price), '') AS double precision) / 100.0 AS price"), ("NA", "make numbers of the texts")):
            texts = f"CASE WHEN rowid % 9 THEN CAST(price * 100 AS TEXT) ELSE '{text}' END AS price, share"
            said = self.told_of_units(f"SELECT {texts} FROM t TO PREDICT guess USING m")
            self.assertEqual([cure in notice for notice in said], [True], said)
        damaged = "UPDATE m SET data = '{}' WHERE part = 'statistics'"
        self.run_all(damaged)
        self.assertEqual(self.told_of_units("SELECT price * 100 AS price, share FROM t TO PREDICT guess USING m"), [])


if __name__ == "__main__":
    harness.main()
