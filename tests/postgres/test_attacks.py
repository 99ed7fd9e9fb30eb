"""The attacks that once made their author a superuser, as they were found. Each of the other test_attacks_*.py has one subject."""

import threading

import psycopg2

import harness
from attacks import COLUMNS, ROW, TRAIN, Attacks
from harness import SUPERUSER

BECOME = "IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE eve SUPERUSER; END IF; PERFORM eve.catch(); "


class Superuser(Attacks):
    pace = harness.SLOW

    def test_1_show_models_evaluates_an_index_expression_of_anybodys(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); INSERT INTO eve.m SELECT * FROM public.honest WHERE part = 'meta'; "
                         f"CREATE FUNCTION eve.vol() RETURNS int LANGUAGE plpgsql AS $$ BEGIN {BECOME} RETURN 1; END $$; "
                         "CREATE INDEX ON eve.m ((eve.immutable(1))); "
                         "CREATE OR REPLACE FUNCTION eve.immutable(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS "
                         "$$ BEGIN PERFORM eve.vol(); RETURN 1; END $$")
        self.assertIn("eve.m", self.listed(SUPERUSER))

    def test_2_show_models_meets_a_view_where_a_table_was(self):
        """Between the list and the reading: beside many models, with eve who goes on until it has happened some times."""
        self.eve.execute(f"DO $$ BEGIN FOR i IN 1..50 LOOP EXECUTE format('CREATE TABLE eve.d%s ({COLUMNS})', i); END LOOP; END $$")
        self.eve.execute(f"CREATE FUNCTION eve.evil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN {BECOME} RETURN 'meta'; END $$; CREATE TABLE eve.zz ({COLUMNS})")
        is_over = threading.Event()

        def alternate():
            view = False
            while not is_over.is_set():
                self.eve.execute(f"BEGIN; DROP VIEW eve.zz; CREATE TABLE eve.zz ({COLUMNS}); COMMIT" if view else
                                 "BEGIN; DROP TABLE eve.zz; CREATE VIEW eve.zz AS SELECT eve.evil() AS part, 'm'::text AS name, 0::bigint AS position, "
                                 "0::float8 AS value, ''::bytea AS data; COMMIT")
                view = not view

        thread = threading.Thread(target=alternate)
        thread.start()
        try:
            for _ in range(20):
                self.listed(SUPERUSER)
        finally:
            is_over.set()
            thread.join()

    def make_label(self):
        self.become_user()
        self.eve.execute("CREATE TYPE eve.mood AS ENUM ('0', '1', '2'); CREATE TABLE eve.mt AS SELECT petal_width, sepal_width, "
                         "class::text::eve.mood AS class FROM public.iris")
        self.eve.execute(TRAIN.format("eve.mt", "eve.mm"))

    PREDICT = "SELECT petal_width, sepal_width FROM public.own TO PREDICT public.own_p.m WITH job.max_workers = 2 USING eve.mm"

    def test_3_predict_by_workers_calls_a_cast_of_the_labels_owner(self):
        self.make_label()
        self.eve.execute(f"CREATE FUNCTION eve.evil(text) RETURNS eve.mood LANGUAGE plpgsql AS $$ BEGIN {BECOME} RETURN '1'; END $$; "
                         "CREATE CAST (text AS eve.mood) WITH FUNCTION eve.evil(text) AS ASSIGNMENT")
        self.execute(self.PREDICT)
        self.assertEqual(self.execute("SELECT DISTINCT pg_typeof(m)::text FROM public.own_p"), [("eve.mood",)])

    def test_4_the_labels_type_becomes_a_domain_while_workers_predict(self):
        self.make_label()
        self.eve.execute(f"CREATE FUNCTION eve.evil(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN {BECOME} RETURN true; END $$")
        cursor, failed = self.session(SUPERUSER), []

        def predict():
            try:
                cursor.execute(self.PREDICT)
            except psycopg2.Error as error:
                failed.append(str(error))

        thread = threading.Thread(target=predict)
        thread.start()
        self.wait_until_training()
        self.eve.execute("BEGIN; DROP TYPE eve.mood CASCADE; CREATE DOMAIN eve.mood AS text CHECK (eve.evil(value)); COMMIT")
        self.finish(thread)
        self.assertIn("is no enum any more", failed[0])

    def test_5_training_into_a_model_of_eves_fires_her_triggers(self):
        self.copy_model()
        self.eve.execute(f"CREATE FUNCTION eve.fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {BECOME} RETURN new; END $$; "
                         "CREATE TRIGGER t AFTER INSERT ON eve.m FOR EACH STATEMENT EXECUTE FUNCTION eve.fired()")
        self.assertIn("belongs to another role", self.try_as(SUPERUSER, TRAIN.format("public.iris", "eve.m")))

    def test_6_a_model_that_is_a_view_runs_its_functions(self):
        self.eve.execute(f"CREATE FUNCTION eve.evil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN {BECOME} RETURN 'meta'; END $$; "
                         "CREATE VIEW eve.m AS SELECT eve.evil() AS part, name, position, value, data FROM public.honest")
        self.assertIn("not read as a model", self.try_as(SUPERUSER, f"SELECT totrain.predict('eve.m', {ROW})"))


if __name__ == "__main__":
    harness.main()
