"""Some classes of a file of tests, so that a long one is several tests for ctest.

    test_NAME.py                        all of them
    test_NAME.py Deaths Cuts            these
    test_NAME.py --without Deaths Cuts  all but these: a class that is new is in one of the tests at once
"""

import sys
import unittest


def classes_of(module):
    """The names of those that have tests of their own."""
    return [name for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__
            and unittest.defaultTestLoader.getTestCaseNames(value)]


def chosen(words):
    """For unittest.main: what the words after the file's name say."""
    if words[:1] != ["--without"]:
        return words
    there = classes_of(sys.modules["__main__"])
    rest = [name for name in there if name not in words[1:]]
    if not rest or set(words[1:]) - set(there):
        sys.exit(f"--without {' '.join(words[1:])}: the classes are {', '.join(there)}")
    return rest


def run(words, **options):
    unittest.main(argv=[sys.argv[0], *chosen(words)], **options)
