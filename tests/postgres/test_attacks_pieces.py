"""Attacks on the pieces of a large model (N1, N8, N9): whoever drops, empties or publishes their table, whoever trains the
same name meanwhile, each publisher comes to its end, and what is `done` is whole."""

import subprocess

import harness
from harness import wait_for
from pieces import BYTES, OTHER, TRAIN
from test_model_pieces import Case

STATE = "SELECT version FROM totrain.models WHERE relation = to_regclass('m')"


class Publishers(Case):
    """N1: two publishers of one name dropped each other's pieces for ever."""

    def start(self, settings, model="m"):
        process = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", TRAIN.format(settings, model)], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment("alice"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def waiting_for_name(self):
        """The backends that wait for a name that another one holds."""
        return self.execute("SELECT pid FROM pg_locks WHERE locktype = 'object' AND NOT granted AND database = "
                            "(SELECT oid FROM pg_database WHERE datname = current_database())")

    def published(self, version):
        self.eventually(STATE, lambda rows: rows == [(version,)])

    def test_two_that_train_different_models_into_one_name(self):
        self.fill(BYTES // 4)
        holder = self.hold()
        first = self.start("")
        self.wait_for_writer()
        second = self.start(OTHER)
        wait_for(self.waiting_for_name, "one who waits for the name")
        holder.rollback()
        for process in (first, second):
            self.assertEqual((process.communicate(timeout=4 * harness.DEADLINE)[1].count("one transaction"), process.returncode), (0, 0))
        self.published(2)
        self.assertEqual(self.parts(), [])
        self.train("other", OTHER)
        self.check_same_rows("m", "other")

    def test_one_that_is_cancelled_lets_go_of_the_name(self):
        """Its session stays, and so would the lock of a session."""
        self.fill(BYTES // 4)
        holder = self.hold()
        session = subprocess.Popen(["psql", "-X"], text=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment("alice"))
        self.addCleanup(session.communicate)
        session.stdin.write(TRAIN.format("", "m") + ";\n")
        session.stdin.flush()
        writer = self.wait_for_writer()
        second = self.start(OTHER)
        wait_for(self.waiting_for_name, "one who waits for the name")
        self.execute(f"SELECT pg_cancel_backend({writer})")
        holder.rollback()
        self.assertEqual((second.communicate(timeout=4 * harness.DEADLINE)[1].count("one transaction"), second.returncode), (0, 0))
        self.eventually(f"SELECT state FROM pg_stat_activity WHERE pid = {writer}", lambda rows: rows == [("idle",)])
        self.published(1)

    def test_a_script_that_drops_the_table_between_two_pieces(self):
        """Over and over: the model is written at once after the first time."""
        self.fill(BYTES // 4)
        part, = self.parts()
        holder = self.hold()
        first = self.start("")
        self.wait_for_writer()
        cleaner = subprocess.Popen(["psql", "-X", "-c", f"DROP TABLE {part}"], env=self.environment("alice"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(cleaner.wait)
        self.addCleanup(cleaner.kill)
        wait_for(lambda: self.execute("SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted"), "the cleaner")
        holder.rollback()
        errors = first.communicate(timeout=4 * harness.DEADLINE)[1]
        self.assertIn(f'table "public.{part}" is gone', errors)
        self.assertEqual(first.returncode, 0)
        self.train("other")
        self.check_whole("m", "other")


class Names(Case):
    """N4: the lock on a name was one of 32 bits for all schemas."""

    def test_the_lock_on_a_name_is_of_its_schema(self):
        self.execute("CREATE SCHEMA mal AUTHORIZATION alice; CREATE SCHEMA other AUTHORIZATION alice")
        locks = []
        for schema in ("mal", "other"):
            session = self.connect("alice", autocommit=False)
            session.cursor().execute(f"SELECT totrain.lock_model('{schema}', 'a')")
            locks += self.execute(f"SELECT classid::regnamespace::text, objid, objsubid FROM pg_locks WHERE locktype = 'object' "
                                  f"AND pid = {session.info.backend_pid} AND mode = 'ExclusiveLock'")
        self.assertEqual([(schema, part) for schema, _, part in locks], [("mal", 1), ("other", 1)])


class Rows(Case):
    """N8: the job was `done`, though the model was damaged."""

    def check_taken(self, sql, user="alice"):
        self.train("other")
        self.fill(BYTES // 4)
        part, = self.parts()
        self.execute(sql.format(part), user)
        told = self.publish()
        self.assertRegex(told, rf'not by pieces that stay when it is interrupted: table "public.{part}" has \d+ of \d+ rows')
        self.check_whole("m", "other")

    def test_rows_of_pieces_that_are_deleted(self):
        self.check_taken("DELETE FROM {0} WHERE ctid = (SELECT min(ctid) FROM {0} WHERE part = 'tensor')")

    def test_a_table_of_pieces_that_is_emptied(self):
        self.check_taken("TRUNCATE {}")

    def test_rows_of_pieces_that_are_there_twice(self):
        self.check_taken("DELETE FROM {0} WHERE ctid = (SELECT min(ctid) FROM {0} WHERE part = 'tensor'); "
                         "INSERT INTO {0} SELECT * FROM {0} WHERE ctid = (SELECT max(ctid) FROM {0})")


class Publications(Case):
    """N9: a publication of all tables, made after the first piece, went unnoticed."""

    def test_a_publication_that_is_made_between_two_pieces(self):
        self.train("other")
        self.fill(BYTES // 4)
        self.execute("CREATE PUBLICATION everything FOR ALL TABLES")
        self.assertIn("interrupted: publication everything is of all tables, and its subscribers have no", self.publish())
        self.check_whole("m", "other")


class Sweeping(Case):
    """Pieces that nobody publishes any more are listed, and dropped by who may drop them."""

    LIST = "SELECT relation::text, owner::text, rows > 0, bytes > 0, is_published FROM totrain.parts"

    def swept(self, user):
        return self.execute("SELECT totrain.sweep_parts()", user)[0][0]

    def test_what_an_interrupted_publisher_has_left(self):
        self.execute("GRANT totrain_user TO bob")
        self.fill(BYTES // 4)
        part, = self.parts()
        self.execute("CREATE SCHEMA mine AUTHORIZATION alice")
        self.execute("CREATE TABLE mine.totrain_part_mine (i int); COMMENT ON TABLE mine.totrain_part_mine IS 'mine'", "alice")
        holder = self.hold()
        publisher = self.publisher()
        self.wait_for_writer()
        self.assertEqual(self.execute(self.LIST, "alice"), [(part, "alice", True, True, True)])
        self.assertEqual((self.swept("alice"), self.swept(harness.SUPERUSER)), (0, 0))
        publisher.kill()
        publisher.wait()
        holder.close()
        self.eventually(self.LIST, lambda rows: rows == [(part, "alice", True, True, False)], "alice")
        self.assertEqual((self.execute(self.LIST, "bob"), self.swept("bob")), ([], 0))
        reader = self.connect(autocommit=False)
        reader.cursor().execute(f"SELECT 1 FROM {part} LIMIT 1")
        self.assertEqual(self.swept("alice"), 0)
        reader.rollback()
        self.assertEqual(self.swept("alice"), 1)
        self.assertEqual(self.parts(), [])
        self.execute("SELECT i FROM mine.totrain_part_mine", "alice")
        self.publish()
        self.train("other")
        self.check_same_rows("m", "other")


if __name__ == "__main__":
    harness.main()
