"""The surroundings of a server: a subscriber by logical replication, foreign tables, and the cluster that pg_upgrade
makes of this one."""

import re
import shutil
import subprocess

import psycopg2

import harness
from harness import run_statement
from server import BASE_ENVIRONMENT, Server, pg_config

TRAIN = "SELECT * FROM {} TO TRAIN LinearClassifier WITH train.epoch = 2, train.seed = {} LABEL class INTO {}"
META = "SELECT convert_from(data, 'UTF8')::json ->> '{}' FROM {} WHERE part = 'meta'"


class Subscriber(harness.Case):
    """Another server, which has the tables that this one publishes."""

    settings = {**harness.BARE, "wal_level": "logical"}

    def setUp(self):
        super().setUp()
        self.other = Server(harness.BARE)
        self.addCleanup(self.other.close)
        self.other.execute("CREATE EXTENSION totrain")
        self.cursor, self.there = self.connect().cursor(), self.other.connect().cursor()
        self.addCleanup(self.there.connection.close)
        run_statement(self.cursor, TRAIN.format("iris", 1, "m"))
        run_statement(self.cursor, "SELECT * FROM iris TO PREDICT told.k USING m")

    def subscribe(self, publication):
        dumped = subprocess.run(["pg_dump", "--schema-only", "-t", "iris", "-t", "m", "-t", "told"], env={**BASE_ENVIRONMENT, **self.server.variables(self.database)},
                                text=True, capture_output=True, check=True).stdout
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1"], input=dumped, text=True, capture_output=True, check=True,
                       env={**BASE_ENVIRONMENT, **self.other.variables()})
        self.execute(f"CREATE PUBLICATION several {publication}")
        self.addCleanup(self.unsubscribe)
        self.there.execute(f"CREATE SUBSCRIPTION several CONNECTION 'host={self.server.socket} port={self.server.port} dbname={self.database} user={harness.SUPERUSER}' "
                           "PUBLICATION several")
        self.eventually_there("SELECT count(*) > 0 AND bool_and(srsubstate = 'r' OR srsubstate = 's') FROM pg_subscription_rel", True)

    def unsubscribe(self):
        """Once again at the end of a test."""
        self.there.execute("SELECT 1 FROM pg_subscription")
        if self.there.fetchall():
            self.there.execute("DROP SUBSCRIPTION several")
            self.there.execute("DROP TABLE iris, m, told")
            self.execute("DROP PUBLICATION several")

    def eventually_there(self, query, wanted):
        harness.eventually(lambda: self.other.execute(query), [(wanted,)], query)

    def test_models_and_their_versions_arrive(self):
        self.subscribe("FOR ALL TABLES")
        self.eventually_there(META.format("version", "m"), "1")
        self.there.execute("SELECT count(totrain.predict('m', iris)) FROM iris")
        self.assertEqual(self.there.fetchone()[0], 150)
        first = self.digest("m")
        run_statement(self.cursor, TRAIN.format("iris", 2, "m"))
        self.eventually_there(META.format("digest", "m"), self.digest("m"))
        self.assertNotEqual(self.digest("m"), first)
        self.assertEqual([(row["version"], row["state"]) for row in run_statement(self.there, "SHOW VERSIONS m")], [(2, "current"), (1, "kept")])
        self.assertEqual({row["name"] for row in run_statement(self.there, "SHOW MODELS")}, {"m"})

    def published(self):
        return {name for name, in self.execute("SELECT tablename FROM pg_publication_tables")}

    def predict(self, rows="iris", attributes=""):
        """The notices of the statement."""
        del self.cursor.connection.notices[:]
        run_statement(self.cursor, f"SELECT * FROM {rows} TO PREDICT told.k {attributes} USING m")
        return " ".join(self.cursor.connection.notices)

    def test_a_published_model_is_trained_again(self):
        self.subscribe("FOR TABLE iris, m, told")
        run_statement(self.cursor, TRAIN.format("iris", 2, "m"))
        self.eventually_there(META.format("digest", "m"), self.digest("m"))

    def test_a_published_table_of_predictions_gets_its_new_rows(self):
        """In place, whoever scores them and whatever is published."""
        for i, publication in enumerate(("FOR TABLE told", "FOR ALL TABLES", "FOR TABLES IN SCHEMA public")):
            with self.subTest(publication):
                self.subscribe(publication)
                before = self.execute("SELECT 'told'::regclass::oid")
                self.execute("CREATE INDEX ON told (k)")
                for rows, attributes in ((20 + i, ""), (30 + i, "WITH job.max_workers = 2")):
                    self.assertEqual(self.predict(f"iris LIMIT {rows}", attributes), "")
                    self.eventually_there("SELECT count(*) FROM told", rows)
                self.assertEqual(self.execute("SELECT 'told'::regclass::oid"), before)
                self.assertEqual(self.execute("SELECT count(*) FROM pg_index WHERE indrelid = 'told'::regclass"), [(1 + i,)])
                self.assertEqual(self.execute("SELECT relname FROM pg_class WHERE relname ~ '^totrain_new'"), [])
                self.unsubscribe()

    def test_a_table_of_metrics_does(self):
        evaluate = "SELECT * FROM iris TO EVALUATE m LABEL class INTO told"
        self.execute("DROP TABLE told")
        run_statement(self.cursor, evaluate)
        self.subscribe("FOR TABLE told")
        before = self.execute("SELECT 'told'::regclass::oid")
        run_statement(self.cursor, TRAIN.format("iris", 2, "m"))
        run_statement(self.cursor, evaluate)
        self.assertEqual(self.execute("SELECT 'told'::regclass::oid"), before)
        self.eventually_there("SELECT count(*) FROM told", 1)

    def test_its_comment_grants_and_rows_are_those_of_any(self):
        self.execute("CREATE TABLE alone AS TABLE iris; CREATE ROLE looks; GRANT SELECT ON told TO looks; CREATE PUBLICATION several FOR TABLE told")
        self.addCleanup(self.server.execute, "DROP ROLE looks")
        self.addCleanup(self.execute, "DROP OWNED BY looks")
        rights = "SELECT relacl::text, obj_description(oid, 'pg_class') FROM pg_class WHERE relname = 'told'"
        before = self.execute(rights), self.execute("SELECT md5(told::text) FROM told ORDER BY 1")
        self.predict()
        self.assertEqual((self.execute(rights), self.execute("SELECT md5(told::text) FROM told ORDER BY 1")), before)

    def test_one_with_other_columns_or_a_trigger_is_a_new_table_and_a_notice_says_so(self):
        self.execute("CREATE PUBLICATION several FOR TABLE told")
        self.assertRegex(self.predict("(SELECT *, 1 AS more FROM iris) q"), 'public.told is a new one, .* not published by several until')
        self.assertEqual(self.published(), set())
        self.execute("""
            ALTER PUBLICATION several ADD TABLE told; CREATE TABLE log (x int);
            CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (1); RETURN NULL; END';
            CREATE TRIGGER log AFTER TRUNCATE ON told EXECUTE FUNCTION log()""")
        self.assertRegex(self.predict("(SELECT *, 1 AS more FROM iris) q"), 'public.told is a new one, .* not published by several until')
        self.assertEqual(self.execute("SELECT * FROM log"), [])
        self.execute("ALTER PUBLICATION several ADD TABLE told")
        self.assertEqual(self.predict("(SELECT *, 1 AS more FROM iris) q"), "")

    def test_other_columns_do_not_stop_a_subscription_to_all_tables(self):
        self.subscribe("FOR ALL TABLES")
        more = "(SELECT *, 1 AS more FROM iris) q"
        self.assertRegex(self.predict(more), "a subscriber gets no rows of it before it is written again")
        self.execute("INSERT INTO iris SELECT * FROM iris LIMIT 1")
        self.eventually_there("SELECT count(*) FROM iris", 151)
        self.there.execute("ALTER TABLE told ADD COLUMN more int; DROP TABLE told; CREATE TABLE told AS SELECT *, 1 AS more, 1 AS k FROM iris WHERE false")
        self.there.execute("ALTER SUBSCRIPTION several REFRESH PUBLICATION")
        self.eventually_there("SELECT bool_and(srsubstate = 'r' OR srsubstate = 's') FROM pg_subscription_rel", True)
        self.predict(more)
        self.eventually_there("SELECT count(*) FROM told", 151)

    def notices_of(self, statement):
        del self.cursor.connection.notices[:]
        run_statement(self.cursor, statement)
        return " ".join(self.cursor.connection.notices)

    def test_a_new_table_does_not_stop_a_subscription_to_all_tables(self):
        """Predictions are published by any session, with any publication; the subscriber gets them once it has the
        table."""
        for publication in ("FOR ALL TABLES", "FOR TABLES IN SCHEMA public"):
            with self.subTest(publication):
                self.subscribe(publication)
                for statement in ("TO PREDICT first.k USING m", "TO PREDICT other.k WITH job.max_workers = 2 USING m", "TO EVALUATE m INTO judged"):
                    name = re.search("first|other|judged", statement)[0]
                    self.assertIn(f"table public.{name} is new and published by several: a subscriber gets its rows once it has such a table",
                                  self.notices_of(f"SELECT * FROM iris {statement}"))
                self.execute("INSERT INTO iris SELECT * FROM iris LIMIT 1")
                self.eventually_there("SELECT count(*) FROM iris", self.execute("SELECT count(*) FROM iris")[0][0])
                self.there.execute("CREATE TABLE first AS SELECT *, 1 AS k FROM iris WHERE false; CREATE TABLE other (LIKE first); CREATE TABLE judged (LIKE told)")
                self.follow_new_tables(self.execute("SELECT count(*) FROM first")[0][0])
                self.unsubscribe()
                for cursor in (self.there, self.cursor):
                    cursor.execute("DROP TABLE first, other, judged")

    def follow_new_tables(self, rows):
        """Present rows are copied, and rows that are written again arrive."""
        self.there.execute("DROP TABLE judged; CREATE TABLE judged AS SELECT ''::text AS name, 0::float8 AS value, ''::text AS part LIMIT 0")
        self.there.execute("ALTER SUBSCRIPTION several REFRESH PUBLICATION")
        self.eventually_there("SELECT count(*) FROM first", rows)
        run_statement(self.cursor, "SELECT * FROM iris LIMIT 20 TO PREDICT first.k USING m")
        self.eventually_there("SELECT count(*) FROM first", 20)

    def test_a_new_table_of_the_sessions_own_is_not_told_of(self):
        self.execute("CREATE PUBLICATION several FOR ALL TABLES")
        self.assertEqual(self.notices_of("SELECT * FROM iris TO PREDICT pg_temp.first.k USING m"), "")
        self.cursor.execute("SELECT count(*) FROM pg_temp.first")
        self.assertEqual(self.cursor.fetchone(), (150,))

    def test_a_first_model_stops_it_and_a_notice_says_so(self):
        self.subscribe("FOR ALL TABLES")
        told = "table public.another is new and published by several: a subscription stops here until the subscriber has such a table"
        self.assertIn(told, self.notices_of(TRAIN.format("iris", 1, "another")))
        harness.wait_for(lambda: 'logical replication target relation "public.another" does not exist' in self.other.log(), "the error of the subscriber")
        self.assertNotIn(told, self.notices_of(TRAIN.format("iris", 1, "another")))
        self.there.execute("CREATE TABLE another (LIKE m)")
        self.there.execute("ALTER SUBSCRIPTION several REFRESH PUBLICATION")
        self.eventually_there(META.format("version", "another"), "2")


