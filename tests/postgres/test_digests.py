"""The same set of rows gives the same model in SQLite and in PostgreSQL, wherever the rows lie and whoever reads them."""

import concurrent.futures
import json
import os
import random
import sqlite3
import subprocess
import threading

import harness
from server import BUILD

ROWS = 60000  # enough for several readers
COLUMNS = [("id", "bigint"), ("a", "double precision"), ("b", "double precision"), ("n", "integer"), ("word", "text"), ("y", "integer")]
TRAIN = ("SELECT a, b, n, word, y FROM {} TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 2, "
         "train.batch_size = 512 LABEL y INTO m")


def made_rows():
    choice = random.Random(4)
    for number in range(ROWS):
        a, b = choice.gauss(0, 1), choice.expovariate(0.01)
        n = None if choice.random() < 0.05 else choice.randrange(-1000, 1000)
        word = None if choice.random() < 0.02 else choice.choice(["ÄÖ", "b", "c c", "d'", "e\te", ""])
        yield number, a, b, n, word, int(a * b > 20)


class Digests(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cls.rows = list(made_rows())
        cls.sqlite_path = cls.server.folder / "rows.db"
        database = sqlite3.connect(cls.sqlite_path)
        database.execute("CREATE TABLE t (id INTEGER, a REAL, b REAL, n INTEGER, word TEXT, y INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", cls.rows)
        database.commit()
        database.close()
        cls.run_sqlite(TRAIN.format("t"))
        cls.wanted = cls.ask_sqlite("SELECT json_extract(data, '$.digest') FROM m WHERE part = 'meta'")[0][0]
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE t ({', '.join(' '.join(column) for column in COLUMNS)})")
            cls.fill(cursor, "t")
            cursor.execute("VACUUM ANALYZE t")

    @classmethod
    def run_sqlite(cls, sql):
        done = subprocess.run([BUILD / "totrain", cls.sqlite_path, "--format", "json", "--progress=none", "-c", sql], check=False,
                              env={**os.environ, "TOTRAIN_STATE": str(cls.server.folder / "sqlite-state")},
                              capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout or "[]")

    @classmethod
    def ask_sqlite(cls, sql):
        database = sqlite3.connect(cls.sqlite_path)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    @classmethod
    def fill(cls, cursor, table):
        from psycopg2.extras import execute_values  # Debian's own copy
        execute_values(cursor, f"INSERT INTO {table} VALUES %s", cls.rows, page_size=5000)

    def trained(self, table, before=""):
        """The model's digest."""
        self.check_psql(f"SET totrain.progress_interval = -1; {before}\n{TRAIN.format(table)};", "-o", "/dev/null")
        return self.digest("m")

    def check(self, table="t", before=""):
        self.assertEqual(self.trained(table, before), self.wanted)

    def test_the_table_as_it_was_filled(self):
        self.check()

    def test_through_a_view_in_another_order(self):
        self.execute("CREATE VIEW v AS SELECT * FROM t ORDER BY a")
        self.check("v")

    def test_in_a_transaction_that_has_written(self):
        self.check_psql("BEGIN; CREATE TABLE other (x int); SELECT * FROM totrain.run($t$" + TRAIN.format("t") + "$t$); COMMIT;",
                        "-o", "/dev/null")
        self.assertEqual(self.digest("m"), self.wanted)

    def test_clustered_by_another_column(self):
        self.execute("CREATE INDEX by_b ON t (b)")
        self.execute("CLUSTER t USING by_b")
        self.check()

    def test_with_holes_and_moved_rows(self):
        self.execute("INSERT INTO t SELECT * FROM t")
        self.execute("DELETE FROM t WHERE ctid IN (SELECT max(ctid) FROM t GROUP BY id)")
        self.execute("UPDATE t SET id = id + 1 WHERE id % 3 = 0")
        self.execute("VACUUM t")
        self.check()

    def test_partitioned(self):
        self.execute("""
            CREATE TABLE p (LIKE t) PARTITION BY RANGE (id);
            CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (20000) PARTITION BY HASH (a);
            CREATE TABLE p1a PARTITION OF p1 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE p1b PARTITION OF p1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
            CREATE TABLE p2 (y integer, dropped text, word text, n integer, b double precision, a double precision, id bigint);
            ALTER TABLE p2 DROP COLUMN dropped;
            ALTER TABLE p ATTACH PARTITION p2 FOR VALUES FROM (20000) TO (50000);
            CREATE TABLE p3 PARTITION OF p DEFAULT;
            INSERT INTO p SELECT * FROM t""")
        self.check("p")

    def test_all_rows_of_a_class_in_one_partition(self):
        self.execute("""
            CREATE TABLE classes (LIKE t) PARTITION BY LIST (y);
            CREATE TABLE class_0 PARTITION OF classes FOR VALUES IN (0);
            CREATE TABLE class_1 PARTITION OF classes FOR VALUES IN (1);
            INSERT INTO classes SELECT * FROM t""")
        self.check("classes")

    def test_sorted_by_label_and_by_a_feature(self):
        for order in ("y", "a DESC"):
            self.execute(f"CREATE TABLE sorted AS SELECT * FROM t ORDER BY {order}")
            self.check("sorted")
            self.execute("DROP TABLE sorted")

    def test_a_network_with_batch_normalization(self):
        train = TRAIN.replace("[8]", "[8, 4], model.batch_norm = true").replace("INTO m", "INTO normalized")
        self.run_sqlite(train.format("t"))
        wanted = self.ask_sqlite("SELECT json_extract(data, '$.digest') FROM normalized WHERE part = 'meta'")[0][0]
        self.check_psql(f"SET totrain.progress_interval = -1; {train.format('t')};", "-o", "/dev/null")
        self.assertEqual(self.digest("normalized"), wanted)
        self.assertNotEqual(wanted, self.wanted)

    def test_inherited(self):
        self.execute("CREATE TABLE parent (LIKE t); CREATE TABLE child () INHERITS (parent); "
                     "INSERT INTO parent SELECT * FROM t WHERE id < 30000; INSERT INTO child SELECT * FROM t WHERE id >= 30000")
        self.check("parent")
        self.assertNotEqual(self.trained("ONLY parent"), self.wanted)

    def test_with_parallel_query_and_synchronized_scans(self):
        self.check(before="SET synchronize_seqscans = on; SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; "
                   "SET parallel_tuple_cost = 0; " + harness.IN_PARALLEL + "SET max_parallel_workers_per_gather = 4;")

    def test_by_any_number_of_workers(self):
        for count in (1, 2):
            self.check_psql(TRAIN.format("t").replace("WITH ", f"WITH job.max_workers = {count}, ") + ";", "-o", "/dev/null")
            self.assertEqual(self.digest("m"), self.wanted)

    def test_other_types_of_the_same_numbers(self):
        self.execute("CREATE TABLE other AS SELECT id, a::numeric(40, 20)::double precision AS rounded, a, b, n::smallint AS n, "
                     "word::varchar(20) AS word, (y = 1)::integer::bigint AS y FROM t")
        self.check("other")

    def test_rows_that_come_while_it_reads_are_in_none_of_its_shards(self):
        self.execute("CREATE FUNCTION passes(id bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN "
                     f"IF id = {ROWS // 2} THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; RETURN true; END $$; "
                     "CREATE VIEW gate AS SELECT * FROM t WHERE passes(id)")
        holder = self.connect().cursor()
        holder.execute("SELECT pg_advisory_lock(1)")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            training = pool.submit(self.trained, "gate")
            try:
                harness.wait_for(lambda: self.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"),
                                 "the reading of half of the rows")
                self.execute(f"INSERT INTO t SELECT {ROWS} + i, 2, 3, 4, 'x', 1 FROM generate_series(1, 10) i")
            finally:
                holder.execute("SELECT pg_advisory_unlock(1)")
            self.assertEqual(training.result(), self.wanted)

    def test_rows_that_come_and_go_beside_several_readers_are_seen_whole_or_not(self):
        is_over = threading.Event()

        def write():
            cursor = self.connect().cursor()
            commits = 0
            while not is_over.is_set() or commits < 2:
                cursor.execute("INSERT INTO t SELECT 1, 2, 3, 4, 'x', 1 FROM generate_series(1, 10)")
                cursor.execute("DELETE FROM t WHERE word = 'x'")
                commits += 2

        with concurrent.futures.ThreadPoolExecutor() as pool:
            writing = pool.submit(write)
            try:
                self.trained("t")
            finally:
                is_over.set()
            writing.result()
        rows = self.execute("SELECT rows FROM totrain.models WHERE relation = 'm'::regclass")
        self.assertIn(rows, [[(ROWS - ROWS // 10,)], [(ROWS + 10 - (ROWS + 10) // 10,)]])

    def copy_model(self, name):
        """SQLite's model table, row by row."""
        cursor = self.connect().cursor()
        cursor.execute(f"CREATE TABLE {name} (part text, name text, position bigint, value double precision, data bytea)")
        for part, row_name, position, value, data in self.ask_sqlite(f"SELECT * FROM {name}"):
            data = data.encode() if isinstance(data, str) else data
            cursor.execute(f"INSERT INTO {name} VALUES (%s, %s, %s, %s, %s)", (part, row_name, position, value, data))
        return cursor

    def compare_predictions(self, label, here_as, there_as):
        self.run_sqlite(TRAIN.format("t WHERE length(word) > 0").replace("DNNClassifier", "DNNRegressor" if label == "a" else "DNNClassifier")
                        .replace("LABEL y INTO m", f"LABEL {label} INTO by_{label}"))
        inputs = [name for name in ("a", "b", "n", "word", "y") if name != label]
        cursor = self.copy_model(f"by_{label}")
        cursor.execute(f"SELECT id, totrain.predict('by_{label}', t, NULL::{here_as}) FROM t ORDER BY id")
        here = cursor.fetchall()
        database = sqlite3.connect(self.sqlite_path)
        database.enable_load_extension(True)
        database.load_extension(str(BUILD / "totrain"))
        there = database.execute(f"SELECT id, CAST(totrain_predict('by_{label}', {', '.join(inputs)}) AS {there_as}) "
                                 "FROM t ORDER BY id").fetchall()
        database.close()
        self.assertEqual(here, there)
        # The table alone is a model here, too: it can be measured, and trained again.
        cursor.execute(f"SELECT * FROM totrain.run('SELECT * FROM t WHERE length(word) > 0 TO EVALUATE by_{label}')")
        measured = {name: value for name, value, _, _ in cursor.fetchall()}
        self.assertEqual(measured["loss"], self.run_sqlite(f"SELECT * FROM t WHERE length(word) > 0 TO EVALUATE by_{label}")[0]["loss"])

    def test_a_model_of_sqlite_predicts_the_same_bits(self):
        self.compare_predictions("a", "double precision", "REAL")

    def test_a_model_of_sqlite_predicts_the_same_words(self):
        self.compare_predictions("word", "text", "TEXT")


if __name__ == "__main__":
    harness.main()
