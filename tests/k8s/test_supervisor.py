"""`totrain supervise` of a job on Kubernetes, against an API server that misbehaves (fake_api.py).

The test plays the cluster: it makes the master's pod, its log and the Job's conditions; and the session, which hands on
what the job's journal has.
"""

import base64
import json
import os
import pathlib
import queue
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

import fake_api

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "golden")]
import classes  # noqa: E402  pylint: disable=wrong-import-position
import plan_topics  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "totrain"
JOBS = plan_topics.Plans().jobs()
DEADLINE = 60
SUBMISSION = "0123456789abcdef"
KUBE_JOB = {
    "name": "iris", "namespace": "training", "image": "localhost/totrain:1", "pull_policy": "Never",
    "service_account": "totrain", "priority_class": "", "database_secret": "login",
    "slot_resource": "", "schema": "totrain_jobs", "snapshot": "", "job": 7, "cpu_m": 1000,
    "memory": 1 << 30, "memory_max": 1 << 30, "workers_max": 3, "keep_s": 60}
NUMBERS = {"step": 3, "steps": 10, "epoch": 1, "epochs": 2, "workers": 1, "rows_per_second": 1.0,
           "loss": .5, "validation_loss": None, "validation_score": None, "seconds": 1.0,
           "seconds_left": 1.0}


def event(kind, **more):
    return json.dumps({"event": kind, **NUMBERS, **more})


class Session(threading.Thread):
    """Looks into the journal, now and then, and finds no more in it than the test reports."""

    def __init__(self, write):
        super().__init__()
        self.write = write
        self.is_over = threading.Event()
        self.start()

    def run(self):
        while not self.is_over.wait(.05):
            self.write("looked")

    def end(self):
        self.is_over.set()
        self.join()


class Supervisor:
    """One that runs, and its events as they come."""

    def __init__(self, folder):
        self.process = subprocess.Popen([PROGRAM, "supervise", folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
        self.lines = queue.Queue()
        self.seen = []
        self.log = ""
        self.threads = [threading.Thread(target=self.read), threading.Thread(target=self.read_log)]
        for thread in self.threads:
            thread.start()
        self.writing = threading.Lock()
        self.session = Session(self.write)

    def write(self, line):
        try:
            with self.writing:
                self.process.stdin.write(line + "\n")
                self.process.stdin.flush()
        except (BrokenPipeError, ValueError):  # one of the two has ended
            pass

    def report(self, *events):
        for line in events:
            self.write("report " + line)

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def read_log(self):
        for line in self.process.stderr:
            self.log += line

    def next(self):
        line = self.lines.get(timeout=DEADLINE)
        if line is None:
            raise AssertionError("the supervisor ended: " + self.log)
        self.seen.append(line)
        return line

    def until(self, kind):
        while True:
            line = self.next()
            if line["event"] == kind:
                return line

    def cancel(self):
        self.write("cancel")

    def end(self):
        """The exit code of one that has said its last word."""
        code = self.process.wait(timeout=DEADLINE)
        self.session.end()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        return code


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.certificates = fake_api.make_certificates(cls.scratch.name)

    def setUp(self):
        self.api = fake_api.FakeApi(self.certificates)
        self.addCleanup(self.api.stop)
        state = tempfile.TemporaryDirectory()
        self.addCleanup(state.cleanup)
        self.folder = pathlib.Path(state.name) / "jobs" / "1"
        self.folder.mkdir(parents=True)
        (self.folder / "job.json").write_text(JOBS["train_iris"])
        self.write_job()
        (self.folder / "access.json").write_text(json.dumps({
            "kubeconfig": self.api.kubeconfig(), "context": "", "allows_exec": False,
            "allows_insecure": False, "submission": SUBMISSION}))

    def write_job(self, **changes):
        (self.folder / "cluster.json").write_text(json.dumps({**KUBE_JOB, **changes}))

    def start(self):
        supervisor = Supervisor(self.folder)

        def end():
            supervisor.process.kill()
            supervisor.end()
        self.addCleanup(end)
        return supervisor

    def created(self):
        """A supervisor whose Job is released."""
        supervisor = self.start()
        self.assertIn("Job iris", supervisor.until("notice")["message"])
        return supervisor

    def wait_for(self, condition):
        with self.api.lock:
            self.assertTrue(self.api.lock.wait_for(condition, DEADLINE))

    def has_job(self):
        return "iris" in self.api.objects["jobs"]

    def make_pod(self, name="iris-abcde", **status):
        self.api.create("pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {
                "totrain.dev/job": "iris", "totrain.dev/role": "master"}},
            "spec": {"containers": [{"name": "master"}]}, "status": status})

    def run_pod(self, name="iris-abcde"):
        self.make_pod(name, phase="Running", containerStatuses=[
            {"name": "master", "restartCount": 0, "state": {"running": {}}}])

    def waiting(self, reason, message=""):
        return {"phase": "Pending", "containerStatuses": [
            {"name": "master", "restartCount": 0,
             "state": {"waiting": {"reason": reason, "message": message}}}]}

    def say(self, *lines):
        with self.api.lock:
            self.api.logs["iris-abcde"] += lines
            self.api.lock.notify_all()

    def happening(self, message):
        uid = self.api.objects["jobs"]["iris"]["metadata"]["uid"]
        self.api.create("events", {"metadata": {"name": f"iris.{len(self.api.objects['events'])}"},
                                   "involvedObject": {"uid": uid}, "reason": "FailedCreate",
                                   "message": message})

    def condition(self, kind, message=""):
        self.api.modify("jobs", "iris", lambda job: job.update(
            status={"conditions": [{"type": kind, "status": "True", "message": message}]}))


