"""Jobs that train on the lab: a database in its network, the image, the objects of a job, and what came of it.

    database = Database()                             PostgreSQL that pods reach
    make_image(lab, NAME, "TOTRAIN_PACE=us=2000")     workers are paced, so that many of them share two cores;
                                                      pace and trace come with the image, as pods get no variables
    space = Space(lab, "a-namespace", database)       watches its pods (watched.py)
    job = Job(space, "train", statement, 4, NAME)     the objects that `totrain submit --dry-run` prints, with what
                                                      a dry run cannot know; job.wait_for_step(20); job.end()
    Case                                              a test with all of these
"""

import base64
import contextlib
import csv
import fcntl
import functools
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness
from training_rows import facts
import place
import watched
from traced import Traced

ROOT = harness.HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "postgres"))

import server as postgres  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("TOTRAIN_BUILD", ROOT / "build" / "release")).resolve()
POD, PASSWORD, SCHEMA = "totrain_pod", "only for this test", "totrain_jobs"
DEADLINE = 900
COLLECTIONS = {  # paths of kinds, for the namespace
    "Job": "/apis/batch/v1/namespaces/{}/jobs", "Secret": "/api/v1/namespaces/{}/secrets",
    "Service": "/api/v1/namespaces/{}/services", "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "ResourceQuota": "/api/v1/namespaces/{}/resourcequotas", "Namespace": "/api/v1/namespaces"}


def program(*arguments, **options):
    """The program's output."""
    done = subprocess.run([str(BUILD / "totrain"), *map(str, arguments)], text=True, capture_output=True, check=False,
                          **options)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stderr}")
    return done.stdout


def make_image(lab, name, *variables):
    """The program as an image of this name in all nodes. Its tar is kept with the build, until that is another. Tests
    that begin together take turns: a node refuses an image that comes twice at the same moment."""
    folder = BUILD / "tests" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    tar = folder / (hashlib.sha256(repr((name, variables)).encode()).hexdigest()[:16] + ".tar")
    made_of = [BUILD / "totrain", ROOT / "tools" / "image", ROOT / "tools" / "oci.py"]
    with open(tar.with_suffix(".lock"), "w", encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not tar.exists() or tar.stat().st_mtime < max(path.stat().st_mtime for path in made_of):
            new = tar.with_suffix(f".{os.getpid()}")
            subprocess.run([ROOT / "tools" / "image", "--faults", BUILD, new, "--name", name,
                            *(f"--env={each}" for each in variables)], check=True, capture_output=True)
            new.replace(tar)
        lab.load(tar)


def let_pods_in(server, login=POD):
    """With a password, from the addresses that pods have."""
    path = server.folder / "data" / "pg_hba.conf"
    path.write_text(f"host all {login} 10.88.0.0/16 scram-sha-256\n" + path.read_text(encoding="utf-8"),
                    encoding="utf-8")
    server.reload()


class Database:
    """A server in the lab's network, which is where the caller is, with the extension and somebody who submits."""

    def __init__(self, **settings):
        self.server = postgres.Server({"listen_addresses": place.SERVER, "totrain.job_login": POD,
                                       "max_connections": "200", "wal_level": "minimal", "max_wal_senders": "0",
                                       **settings}, extension=True, tcp=True)
        let_pods_in(self.server)
        self.execute(f"CREATE EXTENSION totrain; CREATE SCHEMA {SCHEMA}; CREATE ROLE alice LOGIN; "
                     f"CREATE ROLE {POD} LOGIN PASSWORD '{PASSWORD}'; GRANT totrain_user TO alice; "
                     f"GRANT USAGE ON SCHEMA {SCHEMA} TO {POD}; GRANT CREATE ON SCHEMA public TO alice; "
                     f"GRANT USAGE, CREATE ON SCHEMA {SCHEMA} TO totrain_user")

    def execute(self, sql, user=postgres.SUPERUSER, *values):
        with contextlib.closing(self.server.connect(user=user)) as connection, connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return cursor.fetchall() if cursor.description else []

    def add_table(self, name, file):
        """A CSV of numbers with a label in its last column, for alice."""
        with open(file, encoding="utf-8") as lines:
            columns = next(csv.reader(lines))
            kinds = ", ".join(f"{column} {'text' if column == columns[-1] else 'float8'}" for column in columns)
            with contextlib.closing(self.server.connect()) as connection, connection.cursor() as cursor:
                cursor.execute(f"CREATE TABLE {name} ({kinds}); GRANT SELECT ON {name} TO alice")
                cursor.copy_expert(f"COPY {name} FROM STDIN WITH (FORMAT csv)", lines)
                connection.commit()

    def stage(self, statement):
        return self.execute("SELECT totrain.stage(%s)", "alice", statement)[0][0]

    def train_here(self, statement):
        """By one process of this machine."""
        self.execute("SELECT count(*) FROM totrain.run(%s)", "alice", statement)

    def books(self, number):
        """The last line that the master wrote about the job; None: none yet."""
        found = self.execute(f"SELECT convert_from(body, 'UTF8')::json FROM {SCHEMA}.result_{number} "
                             "WHERE kind = 'job' ORDER BY number DESC LIMIT 1")
        return found[0][0] if found else None

    def spec(self, number):
        return self.execute(f"SELECT convert_from(body, 'UTF8') FROM {SCHEMA}.result_{number} WHERE number = 1")[0][0]

    def digest(self, model):
        return self.execute(f"SELECT convert_from(data, 'UTF8')::json ->> 'digest' FROM {model} WHERE part = 'meta'")[0][0]

    def login(self):
        """For a pod."""
        return (f"host={place.SERVER} port={self.server.port} user={POD} password='{PASSWORD}' dbname=postgres "
                "sslmode=disable\n")

    def address(self):
        """For the program, on this machine."""
        return f"postgres:///postgres?host={self.server.socket}&port={self.server.port}&user=alice"

    def close(self):
        self.server.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def secret(name, values, **more):
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data, **more}


