"""A job over parameter servers on a cluster, whose servers and workers are deleted at random, and whose number of
servers changes: nothing is lost.

TOTRAIN_DELETIONS: how many pods are deleted (5; 20 in the full run).
"""

import json
import os
import random
import re
import subprocess

import harness
import test_train as train
import watched
from harness import Stopwatch, wait_for

DELETIONS = int(os.environ.get("TOTRAIN_DELETIONS", "20" if harness.FULL else "5"))
WORKERS, SERVERS, ROLES = 4, 2, ("worker", "ps")
# A click depends on site, ad and x, and on chance.
CLICKS = """
    CREATE TABLE clicks AS SELECT x, site, ad, (mod(hashtext(site), 7) / 3.0 + mod(hashtext(ad), 5) / 2.0 + x +
                                                mod(hashtext('n' || n), 100) / 100.0 > 0)::int AS clicked
        FROM (SELECT n, mod(hashtext('x' || n), 1000) / 1000.0 AS x, 'site ' || mod(abs(hashtext('u' || n)), 40) AS site,
                     'ad ' || mod(abs(hashtext('v' || n)), 60) AS ad FROM generate_series(1, 30000) AS n) AS drawn;
    GRANT SELECT ON clicks TO alice"""
TRAIN = ("SELECT * FROM clicks TO TRAIN WideAndDeepClassifier WITH job.strategy = 'ps', job.ps = {servers}, "
         "model.hidden_units = [16], train.batch_size = 32, train.epoch = {epochs}, train.test_size = 0.2, train.seed = 3, "
         "optimizer.learning_rate = 0.002, job.checkpoint_seconds = 1, job.max_workers = {workers}{more} "
         "LABEL clicked INTO {model};")
CLUSTER = (", job.where = 'kubernetes', job.worker_cpu = 0.1, job.worker_memory = '128Mi', job.ps_cpu = 0.1, "
           "job.ps_memory = '64Mi'")


def statement(model, epochs, more=CLUSTER):
    return TRAIN.format(servers=SERVERS, workers=WORKERS, epochs=epochs, more=more, model=model)


class Case(train.Case):
    def setUp(self):
        super().setUp()
        self.server.execute(CLICKS)
        self.watched = watched.Watched(self.lab, self.space)
        self.addCleanup(self.watched.close)
        self.chance = random.Random(int(os.environ.get("TOTRAIN_SEED", "1")))

    def auc(self, said):
        return float(re.search(r"AUC *\| *([0-9.]+)", said)[1])

    def run_sql(self, sql):
        done = self.psql(sql)
        self.assertEqual(done.returncode, 0, done.stderr + "\n" + self.explain())
        return done.stdout

    def begin(self, text):
        session = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", text], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, **self.server.variables("postgres", "alice")})
        self.addCleanup(session.kill)
        return session

    def alive(self, *roles):
        """Pods of which a process lives."""
        return [pod for pod in self.watched.pods()
                if pod.labels.get("totrain.dev/role") in roles and not pod.deleting_at and pod.run()]

    def members(self, session):
        """When all workers and servers are there. None: the session has ended."""
        def all_there():
            found = self.alive(*ROLES)
            return session.poll() is not None or len(found) == WORKERS + SERVERS and found
        found = wait_for(all_there, "all workers and servers")
        return None if found is True else found

    def step(self):
        found = self.server.execute("SELECT step FROM totrain.jobs ORDER BY id DESC LIMIT 1")
        return found[0][0] or 0 if found else 0

    def delete(self, pod):
        self.api.request("DELETE", f"{self.path}/pods/{pod.name}")

    def check_end(self, session, undisturbed):
        """Checks that the model is as good as that of one machine's job, and nothing is left."""
        said, errors = session.communicate(timeout=train.DEADLINE)
        self.assertEqual(session.returncode, 0, errors + "\n" + self.explain())
        there = self.auc(said)
        print(f"AUC {there:.4f}, of a job of this machine that nobody disturbed {undisturbed:.4f}")
        self.assertLess(abs(there - undisturbed), 0.01)
        self.assertGreater(there, 0.9)
        self.check_tables_go()
        wait_for(lambda: all(pod.gone_at for pod in self.watched.pods() if pod.labels.get("totrain.dev/role") in ROLES),
                 "the pods of workers and servers to go")
        for job in self.jobs():  # settled: nobody makes any more
            self.api.request("DELETE", f"/apis/batch/v1/namespaces/{self.space}/jobs/{job['metadata']['name']}",
                             {"propagationPolicy": "Background"})
        wait_for(lambda: not self.jobs() and not self.objects(), "the job to go")


class Deaths(Case):
    def test_servers_and_workers_are_deleted_at_random(self):
        epochs = 15 * DELETIONS
        undisturbed = self.auc(self.run_sql(statement("here", epochs, "")))
        session = self.begin(statement("there", epochs))
        wait_for(lambda: session.poll() is not None or self.step() > 0, "the first step")
        deleted = []
        while len(deleted) < DELETIONS and (found := self.members(session)):
            role = "ps" if len(deleted) % 2 == 0 else self.chance.choice(("ps", "worker"))
            victim, watch = self.chance.choice([pod for pod in found if pod.labels["totrain.dev/role"] == role]), Stopwatch()
            self.delete(victim)
            deleted.append(role)
            step = self.step()
            wait_for(lambda victim=victim: session.poll() is not None or not victim.run(), "its end")
            wait_for(lambda step=step: session.poll() is not None or self.step() > step, "a step more")
            self.report(f"a {role} is deleted: a step more after", watch.read())
        self.check_end(session, undisturbed)
        self.assertEqual(len(deleted), DELETIONS, "the job lasted long enough")


