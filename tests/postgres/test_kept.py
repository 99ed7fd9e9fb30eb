"""The rows kept of models beside their tables: whose they are, and that they go with them."""

import psycopg2
from psycopg2 import errors

import harness
from harness import run_statement
from roles import TRAIN, Roles


class Rights(Roles):
    def test_versions_and_metrics_of_another_are_not_seen(self):
        self.train("alice")
        self.train("alice")
        for table in ("models", "versions", "metrics"):
            own = self.session("alice")
            own.execute(f"SELECT count(*) > 0 FROM totrain.{table}")
            self.assertEqual(own.fetchone(), (True,), table)
            other = self.session("bob")
            other.execute(f"SELECT count(*) FROM totrain.{table}")
            self.assertEqual(other.fetchone(), (0,), table)

    def test_what_is_kept_of_the_model_of_another_cannot_be_changed(self):
        self.train("alice")
        self.train("alice")
        cursor = self.session("bob")
        for table in ("models", "versions", "metrics"):
            for text in (f"DELETE FROM totrain.{table}", f"UPDATE totrain.{table} SET version = 9"):
                try:
                    cursor.execute(text)
                    self.assertEqual(cursor.rowcount, 0, text)
                except errors.InsufficientPrivilege:
                    pass
        self.assertEqual(len(run_statement(self.session("alice"), "SHOW VERSIONS alice.m")), 2)

    def test_the_table_of_another_cannot_be_claimed(self):
        # A row that says that alice's table is a model of bob's would keep alice from training it.
        self.execute("CREATE TABLE alice.plain (x int); ALTER TABLE alice.plain OWNER TO alice")
        ((oid,),) = self.execute("SELECT 'alice.plain'::regclass::oid")
        cursor = self.session("bob")
        for claimed in (oid, oid + 1, 4000000000):
            with self.subTest(claimed), self.assertRaises(errors.WithCheckOptionViolation):
                cursor.execute(f"INSERT INTO totrain.models (relation, id, version) VALUES ({claimed}, 'x', 1)")

    def test_versions_of_another_cannot_be_made_up(self):
        self.train("alice")
        self.execute("GRANT USAGE ON SCHEMA alice TO bob; GRANT SELECT ON alice.m TO bob")
        self.refused("bob", "INSERT INTO totrain.versions SELECT 'alice.m'::regclass, 77, '', '', part, name, position, value, data "
                     "FROM alice.m", errors.WithCheckOptionViolation)


class Drops(Roles):
    def setUp(self):
        super().setUp()
        self.train(harness.SUPERUSER, model="m")
        self.train(harness.SUPERUSER, model="m")

    def kept_rows(self):
        return [self.execute(f"SELECT count(*) FROM totrain.{table}")[0][0] for table in ("models", "versions", "metrics")]

    def test_drop_table(self):
        self.assertNotIn(0, self.kept_rows())
        self.execute("DROP TABLE m")
        self.assertEqual((self.kept_rows(), self.execute("SELECT * FROM totrain.rows('SHOW MODELS')")), ([0, 0, 0], []))

    def test_drop_schema(self):
        self.execute("CREATE SCHEMA other")
        self.train(harness.SUPERUSER, model="other.m")
        self.train(harness.SUPERUSER, model="other.m")
        self.execute("DROP TABLE m")
        self.assertNotIn(0, self.kept_rows())
        self.execute("DROP SCHEMA other CASCADE")
        self.assertEqual(self.kept_rows(), [0, 0, 0])

    def test_drop_owned(self):
        self.train("alice")
        self.train("alice")
        self.execute("DROP TABLE m")
        self.assertNotIn(0, self.kept_rows())
        self.execute("DROP OWNED BY alice CASCADE")
        self.assertEqual(self.kept_rows(), [0, 0, 0])

    def test_a_temporary_model_is_forgotten_with_the_next_drop(self):
        self.execute("DROP TABLE m")
        self.execute(f"SELECT * FROM totrain.run($${TRAIN.format('iris', 'pg_temp.m')}$$)")
        harness.wait_for(lambda: not self.execute("SELECT 1 FROM pg_class WHERE relname = 'm'"), "the end of the session")
        self.execute("CREATE TABLE another (x int)")
        self.execute("DROP TABLE another")
        self.assertEqual(self.kept_rows(), [0, 0, 0])

    def test_renamed_moved_and_given_away_it_stays_the_same_model(self):
        self.execute("CREATE SCHEMA other; ALTER TABLE m RENAME TO n; ALTER TABLE n SET SCHEMA other; GRANT ALL ON SCHEMA other TO bob; "
                     "ALTER TABLE other.n OWNER TO bob")
        self.train("bob", model="other.n")
        cursor = self.session("bob")
        self.assertEqual([row["version"] for row in run_statement(cursor, "SHOW VERSIONS other.n")], [3, 2, 1])
        run_statement(cursor, "ROLLBACK MODEL other.n TO 1")
        self.assertEqual(self.execute("SELECT relation::text, version FROM totrain.models"), [("other.n", 1)])


if __name__ == "__main__":
    harness.main()