class Space:
    """A namespace in which a master may do its work, with the rights that `totrain k8s rbac` prints."""

    KINDS = ("ServiceAccount", "Role", "RoleBinding")  # the namespace is there, and without a quota

    def __init__(self, lab, name, database, *limits):
        self.lab, self.name, self.database, self.api = lab, name, database, lab.api()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-space."))
        rights = json.loads(program("k8s", "rbac", f"--namespace={name}", *limits))["items"]
        self.create([item for item in rights if item["kind"] in self.KINDS])
        self.create([secret("login", {"login": database.login()})])
        self.watched = watched.Watched(lab, name)
        self.jobs = []

    def create(self, items):
        """The objects, as the API server has them now."""
        return [self.api.post(COLLECTIONS[item["kind"]].format(self.name), item) for item in items]

    def pods(self, **labels):
        return self.watched.pods(**labels)

    def close(self):
        self.watched.close()
        shutil.rmtree(self.folder)


class Job(Traced):
    """A statement of which rows and spec are in tables, and its objects. Times are of the monotonic clock."""

    def __init__(self, space, name, text, workers, image, starts=True, **wishes):
        self.space, self.name, self.text, self.workers_max = space, name, text, workers
        self.database, self.api = space.database, space.api
        self.number = self.database.stage(text)
        self.path = COLLECTIONS["Job"].format(space.name) + f"/{name}"
        self.asked_at, self.ended_at, self.books = 0, None, None
        objects = self.objects(image, **wishes)
        self.started_at = time.monotonic()
        self.create(objects)
        if starts:
            self.start()
        space.jobs.append(self)

    # --- its objects -------------------------------------------------------------

    def objects(self, image, cpu="10m", memory="128Mi", resource=place.SLOT, priority=None, environment=None):
        """The Job first. environment: of the master, by name."""
        spec = self.space.folder / f"{self.name}.json"
        spec.write_text(self.database.spec(self.number), encoding="utf-8")
        items = json.loads(program(
            "submit", spec, "--dry-run", f"--image={image}", f"--name={self.name}", f"--namespace={self.space.name}",
            "--pull-policy=Never", f"--cpu={cpu}", f"--memory={memory}", "--database-secret=login",
            *([f"--resource={resource}"] if resource else []),
            *([f"--priority-class={priority}"] if priority else [])))["items"]
        keys = self.credentials()
        for item in items:
            self.complete(item, keys, environment or {})
        return [item for item in items if item["kind"] != "Pod"]

    def credentials(self):
        """Secrets of one new authority: their data, by their names."""
        folder = self.space.folder / f"tls.{self.name}"
        folder.mkdir()
        subprocess.run([BUILD / "tests" / "job_roles", "authority", folder, str(self.number), "0", "master=master",
                        *(f"{index}={index}" for index in range(self.workers_max))], check=True)

        def read(role, file):
            return base64.b64encode((folder / str(role) / file).read_bytes()).decode()
        keys = {f"{self.name}-master": {file: read("master", file) for file in ("ca.crt", "tls.crt", "tls.key")},
                f"{self.name}-workers-0": {"ca.crt": read("master", "ca.crt"), **{
                    f"{index}.{kind}": read(index, f"tls.{kind}")
                    for index in range(self.workers_max) for kind in ("crt", "key")}}}
        shutil.rmtree(folder)
        return keys

    def complete(self, item, keys, environment):
        """Adds the facts that a dry run cannot know."""
        name = item["metadata"]["name"]
        if item["kind"] == "Job":
            container, = item["spec"]["template"]["spec"]["containers"]
            container["args"] = [word.replace("/jobs/0", f"/jobs/{self.number}") for word in container["args"]]
            container["env"] += [{"name": key, "value": value} for key, value in environment.items()]
        elif item["kind"] == "Secret" and name in keys:
            item["data"] = keys[name]
        elif item["kind"] == "Secret":
            described = json.loads(base64.b64decode(item["data"]["cluster.json"]))
            described.update(job=self.number, memory_max=4 * described["memory"])
            item["data"]["cluster.json"] = base64.b64encode(json.dumps(described).encode()).decode()

    def create(self, objects):
        made, = self.space.create(objects[:1])
        self.uid = made["metadata"]["uid"]
        for item in objects[1:]:
            item["metadata"]["ownerReferences"] = [
                {"apiVersion": "batch/v1", "kind": "Job", "name": self.name, "uid": self.uid}]
        made = self.space.create(objects[1:])
        self.controller = next(item["metadata"]["uid"] for item in made if item["metadata"]["name"] == f"{self.name}-job")

    def start(self):
        """Releases it as the program does: its pods have a controller, which a drain asks for."""
        self.api.patch(self.path, {"spec": {"suspend": False, "template": {"metadata": {
            "annotations": {"totrain.dev/controller": self.controller}}}}})

    def delete(self):
        """Deletes the Job as kubectl does."""
        self.api.request("DELETE", self.path, {"propagationPolicy": "Background"})

    # --- its pods -------------------------------------------------------------------

    def pods(self, role):
        return self.space.pods(job=self.name, role=role)

    def there(self, role):
        """Those that the API server has."""
        return [pod for pod in self.pods(role) if not pod.gone_at]

    def running(self):
        """Its workers of which a process lives, by index."""
        return {int(pod.labels["totrain.dev/index"]): pod for pod in self.pods("worker") if pod.run()}

    def ready_workers(self, before=()):
        """Those that are ready, and none of `before` (uids)."""
        return [pod for pod in self.there("worker") if pod.ready_at and not pod.deleting_at and pod.uid not in before]

    def wait_for_workers(self, count):
        """So many of which a process lives and the API server says that they are ready."""
        def ready():
            found = [pod for pod in self.ready_workers() if pod.run()]
            return found if len(found) == count else None
        return self.wait_for(ready, f"{count} workers")

    def master(self):
        """The pod of the master whose process lives."""
        return self.wait_for(lambda: next((pod for pod in self.there("master") if pod.run()), None), "a master")

    def delete_pod(self, pod, grace=None):
        self.api.delete(f"/api/v1/namespaces/{self.space.name}/pods/{pod.name}", grace)

    # --- how it goes --------------------------------------------------------------------

    def wait_for(self, condition, what):
        """Its value. An error at once when the job has ended without it."""
        def checked():
            found = condition()
            if not found and time.monotonic() > self.asked_at + 1:
                ended, before = self.ended(), self.ended_at
                self.asked_at = time.monotonic()
                if ended:
                    self.ended_at = before or self.asked_at
                if before and self.asked_at > before + 10:  # its last words have been read by now
                    raise AssertionError(f"{self.name} is {ended} without {what}: {self.said()}")
            return found
        return harness.wait_for(checked, f"{self.name}: {what}", DEADLINE)

    def trace(self):
        """Every phase that a worker applied, in the order of time."""
        return watched.traced(self.pods("worker"))

    def step(self):
        """The last that any of its workers applied."""
        return max((json.loads(lines[-1])["step"] for pod in self.pods("worker") for file in list(pod.traces.values())
                    if (lines := file.read())), default=0)

    def wait_for_step(self, step):
        return self.wait_for(lambda: self.step() >= step, f"step {step}")

    def said(self, lines=40):
        """The last lines of its masters, without the ones that come all the time."""
        found = [line for _, line in watched.logged(self.pods("master")) if '"event":"progress"' not in line]
        return "\n".join(found[-lines:])

    def groups(self):
        """How many its masters have made."""
        return sum(" group: epoch " in line for _, line in watched.logged(self.pods("master")))

    def announced(self):
        """The events that its masters said."""
        return [{**json.loads(line), "at": when} for when, line in watched.logged(self.pods("master"))
                if line.startswith("{") and line.endswith("}")]

    def events(self, kind):
        return [event for event in self.announced() if event["event"] == kind]

    # --- its end ----------------------------------------------------------------------------

    def ended(self):
        """"Complete", "Failed", or None."""
        try:
            status = self.api.get(self.path)["status"]
        except (OSError, http.client.HTTPException):
            return None  # the API server is away, as some tests want it to be
        ends = {"Complete": "Complete", "SuccessCriteriaMet": "Complete", "Failed": "Failed", "FailureTarget": "Failed"}
        return next((ends[entry["type"]] for entry in status.get("conditions", [])
                     if entry["type"] in ends and entry["status"] == "True"), None)

    def hurry(self):
        """Its workers are not paced any more."""
        for pod in self.pods("worker"):
            run = pod.run()
            if run:
                with contextlib.suppress(ProcessLookupError):
                    run.send(signal.SIGUSR1)

    def wait_for_end(self, hurries=True):
        def ended():
            if hurries:
                self.hurry()
            return self.ended()
        return harness.wait_for(ended, f"the end of {self.name}", DEADLINE)

    def collect(self):
        """The model is in its table. What TRAIN returns, by name."""
        self.books = self.database.books(self.number)
        return facts(self.database.execute(f"SELECT * FROM totrain.collect({self.number})", "alice"))


