"""Attacks on whoever writes: triggers, constraints, casts and types of others run for nobody but their owners."""

import pathlib
import threading

import psycopg2

import harness
from attacks import TRAIN, Attacks, add_tests
from harness import SUPERUSER

# Objects that eve adds to a table eve.m of hers with a model's columns, which would run as the role that writes into
# it.
TRAPS = {
    "a_trigger_before_insert": "CREATE TRIGGER t BEFORE INSERT ON eve.m FOR EACH ROW EXECUTE FUNCTION eve.trap()",
    "a_trigger_after_insert": "CREATE TRIGGER t AFTER INSERT ON eve.m FOR EACH ROW EXECUTE FUNCTION eve.trap()",
    "a_trigger_of_the_statement": "CREATE TRIGGER t BEFORE INSERT ON eve.m FOR EACH STATEMENT EXECUTE FUNCTION eve.trap()",
    "a_trigger_before_delete": "CREATE TRIGGER t BEFORE DELETE ON eve.m FOR EACH ROW EXECUTE FUNCTION eve.trap()",
    "a_trigger_after_delete": "CREATE TRIGGER t AFTER DELETE ON eve.m FOR EACH STATEMENT EXECUTE FUNCTION eve.trap()",
    "a_trigger_on_truncate": "CREATE TRIGGER t BEFORE TRUNCATE ON eve.m FOR EACH STATEMENT EXECUTE FUNCTION eve.trap()",
    "a_deferred_constraint_trigger": "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON eve.m DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION eve.trap()",
    "a_trigger_that_is_always_enabled": "CREATE TRIGGER t BEFORE INSERT ON eve.m FOR EACH ROW EXECUTE FUNCTION eve.trap(); ALTER TABLE eve.m ENABLE ALWAYS TRIGGER t",
    "a_trigger_with_a_condition": "CREATE TRIGGER t BEFORE INSERT ON eve.m FOR EACH ROW WHEN (eve.catch() = 1) EXECUTE FUNCTION eve.trap()",
    "a_rule_on_insert": "CREATE RULE r AS ON INSERT TO eve.m DO ALSO SELECT eve.catch()",
    "a_rule_instead_of_insert": "CREATE RULE r AS ON INSERT TO eve.m DO INSTEAD SELECT eve.catch()",
    "a_rule_on_delete": "CREATE RULE r AS ON DELETE TO eve.m DO ALSO SELECT eve.catch()",
    "a_check_constraint": "ALTER TABLE eve.m ADD CHECK (eve.catch() = 1)",
    "a_default": "ALTER TABLE eve.m ALTER COLUMN value SET DEFAULT eve.catch()",
    "an_index_on_a_function": "CREATE INDEX ON eve.m ((eve.immutable(position::integer)))",
    "an_index_on_a_constant": "CREATE INDEX ON eve.m ((eve.immutable(1)))",
    "a_partial_index": "CREATE INDEX ON eve.m (part) WHERE eve.immutable(1) = 1",
    "an_exclusion_constraint": "ALTER TABLE eve.m ADD EXCLUDE ((eve.immutable(position::integer)) WITH =) WHERE (false)",
    "a_policy_of_its_owner": "ALTER TABLE eve.m ENABLE ROW LEVEL SECURITY; ALTER TABLE eve.m FORCE ROW LEVEL SECURITY; "
                             "CREATE POLICY p ON eve.m USING (eve.catch() = 1) WITH CHECK (eve.catch() = 1)",
    "a_statistics_expression": "CREATE STATISTICS eve.s ON (eve.immutable(1)), (eve.immutable(2)) FROM eve.m",
    "a_check_constraint_by_a_domain": "CREATE DOMAIN eve.d AS float8 CHECK (eve.catch() = 1); ALTER TABLE eve.m ADD CHECK (value::eve.d IS NOT DISTINCT FROM value)",
    "an_index_by_a_domain": "CREATE DOMAIN eve.d AS bigint CHECK (eve.catch() = 1); CREATE INDEX ON eve.m ((position::eve.d))",
    "a_check_constraint_by_a_composite_type": "CREATE DOMAIN eve.d AS text CHECK (eve.catch() = 1); CREATE TYPE eve.c AS (d eve.d); "
                                              "ALTER TABLE eve.m ADD CHECK (jsonb_populate_record(NULL::eve.c, '{\"d\": \"a\"}') IS NOT NULL)",
    "a_check_constraint_with_a_text_of_sql": "ALTER TABLE eve.m ADD CHECK (query_to_xml('SELECT eve.catch()', true, false, '') IS NOT NULL)",
    "a_condition_with_a_text_of_sql": "CREATE TRIGGER t BEFORE INSERT ON eve.m FOR EACH ROW WHEN (query_to_xml('SELECT eve.catch()', true, false, '') IS NOT NULL) "
                                      "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "a_rule_with_a_text_of_sql": "CREATE RULE r AS ON DELETE TO eve.m DO ALSO SELECT query_to_xml('SELECT eve.catch()', true, false, '')",
    "a_check_constraint_that_reads_a_view": "CREATE VIEW eve.v AS SELECT eve.catch(); "
                                            "ALTER TABLE eve.m ADD CHECK (table_to_xml(('eve.' || 'v')::regclass, true, false, '') IS NOT NULL)",
    "a_check_constraint_that_submits_a_job": "ALTER TABLE eve.m ADD CHECK (position < 0 OR part <> 'meta' OR totrain.submit("
                                             "'SELECT i.*, eve.catch() FROM public.iris i TO TRAIN LinearClassifier LABEL class INTO public.caught') > 0) NOT VALID",
    "a_child_with_a_trigger": "CREATE TABLE eve.child () INHERITS (eve.m); INSERT INTO eve.child VALUES ('w', 'x', 0, 0, NULL); "
                              "CREATE TRIGGER t BEFORE DELETE ON eve.child FOR EACH ROW EXECUTE FUNCTION eve.trap()",
    "a_child_with_an_index": "CREATE TABLE eve.child () INHERITS (eve.m); CREATE INDEX ON eve.child ((eve.immutable(1)))",
    "a_bound_of_partitions": "CREATE FUNCTION eve.bound(bigint) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM eve.catch(); RETURN 1; END'; "
                             "CREATE TABLE eve.parent (LIKE eve.m) PARTITION BY RANGE ((eve.bound(position))); "
                             "ALTER TABLE eve.parent ATTACH PARTITION eve.m FOR VALUES FROM (0) TO (2)",
}


