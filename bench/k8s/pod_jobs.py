"""Jobs of the experiments (tests/k8s/training.py): in a namespace of their own, with images by pace.

    with pod_jobs.Database() as database:
        space = pod_jobs.Space(lab, "bench", database)      a namespace in which a master may do its work
        space.load(image="paced-250", us=250)
        job = pod_jobs.Job(space, "first", statement, workers=8, image="paced-250")
        job.wait_for_step(20); job.end(); database.digest("m")
"""

import os
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "k8s"))

import place as places  # noqa: E402  pylint: disable=wrong-import-position
import training  # noqa: E402  pylint: disable=wrong-import-position
import watched  # noqa: E402  pylint: disable=wrong-import-position
from training import Database  # noqa: E402,F401  pylint: disable=wrong-import-position

CPU, MEMORY = "50m", "96Mi"


class Space(training.Space):
    """A namespace of its own, and images by how long a row takes."""

    KINDS = ("Namespace", "ResourceQuota", *training.Space.KINDS)

    def __init__(self, lab, name, database):
        super().__init__(lab, name, database, "--pods=200")

    def load(self, image, us=0.0):
        """The program, with workers that take so long for a row."""
        training.make_image(self.lab, name_of(image), f"TOTRAIN_PACE=us={us}", "TOTRAIN_TRACE=/tmp")

    def submit(self, name, statement, image):
        """Submits the job as a user does, and waits until the model is in its table. Returns the trace of its
        workers."""
        training.program("submit", self.database.address(), statement, f"--namespace={self.name}",
                         f"--image={name_of(image)}", "--pull-policy=Never", f"--name={name}", f"--cpu={CPU}",
                         f"--memory={MEMORY}", "--database-secret=login", f"--resource={places.SLOT}",
                         f"--kubeconfig={self.lab.place.kubeconfig}", "--progress=none",
                         env={**os.environ, "TOTRAIN_STATE": str(self.folder / "state")})
        return watched.traced(self.pods(job=name, role="worker"))

    def close(self):
        self.api.delete(f"/api/v1/namespaces/{self.name}")
        super().close()


def name_of(image):
    return f"localhost/totrain:{image}"


class Job(training.Job):
    def __init__(self, space, name, statement, workers, image, slots=True, priority=""):
        super().__init__(space, name, statement, workers, name_of(image), cpu=CPU, memory=MEMORY, priority=priority,
                         resource=places.SLOT if slots else None)
        self.happened = []

    def delete_workers(self):
        self.api.request("DELETE", f"/api/v1/namespaces/{self.space.name}/pods", query={
            "labelSelector": f"totrain.dev/job={self.name},totrain.dev/role=worker"})

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

    def take_journal(self):
        """The masters' notes: who joined, left, waits, which groups there were."""
        offset = time.time() - time.monotonic()
        rows = self.database.execute(
            "SELECT extract(epoch FROM at)::float8, convert_from(body, 'UTF8')::json "
            f"FROM {training.SCHEMA}.result_{self.number} WHERE kind = 'event' ORDER BY number")
        self.happened = [{**body, "at": when - offset} for when, body in rows]

    def end(self):
        """The model is in its table."""
        self.wait_for(lambda: any(event["event"] == "done" for event in self.announced()), "its end")
        self.publish()

    def publish(self):
        self.take_journal()
        self.collect()
