"""Scoring by the names of the inputs, and the call that a model takes."""

import random
import sqlite3

import harness


class NamedScoring(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(5)
        self.database.execute("CREATE TABLE t (x REAL, colour TEXT, n INTEGER, y REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [
            (None if i % 9 == 0 else draw.gauss(0, 1), draw.choice(["red", "blue", "a \"b\" é"]), i,
             draw.gauss(0, 1)) for i in range(300)])
        self.run_all("SELECT x, colour, n, y FROM t TO TRAIN LinearRegressor WITH epochs = 3 LABEL y INTO m")
        self.in_order = self.run_all("SELECT totrain_predict('m', x, colour, n) FROM t")

    def fails(self, call, *parts):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.run_all(f"SELECT {call} FROM t")
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_names_in_any_order_are_the_same_row_to_the_last_bit(self):
        for values in ("totrain_named('n', n, 'x', x, 'colour', colour)",
                       "totrain_named('x', x), totrain_named('colour', colour, 'n', n)",
                       "totrain_named('X', x, 'COLOUR', colour, 'y', y, 'N', n)"):
            self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {values}) FROM t"), self.in_order)

    def test_an_object_of_json(self):
        """Its numbers have 15 digits in some versions of SQLite: whole ones are exact in all."""
        whole = self.run_all("SELECT totrain_predict('m', round(x), colour, n) FROM t")
        for values in ("json_object('n', n, 'colour', colour, 'x', round(x))",
                       "json_object('n', n), json_object('x', round(x), 'colour', colour, 'other', json('[1, {}]'))",
                       "'' || json_object('n', n, 'colour', colour, 'x', round(x))"):
            self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {values}) FROM t"), whole)
        near = self.run_all("SELECT totrain_predict('m', json_object('n', n, 'x', x, 'colour', colour)) FROM t")
        self.check_near([row[0] for row in near], [row[0] for row in self.in_order], 1e-12)
        bound = self.run_all("SELECT totrain_predict('m', ?)", ' {"colour": "a \\"b\\" \\u00e9", "n": 2, "x": null}')
        self.assertEqual(bound, self.run_all("SELECT totrain_predict('m', NULL, ?, 2)", 'a "b" é'))

    def test_every_function_takes_names(self):
        self.run_all("SELECT x, colour, n, x > 0 AS y FROM t WHERE x IS NOT NULL TO TRAIN XGBClassifier WITH "
                     "num_boost_round = 3 LABEL y INTO trees")
        self.run_all("SELECT x, n FROM t WHERE x IS NOT NULL TO TRAIN PCA WITH model.n_components = 2 INTO axes")
        for function, model in (("probability", "trees"), ("probabilities", "trees"), ("logits", "trees"),
                                ("shap", "trees"), ("leaf", "trees"), ("problem", "trees")):
            self.assertEqual(
                self.run_all(f"SELECT totrain_{function}('{model}', totrain_named('n', n, 'x', x, 'colour', colour)) "
                             "FROM t WHERE x IS NOT NULL"),
                self.run_all(f"SELECT totrain_{function}('{model}', x, colour, n) FROM t WHERE x IS NOT NULL"))
        self.assertEqual(
            self.run_all("SELECT totrain_component('axes', totrain_named('n', n, 'x', x), 2) FROM t WHERE x > 0"),
            self.run_all("SELECT totrain_component('axes', x, n, 2) FROM t WHERE x > 0"))

    def test_mistakes(self):
        self.fails("totrain_predict('m', json_object('x', x, 'n', n))",
                   'no value is called "colour", which the model takes', "The model takes x, colour, n.")
        self.fails("totrain_predict('m', totrain_named('x', x, 'n', n, 'color', colour))", 'no value is called "colour"')
        self.fails("totrain_predict('m', json('{}'))", 'no value is called "x"')
        self.fails("totrain_predict('m', totrain_named('x', x, 'colour', colour, 'n', n, 'X', 1))",
                   'the value of "X" is given twice')
        self.fails("totrain_predict('m', json('{\"x\": 1, \"x\": 2}'))", 'the value of "x" is given twice')
        self.fails("totrain_predict('m', x, totrain_named('colour', colour, 'n', n))",
                   "values by their names and values in the model's order stand in one call")
        self.fails("totrain_predict('m', '{\"x\": 1')", "malformed JSON", "json_object('x', x, 'y', y)")
        self.fails("totrain_named('x', x, 'n')", "a value after each name, and argument 3 is the last one")
        self.fails("totrain_named('x', x, n, 'n')", "argument 3 is no text, where a name is expected", "single quotes")
        self.fails("totrain_problem('m', json_object('x', x))", 'no value is called "colour"')

    def test_an_object_among_others_is_a_value(self):
        """A text of JSON can be an input, as it was before objects had a meaning."""
        self.run_all("CREATE TABLE d AS SELECT json_object('a', n % 3) AS doc, n, y FROM t")
        self.run_all("SELECT doc, n, y FROM d TO TRAIN LinearRegressor WITH epochs = 3 LABEL y INTO docs")
        self.run_all("SELECT doc, y FROM d TO TRAIN LinearRegressor WITH epochs = 3 LABEL y INTO doc")
        texts = self.run_all("SELECT totrain_predict('docs', doc, n), totrain_predict('doc', doc) FROM d")
        self.assertGreater(len(set(row[1] for row in texts)), 2)
        self.assertEqual(texts, self.run_all("SELECT totrain_predict('docs', json(doc), n), totrain_predict('doc', "
                                             "json_object('doc', doc)) FROM d"))

    def test_names_that_differ_in_capitals_alone(self):
        """No query of SQLite has such columns; other programs' models may."""
        self.run_all("SELECT x AS a, n AS b, y FROM t WHERE x IS NOT NULL TO TRAIN XGBRegressor WITH num_boost_round = 3 "
                     "LABEL y INTO one")
        exported = self.run_all("SELECT totrain_export_text('one', 'xgboost')")[0][0]
        self.assertEqual(exported.count('"b"'), 1)
        self.run_all("SELECT totrain_import_model('two', ?)", exported.replace('"b"', '"A"'))
        self.assertEqual(self.run_all("SELECT totrain_call('two')"), [("""totrain_predict('two', "a", "A")""",)])
        wanted = self.run_all("SELECT totrain_predict('one', x, n) FROM t")
        self.assertGreater(len(set(wanted)), 3)
        self.assertEqual(self.run_all("SELECT totrain_predict('two', totrain_named('A', n, 'a', x)) FROM t"), wanted)

    def test_the_call_to_copy(self):
        self.assertEqual(self.run_all("SELECT totrain_call('m')"), [("""totrain_predict('m', "x", "colour", "n")""",)])
        call = self.run_all("SELECT totrain_call('m')")[0][0]
        self.assertEqual(self.run_all(f"SELECT {call} FROM t"), self.in_order)
        self.fails("totrain_call('nosuch')", 'there is no model "nosuch"')
        self.fails("totrain_call(5)", "the first argument is the model's name in quotes")
        columns = ", ".join(f'{i} + n AS "c {i}"' for i in range(120))
        self.run_all(f"CREATE TABLE wide AS SELECT {columns}, y FROM t")
        self.run_all("SELECT * FROM wide TO TRAIN LinearRegressor WITH epochs = 1 LABEL y INTO \"it's wide\"")
        call = self.run_all("""SELECT totrain_call('"it''s wide"')""")[0][0]
        self.assertIn('''totrain_predict('"it''s wide"', totrain_row("c 0", ''', call)
        self.assertEqual(self.run_all(f"SELECT {call} FROM wide"),
                         [row[-1:] for row in self.run_all("SELECT * FROM wide TO PREDICT USING \"it's wide\"")])


if __name__ == "__main__":
    harness.main()
