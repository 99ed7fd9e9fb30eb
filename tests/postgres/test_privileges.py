"""The rights of a plain role: none that its own SQL would not have."""

import psycopg2
from psycopg2 import errors

import harness
from harness import run_statement
from roles import TRAIN, Roles


class Rights(Roles):
    def test_a_role_that_may_trains_into_its_own_schema(self):
        self.train("alice")
        self.assertEqual(self.execute("SELECT tableowner FROM pg_tables WHERE schemaname = 'alice'"), [("alice",)])

    def test_a_role_without_ours_may_not(self):
        self.refused("mallory", TRAIN.format("iris", "mallory.m"))
        self.refused("mallory", f"SELECT * FROM totrain.run($${TRAIN.format('iris', 'mallory.m')}$$)")
        self.refused("mallory", f"SELECT totrain.submit($${TRAIN.format('iris', 'mallory.m')}$$)")
        self.refused("mallory", "SELECT totrain.cancel(1)")

    def test_a_table_that_one_may_not_read(self):
        self.refused("alice", TRAIN.format("secret", "alice.m"), pattern="permission denied for table secret")
        self.refused("alice", f"SELECT * FROM totrain.run($${TRAIN.format('secret', 'alice.m')}$$)")
        self.assertEqual(self.execute("SELECT * FROM pg_tables WHERE schemaname = 'alice'"), [])
        self.assertEqual(self.job_processes(), [])

    def test_where_the_server_keeps_its_files_is_not_said(self):
        mode = self.server.state.stat().st_mode
        self.addCleanup(self.server.state.chmod, mode)
        self.server.state.chmod(0o500)
        train = "SELECT * FROM mine TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO hidden"
        self.execute("CREATE TABLE mine AS SELECT * FROM iris; ALTER TABLE mine OWNER TO alice; GRANT CREATE ON SCHEMA public TO alice")
        with self.assertRaisesRegex(psycopg2.Error, "totrain.state_directory/.*Permission denied") as refused:
            run_statement(self.session("alice"), train)
        self.assertNotIn(str(self.server.folder), str(refused.exception))
        with self.assertRaisesRegex(psycopg2.Error, str(self.server.state)):
            run_statement(self.connect().cursor(), train)

    def test_a_column_that_one_may_not_read(self):
        self.execute("GRANT SELECT (petal_width, class) ON secret TO alice")
        self.refused("alice", TRAIN.format("secret", "alice.m"), pattern="permission denied for table secret")
        run_statement(self.session("alice"), "SELECT petal_width, class FROM secret TO TRAIN LinearClassifier WITH train.epoch = 2 "
                      "LABEL class INTO alice.m")

    def test_a_schema_that_one_may_not_write_is_refused_before_training(self):
        self.refused("alice", TRAIN.format("iris", "bob.m"), pattern="permission denied for schema bob")
        self.refused("alice", TRAIN.format("iris", "public.m"), pattern="permission denied for schema public")
        self.assertEqual(self.execute("SELECT * FROM totrain.rows('SHOW JOBS')"), [])

    def test_the_model_of_another(self):
        self.train("alice")
        self.execute("GRANT USAGE, CREATE ON SCHEMA alice TO bob")
        digest = self.digest("alice.m")
        row = "ROW(5.1, 3.5, 1.4, 0.2)"
        self.refused("bob", f"SELECT totrain.predict('alice.m', {row})", pattern="permission denied for table alice.m")
        self.refused("bob", "SELECT * FROM iris TO PREDICT USING alice.m", pattern="permission denied for table alice.m")
        self.refused("bob", "SELECT * FROM iris TO EVALUATE alice.m", pattern="permission denied for table alice.m")
        self.refused("bob", "SHOW VERSIONS alice.m")
        self.refused("bob", "ROLLBACK MODEL alice.m TO 1")
        self.refused("bob", TRAIN.format("iris", "alice.m"))
        go_on = TRAIN.format("iris", "bob.further").replace("INTO", "USING alice.m INTO")
        self.refused("bob", go_on, pattern="permission denied for table alice.m")
        self.execute("GRANT SELECT ON alice.m TO bob")
        run_statement(self.session("bob"), go_on)
        cursor = self.session("bob")
        cursor.execute(f"SELECT totrain.predict('alice.m', {row})")
        self.assertEqual(cursor.fetchone()[0], "0")
        self.refused("bob", TRAIN.format("iris", "alice.m"))
        self.refused("bob", "ROLLBACK MODEL alice.m TO 1")
        self.assertEqual(self.digest("alice.m"), digest)



