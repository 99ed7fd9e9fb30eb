"""tools/covering: which tests of processes others cover."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import types
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"

sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS))
_loader = importlib.machinery.SourceFileLoader("covering", str(TOOLS / "covering"))
covering = importlib.util.module_from_spec(importlib.util.spec_from_loader("covering", _loader))
_loader.exec_module(covering)

LEARN, SERVER = "runtime/learn/trees.c", "extension/postgres/server/statements/run.c"


def chosen(tests, seconds=(), known=None, share=0):
    """tests: {name: {source: lines}}; known: those that have run, else all."""
    kept = types.SimpleNamespace(kept={name: {} for name in known or tests}, lines={})
    for name in kept.kept:
        for source, lines in tests[name].items():
            kept.lines.setdefault(source, {})[name] = set(lines)
    processes = {name for name in tests if not name.startswith("test_")}
    return covering.choose(kept, processes, dict(seconds), share)[0]


class Choosing(unittest.TestCase):
    def test_the_dearest_leaves_first_and_each_line_is_still_reached(self):
        tests = {"sqlite_a": {LEARN: (1, 2)}, "sqlite_b": {LEARN: (2, 3)}, "sqlite_c": {LEARN: (1, 2, 3)}}
        self.assertEqual(chosen(tests, {"sqlite_c": 9}.items()), {"sqlite_c"})
        self.assertEqual(chosen(tests, {"sqlite_c": 1, "sqlite_a": 5, "sqlite_b": 4}.items()), {"sqlite_a", "sqlite_b"})

    def test_what_tests_that_only_compute_reach_is_covered(self):
        tests = {"test_trees": {LEARN: (1, 2)}, "cluster_trees": {LEARN: (2,)}, "cluster_other": {LEARN: (3,)}}
        self.assertEqual(chosen(tests), {"cluster_trees"})

    def test_the_fewest_lines_for_its_seconds_are_lost_and_no_more_than_the_share(self):
        tests = {"sqlite_a": {LEARN: (1, 2, 3, *range(10, 106))}, "sqlite_b": {LEARN: (2, 106)},
                 "cluster_c": {LEARN: (3, 107)}, "test_d": {LEARN: (1, 2, 3)}}
        seconds = {"sqlite_a": 1000, "sqlite_b": 1, "cluster_c": 2}.items()
        self.assertEqual(chosen(tests, seconds), set())
        self.assertEqual(chosen(tests, seconds, share=0.01), {"cluster_c"})
        self.assertEqual(chosen(tests, seconds, share=0.02), {"cluster_c", "sqlite_b"})

    def test_a_test_whose_lines_another_took_over_stays(self):
        tests = {"sqlite_a": {LEARN: range(100)}, "sqlite_b": {LEARN: range(100)}}
        self.assertEqual(len(chosen(tests, share=0.01)), 1)

    def test_a_test_of_which_nothing_is_known_stays_and_covers_nothing(self):
        tests = {"sqlite_a": {LEARN: (1,)}, "sqlite_b": {LEARN: (1,)}}
        self.assertEqual(chosen(tests, known=["sqlite_a"]), set())

    def test_a_test_that_kills_stays(self):
        tests = {"cluster_server_kills": {LEARN: (1,)}, "cluster_plain": {LEARN: (1,)}}
        self.assertEqual(chosen(tests), {"cluster_plain"})

    def test_what_a_database_server_runs_covers_nothing(self):
        tests = {"postgres_a": {LEARN: (1,), SERVER: (1,)}, "postgres_b": {SERVER: (2,), LEARN: (1,)},
                 "sqlite_a": {LEARN: (1,)}}
        self.assertEqual(chosen(tests), {"postgres_a", "postgres_b"})
        tests["postgres_a"][LEARN] = (1, 2)
        self.assertEqual(chosen(tests), {"postgres_b"})


class Written(unittest.TestCase):
    def test_the_names_are_tests_and_none_kills(self):
        names = [line for line in covering.COVERED.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(names, sorted(set(names)))
        self.assertEqual([name for name in names if covering.SHARPER.search(name)], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
