"""The bars of trees (bench/quality/tree_verdicts.py): each is met at its limit, and not beyond it."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "quality"))
import verdicts  # noqa: E402  pylint: disable=wrong-import-position
import tree_verdicts  # noqa: E402  pylint: disable=wrong-import-position

RUNS = ["0/0", "0/1", "1/0"]
# Two classes, more of them, numbers.
EVEN = {"two": [0.8, 0.9], "more": [0.7], "number": [10.0], "other": [5.0]}


class TreeVerdicts(unittest.TestCase):
    def missed(self, changes):
        """The bars that are not met; changes: what "SET/ours LIBRARY SETTING" has in the mean, otherwise than EVEN."""
        kept = {}
        for name, values in EVEN.items():
            for library in tree_verdicts.LIBRARIES:
                for setting in tree_verdicts.SETTINGS:
                    found = changes.get(f"{name}/ours {library} {setting}", values)
                    for number, run in enumerate(RUNS):
                        kept[f"{name}/{run}/peer {library} {setting}"] = values
                        kept[f"{name}/{run}/ours {library} {setting}"] = [v + (number - 1) * 0.01 for v in found]
        measured = tree_verdicts.Measured(kept, RUNS, ["two", "more"], ["number", "other"])
        rows = list(tree_verdicts.verdicts(measured))
        self.assertEqual(len(rows), 10)
        return [bar.split(" at most")[0] for bar, _, _, met in rows if not met]

    def test_all_are_met(self):
        # A difference of rounding alone is left out: the means of ours are those of theirs but for the last bits.
        even = {f"{name}/ours {library} defaults": [v + (1e-9 if name in ("two", "more") else -1e-9) for v in EVEN[name]]
                for name in EVEN for library in tree_verdicts.LIBRARIES}
        self.assertEqual(self.missed(even), [])
        self.even = even

    def changed(self, changes):
        self.test_all_are_met()
        return self.missed({**self.even, **changes})

    def test_no_set_is_half_a_point_behind(self):
        self.assertEqual(self.changed({"more/ours xgboost same": [0.6951]}), [])
        self.assertEqual(self.changed({"more/ours xgboost same": [0.6949]}),
                         ["xgboost, same parameters: points of accuracy behind"])
        self.assertEqual(self.changed({"two/ours lightgbm same": [0.8, 0.8949]}),
                         ["lightgbm, same parameters: points of AUC behind"])

    def test_no_error_is_one_percent_above(self):
        self.assertEqual(self.changed({"other/ours lightgbm same": [5.049]}), [])
        self.assertEqual(self.changed({"other/ours lightgbm same": [5.051], "number/ours lightgbm same": [9.0]}),
                         ["lightgbm, same parameters: RMSE / theirs"])

    def test_defaults_are_not_behind_in_the_mean(self):
        self.assertEqual(self.changed({"two/ours xgboost defaults": [0.79, 0.9], "more/ours xgboost defaults": [0.711]}), [])
        self.assertEqual(self.changed({"two/ours xgboost defaults": [0.79, 0.9], "more/ours xgboost defaults": [0.709]}),
                         ["xgboost, defaults: mean accuracy"])
        self.assertEqual(self.changed({"number/ours lightgbm defaults": [11.0], "other/ours lightgbm defaults": [4.5]}), [])
        self.assertEqual(self.changed({"number/ours lightgbm defaults": [11.0], "other/ours lightgbm defaults": [4.6]}),
                         ["lightgbm, defaults: mean RMSE / theirs"])

    def test_what_is_drawn_anew_is_judged_by_its_own_chance(self):
        even, behind = [0.0004, -0.0002, 0.0001, -0.0003], [-0.0009, -0.0015, -0.0012, -0.0012]
        mean, error = verdicts.paired([even, behind])
        self.assertAlmostEqual(mean, -0.0006)
        self.assertAlmostEqual(error, ((1e-7 / 4 + 6e-8 / 4) ** 0.5) / 2)
        for sets, met in (([even, even], True), ([behind], False), ([even, behind], False), ([even, [0.001, 0.001]], True),
                          ([[-0.011, 0.01]], False), ([[-0.01, 0.011]], True)):  # the one before settles nothing
            with self.subTest(sets=sets):
                self.assertEqual(tree_verdicts.drawn("", sets)[3], met)


if __name__ == "__main__":
    unittest.main(verbosity=2)