class Created(Case):
    def test_what_is_made_is_owned_by_the_job_and_only_then_it_is_released(self):
        supervisor = self.created()
        posts = [line.split()[1].split("?")[0].rsplit("/", 1)[-1] for line in self.api.requests
                 if line.startswith(("POST", "PATCH"))]
        self.assertEqual(posts, ["jobs", "secrets", "secrets", "secrets", "services", "iris"])
        job = self.api.objects["jobs"]["iris"]
        self.assertIs(job["spec"]["suspend"], False)
        self.assertEqual(job["spec"]["template"]["metadata"]["annotations"]["totrain.dev/controller"],
                         self.api.objects["secrets"]["iris-job"]["metadata"]["uid"])
        owned = [*self.api.objects["secrets"].values(), *self.api.objects["services"].values()]
        self.assertEqual({thing["metadata"]["name"] for thing in owned},
                         {"iris-job", "iris-master", "iris-workers-0"})
        for thing in owned:
            self.assertEqual(thing["metadata"]["ownerReferences"][0]["uid"], job["metadata"]["uid"])
        self.run_pod()
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def test_the_credentials_are_those_of_the_master_and_of_each_worker(self):
        supervisor = self.created()
        secrets = self.api.objects["secrets"]
        authority = set()
        for secret, name, wanted in (("iris-master", "tls", "totrain:job/7/master"),
                                     *(("iris-workers-0", str(i), f"totrain:job/7/worker/{i}")
                                       for i in range(3))):
            data = {key: base64.b64decode(value) for key, value in secrets[secret]["data"].items()}
            authority.add(data["ca.crt"])
            (self.folder / "ca").write_bytes(data["ca.crt"])
            (self.folder / "crt").write_bytes(data[f"{name}.crt"])
            subprocess.run(["openssl", "verify", "-CAfile", self.folder / "ca", self.folder / "crt"],
                           check=True, capture_output=True)
            shown = subprocess.run(["openssl", "x509", "-noout", "-ext", "subjectAltName", "-in",
                                    self.folder / "crt"], check=True, capture_output=True, text=True)
            self.assertIn(f"URI:{wanted}\n", shown.stdout)
            self.assertIn(b"PRIVATE KEY", data[f"{name}.key"])
        self.assertEqual(len(authority), 1)
        self.assertEqual(set(secrets["iris-workers-0"]["data"]),
                         {"ca.crt", *(f"{i}.{kind}" for i in range(3) for kind in ("crt", "key"))})
        read = json.loads(base64.b64decode(secrets["iris-job"]["data"]["cluster.json"]))
        self.assertEqual(read, KUBE_JOB)
        supervisor.cancel()
        supervisor.until("failed")

    def limit(self, **item):
        self.api.create("limitranges", {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "team"},
                                        "spec": {"limits": [{"type": "Container", **item}]}})

    def test_a_job_is_fitted_to_the_namespace_and_its_master_knows(self):
        self.limit(max={"cpu": "500m", "memory": "512Mi"}, min={"cpu": "200m"})
        self.api.create("resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"},
                                           "spec": {"hard": {"limits.cpu": "8"}}})
        self.created()
        job = self.api.objects["jobs"]["iris"]
        resources = job["spec"]["template"]["spec"]["containers"][0]["resources"]
        self.assertEqual(resources["requests"], {"cpu": "200m", "memory": "256Mi"})
        self.assertEqual(resources["limits"], {"cpu": "200m", "memory": "256Mi"})
        read = json.loads(base64.b64decode(self.api.objects["secrets"]["iris-job"]["data"]["cluster.json"]))
        self.assertEqual((read["cpu_m"], read["memory"], read["memory_max"], read["cpu_limit_percent"], read["master_cpu_m"]),
                         (500, 512 << 20, 512 << 20, 100, 200))

    def test_what_was_asked_for_and_does_not_fit_is_said_before_anything_is_made(self):
        self.write_job(cpu_m=2000)
        self.limit(max={"cpu": "500m"})
        supervisor = self.start()
        failed = supervisor.until("failed")
        self.assertIn("a worker: 2 processors, more than the 0.5 that a LimitRange of the namespace allows", failed["error"])
        self.assertIn("job.worker_cpu", failed["hint"])
        self.assertNotEqual(supervisor.end(), 0)
        self.assertFalse(self.has_job())

    def test_a_role_that_may_not_read_the_limits_has_the_job_as_it_is(self):
        for _ in range(2):
            self.api.fault("list", status=403, reason="Forbidden", message="limitranges is forbidden", share=True)
        self.limit(max={"cpu": "500m"})
        supervisor = self.created()
        read = json.loads(base64.b64decode(self.api.objects["secrets"]["iris-job"]["data"]["cluster.json"]))
        self.assertEqual(read, KUBE_JOB)
        supervisor.cancel()
        supervisor.until("failed")

    def test_no_key_is_anywhere_but_in_its_secret(self):
        supervisor = self.created()
        secrets = self.api.objects["secrets"]
        keys = [base64.b64decode(value).decode() for secret in secrets.values()
                for name, value in secret["data"].items() if name.endswith(".key")]
        self.assertEqual(len(keys), 4)
        process = pathlib.Path(f"/proc/{supervisor.process.pid}")
        places = [(process / "cmdline").read_bytes().decode(), (process / "environ").read_bytes().decode()]
        supervisor.cancel()
        supervisor.until("failed")
        supervisor.end()
        places += [supervisor.log, json.dumps(supervisor.seen)]
        places += [path.read_bytes().decode(errors="replace") for path in self.folder.iterdir()
                   if path.is_file()]
        places += [json.dumps(thing) for _, plural, _, thing in self.api.history if plural != "secrets"]
        for key in keys:
            middle = key.splitlines()[1]
            for place in places:
                self.assertNotIn(middle, place)
                self.assertNotIn(base64.b64encode(key.encode()).decode()[40:80], place)
        self.assertNotIn(self.api.token, "".join(places))

    def test_an_answer_that_got_lost_is_no_harm(self):
        for _ in range(4):
            self.api.fault("create", applied=True, cut=0)
        self.api.fault("patch", applied=True, cut=0)
        supervisor = self.created()
        self.assertEqual(len(self.api.objects["secrets"]), 3)
        self.assertEqual(len(self.api.objects["jobs"]), 1)
        supervisor.cancel()
        supervisor.until("failed")

    def test_an_overloaded_server_is_asked_again(self):
        self.api.fault("create", status=429, retry_after=0)
        self.api.fault("create", status=503)
        self.created()

    def test_a_name_that_somebody_has_is_left_alone(self):
        theirs = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "iris", "labels": {
            "totrain.dev/job": "iris", "totrain.dev/role": "master", "totrain.dev/submission": "x"}}}
        self.api.create("jobs", theirs)
        supervisor = self.start()
        failed = supervisor.until("failed")
        self.assertIn("the name iris is taken in the namespace training", failed["error"])
        self.assertNotEqual(supervisor.end(), 0)
        self.assertTrue(self.has_job())

    def test_a_right_that_is_missing_is_said_and_nothing_is_left(self):
        self.api.fault("none")
        for number in range(3):
            with self.subTest(number):
                self.api.faults.clear()
                for _ in range(number):
                    self.api.fault("create")
                self.api.fault("create", status=403, reason="Forbidden",
                               message='secrets is forbidden: User "me" cannot create')
                supervisor = self.start()
                failed = supervisor.until("failed")
                self.assertIn("cannot create", failed["error"])
                self.assertIn("totrain k8s check", failed["hint"])
                self.assertEqual(supervisor.end(), 4)
                self.assertFalse(self.has_job())
                self.assertFalse(self.api.objects["secrets"])
                (self.folder / "job.db").unlink()


