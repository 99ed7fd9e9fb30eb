"""Attacks that keep others from working: what one role makes, locks or fills is in nobody else's way."""


import json
import pathlib
import threading

import psycopg2

import harness
from attacks import COLUMNS, TRAIN, Attacks
from harness import SUPERUSER, run_statement


class Listing(Attacks):
    """Nobody makes SHOW MODELS fail or wait for everybody."""

    def put_meta(self, meta, name="m"):
        self.eve.execute(f"CREATE TABLE eve.{name} ({COLUMNS}); GRANT SELECT ON eve.{name} TO PUBLIC")
        self.eve.execute(f"INSERT INTO eve.{name} VALUES ('meta', 'meta', 0, NULL, %s)", (meta if isinstance(meta, bytes) else meta.encode(),))

    def both(self):
        found = [self.listed(user) for user in (harness.SUPERUSER, "bob")]
        for listed in found:
            self.assertEqual(listed["honest"], "LinearClassifier")
        self.assertEqual(found[0], found[1])
        return found[0]

    def test_a_model_of_a_newer_format_is_listed_as_that(self):
        self.put_meta(self.meta.replace('"format":2', '"format":99'))
        self.assertRegex(self.both()["eve.m"],
                         r"^unreadable: the model has format 99, and this version reads formats up to \d+$")

    def test_a_model_of_an_unknown_kind_is_listed_as_that(self):
        self.put_meta(self.meta.replace('"family":"nn"', '"family":"tree"') if '"family":"nn"' in self.meta
                      else self.meta.replace('"family":"', '"family":"x'))
        self.assertRegex(self.both()["eve.m"], "unreadable: models of kind .* are not supported yet")

    def test_a_locked_model_is_listed_as_that_without_waiting(self):
        self.copy_model()
        self.eve.execute("BEGIN; LOCK TABLE eve.m IN ACCESS EXCLUSIVE MODE")
        cursors = [self.session(user) for user in (harness.SUPERUSER, "bob")]
        for cursor in cursors:
            cursor.execute("SET lock_timeout = 1")
            rows = {row["name"]: row["kind"] for row in run_statement(cursor, "SHOW MODELS")}
            self.assertEqual((rows["eve.m"], rows["honest"]), ("unreadable: another session has locked it", "LinearClassifier"))
        self.eve.execute("ROLLBACK")
        self.assertEqual(self.both()["eve.m"], "LinearClassifier")

    def test_who_waits_for_a_lock_is_not_in_the_way_of_a_listing(self):
        self.copy_model()
        reader, waiter = self.session("bob"), self.session("eve")
        reader.execute("BEGIN; SELECT 1 FROM eve.m LIMIT 1")
        waiter.execute("SET lock_timeout = '60s'")
        pid = waiter.connection.info.backend_pid
        thread = threading.Thread(target=lambda: waiter.execute("BEGIN; LOCK TABLE eve.m IN ACCESS EXCLUSIVE MODE"))
        thread.start()
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM pg_locks WHERE pid = {pid} AND NOT granted"), "a lock that waits")
        cursor = self.session("alice")
        cursor.execute("SET lock_timeout = 1")
        self.assertIn("honest", {row["name"] for row in run_statement(cursor, "SHOW MODELS")})
        reader.execute("COMMIT")
        thread.join()
        waiter.execute("ROLLBACK")

    def test_a_listing_holds_no_lock(self):
        self.copy_model()
        cursor = self.session("bob")
        cursor.execute("BEGIN")
        run_statement(cursor, "SHOW MODELS")
        self.eve.execute("SET lock_timeout = 1; DROP TABLE eve.m")
        cursor.execute("COMMIT")

    def test_damaged_models_are_not_listed(self):
        for number, meta in enumerate(("", "{", "null", "[]", "{}", '{"format":1}', b"\xff\xfe", b"\0", "{" * 100000, '{"format":-1}', '{"format":1e99}',
                                       self.meta[:-20], self.meta.replace('"layers"', '"lairs"'))):
            self.put_meta(meta, f"m{number}")
        self.assertEqual(set(self.both()), {"honest"})

    def test_a_meta_row_of_a_gigabyte_that_is_packed_small_is_not_unpacked(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); GRANT SELECT ON eve.m TO PUBLIC; ALTER TABLE eve.m ALTER COLUMN data SET STORAGE EXTENDED")
        self.eve.execute("INSERT INTO eve.m VALUES ('meta', 'meta', 0, NULL, decode(repeat('00', 100000000), 'hex'))")
        self.assertEqual(set(self.both()), {"honest"})

    def test_a_value_that_is_null_everywhere(self):
        self.eve.execute(f"CREATE TABLE eve.m ({COLUMNS}); GRANT SELECT ON eve.m TO PUBLIC; INSERT INTO eve.m VALUES (NULL, NULL, NULL, NULL, NULL), ('meta', NULL, NULL, NULL, NULL)")
        self.assertEqual(set(self.both()), {"honest"})

    def test_a_table_that_is_dropped_while_the_listing_goes_on(self):
        self.copy_model()
        cursor = self.session("bob")
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
        self.eve.execute("DROP TABLE eve.m")
        self.assertIn("honest", {row["name"] for row in run_statement(cursor, "SHOW MODELS")})
        cursor.execute("COMMIT")

    def test_two_hundred_tables_of_eves(self):
        self.eve.execute("DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE format('CREATE TABLE eve.m%s (" + COLUMNS + ")', i); "
                         "EXECUTE format('GRANT SELECT ON eve.m%s TO PUBLIC', i); END LOOP; END $$")
        self.assertEqual(set(self.both()), {"honest"})

    def test_a_hostile_name_is_only_shown(self):
        name = 'm"; DROP TABLE public.own; --'
        self.eve.execute('CREATE TABLE eve."{0}" ({1}); GRANT SELECT ON eve."{0}" TO PUBLIC; INSERT INTO eve."{0}" SELECT * FROM public.honest'
                         .format(name.replace('"', '""'), COLUMNS))
        self.assertIn('eve."m""; DROP TABLE public.own; --"', self.both())
        self.execute("SELECT 1 FROM public.own LIMIT 1")


