"""Attacks that keep others from working: what one role makes, locks or fills is in nobody else's way."""


import threading

import harness
from attacks import COLUMNS, Attacks
from harness import run_statement


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
        self.put_meta(self.meta.replace('"format":1', '"format":2'))
        self.assertEqual(self.both()["eve.m"], "unreadable: the model is of format 2, where this version reads format 1")

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


if __name__ == "__main__":
    harness.main()
