"""The statements of docs/in-production.md, and the walk of an administrator through the life of a database."""

import os
import pathlib
import re
import shutil
import subprocess

import psycopg2
from psycopg2 import errors

import harness
from harness import run_statement

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "in-production.md"
OLDER = pathlib.Path(__file__).resolve().parent / "upgrade"
TRAIN = "SELECT * FROM shop.flowers TO TRAIN XGBClassifier WITH train.seed = {} LABEL class INTO shop.kinds"
FLOWER = "5.1, 3.5, 1.4, 0.2"
ROLES = ("nightly", "webapp", "operator")


class Case(harness.Case):
    @classmethod
    def prepare(cls, connection):
        harness.load_csv(connection, "iris")  # each test makes the extension
        for script in OLDER.glob("totrain--*.sql"):
            shutil.copy(script, cls.server.extensions / script.name)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.drop_roles)

    def drop_roles(self):
        self.drop_database()
        self.server.execute(f'CREATE DATABASE "{self.database}" TEMPLATE prepared')  # the harness drops it
        for role in ROLES:
            self.server.execute(f"DROP ROLE IF EXISTS {role}")


class Page(Case):
    def test_every_block_of_sql_in_its_order(self):
        blocks = re.findall(r"^```sql\n(.*?)^```\n", PAGE.read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreater(len(blocks), 7)
        out = self.check_psql("".join(blocks))
        self.assertRegex(out, r"(?m)^shop\.churn\|[0-9]{4,}\|[0-9]{3,}$")
        self.assertRegex(out, r"(?m)^2\|\w+\|\S+\|current\|validation\|\{")
        self.assertRegex(out, r"(?m)^t\|0\.[0-9]+$")
        self.assertEqual(out.splitlines()[-2:], [self.version(), "t"])

    @staticmethod
    def version():
        control = (harness.BUILD / "postgres" / "totrain.control").read_text(encoding="utf-8")
        return re.search("default_version = '(.*)'", control).group(1)


class Walk(Case):
    def as_role(self, role, database=None):
        connection = self.server.connect(database or self.database, role)
        self.addCleanup(connection.close)
        return connection.cursor()

    def install(self, version=""):
        self.execute(f"""CREATE EXTENSION totrain {version};
            CREATE ROLE nightly LOGIN IN ROLE totrain_user; CREATE ROLE webapp LOGIN; CREATE ROLE operator LOGIN;
            CREATE SCHEMA shop AUTHORIZATION nightly; GRANT USAGE ON SCHEMA shop TO webapp;
            CREATE TABLE shop.flowers AS SELECT * FROM iris; ALTER TABLE shop.flowers OWNER TO nightly;
            ALTER DEFAULT PRIVILEGES FOR ROLE nightly IN SCHEMA shop GRANT SELECT ON TABLES TO webapp""")

    def predict(self, database=None):
        """The application's prepared query, again and again as generic plan."""
        webapp = self.as_role("webapp", database)
        webapp.execute("PREPARE kind(float8, float8, float8, float8) AS SELECT totrain.predict('shop.kinds', ROW($1, $2, $3, $4))")
        found = set()
        for _ in range(8):
            webapp.execute(f"EXECUTE kind({FLOWER})")
            found.add(webapp.fetchone())
        self.assertEqual(found, {("0",)})

    def run_tool(self, *command, database=None, **options):
        done = subprocess.run(command, check=False, capture_output=True, **options,
                              env={**os.environ, **self.server.variables(database or self.database)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_from_an_older_version_to_the_end(self):
        self.install("VERSION '1.0'")
        with self.assertRaisesRegex(psycopg2.Error, "extension totrain has version 1.0 here"):
            self.as_role("nightly").execute(TRAIN.format(1))
        self.execute("ALTER EXTENSION totrain UPDATE; GRANT totrain_reader TO webapp; GRANT totrain_admin TO operator")
        nightly = self.as_role("nightly")
        for seed in range(3):  # three nights, with the application in between
            run_statement(nightly, TRAIN.format(seed))
            self.predict()
        with self.assertRaises(errors.InsufficientPrivilege):
            self.as_role("webapp").execute(TRAIN.format(1))
        self.lose_a_night()
        self.back_up_and_restore()
        self.execute("DROP EXTENSION totrain")
        self.assertGreater(self.execute("SELECT count(*) FROM shop.kinds")[0][0], 1)
        self.execute("CREATE EXTENSION totrain; GRANT totrain_reader TO webapp")
        self.predict()

    def lose_a_night(self):
        """The night's transaction is rolled back, and the operator publishes what it has learned."""
        connection = self.server.connect(self.database, "nightly", autocommit=False)
        self.addCleanup(connection.close)
        connection.cursor().execute("SELECT * FROM totrain.run(%s)", (TRAIN.format(9),))
        connection.rollback()
        operator = self.as_role("operator")
        operator.execute("SELECT id, owner FROM totrain.jobs WHERE state = 'unpublished'")
        (job, owner), = operator.fetchall()
        operator.execute("SELECT detail FROM totrain.publish(%s, %s) WHERE name = 'version'", (job, owner))
        self.assertEqual(operator.fetchone(), ("4",))
        self.predict()

    def back_up_and_restore(self):
        """Into another database, by the owner's dump, with a materialised view and all versions."""
        self.execute("SET ROLE nightly; CREATE MATERIALIZED VIEW shop.guesses AS SELECT totrain.predict('shop.kinds', f) AS kind "
                     "FROM shop.flowers f")
        copy = f"{self.database[:50]}_copy"
        dump = self.run_tool("pg_dump", "--format=custom")
        self.server.execute(f'CREATE DATABASE "{copy}" TEMPLATE template0')
        self.addCleanup(self.server.execute, f'DROP DATABASE IF EXISTS "{copy}" WITH (FORCE)')
        self.run_tool("pg_restore", "--exit-on-error", f"--dbname={copy}", database=copy, input=dump)
        for query in ("SELECT kind, count(*) FROM shop.guesses GROUP BY kind ORDER BY kind",
                      "SELECT version, count(*), sum(octet_length(data)) FROM totrain.versions GROUP BY version ORDER BY version"):
            self.assertEqual(self.server.execute(query, copy), self.execute(query))
        self.predict(copy)
        run_statement(self.as_role("nightly", copy), TRAIN.format(10))
        run_statement(self.as_role("nightly", copy), "ROLLBACK MODEL shop.kinds TO 2")
        self.server.execute(f'DROP DATABASE "{copy}" WITH (FORCE)')
        self.execute("DROP MATERIALIZED VIEW shop.guesses")


if __name__ == "__main__":
    harness.main()
