"""`totrain submit --schedule`: a CronJob whose pod trains, in a namespace of `totrain k8s rbac`. Its runs are started
by hand, as `kubectl create job --from` does.
"""

import contextlib
import os
import pathlib
import signal
import subprocess

import harness
import place
from harness import wait_for
from test_train import BUILD, DEADLINE, IMAGE, PACED, PASSWORD, Case, let_pods_in, train

SCHEDULE = "0 3 29 2 *"  # not while we look


class Scheduled(Case):
    def setUp(self):
        super().setUp()
        let_pods_in(self.server, "alice")
        self.server.execute(f"ALTER ROLE alice PASSWORD '{PASSWORD}'")
        self.make_service()

    def make_service(self, database="postgres"):
        path = self.folder / f"{self.space}.service"
        path.write_text(f"[shop]\nhost={place.SERVER}\nport={self.server.port}\nuser=alice\npassword={PASSWORD}\n"
                        f"dbname={database}\n", encoding="utf-8")
        done = self.kubectl("create", "secret", "generic", "totrain-service", f"--from-file=pg_service.conf={path}")
        self.assertEqual(done.returncode, 0, done.stderr)
        path.unlink()

    def submit(self, statement, *more, name="nightly", image=IMAGE):
        """Submits with the submitter's account, and without a database."""
        done = subprocess.run(
            [BUILD / "totrain", "submit", "service=shop", statement, f"--schedule={SCHEDULE}", f"--name={name}",
             f"--kubeconfig={self.kubeconfig}", f"--namespace={self.space}", f"--image={image}", "--cpu=100m",
             "--memory=128Mi", "--database-secret=totrain-login", *more], text=True, capture_output=True, check=False,
            env={**os.environ, "TOTRAIN_STATE": str(self.folder / self.space)}, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def start(self, run, name="nightly"):
        done = self.kubectl("create", "job", f"--from=cronjob/{name}", run)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_of(self, name):
        return self.api.get(f"/apis/batch/v1/namespaces/{self.space}/jobs/{name}")

    def wait_for_run(self, name, kind="Complete"):
        def ended():
            found = [condition["type"] for condition in self.run_of(name).get("status", {}).get("conditions", [])
                     if condition["status"] == "True" and condition["type"] in ("Complete", "Failed")]
            return found
        ends = wait_for(ended, f"the run {name} to end", 600)
        self.assertEqual(ends, [kind], self.explain())

    def pods_of(self, run):
        return [pod for pod in self.pods() if pod["metadata"]["labels"].get("job-name") == run]

    def version(self):
        return self.server.execute("SELECT version FROM totrain.models WHERE relation = 'nightly_model'::regclass")[0][0]

    def trainings(self):
        return [job for job in self.jobs() if "totrain.dev/schedule" in job["metadata"]["labels"]]

    def wait_for_training(self):
        """Its number, when workers learn."""
        def learns():
            for name, in self.job_tables():
                if name.startswith("result_"):
                    with contextlib.suppress(Exception):  # dropped meanwhile
                        if self.server.execute("SELECT 1 FROM totrain_jobs." + name + " WHERE kind = 'job' AND "
                                               "(convert_from(body, 'UTF8')::json ->> 'step')::int > 20"):
                            return int(name.removeprefix("result_"))
            return None
        return wait_for(learns, "workers that learn", 120)


class Runs(Scheduled):
    def test_the_printed_objects_train_and_train_again(self):
        self.apply(self.submit(train("nightly_model", more=""), "--dry-run"))
        self.start("run-1")
        self.wait_for_run("run-1")
        self.psql(train("here", more=""))
        self.assertEqual(self.digest("nightly_model"), self.digest("here"))
        self.check_tables_go()
        owner, = self.trainings()[0]["metadata"]["ownerReferences"]
        self.assertEqual(owner["name"], self.pods_of("run-1")[0]["metadata"]["name"])
        self.check_no_secret([])
        self.server.execute("INSERT INTO points SELECT 1, 2.5, 2.5 FROM generate_series(1, 50)")
        self.start("run-2")
        self.wait_for_run("run-2")
        self.psql(train("here", more=""))
        self.assertEqual(self.digest("nightly_model"), self.digest("here"))
        self.assertEqual(self.version(), 2)
        self.assertEqual(len(self.trainings()), 2)
        self.assertEqual(self.kubectl("delete", "cronjob", "nightly").returncode, 0)
        wait_for(lambda: not self.jobs() and not self.pods(), "the runs and their trainings to go")


class Killed(Scheduled):
    def test_a_run_that_is_killed_is_followed_by_one_that_clears_up(self):
        self.submit(train("nightly_model", more=""), image=PACED)
        self.start("run-1")
        number = self.wait_for_training()
        pod, = self.pods_of("run-1")
        processes = self.lab.processes(pod["status"]["containerStatuses"][0]["containerID"])
        submitter, = [each for each in processes if b"\0submit\0" in pathlib.Path(f"/proc/{each}/cmdline").read_bytes()]
        first, = self.trainings()
        os.kill(submitter, signal.SIGKILL)  # the first of its pod: the others go with it
        wait_for(lambda: first["metadata"]["uid"] not in [job["metadata"]["uid"] for job in self.trainings()],
                 "the Job of the killed one to go")
        wait_for(lambda: (f"result_{number}",) not in self.job_tables(), "its tables to go")
        self.wait_for_run("run-1")
        self.psql(train("here", more=""))
        self.assertEqual(self.digest("nightly_model"), self.digest("here"))
        self.check_tables_go()
        self.assertEqual(self.version(), 1)


class Deleted(Scheduled):
    def test_a_run_that_is_deleted_takes_its_training_along(self):
        self.submit(train("never", epochs=200000, more=""))
        self.start("run-1")
        self.wait_for_training()
        self.assertEqual(self.kubectl("delete", "job", "run-1", "--wait=false").returncode, 0)
        wait_for(lambda: not self.jobs() and not self.job_tables(), "all of it to go", 60)
        wait_for(lambda: not self.pods(), "its pods to go", 60)
        self.assertEqual(self.kubectl("delete", "cronjob", "nightly").returncode, 0)
        wait_for(lambda: not self.objects_of_schedule(), "its Secret to go")

    def objects_of_schedule(self):
        return [thing for thing in self.objects() if thing["metadata"]["name"] == "nightly-statement"]

    def test_a_statement_that_cannot_train_is_not_tried_again(self):
        self.submit(train("never", more="").replace("points", "nowhere"))
        self.start("run-1")
        self.wait_for_run("run-1", "Failed")
        pod, = self.pods_of("run-1")
        self.assertIn('"nowhere"', pod["status"]["containerStatuses"][0]["state"]["terminated"]["message"])
        self.assertEqual(self.trainings(), [])
        self.check_tables_go()


if __name__ == "__main__":
    harness.main()
