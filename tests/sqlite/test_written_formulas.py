"""Numbers and dates as people write them, in exported SQL and C: the number that the extension reads, bit for bit, in an
SQLite without it and in a program of cc.
"""

import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formulas"))
import formula_rows as rows  # noqa: E402  pylint: disable=wrong-import-position
import written_case as case  # noqa: E402  pylint: disable=wrong-import-position
from written_rows import READINGS  # noqa: E402  pylint: disable=wrong-import-position

DRIVER = """
#include "m.c"
#include <stdio.h>
static char bytes[4096];
int main(void)
{
    unsigned int size;
    double outputs[6];
    while (fread(&size, sizeof size, 1, stdin) == 1) {
        if (size > sizeof bytes || fread(bytes, 1, size, stdin) != size)
            return 1;
        for (int column = 0; column < 6; column++) {
            struct m_cell cells[6] = {{0}};
            cells[column].type = m_TEXT;
            cells[column].text = bytes;
            cells[column].size = size;
            if (m_predict(cells, outputs))
                printf("refused ");
            else if (outputs[column] != outputs[column])
                printf("null ");
            else
                printf("%.17g ", outputs[column]);
        }
        puts("");
    }
    return 0;
}
"""


# name, estimator, attributes, COLUMN: each kind, and each column function that reads numbers or dates
KINDS = (("LinearRegressor", "train.epoch = 2", "y"), ("LinearClassifier", "train.epoch = 2", "two"),
         ("DNNRegressor", "train.epoch = 1, model.hidden_units = [4]", "y"), ("NaiveBayes", "", "two"), ("ScoreCard", "", "two"),
         ("XGBRegressor", "n_estimators = 5", "y"), ("LGBMClassifier", "n_estimators = 3", "two"), ("RandomForestRegressor", "n_estimators = 3", "y"),
         ("DeepFMClassifier", "train.epoch = 1, model.embedding_dimension = 2, model.hidden_units = [3]", "two"),
         ("KMeans", "model.n_clusters = 3", None))
FORMS = ("", "BUCKET(price, [500, 1500]), amount, day", "price, CROSS([BUCKET(price, [900]), BUCKET(amount, [0, 60])], 40), day",
         "DATE(day, 'month'), DATE(at, 'hour'), price", "amount, DATE(day, 'day'), DATE(at, 'weekday')")
COLUMNS = "price, amount, share, day, at"
EVERY = "TOTRAIN_WRITTEN_ROWS" in os.environ  # all pairs of kind and form; else each of them once


def some(cells, draw):
    return None if draw.random() < 0.05 else draw.choice(("", "n/a", " - ")) if draw.random() < 0.03 else draw.choice(cells)


def written(draw, is_hostile):
    """price has a decimal comma, amount a point and dollars, day the day first, at the month."""
    price, amount, moment = draw.uniform(0, 3000), draw.gauss(50, 40), [draw.randint(1, 28), draw.randint(1, 12), draw.randint(1990, 2030)]
    day, month, year = moment
    prices = [f"{price:,.2f}".translate(str.maketrans(",.", ".,")), f"{price:.1f} €".replace(".", ","), f"EUR {price:.0f}"]
    amounts = [f"${amount:,.2f}", f"({abs(amount):.2f})" if amount < 0 else f"{amount:.2f}", f"USD {amount:.1f}"]
    days, times = [f"{day:02}.{month:02}.{year}", f"{day}/{month}/{year}"], [f"{month}/{day}/{year} {day % 12 + 1}:{month:02} PM"]
    if is_hostile:
        prices += ["1.234.567,89", "1e300", "-0", "(12)", "0,000001", "９９,５", "12 %", "179769313486231580793728971405301"]
        amounts += ["$1,234,567.891", "5.--", "-1e-300", "12 %", "١٢", "1,234"]
        days += ["1.1.1000", "31.12.9999 23:59", "29/2/2000", "1st Jan 69", "0001-01-01", "March 31, 2024 12:00 AM", "3. MÄRZ 2024", "1er févr. 2024", "3 de agosto de 2024",
                 "2024年3月5日", "31. 3. 2024", "20240331T101530", "Среда, 3 ИЮЛЯ 2024 10:15 Uhr"]
        times += ["12/31/9999 11:59:59 PM", "2/29/2000 0:00", "2024-06-30 23:59:59Z", "1/1/1970 12:30 am GMT", "7-Jul-24, 7:07", "Sun Mar 31 10:15:30 2024", "3/31/2024 10:15:30,25", "2024년 3월 5일 9:05"]
    return [some(prices, draw), some(amounts, draw), some([f"{price / 30:.1f} %", f"{amount:.0f}%"], draw), some(days, draw), some(times, draw),
            price / 500 + amount / 20 + month % 3 + draw.gauss(0, 0.1)]


