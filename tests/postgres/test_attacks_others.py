"""Attacks on what belongs to others: their jobs, models, settings, kept rows, and the extension itself."""

import re
import threading

import psycopg2

import harness
from attacks import ROW, TRAIN, Attacks, add_tests
from harness import SUPERUSER, run_statement

# Statements that eve, a member of totrain_user, tries; {job} and {number} are bob's.
JOBS = {
    "cancel": "SELECT totrain.cancel({job})",
    "cancel_of_the_owner": "SELECT totrain.cancel({job}, 'bob')",
    "cancel_of_herself": "SELECT totrain.cancel({job}, 'eve')",
    "cancel_of_an_oid": "SELECT totrain.cancel({job}, 10::regrole)",
    "cancel_job": "CANCEL JOB {job}",
    "cancel_job_by_run": "SELECT * FROM totrain.run('CANCEL JOB {job}')",
    "scale": "SELECT totrain.scale({job}, 1)",
    "scale_to_nothing": "SELECT totrain.scale({job}, 0)",
    "scale_beyond": "SELECT totrain.scale({job}, 9223372036854775807)",
    "scale_servers": "SELECT totrain.scale_servers({job}, 2)",
    "log_of_the_owner": "SELECT * FROM totrain.job_log({job}, 'bob')",
    "log_of_herself": "SELECT * FROM totrain.job_log({job})",
    "publish": "SELECT * FROM totrain.publish({job})",
    "publish_nothing": "SELECT * FROM totrain.publish(0)",
    "publish_below_zero": "SELECT * FROM totrain.publish(-1)",
    "collect": "SELECT * FROM totrain.collect({job})",
    "discard": "SELECT totrain.discard({job})",
    "terminate": "SELECT pg_terminate_backend((SELECT pid FROM pg_stat_activity WHERE usename = 'bob' LIMIT 1))",
}
TABLES = {
    "train_into_his_model": TRAIN.format("public.iris", "bob.m"),
    "train_into_his_schema": TRAIN.format("public.iris", "bob.mine"),
    "roll_back_his_model": "ROLLBACK MODEL bob.m TO 1",
    "predict_into_his_schema": "SELECT * FROM public.iris TO PREDICT bob.p.class USING public.honest",
    "predict_over_his_table": "SELECT * FROM public.iris TO PREDICT bob.rows.class USING public.honest",
    "predict_over_his_table_with_replace": "SELECT * FROM public.iris TO PREDICT bob.rows.class WITH predict.replace = true USING public.honest",
    "predict_by_workers_over_his_table": "SELECT * FROM public.iris TO PREDICT bob.rows.class WITH job.max_workers = 1 USING public.honest",
    "quarantine_in_his_schema": "SELECT * FROM public.iris TO PREDICT bob.rows.class WITH predict.bad_rows = 'quarantine' USING public.honest",
    "evaluate_into_his_schema": "SELECT * FROM public.iris TO EVALUATE public.honest INTO bob.rows",
    "train_from_his_table": TRAIN.format("bob.rows", "eve.m"),
    "train_from_a_subquery_of_his_table": "SELECT * FROM (SELECT i.* FROM public.iris i, bob.rows) q TO TRAIN LinearClassifier LABEL class INTO eve.m",
    "train_from_a_function": "SELECT * FROM query_to_xml('SELECT * FROM bob.rows', true, true, '') AS f(class) TO TRAIN LinearClassifier LABEL class INTO eve.m",
    "train_from_a_file": "SELECT pg_read_file('/etc/passwd') AS a, class FROM public.iris TO TRAIN LinearClassifier LABEL class INTO eve.m",
    "validate_from_his_table": "SELECT * FROM public.iris TO TRAIN LinearClassifier WITH validation.select = 'SELECT * FROM bob.rows' LABEL class INTO eve.m",
    "validate_with_a_deletion": "SELECT * FROM public.iris TO TRAIN LinearClassifier WITH validation.select = 'DELETE FROM bob.rows RETURNING *' LABEL class INTO eve.m",
    "validate_with_two_statements": "SELECT * FROM public.iris TO TRAIN LinearClassifier WITH validation.select = 'SELECT * FROM public.iris; DELETE FROM bob.rows' "
                                    "LABEL class INTO eve.m",
    "predict_with_his_model": f"SELECT totrain.predict('bob.m', {ROW})",
    "show_his_versions": "SHOW VERSIONS bob.m",
    "show_his_training": "SHOW TRAIN bob.m",
    "train_into_the_extension": TRAIN.format("public.iris", "totrain.m"),
    "train_into_the_catalog": TRAIN.format("public.iris", "pg_catalog.m"),
    "train_into_toast": TRAIN.format("public.iris", "pg_toast.m"),
    "train_into_the_information_schema": TRAIN.format("public.iris", "information_schema.m"),
    "train_into_public": TRAIN.format("public.iris", "public.m"),
    "train_over_kept_models": TRAIN.format("public.iris", "totrain.kept_models"),
    "train_over_the_superusers_model": TRAIN.format("public.iris", "public.honest"),
}
KEPT = {
    "insert_a_model": "INSERT INTO totrain.models (relation, id, version) VALUES ('bob.m', 'x', 9)",
    "insert_a_version": "INSERT INTO totrain.versions (relation, version, part) VALUES ('bob.m', 9, 'meta')",
    "insert_a_metric": "INSERT INTO totrain.metrics (relation, version) VALUES ('bob.m', 9)",
    "insert_of_no_table": "INSERT INTO totrain.models (relation, id, version) VALUES (4294967295::oid::regclass, 'x', 9)",
    "insert_of_a_view": "INSERT INTO totrain.models (relation, id, version) VALUES ('totrain.models', 'x', 9)",
    "insert_into_the_kept": "INSERT INTO totrain.kept_models (relation, id, version) VALUES ('eve.own', 'x', 9)",
    "copy_into_the_kept": "COPY totrain.kept_versions FROM PROGRAM 'true'",
    "read_the_kept_models": "SELECT * FROM totrain.kept_models",
    "read_the_kept_versions": "SELECT * FROM totrain.kept_versions",
    "read_the_kept_metrics": "SELECT * FROM totrain.kept_metrics",
    "upsert": "INSERT INTO totrain.models (relation, id, version) VALUES ('eve.own', 'x', 9) ON CONFLICT (relation) DO UPDATE SET id = 'y'",
    "merge": "MERGE INTO totrain.kept_models USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
}
EXTENSION = {
    "drop_it": "DROP EXTENSION totrain",
    "drop_its_schema": "DROP SCHEMA totrain CASCADE",
    "alter_it": "ALTER EXTENSION totrain DROP FUNCTION totrain.run(text)",
    "replace_a_function": "CREATE OR REPLACE FUNCTION totrain.run(statement text, OUT name text, OUT train float8, OUT validation float8) RETURNS SETOF record "
                          "LANGUAGE sql AS 'SELECT NULL::text, 1.0::float8, 1.0::float8'",
    "overload_a_function": "CREATE FUNCTION totrain.predict(text, eve.own) RETURNS text LANGUAGE sql AS 'SELECT 1'",
    "make_a_table": "CREATE TABLE totrain.t ()",
    "make_an_operator": "CREATE OPERATOR totrain.= (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int)",
    "give_a_function_away": "ALTER FUNCTION totrain.forget_dropped() OWNER TO eve",
    "make_a_function_definer": "ALTER FUNCTION totrain.run(text) SECURITY DEFINER",
    "call_what_follows_drop": "SELECT totrain.forget_dropped()",
    "drop_the_trigger": "DROP EVENT TRIGGER totrain_forget_dropped",
    "stop_the_trigger": "ALTER EVENT TRIGGER totrain_forget_dropped DISABLE",
    "stop_the_trigger_by_role": "SET session_replication_role = replica",
    "a_c_function": "CREATE FUNCTION eve.f(oid, text, bigint) RETURNS boolean AS '$libdir/totrain', 'totrain_sql_forget' LANGUAGE C",
    "a_planner_function": "SELECT totrain.plan_support(NULL)",
    "grant_herself_a_role": "GRANT totrain_k8s, totrain_monitor TO eve",
    "set_a_role": "SET ROLE totrain_k8s",
    "load_another_library": "LOAD '/tmp/totrain.so'",
    "send_a_job_to_a_cluster": TRAIN.format("public.iris", "eve.m").replace("WITH ", "WITH job.where = 'kubernetes', "),
    "open_a_port": TRAIN.format("public.iris", "eve.m").replace("WITH ", "WITH job.metrics = '0.0.0.0:0', "),
    "write_a_file": TRAIN.format("public.iris", "eve.m").replace("WITH ", "WITH log.tensorboard = '/tmp/eve', "),
    "detach_a_job_for_another": TRAIN.format("public.iris", "bob.m").replace("WITH ", "WITH job.wait = false, "),
}
SETTINGS = ("program", "state_directory", "job_schema", "job_login", "enable_kubernetes", "kubeconfig", "kubernetes_namespace", "kubernetes_resource",
            "images", "priority_classes", "database_secret", "max_workers", "max_jobs_per_role", "max_background_jobs", "max_memory")


