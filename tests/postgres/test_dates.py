"""Dates of PostgreSQL's types and dates as text: the model that SQLite's texts give, whoever reads and scores them."""

import os
import subprocess

import harness
import staged
import dated_rows  # found where harness looks for modules

ROWS = 4000
TYPES = {"texts": ("text", "text"), "dates": ("date", "timestamp"), "zones": ("date", "timestamptz")}
TRAIN = dated_rows.TRAIN.format("{}", "", "m")


class Filled:
    """Tables of the same rows, whose dates are of other types, in another order each; the digest that SQLite gets."""

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cls.rows = list(dated_rows.made(ROWS))
        cursor = connection.cursor()
        cursor.execute("SET timezone = 'UTC'")
        for number, (name, (born, seen)) in enumerate(TYPES.items()):
            cursor.execute(f"CREATE TABLE {name} (born {born}, seen {seen}, x double precision, y integer)")
            from psycopg2.extras import execute_values  # Debian's own copy
            execute_values(cursor, f"INSERT INTO {name} VALUES %s", cls.rows[number * 100:] + cls.rows[:number * 100], page_size=1000,
                           template=f"(%s::{born}, %s::{seen}, %s, %s)")
            cursor.execute(f"GRANT SELECT ON {name} TO PUBLIC")
            cursor.execute(f"VACUUM ANALYZE {name}")
        rows = [(born and str(born), str(seen), x, y) for born, seen, x, y in cls.rows]
        cls.wanted = cls.train_in_sqlite("t (born TEXT, seen TEXT, x REAL, y INTEGER)", rows, TRAIN.format("t"))["digest"]


class Dates(Filled, harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    def train(self, table, more=""):
        """The server's timezone must not matter."""
        self.check_psql(f"SET timezone = 'Asia/Kathmandu'; SET totrain.progress_interval = -1;\n"
                        f"{dated_rows.TRAIN.format(table, more, 'm')};", "-o", "/dev/null")
        return self.digest("m")

    def inputs(self):
        return [row[0] for row in self.execute("SELECT json_array_elements(convert_from(data, 'UTF8')::json -> 'inputs') ->> 'name' "
                                               "FROM m WHERE part = 'meta'")]

    def test_each_type_gives_the_model_of_the_texts(self):
        for table in TYPES:
            with self.subTest(table):
                self.assertEqual(self.train(table), self.wanted)

    def test_the_program_reads_the_same(self):
        for table in TYPES:
            with self.subTest(table):
                done = subprocess.run([harness.BUILD / "totrain", "postgres://", "--progress=none", "-c", TRAIN.format(table) + ";"],
                                      check=False, capture_output=True, text=True,
                                      env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "program-state"),
                                           **self.server.variables(self.database)})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.digest("m"), self.wanted)

    def test_every_door_to_a_prediction_takes_each_type(self):
        self.train("texts")
        predict = "SELECT x, totrain.predict('m', q.*, NULL::int8) FROM {} AS q ORDER BY x"
        wanted = self.execute(predict.format("texts"))
        self.assertGreater(sum(p for _, p in wanted), ROWS / 5)
        for table in TYPES:
            with self.subTest(table):
                self.assertEqual(self.execute(predict.format(table)), wanted)
                for workers in ("", "WITH job.min_workers = 2"):
                    self.check_psql(f"SELECT * FROM {table} TO PREDICT p.guess {workers} USING m;", "-o", "/dev/null")
                    self.assertEqual(self.execute("SELECT x, guess FROM p ORDER BY x"), wanted)
                found = self.check_psql(f"SELECT * FROM {table} TO EVALUATE m WITH validation.metrics = 'Accuracy';")
                self.assertGreater(float(found.split("|")[1]), 0.97)
        by_place = self.execute("SELECT x, totrain.predict('m', ROW(born, seen, x), NULL::int8) FROM zones ORDER BY x")
        self.assertEqual(by_place, wanted)

    def test_the_functions_choose_the_parts(self):
        self.train("zones", "COLUMN DATE(seen, 'weekday', 'day'), NUMERIC(born), x")
        self.assertEqual(self.inputs(), ["born", "seen.day", "seen.weekday", "x"])
        self.assertGreater(float(self.check_psql("SELECT * FROM zones TO EVALUATE m WITH validation.metrics = 'Accuracy';")
                                 .split("|")[1]), 0.97)

    def test_an_infinite_date_is_a_bad_row(self):
        self.execute("INSERT INTO dates VALUES ('infinity', '2024-01-01', 0, 1), (NULL, '-infinity', 0, 0)")
        done = self.psql(f"{TRAIN.format('dates')};", "-v", "ON_ERROR_STOP=1")
        self.assertIn('column "born" holds an infinite date', done.stderr)
        self.train("dates", ", train.bad_rows = 'quarantine'")
        self.assertEqual(self.execute("SELECT count(*) FROM m_bad_rows"), [(2,)])
        self.assertEqual(self.digest("m"), self.wanted)


class Direct(Filled, staged.Case):
    """The workers read the table."""

    def test_the_workers_make_the_same_parts(self):
        for table in ("texts", "zones"):
            with self.subTest(table):
                text = dated_rows.TRAIN.format(table, ", job.lanes = 8, job.read = 'direct'", "iris_model")
                job = self.stage(text)
                with self.connect("alice", autocommit=False).cursor() as cursor:
                    cursor.execute("SELECT pg_export_snapshot()")
                    snapshot = cursor.fetchone()[0]
                    master = self.master(job)
                    for index in range(2):
                        self.worker(job, index, master.address(), snapshot=snapshot)
                    self.assertEqual(master.end(), 0, master.log.text())
                self.collect(job)
                self.assertEqual(self.digest(), self.expected(text.replace(", job.read = 'direct'", "")))


if __name__ == "__main__":
    harness.main()
