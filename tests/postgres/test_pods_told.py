"""The master of a job on Kubernetes: what it tells the cluster of its job, and what it hears of the Job's deletion."""

import itertools
import json
import signal
import socket

import pods
import staged
from staged import harness, statement

LONG = statement(epochs=800, batch=16, job__checkpoint_seconds=0.2)


class Told(pods.Case):
    """Events of the Job, as `kubectl describe job` shows them."""

    heard = 0  # lines of the master's log

    def begin(self, text=LONG):
        self.submit(text)
        master = self.master()
        master.wait_step(20)
        return master

    def told(self):
        """By reason."""
        with self.api.lock:
            return {event["reason"]: json.loads(json.dumps(event)) for event in self.api.objects["events"].values()}

    def wait_for(self, reason, count=1):
        harness.wait_for(lambda: self.told().get(reason, {}).get("count", 0) >= count, f"{count} of {reason}")
        return self.told()[reason]

    def test_what_happens_to_a_job_is_told_in_its_order(self):
        master = self.begin()
        self.node.kill("train-worker-3-0", reason="OOMKilled")
        self.wait_for("WorkerOutOfMemory")
        self.want(2)
        self.wait_for("Scaled")
        self.check_trained(master, self.expected(LONG))
        told = self.told()
        self.assertEqual(list(told), ["TrainingStarted", "WorkerOutOfMemory", "Scaled", "ModelReady"])
        self.assertEqual(told["Scaled"]["message"], "from 4 to 2 workers, as totrain.dev/workers says")
        self.assertEqual(told["WorkerOutOfMemory"]["message"], "worker 3 ran out of its 512 MiB (OOMKilled), it is started "
                         "again with 1024 MiB")
        self.assertIn("digest " + self.digest(), told["ModelReady"]["message"])
        self.assertEqual([event["type"] for event in told.values()], ["Normal", "Warning", "Normal", "Normal"])
        for event in told.values():
            self.assertEqual(event["involvedObject"], {"apiVersion": "batch/v1", "kind": "Job", "name": "train",
                                                       "namespace": "training", "uid": self.uid})
            self.assertEqual((event["source"], event["reportingComponent"]), ({"component": "totrain"}, "totrain"))
            self.assertEqual(event["count"], 1)
            self.assertRegex(event["metadata"]["name"], "^train[.][0-9a-f]{16}$")

    def test_workers_that_do_not_pay_are_given_back_with_their_numbers(self):
        self.environment = {"TOTRAIN_PACE": "us=1000,others=1", "TOTRAIN_MEASURE": "100"}
        master = self.begin()
        message = self.wait_for("Measured")["message"]
        self.assertRegex(message, "^1 of 4 workers pay: they are 1.00 times as fast as one, and 4 0[.][0-9]+ times$")
        self.assertIn("1 of 4 workers pay, the others are given back: with 4 workers a row takes",
                      master.wait_event("notice", "given back")["message"])
        self.wait_for_pods(1)
        self.want(3)  # the user's number wins
        self.wait_for_pods(3)
        self.check_trained(master, self.expected(LONG))

    def test_the_next_job_of_the_model_begins_with_the_workers_that_paid(self):
        self.environment = {"TOTRAIN_PACE": "us=1000,others=1", "TOTRAIN_MEASURE": "100"}
        expected = self.expected(LONG)
        master = self.begin()
        self.wait_for("Measured")
        self.check_trained(master, expected)
        self.api.delete("jobs", "train")
        made = len(self.api.changes)
        self.environment = {"TOTRAIN_PACE": "us=1000,others=1", "TOTRAIN_MEASURE": "100"}
        self.api.objects["events"].clear()
        told = {row["item"]: row["detail"] for row, in self.execute(f"SELECT totrain.rows($${'EXPLAIN ' + LONG}$$)", "alice")}
        self.assertRegex(told["workers"], "^1 to 4, 1 at first, as job [0-9]+ measured")
        master = self.begin()
        self.assertIn("by earlier jobs of the model 1 of 4 workers pay at first", master.log.text())
        self.assertTrue(self.wait_for("Measured")["message"].startswith("1 of 4 workers pay: "))
        self.check_trained(master, expected)
        self.assertEqual({name for verb, plural, name, _ in self.api.changes[made:] if (verb, plural) == ("delete", "pods")},
                         {"train-worker-0-0"})

    def test_a_node_that_computes_wrongly_is_avoided_by_name(self):
        """The self-test of the worker's machine fails once; the next worker of its index is asked for elsewhere."""
        def on_node(pod, arguments):
            name = pod["metadata"]["name"]
            if name == "train-worker-3-0":
                self.api.modify("pods", name, lambda pod: pod["spec"].update(nodeName="node-7"))
                self.environment["TOTRAIN_UNSOUND"] = "3"
            else:
                self.environment.pop("TOTRAIN_UNSOUND", None)
            return arguments
        self.command_before = on_node
        master = self.begin()
        message = self.wait_for("NodeAvoided")["message"]
        self.assertEqual(message, "node node-7 is avoided for 5 minutes where there is room elsewhere: it computes wrongly, "
                                  "as the self-test of worker 3 says")
        self.assertEqual(master.wait_event("notice", "is avoided")["message"], message)
        harness.wait_for(lambda: "train-worker-3-1" in self.api.objects["pods"], "the next worker")
        with self.api.lock:
            spec = self.api.objects["pods"]["train-worker-3-1"]["spec"]
        terms = spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
        self.assertEqual(terms[0]["preference"]["matchFields"][0]["values"], ["node-7"])
        self.check_trained(master, self.expected(LONG))

    def test_a_worker_that_never_joins_is_told_of_by_its_node(self):
        """Its packets to the master and the database go nowhere: it runs, and nobody hears of it."""
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)

        def on_node(pod, arguments):
            name = pod["metadata"]["name"]
            if name == "train-worker-3-0":
                self.api.modify("pods", name, lambda pod: pod["spec"].update(nodeName="node-7"))
                arguments[arguments.index("--master") + 1] = f"tcp:127.0.0.1:{silent.getsockname()[1]}"
            return arguments
        self.command_before = on_node
        master = self.begin()
        event = self.wait_for("WorkerNotJoined")
        self.assertRegex(event["message"], "^worker 3 has been running on node-7 for 20 s and does not reach the master: ")
        self.assertEqual((event["type"], event["count"]), ("Warning", 1))
        self.assertEqual(master.wait_event("notice", "does not reach")["message"], event["message"])
        self.check_trained(master, self.expected(LONG))

    def test_what_happens_again_is_counted(self):
        """Four deletions are one Event, and say who was the last."""
        master = self.begin()
        for index in range(4):
            self.api.kubelet.on_delete(f"train-worker-{index}-0", None)
        event = self.wait_for("WorkerDeleted", 4)
        self.assertRegex(event["message"], "^the pod of worker [0-3] was deleted, another takes its place$")
        self.assertLessEqual(event["firstTimestamp"], event["lastTimestamp"])
        self.check_trained(master, self.expected(LONG))
        writes = [line for line in self.api.requests if "/events" in line]
        self.assertLessEqual(len(writes), 4, writes)

    def test_workers_that_wait_for_room_are_told_of(self):
        self.node.room = 3
        master = self.begin()
        event = self.wait_for("WorkersPending")
        self.assertRegex(event["message"], "^3 of 4 workers run; worker [0-3] does not: Unschedulable: 0/1 nodes")
        self.assertEqual(event["type"], "Warning")
        self.check_trained(master, self.expected(LONG))

    def test_a_quota_is_told_of(self):
        refused = (403, "Forbidden", 'pods "train-worker-3-0" is forbidden: exceeded quota: totrain')
        self.api.admission = lambda plural, thing: refused if thing["metadata"].get("name") == "train-worker-3-0" else None
        master = self.begin()
        self.assertIn("exceeded quota", self.wait_for("WorkerRefused")["message"])
        self.check_trained(master, self.expected(LONG))

    def note_what_waits(self):
        """A master that has noted more Events of the job than it may send at once."""
        master = self.begin()
        for count in range(12):  # a burst is ten, and the same one changes after 5 s
            self.want(3 if count % 2 else 2)
            master.log.wait_for(lambda line, count=count: f"{3 if count % 2 else 2} workers are wanted" in line, "it",
                                after=self.heard)
            self.heard = len(master.log.lines)
        self.assertLess(self.told().get("Scaled", {}).get("count", 0), 12)
        return master

    def test_a_master_that_is_asked_to_go_first_tells_what_it_has_not_told(self):
        master = self.note_what_waits()
        master.kill(signal.SIGTERM)
        self.assertEqual(self.told()["Scaled"]["count"], 12)
        self.check_trained(self.master(), self.expected(LONG))

    def test_it_does_not_stay_for_a_cluster_that_does_not_answer(self):
        master = self.note_what_waits()
        self.api.swallows = "events"
        self.assertEqual(master.kill(signal.SIGTERM), 128 + signal.SIGTERM)
        self.assertLess(self.told().get("Scaled", {}).get("count", 0), 12)
        self.api.swallows = ""
        self.check_trained(self.master(), self.expected(LONG))

    def test_why_a_job_failed_is_told(self):
        self.submit()
        self.login = self.write_login("other", password="no")
        self.check_failed(self.master(), "password authentication failed")
        event = self.told()["TrainingFailed"]
        self.assertIn("password authentication failed", event["message"])
        self.assertEqual(event["type"], "Warning")

    def test_a_cancel_is_told_after_its_job_has_gone(self):
        master = self.begin()
        self.api.delete("jobs", "train", cascades=False)
        self.assertEqual(master.end(), 1, master.log.text())
        self.assertEqual(self.told()["Cancelled"]["type"], "Normal")

    def test_another_master_says_where_it_goes_on(self):
        master = self.begin()
        self.wait_for("TrainingStarted")
        master.kill()
        master = self.master()
        self.assertRegex(self.wait_for("TrainingResumed")["message"],
                         "^another master leads: training goes on after step [0-9]+ with [1-4] of 4 workers$")
        self.check_trained(master, self.expected(LONG))

    def test_a_cluster_that_takes_none_is_no_trouble(self):
        """Said once in the log; the job does not wait for it."""
        refusals = itertools.cycle(((403, "Forbidden", "no"), (429, "TooManyRequests", "no"), (500, "InternalError", "no")))
        self.api.admission = lambda plural, thing: next(refusals) if plural == "events" else None
        master = self.begin()
        self.node.kill("train-worker-1-0")
        master.log.wait_for(lambda line: "joined" in line and "incarnation 1" in line or "worker 1.1 runs" in line, "it again")
        self.want(3)
        self.check_trained(master, self.expected(LONG))
        self.assertEqual(self.told(), {})
        self.assertGreaterEqual(len([line for line in self.api.requests if "POST" in line and "/events" in line]), 3)
        self.assertEqual(master.log.text().count("takes no Event"), 1, master.log.text())

    def test_a_cluster_that_says_nothing_of_one_is_no_trouble(self):
        """Nobody waits for it, but for a moment at the end."""
        self.api.swallows = "events"
        master = self.begin()
        self.check_trained(master, self.expected(LONG))
        self.assertEqual(self.told(), {})