STORED = pathlib.Path(__file__).resolve().parents[1] / "exchange" / "xgboost_two.ubj"
IMPORT = f"SELECT totrain.import_model('eve.m', '\\x{STORED.read_bytes().hex()}')"


class Publishing(Attacks):
    """Training into a table of eve's is refused before it is trained, whoever may act as eve."""

    def check(self, trap):
        self.become_user()
        self.copy_model()
        self.eve.execute(TRAPS[trap])
        self.arm()
        self.execute("GRANT eve TO alice")
        self.addCleanup(self.server.execute, "REVOKE eve FROM alice")
        for user in (SUPERUSER, "alice"):
            self.assertRegex(self.try_as(user, TRAIN.format("public.iris", "eve.m")), 'model eve.m belongs to another role')
            self.assertRegex(self.try_as(user, f"SELECT * FROM totrain.run($${TRAIN.format('public.iris', 'eve.m')}$$)"), 'model eve.m belongs to another role')
            self.assertRegex(self.try_as(user, IMPORT), 'model eve.m belongs to another role')
            self.assertRegex(self.try_as(user, "ROLLBACK MODEL eve.m TO 1"), 'model eve.m belongs to another role|row security guards')
        self.assertIsInstance(self.try_as("bob", TRAIN.format("public.iris", "eve.m")), str)

    def test_as_its_owner_it_can_be_trained_again(self):
        self.become_user()
        self.copy_model()
        cursor = self.session(SUPERUSER)
        cursor.execute("SET ROLE eve")
        cursor.execute(TRAIN.format("public.iris", "eve.m"))

    def test_a_model_that_changes_its_owner_is_refused_and_then_taken_over(self):
        self.copy_model()
        self.execute("ALTER TABLE eve.m OWNER TO CURRENT_USER")
        self.assertNotIsInstance(self.try_as(SUPERUSER, TRAIN.format("public.iris", "eve.m")), str)


add_tests(Publishing, TRAPS, lambda trap: lambda self: self.check(trap))


