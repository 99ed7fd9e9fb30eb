"""Small models of XGBoost and LightGBM, the rows they predict, and what they predict: what test_exchange.c reads.

    PYTHON make.py      a Python with xgboost 3.2, lightgbm 4.7 and pandas writes the files beside this one

Shares (SHAP values): of each of the first rows what each input adds to each output, and the base behind them.
Rows: a, b, c, d and colour, tabs between them, an empty field for a missing value. Sums: of each row the sums of
leaves of each class. Numbers are floats of 32 bits.
"""

import pathlib

import lightgbm
import numpy
import pandas
import xgboost

FOLDER = pathlib.Path(__file__).resolve().parent
WORDS = ["red", "green", "blue", "with \"quotes\"", "unicode", "7", "gold"]
HOSTILE = [0.0, -0.0, 1e30, -1e30, 3.4e38, -3.4e38, 16777216.0, 0.1]
ROWS = 300
EXPLAINED = 60  # rows


def make_rows():
    random = numpy.random.default_rng(7)
    frame = pandas.DataFrame({name: random.normal(size=ROWS).astype(numpy.float32) for name in "abcd"})
    frame["d"] = numpy.round(frame["d"] * 2)
    for name in "abcd":
        frame.loc[random.random(ROWS) < .1, name] = numpy.nan
        frame.loc[random.random(ROWS) < .03, name] = numpy.float32(random.choice(HOSTILE))
    colour = [WORDS[i] for i in random.integers(0, len(WORDS), ROWS)]
    frame["colour"] = pandas.Categorical(colour, categories=WORDS)
    frame.loc[random.random(ROWS) < .1, "colour"] = None
    return frame


def labels(frame):
    value = (frame["a"].clip(-3, 3).fillna(.7) + frame["b"].clip(-3, 3).fillna(0) * frame["c"].clip(-3, 3).fillna(1) +
             frame["colour"].cat.codes % 3)
    return value, (value > 1).astype(int), pandas.cut(value, [-1e9, 0, 2, 1e9], labels=False).astype(int)


def write_rows(name, rows):
    (FOLDER / name).write_text("".join(
        " ".join(f"{x:.9g}" for x in numpy.atleast_1d(row)) + "\n" for row in numpy.asarray(rows, float)))


def write_sums(name, sums):
    write_rows(f"{name}.sums", sums)


def xgboosts(frame, value, two, three):
    whole = {"max_depth": 3, "max_cat_to_onehot": 1, "seed": 1}
    for name, parameters, label, endings in [
            ("two", {"objective": "binary:logistic"}, two, ["json", "ubj"]),
            ("three", {"objective": "multi:softprob", "num_class": 3, "booster": "dart", "rate_drop": .5}, three,
             ["json"]),
            ("number", {"objective": "reg:squarederror", "num_parallel_tree": 2, "subsample": .6}, value, ["ubj"]),
            ("quantiles", {"objective": "reg:quantileerror", "quantile_alpha": [.1, .5, .9]}, value, ["json"])]:
        data = xgboost.DMatrix(frame, label, enable_categorical=True)
        booster = xgboost.train({**whole, **parameters}, data, 4)
        for ending in endings:
            booster.save_model(FOLDER / f"xgboost_{name}.{ending}")
        write_sums(f"xgboost_{name}", booster.predict(data, output_margin=True))


def lightgbms(frame, value, two, three):
    whole = {"num_leaves": 6, "min_data_in_leaf": 5, "max_cat_to_onehot": 1, "min_data_per_group": 5, "cat_smooth": 1,
             "verbose": -1, "seed": 1}
    for name, parameters, label in [
            ("two", {"objective": "binary"}, two),
            ("three", {"objective": "multiclass", "num_class": 3}, three),
            ("number", {"objective": "regression", "use_missing": False}, value)]:
        booster = lightgbm.train({**whole, **parameters}, lightgbm.Dataset(frame, label), 4)
        booster.save_model(FOLDER / f"lightgbm_{name}.txt")
        write_sums(f"lightgbm_{name}", booster.predict(frame, raw_score=True))


def write_shares(frame):
    """By the models as they are stored."""
    explained = frame.head(EXPLAINED)
    data = xgboost.DMatrix(explained, enable_categorical=True)
    for name in ("two", "three", "number", "quantiles"):
        path = next(FOLDER.glob(f"xgboost_{name}.[ju]*"))
        shares = xgboost.Booster(model_file=path).predict(data, pred_contribs=True)
        write_rows(f"xgboost_{name}.shares", shares.reshape(EXPLAINED, -1))
    # LightGBM weighs the ways of a row to classes by rows, where XGBoost and ToTrain do it by hessians.
    shares = lightgbm.Booster(model_file=FOLDER / "lightgbm_number.txt").predict(explained, pred_contrib=True)
    write_rows("lightgbm_number.shares", shares)


def main():
    frame = make_rows()
    lines = ["\t".join("" if pandas.isna(cell) else cell if isinstance(cell, str) else f"{cell:.9g}" for cell in row)
             for row in frame.itertuples(index=False)]
    (FOLDER / "rows.txt").write_text("\n".join(lines) + "\n")
    xgboosts(frame, *labels(frame))
    lightgbms(frame, *labels(frame))
    write_shares(frame)


if __name__ == "__main__":
    main()
