"""Trees under constraints, from the statement to predictions."""

import random

import harness

ROWS = 1500
STEPS = [i / 40 for i in range(41)]


def table():
    """A price that rises with size and falls with distance in the large, and waves besides."""
    draw = random.Random(5)
    for _ in range(ROWS):
        size, distance, noise = draw.random(), draw.random(), draw.random()
        city = draw.choice("abcdef")
        price = 3 * size - 2 * distance + 0.6 * (int(size * 16) % 2) - 0.6 * (int(distance * 16) % 2)
        price += (city in "bdf") * distance + noise * size + draw.gauss(0, 0.1)
        yield size if draw.random() > 0.05 else None, distance, noise, city, price


class Constraints(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("BEGIN")
        self.run_all("CREATE TABLE homes (size REAL, distance REAL, noise REAL, city TEXT, price REAL)")
        self.database.executemany("INSERT INTO homes VALUES (?, ?, ?, ?, ?)", table())
        steps = ", ".join(f"({step})" for step in STEPS)
        self.run_all("CREATE TABLE places AS SELECT distance, noise, city FROM homes LIMIT 60")
        self.run_all(f"CREATE TABLE steps AS SELECT column1 AS step FROM (VALUES {steps})")
        self.run_all("COMMIT")

    def train(self, into, constraints, estimator="XGBRegressor"):
        more = f", {constraints}" if constraints else ""
        return harness.facts(self.run_all(
            f"SELECT * FROM homes TO TRAIN {estimator} WITH n_estimators = 20{more} LABEL price INTO {into}"))

    def curves(self, model, column):
        """Predictions for each place while the column grows step by step."""
        inputs = {"size": "step, distance", "distance": "0.5, step"}[column]
        found = self.run_all(f"SELECT places.rowid, totrain_predict('{model}', {inputs}, noise, city) "
                             "FROM places, steps ORDER BY places.rowid, step")
        curves = {}
        for place, price in found:
            curves.setdefault(place, []).append(price)
        return list(curves.values())

    def moves(self, model, column):
        """How often the prediction rises and falls."""
        pairs = [pair for curve in self.curves(model, column) for pair in zip(curve, curve[1:])]
        return sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)

    def test_predictions_rise_and_fall_as_the_statement_says(self):
        for estimator, constraints in (("XGBRegressor", "monotone_constraints = '(1, -1)'"),
                                       ("LGBMRegressor", "mc = '1,-1,0,0'"),
                                       ("RandomForestRegressor", """monotonic_cst = '{"size": 1, "distance": -1}'""")):
            with self.subTest(estimator):
                self.train("free", "", estimator)
                self.assertGreater(min(self.moves("free", "size") + self.moves("free", "distance")), 100)
                score = self.train("m", constraints, estimator)
                rises, falls = self.moves("m", "size")
                self.assertGreater(rises, 100)
                self.assertEqual(falls, 0)
                rises, falls = self.moves("m", "distance")
                self.assertEqual(rises, 0)
                self.assertGreater(falls, 100)
                self.assertGreater(score["R2"], 0.8)

    def test_columns_of_different_groups_do_not_act_together(self):
        """Then the effect of a size is the same wherever the home is."""
        self.train("free", "")
        self.train("m", "interaction_constraints = '[[size, noise], [distance, city]]'")
        for model, is_free in (("free", True), ("m", False)):
            effects = {round(self.run_all(
                f"SELECT totrain_predict('{model}', 0.9, {distance}, 0.5, '{city}') - "
                f"totrain_predict('{model}', 0.1, {distance}, 0.5, '{city}')")[0][0], 4)
                for distance in (0.05, 0.3, 0.55, 0.95) for city in "abc"}
            self.assertEqual(len(effects) > 1, is_free, effects)

    def test_any_number_of_workers_makes_the_same_table(self):
        constraints = "monotone_constraints = '(1, -1)', interaction_constraints = '[0,1,2],[1,3]'"
        self.train("one", constraints)
        self.train("other", "")
        self.assertNotEqual(self.model_digest("other"), self.model_digest("one"))
        for workers in (2, 3):
            self.train("m", f"{constraints}, job.min_workers = {workers}, job.max_workers = {workers}")
            self.assertEqual(self.model_digest("m"), self.model_digest("one"))


harness.main()
