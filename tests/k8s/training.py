"""Jobs that train on the lab: a database in its network, the image, the objects of a job, and what came of it.

Until a session can submit a job itself, the objects are those that `totrain submit --dry-run` prints, with the
job's number and the credentials put in.
"""

import base64
import contextlib
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import harness
import place

ROOT = harness.HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "postgres"))

import server as postgres  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("TOTRAIN_BUILD", ROOT / "build" / "release"))
SPEC = ROOT / "tests" / "golden" / "plan" / "train_iris.job.json"
POD, PASSWORD = "totrain_pod", "only for this test"
TEMPORARY = "volumes/kubernetes.io~empty-dir/tmp"
PATHS = {"Job": "/apis/batch/v1/namespaces/{}/jobs", "Secret": "/api/v1/namespaces/{}/secrets",
         "Service": "/api/v1/namespaces/{}/services", "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
         "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
         "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings"}


def program(*arguments):
    return json.loads(subprocess.run([BUILD / "totrain", *map(str, arguments)], check=True, capture_output=True,
                                     text=True).stdout)


class Database:
    """A server that pods reach, with the extension, and somebody who submits."""

    def __init__(self):
        self.server = postgres.Server({"listen_addresses": place.SERVER, "totrain.job_login": POD,
                                       "max_connections": "200"}, extension=True, tcp=True)
        with open(self.server.folder / "data" / "pg_hba.conf", "a", encoding="utf-8") as file:
            file.write(f"host all {POD} 10.88.0.0/16 scram-sha-256\n")
        self.server.reload()
        self.execute("CREATE EXTENSION totrain; CREATE SCHEMA totrain_jobs; CREATE ROLE alice LOGIN; "
                     f"CREATE ROLE {POD} LOGIN PASSWORD '{PASSWORD}'; GRANT totrain_user TO alice; "
                     f"GRANT USAGE ON SCHEMA totrain_jobs TO {POD}; GRANT CREATE ON SCHEMA public TO alice; "
                     "GRANT USAGE, CREATE ON SCHEMA totrain_jobs TO totrain_user")
        with open(ROOT / "examples" / "data" / "iris.csv", newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        kinds = ", ".join(f"{name} {'text' if name == 'class' else 'float8'}" for name in names)
        self.execute(f"CREATE TABLE iris ({kinds}); GRANT SELECT ON iris TO alice")
        for row in rows:
            self.execute("INSERT INTO iris VALUES (" + ", ".join("'" + value + "'" for value in row) + ")")

    def execute(self, sql, user=postgres.SUPERUSER, *values):
        with contextlib.closing(self.server.connect(user=user)) as connection, connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return cursor.fetchall() if cursor.description else []

    def login(self):
        return (f"host={place.SERVER} port={self.server.port} user={POD} password='{PASSWORD}' dbname=postgres "
                "sslmode=disable\n")

    def digest(self, model):
        return self.execute(f"SELECT convert_from(data, 'UTF8')::json ->> 'digest' FROM {model} WHERE part = 'meta'")[0][0]


def secret(name, data, space):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": space}, "data": {
        key: base64.b64encode(value.encode()).decode() for key, value in data.items()}}


