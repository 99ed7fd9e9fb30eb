"""The common parts of the tests of the PostgreSQL door: a server, a database for each test, psql, iris."""

import contextlib
import csv
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import classes  # noqa: E402  pylint: disable=wrong-import-position
from training_rows import facts, notices, validated  # noqa: E402,F401  pylint: disable=wrong-import-position
from server import BUILD, SUPERUSER, Server, pg_config  # noqa: E402,F401  pylint: disable=wrong-import-position
from waiting import (  # noqa: E402,F401  pylint: disable=wrong-import-position
    end_processes_of, eventually, hurry, hurry_processes, processes_of, state_of, wait_for,
    wait_until_nothing_runs)

DATA = HERE.parents[1] / "examples" / "data"
ONE_PROCESSOR = len(os.sched_getaffinity(0)) < 2  # then there is one reader
DEADLINE = 60  # seconds: a broken promise, not a slow machine
PSQL = pg_config("bindir") / "psql"  # Debian's in the PATH is a script of Perl, which looks for this one
BARE = {"session_preload_libraries": "totrain"}
TRAIN_IRIS = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], "
              "train.epoch = 60, train.batch_size = 32 LABEL class INTO iris_model;")
# Goes on until it is ended, on any machine.
TRAIN_LONG = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], "
              "train.epoch = 1000000, train.batch_size = 1 LABEL class INTO iris_model;")
# Those of a class whose jobs are paced so are as long as what is done to them meanwhile: see finish().
SLOW = "us=1000"  # a row

# 16 has another name for it.
IN_PARALLEL = ("DO $$ BEGIN PERFORM set_config(name, 'on', false) FROM pg_settings "
               "WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); END $$; ")


def sql_type(values):
    for kind, convert in (("bigint", int), ("double precision", float)):
        try:
            for value in values:
                if value != "":
                    convert(value)
            return kind
        except ValueError:
            pass
    return "text"


def load_csv(connection, name, table=None):
    """Columns typed as tests/sqlite/harness.py types them; empty cells are NULL."""
    with open(DATA / f"{name}.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
        columns = ", ".join(f'"{title}" {sql_type(column)}' for title, column in zip(header, zip(*rows)))
        file.seek(0)
        with connection.cursor() as cursor:
            cursor.execute(f'CREATE TABLE "{table or name}" ({columns})')
            cursor.copy_expert(f"COPY \"{table or name}\" FROM STDIN (FORMAT csv, HEADER)", file)


def run_statement(cursor, statement):
    """A statement of ours by its function: the rows as dictionaries."""
    cursor.execute("SELECT * FROM totrain.rows(%s)", (statement,))
    return [row for row, in cursor.fetchall()]


class Case(unittest.TestCase):
    """One server for all classes of a file that ask for the same; one database a test, with the extension."""

    settings = BARE
    extension = True
    pace = None  # pace of all jobs of the server

    made = {}  # servers, by what they were asked for

    @classmethod
    def setUpClass(cls):
        asked = (repr(sorted(cls.settings.items())), cls.extension, cls.pace, cls.make_server.__func__, cls.prepare.__func__)
        if asked not in cls.made:
            cls.made[asked] = cls.prepared_server()
        cls.server = cls.made[asked]

    @classmethod
    def prepared_server(cls):
        cls.server = cls.make_server()
        unittest.addModuleCleanup(cls.server.close)
        cls.server.execute("CREATE DATABASE prepared")
        with contextlib.closing(cls.server.connect("prepared")) as connection:
            cls.prepare(connection)
        return cls.server

    @classmethod
    def make_server(cls):
        return Server(cls.settings, extension=cls.extension, pace=cls.pace)

    @classmethod
    def prepare(cls, connection):
        """Fills the database that each test gets a copy of."""
        if cls.extension:
            connection.cursor().execute("CREATE EXTENSION totrain")
        load_csv(connection, "iris")

    def setUp(self):
        self.database = f"test_{self._testMethodName}"[:63]
        self.server.execute(f'CREATE DATABASE "{self.database}" TEMPLATE prepared')
        self.addCleanup(self.drop_database)

    def drop_database(self):
        self.server.execute(f'DROP DATABASE "{self.database}" WITH (FORCE)')

    def connect(self, user=SUPERUSER, **options):
        connection = self.server.connect(self.database, user, **options)
        self.addCleanup(connection.close)
        return connection

    def execute(self, sql, user=SUPERUSER):
        return self.server.execute(sql, self.database, user)

    def eventually(self, query, wanted, user=SUPERUSER):
        """Its rows, once they are what is wanted (waiting.eventually)."""
        return eventually(lambda: self.execute(query, user), wanted, query)

    def psql(self, sql=None, *flags, user=SUPERUSER, **options):
        """psql without its start file; the SQL is its standard input."""
        return subprocess.run([PSQL, "-X", *flags], input=sql, text=True, capture_output=True, check=False,
                              timeout=4 * DEADLINE, **options,
                              env={**os.environ, "LC_ALL": "C.UTF-8", **self.server.variables(self.database, user)})

    def check_psql(self, sql, *flags, **options):
        """Output of psql; a failed statement fails the test."""
        done = self.psql(sql, "-v", "ON_ERROR_STOP=1", "-qAt", *flags, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @classmethod
    def train_in_sqlite(cls, table, rows, sql, model="m"):
        """The meta row of the model that a statement makes of these rows in SQLite; `table` as in t (a REAL, b TEXT)."""
        path = cls.server.folder / "rows.db"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE TABLE {table}")
            database.executemany(f"INSERT INTO {table.split()[0]} VALUES ({', '.join('?' * (table.count(',') + 1))})", rows)
            database.commit()
            subprocess.run([BUILD / "totrain", path, "--progress=none", "-c", sql], check=True, capture_output=True,
                           env={**os.environ, "TOTRAIN_STATE": str(cls.server.folder / "sqlite-state")})
            return json.loads(database.execute(f"SELECT data FROM {model} WHERE part = 'meta'").fetchone()[0])

    def digest(self, model="iris_model"):
        return self.execute(f"SELECT convert_from(data, 'UTF8')::json ->> 'digest' FROM {model} "
                            "WHERE part = 'meta'")[0][0]

    def tables(self):
        return {row[0] for row in self.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")}

    def job_processes(self):
        return processes_of(self.server.state)

    def wait_until_training(self):
        wait_for(self.job_processes, "a job that runs")

    def finish(self, thread):
        """All that is to be done to the paced jobs is done: they end as soon as they can."""
        def has_ended():
            hurry(self.server.state)
            return not thread.is_alive()
        wait_for(has_ended, "the end of the statement")
        thread.join()

    def check_nothing_runs(self):
        """Promised are 5 seconds, of a machine that has nothing else to do."""
        wait_until_nothing_runs(self.server.state)


def main():
    classes.run(sys.argv[1:], verbosity=2)