class Memory(Attacks):
    """A model takes memory for what is there, not for what its meta row says."""

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE words AS SELECT 'w' || g % 7 AS word, g::float8 AS z, g % 2 AS y FROM generate_series(1, 70) g")
        run_statement(cursor, "SELECT * FROM words TO TRAIN DNNClassifier WITH model.hidden_units = [4], train.epoch = 1 LABEL y INTO public.wordy")

    BASE = Attacks.BASE + ", 'words', 'wordy'"

    def make_giant(self, words, units, chunks=False):
        cursor = self.connect().cursor()
        meta = json.loads(self.read_meta(cursor, "public.wordy"))
        word = next(one for one in meta["inputs"] if one["type"] == "category")
        meta["network"]["layers"][0]["rows"] += words - word["words"]
        word["words"] = words
        meta["network"]["layers"][0]["width"] = meta["network"]["layers"][1]["rows"] = units
        text = json.dumps(meta)
        self.assertLess(len(text), 3000)
        self.eve.execute(f"CREATE TABLE eve.giant ({COLUMNS}); GRANT SELECT ON eve.giant TO PUBLIC")
        self.eve.execute("INSERT INTO eve.giant VALUES ('meta', 'meta', 0, NULL, %s)", (text.encode(),))
        if chunks:
            self.execute("INSERT INTO eve.giant SELECT part, name, position, value, data FROM public.wordy WHERE part <> 'meta'")

    def peak_of(self, statement):
        connection = self.connect(user="bob")
        cursor = connection.cursor()
        cursor.execute("SELECT totrain.predict('honest', ROW(1, 2, 3, 4))")
        with self.assertRaises(psycopg2.Error) as refused:
            cursor.execute(statement)
        status = pathlib.Path(f"/proc/{connection.info.backend_pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) >> 10, str(refused.exception)

    def check(self, units):
        self.make_giant(9999999, units)
        for statement in ("SELECT totrain.predict('eve.giant', ROW('red', 1.0))", "SELECT * FROM words TO EVALUATE eve.giant"):
            peak, error = self.peak_of(statement)
            self.assertRegex(error, "lacks [0-9]+ of [0-9]+ chunks|more than there is room|takes [0-9.]+ GiB, and a session loads|permission denied for table words")
            self.assertLess(peak, 200, "MB")

    def test_four_gigabytes_of_parameters_that_are_not_there(self):
        self.check(100)

    def test_eight_gigabytes_of_parameters_that_are_not_there(self):
        self.check(200)

    def test_more_parameters_than_any_model_has(self):
        self.make_giant(9999999, 65536)
        peak, error = self.peak_of("SELECT totrain.predict('eve.giant', ROW('red', 1.0))")
        self.assertIn("more than", error)
        self.assertLess(peak, 200, "MB")

    def test_chunks_of_another_size(self):
        self.make_giant(9999999, 100, chunks=True)
        peak, error = self.peak_of("SELECT totrain.predict('eve.giant', ROW('red', 1.0))")
        self.assertIn("has another size than its shape", error)
        self.assertLess(peak, 200, "MB")

    def test_the_administrators_limit_holds_for_a_model_in_a_backend(self):
        self.make_giant(9999999, 100)
        cursor = self.session(harness.SUPERUSER)
        cursor.execute("SET totrain.max_memory = '100MB'")
        with self.assertRaisesRegex(psycopg2.Error, "takes 4.3 GiB, and a session loads models of up to 100.0 MiB"):
            cursor.execute("SELECT totrain.predict('eve.giant', ROW('red', 1.0))")

    def test_reading_is_interrupted(self):
        self.make_giant(9999999, 100)
        self.eve.execute("INSERT INTO eve.giant SELECT 'weight', 'w', g, g, NULL FROM generate_series(1, 2000000) g")
        cursor = self.session("bob")
        cursor.execute("SET statement_timeout = 1")
        with self.assertRaisesRegex(psycopg2.Error, "canceling statement due to statement timeout"):
            cursor.execute("SELECT totrain.predict('eve.giant', ROW('red', 1.0))")


class Locks(Attacks):
    """No lock that everybody may take is in the way of publishing or of DROP."""

    SOON = "SET lock_timeout = '10s'"

    def publish_as_bob(self, model="bob.mx"):
        cursor = self.session("bob")
        cursor.execute(self.SOON)
        cursor.execute(TRAIN.format("public.iris", model))

    def test_an_advisory_lock_on_the_name_of_a_model(self):
        for lock in ("pg_advisory_lock(1953460850, hashtext('\"bob\".\"mx\"'))", "pg_advisory_lock(hashtext('\"bob\".\"mx\"'))", "pg_advisory_lock(1953460850)"):
            self.eve.execute(f"SELECT {lock}")
        self.publish_as_bob()

    def test_the_functions_lock_is_for_those_who_may_write_the_name(self):
        self.publish_as_bob()
        self.become_user()
        for name in ("bob', 'mx", "bob', 'other", "public', 'honest", "pg_catalog', 'pg_class", "totrain', 'models"):
            self.assertIsInstance(self.try_as("eve", f"SELECT totrain.lock_model('{name}')"), str)
        self.assertEqual(self.try_as("eve", "SELECT totrain.lock_model('eve', 'm')"), [(True,)])
        self.publish_as_bob()

    def test_who_has_no_right_may_not_even_call_it(self):
        self.assertIn("permission denied", self.try_as("eve", "SELECT totrain.lock_model('eve', 'm')"))

    def test_a_user_cannot_lock_what_is_kept_of_models(self):
        self.become_user()
        for table in ("models", "versions", "metrics", "kept_models", "kept_versions", "kept_metrics"):
            for mode in ("ROW SHARE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"):
                with self.subTest(table=table, mode=mode):
                    self.assertIn("permission denied", self.try_as("eve", f"BEGIN; LOCK TABLE totrain.{table} IN {mode} MODE"))

    def test_a_user_cannot_change_or_lock_rows_that_are_kept(self):
        self.become_user()
        for table in ("models", "versions", "metrics", "kept_models", "kept_versions", "kept_metrics"):
            for statement in ("DELETE FROM totrain.{}", "UPDATE totrain.{} SET version = 1", "TRUNCATE totrain.{}", "SELECT * FROM totrain.{} FOR UPDATE",
                              "SELECT * FROM totrain.{} FOR KEY SHARE", "ALTER TABLE totrain.{} ADD COLUMN a int", "DROP VIEW totrain.{}",
                              "CREATE TRIGGER t INSTEAD OF INSERT ON totrain.{} FOR EACH ROW EXECUTE FUNCTION eve.trap()"):
                with self.subTest(statement.format(table)):
                    self.assertIsInstance(self.try_as("eve", statement.format(table)), str)

    def test_a_user_forgets_nothing_of_others(self):
        self.publish_as_bob()
        self.publish_as_bob()
        self.become_user()
        for which in ("model", "version", "older versions", "older metrics", "nonsense"):
            for relation in ("'bob.mx'::regclass", "0", "'public.honest'::regclass", "'pg_class'::regclass"):
                self.assertIsInstance(self.try_as("eve", f"SELECT totrain.forget({relation}, '{which}', 1)"), str)
        self.assertEqual(self.execute("SELECT count(DISTINCT version) FROM totrain.kept_versions WHERE relation = 'bob.mx'::regclass"), [(1,)])

    def test_an_open_drop_of_one_is_not_in_the_way_of_anothers(self):
        """It has deleted what a session that ended left behind, and holds these rows."""
        self.become_user()
        for user in ("eve", "bob"):
            cursor = self.session(user)
            cursor.execute(TRAIN.format("public.iris", "pg_temp.gone"))
            cursor.connection.close()
        harness.wait_for(lambda: not self.execute("SELECT 1 FROM pg_class WHERE relname = 'gone'"), "the end of temporary tables")
        self.eve.execute("CREATE TABLE eve.t (); BEGIN; DROP TABLE eve.t")
        cursor = self.session("bob")
        cursor.execute(self.SOON + "; CREATE TEMP TABLE t (); DROP TABLE t")
        self.eve.execute("COMMIT")
        cursor.execute("CREATE TEMP TABLE t (); DROP TABLE t")
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.kept_models k WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = k.relation)"), [(0,)])

    def test_an_open_training_of_one_is_not_in_the_way_of_anothers(self):
        self.become_user()
        self.eve.execute("BEGIN")
        run_statement(self.eve, TRAIN.format("public.iris", "eve.m"))
        self.publish_as_bob()
        cursor = self.session("bob")
        cursor.execute(self.SOON + "; CREATE TEMP TABLE t (); DROP TABLE t")
        self.eve.execute("COMMIT")

    def test_a_lock_on_a_table_of_eves_is_not_in_the_way(self):
        self.copy_model()
        self.eve.execute("BEGIN; LOCK TABLE eve.m IN ACCESS EXCLUSIVE MODE")
        self.publish_as_bob()
        self.assertIn("bob.mx", self.listed(harness.SUPERUSER))


