"""job.read = 'direct': the workers stage the rows, shard by shard, each row once whoever dies."""

import signal

from psycopg2 import errors

import staged
import test_direct
from staged import harness, server

SHARDS = 12
WORDS = 150  # words of 8 bytes a row: some 1,500 rows a shard
TEXT = ("SELECT * FROM wide TO TRAIN LinearClassifier WITH train.epoch = 1, train.batch_size = 500, job.lanes = 8, "
        "job.max_workers = 4, train.test_size = 0.1, job.read = 'direct' COLUMN v LABEL class INTO iris_model;")

digests = {}  # by statement


class Case(test_direct.Case):
    """A table of a dozen shards, with some equal rows."""

    by_server = True

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute(f"""
            CREATE TABLE wide (v float8[], class int);
            INSERT INTO wide SELECT ARRAY(SELECT sin(g * w) FROM generate_series(1, {WORDS}) w), g % 2
                FROM generate_series(1, {SHARDS * 1500}) g;
            INSERT INTO wide SELECT * FROM wide LIMIT 40;
            GRANT SELECT ON wide TO alice, bob, {staged.POD}""")

    @property
    def digest_here(self):
        """The digest of a local run over the same rows, which are those of each test."""
        if TEXT not in digests:
            digests[TEXT] = self.expected(TEXT)
        return digests[TEXT]

    def setUp(self):
        super().setUp()
        assert self.digest_here  # while the table has all rows

    def shards(self, job):
        """How many are leased before what is settled over all of them."""
        spec = self.journal(job, "convert_from(body, 'UTF8')::json->'training'->>'staged_shards'", "number = 1")
        return int(spec[0][0])

    def part_files(self, job):
        return {row[0] for row in self.execute(f"SELECT file FROM totrain_jobs.rows_{job} WHERE file LIKE '%.index'")}

    def check_staged(self, job):
        """Each shard is there, once by the primary key, and so is what is settled."""
        self.assertGreater(self.shards(job), 10)
        self.assertEqual(self.part_files(job), {f"train.{i}.index" for i in range(self.shards(job))})
        self.assertEqual(self.execute(f"SELECT count(*) FROM totrain_jobs.rows_{job} WHERE file = 'settled'"), [(1,)])

    def resume(self, role):
        role.process.send_signal(signal.SIGUSR2)

    def wait_shards(self, job, count):
        harness.wait_for(lambda: len(self.part_files(job)) >= count, f"{count} shards")


class Deaths(Case):
    def test_a_worker_dies_over_each_of_ten_shards(self):
        """Before its shard is stored or after, which nobody was told."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master = self.master(job)
            for death in range(10):
                point = ("shard_begin", "shard_scored")[death % 2]
                worker = self.reader(job, 0, master, snapshot, incarnation=death,
                                     faults=f"role=worker,index=0,step={death},attempt={death},point={point}")
                self.assertEqual(worker.end(), -signal.SIGKILL, worker.log.text())
            self.reader(job, 0, master, snapshot, incarnation=10)
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_way()
        self.check_done(job, master, self.digest_here)

    def test_workers_die_over_the_last_shard(self):
        job = self.stage(TEXT)
        last = self.shards(job)
        with self.held() as snapshot:
            master = self.master(job)
            for death, point in enumerate(("shard_begin", "shard_scored")):
                worker = self.reader(job, 0, master, snapshot, incarnation=death,
                                     faults=f"role=worker,index=0,step={last},attempt={death},point={point}")
                self.assertEqual(worker.end(), -signal.SIGKILL, worker.log.text())
            self.reader(job, 0, master, snapshot, incarnation=2)
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_done(job, master, self.digest_here)

    def test_masters_die_before_and_after_a_shard_is_noted(self):
        job = self.stage(TEXT)
        port = server.free_port()
        with self.held() as snapshot:
            for death, point in enumerate(("shard_before", "shard_after", "shard_before")):
                master = self.master(job, port, faults=f"role=master,point={point},step={(0, 3, 12)[death]}")
                if death == 0:
                    for index in range(2):
                        self.reader(job, index, master, snapshot)
                self.assertEqual(master.end(), -signal.SIGKILL, master.log.text())
            master = self.master(job, port)
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_done(job, master, self.digest_here)

    def test_a_master_dies_when_all_is_staged_and_nobody_was_told(self):
        job = self.stage(TEXT)
        port = server.free_port()
        shards = self.shards(job)
        with self.held() as snapshot:
            master = self.master(job, port, faults=f"role=master,point=shard_after,step={shards}")
            for index in range(2):
                self.reader(job, index, master, snapshot)
            self.assertEqual(master.end(), -signal.SIGKILL, master.log.text())
        master = self.master(job, port)
        self.check_done(job, master, self.digest_here)

    def test_connections_are_cut_while_it_stages(self):
        job = self.stage(TEXT)
        cuts = 0
        with self.held() as snapshot:
            master = self.master(job)
            for index in range(2):
                self.reader(job, index, master, snapshot)
            while cuts < 20 and not any("staged: " in line for line in master.log.lines):
                cuts += self.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                     f"WHERE usename = '{staged.POD}'")[0][0]
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.assertGreater(cuts, 0)
        self.check_staged(job)
        self.check_way()
        self.check_done(job, master, self.digest_here)

    def test_a_worker_that_was_thought_dead_stores_nothing_twice(self):
        """It stands still when its shard is read, and another stages that shard meanwhile."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master = self.master(job)
            slow = self.reader(job, 0, master, snapshot,
                               faults="role=worker,index=0,step=0,point=shard_begin,action=stop")
            master.log.wait_for(lambda line: "worker 0 joined" in line, "the slow one")
            self.reader(job, 1, master, snapshot)
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
            slow.process.send_signal(signal.SIGCONT)
        self.check_staged(job)
        self.check_done(job, master, self.digest_here)


