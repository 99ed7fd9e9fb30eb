"""A job over parameter servers on Kubernetes: its servers are Pods beside those of its workers."""

import ctypes
import json
import pathlib
import re
import signal
import struct

import pods
from staged import harness

CLICKS = """CREATE TABLE clicks AS SELECT n, x, site, ad,
    ((hashtext('s' || site) %% 7 + hashtext('a' || ad) %% 5) / 4.0 + x + (hashtext('n' || n) %% 100) / 100.0 > 0)::int
        AS clicked
    FROM (SELECT n, (hashtext('x' || n) %% 1000) / 1000.0 AS x, 'site ' || abs(hashtext('u' || n)) %% 40 AS site,
                 'ad ' || abs(hashtext('v' || n)) %% 60 AS ad FROM generate_series(1, {rows}) AS n) AS drawn"""
WORKERS, SERVERS = 4, 2


def statement(epochs=12, **attributes):
    more = "".join(f", {name.replace('__', '.')} = {value}" for name, value in attributes.items())
    return ("SELECT x, site, ad, clicked FROM clicks TO TRAIN WideAndDeepClassifier WITH job.strategy = 'ps', "
            f"job.ps = {SERVERS}, model.hidden_units = [16], train.epoch = {epochs}, train.batch_size = 64, "
            f"train.test_size = 0.2, train.seed = 3, job.max_workers = {WORKERS}{more} LABEL clicked INTO iris_model;")


class Case(pods.Case):
    rows = 6000

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute(CLICKS.format(rows=cls.rows).replace("%%", "%"))
        cursor.execute("GRANT SELECT ON clicks TO alice, bob")

    def submit(self, text=None, **changes):  # pylint: disable=arguments-differ
        super().submit(text or statement(), workers=WORKERS, servers=SERVERS, **changes)

    def servers(self):
        return [name for name in self.node.running() if "-ps-" in name]

    def server_running(self, index):
        """The name of the pod that runs as this server."""
        harness.wait_for(lambda: any(name.startswith(f"train-ps-{index}-") for name in self.servers()),
                         f"server {index}")
        return next(name for name in self.servers() if name.startswith(f"train-ps-{index}-"))

    def check_learned(self, master):
        self.assertEqual(self.finish(master), 0, master.log.text())
        self.check_nothing_is_left()
        facts = self.collect(self.number)
        self.check_tables_go()
        return facts


class Runs(Case):
    def test_servers_are_pods_of_the_master_and_gone_when_all_is_learned(self):
        self.submit()
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        with self.api.lock:
            pod = self.api.objects["pods"]["train-ps-1-1"]
        facts = self.check_learned(master)
        self.assertGreater(facts["AUC"], 0.93)
        self.assertEqual(pod["metadata"]["ownerReferences"][0]["uid"], self.uid)
        container = pod["spec"]["containers"][0]
        self.assertEqual(container["resources"]["requests"], {"cpu": "500m", "memory": "192Mi"})
        self.assertEqual(container["args"][container["args"].index("--memory") + 1], str(64 * pods.MIB))

    def test_a_server_that_is_deleted_or_killed_is_replaced(self):
        self.submit(statement(epochs=150, job__checkpoint_seconds=0.2))
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        master.wait_step(100)
        for turn in range(6):
            name = self.server_running(turn % SERVERS)
            if turn % 3 == 2:
                self.node.kill(name)
            else:
                self.api.kubelet.on_delete(name, None)
            harness.wait_for(lambda: name not in self.node.running(), f"the end of {name}")  # pylint: disable=cell-var-from-loop
            step = master.events("progress")[-1]["step"]
            master.wait_step(step + 50)
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        # settled: the job has ended
        self.assertRegex(self.node.log(), r"goes on from [1-9][0-9]* batches")

    def test_two_snapshots_of_each_server_are_kept(self):
        self.submit(statement(epochs=300, job__checkpoint_seconds=0.1))
        master = self.master()

        def newest():
            return [row[0] for row in self.execute(
                f"SELECT count(*) FROM totrain_jobs.server_{self.number} WHERE kind = 'checkpoint' GROUP BY server")]
        harness.wait_for(lambda: len(newest()) == SERVERS and min(newest()) > 4, "some snapshots of each server")
        kept = self.execute(f"SELECT server, count(DISTINCT checkpoint) FROM totrain_jobs.snapshot_{self.number} "
                            "GROUP BY server ORDER BY server")
        self.assertEqual([server for server, _ in kept], list(range(SERVERS)))
        self.assertLessEqual(max(count for _, count in kept), 3)  # and the one that is being written
        rights = self.execute(
            "SELECT t, r FROM unnest(ARRAY['server', 'snapshot']) t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', "
            f"'TRUNCATE']) r WHERE has_table_privilege('totrain_pod', 'totrain_jobs.' || t || '_{self.number}', r)")
        self.assertEqual(sorted(rights), [("server", "INSERT"), ("server", "SELECT"), ("snapshot", "DELETE"),
                                          ("snapshot", "INSERT"), ("snapshot", "SELECT")])
        self.check_learned(master)

    def test_a_frozen_server_is_replaced_and_stores_nothing_afterwards(self):
        self.submit(statement(epochs=150, job__checkpoint_seconds=0.2))
        master = self.master()
        master.wait_step(200)
        frozen = self.node.containers["train-ps-0-1"]
        frozen.process.send_signal(signal.SIGSTOP)
        harness.wait_for(lambda: "train-ps-0-2" in self.node.running(), "the next incarnation")
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        self.assertIn(("delete", "pods", "train-ps-0-1"), [change[:3] for change in self.api.changes])

    def test_a_master_that_is_killed_is_followed_by_one_that_takes_the_servers_over(self):
        self.submit(statement(epochs=150, job__checkpoint_seconds=0.2))
        master = self.master()
        master.wait_step(200)
        master.kill()
        before = self.servers()
        name = self.server_running(0)
        self.node.kill(name)
        self.api.delete("pods", name)  # nobody but the tables knows that there was one
        master = self.master()
        master.wait_step(600)
        self.assertIn(before[1], self.node.running())
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)

    def test_servers_that_were_learned_from_are_not_started_by_a_later_master(self):
        self.submit()
        first = self.master(TOTRAIN_FAULT="role=master,point=checkpoint_after")
        self.assertEqual(first.end(), -signal.SIGKILL)
        master = self.master()
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        self.assertNotIn("asks for server", master.log.text())