class Room(Attacks):
    """By default one role leaves workers, jobs and background workers to others."""

    pace = harness.SLOW
    LONG = ("SELECT * FROM public.iris TO TRAIN LinearClassifier WITH train.epoch = 10000, train.batch_size = 1{} LABEL class INTO eve.m{}")

    def submit(self, cursor, number):
        cursor.execute("SELECT totrain.submit(%s)", (self.LONG.format("", number),))
        return cursor.fetchone()[0]

    def end_all(self):
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'totrain job'")
        self.check_nothing_runs()
        harness.wait_for(lambda: not self.execute("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'totrain job'"), "the end of background workers")

    def test_jobs_in_the_background_leave_room(self):
        self.become_user()
        self.addCleanup(self.end_all)
        for number in range(3):
            self.submit(self.eve, number)
        with self.assertRaisesRegex(psycopg2.Error, "3 jobs run in the background already, 3 of them yours"):
            self.submit(self.eve, 3)
        bob = self.session("bob")
        bob.execute("SELECT totrain.submit(%s)", (self.LONG.format("", 0).replace("eve.", "bob."),))
        with self.assertRaisesRegex(psycopg2.Error, "4 jobs run in the background already, 1 of them yours"):
            bob.execute("SELECT totrain.submit(%s)", (self.LONG.format("", 1).replace("eve.", "bob."),))
        cursor = self.session("alice")
        cursor.execute("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; "
                       "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM public.iris")
        self.assertTrue([line for line, in cursor.fetchall() if "Workers Launched: " in line and "Workers Launched: 0" not in line])

    def test_many_at_once_do_not_get_past_the_limit(self):
        self.become_user()
        self.addCleanup(self.end_all)
        sessions = [self.session("eve") for _ in range(6)]
        taken = []

        def submit(number):
            try:
                taken.append(self.submit(sessions[number], number))
            except psycopg2.Error:
                pass

        threads = [threading.Thread(target=submit, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(taken), 3)

    def test_jobs_of_a_role_are_counted(self):
        self.become_user()
        self.assertEqual(self.execute("SHOW totrain.max_jobs_per_role"), [("4",)])
        self.addCleanup(self.end_all)
        sessions = [self.session("eve") for _ in range(4)]
        threads = [threading.Thread(target=self.try_open, args=(sessions[number], self.LONG.format("", number))) for number in range(4)]
        for thread in threads:
            thread.start()
        harness.wait_for(lambda: self.execute("SELECT count(*) FROM totrain.jobs WHERE state = 'running'") == [(4,)], "four jobs")
        self.assertIn("as many as it may have at a time", self.try_as("eve", self.LONG.format("", 4)))
        for cursor in sessions:
            cursor.connection.cancel()
        for thread in threads:
            thread.join()

    @staticmethod
    def try_open(cursor, statement):
        try:
            cursor.execute(statement)
        except psycopg2.Error:
            pass

    def test_workers_of_a_job_are_limited(self):
        self.become_user()
        for setting in ("job.max_workers = 400", "job.max_workers = 400, job.min_workers = 400, job.lanes = 400", "job.max_workers = 65"):
            self.assertIn("at most 64 are allowed here", self.try_as("eve", self.LONG.format(", " + setting, 0)))

    def test_limits_are_not_the_users_to_change(self):
        for name in ("max_workers", "max_jobs_per_role", "max_background_jobs", "max_memory"):
            for statement in ("SET totrain.{} = 1000", "SET LOCAL totrain.{} = 1000", "SELECT set_config('totrain.{}', '1000', false)",
                              "ALTER ROLE eve SET totrain.{} = 1000", "RESET totrain.{}; SET totrain.{} TO 1000",
                              "CREATE FUNCTION eve.f() RETURNS int LANGUAGE sql SET totrain.{} = 1000 AS 'SELECT 1'"):
                with self.subTest(statement.format(name, name)):
                    self.assertIn("permission denied", self.try_as("eve", statement.format(name, name)))


class Occupied(Attacks):
    """N6: what a table is called while it is made was to be known beforehand, and so to be taken."""

    PREDICT = "SELECT * FROM public.iris TO PREDICT public.bobp.class USING public.honest"

    def setUp(self):
        super().setUp()
        self.execute("GRANT CREATE ON SCHEMA public TO eve, bob")
        self.addCleanup(self.execute, "REVOKE CREATE ON SCHEMA public FROM eve, bob")

    def name_of(self, user):
        """Under which that role makes the table, as its own session sees it."""
        return self.try_as(user, "SELECT totrain.new_name('public', 'bobp')")[0][0]

    def test_the_name_is_of_its_role_alone(self):
        self.become_user()
        names = [self.name_of(user) for user in ("eve", "bob", "bob", SUPERUSER)]
        self.assertEqual(names[1], names[2])
        self.assertEqual(len(set(names)), 3)
        for name in names:
            self.assertRegex(name, "^totrain_new_[0-9a-f]{32}$")

    def test_all_that_eve_can_know_is_taken(self):
        """Committed, and in an open transaction; the old name among them, which was a hash of both names."""
        self.become_user()
        self.eve.execute(f"CREATE TABLE public.{self.name_of('eve')} (i int)")
        self.eve.execute("BEGIN; CREATE TABLE public.totrain_new_e165136ffd9e54dc (i int)")
        cursor = self.session("bob")
        cursor.execute("SET lock_timeout = '30s'")
        for _ in range(2):
            cursor.execute(self.PREDICT)
        self.eve.execute("ROLLBACK")
        self.assertEqual(self.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'bobp'"), [("bob",)])

    def test_one_who_may_not_call_the_function_makes_tables_as_well(self):
        self.execute("REVOKE EXECUTE ON FUNCTION totrain.new_name(text, text) FROM totrain_user")
        self.addCleanup(self.execute, "GRANT EXECUTE ON FUNCTION totrain.new_name(text, text) TO totrain_user")
        for _ in range(2):
            self.assertNotIsInstance(self.try_as("bob", self.PREDICT), str)


class Storage(Attacks):
    """N9: a table that is replaced moved to the main disk, and into the log."""

    def replace(self, statement, unlogged, tablespace=None):
        self.assertNotIsInstance(self.try_as(SUPERUSER, statement), str)
        self.assertEqual(self.execute("SELECT relpersistence, (SELECT spcname FROM pg_tablespace s WHERE s.oid = reltablespace) FROM pg_class "
                                      "WHERE oid = 'public.kept'::regclass"), [("u" if unlogged else "p", tablespace)])

    def check_kept(self, statement):
        self.replace(statement, False)
        self.execute("ALTER TABLE public.kept SET UNLOGGED")
        self.replace(statement, True)
        self.replace(statement, True)
        folder = self.server.folder / "socket" / "other disk"
        self.server.run_as_user(["mkdir", "-p", str(folder)])
        self.execute(f"CREATE TABLESPACE \"other@disk\" LOCATION '{folder}'")
        self.addCleanup(self.execute, 'DROP TABLESPACE "other@disk"')
        self.addCleanup(self.execute, "DROP TABLE public.kept")
        self.execute('ALTER TABLE public.kept SET TABLESPACE "other@disk"')
        self.replace(statement, True, "other@disk")
        self.execute("ALTER TABLE public.kept SET LOGGED")
        self.replace(statement, False, "other@disk")

    def test_predictions(self):
        self.check_kept("SELECT * FROM public.iris TO PREDICT public.kept.class USING public.honest")

    def test_predictions_of_workers(self):
        self.check_kept("SELECT * FROM public.iris TO PREDICT public.kept.class WITH job.max_workers = 1 USING public.honest")

    def test_metrics(self):
        self.check_kept("SELECT * FROM public.iris TO EVALUATE public.honest INTO public.kept")


if __name__ == "__main__":
    harness.main()
