"""A large table, learned by pods of little memory that stage it themselves: what they hold, what they take, who dies.

In the full form 5 million rows in 8 partitions, else 300,000. Rows are paced, so that a job lasts: some seconds, or
until its test has seen enough; then the workers hurry.
"""

import contextlib
import os
import pathlib
import random
import signal

import harness
import test_data
import test_train
import traced
import watched
from harness import wait_for
from training import make_image

IMAGE = "localhost/totrain:large-test-"
ROWS = 5_000_000 if harness.FULL else 300_000
PACES_US = {"brief": 30_000_000 // ROWS, "long": 300_000_000 // ROWS}  # a row; a worker has an eighth of them
FEATURES, PARTITIONS, PODS, MEMORY = 12, 8, 8, 256 << 20
TRAIN = (f"SELECT * FROM large TO TRAIN DNNClassifier WITH model.hidden_units = [64, 32], train.test_size = 0, train.epoch = 1, "
         f"train.batch_size = {ROWS // 1000}, job.lanes = 16, job.checkpoint_seconds = 1, "
         "job.max_workers = {workers}{more} LABEL class INTO {model};")
CLUSTER = (", job.where = 'kubernetes', job.read = 'direct', job.worker_cpu = 0.1, "
           f"job.worker_memory = '{MEMORY >> 20}Mi', job.image = '{{image}}', job.min_workers = {{least}}")
SETTINGS = {"totrain.images": ", ".join(f"{name}={IMAGE}{name}" for name in PACES_US),
            "shared_buffers": "256MB", "max_wal_size": "4GB", "max_connections": "200"}
STORING = """SELECT host(client_addr), pid FROM pg_stat_activity WHERE usename = 'totrain_pod'
    AND wait_event_type = 'Lock' AND query LIKE 'SELECT totrain.stage_shard(%'"""
LOCKS = """SELECT relation::regclass, mode, query FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE relation::regclass::text ~ '^large(_[0-9])?$' AND backend_type = 'client backend'"""
BLOCKS = """SELECT pg_stat_clear_snapshot(), heap_blks_read + heap_blks_hit, idx_blks_read + idx_blks_hit
    FROM pg_statio_all_tables WHERE relid = {}"""


def processor_seconds(process, first, last):
    """Sum of fields of /proc/PID/stat, in seconds, counted as in proc(5)."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(int(field) for field in fields[first - 3:last - 2]) / os.sysconf("SC_CLK_TCK")


class Pods(traced.Traced):
    """The workers' pods: what they did, and how much memory each took at most."""

    def __init__(self, seen):
        self.seen, self.charged, self.resident = seen, {}, {}

    def workers(self):
        return self.seen.pods(role="worker")

    def living(self):
        return [pod for pod, _ in self.runs()]

    def runs(self):
        """(pod, its process) of those that live"""
        return [(pod, run) for pod in self.workers() if (run := pod.run())]

    def trace(self):
        return watched.traced(self.workers())

    def step(self):
        return max((line["step"] for line in self.trace()), default=0)

    def look(self):
        """Both are the kernel's own peaks, so that a look now and then is enough."""
        for pod, run in self.runs():
            with contextlib.suppress(OSError):
                self.charged[pod.name], self.resident[pod.name] = run.memory_peaks()

    def send(self, number):
        for _, run in self.runs():
            with contextlib.suppress(ProcessLookupError):
                run.send(number)

    def hurry(self):
        self.send(signal.SIGUSR1)


class Large(test_data.Sessions):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, pace in PACES_US.items():
            make_image(cls.lab, IMAGE + name, f"TOTRAIN_PACE=us={pace}", "TOTRAIN_TRACE=/tmp")
        cls.shared = test_train.make_server(SETTINGS)
        cls.addClassCleanup(cls.shared.close)
        watch = harness.Stopwatch()
        columns = ", ".join(f"x{i} real" for i in range(FEATURES))
        values = ", ".join(f"sin(g * {i + 1}) + g % 3" for i in range(FEATURES))
        cls.shared.execute(f"CREATE TABLE large (part int, class int, {columns}) PARTITION BY LIST (part)")
        for part in range(PARTITIONS):
            cls.shared.execute(f"CREATE TABLE large_{part} PARTITION OF large FOR VALUES IN ({part})")
        cls.shared.execute(f"INSERT INTO large SELECT g % {PARTITIONS}, g % 3, {values} FROM generate_series(1, {ROWS}) g")
        cls.shared.execute("ANALYZE large; GRANT SELECT ON large TO alice, totrain_pod; GRANT USAGE ON SCHEMA totrain TO "
                           "totrain_pod; GRANT EXECUTE ON FUNCTION totrain.stage_shard TO totrain_pod")
        print(f"measured: {ROWS} rows are in the table after: {watch.read():.2f} s", flush=True)

    def prepare_server(self):
        """Its jobs go to this test's namespace."""
        self.server = self.shared
        self.server.execute(f"ALTER SYSTEM SET totrain.kubeconfig = '{self.kubeconfig}'")
        self.server.execute(f"ALTER SYSTEM SET totrain.kubernetes_namespace = '{self.space}'")
        self.server.reload()
        wait_for(lambda: self.server.execute("SHOW totrain.kubernetes_namespace") == [(self.space,)], "the settings")

    def setUp(self):
        super().setUp()
        self.seen = watched.Watched(self.lab, self.space)
        self.addCleanup(self.seen.close)
        self.workers = Pods(self.seen)
        if "here" not in self.kept():
            watch = harness.Stopwatch()
            done = self.psql(TRAIN.format(workers=1, more="", model="here"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.report("the same statement by one process of this machine", watch.read())

    def kept(self):
        return {name for name, in self.server.execute("SELECT relname FROM pg_class WHERE relkind = 'r'")}

    # --- a job -----------------------------------------------------------------------

    def begin(self, image, least=PODS):
        """Its session, and the table that its rows are staged in. least: workers without whom it waits."""
        self.watch = harness.Stopwatch()
        more = CLUSTER.format(image=image, least=least)
        self.session = self.start(TRAIN.format(workers=PODS, more=more, model="there"))
        self.addCleanup(self.session.kill)
        name, = self.wait_while_it_runs(lambda: [name for name, in self.job_tables() if name.startswith("rows_")],
                                        "the table of staged rows")
        self.rows = f"totrain_jobs.{name}"

    def wait_while_it_runs(self, condition, what):
        """Its value."""
        def checked():
            self.workers.look()
            found = condition()
            if not found and self.session.poll() is not None:
                raise AssertionError(f"the session ended without {what}: {self.session.communicate()}\n{self.explain()}")
            return found
        return wait_for(checked, what, test_data.DEADLINE)

    def wait_until_staged(self):
        with contextlib.closing(self.server.connect()) as connection, connection.cursor() as cursor:
            def settled():
                cursor.execute(f"SELECT 1 FROM {self.rows} WHERE file = 'settled'")
                return cursor.fetchall()
            self.wait_while_it_runs(settled, "the end of staging")
            cursor.execute(f"SELECT count(*) FROM {self.rows} WHERE file LIKE '%.index'")
            self.report(f"statement to staged, {cursor.fetchone()[0]} shards", self.watch.read())

    def wait_for_step(self, step):
        self.wait_while_it_runs(lambda: self.workers.step() >= step, f"step {step}")

    def finish(self, hurries=True):
        """It has ended well, and the model is the local one: every row counted once."""
        def ended():
            self.workers.look()
            if hurries:
                self.workers.hurry()
            return self.session.poll() is not None
        wait_for(ended, "the statement's end", test_data.DEADLINE)
        self.check_ended(self.session)
        self.assertEqual(self.digest("there"), self.digest("here"))
        self.check_memory()

    def check_memory(self):
        """No pod was given more than it asked for, which happens to one that ran out of it."""
        found = {pod.name for pod in self.workers.workers()}
        self.assertNotIn("OOMKilled", "\n".join(line for _, line in watched.logged(self.seen.pods(role="master"))))
        self.assertGreaterEqual(len(self.workers.charged), PODS)
        self.assertLessEqual(set(self.workers.charged), found)
        for what, peaks in (("charged to a pod, page cache and all", self.workers.charged),
                            ("resident in a worker", self.workers.resident)):
            megabytes = sorted(peak >> 20 for peak in peaks.values())
            self.report(f"MiB {what}, at most", ", ".join(map(str, megabytes)))
        self.assertLessEqual(max(self.workers.charged.values()), MEMORY)

    # --- processor time ------------------------------------------------------------------

    def server_seconds(self):
        """Processor time that the server's processes have taken, those that have ended, too."""
        found = processor_seconds(self.server.pid, 16, 17)
        for entry in pathlib.Path(f"/proc/{self.server.pid}/task").glob("*/children"):
            for process in entry.read_text(encoding="ascii").split():
                with contextlib.suppress(OSError):
                    found += processor_seconds(process, 14, 15)
        return found

    def staged_by_its_session(self):
        """Processor time."""
        before = self.server_seconds()
        with contextlib.closing(self.server.connect(user="alice")) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT totrain.stage(%s)", (TRAIN.format(workers=PODS, more="", model="staged"),))
            job, = cursor.fetchone()
            after = self.server_seconds()
            cursor.execute("SELECT totrain.discard(%s)", (job,))
        return after - before

    # --- what is looked at ---------------------------------------------------------------

    def check_table_is_let_go(self):
        """While the job trains no session has a snapshot, and nobody a lock of the table."""
        self.wait_for_step(20)
        wait_for(lambda: not self.server.execute("SELECT 1 FROM pg_stat_activity WHERE usename = 'alice' AND "
                                                 "(backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"),
                 "sessions without a snapshot")
        self.assertEqual(self.server.execute(LOCKS), [])
        self.assertIsNone(self.session.poll())
        self.assertEqual(self.server.execute("SELECT state FROM totrain.jobs ORDER BY id DESC LIMIT 1"), [("running",)])

    def read_blocks(self, cursor):
        """Bytes of blocks of the staged rows that the server looked at, and of their index; its counters lag a second."""
        cursor.execute(BLOCKS.format(f"'{self.rows}'::regclass"))
        _, blocks, of_index = cursor.fetchone()
        return int(blocks) * 8192, int(of_index) * 8192

    def test_pods_of_little_memory_take_the_staged_rows_once_together(self):
        by_session = self.staged_by_its_session()
        before = self.server_seconds()
        self.begin("brief")
        with contextlib.closing(self.server.connect(autocommit=False)) as connection, connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {self.rows} IN ACCESS SHARE MODE")  # the counters stay with the table
            self.wait_until_staged()
            of_server = self.server_seconds() - before
            of_pods = sum(processor_seconds(run.process, 14, 15) for pod in self.seen.pods() if (run := pod.run()))
            self.report("processor time of staging: by the session; by pods, the server's and theirs; ratio",
                        f"{by_session:.2f} s; {of_server:.2f} and {of_pods:.2f} s; "
                        f"{(of_server + of_pods) / by_session:.2f}")
            self.check_table_is_let_go()
            blocks = self.read_blocks(cursor)
            self.finish(hurries=False)
            self.report("statement to model", self.watch.read())
            after = self.read_blocks(cursor)
            cursor.execute(f"SELECT sum(octet_length(bytes)), pg_total_relation_size('{self.rows}') FROM {self.rows}")
            stored, on_disk = cursor.fetchone()
        share, size = self.share_taken(self.seen, PODS)
        moves = self.events("lanes")  # on a busy machine; whoever gets a lane takes its rows
        self.report(f"taken to train by {PODS} workers together, by their own count",
                    f"{share:.3f} of {size} bytes; lanes moved: {moves}")
        self.report("the store's bytes; on the server's disk", f"{stored}; {on_disk}")
        self.report("bytes of its blocks that the server looked at until step 20; until the end; of the index",
                    f"{blocks[0]}; {after[0]}; {after[1]}")
        self.assertLessEqual(share, 1.2 + len(moves))
        wait_for(lambda: not self.job_tables(), "the job's tables to go")

    # --- deaths ------------------------------------------------------------------------

    def storing(self, dead):
        """(pod, connection) of the workers that have read a shard and wait for the lock to store it."""
        addresses = {pod["status"].get("podIP"): pod["metadata"]["uid"] for pod in self.worker_pods()}
        living = {pod.uid: pod for pod in self.workers.living()}
        return [(living[addresses[address]], pid) for address, pid in self.server.execute(STORING)
                if pid not in dead and addresses.get(address) in living]

    def die_while_they_store(self, deaths):
        """The number of pods dies, each with a shard that it has read and cannot store."""
        dead = set()
        with contextlib.closing(self.server.connect(autocommit=False)) as connection, connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {self.rows} IN SHARE ROW EXCLUSIVE MODE")
            for death in range(deaths):
                pod, pid = self.wait_while_it_runs(lambda: self.storing(dead), "a worker that stores")[0]
                dead.add(pid)
                self.kill(pod, is_deleted=death % 2 == 1)

    def kill(self, pod, is_deleted):
        run = pod.run()
        if is_deleted:
            self.api.delete(f"{self.path}/pods/{pod.name}", 0)
        else:
            run.send(signal.SIGKILL)
        self.wait_while_it_runs(lambda: run.ended_at, f"the end of {pod.name}")

    def test_pods_that_die_while_they_stage_leave_every_row_once(self):
        self.begin("long")
        for _ in harness.rounds(1, 2):  # some shards are stored before the second
            self.die_while_they_store(5 if harness.FULL else 3)
        self.wait_until_staged()
        self.finish()

    def test_pods_that_die_while_they_train_leave_no_gap(self):
        """Killed without a word, deleted, and the master; how long nobody stepped is printed."""
        draw = random.Random(15)
        self.begin("long", least=1)
        self.wait_while_it_runs(lambda: self.workers.trace() and self.workers.trace()[-1]["workers"] == PODS,
                                "a group of eight")
        for death in harness.rounds(3, 12):
            before = self.workers.step()
            self.wait_for_step(before + 20)
            victim = draw.choice(self.wait_while_it_runs(self.workers.living, "a worker"))
            if death % 3 == 2:
                self.api.delete(f"{self.path}/pods/{victim.name}")
            else:
                victim.run().send(signal.SIGKILL)
            self.wait_while_it_runs(lambda: len(self.workers.living()) == PODS and not victim.run(), "eight workers")
        self.report("until then the longest time between two steps", self.workers.longest_gap())
        master = next(pod for pod in self.seen.pods(role="master") if pod.run())
        master.run().send(signal.SIGKILL)
        self.wait_for_step(self.workers.step() + 20)
        self.report("also where the master is killed", self.workers.longest_gap())
        self.finish()
        # settled: the statement has returned with the model, which is the last that is done of it
        self.report("rows computed once more", self.server.execute(
            "SELECT rows_redone FROM totrain.jobs ORDER BY id DESC LIMIT 1")[0][0])


if __name__ == "__main__":
    harness.main()
