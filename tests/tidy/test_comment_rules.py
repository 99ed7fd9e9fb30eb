"""Comments that tests/tidy/comment_rules.py finds, and comments that it leaves alone."""

import unittest

from comment_rules import blocks_of, problems_of

BAD = ("Of each row: its place", "of a row", "What a row has.", "Who asks is told.", "Whoever asks is told.", "Whose row it is.",
       "As above.", "that is counted")
GOOD = ("The row's place.", "Office hours", "Asks the master.", "Whatever comes is kept.", "That's all", "Thatched", "OF(x) is a macro.")


class CommentRules(unittest.TestCase):
    def check(self, name, text, *lines):
        """These lines, counted from 1, have a problem each, and no others."""
        self.assertEqual([int(problem.split(":")[1]) for problem in problems_of(name, text)], list(lines), text)

    def test_the_first_word_of_a_block_counts(self):
        for name, form in (("a.c", "int i; /* {} */\n"), ("a.h", "/* {}\n * More. */\n"), ("a.h", "/*\n * {}\n */\n"), ("a.c", "// {}\n"),
                           ("a.y", "//  {}\n"), ("a.py", "# {}\n"), ("a.py", "i = 1  # {}\n"), ("a.py", '"""{}"""\n'),
                           ("a.py", 'def f():\n    """{}\n\n    More."""\n'), ("a.sh", "true # {}\n"), ("CMakeLists.txt", "# {}\n"),
                           ("Makefile", "# {}\n"), ("tool", "#!/bin/sh\n# {}\n"), ("tool", "#!/usr/bin/env python3\n# {}\n")):
            for words in BAD:
                self.assertEqual(len(list(problems_of(name, form.format(words)))), 1, (name, form, words))
            for words in GOOD:
                self.check(name, form.format(words))

    def test_lines_beside_each_other_are_one_block(self):
        self.check("a.py", "# Rows\n# of a table\n")
        self.check("a.py", "# Rows\n\n# of a table\n", 3)
        self.check("a.c", "// Rows\n// that count\n")
        self.check("a.py", "i = 1  # rows\nj = 2  # of it\n", 2)

    def test_later_sentences_may_not_begin_so_either(self):
        self.check("a.h", "/* Rows. Of two the first counts: so\n * it stays. Of these, all. */\n", 1, 2)
        self.check("a.h", "/* Rows.\n * Whoever asks is told; Who does not, is not. */\n", 2, 2)
        self.check("a.h", "/* Rows. Whose they are is known. */\n", 1)
        self.check("a.h", "/* Rows. Of course. As many as fit. What is left goes. */\n")

    def test_comments_alone_are_looked_at(self):
        self.check("a.c", 'const char *a = "/* Of */", b = \'"\'; /* Rows. */\n')
        self.check("a.py", 'a = "# of"\nb = """Of"""\n')
        self.check("a.sh", "echo '# of'; a=${#of}\n")
        self.check("a.md", "# Of rows\n")
        self.check("a.sql", "-- Of rows\n")

    def test_blocks_have_lines(self):
        self.assertEqual(blocks_of("a.c", "int i;\n/* One\n * two */\n// three\n// four\n"), [(2, "One\ntwo "), (4, "three\nfour")])


if __name__ == "__main__":
    unittest.main()
