"""The common parts of the attacks: eve, who may log in and owns a schema, and traps that tell whom they caught."""

import contextlib

import psycopg2

from harness import run_statement
from roles import Roles

TRAIN = "SELECT * FROM {} TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO {}"
COLUMNS = "part text, name text, position bigint, value float8, data bytea"


class Attacks(Roles):
    """eve.caught counts the calls of eve's functions by anybody else: a sequence forgets nothing in a rollback."""

    BASE = "'iris', 'own', 'secret', 'honest'"
    MAKE = """
        DROP SCHEMA IF EXISTS eve, alice, bob CASCADE; REVOKE totrain_user FROM eve;
        CREATE SCHEMA eve AUTHORIZATION eve; CREATE SCHEMA alice AUTHORIZATION alice; CREATE SCHEMA bob AUTHORIZATION bob;
        SET ROLE eve;
        GRANT USAGE ON SCHEMA eve TO PUBLIC;
        CREATE SEQUENCE eve.caught; GRANT ALL ON SEQUENCE eve.caught TO PUBLIC;
        CREATE FUNCTION eve.catch() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
            IF current_user <> 'eve' THEN PERFORM pg_catalog.nextval('eve.caught'); END IF;
            RETURN 1; END $$;
        CREATE FUNCTION eve.trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM eve.catch(); RETURN coalesce(new, old); END $$;
        CREATE FUNCTION eve.immutable(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
        RESET ROLE"""
    own_database = False  # each test has its own, as it spoils it; else each begins with the same schemas in the class's own

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute("CREATE ROLE eve LOGIN; GRANT SELECT ON iris TO eve; CREATE TABLE public.own AS SELECT * FROM iris")
            run_statement(cursor, TRAIN.format("iris", "public.honest"))
            cursor.execute("GRANT SELECT ON public.honest TO PUBLIC")
            cls.meta = cls.read_meta(cursor, "public.honest")

    @staticmethod
    def read_meta(cursor, model):
        cursor.execute(f"SELECT convert_from(data, 'UTF8') FROM {model} WHERE part = 'meta'")
        return cursor.fetchone()[0]

    def setUp(self):
        if self.own_database:
            super().setUp()
            self.execute(self.MAKE)
        else:
            self.database = "prepared"
            self.clean()
        self.eve = self.session("eve")

    def clean(self):
        cursor = self.connect().cursor()
        cursor.execute(self.MAKE)
        cursor.execute(f"""SELECT format('DROP %s IF EXISTS public.%I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, relname)
                           FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'p') AND relname NOT IN ({self.BASE})""")
        for drop, in cursor.fetchall():
            cursor.execute(drop)

    def tearDown(self):
        try:
            self.assertEqual(self.execute("SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'"), [(False,)], "eve is superuser")
            self.assertEqual(self.execute("SELECT is_called FROM eve.caught"), [(False,)], "a function of eve's was called by somebody else")
        finally:
            self.execute("ALTER ROLE eve NOSUPERUSER")

    def become_user(self):
        self.execute("GRANT totrain_user TO eve")

    def copy_model(self, name="m"):
        """A model of eve's that anybody may read."""
        self.eve.execute(f"CREATE TABLE eve.{name} ({COLUMNS}); INSERT INTO eve.{name} SELECT * FROM public.honest; "
                         f"GRANT SELECT ON eve.{name} TO PUBLIC")

    def set_index_trap(self, name="m"):
        """An index on a constant: planning any query on the table evaluates its function. Now it is harmless, then it is not."""
        self.eve.execute(f"CREATE INDEX ON eve.{name} ((eve.immutable(1)))")
        self.arm()

    def arm(self):
        self.eve.execute("CREATE OR REPLACE FUNCTION eve.immutable(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS "
                         "$$ BEGIN PERFORM eve.catch(); RETURN 1; END $$")

    def disarm(self):
        self.eve.execute("CREATE OR REPLACE FUNCTION eve.immutable(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1'")

    def try_as(self, user, statement):
        """The statement's result, or the error's text: either is fine where nothing of eve's is run."""
        with contextlib.closing(self.server.connect(self.database, user)) as connection:
            try:
                cursor = connection.cursor()
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else None
            except psycopg2.Error as error:
                return str(error)

    def listed(self, user):
        return {row["name"]: row["kind"] for row in run_statement(self.session(user), "SHOW MODELS")}


ROW = "ROW(5.1, 3.5, 1.4, 0.2)"
# Statements that read the model {m}: each as a superuser and as bob.
READERS = {
    "predict": f"SELECT totrain.predict('{{m}}', {ROW})",
    "predict_as": f"SELECT totrain.predict('{{m}}', {ROW}, NULL::bigint)",
    "probability": f"SELECT totrain.probability('{{m}}', {ROW})",
    "probabilities": f"SELECT totrain.probabilities('{{m}}', {ROW})",
    "logits": f"SELECT totrain.logits('{{m}}', {ROW})",
    "quantiles": f"SELECT totrain.quantiles('{{m}}', {ROW})",
    "leaf": f"SELECT totrain.leaf('{{m}}', {ROW})",
    "distance": f"SELECT totrain.distance('{{m}}', {ROW})",
    "problem": f"SELECT totrain.problem('{{m}}', {ROW})",
    "call": "SELECT totrain.call('{m}')",
    "forecast": "SELECT count(*) FROM totrain.forecast('{m}')",
    "forecast_statement": "FORECAST {m}",
    "export_model": "SELECT totrain.export_model('{m}', 'xgboost')",
    "predict_statement": "SELECT * FROM public.iris TO PREDICT USING {m}",
    "predict_into_a_table": "SELECT * FROM public.iris TO PREDICT pg_temp.predicted.class USING {m}",
    "predict_by_workers": "SELECT * FROM public.iris TO PREDICT pg_temp.predicted.class WITH job.max_workers = 2 USING {m}",
    "evaluate": "SELECT * FROM public.iris TO EVALUATE {m}",
    "evaluate_into_a_table": "SELECT * FROM public.iris TO EVALUATE {m} INTO pg_temp.evaluated",
    "explain_predict": "EXPLAIN SELECT * FROM public.iris TO PREDICT USING {m}",
    "show_train": "SHOW TRAIN {m}",
    "show_versions": "SHOW VERSIONS {m}",
    "run": "SELECT * FROM totrain.run($$SELECT * FROM public.iris TO EVALUATE {m}$$)",
    "rows": "SELECT * FROM totrain.rows($$SHOW TRAIN {m}$$)",
    "model_rows": "SELECT count(*) FROM totrain.model_rows('{m}'::regclass, false, false)",
}


def add_tests(cls, names, make):
    """A test of its own for each: test_<name>."""
    for name in names:
        test = make(name)
        setattr(cls, f"test_{name}", test)
