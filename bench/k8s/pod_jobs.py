"""Training jobs on the lab: a database that pods reach, an image with paced workers, and a job's objects.

    with pod_jobs.Database() as database:
        space = pod_jobs.Space(lab, "bench", database)      a namespace in which a master may do its work
        space.load(image="paced-250", us=250)
        job = pod_jobs.Job(space, "first", statement, workers=8, image="paced-250")
        job.wait_for_step(20); job.end(); database.digest("m")

Workers are paced (runtime/experiment.h: a row takes so many microseconds, asleep), so that many of them share
two cores; pace and trace come with the image's environment, as pods get no variables from the program.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "k8s"), str(ROOT / "tests" / "postgres")]

import harness  # noqa: E402  pylint: disable=wrong-import-position
import place as places  # noqa: E402  pylint: disable=wrong-import-position
import watched  # noqa: E402  pylint: disable=wrong-import-position
import server as postgres  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("TOTRAIN_BUILD", ROOT / "build" / "release")).resolve()
LOGIN, PASSWORD, SCHEMA = "totrain_pod", "only for the lab", "totrain_jobs"
SETTINGS = {"listen_addresses": places.SERVER, "max_connections": "150", "totrain.job_login": LOGIN,
            "totrain.job_schema": SCHEMA, "wal_level": "minimal", "max_wal_senders": "0"}
CPU, MEMORY = "50m", "96Mi"
DEADLINE = 900


def words(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


class Database:
    """PostgreSQL in the lab's network, which is where the caller is (Lab.enter_network)."""

    def __init__(self):
        self.server = postgres.Server(SETTINGS, extension=True, tcp=True)
        path = self.server.folder / "data" / "pg_hba.conf"
        path.write_text(f"host all {LOGIN} 10.88.0.0/16 scram-sha-256\n" + path.read_text())
        self.server.reload()
        for line in (f"CREATE ROLE {LOGIN} LOGIN PASSWORD '{PASSWORD}'", "CREATE EXTENSION totrain",
                     f"CREATE SCHEMA {SCHEMA}", f"GRANT USAGE ON SCHEMA {SCHEMA} TO {LOGIN}"):
            self.server.execute(line)

    def execute(self, sql):
        return self.server.execute(sql)

    def add_table(self, name, file):
        """A CSV of numbers with a label in its last column."""
        with open(file, encoding="utf-8") as lines:
            columns = lines.readline().strip().split(",")
            kinds = ", ".join(f"{column} {'text' if column == columns[-1] else 'float8'}" for column in columns)
            connection = self.server.connect()
            with connection, connection.cursor() as cursor:
                cursor.execute(f"CREATE TABLE {name} ({kinds})")
                cursor.copy_expert(f"COPY {name} FROM STDIN WITH (FORMAT csv)", lines)
            connection.close()

    def stage(self, statement):
        return self.one("SELECT totrain.stage(%s)", statement)

    def train_here(self, statement):
        self.one("SELECT count(*) FROM totrain.run(%s)", statement)

    def one(self, sql, *values):
        connection = self.server.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql, values)
                return cursor.fetchone()[0]
        finally:
            connection.close()

    def digest(self, model):
        return self.execute(f"SELECT convert_from(data, 'UTF8')::json ->> 'digest' FROM {model} "
                            "WHERE part = 'meta'")[0][0]

    def login(self):
        """For a pod."""
        return (f"host={places.SERVER} port={self.server.port} dbname=postgres user={LOGIN} "
                f"password='{PASSWORD}'\n")

    def address(self):
        """For the program, on this machine."""
        return f"postgres:///postgres?host={self.server.socket}&port={self.server.port}&user=postgres"

    def close(self):
        self.server.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Space:
    """A namespace with the rights that `totrain k8s rbac` prints, and the database's login."""

    def __init__(self, lab, name, database):
        self.lab, self.name, self.database, self.api = lab, name, database, lab.api()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-pod_jobs."))
        rights = json.loads(words(BUILD / "totrain", "k8s", "rbac", f"--namespace={name}", "--pods=200"))
        self.create([item for item in rights["items"] if item["kind"] != "Namespace" or not self.is_there()])
        self.create([secret("login", {"login": database.login()})])
        self.watched = watched.Watched(lab, name)
        self.jobs = []

    def is_there(self):
        return any(found["metadata"]["name"] == self.name for found in self.api.get("/api/v1/namespaces")["items"])

    def create(self, items):
        """The objects, as the API server has them now."""
        return [self.api.post(self.path_of(item), item) for item in items]

    def path_of(self, item):
        version, kind = item["apiVersion"], item["kind"].lower() + "s"
        top = f"/apis/{version}" if "/" in version else f"/api/{version}"
        return f"{top}/{kind}" if kind == "namespaces" else f"{top}/namespaces/{self.name}/{kind}"

    def load(self, image, us=0.0):
        """The program, with workers that take so long for a row."""
        tar = self.folder / "image.tar"
        words(ROOT / "tools" / "image", BUILD, tar, "--name", name_of(image), "--env", f"TOTRAIN_PACE=us={us}",
              "--env", "TOTRAIN_TRACE=/tmp")
        self.lab.load(tar)
        tar.unlink()

    def pods(self, **labels):
        return self.watched.pods(**labels)

    def options(self, name, image):
        """Of `totrain submit`."""
        return [f"--namespace={self.name}", f"--image={name_of(image)}", "--pull-policy=Never", f"--name={name}",
                f"--cpu={CPU}", f"--memory={MEMORY}", "--database-secret=login"]

    def submit(self, name, statement, image):
        """As a user does; until the model is in its table. The trace of its workers."""
        words(BUILD / "totrain", "submit", self.database.address(), statement, *self.options(name, image),
              f"--resource={places.SLOT}", f"--kubeconfig={self.lab.place.kubeconfig}", "--progress=none",
              env={**os.environ, "TOTRAIN_STATE": str(self.folder / "state")})
        return watched.traced(self.pods(job=name, role="worker"))

    def close(self):
        self.api.delete(f"/api/v1/namespaces/{self.name}")
        self.watched.close()
        shutil.rmtree(self.folder)


