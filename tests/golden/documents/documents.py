"""Statements that documents and tests of SQLFlow show, and what they give here.

sqlflow.sql has them unchanged, a comment with the file each is from before it, and an empty line behind it. (Some of
the documents have TRAIN where later ones have TO TRAIN; it is the latter everywhere. Names of a placeholder are those
that the test fills in.) sqlflow.txt has the same with the rows of each result. With TOTRAIN_WRITE=1 a test writes it
anew.
"""

import csv
import os
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent
DATA = FOLDER.parents[2] / "examples" / "data"
SCHEMAS = ("iris", "boston", "housing", "titanic", "carprice", "creditcard", "scorecard", "churn", "text_cn",
           "feature_derivation_case", "key_value", "ctr", "sqlflow_models")
ROWS_SHOWN = 12


def read():
    """(file, statement) of each."""
    cases = []
    for piece in (FOLDER / "sqlflow.sql").read_text().rstrip().split("\n\n"):
        title, _, statement = piece.partition("\n")
        assert title.startswith("-- ") and statement.endswith(";"), piece
        cases.append((title[3:], statement[:-1]))
    return cases


def numbers(name):
    with open(DATA / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    return header, [[float(cell) for cell in row] for row in rows]


def split(tables, schema, header, rows):
    """A fifth of the rows is for testing."""
    tables[schema, "train"] = header, [row for i, row in enumerate(rows) if i % 5]
    tables[schema, "test"] = header, rows[::5]


def add_flowers(tables):
    header, rows = numbers("iris")
    rows = [[*row[:4], int(row[4])] for row in rows]
    split(tables, "iris", header, rows)
    for name in ("train", "test"):
        _, kept = tables["iris", name]
        tables["iris", f"{name}_dense"] = ["dense", "class"], [
            [",".join(f"{number:g}" for number in row[:4]), row[4]] for row in kept]


def add_houses(tables):
    header, rows = numbers("boston")
    rows = [[int(cell) if name in ("rad", "tax", "chas") else cell for name, cell in zip(header, row)] for row in rows]
    split(tables, "boston", header, rows)
    split(tables, "housing", [f"f{i}" for i in range(1, 14)] + ["target"], rows)


def add_passengers(tables, draw):
    header = ("pclass_1 pclass_2 pclass_3 sex_female sex_male embarked_c embarked_q embarked_s title_master title_misc "
              "title_miss title_mr title_mrs nosibsp noparch nullcabin cabinalpha family isalone ismother age realfare "
              "survived").split()
    rows = []
    with open(DATA / "titanic.csv", newline="") as file:
        for row in csv.DictReader(file):
            female, place = row["sex"] == "women", draw.randrange(3)
            number = {"1st class": 1, "2nd class": 2}.get(row["class"], 3)
            title = draw.choice((2, 4) if female else (1, 3, 3, 3))
            rows.append([int(number == i) for i in (1, 2, 3)] + [int(female), int(not female)] +
                        [int(place == i) for i in range(3)] + [int(title == i) for i in range(5)] +
                        [draw.randrange(2), draw.randrange(2), int(number > 1), draw.randrange(8), draw.randrange(5),
                         draw.randrange(2), int(female and title == 4), draw.randrange(1, 80),
                         round(draw.expovariate(1 / 40 * number), 2), int(row["survived"] == "yes")])
    split(tables, "titanic", header, rows[::2])


def add_cars(tables, draw):
    header = ("engine_hp engine_cylinders number_of_doors highway_mpg city_mpg popularity market_category_nums "
              "category_factory_tuner category_luxury category_high_performance make_audi make_bmw make_honda "
              "transmission_type_automatic transmission_type_manual driven_wheels_four_wheel_drive vehicle_size_large "
              "vehicle_style_coupe vehicle_style_sedan vehicle_style_wagon msrp").split()
    rows = []
    for _ in range(600):
        power = draw.randrange(70, 500)
        row = [power, draw.choice((4, 4, 6, 8)), draw.choice((2, 4)), draw.randrange(15, 45), draw.randrange(10, 35),
               draw.randrange(6000), draw.randrange(4)] + [int(draw.random() < .3) for _ in range(13)]
        rows.append(row + [round(1.5 * power ** 1.7 * (1 + .4 * row[8] + .2 * row[10]) + 500 * draw.random())])
    split(tables, "carprice", header, rows)


def add_payments(tables, draw):
    rows = []
    for i in range(1500):
        fraud = int(draw.random() < .05)
        rows.append([i] + [round(draw.gauss(fraud * (j % 3 - 1), 1), 4) for j in range(28)] +
                    [round(draw.expovariate(.01), 2), fraud])
    tables["creditcard", "creditcard"] = ["time"] + [f"v{i}" for i in range(1, 29)] + ["amount", "class"], rows


def add_debtors(tables, draw):
    header = ("serious_dlqin2yrs revolving_utilization_of_unsecured_lines age number_of_time30_59days_past_due_not_worse "
              "debt_ratio monthly_income number_of_open_credit_lines_and_loans number_of_times_90_days_late "
              "number_real_estate_loans_or_lines number_of_time60_89_days_past_due_not_worse "
              "number_of_dependents").split()
    rows = []
    for _ in range(1200):
        used, late = round(draw.random() ** 2, 4), draw.choice((0, 0, 0, 0, 1, 2))
        bad = int(draw.random() < .02 + .2 * used + .15 * late)
        rows.append([bad, used, draw.randrange(21, 90), late, round(draw.expovariate(2), 3),
                     float(draw.randrange(800, 12000)), draw.randrange(20), int(bad and draw.random() < .4),
                     draw.randrange(4), draw.choice((0, 0, 0, 1)), float(draw.randrange(5))])
    tables["scorecard", "train"] = header, rows


def add_customers(tables, draw):
    tables["churn", "train"] = ["seniorcitizen", "customerid", "gender", "tenure"], [
        [int(draw.random() < .2), f"{draw.randrange(10000):04}-{draw.choice('ABCDE') * 5}", draw.randrange(2),
         draw.randrange(72)] for _ in range(300)]


def add_texts(tables, draw):
    rows = []
    for _ in range(600):
        label = draw.randrange(17)
        words = [draw.randrange(900 * label, 900 * label + 300) if draw.random() < .5 else draw.randrange(16000)
                 for _ in range(draw.randrange(3, 12))]
        rows.append([",".join(map(str, words)), label])
    tables["text_cn", "train_processed"] = ["news_title", "class_id"], rows
    tables["feature_derivation_case", "train"] = ["c1", "c2", "c3", "c4", "c5", "class"], [
        [draw.random(), draw.randrange(100), draw.randrange(10), ",".join(f"{draw.random():.3f}" for _ in range(3)),
         ",".join(map(str, sorted(draw.sample(range(64), 4)))), i % 3] for i in range(120)]


def add_keys_and_values(tables, draw):
    def pairs(most):
        return ",".join(f"{key}:{draw.random():.2f}" for key in sorted(draw.sample(range(most), 3)))

    tables["key_value", "weighted_key_value_train"] = ["feature", "label_col"], [[pairs(10), i % 2] for i in range(60)]
    tables["key_value", "xgboost_sparse_data_train"] = ["c1", "label_col"], [
        [pairs(11).replace(",", " "), i % 3] for i in range(60)]


def add_clicks(tables, draw):
    rows = [[draw.randrange(50) for _ in range(13)] +
            [f"{draw.choice('abcdefgh')}{draw.randrange(40)}" for _ in range(6)] for _ in range(800)]
    tables["ctr", "sqlflow_ctr_train_raw"] = (
        [f"l{i}" for i in range(1, 14)] + [f"c{i}" for i in range(1, 7)] + ["label"],
        [[*row, int(row[0] / 50 + (row[13][0] in "abc") + draw.random() > 1.5)] for row in rows])


def make_tables():
    """(schema, table) -> columns, rows. What no file here has is made, the same each time."""
    tables, draw = {}, random.Random(20)
    add_flowers(tables)
    add_houses(tables)
    for add in (add_passengers, add_cars, add_payments, add_debtors, add_customers, add_texts, add_keys_and_values,
                add_clicks):
        add(tables, draw)
    return tables


def shown(columns, rows):
    """The rows of a result, without what differs from run to run."""
    kept = [row for row in rows if not row or row[0] not in ("job", "seconds")]
    if "seconds" in columns:
        place = columns.index("seconds")
        columns, kept = columns[:place] + columns[place + 1:], [row[:place] + row[place + 1:] for row in kept]
    lines = [" | ".join(columns)]
    lines += [" | ".join("" if cell is None else f"{cell:.9g}" if isinstance(cell, float) else str(cell) for cell in row)
              for row in kept[:ROWS_SHOWN]]
    return "\n".join(lines + ([f"... {len(kept)} rows"] if len(kept) > ROWS_SHOWN else []))


def compare(test, run):
    """run(statement) gives the columns and rows of its result, or None where it has none."""
    cases = read()
    test.assertGreaterEqual(len(cases), 30)
    pieces = []
    for title, statement in cases:
        with test.subTest(title, statement=statement):
            pieces.append(f"-- {title}\n{statement};\n\n{shown(*run(statement))}\n")
    text = "\n".join(pieces)
    path = FOLDER / "sqlflow.txt"
    if os.environ.get("TOTRAIN_WRITE"):
        path.write_text(text)
    test.maxDiff = None
    test.assertEqual(text, path.read_text())
