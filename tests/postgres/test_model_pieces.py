"""A large model goes into its table by committed pieces, where no transaction of the user's is open: whoever publishes it
again goes on behind the last of them. No table of another role is taken for one of ours, nor one with traps on it."""

import contextlib
import json
import pathlib
import signal
import subprocess

import psycopg2

import harness
import pieces
import program
from harness import wait_for
from pieces import BYTES, OTHER, TRAIN



class Case(pieces.Observed, program.Case):
    # Pages that vacuum makes dirty would be written by any process that needs the memory, and finds its file too
    # long.
    settings = {**harness.BARE, "max_wal_size": "4GB", "autovacuum": "off"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute(f"""
            {pieces.ROWS_TO_LEARN};
            CREATE ROLE alice LOGIN IN ROLE totrain_user; CREATE ROLE bob LOGIN; CREATE ROLE eve LOGIN;
            GRANT SELECT ON t TO PUBLIC; GRANT CREATE ON SCHEMA public TO alice, eve""")

    def train(self, model="m", settings="", user="alice"):
        return self.check(TRAIN.format(settings, model), user=user)

    @contextlib.contextmanager
    def file_limit(self, most):
        """Backends that start meanwhile find the disk full behind so many bytes of a file: more than the 1 MiB of one
        of the log, which a server does not live without."""
        self.execute("CHECKPOINT")  # they need not write what others have left in memory
        self.limit_files(most)
        try:
            yield
        finally:
            self.limit_files("unlimited")

    def limit_files(self, most):
        self.server.run_as_user(["prlimit", f"--pid={self.server.pid}", f"--fsize={most}:"])

    def fill(self, most, settings="", user="alice"):
        """There is room for so many bytes of the model m."""
        with self.file_limit(most):
            self.refused(TRAIN.format(settings, "m"), 1, "could not extend file", user=user)

    def last_job(self):
        done = subprocess.run([program.PROGRAM, "jobs", "--format=json"], text=True, capture_output=True, check=True,
                              env=self.environment())
        return str(max(job["id"] for job in json.loads(done.stdout)))

    def publisher(self, user="alice"):
        process = subprocess.Popen([program.PROGRAM, "publish", self.last_job()], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment(user))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def publish(self, user="alice"):
        """Publishes, and returns the message."""
        process = self.publisher(user)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def told_by_program(self):
        done = self.run_program("-c", TRAIN.format("", "m"), user="alice")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def started_as_alice(self, *command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment("alice"))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def listed(self):
        return [row["name"] for row in self.check("SHOW MODELS")]


class Pieces(Case):
    def test_a_new_model(self):
        """A full disk, then a kill in the middle of a piece: the next one goes on."""
        self.train("other")
        self.fill(BYTES // 4)
        self.assertNotIn("m", self.tables())
        self.assertEqual(self.listed(), ["other"])
        marked = self.mark()
        with self.file_limit(BYTES * 3 // 4):
            self.assertNotEqual(self.publisher().wait(), 0)
        self.assertGreater(self.mark(), marked)
        marked = self.mark()
        holder = self.hold()
        killed = self.publisher()
        writer = self.wait_for_writer()
        killed.kill()
        self.assertEqual(killed.wait(), -signal.SIGKILL)
        holder.close()
        wait_for(lambda: not self.execute(f"SELECT 1 FROM pg_stat_activity WHERE pid = {writer}"), "the end of its session")
        self.assertEqual(self.kept(), marked)
        self.publish()
        self.assertEqual(self.count_marked("m"), marked)
        self.check_whole("m", "other")
        self.assertEqual(self.listed(), ["m", "other"])
        self.assertEqual(self.execute("SELECT relreplident, relowner::regrole::text FROM pg_class WHERE relname = 'm'"),
                         [("f", "alice")])

    def test_a_model_that_replaces_another(self):
        """A session that refers to its table goes on; one that reads meanwhile sees the old model, and it is kept."""
        self.train("other", OTHER)
        self.train("m")
        self.train("kept")
        self.execute("CREATE TABLE seen (part text); CREATE VIEW parts AS SELECT DISTINCT part FROM m; "
                     "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (new.part); "
                     "RETURN new; END $$; CREATE TRIGGER note AFTER INSERT ON m FOR EACH ROW EXECUTE FUNCTION note(); "
                     "GRANT SELECT ON m TO bob", "alice")
        relation, = self.execute("SELECT 'm'::regclass::oid")
        self.fill(BYTES // 4, OTHER)
        marked = self.mark()
        self.check_same_rows("m", "kept")
        reader = self.connect(autocommit=False).cursor()
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*), sum(length(data)) FROM m")
        old = reader.fetchall()
        self.publish()
        reader.execute("SELECT count(*), sum(length(data)) FROM m WHERE value IS NULL")
        self.assertEqual(reader.fetchall(), old)
        reader.connection.commit()
        self.assertEqual(self.count_marked("m"), marked)
        self.check_whole("m", "other")
        self.assertEqual(self.execute("SELECT 'm'::regclass::oid"), [relation])
        self.assertEqual(self.execute("SELECT part FROM parts ORDER BY part"), [("meta",), ("statistics",), ("tensor",)])
        self.assertEqual(self.execute("SELECT count(*) FROM seen"), self.execute("SELECT count(*) FROM m", "bob"))
        self.check("ROLLBACK MODEL m TO 1", user="alice")
        self.assertEqual(self.digest("m"), self.digest("kept"))
        self.check_same_rows("m", "kept")

    def test_a_statement_of_the_server(self):
        """It goes on behind what the program has left; ended in the middle of a piece it leaves that to totrain.publish."""
        self.train("other")
        self.fill(BYTES // 4)
        marked = self.mark()
        holder = self.hold()
        session = subprocess.Popen(["psql", "-X", "-c", TRAIN.format("", "m")], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment("alice"))
        self.addCleanup(session.wait)
        self.addCleanup(session.kill)
        self.execute(f"SELECT pg_terminate_backend({self.wait_for_writer()})")
        self.assertNotEqual(session.wait(), 0)
        holder.close()
        self.assertEqual(self.kept(), marked)
        job, = self.eventually("SELECT id FROM totrain.jobs WHERE state = 'unpublished'", bool, "alice")
        self.execute(f"SELECT totrain.publish({job[0]})", "alice")
        self.assertEqual(self.count_marked("m"), marked)
        self.check_whole("m", "other")

    def test_a_connection_that_is_lost(self):
        """In the middle of a piece: the program goes on over another one, behind the pieces that are there."""
        self.train("other")
        self.fill(BYTES // 4)
        marked = self.mark()
        holder = self.hold()
        self.started_as_alice(program.PROGRAM, "postgres://", "-c", TRAIN.format("", "m"))
        lost = self.wait_for_writer()
        self.execute(f"SELECT pg_terminate_backend({lost})")
        wait_for(lambda: self.wait_for_writer() != lost, "another connection")
        self.assertEqual(self.kept(), marked)
        holder.rollback()
        wait_for(lambda: self.execute("SELECT 1 FROM totrain.models WHERE relation = to_regclass('m')"), "the model")
        self.assertEqual(self.count_marked("m"), marked)
        self.check_whole("m", "other")

    def test_in_the_users_transaction_nothing_is_committed(self):
        self.check_psql(f"BEGIN; SELECT totrain.run($${TRAIN.format('', 'm')}$$); ROLLBACK", user="alice")
        self.check(f"BEGIN; {TRAIN.format('', 'm')}; ROLLBACK", user="alice")
        self.assertEqual((self.parts(), "m" in self.tables()), ([], False))

    def test_another_model_of_the_name_removes_them(self):
        self.fill(BYTES // 4)
        left, = self.parts()
        self.execute(f"CREATE VIEW holding AS SELECT * FROM {left}", "eve")
        self.fill(BYTES // 4, OTHER)
        self.assertEqual(len(self.parts()), 1)
        self.assertNotEqual(self.parts(), [left])
        self.train("m", ", train.seed = 4")
        self.assertEqual(self.parts(), [])

    def test_a_publication_of_all_tables_carries_no_pieces(self):
        self.execute("CREATE PUBLICATION everything FOR ALL TABLES")
        self.fill(BYTES // 2)
        self.assertEqual(self.parts(), [])
        self.assertIn("interrupted: publication everything is of all tables, and its subscribers have no", self.told_by_program())
        self.execute("DROP PUBLICATION everything; CREATE PUBLICATION everything FOR TABLES IN SCHEMA public")
        self.fill(BYTES // 2)
        self.assertEqual(self.parts(), [])
        self.assertIn("publication everything has all tables in schema public, and", self.told_by_program())


class Publishers(Case):
    """All rows are there before the model is, whoever publishes it."""

    def check_pieces_come_first(self, start):
        """Others see all of them before the model is replaced, as nobody may write into that meanwhile."""
        self.train("m")
        holder = self.connect(autocommit=False)
        holder.cursor().execute("LOCK TABLE m IN SHARE MODE")
        start(TRAIN.format("{}", "m"))
        wait_for(self.waits_for_m, "one who publishes")
        self.assertEqual(self.kept(), self.execute("SELECT count(*) FROM m WHERE part = 'tensor'")[0][0])
        holder.rollback()
        wait_for(lambda: self.execute("SELECT 1 FROM totrain.models WHERE version = 2"), "the model")
        self.train("other", OTHER)
        self.check_whole("m", "other")

    def test_pieces_of_a_statement_of_the_server(self):
        self.check_pieces_come_first(lambda train: self.started_as_alice("psql", "-X", "-c", train.format(OTHER)))

    def test_pieces_of_a_detached_job_of_the_server(self):
        self.check_pieces_come_first(lambda train: self.check_psql(train.format(OTHER + ", job.wait = false"), user="alice"))

    def test_pieces_of_a_statement_of_the_program(self):
        self.check_pieces_come_first(lambda train: self.started_as_alice(program.PROGRAM, "postgres://", "-c", train.format(OTHER)))

    def test_pieces_of_a_detached_job_of_the_program(self):
        self.check_pieces_come_first(lambda train: self.check(train.format(OTHER + ", job.wait = false"), user="alice"))

    def waits_for_m(self):
        return self.execute("SELECT 1 FROM pg_locks WHERE relation = 'm'::regclass AND NOT granted")


class Traps(Case):
    """eve's functions count who else called them: a sequence forgets nothing in a rollback."""

    def setUp(self):
        super().setUp()
        self.execute("""
            CREATE SEQUENCE caught; GRANT ALL ON SEQUENCE caught TO PUBLIC;
            CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF current_user <> 'eve' THEN PERFORM pg_catalog.nextval('public.caught'); END IF;
                RETURN coalesce(new, old); END $$""", "eve")

    def check_untouched(self):
        self.assertEqual(self.execute("SELECT is_called FROM caught"), [(False,)])

    def set_trap(self, table):
        self.execute(f"CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION trap()", "eve")

    def in_one_transaction(self, table, what):
        return f'model "m" is written in one transaction, and not by pieces that stay when it is interrupted: {table} {what}'

    def detached(self, by_program):
        """The log of a job of alice's that its session does not wait for."""
        statement = TRAIN.format(", job.wait = false", "m")
        before = self.version_of_m()
        if by_program:
            self.check(statement, user="alice")
            folder = pathlib.Path(self.folder)
        else:
            self.check_psql(statement, user="alice")
            folder = self.server.state
        wait_for(lambda: self.version_of_m() != before, "the model")
        return max(folder.glob("**/log"), key=lambda log: log.stat().st_mtime).read_text(encoding="utf-8")

    def version_of_m(self):
        return self.execute("SELECT version FROM totrain.models WHERE relation = to_regclass('m')")

    def test_a_table_that_somebody_else_has_made(self):
        """With the comment and the rights that could make it be taken for one of ours. Each who publishes says so."""
        self.train("other")
        self.fill(BYTES // 4)
        part, = self.parts()
        comment = self.execute(f"SELECT obj_description('{part}'::regclass)")[0][0]
        self.execute(f"CREATE TABLE made (part text, name text, position bigint, value float8, data bytea); INSERT INTO made VALUES ('tensor', 'layer0/bias', 0, 1, 'x')", "eve")
        self.execute(f"DROP TABLE {part}")
        self.execute(f"ALTER TABLE made RENAME TO {part}; COMMENT ON TABLE {part} IS '{comment}'; GRANT ALL ON {part} TO PUBLIC", "eve")
        self.set_trap(part)
        told = self.in_one_transaction(f'table "public.{part}"', "belongs to role eve; dropping it makes room for the pieces")
        self.assertIn(f"NOTICE:  {told}", self.publish())
        self.assertIn(f"NOTICE:  {told}", self.told_by_program())
        self.assertEqual(self.execute(f"SELECT count(*) FROM {part}"), [(1,)])
        self.check_untouched()
        self.assertIn(f"NOTICE:  {told}", self.psql(TRAIN.format("", "m") + ";", user="alice").stderr)
        self.check_untouched()
        for by_program in (False, True):
            self.assertIn(f"publisher warn  {told}", self.detached(by_program))
        self.check_untouched()
        self.execute(f"DROP TABLE {part}; CREATE TYPE {part} AS ENUM ()", "eve")
        self.assertIn(self.in_one_transaction(f"type public.{part}", "has the name of the table for the pieces; dropping it"),
                      self.told_by_program())
        self.check_whole("m", "other")

    def test_what_is_on_a_table_of_ones_own_is_told(self):
        """By publishers that then find the disk full, so that the next one has the same model to write."""
        self.fill(BYTES // 4)
        part, = self.parts()
        comment = self.execute(f"SELECT obj_description('{part}'::regclass)")[0][0]
        for on, off, what in (
                ("ALTER TABLE {} ALTER part SET DEFAULT 'x'", "ALTER TABLE {} ALTER part DROP DEFAULT", "has a default"),
                ("ALTER TABLE {} ADD CONSTRAINT short CHECK (part <> '')", "ALTER TABLE {} DROP CONSTRAINT short", "has constraint short"),
                ("CREATE INDEX i ON {} (part)", "DROP INDEX i", "has an index"),
                ('CREATE RULE "a rule" AS ON INSERT TO {} DO ALSO NOTHING', 'DROP RULE "a rule" ON {}', 'has rule "a rule"'),
                ("ALTER TABLE {} ENABLE ROW LEVEL SECURITY", "ALTER TABLE {} DISABLE ROW LEVEL SECURITY", "has row security"),
                ("CREATE TABLE child () INHERITS ({})", "DROP TABLE child", "has a parent or a child"),
                ("COMMENT ON TABLE {} IS 'mine'", f"COMMENT ON TABLE {{}} IS '{comment}'", "has no comment that says how many rows"),
                ("ALTER TABLE {} RENAME data TO bytes", "ALTER TABLE {} RENAME bytes TO data", "has other columns than a model")):
            with self.subTest(on=on):
                self.execute(on.format(part), "alice")
                with self.file_limit(BYTES // 4):
                    _, errors = self.publisher().communicate()
                self.assertIn("could not extend file", errors)
                self.assertIn(self.in_one_transaction(f'table "public.{part}"', what), errors)
                self.execute(off.format(part), "alice")
        marked = self.mark()
        self.assertNotIn("one transaction", self.publish())
        self.assertEqual(self.count_marked("m"), marked)

    def test_a_role_that_may_make_no_table_any_more(self):
        self.train("m")
        self.execute("REVOKE CREATE ON SCHEMA public FROM alice")
        self.assertIn(self.in_one_transaction("role alice", "may make no table in schema public; GRANT CREATE ON SCHEMA public TO "
                                              "alice; allows it"), self.told_by_program())
        self.assertEqual(self.parts(), [])

    def test_a_trigger_that_somebody_else_may_make(self):
        """By a default of alice's. The table is left alone then, and the model comes at once."""
        self.train("other")
        self.execute("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO eve", "alice")
        self.fill(BYTES // 4)
        part, = self.parts()
        self.set_trap(part)
        self.assertIn(self.in_one_transaction(f'table "public.{part}"', "has trigger trap; dropping it"), self.publish())
        self.check_untouched()
        self.assertEqual(self.digest("m"), self.digest("other"))
        self.check_same_rows("m", "other")

    def test_pieces_of_a_model_that_others_may_not_read(self):
        """Rights that were taken from the model's table are not on the pieces."""
        self.train("m")
        self.execute("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO eve, PUBLIC", "alice")
        self.fill(BYTES // 4, OTHER)
        part, = self.parts()
        with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
            self.execute(f"SELECT * FROM {part}", "eve")
        self.execute("DROP TABLE m", "alice")
        self.publish()
        self.assertEqual(self.execute("SELECT count(*) FROM m WHERE part = 'meta'", "eve"), [(1,)])
        self.assertEqual(self.parts(), [])


if __name__ == "__main__":
    harness.main()
