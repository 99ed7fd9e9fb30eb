"""How a large table is read in parallel: each piece by a Tid Range Scan of its own, each page once.

auto_explain logs the plans of backends (the one in which a statement runs, and those of the
program's connections), but not those of parallel workers. What these did is counted: rows that
were fetched by something else than the sequential scans that were begun.
"""

import os
import re
import subprocess

import harness
from server import BUILD

ROWS = 200000
LEAVES = ("part_0", "part_1", "nested_0", "nested_1")
TRAIN = ("SELECT a, b, y FROM {} TO TRAIN LinearClassifier WITH train.epoch = 1, train.verbose = 2, "
         "train.batch_size = 4096 LABEL y INTO m;")
PIECE_PAGES = 256  # extension/postgres/sql/table_scan.h


@harness.unittest.skipIf(harness.ONE_PROCESSOR, "one processor: there is one reader")
class TidRanges(harness.Case):
    settings = {"session_preload_libraries": "totrain, auto_explain", "auto_explain.log_min_duration": "0",
                "auto_explain.log_nested_statements": "on", "autovacuum": "off",
                "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute(f"""
            CREATE TABLE big AS SELECT i AS id, sin(i) AS a, repeat('x', 60) AS b, i % 2 AS y FROM generate_series(1, {ROWS}) i;
            CREATE TABLE parted (LIKE big) PARTITION BY RANGE (id);
            CREATE TABLE part_0 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (70000);
            CREATE TABLE part_1 PARTITION OF parted FOR VALUES FROM (70000) TO (130000);
            CREATE TABLE nested PARTITION OF parted FOR VALUES FROM (130000) TO (MAXVALUE) PARTITION BY HASH (a);
            CREATE TABLE nested_0 PARTITION OF nested FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE nested_1 PARTITION OF nested FOR VALUES WITH (MODULUS 2, REMAINDER 1);
            INSERT INTO parted SELECT * FROM big;
            ANALYZE big; ANALYZE parted""")

    def setUp(self):
        super().setUp()
        self.log = self.server.folder / "log"

    def counted(self, tables):
        """Sequential scans, and rows that any scan of the tables has fetched."""
        return self.execute("SELECT sum(seq_scan)::bigint, sum(seq_tup_read)::bigint FROM pg_stat_all_tables "
                            f"WHERE relname = ANY ('{{{','.join(tables)}}}')")[0]

    def pieces(self, tables):
        pages = self.execute(f"SELECT pg_relation_size(name::regclass) / 8192 FROM unnest('{{{','.join(tables)}}}'::text[]) name")
        return sum(count // PIECE_PAGES + 1 for count, in pages)

    def check(self, tables, train, readers):
        scans, rows = self.counted(tables)
        start = self.log.stat().st_size
        said = train()
        self.assertRegex(said, r"rows are read by [2-9] readers")
        # Those who end tell their counts; the sample is the only sequential scan, and has read what it wanted.
        harness.wait_for(lambda: self.counted(tables)[1] >= rows + ROWS, "the counts of all readers")
        self.assertLessEqual(self.counted(tables)[1], rows + ROWS + 1001 * len(tables))
        self.assertLessEqual(self.counted(tables)[0] - scans, 1 + len(tables))
        with open(self.log, encoding="utf-8", errors="replace") as file:
            file.seek(start)
            log = file.read()
        scanned = re.findall(r"Tid Range Scan on (\w+)", log)
        self.assertLessEqual(set(scanned), set(tables))
        self.assertLessEqual(len(scanned), self.pieces(tables))
        self.assertGreater(len(scanned), 0)
        if readers == "backends":
            self.assertEqual((set(scanned), len(scanned)), (set(tables), self.pieces(tables)))

    def in_server(self, table):
        done = self.psql(f"SET totrain.progress_interval = -1; {TRAIN.format(table)}", "-v", "ON_ERROR_STOP=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def by_program(self, table):
        done = subprocess.run([BUILD / "totrain", "postgres://", "-c", TRAIN.format(table)], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "program-state"),
                                   **self.server.variables(self.database)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_table_in_the_server(self):
        self.check(["big"], lambda: self.in_server("big"), "workers")

    def test_a_table_by_the_program(self):
        self.check(["big"], lambda: self.by_program("big"), "backends")

    def test_leaf_partitions_in_the_server(self):
        self.check(LEAVES, lambda: self.in_server("parted"), "workers")

    def test_leaf_partitions_by_the_program(self):
        self.check(LEAVES, lambda: self.by_program("parted"), "backends")


if __name__ == "__main__":
    harness.main()
