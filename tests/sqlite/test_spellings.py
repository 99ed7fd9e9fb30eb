"""Numbers and dates as people write them: read where one way of writing fits all cells, else told."""

import datetime
import json
import random

import harness

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
FRENCH = "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.".split()
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
NUMBERS = {
    "decimal comma": lambda x: f"{x:.2f}".replace(".", ","),
    "German": lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")),
    "French": lambda x: f"{x:,.2f}".replace(",", "\u202f").replace(".", ","),
    "Swiss": lambda x: f"CHF {x:,.2f}".replace(",", "'"),
    "thousands": lambda x: f"{x:,.2f}",
    "Indian": lambda x: "₹" + (f"{x:,.2f}" if x < 1e5 else f"{int(x) // 100000},{x % 100000:09,.2f}"),
    "dollars": lambda x: f"${x:,.2f}",
    "euros behind": lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")) + " €",
    "code": lambda x: f"EUR {x:.2f}",
    "percent": lambda x: f"{x:.2f} %",
    "plus": lambda x: f"{x - 2500:+.2f}" + ("€" if x > 4000 else ""),
    "Unicode minus": lambda x: f"{x - 2500:.2f}".replace("-", "\u2212"),
    "minus behind": lambda x: f"{abs(x - 2500):,.2f}" + ("-" if x < 2500 else ""),
    "brackets": lambda x: f"({2500 - x:,.2f})" if x < 2500 else f"{x - 2500:,.2f}",
}
DATES = {
    "us": lambda d: f"{d:%m/%d/%Y}",
    "us, short": lambda d: f"{d.month}/{d.day}/{d:%y}",
    "slash": lambda d: f"{d:%Y/%m/%d}",
    "German": lambda d: f"{d:%d.%m.%Y}",
    "British": lambda d: f"{d.day}/{d.month}/{d.year}",
    "Dutch": lambda d: f"{d:%d-%m-%Y}",
    "Oracle": lambda d: f"{d.day:02}-{MONTHS[d.month - 1].upper()}-{d:%y}",
    "name": lambda d: f"{d:%B} {d.day}, {d.year}",
    "mail": lambda d: f"{d:%a}, {d.day} {d:%b} {d.year} 00:00:00 +0000",
    "midnight": lambda d: f"{d:%m/%d/%Y} 12:00 AM",
}
# Columns of one table: a training for each takes long.
OTHER_DATES = {
    "German name": lambda d: f"{d.day}. {GERMAN[d.month - 1]} {d.year}",
    "French name": lambda d: f"{d.day} {FRENCH[d.month - 1]} {d.year}",
    "Spanish name": lambda d: f"{d.day} de {SPANISH[d.month - 1]} de {d.year}",
    "Czech": lambda d: f"{d.day}. {d.month}. {d.year}",
    "Hungarian": lambda d: f"{d:%Y. %m. %d}.",
    "Japanese": lambda d: f"{d.year}年{d.month}月{d.day}日",
    "C": lambda d: f"{d:%a %b} {d.day:2} 00:00:00 {d.year}",
    "basic": lambda d: f"{d:%Y%m%d}T000000",
}