class Foreign(harness.Case):
    """Tables of another database by postgres_fdw."""

    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()
        run_statement(self.cursor, TRAIN.format("iris", 1, "m"))
        run_statement(self.cursor, "SELECT * FROM iris TO PREDICT told.k USING m")
        self.cursor.execute(f"""
            CREATE EXTENSION postgres_fdw;
            CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{self.server.socket}', port '{self.server.port}', dbname '{self.database}');
            CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user '{harness.SUPERUSER}');
            CREATE SCHEMA far; IMPORT FOREIGN SCHEMA public FROM SERVER far INTO far""")

    def test_its_rows_are_read_as_those_of_a_table(self):
        run_statement(self.cursor, TRAIN.format("far.iris", 1, "own"))
        self.assertEqual(self.digest("own"), self.digest("m"))
        run_statement(self.cursor, "SELECT * FROM far.iris TO TRAIN LinearClassifier WITH train.epoch = 2, train.seed = 1, job.min_workers = 2, "
                                   "job.max_workers = 2 LABEL class INTO apart")
        self.assertEqual(self.execute("SELECT count(totrain.predict('own', i)) FROM far.iris i"), [(150,)])
        self.assertEqual(run_statement(self.cursor, "SELECT * FROM far.iris TO PREDICT fresh.k USING own")[0]["rows"], 150)

    def test_it_is_neither_a_model_nor_a_target(self):
        for statement, error in (("SELECT * FROM iris TO EVALUATE far.m LABEL class", "neither a table nor a view"),
                                 (TRAIN.format("iris", 2, "far.m"), "exists and is no ordinary table"),
                                 ("SELECT * FROM iris TO PREDICT far.told.k USING m", "exists and is no ordinary table")):
            with self.subTest(statement=statement), self.assertRaisesRegex(psycopg2.Error, error):
                run_statement(self.cursor, statement)
        with self.assertRaisesRegex(psycopg2.Error, "neither a table nor a view"):
            self.cursor.execute("SELECT totrain.predict('far.m', ROW(1, 2, 3, 4))")
        self.assertEqual({row["name"] for row in run_statement(self.cursor, "SHOW MODELS")}, {"m"})

    def test_a_server_that_cannot_be_reached_is_its_error(self):
        self.cursor.execute("ALTER SERVER far OPTIONS (SET port '1')")
        with self.assertRaisesRegex(psycopg2.Error, "could not connect to server"):
            run_statement(self.cursor, TRAIN.format("far.iris", 1, "own"))
        self.check_nothing_runs()


