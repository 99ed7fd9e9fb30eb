"""Trees against XGBoost and LightGBM on rows of which all of them make the same trees (tests/quality/tree_references.py):
predictions, the metrics of each round, and the round where early stopping ends."""

import json
import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import tree_references  # noqa: E402  pylint: disable=wrong-import-position

NAMES = {"xgboost": "xgboost.gbtree", "lightgbm": "lightgbm.gbdt"}
# Theirs: our column of SHOW TRAIN, and whether it is what theirs is less than 1.
COLUMNS = {"error": ("accuracy", True), "merror": ("accuracy", True), "logloss": ("logloss", False),
           "mlogloss": ("logloss", False), "auc": ("auc", False), "mae": ("mae", False), "rmse": ("rmse", False)}


def attributes(told):
    return ", ".join(f"{name} = {value!r}" for name, value in told.items())


class References(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.trained = 0
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, z REAL, y INTEGER, k TEXT, p REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", tree_references.rows())

    def predicted(self, numbers):
        function = "quantiles" if numbers > 1 else "predict"
        found = [row[0] for row in self.run_all(
            f"SELECT totrain_{function}('m', a, b, c) FROM t LIMIT {tree_references.SHOWN}")]
        return [list(json.loads(row).values()) if numbers > 1 else [row] for row in found]

    def test_predictions_are_those_of_the_libraries(self):
        for name, (program, label, told, rounds) in tree_references.LEARNED.items():
            with self.subTest(name):
                whole = tree_references.XGBOOST if program == "xgboost" else tree_references.LIGHTGBM
                self.run_all(f"SELECT a, b, c, {label} FROM t TO TRAIN {NAMES[program]} WITH {attributes({**whole, **told})}, "
                             f"num_boost_round = {rounds}, train.test_size = 0 LABEL {label} INTO m")
                wanted = [row if isinstance(row, list) else [row] for row in tree_references.PREDICTED[name]]
                for row, other in zip(self.predicted(len(wanted[0])), wanted, strict=True):
                    for number, reference in zip(row, other, strict=True):
                        self.assertAlmostEqual(number, reference, delta=2e-6 * max(1, abs(reference)))

    def test_errors_are_near_those_of_the_libraries(self):
        for name, (program, label, told, rounds, metric, theirs) in tree_references.ERRORS.items():
            with self.subTest(name):
                whole = tree_references.XGBOOST if program == "xgboost" else tree_references.LIGHTGBM
                facts = harness.facts(self.run_all(
                    f"SELECT a, b, c, {label} FROM t TO TRAIN {NAMES[program]} WITH {attributes({**whole, **told})}, "
                    f"num_boost_round = {rounds}, train.test_size = 0, validation.metrics = '{metric}' LABEL {label} INTO m"))
                self.assertAlmostEqual(facts[metric] / theirs, 1, delta=.05)

    def rounds(self, label, told, more=""):
        """By name of the column of SHOW TRAIN its values but times, and how many trees the model has."""
        self.trained += 1
        told = {**tree_references.XGBOOST, **told, "eval_metric": ",".join(told["eval_metric"])}
        held_out = len(tree_references.rows()) - tree_references.HELD_OUT
        self.run_all(f"SELECT a, b, c, {label} FROM t WHERE rowid <= {held_out} TO TRAIN xgboost.gbtree "
                     f"WITH {attributes(told)}, num_boost_round = {tree_references.ROUNDS_MOST}, "
                     f"early_stopping_rounds = {tree_references.PATIENCE}{more}, "
                     f"validation.select = 'SELECT * FROM t WHERE rowid > {held_out}' LABEL {label} INTO m{self.trained}")
        found = self.database.execute(f"SHOW TRAIN m{self.trained}")
        names = [column[0] for column in found.description]
        columns = dict(zip(names, zip(*found.fetchall(), strict=True), strict=True))
        leaves = self.run_all(f"SELECT totrain_leaf('m{self.trained}', a, b, c) FROM t LIMIT 1")[0][0]
        return {name: values for name, values in columns.items() if name != "seconds"}, len(json.loads(leaves))

    def test_rounds_are_measured_as_xgboost_does_and_end_where_it_ends(self):
        for name, (label, told) in tree_references.ROUNDS.items():
            with self.subTest(name):
                wanted = tree_references.MEASURED[name]
                columns, trees = self.rounds(label, told)
                self.assertEqual(trees, wanted["best"] * (3 if name.startswith("three") else 1))
                for part in ("train", "validation"):
                    for metric in told["eval_metric"]:
                        ours, is_rest = COLUMNS[metric]
                        if (part, metric) == ("train", "auc"):
                            continue
                        values = columns[f"{part}_{ours}"]
                        theirs = wanted[f"{part} {metric}"]
                        self.assertEqual(len(values), len(theirs))
                        for value, reference in zip(values, theirs, strict=True):
                            self.assertAlmostEqual(1 - value if is_rest else value, reference,
                                                   delta=2e-5 * max(1, abs(reference)))

    def test_rounds_are_the_same_with_any_number_of_workers(self):
        label, told = tree_references.ROUNDS["three classes"]
        alone = self.rounds(label, told)
        digest = self.model_digest("m1")
        for workers in (2, 3):
            self.assertEqual(self.rounds(label, told, f", job.min_workers = {workers}, job.max_workers = {workers}"), alone)
            self.assertEqual(self.model_digest(f"m{self.trained}"), digest)


harness.main()
