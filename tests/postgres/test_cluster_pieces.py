"""A large model that a job on a cluster has learned goes into its table by pieces, too: whoever is killed in the middle
leaves what is committed to the next, which goes on behind it."""

import os
import pathlib
import signal
import subprocess

import harness
import pieces
import test_cluster
import test_kept_jobs
import test_program_jobs
from harness import wait_for

TRAIN = pieces.TRAIN.format(", job.where = 'kubernetes', job.max_workers = 1, job.worker_memory = '1Gi'{}", "m")
# The third piece of the database's first model waits at its end for whoever has lock 1.
WAITING = """
CREATE SEQUENCE pieces;
CREATE FUNCTION wait_at_the_third() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    IF pg_catalog.nextval('public.pieces') = 3 THEN PERFORM pg_catalog.pg_advisory_xact_lock(1); END IF; END $$;
CREATE EVENT TRIGGER wait_at_the_third ON ddl_command_end WHEN TAG IN ('COMMENT') EXECUTE FUNCTION wait_at_the_third()"""


class Case(pieces.Observed, test_cluster.Case):
    more = {"max_wal_size": "4GB"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute(f"{pieces.ROWS_TO_LEARN}; GRANT SELECT ON t TO alice, bob")
        cursor.execute(WAITING)

    def setUp(self):
        super().setUp()
        self.holder = self.connect(autocommit=True)
        self.holder.cursor().execute("SELECT pg_advisory_lock(1)")

    def wait_at_the_third(self):
        """The backend that has written the third piece, and has not committed it; the first two are marked."""
        waiting = wait_for(lambda: self.execute("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), "three pieces")
        self.assertNotIn("m", self.tables())
        return waiting[0][0], self.mark()

    def let_go(self):
        self.holder.cursor().execute("SELECT pg_advisory_unlock(1)")

    def check_went_on(self, marked):
        """Nothing that was there was written again, and the model is what the machine itself learns."""
        self.assertEqual(self.count_marked("m"), marked)
        self.check_psql(pieces.TRAIN.format("", "other"), user="bob")
        self.check_whole("m", "other")
        self.check_nothing_is_left()


class Served(Case, test_kept_jobs.Case):
    def test_a_background_worker_that_is_ended(self):
        number = self.submit(TRAIN.format(", job.wait = false"))
        backend, marked = self.wait_at_the_third()
        self.assertEqual(self.workers(), [backend])
        self.execute(f"SELECT pg_terminate_backend({backend})")
        self.wait_for_state(number, "done")
        self.check_went_on(marked)

    def test_a_restart_of_the_server(self):
        number = self.submit(TRAIN.format(", job.wait = false"))
        _, marked = self.wait_at_the_third()
        self.server.stop(signal.SIGKILL)
        self.server.start()
        self.wait_for_state(number, "done")
        self.check_went_on(marked)


class Attached(Case):
    def start(self):
        session = subprocess.Popen(["psql", "-X", "-c", TRAIN.format("")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        self.addCleanup(session.wait)
        self.addCleanup(session.kill)
        return session

    def test_a_session_that_is_ended(self):
        """It leaves them to totrain.publish, which commits nothing by itself."""
        session = self.start()
        backend, marked = self.wait_at_the_third()
        self.execute(f"SELECT pg_terminate_backend({backend})")
        self.assertNotEqual(session.wait(), 0)
        job, = self.eventually("SELECT id FROM totrain.jobs WHERE state = 'unpublished'", bool, "alice")
        wait_for(lambda: not self.execute("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'totrain tables'"),
                 "the worker that drops tables of dead sessions to have looked")
        self.execute(f"SELECT totrain.publish({job[0]})", "alice")
        self.check_went_on(marked)

    def test_a_session_that_is_left_alone(self):
        session = self.start()
        _, marked = self.wait_at_the_third()
        self.let_go()
        self.assertEqual(session.wait(), 0)
        self.check_went_on(marked)


class Program(Case, test_program_jobs.Case):
    def publishers(self):
        return [int(entry.name) for entry in pathlib.Path("/proc").glob("[0-9]*")
                if f"\0publish\0{self.state}/jobs/".encode() in self.words(entry)]

    def test_a_publisher_that_is_killed(self):
        number = self.submit(TRAIN.format(", job.wait = false"))
        backend, marked = self.wait_at_the_third()
        publisher, = self.publishers()
        os.kill(publisher, signal.SIGKILL)
        self.execute(f"SELECT pg_terminate_backend({backend})")  # which waits, and so does not see that nobody is there
        wait_for(lambda: self.job(number)["state"] in ("done", "unpublished") and not self.publishers(), "another, or none")
        self.done("wait", number)
        self.check_went_on(marked)

    def test_a_connection_that_is_lost(self):
        """In the transaction that also ends the job's tables: the model is published once, by the next publisher."""
        self.let_go()
        self.check_psql(pieces.TRAIN.format(pieces.OTHER, "m"), user="alice")
        holder = self.connect(autocommit=False)
        holder.cursor().execute("LOCK TABLE m IN SHARE MODE")
        number = self.submit(TRAIN.format(", job.wait = false"))
        waiting = wait_for(lambda: self.execute("SELECT pid FROM pg_locks WHERE relation = 'm'::regclass AND NOT granted"), "a publisher")
        marked = self.mark(all_of_it=True)
        self.execute(f"SELECT pg_terminate_backend({waiting[0][0]})")
        self.wait_for_state(number, "unpublished")
        holder.rollback()
        self.done("wait", number)
        self.assertEqual(self.execute("SELECT version FROM totrain.models WHERE relation = 'm'::regclass"), [(2,)])
        self.check_went_on(marked)


if __name__ == "__main__":
    harness.main()
