"""job.where = 'kubernetes' from psql and the program: three transactions, the same model, nothing left."""

import base64
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

import psycopg2
import staged
from staged import harness

import fake_cluster

TRAIN = staged.statement().replace("job.lanes", "job.where = 'kubernetes', job.lanes")
LONG = staged.statement(epochs=1000000, batch=1).replace("job.lanes", "job.where = 'kubernetes', job.lanes")
DIRECT = TRAIN.replace("job.lanes", "job.read = 'direct', job.lanes")


class Case(staged.Case):
    more = {}  # settings

    @classmethod
    def setUpClass(cls):
        cls.cluster = fake_cluster.FakeCluster(harness.BUILD / "totrain")
        cls.addClassCleanup(cls.cluster.close)
        cls.settings = {**staged.SETTINGS, **harness.BARE, "totrain.enable_kubernetes": "on",
                        "totrain.kubeconfig": cls.cluster.kubeconfig,
                        "totrain.kubernetes_namespace": "training",
                        "totrain.images": "small=localhost/totrain:1, large=localhost/totrain:2",
                        "totrain.priority_classes": "batch", "totrain.database_secret": "login", **cls.more}
        super().setUpClass()
        cls.addClassCleanup(cls.server.close)  # before its cluster
        cls.server.execute("GRANT totrain_k8s TO alice")

    def setUp(self):
        super().setUp()
        self.cluster.login = self.login.read_text().strip()
        self.cluster.is_paused = self.cluster.is_silent = False

    def check_nothing_is_left(self):
        harness.wait_for(lambda: not self.tables_of_jobs(), "the job's tables to go")


class Scoring:
    """For a Case: statements that score, and what they make compared."""

    LOCAL, CLUSTER = "job.max_workers = 2", "job.where = 'kubernetes', job.max_workers = 3"
    DIRTY = ("SELECT class, sepal_length, sepal_width, petal_length, CASE WHEN sepal_width = 3 THEN 'short' ELSE "
             "petal_width::text END AS petal_width FROM iris")

    def setUp(self):
        super().setUp()
        self.execute("SELECT count(*) FROM totrain.run($$" + staged.statement(epochs=2) + "$$)", "alice")

    def predict(self, table, where, rows="SELECT * FROM iris"):
        return (f"{rows} TO PREDICT {table}.class WITH predict.extra_outputs = ['probability', 'logits'], "
                f"predict.bad_rows = 'quarantine', {where} USING iris_model;")

    def evaluate(self, where, into=""):
        return f"SELECT * FROM iris TO EVALUATE iris_model WITH {where} LABEL class {into};"

    def check_same(self, here, there):
        count = self.execute(f"SELECT count(*) FROM {here}")[0][0]
        self.assertEqual(self.execute(f"SELECT count(*) FROM {there}")[0][0], count)
        self.assertEqual(self.execute(f"SELECT h::text FROM {here} h EXCEPT ALL SELECT t::text FROM {there} t"), [])
        return count


