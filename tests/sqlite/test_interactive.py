"""The shell on a terminal: prompt, editing, completion, history, interrupts."""

import os
import pty
import re
import select
import subprocess
import time

import harness


class Terminal:
    """The program on a pseudo-terminal; expect() waits for its output."""

    def __init__(self, case):
        self.ours, theirs = pty.openpty()
        environment = dict(os.environ, TERM="xterm", XDG_STATE_HOME=str(case.folder / "xdg"),
                           HOME=str(case.folder))
        self.process = subprocess.Popen(
            [harness.PROGRAM, case.path], stdin=theirs, stdout=theirs, stderr=theirs,
            env=environment, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(theirs)
        self.seen = self.begun = ""
        case.addCleanup(self.close)
        self.expect("totrain> ")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)

    def read(self, end):
        ready, _, _ = select.select([self.ours], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise AssertionError(f"not within {harness.DEADLINE} s; seen: {self.seen!r}")
        try:
            data = os.read(self.ours, 65536).decode("utf-8", "replace")
        except OSError:  # the other side was closed
            data = ""
        # A control sequence may come in two reads: its beginning waits for the rest.
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.begun + data)
        begun = re.search(r"\x1b(\[[0-9;?]*)?$", text)
        self.begun = begun.group(0) if begun else ""
        self.seen += text[:len(text) - len(self.begun)]
        return data

    def expect(self, text):
        """Everything up to and with the text."""
        end = time.monotonic() + harness.DEADLINE
        while text not in self.seen:
            if not self.read(end):
                raise AssertionError(f"it ended; seen: {self.seen!r}")
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def run(self, line, text):
        self.type(line + "\r")
        return self.expect(text)

    def end(self):
        self.type("\x04")
        return self.process.wait(timeout=harness.DEADLINE)


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


harness.main()
