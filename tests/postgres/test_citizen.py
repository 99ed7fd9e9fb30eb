"""A good citizen of a real database: with logical replication, with backups by the owner, with other defaults than
the server's own."""

import concurrent.futures
import os
import subprocess

import psycopg2

import harness
from harness import run_statement

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {} LABEL class INTO {};"


class Published(harness.Case):
    """Each table of the database is in a publication, as for a replica of all of it."""

    settings = {**harness.BARE, "wal_level": "logical"}

    def setUp(self):
        super().setUp()
        self.execute("CREATE PUBLICATION everything FOR ALL TABLES")

    def test_models_are_trained_again_brought_back_and_dropped(self):
        for epochs in range(1, 4):
            self.check_psql(TRAIN.format(epochs, "m"))
        self.check_psql("ROLLBACK MODEL m TO 1;")
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(1,)])
        self.check_psql("SELECT * FROM iris TO PREDICT p.class USING m; SELECT * FROM iris TO PREDICT p.class USING m;")
        self.execute("DROP TABLE m")
        for table in ("models", "versions", "metrics"):
            self.assertEqual(self.execute(f"SELECT count(*) FROM totrain.kept_{table}"), [(0,)], table)

    def test_a_copy_of_a_model_is_trained_again(self):
        self.check_psql(TRAIN.format(1, "m"))
        self.execute("CREATE TABLE copied AS SELECT * FROM m; DROP TABLE m")
        self.check_psql(TRAIN.format(2, "copied"))
        self.assertEqual(self.execute("SELECT version FROM totrain.models"), [(2,)])

    def test_what_its_owner_gave_no_identity_is_refused_before_training(self):
        self.check_psql(TRAIN.format(1, "m"))
        self.execute("ALTER TABLE m REPLICA IDENTITY NOTHING")
        done = self.psql(TRAIN.format(2, "m"))
        self.assertIn('ERROR:  model "m" is part of a publication, and has no replica identity', done.stderr)
        self.assertIn("HINT:  ALTER TABLE public.m REPLICA IDENTITY FULL;", done.stderr)
        self.assertEqual(len(self.execute("SELECT 1 FROM totrain.jobs")), 1)


class Dumped(harness.Case):
    def setUp(self):
        super().setUp()
        self.execute(f'CREATE ROLE keeper LOGIN; CREATE ROLE reader LOGIN IN ROLE pg_read_all_data; GRANT totrain_user TO keeper; '
                     f'ALTER TABLE iris OWNER TO keeper; ALTER DATABASE "{self.database}" OWNER TO keeper; GRANT CREATE ON SCHEMA public TO keeper')
        self.check_psql(TRAIN.format(1, "m") + TRAIN.format(2, "m"), user="keeper")

    def drop_database(self):
        super().drop_database()
        self.server.execute("DROP ROLE keeper; DROP ROLE reader")

    def dump(self, user):
        done = subprocess.run(["pg_dump"], capture_output=True, check=False,
                              env={**os.environ, **self.server.variables(self.database, user)})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def test_the_owner_of_the_database_dumps_it(self):
        for user in ("keeper", "reader"):
            dump = self.dump(user)
            self.server.execute("CREATE DATABASE restored")
            self.addCleanup(self.server.execute, "DROP DATABASE IF EXISTS restored WITH (FORCE)")
            done = subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1"], input=dump, capture_output=True, check=False,
                                  env={**os.environ, **self.server.variables("restored")})
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            rows = self.server.execute("SELECT * FROM totrain.rows('SHOW VERSIONS m')", "restored")
            self.assertEqual([row["version"] for row, in rows], [2, 1])
            self.server.execute("DROP DATABASE restored WITH (FORCE)")

    def test_what_is_kept_is_seen_by_its_owner_alone(self):
        self.execute("CREATE ROLE other LOGIN IN ROLE totrain_user")
        self.addCleanup(self.server.execute, "DROP ROLE other")
        self.assertEqual(len(self.execute("SELECT * FROM totrain.models", "keeper")), 1)
        self.assertEqual(self.execute("SELECT * FROM totrain.models", "other"), [])
        for table in ("models", "versions", "metrics"):
            with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
                self.execute(f"SELECT * FROM totrain.kept_{table}", "other")


if __name__ == "__main__":
    harness.main()
