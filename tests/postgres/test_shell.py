"""The shell of the program on PostgreSQL, on a terminal."""

import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock

import harness
import program

# The terminal of SQLite's tests: it takes the program and the deadline from the harness that is loaded.
harness.PROGRAM = program.PROGRAM
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "sqlite"))
from terminal import Terminal  # noqa: E402  pylint: disable=wrong-import-position

PASSWORD = "it's \\ a secret"


class Shell(program.Case):
    path = "postgres://"

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.folder)

    def terminal(self, **environment):
        return Terminal(self, **{**self.environment(), **environment})

    def test_tab_knows_tables_columns_and_models(self):
        self.check(harness.TRAIN_IRIS + 'CREATE TABLE "Odd name" (a int)')
        terminal = self.terminal()
        terminal.type("SELECT * FROM \"O\t")
        terminal.expect("dd name\"")
        terminal.type("\x15SHOW TRAIN iris\t;\r")
        terminal.expect("train_loss")
        terminal.expect("totrain> ")
        terminal.type("SELECT * FROM iris TO TRAIN LinearClassifier LABEL cl\t")
        terminal.expect("ass ")
        terminal.type("\x15.tables\r")
        terminal.expect('"Odd name" | table')
        terminal.expect("iris_model | model")
        terminal.expect("totrain> ")
        terminal.run('.schema "Odd name"', "integer")
        terminal.expect("totrain> ")
        self.assertEqual(terminal.end(), 0)

    def test_ctrl_c_ends_the_statement_alone(self):
        terminal = self.terminal()
        terminal.type("SELECT pg_sleep(600);\r")
        harness.wait_for(lambda: self.execute("SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND "
                                              "query LIKE 'SELECT pg_sleep(600)%'"), "a query that runs")
        terminal.type("\x03")
        terminal.expect("ERROR:  interrupted")
        terminal.expect("totrain> ")
        terminal.run("SELECT 40 + 2 AS x;", "42")
        terminal.expect("totrain> ")
        self.assertEqual(terminal.end(), 0)

    def test_a_transaction_that_failed_is_ended_by_the_user(self):
        terminal = self.terminal()
        for typed, answer in (("BEGIN;", "totrain> "), ("SELECT nope;", 'column "nope" does not exist'),
                              ("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m;",
                               "current transaction is aborted"),
                              ("ROLLBACK;", "totrain> "), ("SELECT 6 * 7 AS x;", "42")):
            terminal.run(typed, answer)
            if answer != "totrain> ":
                terminal.expect("totrain> ")
        self.assertEqual(terminal.end(), 0)


class Password(program.Case):
    """A server that wants passwords."""

    path = "postgres://"

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.folder)

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute("CREATE ROLE secret LOGIN SUPERUSER PASSWORD %s", (PASSWORD,))
        with open(cls.server.folder / "data" / "pg_hba.conf", "w", encoding="utf-8") as file:
            file.write("local all postgres trust\nlocal all all scram-sha-256\n")
        connection.cursor().execute("SELECT pg_reload_conf()")

    def environment(self, user="secret"):
        file = pathlib.Path(self.folder) / "pgpass"
        file.touch(mode=0o600)
        escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
        file.write_text(f"*:*:*:secret:{escaped}\n", encoding="utf-8")
        return {**super().environment(user), "PGPASSFILE": str(file)}

    def test_it_is_asked_for_where_it_is_not_found(self):
        for typed, answer in ((PASSWORD, "totrain> "), ("wrong", "password authentication failed")):
            terminal = Terminal.__new__(Terminal)
            with unittest.mock.patch.object(Terminal, "expect", lambda *_: None):
                terminal.__init__(self, **{**self.environment(), "PGPASSFILE": "/dev/null"})
            terminal.expect("Password: ")
            terminal.cook()
            terminal.type(typed + "\r")
            terminal.expect(answer)

    def test_several_readers_and_a_detached_job_have_it(self):
        if harness.ONE_PROCESSOR:
            self.skipTest("one processor: there is one reader")
        done = self.run_program("-c", "CREATE TABLE t AS SELECT i AS a, random() AS b, i % 2 AS y, i AS c, i AS d "
                                      "FROM generate_series(1, 120000) i; SELECT * FROM t TO TRAIN LinearClassifier WITH "
                                      "train.epoch = 1, train.verbose = 2, job.wait = false LABEL y INTO m", user="secret")
        self.assertRegex(done.stderr, "rows are read by [2-8] readers")
        done = subprocess.run([program.PROGRAM, "wait", "1"], text=True, capture_output=True, check=False,
                              env=self.environment(), timeout=4 * harness.DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.execute("SELECT count(*) FROM m WHERE part = 'meta'"), [(1,)])
        kept = b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file() and path.name != "pgpass")
        self.assertIn(b"secret", kept)  # the user
        self.assertNotIn(b"a secret", kept)


if __name__ == "__main__":
    unittest.main(verbosity=2)
