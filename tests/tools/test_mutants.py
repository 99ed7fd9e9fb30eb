"""tools/mutants and tools/reached.py: which changes are tried, and which tests may see them."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import types
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def load_tool(name):
    loader = importlib.machinery.SourceFileLoader(name, str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS))
import reached  # noqa: E402  pylint: disable=wrong-import-position

mutants = load_tool("mutants")


def changes(line, following=""):
    """{what: the new line}."""
    lines = [line, following]
    code = mutants.blanked("\n".join(lines)).split("\n")
    return dict(mutants.changes_of(lines, code, 0))


class Changes(unittest.TestCase):
    def test_operators_are_swapped(self):
        self.assertEqual(changes("    x = a < b;")["< is <="], "    x = a <= b;")
        self.assertEqual(changes("    while (a && b)"), {"&& is ||": "    while (a || b)"})
        self.assertEqual(changes("    return count + 1;"), {"no + 1": "    return count;"})

    def test_a_guard_is_removed_and_another_condition_always_holds(self):
        self.assertEqual(changes("    if (is_full)", "        return NULL;"), {"a guard is removed": "    if (0)"})
        self.assertEqual(changes("    if (is_full)", "        grow();"), {"a condition always holds": "    if (1)"})

    def test_an_error_is_passed_over(self):
        self.assertEqual(changes("    TRY(read(file, err));")["an error is passed over"], "    (void)(read(file, err));")

    def test_lines_of_the_log_for_developers_are_nobodys_promise(self):
        self.assertEqual(list(changes('    log_warn("%s", text);')), ["a call is removed"])
        self.assertEqual(changes('    log_debug("%s", text);'), {})

    def test_comments_and_texts_stay(self):
        for line in ("/* a < b */", '    "a && b",', "#if a < b"):
            self.assertEqual(changes(line), {}, line)


class Sample(unittest.TestCase):
    every = [(f"{folder}/a.c", line, "what", "old", "new") for folder, lines in (("base", 500), ("k8s/job", 3), ("cli", 40))
             for line in range(lines)]

    def test_each_folder_has_an_equal_share(self):
        drawn = mutants.drawn(list(self.every), 7, True)
        self.assertEqual(sorted(drawn), sorted(self.every))
        folders = [change[0] for change in drawn[:9]]
        self.assertEqual({folder: folders.count(folder) for folder in set(folders)}, {"base/a.c": 3, "k8s/job/a.c": 3, "cli/a.c": 3})

    def test_it_follows_from_the_seed_and_the_sources(self):
        for is_stratified in (False, True):
            drawn = mutants.drawn(list(self.every), 7, is_stratified)
            self.assertEqual(mutants.drawn(list(self.every), 7, is_stratified), drawn)
            self.assertNotEqual(mutants.drawn(list(self.every), 8, is_stratified), drawn)

    def test_a_folder_draws_whatever_the_others_have(self):
        without = [change for change in self.every if change[0] != "base/a.c"]
        drawn = [change for change in mutants.in_turn(self.every, 7) if change[0] == "cli/a.c"]
        self.assertEqual([change for change in mutants.in_turn(without, 7) if change[0] == "cli/a.c"], drawn)


class Reached(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = types.SimpleNamespace(folder=pathlib.Path(folder.name))
        (self.build.folder / "reached").mkdir()

    def keep(self, test, seconds, lines):
        (self.build.folder / "reached" / f"{test}.json").write_text(json.dumps({"digest": "", "seconds": seconds, "lines": lines}))

    def test_lines_are_kept_as_ranges(self):
        for numbers, ranges in ((set(), ""), ({4}, "4"), ({1, 2, 3, 7}, "1-3,7")):
            self.assertEqual(reached.ranges_of(numbers), ranges)
            self.assertEqual(reached.numbers_of(ranges), numbers)

    def test_who_reaches_the_line_is_nearer_than_who_reaches_the_file(self):
        self.keep("test_a", 1.5, {"base/a.c": ["10-12", "20,30"]})
        self.keep("test_b", 2, {"base/a.c": ["10,20", "11,12,30"]})
        self.keep("test_c", 3, {"base/c.c": ["1", ""]})
        kept = reached.Reached(self.build)
        nearness = {name: kept.nearness(name, "base/a.c", 20) for name in ("test_a", "test_b", "test_c", "test_new")}
        self.assertEqual(nearness, {"test_a": 2, "test_b": 0, "test_c": None, "test_new": 1})

    def test_a_statement_of_several_lines_is_counted_at_its_first(self):
        self.keep("test_a", 1, {"base/a.c": ["10", "30"]})
        kept = reached.Reached(self.build)
        self.assertEqual([kept.at("base/a.c", line) for line in (9, 10, 12, 29, 31)], [None, 10, 10, None, 30])
        self.assertEqual(kept.nearness("test_a", "base/a.c", 12), 0)
        self.assertEqual(kept.nearness("test_a", "base/a.c", 3), 2)


class Tests(unittest.TestCase):
    """Which tests a build has, and what is built for them."""

    def setUp(self):
        self.build = reached.Build("/build")
        self.build.linked = {"totrain", "totrain.so", "tests/measured", "tests/test_a", "tests/job_roles"}
        self.build.ninja = lambda _, name: {
            "all": ["all:", "  input: phony", "    cli/all", "    tests/all", "  outputs:"],
            "cli/all": ["cli/all:", "  input: phony", "    totrain", "    | build.ninja", "  outputs:", "    all"],
            "tests/all": ["tests/all:", "  input: phony", "    tests/measured", "    tests/test_a",
                          "    tests/job_roles", "  outputs:"]}[name]
        self.build.tests = {test.name: test for test in (
            self.declared("test_a", "unit", ["/build/tests/test_a"]),
            self.declared("sqlite_b", "sqlite", ["python3", "/sqlite/test_b.py"], "TOTRAIN_BUILD=/build"),
            self.declared("kube_d", "kube", ["python3", "/k8s/test_d.py"], "TOTRAIN_BUILD=/build"),
            self.declared("cluster_c", "cluster", ["python3", "/cluster/test_c.py", "/build/tests/job_roles"]))}

    def declared(self, name, label, command, environment=""):
        command = ["/build/tests/measured", f"/build/costs/{name}", *command]
        return self.build.test_of(name, {"LABELS": ["quick", label], "ENVIRONMENT": [environment]}, command)

    def test_what_measures_a_test_is_none_of_its_programs(self):
        programs = {name: (test.programs, test.is_quick) for name, test in self.build.tests.items()}
        self.assertEqual(programs, {"test_a": (["tests/test_a"], True), "sqlite_b": (["totrain", "totrain.so"], False),
                                    "kube_d": (["totrain", "totrain.so"], False),
                                    "cluster_c": (["tests/job_roles"], False)})
        self.assertEqual(self.build.tests["test_a"].command, ["/build/tests/test_a"])

    def test_programs_of_quick_tests_are_not_built_for_those_that_start_processes(self):
        quick, slow = self.build.tests["test_a"], self.build.tests["sqlite_b"]
        self.assertEqual(self.build.targets_of([quick]), ["tests/measured", "tests/test_a"])
        self.assertEqual(self.build.targets_of([slow]), ["tests/measured", "totrain", "tests/job_roles"])
        self.assertEqual(self.build.targets_of([quick, slow]), ["tests/measured", "tests/test_a", "totrain", "tests/job_roles"])


def suites_of(tests, costs=""):
    """The suites of a build in which each test has base/a.c in it."""
    with tempfile.TemporaryDirectory() as folder:
        mutants.TREE = pathlib.Path(folder)
        (mutants.TREE / "tests").mkdir()
        (mutants.TREE / "tests/costs.txt").write_text("# What each test took: build, test, seconds\n" + costs)
        return mutants.Suites(types.SimpleNamespace(tests={test.name: test for test in tests}, sources_of_test=lambda _: {"base/a.c"}))


class Batches(unittest.TestCase):
    """Which tests are tried, in which order: 0 reaches the line, 1 is unknown, 2 reaches the file, None neither."""

    def batches(self, nearness, is_counted=True):
        def test(name):
            return reached.Test(name, ["totrain"], [], name.startswith("test_"))
        mutants.options = types.SimpleNamespace(quick=False)
        suites = suites_of([test(name) for name in nearness])
        suites.lines = types.SimpleNamespace(nearness=lambda name, *_: nearness[name], at=lambda *_: 7 if is_counted else None)
        return [[test.name for test in batch] for batch in suites.batches("base/a.c", 7)]

    def test_tests_that_cannot_reach_the_line_are_left_out(self):
        nearness = {"test_file": 2, "test_new": 1, "test_line": 0, "sqlite_other": None, "sqlite_line": 0, "sqlite_file": 2}
        self.assertEqual(self.batches(nearness), [["test_line", "test_new"], ["sqlite_line"], ["sqlite_file"]])

    def test_all_are_tried_where_none_is_known_to_reach_it(self):
        nearness = {"test_file": 2, "sqlite_other": None}
        self.assertEqual(self.batches(nearness), [["test_file"], ["sqlite_other"]])
        self.assertEqual(self.batches({**nearness, "test_line": 0}, is_counted=False), [["test_line"], ["test_file"], ["sqlite_other"]])

    def test_a_door_stands_for_the_folders_that_it_alone_reaches(self):
        def likeness(test, name):
            return mutants.likeness(reached.Test(test, [], [], False), name)
        self.assertGreater(likeness("postgres_pods", "runtime/data/pgstore/fetch.c"), likeness("docs_man", "runtime/data/pgstore/fetch.c"))
        self.assertGreater(likeness("kube_supervisor", "k8s/loop/watch.c"), likeness("sqlite_cli", "k8s/loop/watch.c"))

    def test_those_that_start_processes_are_tried_first_one_and_then_several_at_once(self):
        nearness = {f"sqlite_{number}": 0 for number in range(20)}
        self.assertEqual([len(batch) for batch in self.batches(nearness)], [1, 3, 4])

    def test_under_sanitizers_run_the_tests_of_that_preset_and_of_dear_ones_the_nearest(self):
        def batch(*names):
            return [reached.Test(name, [], [], name.startswith("test_")) for name in names]
        batches = [batch("test_a", "test_b"), batch("sqlite_c"), batch("sqlite_d", "postgres_e"), batch("sqlite_f")]
        there = mutants.of_preset(batches, {"test_b", "sqlite_c", "sqlite_d", "sqlite_f"})
        self.assertEqual([[test.name for test in one] for one in there], [["test_b"], ["sqlite_c"], ["sqlite_d"]])

    def test_a_loop_is_ended_by_what_the_tests_cost_unchanged(self):
        tests = [reached.Test(name, [], [], False) for name in ("sqlite_a", "sqlite_b", "sqlite_new")]
        suites = suites_of(tests, "dev sqlite_a 8 6 2\nrelease sqlite_a 2 1 2\nrelease sqlite_b 10 1 2\n")
        mutants.options = types.SimpleNamespace(deadline=600)
        self.assertEqual([suites.deadline("release", tests[:count]) for count in (1, 2, 3)], [70, 120, 345])
        self.assertEqual(suites.deadline("dev", tests[:1]), 100)


class Running(unittest.TestCase):
    """Lines of ctest -V about tests, and the end of the program that runs them."""

    STARTED = "test 12\n      Start  12: sqlite_a\ntest 7\n      Start   7: test_b\n"

    def test_the_first_case_that_fails_tells_of_its_test(self):
        cases = "12: test_x (__main__.A.test_x) ... ok\n12: A sentence. ... FAIL\n"
        self.assertEqual(mutants.failed_of(1, self.STARTED + cases), ["sqlite_a"])
        self.assertEqual(mutants.failed_of(8, self.STARTED + "The following tests FAILED:\n\t  7 - test_b (Failed)\n"), ["test_b"])
        self.assertEqual(mutants.failed_of(8, self.STARTED), ["?"])
        self.assertEqual(mutants.failed_of(0, self.STARTED), [])

    def run_shell(self, script, deadline=60):
        with tempfile.TemporaryDirectory() as folder:
            mutants.TREE = pathlib.Path(folder)
            return mutants.run(["sh", "-c", script], deadline, mutants.CASE_FAILED)

    def test_it_ends_at_that_line_at_the_deadline_or_by_itself(self):
        endless = "while :; do :; done"
        self.assertEqual(self.run_shell(f"echo '3: test_x ... ERROR'; {endless}"), (1, "3: test_x ... ERROR\n"))
        self.assertEqual(self.run_shell(endless, .1), (None, ""))
        self.assertEqual(self.run_shell("echo said; exit 3"), (3, "said\n"))


if __name__ == "__main__":
    unittest.main()
