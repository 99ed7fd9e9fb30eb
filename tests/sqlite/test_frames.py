"""Columns in the memory of the process as a table: totrain_frame_add and the module totrain_frame, and what else
programs use that bring their own door: totrain_sql, and the pipe of progress."""

import ctypes
import json
import os
import sqlite3

import harness


class Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("values", ctypes.c_void_p), ("stride", ctypes.c_int64),
                ("valid", ctypes.c_void_p), ("bytes", ctypes.c_char_p), ("offsets", ctypes.c_void_p),
                ("texts", ctypes.c_int64), ("kind", ctypes.c_int32), ("unused", ctypes.c_int32)]


KINDS = [ctypes.c_double, ctypes.c_float, ctypes.c_int64, ctypes.c_int32, ctypes.c_int16, ctypes.c_int8,
         ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint16, ctypes.c_uint8, ctypes.c_uint8]
WORDS = len(KINDS)


def library():
    found = ctypes.CDLL(harness.EXTENSION + ".so")
    found.totrain_frame_add.argtypes = [ctypes.POINTER(Column), ctypes.c_int32, ctypes.c_int64]
    found.totrain_frame_add.restype = ctypes.c_int64
    found.totrain_frame_remove.argtypes = [ctypes.c_int64]
    found.totrain_frame_remove.restype = ctypes.c_bool
    return found


