"""From an empty namespace to a trained model: docs/kubernetes.md, on a real cluster."""

import base64
import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import tempfile

import harness
import place
from harness import wait_for
from training import BUILD, DEADLINE, ROOT, let_pods_in, make_image, postgres
from waiting import eventually

IMAGE = "localhost/totrain:train-test"
PACED = "localhost/totrain:train-test-paced"  # a row takes 2 ms: a job lasts on any machine, and computes little
PASSWORD = f"only for {secrets.token_hex(8)}"
TRAIN = ("SELECT * FROM points TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.test_size = 0, train.epoch = {epochs}, "
         "train.batch_size = 64, job.lanes = 8, job.max_workers = 4{more} LABEL class INTO {model};")
CLUSTER = ", job.where = 'kubernetes', job.worker_cpu = 0.1, job.worker_memory = '128Mi'"
SETTINGS = {"listen_addresses": place.SERVER, "session_preload_libraries": "totrain",
            "totrain.job_login": "totrain_pod", "totrain.enable_kubernetes": "on",
            "totrain.images": IMAGE, "totrain.database_secret": "totrain-login"}


def train(model, epochs=20, more=CLUSTER):
    return TRAIN.format(epochs=epochs, more=more, model=model)


def make_server(settings):
    """A server that pods reach, and alice, who may send jobs to the cluster."""
    server = postgres.Server({**SETTINGS, **settings}, extension=True, tcp=True)
    let_pods_in(server, "totrain_pod")
    server.execute(f"""
        CREATE EXTENSION totrain; CREATE ROLE totrain_pod LOGIN PASSWORD '{PASSWORD}'; CREATE SCHEMA totrain_jobs;
        GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user; GRANT USAGE ON SCHEMA totrain_jobs TO totrain_pod;
        CREATE ROLE alice LOGIN; GRANT totrain_user, totrain_k8s TO alice; GRANT CREATE ON SCHEMA public TO alice""")
    return server