class DeathsOfReaders(Deaths):
    """The same where rows are sent to the workers."""

    by_server = False


class Snapshot(Case):
    def begin(self, job, snapshot, step=3):
        """A worker that has stored some shards and holds before the next, and its master."""
        master = self.master(job)
        worker = self.reader(job, 0, master, snapshot,
                             faults=f"role=worker,index=0,step={step},point=shard_scored,action=hold")
        self.wait_shards(job, step + 1)
        return master, worker

    def test_who_reads_goes_on_when_the_session_is_gone(self):
        """The snapshot lives as long as a transaction has it; who comes now is told why it cannot read."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.begin(job, snapshot)
        self.execute("DELETE FROM wide WHERE class = 1")
        self.reader(job, 1, master, snapshot)
        master.log.wait_for(lambda line: "worker 1 unable: the job's rows can be read no more" in line, "its reason")
        self.resume(worker)
        master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.check_staged(job)
        self.check_done(job, master, self.digest_here)

    def test_a_server_that_restarts_ends_the_job_with_the_reason(self):
        """No later snapshot has the same rows: none is in the model twice, and no half of them."""
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master, worker = self.begin(job, snapshot)
            self.server.stop(signal.SIGQUIT)
            self.server.start()
        self.resume(worker)
        for incarnation in range(1, 4):
            harness.wait_for(lambda: worker.process.poll() is not None or master.process.poll() is not None, "an end")
            if master.process.poll() is not None:
                break
            worker = self.reader(job, 0, master, snapshot, incarnation=incarnation)
        self.assertIn(master.end(), (1, 2), master.log.text())
        with self.assertRaisesRegex(errors.DatabaseError, "the job's rows can be read no more"):
            self.collect(job)

    def test_staged_rows_need_neither_the_table_nor_the_server_that_read_it(self):
        self.role_pace = "us=20"
        text = TEXT.replace("train.epoch = 1", "train.epoch = 3")
        job = self.stage(text)
        digest = self.expected(text)
        with self.held() as snapshot:
            master = self.master(job)
            for index in range(2):
                self.reader(job, index, master, snapshot)
            master.log.wait_for(lambda line: "staged: " in line, "the end of staging")
        self.execute("DROP TABLE wide")
        self.server.stop(signal.SIGINT)
        self.server.start()
        self.check_done(job, master, digest)


class Events(Case):
    def test_the_time_of_events_goes_on_when_the_rows_are_staged(self):
        job = self.stage(TEXT)
        with self.held() as snapshot:
            master = self.master(job)
            self.reader(job, 0, master, snapshot)
            self.check_times(job, master)

    def check_times(self, job, master):
        self.assertEqual(self.finish(master), 0, master.log.text())
        times = self.journal(job, "(convert_from(body, 'UTF8')::json->>'event'), "
                             "(convert_from(body, 'UTF8')::json->>'at')::float8", "kind = 'event'")
        kinds = [kind for kind, _ in times]
        self.assertLess(kinds.index("staged"), kinds.index("group"))
        self.assertEqual([at for _, at in times], sorted(at for _, at in times))
        self.collect(job)


class Tables(Case):
    def test_a_sweep_drops_what_was_staged(self):
        job = self.stage(TEXT)
        self.assertIn(f"rows_{job}", self.tables_of_jobs())
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs('0 s')", "alice"), [(1,)])
        self.assertEqual(self.tables_of_jobs(), set())

    def test_the_login_stores_shards_and_changes_none(self):
        job = self.stage(TEXT)
        with self.server.connect(self.database, staged.POD) as connection, connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO totrain_jobs.rows_{job} VALUES ('train.0.index', 0, 'x')")
            for statement in (f"UPDATE totrain_jobs.rows_{job} SET bytes = ''", f"DELETE FROM totrain_jobs.rows_{job}",
                              f"TRUNCATE totrain_jobs.rows_{job}", f"INSERT INTO totrain_jobs.input_{job} VALUES ('x', 0, '')"):
                cursor.execute("SAVEPOINT before")
                with self.assertRaises(errors.InsufficientPrivilege):
                    cursor.execute(statement)
                cursor.execute("ROLLBACK TO before")
            connection.rollback()

    def test_bytes_that_no_worker_stored_are_an_error(self):
        """Damaged bytes of an index, and of the settled facts: the job fails with the reason, and the workers end."""
        for file, text in (("train.3.index", "spool|part|rows"), ("settled", "JSON|expected|rows")):
            job = self.stage(TEXT)
            self.execute(f"INSERT INTO totrain_jobs.rows_{job} VALUES ('{file}', 0, decode(repeat('5a', 64), 'hex'))", "alice")
            with self.held() as snapshot:
                master = self.master(job)
                self.try_to_read(job, master, snapshot)
                self.assertIn(master.end(), (1, 2), master.log.text())
            with self.assertRaisesRegex(errors.DatabaseError, text):
                self.collect(job)
            self.execute(f"SELECT totrain.discard({job})", "alice")


class Foreign(Case):
    """Partitions that another server holds: here the same one, as another database."""

    def setUp(self):
        super().setUp()
        self.execute(f"""
            CREATE EXTENSION postgres_fdw;
            CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw
                OPTIONS (host '{self.server.socket}', port '{self.server.port}', dbname '{self.database}');
            CREATE TABLE parts (LIKE iris) PARTITION BY LIST (class);
            CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
            CREATE TABLE held_1 (LIKE iris); CREATE TABLE held_2 (LIKE iris);
            INSERT INTO held_1 SELECT * FROM iris WHERE class = 1;
            INSERT INTO held_2 SELECT * FROM iris WHERE class NOT IN (0, 1);
            INSERT INTO parts SELECT * FROM iris WHERE class = 0;
            CREATE FOREIGN TABLE parts_1 PARTITION OF parts FOR VALUES IN (1) SERVER elsewhere
                OPTIONS (table_name 'held_1');
            CREATE FOREIGN TABLE parts_2 PARTITION OF parts DEFAULT SERVER elsewhere OPTIONS (table_name 'held_2');
            CREATE USER MAPPING FOR alice SERVER elsewhere OPTIONS (user 'alice', password_required 'false');
            CREATE USER MAPPING FOR bob SERVER elsewhere OPTIONS (user 'bob', password_required 'false');
            GRANT SELECT ON parts, parts_0, parts_1, parts_2, held_1, held_2 TO alice, bob;
            GRANT SELECT ON parts TO {staged.POD}""")
        self.text = test_direct.DIRECT.replace("FROM iris", "FROM parts")

    def refused(self, error, hint):
        with self.assertRaisesRegex(errors.DatabaseError, error) as caught:
            self.stage(self.text)
        self.assertRegex(caught.exception.diag.message_hint, hint)
        self.execute(hint.replace("\\", "").replace("OPTIONS (user '...', password '...')",
                                                    "OPTIONS (user 'alice', password_required 'false')"))

    def test_they_are_shards_of_the_login_that_is_known_there(self):
        for part in ("parts_0", "parts_1", "parts_2"):
            self.refused(f"may not read public.{part}", f"GRANT SELECT ON public.{part} TO totrain_pod;")
            if part == "parts_1":
                break
        self.execute(f"GRANT SELECT ON parts_2 TO {staged.POD}")
        self.refused("is not known to the server of public.parts_1",
                     r"CREATE USER MAPPING FOR totrain_pod SERVER elsewhere OPTIONS \(user '...', password '...'\);")
        self.assertEqual(self.train(self.text), self.expected(test_direct.statement()))

    def test_a_partition_of_another_wrapper_is_refused(self):
        self.execute("CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; "
                     "ALTER TABLE parts DETACH PARTITION parts_2; "
                     "CREATE FOREIGN TABLE parts_3 PARTITION OF parts DEFAULT SERVER files OPTIONS (filename '/dev/null')")
        with self.assertRaisesRegex(errors.DatabaseError, "neither a plain table nor one of postgres_fdw"):
            self.stage(self.text)


if __name__ == "__main__":
    harness.main()