class Psql(Case):
    def test_a_bare_statement_trains_the_same_model(self):
        shown = self.psql(TRAIN, "-v", "ON_ERROR_STOP=1", user="alice")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("Accuracy", shown.stdout)
        self.assertRegex(shown.stderr, "NOTICE:  Job iris-model-[a-z0-9]{5} in the namespace training")
        self.assertEqual(self.digest(), self.expected())
        self.check_nothing_is_left()
        self.check_origin("TRAIN")

    def check_origin(self, statement):
        """An administrator of the cluster sees whose job it is."""
        wanted = {"totrain.dev/statement": statement, "totrain.dev/model": "iris_model", "totrain.dev/user": "alice",
                  "totrain.dev/database": self.database}
        job = [thing for _, plural, kind, thing in self.cluster.api.history if (plural, kind) == ("jobs", "ADDED")][-1]
        for metadata in (job["metadata"], job["spec"]["template"]["metadata"]):
            self.assertLessEqual(wanted.items(), metadata["annotations"].items())
            self.assertEqual(metadata["labels"]["totrain.dev/user"], "alice")

    def test_attributes_choose_from_the_administrators_lists(self):
        more = ("job.image = 'large', job.priority = 'batch', job.worker_cpu = 0.5, "
                "job.worker_memory = '512Mi', job.lanes")
        self.check_psql(TRAIN.replace("job.lanes", more), user="alice")
        job = list(self.cluster.jobs().values())[-1]
        spec = job["spec"]["template"]["spec"]
        self.assertEqual(spec["containers"][0]["image"], "localhost/totrain:2")
        self.assertEqual(spec["priorityClassName"], "batch")

    def test_a_profile_of_the_administrators_file_says_where_a_role_trains(self):
        profiles = self.server.folder / "profiles.json"
        profiles.write_text(json.dumps({
            "team": {"namespace": "training", "node_selector": {"pool": "spot"}, "deadline_seconds": 900,
                     "master_memory": "300Mi"},
            "gpu": {"runtime_class": "nvidia", "labels": {"team": "a"}}, "wrong": {"runtime_clas": "nvidia"}}))
        for undone in ("SELECT pg_reload_conf()", "ALTER SYSTEM RESET totrain.profile_file",
                       "ALTER ROLE alice RESET totrain.profiles"):
            self.addCleanup(self.execute, undone)
        named = TRAIN.replace("job.lanes", "job.profile = 'gpu', job.lanes")
        self.assertIn("not in the administrator's list", self.refused(named))
        self.execute("ALTER ROLE alice SET totrain.profiles = 'team, gpu, wrong, gone'")
        self.assertIn("totrain.profile_file", self.refused(TRAIN))
        self.execute(f"ALTER SYSTEM SET totrain.profile_file = '{profiles}'")
        self.execute("SELECT pg_reload_conf()")
        self.check_psql(TRAIN, user="alice")
        job = list(self.cluster.jobs().values())[-1]
        template = job["spec"]["template"]
        self.assertEqual(template["spec"]["nodeSelector"], {"pool": "spot"})
        self.assertEqual(job["spec"]["activeDeadlineSeconds"], 900)
        self.assertEqual(template["spec"]["containers"][0]["resources"]["limits"]["memory"], "300Mi")
        self.check_psql(named, user="alice")
        template = list(self.cluster.jobs().values())[-1]["spec"]["template"]
        self.assertEqual((template["spec"]["runtimeClassName"], template["metadata"]["labels"]["team"]), ("nvidia", "a"))
        self.assertIn("Did you mean runtime_class?", self.refused(named.replace("gpu", "wrong")))
        self.assertIn("It has: team, gpu, wrong.", self.refused(named.replace("gpu", "gone")))
        for setting in ("totrain.profiles = 'other'", "totrain.profile_file = '/tmp/other'"):
            self.assertIn("permission denied" if "profiles" in setting else "cannot be changed now",
                          self.psql(f"SET {setting}", user="alice").stderr)

    def test_a_model_of_the_cluster_that_does_not_keep_its_bound_is_not_published(self):
        said = self.refused(TRAIN.replace("job.lanes", "train.require = 'LogLoss < 0', job.lanes"))
        self.assertIn("train.require asks for LogLoss < 0", said)
        self.assertIn("stays as it is", said)

    def refused(self, text, user="alice"):
        done = self.psql(text, "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=default", user=user)
        self.assertNotEqual(done.returncode, 0)
        self.check_nothing_is_left()
        return done.stderr

    def test_what_is_not_in_the_lists_is_refused(self):
        for attribute, problem in (("job.image = 'x'", "not in the administrator's list"),
                                   ("job.priority = 'system'", "not in the administrator's list"),
                                   ("job.worker_memory = 'lots'", "amount of memory"),
                                   ("job.worker_cpu = 2000", "job.worker_cpu"),
                                   ("job.metrics = '0'", "applies to this machine")):
            self.assertIn(problem, self.refused(TRAIN.replace("job.lanes", attribute + ", job.lanes")))

    def test_a_role_without_the_right_is_refused(self):
        said = self.refused(TRAIN, user="bob")
        self.assertIn("may not run jobs on Kubernetes", said)
        self.assertIn("GRANT totrain_k8s", said)

    def test_inside_of_a_transaction_it_is_refused_with_a_way_out(self):
        with self.connect("alice").cursor() as cursor:
            with self.assertRaises(Exception) as caught:
                cursor.execute("SELECT * FROM totrain.run(%s)", (TRAIN,))
        self.assertIn("cannot be a part of a transaction", str(caught.exception))
        self.assertIn("totrain.submit", str(caught.exception))

    def test_a_session_that_is_cancelled_leaves_nothing(self):
        before = set(self.cluster.started)
        session = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", LONG], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        name = (set(self.cluster.started) - before).pop()
        self.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'alice' AND "
                     "backend_type = 'client backend'")
        _, said = session.communicate(timeout=60)
        self.assertIn("canceling statement", said)
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        self.check_nothing_is_left()
        self.assertNotIn("iris_model", self.tables())

    def test_a_backend_that_is_killed_takes_the_job_along(self):
        before = set(self.cluster.started)
        session = subprocess.Popen(["psql", "-X", "-c", LONG], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        name = (set(self.cluster.started) - before).pop()
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'alice'")
        session.wait(timeout=60)
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        self.check_nothing_is_left()

    def test_jobs_are_listed_and_ended_by_another_session(self):
        before = set(self.cluster.started)
        session = subprocess.Popen(["psql", "-X", "-c", LONG], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        number = harness.wait_for(lambda: self.execute(
            "SELECT id FROM totrain.jobs WHERE state = 'running' AND step > 0", "alice"), "a job that runs")[0][0]
        self.execute(f"SELECT totrain.cancel({number})", "alice")
        _, said = session.communicate(timeout=60)
        self.assertIn("interrupted", said)
        harness.wait_for(lambda: self.execute(f"SELECT state FROM totrain.jobs WHERE id = {number}", "alice") ==
                         [("cancelled",)], "a cancelled job")
        self.check_nothing_is_left()

    def test_a_job_that_ends_while_the_api_server_is_away_is_heard_of_all_the_same(self):
        digest = self.expected()
        before = set(self.cluster.started)
        self.cluster.pace = "us=5000"
        session = self.start_psql(TRAIN)
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        harness.wait_for(lambda: self.execute("SELECT id FROM totrain.jobs WHERE state = 'running'", "alice"),
                         "a job that runs")
        self.cluster.api.leave()
        self.cluster.hurry()
        shown, said = session.communicate(timeout=60)
        self.cluster.pace = None
        self.cluster.api.come_back()
        self.assertIn("Accuracy", shown)
        self.assertEqual(session.returncode, 0, said)
        self.assertEqual(self.digest(), digest)
        self.check_nothing_is_left()

    def test_a_journal_that_cannot_be_read_is_said_once_and_ends_nothing(self):
        before = set(self.cluster.started)
        session = self.start_psql(LONG)
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        harness.wait_for(lambda: self.execute("SELECT id FROM totrain.jobs WHERE state = 'running' AND step > 0", "alice"),
                         "a job that runs")
        journal, = (name for name in self.tables_of_jobs() if name.startswith("result_"))
        self.execute(f"REVOKE SELECT ON totrain_jobs.{journal} FROM alice", "alice")
        said = session.stderr.readline()
        while "journal is not readable" not in said:
            said = session.stderr.readline()
        self.assertIn("permission denied", said)
        self.execute(f"GRANT SELECT ON totrain_jobs.{journal} TO alice", "alice")
        steps = self.execute("SELECT max(step) FROM totrain.jobs", "alice")[0][0]
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.jobs WHERE step > {steps}", "alice"), "progress")
        session.send_signal(signal.SIGINT)
        _, said = session.communicate(timeout=60)
        self.assertNotIn("journal is not readable", said)
        self.check_nothing_is_left()

    def test_an_entry_of_its_journal_is_a_line_or_nothing(self):
        self.cluster.is_paused = True
        session = self.start_psql(LONG)
        self.cluster.wait_for(self.cluster.ready)
        journal, = harness.wait_for(lambda: [name for name in self.tables_of_jobs() if name.startswith("result_")],
                                    "the job's tables")
        told = {"event": "notice", "step": 0, "steps": 0, "epoch": 0, "epochs": 0, "workers": 0}

        def report(number, text):
            self.execute(f"INSERT INTO totrain_jobs.{journal} (number, master, kind, body) VALUES ({number}, 1, 'report', "
                         f"convert_to($${text}$$, 'UTF8'))")
            line = session.stderr.readline()
            while "Job iris" in line:
                line = session.stderr.readline()
            return line
        self.assertEqual(report(3, json.dumps({**told, "message": "it is cold"})), "NOTICE:  it is cold\n")
        self.assertIn("entry 4 of the job's journal is no line",
                      report(4, json.dumps({**told, "message": "and wet"}) + "\ncancel"))
        self.assertIsNone(session.poll())
        session.send_signal(signal.SIGINT)
        _, said = session.communicate(timeout=60)
        self.assertNotIn("wet", said)
        self.check_nothing_is_left()

    def start_psql(self, text):
        return subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", text], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                env={**os.environ, **self.server.variables(self.database, "alice")})

    def test_an_image_that_is_missing_is_an_error_of_the_statement(self):
        self.cluster.is_paused = True
        session = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", TRAIN], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        self.cluster.wait_for(self.cluster.ready)
        name = self.cluster.ready()[0]
        self.cluster.started.append(name)
        self.cluster.api.create("pods", {
            "metadata": {"name": "x-pod", "labels": {"totrain.dev/job": name, "totrain.dev/role": "master"}},
            "spec": {"containers": [{"name": "master"}]},
            "status": {"phase": "Pending", "containerStatuses": [{"name": "master", "restartCount": 0, "state": {
                "waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling"}}}]}})
        _, said = session.communicate(timeout=60)
        self.assertIn("ERROR:  the master's pod cannot start: ImagePullBackOff", said)
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        self.check_nothing_is_left()


class Left(Case):
    """The API server refuses the session for good, which cannot delete its Job: the work is not lost."""

    def test_the_model_is_collected_when_the_job_is_done(self):
        refusal = {"status": 403, "reason": "Forbidden", "message": "jobs.batch is forbidden: cannot do it"}
        for _ in range(100):
            self.cluster.api.fault("list", **refusal)
        self.cluster.api.fault("delete", **refusal)
        self.cluster.is_paused = True
        done = self.psql(TRAIN, user="alice")
        self.assertIn("ERROR:  jobs.batch is forbidden: cannot do it", done.stderr)
        number, = re.findall(r"HINT: .*totrain\.collect\((\d+)\).* kubectl delete job \S+ --namespace training",
                             done.stderr)
        self.assertNotIn("iris_model", self.tables())
        with self.cluster.api.lock:
            self.cluster.api.faults.clear()
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()

        def collected():
            return self.psql(f"SELECT * FROM totrain.collect({number})", "-v", "ON_ERROR_STOP=1", user="alice").returncode == 0
        harness.wait_for(collected, "the Job to be done")
        self.assertIn("iris_model", self.tables())
        self.check_nothing_is_left()


class DirectCase(Case):
    """Workers may read iris, and a session is stopped before its Job begins."""

    def setUp(self):
        super().setUp()
        self.execute(f"GRANT SELECT ON iris TO {staged.POD}")

    def start(self, *program, text=DIRECT):
        """Up to where a Job could begin; it does once the cluster is no longer paused."""
        self.cluster.is_paused = True
        session = subprocess.Popen([*(program or ("psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", text))], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables(self.database, "alice"),
                                        "TOTRAIN_STATE": str(self.folder / "state")})
        self.cluster.wait_for(self.cluster.ready)
        return session

    def go_on(self):
        with self.cluster.api.lock:
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()

    def check_no_locks(self):
        harness.wait_for(lambda: self.locks() == [(0,)], "the locks to go")

    def locks(self):
        return self.execute("SELECT count(*) FROM pg_locks WHERE relation = 'iris'::regclass AND pid <> pg_backend_pid()")

    def check_holds(self):
        """The rows of now are those of the job, whatever becomes of them."""
        with self.assertRaises(psycopg2.errors.LockNotAvailable):
            self.execute("SET lock_timeout = '50ms'; TRUNCATE iris")
        self.execute("INSERT INTO iris SELECT * FROM iris; UPDATE iris SET sepal_width = 0; DELETE FROM iris "
                     "WHERE petal_width > 1")
        self.execute("VACUUM iris")

    def check_trained(self, session, digest):
        shown, said = session.communicate(timeout=120)
        self.assertEqual(session.returncode, 0, said)
        self.assertIn("Accuracy", shown)
        self.assertEqual(self.digest(), digest)
        self.check_no_locks()
        self.check_nothing_is_left()