def name_of(image):
    return f"localhost/totrain:{image}"


def secret(name, values, **more):
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data, **more}


class Job:
    """A statement of which rows and spec are in tables, and the objects that `totrain submit` makes of it."""

    def __init__(self, space, name, statement, workers, image, slots=True, priority=""):
        self.space, self.name, self.asked_at, self.books, self.happened = space, name, 0, None, []
        self.number = space.database.stage(statement)
        self.path = f"/apis/batch/v1/namespaces/{space.name}/jobs/{name}"
        objects = self.objects(workers, image, slots, priority)
        self.started_at = time.monotonic()
        made, = space.create(objects[:1])
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": made["metadata"]["uid"]}
        for item in objects[1:]:
            item["metadata"]["ownerReferences"] = [owner]
        space.create(objects[1:])
        space.api.patch(self.path, {"spec": {"suspend": False}})
        space.jobs.append(self)

    # --- its objects -------------------------------------------------------------

    def objects(self, workers, image, slots, priority):
        space = self.space
        spec = space.folder / f"{self.name}.json"
        spec.write_text(self.spec())
        options = [*space.options(self.name, image), *([f"--resource={places.SLOT}"] if slots else []),
                   *([f"--priority-class={priority}"] if priority else [])]
        items = json.loads(words(BUILD / "totrain", "submit", spec, *options, "--dry-run"))["items"]
        keys = self.credentials(workers)
        for item in items:
            self.fill(item, keys)
        return [item for item in items if item["kind"] != "Pod"]

    def spec(self):
        return self.space.database.execute(
            f"SELECT convert_from(body, 'UTF8') FROM {SCHEMA}.result_{self.number} WHERE number = 1")[0][0]

    def credentials(self, workers):
        """Of one new authority, by the name of the Secret and the key in it."""
        folder = self.space.folder / f"tls.{self.name}"
        folder.mkdir()
        words(BUILD / "tests" / "job_roles", "authority", folder, self.number, "0", "master=master",
              *(f"{index}={index}" for index in range(workers)))

        def read(role, file):
            return base64.b64encode((folder / str(role) / file).read_bytes()).decode()
        keys = {f"{self.name}-master": {file: read("master", file) for file in ("ca.crt", "tls.crt", "tls.key")}}
        keys[f"{self.name}-workers-0"] = {"ca.crt": read("master", "ca.crt"), **{
            f"{index}.{kind}": read(index, f"tls.{kind}") for index in range(workers) for kind in ("crt", "key")}}
        shutil.rmtree(folder)
        return keys

    def fill(self, item, keys):
        """What a dry run cannot know."""
        name = item["metadata"]["name"]
        if item["kind"] == "Job":
            container, = item["spec"]["template"]["spec"]["containers"]
            container["args"] = [word.replace("/jobs/0", f"/jobs/{self.number}") for word in container["args"]]
            container["args"] += ["--schema", SCHEMA]
        elif item["kind"] == "Secret" and name in keys:
            item["data"] = keys[name]
        elif item["kind"] == "Secret":
            cluster = json.loads(base64.b64decode(item["data"]["cluster.json"]))
            cluster.update(job=self.number, schema=SCHEMA)
            item["data"]["cluster.json"] = base64.b64encode(json.dumps(cluster).encode()).decode()

    # --- what becomes of it --------------------------------------------------------

    def pods(self, role):
        return self.space.pods(job=self.name, role=role)

    def running(self):
        """Its workers of which a process lives, by index."""
        return {int(pod.labels["totrain.dev/index"]): pod for pod in self.pods("worker") if pod.run()}

    def ready_workers(self, before=()):
        """Those that are ready, and none of `before` (uids)."""
        return [pod for pod in self.pods("worker")
                if pod.ready_at and not pod.deleting_at and not pod.gone_at and pod.uid not in before]

    def delete_workers(self):
        self.space.api.request("DELETE", f"/api/v1/namespaces/{self.space.name}/pods", query={
            "labelSelector": f"totrain.dev/job={self.name},totrain.dev/role=worker"})

    def trace(self):
        return watched.traced(self.pods("worker"))

    def announced(self):
        """The events that its masters said."""
        return [{**json.loads(line), "at": when} for when, line in watched.logged(self.pods("master"))
                if line.startswith("{")]

    def take_journal(self):
        """What the masters noted: who joined, left, waits, which groups there were."""
        offset = time.time() - time.monotonic()
        rows = self.space.database.execute(
            f"SELECT extract(epoch FROM at)::float8, convert_from(body, 'UTF8')::json FROM {SCHEMA}.result_{self.number} "
            "WHERE kind = 'event' ORDER BY number")
        self.happened = [{**body, "at": when - offset} for when, body in rows]

    def done_at(self):
        return next(event["at"] for event in self.announced() if event["event"] == "done")

    def leaves(self):
        """(deleted, asked, ended) of each worker whose pod somebody deleted before the job's end: when the watch told
        of it, when SIGTERM reached the process (None: it had ended before), when the kernel had ended it."""
        done_at, found = self.done_at(), []
        for pod in self.pods("worker"):
            asked_at = next((line["at"] for line in watched.traced([pod]) if line.get("event") == "asked"), None)
            if pod.deleting_at and pod.deleting_at < done_at and pod.runs and pod.runs[0].ended_at:
                found.append((pod.deleting_at, asked_at, pod.runs[0].ended_at))
        return found

    def step(self):
        """The last that any of its workers applied."""
        return max((json.loads(lines[-1])["step"] for pod in self.pods("worker") for file in pod.traces.values()
                    if (lines := file.read())), default=0)

    def wait_for(self, condition, what):
        def checked():
            found = condition()
            if not found and time.monotonic() > self.asked_at + 1:
                self.asked_at = time.monotonic()
                if self.ended() == "Failed":
                    raise RuntimeError(f"{self.name} has failed before {what}: {self.said()}")
            return found
        return harness.wait_for(checked, f"{self.name}: {what}", DEADLINE)

    def wait_for_step(self, step):
        return self.wait_for(lambda: self.step() >= step, f"step {step}")

    def ended(self):
        """"Complete", "Failed", or None."""
        status = self.space.api.get(self.path)["status"]
        return next((entry["type"] for entry in status.get("conditions", [])
                     if entry["type"] in ("Complete", "Failed") and entry["status"] == "True"), None)

    def said(self):
        return "\n".join(line for _, line in watched.logged(self.pods("master"))[-40:])

    def end(self):
        """The model is in its table."""
        self.wait_for(lambda: any(event["event"] == "done" for event in self.announced()), "its end")
        return self.publish()

    def publish(self):
        self.books = self.space.database.execute(
            f"SELECT convert_from(body, 'UTF8')::json FROM {SCHEMA}.result_{self.number} WHERE kind = 'job' "
            "ORDER BY number DESC LIMIT 1")[0][0]
        self.take_journal()
        self.space.database.execute(f"SELECT * FROM totrain.collect({self.number})")

    def delete(self):
        self.space.api.request("DELETE", self.path, {"propagationPolicy": "Background"})