def forms_of(secret):
    """The forms of a secret that are searched for: as it is, in hexadecimal, and within something in base64."""
    text = secret.encode()
    whole = [base64.b64encode(text[start:start + len(text[start:]) // 3 * 3]).decode() for start in range(3)]
    return [secret, text.hex(), *whole]


def processes():
    """Arguments and environment of each process of this machine, pods' included."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                yield (entry / name).read_bytes().decode(errors="replace")


class Case(harness.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-train-"))
        cls.folder.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        make_image(cls.lab, IMAGE)
        make_image(cls.lab, PACED, "TOTRAIN_PACE=us=2000")

    def setUp(self):
        super().setUp()
        self.apply(self.output("totrain", "k8s", "rbac", f"--namespace={self.space}", "--pods=20", "--cpu=8",
                               "--memory=16Gi"))
        self.kubeconfig = self.make_kubeconfig()
        self.prepare_server()
        self.login = (f"host={place.SERVER} port={self.server.port} user=totrain_pod password='{PASSWORD}' "
                      "dbname=postgres")
        self.apply(json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {
            "name": "totrain-login", "namespace": self.space}, "stringData": {"login": self.login}}))

    def prepare_server(self):
        self.server = make_server({"totrain.kubeconfig": self.kubeconfig, "totrain.kubernetes_namespace": self.space})
        self.addCleanup(self.server.close)
        self.server.execute("""
            CREATE TABLE points AS SELECT g % 3 AS class, g % 3 + sin(g) AS a, g % 3 * 2 + cos(g) AS b
                FROM generate_series(1, 3000) g;
            GRANT SELECT ON points TO alice""")

    def output(self, program, *words):
        return subprocess.run([BUILD / program, *words], check=True, capture_output=True, text=True).stdout

    def apply(self, objects):
        done = subprocess.run([self.lab.place.kubectl, "--kubeconfig", self.lab.place.kubeconfig, "apply", "-f", "-"],
                              input=objects, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def make_kubeconfig(self):
        """The submitter's account, and nothing more."""
        token = self.api.post(f"/api/v1/namespaces/{self.space}/serviceaccounts/totrain-submitter/token",
                              {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                               "spec": {"expirationSeconds": 3600}})["status"]["token"]
        self.token = token
        admin = json.loads(subprocess.run(
            [self.lab.place.kubectl, "--kubeconfig", self.lab.place.kubeconfig, "config", "view", "--raw", "-o",
             "json"], check=True, capture_output=True, text=True).stdout)
        cluster = admin["clusters"][0]["cluster"]
        if "certificate-authority" in cluster:
            path = pathlib.Path(self.lab.place.kubeconfig).parent / cluster.pop("certificate-authority")
            cluster["certificate-authority-data"] = base64.b64encode(path.read_bytes()).decode()
        path = self.folder / f"{self.space}.config"
        path.write_text(json.dumps({
            "clusters": [{"name": "lab", "cluster": cluster}], "users": [{"name": "me", "user": {"token": token}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "me", "namespace": self.space}}],
            "current-context": "lab"}))
        path.chmod(0o644)
        return str(path)

    def psql(self, sql):
        return subprocess.run(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", sql], text=True, capture_output=True,
                              env={**os.environ, **self.server.variables("postgres", "alice")},
                              timeout=DEADLINE, check=False)

    def digest(self, model):
        return self.server.execute(f"SELECT convert_from(data, 'UTF8')::json ->> 'digest' FROM {model} "
                                   "WHERE part = 'meta'")[0][0]

    def jobs(self):
        return self.api.get(f"/apis/batch/v1/namespaces/{self.space}/jobs")["items"]

    def objects(self):
        return [thing for kind in ("pods", "secrets", "services") for thing in
                self.api.get(f"{self.path}/{kind}")["items"] if thing["metadata"]["name"] not in ("totrain-login", "totrain-service")]

    def job_tables(self):
        return self.server.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND "
                                   "relnamespace = 'totrain_jobs'::regnamespace")

    def check_tables_go(self):
        """At once, or in the background where a master still has them open (extension/postgres/server/jobs/release.h)."""
        eventually(self.job_tables, [], "the tables of the job")

    def explain(self):
        return "\n".join([self.kubectl("get", "all,events").stdout,
                          self.kubectl("logs", "--all-containers", "--prefix", "-l", "totrain.dev/role").stdout])

    def check_no_secret(self, said, of_a_job=True):
        """In no object but the Secrets, in no log, no argument, no environment, and nowhere in the database."""
        found = self.api.get(f"{self.path}/secrets")["items"]
        keys = [base64.b64decode(value).decode().splitlines()[1] for secret in found
                for name, value in secret.get("data", {}).items() if name.endswith(".key")]
        self.assertEqual(len(keys), 5 if of_a_job else 0)
        forms = [form for secret in (*keys, PASSWORD, self.token) for form in forms_of(secret)]
        places = [*said, (self.server.folder / "log").read_text(), *self.logs(), *self.tables(), *processes(),
                  *(json.dumps(thing) for kind, thing in self.everything() if kind != "secrets")]
        for path in (self.server.folder / "state").rglob("*"):
            if path.is_file():
                places.append(path.read_bytes().decode(errors="replace"))
        for text in places:
            for form in forms:
                self.assertNotIn(form, text)

    def logs(self):
        """Logs of all containers, those of before, too."""
        for found in self.pods():
            for previous in ("true", "false"):
                with contextlib.suppress(harness.ApiError):
                    yield self.api.get(f"{self.path}/pods/{found['metadata']['name']}/log", previous=previous)

    def tables(self):
        """All rows that anybody but PostgreSQL itself has."""
        for name, in self.server.execute(
                "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'm') AND relnamespace NOT IN "
                "('pg_catalog'::regnamespace, 'information_schema'::regnamespace)"):
            yield "\n".join(row for row, in self.server.execute(f"SELECT t::text FROM {name} t"))


class Trains(Case):
    def test_a_bare_statement_in_psql_is_the_local_run_bit_for_bit(self):
        watch = harness.Stopwatch()
        done = self.psql(train("there"))
        self.assertEqual(done.returncode, 0, done.stderr + "\n" + self.explain())
        self.report("statement to model, 4 workers as pods", watch.read())
        self.assertIn("Accuracy", done.stdout)
        here = self.psql(train("here", more=""))
        self.assertEqual(here.returncode, 0, here.stderr)
        self.assertEqual(self.digest("there"), self.digest("here"))
        self.check_tables_go()
        self.check_no_secret([done.stdout, done.stderr])

    def test_a_namespace_with_limits_has_the_same_model(self):
        """Nobody has set a size of the master, or a limit of processors; a size that was asked for is refused at once."""
        self.apply(json.dumps({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "team", "namespace": self.space}, "spec": {
                "limits": [{"type": "Container", "max": {"cpu": "250m", "memory": "200Mi"}, "default": {"cpu": "20m"},
                            "defaultRequest": {"cpu": "20m"}, "maxLimitRequestRatio": {"cpu": "2"}}]}},
            {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": self.space},
             "spec": {"hard": {"limits.cpu": "2"}}}]}))
        done = self.psql(train("limited", more=", job.where = 'kubernetes'"))
        self.assertEqual(done.returncode, 0, done.stderr + "\n" + self.explain())
        self.psql(train("here", more=""))
        self.assertEqual(self.digest("limited"), self.digest("here"))
        refused = self.psql(train("refused", more=", job.where = 'kubernetes', job.worker_cpu = 0.5"))
        self.assertIn("a worker: 0.5 processors, more than the 0.25 that a LimitRange of the namespace allows", refused.stderr)
        self.assertIn("job.worker_cpu", refused.stderr)

    def test_the_program_submits_and_deleting_the_job_leaves_nothing(self):
        done = subprocess.run(
            [BUILD / "totrain", "submit", f"host={self.server.folder / 'socket'} port={self.server.port} user=alice "
             "dbname=postgres", train("by_program", more=""), "--kubeconfig", self.kubeconfig, "--namespace",
             self.space, "--image", IMAGE, "--database-secret=totrain-login", "--cpu=100m", "--memory=128Mi"],
            text=True, capture_output=True, timeout=DEADLINE, check=False,
            env={**os.environ, "TOTRAIN_STATE": str(self.folder / self.space)})
        self.assertEqual(done.returncode, 0, done.stderr + "\n" + self.explain())
        self.psql(train("here", more=""))
        self.assertEqual(self.digest("by_program"), self.digest("here"))
        name = re.search("Job (by-program-[a-z0-9]+)", done.stderr).group(1)
        self.assertEqual(self.kubectl("delete", "job", name).returncode, 0)
        wait_for(lambda: not self.objects(), "what the Job owned to go")