class Steps(Case):
    """All workers take each step together: the steps since the last snapshot lie in the job's tables, too."""

    def learned(self, turns):
        """The metrics of a model, where so many servers were killed or deleted meanwhile."""
        self.submit(statement(epochs=40, job__checkpoint_seconds=1, job__sync="true", job__lanes=4))
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        for turn in range(turns):
            step = master.events("progress")[-1]["step"] if turn else 0
            master.wait_step(step + 20)
            name = self.server_running(turn % SERVERS)
            if turn % 3 == 2:
                self.api.kubelet.on_delete(name, None)
            else:
                self.node.kill(name)
            harness.wait_for(lambda: name not in self.node.running(), f"the end of {name}")  # pylint: disable=cell-var-from-loop
        facts = self.check_learned(master)
        return {name: facts[name] for name in ("loss", "Accuracy", "LogLoss", "AUC")}

    def test_servers_that_are_killed_or_deleted_change_no_bit(self):
        undisturbed = self.learned(0)
        self.api.delete("jobs", "train")
        self.assertEqual(self.learned(5), undisturbed)
        log = self.node.log()
        self.assertEqual(len(re.findall(r"goes on from [1-9][0-9]* steps", log)), 5, log)
        self.assertNotIn("anew: ", log)


class Scaled(Case):
    def told(self):
        with self.api.lock:
            return [(event["reason"], event["message"]) for event in self.api.objects["events"].values()]

    def wait_for_event(self, reason, message):
        harness.wait_for(lambda: (reason, message) in self.told(), f"{reason}: {message}")

    def wait_for_servers(self, *indexes):
        harness.wait_for(lambda: {name.split("-")[2] for name in self.servers()} == set(map(str, indexes)),
                         f"servers {indexes} alone")

    def wait_for_rows(self, master, servers):
        """So many servers have the rows, and the job goes on."""
        master.log.wait_for(lambda line: f"{servers} servers have the rows" in line, f"rows on {servers} servers")
        master.wait_step(1)
        master.wait_step(master.events("progress")[-1]["step"] + 50)

    def test_the_number_of_servers_changes_while_the_job_runs(self):
        self.submit(statement(epochs=150, job__checkpoint_seconds=0.2))
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        master.wait_step(100)
        self.want(4, "servers")
        self.wait_for_rows(master, 4)
        self.wait_for_servers(0, 1, 2, 3)
        # Before the next change: the same event then has the message of that one.
        self.wait_for_event("Scaled", "from 2 to 4 servers, as totrain.dev/servers says")
        self.wait_for_event("ServersMoved", "4 servers have the rows, before there were 2")
        self.want(1, "servers")
        self.wait_for_rows(master, 1)
        self.wait_for_servers(0)
        self.assertEqual([reason for reason, _ in self.told()].count("TrainingStarted"), 1)
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)

    def test_the_next_master_finds_the_number_and_ends_no_server_that_has_rows(self):
        self.submit(statement(epochs=150, job__checkpoint_seconds=0.2))
        master = self.master()
        master.wait_step(100)
        self.want(4, "servers")
        self.wait_for_rows(master, 4)
        master.kill()
        name = self.server_running(3)
        self.node.kill(name)
        before = [server for server in self.servers() if server != name]
        master = self.master()
        self.server_running(3)
        master.wait_step(600)
        self.assertLessEqual(set(before), set(self.servers()))
        master.kill()
        self.want(2, "servers")
        master = self.master()
        self.wait_for_rows(master, 2)
        self.wait_for_servers(0, 1)
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)

    def test_what_no_job_can_have_changes_nothing(self):
        self.submit(statement(epochs=60))
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        for number, said in (("5", "the Job wants 5 parameter servers, where it may have 1 to 4"),
                             ("many", "totrain.dev/servers of the Job is no number: many")):
            self.want(number, "servers")
            master.log.wait_for(lambda line, said=said: said in line, said)
        self.wait_for_servers(0, 1)
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)


