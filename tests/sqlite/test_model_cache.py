"""The models that a connection keeps between statements: each statement has the one that it would read itself."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import harness

# Models have different labels, so that a prediction tells which model made it.
LABELS = ("one", "two", "three")
TRAIN = "SELECT x, '{0}' || (x > 3) AS y FROM t TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL y INTO {1}"
PREDICT = "SELECT totrain_predict('m', ?)"
KEEPS_MEMORY = unittest.skipIf(harness.SLOW > 1, "a sanitizer keeps what was given back")
# Nothing but loading a model reads its whole table.
READING = re.compile(r'-- SELECT part, name, position, value, data FROM "\w+"\."\w+"')


def other_process(path, *statements):
    subprocess.run([sys.executable, "-c", "import sqlite3, sys; d = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                    "for sql in sys.argv[2:]: d.execute(sql).fetchall()", path, *statements], check=True, timeout=harness.DEADLINE)


class Case(harness.Case):
    """The tables one, two and three are models, `m` is the first of them, and `session` has used it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.template = pathlib.Path(tempfile.mkdtemp(prefix="totrain-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.template)
        os.environ["TOTRAIN_STATE"] = str(cls.template / "state")
        with contextlib.closing(sqlite3.connect(cls.template / "test.db", isolation_level=None)) as database:
            database.enable_load_extension(True)
            database.load_extension(harness.EXTENSION)
            database.execute("CREATE TABLE t AS SELECT value AS x FROM json_each('[1, 2, 3, 4, 5, 6]')")
            for label, model in (*zip(LABELS, LABELS), ("one", "m")):
                database.execute(TRAIN.format(label, model)).fetchall()

    def setUp(self):
        super().setUp()
        shutil.copy(self.template / "test.db", self.path)
        self.open()

    def open(self, path=None, **options):
        self.session = self.database = self.connect(path, isolation_level=None, **options)
        self.traced = []
        self.session.set_trace_callback(self.traced.append)
        self.check("one")

    def other(self, *statements, path=None):
        """In another connection."""
        with contextlib.closing(self.connect(path, isolation_level=None)) as database:
            for sql in statements:
                database.execute(sql).fetchall()

    def said(self, sql=PREDICT):
        """one, two ... of the model that the session uses."""
        return re.fullmatch("(.*)[01]", self.run_all(sql, *([5] * sql.count("?")))[0][0])[1]

    def reads(self):
        """How many models were read since it was asked last."""
        count = sum(READING.fullmatch(sql) is not None for sql in self.traced)
        self.traced.clear()
        return count

    def check(self, label, sql=PREDICT):
        """The session uses this model, however often it is asked."""
        self.assertEqual([self.said(sql), self.said(sql)], [label, label])

    def check_kept(self, label, sql=PREDICT):
        self.reads()
        self.check(label, sql)
        self.assertEqual(self.reads(), 0)

    def check_read_once(self, label, sql=PREDICT):
        self.reads()
        self.check(label, sql)
        self.assertEqual(self.reads(), 1)

    def check_read_always(self, label, sql=PREDICT):
        self.reads()
        self.check(label, sql)
        self.assertEqual(self.reads(), 2)

    def refused(self, pattern, sql=PREDICT):
        with self.assertRaisesRegex(sqlite3.Error, pattern):
            self.said(sql)

    def replace(self, label, model="m"):
        return f"DELETE FROM {model}", f"INSERT INTO {model} SELECT * FROM {label}"

    def run_each(self, *statements):
        for sql in statements:
            self.run_all(sql)


class Kept(Case):
    def test_a_model_is_read_once(self):
        self.check_kept("one")
        for name in ("M", "main.m", "MAIN.M", '"m"', '"main"."m"'):
            self.check_kept("one", f"SELECT totrain_predict('{name}', 5)")
        self.check_read_once("two", "SELECT totrain_predict('two', 5)")
        self.check_kept("one")

    def test_all_functions_have_the_same_model(self):
        self.reads()
        self.run_all("SELECT totrain_predict('m', x), totrain_probability('m', x), totrain_probabilities('m', x), "
                     "totrain_logits('m', x), totrain_problem('m', x), totrain_predict('m', totrain_row(x)) FROM t")
        self.assertEqual(self.reads(), 0)

    def test_a_statement_may_name_a_model_in_each_row(self):
        self.run_all("CREATE TABLE names AS SELECT value AS name FROM json_each('[\"one\", \"two\", \"m\", \"three\"]'), t")
        self.reads()
        found = self.run_all("SELECT name, count(*), min(totrain_predict(name, 5)), max(totrain_predict(name, 5)) FROM names "
                             "GROUP BY name ORDER BY name")
        self.assertEqual([(name, count, low[:-1], high[:-1]) for name, count, low, high in found],
                         [("m", 6, "one", "one"), ("one", 6, "one", "one"), ("three", 6, "three", "three"), ("two", 6, "two", "two")])
        self.assertEqual(self.reads(), 4)

    def test_bits_are_those_of_a_model_that_is_read(self):
        rows = "SELECT totrain_probability('m', x), totrain_logits('m', x) FROM t"
        first = self.run_all(rows)
        self.check_kept("one")
        self.assertEqual(self.run_all(rows), first)
        self.run_all("SELECT totrain_config('model_cache', 0)")
        self.assertEqual(self.run_all(rows), first)

    def test_each_connection_has_its_own(self):
        other = self.connect(isolation_level=None)
        traced = []
        other.set_trace_callback(traced.append)
        for count in (1, 0):
            traced.clear()
            other.execute(PREDICT, (5,)).fetchall()
            self.assertEqual(sum(READING.fullmatch(sql) is not None for sql in traced), count)

    def test_a_commit_of_anything_has_the_model_read_once_more(self):
        self.run_all("INSERT INTO t VALUES (7)")
        self.check_read_once("one")
        self.other("INSERT INTO t VALUES (8)")
        self.check_read_once("one")
        self.check_kept("one")

    def test_a_view_is_read_by_each_statement(self):
        self.run_all("CREATE VIEW v AS SELECT * FROM one")
        self.check_read_always("one", "SELECT totrain_predict('v', 5)")
        self.run_each("DROP VIEW v", "CREATE VIEW v AS SELECT * FROM two")
        self.check_read_always("two", "SELECT totrain_predict('v', 5)")
        self.run_each("DROP TABLE m", "CREATE VIEW m AS SELECT * FROM three")
        self.check_read_always("three")


class Changes(Case):
    """The model of a table changes, and each connection has the one that it sees."""

    def test_a_model_that_was_trained_again_here_is_used(self):
        self.run_all(TRAIN.format("new", "m"))
        self.check_read_once("new")
        self.run_all("ROLLBACK MODEL m TO 1")
        self.check_read_once("one")

    def test_a_model_that_was_trained_again_elsewhere_is_used(self):
        self.other(TRAIN.format("new", "m"))
        self.check_read_once("new")
        done = self.run_program(self.path, "-c", TRAIN.format("newer", "m"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_read_once("newer")
        done = self.run_program(self.path, "-c", "ROLLBACK MODEL m TO 2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_read_once("new")

    def test_every_way_of_keeping_a_journal(self):
        for mode in ("delete", "truncate", "persist", "memory", "wal", "delete", "wal", "off"):
            with self.subTest(mode):
                self.assertEqual(self.run_all(f"PRAGMA journal_mode = {mode}"), [(mode,)])
                self.run_each(*self.replace("two"))
                self.check_read_once("two")
                self.other(*self.replace("three"))
                self.check_read_once("three")
                other_process(self.path, *self.replace("one"))
                self.check_read_once("one")
                if mode != "off":  # SQLite's ROLLBACK damages files without a journal
                    self.run_each("BEGIN", *self.replace("two"))
                    self.check_read_always("two")
                    self.run_all("ROLLBACK")
                    self.check("one")

    def test_exclusive_locking(self):
        for mode in ("delete", "persist", "wal"):
            with self.subTest(mode):
                self.run_each("PRAGMA locking_mode = exclusive", f"PRAGMA journal_mode = {mode}", *self.replace("two"))
                self.check_read_once("two")
                self.run_each("BEGIN IMMEDIATE", *self.replace("three"))
                self.check_read_always("three")
                self.run_all("ROLLBACK")
                self.check_kept("two")
                self.run_each("BEGIN IMMEDIATE", "COMMIT")
                self.check("two")
                self.session.close()
                self.other(*self.replace("one"))
                self.open()

    def test_a_statement_has_one_model_until_it_ends(self):
        running = self.session.execute("SELECT totrain_predict('m', 5) FROM t")
        first = next(running)
        self.run_each(*self.replace("two"))
        self.check("two")
        self.run_all("SELECT totrain_config('model_cache', 0)")
        self.assertEqual({first, *running}, {("one1",)})
        self.check("two")

    def test_a_model_that_is_not_committed_is_used_by_its_own_transaction(self):
        self.run_all("BEGIN")
        self.check_kept("one")
        self.run_all(TRAIN.format("new", "m"))
        self.check_read_always("new")
        self.run_all("ROLLBACK")
        self.check_kept("one")
        self.run_each("BEGIN", *self.replace("two"))
        self.check_read_always("two")
        self.run_all("COMMIT")
        self.check_read_once("two")

    def test_a_savepoint_takes_a_model_back(self):
        self.run_each("SAVEPOINT s", *self.replace("two"))
        self.check_read_always("two")
        self.run_all("ROLLBACK TO s")
        self.check("one")
        self.run_each("SAVEPOINT inner", *self.replace("three"), "RELEASE inner")
        self.check_read_always("three")
        self.run_each("ROLLBACK TO s", "RELEASE s")
        self.check("one")

    def test_a_constraint_that_fails_takes_a_model_back(self):
        self.run_each("CREATE TABLE guard (x UNIQUE)", "INSERT INTO guard VALUES (1)",
                      "CREATE TRIGGER replaces AFTER INSERT ON t BEGIN DELETE FROM m; INSERT INTO m SELECT * FROM two; "
                      "INSERT INTO guard VALUES (1); END")
        self.check_read_once("one")
        self.refused("UNIQUE", "INSERT INTO t VALUES (7) RETURNING 'x0'")
        self.check("one")

    def test_a_model_that_others_have_not_committed_is_not_used(self):
        for mode, again in (("delete", 0), ("wal", 1)):
            self.run_each(f"PRAGMA journal_mode = {mode}", *self.replace("one"))
            self.check("one")
            other = self.connect(isolation_level=None)
            for sql in ("BEGIN", *self.replace("two")):
                other.execute(sql)
            self.check_kept("one")
            other.execute("ROLLBACK")
            self.check_kept("one")
            for sql in ("BEGIN", *self.replace("two")):
                other.execute(sql)
            self.check_kept("one")
            other.execute("COMMIT")
            self.check_read_once("two")
            other.close()

    def test_a_transaction_has_the_model_that_it_sees(self):
        self.run_each("PRAGMA journal_mode = wal", "BEGIN", "SELECT count(*) FROM t")
        self.check("one")
        self.other(*self.replace("two"))
        self.check_kept("one")
        self.run_all("COMMIT")
        self.check_read_once("two")

    def test_a_lock_is_waited_for_and_then_told(self):
        self.run_all("PRAGMA busy_timeout = 0")
        other = self.connect(isolation_level=None)
        for sql in ("BEGIN EXCLUSIVE", *self.replace("two")):
            other.execute(sql)
        self.refused("database is locked")
        other.execute("COMMIT")
        self.check_read_once("two")

    def test_rows_that_are_changed_by_hand(self):
        change = "UPDATE m SET data = (SELECT data FROM two WHERE part = m.part AND name = m.name) WHERE part = 'tensor'"
        self.run_each("BEGIN", change)
        self.refused("damaged")
        self.run_all("ROLLBACK")
        self.check("one")
        self.run_all(change)
        self.refused("damaged")
        self.run_each(*self.replace("one"))
        self.check_read_once("one")
        self.other(change)
        self.refused("damaged")

    def test_bytes_that_are_written_in_place(self):
        """SQLite counts no change of rows then."""
        row, = self.run_all("SELECT rowid FROM m WHERE part = 'tensor' LIMIT 1")[0]
        changes = self.session.total_changes
        with self.session.blobopen("m", "data", row) as blob:
            first = blob.read(1)
            blob.seek(0)
            blob.write(bytes([first[0] ^ 1]))
        self.assertEqual(self.session.total_changes, changes)
        self.refused("damaged")

    def test_a_backup_into_the_database(self):
        other = self.folder / "other.db"
        shutil.copy(self.path, other)
        self.other(*self.replace("two"), path=other)
        with contextlib.closing(sqlite3.connect(other)) as source:
            source.backup(self.session)
        self.check_read_once("two")

    def test_vacuum(self):
        self.run_all("VACUUM")
        self.check("one")
        self.other("VACUUM")
        self.check("one")
        self.check_kept("one")


class Names(Case):
    """Where a name leads."""

    def test_a_model_that_is_gone(self):
        self.run_all("DROP TABLE m")
        self.refused("no model")
        self.run_all("CREATE TABLE m AS SELECT * FROM two")
        self.check_read_once("two")
        self.other("DROP TABLE m")
        self.refused("no model")
        self.other("CREATE TABLE m (x)")
        self.refused("no model")

    def test_tables_that_are_renamed(self):
        self.run_each("ALTER TABLE m RENAME TO old", "ALTER TABLE two RENAME TO m")
        self.check_read_once("two")
        self.run_all("ALTER TABLE m RENAME COLUMN data TO bytes")
        self.refused("no model")
        self.other("ALTER TABLE m RENAME TO lost", "ALTER TABLE old RENAME TO m")
        self.check_read_once("one")

    def test_a_temporary_table_is_in_front(self):
        self.run_all("CREATE TEMP TABLE m AS SELECT * FROM two")
        self.check_read_once("two")
        self.check_kept("one", "SELECT totrain_predict('main.m', 5)")
        self.check_kept("two", "SELECT totrain_predict('temp.m', 5)")
        self.run_each("BEGIN", *self.replace("three", "temp.m"))
        self.check_read_always("three")
        self.run_all("ROLLBACK")
        self.check("two")
        self.run_each(*self.replace("three", "temp.m"))
        self.check_read_once("three")
        self.run_all("DROP TABLE temp.m")
        self.check_kept("one")

    def test_a_temporary_view_is_in_front(self):
        self.run_all("CREATE TEMP VIEW m AS SELECT * FROM two")
        self.check_read_always("two")
        self.run_all("DROP VIEW temp.m")
        self.check_kept("one")

    def test_another_temporary_database(self):
        """Its versions are counted from the beginning, and each has the same number of them."""
        for number, label in enumerate(("two", "three", "one") * 3):
            self.run_all(f"PRAGMA temp_store = {number % 2 + 1}")
            self.check("one")
            self.run_all(f"CREATE TEMP TABLE m AS SELECT * FROM {label}")
            self.check(label)

    def make_file(self, name, label):
        path = self.folder / name
        with contextlib.closing(self.connect(path, isolation_level=None)) as database:
            database.execute("ATTACH ? AS source", (self.path,))
            database.execute(f"CREATE TABLE m AS SELECT * FROM source.{label}")
        return path

    def attach(self, path, name="other"):
        self.run_all(f"ATTACH ? AS {name}", str(path))

    def test_a_model_of_an_attached_database(self):
        path = self.make_file("two.db", "two")
        predict = "SELECT totrain_predict('other.m', 5)"
        self.attach(path)
        self.check_kept("one")
        self.check_read_once("two", predict)
        self.other("CREATE TABLE more (x)", path=path)
        self.check_read_once("two", predict)
        self.run_each(*self.replace("three", "other.m"))
        self.check_read_once("three", predict)
        self.check_kept("one")
        self.run_all("DROP TABLE main.m")
        self.check_kept("three")
        self.run_all("CREATE TABLE main.m AS SELECT * FROM one")
        self.check("one")
        self.run_all("DETACH other")
        self.refused("no such table: other", predict)

    def test_a_model_in_a_file_of_its_own_stays_while_others_are_written(self):
        self.attach(self.make_file("two.db", "two"))
        predict = "SELECT totrain_predict('other.m', 5)"
        self.check("two", predict)
        self.run_all("INSERT INTO t VALUES (7)")
        self.check_kept("two", predict)
        self.run_each("BEGIN", "INSERT INTO t VALUES (8)")
        self.check_kept("two", predict)
        self.run_all("CREATE TABLE log AS SELECT x, totrain_predict('other.m', x) AS y FROM t")
        self.check_kept("two", predict)
        self.run_all("COMMIT")
        self.check_kept("two", predict)

    def test_another_database_of_the_same_name(self):
        paths = {label: self.make_file(f"{label}.db", label) for label in LABELS}
        predict = "SELECT totrain_predict('other.m', 5)"
        for label in LABELS * 3:
            self.attach(paths[label])
            self.check(label, predict)
            self.run_all("DETACH other")

    def test_a_file_that_is_changed_while_it_is_detached(self):
        path = self.make_file("other.db", "one")
        predict = "SELECT totrain_predict('other.m', 5)"
        for label in LABELS * 3:
            self.other(f"ATTACH '{self.path}' AS source", *self.replace(f"source.{label}", "main.m"), path=path)
            self.attach(path)
            self.check(label, predict)
            self.run_all("DETACH other")

    def test_a_file_that_another_one_takes_the_place_of(self):
        path = self.make_file("other.db", "one")
        predict = "SELECT totrain_predict('other.m', 5)"
        for label in LABELS * 2:
            os.replace(self.make_file("next.db", label), path)
            self.attach(path)
            self.check(label, predict)
            self.run_all("DETACH other")

    def test_a_database_that_is_read_from_bytes(self):
        """sqlite3_deserialize: versions begin anew under the name main."""
        images = {label: self.make_file(f"{label}.db", label).read_bytes() for label in LABELS}
        for label in LABELS * 3:
            self.session.deserialize(images[label])
            self.check(label)

    def test_an_authorizer_is_asked_by_each_statement(self):
        denied = False

        def authorize(action, table, *_):
            return sqlite3.SQLITE_DENY if denied and action == sqlite3.SQLITE_READ and table == "m" else sqlite3.SQLITE_OK

        self.session.set_authorizer(authorize)
        self.check("one")
        denied = True
        self.refused("prohibited|not authorized")
        denied = False
        self.check("one")


class Shared(Case):
    """Databases in memory, which connections of a process may have in common."""

    def open_memory(self, name, **options):
        database = self.connect(name, isolation_level=None, uri=True, **options)
        database.execute(f"ATTACH 'file:{self.path}?vfs=unix' AS source")
        return database

    def start(self, name):
        keeper = self.open_memory(name)
        for label in LABELS:
            keeper.execute(f"CREATE TABLE {label} AS SELECT * FROM source.{label}")
        keeper.execute("CREATE TABLE m AS SELECT * FROM one")
        return keeper

    def follow(self, database):
        self.session = self.database = database
        self.session.set_trace_callback(self.traced.append)
        self.check("one")
        self.check_kept("one")

    def test_a_database_in_memory(self):
        self.follow(self.start(":memory:"))
        self.run_each(*self.replace("two"))
        self.check_read_once("two")
        self.run_each("BEGIN", *self.replace("three"))
        self.check_read_always("three")
        self.run_all("ROLLBACK")
        self.check_kept("two")

    def test_a_database_in_memory_that_is_shared(self):
        """By the VFS memdb; it has no cache in common."""
        other = self.start("file:/totrain-shared?vfs=memdb")
        self.follow(self.open_memory("file:/totrain-shared?vfs=memdb"))
        for sql in self.replace("two"):
            other.execute(sql)
        self.check_read_once("two")
        self.run_each(*self.replace("three"))
        self.check_read_once("three")

    def test_a_cache_that_is_shared(self):
        for name in ("file:totrain-shared?mode=memory&cache=shared", f"file:{self.folder}/shared.db?cache=shared"):
            with self.subTest(name):
                other = self.start(name)
                self.follow(self.open_memory(name))
                for sql in ("BEGIN", *self.replace("two")):
                    other.execute(sql)
                self.refused("locked")
                other.execute("ROLLBACK")
                self.check_kept("one")
                for sql in ("BEGIN", *self.replace("two"), "COMMIT"):
                    other.execute(sql)
                self.check_read_once("two")

    def test_what_is_not_committed_and_shown_is_not_kept(self):
        name = "file:totrain-uncommitted?mode=memory&cache=shared"
        other = self.start(name)
        self.follow(self.open_memory(name))
        self.run_all("PRAGMA read_uncommitted = on")
        self.check_read_always("one")
        for sql in ("BEGIN", *self.replace("two")):
            other.execute(sql)
        self.check_read_always("two")
        other.execute("ROLLBACK")
        self.check_read_always("one")
        self.run_all("PRAGMA read_uncommitted = off")
        self.check("one")
        self.check_kept("one")


class Memory(Case):
    """`large` takes some 20 MiB."""

    LARGE = ("SELECT 's' || x AS s, x, x > 3 AS y FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [4], train.epoch = 1, "
             "job.max_workers = 1 COLUMN x, EMBEDDING(CATEGORY_HASH(s, 640000), 8) LABEL y INTO large")
    PREDICT_LARGE = "SELECT totrain_predict('large', 's1', 5) || '1'"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with contextlib.closing(sqlite3.connect(cls.template / "test.db", isolation_level=None)) as database:
            database.enable_load_extension(True)
            database.load_extension(harness.EXTENSION)
            database.execute(cls.LARGE).fetchall()
            database.execute("CREATE TABLE second AS SELECT * FROM large")

    def limit(self, size):
        return self.run_all("SELECT totrain_config('model_cache', ?)", size)[0][0]

    def reads_of(self, *statements):
        self.reads()
        for sql in statements:
            self.run_all(sql)
        return self.reads()

    def test_the_limit_is_a_setting(self):
        self.assertEqual(self.run_all("SELECT totrain_config('model_cache')"), [("128Mi",)])
        self.assertEqual([self.limit(size) for size in ("30Mi", "1.5Gi", 0, "0", 1048576)], ["30Mi", "1536Mi", "0", "0", "1Mi"])
        for size in ("much", "-1", -1, "1e30Ti", None):
            with self.assertRaisesRegex(sqlite3.Error, "model_cache is an amount of memory, such as '128Mi', or 0"):
                self.limit(size)

    def test_the_limit_holds(self):
        large = self.PREDICT_LARGE
        self.limit(0)
        self.assertEqual(self.reads_of(large, large), 2)
        self.check_read_always("one")
        self.limit("10Mi")
        self.assertEqual(self.reads_of(large, large), 2)
        self.check_read_once("one")
        self.limit("30Mi")
        self.assertEqual(self.reads_of(large, large), 1)
        self.limit("10Mi")
        self.limit("30Mi")
        self.assertEqual(self.reads_of(large, large), 1)

    def test_the_model_that_was_used_least_lately_makes_room(self):
        large, second = self.PREDICT_LARGE, self.PREDICT_LARGE.replace("large", "second")
        self.limit("30Mi")
        self.assertEqual(self.reads_of(large, second, second, large), 3)
        self.check_kept("one", PREDICT)
        self.limit("128Mi")
        self.assertEqual(self.reads_of(large, second, second, large), 1)

    def test_a_statement_keeps_the_models_that_it_uses(self):
        self.limit(0)
        both = "SELECT totrain_predict('large', 's' || x, x), totrain_predict('second', 's' || x, x) FROM t"
        self.assertEqual(self.reads_of(both), 2)

    def test_what_memory_cannot_hold_is_told(self):
        """The bytes of an array are all there before they are read: 20 MiB and no more."""
        os.environ["TOTRAIN_MODEL_MEMORY"] = "1Mi"
        self.addCleanup(os.environ.pop, "TOTRAIN_MODEL_MEMORY", None)
        self.open()
        self.refused("TOTRAIN_MODEL_MEMORY", self.PREDICT_LARGE)
        self.check_kept("one")

    @staticmethod
    def resident():
        """Bytes of this process's own memory."""
        return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path("/proc/self/status").read_text(encoding="ascii"))[1]) << 10

    @KEEPS_MEMORY
    def test_memory_is_constant_over_many_predictions(self):
        def predict_often(count):
            for _ in range(count):
                self.run_all(PREDICT, 5)
                self.run_all(self.PREDICT_LARGE)

        self.session.set_trace_callback(None)
        predict_often(500)
        before = self.resident()
        predict_often(5000)
        self.assertLess(self.resident() - before, 1 << 20)

    @KEEPS_MEMORY
    def test_memory_is_constant_while_models_are_replaced(self):
        def replace_often(count):
            for _ in range(count):
                self.run_all("UPDATE large SET part = part WHERE part = 'meta'")
                self.run_all(self.PREDICT_LARGE)
            return self.resident()

        before = replace_often(6)
        self.assertLess(replace_often(6) - before, 10 << 20)

    @KEEPS_MEMORY
    def test_a_connection_that_is_closed_gives_all_back(self):
        def connect_often(count):
            for _ in range(count):
                with contextlib.closing(self.connect(isolation_level=None)) as database:
                    database.execute(self.PREDICT_LARGE).fetchall()
            return self.resident()

        before = connect_often(3)
        self.assertLess(connect_often(6) - before, 10 << 20)

    def test_nothing_keeps_a_connection_from_being_closed(self):
        """The shell says so where a statement is left."""
        out, err = self.shell(f"{self.PREDICT_LARGE};\nSELECT totrain_predict('m', 5);\n.open {self.folder}/other.db\nSELECT 'closed';")
        self.assertEqual(err, "")
        self.assertIn("one1", out)
        self.assertIn("closed", out)


class Any(Case):
    """Whatever is done, the model is the one whose meta row the same connection reads."""

    # One of these is drawn at random; it may fail.
    HERE = ["BEGIN", "BEGIN IMMEDIATE", "COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE s", "VACUUM",
            "INSERT INTO t VALUES (1)", "DROP TABLE main.m", "CREATE TABLE m AS SELECT * FROM {0}", "DROP TABLE temp.m",
            "CREATE TEMP TABLE m AS SELECT * FROM main.{0}", "CREATE TEMP VIEW m AS SELECT * FROM main.{0}", "DROP VIEW temp.m",
            "ATTACH '{1}' AS other", "DETACH other", "CREATE TABLE other.m AS SELECT * FROM main.{0}", "DROP TABLE other.m",
            "PRAGMA temp_store = {2}", "PRAGMA journal_mode = {3}", "ALTER TABLE main.m RENAME TO old", "ALTER TABLE main.old RENAME TO m"]
    BOTH = ["DELETE FROM main.m; INSERT INTO main.m SELECT * FROM main.{0}", "UPDATE main.m SET name = name"]
    AWAY = ["ATTACH '{1}' AS other; DELETE FROM other.m; INSERT INTO other.m SELECT * FROM main.{0}; DETACH other"]

    def run_script(self, database, script):
        with contextlib.suppress(sqlite3.Error):
            for sql in script.split("; "):
                database.execute(sql).fetchall()

    def seen(self, model):
        """Which of the models the connection finds there; None where there is none. A statement that was prepared before would
        still lead to where the name led then."""
        self.looks += 1
        try:
            found = self.run_all(f"SELECT json_extract(data, '$.id') FROM {model} WHERE part = 'meta' -- {self.looks}")
        except sqlite3.Error:
            return None
        return self.ids[found[0][0]] if found else None

    def test_random_histories(self):
        self.ids = {self.run_all(f"SELECT json_extract(data, '$.id') FROM {model} WHERE part = 'meta'")[0][0]: label
                    for label, model in (*zip(LABELS, LABELS), ("one", "m"))}
        attached = [self.folder / "first.db", self.folder / "second.db"]
        away = self.connect(isolation_level=None, timeout=0)
        self.run_all("PRAGMA busy_timeout = 0")
        self.looks = kept = 0
        for seed in range(6):
            draw = random.Random(seed)
            for step in range(400):
                here = draw.random() < 0.7
                script = draw.choice((self.HERE if here else self.AWAY) + self.BOTH).format(
                    draw.choice(LABELS), draw.choice(attached), draw.choice((1, 2)), draw.choice(("wal", "delete", "truncate")))
                self.run_script(self.session if here else away, script)
                for model in ("m", "main.m", "other.m"):
                    self.reads()
                    seen = self.seen(model)
                    try:
                        said = self.said(f"SELECT totrain_predict('{model}', 5)")
                    except sqlite3.Error:
                        said = None
                    self.assertEqual(said, seen, f"seed {seed}, step {step}: {script}, {model}")
                    kept += said is not None and self.reads() == 0
            for script in ("ROLLBACK", "DETACH other"):
                self.run_script(self.session, script)
        self.assertGreater(kept, 500)


if __name__ == "__main__":
    harness.main()