class Others(Attacks):
    """Nothing that is tried succeeds, and what bob has is what he had."""

    def setUp(self):
        super().setUp()
        self.become_user()
        self.session("bob").execute("CREATE TABLE bob.m AS SELECT * FROM public.honest; CREATE TABLE bob.rows AS SELECT * FROM public.iris; "
                                    "INSERT INTO totrain.models (relation, id, version) VALUES ('bob.m', 'bobs', 1); "
                                    "INSERT INTO totrain.versions (relation, version, part) VALUES ('bob.m', 1, 'meta')")
        self.eve.execute("CREATE TABLE eve.own (a int)")
        self.execute("GRANT USAGE ON SCHEMA bob TO eve")
        self.before = self.state()

    def state(self):
        return self.execute("SELECT (SELECT array_agg(oid::regclass::text || relowner || coalesce(relacl::text, '') ORDER BY oid) FROM pg_class "
                            "WHERE relnamespace IN ('bob'::regnamespace, 'totrain'::regnamespace)), (SELECT count(*) FROM bob.rows), "
                            "(SELECT array_agg(k::text ORDER BY k::text) FROM totrain.kept_models k), (SELECT array_agg(p.oid::text || proowner || prosecdef "
                            "ORDER BY p.oid) FROM pg_proc p WHERE pronamespace = 'totrain'::regnamespace), (SELECT array_agg(evtname::text || evtenabled::text) FROM pg_event_trigger)")

    def check(self, statement):
        self.assertIsInstance(self.try_as("eve", statement), str)
        if re.search(" TO (TRAIN|PREDICT|EVALUATE) |^SHOW|^ROLLBACK MODEL|^CANCEL", statement):
            self.assertIsInstance(self.try_as("eve", f"SELECT * FROM totrain.rows($q${statement}$q$)"), str)
        if " INTO " in statement and " TO TRAIN " in statement:
            job = self.try_as("eve", f"SELECT totrain.submit($q${statement}$q$)")
            if not isinstance(job, str):  # it is refused where it runs
                harness.wait_for(lambda: self.execute(f"SELECT state FROM totrain.jobs WHERE id = {job[0][0]} AND owner::text = 'eve'") == [("failed",)],
                                 "the end of the job")
        self.assertEqual(self.state(), self.before)