class Kept(Case):
    def test_a_job_that_nobody_waits_for_outlives_a_restart_of_the_server(self):
        self.server.execute(f"ALTER SYSTEM SET totrain.images = '{PACED}'")
        self.server.reload()
        done = self.psql(train("later", more=CLUSTER + ", job.wait = false"))
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_for(lambda: self.server.execute("SELECT 1 FROM totrain.jobs WHERE state = 'running' AND step > 20"),
                 "a job that runs")
        self.server.stop()
        self.assertEqual(len(self.jobs()), 1)  # settled: who could delete it has ended
        self.server.start()
        wait_for(lambda: self.server.execute("SELECT 1 FROM totrain.jobs WHERE state = 'done'"), "the model")
        self.assertEqual(self.psql(train("here", more="")).returncode, 0)
        self.assertEqual(self.digest("later"), self.digest("here"))
        self.assertEqual(self.job_tables(), [])  # settled: they are dropped in the transaction that makes the model
        self.assertEqual(len(self.jobs()), 1)  # settled: nobody deletes it so soon


class Cancelled(Case):
    def begin(self):
        """A session that waits for a job which lasts."""
        session = subprocess.Popen(["psql", "-X", "-c", train("never", epochs=100000)], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables("postgres", "alice")})
        self.addCleanup(session.kill)
        wait_for(lambda: self.server.execute("SELECT 1 FROM totrain.jobs WHERE state = 'running' AND step > 0"),
                 "a job that runs")
        return session

    def cancel(self, session):
        """Ctrl-C; what the session said. What the Job owned is taken away after it, by the cluster."""
        watch = harness.Stopwatch()
        session.send_signal(2)
        _, said = session.communicate(timeout=60)
        self.report("Ctrl-C: the session has its prompt after", watch.read())
        wait_for(lambda: not self.jobs() and not self.objects(), "the job to go")
        self.report("Ctrl-C: the namespace is empty after", watch.read())
        return said

    def test_no_secret_is_anywhere_while_a_job_runs(self):
        session = self.begin()
        wait_for(lambda: len([pod for pod in self.ready_pods()]) == 5, "a master and four workers")
        self.check_no_secret([])
        self.cancel(session)
        self.check_no_secret([], of_a_job=False)

    def test_ctrl_c_deletes_everything(self):
        said = self.cancel(self.begin())
        self.assertIn("canceling statement due to user request", said)
        eventually(self.job_tables, [], "tables of the job; the session said: " + said)


class Refused(Case):
    def test_an_image_that_is_nowhere_is_an_error_in_the_session(self):
        self.server.execute("ALTER SYSTEM SET totrain.images = 'localhost/nowhere:1'")
        self.server.reload()
        done = self.psql(train("never"))
        self.assertIn("ERROR:  the master's pod cannot start: ", done.stderr)
        self.assertIn("localhost/nowhere:1", done.stderr)
        wait_for(lambda: not self.jobs() and not self.objects(), "the job to go")

    def test_a_login_that_is_not_there_is_an_error_in_the_session(self):
        self.api.delete(f"{self.path}/secrets/totrain-login")
        done = self.psql(train("never"))
        self.assertIn("cannot read /etc/totrain/database/login", done.stderr)
        self.check_tables_go()
        wait_for(lambda: [condition for job in self.jobs() for condition in job["status"].get("conditions", [])
                          if condition["type"] == "Failed"], "the Job to have failed for good")


