"""The server settles the facts over all shards: once, whatever process dies while it does so, and from any bytes."""

import contextlib
import signal
import threading

import psycopg2

import staged
import test_staging
from staged import harness
from test_staging import TEXT

CALLS = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT totrain.stage_shard(%' AND wait_event_type = 'Lock'"


class Case(test_staging.Case):
    """All shards are stored, and the server cannot store yet what it settles."""

    def until_settling(self, job, snapshot, index=0):
        """A master, and a worker that holds when it has stored the last shard."""
        master = self.master(job)
        worker = self.reader(job, index, master, snapshot, faults=f"role=worker,index={index},step="
                             f"{self.shards(job) - 1},point=shard_scored,action=hold")
        self.wait_shards(job, self.shards(job))
        return master, worker

    @contextlib.contextmanager
    def locked(self, job):
        with contextlib.closing(self.connect(autocommit=False)) as connection, connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE totrain_jobs.rows_{job} IN SHARE MODE")
            yield connection

    def calls(self):
        return {row[0] for row in self.execute(CALLS)}

    def wait_for_call(self, count=1):
        harness.wait_for(lambda: len(self.calls()) >= count, "the server's settling")

    def check_settled(self, job, master):
        master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_way()


class Deaths(Case):
    def test_the_worker_dies_and_the_server_goes_on(self):
        """The server stores the facts, and the next worker finds them."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.until_settling(job, snapshot)
            with self.locked(job):
                self.resume(worker)
                self.wait_for_call()
                self.kill(worker)
                self.reader(job, 0, master, snapshot, incarnation=1)
                self.wait_for_call(2)
            self.check_settled(job, master)
        self.check_done(job, master, self.digest_here)

    def test_the_backend_dies(self):
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.until_settling(job, snapshot)
            with self.locked(job):
                self.resume(worker)
                for _ in range(3):
                    self.wait_for_call()
                    for backend in self.calls():
                        self.execute(f"SELECT pg_terminate_backend({backend})")
                        harness.wait_for(lambda gone=backend: gone not in self.calls(), "the backend's end")
                self.wait_for_call()
            self.check_settled(job, master)
        self.check_done(job, master, self.digest_here)

    def test_the_master_dies(self):
        """The next one leases it again, to the worker whose call goes on or to another, which finds it stored."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.until_settling(job, snapshot)
            with self.locked(job):
                self.resume(worker)
                self.wait_for_call()
                self.kill(master)
                master = self.master(job, int(master.address().rsplit(":", 1)[1]))
                self.reader(job, 1, master, snapshot)
                master.log.wait_for(lambda line: "worker 1 joined" in line, "the other one")
            self.check_settled(job, master)
        self.check_done(job, master, self.digest_here)

    def test_the_server_restarts(self):
        """All shards are stored: neither the snapshot is needed any more nor the table."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.until_settling(job, snapshot)
            with self.locked(job):
                self.resume(worker)
                self.wait_for_call()
                self.server.stop(signal.SIGQUIT)
            self.server.start()
        self.execute("DROP TABLE wide")
        self.check_settled(job, master)
        self.check_done(job, master, self.digest_here)


class Ways(Case):
    def test_a_server_that_settles_nothing(self):
        """It has staged all shards, and another version takes its place: the worker settles, the same to the bit."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.until_settling(job, snapshot)
            self.execute("""
                CREATE OR REPLACE FUNCTION totrain.stage_shard(format integer, job bigint, schema text, spec text,
                    "order" text, spool integer, shard integer) RETURNS void LANGUAGE plpgsql AS
                $$ BEGIN RAISE feature_not_supported USING MESSAGE = 'this server makes other spools'; END $$""")
            self.resume(worker)
            worker.log.wait_for(lambda line: "this server makes other spools: the rows are sent here" in line, "why")
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_done(job, master, self.digest_here)

    def test_a_login_that_loses_the_right(self):
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.until_settling(job, snapshot)
            self.kill(worker)
            self.execute(f"REVOKE EXECUTE ON FUNCTION totrain.stage_shard FROM {staged.POD}")
            worker = self.reader(job, 0, master, snapshot, incarnation=1)
            worker.log.wait_for(lambda line: "the rows are sent here to be staged" in line, "its way")
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_done(job, master, self.digest_here)

    def test_columns_of_text(self):
        """Whole blocks are taken for the rows of the sample, where a column is text."""
        self.execute("CREATE TABLE words AS SELECT CASE g % 7 WHEN 0 THEN NULL ELSE 'word ' || g % 300 END AS word, "
                     "sin(g) AS x, g % 2 AS class FROM generate_series(1, 30000) g; "
                     f"GRANT SELECT ON words TO alice, bob, {staged.POD}")
        text = TEXT.replace("FROM wide", "FROM words").replace("COLUMN v ", "")
        self.assertEqual(self.train(text), self.expected(text))


class Bytes(Case):
    """Damaged bytes, and bytes that the job's owner may have written into its table."""

    CALL = (f"SELECT totrain.stage_shard({staged.STAGED_VERSION}, {{job}}, 'totrain_jobs', (SELECT "
            "convert_from(body, 'UTF8') FROM totrain_jobs.result_{job} WHERE number = 1), (SELECT "
            "convert_from(bytes, 'UTF8') FROM totrain_jobs.input_{job} WHERE file = 'direct.json'), -1, 0)")

    def stored(self):
        """A job of which all shards are stored."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            self.kill(*self.until_settling(job, snapshot))
        return job

    def settle(self, job, change):
        """After a change that is taken back: the error, or None."""
        with contextlib.closing(self.connect(autocommit=False)) as connection, connection.cursor() as cursor:
            cursor.execute(change)
            try:
                cursor.execute(self.CALL.format(job=job))
            except psycopg2.DatabaseError as error:
                self.assertFalse(connection.closed, error)
                return str(error)
        return None

    def flip(self, job, file, at):
        return (f"UPDATE totrain_jobs.rows_{job} SET bytes = set_byte(bytes, {at}, 255 - get_byte(bytes, {at})) "
                f"WHERE file = '{file}' AND piece = 0")

    def test_an_index_with_any_byte_changed_ends_no_backend(self):
        job = self.stored()
        self.assertIsNone(self.settle(job, "SELECT 1"))
        size = self.execute(f"SELECT length(bytes) FROM totrain_jobs.rows_{job} WHERE file = 'train.0.index' "
                            "AND piece = 0")[0][0]
        errors = [self.settle(job, self.flip(job, "train.0.index", at))
                  for at in (*range(13), *range(13, size, size // 40))]
        self.assertGreater(sum(error is not None for error in errors), 15)
        self.assertEqual(list((self.server.folder / "data" / "base").glob("pgsql_tmp/*.totrain")), [])

    def test_an_index_that_claims_more_than_there_is(self):
        error = self.settle(job := self.stored(), self.flip(job, "train.0.index", 5))
        self.assertIn("the indices of the job's rows claim more than there is", error)

    def test_a_part_or_an_index_that_is_not_there(self):
        job = self.stored()
        for file, text in (("train.3.part", "pieces of the job's rows are not there"),
                           ("train.3.index", "train.3.index of the job's rows is not there")):
            self.assertIn(text, self.settle(job, f"DELETE FROM totrain_jobs.rows_{job} WHERE file = '{file}'"))
        self.assertIn("is too short", self.settle(job, f"UPDATE totrain_jobs.rows_{job} SET bytes = 'x' "
                                                       "WHERE file = 'train.3.part'"))

    def test_a_table_of_other_columns(self):
        job = self.stored()
        self.assertIn("are no bytes", self.settle(
            job, f"ALTER TABLE totrain_jobs.rows_{job} ALTER bytes TYPE text USING encode(bytes, 'hex')"))

    def test_it_can_be_interrupted(self):
        job = self.stored()
        with self.locked(job):
            session = self.connect()
            caught = []

            def call():
                try:
                    with session.cursor() as cursor:
                        cursor.execute(self.CALL.format(job=job))
                except psycopg2.errors.QueryCanceled as error:
                    caught.append(error)
            thread = threading.Thread(target=call)
            thread.start()
            self.wait_for_call()
            session.cancel()
            thread.join()
        self.assertEqual(len(caught), 1)
        self.assertEqual(list((self.server.folder / "data" / "base").glob("pgsql_tmp/*.totrain")), [])


if __name__ == "__main__":
    harness.main()
