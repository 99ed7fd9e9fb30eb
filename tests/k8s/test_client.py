"""The API client against a server that misbehaves (fake_api.py)."""

import json
import os
import pathlib
import queue
import random
import subprocess
import sys
import tempfile
import threading
import unittest

import fake_api

PROBE = sys.argv.pop(1)
DEADLINE = 60


class Watch:
    """A probe that watches; its lines as they come, and the view they make."""

    def __init__(self, config, plural="pods", selector="", **environment):
        self.process = subprocess.Popen(
            [PROBE, config, "watch", plural, selector], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=dict(os.environ, **environment))
        self.lines = queue.Queue()
        self.view = {}
        self.problems = []
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def next(self):
        line = self.lines.get(timeout=DEADLINE)
        if line is None:
            raise AssertionError("the probe ended")
        name, change = line.get("name"), line["change"]
        if change == "added":
            assert name not in self.view, line
        elif change in ("changed", "deleted"):
            assert self.view[name][0] == line["uid"], line
        if change == "deleted":
            del self.view[name]
        elif change in ("added", "changed"):
            self.view[name] = (line["uid"], line["version"])
        elif change == "problem":
            self.problems.append(line["message"])
        return change

    def until(self, change):
        seen = []
        while not seen or seen[-1] != change:
            seen.append(self.next())
        return seen

    def until_view(self, wanted):
        while self.view != wanted():
            self.next()

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=DEADLINE)
        self.thread.join()
        self.process.stdout.close()
        return code


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = fake_api.make_certificates(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.api = self.start()
        self.config = self.api.kubeconfig()

    def start(self, **options):
        api = fake_api.FakeApi(self.folder, **options)
        self.addCleanup(api.stop)
        return api

    def probe(self, *arguments, config=None, **environment):
        done = subprocess.run([PROBE, config or self.config, *arguments], capture_output=True,
                              text=True, timeout=DEADLINE, env=dict(os.environ, **environment))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(self.api.token, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def watch(self, **options):
        watch = Watch(self.config, **options)
        self.addCleanup(watch.close)
        return watch

    def pod(self, name, **metadata):
        return self.api.create("pods", {"kind": "Pod", "metadata": {"name": name, **metadata}})


def pod(name, job="7", uid="u1", **more):
    return json.dumps({"kind": "Pod", "metadata": {
        "name": name, "labels": {"totrain.dev/job": job},
        "ownerReferences": [{"uid": uid, "controller": True}], **more}})


class Requests(Case):
    def test_objects_are_created_read_changed_and_deleted(self):
        made = self.probe("create", "pods", "", pod("a"))["object"]
        self.assertEqual(self.probe("get", "pods", "a")["object"]["metadata"]["uid"],
                         made["metadata"]["uid"])
        self.probe("patch", "pods", "a", '{"metadata":{"labels":{"x":"y"}}}')
        self.assertEqual(self.api.objects["pods"]["a"]["metadata"]["labels"]["x"], "y")
        self.assertEqual(len(self.probe("list", "pods")["object"]["items"]), 1)
        kept = self.probe("delete", "pods", "a", '{"uid":"another"}')
        self.assertEqual((kept["status"], kept["reason"]), ("BUSY", "Conflict"))
        self.assertEqual(self.probe("delete", "pods", "a")["status"], "OK")
        gone = self.probe("get", "pods", "a")
        self.assertEqual((gone["status"], gone["reason"]), ("NOT_FOUND", "NotFound"))

    def test_a_cut_or_refused_request_is_done_again(self):
        for what in ({"cut": 0}, {"cut": 60}, {"status": 503}, {"status": 429}):
            self.pod("a")
            self.api.fault("get", **what)
            self.assertEqual(self.probe("get", "pods", "a")["status"], "OK", what)
            self.assertFalse(self.api.faults)

    def test_retry_after_is_waited_for(self):
        self.pod("a")
        self.api.fault("get", status=429, retry_after=1)
        started = os.times().elapsed
        self.assertEqual(self.probe("get", "pods", "a")["status"], "OK")
        self.assertGreaterEqual(os.times().elapsed - started, 1)

    def test_what_cannot_pass_is_not_done_again(self):
        for code, name in ((403, "PERMISSION"), (422, "INVALID"), (400, "INVALID"), (302, "PROTOCOL")):
            self.api.fault("get", status=code, message="because")
            before = len(self.api.requests)
            found = self.probe("get", "pods", "a")
            self.assertEqual((found["status"], found["message"]), (name, "because"))
            self.assertEqual(len(self.api.requests), before + 1)

    def test_a_created_object_of_which_nobody_heard_is_adopted(self):
        self.api.fault("create", applied=True, cut=0)
        made = self.probe("adopt", "pods", "", pod("a"))
        self.assertEqual(made["status"], "OK")
        self.assertEqual(made["object"]["metadata"]["uid"],
                         self.api.objects["pods"]["a"]["metadata"]["uid"])

    def test_what_is_somebody_elses_is_not_adopted(self):
        self.api.create("pods", json.loads(pod("a", job="8")))
        self.api.create("pods", json.loads(pod("b", uid="u2")))
        for name, why in (("a", "is not ours"), ("b", "belongs to another owner")):
            refused = self.probe("adopt", "pods", "", pod(name))
            self.assertEqual(refused["status"], "BUSY")
            self.assertIn(why, refused["message"])

    def test_an_answer_that_is_too_long_is_cut_off(self):
        self.api.fault("list", status=200, body=b" " * (33 << 20))
        self.assertEqual(self.probe("list", "pods")["status"], "LIMIT")

    def test_a_dripping_answer_is_read(self):
        self.pod("a")
        self.api.fault("get", drip=.0001)
        self.assertEqual(self.probe("get", "pods", "a")["object"]["metadata"]["name"], "a")

    def test_html_of_a_proxy_is_no_object(self):
        self.api.fault("get", status=200, body=b"<html>hello</html>")
        self.assertEqual(self.probe("get", "pods", "a")["status"], "PROTOCOL")

    def test_a_redirect_is_not_followed(self):
        self.api.fault("get", status=307, message="elsewhere")
        self.assertEqual(self.probe("get", "pods", "a")["status"], "PROTOCOL")
        self.assertEqual(len(self.api.requests), 1)

    def test_logs_come_whole_and_as_they_are_written(self):
        self.api.logs["a"] = ["one\n", "two\n"]
        done = subprocess.run([PROBE, self.config, "log", "a"], capture_output=True, text=True,
                              timeout=DEADLINE)
        self.assertEqual(done.stdout, "one\ntwo\n")
        with subprocess.Popen([PROBE, self.config, "log", "a", "follow"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "one\n")
            self.assertEqual(process.stdout.readline(), "two\n")
            with self.api.lock:
                self.api.logs["a"].append("three\n")
                self.api.lock.notify_all()
            self.assertEqual(process.stdout.readline(), "three\n")
            with self.api.lock:
                self.api.logs["a"].append(None)
                self.api.lock.notify_all()
            self.assertEqual(process.stdout.read(), "")
            self.assertIn("OK", process.stderr.read())


class Trust(Case):
    def test_a_server_of_another_authority_is_refused(self):
        with tempfile.TemporaryDirectory() as other:
            fake_api.make_certificates(other)
            ca = str(pathlib.Path(other) / "ca.crt")
            config = self.api.kubeconfig("other", cluster={"certificate-authority": ca})
            refused = self.probe("get", "pods", "a", config=config)
        self.assertEqual(refused["status"], "PERMISSION")
        self.assertIn("not to be trusted", refused["message"])
        self.assertFalse(self.api.requests)

    def test_a_certificate_of_another_name_is_refused_unless_it_is_the_one_expected(self):
        with tempfile.TemporaryDirectory() as folder:
            fake_api.make_certificates(folder, names=("DNS:kubernetes.example",))
            api = fake_api.FakeApi(folder)
            try:
                refused = self.probe("list", "pods", config=api.kubeconfig())
                config = api.kubeconfig("named", cluster={"tls-server-name": "kubernetes.example"})
                taken = self.probe("list", "pods", config=config)
            finally:
                api.stop()
            self.assertEqual(refused["status"], "PERMISSION")
            self.assertEqual(taken["status"], "OK")
            self.assertEqual(api.heads[-1]["Host"], f"127.0.0.1:{api.port}")

    def test_insecure_is_possible_only_where_it_is_allowed(self):
        config = self.api.kubeconfig("insecure", cluster={"certificate-authority": None,
                                                          "insecure-skip-tls-verify": True})
        self.assertEqual(self.probe("list", "pods", config=config)["status"], "PERMISSION")
        self.assertEqual(self.probe("list", "pods", config=config, PROBE_INSECURE="1")["status"], "OK")

    def test_a_client_certificate_opens_the_door(self):
        api = self.start(wants_client=True)
        self.assertEqual(self.probe("list", "pods", config=api.kubeconfig("client"))["status"], "OK")
        stranger = api.kubeconfig("stranger", user={"client-certificate": None, "client-key": None,
                                                    "token": "x"})
        self.assertEqual(self.probe("list", "pods", config=stranger)["status"], "CONNECTION")

    def test_a_wrong_token_is_told_apart(self):
        config = self.api.kubeconfig("wrong", user={"token": "stale"})
        refused = self.probe("list", "pods", config=config)
        self.assertEqual(refused["status"], "PERMISSION")
        self.assertIn("expired", refused["hint"])

    def program(self):
        """A kubeconfig whose program gives first-token, then the server's own."""
        runs = self.folder / f"runs-{self.id()}"
        runs.unlink(missing_ok=True)
        said = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'
        script = (f"echo >> {runs}; case $(wc -l < {runs}) in 1) printf '{said % 'first-token'}';; "
                  f"*) printf '{said % self.api.token}';; esac")
        return self.api.kubeconfig("program", user={"token": None, "exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", script],
            "interactiveMode": "Never"}})

    def test_a_program_is_run_again_when_its_token_is_not_taken(self):
        self.pod("a")
        self.assertEqual(self.probe("get", "pods", "a", config=self.program())["status"], "OK")
        self.assertEqual([head["Authorization"] for head in self.api.heads],
                         ["Bearer first-token", f"Bearer {self.api.token}"])

    def test_so_it_is_for_a_watch(self):
        self.config = self.program()
        watch = self.watch()
        watch.until("synced")
        self.pod("a")
        watch.until_view(lambda: self.api.view("pods"))

    def test_a_proxy_of_the_environment_is_not_used(self):
        answer = self.probe("list", "pods", https_proxy="http://127.0.0.1:1",
                            HTTPS_PROXY="http://127.0.0.1:1", ALL_PROXY="http://127.0.0.1:1")
        self.assertEqual(answer["status"], "OK")

    def test_a_server_that_is_not_there_is_a_connection(self):
        config = self.api.kubeconfig("nowhere", cluster={"server": "https://127.0.0.1:1"})
        self.assertEqual(self.probe("list", "pods", config=config)["status"], "CONNECTION")


class Watching(Case):
    def setUp(self):
        super().setUp()
        for name in "abc":
            self.pod(name)

    def settle(self, watch):
        watch.until_view(lambda: self.api.view("pods"))

    def change(self):
        self.api.delete("pods", "a")
        self.api.modify("pods", "b", lambda thing: thing.update(x=1))
        self.pod("d")

    def lists(self):
        return sum("limit=" in request for request in self.api.requests)

    def test_the_view_follows_the_server(self):
        watch = self.watch()
        self.assertEqual(watch.until("synced"), ["added"] * 3 + ["synced"])
        self.change()
        self.settle(watch)
        self.assertEqual(self.lists(), 1)
        self.assertFalse(watch.problems)

    def test_a_list_in_pages_whose_token_expires_begins_again(self):
        self.api.fault("list", page=2)
        self.api.fault("list", status=410, reason="Expired")
        watch = self.watch()
        watch.until("synced")
        self.assertEqual(self.lists(), 3)
        self.assertEqual(watch.view, self.api.view("pods"))

    def test_a_selector_is_sent(self):
        self.pod("mine", labels={"totrain.dev/job": "7"})
        watch = self.watch(selector="totrain.dev/job=7")
        watch.until("synced")
        self.assertEqual(list(watch.view), ["mine"])

    def broken(self, **what):
        """A watch of which this happens, while things change, ends with the server's view."""
        self.api.fault("watch", **what)
        watch = self.watch()
        watch.until("synced")
        self.change()
        self.settle(watch)
        self.assertFalse(self.api.faults)
        return watch

    def test_history_that_is_gone_as_a_status(self):
        self.broken(status=410, reason="Expired")
        self.assertEqual(self.lists(), 2)

    def test_history_that_is_gone_as_an_event(self):
        self.broken(then=["gone"])
        self.assertEqual(self.lists(), 2)

    def test_garbage_in_the_stream(self):
        self.assertTrue(self.broken(then=["garbage"]).problems)

    def test_a_stream_cut_within_a_line(self):
        self.broken(then=["half"])
        self.assertEqual(self.lists(), 2)

    def test_a_stream_cut_anywhere(self):
        self.broken(cut=0)
        for size in (50, 107, 150, 400):
            self.broken(cut=size)

    def test_a_refusal_with_retry_after(self):
        watch = self.broken(status=429, retry_after=1, message="not so fast")
        self.assertEqual(watch.problems, ["not so fast"])
        self.assertEqual(self.lists(), 1)

    def test_an_error_of_the_server(self):
        self.broken(status=500, message="etcd is away")
        self.assertEqual(self.lists(), 1)

    def test_a_stream_that_drips(self):
        self.assertFalse(self.broken(drip=.0005).problems)

    def test_events_twice_and_out_of_order(self):
        self.assertFalse(self.broken(order="mixed").problems)

    def test_a_stream_that_ends_goes_on_without_a_list(self):
        self.broken(end_after=1)
        self.assertEqual(self.lists(), 1)

    def test_an_event_that_is_too_long(self):
        watch = self.broken(then=[("line", "x" * (5 << 20))])
        self.assertIn("more than", watch.problems[0])

    def test_a_large_object_is_read(self):
        watch = self.watch()
        watch.until("synced")
        self.pod("large", annotations={"text": "x" * (1 << 20)})
        self.settle(watch)
        self.assertFalse(watch.problems)

    def test_what_happened_while_everything_was_away(self):
        watch = self.watch()
        watch.until("synced")
        self.api.fault("any", status=503)
        self.api.cut_all()
        self.change()
        self.api.forget()
        self.settle(watch)

    def test_a_cluster_restored_from_a_backup(self):
        watch = self.watch()
        watch.until("synced")
        self.api.restore()
        self.change()
        self.settle(watch)

    def test_a_token_is_read_again(self):
        pod_folder = self.folder / "pod"
        pod_folder.mkdir(exist_ok=True)
        (pod_folder / "ca.crt").write_bytes((self.folder / "ca.crt").read_bytes())
        (pod_folder / "namespace").write_text("training")
        (pod_folder / "token").write_text(self.api.token)
        self.config = f"pod:{pod_folder}:127.0.0.1:{self.api.port}"
        watch = self.watch()
        watch.until("synced")
        self.api.token = "rotated"
        (pod_folder / "token").write_text("rotated")
        self.api.cut_all()
        self.change()
        self.settle(watch)


class Random(Case):
    """Any script, by its seed: at rest the client's view is the server's."""

    def fault(self, chance):
        kind = chance.choice(["watch", "watch", "list"])
        what = chance.choice([
            {"status": 410, "reason": "Expired"}, {"status": 500}, {"status": 429},
            {"cut": chance.randrange(2000)}, {"drip": .0002}, {"page": 2},
            {"then": ["gone"]}, {"then": ["garbage"]}, {"then": ["half"]}, {"order": "mixed"},
            {"end_after": chance.randrange(1, 5)}])
        self.api.fault(kind, **what)

    def change(self, chance):
        name = chance.choice("abcdefgh")
        if name not in self.api.view("pods"):
            self.pod(name)
        elif chance.random() < .5:
            self.api.modify("pods", name, lambda thing: thing.update(x=chance.random()))
        else:
            self.api.delete("pods", name)

    def play(self, seed):
        chance = random.Random(seed)
        self.api = self.start(seed=seed)
        self.config = self.api.kubeconfig(f"config-{seed}")
        watch = Watch(self.config)
        try:
            for _ in range(60):
                dice = chance.random()
                if dice < .3:
                    self.fault(chance)
                elif dice < .4:
                    self.api.cut_all()
                elif dice < .45:
                    self.api.forget()
                for _ in range(chance.randrange(4)):
                    self.change(chance)
                if dice > .8:  # so that it is seen in between
                    try:
                        watch.lines.queue and watch.next()
                    except queue.Empty:
                        pass
            with self.api.lock:
                self.api.faults.clear()
            watch.until_view(lambda: self.api.view("pods"))
        except queue.Empty:
            self.fail(f"seed {seed}: {watch.view} is not {self.api.view('pods')}: {watch.problems}")
        finally:
            self.assertEqual(watch.close(), 0)

    def test_any_script_ends_with_the_view_of_the_server(self):
        for seed in range(int(os.environ.get("SEED", 1)),
                          int(os.environ.get("SEED", 0)) + 1 if "SEED" in os.environ else 13):
            self.play(seed)


unittest.main(verbosity=2)
