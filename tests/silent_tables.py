"""Ordinary tables that a model learns wrongly from, and what TRAIN says of them, as SQL of both databases."""

import math
import random


def literal(value):
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def table(name, columns, rows):
    """Statements that make a table of rows; columns: "a double precision, y text"."""
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    return f"DROP TABLE IF EXISTS {name}", f"CREATE TABLE {name} ({columns})", f"INSERT INTO {name} VALUES {values}"


# ---- a class without weight ----

CLASSIFIERS = ("LinearClassifier", "DNNClassifier", "XGBClassifier", "LGBMClassifier", "RandomForestClassifier",
               "DecisionTreeClassifier", "WideAndDeepClassifier")
WEIGHING = ("LogisticRegression", "NaiveBayes")  # which learn nothing where a class weighs nothing
WEIGHTLESS = "of class 'c' of \"y\": nothing is learned of them, and none is predicted. "
OF_ROWS = WEIGHTLESS + "Give these rows a weight above 0, or leave them out of the SELECT: WHERE w > 0."
NEEDED = "of class 'c' of \"y\", and the model needs a weight of each class"


def weighed_table(weightless="c"):
    draw = random.Random(1)
    rows = []
    for i in range(300):
        word = "abc"[i % 3]
        rows.append((draw.gauss(0, 1) + 2 * (i % 3), draw.gauss(0, 1), 0. if word == weightless else 1 + draw.random(), word))
    return table("t", "a double precision, b double precision, w double precision, y text", rows)


# ---- codes that stand for missing values, and dates that are written as numbers ----

LEARNERS = ("XGBRegressor WITH n_estimators = 3,", "RandomForestRegressor WITH n_estimators = 3,", "LinearRegressor WITH train.epoch = 2,",
            "DNNRegressor WITH train.epoch = 2,", "OLS WITH", "WideAndDeepRegressor WITH train.epoch = 2,")
LEARNERS_WITHOUT_LABEL = ("KMeans WITH n_clusters = 2", "PCA")
CODE = "column \"age\": -1 is in 12 of 300 rows that were looked at, apart from all others, and read as a number. If such values are " \
    "missing ones, nullif(age, -1) AS age in the SELECT makes NULL of them. COLUMN *, NUMERIC(age) says that they are numbers."
CODES = "column \"score\": 99 and 1 other number are in 20 of 300 rows that were looked at, apart from all others, and read as numbers. " \
    "If such values are missing ones, CASE WHEN score < 98 THEN score END AS score in the SELECT makes NULL of them."
LABELS = "label column \"y\": -999 is in 15 of 300 rows that were looked at, apart from all others, and read as a number. " \
    "If such labels are missing ones, WHERE y <> -999 leaves the rows out."
DATES = "column \"seen\" holds dates that are written as whole numbers, such as 20230101, and is taken as these numbers, which leap where " \
    "a month ends. "
DATE = "substr(CAST(seen AS TEXT), 1, 4) || '-' || substr(CAST(seen AS TEXT), 5, 2) || '-' || substr(CAST(seen AS TEXT), 7, 2) AS seen"