class Checks(Case):
    def test_check_names_every_right_of_the_submitter(self):
        done = subprocess.run([BUILD / "totrain", "k8s", "check", "--kubeconfig", self.kubeconfig], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("NO ", done.stdout)

    def check(self, *words):
        return subprocess.run([BUILD / "totrain", "k8s", "check", "--kubeconfig", self.kubeconfig, *words], text=True,
                              capture_output=True, check=False, timeout=200)

    def test_check_runs_the_image_and_reaches_the_database(self):
        for words, shown in (((), "yes  a pod runs the image"),
                             (("--database-secret=totrain-login",), "yes  a pod reaches the database")):
            done = self.check("--image", IMAGE, *words)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(shown, done.stdout)
        self.server.execute("ALTER ROLE totrain_pod PASSWORD 'another'")
        done = self.check("--image", IMAGE, "--database-secret=totrain-login")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("NO   a pod reaches the database", done.stdout)
        self.assertIn("password authentication failed", done.stderr)
        self.assertNotIn(PASSWORD, done.stdout + done.stderr)
        self.check_of_a_schedule()
        done = self.check("--image", "localhost/nowhere:1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, "ErrImagePull|ImagePullBackOff")
        wait_for(lambda: not self.jobs() and not self.objects(), "the checks to go")


    def check_of_a_schedule(self):
        words = ("service=shop", "--image", IMAGE, "--service-secret=totrain-service")
        let_pods_in(self.server, "alice")
        self.server.execute(f"ALTER ROLE alice PASSWORD '{PASSWORD}'")
        self.apply(json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {
            "name": "totrain-service", "namespace": self.space}, "stringData": {
                "pg_service.conf": f"[shop]\nhost={place.SERVER}\nport={self.server.port}\nuser=alice\n"
                                   f"dbname=postgres\npassword={PASSWORD}\n"}}))
        done = self.check(*words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("yes  the pod of a schedule has its rights and its database", done.stdout)
        self.api.delete(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{self.space}/rolebindings/totrain-schedule")
        done = self.check(*words)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, "rights are missing in the namespace")
        self.assertNotIn(PASSWORD, done.stdout + done.stderr)


class Guide(harness.Case):
    """The page for a newcomer, command by command."""

    def replace(self, text):
        for old, new in (("registry.example/totrain:1", IMAGE), ("--namespace=training", f"--namespace={self.space}"),
                         ("'training'", f"'{self.space}'"), ("host=db.example port=5432 dbname=shop",
                          f"host={place.SERVER} port={self.server.port} dbname=postgres"),
                         ("host=db.example\nport=5432\ndbname=shop",
                          f"host={place.SERVER}\nport={self.server.port}\ndbname=postgres"),
                         ("dbname=shop", "dbname=postgres"), ("'0 3 * * *'", "'0 3 29 2 *'"),  # not while we look
                         ("/etc/totrain/totrain.kubeconfig",
                          str(self.folder / "totrain.kubeconfig"))):
            text = text.replace(old, new)
        return text

    def run_shell(self, text):
        path = os.pathsep.join([str(BUILD), str(self.lab.place.kubectl.parent), os.environ["PATH"]])
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=self.folder, text=True, capture_output=True,
                              timeout=DEADLINE, check=False, env={
                                  **os.environ, **self.server.variables("postgres", "alice"), "PATH": path,
                                  "KUBECONFIG": str(self.lab.place.kubeconfig), "TOTRAIN_STATE": str(self.folder / "state")})
        self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
        if (self.folder / "totrain.kubeconfig").exists():
            (self.folder / "totrain.kubeconfig").chmod(0o644)  # for the server's user

    def test_every_command_works_in_this_order(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-guide-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        make_image(self.lab, IMAGE)
        self.server = postgres.Server({"listen_addresses": place.SERVER, "session_preload_libraries": "totrain"},
                                      extension=True, tcp=True)
        self.addCleanup(self.server.close)
        let_pods_in(self.server, "totrain_pod")
        let_pods_in(self.server, "alice")
        self.server.execute("CREATE ROLE alice LOGIN; GRANT CREATE ON SCHEMA public TO alice; CREATE TABLE points AS "
                            "SELECT g % 3 AS class, g % 3 + sin(g) AS a FROM generate_series(1, 300) g; "
                            "GRANT SELECT ON points TO alice")
        page = (ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
        section = page.split("## From an empty cluster to a model\n")[1].split("\n## ")[0]
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.M | re.S)
        self.assertGreater(len(blocks), 7)
        for kind, text in blocks:
            if kind == "sh":
                self.run_shell(self.replace(text))
                continue
            for statement in self.replace(text).split(";\n"):
                if statement.strip():
                    self.server.execute(statement)
        self.assertEqual(self.server.execute("SELECT version FROM totrain.models"), [(3,)])


if __name__ == "__main__":
    harness.main()