class Limits(Roles):
    settings = {**harness.BARE, "totrain.max_workers": "3"}

    def test_a_limit_said_as_the_connection_is_opened_does_not_hold(self):
        """It would take the place of postgresql.conf's value, be refused in its turn, and leave the default."""
        for library in ("totrain", "plpgsql"):  # loaded at once, or by the first function
            self.server.execute(f"ALTER DATABASE {self.database} SET session_preload_libraries = '{library}'")
            for setting in ("max_workers=999", "MAX_JOBS_PER_ROLE=-1", "max_background_jobs=9", "program=/bin/sh", "state_directory=/tmp",
                            "max_memory=-1", "job_schema=alice", "job_login=alice"):
                with self.subTest(setting, library=library), self.assertRaisesRegex(psycopg2.Error, "as a connection is opened"):
                    connection = self.server.connect(self.database, "alice", options=f"-c totrain.{setting}")
                    self.addCleanup(connection.close)
                    run_statement(connection.cursor(), "SHOW MODELS")
        connection = self.server.connect(self.database, options="-c totrain.max_workers=999 -c totrain.seed=4")
        self.addCleanup(connection.close)
        cursor = connection.cursor()
        run_statement(cursor, "SHOW MODELS")
        cursor.execute("SELECT current_setting('totrain.max_workers'), current_setting('totrain.seed')")
        self.assertEqual(cursor.fetchone(), ("999", "4"))  # a superuser's

    def test_a_limit_said_before_the_module_is_loaded_does_not_hold(self):
        self.server.execute(f"ALTER DATABASE {self.database} SET session_preload_libraries = 'plpgsql'")
        cursor = self.session("alice")
        with self.assertRaises(errors.InsufficientPrivilege):
            cursor.execute("ALTER ROLE alice SET totrain.max_workers = 999")
        for setting in ("max_workers = 999", "max_jobs_per_role = 77", "state_directory = '/tmp'", "program = '/bin/sh'"):
            cursor.execute(f"SET totrain.{setting}")
        run_statement(cursor, "SHOW MODELS")
        cursor.execute("SELECT current_setting('totrain.max_workers'), current_setting('totrain.max_jobs_per_role')")
        self.assertEqual(cursor.fetchone(), ("3", "4"))
        self.assertEqual(self.execute("SHOW totrain.program"), [(str(self.server.program),)])
        run_statement(cursor, TRAIN.format("iris", "alice.m"))  # by the program of postgresql.conf

    def test_limits_are_the_superusers(self):
        for name in ("totrain.max_workers", "totrain.max_jobs_per_role"):
            self.refused("alice", f"SET {name} = 1000", pattern=name)
            self.refused("alice", f"SELECT set_config('{name}', '1000', false)", pattern=name)
            self.refused("alice", f"ALTER ROLE alice SET {name} = 1000", pattern=name)

    def test_no_attribute_names_a_path_a_port_or_another_place(self):
        """A statement runs as the server's operating-system user, who may write where its author may not."""
        folder = self.server.folder / "data" / "by_alice"
        for attribute in (f"log.tensorboard = '{folder}'", "job.metrics = '0'", "job.metrics = '0.0.0.0:0'", "job.where = 'kubernetes'"):
            with self.subTest(attribute):
                self.refused("alice", TRAIN.format("iris", "alice.m").replace("WITH ", f"WITH {attribute}, "), psycopg2.Error)
                self.assertFalse(folder.exists())
                self.assertEqual(self.job_processes(), [])

    def test_what_names_programs_and_folders_is_the_administrators(self):
        for name in ("totrain.program", "totrain.state_directory"):
            for user in ("alice", harness.SUPERUSER):
                self.refused(user, f"SET {name} = '/bin/sh'", errors.CantChangeRuntimeParam, name)

    def test_the_user_settings_are_the_users(self):
        cursor = self.session("alice")
        for name, value in (("bare_statements", "off"), ("progress_interval", "5"), ("seed", "3")):
            cursor.execute(f"SET totrain.{name} = {value}")
            cursor.execute(f"SELECT setting FROM pg_settings WHERE name = 'totrain.{name}'")
            self.assertEqual(cursor.fetchone(), (value,), name)