class Spellings(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def fill(self, rows, columns="v TEXT, y REAL", table="t"):
        self.database.execute(f"DROP TABLE IF EXISTS {table}")
        self.database.execute(f"CREATE TABLE {table} ({columns})")
        self.database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def train(self, model="LinearRegressor", label="y", more="", select="SELECT * FROM t"):
        rows = self.database.execute(f"{select} TO TRAIN {model}{more} LABEL {label} INTO m").fetchall()
        return [row[3] for row in rows if row[0] == "notice"]

    def evaluate(self, name="R2", table="t"):
        cursor = self.database.execute(f"SELECT * FROM {table} TO EVALUATE m")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))[name]

    def inputs(self):
        return [one["name"] for one in json.loads(self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0])["inputs"]]

    def test_numbers_in_any_spelling_are_numbers(self):
        choice = random.Random(1)
        values = [round(choice.uniform(0, 5000) if i % 3 else choice.uniform(0, 500000), 2) for i in range(200)]
        for name, write in NUMBERS.items():
            with self.subTest(name):
                self.fill([(write(x), 2 * x + 1) for x in values])
                notices = self.train()
                self.assertEqual(self.inputs(), ["v"])
                self.assertGreater(self.evaluate(), 0.999)
                self.assertTrue(any('"v" is read as numbers' in text for text in notices) or name == "Unicode minus", notices)
                # Scoring reads the same numbers.
                self.database.execute("SELECT v, y FROM t TO PREDICT o.p USING m")
                worst = max(abs(p - y) for p, y in self.run_all("SELECT p, y FROM o"))
                self.assertLess(worst, 5000)
                single = self.run_all("SELECT totrain_predict('m', v), p FROM o")
                self.assertTrue(all(a == b for a, b in single))

    def test_a_decimal_comma_is_kept_where_rows_could_be_read_otherwise(self):
        self.fill([(f"{i % 90 + 1},{i % 1000:03}", float(f"{i % 90 + 1}.{i % 1000:03}")) for i in range(300)] + [("0,5", 0.5)] * 9)
        self.train()
        predict = "SELECT totrain_predict('m', ?)"
        self.assertAlmostEqual(self.run_all(predict, "3,250")[0][0], 3.25, delta=0.3)
        self.assertAlmostEqual(self.run_all(predict, "3,25")[0][0], 3.25, delta=0.3)
        self.assertAlmostEqual(self.run_all(predict, 3.25)[0][0], 3.25, delta=0.3)
        self.assertAlmostEqual(self.run_all(predict, "1.234")[0][0], 1234, delta=20)
        with self.assertRaisesRegex(Exception, "column \"v\" holds '1.5', where a number was expected"):
            self.run_all(predict, "1.5")
        # A model that goes on from it reads as it did.
        self.fill([("1,234", 1.234), ("2,345", 2.345), ("55,123", 55.123)] * 40)
        self.train(more=" WITH train.epoch = 1", select="SELECT * FROM t", label="y")
        self.fill([("0,5", 0.5), ("2,345", 2.345), ("55,123", 55.123)] * 40)
        self.train()
        self.fill([("1,234", 1.234), ("2,345", 2.345), ("55,123", 55.123)] * 40)
        self.database.execute("SELECT * FROM t TO TRAIN LinearRegressor LABEL y USING m INTO m")
        self.assertAlmostEqual(self.run_all(predict, "3,250")[0][0], 3.25, delta=1)

    def test_a_comma_that_may_be_either_is_told(self):
        self.fill([(f"{i % 90 + 1},{i * 7 % 1000:03}", (i % 90 + 1) * 1000 + i * 7 % 1000) for i in range(300)])
        notices = " ".join(self.train())
        self.assertIn("is read as numbers with a comma between thousands", notices)
        self.assertIn("It may also be a decimal comma: replace(v, ',', '.')", notices)
        self.assertGreater(self.evaluate(), 0.999)
        self.fill([(f"{i % 90 + 1}.{i * 7 % 1000:03}", i) for i in range(300)])
        notices = " ".join(self.train())
        self.assertIn("each point in its texts has three digits after it", notices)
        self.assertIn("replace(v, '.', '')", notices)
        self.fill([(f"{i % 90 + 1}.{i * 7 % 1000:03}", i) for i in range(300)] + [("0.5", 1)])
        self.assertNotIn("three digits", " ".join(self.train()))

    def test_what_contradicts_itself_is_words_and_told(self):
        self.fill([(f"{i % 90}.{i % 7}1" if i % 2 else f"{i % 90},{i % 7}1", i) for i in range(300)])
        notices = " ".join(self.train())
        self.assertIn("has numbers with a decimal comma, 150, and others with a point, 150, and all are taken as words", notices)

    def test_money_of_several_kinds_and_percents_beside_numbers_are_told(self):
        self.fill([(f"{'$€'[i % 2]}{i % 90}", i) for i in range(300)])
        self.assertIn('column "v" has amounts in $ and €, which are read as if of one currency', " ".join(self.train()))
        self.fill([(f"{i % 90}{'%' if i % 2 else ''}", i) for i in range(300)])
        self.assertIn("150 of 300 numbers are percents", " ".join(self.train()))
        self.fill([(f"{i % 90}%", i) for i in range(300)])
        notices = " ".join(self.train())
        self.assertIn("'12%' as 0.12", notices)
        self.assertNotIn("are percents", notices)

    def test_a_name_that_needs_quotes_has_them_in_hints(self):
        self.fill([(f"{i},5", i) for i in range(300)])
        self.assertIn('COLUMN VOCABULARY("Amount (€)") reads it as words.', " ".join(self.train(select='SELECT v AS "Amount (€)", y FROM t')))

    def test_a_list_of_two_numbers_is_still_one(self):
        self.fill([(f"{i % 9},{i % 7}.5", i % 9 + i % 7 * 2) for i in range(300)])
        self.assertIn("lists of 2 numbers", " ".join(self.train()))
        self.assertEqual(self.inputs(), ["v[1]", "v[2]"])

    def test_dates_in_any_spelling_are_dates(self):
        first = datetime.date(2023, 1, 1)
        days = [i * 37 % 700 for i in range(300)]
        self.fill([(str(first + datetime.timedelta(day)), day * 0.1) for day in days])
        self.train()
        iso, inputs = self.evaluate(), self.inputs()
        self.assertGreater(iso, 0.9999)
        for name, write in DATES.items():
            with self.subTest(name):
                self.fill([(write(first + datetime.timedelta(day)), day * 0.1) for day in days])
                notices = self.train()
                self.assertEqual(self.inputs(), inputs)
                self.assertEqual(self.evaluate(), iso)
                self.assertTrue(any('"v" holds dates' in text for text in notices), notices)
                one = first + datetime.timedelta(days[5])
                self.assertEqual(self.run_all("SELECT totrain_predict('m', ?)", str(one)),
                                 self.run_all("SELECT totrain_predict('m', ?)", write(one)))
                with self.assertRaisesRegex(Exception, "column \"v\" holds 'soon', where a date was expected"):
                    self.run_all("SELECT totrain_predict('m', 'soon')")

    def test_dates_of_other_languages_are_dates(self):
        days = [datetime.date(2023, 1, 1) + datetime.timedelta(i * 37 % 700) for i in range(300)]
        names = [f"v{i}" for i in range(len(OTHER_DATES))]
        self.fill([(*(write(day) for write in OTHER_DATES.values()), day.toordinal() % 700) for day in days],
                  ", ".join(f"{name} TEXT" for name in names) + ", y REAL")
        notices = " ".join(self.train())
        for name, form in zip(names, OTHER_DATES):
            self.assertIn(f"{name}.age", self.inputs(), form)
            self.assertIn(f'"{name}" holds dates', notices, form)
        predict = f"SELECT totrain_predict('m', {', '.join('?' * len(names))})"
        self.assertEqual(self.run_all(predict, *([str(days[5])] * len(names))), self.run_all(predict, *(write(days[5]) for write in OTHER_DATES.values())))

    def test_hours_in_the_afternoon_are_read(self):
        first = datetime.datetime(2024, 1, 1)
        times = [first + datetime.timedelta(hours=i * 37 % 4000) for i in range(400)]
        for write in ("%m/%d/%Y %I:%M %p", "%d.%m.%Y %H:%M", "%B %d, %Y %I:%M:%S %p"):
            self.fill([(f"{time:{write}}", float(time.hour)) for time in times])
            self.train("XGBRegressor")
            self.assertIn("v.hour", self.inputs())
            self.assertGreater(self.evaluate(), 0.99)

    def test_dates_that_may_be_either_are_told(self):
        first = datetime.date(2023, 1, 1)
        rows = [(f"{i % 12 + 1:02}/{i % 11 + 1:02}/2024", i) for i in range(300)]
        self.fill(rows)
        notices = " ".join(self.train())
        self.assertIn('column "v" has dates as 03/04/2024, no row shows whether the day or the month is first', notices)
        self.assertIn("substr(v, 7) || '-' || substr(v, 4, 2) || '-' || substr(v, 1, 2) AS v", notices)
        self.train(select="SELECT substr(v, 7) || '-' || substr(v, 4, 2) || '-' || substr(v, 1, 2) AS v, y FROM t")
        self.assertIn("v.age", self.inputs())
        # One day beyond the twelfth tells, wherever it is.
        self.fill(rows + [("01/31/2024", 1)])
        self.assertIn('"v" holds dates with the month first', " ".join(self.train()))
        self.fill([("31/01/2024", 1)] + rows)
        self.assertIn('"v" holds dates with the day first', " ".join(self.train()))
        self.fill([(f"{first + datetime.timedelta(i):%y/%m/%d}", i) for i in range(300)])
        self.assertIn("whether the day, the month or the year is first", " ".join(self.train()))

    def test_a_word_among_numbers_is_told(self):
        for word in ("unknown", "n.d.", "#DIV/0!", "missing"):
            with self.subTest(word):
                self.fill([(word if i % 15 == 0 else f"{i * 1.5}", i) for i in range(300)])
                notices = " ".join(self.train())
                self.assertIn(f"""93 % of column "v" are numbers, and all are taken as words; the most frequent other text is '{word}', """
                              f"in 20 of 20. NULLIF(v, '{word}') AS v makes it missing.", notices)
                self.train(select=f"SELECT NULLIF(v, '{word}') AS v, y FROM t")
                self.assertGreater(self.evaluate(table=f"(SELECT NULLIF(v, '{word}') AS v, y FROM t)"), 0.8)
        first = datetime.date(2023, 1, 1)
        self.fill([("unknown" if i % 15 == 0 else str(first + datetime.timedelta(i % 50)), i) for i in range(300)])
        self.assertIn("""93 % of column "v" are dates, and all are taken as words; the most frequent other text is 'unknown'""",
                      " ".join(self.train()))
        self.fill([(f"€{i}" if i % 10 else f"none of {i % 7}", i) for i in range(3000)])
        notices = " ".join(self.train())
        self.assertIn('90 % of column "v" are numbers', notices)
        self.assertIn("AS v makes it missing; so of the others.", notices)

    def test_a_word_among_the_numbers_of_a_label_is_named(self):
        self.fill([(i, "unknown" if i % 10 == 0 else f"{i},5") for i in range(300)], "x INT, y TEXT")
        with self.assertRaisesRegex(Exception, r"holds text that is not a number, in 30 of 300 .*\n.*\n.*\n"
                                               r"HINT:  Most are numbers: WHERE y <> 'unknown' leaves out 30\."):
            self.train()
        self.train(select="SELECT * FROM t WHERE y <> 'unknown'")
        self.assertGreater(self.evaluate(table="t WHERE y <> 'unknown'"), 0.999)

    def test_one_word_in_most_cells_of_numbers_is_told(self):
        self.fill([(f"{i * 37 % 997 / 10}" if i % 5 < 2 else "not tested", i) for i in range(300)])
        self.assertIn('40 % of column "v" are numbers, and all are taken as words; the most frequent other text is \'not tested\', in 180 of '
                      "180. NULLIF(v, 'not tested') AS v makes it missing.", " ".join(self.train()))

    def test_how_a_label_is_read_is_told(self):
        for form, said in ((lambda x: f"{x:.1f}%", "is read as numbers, '12%' as 0.12, in 300 rows. Predictions are such numbers; replace(y, '%', '') "
                                                   "AS y reads 12."),
                           (lambda x: f"{x:.1f}".replace(".", ","), "is read as numbers with a decimal comma, '1.234,50' as 1234.5, in 300 rows"),
                           (lambda x: f"{1000 + x:,.0f}", "It may also be a decimal comma: replace(y, ',', '.') AS y reads '1,234' as 1.234.")):
            self.fill([(i, form(i * 1.5)) for i in range(300)], "x INT, y TEXT")
            notices = " ".join(self.train())
            self.assertIn('label column "y" ', notices)
            self.assertIn(said, notices)
            self.assertNotIn("VOCABULARY", notices)

    def test_a_label_with_a_unit_gets_the_sql_that_leaves_the_numbers(self):
        self.fill([(i, f"{i * 1.5} kg") for i in range(300)], "x INT, y TEXT")
        with self.assertRaisesRegex(Exception, r"HINT:  replace\(y, 'kg', ''\) AS y leaves the numbers\."):
            self.train()
        self.train(select="SELECT x, replace(y, 'kg', '') AS y FROM t")
        self.assertGreater(self.evaluate(table="(SELECT x, replace(y, 'kg', '') AS y FROM t)"), 0.999)

    def test_a_label_of_dates_gets_no_sql_that_makes_nothing_of_it(self):
        for write in (lambda i: f"{i % 28 + 1}. März 2024", lambda i: f"{2000 + i % 20}-{i % 12 + 1:02}"):
            self.fill([(i, write(i)) for i in range(300)], "x INT, y TEXT")
            with self.assertRaisesRegex(Exception, "HINT:  A regressor learns numbers") as caught:
                self.train()
            self.assertNotRegex(str(caught.exception), "julianday|makes dates|VOCABULARY")

    def test_codes_and_words_are_not_told(self):
        self.fill([(f"{i % 900:05}", i) for i in range(300)])
        self.assertNotIn("are numbers", " ".join(self.train()))
        self.fill([(("red", "green", "12 kg")[i % 3], i) for i in range(300)])
        self.assertNotIn("are numbers", " ".join(self.train()))

    def test_the_order_of_rows_and_workers_change_nothing(self):
        rows = [(f"{i % 90 + 1},{i % 1000:03}", i) for i in range(3000)] + [("0,5", 0)]
        digests = []
        for turned in (rows, rows[::-1]):
            self.fill(turned)
            for workers in (1, 2):
                self.train(more=f" WITH train.epoch = 2, job.max_workers = {workers}")
                digests.append(self.model_digest())
        self.assertEqual(len(set(digests)), 1)

    def test_a_blank_label_is_missing(self):
        rows = [(i % 10, "" if i % 11 == 0 else "yes" if i % 10 > 4 else "no") for i in range(200)]
        self.fill(rows, "x INT, y TEXT")
        for model in ("XGBClassifier", "LinearClassifier", "LinearRegressor"):
            self.fill([(x, y if model != "LinearRegressor" else {"yes": "1", "no": "0"}.get(y, y)) for x, y in rows], "x INT, y TEXT")
            with self.subTest(model):
                with self.assertRaisesRegex(Exception, 'label column "y" is NULL in 19 of 200 rows'):
                    self.train(model)
                self.train(model, more=" WITH train.bad_rows = 'skip'")
        self.fill(rows, "x INT, y TEXT")
        self.train("XGBClassifier", select="SELECT * FROM t WHERE y <> ''")
        self.assertEqual(self.evaluate("Accuracy", "t WHERE y <> ''"), 1)
        self.assertEqual(self.evaluate("AUC", "t WHERE y <> ''"), 1)
        with self.assertRaisesRegex(Exception, 'label column "y" is NULL'):
            self.evaluate("Accuracy")
        self.database.execute("SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = 'skip'")
        # Whole numbers and blanks are whole numbers.
        self.fill([(x, "" if y == "" else int(y == "yes")) for x, y in rows], "x INT, y")
        self.train("XGBClassifier", more=" WITH train.bad_rows = 'skip'")
        self.assertEqual(self.run_all("SELECT DISTINCT typeof(totrain_predict('m', x)) FROM t"), [("integer",)])

    def test_a_blank_in_a_category_is_null(self):
        for blank in ("", " ", None):
            self.fill([("red" if i % 3 == 0 else blank if i % 3 == 1 else "blue", i % 3) for i in range(300)])
            self.train("XGBRegressor")
            predicted = [self.run_all("SELECT totrain_predict('m', ?)", value)[0][0] for value in (None, "", "  ")]
            self.assertEqual(len(set(predicted)), 1)
            self.assertAlmostEqual(predicted[0], 1, delta=0.1)

    def test_a_label_that_is_written_as_missing_is_told(self):
        self.run_all("CREATE TABLE absent AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199) SELECT i AS x, "
                     "CASE WHEN i % 10 = 0 THEN 'N/A' WHEN i > 100 THEN 'yes' ELSE 'no' END AS y, "
                     "CASE WHEN i % 10 = 0 THEN 'none' WHEN i > 100 THEN '+' ELSE '-' END AS z FROM n")
        said = [row[3] for row in self.run_all("SELECT x, y FROM absent TO TRAIN XGBClassifier LABEL y INTO m") if row[0] == "notice"]
        self.assertEqual(said, ["label column \"y\" is 'N/A' in 20 rows, which is a class of its own. If the label is missing there, "
                                "leave the rows out: WHERE y <> 'N/A'."])
        self.assertFalse([row for row in self.run_all("SELECT x, z FROM absent TO TRAIN XGBClassifier LABEL z INTO m") if row[0] == "notice"])


if __name__ == "__main__":
    harness.main()
