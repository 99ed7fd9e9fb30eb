"""Attacks on whoever reads models: nothing of the owner of a table is run by those who list or read it."""

import os
import subprocess

import harness
from attacks import COLUMNS, READERS, ROW, Attacks, add_tests
from harness import BUILD, run_statement


class Listing(Attacks):
    """SHOW MODELS looks at every table that looks like a model, whoever has made it."""

    def test_an_index_on_a_function_of_the_owners_is_not_evaluated_by_a_superuser(self):
        self.copy_model()
        self.set_index_trap()
        self.assertEqual(self.listed(harness.SUPERUSER)["eve.m"], "LinearClassifier")

    def test_an_index_on_a_function_of_the_owners_is_not_evaluated_by_a_user(self):
        self.copy_model()
        self.set_index_trap()
        self.assertEqual(self.listed("bob")["eve.m"], "LinearClassifier")

    def test_a_partial_index_is_not_evaluated(self):
        self.copy_model()
        self.eve.execute("CREATE INDEX ON eve.m (part) WHERE eve.immutable(1) = 1")
        self.arm()
        self.assertIn("eve.m", self.listed(harness.SUPERUSER))

    def test_a_unique_index_on_a_function_is_not_evaluated(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); CREATE UNIQUE INDEX ON eve.m ((eve.immutable(1)))")
        self.eve.execute("INSERT INTO eve.m SELECT * FROM public.honest WHERE part = 'meta'; GRANT SELECT ON eve.m TO PUBLIC")
        self.arm()
        self.assertIn("eve.m", self.listed(harness.SUPERUSER))

    def test_extended_statistics_are_not_evaluated(self):
        self.copy_model()
        self.eve.execute("CREATE STATISTICS eve.s ON (eve.immutable(1)), (eve.immutable(2)) FROM eve.m")
        self.arm()
        self.assertIn("eve.m", self.listed(harness.SUPERUSER))

    def test_a_check_constraint_is_not_evaluated_by_constraint_exclusion(self):
        self.copy_model()
        self.eve.execute("ALTER TABLE eve.m ADD CHECK (part <> 'meta' OR eve.immutable(1) = 1)")
        self.arm()
        cursor = self.session(harness.SUPERUSER)
        cursor.execute("SET constraint_exclusion = on")
        self.assertIn("eve.m", {row["name"] for row in run_statement(cursor, "SHOW MODELS")})

    def test_a_table_without_a_meta_row_runs_nothing_either(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); GRANT SELECT ON eve.m TO PUBLIC")
        self.set_index_trap()
        self.assertNotIn("eve.m", self.listed(harness.SUPERUSER))

    def test_a_policy_is_not_called(self):
        self.copy_model()
        self.eve.execute("ALTER TABLE eve.m ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON eve.m USING (eve.catch() = 1)")
        self.assertNotIn("eve.m", self.listed("bob"))
        self.assertIn("eve.m", self.listed(harness.SUPERUSER))

    def test_a_view_is_not_listed(self):
        self.copy_model()
        self.eve.execute("CREATE VIEW eve.v AS SELECT part, name, position, value, data FROM eve.m WHERE eve.catch() = 1; GRANT SELECT ON eve.v TO PUBLIC")
        self.assertEqual(set(self.listed(harness.SUPERUSER)), {"honest", "eve.m"})

    def test_a_child_of_the_table_is_not_looked_at(self):
        self.copy_model()
        self.eve.execute("CREATE TABLE eve.child () INHERITS (eve.m); CREATE INDEX ON eve.child ((eve.immutable(1)))")
        self.arm()
        self.assertIn("eve.m", self.listed(harness.SUPERUSER))

    def test_a_partitioned_table_is_not_listed(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}) PARTITION BY LIST (part); GRANT SELECT ON eve.m TO PUBLIC")
        self.arm()
        self.assertNotIn("eve.m", self.listed(harness.SUPERUSER))

    def test_the_functions_by_which_it_is_listed_run_nothing(self):
        self.copy_model()
        self.set_index_trap()
        for call in ("SELECT * FROM totrain.rows('SHOW MODELS')", "SHOW MODELS", "SELECT totrain.predict('no_such', ROW(1))",
                     "SELECT * FROM iris TO PREDICT USING no_such"):
            with self.subTest(call):
                self.try_as(harness.SUPERUSER, call)

    def test_the_program_runs_nothing(self):
        self.copy_model()
        self.set_index_trap()
        for user in (harness.SUPERUSER, "bob"):
            done = self.program(user, "SHOW MODELS")
            self.assertIn("eve.m", done.stdout, done.stderr)
        self.program(harness.SUPERUSER, "SELECT * FROM iris TO EVALUATE eve.m")
        self.program(harness.SUPERUSER, "SELECT * FROM iris TO PREDICT USING eve.m")

    def program(self, user, statement):
        return subprocess.run([BUILD / "totrain", "postgres://", "-c", statement], text=True, capture_output=True, check=False,
                              env={**os.environ, **self.server.variables(self.database, user),
                                   "TOTRAIN_STATE": str(self.server.folder / "program-state")})


