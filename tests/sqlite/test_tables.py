"""How results are written: tables that fit the terminal they go to, boxes, lines, TSV."""

import csv
import io
import sqlite3
import unittest

import harness
from terminal import Terminal

SERIES = "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {}) SELECT i FROM s;"


def width(line):
    """The width of a line of these tests' characters: those of CJK take two columns."""
    return sum(2 if "一" <= c <= "鿿" else 1 for c in line)


class OnATerminal(harness.Case):
    def shown(self, terminal, statement):
        terminal.type(statement + "\r")
        terminal.expect("\n")  # the echo
        return terminal.expect("totrain> ")[:-len("totrain> ")].replace("\r\n", "\n").splitlines()

    def test_of_many_rows_the_first_and_the_last_are_shown_and_all_are_counted(self):
        terminal = Terminal(self)
        lines = self.shown(terminal, SERIES.format(5000))
        self.assertEqual([line.strip() for line in lines[2:-1]],
                         [*map(str, range(1, 21)), "…", *map(str, range(4981, 5001))])
        self.assertEqual(lines[-1], "5000 rows, of which 40 are shown (.maxrows 0 shows all)")
        self.assertEqual(len(self.shown(terminal, SERIES.format(40))), 42)
        self.shown(terminal, ".maxrows 3")
        lines = self.shown(terminal, SERIES.format(4))
        self.assertEqual([line.strip() for line in lines[2:]],
                         ["1", "…", "3", "4", "4 rows, of which 3 are shown (.maxrows 0 shows all)"])
        self.shown(terminal, ".maxrows 1")
        self.assertEqual([line.strip() for line in self.shown(terminal, SERIES.format(9))[2:4]], ["…", "9"])
        self.shown(terminal, ".maxrows 0")
        self.assertEqual(len(self.shown(terminal, SERIES.format(2345))), 2347)

    def test_the_widest_columns_are_cut_and_numbers_are_not(self):
        terminal = Terminal(self, columns=60)
        query = f"SELECT 123456789012345 AS number, '{'a' * 90}' AS long, '漢' AS short, '{'漢字' * 30}' AS wide;"
        for mode, inside in (("table", 59), ("box", 60)):
            self.shown(terminal, f".mode {mode}")
            lines = self.shown(terminal, query)
            for line in lines:
                self.assertLessEqual(width(line), 60, line)
            self.assertGreaterEqual(max(map(width, lines)), inside - 1)
            row = next(line for line in lines if "漢" in line)
            self.assertRegex(row, "123456789012345 . a{5,}… +. 漢 +. (漢字){2,}漢?…")

    def test_columns_in_the_middle_are_left_out_where_cutting_is_not_enough(self):
        terminal = Terminal(self, columns=40)
        query = "SELECT " + ", ".join(f"{10 ** 9 + i} AS c{i}" for i in range(9)) + ";"
        lines = self.shown(terminal, query)
        self.assertEqual(lines[0].split(), ["c0", "|", "…", "|", "c8"])
        self.assertEqual(lines[2].split(), ["1000000000", "|", "…", "|", "1000000008"])
        self.assertEqual("".join(lines[3:]),
                         "9 columns, of which 2 are shown (.maxwidth 0 shows all, .mode line one a line)")
        self.shown(terminal, ".maxwidth 50")
        self.assertIn("c1", self.shown(terminal, query)[0])
        self.shown(terminal, ".maxwidth 0")
        whole = "".join(self.shown(terminal, query))
        self.assertTrue(all(f"{10 ** 9 + i}" in whole for i in range(9)))
        self.shown(terminal, ".maxwidth auto")
        self.assertEqual(self.shown(terminal, query)[0].split(), ["c0", "|", "…", "|", "c8"])

    def test_what_totrain_says_is_wrapped_and_not_cut(self):
        self.make_iris()
        terminal = Terminal(self, columns=60)
        lines = self.shown(terminal, "EXPLAIN SELECT * FROM iris TO TRAIN DNNClassifier LABEL class INTO m;")
        self.assertLessEqual(max(map(width, lines)), 60)
        details = " ".join(line.split("|", 1)[1].strip() for line in lines[2:])
        self.assertNotIn("…", details)
        self.assertRegex(details, "at least .* a worker for parameters, gradients, their sums and optimizer state")

    def test_files_have_all_rows_and_all_of_each_cell(self):
        terminal = Terminal(self, columns=40)
        self.shown(terminal, ".output rows.txt")
        self.shown(terminal, SERIES.format(100))
        self.shown(terminal, f"SELECT '{'x' * 200}' AS long;")
        self.shown(terminal, ".output")
        text = (self.folder / "rows.txt").read_text()
        self.assertEqual(len(text.splitlines()), 102 + 3)
        self.assertIn("x" * 200, text)

    def test_pipes_have_all_rows_and_all_of_each_cell(self):
        done = self.run_program(self.path, "-c", SERIES.format(3000), "-c", f"SELECT '{'x' * 200}' AS long;",
                                "-c", ".mode box", "-c", SERIES.format(1500))
        self.assertEqual(len(done.stdout.splitlines()), 3002 + 3 + 1504)
        self.assertIn("x" * 200, done.stdout)

    def test_ctrl_c_ends_a_long_result_and_not_the_session(self):
        terminal = Terminal(self)
        terminal.type(SERIES.format(10 ** 12) + "\r")
        terminal.expect("\n")
        harness.wait_for(lambda: terminal.state() == "R", "the statement runs")
        terminal.type("\x03")
        terminal.expect("interrupted")
        terminal.expect("totrain> ")
        self.assertEqual(self.shown(terminal, "SELECT 1 AS x;")[2].strip(), "1")

    def test_limits_that_are_none_are_refused(self):
        terminal = Terminal(self, columns=200)
        for command, error in ((".maxrows many", '.maxrows is a number of rows from 0 (all) to 1000000, not "many"'),
                               (".maxrows -1", 'not "-1"'),
                               (".maxwidth 3", '.maxwidth is auto, 0 (any) or from 20 to 100000, not "3"'),
                               (".mode boxes", '.mode is table, box, line, csv, tsv, json or markdown, not "boxes"')):
            self.assertIn(error, "\n".join(self.shown(terminal, command)))