class Frames(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(":memory:")
        self.library = library()
        self.kept = []

    def numbers(self, name, kind, values, valid=None):
        array = (KINDS[kind] * len(values))(*values)
        mask = None if valid is None else (ctypes.c_uint8 * len(values))(*valid)
        self.kept += [array, mask]
        return Column(name=name, values=ctypes.cast(array, ctypes.c_void_p), stride=ctypes.sizeof(KINDS[kind]),
                      valid=ctypes.cast(mask, ctypes.c_void_p) if mask else None, kind=kind)

    def words(self, name, codes, texts):
        data = [text.encode() for text in texts]
        array = (ctypes.c_int32 * len(codes))(*codes)
        offsets = (ctypes.c_int64 * (len(data) + 1))(*[len(b"".join(data[:i])) for i in range(len(data) + 1)])
        self.kept += [array, offsets]
        return Column(name=name, values=ctypes.cast(array, ctypes.c_void_p), stride=4, bytes=b"".join(data),
                      offsets=ctypes.cast(offsets, ctypes.c_void_p), texts=len(data), kind=WORDS)

    def add(self, *columns, rows=3):
        self.kept.append(columns)
        return self.library.totrain_frame_add((Column * len(columns))(*columns), len(columns), rows)

    def show(self, key):
        self.database.execute(f"CREATE VIRTUAL TABLE temp.f USING totrain_frame({key})")

    def test_every_kind_of_number_is_what_it_is(self):
        for kind, of in enumerate(KINDS):
            with self.subTest(of):
                key = self.add(self.numbers(b"v", kind, [0, 1, 100]))
                self.show(key)
                rows = self.database.execute("SELECT v, typeof(v) FROM f").fetchall()
                expected = [(0, 1, 1)[i] if kind == 10 else (0, 1, 100)[i] for i in range(3)]
                self.assertEqual([row[0] for row in rows], expected)
                self.assertEqual({row[1] for row in rows}, {"real" if kind < 2 else "integer"})
                self.database.execute("DROP TABLE f")
                self.assertTrue(self.library.totrain_frame_remove(key))

    def test_words_masks_and_numbers_that_are_none(self):
        self.show(self.add(self.words(b'a "w"', [1, -1, 0], ["x", "größe"]), self.numbers(b"n", 2, [1, 2, 3], [1, 0, 1]),
                           self.numbers(b"r", 0, [1.5, float("nan"), float("-inf")]),
                           self.numbers(b"u", 6, [2**64 - 1, 0, 1])))
        self.assertEqual(self.database.execute("SELECT * FROM f").fetchall(),
                         [("größe", 1, 1.5, float(2**64 - 1)), (None, None, None, 0), ("x", 3, float("-inf"), 1)])
        self.assertEqual(self.database.execute("SELECT max(rowid), count(*) FROM f WHERE n = 3").fetchall(), [(3, 1)])

    def test_a_code_without_a_word_is_null(self):
        self.show(self.add(self.words(b"w", [0, 1, 2**31 - 1], ["x"])))
        self.assertEqual(self.database.execute("SELECT w FROM f").fetchall(), [("x",), (None,), (None,)])

    def test_what_is_no_frame_gets_no_key(self):
        good = self.numbers(b"v", 0, [1, 2, 3])
        for columns, rows in (([], 3), ([good] * 2001, 3), ([good], -1), ([Column(name=b"v", kind=0)], 3),
                              ([Column(name=b"v", kind=99, values=good.values)], 3),
                              ([Column(values=good.values)], 3), ([Column(name=b"w", values=good.values, kind=WORDS)], 3)):
            self.assertEqual(self.add(*columns, rows=rows), 0)

    def test_a_frame_that_was_removed_is_read_no_more(self):
        key = self.add(self.numbers(b"v", 0, [1, 2, 3]))
        self.show(key)
        self.assertTrue(self.library.totrain_frame_remove(key))
        self.assertFalse(self.library.totrain_frame_remove(key))
        with self.assertRaisesRegex(sqlite3.OperationalError, "the frame has been removed"):
            self.database.execute("SELECT * FROM f").fetchall()
        with self.assertRaisesRegex(sqlite3.OperationalError, "there is no frame of this key"):
            self.database.execute(f"CREATE VIRTUAL TABLE temp.g USING totrain_frame({key})")

    def test_equal_names_are_an_error(self):
        key = self.add(self.numbers(b"v", 0, [1, 2, 3]), self.numbers(b"V", 0, [1, 2, 3]))
        with self.assertRaisesRegex(sqlite3.OperationalError, "duplicate column name"):
            self.show(key)

    def test_a_frame_trains_the_model_of_a_table(self):
        harness.load_csv(self.database, "iris")
        names = [row[1] for row in self.database.execute("PRAGMA table_info(iris)")]
        rows = list(zip(*self.database.execute("SELECT * FROM iris")))
        self.show(self.add(*(self.numbers(name.encode(), 2 if name == "class" else 0, values)
                             for name, values in zip(names, rows)), rows=150))
        for table, model in (("iris", "a"), ("temp.f", "b")):
            self.database.execute(f"SELECT * FROM {table} TO TRAIN DNNClassifier WITH epochs = 3 LABEL class "
                                  f"INTO {model}").fetchall()
        self.assertEqual(self.model_digest("a"), self.model_digest("b"))


class OwnDoors(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect()

    def test_totrain_sql_is_the_query_that_runs_a_statement(self):
        translate = "SELECT totrain_sql(?)"
        for other in ("SELECT 1", "", "SELECT 'a TO TRAIN b'", None):
            self.assertEqual(self.database.execute(translate, (other,)).fetchone(), (None,))
        train = "SELECT * FROM iris WHERE class < ? TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO m;"
        query = self.database.execute(translate, (train,)).fetchone()[0]
        self.assertEqual(harness.facts(self.database.execute(query, (2,)))["rows"], 100)
        query = self.database.execute(translate, ("SELECT * FROM iris TO PREDICT guess USING m",)).fetchone()[0]
        self.assertEqual(len(self.database.execute(f"SELECT guess FROM ({query})").fetchall()), 150)
        with self.assertRaisesRegex(sqlite3.OperationalError, r"(?s)there is no model .*LINE 1: .*\^.*HINT"):
            self.database.execute(translate, ("SELECT * FROM iris TO PREDICT USING nothing",))

    def test_events_come_as_lines_of_a_pipe(self):
        reading, writing = os.pipe()
        self.database.execute("SELECT totrain_config('progress', ?)", (writing,)).fetchall()
        self.assertEqual(self.database.execute("SELECT totrain_config('progress')").fetchone(), (writing,))
        self.database.execute(harness.TRAIN_IRIS).fetchall()
        self.assertEqual(self.database.execute("SELECT totrain_config('progress', -1)").fetchone(), (-1,))
        os.close(writing)
        with os.fdopen(reading) as lines:
            events = [json.loads(line) for line in lines]
        self.assertEqual((events[0]["event"], events[-1]["event"]), ("started", "done"))
        self.assertEqual(events[-1]["steps"], 300)

    def test_a_pipe_that_nobody_reads_holds_nothing_up(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        os.set_blocking(writing, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writing, b"x" * 4096)
        self.database.execute("SELECT totrain_config('progress', ?)", (writing,)).fetchall()
        self.assertEqual(harness.facts(self.database.execute(harness.TRAIN_IRIS))["rows"], 150)

    def test_nothing_but_a_pipe_is_written_to(self):
        with open(self.folder / "file", "w", encoding="utf-8") as file:
            for wrong in (file.fileno(), 9999, "1x", "text", None, -2):
                with self.assertRaisesRegex(sqlite3.OperationalError, "the descriptor of a pipe to write to"):
                    self.database.execute("SELECT totrain_config('progress', ?)", (wrong,)).fetchall()
        with self.assertRaisesRegex(sqlite3.OperationalError, "the settings are 'bare_statements', 'model_cache' and 'progress'"):
            self.database.execute("SELECT totrain_config('nothing', 1)").fetchall()


harness.main()
