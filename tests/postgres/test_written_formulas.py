"""Numbers and dates as people write them, in exported SQL of PostgreSQL: the number that the extension reads, bit for bit."""

import pathlib
import sys

from psycopg2 import extras

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formulas"))
import written_case as case  # noqa: E402  pylint: disable=wrong-import-position
from written_rows import READINGS  # noqa: E402  pylint: disable=wrong-import-position

FUNCTIONS = {"comma": "m_comma", "point": "m_point", "separated": "m_separated", "day": "m_date_day", "month": "m_date_month",
             "either": "m_date_either"}


def held(text):
    """A number as views of PostgreSQL hold it: no nearer to 0 than 1e-100, and no farther than 1e250."""
    if text in ("refused", "null"):
        return text
    number = float(text)
    return repr(0.0 if abs(number) < 1e-100 else max(min(number, 1e250), -1e250))


class WrittenFormulas(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE m_rows (id serial PRIMARY KEY, c0 text, c1 text, c2 text, c3 text, c4 text, c5 text)")
        cursor.execute(case.program("postgres", READINGS.values()).replace("BEGIN;", "").replace("COMMIT;", ""))
        cursor.execute("CREATE FUNCTION read(function text, x text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE found text; BEGIN "
                       "EXECUTE format('SELECT %s($1)::text', function) INTO found USING x; RETURN coalesce(found, 'null'); "
                       "EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range OR datetime_field_overflow "
                       "OR invalid_datetime_format THEN RETURN 'refused'; END $$")

    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()

    def test_functions_read_what_the_extension_reads(self):
        cells = case.texts()
        for reading, function in FUNCTIONS.items():
            self.cursor.execute("SELECT read(%s, x) FROM unnest(%s) WITH ORDINALITY AS u(x, o) ORDER BY o", (function, cells))
            found = self.cursor.fetchall()
            wanted = list(map(held, case.wanted(READINGS[reading], cells)))
            self.assertEqual([], [(reading, text, mine, its) for text, (mine,), its in zip(cells, found, wanted)
                                  if not case.is_same(mine, its)])
            self.assertGreater(len(set(wanted)), 20)

    def test_the_view_reads_what_the_extension_reads(self):
        cells = case.texts()
        columns = [case.wanted(reading, cells) for reading in READINGS.values()]
        readable = [[text if read[i] != "refused" else None for read in columns] for i, text in enumerate(cells)]
        extras.execute_values(self.cursor, "INSERT INTO m_rows (c0, c1, c2, c3, c4, c5) VALUES %s", readable)
        self.cursor.execute("SELECT n0, n1, n2, n3, n4, n5 FROM m_predictions ORDER BY id")
        found = self.cursor.fetchall()
        self.assertEqual(len(found), len(cells))
        for i, row in enumerate(found):
            for number, read in zip(row, columns):
                wanted = held(read[i]) if read[i] != "refused" else "null"
                self.assertTrue(case.is_same("null" if number is None else repr(number), wanted), (cells[i], number, wanted))


if __name__ == "__main__":
    harness.main()
