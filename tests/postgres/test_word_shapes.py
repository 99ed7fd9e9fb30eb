"""Columns whose words look like numbers, times or dates in a form that is not read: the hints are SQL of PostgreSQL."""

import re

import harness
import shaped_words

WORDS = {"unit": "g || '.5 kg'", "quoted": "'\"' || g || '.5\"'", "hours": "g / 60 || ':' || lpad((g % 60)::text, 2, '0')",
         "noon": "to_char(time '00:00' + g * interval '1 minute', 'HH12:MI AM')"}


class WordShapes(harness.Case):
    def test_what_a_hint_writes_is_read(self):
        for name, words in WORDS.items():
            with self.subTest(name):
                self.execute("DROP TABLE IF EXISTS t; CREATE TABLE t AS "
                             f"SELECT {words} AS v, g % 7 AS z, g::float8 AS y FROM generate_series(0, 1199, 4) g")
                rows = [row for row, in self.execute(
                    "SELECT * FROM totrain.rows($$SELECT * FROM t TO TRAIN LinearRegressor LABEL y INTO m$$)")]
                said = next(row["detail"] for row in rows if row["name"] == "notice" and "look like" in row["detail"])
                column = re.search(r"(?:all are taken as words|it is left out)\. (.*) AS v", said)[1]
                rows = [row for row, in self.execute(
                    f"SELECT * FROM totrain.rows($$SELECT {column} AS v, y FROM t TO TRAIN LinearRegressor WITH test_size = 0 "
                    "LABEL y INTO m$$)")]
                self.assertGreater(next(row["value"] for row in rows if row["name"] == "R2"), .999, column)

    def test_each_shape_is_told_and_its_hint_is_right(self):
        for looks, rows in shaped_words.words_in_shapes():
            with self.subTest(looks, word=rows[7][0]):
                values = ", ".join("('" + word.replace("'", "''") + f"', {i % 13}, {i})" for i, (word, _) in enumerate(rows))
                self.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t (v text, z float8, y float8); INSERT INTO t VALUES {values}")
                found = [row for row, in self.execute(
                    "SELECT * FROM totrain.rows($$EXPLAIN SELECT * FROM t TO TRAIN LinearRegressor LABEL y INTO m$$)")]
                said = next((row["detail"] for row in found if "look like" in (row["detail"] or "")), "none")
                self.assertIn(f'the texts of column "v" look like {looks}, such as ', said)
                made = self.execute(f"SELECT {shaped_words.sql_of(said)} FROM t ORDER BY y")
                self.assertEqual([str(row[0]) if isinstance(meant, str) else float(row[0]) for row, (_, meant) in zip(made, rows)],
                                 [meant for _, meant in rows], said)


if __name__ == "__main__":
    harness.main()
