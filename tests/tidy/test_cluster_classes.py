"""Every class of tests on a cluster is a test of ctest: tests/k8s/k8s.cmake names it."""

import ast
import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "k8s"
OPTIONS = {"LAB", "OTHER_LAB", "ALONE"}


def named():
    """{file: classes} of k8s.cmake."""
    found = {}
    for words in re.findall(r"^ *k8s_tests\(([^)]*)\)", (FOLDER / "k8s.cmake").read_text(encoding="utf-8"), re.M):
        file, *rest = words.split()
        found.setdefault(file, []).extend(word for word in rest if word not in OPTIONS)
    return found


def classes_with_tests(file):
    tree = ast.parse((FOLDER / f"test_{file}.py").read_text(encoding="utf-8"))
    return [each.name for each in tree.body if isinstance(each, ast.ClassDef)
            and any(isinstance(one, ast.FunctionDef) and one.name.startswith("test_") for one in each.body)]


class ClusterClasses(unittest.TestCase):
    def test_each_class_is_run_once(self):
        self.assertGreater(len(named()), 10)
        for file, classes in named().items():
            with self.subTest(file=file):
                self.assertEqual(sorted(classes), sorted(classes_with_tests(file)))


if __name__ == "__main__":
    unittest.main()
