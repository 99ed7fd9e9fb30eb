"""Ordinary tables that a model learns wrongly from: TRAIN says so in PostgreSQL as in SQLite (tests/silent_tables.py)."""

import harness
import silent_tables as tables


class Silence(harness.Case):
    def make(self, statements):
        self.execute("; ".join(statements))

    def notices(self, columns, train):
        found = self.execute(f"SELECT * FROM totrain.rows($$SELECT {columns} FROM t TO TRAIN {train} INTO m$$)")
        return [row["detail"] for row, in found if row["name"] == "notice"]

    def test_a_class_without_weight_is_named(self):
        self.make(tables.weighed_table())
        for model in tables.CLASSIFIERS:
            with self.subTest(model):
                said = self.notices("*", f"{model} WITH sample_weight = 'w', test_size = 0 LABEL y")
                self.assertIn(f'weight column "w" is 0 in all 100 training rows {tables.OF_ROWS}', said)

    def test_numbers_that_stand_for_missing_values_and_dates_are_named(self):
        self.make(tables.coded_table())
        for model in tables.LEARNERS:
            with self.subTest(model):
                said = self.notices("age, seen, z, y", f"{model} test_size = 0 LABEL y")
                self.assertIn(tables.CODE, said)
                self.assertIn(tables.DATES + tables.DATE + " in the SELECT makes dates of them.", said)
        said = self.notices(f"nullif(age, -1) AS age, {tables.DATE}, z, y", "XGBRegressor LABEL y")
        self.assertFalse([notice for notice in said if "apart from" in notice or "whole numbers" in notice], said)

    def test_numbers_that_a_model_does_not_tell_apart_are_named(self):
        self.make(tables.far_table())
        for model in tables.KEEPING:
            with self.subTest(model):
                self.assertIn(tables.FAR, " ".join(self.notices("a, b, y", f"{model} LABEL y")))
        self.execute("SELECT totrain.run($$SELECT a, b, y FROM t WHERE a < 1e6 TO TRAIN XGBRegressor LABEL y INTO m$$)")
        self.execute("CREATE TABLE late AS SELECT CASE g WHEN 2990 THEN -1e300::float8 ELSE g * .001 END AS a, 1::float8 AS b, "
                     "g::float8 AS y FROM generate_series(1, 3000) g")
        said = self.execute("SELECT * FROM totrain.rows($$SELECT * FROM late TO EVALUATE m$$)")[0][0]["notice"]
        self.assertIn('column "a" has the number -1e+300: the model tells none beyond -3.4e+38', said)


if __name__ == "__main__":
    harness.main()
