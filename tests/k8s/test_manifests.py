"""Output of `totrain submit --dry-run`, `totrain k8s rbac` and `totrain k8s check`.

    TOTRAIN_BUILD=build/release tests/k8s/test_manifests.py --write

writes tests/golden/manifest anew: read the difference before committing it.
"""

import base64
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import fake_api

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "golden"))

import plan_topics  # noqa: E402  pylint: disable=wrong-import-position

GOLDEN = ROOT / "tests" / "golden" / "manifest"
PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "totrain"
OPTIONS = ("--dry-run", "--image=localhost/totrain:1", "--name=iris", "--namespace=training")
FOLDER = tempfile.TemporaryDirectory(prefix="totrain-manifests.")  # pylint: disable=consider-using-with
JOBS = plan_topics.Plans().jobs()
SPEC = pathlib.Path(FOLDER.name) / "train_iris.job.json"
SPEC.write_text(JOBS["train_iris"])
WITH_SERVERS = pathlib.Path(FOLDER.name) / "servers.job.json"
WITH_SERVERS.write_text(JOBS["servers_number"])
PROFILES = pathlib.Path(FOLDER.name) / "profiles.json"
PROFILES.write_text(json.dumps({"night": {
    "namespace": "team-a", "database_secret": "shop", "deadline_seconds": 7200, "master_cpu": "200m",
    "node_selector": {"pool": "spot"}, "tolerations": [{"key": "spot", "operator": "Exists"}], "queue": "team-a",
    "labels": {"applicationId": "{job}"}, "read_only_root": True}}))
SUBMIT = ("submit", str(SPEC), *OPTIONS)
TRAIN = "SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16] LABEL class INTO iris"
SCHEDULE = ("submit", "service=shop", TRAIN, "--schedule=0 3 * * *", "--dry-run", "--image=localhost/totrain:1",
            "--namespace=training", "--database-secret=login")
CASES = {
    "job": SUBMIT,
    "job_with_everything": (*SUBMIT, "--pull-policy=Never", "--cpu=500m:750m", "--memory=2Gi",
                            "--resource=example.com/slot", "--priority-class=batch",
                            "--service-account=trainer", "--database-secret=login", "--keep=0"),
    "job_with_servers": ("submit", str(WITH_SERVERS), *OPTIONS),
    "schedule": SCHEDULE,
    "job_with_profile": ("submit", str(SPEC), "--dry-run", "--image=localhost/totrain:1", "--name=iris",
                         f"--profile=night@{PROFILES}"),
    "schedule_with_profile": (*SCHEDULE, f"--profile=night@{PROFILES}"),
    "rbac": ("k8s", "rbac", "--namespace=training", "--pods=20", "--cpu=8", "--memory=32Gi"),
    "classes": ("k8s", "rbac", "classes"),
    "network": ("k8s", "rbac", "network", "--namespace=training", "--database=10.0.0.5/32:6432"),
    "disruption": ("k8s", "rbac", "disruption", "--namespace=training", "--pods=2"),
    "monitor": ("k8s", "rbac", "monitor", "--namespace=training"),
    "share": ("k8s", "rbac", "share", "--namespace=training,shop", "--image=localhost/totrain:1"),
}


def run(*arguments, **environment):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                          env=environment)


def pod_specs(thing):
    """Each pod spec in an object, wherever it is."""
    if isinstance(thing, dict):
        if "containers" in thing:
            yield thing
        for value in thing.values():
            yield from pod_specs(value)
    elif isinstance(thing, list):
        for value in thing:
            yield from pod_specs(value)


