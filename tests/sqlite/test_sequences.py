"""SEQUENCE: numbers and words in order, of which the last ones count, in training and wherever the model scores."""

import json
import sqlite3

import harness

CELLS = ("3,1,2", "[4, 5, 6, 7]", "{8,NULL}", "9 10", "", None, "11", "[]", '["12", 13]')
# The last three numbers of each cell.
NUMBERS = ((3, 1, 2), (5, 6, 7), (None, 8, None), (None, 9, 10), (None,) * 3, (None,) * 3, (None, None, 11), (None,) * 3,
           (None, 12, 13))
PATHS = ("home,search,buy", '["home", "search"]', "home,cart,cart,buy", "search,search,home", "{cart,buy}", "", None)
WITH = "train.epoch = 3, train.batch_size = 16, train.test_size = 0, job.min_workers = 1, job.max_workers = 1"
ROUNDS = "train.num_boost_round = 4, train.test_size = 0"
WORDS = "EMBEDDING(SEQUENCE(path, 3), 4)"


class Sequences(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT, path TEXT, a REAL, b REAL, c REAL, y REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", [
            (i, CELLS[i % 9], PATHS[i % 7], *NUMBERS[i % 9], (NUMBERS[i % 9][2] or 0) + (i % 7 in (0, 2, 4)))
            for i in range(126)])

    def train(self, columns, model="LinearRegressor", more="", names="s, path, y", table="t"):
        return self.run_all(f"SELECT {names} FROM {table} TO TRAIN {model} WITH "
                            f"{ROUNDS if 'boost' in model else WITH}{more} COLUMN {columns} LABEL y INTO m")

    def meta(self):
        return json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])

    def predicted(self, names="s, path", table="t"):
        self.run_all(f"SELECT n, {names} FROM {table} TO PREDICT found.guess USING m")
        return [row[0] for row in self.run_all("SELECT guess FROM found ORDER BY n")]

    def test_numbers_are_those_of_a_table_of_their_own(self):
        for model in ("LinearRegressor", "xgboost.gbtree"):
            self.train("SEQUENCE(s, 3)", model)
            ours = self.predicted()
            self.train("a, b, c", model, names="a, b, c, y")
            self.assertEqual(ours, self.predicted("a, b, c"), model)

    def test_inputs_are_named_and_the_model_names_its_encoder(self):
        self.train("SEQUENCE(s, 3), INDICATOR(SEQUENCE(path, 2))")
        meta = self.meta()
        self.assertEqual([one["name"] for one in meta["inputs"]], ["s[1]", "s[2]", "s[3]", "SEQUENCE(path)"])
        self.assertEqual((meta["format"], meta["encoders"]), (21, ["sequence of numbers", "sequence"]))
        # Words that no row keeps are in no vocabulary: home stands in front in all texts but those of two items or one less.
        words = [row[0] for row in self.run_all("SELECT data FROM m WHERE part = 'vocabulary' ORDER BY position")]
        self.assertEqual(sorted(map(str, words)), ["buy", "cart", "home", "search"])
        self.train("path", names="path, y")
        self.assertNotIn("encoders", self.meta())

    def test_the_length_is_found_from_all_rows(self):
        """Also from rows behind those that are looked at first."""
        self.run_all("CREATE TABLE long (s TEXT, path TEXT, y REAL)")
        self.database.executemany("INSERT INTO long VALUES (?, ?, ?)",
                                  [("1,2", "a,b", i % 3) for i in range(1500)] + [("1,2,3,4", "a,b,c,d,e", 1)])
        self.train("SEQUENCE(s), INDICATOR(SEQUENCE(path))", table="long")
        inputs = self.meta()["inputs"]
        self.assertEqual([one["name"] for one in inputs][:4], ["s[1]", "s[2]", "s[3]", "s[4]"])
        self.assertEqual((len(inputs), inputs[4]["words_max"]), (5, 5))
        explained = dict(self.run_all("EXPLAIN SELECT path, y FROM long TO TRAIN LinearRegressor COLUMN "
                                      "INDICATOR(SEQUENCE(path)) LABEL y INTO m2"))
        self.assertIn("a sequence, the last 2 of its words, of up to 10000 different ones, by their sum",
                      explained["input SEQUENCE(path)"])

    def test_words_that_stand_in_front_do_not_count(self):
        self.train(WORDS, "WideAndDeepRegressor")
        short, = self.run_all("SELECT totrain_predict('m', 'cart,cart,buy')")
        for cell in ("home,cart,cart,buy", '["search", "cart", "cart", "buy"]', "{x,cart,buy,cart}"):
            self.assertEqual(self.run_all("SELECT totrain_predict('m', ?)", cell), [short], cell)
        self.assertNotEqual(self.run_all("SELECT totrain_predict('m', 'home,cart,buy')"), [short])

    def test_each_door_predicts_the_same(self):
        self.train(WORDS + ", SEQUENCE(s, 3)", "WideAndDeepRegressor")
        ours = self.predicted()
        self.assertEqual(ours, [row[0] for row in self.run_all("SELECT totrain_predict('m', s, path) FROM t ORDER BY n")])
        shown = dict(row[:2] for row in self.run_all("SHOW MODEL m"))
        self.assertIn("a sequence, the last 3 of its words, by their mean", shown["input SEQUENCE(path)"])
        self.assertIn("input s[3]", shown)

    def test_the_order_of_rows_does_not_count(self):
        self.train(WORDS, "DNNRegressor")
        first = self.model_digest()
        self.run_all("CREATE TABLE backwards AS SELECT * FROM t ORDER BY n DESC")
        self.train(WORDS, "DNNRegressor", table="backwards")
        self.assertEqual(self.model_digest(), first)

    def test_hostile_cells_are_bad_rows(self):
        hostile = ("[" * 3000, "[1", '["\\u0000"]', '{"a": 1}', "[[1]]", '["a" "b"]')
        for cell in hostile:
            self.database.execute("UPDATE t SET path = ? WHERE n = 5", (cell,))
            with self.assertRaisesRegex(sqlite3.Error, 'column "path" holds .* where a sequence of words was expected'):
                self.train(WORDS, "DNNRegressor")
        self.train(WORDS, "DNNRegressor", ", train.bad_rows = 'skip'")
        self.assertEqual(self.meta()["rows"], 125)
        with self.assertRaisesRegex(sqlite3.Error, "a sequence of words was expected"):
            self.predicted()
        for cell in ("1e400,1", "[1e400]", "1,x"):
            self.database.execute("UPDATE t SET s = ? WHERE n = 6", (cell,))
            with self.assertRaisesRegex(sqlite3.Error, 'column "s" holds .* where a sequence of numbers was expected'):
                self.train("SEQUENCE(s, 3)")

    def test_long_texts_and_any_bytes_are_words(self):
        self.database.execute("UPDATE t SET path = ? WHERE n = 5", ("x," * 100000 + "buy",))
        self.database.execute("UPDATE t SET path = CAST(x'ff2cfe' AS TEXT) WHERE n = 6")
        self.train(WORDS, "DNNRegressor")
        self.assertEqual(len(self.predicted()), 126)

    def test_a_model_is_gone_on_from(self):
        self.train(WORDS, "WideAndDeepRegressor")
        before = self.model_digest()
        self.run_all(f"SELECT path, y FROM t TO TRAIN WideAndDeepRegressor WITH {WITH} LABEL y USING m INTO m2")
        self.assertNotEqual(self.model_digest("m2"), before)
        self.assertEqual(len(self.run_all("SELECT totrain_predict('m2', 'home,buy')")), 1)

    def test_a_model_that_needs_what_is_not_there_says_what(self):
        self.train(WORDS, "DNNRegressor")
        self.run_all("UPDATE m SET data = replace(data, '\"encoders\":[\"sequence\"]', '\"encoders\":[\"sequence\",\"graph\"]') "
                     "WHERE part = 'meta'")
        with self.assertRaisesRegex(sqlite3.Error, 'the model needs the encoder "graph", which this version does not have'):
            self.predicted()


if __name__ == "__main__":
    harness.main()