class Direct(DirectCase):
    """job.read = 'direct': the session holds lock and snapshot until the workers have staged the rows."""

    def test_what_is_written_meanwhile_is_in_no_model(self):
        digest = self.expected()
        session = self.start()
        self.check_holds()
        self.go_on()
        self.check_trained(session, digest)

    def test_whatever_the_isolation_of_the_session(self):
        digest = self.expected()
        self.execute("ALTER ROLE alice SET default_transaction_isolation = 'serializable'")
        try:
            session = self.start()
            self.check_holds()
            self.go_on()
            self.check_trained(session, digest)
        finally:
            self.execute("ALTER ROLE alice RESET default_transaction_isolation")

    def test_the_program_holds_them_as_well(self):
        digest = self.expected()
        session = self.start(harness.BUILD / "totrain", f"dbname={self.database}", "-c", DIRECT, "--kubeconfig",
                             self.cluster.kubeconfig, "--namespace=training", "--image=localhost/totrain:3",
                             "--database-secret=login")
        self.check_holds()
        self.go_on()
        self.check_trained(session, digest)

    def check_lets_go(self, session):
        """While the job trains nobody holds the table, nor keeps VACUUM from what died."""
        self.go_on()
        journal, = (name for name in self.tables_of_jobs() if name.startswith("result_"))
        harness.wait_for(lambda: self.execute(
            f"SELECT 1 FROM totrain_jobs.{journal} WHERE kind = 'job' AND "
            "(convert_from(body, 'UTF8')::json->>'step')::bigint > 0"), "a job that trains")
        self.check_no_locks()
        harness.wait_for(lambda: self.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'alice' AND (backend_xmin IS NOT NULL OR "
            "backend_xid IS NOT NULL)") == [(0,)], "sessions without a snapshot")
        self.execute("SET lock_timeout = '10s'; TRUNCATE iris")
        self.assertIsNone(session.poll())
        session.send_signal(signal.SIGINT)
        session.communicate(timeout=60)
        self.check_nothing_is_left()

    def test_they_are_let_go_when_all_rows_are_staged(self):
        text = LONG.replace("job.lanes", "job.read = 'direct', job.lanes")
        self.check_lets_go(self.start(text=text))

    def test_the_program_lets_them_go_as_well(self):
        text = LONG.replace("job.lanes", "job.read = 'direct', job.lanes")
        self.check_lets_go(self.start(
            harness.BUILD / "totrain", f"dbname={self.database}", "-c", text, "--kubeconfig", self.cluster.kubeconfig,
            "--namespace=training", "--image=localhost/totrain:3", "--database-secret=login"))

    def test_submitted_jobs_hold_them_in_the_background(self):
        digest = self.expected()
        self.cluster.is_paused = True
        self.execute("SELECT totrain.submit($$" + DIRECT + "$$)", "alice")
        self.cluster.wait_for(self.cluster.ready)
        self.check_holds()
        self.go_on()
        harness.wait_for(lambda: "iris_model" in self.tables(), "the model")
        self.assertEqual(self.digest(), digest)
        harness.wait_for(lambda: not self.tables_of_jobs() and self.locks() == [(0,)], "tables and locks to go")

    def test_a_session_that_is_cancelled_leaves_nothing(self):
        session = self.start()
        self.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'alice' AND "
                     "backend_type = 'client backend'")
        _, said = session.communicate(timeout=60)
        self.assertIn("canceling statement", said)
        self.cluster.wait_for(lambda: not self.cluster.ready())
        self.check_no_locks()
        self.check_nothing_is_left()

    def test_a_session_that_is_cancelled_while_workers_stage_leaves_nothing(self):
        """A shard is 256 pages: here there are some sixty, of which a few are stored."""
        self.execute("CREATE TABLE wide AS SELECT ARRAY(SELECT g * w FROM generate_series(1, 200) w)::float8[] AS v, "
                     f"g % 2 AS class FROM generate_series(1, 60000) g; GRANT SELECT ON wide TO alice, {staged.POD}")
        session = self.start(text=DIRECT.replace("FROM iris", "FROM wide"))
        self.go_on()
        rows, = (name for name in self.tables_of_jobs() if name.startswith("rows_"))
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain_jobs.{rows}"), "a shard")
        session.send_signal(signal.SIGINT)
        _, said = session.communicate(timeout=60)
        self.assertNotEqual(session.returncode, 0, said)
        self.cluster.wait_for(lambda: not self.cluster.ready())
        harness.wait_for(lambda: self.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = "
                                              f"'{staged.POD}'") == [(0,)], "the workers to end")
        self.check_nothing_is_left()

    def test_a_job_that_fails_leaves_nothing(self):
        self.execute("UPDATE iris SET petal_width = 'infinity' WHERE ctid = '(0,7)'")
        self.cluster.is_paused = False
        done = self.psql(DIRECT, "-v", "ON_ERROR_STOP=1", user="alice")
        self.assertIn('ERROR:  column "petal_width" holds an infinite number', done.stderr)
        self.check_no_locks()
        self.check_nothing_is_left()

    def test_partitions_that_change_before_the_snapshot_are_an_error(self):
        """After the look at the table: as the job's tables are made, one more is attached."""
        self.execute("CREATE TABLE parts (LIKE iris) PARTITION BY LIST (class); CREATE TABLE parts_0 PARTITION OF parts "
                     f"DEFAULT; INSERT INTO parts SELECT * FROM iris; GRANT SELECT ON parts TO alice, {staged.POD}")
        self.execute("""
            CREATE FUNCTION attach() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                IF to_regclass('parts_1') IS NULL THEN
                    CREATE TABLE parts_1 (LIKE parts); ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES IN (99);
                END IF; END $$;
            CREATE EVENT TRIGGER attach ON ddl_command_end WHEN TAG IN ('GRANT') EXECUTE FUNCTION attach()""")
        try:
            self.cluster.is_paused = False
            done = self.psql(DIRECT.replace("FROM iris", "FROM parts"), "-v", "ON_ERROR_STOP=1", user="alice")
        finally:
            self.execute("DROP EVENT TRIGGER attach")
        self.assertIn("ERROR:  the partitions of public.parts have changed meanwhile", done.stderr)
        self.check_nothing_is_left()


