"""The bars of the quality of defaults (bench/quality/verdicts.py): each is met at its limit, and not beyond it."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "quality"))
import verdicts  # noqa: E402  pylint: disable=wrong-import-position

EVEN = {"linear": [0.8, 0.5], "peer linear": [0.8, 0.5], "network": [0.801, 0.5], "peer network": [0.8, 0.6]}
NUMBERS = {"linear": [10.0], "peer linear": [10.0], "network": [9.9], "peer network": [10.0]}


class Verdicts(unittest.TestCase):
    def missed(self, classes=None, numbers=None):
        """Numbers of the bars that are not met, of two sets a task and two seeds: the changes are the first set's."""
        kept = {}
        for seed in range(2):
            for names, even, changed in (("ab", EVEN, classes or {}), ("xy", NUMBERS, numbers or {})):
                for name in names:
                    of_set = {**even, **(changed if name in "ax" else {})}
                    kept.update({f"{name}/{seed}/{model}": values for model, values in of_set.items()})
        measured = verdicts.Measured(kept, 2, ["a", "b"], ["x", "y"])
        return [number for number, row in enumerate(verdicts.verdicts(measured)) if not row[3]]

    def test_all_are_met(self):
        self.assertEqual(self.missed(), [])

    def test_linear_models_may_be_a_fifth_of_a_point_behind(self):
        self.assertEqual(self.missed({"linear": [0.7961, 0.5]}), [])
        self.assertEqual(self.missed({"linear": [0.7959, 0.5]}), [0])

    def test_linear_models_may_be_one_percent_above(self):
        self.assertEqual(self.missed(numbers={"linear": [10.2]}), [])
        self.assertEqual(self.missed(numbers={"linear": [10.21]}), [1])

    def test_networks_are_ahead_in_the_mean(self):
        self.assertEqual(self.missed({"network": [0.799, 0.5]}), [2])
        self.assertEqual(self.missed(numbers={"network": [10.11]}), [3])

    def test_networks_are_nowhere_far_behind(self):
        self.assertEqual(self.missed({"network": [0.769, 0.5]}), [2, 4])
        self.assertEqual(self.missed(numbers={"network": [11.01], "linear": [10.0]}), [3, 5])

    def test_log_loss_is_no_worse_than_the_best_peers(self):
        self.assertEqual(self.missed({"network": [0.801, 0.501]}), [6])
        self.assertEqual(self.missed({"network": [0.801, 0.501], "peer linear": [0.8, 0.502]}), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