class Case(harness.Case):
    image = "localhost/totrain:training"
    variables = ("TOTRAIN_PACE=us=2000", "TOTRAIN_TRACE=/tmp")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        temporary = tempfile.TemporaryDirectory(prefix="totrain-training-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        tar = cls.folder / "image.tar"
        subprocess.run([ROOT / "tools" / "image", BUILD, tar, "--name", cls.image,
                        *(f"--env={each}" for each in cls.variables)], check=True, capture_output=True)
        cls.lab.load(tar)
        cls.database = Database()
        cls.addClassCleanup(cls.database.server.close)
        cls.digests = {}

    def setUp(self):
        super().setUp()
        for thing in program("k8s", "rbac", f"--namespace={self.space}", "--pods=100", "--cpu=100",
                             "--memory=100Gi")["items"]:
            if thing["kind"] in PATHS:
                self.make(thing)
        self.make(secret("login", {"login": self.database.login()}, self.space))
        self.submitted = []
        self.addCleanup(self.show)

    def show(self):
        """After a failure: what the masters said."""
        outcome = getattr(self._outcome, "result", None)
        if outcome and any(case is self for case, _ in outcome.failures + outcome.errors):
            for job in self.submitted:
                print(f"--- {job.name}\n{job.log()[-6000:]}")

    def make(self, thing):
        return self.api.post(PATHS[thing["kind"]].format(self.space), thing)

    def submit(self, text, name="train", workers=4, **options):
        self.submitted.append(Job(self, text, name, workers, **options))
        return self.submitted[-1]

    def expected(self, text):
        """The digest of the same statement, run on this machine by one process."""
        if text not in self.digests:
            local = text.replace("iris_model", "local_model")
            self.database.execute("SELECT count(*) FROM totrain.run(%s)", "alice", local)
            self.digests[text] = self.database.digest("local_model")
        return self.digests[text]

    def check_trained(self, job):
        job.wait_for_end()
        self.assertEqual(job.condition(), "Complete", job.log())
        harness.wait_for(lambda: not job.workers(), "the workers' pods to be gone")
        rows = job.collect()
        self.assertEqual(self.database.digest("iris_model"), self.expected(job.text))
        return rows


class Job:
    """One that was submitted. Times are of the monotonic clock, which pods share."""

    def __init__(self, case, text, name, workers, memory="128Mi", cpu="10m", priority=None, starts=True):
        self.case, self.api, self.space, self.name, self.text = case, case.api, case.space, name, text
        self.database, self.workers_max = case.database, workers
        self.number = self.database.execute("SELECT totrain.stage(%s)", "alice", text)[0][0]
        self.traces = {}
        self.submitted_at = time.monotonic()
        self.create(memory, cpu, priority)
        if starts:
            self.start()

    # --- its objects ----------------------------------------------------------------

    def create(self, memory, cpu, priority):
        spec = json.loads(SPEC.read_text())
        spec["job"]["max_workers"] = self.workers_max
        path = self.case.folder / f"{self.space}-{self.name}.json"
        path.write_text(json.dumps(spec))
        things = program("submit", path, "--dry-run", f"--image={self.case.image}", f"--name={self.name}",
                         f"--namespace={self.space}", "--pull-policy=Never", f"--cpu={cpu}", f"--memory={memory}",
                         f"--resource={place.SLOT}", "--database-secret=login",
                         *([f"--priority-class={priority}"] if priority else []))["items"]
        credentials = self.credentials()
        for thing in things:
            if thing["kind"] == "Pod":
                continue
            self.complete(thing, credentials)
            if thing["kind"] == "Job":
                self.uid = self.case.make(thing)["metadata"]["uid"]
                self.owner = {"apiVersion": "batch/v1", "kind": "Job", "name": self.name, "uid": self.uid}
            else:
                thing["metadata"]["ownerReferences"] = [self.owner]
                self.case.make(thing)

    def credentials(self):
        folder = self.case.folder / f"tls-{self.space}-{self.name}"
        folder.mkdir()
        subprocess.run([BUILD / "tests" / "job_roles", "authority", folder, str(self.number), "0", "master=master",
                        *(f"w{i}={i}" for i in range(self.workers_max))], check=True)
        return folder

    def complete(self, thing, folder):
        def encoded(path):
            return base64.b64encode(path.read_bytes()).decode()
        name = thing["metadata"]["name"].removeprefix(self.name)
        if thing["kind"] == "Job":
            arguments = thing["spec"]["template"]["spec"]["containers"][0]["args"]
            arguments[1] = f"/var/lib/totrain/jobs/{self.number}"
        elif name == "-job":
            described = json.loads(base64.b64decode(thing["data"]["cluster.json"]))
            described.update(job=self.number, memory_max=4 * described["memory"])
            thing["data"]["cluster.json"] = base64.b64encode(json.dumps(described).encode()).decode()
        elif name == "-master":
            thing["data"] = {key: encoded(folder / "master" / key) for key in ("ca.crt", "tls.crt", "tls.key")}
        elif name.startswith("-workers-"):
            thing["data"] = {"ca.crt": encoded(folder / "w0" / "ca.crt")}
            for index in range(self.workers_max):
                for kind in ("crt", "key"):
                    thing["data"][f"{index}.{kind}"] = encoded(folder / f"w{index}" / f"tls.{kind}")

    def start(self):
        self.submitted_at = time.monotonic()
        self.api.patch(self.path(), {"spec": {"suspend": False}})

    def path(self):
        return PATHS["Job"].format(self.space) + f"/{self.name}"

    def pods(self, role):
        return [found for found in self.api.get(self.case.path + "/pods", labelSelector=
                f"totrain.dev/job={self.name},totrain.dev/role={role}")["items"]]

    def workers(self, running=False):
        found = sorted(self.pods("worker"), key=lambda pod: pod["metadata"]["name"])
        return [pod for pod in found if harness.is_ready(pod)] if running else found

    def master(self):
        """The pod of the master that runs."""
        def running():
            return next((pod for pod in self.pods("master") if harness.is_ready(pod)), None)
        return harness.wait_for(running, "the master's pod to run")

    def wait_for_workers(self, count):
        return harness.wait_for(lambda: len(self.workers(True)) == count and self.workers(True),
                                f"{count} workers to run")

    def delete(self, pod, grace=None):
        self.api.delete(f"{self.case.path}/pods/{pod['metadata']['name']}", grace)

    def processes(self, pod):
        return self.case.lab.processes(pod["status"]["containerStatuses"][0]["containerID"])

    # --- how it goes --------------------------------------------------------------------

    def log(self):
        said = ""
        for pod in self.pods("master"):
            for previous in ("true", "false"):
                with contextlib.suppress(harness.ApiError):
                    said += self.api.get(f"{self.case.path}/pods/{pod['metadata']['name']}/log", previous=previous)
        return said

    def events(self, kind):
        lines = [json.loads(line) for line in self.log().splitlines() if line.startswith("{") and line.endswith("}")]
        return [line for line in lines if line["event"] == kind]

    def step(self):
        """The last step that any worker has applied."""
        return max((line["step"] for line in self.trace()), default=0)

    def wait_for_step(self, step):
        return harness.wait_for(lambda: self.step() >= step, f"step {step}")

    def take_traces(self):
        """Of each pod that is there, by its folder on the node's disk."""
        for node in self.case.lab.nodes():
            for path in (node.folder / "lib" / "kubelet" / "pods").glob(f"*/{TEMPORARY}/worker-*.jsonl"):
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    self.traces[path] = path.read_text()

    def trace(self):
        """Every phase that a worker applied, in the order of time; of a pod that was deleted, as far as it was
        looked at before."""
        self.take_traces()
        lines = []
        for text in self.traces.values():
            for line in text.splitlines():
                with contextlib.suppress(ValueError):
                    lines.append(json.loads(line))
        for line in lines:
            line["at"] /= 1e6
        return sorted((line for line in lines if line["at"] >= self.submitted_at), key=lambda line: line["at"])

    def steps(self):
        found = {}
        for line in self.trace():
            if line["step"] > 0:
                found.setdefault(line["step"], line["at"])
        return found

    def longest_gap(self):
        times = sorted(self.steps().values())
        return max(after - before for before, after in zip(times, times[1:]))

    # --- its end ----------------------------------------------------------------------------

    def condition(self):
        found = self.api.get(self.path())["status"].get("conditions", [])
        return next((each["type"] for each in found if each["status"] == "True" and
                     each["type"] in ("Complete", "Failed")), None)

    def wait_for_end(self):
        def ended():
            self.take_traces()
            return self.condition()
        return harness.wait_for(ended, f"the end of {self.name}", 600)

    def collect(self):
        return dict(row[:2] for row in self.database.execute(f"SELECT * FROM totrain.collect({self.number})", "alice"))

