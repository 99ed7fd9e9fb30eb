"""Tests of the tools that measure the tests' costs, and run the parts of the proof: tests/measured.c, tools/costs,
tools/proof.

    test_proof.py MEASURED
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = sys.argv.pop()
BUSY = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"  # some tenths of a second of a processor


def module_of(name):
    """tools/NAME, which is a command."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="totrain-proof.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Measured(Case):
    def run_measured(self, script, *options):
        done = subprocess.run([MEASURED, *options, self.folder / "costs", "sh", "-c", script], text=True,
                              capture_output=True, check=False)
        return done.returncode, done.stderr, float((self.folder / "costs").read_text().split()[1])

    def test_the_exit_code_is_the_commands(self):
        self.assertEqual(self.run_measured("exit 77")[0], 77)
        self.assertEqual(self.run_measured("kill -SEGV $$")[0], -11)

    def test_a_process_whose_parent_has_ended_counts(self):
        idle, busy = self.run_measured("exit 0")[2], self.run_measured(f"(({BUSY}) &); exit 0")
        self.assertEqual(busy[0], 0)
        self.assertGreater(busy[2], idle)

    def test_what_outlives_the_command_is_named_killed_and_a_failure(self):
        code, said, _ = self.run_measured("(sleep 1000 &); exit 0", "--left=0")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"still runs after its test: [0-9]+ ")  # sh, sleep, or one that is between them
        pid = int(said.split("test: ")[1].split()[0])
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())


class Costs(Case):
    def setUp(self):
        super().setUp()
        self.tool = module_of("costs")
        self.tool.COSTS, self.tool.BUDGET = self.folder / "costs.txt", self.folder / "budget.txt"
        self.build = self.folder / "release"
        (self.build / "costs").mkdir(parents=True)

    def take(self, **costs):
        for name, (clock, processors) in costs.items():
            (self.build / "costs" / name).write_text(f"{clock} {processors}\n")

    def judge(self, is_strict):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = self.tool.judge(self.build, is_strict)
        return code, said.getvalue()

    def test_slots_are_what_a_test_keeps_busy_beside_others(self):
        self.take(test_sums=(4, 2), sim_seeds=(8, 4), cluster_kills=(80, 8), sqlite_pieces=(40, 20), docs_man=(.3, .2),
                  cluster_many=(10, 10), cluster_crowd=(10, 20))
        self.tool.write([self.build])
        slots = {line.split()[1]: int(line.split()[4]) for line in self.tool.lines_of(self.tool.COSTS)}
        self.assertEqual(slots, {"test_sums": 4, "sim_seeds": 4, "cluster_kills": 1, "sqlite_pieces": 4, "docs_man": 2,
                                 "cluster_many": 4, "cluster_crowd": 8})

    def test_what_costs_nearly_as_before_stays_as_it_is(self):
        self.take(test_sums=(4, 4), cluster_kills=(80, 8))
        self.tool.write([self.build])
        before = self.tool.COSTS.read_text()
        self.take(test_sums=(5, 5), cluster_kills=(70, 9))
        self.tool.write([self.build])
        self.assertEqual(self.tool.COSTS.read_text(), before)
        self.take(cluster_kills=(20, 9))
        self.tool.write([self.build])
        self.assertIn("cluster_kills 20.0 9.0", self.tool.COSTS.read_text())

    def test_a_test_over_budget_without_a_reason_is_said_and_fails_where_it_is_strict(self):
        self.take(test_sums=(4, 4), cluster_kills=(80, 8), sqlite_pieces=(30, 25))
        self.tool.BUDGET.write_text("# why\ncluster_kills: a hundred kills\n")
        code, said = self.judge(is_strict=False)
        self.assertEqual(code, 0)
        self.assertIn("over budget: sqlite_pieces takes 25.0 s of processors", said)
        self.assertNotIn("over budget: cluster_kills", said)
        self.assertEqual(self.judge(is_strict=True)[0], 1)

    def test_a_reason_for_no_test_fails_where_it_is_strict(self):
        self.take(test_sums=(4, 4))
        self.tool.BUDGET.write_text("cluster_kills: a hundred kills\n")
        self.assertIn("no test is called cluster_kills", self.judge(is_strict=False)[1])
        self.assertEqual(self.judge(is_strict=True)[0], 1)


class Proof(Case):
    def setUp(self):
        super().setUp()
        self.tool = module_of("proof")
        self.order = []

    def part(self, name, status, **needs):
        """One that says when it begins, and ends with the status."""
        case = self

        class Fake(self.tool.Part):
            def start(self):
                case.order.append(self.name)
                self.began = 0
                self.process = subprocess.Popen(["sh", "-c", f"exit {status}"])

        def function():
            pass
        function.__name__ = name
        part = Fake(function, 60, **needs)
        part.log = self.folder / f"{name}.log"
        part.log.write_text("its output\n")
        part.costs = self.folder / f"{name}.costs"
        return part

    def run_all(self, *parts):
        with contextlib.redirect_stdout(io.StringIO()):
            return {part.name: part.is_good() for part in self.tool.run_all(list(parts))}

    def test_a_part_begins_when_what_it_needs_has_passed(self):
        good = self.run_all(self.part("last", 0, after=["build"]), self.part("build", 0))
        self.assertEqual((self.order, good), (["build", "last"], {"last": True, "build": True}))

    def test_what_needs_a_part_that_failed_does_not_begin_and_has_failed(self):
        good = self.run_all(self.part("build", 1), self.part("tests", 0, after=["build"]), self.part("more", 0, after=["tests"]),
                            self.part("other", 0))
        self.assertEqual(sorted(self.order), ["build", "other"])
        self.assertEqual(good, {"build": False, "tests": False, "more": False, "other": True})

    def test_what_only_comes_behind_a_part_begins_though_that_failed(self):
        good = self.run_all(self.part("tests", 1), self.part("fuzz", 0, behind=["tests"]))
        self.assertEqual((self.order, good), (["tests", "fuzz"], {"tests": False, "fuzz": True}))

    def test_a_part_is_over_its_budget_by_what_it_takes_of_processors(self):
        part = self.part("tests", 0)
        part.costs.write_text("10.0 59.0\n")
        self.run_all(part)
        self.assertFalse(part.is_dear())
        part = self.part("tests", 0)
        part.costs.write_text("10.0 61.0\n")
        self.run_all(part)
        self.assertTrue(part.is_dear())

    def test_a_part_that_this_machine_does_not_let_run_is_no_failure(self):
        self.assertEqual(self.run_all(self.part("kubernetes", self.tool.NOT_HERE)), {"kubernetes": True})


if __name__ == "__main__":
    unittest.main()