class Advice(Attacks):
    """N5: the hint of a refusal named the way that was refused: what is on a model's table stays when its owner changes."""

    def check(self, trap):
        self.become_user()
        self.copy_model()
        self.eve.execute(TRAPS[trap])
        self.arm()
        self.execute("ALTER TABLE eve.m OWNER TO CURRENT_USER")
        for statement in (TRAIN.format("public.iris", "eve.m"), f"SELECT * FROM totrain.run($${TRAIN.format('public.iris', 'eve.m')}$$)", IMPORT):
            self.assertRegex(self.try_as(SUPERUSER, statement), 'of table eve.m would run (what role "eve" has made|function .*, which does more than compute), with your '
                                                                'rights|row security guards|table eve.m is a part of another table, or has parts')

    def test_the_hint_of_the_refusal_names_no_way_around_it(self):
        self.copy_model()
        refused = self.try_as(SUPERUSER, TRAIN.format("public.iris", "eve.m"))
        self.assertIn("SET ROLE to the owner first", refused)
        self.assertNotIn("OWNER TO", refused)

    def test_functions_of_ones_own_and_of_superusers_stay(self):
        self.become_user()
        self.copy_model()
        self.execute("CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$")
        self.addCleanup(self.execute, "DROP FUNCTION public.noted() CASCADE")
        self.eve.execute("CREATE FUNCTION eve.own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$; "
                         "CREATE TRIGGER own BEFORE INSERT ON eve.m FOR EACH ROW EXECUTE FUNCTION eve.own(); "
                         "CREATE TRIGGER noted BEFORE INSERT ON eve.m FOR EACH ROW EXECUTE FUNCTION public.noted(); "
                         "ALTER TABLE eve.m ALTER value SET DEFAULT pg_catalog.random(), ADD CHECK (pg_catalog.length(part) > 0)")
        self.assertNotIsInstance(self.try_as("eve", TRAIN.format("public.iris", "eve.m")), str)

    def test_a_view_of_another_role_is_named_with_its_schema(self):
        self.eve.execute("CREATE VIEW eve.\"V 6\" AS SELECT * FROM public.honest; GRANT SELECT ON eve.\"V 6\" TO PUBLIC")
        self.assertIn('CREATE TABLE my_model AS TABLE eve."V 6";', self.try_as("bob", "SELECT totrain.predict('eve.\"V 6\"', ROW(1, 2, 3, 4))"))

    def test_a_model_without_an_identity_is_named_with_its_schema(self):
        self.execute("CREATE SCHEMA \"S 1\"; CREATE TABLE \"S 1\".\"M 1\" AS SELECT * FROM public.honest; "
                     "ALTER TABLE \"S 1\".\"M 1\" REPLICA IDENTITY NOTHING; CREATE PUBLICATION one FOR TABLE \"S 1\".\"M 1\"")
        self.addCleanup(self.execute, "DROP PUBLICATION one; DROP SCHEMA \"S 1\" CASCADE")
        self.assertIn('ALTER TABLE "S 1"."M 1" REPLICA IDENTITY FULL;', self.try_as(SUPERUSER, TRAIN.format("public.iris", '"S 1"."M 1"')))


add_tests(Advice, TRAPS, lambda trap: lambda self: self.check(trap))


class Targets(Attacks):
    """Tables of eve's that a PREDICT or an EVALUATE of a superuser's replaces: they are dropped, not written."""

    def check(self, trap):
        self.become_user()
        self.eve.execute("CREATE TABLE eve.m (part text, name text, position bigint, value float8, data bytea)")
        self.eve.execute(TRAPS[trap])
        self.arm()
        self.try_as(SUPERUSER, "SELECT * FROM public.iris TO PREDICT eve.m.class USING honest")
        if trap == "a_trigger_before_insert":
            self.try_as(SUPERUSER, "SELECT * FROM public.iris TO PREDICT eve.m.class WITH job.max_workers = 1 USING honest")
        self.try_as(SUPERUSER, "SELECT * FROM public.iris TO EVALUATE honest INTO eve.m")


add_tests(Targets, TRAPS, lambda trap: lambda self: self.check(trap))


