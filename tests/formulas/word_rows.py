"""Rows and models of words by their hash, of crosses and of free text, for programs that predict as the extension does."""

import random
import re

WORDS = ("good", "Bad", "it's", "GRÜSSE", "naïve", "漢字", "ПРИВЕТ", "x1", "the", "a", "😀", "word" * 40, "é" * 61 + "z", "1234",
         "Ωmega", "ﬀ", "*/", "??/", "İÇ", "ß" * 60, "\\n")
BETWEEN = (" ", ", ", "-", "\n", "\u3000", "’", " ; ")
CATEGORIES = ("a", "bb", "ccc", "dddd", "eeeeeeee", "nine char", "seventeen letters", "x" * 33, "x" * 100, "y" * 140, "z" * 240, "é",
              "it's", "", "  ", " w ", "\\")
# name, estimator, attributes, columns, COLUMN, label
MODELS = (
    ("rare", "LinearClassifier", "train.epoch = 3", "c, n", "VOCABULARY(c, 20), n", "two"),
    ("hashed", "DNNRegressor", "model.hidden_units = [5], train.epoch = 3", "c, n", "CATEGORY_HASH(c, 50), n", "y"),
    ("crossed", "LinearRegressor", "train.epoch = 3", "c, n, k", "CROSS([CATEGORY_HASH(c, 9), BUCKET(n, [0, 1]), k], 300), n, k", "y"),
    ("texts", "LinearClassifier", "train.epoch = 3", "note, n", "TEXT(note, 200, 50), n", "two"),
    ("counts", "NaiveBayes", "", "note, n", "TEXT(note, weights = 'count'), n", "two"),
    ("tfidf", "LinearClassifier", "train.epoch = 3", "note, n", "TEXT(note, ngrams = 2, weights = 'tfidf'), n", "two"),
    ("trees", "XGBClassifier", "n_estimators = 5", "note, n", "TEXT(note, 64, 5), n", "two"),
    ("fields", "DeepFMRegressor", "train.epoch = 1, model.embedding_dimension = 2, model.hidden_units = [3]", "note, c, n",
     "TEXT(note, 40), CATEGORY_HASH(c, 30), n", "y"),
)


def statement(model):
    """The model is trained from the table w."""
    name, estimator, attributes, columns, column, label = model
    return (f"SELECT {columns}, {label} FROM w TO TRAIN {estimator} WITH {attributes + ', ' if attributes else ''}train.seed = 1 "
            f"COLUMN {column} LABEL {label} INTO {name}")


def note(draw):
    if draw.random() < 0.07:
        return None
    return "".join(draw.choice(WORDS) + draw.choice(BETWEEN) for _ in range(draw.choice((0, 1, 3, 7, 12))))


def category(draw):
    kind = draw.random()
    if kind < 0.08:
        return None
    if kind < 0.2:
        return draw.choice((1, 2, 3.5, -4, 0.1, 2**50, -1234567.125, 99.99))
    return f"w{draw.randint(0, 3000)}" if kind < 0.5 else draw.choice(CATEGORIES)


def rows(count, seed):
    """note, c, k, n, and two labels."""
    draw = random.Random(seed)
    for _ in range(count):
        number, text, one, other = draw.gauss(0, 1), note(draw), category(draw), category(draw)
        label = number + 2 * ("good" in str(text)) - ("Bad" in str(text)) + draw.gauss(0, 0.3) + len(str(one)) % 3
        yield [text, one, other, number, label, "yes" if label > 1 else "no"]


# Each kind with each column function: name, estimator, attributes, label; COLUMN.
KINDS = (("LinearClassifier", "train.epoch = 2", "two"), ("LinearRegressor", "train.epoch = 2", "y"), ("NaiveBayes", "", "two"),
         ("DNNRegressor", "train.epoch = 1, model.hidden_units = [3]", "y"), ("XGBClassifier", "n_estimators = 4", "two"),
         ("RandomForestRegressor", "n_estimators = 3", "y"),
         ("DeepFMClassifier", "train.epoch = 1, model.embedding_dimension = 2, model.hidden_units = [3]", "two"))
FORMS = ("VOCABULARY(c, 20), n", "CATEGORY_HASH(c, 60), n", "CROSS([c, k], 80), n", "CROSS([BUCKET(n, [0, 1]), CATEGORY_HASH(k, 7)], 50), c",
         "TEXT(note, 90, 20), n", "TEXT(note, ngrams = 2, weights = 'tfidf'), n", "TEXT(note, weights = 'count'), c")
ODD = ("", " ", "\t", "\n", "NULL", "null", "n/a", "NaN", "-", "0", "00", "1e5", "007", "1.0", "+1", "İ", "ı", "ﬁ", "e\u0301", "é", "\u200d", "\ufeff",
       "a\u00adb", "\u2028", "\ue000", "\U0010ffff", "👩‍👩‍👧", "🇩🇪", "ｗｉｄｅ", "ΑΣ", "ς", "ǅ", "ẞ", "'", '"', "\\", "%", "_", "--", "/*", "$1", "${x}",
       "@", "?", "\u007f", "\u0085", "ا", "ב", "ไทย", "한글", "क्षि", "x" * 128, "y" * 129, "ж" * 64, "漢" * 80)
FAR = (None, 0.0, 1e300, -1e300, 5e-324, 1e15, -1e6, 0.1 + 0.2, 2.0**53)


def form_statement(kind, form, name):
    """The model is trained from the table w."""
    estimator, attributes, label = kind
    used = ", ".join(column for column in ("note", "c", "k", "n") if re.search(rf"\b{column}\b", form))
    return (f"SELECT {used}, {label} FROM w TO TRAIN {estimator} WITH {attributes + ', ' if attributes else ''}train.seed = 1 "
            f"COLUMN {form} LABEL {label} INTO {name}")


def hostile(count, seed):
    """Rows that can be read, in which words, texts and numbers are such as no training row has."""
    draw = random.Random(seed)
    for row in rows(count, seed):
        for column in (1, 2):
            if draw.random() < 0.5:
                row[column] = draw.choice(ODD)
        if draw.random() < 0.5:
            row[0] = "".join(draw.choice(ODD + WORDS) + draw.choice(BETWEEN + ("",)) for _ in range(draw.randint(0, 9)))
        if draw.random() < 0.2:
            row[3] = draw.choice(FAR)
        yield row