class Submitted(Case):
    def test_submit_trains_in_the_background(self):
        number = self.execute("SELECT totrain.submit($$" + TRAIN + "$$)", "alice")[0][0]
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.jobs WHERE id = {number} AND state = 'done'",
                                              "alice"), "the job's end")
        harness.wait_for(lambda: "iris_model" in self.tables(), "the model")
        self.assertEqual(self.digest(), self.expected())
        self.check_nothing_is_left()

    def test_one_that_is_cancelled_leaves_nothing(self):
        before = set(self.cluster.started)
        number = self.execute("SELECT totrain.submit($$" + LONG + "$$)", "alice")[0][0]
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        name = (set(self.cluster.started) - before).pop()
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.jobs WHERE id = {number} AND state = 'running'",
                                              "alice"), "a job that runs")
        self.execute(f"SELECT totrain.cancel({number})", "alice")
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")


class Servers(Case):
    def test_the_number_of_parameter_servers_is_changed_in_sql(self):
        self.execute("CREATE TABLE visits AS SELECT 'site ' || n % 40 AS site, (n % 3 = 0)::int AS clicked "
                     "FROM generate_series(1, 2000) AS n; GRANT SELECT ON visits TO alice")
        self.cluster.is_paused = True
        before = set(self.cluster.jobs())
        number = self.execute(
            "SELECT totrain.submit($$SELECT site, clicked FROM visits TO TRAIN WideAndDeepClassifier WITH job.where = "
            "'kubernetes', job.strategy = 'ps', job.ps = 2, model.hidden_units = [8], train.epoch = 10000, "
            "job.max_workers = 2 LABEL clicked INTO visit_model$$)", "alice")[0][0]
        self.cluster.wait_for(lambda: set(self.cluster.jobs()) - before)
        name = (set(self.cluster.jobs()) - before).pop()
        self.cluster.wait_for(lambda: self.cluster.jobs()[name]["spec"]["suspend"] is False)
        self.assertEqual(self.execute(f"SELECT totrain.scale_servers({number}, 3)", "alice"), [(3,)])
        self.cluster.wait_for(lambda: self.cluster.api.objects["jobs"][name]["metadata"]["annotations"].get(
            "totrain.dev/servers") == "3")
        with self.assertRaisesRegex(Exception, "1 to 64 parameter servers, not 65"):
            self.execute(f"SELECT totrain.scale_servers({number}, 65)", "alice")
        self.execute(f"SELECT totrain.cancel({number})", "alice")
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")


