"""Notices of TRAIN on columns that give the label away, and on models that have learned nothing."""

import random

import harness

ROWS = 1500
CHANCE = "the model is no better than the most frequent class: of 150 validation rows"


class Notices(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        choice = random.Random(3)
        rows = []
        for _ in range(ROWS):
            a, noise, kind = choice.gauss(0, 1), choice.random(), choice.choice("xyz")
            left = int(a + choice.gauss(0, 1) > 0)
            rows.append((a, noise, left, f"2026-01-{choice.randint(1, 28):02}" if left else None, kind,
                         kind + choice.choice("123456"), a * 3 - 1, int(a + choice.gauss(0, 1) > 2.7)))
        self.fill("t (a REAL, noise REAL, left_us INT, ended TEXT, kind TEXT, code TEXT, twin REAL, rare INT)", rows)
        self.fill("turned (a REAL, noise REAL, left_us INT, ended TEXT, kind TEXT, code TEXT, twin REAL, rare INT)", rows[::-1])

    def fill(self, table, rows):
        self.database.execute(f"CREATE TABLE {table}")
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO {table.split()[0]} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self.database.execute("COMMIT")

    def notices(self, columns, label, model="LinearClassifier", more="", table="t"):
        found = self.database.execute(f"SELECT {columns}, {label} FROM {table} TO TRAIN {model} WITH train.epoch = 3{more} "
                                      f"LABEL {label} INTO m").fetchall()
        notices = [row[3] for row in found if row[0] == "notice"]
        shown = [row[1] for row in self.database.execute("SHOW MODEL m") if row[0] == "notice"]
        self.assertEqual(shown, notices)
        return notices

    def test_trees_without_a_split_say_which_limit_leaves_none(self):
        database = self.connect(isolation_level=None)
        for number, (rows, settings, wanted) in enumerate((
                (30, "", "min_data_in_leaf = 20 needs 40 training rows, and there are 30"),
                (200, ", gamma = 1e9", "gains more than gamma = 1e"), (200, "", None))):
            with self.subTest(rows=rows, settings=settings):
                database.execute(f"CREATE TABLE few{number} (x REAL, y REAL)")
                database.executemany(f"INSERT INTO few{number} VALUES (?, ?)", [(i, 2. * i) for i in range(rows)])
                found = database.execute(f"SELECT * FROM few{number} TO TRAIN LGBMRegressor WITH n_estimators = 5, test_size = 0"
                                         f"{settings} LABEL y INTO few_model").fetchall()
                said = [str(row) for row in found if "no tree has a split" in str(row)]
                self.assertEqual(len(said), int(wanted is not None), found)
                if wanted:
                    self.assertIn(wanted, said[0])

    def test_a_column_that_gives_the_label_away_is_named(self):
        for columns, label, model, finding in (
                ("a, noise, ended", "left_us", "LinearClassifier", 'column "ended.'),
                ("a, noise, code", "kind", "LinearClassifier", 'column "code" alone predicts "kind": right in 100 % of 67'),
                ("noise, twin, kind", "a", "LinearRegressor", 'column "twin" alone predicts "a": R2 ')):
            with self.subTest(columns):
                notices = [text for text in self.notices(columns, label, model) if "alone predicts" in text]
                self.assertTrue(notices and all(text.startswith(finding) for text in notices), notices)
                self.assertIn("Is it known before the label is? If not, leave it out of the SELECT.", notices[0])
                for more, table in ((", job.min_workers = 2", "t"), ("", "turned")):
                    self.assertEqual([text for text in self.notices(columns, label, model, more, table)
                                      if "alone predicts" in text], notices)

    def test_a_column_that_tells_much_is_none(self):
        self.assertEqual(self.notices("a, noise, kind", "left_us"), [])
        self.assertEqual(self.notices("a", "twin", "LinearRegressor"), [])  # it is there to predict

    def test_a_model_that_has_learned_nothing_is_named(self):
        self.assertTrue(self.notices("noise, code", "left_us")[0].startswith(CHANCE))
        self.assertTrue(self.notices("noise, left_us", "kind", "DNNClassifier")[0].startswith(CHANCE))
        self.assertTrue(self.notices("noise, code", "a", "LinearRegressor")[0].startswith(
            "the model is no better than the mean: its RMSE is "))

    def test_a_rare_class_that_is_never_predicted_is_named(self):
        found = self.notices("a, noise", "rare", more=", model.l2 = 0.3")
        self.assertRegex(" ".join(found), "predicts the most frequent class of all 1[0-9]+ validation rows.*class_weight = 'balanced'")
        self.assertNotIn("predicts the most", " ".join(self.notices("a, noise", "rare", more=", train.class_weight = 'balanced'")))

    def test_labels_that_rather_are_numbers_are_named_before_training_and_after(self):
        train = ("SELECT noise, rowid % {} AS number FROM t TO TRAIN LinearClassifier WITH train.epoch = 1 "
                 "LABEL number INTO m")
        for numbers, is_said in ((30, False), (31, True), (1500, True)):
            explained = [detail for item, detail in self.database.execute("EXPLAIN " + train.format(numbers))
                         if item == "notice"]
            self.assertEqual([text for text in explained if "is a class of its own" in text], explained)
            self.assertEqual(bool(explained), is_said)
            if is_said:
                self.assertIn(f'has {min(numbers, 1000)} different numbers in 1000 sampled rows', explained[0])
                self.assertIn("Did you mean to predict the number?", explained[0])
        trained = self.database.execute(train.format(31)).fetchall()
        self.assertTrue(any("has 31 different numbers, and each" in str(row[3]) for row in trained))

    def test_a_label_that_is_one_number_gets_no_other_advice(self):
        self.database.execute("CREATE TABLE flat AS SELECT noise, 7 AS y FROM t")
        for model in ("DNNRegressor", "XGBRegressor", "LinearRegressor"):
            with self.subTest(model):
                more = ", train.epoch = 3" if model != "XGBRegressor" else ""
                found = self.database.execute(f"SELECT * FROM flat TO TRAIN {model} WITH test_size = 0{more} LABEL y INTO m").fetchall()
                self.assertEqual([row[3] for row in found if row[0] == "notice" and "in all" not in row[3]], [])

    def test_a_column_that_explains_nothing_is_no_reason(self):
        self.database.execute("CREATE TABLE rare AS SELECT noise, 'w' || (rowid % 5) AS w, rowid = 5 AS y FROM t")
        found = self.database.execute("SELECT * FROM rare TO TRAIN NaiveBayes WITH test_size = 0 LABEL y INTO m").fetchall()
        self.assertFalse([row[3] for row in found if "alone explains 0" in str(row[3])], found)

    def test_of_little_nothing_is_said(self):
        self.database.execute("DELETE FROM t WHERE rowid > 40")
        self.assertFalse([text for text in self.notices("noise, code, twin, ended", "left_us") if "alone" in text or "no better" in text])


if __name__ == "__main__":
    harness.main()