class Case(harness.Case):
    image = "localhost/totrain:training"
    variables = ("TOTRAIN_PACE=us=2000", "TOTRAIN_TRACE=/tmp")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make_image(cls.lab, cls.image, *cls.variables)
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.database.add_table("iris", ROOT / "examples" / "data" / "iris.csv")

    @classmethod
    @functools.cache
    def expected(cls, text):
        """The digest of the same statement, run on this machine by one process."""
        cls.database.train_here(text.replace("iris_model", "local_model"))
        return cls.database.digest("local_model")

    def setUp(self):
        super().setUp()
        self.training = Space(self.lab, self.space, self.database)
        self.addCleanup(self.training.close)
        self.addCleanup(self.show)

    def show(self):
        """After a failure: what the masters said."""
        outcome = getattr(self._outcome, "result", None)
        if outcome and any(case is self for case, _ in outcome.failures + outcome.errors):
            for job in self.training.jobs:
                print(f"--- {job.name}\n{job.said(100)}")

    def submit(self, text, name="train", workers=4, **options):
        return Job(self.training, name, text, workers, self.image, **options)

    def check_trained(self, job, redone=0):
        """The model is that of the undisturbed run, and the books say that each row of each epoch counted once.
        redone: how many rows may have been computed once more, for a phase that was in flight."""
        self.assertEqual(job.wait_for_end(), "Complete", job.said())
        harness.wait_for(lambda: not job.there("worker"), "the workers' pods to be gone")
        said = job.collect()
        self.assertEqual(self.database.digest("iris_model"), self.expected(job.text))
        passes = job.books["epochs"] or job.books["steps"]  # trees have rounds: each is a step of all rows
        self.assertEqual(job.books["rows_done"], passes * int(said["rows"]))
        self.report("rows computed once more", job.books["rows_redone"])
        self.assertLessEqual(job.books["rows_redone"], redone)
        return said
