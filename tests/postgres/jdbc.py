"""PostgreSQL's driver of Java: bare statements by preferQueryMode=simple, totrain.run, predictions with typed values.

run_jdbc starts it: TOTRAIN_JDBC is the driver's file.
"""

import os
import pathlib
import subprocess

import harness

PROGRAM = pathlib.Path(__file__).resolve().parent / "Jdbc.java"
DRIVER = os.environ["TOTRAIN_JDBC"]
SIMPLE = "&preferQueryMode=simple"


class Jdbc(harness.Case):
    settings = {**harness.BARE, "session_preload_libraries": "totrain"}

    @classmethod
    def make_server(cls):
        made = harness.Server(cls.settings, extension=True, tcp=True)
        made.execute("CREATE ROLE app LOGIN")
        return made

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute("GRANT totrain_user TO app; GRANT CREATE ON SCHEMA public TO app; GRANT SELECT ON iris TO app")

    def java(self, word, options=""):
        """The lines that the program prints, each by its columns."""
        address = f"jdbc:postgresql://127.0.0.1:{self.server.port}/{self.database}?user=app{options}"
        done = subprocess.run(["java", "-cp", DRIVER, PROGRAM, address, word], capture_output=True, text=True, check=False, timeout=4 * harness.DEADLINE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split("|") for line in done.stdout.splitlines()]

    def facts(self, rows):
        return {row[0]: row[1] for row in rows}

    def test_bare_statements_run_by_the_simple_protocol(self):
        *told, first, second = self.java("bare", SIMPLE)
        self.assertIn("Accuracy", self.facts(told))
        self.assertEqual([len(first), len(second)], [6, 6])
        self.assertEqual(self.execute("SELECT string_agg(totrain.predict('m', i), '') FROM (SELECT * FROM iris LIMIT 2) i")[0][0], first[5] + second[5])

    def test_values_of_a_bare_statement_do(self):
        self.java("values", SIMPLE)
        self.check_rows()

    def check_rows(self):
        self.assertEqual(self.execute("SELECT (convert_from(data, 'UTF8')::json ->> 'rows')::int FROM m WHERE part = 'meta'"),
                         self.execute("SELECT count(*)::int FROM iris WHERE petal_width > 0.5"))

    def test_by_the_extended_protocol_the_hint_names_the_function(self):
        (word, hint), = self.java("bare")
        self.assertEqual(word, "hint")
        self.assertIn("totrain.run($$ ... $1 ... $$, $1::float8)", hint)

    def test_the_function_takes_values_with_their_types(self):
        for options in ("", SIMPLE):
            with self.subTest(options):
                self.assertIn("rows", self.facts(self.java("run", options)))
                self.check_rows()
                self.execute("DROP TABLE m")

    def test_prepared_predictions(self):
        self.java("bare", SIMPLE)
        flower = "ROW(5.1::float8, 3.5::float8, 1.4::float8, 0.2::float8)"
        wanted, = self.execute(f"SELECT totrain.predict('m', {flower})::text, totrain.probability('m', {flower})::text")
        for options in ("", SIMPLE, "&prepareThreshold=1", "&binaryTransfer=false"):
            with self.subTest(options):
                self.assertEqual({tuple(row) for row in self.java("predict", options)}, {wanted})


if __name__ == "__main__":
    harness.main()
