"""An older version that is updated is what a fresh installation is, and until then says so."""

import pathlib
import re
import shutil
import subprocess

import harness
from server import BUILD

OLDER = pathlib.Path(__file__).resolve().parent / "upgrade"

# Everything that a script of the extension can make, as text without OIDs.
CATALOG = {
    "members": "SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend "
               "WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass AND refobjid = {extension}",
    "functions": "SELECT pg_get_functiondef(oid), pg_get_userbyid(proowner), {acl}, obj_description(oid, 'pg_proc') FROM pg_proc p "
                 "WHERE pronamespace = 'totrain'::regnamespace AND prokind <> 'a'",
    "aggregates": "SELECT p.oid::regprocedure, pg_get_userbyid(proowner), {acl}, obj_description(p.oid, 'pg_proc'), pg_get_function_result(p.oid), "
                  "pg_get_function_arguments(p.oid), proparallel, aggtransfn, aggfinalfn, aggfinalmodify, aggtranstype::regtype, aggtransspace "
                  "FROM pg_proc p JOIN pg_aggregate ON aggfnoid = p.oid WHERE pronamespace = 'totrain'::regnamespace",
    "relations": "SELECT relname, relkind, reloptions, relrowsecurity, relforcerowsecurity, relreplident, {acl}, obj_description(oid, 'pg_class'), "
                 "CASE WHEN relkind = 'v' THEN pg_get_viewdef(oid) WHEN relkind = 'i' THEN pg_get_indexdef(oid) END "
                 "FROM pg_class p WHERE relnamespace = 'totrain'::regnamespace",
    "columns": "SELECT attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attstorage, "
               "pg_get_expr(adbin, adrelid), col_description(attrelid, attnum) FROM pg_attribute LEFT JOIN pg_attrdef "
               "ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0 AND NOT attisdropped AND attrelid IN "
               "(SELECT oid FROM pg_class WHERE relnamespace = 'totrain'::regnamespace)",
    "constraints": "SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint "
                   "WHERE connamespace = 'totrain'::regnamespace AND contype <> 'n'",  # NOT NULL, by which name it is, of 18 alone
    "rules": "SELECT ev_class::regclass, rulename, pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class IN "
             "(SELECT oid FROM pg_class WHERE relnamespace = 'totrain'::regnamespace)",
    "triggers": "SELECT evtname, evtevent, evtfoid::regprocedure, evtenabled, evttags FROM pg_event_trigger",
    "types": "SELECT typname, typtype FROM pg_type WHERE typnamespace = 'totrain'::regnamespace",
    "schema": "SELECT nspname, {acl} FROM pg_namespace p WHERE nspname = 'totrain'",
    "kept by pg_dump": "SELECT relation::regclass, condition FROM pg_extension, unnest(extconfig, extcondition) AS c(relation, condition) "
                       "WHERE extname = 'totrain'",
    "version": "SELECT extversion, extrelocatable FROM pg_extension WHERE extname = 'totrain'",
}
ACLS = {"functions": "proacl", "aggregates": "proacl", "relations": "relacl", "schema": "nspacl"}


class Upgrade(harness.Case):
    @classmethod
    def prepare(cls, connection):
        harness.load_csv(connection, "iris")  # each test makes the extension that it needs
        for script in OLDER.glob("totrain--*.sql"):
            shutil.copy(script, cls.server.extensions / script.name)

    def catalog(self, database):
        found = {}
        for name, query in CATALOG.items():
            acl = f"(SELECT array_agg(a::text ORDER BY a::text) FROM unnest(p.{ACLS.get(name)}) a)"
            query = query.format(acl=acl, extension="(SELECT oid FROM pg_extension WHERE extname = 'totrain')")
            found[name] = sorted(map(str, self.server.execute(query, database)))
        return found

    def older_versions(self):
        return sorted(re.fullmatch(r"totrain--(.*)\.sql", path.name).group(1) for path in OLDER.glob("totrain--*.sql"))

    def test_an_update_leads_to_what_a_fresh_installation_is(self):
        self.execute("CREATE EXTENSION totrain")
        fresh = self.catalog(self.database)
        self.assertTrue(all(fresh.values()), {name for name, rows in fresh.items() if not rows})
        self.assertTrue(self.older_versions())
        for version in self.older_versions():
            with self.subTest(version=version):
                self.execute(f"DROP EXTENSION totrain; CREATE EXTENSION totrain VERSION '{version}'")
                self.assertNotEqual(self.catalog(self.database), fresh)
                self.execute("ALTER EXTENSION totrain UPDATE")
                updated = self.catalog(self.database)
                self.maxDiff = None
                for name, rows in fresh.items():
                    self.assertEqual(updated[name], rows, name)

    def test_models_live_on(self):
        for version in self.older_versions():
            self.execute(f"DROP EXTENSION IF EXISTS totrain CASCADE; DROP TABLE IF EXISTS kept; CREATE EXTENSION totrain VERSION '{version}'")
            done = self.psql(harness.TRAIN_IRIS, "-v", "ON_ERROR_STOP=1")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"extension totrain has version {version} here", done.stderr)
            self.assertIn("HINT:  ALTER EXTENSION totrain UPDATE; brings it up to date.", done.stderr)
            outside = subprocess.run([BUILD / "totrain", "postgres://", "-c", harness.TRAIN_IRIS], text=True, capture_output=True, check=False,
                                     env={**self.server.variables(self.database), "TOTRAIN_STATE": str(self.server.folder / "program-state")})
            self.assertNotEqual(outside.returncode, 0)
            self.assertIn("ALTER EXTENSION totrain UPDATE", outside.stderr)
            self.execute("ALTER EXTENSION totrain UPDATE")
            self.check_psql(harness.TRAIN_IRIS, "-o", "/dev/null")
            self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(1,)])
            self.execute("DROP TABLE iris_model")

    def test_what_is_older_than_the_scripts_says_so(self):
        self.execute("CREATE EXTENSION totrain; UPDATE pg_extension SET extversion = '999.0' WHERE extname = 'totrain'")
        done = self.psql(harness.TRAIN_IRIS)
        self.assertIn("HINT:  Install what belongs to version 999.0, and connect anew.", done.stderr)


if __name__ == "__main__":
    harness.main()
