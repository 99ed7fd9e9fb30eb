"""totrain.run in the caller's transaction; hints where a bare statement cannot be served."""

import threading

import psycopg2

import harness
from harness import run_statement
from wire import Wire

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m"
RUN = f"SELECT * FROM totrain.run($train${TRAIN}$train$)"


class Transactions(harness.Case):
    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        self.cursor = self.connection.cursor()

    def ask(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchall() if self.cursor.description else None

    def models(self):
        return [row[0] for row in self.execute("SELECT relation::regclass::text FROM totrain.models")]

    def test_the_result_has_four_columns(self):
        self.ask(RUN)
        self.assertEqual([column.name for column in self.cursor.description], ["name", "value", "part", "detail"])

    def test_rolling_back_leaves_no_model_and_no_job(self):
        self.ask("BEGIN")
        self.ask(RUN)
        self.assertEqual(len(self.ask("SELECT * FROM totrain.rows('SHOW MODELS')")), 1)
        self.ask("ROLLBACK")
        self.assertEqual(self.tables(), {"iris"})
        self.assertEqual(self.models(), [])
        for table in ("versions", "metrics"):
            self.assertEqual(self.execute(f"SELECT * FROM totrain.{table}"), [], table)
        self.check_nothing_runs()

    def test_committing_keeps_it_and_uncommitted_rows_are_seen(self):
        self.ask("BEGIN")
        self.ask("INSERT INTO iris SELECT * FROM iris")
        rows = harness.facts(self.ask(RUN))
        self.assertEqual(rows["rows"], 300)
        self.assertEqual(self.models(), [])  # another session does not see it yet
        self.ask("COMMIT")
        self.assertEqual(len(self.models()), 1)

    def test_a_failing_run_aborts_the_transaction_as_any_error_does(self):
        self.ask("BEGIN")
        with self.assertRaises(psycopg2.Error):
            self.ask(RUN.replace("LABEL class", "LABEL klass"))
        with self.assertRaises(psycopg2.errors.InFailedSqlTransaction):
            self.ask("SELECT 1")
        self.ask("ROLLBACK")

    def test_a_cancel_is_not_forgotten_where_an_error_would_be(self):
        """EXPLAIN's error would not matter to PREDICT, which asks how many rows there may be: here it is the user's."""
        self.ask(RUN)
        # An IMMUTABLE function is called as a plan is made: that of the sample, and then that of EXPLAIN, which has
        # to wait.
        self.ask("""
            CREATE SEQUENCE plans;
            CREATE FUNCTION waits() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$
            BEGIN IF nextval('plans') = 2 THEN PERFORM pg_advisory_lock(4711); END IF; RETURN 1; END $$""")
        holder = self.connect()
        holder.cursor().execute("SELECT pg_advisory_lock(4711)")
        problems = []

        def predict():
            try:
                self.ask("SELECT *, waits() AS one FROM iris TO PREDICT p.class USING m")
            except psycopg2.Error as error:
                problems.append(error)
        thread = threading.Thread(target=predict)
        thread.start()
        harness.wait_for(lambda: self.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'"), "the plan that waits")
        self.connection.cancel()
        thread.join()
        holder.close()
        self.assertIsInstance(problems[0], psycopg2.errors.QueryCanceled)
        self.assertEqual(self.tables(), {"iris", "m"})
        self.assertEqual(self.execute("SELECT last_value FROM plans"), [(2,)])  # nothing was planned, or run, any more

    def test_savepoints(self):
        self.ask("BEGIN")
        self.ask("SAVEPOINT a")
        self.ask(RUN)
        self.ask("ROLLBACK TO a")
        self.assertEqual(self.ask("SELECT * FROM totrain.rows('SHOW MODELS')"), [])
        self.ask(RUN)
        self.ask("RELEASE a")
        self.ask("COMMIT")
        self.assertEqual(len(self.models()), 1)

    def test_inside_plpgsql_with_an_exception_block(self):
        self.ask("""CREATE FUNCTION attempt(text) RETURNS text LANGUAGE plpgsql AS $$
            BEGIN PERFORM totrain.run($1); RETURN 'trained'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$""")
        for _ in range(30):  # no locks, descriptors or memory are lost on the way
            self.assertIn("klass", self.ask(f"SELECT attempt($t${TRAIN.replace('LABEL class', 'LABEL klass')}$t$)")[0][0])
        self.assertEqual(self.ask(f"SELECT attempt($t${TRAIN}$t$)"), [("trained",)])

    def test_temporary_tables_and_repeatable_read(self):
        self.ask("CREATE TEMP TABLE mine AS SELECT * FROM iris WHERE class > 0")
        rows = harness.facts(self.ask(RUN.replace("FROM iris", "FROM mine")))
        self.assertEqual(rows["rows"], 100)
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(self.ask("SELECT count(*) FROM iris"), [(150,)])
        self.execute("INSERT INTO iris SELECT * FROM iris")
        rows = harness.facts(self.ask(RUN.replace("INTO m", "INTO again")))
        self.assertEqual(rows["rows"], 150)
        self.ask("COMMIT")

    def test_a_read_only_transaction(self):
        self.ask("BEGIN READ ONLY")
        with self.assertRaisesRegex(psycopg2.Error, "read-only"):
            self.ask(RUN)
        self.ask("ROLLBACK")
        self.check_nothing_runs()
        self.assertEqual(self.execute("SELECT * FROM totrain.rows('SHOW JOBS')"), [])

    def test_a_view_on_a_model_survives_training_again(self):
        self.ask(RUN)
        self.ask("CREATE VIEW weights AS SELECT name, value FROM m WHERE part = 'weight'")
        self.ask("GRANT SELECT ON m TO PUBLIC")
        self.ask(RUN)
        self.assertTrue(self.ask("SELECT * FROM weights"))
        self.assertEqual(self.ask("SELECT has_table_privilege('public', 'm', 'SELECT')"), [(True,)])

    def test_drop_table_leaves_no_debris(self):
        self.ask(RUN)
        self.ask(RUN)
        self.ask("DROP TABLE m")
        self.assertEqual(run_statement(self.cursor, 'SHOW MODELS'), [])
        self.ask(RUN)
        self.assertEqual(self.ask("SELECT count(*) FROM totrain.models"), [(1,)])
        for table in ("versions", "metrics"):
            self.assertEqual(self.ask(f"SELECT relation FROM totrain.{table} EXCEPT SELECT relation FROM totrain.models"), [], table)


class Paced(harness.Case):
    pace = harness.SLOW

    def test_others_write_while_training(self):
        cursor = self.connect().cursor()
        thread = threading.Thread(target=run_statement, args=(cursor, harness.TRAIN_LONG.replace("1000000", "60")))
        thread.start()
        self.wait_until_training()
        self.execute("INSERT INTO iris SELECT * FROM iris")
        self.execute("ALTER TABLE iris ADD COLUMN noted text")  # no lock is held while training
        self.finish(thread)
        self.assertEqual(run_statement(cursor, "SHOW MODELS")[0]["rows"], 150)


class Hints(harness.Case):
    def wire(self):
        wire = Wire(host=self.server.socket, port=self.server.port, user=harness.SUPERUSER, dbname=self.database)
        self.addCleanup(wire.close)
        return wire

    def test_inside_a_transaction_block(self):
        wire = self.wire()
        wire.simple("BEGIN")
        answer = wire.simple(TRAIN)
        self.assertIn('syntax error at or near "TO"', answer)
        self.assertRegex(answer, r'H ".*totrain\.run')
        self.assertEqual(answer.splitlines()[-1].split()[-1], "E")  # the transaction has failed
        wire.simple("ROLLBACK")
        self.assertEqual(self.tables(), {"iris"})

    def test_in_the_extended_protocol(self):
        wire = self.wire()
        answer = wire.extended(TRAIN)
        self.assertIn('syntax error at or near "TO"', answer)
        self.assertRegex(answer, r'H ".*totrain\.run')
        self.assertIn("DataRow", wire.extended("SELECT 1"))  # the framing is whole
        self.assertIn("DataRow", wire.simple("SELECT 1"))
        self.assertIn("CommandComplete", wire.simple(TRAIN))

    def test_with_transaction_commands_in_the_string(self):
        answer = self.wire().simple(f"BEGIN; {TRAIN}; COMMIT")
        self.assertRegex(answer, r'H ".*totrain\.run')
        self.assertEqual(self.tables(), {"iris"})

    def test_turned_off_there_is_no_trace(self):
        wire = self.wire()
        wire.simple("SET totrain.bare_statements = off")
        for statement in (TRAIN, "SHOW models", "CANCEL JOB 1"):
            self.assertNotRegex(wire.simple(statement), 'H "|totrain')

    def test_without_preload_create_extension_gives_the_functions_alone(self):
        self.server.execute(f"ALTER DATABASE {self.database} SET session_preload_libraries = 'plpgsql'")
        wire = self.wire()
        self.assertIn("syntax error", wire.simple(TRAIN))
        self.assertIn("DataRow", wire.simple(f"SELECT * FROM totrain.run($t${TRAIN}$t$)"))

    def test_a_database_without_the_extension_says_what_to_do(self):
        self.execute("DROP EXTENSION totrain")
        answer = self.wire().simple(TRAIN)
        self.assertRegex(answer, 'H ".*CREATE EXTENSION totrain')


if __name__ == "__main__":
    harness.main()
