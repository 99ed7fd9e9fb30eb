"""A model that is published by pieces, and what is there of it meanwhile."""

import os

from harness import wait_for

# An eighth of what users have. Read by all that a test file starts, servers and programs.
os.environ["TOTRAIN_PIECE_BYTES"] = str(1 << 20)
# More than eight pieces.
TRAIN = ("SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [1500, 1500], train.max_steps = 1{} "
         "LABEL label INTO {}")
OTHER = ", train.seed = 3"
BYTES = 4 * (1500 * 1500 + 1500 * 3)
WEIGHTS = "SELECT part, name, position, data FROM {} WHERE part <> 'meta'"
ROWS_TO_LEARN = ("CREATE TABLE t AS SELECT i % 17 - 8.5 AS x, i % 5 / 3.0 AS y, (ARRAY['a', 'b', 'c'])[i % 3 + 1] AS label "
                 "FROM generate_series(0, 299) i")


class Observed:
    """For a harness.Case."""

    def parts(self):
        return sorted(name for name in self.tables() if name.startswith("totrain_part_"))

    def count_marked(self, table):
        return self.execute(f"SELECT count(*) FROM {table} WHERE value = 7")[0][0]

    def mark(self, all_of_it=False):
        """Marks the rows of the model: rows that are written again lose the mark. Returns how many there are."""
        part, = self.parts()
        self.execute(f"UPDATE {part} SET value = 7 WHERE part = 'tensor'")
        count = self.count_marked(part)
        self.assertGreater(count, 0)
        if not all_of_it:
            self.assertLess(count, BYTES >> 18)
        return count

    def hold(self):
        """Holds a writer at the end of a piece, where it waits for this session, whose connection is the answer."""
        part, = self.parts()
        connection = self.connect(autocommit=False)
        connection.cursor().execute(f"LOCK TABLE {part} IN SHARE UPDATE EXCLUSIVE MODE")
        return connection

    def wait_for_writer(self):
        """The backend that has written a piece, and has not committed it."""
        part, = self.parts()
        return wait_for(lambda: self.execute(f"SELECT pid FROM pg_locks WHERE relation = '{part}'::regclass AND NOT granted"),
                        "one who writes a piece")[0][0]

    def kept(self):
        """The number of rows that are committed when the last writer is held."""
        part, = self.parts()
        return self.execute(f"SELECT count(*) FROM {part} WHERE part = 'tensor'")[0][0]

    def check_same_rows(self, model, other):
        self.assertEqual(self.execute(f"({WEIGHTS.format(model)} EXCEPT ALL {WEIGHTS.format(other)}) UNION ALL "
                                      f"({WEIGHTS.format(other)} EXCEPT ALL {WEIGHTS.format(model)}) LIMIT 1"), [])

    def check_whole(self, model, other):
        """The same rows as those of the other model, but for what was marked."""
        self.check_same_rows(model, other)
        self.assertEqual(self.digest(model), self.digest(other))
        self.assertEqual(self.execute(f"SELECT count(*) FROM {model} WHERE part = 'meta'"), [(1,)])
        self.assertEqual(self.execute(f"SELECT obj_description('{model}'::regclass)"), [(None,)])
        self.assertEqual(self.parts(), [])
        scores = "SELECT totrain.logits('{}', ROW(x, y)) FROM t LIMIT 20"
        self.assertEqual(self.execute(scores.format(model)), self.execute(scores.format(other)))
