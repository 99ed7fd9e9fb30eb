"""The fate of models when tables, owners, schemas, databases and the extension itself come and go."""

import concurrent.futures
import json
import os
import subprocess

import harness
from harness import run_statement

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {epochs} LABEL class INTO {model}"


class Lifecycle(harness.Case):
    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()
        self.train(2)
        self.train(9)

    def train(self, epochs, model="m", cursor=None):
        run_statement(cursor or self.cursor, TRAIN.format(epochs=epochs, model=model))

    def ours(self, statement):
        return run_statement(self.cursor, statement)

    def ask(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchall() if self.cursor.description else None

    def kept_rows(self):
        return [self.ask(f"SELECT count(*) FROM totrain.{table}")[0][0] for table in ("models", "versions", "metrics")]

    def models(self):
        return self.ours("SHOW MODELS FULL")

    def predictions(self, model="m"):
        return self.ask(f"SELECT totrain.predict('{model}', iris) FROM iris")

    def test_rename_and_move(self):
        before = self.predictions()
        self.ask("CREATE SCHEMA other; ALTER TABLE m RENAME TO n; ALTER TABLE n SET SCHEMA other")
        self.assertEqual(self.predictions("other.n"), before)
        self.assertEqual(len(self.ours("SHOW VERSIONS other.n")), 2)
        self.ours("ROLLBACK MODEL other.n TO 1")
        self.assertNotEqual(self.predictions("other.n"), before)
        self.assertEqual(self.ask("SELECT relation::text, version FROM totrain.models"), [("other.n", 1)])

    def test_another_owner(self):
        self.ask("CREATE ROLE heir LOGIN IN ROLE totrain_user; GRANT ALL ON SCHEMA public TO heir; GRANT SELECT ON iris TO heir")
        try:
            self.ask("ALTER TABLE m OWNER TO heir")
            heir = self.connect(user="heir").cursor()
            self.train(3, "m", heir)
            heir.execute("SELECT totrain.predict('m', iris) FROM iris LIMIT 1")
            self.assertEqual(self.ask("SELECT tableowner FROM pg_tables WHERE tablename = 'm'"), [("heir",)])
        finally:
            self.ask("DROP OWNED BY heir CASCADE")
            self.ask("DROP ROLE heir")

    def test_going_back_waits_for_who_trains_the_same_name(self):
        training = self.connect(autocommit=False).cursor()
        training.execute("SELECT count(*) FROM totrain.run(%s)", (TRAIN.format(epochs=3, model="m"),))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            back = pool.submit(run_statement, self.connect().cursor(), "ROLLBACK MODEL m TO 1")
            harness.wait_for(lambda: self.execute("SELECT 1 FROM pg_locks WHERE NOT granted"),
                             "one who waits for the name's lock")
            training.connection.commit()
            self.assertEqual(back.result(), [{"model": "m", "version": 1}])
        versions = self.ours("SHOW VERSIONS m")
        self.assertEqual([(row["version"], row["state"]) for row in versions], [(3, "kept"), (2, "kept"), (1, "current")])
        self.assertEqual({row["part"] for row in versions}, {"training"})
        self.assertEqual(len({json.loads(row["metrics"])["loss"] for row in versions}), 3)

    def test_a_copy_whose_original_is_gone_goes_on_from_its_version(self):
        session = self.connect()
        self.train(3, "pg_temp.t", session.cursor())
        session.cursor().execute("CREATE TABLE taken AS SELECT * FROM pg_temp.t")
        session.close()
        # The row of a temporary table goes with the next DROP, not with the session.
        harness.wait_for(lambda: not self.execute("SELECT 1 FROM pg_class WHERE relname = 't'"), "the end of the session")
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.kept_models r WHERE NOT EXISTS "
                                      "(SELECT FROM pg_class c WHERE c.oid = r.relation)"), [(1,)])
        self.train(3, "taken")
        self.assertEqual([row["version"] for row in self.ours("SHOW VERSIONS taken")], [2, 1])
        # While there is an original, a copy that is trained is another model.
        self.ask("CREATE TABLE copied AS SELECT * FROM m")
        self.train(3, "copied")
        self.assertEqual([row["version"] for row in self.ours("SHOW VERSIONS copied")], [1])

    def test_a_copy_is_a_model_too(self):
        self.ask("CREATE TABLE copied AS SELECT * FROM m")
        self.assertEqual(self.predictions("copied"), self.predictions())
        self.ask("DROP TABLE m")
        self.assertTrue(self.predictions("copied"))

    def test_dump_and_restore(self):
        before = self.predictions()
        for form in ("plain", "custom"):
            with self.subTest(form):
                self.server.execute("CREATE DATABASE restored")
                try:
                    dump = subprocess.run(["pg_dump", f"--format={form}"], check=True, capture_output=True,
                                          env={**os.environ, **self.server.variables(self.database)}).stdout
                    restore = (["psql", "-Xq", "-v", "ON_ERROR_STOP=1"] if form == "plain" else
                               ["pg_restore", "--exit-on-error", "-d", "restored"])
                    done = subprocess.run(restore, input=dump, capture_output=True, check=False,
                                          env={**os.environ, **self.server.variables("restored")})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    ask = lambda sql: self.server.execute(sql, "restored")  # noqa: E731
                    self.assertEqual(ask("SELECT totrain.predict('m', iris) FROM iris"), before)
                    self.assertEqual(len(ask("SELECT * FROM totrain.rows('SHOW VERSIONS m')")), 2)
                    ask("SELECT * FROM totrain.rows('ROLLBACK MODEL m TO 1')")
                    self.assertNotEqual(ask("SELECT totrain.predict('m', iris) FROM iris"), before)
                finally:
                    self.server.execute("DROP DATABASE restored WITH (FORCE)")

    def test_drop_extension_and_create_it_again(self):
        before = self.predictions()
        self.ask("DROP EXTENSION totrain")
        self.assertEqual(self.ask("SELECT * FROM pg_namespace WHERE nspname = 'totrain'"), [])
        self.assertEqual(self.ask("SELECT * FROM pg_event_trigger"), [])
        self.assertEqual(self.tables(), {"iris", "m"})
        self.ask("CREATE EXTENSION totrain")
        self.assertEqual(self.predictions(), before)
        self.train(3)
        self.assertEqual(len(self.ours("SHOW MODELS")), 1)

    def test_in_a_database_of_another_encoding(self):
        self.server.execute("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        try:
            connection = self.server.connect("latin")
            cursor = connection.cursor()
            connection.set_client_encoding("UTF8")
            cursor.execute("CREATE EXTENSION totrain")
            cursor.execute("CREATE TABLE \u00fcmlaut AS SELECT g AS \u00e9t\u00e9, CASE WHEN g % 2 = 0 THEN '\u00e4' ELSE '\u00f6' END AS wort, g % 2 AS y FROM "
                           "generate_series(1, 50) g")
            run_statement(cursor, "SELECT * FROM \u00fcmlaut TO TRAIN LinearClassifier WITH train.epoch = 20 LABEL wort INTO gr\u00f6\u00dfe")
            cursor.execute("SELECT DISTINCT totrain.predict('gr\u00f6\u00dfe', \u00fcmlaut) FROM \u00fcmlaut ORDER BY 1")
            self.assertLessEqual({row[0] for row in cursor.fetchall()}, {"\u00e4", "\u00f6"})
            cursor.execute("SELECT count(*) FROM gr\u00f6\u00dfe WHERE part = 'weight' AND name = '\u00e9t\u00e9'")
            self.assertEqual(cursor.fetchone(), (1,))
            with self.assertRaisesRegex(Exception, "\u00e9tt"):
                run_statement(cursor, "SELECT * FROM \u00fcmlaut TO TRAIN LinearClassifier LABEL \u00e9tt INTO x")
            cursor.execute("CREATE FUNCTION fail(integer) RETURNS integer LANGUAGE plpgsql AS "
                           "$$ BEGIN RAISE EXCEPTION 'zu gro\u00df: \u00e4\u00f6\u00fc, %', $1 USING HINT = 'K\u00fcrze sie \u00fcberall.'; END $$")
            with self.assertRaisesRegex(Exception, "zu gro\u00df: \u00e4\u00f6\u00fc, 7\n.*K\u00fcrze sie \u00fcberall\\.\n"):
                run_statement(cursor, "SELECT fail(7) AS x, 1 AS y TO TRAIN LinearClassifier LABEL y INTO x")
            connection.close()
        finally:
            self.server.execute("DROP DATABASE latin WITH (FORCE)")

    def test_an_error_whose_text_is_in_no_encoding(self):
        """It is caught by whoever catches errors, and undoes what it has to and nothing else."""
        self.server.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        self.addCleanup(self.server.execute, "DROP DATABASE bytes WITH (FORCE)")
        connection = self.server.connect("bytes")
        self.addCleanup(connection.close)
        cursor = connection.cursor()
        cursor.execute("""
            CREATE EXTENSION totrain;
            CREATE TABLE seen (what text);
            CREATE FUNCTION fail(integer) RETURNS integer LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'bad %', convert_from('\\xe9', 'SQL_ASCII'); END $$;
            DO $$ BEGIN
                INSERT INTO seen VALUES ('before');
                BEGIN
                    PERFORM totrain.run('SELECT fail(g) AS x, g AS y FROM generate_series(1, 9) g
                                         TO TRAIN LinearClassifier LABEL y INTO m');
                EXCEPTION WHEN OTHERS THEN
                    INSERT INTO seen VALUES (sqlstate || ' ' || sqlerrm);
                END;
            END $$""")
        cursor.execute("SELECT what FROM seen")
        self.assertEqual(cursor.fetchall(), [("before",), ("P0001 bad ?",)])


if __name__ == "__main__":
    harness.main()