class Tables(Case):
    def test_they_are_dropped_and_swept_with_the_others(self):
        job = self.stage(statement(), workers=WORKERS, servers=SERVERS)
        tables = {f"{stem}_{job}" for stem in ("input", "checkpoint", "result", "server", "snapshot")}
        self.assertEqual(self.tables_of_jobs(), tables)
        self.execute(f"SELECT totrain.discard({job})", "alice")
        self.assertEqual(self.tables_of_jobs(), set())
        self.stage(statement(), workers=WORKERS, servers=SERVERS)
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs('0 seconds')", "alice"), [(1,)])
        self.assertEqual(self.tables_of_jobs(), set())


class Rows(Case):
    rows = 120000

    def test_a_server_takes_the_head_of_the_rows_alone(self):
        folders = {}

        def note(pod, arguments):
            folders[pod["metadata"]["name"]] = pathlib.Path(arguments[1])
        self.command_before = note
        self.submit(statement(epochs=2))
        self.assertGreater(self.check_learned(self.master())["AUC"], 0.93)

        def taken(name):
            found = [path.stat() for path in folders[name].glob("train*.spool")]
            return sum(file.st_blocks * 512 for file in found) / sum(file.st_size for file in found)
        for index in range(SERVERS):
            self.assertLess(taken(f"train-ps-{index}-1"), 0.1)
        self.assertGreater(max(taken(f"train-worker-{index}-0") for index in range(WORKERS)), 0.2)


XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_64bits_withSeed.restype = ctypes.c_uint64


def checksum(content, seed=0):
    return XXHASH.XXH3_64bits_withSeed(content, ctypes.c_size_t(len(content)), ctypes.c_uint64(seed))


