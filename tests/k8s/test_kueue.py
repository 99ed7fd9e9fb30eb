"""Jobs of a profile with a queue beside Kueue itself. In the full form alone: its controller takes long to build."""

import json
import os
import subprocess
import sys

import harness
import test_train
from harness import wait_for
from kueue_controller import Kueue
from test_train import PACED, train

LABEL = "totrain.dev/kueue-test"


class Queued(test_train.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kueue = cls.enterClassContext(Kueue(cls.lab, LABEL))

    @classmethod
    def enterClassContext(cls, context):  # with a value
        cls.addClassCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def prepare_server(self):
        super().prepare_server()
        profiles = self.folder / "profiles.json"
        profiles.write_text(json.dumps({"team": {"queue": "training"}}))
        profiles.chmod(0o644)
        for setting in (f"profile_file = '{profiles}'", "profiles = 'team'", f"images = '{PACED}'"):
            self.server.execute(f"ALTER SYSTEM SET totrain.{setting}")
        self.server.reload()

    def begin(self, model):
        """A session that waits for a job in the queue."""
        self.api.patch(f"/api/v1/namespaces/{self.space}", {"metadata": {"labels": {LABEL: "yes"}}})
        session = subprocess.Popen(["psql", "-X", "-c", train(model)], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables("postgres", "alice")})
        self.addCleanup(session.kill)
        return session

    def wait_for(self, condition, what, session):
        def checked():
            if session.poll() is not None:
                raise AssertionError(f"the statement ended before {what}: {session.communicate()}")
            return condition()
        return wait_for(checked, what)

    def job(self):
        found = self.jobs()
        return found[0] if found else None

    def running(self, role):
        return [pod for pod in self.pods() if pod["metadata"]["labels"].get("totrain.dev/role") == role and
                pod["status"]["phase"] == "Running" and not pod["metadata"].get("deletionTimestamp")]

    def gated(self):
        return [pod for pod in self.pods() if pod["spec"].get("schedulingGates")]

    def told(self):
        return self.server.execute("SELECT state, coalesce(error, '') FROM totrain.jobs ORDER BY id DESC LIMIT 1")

    def test_a_job_waits_in_its_queue_and_trains_with_the_workers_that_are_admitted(self):
        self.kueue.make_queue(self.space, "training", cpu="50m", memory="8Gi")
        session = self.begin("there")
        self.wait_for(lambda: self.job() and self.kueue.workloads(self.space), "a workload of Kueue", session)
        name = self.job()["metadata"]["name"]
        self.wait_for(lambda: self.told() and self.told()[0][0] == "waiting", "a job that waits", session)
        self.assertTrue(self.job()["spec"]["suspend"])
        self.assertEqual(self.kueue.workloads(self.space), {name: False})
        self.assertEqual(self.pods(), [])

        # Room for the master and two of the four workers.
        self.kueue.set_quota(self.space, cpu="300m", memory="8Gi")
        self.wait_for(lambda: len(self.running("worker")) == 2 and len(self.gated()) == 2,
                      "two workers that run and two that are not admitted", session)
        self.assertFalse(self.job()["spec"]["suspend"])
        self.assertEqual(sorted(self.kueue.workloads(self.space).values()), [False, False, True, True, True])

        # Kueue takes back what it has admitted: a worker, then the master's Job.
        taken = self.running("worker")[0]["metadata"]["name"]
        self.kueue.set_active(self.space, taken, False)
        self.wait_for(lambda: taken not in [pod["metadata"]["name"] for pod in self.running("worker")], "the worker to go", session)
        self.wait_for(lambda: len(self.running("worker")) == 2, "another worker in its place", session)
        self.kueue.set_active(self.space, name, False)
        self.wait_for(lambda: not self.running("master"), "the master to go", session)
        self.assertTrue(self.job()["spec"]["suspend"])
        self.kueue.set_active(self.space, name, True)
        self.wait_for(lambda: self.running("master"), "the next master", session)

        self.kueue.set_quota(self.space, cpu="8", memory="8Gi")
        self.wait_for(lambda: len(self.running("worker")) == 4, "all workers", session)
        out, err = session.communicate(timeout=test_train.DEADLINE)
        self.assertEqual(session.returncode, 0, err + "\n" + self.explain())
        self.assertIn("the job waits in the queue training of Kueue", err)
        self.assertIn("Accuracy", out)
        self.assertEqual(self.psql(train("here", more="")).returncode, 0)
        self.assertEqual(self.digest("there"), self.digest("here"))
        self.assertEqual(self.kubectl("delete", "job", name).returncode, 0)
        wait_for(lambda: not self.objects() and not self.kueue.workloads(self.space), "all to go")


if __name__ == "__main__":
    if not os.environ.get("TOTRAIN_K8S_FULL"):
        print("skipped: in the full form alone (make test-k8s-full)")
        sys.exit(77)
    harness.main()
