"""A job over parameter servers on Kubernetes: its servers are Pods beside those of its workers."""

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
        self.assertEqual(self.tables_of_jobs(), set())
        return facts


class Runs(Case):
    def test_servers_are_pods_of_the_master_and_gone_when_all_is_learned(self):
        self.submit()
        master = self.master()
        self.wait_for_pods(WORKERS + SERVERS)
        with self.api.lock:
            pod = self.api.objects["pods"]["train-ps-1-0"]
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


class Memory(Case):
    def test_a_server_whose_rows_have_no_room_is_started_with_more(self):
        self.submit(server_memory=65 * pods.MIB, server_memory_max=260 * pods.MIB)
        master = self.master()
        self.assertGreater(self.check_learned(master)["AUC"], 0.93)
        with self.api.lock:
            told = [event["message"] for event in self.api.objects["events"].values()
                    if event["reason"] == "ServerOutOfMemory"]
        self.assertIn("ran out of its 65 MiB, it is started again with 130 MiB", " ".join(told))


if __name__ == "__main__":
    harness.main()