# Changes that make a snapshot one that no server has written.
HOSTILE = {
    "a clock far ahead": lambda state: state[:8] + struct.pack("<Q", 1 << 63) + state[16:],
    "a number that is none": lambda state: state[:-4] + struct.pack("<f", float("nan")),
    "half of it": lambda state: state[:len(state) // 2],
    "a long tail": lambda state: state + bytes(1 << 20),
    "sizes without bytes": lambda state: state[:len(state) // 2] + b"\xff" * (len(state) - len(state) // 2),
    "anything": lambda state: bytes(checksum(b"", i) % 256 for i in range(100000)),
}


class Poison(Case):
    """Rows of the servers' tables that somebody with the login has written: all checksums are right."""

    def rewrite(self, server, head, change):
        """The snapshot of this head, with other content."""
        mine = f"server = {server} AND checkpoint = {head['id']}"
        pieces = self.execute(f"SELECT bytes FROM totrain_jobs.snapshot_{self.number} WHERE {mine} ORDER BY piece")
        state = change(b"".join(bytes(piece) for piece, in pieces))
        head["bytes"] = len(state)
        pieces = [state[at:at + head["piece_bytes"]] for at in range(0, len(state), head["piece_bytes"])]
        names = ("version", "id", "job", "identity", "phase", "step", "rows_done", "bytes", "piece_bytes")
        hashes = [checksum(piece, head["id"] ^ i << 32) for i, piece in enumerate(pieces)]
        head["hash"] = struct.unpack("<q", struct.pack("<Q", checksum(
            b"".join(struct.pack("<q", head[name]) for name in names) + b"".join(struct.pack("<Q", one) for one in hashes))))[0]
        with self.connect().cursor() as cursor:
            cursor.execute(f"DELETE FROM totrain_jobs.snapshot_{self.number} WHERE {mine}")
            for i, piece in enumerate(pieces):
                cursor.execute(f"INSERT INTO totrain_jobs.snapshot_{self.number} VALUES (%s, %s, %s, %s)", (server, head["id"], i, piece))

    def heads(self, server):
        """The snapshots that are there, the newest first."""
        rows = self.execute(f"SELECT number, body FROM totrain_jobs.server_{self.number} s WHERE kind = 'checkpoint' AND server = {server} AND EXISTS "
                            f"(SELECT FROM totrain_jobs.snapshot_{self.number} p WHERE p.server = s.server AND p.checkpoint = "
                            "(convert_from(body, 'UTF8')::json ->> 'id')::bigint) ORDER BY number DESC")
        return [(number, {name: int(value) for name, value in json.loads(bytes(body)).items()}) for number, body in rows]

    def spoil(self, server, change):
        """The newest one: the one before it is asked for where this one's checksums are wrong."""
        number, head = self.heads(server)[0]
        self.rewrite(server, head, change)
        body = json.dumps({name: str(value) for name, value in head.items()})
        self.execute(f"UPDATE totrain_jobs.server_{self.number} SET body = convert_to('{body}', 'UTF8') WHERE server = {server} AND number = {number}")

    def stop_all(self, master):
        master.kill()
        for name in list(self.node.running()):
            self.node.kill(name)
            self.api.delete("pods", name)

    def check(self, *names):
        """One of each server, which refuses it, and counts from the beginning."""
        self.submit(statement(epochs=150, job__checkpoint_seconds=0.2))
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        harness.wait_for(lambda: all(map(self.heads, range(SERVERS))), "a snapshot of each server")
        self.stop_all(master)
        for server, name in enumerate(names):
            self.spoil(server, HOSTILE[name])
        master = self.master()
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        log = self.node.log()
        for server in range(SERVERS):
            self.assertRegex(log, f"server/{server} warn  a snapshot is not used: (stored rows|the snapshot) of a parameter server (are|is) damaged")
        self.assertNotRegex(log, "Sanitizer|Assertion|out of memory|goes on from")

    def test_a_clock_far_ahead_and_half_of_it(self):
        self.check("a clock far ahead", "half of it")

    def test_a_long_tail_and_anything(self):
        self.check("a long tail", "anything")

    def test_sizes_without_bytes_and_a_number_that_is_none(self):
        self.check("sizes without bytes", "a number that is none")


class Memory(Case):
    def test_a_server_whose_rows_have_no_room_is_started_with_more(self):
        self.submit(server_memory=65 * pods.MIB, server_memory_max=260 * pods.MIB)
        master = self.master()
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        with self.api.lock:
            told = [event["message"] for event in self.api.objects["events"].values()
                    if event["reason"] == "ServerOutOfMemory"]
        self.assertIn("ran out of its 65 MiB, it is started again with 130 MiB", " ".join(told))

    def test_twice_the_servers_are_asked_for_where_a_pod_may_have_no_more(self):
        def limit_range(plural, thing):
            if plural == "pods" and "-ps-" in thing["metadata"]["name"] and (
                    thing["spec"]["containers"][0]["resources"]["limits"]["memory"] != "65Mi"):
                return 403, "Forbidden", 'pods "x" is forbidden: maximum memory usage per Container is 65Mi, but limit is 130Mi'
            return None
        self.api.admission = limit_range
        self.submit(statement(epochs=150), server_memory=65 * pods.MIB, server_memory_max=260 * pods.MIB)
        master = self.master()
        master.log.wait_for(lambda line: "4 servers have the rows" in line, "rows on four servers")
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        with self.api.lock:
            told = [event["message"] for event in self.api.objects["events"].values()
                    if event["reason"] == "ServersFull"]
            self.assertEqual(self.api.objects["jobs"]["train"]["metadata"]["annotations"]["totrain.dev/servers"], "4")
        self.assertRegex(told[0], "4 servers are asked for where 2 have the rows")


if __name__ == "__main__":
    harness.main()