class Scaled(Case):
    """2 -> 4 -> 1 servers, while one of them and the master are deleted."""

    def scale(self, servers):
        number = self.server.execute("SELECT max(id) FROM totrain.jobs")[0][0]
        state = next(self.server.state.glob(f"*/*/jobs/{number}")).parents[1]  # alice's in this database
        done = subprocess.run([train.BUILD / "totrain", "scale", str(number), "--ps", str(servers)], text=True,
                              capture_output=True, check=False, user=state.owner(), cwd="/",
                              env={**os.environ, "TOTRAIN_STATE": str(state)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def wait_for_rows(self, session, servers):
        """So many servers have the rows, by the word of a master, no other is there, and the job goes on."""
        watch, word = Stopwatch(), f"{servers} servers have the rows".encode()

        def have_moved():
            said = any(word in line for pod in self.watched.pods(role="master") for file in list(pod.logs.values())
                       for line in file.read())
            there = sorted(int(pod.labels["totrain.dev/index"]) for pod in self.alive("ps"))
            return session.poll() is not None or said and there == list(range(servers))
        wait_for(have_moved, f"{servers} servers with the rows")
        self.report(f"{servers} servers have the rows after", watch.read())
        self.wait_for_step(session)

    def wait_for_step(self, session):
        step = self.step()
        wait_for(lambda: session.poll() is not None or self.step() > step, "a step more")
        self.assertIsNone(session.poll(), "the job lasts long enough")

    def test_the_number_of_servers_changes_while_the_job_learns(self):
        epochs = 100
        undisturbed = self.auc(self.run_sql(statement("here", epochs, "")))
        steps = self.step()
        session = self.begin(statement("there", epochs))
        self.assertTrue(self.members(session))
        wait_for(lambda: session.poll() is not None or 0 < self.step() < steps, "the first step")
        self.scale(SERVERS * 2)
        self.wait_for_rows(session, SERVERS * 2)
        self.delete(self.alive("ps")[-1])
        self.wait_for_step(session)
        self.delete(self.alive("master")[0])
        self.wait_for_step(session)
        wait_for(lambda: session.poll() is not None or len(self.alive("ps")) == SERVERS * 2, "all servers")
        self.scale(1)
        self.wait_for_rows(session, 1)
        self.check_end(session, undisturbed)
        self.assertEqual(self.step(), steps, "each batch is counted, once")


class Memory(Case):
    def train_on_many(self, numbers, worker_memory, ps_memory):
        """Ten thousand words of four columns, so many numbers each with two slots: of 128 it is 30 MiB a server and what
        is beside them."""
        self.server.execute("""
            CREATE TABLE many AS SELECT 'site ' || mod(n, 10000) AS site, 'ad ' || mod(n * 7, 10000) AS ad,
                                        'page ' || mod(n * 3, 10000) AS page, 'shop ' || mod(n * 9, 10000) AS shop,
                                        mod(n, 2) AS clicked FROM generate_series(1, 20000) AS n;
            GRANT SELECT ON many TO alice""")
        self.run_sql("SELECT * FROM many TO TRAIN WideAndDeepClassifier WITH job.strategy = 'ps', model.hidden_units = [4], "
                     f"model.embedding_dimension = {numbers}, train.batch_size = 256, train.epoch = 2, train.test_size = 0, "
                     "job.where = 'kubernetes', job.max_workers = 2, job.worker_cpu = 0.1, "
                     f"job.worker_memory = '{worker_memory}', job.ps_cpu = 0.1, job.ps_memory = '{ps_memory}' "
                     "LABEL clicked INTO many_model")
        self.check_tables_go()

    def told(self, reason):
        return " ".join(event["message"] for event in self.api.get(f"{self.path}/events")["items"]
                        if event["reason"] == reason)

    def test_a_server_whose_rows_have_no_room_is_started_with_more(self):
        self.train_on_many(128, "512Mi", "16Mi")
        self.assertRegex(self.told("ServerOutOfMemory"),
                         "server [01] ran out of its (96|192) MiB, it is started again with (192|384) MiB")

    def test_twice_the_servers_are_started_where_the_namespace_gives_no_pod_more(self):
        """A Pod of 264 MiB: the master has as much."""
        self.apply(json.dumps({"apiVersion": "v1", "kind": "LimitRange", "metadata": {
            "name": "small", "namespace": self.space}, "spec": {"limits": [{"type": "Container", "max": {"memory": "264Mi"}}]}}))
        self.train_on_many(512, "256Mi", "100Mi")
        self.assertIn("4 servers are asked for where 2 have the rows", self.told("ServersFull"))
        self.assertIn("from 2 to 4 servers, as totrain.dev/servers says", self.told("Scaled"))


if __name__ == "__main__":
    harness.main()
