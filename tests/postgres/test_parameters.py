"""$1 in the SELECT of a statement: values behind it, in totrain.run and totrain.rows."""

import json

import psycopg2

import harness

TRAIN = "TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO"


class Parameters(harness.Case):
    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()

    def test_values_are_those_that_were_given(self):
        self.check_psql(f"SELECT * FROM iris WHERE class < 2 AND petal_width < 1.7 {TRAIN} m;")
        self.cursor.execute(f"SELECT * FROM totrain.run('SELECT * FROM iris WHERE petal_width < $2 AND class<$1 {TRAIN} a', "
                            "%s, %s::float8)", (2, 1.7))
        self.assertEqual({row[0]: row[3] for row in self.cursor}["rows"], "98")
        self.assertEqual(self.digest("a"), self.digest("m"))
        # A prepared statement, in the extended protocol.
        self.cursor.execute(f"PREPARE p(int) AS SELECT * FROM totrain.run($$SELECT * FROM iris WHERE class < $1 AND "
                            f"petal_width < 1.7 {TRAIN} b$$, $1)")
        self.cursor.execute("EXECUTE p(2)")
        self.assertEqual(self.digest("b"), self.digest("m"))
        self.cursor.execute("SELECT totrain.rows('SELECT * FROM iris WHERE class < $1 ORDER BY 1, 2, 3, 4 LIMIT $2 "
                            "TO PREDICT USING m', %s, %s)", (2, 7))
        self.assertEqual(len(self.cursor.fetchall()), 7)

    def test_every_type_keeps_its_value(self):
        self.check_psql(f"SELECT * FROM iris {TRAIN} m;")
        values = [("0.1::float8", "float8"), ("1e-300::float8", "float8"), ("'it''s \\ größe'::text", "text"),
                  ("'2024-02-29'::date", "date"), ("'2024-02-29 12:34:56.789012+02'::timestamptz", "timestamptz"),
                  ("NULL::int", "int"), ("true", "bool"), ("'\\x00ff'::bytea", "bytea"), ("-5", "int"),
                  ("'1 year 2 days'::interval", "interval"), ("'{1,2}'::int[]", "int[]")]
        asked = ", ".join(f"${i + 1} AS v{i}" for i in range(len(values)))
        self.cursor.execute("SET extra_float_digits = 0; SET datestyle = 'German'; SET intervalstyle = 'iso_8601'")
        self.cursor.execute(f"SELECT * FROM totrain.run('SELECT iris.*, {asked} FROM iris LIMIT 1 TO PREDICT p.guess "
                            f"USING m', {', '.join(value for value, _ in values)})")
        same = " AND ".join(f"v{i} IS NOT DISTINCT FROM {value}" for i, (value, _) in enumerate(values))
        self.cursor.execute(f"SELECT {same}, {', '.join(f'pg_typeof(v{i})::regtype = {chr(39)}{kind}{chr(39)}::regtype' for i, (_, kind) in enumerate(values))} FROM p")
        self.assertEqual(set(self.cursor.fetchone()), {True})

    def test_what_cannot_be_is_said(self):
        self.check_psql(f"SELECT * FROM iris {TRAIN} m;")
        evaluate = "SELECT * FROM totrain.run('SELECT * FROM iris WHERE class < $1 TO EVALUATE m'{})"
        for statement, error in ((evaluate.format(""), "has 1 parameter, and 0 values are given"),
                                 (evaluate.format(", 1, 2"), "has 1 parameter, and 2 values are given"),
                                 (evaluate.format(", VARIADIC ARRAY[1]"), "one by one, not as an array"),
                                 (evaluate.format(", 'many'"), "invalid input syntax for type")):
            with self.assertRaisesRegex(psycopg2.Error, error):
                self.cursor.execute(statement)
        self.cursor.execute("SELECT * FROM totrain.run(NULL, 1)")
        self.assertEqual(self.cursor.fetchall(), [])

    def test_the_clients_own_binding_and_the_hint_of_the_others(self):
        # psycopg2 writes the values into the text itself.
        self.cursor.execute(f"SELECT * FROM iris WHERE class < %s {TRAIN} m", (2,))
        self.assertEqual({row[0]: row[3] for row in self.cursor}["rows"], "100")
        self.cursor.execute("SELECT totrain.rows('SHOW MODELS')")
        self.assertEqual(json.loads(json.dumps(self.cursor.fetchone()[0]))["name"].split(".")[-1], "m")
        with self.assertRaisesRegex(psycopg2.Error, "PREPARE takes no statement of ToTrain"):
            self.cursor.execute(f"PREPARE x AS SELECT * FROM iris {TRAIN} y")


harness.main()