class WithProgram(Case):
    def run_program(self, *words):
        variables = {**os.environ, **self.server.variables(self.database, "alice"),
                     "TOTRAIN_STATE": str(self.folder / "state")}
        return subprocess.run([harness.BUILD / "totrain", *words], text=True, capture_output=True, env=variables,
                              timeout=120, check=False)

    def options(self):
        return ("--kubeconfig", self.cluster.kubeconfig, "--namespace=training", "--image=localhost/totrain:3",
                "--database-secret=login")


class Scores(Scoring, WithProgram):
    """PREDICT and EVALUATE: what a local job makes, to the bit."""

    def check_run(self, run):
        """By psql or the program: tables, bad rows and metrics are those of local jobs."""
        for name, where in (("here", self.LOCAL), ("there", self.CLUSTER)):
            run(self.predict(name, where))
            run(self.predict(f"{name}_dirty", where, self.DIRTY))
            run(self.evaluate(where, f"INTO {name}_metrics"))
            run(f"{self.DIRTY} TO EVALUATE iris_model WITH evaluate.bad_rows = 'quarantine', {where} LABEL class "
                f"INTO {name}_clean;")
        self.assertEqual(self.check_same("here", "there"), 150)
        good = self.check_same("here_dirty", "there_dirty")
        self.assertEqual(self.check_same("here_dirty_bad_rows", "there_dirty_bad_rows"), 150 - good)
        self.assertLess(good, 150)
        self.check_same("here_metrics", "there_metrics")
        self.check_same("here_clean", "there_clean")
        self.assertEqual(self.check_same("here_clean_bad_rows", "there_clean_bad_rows"), 150 - good)
        self.assertEqual(run(self.evaluate(self.LOCAL)), run(self.evaluate(self.CLUSTER)))
        self.check_nothing_is_left()

    def test_psql_gets_what_a_local_job_makes(self):
        before = len(self.cluster.started)
        self.check_run(lambda text: self.check_psql(text, user="alice"))
        self.assertEqual(len(self.cluster.started), before + 5)
        self.assertRegex(self.cluster.started[-1], "^iris-model-")  # EVALUATE without a table
        self.assertRegex(self.cluster.started[-5], "^there-")
        self.assertEqual(self.execute("SELECT DISTINCT state FROM totrain.jobs", "alice"), [("done",)])
        done = self.execute("SELECT job, sum(count) FROM totrain.shards WHERE state IN ('done', 'bad') GROUP BY job",
                            "alice")
        self.assertEqual({rows for _, rows in done}, {150})

    def test_so_does_the_program(self):
        def run(text):
            done = self.run_program(f"dbname={self.database}", "-c", text, *self.options())
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.check_run(run)

    def test_so_does_what_is_submitted(self):
        self.check_psql(self.predict("here", self.LOCAL), user="alice")
        number = self.execute("SELECT totrain.submit($$" + self.predict("there", self.CLUSTER) + "$$)", "alice")[0][0]
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.jobs WHERE id = {number} AND state = 'done'",
                                              "alice"), "the job's end")
        self.assertEqual(self.check_same("here", "there"), 150)
        self.check_nothing_is_left()

    def test_the_program_submits_to_the_cluster_what_asks_for_it(self):
        started = len(self.cluster.started)
        done = self.run_program("submit", f"dbname={self.database}", self.predict("here", self.LOCAL), *self.options())
        self.assertEqual((done.returncode, len(self.cluster.started)), (0, started), done.stderr)
        done = self.run_program("submit", f"dbname={self.database}", "--dry-run", *self.options(), "-c",
                                self.predict("there", self.CLUSTER + ", job.worker_cpu = 0.5"))
        self.assertEqual(done.returncode, 0, done.stderr)
        items = json.loads(done.stdout)["items"]
        self.assertRegex(items[0]["metadata"]["name"], "^there-")
        self.assertEqual(items[-1]["spec"]["containers"][0]["resources"]["requests"]["cpu"], "500m")
        self.assertEqual(json.loads(base64.b64decode(items[1]["data"]["cluster.json"]))["workers_max"], 3)

    def test_attributes_choose_from_the_administrators_lists(self):
        self.check_psql(self.predict("there", self.CLUSTER + ", job.image = 'large', job.priority = 'batch'"), user="alice")
        spec = list(self.cluster.jobs().values())[-1]["spec"]["template"]["spec"]
        self.assertEqual(spec["containers"][0]["image"], "localhost/totrain:2")
        self.assertEqual(spec["priorityClassName"], "batch")

    def test_explain_says_where(self):
        for text in (self.predict("there", self.CLUSTER), self.evaluate(self.CLUSTER)):
            self.assertRegex(self.check_psql("EXPLAIN " + text, user="alice"), "where[|]kubernetes")

    def test_what_is_wrong_ends_the_statement_and_leaves_nothing(self):
        for text, problem in (
                (self.predict("never", self.CLUSTER, self.DIRTY).replace("'quarantine'", "'error'"), 'column "petal_width"'),
                (self.evaluate(self.CLUSTER).replace("FROM iris", "FROM iris WHERE false"), "no rows to evaluate"),
                (self.evaluate(self.CLUSTER + ", job.wait = false"), "only where a table is written"),
                (self.predict("never", self.CLUSTER + ", job.image = 'x'"), "not in the administrator's list"),
                (self.predict("iris", self.CLUSTER), "iris")):
            done = self.psql(text, "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=default", user="alice")
            self.assertEqual(done.returncode, 3, text)
            self.assertIn(problem, done.stderr)
            self.check_nothing_is_left()
        self.assertNotIn("never", self.tables())

    def test_a_table_that_cannot_be_written_leaves_nothing(self):
        """A view is made on the target while pods score."""
        self.check_psql(self.predict("there", self.LOCAL), user="alice")
        self.cluster.is_paused = True
        session = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", self.predict("there", self.CLUSTER)],
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        self.cluster.wait_for(self.cluster.ready)
        self.execute("CREATE VIEW on_it AS SELECT * FROM there")
        with self.cluster.api.lock:
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()
        _, said = session.communicate(timeout=60)
        self.assertEqual(session.returncode, 1)
        self.assertIn("cannot drop table there because other objects depend on it", said)
        self.eventually("SELECT state FROM totrain.jobs ORDER BY id DESC LIMIT 1", [("failed",)], "alice")
        self.check_nothing_is_left()
        self.execute("DROP VIEW on_it")


