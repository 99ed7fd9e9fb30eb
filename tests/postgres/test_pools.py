"""Behind PgBouncer, in each of its modes: statements, functions, progress and cancels are what they are without it."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import unittest

import psycopg2

import harness
from harness import run_statement, wait_for

MODES = ("session", "transaction", "statement")
BOUNCER = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")
PORT = 6432  # only part of the name of the socket
TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m"
CONFIGURATION = """[databases]
{databases}
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
logfile = {folder}/log
default_pool_size = 2
"""


@unittest.skipUnless(BOUNCER, "PgBouncer is not installed")
class Pools(harness.Case):

    def setUp(self):
        super().setUp()
        self.pool = self.server.folder / "pool"
        self.pool.mkdir(mode=0o700)
        self.addCleanup(shutil.rmtree, self.pool)
        databases = "\n".join(f"{mode} = host={self.server.socket} port={self.server.port} dbname={self.database} user={harness.SUPERUSER} pool_mode={mode}"
                              for mode in MODES)
        path = self.pool / "pgbouncer.ini"
        path.write_text(CONFIGURATION.format(databases=databases, port=PORT, folder=self.pool), encoding="utf-8")
        user = self.server.user
        if user:
            for owned in (self.pool, path):
                shutil.chown(owned, user, pwd.getpwnam(user).pw_gid)
        self.bouncer = subprocess.Popen([BOUNCER, "-q", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.pool,
                                        **({"user": user, "group": user, "extra_groups": []} if user else {}))
        self.addCleanup(self.end)
        wait_for(self.listens, "PgBouncer")

    def listens(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.pool / f".s.PGSQL.{PORT}")) == 0

    def end(self):
        self.bouncer.terminate()
        self.bouncer.wait()

    def pooled(self, mode, autocommit=True):
        connection = psycopg2.connect(host=str(self.pool), port=PORT, dbname=mode, user=harness.SUPERUSER)
        connection.autocommit = autocommit
        self.addCleanup(connection.close)
        return connection

    def in_each_mode(self):
        return [(mode, self.pooled(mode).cursor()) for mode in MODES]

    def psql_of(self, mode):
        return ["psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-h", self.pool, "-p", str(PORT), "-U", harness.SUPERUSER, mode]

    def test_a_bare_statement(self):
        for mode, cursor in self.in_each_mode():
            cursor.execute(TRAIN)
            self.assertIn("version", {row[0] for row in cursor.fetchall()}, mode)
            cursor.execute("SELECT * FROM iris TO EVALUATE m LABEL class")
            self.assertTrue(cursor.fetchall())
            with self.assertRaisesRegex(psycopg2.Error, 'relation "nowhere" does not exist'):
                cursor.execute("SELECT * FROM nowhere TO TRAIN LinearClassifier LABEL y INTO m")
            with self.assertRaisesRegex(psycopg2.Error, "syntax error"):
                cursor.execute("SELEC 1")
            cursor.execute("SELECT 1")

    def test_functions(self):
        for _, cursor in self.in_each_mode():
            self.assertTrue(run_statement(cursor, TRAIN))
            cursor.execute("SELECT count(totrain.predict('m', iris)) FROM iris")
            self.assertEqual(cursor.fetchone()[0], 150)

    def test_psql(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                done = subprocess.run(self.psql_of(mode), input=TRAIN + ";\nSELECT count(*) FROM iris;\nSHOW MODELS;\n", text=True,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("\n150\n", done.stdout)

    def test_progress_reaches_the_client_and_its_cancel_the_job(self):
        self.execute(f'ALTER DATABASE "{self.database}" SET totrain.progress_interval = 0')
        for mode in MODES:
            with subprocess.Popen([*self.psql_of(mode), "-c", harness.TRAIN_LONG], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as psql:
                self.assertIn("NOTICE:  epoch", psql.stderr.readline(), mode)
                psql.send_signal(signal.SIGINT)
                self.assertIn("ERROR:  canceling statement due to user request", psql.communicate()[1], mode)
            self.check_nothing_runs()

    def test_a_client_that_goes_leaves_the_next_one_nothing(self):
        """The pool gives its server connection to somebody else, with what it was set to."""
        for mode, cursor in self.in_each_mode():
            cursor.execute("SET totrain.progress_interval = '7s'")
            cursor.connection.close()
            other = self.pooled(mode).cursor()
            other.execute("SHOW totrain.progress_interval")
            self.assertEqual(other.fetchone()[0] == "7s", mode != "session", mode)

    def test_a_transaction_is_refused_with_its_hint(self):
        for mode in ("session", "transaction"):
            with self.subTest(mode=mode):
                cursor = self.pooled(mode, autocommit=False).cursor()
                with self.assertRaisesRegex(psycopg2.Error, "totrain.run"):
                    cursor.execute(TRAIN)
                cursor.connection.rollback()
                cursor.execute("SELECT name FROM totrain.run(%s)", (TRAIN,))
                cursor.connection.rollback()
                self.assertEqual(self.execute("SELECT count(*) FROM pg_class WHERE relname = 'm'")[0][0], 0)


if __name__ == "__main__":
    harness.main()