class Printed(unittest.TestCase):
    def test_the_objects_are_those_of_the_golden_files(self):
        for name, arguments in CASES.items():
            done = run(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            path = GOLDEN / f"{name}.json"
            if "--write" in sys.argv:
                GOLDEN.mkdir(exist_ok=True)
                path.write_text(done.stdout)
            self.assertEqual(done.stdout, path.read_text(), name)

    def test_every_pod_is_what_pod_security_calls_restricted(self):
        count = 0
        for name in ("job", "job_with_everything", "job_with_servers", "job_with_profile", "schedule", "share"):
            for spec in pod_specs(json.loads(run(*CASES[name]).stdout)):
                count += 1
                self.assertTrue(spec["securityContext"]["runAsNonRoot"])
                self.assertEqual(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
                self.assertFalse(spec.get("hostNetwork") or spec.get("hostPID"))
                for volume in spec.get("volumes", []):
                    self.assertLessEqual(set(volume) - {"name"}, {"emptyDir", "projected", "secret"})
                    for source in volume.get("projected", {}).get("sources", []):
                        self.assertEqual(list(source), ["secret"])
                        self.assertTrue(source["secret"]["items"])
                for container in spec["containers"]:
                    security = container["securityContext"]
                    self.assertIs(security["allowPrivilegeEscalation"], False)
                    self.assertIs(security["readOnlyRootFilesystem"], name in ("job_with_profile", "share"))
                    self.assertEqual(security["capabilities"], {"drop": ["ALL"]})
                    for text in json.dumps([container["args"], container.get("env", [])]).split('"'):
                        self.assertNotIn("SELECT", text)
        self.assertEqual(count, 11)

    def test_a_drain_needs_no_force_and_deletes_no_folder(self):
        for name in ("job", "job_with_everything", "job_with_servers", "schedule"):
            for spec in pod_specs(json.loads(run(*CASES[name]).stdout)):
                self.assertFalse([volume for volume in spec["volumes"] if "emptyDir" in volume])

    def test_a_schedule_owns_nothing_it_cannot_know_and_names_its_run(self):
        cron, secret = json.loads(run(*SCHEDULE).stdout)["items"]
        self.assertEqual((cron["kind"], cron["metadata"]["name"]), ("CronJob", "iris"))
        self.assertEqual(cron["spec"]["concurrencyPolicy"], "Forbid")
        pod = cron["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        container, = pod["containers"]
        self.assertEqual(pod["serviceAccountName"], "totrain-schedule")
        self.assertEqual(container["args"][:4], ["submit", "service=shop", "-f", "/etc/totrain/job/statement.sql"])
        self.assertIn("--run-of=iris", container["args"])
        self.assertEqual({volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume},
                         {"iris-statement", "totrain-service"})
        self.assertEqual(base64.b64decode(secret["data"]["statement.sql"]).decode(), TRAIN)

    def test_a_schedule_is_made_with_its_secret_or_not_at_all(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        api = fake_api.FakeApi(fake_api.make_certificates(folder.name))
        self.addCleanup(api.stop)
        words = [word for word in SCHEDULE if word != "--dry-run"] + ["--kubeconfig", api.kubeconfig()]
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (0, "CronJob iris in the namespace training\n"), done.stderr)
        cron, secret = (api.objects[plural][name] for plural, name in (("cronjobs", "iris"),
                                                                       ("secrets", "iris-statement")))
        self.assertEqual([owner["uid"] for owner in secret["metadata"]["ownerReferences"]], [cron["metadata"]["uid"]])
        again = run(*words)
        self.assertEqual(again.returncode, 3, again.stderr)
        self.assertIn("kubectl delete cronjob iris", again.stderr)

    def test_only_the_master_and_a_submitter_have_a_token(self):
        for spec in pod_specs([json.loads(run(*CASES[name]).stdout) for name in ("job", "schedule")]):
            role = spec["containers"][0]["name"]
            self.assertIs(spec["automountServiceAccountToken"], role != "worker")

    def test_nobody_may_use_wildcards_or_read_more_than_is_needed(self):
        printed = json.loads(run(*CASES["rbac"]).stdout)
        roles = {item["metadata"]["name"]: item["rules"] for item in printed["items"]
                 if item["kind"] == "Role"}
        self.assertEqual(set(roles), {"totrain", "totrain-submitter", "totrain-schedule"})
        self.assertNotIn("*", json.dumps(roles))
        self.assertFalse([rule for rule in roles["totrain"] if "secrets" in rule["resources"]])
        self.assertFalse([item for item in printed["items"] if item["kind"].startswith("Cluster")])

    def test_a_network_policy_lets_the_pods_of_a_job_do_what_they_do(self):
        every, api, metrics = json.loads(run(*CASES["network"]).stdout)["items"]
        jobs = json.loads(run(*CASES["job"]).stdout)["items"] + json.loads(run(*CASES["schedule"]).stdout)["items"]
        pods = [thing for item in jobs for thing in (item.get("spec", {}).get("template"), item, item.get("spec", {}).get(
            "jobTemplate", {}).get("spec", {}).get("template")) if thing and "containers" in thing.get("spec", {})]
        self.assertEqual(len(pods), 3)
        for pod in pods:
            labels = pod["metadata"]["labels"]
            self.assertLessEqual(every["spec"]["podSelector"]["matchLabels"].items(), labels.items())
            chosen, = api["spec"]["podSelector"]["matchExpressions"]
            self.assertEqual(labels[chosen["key"]] in chosen["values"], pod["spec"]["automountServiceAccountToken"])
        self.assertEqual(every["spec"]["egress"][2], {"to": [{"ipBlock": {"cidr": "10.0.0.5/32"}}], "ports": [{"port": 6432}]})
        deployment, = (item for item in json.loads(run(*CASES["share"]).stdout)["items"] if item["kind"] == "Deployment")
        template = deployment["spec"]["template"]
        self.assertLessEqual(metrics["spec"]["podSelector"]["matchLabels"].items(), template["metadata"]["labels"].items())
        rule, = metrics["spec"]["ingress"]
        container, = template["spec"]["containers"]
        port = container["ports"][0]["containerPort"]
        self.assertEqual(rule, {"from": [{"namespaceSelector": {}}], "ports": [{"port": port}]})
        self.assertIn(f"--metrics=0.0.0.0:{port}", container["args"])

    def test_what_a_job_can_do_without_comes_after_all_minimums(self):
        values = {item["metadata"]["name"]: item["value"] for item in json.loads(run(*CASES["classes"]).stdout)["items"]}
        first = [values["totrain-first" + band] for band in ("-low", "", "-high")]
        more = [values["totrain-more" + band] for band in ("-low", "", "-high")]
        self.assertEqual((sorted(first), sorted(more)), (first, more))
        self.assertLess(max(first), 0)
        self.assertGreater(min(first), -10)
        self.assertLess(max(more), -10)

    def test_who_gives_the_rights_is_warned(self):
        self.assertIn("can mount every Secret", run(*CASES["rbac"]).stderr)

    def test_another_name_is_invented_each_time(self):
        names = {json.loads(run("submit", str(SPEC), "--dry-run", "--image=a").stdout)
                 ["items"][0]["metadata"]["name"] for _ in range(3)}
        self.assertEqual(len(names), 3)
        for name in names:
            self.assertRegex(name, "^iris-model-[a-z0-9]{5}$")

    def test_what_is_wrong_is_said(self):
        for arguments, code, problem in (
                (("submit",), 2, "submit takes a database and a statement"),
                (("submit", str(SPEC), "--image=a"), 2, "a job spec has no rows"),
                (("submit", str(SPEC), "--dry-run"), 2, "--image is missing"),
                (("submit", "/nonexistent", "--dry-run", "--image=a"), 2, "/nonexistent"),
                (("submit", str(ROOT / "README.md"), "--dry-run", "--image=a"), 1, "no JSON"),
                ((*SUBMIT, "--name=Iris"), 2, 'not "Iris"'),
                ((*SUBMIT, "--memory=lots"), 2, 'not "lots"'),
                ((*SUBMIT, "--cpu=0"), 2, 'not "0"'),
                ((*SUBMIT, "--cpu=2:1"), 2, 'the limit is below'),
                ((*SUBMIT, "--profile=night"), 2, "NAME@FILE"),
                ((*SUBMIT, f"--profile=day@{PROFILES}"), 2, "It has: night."),
                ((*SUBMIT, "--profile=night@/nonexistent"), 2, "/nonexistent"),
                ((*SUBMIT, "--keep=soon"), 2, "--keep takes seconds"),
                ((*SUBMIT, "--schedule=0 3 * * *"), 2, "a job spec has no rows that a schedule"),
                ((*SCHEDULE, "--schedule=at noon"), 2, "five fields"),
                ((*SCHEDULE, "--service-secret=A"), 2, "the service's Secret"),
                (("submit", "dbname=shop", *SCHEDULE[2:]), 2, "takes its database as service=NAME"),
                (("submit", "postgres://me:word@/shop", *SCHEDULE[2:]), 2, "a password would be seen"),
                ((*SCHEDULE[:2], "SELECT 1", *SCHEDULE[3:]), 2, "train nothing"),
                ((*SCHEDULE[:2], TRAIN.replace("WITH", "WITH job.wait = false,"), *SCHEDULE[3:]), 2, "job.wait = false"),
                ((*SCHEDULE[:2], TRAIN + " x", *SCHEDULE[3:]), 2, "end of statement"),
                (SCHEDULE[:-1], 2, "--database-secret is missing"),
                ((*SUBMIT, "--imaeg=a"), 2, "unknown option"),
                (("k8s",), 2, "rbac or check"),
                (("k8s", "rbac", "--namespace=A"), 2, "not a valid name of a namespace"),
                (("k8s", "rbac", "--pods=0"), 2, "1 to"),
                (("k8s", "rbac", "share"), 2, "--image is missing"),
                (("k8s", "rbac", "nets"), 2, "disruption or monitor, not nets"),
                (("k8s", "rbac", "network", "--database=10.0.0.5"), 2, "CIDR:PORT"),
                (("k8s", "rbac", "network", "--database=10.0.0.5/32:x"), 2, "CIDR:PORT"),
                (("k8s", "rbac", "network", '--database=10.0.0.5/"32:1'), 2, "CIDR:PORT"),
                (("k8s", "rbac", "network", "--namespace=A"), 2, "not a valid name of a namespace"),
                (("k8s", "rbac", "monitor", "--namespace=A"), 2, "not a valid name of a namespace"),
                (("k8s", "rbac", "disruption"), 2, "--pods is missing"),
                (("k8s", "rbac", "disruption", "--pods=0"), 2, "a budget has 1 to"),
                (("k8s", "rbac", "disruption", "--pods=1", "--namespace=A"), 2, "not a valid name of a namespace"),
                (("k8s", "rbac", "share", "--image=a", "--namespace=a,B"), 2, '"B" is not a valid name of a namespace'),
                (("k8s", "rbac", "--memory=x"), 2, 'not "x"'),
                (("k8s", "check"), 2, "no kubeconfig")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (code, ""), (arguments, done.stderr))
            self.assertIn(problem, done.stderr)

    def test_only_a_pod_that_reaches_the_database_says_so(self):
        with tempfile.NamedTemporaryFile("w") as login:
            login.write("host=/nonexistent dbname=shop")
            login.flush()
            os.chmod(login.name, 0o644)
            done = run("k8s", "reach", login.name)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn("all users may read", done.stderr)

    def test_a_database_that_does_not_answer_is_named_with_its_address(self):
        with socket.create_server(("127.0.0.1", 0)) as silent, tempfile.NamedTemporaryFile("w") as login:
            port = silent.getsockname()[1]
            login.write(f"host=127.0.0.1 port={port} dbname=shop sslmode=disable")
            login.flush()
            done = run("k8s", "reach", login.name)
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertIn(f"port {port} failed: no answer: the network may drop what is sent there", done.stderr)


ENDED_WELL = "Succeeded", {"terminated": {"exitCode": 0}}


def waits(reason):
    """The state of a pod whose container does not start."""
    return "Pending", {"waiting": {"reason": reason, "message": "as the kubelet said"}}


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.api = fake_api.FakeApi(fake_api.make_certificates(folder.name))
        self.addCleanup(self.api.stop)
        self.config = self.api.kubeconfig()
        self.refused = set()
        self.api.reviews = lambda asked: (asked["verb"], asked["resource"]) not in self.refused

    def check(self, *arguments, **environment):
        return run("k8s", "check", *arguments, **environment)

    def test_every_right_of_the_submitter_is_asked_for(self):
        done = self.check("--kubeconfig", self.config)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        printed = json.loads(run(*CASES["rbac"]).stdout)
        rules = next(item["rules"] for item in printed["items"]
                     if item["kind"] == "Role" and item["metadata"]["name"] == "totrain-submitter")
        wanted = {f"yes  {verb} {rule['resources'][0]}" for rule in rules for verb in rule["verbs"]}
        self.assertEqual(set(done.stdout.splitlines()), wanted)

    def test_a_right_that_is_missing_is_named_and_ends_with_4(self):
        self.refused = {("create", "secrets")}
        done = self.check("--kubeconfig", self.config, "--namespace=other")
        self.assertEqual(done.returncode, 4)
        self.assertIn("NO   create secrets\n", done.stdout)
        self.assertIn("1 right is missing in the namespace other", done.stderr)

    def run_trial(self, seen, *states):
        """The Job controller and a kubelet: the pod of the one Job that comes is in each of these states until it was
        looked at, and in the last for good."""
        with self.api.lock:
            if not self.api.lock.wait_for(lambda: self.api.objects["jobs"], 60):
                return
            job, = self.api.objects["jobs"].values()
            template = json.loads(json.dumps(job["spec"]["template"]))
        seen.append(template["spec"])
        self.api.create("pods", {"metadata": {"name": "trial", "labels": template["metadata"]["labels"]},
                                 "spec": template["spec"], "status": {"phase": "Pending"}})
        for phase, state in states:
            with self.api.lock:
                looks = len(self.looks()) + 2  # one may have begun
                status = {"phase": phase, "containerStatuses": [{"name": "check", "restartCount": 0, "state": state}]}
                self.api.modify("pods", "trial", lambda pod, status=status: pod.update(status=status))
                self.api.lock.wait_for(lambda looks=looks: state is states[-1][1] or len(self.looks()) >= looks, 60)

    def looks(self):
        """At the pod of the trial."""
        return [line for line in self.api.requests if line.startswith("GET") and "/pods?" in line]

    def try_image(self, *states):
        """The check of an image of which the pod goes through these states."""
        cluster = threading.Thread(target=self.run_trial, args=([], *states))
        cluster.start()
        done = self.check("--kubeconfig", self.config, "--image=localhost/totrain:1")
        cluster.join()
        self.api.delete("pods", "trial")
        return done

    def test_what_the_kubelet_tries_again_is_waited_for(self):
        done = self.try_image(waits("ContainerCreating"), waits("CreateContainerError"), waits("RunContainerError"),
                              ENDED_WELL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("yes  a pod runs the image", done.stdout)

    def test_what_only_the_user_can_change_is_said_at_once(self):
        for reason in ("ErrImagePull", "CreateContainerConfigError"):
            done = self.try_image(waits(reason))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"{reason}: as the kubelet said", done.stderr)

    def test_the_trial_of_a_login_mounts_the_keys_that_jobs_mount(self):
        seen = []
        cluster = threading.Thread(target=self.run_trial, args=(seen, ENDED_WELL))
        cluster.start()
        done = self.check("--kubeconfig", self.config, "--image=localhost/totrain:1", "--database-secret=login")
        cluster.join()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("yes  a pod reaches the database", done.stdout)
        volume, = seen[0]["volumes"]
        self.assertEqual(volume["secret"]["secretName"], "login")
        self.assertEqual([item["key"] for item in volume["secret"]["items"]], ["login", "ca.crt", "tls.crt", "tls.key"])
        self.assertEqual(volume["secret"]["optional"], True)

    def test_admission_is_asked_for_the_pods_of_a_job_and_its_words_are_shown(self):
        cluster = threading.Thread(target=self.run_trial, args=([], ENDED_WELL))
        cluster.start()
        done = self.check("--kubeconfig", self.config, "--image=localhost/totrain:1", "--memory=2Gi",
                          f"--profile=night@{PROFILES}")
        cluster.join()
        self.api.delete("pods", "trial")
        self.assertEqual(done.returncode, 0, done.stderr)
        for who in ("master", "worker"):
            self.assertIn(f"yes  the cluster admits a {who}'s pod\n", done.stdout)
        master, worker = self.api.tried
        self.assertEqual(master["spec"]["containers"][0]["resources"]["requests"]["cpu"], "200m")
        self.assertEqual(worker["spec"]["containers"][0]["resources"]["limits"]["memory"], "2048Mi")
        self.assertEqual(worker["spec"]["nodeSelector"], {"pool": "spot"})
        self.assertNotIn("ownerReferences", master["metadata"])
        self.assertFalse([name for name in self.api.objects["pods"] if name.startswith("totrain-check")])

    def test_what_admission_refuses_has_a_hint_for_who_reads_it(self):
        for words, hint in (("failed quota: q: must specify limits.cpu for: master", "totrain.kubernetes_cpu_limit"),
                            ("minimum memory usage per Container is 512Mi, but request is 256Mi", "master_memory"),
                            ('violates PodSecurity "restricted:latest"', "read_only_root"),
                            ("a policy of this company", None)):
            self.api.admission = lambda plural, thing, words=words: (
                (403, "Forbidden", words) if plural == "pods" else None)
            done = self.check("--kubeconfig", self.config, "--image=localhost/totrain:1")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual(done.stdout.count("NO   the cluster admits a "), 2)
            self.assertEqual(done.stdout.count(words), 2)
            self.assertEqual(done.stdout.count("HINT:"), 2 if hint else 0)
            self.assertIn(hint or words, done.stdout)
            self.assertIn("refuses the pods of jobs", done.stderr)
        self.api.admission = lambda plural, thing: (403, "Forbidden", "no worker here") if plural == "pods" and (
            thing["metadata"]["labels"]["totrain.dev/role"] == "worker") else None
        done = self.check("--kubeconfig", self.config, "--image=localhost/totrain:1")
        self.assertIn("yes  the cluster admits a master's pod\n", done.stdout)
        self.assertIn("refuses one of a job's two pods", done.stderr)

    def test_the_kubeconfig_of_the_environment_is_used_and_may_be_several(self):
        done = self.check(KUBECONFIG=f"/nonexistent:{self.config}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_program_may_give_the_token(self):
        config = self.api.kubeconfig("exec", user={"token": None, "exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": [
                "-c", 'echo \'{"apiVersion":"client.authentication.k8s.io/v1","kind":'
                '"ExecCredential","status":{"token":"' + self.api.token + '"}}\'']}})
        done = self.check("--kubeconfig", config)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_token_that_expired_is_a_permission(self):
        self.api.token = "another"
        done = self.check("--kubeconfig", self.config)
        self.assertEqual(done.returncode, 4)
        self.assertIn("expired", done.stderr)
        self.assertNotIn("fake-token", done.stdout + done.stderr)

    def test_insecure_must_be_said(self):
        config = self.api.kubeconfig("insecure", cluster={"certificate-authority": None,
                                                          "insecure-skip-tls-verify": True})
        self.assertEqual(self.check("--kubeconfig", config).returncode, 4)
        self.assertEqual(self.check("--kubeconfig", config, "--insecure").returncode, 0)


unittest.main(argv=[word for word in sys.argv if word != "--write"], verbosity=2)