class Program(WithProgram):
    def test_submit_sends_what_trains(self):
        done = self.run_program("submit", f"dbname={self.database}", staged.statement(), *self.options())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Accuracy", done.stdout)
        self.assertEqual(self.digest(), self.expected())
        self.check_nothing_is_left()

    def test_the_statement_may_say_it_itself(self):
        done = self.run_program(f"dbname={self.database}", "-c", TRAIN, *self.options())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(), self.expected())

    def test_what_is_missing_is_said(self):
        for left_out, problem in (("--image", "--image is missing"), ("--database", "--database-secret is missing")):
            words = [word for word in self.options() if not word.startswith(left_out)]
            done = self.run_program("submit", f"dbname={self.database}", staged.statement(), *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(problem, done.stderr)
        done = self.run_program(f"dbname={self.database}", "-c", f"BEGIN; {TRAIN}", *self.options())
        self.assertIn("cannot be a part of a transaction", done.stderr)

    def test_a_dry_run_prints_what_would_be_sent_and_makes_nothing(self):
        started = len(self.cluster.started)
        text = staged.statement(job__worker_cpu=0.5)
        done = self.run_program("submit", f"dbname={self.database}", f"CREATE TABLE never(a int); {text}", "--dry-run",
                                *self.options())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("No row was read", done.stderr)
        items = json.loads(done.stdout)["items"]
        self.assertEqual([item["kind"] for item in items], ["Job", "Secret", "Secret", "Secret", "Service", "Pod"])
        self.assertRegex(items[0]["metadata"]["name"], "^iris-model-")
        self.assertEqual(items[-1]["spec"]["containers"][0]["resources"]["requests"]["cpu"], "500m")
        wish = json.loads(base64.b64decode(items[1]["data"]["cluster.json"]))
        self.assertEqual((wish["workers_max"], wish["job"], wish["schema"]), (4, 0, "totrain_jobs"))
        self.assertEqual((self.tables_of_jobs(), len(self.cluster.started)), (set(), started))
        self.assertNotIn("never", self.tables())
        for text, problem in (("SELECT 1", "no statement here runs on the cluster"),
                              (text.replace("iris TO", "nowhere TO"), "nowhere"),
                              (text.replace("job.lanes", "job.where = 'local', job.lanes").replace(
                                  ", job.worker_cpu = 0.5", ""), "no statement here runs on the cluster")):
            done = self.run_program("submit", f"dbname={self.database}", text, "--dry-run", *self.options())
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(problem, done.stderr)

    def make_run(self, name, tables, pod):
        """The Job that a run of a schedule has sent, and which nothing runs."""
        self.cluster.started.append(name)
        self.cluster.api.create("jobs", {
            "metadata": {"name": name, "labels": {"totrain.dev/schedule": "nightly"},
                         "annotations": {"totrain.dev/tables": str(tables)},
                         "ownerReferences": [{"kind": "Pod", "name": pod, "uid": f"uid-of-{pod}"}]},
            "spec": {"suspend": False}})

    def test_a_run_of_a_schedule_removes_what_a_dead_one_has_left(self):
        left, others = self.stage(), self.stage()
        self.cluster.api.create("jobs", {"metadata": {"name": "run"}, "spec": {"suspend": True, "backoffLimit": 2}})
        self.cluster.api.create("pods", {"metadata": {"name": "alive"}, "status": {"phase": "Running"}})
        self.make_run("left", left, "dead")
        self.make_run("running", others, "alive")
        with self.cluster.api.lock:
            uid = self.cluster.api.objects["pods"]["alive"]["metadata"]["uid"]
            self.cluster.api.objects["jobs"]["running"]["metadata"]["ownerReferences"][0]["uid"] = uid
        words = (*self.options(), "--run-of=nightly", "--owner=me/my-uid/run")
        done = self.run_program("submit", f"dbname={self.database}", staged.statement(), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("its Job left is deleted", done.stderr)
        self.assertEqual(self.digest(), self.expected())
        jobs = self.cluster.jobs()
        self.assertNotIn("left", jobs)
        self.assertIn("running", jobs)
        self.assertEqual({name for name in self.tables_of_jobs() if name.startswith("result")}, {f"result_{others}"})
        mine, = [job for name, job in jobs.items() if name.startswith("iris-model-")
                 and "totrain.dev/schedule" in job["metadata"]["labels"]]
        self.assertEqual(mine["metadata"]["ownerReferences"],
                         [{"apiVersion": "v1", "kind": "Pod", "name": "me", "uid": "my-uid"}])
        done = self.run_program("submit", f"dbname={self.database}", "SELECT nothing", *words)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.cluster.jobs()["run"]["spec"]["backoffLimit"], 0)
        self.execute(f"SELECT totrain.discard({others})", "alice")

    def test_sqlite_is_refused_with_the_reason(self):
        done = self.run_program(str(self.folder / "x.db"), "-c", "CREATE TABLE iris(a, class); INSERT INTO iris "
                                "VALUES (1, 0), (2, 1); " + TRAIN.replace("job.lanes = 8, ", ""))
        self.assertIn("needs a database that Pods can reach", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
