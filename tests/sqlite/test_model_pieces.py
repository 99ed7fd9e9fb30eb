"""A large model goes into its table by pieces, and whoever publishes it again goes on behind the last of them."""

import json
import os
import resource
import signal
import sqlite3

import harness

PIECE_BYTES = 1 << 20  # an eighth of what users have
# More than eight pieces.
TRAIN = ("SELECT x, y, label FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [1500, 1500], "
         "train.max_steps = 1{} LABEL label INTO {}")
BYTES = 4 * (1500 * 1500 + 1500 * 3)


class ModelPieces(harness.Case):
    def setUp(self):
        super().setUp()
        os.environ["TOTRAIN_PIECE_BYTES"] = str(PIECE_BYTES)
        self.addCleanup(os.environ.pop, "TOTRAIN_PIECE_BYTES")
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (x REAL, y REAL, label TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)",
                                  [(i % 17 - 8.5, i % 5 / 3, "abc"[i % 3]) for i in range(300)])
        self.addCleanup(self.end_what_is_left)

    def parts(self):
        return sorted(name for name in self.tables(self.database) if name.startswith("totrain_part_"))

    def current(self, database=None, model="m"):
        """The version that a reader sees, and whether it has all rows of it."""
        database = database or self.database
        meta, = database.execute(f"SELECT data FROM {model} WHERE part = 'meta'").fetchone()
        shown = json.loads(meta)
        size, = database.execute(f"SELECT sum(length(data)) FROM {model} WHERE part = 'tensor'").fetchone()
        return shown["version"], size

    def check_whole(self, model, other):
        """The same rows as those of the other model, but for what was marked, and in the same order."""
        rows = "SELECT rowid, part, name, position, data FROM {} WHERE part <> 'meta'"
        self.assertEqual(self.run_all(rows.format(model)), self.run_all(rows.format(other)))
        self.assertEqual(self.model_digest(model), self.model_digest(other))
        self.assertEqual(self.run_all(f"SELECT part FROM {model} WHERE rowid = 1"), [("meta",)])
        self.assertEqual(self.parts(), [])
        scores = "SELECT totrain_logits('{}', x, y) FROM t LIMIT 20"
        self.assertEqual(self.run_all(scores.format(model)), self.run_all(scores.format(other)))

    def fill(self, most, settings=""):
        """The database has room for so many bytes of the model m. How many bytes it had."""
        pages, size = (self.run_all(f"PRAGMA {name}")[0][0] for name in ("page_count", "page_size"))
        self.run_all(f"PRAGMA max_page_count = {pages + most // size}")
        with self.assertRaisesRegex(sqlite3.Error, "full"):
            self.run_all(TRAIN.format(settings, "m"))
        self.run_all("PRAGMA max_page_count = 1073741823")
        return pages * size

    def last_job(self):
        return self.run_all("SELECT max(id) FROM totrain_jobs")[0][0]

    def publish(self):
        done = self.run_program("publish", self.last_job())
        self.assertEqual(done.returncode, 0, done.stderr)

    def publish_killed(self, limit):
        """By a write behind the end that the file may have: in the middle of a piece, as by a power cut."""
        killed = self.run_program("publish", self.last_job(), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(killed.returncode, -signal.SIGXFSZ)

    def mark(self):
        """Marks the rows of the model: rows that are written again lose the mark. Returns how many there are."""
        part, = self.parts()
        self.run_all(f"UPDATE {part} SET value = 7 WHERE part = 'tensor'")
        count = self.run_all(f"SELECT count(*) FROM {part} WHERE value = 7")[0][0]
        self.assertGreater(count, 0)
        self.assertLess(count, BYTES >> 18)
        return count

    def test_a_database_that_was_full_gets_the_rest(self):
        self.run_all(TRAIN.format("", "other"))
        self.fill(BYTES // 2)
        self.assertNotIn("m", self.tables(self.database))
        self.assertEqual([row[0] for row in self.run_all("SHOW MODELS")], ["other"])
        marked = self.mark()
        self.publish()
        self.assertEqual(self.run_all("SELECT count(*) FROM m WHERE value = 7"), [(marked,)])
        self.check_whole("m", "other")

    def test_who_is_killed_leaves_pieces_to_the_next(self):
        self.run_all(TRAIN.format("", "other"))
        size = self.fill(BYTES // 4)
        marked = self.mark()
        limit = size + BYTES * 3 // 4
        self.publish_killed(limit)
        self.assertGreater(self.mark(), marked)
        marked = self.mark()
        self.assertNotIn("m", self.tables(self.database))
        self.publish()
        self.assertEqual(self.run_all("SELECT count(*) FROM m WHERE value = 7"), [(marked,)])
        self.check_whole("m", "other")

    def test_a_model_is_replaced_by_pieces(self):
        """A session that refers to its table goes on; one that reads meanwhile sees the old model, and it is kept."""
        self.run_all(TRAIN.format(", train.seed = 3", "other"))
        self.run_all(TRAIN.format("", "m"))
        self.run_all("CREATE TABLE seen (part TEXT)")
        self.run_all("CREATE VIEW parts AS SELECT DISTINCT part FROM m")
        self.run_all("CREATE INDEX m_parts ON m (part)")
        self.run_all("CREATE TRIGGER noted AFTER INSERT ON m BEGIN INSERT INTO seen VALUES (new.part); END")
        old, old_digest = self.current(), self.model_digest("m")
        rows = "SELECT rowid, part, name, position, data FROM m WHERE part <> 'meta'"
        old_rows = self.run_all(rows)
        size = self.fill(BYTES // 4, ", train.seed = 3")
        self.assertEqual((self.current(), self.run_all("SELECT count(*) FROM seen")), (old, [(0,)]))
        marked = self.mark()
        self.publish_killed(size + BYTES * 3 // 4)
        self.assertEqual(self.current(), old)
        self.assertGreater(self.mark(), marked)
        marked = self.mark()
        self.publish_killed(size + BYTES * 5 // 4)  # in the transaction that moves the rows
        self.assertEqual((self.current(), self.run_all("SELECT count(*) FROM seen")), (old, [(0,)]))
        self.publish()
        self.assertEqual(self.run_all("SELECT count(*) FROM m WHERE value = 7"), [(marked,)])
        self.check_whole("m", "other")
        self.assertEqual(self.run_all("SELECT part FROM parts ORDER BY part"), [("meta",), ("statistics",), ("tensor",)])
        self.assertEqual(self.run_all("SELECT name FROM sqlite_master WHERE tbl_name = 'm' ORDER BY name"),
                         [("m",), ("m_parts",), ("noted",)])
        self.assertEqual(self.run_all("SELECT count(*) FROM seen"), self.run_all("SELECT count(*) FROM m"))
        self.assertEqual(len(self.run_all("SHOW VERSIONS m")), 2)
        self.run_all("ROLLBACK MODEL m TO 1")
        self.assertEqual((self.model_digest("m"), self.run_all(rows)), (old_digest, old_rows))

    def test_readers_see_the_old_model_or_the_new_one(self):
        self.run_all("PRAGMA journal_mode = WAL")
        self.run_all(TRAIN.format("", "m"))
        self.fill(BYTES // 4, ", train.seed = 3")
        reader = self.connect(isolation_level=None)
        reader.execute("BEGIN")
        old = self.current(reader)
        self.publish()
        self.assertEqual(self.current(reader), old)
        reader.execute("COMMIT")
        self.assertEqual(self.current(reader), (old[0] + 1, old[1]))
        self.assertEqual(self.parts(), [])

    def test_another_model_of_the_name_removes_them(self):
        self.fill(BYTES // 2)
        self.assertEqual(len(self.parts()), 1)
        self.run_all(TRAIN.format(", train.seed = 3", "M"))
        self.assertEqual(self.parts(), [])

    def test_views_transactions_and_versions_are_as_ever(self):
        self.run_all("CREATE VIEW parts AS SELECT DISTINCT part FROM m")
        self.run_all("BEGIN")
        self.run_all(TRAIN.format("", "m"))
        self.run_all("ROLLBACK")
        self.assertNotIn("m", self.tables(self.database))
        for _ in range(2):
            self.run_all(TRAIN.format("", "m"))
        self.assertEqual(len(self.run_all("SHOW VERSIONS m")), 2)
        self.assertEqual(self.run_all("SELECT * FROM parts ORDER BY part"), [("meta",), ("statistics",), ("tensor",)])
        self.assertEqual(self.run_all("PRAGMA legacy_alter_table"), [(0,)])
        self.assertEqual(self.parts(), [])


if __name__ == "__main__":
    harness.main()