class Published(Attacks):
    """Rows go into a published table in place, but not where they would run what a former owner has made."""

    WRITE = ("SELECT ''::text AS part, ''::text AS name, 0::bigint AS position, 0.5::float8 AS value, ''::bytea AS data, petal_width, petal_length, "
             "sepal_width, sepal_length FROM public.iris TO PREDICT eve.m.guess USING public.honest")

    def take_over(self, trap):
        self.become_user()
        self.eve.execute(self.WRITE)
        self.eve.execute(trap)
        self.arm()
        self.execute("ALTER TABLE eve.m OWNER TO CURRENT_USER; DROP PUBLICATION IF EXISTS several; CREATE PUBLICATION several FOR TABLE eve.m")
        self.addCleanup(self.execute, "DROP PUBLICATION several")
        before = self.execute("SELECT 'eve.m'::regclass::oid")
        self.refused = self.try_as(SUPERUSER, self.WRITE)
        return self.execute("SELECT 'eve.m'::regclass::oid") == before

    def check(self, trap):
        if self.take_over(TRAPS[trap]):
            self.assertRegex(str(self.refused), "has row-level security|is a part of another table, or has parts")

    def test_without_one_it_stays(self):
        self.assertTrue(self.take_over("CREATE INDEX ON eve.m (guess)"))


add_tests(Published, TRAPS, lambda trap: lambda self: self.check(trap))


class Labels(Attacks):
    """The label of eve's model is of a type of hers. Her casts, domains and functions are not called."""

    TYPE = "CREATE TYPE eve.mood AS ENUM ('0', '1', '2')"

    def make_model(self):
        self.become_user()
        self.eve.execute(Labels.TYPE + "; CREATE TABLE eve.mt AS SELECT petal_width, sepal_width, class::text::eve.mood AS class FROM public.iris; "
                         "GRANT USAGE ON TYPE eve.mood TO PUBLIC")
        self.eve.execute(TRAIN.format("eve.mt", "eve.mm"))
        self.eve.execute("GRANT SELECT ON eve.mm TO PUBLIC")

    FORMS = {
        "rows": "SELECT petal_width, sepal_width FROM public.own TO PREDICT USING eve.mm",
        "a_table": "SELECT petal_width, sepal_width FROM public.own TO PREDICT {u}.p.class USING eve.mm",
        "a_table_by_workers": "SELECT petal_width, sepal_width FROM public.own TO PREDICT {u}.p.class WITH job.max_workers = 2 USING eve.mm",
        "all_outputs_by_workers": "SELECT petal_width, sepal_width FROM public.own TO PREDICT {u}.p.class WITH job.max_workers = 1, "
                                  "predict.extra_outputs = [probability, probabilities, logits] USING eve.mm",
        "a_quarantine": "SELECT petal_width, sepal_width FROM public.own TO PREDICT {u}.p.class WITH predict.bad_rows = 'quarantine' USING eve.mm",
        "an_evaluation": "SELECT petal_width, sepal_width, class FROM public.own TO EVALUATE eve.mm INTO {u}.p",
        "run": "SELECT * FROM totrain.run($$SELECT petal_width, sepal_width FROM public.own TO PREDICT {u}.p.class WITH job.max_workers = 1 USING eve.mm$$)",
    }
    CASTS = ("text", "varchar", "integer", "bigint")

    def all_forms(self, names=("rows", "a_table", "a_table_by_workers")):
        return {name: self.try_as(SUPERUSER, self.FORMS[name].format(u="public")) for name in names}

    def test_the_label_keeps_its_type(self):
        self.make_model()
        for form in ("rows", "a_quarantine", "run", "a_table", "a_table_by_workers"):
            found = self.try_as(SUPERUSER, self.FORMS[form].format(u="public"))
            self.assertNotIsInstance(found, str, (form, found))
        self.assertEqual(self.execute("SELECT DISTINCT pg_typeof(class)::text FROM public.p"), [("eve.mood",)])

    def check_cast(self, source):
        self.make_model()
        self.eve.execute(f"CREATE FUNCTION eve.as_mood({source}) RETURNS eve.mood LANGUAGE plpgsql AS $$ BEGIN PERFORM eve.catch(); "
                         f"RETURN '1'; END $$; CREATE CAST ({source} AS eve.mood) WITH FUNCTION eve.as_mood({source}) AS IMPLICIT")
        self.all_forms(self.FORMS if source == "text" else ("a_table_by_workers",))

    def test_an_operator_of_eves_on_her_type(self):
        self.make_model()
        self.eve.execute("CREATE FUNCTION eve.same(eve.mood, eve.mood) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM eve.catch(); RETURN true; END $$; "
                         "CREATE OPERATOR eve.= (FUNCTION = eve.same, LEFTARG = eve.mood, RIGHTARG = eve.mood)")
        self.all_forms()

    def test_a_cast_to_text(self):
        self.make_model()
        self.eve.execute("CREATE FUNCTION eve.as_text(eve.mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM eve.catch(); RETURN '1'; END $$; "
                         "CREATE CAST (eve.mood AS text) WITH FUNCTION eve.as_text(eve.mood) AS IMPLICIT")
        self.all_forms()

    REPLACED = {
        "a_domain": "CREATE DOMAIN eve.mood AS text CHECK (eve.catch() = 1)",
        "a_domain_that_is_not_null": "CREATE DOMAIN eve.mood AS text NOT NULL CHECK (eve.catch() = 1)",
        "a_domain_of_an_enum": "CREATE TYPE eve.other AS ENUM ('0', '1', '2'); CREATE DOMAIN eve.mood AS eve.other CHECK (eve.catch() = 1)",
        "a_composite_type": "CREATE TYPE eve.mood AS (a integer)",
        "a_range": "CREATE TYPE eve.mood AS RANGE (subtype = integer)",
        "a_table": "CREATE TABLE eve.mood (a integer)",
        "nothing": "SELECT 1",
    }

    def check_replaced_before(self, kind):
        self.make_model()
        self.eve.execute(f"DROP TABLE eve.mt; DROP TYPE eve.mood; {self.REPLACED[kind]}")
        self.all_forms()

    def check_renamed_before(self, kind):
        self.make_model()
        self.eve.execute(f"ALTER TYPE eve.mood RENAME TO old; {self.REPLACED[kind]}")
        self.all_forms()

    def test_a_type_that_is_dropped_is_predicted_as_text(self):
        self.make_model()
        self.eve.execute("DROP TABLE eve.mt; DROP TYPE eve.mood")
        self.execute(self.FORMS["a_table"].format(u="public"))
        self.assertEqual(self.execute("SELECT DISTINCT pg_typeof(class)::text FROM public.p"), [("text",)])


