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
        self.assertIn('column "a" has the number -1e+300: the model distinguishes none beyond -3.4e+38', said)

    def test_words_and_classes_in_several_spellings_are_named(self):
        self.make(tables.spelled_table())
        said = self.notices("city, gene, town, z, y", "LinearClassifier WITH test_size = 0 LABEL y")
        self.assertEqual([notice for notice in said if "in capitals" in notice], [tables.SPELLED_WORDS, tables.SPELLED])
        said = self.notices(tables.SPELLED_ONE, "LinearClassifier WITH test_size = 0 LABEL y")
        self.assertFalse([notice for notice in said if "in capitals" in notice], said)
        self.notices("town, city, z", "XGBRegressor COLUMN city, VOCABULARY(town) LABEL z")
        said = self.execute("SELECT * FROM totrain.rows($$SELECT town::char(6) || '.' AS town, city, z FROM t TO EVALUATE m$$)")
        strange = "column \"town\": 300 of 300 rows have a value that the model has not learned, such as 'LYON.'"
        self.assertIn(strange, said[0][0]["notice"])
        said = self.execute("SELECT * FROM totrain.rows($$EXPLAIN SELECT town::char(6) || '.' AS town, city, z FROM t TO PREDICT guess USING m$$)")
        self.assertTrue([row for row, in said if strange in row["detail"]], said)

    def test_words_that_look_alike_are_named_with_sql_that_makes_them_one(self):
        self.make(tables.alike_table())
        for i, (_, _, points) in enumerate(tables.ALIKE):
            with self.subTest(points):
                said = [notice for notice in self.notices(f"c{i}, y", "LinearRegressor WITH epoch = 1 LABEL y") if "look like others" in notice]
                self.assertEqual(len(said), 1)
                cure = said[0].split(" in SQLite, ")[1].split(" in PostgreSQL")[0]
                self.assertNotIn("look like others", " ".join(self.notices(f"{cure}, y", "LinearRegressor WITH epoch = 1 LABEL y")))

    def test_whole_numbers_beyond_the_doubles_and_codes_among_classes_are_named(self):
        self.execute("CREATE TABLE t AS SELECT 9223372036854775000 - g * 37 % 101 AS v, 9223372036854775000::numeric - g * 37 % 101 AS n, "
                     "g % 7 AS b, g * 37 % 101 AS y, CASE WHEN g % 10 = 0 THEN 99 ELSE g % 3 END AS c FROM generate_series(1, 300) g")
        for column in ("v", "n"):
            said = " ".join(self.notices(f"{column}, b, y", "LinearRegressor LABEL y"))
            self.assertIn(f'column "{column}" has numbers as large as 9.22337', said)
        said = " ".join(self.notices("b, y, c", "XGBClassifier LABEL c"))
        self.assertIn('label column "c" is 99 in 30 rows, far from all others', said)

    def test_far_labels_and_values_names_and_differences_are_named(self):
        self.make(tables.stays_table())
        self.assertIn(tables.FAR_LABELS, " ".join(self.notices("id, stop, far", "OLS LABEL far")))
        self.assertIn(tables.FAR_VALUES, " ".join(self.notices("wide, liked", "OLS LABEL liked")))
        self.assertIn(tables.NAMED, " ".join(self.notices("id, paid, liked", "LinearRegressor LABEL liked")))
        self.assertIn(tables.DIFFERENT, " ".join(self.notices("start, stop, paid", "XGBRegressor LABEL paid")))

    def test_rows_in_another_unit_are_named_with_sql_that_converts_them(self):
        self.make(tables.units_table())
        self.execute("SELECT totrain.run($$SELECT price, share, height, moment, degrees, y FROM t TO TRAIN XGBRegressor LABEL y INTO m$$)")
        told = self.psql(f"SELECT {tables.IN_UNITS} FROM t TO PREDICT guess USING m", "-v", "ON_ERROR_STOP=1", "-qAt").stderr
        said = self.execute(f"SELECT * FROM totrain.rows($$SELECT {tables.IN_UNITS} FROM t TO EVALUATE m$$)")[0][0]["notice"]
        for column, cure in tables.UNIT_CURES:
            self.assertIn(tables.OUTSIDE.format(column), told)
            self.assertIn(tables.ANOTHER + cure, told)
            self.assertIn(tables.ANOTHER + cure, said)
        cured = ", ".join(cure for _, cure in tables.UNIT_CURES)
        told = self.psql(f"SELECT {cured} FROM (SELECT {tables.IN_UNITS} FROM t) t TO PREDICT out.guess USING m", "-qAt").stderr
        self.assertNotIn("8 of 10", told)


if __name__ == "__main__":
    harness.main()