class Formats(harness.Case):
    def written(self, *statements, mode):
        done = self.run_program(self.path, f"--format={mode}", *(word for sql in statements for word in ("-c", sql)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_box(self):
        self.assertEqual(self.written("SELECT 'é' AS name, 2.5 AS n, NULL AS none;", mode="box"), """\
┌──────┬─────┬──────┐
│ name │ n   │ none │
├──────┼─────┼──────┤
│ é    │ 2.5 │      │
└──────┴─────┴──────┘
""")

    def test_lines(self):
        shown = self.written("SELECT 1 AS n, 'two\nlines' AS \"the text\", NULL AS none UNION ALL SELECT 2, char(27) || 'x', '';",
                             mode="line")
        self.assertEqual(shown, "       n = 1\nthe text = two\n           lines\n    none = \n\n"
                                "       n = 2\nthe text = \\x1bx\n    none = \n")

    def test_tsv_reads_back(self):
        values = ["a\tb", 'say "x"', "two\nlines", "c,d", ""]
        shown = self.written("SELECT 'a\tb' AS one, 'say \"x\"' AS two, 'two\nlines' AS three, 'c,d' AS \"f o\", '' AS five;",
                             mode="tsv")
        self.assertEqual(list(csv.reader(io.StringIO(shown), delimiter="\t")),
                         [["one", "two", "three", "f o", "five"], values])
        (self.folder / "back.tsv").write_text(shown)
        self.written(f".import {self.folder / 'back.tsv'} back", mode="table")
        database = sqlite3.connect(self.path)
        self.addCleanup(database.close)
        self.assertEqual(list(database.execute("SELECT * FROM back").fetchone()), values)

    def test_other_bytes_than_text_do_not_reach_the_terminal(self):
        shown = self.written("SELECT CAST(x'9b41' AS TEXT) AS a, CAST(x'c29b42' AS TEXT) AS b;", mode="table")
        self.assertEqual(shown.splitlines()[2], r" \x9bA | \x9bB")


if __name__ == "__main__":
    unittest.main(verbosity=2)