class Followed(Case):
    def put_on(self, node, pod="iris-abcde"):
        """From now on the log of a pod that is quiet is asked for."""
        self.api.modify("pods", pod, lambda pod: pod["spec"].update(nodeName=node))

    def started(self):
        """A supervisor that has seen the pod of a master, and what that reports."""
        supervisor = self.created()
        self.run_pod()
        self.put_on("node-7")
        self.wait_for(lambda: [line for line in self.api.requests if "/log?" in line])
        supervisor.report(event("started"))
        supervisor.until("started")
        return supervisor

    def test_reports_pass_and_are_the_only_events(self):
        """The log of its pod has the same, for people: nobody hears it twice."""
        supervisor = self.created()
        self.run_pod()
        self.say(event("notice", message="from the log") + "\n" + event("done") + "\n")
        self.put_on("node-7")
        self.wait_for(lambda: [line for line in self.api.requests if "/log?" in line])
        supervisor.report(event("started"), event("progress", step=4), event("notice", message="worker 1 joined"))
        self.assertEqual(supervisor.until("progress")["step"], 4)
        self.assertEqual(supervisor.until("notice")["message"], "worker 1 joined")
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual([line["event"] for line in supervisor.seen], ["notice", "started", "progress", "notice", "done"])
        self.assertEqual(supervisor.end(), 0)

    def test_a_report_that_is_none_is_passed_over(self):
        supervisor = self.created()
        supervisor.report("{}", "word", event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)
        self.assertEqual(supervisor.log.count("the job's journal: "), 2)

    def test_a_master_that_does_not_reach_the_database_is_told_of_once(self):
        supervisor = self.created()
        self.run_pod()
        self.say("2026-11-21T06:40:01.123Z master warn  the job's database: connection to server at 10.88.0.1, port 7 "
                 "failed: no answer: the network may drop what is sent there; trying again\n")
        self.put_on("node-7")
        self.assertEqual(supervisor.until("notice")["message"], "the master does not reach the database and tries "
                         "again: connection to server at 10.88.0.1, port 7 failed: no answer: the network may drop what is "
                         "sent there")
        self.wait_for(lambda: len([line for line in self.api.requests if "/log?" in line]) >= 3)
        supervisor.report(event("started"), event("done"))
        supervisor.until("done")
        self.assertEqual(len([seen for seen in supervisor.seen if seen["event"] == "notice"]), 2)
        self.assertEqual(supervisor.end(), 0)
        self.assertEqual(supervisor.log.count("10.88.0.1"), 1)

    def test_the_error_of_a_master_that_could_write_into_no_journal_is_the_jobs(self):
        supervisor = self.created()
        self.run_pod()
        self.say("word of a library\n", event("failed", status="FAILED", error="the job's spec is damaged", hint="") + "\n")
        self.condition("Failed", "Job has reached the specified backoff limit")
        self.assertEqual(supervisor.until("failed")["error"], "the job's spec is damaged")
        self.assertEqual(supervisor.end(), 1)
        self.assertIn("word of a library", supervisor.log)

    def test_a_pod_that_is_replaced_is_followed_on(self):
        supervisor = self.created()
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.api.delete("pods", "iris-abcde")
        self.run_pod("iris-fghij")
        supervisor.report(event("notice", message="again"), event("done"))
        self.assertEqual(supervisor.until("notice")["message"], "again")
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def posted_pods(self):
        """The objects that the supervisor itself made, by name."""
        return [thing for _, plural, kind, thing in self.api.history
                if (plural, kind) == ("pods", "ADDED") and "finalizers" in thing["metadata"]]

    def test_a_master_that_is_gone_is_followed_by_another_pod_of_the_jobs_template(self):
        supervisor = self.started()
        job = self.api.objects["jobs"]["iris"]
        before = self.api.objects["pods"]["iris-abcde"]["metadata"]["uid"]
        self.api.delete("pods", "iris-abcde")
        self.wait_for(self.posted_pods)
        pod, = self.posted_pods()
        self.assertEqual(pod["metadata"]["name"], f"iris-{before[:8]}")
        self.assertEqual(pod["metadata"]["labels"], job["spec"]["template"]["metadata"]["labels"])
        self.assertEqual(pod["metadata"]["finalizers"], ["batch.kubernetes.io/job-tracking"])
        owner, = pod["metadata"]["ownerReferences"]
        self.assertEqual((owner["kind"], owner["uid"], owner["controller"]), ("Job", job["metadata"]["uid"], True))
        self.assertEqual(pod["spec"], job["spec"]["template"]["spec"])
        self.api.modify("pods", pod["metadata"]["name"], lambda pod: pod.update(status={
            "phase": "Running", "containerStatuses": [{"restartCount": 0, "state": {"running": {}}}]}))
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def test_a_master_whose_node_is_out_of_reach_is_deleted_and_followed_by_another(self):
        supervisor = self.started()
        for _ in range(200):  # the log is asked for and does not come, while everything else is answered
            self.api.fault("log", hang=True)
        self.assertIn("does not reach the master's node node-7", supervisor.until("notice")["message"])
        self.wait_for(self.posted_pods)
        self.assertIn(("delete", "pods", "iris-abcde"), [change[:3] for change in self.api.changes])
        deletion = next(change[3] for change in self.api.changes if change[:2] == ("delete", "pods"))
        self.assertEqual(deletion["gracePeriodSeconds"], 0)
        self.assertTrue(deletion["preconditions"]["uid"])
        pod, = self.posted_pods()
        terms = pod["spec"]["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
        self.assertEqual(terms[0]["preference"]["matchFields"][0]["values"], ["node-7"])
        supervisor.cancel()
        supervisor.until("failed")

    def test_where_no_log_can_ever_be_read_a_master_is_replaced_once(self):
        """Its node may have been cut off before it started; or logs are broken, and the nodes are well."""
        supervisor = self.created()
        for _ in range(500):
            self.api.fault("log", status=500, message="the kubelet does not answer")
        self.run_pod()
        self.put_on("node-7")
        self.assertIn("does not reach the master's node node-7", supervisor.until("notice")["message"])
        self.wait_for(self.posted_pods)
        name = self.posted_pods()[0]["metadata"]["name"]
        self.api.modify("pods", name, lambda pod: (pod["spec"].update(nodeName="node-8"), pod.update(status={
            "phase": "Running", "containerStatuses": [{"restartCount": 0, "state": {"running": {}}}]})))
        asked = f"/pods/{name}/log?container=master&tailLines=1"
        self.wait_for(lambda: len([line for line in self.api.requests if asked in line]) >= 40)  # 12 s and more
        self.assertEqual(len(self.posted_pods()), 1)
        supervisor.cancel()
        supervisor.until("failed")

    def test_a_master_of_which_the_node_answers_is_left_alone(self):
        """However long it says nothing: also where its container does not run yet."""
        supervisor = self.started()
        for number in range(8):
            self.api.fault("log", status=400, message="container is waiting to start")
        self.wait_for(lambda: len([line for line in self.api.requests if "tailLines=1" in line]) >= 8)
        self.assertFalse(self.posted_pods())
        self.assertNotIn("delete", [change[0] for change in self.api.changes])
        supervisor.cancel()
        supervisor.until("failed")

    def test_while_the_api_server_is_away_no_master_is_given_up(self):
        supervisor = self.started()
        self.api.leave()
        self.assertIn("the API server does not answer", supervisor.until("notice")["message"])
        self.api.come_back()
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertFalse(self.posted_pods())

    def test_without_the_right_to_make_pods_the_jobs_controller_does(self):
        supervisor = self.started()
        self.api.fault("create", status=403, reason="Forbidden", message='pods is forbidden: User "me" cannot create')
        self.api.delete("pods", "iris-abcde")
        self.wait_for(lambda: "left to the Job's controller" in supervisor.log)
        self.run_pod("iris-fghij")
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def test_a_pod_that_the_quota_refuses_is_made_when_there_is_room(self):
        """And the user hears of it then; it avoids the node all the same."""
        supervisor = self.started()
        for _ in range(200):
            self.api.fault("log", hang=True)
        for _ in range(2):
            self.api.fault("create", status=403, reason="Forbidden", message="exceeded quota: totrain")
        self.assertIn("another master is started", supervisor.until("notice")["message"])
        pod, = self.posted_pods()
        self.assertIn("node-7", json.dumps(pod["spec"]["affinity"]))
        self.assertFalse([what for verb, what in self.api.faults if verb == "create"])
        supervisor.cancel()
        supervisor.until("failed")

    def test_a_job_that_is_over_or_suspended_gets_no_master(self):
        supervisor = self.started()
        self.api.modify("jobs", "iris", lambda job: job["spec"].update(suspend=True))
        asked = len(self.api.requests)
        self.api.delete("pods", "iris-abcde")
        self.wait_for(lambda: len([line for line in self.api.requests[asked:]
                                   if line.startswith("GET") and line.endswith("/jobs/iris")]) >= 2)
        self.assertFalse(self.posted_pods())
        supervisor.cancel()
        supervisor.until("failed")

    def test_a_master_that_starts_again_is_told_of(self):
        supervisor = self.started()
        self.api.modify("pods", "iris-abcde", lambda pod: pod["status"].update(containerStatuses=[{
            "name": "master", "restartCount": 1, "state": {"running": {}},
            "lastState": {"terminated": {"reason": "Error", "exitCode": 3}}}]))
        self.assertIn("code 3", supervisor.until("notice")["message"])
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def test_the_masters_error_is_the_jobs(self):
        supervisor = self.created()
        self.run_pod()
        supervisor.report(event("failed", status="FAILED", error="the loss is not finite", hint="Learn slower."))
        failed = supervisor.until("failed")
        self.assertEqual((failed["error"], failed["hint"]), ("the loss is not finite", "Learn slower."))
        self.assertEqual(supervisor.end(), 1)
        self.assertTrue(self.has_job())

    def test_a_job_that_is_complete_needs_no_last_word(self):
        supervisor = self.created()
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.condition("Complete")
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def test_a_job_that_failed_without_a_word_says_so(self):
        supervisor = self.created()
        self.condition("Failed", "Job has reached the specified backoff limit")
        failed = supervisor.until("failed")
        self.assertIn("backoff limit", failed["error"])
        self.assertIn("kubectl logs", failed["hint"])
        self.assertEqual(supervisor.end(), 1)

    def test_a_job_that_somebody_deletes_is_interrupted(self):
        supervisor = self.created()
        self.api.delete("jobs", "iris")
        self.assertIn("was deleted", supervisor.until("failed")["error"])
        self.assertEqual(supervisor.end(), 130)

    def test_an_image_that_cannot_be_pulled_ends_it(self):
        supervisor = self.created()
        self.make_pod(**self.waiting("ErrImagePull", "manifest unknown"))
        self.assertIn("ErrImagePull: manifest unknown", supervisor.until("notice")["message"])
        self.api.modify("pods", "iris-abcde",
                        lambda pod: pod.update(status=self.waiting("ImagePullBackOff", "Back-off")))
        failed = supervisor.until("failed")
        self.assertIn("ImagePullBackOff", failed["error"])
        self.assertIn("localhost/totrain:1", failed["hint"])
        self.assertEqual(supervisor.end(), 1)
        self.assertFalse(self.has_job())

    def test_a_pod_without_room_is_told_of_once_and_waited_for(self):
        supervisor = self.created()
        self.make_pod(phase="Pending", conditions=[{
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
            "message": "0/2 nodes are available"}])
        self.assertIn("0/2 nodes", supervisor.until("notice")["message"])
        self.api.modify("pods", "iris-abcde", lambda pod: pod["metadata"].update(annotations={"a": "b"}))
        self.api.modify("pods", "iris-abcde", lambda pod: pod["status"].update(
            phase="Running", containerStatuses=[{"name": "master", "restartCount": 0,
                                                 "state": {"running": {}}}]))
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(len(supervisor.seen), 3)
        self.assertEqual(supervisor.end(), 0)

    def test_a_quota_is_waited_for(self):
        supervisor = self.created()
        for text in ("status unknown for quota: totrain, resources: pods",  # it has just been made
                     "exceeded quota: totrain, requested: pods=1"):
            self.happening(f'pods "iris-x" is forbidden: {text}')
            self.assertIn(text, supervisor.until("notice")["message"])
        supervisor.cancel()
        supervisor.until("failed")

    def test_a_job_that_waits_for_kueue_or_for_a_quota_is_told_of_each_time(self):
        supervisor = self.created()

        def change(suspend, labels=None, annotations=None):
            def apply(job):
                job["spec"]["suspend"] = suspend
                job["metadata"]["labels"] = {**job["metadata"].get("labels", {}), **(labels or {})}
                job["metadata"]["annotations"] = annotations or {}
            self.api.modify("jobs", "iris", apply)
        queue = {"kueue.x-k8s.io/queue-name": "team"}
        change(True, annotations={"totrain.dev/rests": "1"})
        self.assertIn("the namespace's quota has no room", supervisor.until("notice")["message"])
        change(False)
        change(True, queue)
        self.assertEqual(supervisor.until("notice")["message"], "the job waits in the queue team of Kueue")
        change(True, queue, {"a": "b"})  # no news
        change(False, queue)
        change(True, queue)
        self.assertIn("the queue team", supervisor.until("notice")["message"])
        supervisor.cancel()
        supervisor.until("failed")
        told = [line["message"] for line in supervisor.seen if line["event"] == "notice"]
        self.assertEqual([text for text in told if text.startswith("the job waits")], told[-3:])

    def test_a_cluster_that_refuses_the_pod_ends_it(self):
        supervisor = self.created()
        self.happening('pods "iris-x" is forbidden: error looking up service account training/totrain')
        self.assertIn("service account training/totrain", supervisor.until("failed")["error"])
        self.assertEqual(supervisor.end(), 4)
        self.assertFalse(self.has_job())

    def test_watches_that_are_cut_miss_nothing(self):
        supervisor = self.created()
        for _ in range(3):
            self.api.cut_all()
            self.api.fault("watch", then=["gone"])
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.api.cut_all()
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)