class Spoiled(Attacks):
    """Attacks that change the database have one of their own."""

    own_database = True

    def test_a_foreign_table_is_not_listed(self):
        self.execute("CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; "
                     f"CREATE FOREIGN TABLE public.far ({COLUMNS}) SERVER files OPTIONS (filename '/dev/zero')")
        self.assertNotIn("far", self.listed(harness.SUPERUSER))

    def test_the_program_without_the_extension_reads_nothing_of_others(self):
        self.copy_model()
        self.set_index_trap()
        self.execute("DROP EXTENSION totrain")
        done = self.program(harness.SUPERUSER, "SHOW MODELS")
        self.assertIn("honest", done.stdout, done.stderr)
        self.assertRegex(done.stdout, "eve.m.*unreadable: eve.m belongs to another role")
        done = self.program(harness.SUPERUSER, "SELECT * FROM iris TO EVALUATE eve.m")
        self.assertIn("belongs to another role", done.stderr)

    program = Listing.program


class Reading(Attacks):
    """A reader of a model of eve's runs nothing of hers."""

    def check(self, reader):
        self.copy_model()
        self.set_index_trap()
        for user in (harness.SUPERUSER, "bob"):
            found = self.try_as(user, READERS[reader].format(m="eve.m"))
            missing = {"distance": "a LinearClassifier has no distances", "leaf": "a LinearClassifier has no leaves",
                       "quantiles": "the LinearClassifier has no quantiles", "export_model": "has no trees", "forecast": "is not a forecast", "forecast_statement": "is not a forecast"}.get(reader)
            if missing:  # the answer shows that the model was read
                self.assertIn(missing, found)
            else:
                self.assertNotIsInstance(found, str, found)


add_tests(Reading, READERS, lambda reader: lambda self: self.check(reader))


class Views(Attacks):
    """A view is code: only one's own and those of superusers are models."""

    def check(self, reader):
        self.copy_model()
        self.eve.execute("CREATE VIEW eve.v AS SELECT part, name, position, value, data FROM eve.m WHERE eve.catch() = 1; GRANT SELECT ON eve.v TO PUBLIC")
        for user in (harness.SUPERUSER, "bob"):
            self.assertRegex(self.try_as(user, READERS[reader].format(m="eve.v")), "belongs to another role, and is not read as a model")

    def test_ones_own_view_is_a_model(self):
        self.session("bob").execute("CREATE VIEW bob.v AS SELECT * FROM public.honest")
        self.assertEqual(self.try_as("bob", f"SELECT totrain.predict('bob.v', {ROW})"), self.try_as("bob", f"SELECT totrain.predict('honest', {ROW})"))

    def test_a_view_of_a_superuser_is_a_model(self):
        self.execute("CREATE VIEW public.v AS SELECT * FROM public.honest; GRANT SELECT ON public.v TO bob")
        self.assertEqual(self.try_as("bob", f"SELECT totrain.predict('v', {ROW})"), [("0",)])

    def test_a_view_that_changed_its_owner_is_no_model_any_more(self):
        self.execute("CREATE VIEW eve.v AS SELECT * FROM public.honest; GRANT SELECT ON eve.v TO bob")
        self.assertEqual(self.try_as("bob", f"SELECT totrain.predict('eve.v', {ROW})"), [("0",)])
        self.execute("ALTER VIEW eve.v OWNER TO eve")
        self.assertIn("belongs to another role", self.try_as("bob", f"SELECT totrain.predict('eve.v', {ROW})"))

    def test_a_security_definer_function_of_eves_sees_with_her_eyes(self):
        """It reads her view as her, which is her own affair."""
        self.become_user()
        self.copy_model()
        self.eve.execute("CREATE VIEW eve.v AS SELECT part, name, position, value, data FROM eve.m WHERE eve.catch() = 1;"
                         f"CREATE FUNCTION eve.look() RETURNS text LANGUAGE sql SECURITY DEFINER AS $f$ SELECT totrain.predict('eve.v', {ROW}) $f$")
        self.assertEqual(self.try_as("bob", "SELECT eve.look()"), [("0",)])

    def test_a_materialized_view_is_read_and_not_refreshed(self):
        self.copy_model()
        self.eve.execute("CREATE MATERIALIZED VIEW eve.v AS SELECT part, name, position, value, data FROM eve.m WHERE eve.catch() = 1; "
                         "GRANT SELECT ON eve.v TO PUBLIC")
        self.assertEqual(self.try_as("bob", f"SELECT totrain.predict('eve.v', {ROW})"), [("0",)])

    def test_a_materialized_view_without_rows_is_refused(self):
        self.copy_model()
        self.eve.execute("CREATE MATERIALIZED VIEW eve.v AS SELECT part, name, position, value, data FROM eve.m WHERE eve.catch() = 1 WITH NO DATA; "
                         "GRANT SELECT ON eve.v TO PUBLIC")
        self.assertIn("has not been populated", self.try_as("bob", f"SELECT totrain.predict('eve.v', {ROW})"))