class Deleted(pods.Case):
    """A deleted Job is to end: the workers are told so, and do not wait for SIGTERM or a group."""

    def begin(self):
        self.submit(LONG)
        master = self.master()
        master.wait_step(20)
        return master

    def delete_job(self):
        """Deletes the Job. Its objects are deleted later, as the cluster's garbage collector does."""
        self.api.delete("jobs", "train", cascades=False)

    def check_cancelled(self, master, has_tables=True):
        self.assertEqual(master.end(), 1, master.log.text())
        self.assertEqual(master.events("done"), [])
        self.check_nothing_is_left()
        if not has_tables:
            return
        self.assertEqual(master.events("failed")[-1]["status"], "INTERRUPTED")
        states = self.journal(self.number, "convert_from(body, 'UTF8')::json ->> 'state'", "kind = 'job'")
        self.assertEqual(states[-1][0], "cancelled")

    def test_its_end_is_a_cancel(self):
        master = self.begin()
        self.node.is_mute = True
        self.delete_job()
        self.check_cancelled(master)

    def test_it_is_one_also_where_the_job_waits_for_what_it_owns(self):
        master = self.begin()
        self.node.is_mute = True
        self.api.modify("jobs", "train", lambda job: job["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z"))
        self.check_cancelled(master)

    def test_another_job_of_the_name_is_not_this_one(self):
        master = self.begin()
        self.node.is_mute = True
        with self.api.lock:
            self.delete_job()
            self.api.create("jobs", {"metadata": {"name": "train"}, "spec": {}})
        self.check_cancelled(master)
        self.assertEqual(self.api.objects["jobs"]["train"]["spec"], {})

    def test_a_job_without_its_labels_is_the_same_job(self):
        master = self.begin()
        self.api.modify("jobs", "train", lambda job: job["metadata"].pop("labels"))
        self.check_trained(master, self.expected(LONG))

    def test_a_master_that_is_asked_to_go_first_looks_for_its_job(self):
        """Its watch has not told it yet."""
        master = self.begin()
        self.node.is_mute = True
        for _ in range(100):
            self.api.fault("list", status=503)
        self.api.cut_all()
        self.delete_job()
        master.process.send_signal(signal.SIGTERM)
        master.log.wait_for(lambda line: "the job was deleted" in line, "the deletion")
        with self.api.lock:
            self.api.faults.clear()
        self.check_cancelled(master)

    def ask_all_to_go(self):
        for name in self.node.running():
            self.api.kubelet.on_delete(name, None)

    def wait_for_workers(self):
        """One that has just begun ends by the signal that asks it to go."""
        harness.wait_for(lambda: sum("listens on tcp:" in path.read_text() for path in self.node.logs) >= 4,
                         "four workers that look for their master")

    def check_workers_go(self):
        """At once, and not after the 25 s that they wait for another master."""
        self.wait_for_workers()
        self.ask_all_to_go()
        harness.wait_for(lambda: not self.node.running(), "the end of all pods")
        # One that had not yet read the job's rows reads that they are gone.
        self.assertEqual(sum("the job is over" in path.read_text() for path in self.node.logs), 4)

    def test_workers_without_a_master_go_when_the_tables_of_the_job_are_dropped(self):
        master = self.begin()
        self.wait_for_pods(4)
        master.kill()
        self.execute(f"SELECT totrain.discard({self.number})")
        self.check_tables_go()
        self.check_workers_go()

    def test_workers_without_a_master_go_when_the_job_is_over_and_somebody_reads_its_tables(self):
        master = self.begin()
        self.wait_for_pods(4)
        master.kill()
        reader = self.server.connect(self.database, staged.POD, autocommit=False)
        self.addCleanup(reader.close)
        reader.cursor().execute(f"SELECT count(*) FROM totrain_jobs.input_{self.number}")
        self.execute(f"SELECT totrain.discard({self.number})", "alice")
        self.assertEqual(len(self.tables_of_jobs()), 3)
        self.check_workers_go()

    def test_workers_without_a_master_wait_for_one_when_the_job_is_not_over(self):
        """The workers are like those of a node that is drained with the master."""
        self.execute(f"ALTER ROLE {staged.POD} SET log_statement = 'all'")
        self.addCleanup(self.execute, f"ALTER ROLE {staged.POD} RESET log_statement")
        master = self.begin()
        self.wait_for_workers()
        master.kill()
        self.ask_all_to_go()
        harness.wait_for(lambda: self.server.log().count("WHERE file = 'over'") >= 4, "four questions")
        self.assertEqual(len(self.node.running()), 4)
        self.check_trained(self.master(), self.expected(LONG))

    def test_whoever_deleted_it_may_have_dropped_its_tables(self):
        master = self.begin()
        self.node.is_mute = True
        self.execute(f"SELECT totrain.discard({self.number})")
        self.delete_job()
        self.check_cancelled(master, has_tables=False)


if __name__ == "__main__":
    harness.main()
