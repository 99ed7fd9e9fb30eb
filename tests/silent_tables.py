"""Ordinary tables that a model learns wrongly from, and what TRAIN says of them, as SQL of both databases."""

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
