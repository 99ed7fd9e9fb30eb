"""Trees with defaults against XGBoost's and LightGBM's where chance is small enough to see what is left.

    bench/quality/run BUILD --draws [--number N] [SET...]

Of the made tables of tree_sets.py N are drawn: both sides learn from the same 3,200 rows, and are judged on 16,800
others. Those of examples/data are split N times, 4 to 1; such splits overlap, so the standard error of these says too
little. A difference is of the same rows, and its standard error is over the draws; the last rows are the bars
(tree_verdicts.drawn), and the exit code is 1 where one is not met.

Results are kept in BUILD/bench-tree-draws.json as those of trees.py are.
"""

import argparse
import json
import math
import pathlib
import sys
import tempfile
import warnings

import numpy

import tree_sets
import tree_verdicts
import trees
import verdicts

NUMBER = 20
TRAIN, ALL = 3200, 20000
SHARE = 0.8  # share of a table for training


def rows_of(row, draw):
    """(to learn from, to judge on)"""
    if row[0] in tree_sets.MADE:
        frame = tree_sets.MADE[row[0]](draw, ALL)
        return frame.iloc[:TRAIN], frame.iloc[TRAIN:]
    frame = row[2]()
    order, first = numpy.random.default_rng(draw).permutation(len(frame)), int(SHARE * len(frame))
    return frame.iloc[order[:first]], frame.iloc[order[first:]]


def measure(program, row, draw, kept):
    keys = {(library, who): f"{row[0]}/{draw}/{who} {library}" for library in tree_verdicts.LIBRARIES
            for who in ("ours", "peer")}
    if all(key in kept for key in keys.values()):
        return
    train, test = rows_of(row, draw)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.db"
        trees.write(path, train, test)
        for (library, who), key in keys.items():
            if key in kept:
                continue
            kept[key] = (trees.peer(library, "defaults", row, draw, train, test) if who == "peer" else
                         trees.ours(program, path, library, "defaults", row, draw, train["label"].nunique() == 2))


def ahead(kept, row, library, draws):
    """How much better ours is, draw by draw: points of accuracy, or the logarithm of a ratio of RMSE."""
    pairs = [[kept[f"{row[0]}/{draw}/{who} {library}"][0] for who in ("ours", "peer")] for draw in draws]
    return [ours - peer if row[1] == tree_sets.CLASSES else math.log(peer / ours) for ours, peer in pairs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--number", type=int, default=NUMBER, help="two or more")
    arguments = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    path, program = arguments.build / "bench-tree-draws.json", arguments.build / "totrain"
    kept = trees.of_this_program(json.loads(path.read_text()) if path.exists() else {}, program)
    rows = [row for row in tree_sets.SETS if not arguments.sets or row[0] in arguments.sets]
    draws = range(1, 1 + arguments.number)
    for row in rows:
        for draw in draws:
            measure(program, row, draw, kept)
        path.write_text(json.dumps(kept))
    print("| ahead with defaults, standard error, % | " + " | ".join(tree_verdicts.LIBRARIES) + " |\n|---|---|---|")
    for row in rows:
        found = [verdicts.paired([ahead(kept, row, library, draws)]) for library in tree_verdicts.LIBRARIES]
        print(f"| {row[0]} | " + " | ".join(f"{100 * mean:+.3f}, {100 * error:.3f}" for mean, error in found) + " |")
    bars = []
    for library in tree_verdicts.LIBRARIES:
        for what, task in (("accuracy", tree_sets.CLASSES), ("RMSE", tree_sets.NUMBER)):
            some = [ahead(kept, row, library, draws) for row in rows if row[1] == task]
            bars += [tree_verdicts.drawn(f"{library}, {what}", some)] if some else []
    sys.exit(0 if verdicts.show_rows(bars) else 1)


if __name__ == "__main__":
    main()
