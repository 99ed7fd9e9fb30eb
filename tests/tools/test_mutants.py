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
        self.assertEqual([kept.seconds(name) for name in ("test_a", "test_new")], [1.5, 0])

    def test_a_statement_of_several_lines_is_counted_at_its_first(self):
        self.keep("test_a", 1, {"base/a.c": ["10", "30"]})
        kept = reached.Reached(self.build)
        self.assertEqual([kept.at("base/a.c", line) for line in (9, 10, 12, 29, 31)], [None, 10, 10, None, 30])
        self.assertEqual(kept.nearness("test_a", "base/a.c", 12), 0)
        self.assertEqual(kept.nearness("test_a", "base/a.c", 3), 2)


if __name__ == "__main__":
    unittest.main()