class RowSecurity(Roles):
    def make_table(self):
        self.execute("""
            CREATE TABLE guarded AS SELECT *, CASE WHEN class < 2 THEN 'alice' ELSE 'bob' END AS keeper FROM iris;
            ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
            CREATE POLICY own ON guarded USING (keeper = current_user);
            GRANT SELECT ON guarded TO alice, bob""")

    def rows_of(self, user, table):
        cursor = self.session(user)
        cursor.execute(f"SELECT count(*) FROM {table}")
        seen = cursor.fetchone()[0]
        rows = run_statement(cursor, f"SELECT petal_width, sepal_width, petal_length FROM {table} TO TRAIN LinearRegressor "
                             f"WITH train.epoch = 2, train.test_size = 0 LABEL petal_length INTO {user}.guarded_model")
        return seen, harness.facts(rows)["rows"]

    def test_a_model_sees_the_rows_of_its_trainer(self):
        self.make_table()
        self.assertEqual(self.rows_of("alice", "guarded"), (100, 100))
        self.assertEqual(self.rows_of("bob", "guarded"), (50, 50))

    def test_so_it_is_for_a_large_table_read_in_parallel(self):
        self.make_table()
        self.execute("INSERT INTO guarded SELECT g.* FROM guarded g, generate_series(1, 2000)")
        self.execute("VACUUM ANALYZE guarded")
        self.assertEqual(self.rows_of("bob", "guarded"), (50 * 2001, 50 * 2001))

    def test_a_view_of_the_superuser_shows_what_it_shows(self):
        self.execute("CREATE VIEW part AS SELECT * FROM secret WHERE class > 0; GRANT SELECT ON part TO alice")
        self.assertEqual(self.rows_of("alice", "part"), (100, 100))
        self.refused("alice", TRAIN.format("secret", "alice.m"))

    def test_a_view_with_the_rights_of_its_caller_does_not(self):
        self.execute("CREATE VIEW part WITH (security_invoker) AS SELECT * FROM secret; GRANT SELECT ON part TO alice")
        self.refused("alice", TRAIN.format("part", "alice.m"), pattern="permission denied for table secret")

    def test_set_role_counts(self):
        self.make_table()
        self.execute("GRANT bob TO alice")
        cursor = self.session("alice")
        cursor.execute("SET ROLE bob")
        rows = run_statement(cursor, "SELECT petal_width, petal_length FROM guarded TO TRAIN LinearRegressor WITH train.epoch = 2 "
                             "LABEL petal_length INTO bob.m")
        self.assertIn({"name": "rows", "value": None, "part": None, "detail": "50"}, rows)
        self.assertEqual(self.execute("SELECT tableowner FROM pg_tables WHERE schemaname = 'bob'"), [("bob",)])