WRONG = ({"status": 401, "reason": "Unauthorized", "message": "Unauthorized"},
         {"status": 403, "reason": "Forbidden", "message": "jobs.batch is forbidden: cannot list"},
         {"status": 429, "message": "too many requests"}, {"status": 500, "message": "etcdserver: request timed out"},
         {"status": 503}, {"cut": 0})


class Outage(Case):
    """An API server that restarts, is overloaded or knows its rules not yet ends no statement."""

    def running(self):
        supervisor = self.created()
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.wait_for(lambda: self.api.streams >= 3)  # the watches for the Job, its pods, its events
        return supervisor

    def finish(self, supervisor):
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)

    def test_each_answer_once_wrong_ends_nothing(self):
        for verb in ("list", "watch"):
            for wrong in WRONG:
                with self.subTest(verb=verb, **wrong):
                    self.setUp()  # another cluster, and another job
                    supervisor = self.running()
                    for _ in range(3):  # the three watches each
                        self.api.fault(verb, **wrong)
                        if verb == "list":
                            self.api.fault("watch", then=["gone"])
                    self.api.cut_all()
                    self.wait_for(lambda: not self.api.faults)
                    self.finish(supervisor)
                    self.assertTrue(self.has_job())

    def test_an_answer_that_never_comes_ends_nothing(self):
        supervisor = self.running()
        for _ in range(3):
            self.api.fault("watch", hang=True)
        self.api.cut_all()
        self.wait_for(lambda: not self.api.faults)
        self.finish(supervisor)

    def test_a_refusal_is_told_of_once_and_outlived(self):
        supervisor = self.running()
        for _ in range(1000):
            self.api.fault("watch", status=403, reason="Forbidden", message="jobs.batch is forbidden: cannot watch")
        self.api.cut_all()
        said = supervisor.until("notice")["message"]
        self.assertEqual(said, "the API server refuses us for now, the job goes on: jobs.batch is forbidden: cannot watch")
        asked = len(self.api.requests)
        self.wait_for(lambda: len(self.api.requests) > asked + 6)  # and is refused again
        with self.api.lock:
            self.api.faults.clear()
        self.finish(supervisor)
        self.assertEqual(sum("refuses us" in str(line.get("message")) for line in supervisor.seen), 1)

    def test_a_refusal_of_the_first_look_ends_the_statement_and_the_job(self):
        for _ in range(100):
            self.api.fault("list", status=403, reason="Forbidden", message="jobs.batch is forbidden: cannot list")
        supervisor = self.start()
        self.assertIn("cannot list", supervisor.until("failed")["error"])
        self.assertEqual(supervisor.end(), 4)
        self.assertFalse(self.has_job())

    def test_a_job_that_cannot_be_deleted_is_named(self):
        for _ in range(100):
            self.api.fault("list", status=403, reason="Forbidden", message="jobs.batch is forbidden: cannot list")
        self.api.fault("delete", status=403, reason="Forbidden", message="jobs.batch is forbidden: cannot delete")
        supervisor = self.start()
        failed = supervisor.until("failed")
        self.assertIn("cannot list", failed["error"])
        self.assertIn("totrain.collect(7) takes its model", failed["hint"])
        self.assertIn("kubectl delete job iris --namespace training", failed["hint"])
        self.assertEqual(supervisor.end(), 4)
        self.assertTrue((self.folder / "left-behind").exists())

    def test_a_token_that_was_renewed_in_the_file_is_read(self):
        supervisor = self.running()
        self.api.token = "another-token"
        self.api.kubeconfig()
        self.api.cut_all()
        self.wait_for(lambda: self.api.streams >= 3)
        self.finish(supervisor)

    def test_a_file_that_is_half_written_is_read_again(self):
        supervisor = self.running()
        self.api.token = "another-token"
        path = pathlib.Path(self.api.kubeconfig())
        whole = path.read_text()
        path.write_text(whole[:len(whole) // 2])
        seen = len(self.api.requests)
        self.api.cut_all()
        self.wait_for(lambda: len(self.api.requests) > seen)
        path.write_text(whole)
        self.wait_for(lambda: self.api.streams >= 3)
        self.finish(supervisor)

    def test_a_webhook_that_is_away_ends_nothing(self):
        supervisor = self.created()
        for text in ('Internal error occurred: failed calling webhook "policy.example": connection refused',
                     "etcdserver: request timed out"):
            self.happening(text)
            self.assertIn(text, supervisor.until("notice")["message"])
        self.run_pod()
        self.finish(supervisor)
        self.assertTrue(self.has_job())

    def test_an_account_that_comes_a_moment_later_ends_nothing(self):
        supervisor = self.created()
        self.happening('pods "iris-x" is forbidden: error looking up service account training/totrain: '
                       'serviceaccount "totrain" not found')
        self.assertIn("service account training/totrain", supervisor.until("notice")["message"])
        self.run_pod()
        self.finish(supervisor)


class Cancelled(Case):
    def cancel_and_check(self, supervisor, by_word=True):
        if by_word:
            supervisor.cancel()
        else:
            supervisor.process.stdin.close()
        failed = supervisor.until("failed")
        self.assertEqual(failed["status"], "INTERRUPTED")
        self.assertEqual(supervisor.end(), 130)
        self.assertFalse(self.has_job(), "the Job is left")

    def test_by_a_word_and_by_the_door_that_is_gone(self):
        for by_word in (True, False):
            with self.subTest(by_word):
                self.cancel_and_check(self.created(), by_word)
                (self.folder / "job.db").unlink()

    def test_while_things_are_made(self):
        for number in range(1, 6):
            with self.subTest(number):
                self.api.faults.clear()
                for _ in range(number - 1):
                    self.api.fault("create")
                self.api.fault("create" if number < 5 else "patch", hang=True)
                supervisor = self.start()
                self.wait_for(lambda: not self.api.faults)
                self.cancel_and_check(supervisor)
                (self.folder / "job.db").unlink()
                for plural in ("secrets", "services"):
                    self.api.objects[plural].clear()

    def test_while_it_runs(self):
        supervisor = self.created()
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.cancel_and_check(supervisor)

    def test_an_api_server_that_is_busy_is_asked_again(self):
        supervisor = self.created()
        self.api.fault("delete", status=503)
        self.api.fault("delete", applied=False, cut=0)
        self.cancel_and_check(supervisor)

    def test_an_api_server_that_does_not_answer_is_not_waited_for(self):
        supervisor = self.created()
        self.api.fault("delete", hang=True)
        supervisor.process.stdin.close()
        failed = supervisor.until("failed")
        self.assertIn("kubectl delete job iris --namespace training", failed["hint"])
        self.assertEqual(supervisor.end(), 130)


class Scaled(Case):
    """`totrain scale`: the wanted number is written on the Job, where the master looks."""

    def scale(self, *numbers):
        return subprocess.run([PROGRAM, "scale", "1", *map(str, numbers)], capture_output=True, text=True, check=False,
                              env={"PATH": os.environ["PATH"], "TOTRAIN_STATE": self.folder.parents[1]})

    def wanted(self, what="workers"):
        return self.api.objects["jobs"]["iris"]["metadata"].get("annotations", {}).get(f"totrain.dev/{what}")

    def test_a_number_goes_to_the_job(self):
        supervisor = self.created()
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.assertEqual(self.scale(1).returncode, 0)
        self.wait_for(lambda: self.wanted() == "1")
        done = self.scale(1025)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not 1025", done.stderr)
        self.api.fault("patch", status=403, reason="Forbidden", message="jobs is forbidden: cannot patch")
        self.assertEqual(self.scale(1).returncode, 0)
        self.assertIn("as many workers as before", supervisor.until("notice")["message"])
        done = self.scale("--ps", 3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the job has no parameter servers", done.stderr)

    def test_the_same_of_parameter_servers(self):
        (self.folder / "job.json").write_text(JOBS["servers_number"])
        self.write_job(servers=3, servers_max=5, server_cpu_m=500, server_memory=1 << 30, server_memory_max=1 << 30,
                       workers_max=4)
        supervisor = self.created()
        self.assertIn("4.key", self.api.objects["secrets"]["iris-ps-0"]["data"])
        self.run_pod()
        supervisor.report(event("started"))
        supervisor.until("started")
        self.assertEqual(self.scale(2, "--ps", 5).returncode, 0)
        self.wait_for(lambda: self.wanted() == "2" and self.wanted("servers") == "5")
        for number, said in ((65, "1 to 64 parameter servers, not 65"), (6, "are made for 5 parameter servers")):
            done = self.scale("--ps", number)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        self.api.fault("patch", status=403, reason="Forbidden", message="jobs is forbidden: cannot patch")
        self.assertEqual(self.scale("--ps", 1).returncode, 0)
        self.assertIn("as many parameter servers as before", supervisor.until("notice")["message"])


class Kept(Case):
    """A job that outlives its supervisor: the next one goes on with the same Job."""

    def setUp(self):
        super().setUp()
        (self.folder / "detached").touch()

    def leave(self, supervisor, by_signal=False):
        if by_signal:
            supervisor.process.terminate()
        else:
            supervisor.process.stdin.close()
        self.assertEqual(supervisor.until("failed")["status"], "CONNECTION")
        self.assertNotEqual(supervisor.end(), 0)
        self.assertTrue((self.folder / "detached").exists())

    def state(self):
        with sqlite3.connect(self.folder / "job.db") as books:
            return books.execute("SELECT state FROM job").fetchone()[0]

    def made(self):
        return [line for line in self.api.requests if line.startswith("POST")]

    def test_a_supervisor_that_is_stopped_leaves_the_job(self):
        for by_signal in (False, True):
            with self.subTest(by_signal):
                supervisor = self.created() if not by_signal else self.start()
                if not by_signal:
                    self.run_pod()
                supervisor.report(event("started"))
                supervisor.until("started")
                self.leave(supervisor, by_signal)
                self.assertTrue(self.has_job())
                self.assertEqual(self.state(), "running")
        self.assertEqual(len(self.made()), 5)
        supervisor = self.start()
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)
        self.assertEqual(len(self.made()), 5)
        self.assertEqual(self.state(), "publishing")

    def test_one_that_is_killed_does_so_too(self):
        supervisor = self.created()
        supervisor.process.kill()
        supervisor.end()
        (self.folder / "job.uid").unlink()  # it was killed before it could note the release
        supervisor = self.start()
        self.run_pod()
        supervisor.report(event("done"))
        supervisor.until("done")
        self.assertEqual(supervisor.end(), 0)
        self.assertEqual(len(self.made()), 5)

    def test_what_was_not_released_is_made_again_under_another_name(self):
        for number in range(1, 6):
            with self.subTest(number):
                self.api.faults.clear()
                for _ in range(number - 1):
                    self.api.fault("create")
                self.api.fault("create" if number < 5 else "patch", hang=True)
                supervisor = self.start()
                self.wait_for(lambda: not self.api.faults)
                self.leave(supervisor)
                supervisor = self.start()
                supervisor.until("notice")
                jobs = self.api.objects["jobs"]
                self.assertEqual(len(jobs), 1)
                name, job = list(jobs.items())[0]
                self.assertIs(job["spec"]["suspend"], False)
                secrets = [secret for secret in self.api.objects["secrets"].values()
                           if secret["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]]
                self.assertEqual(len(secrets), 3)
                self.assertEqual(name == "iris", number == 1)
                read = next(json.loads(base64.b64decode(secret["data"]["cluster.json"])) for secret in secrets
                            if "cluster.json" in secret["data"])
                self.assertEqual(read["name"], name)
                supervisor.cancel()
                supervisor.until("failed")
                supervisor.end()
                for file in ("job.db", "job.uid", "given-up"):
                    (self.folder / file).unlink(missing_ok=True)
                self.write_job()
                for plural in ("secrets", "services"):
                    self.api.objects[plural].clear()

    def test_a_name_that_somebody_has_is_left_alone(self):
        self.api.create("jobs", {"apiVersion": "batch/v1", "kind": "Job", "spec": {"suspend": True}, "metadata": {
            "name": "iris", "labels": {"totrain.dev/job": "iris", "totrain.dev/submission": "x"}}})
        supervisor = self.start()
        self.assertIn("the name iris is taken", supervisor.until("failed")["error"])
        self.assertTrue(self.has_job())

    def test_it_is_cancelled_by_a_word_also_when_nobody_was_there(self):
        supervisor = self.created()
        supervisor.cancel()
        self.assertEqual(supervisor.until("failed")["status"], "INTERRUPTED")
        self.assertEqual(supervisor.end(), 130)
        self.assertFalse(self.has_job())
        self.assertEqual(self.state(), "cancelled")
        for file in ("job.db", "job.uid", "given-up"):
            (self.folder / file).unlink()
        for plural in ("secrets", "services"):
            self.api.objects[plural].clear()
        self.leave(self.created())
        (self.folder / "given-up").touch()
        supervisor = self.start()
        self.assertEqual(supervisor.until("failed")["status"], "INTERRUPTED")
        self.assertEqual(supervisor.end(), 130)
        self.assertFalse(self.has_job())

    def test_a_cancel_that_was_cut_off_is_not_forgotten(self):
        supervisor = self.created()
        self.api.fault("delete", hang=True)
        supervisor.cancel()
        self.wait_for(lambda: not self.api.faults)
        supervisor.process.kill()
        supervisor.end()
        supervisor = self.start()
        self.assertEqual(supervisor.until("failed")["status"], "INTERRUPTED")
        self.assertFalse(self.has_job())

    def test_a_job_that_somebody_deleted_meanwhile_is_not_made_again(self):
        self.leave(self.created())
        self.api.delete("jobs", "iris")
        supervisor = self.start()
        self.assertIn("was deleted", supervisor.until("failed")["error"])
        self.assertEqual(len(self.made()), 5)

    def test_why_it_does_not_begin_is_in_its_books(self):
        supervisor = self.created()
        self.make_pod(phase="Pending", conditions=[{
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}])
        supervisor.until("notice")
        with sqlite3.connect(self.folder / "job.db") as books:
            self.assertIn("0/2 nodes", books.execute("SELECT error FROM job").fetchone()[0])
        self.api.modify("pods", "iris-abcde", lambda pod: pod["status"].update(
            phase="Running", containerStatuses=[{"name": "master", "restartCount": 0, "state": {"running": {}}}]))
        supervisor.report(event("started"))
        supervisor.until("started")
        with sqlite3.connect(self.folder / "job.db") as books:
            self.assertEqual(books.execute("SELECT error FROM job").fetchone()[0], "")


if __name__ == "__main__":
    classes.run(sys.argv[1:], verbosity=2)
