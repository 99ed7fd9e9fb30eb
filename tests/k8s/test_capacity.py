"""Pods of jobs among others: capacity is given to services of higher priority, and thirty come back at once.

The experiments are those of bench/k8s, shorter; what they measure is printed, and the model is the same.
"""

import pathlib
import statistics
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "k8s"))

import k8s as experiments  # noqa: E402  pylint: disable=wrong-import-position
import training  # noqa: E402  pylint: disable=wrong-import-position


class Capacity(harness.Case):
    def setUp(self):
        super().setUp()
        self.bench = experiments.Bench(training.BUILD, 1 if harness.FULL else experiments.QUICK, self.lab)
        self.addCleanup(self.bench.close)

    def test_services_of_higher_priority_take_and_return_capacity(self):
        _, waited, leaves, same, redone = experiments.give_and_take(self.bench)
        self.report("services of higher priority ready after (median)", statistics.median(waited))
        self.report("and at most", max(waited))
        for what, seconds in (("workers ended after their deletion", [ended - deleted for deleted, _, ended in leaves]),
                              ("workers ended after SIGTERM", [ended - asked for _, asked, ended in leaves if asked] or [0])):
            self.report(f"{what} (median)", statistics.median(seconds))
            self.report(f"{what} at most", max(seconds))
        self.assertTrue(same)
        self.assertEqual(redone, 0)
        self.assertGreaterEqual(len(leaves), 6)

    def test_thirty_workers_deleted_at_once_are_back(self):
        _, allowed, times, same, redone = experiments.delete_thirty(self.bench)
        self.report("30 fresh pause pods ready after", allowed[0])
        self.report("30 pause pods that follow 30 deleted ones ready after", allowed[1])
        self.report("30 deleted workers back after (median)", statistics.median(times))
        self.report("rows redone", redone)  # none, unless connections take more than 5 s where processors are short
        self.assertTrue(same)


if __name__ == "__main__":
    harness.main()
