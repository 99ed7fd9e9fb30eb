"""Typical mistakes, in the stock shell and in the program: place, reason and what to write."""

import pathlib
import re
import sqlite3
import subprocess
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden" / "mistakes"))
import mistakes  # noqa: E402  pylint: disable=wrong-import-position


class Mistakes(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        database = self.connect()
        database.executescript("""
            CREATE TABLE houses(rooms INTEGER, city TEXT, price REAL);
            INSERT INTO houses WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 60)
                SELECT i % 7, substr('abcdefg', 1 + i % 5, 1), 1000.5 * (i % 7) FROM s;
            CREATE TABLE readings(x);
            INSERT INTO readings VALUES (1), (2), ('many'), (4);
            SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO iris_model;
        """)
        database.close()

    def in_the_shell(self, statement):
        done = subprocess.run(["sqlite3", "-batch", self.path], text=True, capture_output=True,
                              input=f".load {harness.EXTENSION}\n{statement}\n", timeout=harness.DEADLINE)
        answer = re.sub(r"^(Parse error|Runtime error|Error):? near line \d+: ", "ERROR:  ",
                        done.stderr)
        return re.sub(r" \(\d+\)$", "", answer.rstrip())

    def in_the_program(self, statement):
        return self.run_program("--progress=none", self.path, "-c", statement.rstrip(";")).stderr

    def test_each_gets_place_reason_and_what_to_write(self):
        mistakes.compare(self, "sqlite3", [self.in_the_shell(statement)
                                           for _, statement in mistakes.read()])

    def test_the_program_says_the_same(self):
        # The shell hands over ordinary SQL with its semicolon.
        golden = (mistakes.FOLDER / "sqlite3.txt").read_text()
        for title, statement in mistakes.read():
            with self.subTest(title):
                answer = self.in_the_program(statement).rstrip()
                self.assertIn(f"{statement}\n{answer}\n", golden.replace(";\n   ", "\n   "))

    def test_a_mistake_in_ordinary_sql_keeps_the_databases_own_message(self):
        database = self.connect()
        plain = sqlite3.connect(self.path)
        self.addCleanup(plain.close)
        for table in ("train", "predict", "show"):
            database.execute(f"CREATE TABLE {table}(model, train, label, evaluate, x)")
        for statement in ("SELECT * FROM train WHERE", "SELECT train FROM train GROUP train",
                          "SELECT * FROM iris train JOIN train label ON label.x = 1 FORM",
                          "SELECT predict.x FROM predict JOIN show USING x", "DROP TABEL train",
                          "SELECT train label INTO x FROM train", "INSERT train VALUES (1)",
                          "CREATE TABLE model(train, predict", "SELECT 'TO TRAIN' FORM x",
                          "SELECT * FROM iris predict LEFT JOIN show USING (x) WHERE",
                          "DELETE train WHERE label INTO",
                          "UPDATE train SET evaluate = TRAIN predict", "SELECT 1 -- TO TRAIN x\n)"):
            answers = []
            for connection in (database, plain):
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    connection.execute(statement)
                answers.append(str(raised.exception))
            self.assertEqual(*answers)


harness.main()