def coded_table():
    """Ages with -1, scores with 98 and 99, days as whole numbers, and a label that the day decides."""
    rows = []
    for i in range(300):
        day = i * 37 % 500
        age = -1 if i % 25 == 0 else 18 + i * 7 % 60
        score = 98 if i % 60 == 0 else 99 if i % 20 == 3 else i * 13 % 11
        month = day % 12 + 1
        rows.append((age, score, 20230000 + day // 250 * 10000 + month * 100 + day % 28 + 1, i * 31 % 17 / 4,
                     365. * (day // 250) + 30.4 * (month - 1) + day % 28))
    return table("t", "age int, score int, seen int, z double precision, y double precision", rows)


# ---- numbers beyond the reach of a model ----

KEEPING = ("XGBRegressor", "LGBMRegressor", "RandomForestRegressor", "LinearRegressor WITH model.standardize = false",
           "DNNRegressor WITH model.standardize = false, train.epoch = 2")
FAR = "column \"a\" has the number 1e+39: the model distinguishes none beyond "


def far_table():
    """Two of 200 numbers are beyond floats."""
    rows = [(1e39 if i % 100 == 7 else i * 37 % 101 / 50., i * 13 % 17 / 9., float(i % 23)) for i in range(200)]
    return table("t", "a double precision, b double precision, y double precision", rows)

# ---- losses in the label's units ----

UNITS = {"huber": "huber_alpha = 0.9", "fair": "fair_c = 1", "reg:pseudohubererror": "huber_slope = 1"}
OF_UNITS = "units of the label: the middle half of the training rows' labels is "


def priced_table():
    """Prices that two columns decide, the same in millions of millions, and a year."""
    draw = random.Random(3)
    rows = []
    for _ in range(400):
        a, b = draw.uniform(-2, 2), draw.uniform(-1, 1)
        price = 100_000 * (4 + a + (b > 0) + .1 * draw.gauss(0, 1))
        rows.append((a, b, price, price * 1e-12, price / 100_000))
    return table("t", "a double precision, b double precision, price double precision, tiny double precision, near double precision", rows)


# ---- words in several spellings ----

SPELLED = "label column \"y\": 7 classes differ from others in capitals or spaces around them alone, such as 'NO' in 51 rows, 'no' in 51 " \
    "rows and 'no ' in 50 rows. If they mean the same, lower(trim(y)) AS y in the SELECT makes them one."
SPELLED_WORDS = "column \"city\": 3 words differ from others in capitals or spaces around them alone, such as 'Berlin' in 150 rows, 'berlin' " \
    "in 75 rows and ' Berlin' in 25 rows. If they mean the same, lower(trim(city)) AS city in the SELECT makes them one."
SPELLED_ONE = "lower(trim(city)) AS city, z, lower(trim(y)) AS y"


def spelled_table():
    """Answers and cities in several spellings, genotypes, and a word that one row has in capitals."""
    rows = []
    for i in range(300):
        yes = i * 37 % 101 > 50
        answer = ("yes", "YES", "yes", " yes", "YES", "Yes")[i % 6 - (i % 9 == 4)] if yes else ("no", "no ", "NO")[i % 3]
        rows.append((i * 37 % 101 / 101., ("Berlin", "berlin", "Berlin", "Rome" if i % 8 < 4 else " Berlin")[i % 4] if i % 12 != 11 else "Oslo",
                     ("AA", "Aa", "aa")[i % 3], "Lyon" if i != 7 else "LYON", answer))
    return table("t", "z double precision, city text, gene text, town text, y text", rows)


# ---- words that look alike, digits of other scripts ----

ALIKE = (("Caf\u00e9", "Cafe\u0301", "U+0065 U+0301"), ("New York", "New\u00a0York", "U+00A0"), ("\u00c9COLE", "\u00e9cole", "U+00C9"),
         ("Rome", "Ro\u200bme", "U+200B"), ("New York", "New  York", "U+0020 U+0020"), ("Rome", "\u00a0Rome", "U+00A0"),
         ("A101", "\u0410101", "U+0410"), ("O'Brien", "O\u2019Brien", "U+2019"), ("AB", "\uff21\uff22", "U+FF21"),
         ("\u30d1", "\uff8a\uff9f", "U+FF8A U+FF9F"))
SCRIPTS = "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19"


def alike_table():
    """For each pair of ALIKE a column of both words and two others; numbers and days in digits of two scripts."""
    rows = []
    for i in range(200):
        words = [("Oslo", "Lima")[i % 2] if i % 4 < 2 else pair[i % 2] for pair in ALIKE]
        number = f"{i * 37 % 101}.{i % 10}"
        day = f"2024-{i * 5 % 12 + 1:02}-{i * 3 % 28 + 1:02}"
        digits = [text.translate(str.maketrans("0123456789", script)) for script in SCRIPTS for text in (number, day)]
        rows.append((*words, *digits, number, day, float(number) * 2 + i % 3))
    columns = [f"c{i} text" for i in range(len(ALIKE))] + ["arabic text", "arabic_day text", "wide text", "wide_day text", "plain text", "plain_day text",
                                                           "y double precision"]
    return table("t", ", ".join(columns), rows)


# ---- far labels and values, ids that are numbers, columns that are nearly one another ----

SQUARING = ("LinearRegressor", "DNNRegressor", "XGBRegressor", "RandomForestRegressor", "OLS", "xgboost.gblinear", "WideAndDeepRegressor")
FAR_LABELS = 'label column "far": a few labels are far from all others (from '
FAR_VALUES = 'column "wide": a few values are far from all others (its deviation is '
NAMED = 'column "id" holds numbers that seem to be names: rows of the same number explain '
DIFFERENT = "columns \"start\" and \"stop\" are nearly the same, and their difference explains "


def stays_table():
    """Stays of a minute in a year of seconds, of guests by ids; what is paid goes by the length or the guest."""
    draw = random.Random(2)
    guests = [draw.gauss(0, 1) for _ in range(400)]
    rows = []
    for i in range(2400):
        start, length, guest = round(1.6e9 + draw.random() * 3e7), round(draw.expovariate(1 / 60), 3), draw.randrange(400)
        rows.append((start, start + length, guest, 1e9 if i == 5 else draw.gauss(0, 1), 0.5 * length + draw.gauss(0, 1), guests[guest] + draw.gauss(0, 1),
                     1e9 if i == 7 else draw.gauss(0, 1)))
    return table("t", "start bigint, stop double precision, id bigint, wide double precision, paid double precision, liked double precision, "
                 "far double precision", rows)


# ---- rows in another unit ----

UNIT_CURES = (("price", "price / 100.0 AS price"), ("share", "share / 100.0 AS share"), ("height", "height * 2.54 AS height"),
              ("moment", "moment / 1000.0 AS moment"), ("degrees", "degrees - 273.15 AS degrees"))
IN_UNITS = "price * 100 AS price, share * 100 AS share, height / 2.54 AS height, moment * 1000 AS moment, degrees + 273.15 AS degrees, y"
OUTSIDE = 'column "{}": '
ANOTHER = ", as in another unit. If their unit differs from that of the training rows, write "


def units_table():
    """Prices, shares, heights, seconds and degrees that a model learns in these units."""
    draw = random.Random(7)
    rows = []
    for i in range(600):
        price, share, height = round(math.exp(draw.gauss(3, 1)), 2), draw.random(), draw.gauss(170, 9)
        rows.append((price, share, height, 1700000000 + 60 * draw.randrange(50000), draw.gauss(12, 6), price / 9 + 3 * share + draw.gauss(0, 1)))
    return table("t", "price double precision, share double precision, height double precision, moment bigint, degrees double precision, "
                 "y double precision", rows)