for group, statements in (("table", TABLES), ("kept_rows", KEPT), ("extension", EXTENSION)):
    add_tests(Others, [f"{group}_{name}" for name in statements],
              lambda name, group=group, statements=statements: lambda self: self.check(statements[name[len(group) + 1:]]))


class Jobs(Attacks):
    """A job of bob's runs on, and eve learns nothing of it."""

    pace = harness.SLOW

    def try_all(self):
        job = self.execute("SELECT max(id) FROM totrain.jobs WHERE owner::text = 'bob'")[0][0]
        for name, statement in JOBS.items():
            with self.subTest(name):
                self.assertIsInstance(self.try_as("eve", statement.format(job=job)), str)
        for view in ("jobs", "workers", "events", "job_metrics", "shards"):
            with self.subTest(view):
                self.assertEqual(self.try_as("eve", f"SELECT * FROM totrain.{view}"), [])
        self.assertEqual(run_statement(self.eve, "SHOW JOBS"), [])

    def test_each_statement_against_it(self):
        self.become_user()
        bob, ended = self.session("bob"), []

        def train():
            try:
                bob.execute("SELECT * FROM public.iris TO TRAIN LinearClassifier WITH train.epoch = 1000, train.batch_size = 1 LABEL class INTO bob.m")
            except psycopg2.Error as error:
                ended.append(str(error))

        thread = threading.Thread(target=train)
        thread.start()
        try:
            self.wait_until_training()
            self.try_all()
            self.assertEqual(ended, [])
        finally:
            bob.connection.cancel()
            thread.join()
        self.assertEqual(len(ended), 1)
        self.assertIn("canceling statement", ended[0])

    def test_tables_of_a_staged_job(self):
        self.become_user()
        self.execute("CREATE SCHEMA IF NOT EXISTS totrain_jobs; GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user")
        self.addCleanup(self.execute, "DROP SCHEMA totrain_jobs CASCADE")
        self.session("bob").execute("CREATE TABLE totrain_jobs.input_77 (file text, piece bigint, bytes bytea); CREATE TABLE totrain_jobs.checkpoint_77 (at int); "
                                    "CREATE TABLE totrain_jobs.result_77 (number bigint, master bigint, kind text, body bytea, data bytea, at timestamptz)")
        for statement in ("SELECT * FROM totrain.collect(77)", "SELECT totrain.discard(77)"):
            self.assertIsInstance(self.try_as("eve", statement), str)
        self.try_as("eve", "SELECT totrain.sweep_jobs('0')")
        self.assertEqual(self.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'totrain_jobs'::regnamespace AND relname ~ '_77$'"), [(3,)])

    def test_a_trap_in_tables_of_a_staged_job(self):
        """A superuser collects a number whose tables are eve's."""
        self.become_user()
        self.execute("CREATE SCHEMA IF NOT EXISTS totrain_jobs; GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user")
        self.addCleanup(self.execute, "DROP SCHEMA totrain_jobs CASCADE")
        self.eve.execute("CREATE TABLE totrain_jobs.input_78 (file text); CREATE TABLE totrain_jobs.checkpoint_78 (at int); "
                         "CREATE VIEW totrain_jobs.result_78 AS SELECT 1::bigint AS number, eve.catch()::bigint AS master, 'x'::text AS kind, ''::bytea AS body, "
                         "''::bytea AS data, now() AS at")
        for statement in ("SELECT * FROM totrain.collect(78)", "SELECT totrain.discard(78)", "SELECT totrain.sweep_jobs('0')"):
            self.try_as(SUPERUSER, statement)
        self.eve.execute("DROP VIEW IF EXISTS totrain_jobs.result_78; CREATE TABLE IF NOT EXISTS totrain_jobs.result_78 (number bigint, master bigint, kind text, "
                         "body bytea, data bytea, at timestamptz); CREATE INDEX ON totrain_jobs.result_78 ((eve.immutable(1)))")
        self.arm()
        for statement in ("SELECT * FROM totrain.collect(78)", "SELECT totrain.sweep_jobs('0')"):
            self.try_as(SUPERUSER, statement)

    def test_a_role_that_is_dropped_while_its_job_runs(self):
        """N9: it was unpublished, for nobody to publish."""
        self.execute("CREATE ROLE carol LOGIN IN ROLE totrain_user; CREATE SCHEMA carol AUTHORIZATION carol; GRANT SELECT ON public.iris TO carol")
        number, = self.execute("SELECT oid::text FROM pg_roles WHERE rolname = 'carol'")[0]
        self.check_psql("SELECT * FROM public.iris TO TRAIN LinearClassifier WITH train.epoch = 1000, train.batch_size = 1, job.wait = false "
                        "LABEL class INTO carol.m", user="carol")
        self.wait_until_training()
        self.execute("DROP OWNED BY carol; REVOKE totrain_user FROM carol; DROP ROLE carol")

        def ended():
            harness.hurry(self.server.state)
            return self.execute(f"SELECT state, error FROM totrain.jobs WHERE owner::text = '{number}' AND state NOT IN ('waiting', 'running', 'publishing')")
        self.assertEqual(harness.wait_for(ended, "the end of the job"), [("failed", "the role that submitted the job was dropped")])


class Settings(Attacks):
    def check(self, name):
        self.become_user()
        for statement in (f"SET totrain.{name} = 1", f"SET LOCAL totrain.{name} = 1", f"SET SESSION totrain.{name} TO DEFAULT; SET totrain.{name} = 2",
                          f"SELECT set_config('totrain.{name}', '1', false)", f"SELECT set_config('totrain.{name}', '1', true)",
                          f"ALTER ROLE eve SET totrain.{name} = 1", f"ALTER DATABASE prepared SET totrain.{name} = 1", f"ALTER SYSTEM SET totrain.{name} = 1",
                          f"CREATE FUNCTION eve.f() RETURNS int LANGUAGE sql SET totrain.{name} = 1 AS 'SELECT 1'"):
            with self.subTest(statement):
                cursor = self.session("eve")
                with self.assertRaises(psycopg2.Error):
                    cursor.execute(statement)
                cursor.connection.close()


add_tests(Settings, SETTINGS, lambda name: lambda self: self.check(name))


class Identity(Attacks):
    """Code of eve's that runs as her, in a statement of a superuser's or of bob's, stays her."""

    ESCAPES = ("RESET ROLE", "RESET SESSION AUTHORIZATION", "SET ROLE postgres", "SET SESSION AUTHORIZATION postgres", "SET LOCAL ROLE NONE",
               "SELECT set_config('role', 'postgres', false)", "SELECT set_config('session_authorization', 'postgres', false)",
               "ALTER ROLE eve SUPERUSER", "SELECT * FROM totrain.run('SHOW JOBS')", "SELECT * FROM totrain.rows('SHOW MODELS')")

    def make_escape(self, number):
        self.become_user()
        self.eve.execute(f"""CREATE FUNCTION eve.escape() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $f$ BEGIN
                BEGIN EXECUTE $e${self.ESCAPES[number]}$e$; EXCEPTION WHEN OTHERS THEN NULL; END;
                PERFORM eve.catch(); RETURN 1; END $f$""")

    def check(self, number):
        self.make_escape(number)
        for statement in ("SELECT i.*, eve.escape() AS one FROM public.iris i LIMIT 5 TO PREDICT USING honest",
                          "SELECT i.*, eve.escape() AS one FROM public.iris i LIMIT 60 TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO public.escaped",
                          "SELECT eve.escape()"):
            self.try_as(SUPERUSER, statement)


add_tests(Identity, [f"escape_{number}" for number in range(len(Identity.ESCAPES))], lambda name: lambda self: self.check(int(name.rsplit("_", 1)[1])))


class Names(Attacks):
    """N9: a model's name in a view or a dump is read along the search_path of whoever reads it."""

    def test_a_model_that_only_another_search_path_finds(self):
        self.execute("CREATE SCHEMA shop; CREATE TABLE shop.churn AS SELECT * FROM public.honest; GRANT USAGE ON SCHEMA shop TO PUBLIC; "
                     "GRANT SELECT ON shop.churn TO PUBLIC")
        self.addCleanup(self.execute, "DROP SCHEMA shop CASCADE")
        for name, told, hint in (("churn", "churn", "shop.churn"), ("shop.chrun", "shop.chrun", "shop.churn"), ("nowhere.honest", "nowhere.honest", "honest"),
                                 ("honets", "honets", "honest")):
            with self.subTest(name):
                refused = self.try_as("bob", f"SELECT totrain.predict('{name}', ROW(1, 2, 3, 4))")
                self.assertIn(f'there is no model "{told}"', refused)
                self.assertIn(f"Did you mean {hint}?", refused)
        self.assertIn("A name without a schema is looked up along the search_path of whoever reads it, also in a view.",
                      self.try_as("bob", "SELECT totrain.predict('churn', ROW(1, 2, 3, 4))"))

    def test_errors_name_the_schema_that_the_statement_names(self):
        self.execute("CREATE SCHEMA shop; CREATE TABLE shop.plain (a int); CREATE TABLE shop.emptied AS SELECT * FROM public.honest LIMIT 0; "
                     "CREATE TABLE shop.parts AS SELECT * FROM public.honest WHERE part = 'meta'; CREATE VIEW shop.seen AS SELECT 1 AS a; "
                     "CREATE TABLE shop.whole AS SELECT * FROM public.honest")
        self.addCleanup(self.execute, "DROP SCHEMA shop CASCADE")
        predict, into = "SELECT totrain.predict('shop.{}', ROW(1, 2, 3, 4))", "SELECT * FROM public.iris TO PREDICT shop.{}.class {} USING public.honest"
        for statement, told in ((predict.format("plain"), 'table "shop.plain" is no model'), (predict.format("emptied"), 'model "shop.emptied" is damaged: '),
                                (predict.format("parts"), 'model "shop.parts" is damaged: '), (TRAIN.format("public.iris", "shop.plain"), 'table "shop.plain" exists and is no model'),
                                (TRAIN.format("public.iris", "shop.seen"), '"shop.seen" exists and is no ordinary table'),
                                (into.format("plain", ""), 'table "shop.plain" exists, and no PREDICT or FORECAST made it'),
                                (into.format("whole", "WITH predict.replace = true"), 'table "shop.whole" is a model'),
                                ("SHOW VERSIONS shop.plain", 'table "shop.plain" is no model')):
            with self.subTest(told):
                self.assertIn(told, self.try_as(SUPERUSER, statement))

    def test_what_is_no_model_is_no_damage_of_the_server(self):
        """XX001 wakes people, and anybody could raise it by a table of his own."""
        self.execute("CREATE SCHEMA shop; CREATE TABLE shop.plain (a int); CREATE TABLE shop.parts AS SELECT * FROM public.honest WHERE part = 'meta'; "
                     "CREATE TABLE shop.spoiled AS SELECT part, name, position, value, '\\x00'::bytea AS data FROM public.honest")
        self.addCleanup(self.execute, "DROP SCHEMA shop CASCADE")
        cursor = self.session(SUPERUSER)
        for model in ("plain", "parts", "spoiled"):
            for statement in (f"SELECT totrain.predict('shop.{model}', ROW(1, 2, 3, 4))", f"SELECT totrain.export_model('shop.{model}', 'xgboost')",
                              f"SELECT * FROM totrain.rows('SELECT * FROM public.iris TO PREDICT USING shop.{model}')"):
                with self.subTest(statement), self.assertRaises(psycopg2.Error) as caught:
                    cursor.execute(statement)
                self.assertTrue(caught.exception.pgcode.startswith("22"), caught.exception.pgcode)

    def test_a_name_with_its_schema_is_restored(self):
        """Refreshes the view as pg_restore does: with an empty search_path."""
        self.execute("CREATE MATERIALIZED VIEW public.scored AS SELECT totrain.predict('public.honest', i) FROM public.iris i")
        self.addCleanup(self.execute, "DROP MATERIALIZED VIEW public.scored")
        cursor = self.session(SUPERUSER)
        cursor.execute("SET search_path = ''; REFRESH MATERIALIZED VIEW public.scored; SELECT count(*) FROM public.scored")
        self.assertEqual(cursor.fetchall(), [(150,)])


if __name__ == "__main__":
    harness.main()
