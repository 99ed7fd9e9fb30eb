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


if __name__ == "__main__":
    harness.main()
