"""A large model goes into its new table by pieces, and whoever publishes it again goes on behind the last of them."""

import resource
import signal
import sqlite3

import harness

# Above PIECES_MODEL_LEAST.
TRAIN = ("SELECT x, y, label FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [4200, 4200], "
         "train.max_steps = 1{} LABEL label INTO {}")
BYTES = 4 * (4200 * 4200 + 4200 * 3)


class ModelPieces(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (x REAL, y REAL, label TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)",
                                  [(i % 17 - 8.5, i % 5 / 3, "abc"[i % 3]) for i in range(300)])
        self.addCleanup(self.end_what_is_left)

    def parts(self):
        return sorted(name for name in self.tables(self.database) if name.startswith("totrain_part_"))

    def check_whole(self, model, other):
        """The same rows as those of the other model, but for what was marked, and in the same order."""
        rows = "SELECT rowid, part, name, position, data FROM {} WHERE part <> 'meta'"
        self.assertEqual(self.run_all(rows.format(model)), self.run_all(rows.format(other)))
        self.assertEqual(self.model_digest(model), self.model_digest(other))
        self.assertEqual(self.run_all(f"SELECT part FROM {model} WHERE rowid = 1"), [("meta",)])
        self.assertEqual(self.parts(), [])
        scores = "SELECT totrain_logits('{}', x, y) FROM t LIMIT 20"
        self.assertEqual(self.run_all(scores.format(model)), self.run_all(scores.format(other)))

    def fill(self, most):
        """The database has room for so many bytes of the model m. How many bytes it had."""
        pages, size = (self.run_all(f"PRAGMA {name}")[0][0] for name in ("page_count", "page_size"))
        self.run_all(f"PRAGMA max_page_count = {pages + most // size}")
        with self.assertRaisesRegex(sqlite3.Error, "full"):
            self.run_all(TRAIN.format("", "m"))
        self.run_all("PRAGMA max_page_count = 1073741823")
        return pages * size

    def last_job(self):
        return self.run_all("SELECT max(id) FROM totrain_jobs")[0][0]

    def publish(self):
        done = self.run_program("publish", self.last_job())
        self.assertEqual(done.returncode, 0, done.stderr)

    def mark(self):
        """What is there of the model: rows that are written again lose it. How many there are."""
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
        """By a write behind the end that the file may have: in the middle of a piece, as by a power cut."""
        self.run_all(TRAIN.format("", "other"))
        size = self.fill(BYTES // 4)
        marked = self.mark()
        limit = size + BYTES * 3 // 4
        killed = self.run_program("publish", self.last_job(), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(killed.returncode, -signal.SIGXFSZ)
        self.assertGreater(self.mark(), marked)
        marked = self.mark()
        self.assertNotIn("m", self.tables(self.database))
        self.publish()
        self.assertEqual(self.run_all("SELECT count(*) FROM m WHERE value = 7"), [(marked,)])
        self.check_whole("m", "other")

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
        self.assertEqual(self.run_all("SELECT * FROM parts"), [("meta",), ("tensor",)])
        self.assertEqual(self.run_all("PRAGMA legacy_alter_table"), [(0,)])
        self.assertEqual(self.parts(), [])


if __name__ == "__main__":
    harness.main()
