"""SHAP values: what each input adds to the outputs of a row, by PREDICT, the functions and TO EXPLAIN.

tests/exchange has models of XGBoost and LightGBM, rows, and the SHAP values that these programs give.
"""

import json
import pathlib
import sqlite3

import harness

STORED = pathlib.Path(__file__).resolve().parents[1] / "exchange"
COLUMNS = ("a", "b", "c", "d", "colour")
BASE = "(base)"


class Shap(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.database.row_factory = sqlite3.Row
        self.run_all("CREATE TABLE rows (a REAL, b REAL, c REAL, d REAL, colour TEXT, y INTEGER, z REAL, kind TEXT)")
        with open(STORED / "rows.txt", encoding="utf-8", newline="\n") as file:
            lines = [[cell or None for cell in line.rstrip("\n").split("\t")] for line in file]
        self.database.executemany("INSERT INTO rows (a, b, c, d, colour) VALUES (?, ?, ?, ?, ?)", lines)
        self.run_all("UPDATE rows SET y = coalesce(a, 0) + coalesce(b, 0) > 0, z = max(-3, min(3, coalesce(b, 0))) + "
                     "max(-3, min(3, coalesce(c, 0))) * (colour = 'red' OR colour IS NULL), "
                     "kind = CASE WHEN a > 0.5 THEN 'up' WHEN a > -0.5 THEN 'flat' ELSE 'down' END")

    def train(self, model, more="", table="rows", label="y", into="m"):
        self.run_all(f"SELECT a, b, c, d, colour, {label} FROM {table} TO TRAIN {model}{more} LABEL {label} INTO {into}")

    def shares(self, rows="rows", model="m"):
        return [json.loads(row[0]) for row in
                self.run_all(f"SELECT totrain_shap('{model}', a, b, c, d, colour) FROM {rows} ORDER BY rowid")]

    def explain(self, more="USING SHAP", table="rows", model="m"):
        return [dict(row) for row in self.run_all(f"SELECT * FROM {table} TO EXPLAIN {model} {more}")]

    def refused(self, pattern, sql):
        with self.assertRaisesRegex(sqlite3.Error, pattern):
            self.run_all(sql)

    def test_imported_models_have_the_values_that_their_programs_give(self):
        for path in STORED.glob("*.shares"):
            with self.subTest(path.stem):
                model = next(file for file in STORED.glob(f"{path.stem}.*") if file.suffix in (".json", ".ubj", ".txt"))
                self.run_all("SELECT totrain_import_model('m', ?)", model.read_bytes())
                theirs = [[float(share) for share in line.split()] for line in path.read_text().splitlines()]
                self.assertEqual(len(theirs), 60)
                for expected, found in zip(theirs, self.shares()):
                    of_outputs = [found] if BASE in found else found.values()
                    found = [of_output[name] for of_output in of_outputs for name in (*COLUMNS, BASE)]
                    self.assertEqual(len(found), len(expected))
                    for share, other in zip(found, expected):
                        self.assertLessEqual(abs(share - other), 1e-6 * max(1, abs(other)))

    def test_they_add_up_to_the_outputs(self):
        for number, (model, label) in enumerate((("XGBClassifier", "y"), ("LGBMRegressor", "z"), ("XGBClassifier", "kind"),
                             ("RandomForestRegressor", "z"))):
            with self.subTest(model, label=label):
                self.train(model, " WITH n_estimators = 12", label=label, into=f"m{number}")
                rows = self.run_all("SELECT * FROM rows TO PREDICT guess WITH predict.extra_outputs = ['score', 'shap'] "
                                    f"USING m{number}")
                self.assertEqual(len(rows), 300)
                for row in rows:
                    shares, score = json.loads(row["shap"]), row["score"]
                    score = json.loads(score) if isinstance(score, str) else [score]
                    of_outputs = [shares] if BASE in shares else list(shares.values())
                    self.assertEqual(len(of_outputs), len(score))
                    for of_output, output in zip(of_outputs, score):
                        self.assertLessEqual(abs(sum(of_output.values()) - output), 1e-5 * max(1, abs(output)))

    def test_explain_has_the_means_of_all_rows(self):
        self.train("XGBClassifier", " WITH n_estimators = 12")
        shares = self.shares()
        found = self.explain()
        self.assertEqual(list(found[0]), ["input", "importance", "direction", "base"])
        self.assertEqual([row["input"] for row in found], sorted(COLUMNS, key=lambda name: -next(
            row["importance"] for row in found if row["input"] == name)))
        for row in found:
            mean = sum(abs(of_row[row["input"]]) for of_row in shares) / len(shares)
            self.assertAlmostEqual(row["importance"], mean, 12)
            self.assertEqual(row["base"], shares[0][BASE])
        by_input = {row["input"]: row for row in found}
        self.assertGreater(min(by_input[name]["importance"] for name in "ab"),
                           max(by_input[name]["importance"] for name in ("c", "d", "colour")))
        self.assertIsNone(by_input["colour"]["direction"])
        self.assertGreater(by_input["b"]["direction"], 0)

    def test_neither_label_nor_order_of_rows_matters(self):
        self.train("XGBClassifier", " WITH n_estimators = 12")
        found = self.explain()
        self.run_all("CREATE TABLE turned AS SELECT colour, d, c, b, a FROM rows ORDER BY b, a, c, d")
        for name in ("TreeExplainer", "XGBoostExplainer", "shap"):
            self.assertEqual(self.explain(f"USING {name}", "turned"), found)
        few = self.explain("WITH explain.rows = 50 USING SHAP")
        self.assertEqual(self.explain("WITH explain.rows = 50 USING SHAP", "turned"), few)
        self.assertNotEqual(few, found)

    def test_outputs_of_several_classes_and_quantiles_have_rows_of_their_own(self):
        self.train("XGBClassifier", " WITH n_estimators = 5", label="kind")
        found = self.explain()
        self.assertEqual([(row["input"], row["class"]) for row in found[:3]], [("a", "down"), ("a", "flat"), ("a", "up")])
        self.assertEqual(len(found), 15)
        self.assertLess(found[0]["direction"], 0)
        self.assertGreater(found[2]["direction"], 0)
        self.assertEqual(set(self.shares()[0]), {"down", "flat", "up"})
        self.train("XGBRegressor", " WITH objective = 'reg:quantileerror', quantile_alpha = [0.25, 0.75], n_estimators = 3",
                   label="z", into="q")
        self.assertEqual({row["quantile"] for row in self.explain(model="q")}, {0.25, 0.75})
        self.assertEqual(set(self.shares(model="q")[0]), {"0.25", "0.75"})

    def test_a_linear_model_is_measured_from_the_mean_of_the_rows(self):
        self.run_all("CREATE TABLE near AS SELECT * FROM rows WHERE abs(a) < 3 AND abs(b) < 3 AND abs(c) < 3 AND abs(d) < 9")
        self.train("LinearRegressor", " WITH train.epoch = 5", "near", "z")
        weights = dict(self.run_all("SELECT name, value FROM m WHERE part = 'weight'"))
        rows = self.run_all("SELECT * FROM near")
        found = {row["input"]: row for row in self.explain("USING LinearExplainer", "near")}
        for name in "abcd":
            mean = sum(row[name] for row in rows) / len(rows)
            far = sum(abs(row[name] - mean) for row in rows) / len(rows)
            self.assertAlmostEqual(found[name]["importance"], abs(weights[name]) * far, 5)
            self.assertAlmostEqual(found[name]["direction"], 1 if weights[name] > 0 else -1, 9)
        predicted = self.run_all("SELECT avg(totrain_predict('m', a, b, c, d, colour)) FROM near")[0][0]
        self.assertAlmostEqual(found["a"]["base"], predicted, 5)
        self.refused("SHAP values of a LinearRegressor are not supported yet",
                     "SELECT totrain_shap('m', a, b, c, d, colour) FROM rows")
        self.refused("shap", "SELECT * FROM rows TO PREDICT guess WITH predict.extra_outputs = 'shap' USING m")

    def test_pictures_are_columns_of_text(self):
        self.train("XGBClassifier", " WITH n_estimators = 12")
        bars = self.explain("WITH summary.plot_type = \"bar\", summary.alpha = 1, summary.sort = True USING TreeExplainer")
        self.assertEqual(bars[0]["bar"], "█" * 20)
        self.assertTrue(all(len(row["bar"]) <= 20 for row in bars))
        dots = self.explain("WITH summary.plot_type = 'dot'")
        self.assertEqual([row["input"] for row in dots], [row["input"] for row in bars])
        self.assertTrue(all(len(row["dots"]) == 20 and "█" in row["dots"] for row in dots))
        points = self.explain("WITH summary.plot_type = 'points', explain.rows = 150")
        self.assertEqual([row["input"] for row in points], [row["input"] for row in self.explain("WITH explain.rows = 150 USING SHAP")])
        for row in points:
            places, shares = zip(*json.loads(row["points"]))
            self.assertEqual(len(shares), min(150, self.run_all("SELECT count(*) FROM rows")[0][0]))
            self.assertAlmostEqual(sum(map(abs, shares)) / len(shares), row["importance"], 4)
            known = {place for place in places if place is not None}
            self.assertEqual(known and (min(known), max(known)), (0, 1) if row["input"] != "colour" else set())
        unsorted = self.explain("WITH summary.sort = False, summary.max_display = 2 USING SHAP")
        self.assertEqual([row["input"] for row in unsorted], ["a", "b"])
        permuted = self.explain("WITH summary.plot_type = bar, summary.max_display = 2, explain.repeats = 1")
        self.assertEqual(list(permuted[0]), ["input", "importance", "deviation", "metric", "baseline", "bar"])
        self.assertEqual((len(permuted), permuted[0]["bar"]), (2, "█" * 20))

    def test_into_makes_a_table(self):
        self.train("XGBClassifier", " WITH n_estimators = 5")
        found = self.explain()
        self.assertEqual(self.explain("USING SHAP INTO why")[0]["rows"], 5)
        self.assertEqual([dict(row) for row in self.run_all("SELECT * FROM why")], found)

    def measured_by_hand(self, model, columns, rows, function):
        """The mean of |SHAP value| of each of two columns, and the base, from the definition: all rows are the background."""
        first, second = columns
        score = f"json_extract('[' || trim({function}('{model}', {{}}.{first}, {{}}.{second}), '[]') || ']', '$[0]')"
        (one, other, base), = self.run_all(f"""
            WITH background AS (SELECT * FROM {rows} LIMIT 64), found AS (SELECT
              avg(({score.format('x', 'b')} - {score.format('b', 'b')} + {score.format('x', 'x')} - {score.format('b', 'x')}) / 2) AS one,
              avg(({score.format('b', 'x')} - {score.format('b', 'b')} + {score.format('x', 'x')} - {score.format('x', 'b')}) / 2) AS other,
              avg({score.format('b', 'b')}) AS base
            FROM {rows} AS x CROSS JOIN background AS b GROUP BY x.rowid) SELECT avg(abs(one)), avg(abs(other)), avg(base) FROM found""")
        return {first: one, second: other}, base

    def test_networks_have_those_of_two_columns_exactly(self):
        self.run_all("CREATE TABLE few AS SELECT * FROM rows LIMIT 64")
        for model, columns, label, function in (("DNNRegressor", ("b", "colour"), "z", "totrain_predict"),
                                                ("DNNClassifier", ("a", "b"), "y", "totrain_logits"),
                                                ("MatrixFactorization", ("kind", "colour"), "z", "totrain_predict"),
                                                ("DCNClassifier", ("b", "colour"), "y", "totrain_logits"),
                                                ("NaiveBayes", ("a", "b"), "y", "totrain_logits")):
            with self.subTest(model):
                self.run_all(f"SELECT {', '.join(columns)}, {label} FROM rows TO TRAIN {model} LABEL {label} INTO m")
                wanted, base = self.measured_by_hand("m", columns, "few", function)
                found = {row["input"]: row for row in self.explain(table="few")}
                for column in columns:
                    self.assertAlmostEqual(found[column]["importance"], wanted[column], 4)
                    self.assertAlmostEqual(found[column]["base"], base, 4)

    def test_networks_of_many_columns_have_nearly_those_of_all_orders(self):
        self.train("DNNRegressor", " WITH train.epoch = 60", label="z")
        found = {row["input"]: row["importance"] for row in self.explain()}
        self.assertEqual(found, {row["input"]: row["importance"] for row in self.explain(table="(SELECT * FROM rows ORDER BY random())")})
        self.assertEqual(list(found)[:3], ["b", "c", "colour"])
        self.train("DNNClassifier", label="kind", into="n")
        found = self.explain(model="n", more="USING KernelExplainer")
        self.assertEqual(len(found), 3 * len(COLUMNS))
        self.assertEqual({row["input"] for row in found[:3]}, {"a"})

    def test_what_has_none_is_refused(self):
        self.train("DNNClassifier", " WITH hidden_units = [4], train.epoch = 1")
        self.run_all("SELECT a, b FROM rows TO TRAIN KMeans WITH n_clusters = 2 INTO k")
        self.refused("SHAP values of a KMeans are not supported yet", "SELECT * FROM rows TO EXPLAIN k USING SHAP")
        self.refused("SHAP values of a DNNClassifier", "SELECT totrain_shap('m', a, b, c, d, colour) FROM rows")
        self.train("XGBClassifier", " WITH n_estimators = 5")
        self.refused("returns no rows to explain", "SELECT * FROM rows WHERE 0 TO EXPLAIN m USING SHAP")
        self.refused("no column \"colour\"", "SELECT a, b, c, d FROM rows TO EXPLAIN m USING SHAP")


if __name__ == "__main__":
    harness.main()
