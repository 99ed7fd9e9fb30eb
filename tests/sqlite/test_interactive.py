"""The shell on a terminal: prompt, editing, completion, history, interrupts."""

import harness
from terminal import Terminal


class Interactive(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()

    def test_a_statement_over_lines_with_an_open_string(self):
        terminal = Terminal(self)
        terminal.run("SELECT 'one;", "...> ")
        terminal.run("two' ||", "...> ")
        terminal.run(" 40 + 2 AS x;", "x")
        terminal.expect("totrain> ")
        self.assertEqual(terminal.end(), 0)

    def test_training_and_tab(self):
        terminal = Terminal(self)
        terminal.run(harness.TRAIN_IRIS, "Accuracy")
        terminal.expect("totrain> ")
        terminal.type("SHOW TR\t")
        terminal.expect("AIN ")  # only what is new is drawn
        terminal.type("iris\t;\r")
        terminal.expect("DNNClassifier")
        terminal.expect("totrain> ")
        terminal.type("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.e\t")
        terminal.expect("Passes over the training rows.")

    def test_history_lasts_over_sessions_in_a_private_file(self):
        first = Terminal(self)
        first.run("SELECT 20 + 22 AS answer;", " 42")
        first.expect("totrain> ")
        self.assertEqual(first.end(), 0)
        file = self.folder / "xdg" / "totrain" / "history"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        second = Terminal(self)
        second.type("\x10\r")
        second.expect(" 42")

    def test_ctrl_c_clears_the_line(self):
        terminal = Terminal(self)
        terminal.run("SELECT nonsense", "...> ")
        terminal.type("\x03")
        terminal.expect("totrain> ")
        terminal.run("SELECT 20 + 22 AS x;", " 42")

    def test_ctrl_c_ends_a_training_and_not_the_session(self):
        terminal = Terminal(self)
        terminal.type(harness.TRAIN_LONG + "\r")
        self.wait_until_training()
        terminal.expect("epoch ")
        terminal.type("\x03")
        terminal.expect("interrupted")
        terminal.expect("totrain> ")
        terminal.run("SELECT 20 + 22 AS x;", " 42")
        self.check_nothing_runs()

    def test_dot_commands(self):
        terminal = Terminal(self)
        terminal.run(".help", "Tab completes")
        terminal.run(".timing on", "totrain> ")
        terminal.run("SELECT 1 AS x;", "Time: ")
        terminal.run(".mode json", "totrain> ")
        terminal.run("SELECT 20 + 22 AS x;", '[{"x":42}]')
        terminal.run(".tables", '"iris"')
        terminal.run(".tabels", "Did you mean .tables?")
        terminal.type(".quit\r")
        self.assertEqual(terminal.process.wait(timeout=harness.DEADLINE), 0)

    def test_errors_are_coloured_on_a_terminal_unless_it_is_refused(self):
        def shown(*arguments, **environment):
            terminal = Terminal(self, *arguments, **environment)
            terminal.run("SELECT nope FROM iris;", "no such column: nope")
            terminal.expect("totrain> ")
            return terminal.raw

        self.assertIn("\x1b[1;31mERROR:\x1b[0m", shown(NO_COLOR=None))
        self.assertIn("\x1b[1;31mERROR:\x1b[0m", shown(NO_COLOR=""))
        self.assertIn("\x1b[1;31mERROR:\x1b[0m", shown("--color=always", NO_COLOR="1"))
        for plain in (shown(NO_COLOR="1"), shown(TERM="dumb"), shown("--color=never")):
            self.assertNotIn("\x1b[1;31m", plain)
            self.assertIn("ERROR:  no such column", plain)

    def test_read_runs_a_file_whose_name_tab_completes(self):
        (self.folder / "sql").mkdir()
        (self.folder / "sql" / "answer all.sql").write_text("SELECT 20 + 22 AS x;\nSELECT nope;\n")
        terminal = Terminal(self)
        terminal.type(".re\tsq\tan\t\r")
        terminal.expect(" 42")
        terminal.expect("sql/answer all.sql:2: ERROR:  no such column: nope")
        terminal.run("SELECT 20 + 23 AS x;", " 43")

    def test_ctrl_c_ends_the_files_that_are_read(self):
        (self.folder / "outer.sql").write_text(".read inner.sql\nSELECT 'nev' || 'er';\n")
        (self.folder / "inner.sql").write_text(
            "SELECT 'beg' || 'un';\nWITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) "
            "SELECT count(*) FROM r;\nSELECT 'nev' || 'er';\n")
        terminal = Terminal(self)
        terminal.run(".read outer.sql", "begun")
        terminal.type("\x03")
        terminal.expect("inner.sql:2: ERROR:  interrupted")
        terminal.expect("CONTEXT:  read at outer.sql:1")
        self.assertNotIn("never", terminal.expect("totrain> "))
        terminal.run("SELECT 20 + 22 AS x;", " 42")

    def test_what_is_typed_while_a_statement_runs_is_read_after_it(self):
        terminal = Terminal(self)
        terminal.type(harness.TRAIN_LONG + "\r")
        self.wait_until_training()
        terminal.expect("epoch ")
        terminal.type("\x03SELECT 20 + 22 AS x;\r\x04")
        terminal.expect("interrupted")
        terminal.expect(" 42")
        self.assertEqual(terminal.process.wait(timeout=harness.DEADLINE), 0)


harness.main()