add_tests(Labels, [f"a_cast_from_{source}" for source in Labels.CASTS], lambda name: lambda self: self.check_cast(name.rsplit("_", 1)[-1]))
add_tests(Labels, [f"before_the_statement_the_type_becomes_{kind}" for kind in Labels.REPLACED],
          lambda name: lambda self: self.check_replaced_before(name.split("becomes_")[1]))
add_tests(Labels, [f"before_the_statement_the_renamed_type_is_{kind}" for kind in Labels.REPLACED],
          lambda name: lambda self: self.check_renamed_before(name.split("type_is_")[1]))


class Meanwhile(Attacks):
    """The type is replaced while workers compute: it was checked when the statement was planned."""

    pace = "us=8000"  # pace for 150 rows: the job is still there when a busy machine comes to look

    def check(self, kind, how):
        Labels.make_model(self)
        cursor, failed = self.session(SUPERUSER), []

        def predict():
            try:
                cursor.execute(Labels.FORMS["a_table_by_workers"].format(u="public"))
            except psycopg2.Error as error:
                failed.append(str(error))

        thread = threading.Thread(target=predict)
        thread.start()
        self.wait_until_training()
        self.eve.execute(how + "; " + Labels.REPLACED[kind])
        self.finish(thread)
        self.assertEqual(len(failed), 1)
        return failed[0]

    def test_a_domain_takes_the_place_of_the_dropped_type(self):
        self.assertIn("is no enum any more", self.check("a_domain", "DROP TABLE eve.mt; DROP TYPE eve.mood"))

    def test_a_domain_takes_the_place_of_the_renamed_type(self):
        self.assertIn("is no enum any more", self.check("a_domain", "ALTER TYPE eve.mood RENAME TO old"))

    def test_a_domain_takes_the_place_in_a_renamed_schema(self):
        self.execute("CREATE SCHEMA eve2 AUTHORIZATION eve")
        self.addCleanup(self.execute, "DROP SCHEMA eve2 CASCADE")
        self.assertIn("is no enum any more", self.check("a_domain", "ALTER TYPE eve.mood SET SCHEMA eve2"))

    def test_a_composite_type_takes_its_place(self):
        self.assertIn("is no enum any more", self.check("a_composite_type", "DROP TABLE eve.mt; DROP TYPE eve.mood"))

    def test_nothing_takes_its_place(self):
        self.assertIn('type "eve.mood" does not exist', self.check("nothing", "DROP TABLE eve.mt; DROP TYPE eve.mood"))


if __name__ == "__main__":
    harness.main()