class Traps(Roles):
    """A superuser's statements on alice's objects run as alice, and cannot become the superuser."""

    def set_trap(self, call):
        """A materialized view of alice's whose refreshing runs the call; rows that try to get the superuser's role."""
        cursor = self.session("alice")
        cursor.execute("""
            SET search_path = alice, public;
            CREATE TABLE found (who text, what text);
            CREATE FUNCTION escape() RETURNS integer LANGUAGE plpgsql AS $f$
            BEGIN
                BEGIN
                    EXECUTE 'RESET ROLE'; EXECUTE 'RESET SESSION AUTHORIZATION';
                EXCEPTION WHEN OTHERS THEN NULL;
                END;
                INSERT INTO alice.found VALUES (current_user, 'escape');
                RETURN 1;
            END $f$;
            CREATE VIEW rows AS SELECT iris.*, alice.escape() AS one FROM public.iris;
            CREATE FUNCTION spring() RETURNS integer LANGUAGE plpgsql AS $f$ BEGIN """ + call + """; RETURN 1; END $f$;
            CREATE MATERIALIZED VIEW trap AS SELECT alice.spring() WITH NO DATA""")

    def check_trap(self):
        self.execute("REFRESH MATERIALIZED VIEW alice.trap")
        harness.wait_for(lambda: not self.execute("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'totrain job'"), "the end of the job")
        self.check_nothing_runs()
        self.assertEqual(self.execute("SELECT DISTINCT who FROM alice.found"), [("alice",)])
        self.assertEqual(self.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = 'trapped'"), [("alice",)])
        self.assertEqual(self.execute("SELECT DISTINCT owner::text FROM totrain.jobs"), [("alice",)])

    STATEMENT = "SELECT * FROM alice.rows TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO alice.trapped"

    def test_run_in_a_materialized_view(self):
        self.set_trap(f"PERFORM totrain.run($t${self.STATEMENT}$t$)")
        self.check_trap()

    def test_submit_in_a_materialized_view(self):
        self.set_trap(f"PERFORM totrain.submit($t${self.STATEMENT}$t$)")
        self.check_trap()

    def test_predictions_in_a_materialized_view(self):
        run_statement(self.session("alice"), TRAIN.format("iris", "alice.m"))
        self.set_trap("PERFORM totrain.rows($t$SELECT * FROM alice.rows TO PREDICT alice.trapped.class USING alice.m$t$)")
        self.check_trap()

    TELL = "LANGUAGE plpgsql AS $f$ BEGIN RAISE 'called as %', current_user; END $f$"

    def test_who_sweeps_calls_no_cast_of_anothers(self):
        self.execute("CREATE SCHEMA totrain_jobs; GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user")
        self.session("alice").execute(f"""
            CREATE TYPE alice.moment AS (x integer);
            CREATE FUNCTION alice.cast(alice.moment) RETURNS timestamptz {self.TELL};
            CREATE CAST (alice.moment AS timestamptz) WITH FUNCTION alice.cast(alice.moment) AS IMPLICIT;
            CREATE TABLE totrain_jobs.result_77 (at alice.moment);
            INSERT INTO totrain_jobs.result_77 VALUES (ROW(1))""")
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs('0 s')"), [(0,)])

    def test_who_lists_models_calls_no_policy_of_anothers(self):
        self.train("bob")
        self.session("alice").execute(f"""
            CREATE TABLE alice.trap (part text, name text, position bigint, value double precision, data bytea);
            INSERT INTO alice.trap VALUES ('meta');
            CREATE FUNCTION alice.policy() RETURNS boolean {self.TELL};
            ALTER TABLE alice.trap ENABLE ROW LEVEL SECURITY;
            CREATE POLICY trap ON alice.trap USING (alice.policy());
            GRANT USAGE ON SCHEMA alice TO PUBLIC; GRANT SELECT ON alice.trap TO PUBLIC""")
        for user, listed in (("bob", {"m"}), (harness.SUPERUSER, {"bob.m"})):
            with self.subTest(user):
                self.assertEqual({row["name"] for row in run_statement(self.session(user), "SHOW MODELS")}, listed)

    def test_a_function_with_the_rights_of_its_owner_lends_no_more(self):
        """bob calls a function of alice's: the job is alice's, and bob cannot end it or see it."""
        self.set_trap("NULL")
        self.session("alice").execute(f"""
            CREATE FUNCTION alice.train() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS
            $f$ SELECT count(*) FROM totrain.run($t${self.STATEMENT}$t$) $f$;
            GRANT USAGE ON SCHEMA alice TO bob; GRANT EXECUTE ON FUNCTION alice.train() TO bob""")
        self.session("bob").execute("SELECT alice.train()")
        self.assertEqual(self.execute("SELECT DISTINCT who FROM alice.found"), [("alice",)])
        self.assertEqual(self.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = 'trapped'"), [("alice",)])
        self.refused("bob", "SELECT totrain.predict('alice.trapped', iris) FROM iris")
        cursor = self.session("bob")
        cursor.execute("SELECT count(*) FROM totrain.jobs")
        self.assertEqual(cursor.fetchone(), (0,))


class Functions(Roles):
    def test_every_function_runs_with_the_rights_of_its_caller(self):
        rows = self.execute("""
            SELECT p.oid::regprocedure::text, prosecdef, proleakproof, has_function_privilege('mallory', p.oid, 'EXECUTE')
            FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
            JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'totrain'""")
        self.assertGreater(len(rows), 5)
        for name, definer, leakproof, public in rows:
            with self.subTest(name):
                # The function that follows DROP TABLE may write the rows kept of models; nobody can call it.
                self.assertEqual((definer, leakproof, public), (name == "totrain.forget_dropped()", False, False))

    def test_views_of_the_extension_read_no_table_with_the_rights_of_their_owner(self):
        """A function in a view runs as its caller; a table in it would be read as the view's owner."""
        self.assertEqual(self.execute("""
            SELECT c.relname, d.refobjid::regclass::text
            FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
            WHERE c.relkind = 'v' AND c.relnamespace = 'totrain'::regnamespace AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid
              AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)
              AND NOT (c.relname IN ('models', 'versions', 'metrics') AND 'security_barrier=true' = ANY (c.reloptions)
                       AND d.refobjid = ANY (ARRAY[('totrain.kept_' || c.relname)::regclass, 'pg_catalog.pg_class'::regclass]))"""),
            [])  # these ask whose each row is

    def test_the_extension_is_not_trusted(self):
        rows = self.execute("SELECT superuser, trusted FROM pg_available_extension_versions WHERE name = 'totrain'")
        self.assertEqual(set(rows), {(True, False)})


if __name__ == "__main__":
    harness.main()
