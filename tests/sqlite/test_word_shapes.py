"""Columns whose words are numbers, dates or times of day to people, in a form that no reading takes: a notice says so, and its
hint makes a column that is read."""

import re

import harness
import shaped_words

POLISH = "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia".split()


STREETS = ("Elm", "Oak", "Main", "Hill", "Lake", "Park", "Pine", "Cedar", "Maple", "View", "River", "Church")


class WordShapes(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def fill(self, words):
        self.run_all("DROP TABLE IF EXISTS t")
        self.run_all("CREATE TABLE t (v TEXT, z REAL, y REAL)")
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", [(word, i * 7 % 13, i) for i, word in enumerate(words)])
        self.run_all("COMMIT")

    def told(self, statement, column):
        return next((row[column] for row in self.run_all(statement) if row[0] == "notice" and "look like" in row[column]), "none")

    def notices_of(self, words, model="LinearRegressor"):
        self.fill(words)
        return [row[3] for row in self.run_all(f"SELECT * FROM t TO TRAIN {model} LABEL y INTO m") if row[0] == "notice"]

    def check(self, words, shape, example, hint):
        """Each of them once, as a key has, and three times."""
        for model, repeated in (("LinearRegressor", list(words)), ("XGBRegressor", [word for word in words for _ in range(3)])):
            found = [notice for notice in self.notices_of(repeated, model) if "look like" in notice]
            self.assertEqual(len(found), 1, (words[0], model, found))
            self.assertIn(f"the texts of column \"v\" look like {shape}, such as '{example}', and ", found[0])
            self.assertIn(hint, found[0])

    def test_numbers_with_a_unit(self):
        self.check([f"{i * 37 % 991 / 10} kg" for i in range(300)], "numbers with a unit", "0.0 kg", "replace(v, 'kg', '') AS v")
        self.check([f"{i * 37 % 991 / 10}k" for i in range(300)], "numbers with a unit", "0.0k", "replace(v, 'k', '') AS v")

    def test_numbers_in_quotes(self):
        self.check([f'"{i * 37 % 991 / 10}"' for i in range(300)], "numbers in quotes", '"0.0"', "trim(v, '\"') AS v")
        self.check([f"'{i * 37 % 991 / 10}'" for i in range(300)], "numbers in quotes", "'0.0'", "trim(v, '''') AS v")

    def test_times_of_day(self):
        self.check([f"{i % 24:02}:{i * 7 % 60:02}" for i in range(300)], "times of day", "00:00", "makes hours of them")
        self.check([f"{i % 12 + 1}:{i * 7 % 60:02} {'ap'[i % 2]}m" for i in range(300)], "times of day", "10:03 pm", "% 12 + 12 *")

    def test_dates_in_other_forms(self):
        for words, example in (([f"{i % 28 + 1:02}. {POLISH[i % 12]} {2015 + i % 9}" for i in range(300)], "01. maja 2016"),
                               ([f"{2015 + i % 9} {i % 12 + 1:02} {i % 28 + 1:02}" for i in range(300)], "2015 01 01"),
                               ([f"{2015 + i % 9} week {i % 52 + 1:02}" for i in range(300)], "2015 week 01")):
            self.check(words, "dates in a form that is not read", example, "Dates are read as 2024-01-31")

    def test_hints_make_numbers(self):
        """The SQL of the hint is read, and the model is right then."""
        for words, right in (([f"{i}.5 kg" for i in range(300)], .999), ([f'"{i}.5"' for i in range(300)], .999),
                             ([f"{i // 13}:{i % 13 * 4:02}" for i in range(300)], .99),
                             ([f"{(i // 13 % 12) or 12}:{i % 13 * 4:02} {'AM' if i < 156 else 'PM'}" for i in range(300)], .99)):
            hint = next(notice for notice in self.notices_of(words) if "look like" in notice)
            column = re.search(r"and (?:all are taken as words|it is left out)\. (.*) AS v", hint)[1]
            rows = self.run_all(f"SELECT {column} AS v, y FROM t TO TRAIN LinearRegressor WITH test_size = 0 LABEL y INTO m")
            self.assertGreater(next(row[1] for row in rows if row[0] == "R2"), right, column)

    def test_each_shape_is_told_and_its_hint_is_right(self):
        for looks, rows in shaped_words.words_in_shapes():
            with self.subTest(looks, word=rows[7][0]):
                self.fill([word for word, _ in rows])
                said = self.told("EXPLAIN SELECT * FROM t TO TRAIN LinearRegressor LABEL y INTO m", 1)
                self.assertIn(f'the texts of column "v" look like {looks}, such as ', said)
                made = self.run_all(f"SELECT {shaped_words.sql_of(said)} FROM t ORDER BY y")
                self.assertEqual([row[0] for row in made], [meant for _, meant in rows], said)

    def test_how_many_words_have_the_shape_is_told(self):
        notices = self.notices_of([f"{i % 40}-{i % 40 + 5}" for i in range(300)] + ["all", "other"])
        self.assertIn("look like 2 numbers with '-' between them, such as '0-5', 40 of 42 different ones, and all are taken as words",
                      "".join(notices))

    def test_the_cure_of_bounds_among_numbers_is_told(self):
        notices = self.notices_of([f"{i % 40}" if i % 4 else "<5" for i in range(300)])
        self.assertIn("the most frequent other text is '<5', in 75 of 75. CAST(ltrim(replace(v, ',', '')", "".join(notices))

    def test_words_are_none_of_it(self):
        """Nor are ids with a number behind them, few words, and words of which more than a tenth are others."""
        for words in ([f"w{i % 40}" for i in range(300)], [f"AB-{i % 40}-{i % 7}" for i in range(300)],
                      [f"{i % 9} kg" for i in range(300)], [f"{i % 40}{'ABCDEF'[i % 6]}" for i in range(300)],
                      [f"{i % 40} {STREETS[i % 12]}" for i in range(300)], [f"{i % 40}-{'abc'[i % 3]}{i % 7}" for i in range(300)],
                      [f"A{i % 40}-{i % 7}" for i in range(300)], [f"ca. {i % 40}" for i in range(300)],
                      [f"{i % 40} {'abcdef'[i % 6]}" for i in range(300)]):
            self.assertFalse([notice for notice in self.notices_of(words) if "look like" in notice], words[:3])

    def test_a_label_that_is_constant_is_told(self):
        self.run_all("CREATE TABLE c AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
                     "SELECT i AS x, 3.5 AS y FROM n")
        for model in ("LinearRegressor", "XGBRegressor"):
            rows = self.run_all(f"SELECT * FROM c TO TRAIN {model} LABEL y INTO m")
            self.assertIn('label column "y" is 3.5 in all 100 rows. Every row will be predicted to be that.',
                          [row[3] for row in rows if row[0] == "notice"], model)

    def test_a_constant_column_tells_nothing_of_what_is_learned(self):
        self.run_all("CREATE TABLE c AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
                     "SELECT i * 7 % 13 AS x, i * 5 % 11 AS z, 2 AS k FROM n")
        for model, what in (("KMeans WITH n_clusters = 2", "clusters"), ("PCA", "components"), ("OneClassSVM", "outliers")):
            rows = self.run_all(f"SELECT * FROM c TO TRAIN {model} INTO m")
            self.assertIn(f'column "k" is 2 in all 100 rows. It has no information about the {what}.',
                          [row[3] for row in rows if row[0] == "notice"], model)


if __name__ == "__main__":
    harness.main()