add_tests(Views, [reader for reader in READERS if reader != "show_versions"], lambda reader: lambda self: self.check(reader))


class Guarded(Attacks):
    """Row security on a model: its policies are not called, and its rows not read past them."""

    def check(self, reader):
        self.copy_model()
        self.eve.execute("ALTER TABLE eve.m ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON eve.m USING (eve.catch() = 1)")
        self.assertRegex(self.try_as("bob", READERS[reader].format(m="eve.m")), "row security guards table")


add_tests(Guarded, READERS, lambda reader: lambda self: self.check(reader))


class Rights(Attacks):
    """Scanning a heap asks for no less than a query does."""

    def check(self, reader):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); INSERT INTO eve.m SELECT * FROM public.honest")
        self.assertIn("permission denied for table eve.m", self.try_as("bob", READERS[reader].format(m="eve.m")))

    def test_some_columns_are_not_enough(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); INSERT INTO eve.m SELECT * FROM public.honest; GRANT SELECT (part, name) ON eve.m TO bob")
        self.assertIn("permission denied", self.try_as("bob", f"SELECT totrain.predict('eve.m', {ROW})"))

    def test_each_column_is_enough(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); INSERT INTO eve.m SELECT * FROM public.honest; "
                         "GRANT SELECT (part, name, position, value, data) ON eve.m TO bob")
        self.assertEqual(self.try_as("bob", f"SELECT totrain.predict('eve.m', {ROW})"), [("0",)])

    def test_a_schema_without_usage_hides_its_models(self):
        self.copy_model()
        self.eve.execute("REVOKE USAGE ON SCHEMA eve FROM PUBLIC")
        self.assertIn("permission denied for schema eve", self.try_as("bob", f"SELECT totrain.predict('eve.m', {ROW})"))
        self.assertNotIn("eve.m", self.listed("bob"))

    def test_the_rows_of_any_other_table_are_not_given(self):
        for table in ("secret", "iris", "pg_catalog.pg_class", "pg_catalog.pg_authid", "pg_catalog.pg_statistic", "totrain.versions", "totrain.metrics"):
            with self.subTest(table):
                self.assertIsInstance(self.try_as("bob", f"SELECT * FROM totrain.model_rows('{table}'::regclass, false, false)"), str)

    def test_an_index_a_sequence_and_a_toast_table_are_refused(self):
        self.copy_model()
        self.eve.execute("CREATE INDEX i ON eve.m (part); CREATE SEQUENCE eve.s")
        for name in ("'eve.i'::regclass", "'eve.s'::regclass", "(SELECT reltoastrelid FROM pg_class WHERE oid = 'eve.m'::regclass)", "0::oid", "4294967295::oid"):
            with self.subTest(name):
                self.assertIsInstance(self.try_as("bob", f"SELECT * FROM totrain.model_rows({name}, false, false)"), str)

    def test_a_temporary_table_of_another_session_is_refused(self):
        self.eve.execute(f"CREATE TEMP TABLE t ({COLUMNS}); SELECT 't'::regclass::oid")
        relation = self.eve.fetchone()[0]
        self.assertIn("temporary table of another session",
                      self.try_as(harness.SUPERUSER, f"SELECT * FROM totrain.model_rows({relation}, false, false)"))


add_tests(Rights, [reader for reader in READERS], lambda reader: lambda self: self.check(reader))


if __name__ == "__main__":
    harness.main()
