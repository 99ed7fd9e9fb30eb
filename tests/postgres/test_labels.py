"""Labels come back as they went in: in the type of their column, through both doors."""

import json
import os
import subprocess

import harness
from server import BUILD

# The column, its type, and two labels of it, of which the greater one goes with x > 50.
LABELS = [("boolean", "false", "true"), ("smallint", "3", "7"), ("integer", "-1", "1"), ("bigint", "1", "9007199254740993"),
          ("real", "-2", "16"), ("double precision", "0", "9007199254740992"), ("numeric", "1", "22"),
          ("text", "a", "z"), ("varchar", "a", "z"), ("uuid", "00000000-0000-0000-0000-000000000001", "f0000000-0000-0000-0000-000000000000"),
          ("date", "1969-12-31", "2024-02-29"), ("timestamp", "1969-12-31 23:59:59", "2024-02-29 12:00:00"),
          ("timestamptz", "1999-12-31 23:59:59+00", "2024-02-29 12:00:00+00"), ('"of us".mood', "sad", "so'so")]


class Labels(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute("""CREATE SCHEMA "of us"; CREATE TYPE "of us".mood AS ENUM ('sad', 'so''so')""")
            columns = ", ".join(f"CASE WHEN g > 50 THEN {cls.literal(high)} ELSE {cls.literal(low)} END::{kind} AS y{i}"
                                for i, (kind, low, high) in enumerate(LABELS))
            cursor.execute(f"CREATE TABLE t AS SELECT g AS x, {columns} FROM generate_series(1, 100) g")

    @staticmethod
    def literal(text):
        return "'" + text.replace("'", "''") + "'"

    def by_program(self, sql):
        done = subprocess.run([BUILD / "totrain", "postgres://", "--format", "json", "--progress=none", "-c", sql], check=False,
                              env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "program-state"),
                                   **self.server.variables(self.database)}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def train(self, column, name="m"):
        self.check_psql(f"SELECT x, {column} FROM t TO TRAIN LinearClassifier WITH train.epoch = 50, train.batch_size = 8 "
                        f"LABEL {column} INTO {name};", "-o", "/dev/null")

    def types(self, table, column):
        return self.execute(f"SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '{table}'::regclass "
                            f"AND attname = '{column}'")[0][0]

    def test_in_a_table(self):
        for i, (kind, _, _) in enumerate(LABELS):
            with self.subTest(kind=kind):
                self.train(f"y{i}")
                self.check_psql(f"SELECT x, y{i} FROM t TO PREDICT inside.p USING m;", "-o", "/dev/null")
                self.by_program(f"SELECT x, y{i} FROM t TO PREDICT outside.p USING m;")
                wanted = self.types("t", f"y{i}")
                self.assertEqual((self.types("inside", "p"), self.types("outside", "p")), (wanted, wanted))
                self.assertEqual(self.execute("SELECT count(*) FROM inside JOIN outside USING (x, p)"), [(100,)])
                # Not only the types: what was learned comes back.
                self.assertGreater(self.execute(f"SELECT count(*) FROM inside WHERE p = y{i}")[0][0], 90)
                self.assertEqual(self.execute("SELECT count(DISTINCT p) FROM inside"), [(2,)])

    def test_by_the_functions(self):
        for i, (kind, low, high) in enumerate(LABELS):
            with self.subTest(kind=kind):
                self.train(f"y{i}")
                texts = self.execute(f"SELECT (SELECT array_agg(DISTINCT totrain.predict('m', t)) FROM t) = "
                                     f"(SELECT array_agg(DISTINCT y{i}::text) FROM t)")
                self.assertEqual(texts, [(True,)])
                self.assertGreater(self.execute(f"SELECT count(*) FROM t WHERE totrain.predict('m', t, NULL::{kind}) = y{i}")[0][0], 90)
                if kind not in ("date",):
                    continue
                self.assertEqual(self.execute("SET datestyle = 'German'; SELECT totrain.predict('m', ROW(99))"), [("29.02.2024",)])

    def test_a_regressor_answers_with_numbers(self):
        self.check_psql("SELECT x, y10 FROM t TO TRAIN LinearRegressor WITH train.epoch = 5 LABEL y10 INTO m; "
                        "SELECT x FROM t TO PREDICT p.p USING m;", "-o", "/dev/null")
        self.assertEqual(self.types("p", "p"), "double precision")

    def test_a_regressor_says_what_it_counts_of_dates(self):
        for column, said in (("y10", "label column \"y10\" is learned, and predicted, as days since 1970-01-01"),
                             ("y12", "label column \"y12\" is learned, and predicted, as seconds since 1970-01-01")):
            done = self.psql(f"SELECT x, {column} FROM t TO TRAIN XGBRegressor WITH n_estimators = 2 LABEL {column} INTO m;")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(said, done.stdout + done.stderr)

    def test_one_spelling_everywhere(self):
        for column, low, high in (("y0", "false", "true"), ("y10", "1969-12-31", "2024-02-29"),
                                  ("y11", "1969-12-31 23:59:59", "2024-02-29 12:00:00"),
                                  ("y12", "1999-12-31 23:59:59+00", "2024-02-29 12:00:00+00"), ("y2", "-1", "1")):
            with self.subTest(column):
                self.train(column)
                self.assertEqual(sorted(json.loads(self.check_psql("SELECT totrain.probabilities('m', ROW(99));"))), sorted((low, high)))
                self.check_psql(f"SELECT x, {column} FROM t TO EVALUATE m WITH report = 'confusion' INTO c;", "-o", "/dev/null")
                self.assertEqual(self.execute("SELECT actual::text, predicted::text FROM c ORDER BY rows DESC, 1 LIMIT 2"),
                                 [(low, low), (high, high)])
                self.assertIn(f"classes|2: {low}, {high}\n", self.check_psql("SHOW MODEL m;"))
                done = self.psql(f"SELECT x, {column} FROM t TO TRAIN LinearClassifier WITH class_weight = "
                                 f"'{{\"nothing\": 2}}' LABEL {column} INTO m;")
                self.assertIn(f"The labels of column \"{column}\" are {low} and {high}.", done.stderr)
                self.check_psql(f"SELECT x, {column} FROM t TO TRAIN LinearClassifier WITH class_weight = "
                                f"'{{\"{high}\": 2}}', model.positive = '{low}' LABEL {column} INTO m;", "-o", "/dev/null")

    def test_rows_of_a_statement(self):
        self.train("y0")
        self.assertEqual(self.check_psql("SELECT 99 AS x TO PREDICT USING m;"), "99|t\n")

    def test_a_type_that_is_gone(self):
        self.train("y13")
        self.execute("CREATE TABLE plain AS SELECT x FROM t; DROP TABLE t; DROP TYPE \"of us\".mood")
        self.check_psql("SELECT x FROM plain TO PREDICT inside.p USING m;", "-o", "/dev/null")
        self.assertEqual(self.types("inside", "p"), "text")
        self.assertEqual(self.execute("SELECT count(*) FROM inside WHERE p IN ('sad', 'so''so')"), [(100,)])

    def test_a_name_in_a_model_is_not_sql(self):
        """A writer of a model's rows can choose no type that calls a function, and write no SQL."""
        self.train("y0")
        self.execute("CREATE FUNCTION public.evil(integer) RETURNS boolean LANGUAGE plpgsql AS "
                     "$$ BEGIN RAISE EXCEPTION 'evil was called'; END $$; "
                     "CREATE DOMAIN public.trap AS integer CHECK (public.evil(VALUE))")
        for name in ("public.trap", "pg_catalog.int4) FROM t; DROP TABLE t; --", "pg_catalog.regclass", "record", "\"a", ".", "pg_catalog.bool."):
            with self.subTest(name=name):
                self.execute("UPDATE m SET data = convert_to(jsonb_set(convert_from(data, 'UTF8')::jsonb, '{label_declared}', "
                             f"to_jsonb({self.literal(name)}::text))::text, 'UTF8') WHERE part = 'meta'")
                self.check_psql("SELECT x FROM t TO PREDICT inside.p USING m;", "-o", "/dev/null")
                self.assertEqual(self.types("inside", "p"), "bigint")
                self.assertIn(self.execute("SELECT totrain.predict('m', ROW(99))"), [[("1",)]])


if __name__ == "__main__":
    harness.main()
