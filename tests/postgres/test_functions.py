"""totrain.predict() and its sisters in queries, and PREDICT as a bare statement."""

import json

import psycopg2
from psycopg2 import errors

import harness

RIGHT = "SELECT count(*) FROM iris i WHERE totrain.predict('iris_model', i, NULL::int) = class"


class Functions(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")

    def one(self, sql):
        return self.execute(sql)[0]

    def test_a_row_of_a_table_is_predicted(self):
        self.assertGreater(self.one(RIGHT)[0], 140)
        text, number = self.one("SELECT totrain.predict('iris_model', i), "
                                "pg_typeof(totrain.predict('iris_model', i, NULL::numeric)) FROM iris i LIMIT 1")
        self.assertEqual((text, number), ("0", "numeric"))

    def test_a_domain_checks_what_is_predicted(self):
        self.execute("CREATE DOMAIN known AS integer CHECK (VALUE >= 0); CREATE DOMAIN other AS integer CHECK (VALUE < 0)")
        self.assertEqual(self.one("SELECT totrain.predict('iris_model', i, NULL::known), "
                                  "pg_typeof(totrain.predict('iris_model', i, NULL::known))::text FROM iris i LIMIT 1"), (0, "known"))
        with self.assertRaises(errors.CheckViolation):
            self.one("SELECT totrain.predict('iris_model', i, NULL::other) FROM iris i LIMIT 1")

    def test_probabilities_add_up(self):
        row = self.one("SELECT totrain.probabilities('iris_model', i), totrain.probability('iris_model', i), "
                       "totrain.logits('iris_model', i), totrain.problem('iris_model', i) FROM iris i LIMIT 1")
        self.assertAlmostEqual(sum(row[0].values()), 1, 12)
        self.assertEqual(max(row[0].values()), row[1])
        self.assertEqual((len(row[2]), row[3]), (3, None))

    def test_inputs_are_found_by_name_or_by_place(self):
        by_name = self.one("SELECT totrain.logits('iris_model', q)::text FROM (SELECT 'x' AS other, 0.2::float4::numeric "
                           "AS petal_width, '3.5' AS sepal_width, 1.4 AS petal_length, 5.1 AS sepal_length) q")
        self.assertEqual(len(json.loads(by_name[0])), 3)
        by_place = self.one("SELECT totrain.predict('iris_model', ROW(5.1, 3.5, 1.4, 0.2))")
        self.assertEqual(by_place, ("0",))
        self.assertEqual(self.one("SELECT totrain.predict('iris_model', ROW('5.1', '3.5', 1.4, 0.2))"), ("0",))
        with self.assertRaisesRegex(errors.InvalidParameterValue, "takes 4 values, not 3"):
            self.one("SELECT totrain.predict('iris_model', ROW(5.1, 3.5, 1.4))")
        with self.assertRaisesRegex(errors.UndefinedColumn, "petal_width"):
            self.one("SELECT totrain.predict('iris_model', q) FROM (SELECT 1 AS sepal_length, 1 AS sepal_width, "
                     "1 AS petal_length) q")

    def test_the_call_to_copy(self):
        call = self.one("SELECT totrain.call('iris_model')")[0]
        self.assertEqual(call, 'totrain.predict(\'iris_model\', ROW("sepal_length", "sepal_width", "petal_length", '
                               '"petal_width"))')
        self.assertEqual(self.execute(f"SELECT {call} FROM iris"),
                         self.execute("SELECT totrain.predict('iris_model', i) FROM iris i"))
        self.assertEqual(self.one("SELECT totrain.call(NULL)"), (None,))
        with self.assertRaisesRegex(errors.UndefinedObject, "nosuch"):
            self.one("SELECT totrain.call('nosuch')")

    def test_what_cannot_be_scored_is_said(self):
        row = "(SELECT 'abc' AS sepal_length, 1 AS sepal_width, 1 AS petal_length, 1 AS petal_width) q"
        self.assertIn("abc", self.one(f"SELECT totrain.problem('iris_model', q) FROM {row}")[0])
        with self.assertRaisesRegex(errors.InvalidParameterValue, "abc"):
            self.one(f"SELECT totrain.predict('iris_model', q) FROM {row}")
        self.assertEqual(self.one("SELECT totrain.predict('iris_model', NULL), totrain.predict(NULL, i) FROM iris i "
                                  "LIMIT 1"), (None, None))

    def test_types_of_rows_may_change_in_one_call(self):
        rows = self.execute("""
            CREATE TABLE other (petal_width real, x int, petal_length int2, sepal_width numeric, sepal_length text);
            ALTER TABLE other DROP COLUMN x;
            INSERT INTO other SELECT petal_width, petal_length, sepal_width, sepal_length FROM iris LIMIT 2;
            CREATE FUNCTION score(r record) RETURNS text LANGUAGE plpgsql AS
                $$BEGIN RETURN totrain.predict('iris_model', r); END$$;
            SELECT score(o) FROM other o UNION ALL (SELECT score(i) FROM iris i LIMIT 2)""")
        self.assertEqual(rows, [("0",)] * 4)

    def test_a_replaced_model_is_seen_in_the_next_statement_and_no_sooner(self):
        """PL/pgSQL keeps what a call has remembered from one statement to the next."""
        self.execute("CREATE FUNCTION again() RETURNS text[] LANGUAGE plpgsql AS $$DECLARE found text[]; "
                     "BEGIN FOR i IN 1..2 LOOP "
                     "found := found || totrain.predict('iris_model', ROW(5.1, 3.5, 1.4, 0.2)); "
                     "IF i = 1 THEN PERFORM totrain.run('SELECT sepal_length, sepal_width, petal_length, petal_width, "
                     "class + 7 AS class FROM iris TO TRAIN LinearClassifier LABEL class INTO iris_model'); END IF; "
                     "END LOOP; RETURN found; END$$")
        self.assertEqual(self.one("SELECT again()"), (["0", "7"],))
        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute("PREPARE one AS SELECT totrain.predict('iris_model', ROW(5.1, 3.5, 1.4, 0.2)); EXECUTE one")
        self.assertEqual(cursor.fetchall(), [("7",)])
        self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")
        cursor.execute("EXECUTE one")
        self.assertEqual(cursor.fetchall(), [("0",)])

    def test_parallel_workers_score(self):
        alone = self.one(RIGHT)
        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute(harness.IN_PARALLEL + "SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0")
        cursor.execute("EXPLAIN " + RIGHT)
        self.assertIn("Gather", "".join(row[0] for row in cursor.fetchall()))
        cursor.execute(RIGHT)
        self.assertEqual(cursor.fetchone(), alone)

    def test_select_on_the_model_is_what_it_takes(self):
        self.execute("DO $$BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN "
                     "CREATE ROLE reader LOGIN; END IF; END$$; GRANT SELECT ON iris TO reader; "
                     "GRANT totrain_user TO reader")
        sql = "SELECT totrain.predict('iris_model', i) FROM iris i LIMIT 1"
        with self.assertRaises(errors.InsufficientPrivilege):
            self.execute(sql, "reader")
        self.execute("GRANT SELECT ON iris_model TO reader")
        self.assertEqual(self.execute(sql, "reader"), [("0",)])
        self.execute("REVOKE totrain_user FROM reader")
        with self.assertRaises(errors.InsufficientPrivilege):
            self.execute(sql, "reader")

    def test_a_poisoned_model_is_refused(self):
        for poison in ("UPDATE iris_model SET data = 'x' WHERE part = 'meta'",
                       "UPDATE iris_model SET data = substr(data, 2) WHERE part = 'tensor'",
                       "DELETE FROM iris_model WHERE part = 'tensor'",
                       "DELETE FROM iris_model"):
            connection = self.connect(autocommit=False)
            cursor = connection.cursor()
            cursor.execute(poison)
            with self.assertRaises(psycopg2.Error) as caught:
                cursor.execute("SELECT totrain.predict('iris_model', i) FROM iris i")
            self.assertIn("damaged", str(caught.exception))
            connection.rollback()

    def test_predict_returns_rows_or_fills_a_table(self):
        rows = self.check_psql("SELECT * FROM iris ORDER BY petal_width, ctid LIMIT 2 TO PREDICT USING iris_model;")
        self.assertEqual(len(rows.splitlines()), 2)
        self.check_psql("SELECT * FROM iris TO PREDICT out.class USING iris_model;")
        self.assertEqual(self.one("SELECT count(*), count(class), pg_typeof(max(class)) FROM out"), (150, 150, "bigint"))
        described = self.psql("SELECT * FROM iris TO PREDICT USING iris_model \\gdesc")
        self.assertIn("HINT", described.stderr)  # \gdesc asks by the extended protocol

    def test_models_named_by_the_row_are_each_read_once(self):
        cursor = self.connect(autocommit=False).cursor()
        harness.run_statement(cursor, "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m_0")
        for i in range(1, 20):
            cursor.execute(f"CREATE TABLE m_{i} AS TABLE m_0")

        def scans():
            cursor.execute("SELECT sum(pg_stat_get_xact_numscans(oid)) FROM pg_class WHERE relname ~ '^m_[0-9]'")
            return cursor.fetchone()[0]
        cursor.execute("SELECT totrain.predict('m_0', iris) FROM iris")
        wanted = cursor.fetchall()
        for models, most in ((5, 5), (16, 16), (20, 150)):  # more than are kept: they are read again
            before = scans()
            cursor.execute(f"SELECT totrain.predict('m_' || (row_number() OVER ()) % {models}, iris) FROM iris")
            self.assertEqual(cursor.fetchall(), wanted)
            self.assertLessEqual(scans() - before, 3 * most)

if __name__ == "__main__":
    harness.main()
