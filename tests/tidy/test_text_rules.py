"""Texts that tests/tidy/text_rules.py finds, and texts that it leaves alone."""

import unittest

from text_rules import problems_of


class TextRules(unittest.TestCase):
    def check(self, name, text, *lines):
        """These lines, counted from 1, have a problem each, and no others."""
        self.assertEqual([int(problem.split(":")[1]) for problem in problems_of(name, text)], list(lines), text)

    def test_a_message_begins_with_its_subject_or_a_verb(self):
        for words in ("Of more classes the first counts.", "What it takes", "Whoever asks is told.", "As in '4Gi'.", "That is it"):
            self.check("a.c", f'error_hint(err, "{words}");\n', 1)
        for words in ("Write 5, without quotes.", "Office hours count.", "Of", "The model is as it was."):
            self.check("a.c", f'error_hint(err, "{words}");\n')

    def test_neighbouring_literals_are_one_text(self):
        self.check("a.c", 'f("Classes: "\n  "of two the first.");\n')
        self.check("a.c", 'f("Two classes. "\n  "Of more the first counts.");\n', 1)
        self.check("a.h", 'X("Of a list "   \\\n  "all.")\n', 1)

    def test_comments_are_not_messages(self):
        self.check("a.c", '/* "Of two classes" */ f("Two classes"); // "Of two"\n')

    def test_a_page_may_have_questions_as_headings(self):
        self.check("a.md", "# What it costs\n\nNothing. Of these, all.\n\n- Of two the first\n\n| Who asks | this |\n", 3, 5, 7)
        self.check("a.md", "# Who may do what\n\n```\nOf two\n```\n\n    Of three classes\n")

    def test_turns_that_are_read_twice(self):
        self.check("a.md", "A date; such a one is bad.\n\nIt is no input.\n", 1, 3)
        for words in ("The columns tell nothing of it", "which tells the two classes apart", "how many is not said", "use 0.5, say.",
                      "a statement stands behind -c"):
            self.check("a.c", f'error_hint(err, "It {words}");\n', 1)
        self.check("a.c", 'f("x is no name of a model"); g("a name of other signs than letters");\n', 1, 1)
        for words in ("a reading that is none of its kind", "inputs are of different types", "one of another kind is of another kind",
                      "Rows a second, of late", "max_iter is what there is to set", "what is returned has the shape [2]", "nodes that are of no tree",
                      "a metric that is none that is measured", "a value of 8 bytes that is none", "so many lanes"):
            self.check("a.c", f'error_hint(err, "It has {words}");\n', 1)
        self.check("a.md", "Of TRAIN, as others have them.\n\nNone of them is missing; there is none.\n", 1)
        self.check("a.c", 'f("an amount, as 512Mi"); f("an amount, such as 512Mi, as Pods have it");\n', 1)
        self.check("a.c", 'f("The notice says so; it stands for all, and Telling is a name.");\n')


if __name__ == "__main__":
    unittest.main(verbosity=2)