class Models(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(4)
        for table, count in (("t", 600), ("unlike", case.COUNT // 4)):
            self.run_all(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, price TEXT, amount TEXT, share TEXT, day TEXT, at TEXT, y REAL, two TEXT)")
            rows = [written(draw, table == "unlike") for _ in range(count)]
            self.database.executemany(f"INSERT INTO {table} VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", [row + ["ab"[row[-1] > 5]] for row in rows])

    def check(self, kind, form):
        estimator, attributes, label = kind
        used = ", ".join(column for column in COLUMNS.split(", ") if not form or column in form)
        self.run_all("DROP TABLE IF EXISTS m")
        self.run_all(f"SELECT {used}{', ' + label if label else ''} FROM t TO TRAIN {estimator} WITH {attributes + ', ' if attributes else ''}"
                     f"train.seed = 1{' COLUMN ' + form if form else ''}{' LABEL ' + label if label else ''} INTO m")
        output, column = (("probability", "probability") if label == "two" else ("predict", "prediction") if label else ("distance", "distance"))
        inputs = re.search(r"\((.*)\)", self.run_all("SELECT totrain_call('m')")[0][0])[1].split(", ", 1)[1]
        wanted = [row[0] for row in self.run_all(f"SELECT totrain_{output}('m', {inputs}) FROM unlike ORDER BY id")]
        plain = sqlite3.connect(":memory:")
        self.addCleanup(plain.close)
        plain.executescript(self.run_all("SELECT totrain_export_text('m', 'sqlite')")[0][0])
        plain.execute(f"CREATE TABLE m_rows (id INTEGER PRIMARY KEY, {used})")
        cells = self.run_all(f"SELECT id, {used} FROM unlike ORDER BY id")
        plain.executemany(f"INSERT INTO m_rows VALUES (?{', ?' * (used.count(',') + 1)})", cells)
        found = [row[0] for row in plain.execute(f"SELECT {column} FROM m_predictions ORDER BY id")]
        for row, mine, other in zip(cells, found, wanted, strict=True):
            self.assertTrue(rows.near(mine, other), (kind, form, row, mine, other))

    def test_models_predict_as_the_extension_does(self):
        for i, kind in enumerate(KINDS):
            for form in FORMS if EVERY else FORMS[i % len(FORMS):i % len(FORMS) + 1] if i < len(FORMS) else FORMS[:1]:
                if kind[0] != "ScoreCard" or "DATE" in form:  # it makes no buckets of ages
                    with self.subTest(kind=kind, form=form):
                        self.check(kind, form)


class WrittenFormulas(unittest.TestCase):
    def test_sqlite_reads_what_the_extension_reads(self):
        cells = case.texts()
        for reading, number in READINGS.items():
            database = sqlite3.connect(":memory:")
            self.addCleanup(database.close)
            database.executescript(case.program("sqlite", [number]))
            database.execute("CREATE TABLE m_rows (id INTEGER PRIMARY KEY, c0 TEXT)")
            database.executemany("INSERT INTO m_rows (c0) VALUES (?)", [(text,) for text in cells])
            case.check(self, reading, [self.in_sqlite(database, i + 1) for i in range(len(cells))], cells)

    def test_a_database_of_utf_16_reads_the_same(self):
        cells = ("1.234,50 €", "1,234", "1,234.5", "$ 12", "１２,５", "31.12.2024 9:05 PM", "31/１２/2024", "5\0", "$" + "0" * 64,
                 "１" * 21, "１" * 22, "31.12.2024" + "\u200b" * 18, "31.12.2024" + "\u200b" * 19)
        for reading, number in READINGS.items():
            database = sqlite3.connect(":memory:")
            self.addCleanup(database.close)
            database.execute("PRAGMA encoding = 'UTF-16'")
            database.execute("CREATE TABLE m_rows (id INTEGER PRIMARY KEY, c0 TEXT)")
            database.executescript(case.program("sqlite", [number]))
            database.executemany("INSERT INTO m_rows (c0) VALUES (?)", [(text,) for text in cells])
            for i, (text, wanted) in enumerate(zip(cells, case.wanted(number, cells))):
                with self.subTest(reading=reading, text=text):
                    self.assertTrue(case.is_same(self.in_sqlite(database, i + 1), wanted), wanted)

    def in_sqlite(self, database, row):
        try:
            (number,), = database.execute("SELECT n0 FROM m_predictions WHERE id = ?", (row,))
        except sqlite3.Error as error:
            self.assertRegex(str(error), "holds no")
            return "refused"
        except UnicodeDecodeError as error:  # the message shows the cell
            self.assertIn(b"holds no", error.object)
            return "refused"
        return "null" if number is None else repr(float(number))

    def test_zero_bytes_and_bytes_that_are_no_text_are_refused(self):
        for reading, number in READINGS.items():
            database = sqlite3.connect(":memory:")
            self.addCleanup(database.close)
            database.executescript(case.program("sqlite", [number]))
            database.execute("CREATE TABLE m_rows (id INTEGER PRIMARY KEY, c0 TEXT)")
            for bad in ("31303031c0b1", "e099a0", "3100", "24ff35", "e2823130", "31f09f98", "332e206dc3a4727a80203230323400", "332e206dc3a4727a802032303234",
                        "3230323430333331543130313500"):
                database.execute("DELETE FROM m_rows")
                database.execute(f"INSERT INTO m_rows VALUES (1, CAST(x'{bad}' AS TEXT))")
                with self.subTest(reading=reading, bytes=bad):
                    self.assertEqual(self.in_sqlite(database, 1), "refused")

    def test_c_reads_what_the_extension_reads(self):
        cells = case.texts()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "m.c").write_text(case.program("c", READINGS.values()))
            (path / "main.c").write_text(DRIVER)
            done = subprocess.run(["cc", "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined",
                                   "-fsanitize-undefined-trap-on-error", "main.c", "-o", "run"], text=True, capture_output=True,
                                  cwd=path, timeout=4 * harness.DEADLINE)
            self.assertEqual((done.stderr, done.returncode), ("", 0))
            read = subprocess.run([str(path / "run")], input=b"".join(map(case.packed, cells)), capture_output=True, check=True,
                                  timeout=4 * harness.DEADLINE).stdout.decode().splitlines()
        for column, reading in enumerate(READINGS):
            case.check(self, reading, [line.split()[column] for line in read], cells)

    def test_each_reading_alone_is_c_without_a_warning(self):
        for number in READINGS.values():
            done = subprocess.run(["cc", "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-x", "c", "-c", "-", "-o", "/dev/null"], text=True,
                                  input=case.program("c", [number]), capture_output=True, check=False, timeout=4 * harness.DEADLINE)
            self.assertEqual((done.stderr, done.returncode), ("", 0))


if __name__ == "__main__":
    harness.main()
