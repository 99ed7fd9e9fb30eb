"""The shell on a terminal: prompt, editing, completion, history, interrupts."""

import os
import signal

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
        terminal.type("SHOW TRA\t")
        terminal.expect("IN ")  # only what is new is drawn
        terminal.type("iris\t;\r")
        terminal.expect("train_loss")
        terminal.expect("totrain> ")
        terminal.type("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.e\t")
        terminal.expect("Passes over the training rows.")
        terminal = Terminal(self)
        terminal.type("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.\t")
        shown = terminal.expect("More letters and Tab: fewer names, with their help.")
        self.assertIn("train.early_stopping", shown)
        self.assertLess(shown.count("\n"), 24)

    def test_after_training_the_next_statements_are_shown_to_copy(self):
        terminal = Terminal(self, columns=100)
        terminal.run("SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO \"my model\";", "version")
        shown = terminal.expect("totrain> ")
        steps = shown.split("NEXT:  ")[1].replace("\r", "").split("totrain>")[0].split("\n")
        self.assertEqual([step.strip() for step in steps if step.strip()],
                         ['SHOW MODEL "my model";', 'SELECT * FROM iris TO EVALUATE "my model";',
                          'SELECT * FROM iris TO PREDICT USING "my model";'])
        for step in steps[:3]:
            terminal.run(step.strip(), "totrain> ")
        self.assertNotIn("ERROR", terminal.raw)
        for statement, there, missing in (
                ("SELECT sepal_length FROM iris TO TRAIN KMeans WITH n_clusters = 2 INTO k;", "TO PREDICT USING k;", "TO EVALUATE"),
                (f"SELECT sepal_length AS {'s' * 90} FROM iris TO TRAIN KMeans WITH n_clusters = 2 INTO k;", "SHOW MODEL k;", "TO PREDICT"),
                ("WITH g(t, y) AS (SELECT 1, 2 UNION ALL SELECT t + 1, t % 3 FROM g WHERE t < 40) SELECT * FROM g "
                 "TO TRAIN SeasonalNaive WITH forecast.time = 't', horizon = 3 LABEL y INTO f;", "FORECAST f;", "TO PREDICT"),
                ("EXPLAIN SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m;", "LinearClassifier", "NEXT"),
                ("SELECT * FROM iris TO EVALUATE \"my model\";", "Accuracy", "NEXT")):
            terminal.type(statement + "\r")
            terminal.expect(";")
            shown = terminal.expect("totrain> ")
            self.assertIn(there, shown)
            self.assertNotIn(missing, shown.split("NEXT", 1)[-1])

    def test_next_statements_are_for_a_person_who_sees_tables(self):
        train = "SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO m;"
        self.assertNotIn("NEXT", self.run_program(self.path, "-c", train).stderr)
        for arguments in (["--quiet"], ["-q"], ["--format=csv"], ["--format=json"], ["--progress=json"]):
            terminal = Terminal(self, *arguments)
            terminal.run(train, "version")
            self.assertNotIn("NEXT", terminal.expect("totrain> "))

    def test_a_command_in_an_open_statement_is_noticed(self):
        terminal = Terminal(self)
        terminal.run("SELECT count(*) AS n FROM iris", "...> ")
        terminal.run(".tables", "HINT:  A statement was begun above, and this line is part of it: ; ends it, Ctrl-C clears it.")
        terminal.type("\x03")
        terminal.expect("totrain> ")
        terminal.run("SELECT 'a", "...> ")
        terminal.run(".b'", "...> ")  # a text
        self.assertNotIn("HINT", terminal.run(";", "totrain> ") or "")

    def test_words_of_other_shells(self):
        terminal = Terminal(self, columns=200)
        terminal.run("?", "Tab completes")
        for word, command in (("\\d", ".tables, or .schema TABLE"), ("\\d iris", ".tables, or .schema TABLE"),
                              ("\\q", ".quit"), ("\\dt+", ".tables"), ("\\nosuch;", ".help lists them"),
                              ("\\timing on", ".timing on")):
            terminal.run(word, "HINT:  Commands begin with a point here: " + command + ".")
            terminal.expect("totrain> ")
        terminal.run("SHOW TABLES;", "Tables are listed by .tables")
        terminal.run("DESCRIBE iris;", "pragma_table_info('iris')")

    def test_the_shell_begins_with_a_file_of_the_user_s(self):
        folder = self.folder / ".config" / "totrain"
        folder.mkdir(parents=True)
        (folder / "config").write_text(".mode json\n.nosuch\nSELECT 'never';\n")
        terminal = Terminal(self, "--color=never")
        self.assertIn("config:2: ERROR:  unknown command \".nosuch\"", terminal.raw)
        terminal.run("SELECT 20 + 22 AS x;", '[{"x":42}]')
        self.assertNotIn("never", terminal.raw)
        environment = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": ""}
        self.assertEqual(self.run_program(self.path, "-c", "SELECT 1 AS x", "--format=csv", env=environment).stdout, "x\n1\n")
        (self.folder / "other" / "totrain").mkdir(parents=True)
        (self.folder / "other" / "totrain" / "config").write_text(".mode csv\n")
        terminal = Terminal(self, XDG_CONFIG_HOME=str(self.folder / "other"))
        terminal.run("SELECT 20 + 22 AS x;", "x\r\n42")

    def test_ctrl_d_behind_half_a_statement_says_that_it_was_not_run(self):
        terminal = Terminal(self)
        terminal.run("DROP TABLE iris", "...> ")
        terminal.type("\x04")
        terminal.expect("ERROR:  the last statement has no end, and was not run")
        terminal.expect("history")
        self.assertEqual(terminal.process.wait(timeout=harness.DEADLINE), 0)
        self.assertIn("iris", self.tables(self.connect()))
        again = Terminal(self)
        again.run("\x10", "DROP TABLE iris")
        again.type("\x03")
        again.expect("totrain> ")
        again.run("SELECT 1 AS one; -- and a comment", " 1")
        again.expect("totrain> ")
        again.run("  -- nothing", "totrain> ")
        again.type("\x04")
        self.assertEqual(again.process.wait(timeout=harness.DEADLINE), 0)
        self.assertNotIn("ERROR", again.raw)

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
        terminal.expect("totrain> ")
        terminal.type(".read ~/sq\t\t\r")
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

    def test_sessions_side_by_side_keep_each_other_s_history(self):
        first, second = Terminal(self), Terminal(self)
        for terminal, number in ((first, 1), (second, 2), (first, 3), (second, 1)):
            terminal.run(f"SELECT {number} + 40 AS x;", f" 4{number}\r\n")
            terminal.expect("totrain> ")
        first.run("SELECT length('" + "x" * 70000 + "') AS n;", " 70000")  # too long to be kept
        self.assertEqual((first.end(), second.end()), (0, 0))
        file = self.folder / "xdg" / "totrain" / "history"
        kept = [line.split("\\040")[1] for line in file.read_text().splitlines()[1:]]
        self.assertEqual(kept, ["2", "3", "1"])
        self.assertEqual([path.name for path in file.parent.iterdir()], ["history"])
        third = Terminal(self)
        third.type("\x10\x10\x10\r")
        third.expect(" 42\r\n")

    def test_a_history_that_cannot_be_kept_is_no_error(self):
        file = self.folder / "xdg" / "totrain" / "history"
        file.parent.mkdir(parents=True)
        file.write_text("not libedit's\n")
        terminal = Terminal(self)
        terminal.run("SELECT 20 + 22 AS x;", " 42")
        terminal.expect("totrain> ")
        terminal.type("\x10\r")
        terminal.expect(" 42")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(file.read_text(), "not libedit's\n")
        (self.folder / "file").write_text("")  # no folder can be made in it
        for state in (str(self.folder / "file"), "/dev/null/x"):
            terminal = Terminal(self, XDG_STATE_HOME=state)
            terminal.run("SELECT 20 + 22 AS x;", " 42")
            self.assertEqual(terminal.end(), 0)

    def test_a_link_to_the_history_stays_a_link(self):
        file = self.folder / "xdg" / "totrain" / "history"
        file.parent.mkdir(parents=True)
        (self.folder / "kept").write_text("")
        file.symlink_to(self.folder / "kept")
        terminal = Terminal(self)
        terminal.run("SELECT 20 + 22 AS x;", " 42")
        terminal.expect("totrain> ")
        self.assertEqual(terminal.end(), 0)
        self.assertTrue(file.is_symlink())
        self.assertIn("22", (self.folder / "kept").read_text())

    def test_tabs_that_are_pasted_or_indent_complete_nothing(self):
        terminal = Terminal(self)
        terminal.type("\x1b[200~SELECT 20 +\r\t22\tAS\tx\tFROM ir\tWHERE 0\r;\r\x1b[201~")
        terminal.expect("no such table: ir")
        terminal.expect("totrain> ")
        terminal.run("SELECT 20 +", "...> ")
        terminal.run("\t23 AS x;", " 43")
        terminal.expect("totrain> ")
        terminal.type("SELECT count(*) AS n FROM ir\t;\r")  # and typed ones do again
        terminal.expect(" 150")

    def test_a_statement_of_many_pasted_lines(self):
        terminal = Terminal(self)
        lines = ["CREATE TABLE many(a, b); INSERT INTO many VALUES"]
        lines += [f"  ({i}, 'row {i}')," for i in range(300)] + ["  (0, 0);"]
        for line in lines:
            terminal.type(line + "\r")
        terminal.run("SELECT count(*) AS n FROM many;", " 301")

    def test_quit_exit_and_help_alone_are_commands(self):
        terminal = Terminal(self)
        terminal.run("help", "Tab completes")
        terminal.run("SELECT count(*) AS n FROM", "...> ")
        terminal.run("quit", "...> ")  # a name, in the middle of a statement
        terminal.run(";", "no such table: quit")
        for word in ("QUIT;", "exit"):
            terminal = Terminal(self)
            terminal.type(word + "\r")
            self.assertEqual(terminal.process.wait(timeout=harness.DEADLINE), 0)

    def test_a_comment_that_is_closed_lines_later_runs_nothing(self):
        terminal = Terminal(self)
        terminal.run("/* one", "...> ")
        terminal.run("two", "...> ")
        terminal.run("*/", "totrain> ")
        terminal.run("SELECT 20 + 22 AS x;", " 42")

    def test_the_line_is_drawn_anew_when_the_window_changes(self):
        terminal = Terminal(self, columns=120)
        terminal.type("SELECT 'some words that fill more than forty columns' AS words")
        terminal.expect("AS words")
        terminal.raw = ""
        terminal.resize(100)
        terminal.expect("totrain> ")
        self.assertIn("\r\x1b[J", terminal.raw.split("totrain>")[0])  # not behind the old one
        terminal.run(";", "more than forty")

    def test_a_stop_in_the_middle_of_a_line_leaves_it_as_it_was(self):
        terminal = Terminal(self)
        terminal.type("SELECT count(*) AS n ")
        terminal.expect("n ")
        os.kill(terminal.process.pid, signal.SIGSTOP)
        harness.wait_for(lambda: terminal.state() == "T", "the stop")
        terminal.cook()  # a shell does the same that has the terminal meanwhile
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.expect("totrain> ")
        terminal.type("FROM ir\t;\r")
        terminal.expect(" 150")

    def test_the_time_follows_an_error_too(self):
        terminal = Terminal(self)
        terminal.run(".timing on", "totrain> ")
        terminal.run("SELECT nope;", "no such column")
        self.assertIn("Time: ", terminal.expect("totrain> "))


harness.main()