class Upgraded(harness.Case):
    """By pg_upgrade, from 15 to 15: the same way as to a later one."""

    def test_models_and_versions_are_kept(self):
        server = Server(harness.BARE)
        self.addCleanup(server.close)
        server.execute("CREATE EXTENSION totrain")
        cursor = server.connect().cursor()
        harness.load_csv(cursor.connection, "iris")
        for seed in (1, 2):
            run_statement(cursor, TRAIN.format("iris", seed, "m"))
        before = server.execute(META.format("digest", "m"))
        cursor.execute("CREATE VIEW guesses AS SELECT totrain.predict('public.m', i) AS guess FROM iris i; CREATE MATERIALIZED VIEW kept_guesses AS TABLE guesses")
        cursor.connection.close()
        self.upgrade(server)
        with server.connect() as connection, connection.cursor() as after:
            self.assertEqual(server.execute(META.format("digest", "m")), before)
            self.assertEqual([(row["version"], row["state"]) for row in run_statement(after, "SHOW VERSIONS m")], [(2, "current"), (1, "kept")])
            self.assertEqual(server.execute("SELECT count(guess) FROM guesses"), [(150,)])
            self.assertEqual(server.execute("SELECT count(guess) FROM kept_guesses"), [(150,)])
            self.assertEqual(run_statement(after, "ROLLBACK MODEL m TO 1")[0]["version"], 1)
            run_statement(after, TRAIN.format("iris", 3, "m"))
        connection.close()

    @staticmethod
    def upgrade(server):
        for path in pg_config("bindir").iterdir():
            if not (server.bin / path.name).exists():
                shutil.copy2(path, server.bin / path.name)
        server.stop()
        data, old = server.folder / "data", server.folder / "old"
        data.rename(old)
        server.run_as_user([server.bin / "initdb", "--pgdata", data, "--no-sync", "--auth=trust", "--no-instructions", f"--username={harness.SUPERUSER}",
                            "--encoding=UTF8", "--locale=C.UTF-8", "--wal-segsize=1"])
        server.run_as_user([server.bin / "pg_upgrade", "-b", server.bin, "-B", server.bin, "-d", old, "-D", data, "-U", harness.SUPERUSER, "-s", server.socket])
        shutil.copy2(old / "postgresql.conf", data / "postgresql.conf")
        server.start()


if __name__ == "__main__":
    harness.main()
