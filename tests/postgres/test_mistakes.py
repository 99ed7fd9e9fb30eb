"""Typical mistakes in psql: the server's own error, with a hint of ours where it was meant for us."""

import pathlib
import sys

import psycopg2

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden" / "mistakes"))
import mistakes  # noqa: E402  pylint: disable=wrong-import-position


class Mistakes(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE houses(rooms int, city text, price float8)")
        cursor.execute("INSERT INTO houses SELECT i % 7, substr('abcdefg', 1 + i % 5, 1), 1000.5 * (i % 7) "
                       "FROM generate_series(1, 60) i")
        cursor.execute("CREATE TABLE readings(x text)")
        cursor.execute("INSERT INTO readings VALUES ('1'), ('2'), ('many'), ('4')")
        connection.commit()

    def setUp(self):
        super().setUp()
        self.check_psql("SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO iris_model;")

    def test_each_gets_place_reason_and_what_to_write(self):
        answers = [self.psql(statement, "-q").stderr for _, statement in mistakes.read()]
        mistakes.compare(self, "psql", [answer.removeprefix("psql:<stdin>:1: ") for answer in answers])

    def test_a_mistake_in_ordinary_sql_keeps_the_servers_own_message(self):
        cursor = self.connect().cursor()
        for table in ("train", "predict", "show"):
            cursor.execute(f"CREATE TABLE {table}(model int, train int, label int, evaluate int, x int)")
        cursor.connection.commit()
        for statement in ("SELECT * FROM train WHERE", "SELECT train FROM train GROUP train",
                          "SELECT * FROM iris train JOIN train label ON label.x = 1 FORM",
                          "SELECT predict.x FROM predict JOIN show USING x", "DROP TABEL train",
                          "INSERT train VALUES (1)", "CREATE TABLE model(train, predict", "SHOW tables",
                          "SELECT 'TO TRAIN' FORM x, y", "SELECT * FROM iris predict LEFT JOIN show USING (x) WHERE",
                          "DELETE train WHERE label INTO", "UPDATE train SET evaluate = TRAIN predict",
                          "DO $$ BEGIN EXECUTE 'DROP MODEL m'; END $$", "SELECT 1 -- TO TRAIN x\n)"):
            answers = []
            for setting in ("on", "off"):
                cursor.execute(f"SET totrain.bare_statements = {setting}")
                cursor.connection.commit()
                with self.assertRaises(psycopg2.Error) as raised:
                    cursor.execute(statement)
                cursor.connection.rollback()
                answers.append(str(raised.exception))
            self.assertEqual(*answers)
            self.assertNotIn("HINT", answers[0])

    def test_the_hint_is_that_of_the_statement_that_failed(self):
        done = self.psql(None, "-qAt", "-c", "SELECT 'größe', 'DROP MODEL x'; DROP MODEL größe; SELECT 2")
        self.assertIn('syntax error at or near "MODEL"', done.stderr)
        self.assertIn("HINT:  A model is a table: DROP TABLE größe;", done.stderr)


harness.main()
