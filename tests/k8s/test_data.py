"""Where the rows of a job on a cluster come from: a million of them, partitioned, to pods on both nodes."""

import os
import re
import subprocess

import harness
import test_train
import watched
from harness import wait_for
from test_train import Case
from training import DEADLINE, ROOT

ROWS = 1_000_000
FEATURES = 8
TRAIN = ("SELECT * FROM measured TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.test_size = 0, train.epoch = 2, "
         "train.batch_size = 4096, job.lanes = 8, job.min_workers = {workers}, job.max_workers = {workers}{more} "
         "LABEL class INTO {model};")
CLUSTER = ", job.where = 'kubernetes', job.worker_cpu = 0.1, job.worker_memory = '256Mi'"


def train(model, workers=4, more=CLUSTER):
    return TRAIN.format(model=model, workers=workers, more=more)


class Sessions(Case):
    """Statements in psql, and what their pods do meanwhile."""

    def start(self, statement):
        return subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", statement], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, **self.server.variables("postgres", "alice")})

    def worker_pods(self):
        """Those that have a node."""
        return [pod for pod in self.pods() if pod["metadata"]["labels"].get("totrain.dev/role") == "worker"
                and "nodeName" in pod["spec"]]

    def events(self, kind):
        return [detail for detail, in self.server.execute(
            f"SELECT detail FROM totrain.events WHERE event = '{kind}' AND job = (SELECT max(id) FROM totrain.jobs)")]

    def joined(self):
        """How often a worker joined those that train; one that stages has joined before, for its shards."""
        when = [at for at, in self.server.execute(
            "SELECT at FROM totrain.events WHERE event = 'staged' AND job = (SELECT max(id) FROM totrain.jobs)")]
        found, = self.server.execute("SELECT count(*) FROM totrain.events WHERE event = 'joined' AND job = "
                                     f"(SELECT max(id) FROM totrain.jobs) AND at > {max(when, default=0)}")[0]
        return found

    def check_ended(self, session):
        said, problems = session.communicate(timeout=DEADLINE)
        self.assertEqual(session.returncode, 0, said + problems + self.kubectl("get", "all,events").stdout)

    def share_taken(self, pods, workers):
        """The bytes of the job's rows that the workers took together to train, as a multiple of all of them, and the
        bytes of all. The worker that settled the staged rows took some, too, before."""
        lines = "\n".join(line for _, line in watched.logged(pods.pods(role="worker"))).rpartition("all rows are staged")[2]
        took = [(int(taken), int(size)) for taken, size in
                re.findall(r"took (\d+) bytes of (\d+) of the job's rows", lines)]
        self.assertEqual(len(took), workers, lines)
        size, = {size for _, size in took}
        return sum(taken for taken, _ in took) / size, size


class Rows(Sessions):
    """A million rows in partitions."""

    def make_measured(self):
        columns = ", ".join(f"x{i}" for i in range(FEATURES))
        self.server.execute(f"""
            CREATE TABLE measured (part int, class int, {columns.replace(",", " float8,")} float8) PARTITION BY LIST (part);
            CREATE TABLE measured_0 PARTITION OF measured FOR VALUES IN (0);
            CREATE TABLE measured_1 PARTITION OF measured FOR VALUES IN (1) PARTITION BY LIST (class);
            CREATE TABLE measured_1_0 PARTITION OF measured_1 FOR VALUES IN (0);
            CREATE TABLE measured_1_more (x0 float8, part int, class int, {columns[4:].replace(",", " float8,")} float8);
            ALTER TABLE measured_1 ATTACH PARTITION measured_1_more FOR VALUES IN (1, 2);
            CREATE TABLE measured_rest PARTITION OF measured DEFAULT;
            INSERT INTO measured SELECT g % 7 / 2, g % 3,
                {", ".join(f"sin(g * {i + 1}) + g % 3" for i in range(FEATURES))} FROM generate_series(1, {ROWS}) g;
            ANALYZE measured; GRANT SELECT ON measured TO alice""")

    def run_and_watch(self, statement):
        """The output of psql, and the workers' pods that were seen meanwhile."""
        session = self.start(statement)
        pods = {}

        def has_ended():
            pods.update({pod["metadata"]["name"]: pod for pod in self.worker_pods()})
            return session.poll() is not None
        wait_for(has_ended, "the end of the statement", DEADLINE)
        self.check_ended(session)
        return pods

    def check_spread(self, pods):
        self.assertEqual(len(pods), 4, sorted(pods))
        self.assertEqual({pod["spec"]["nodeName"] for pod in pods.values()}, {"node-1", "node-2"})
        self.assertEqual(self.joined(), 4)
        self.assertRegex(self.events("group")[0], "4 workers, 8 lanes")

    def check_taken_once(self, pods):
        """Together the workers took the job's input about once, unless lanes moved."""
        share, size = self.share_taken(pods, 4)
        self.report("taken by 4 workers together", f"{share:.3f} of {size} bytes")
        self.assertLessEqual(share, 1.2 * len(self.events("group")))

    def check_like_a_local_run(self, model):
        done = self.psql(train("here", workers=1, more=""))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(model), self.digest("here"))
        rows = self.server.execute(f"SELECT convert_from(data, 'UTF8')::json ->> 'rows' FROM {model} WHERE part = 'meta'")
        self.assertEqual(rows, [(str(ROWS),)])


class Staged(Rows):
    def test_a_million_partitioned_rows_are_learned_on_both_nodes(self):
        self.make_measured()
        seen = watched.Watched(self.lab, self.space)
        self.addCleanup(seen.close)
        watch = harness.Stopwatch()
        pods = self.run_and_watch(train("there"))
        self.report("a million rows, 4 workers on 2 nodes: statement to model", watch.read())
        self.check_spread(pods)
        self.check_taken_once(seen)
        self.check_like_a_local_run("there")
        self.check_tables_go()


class Direct(Rows):
    def test_the_same_rows_are_read_by_the_pods_themselves(self):
        self.make_measured()
        direct = CLUSTER + ", job.read = 'direct'"
        done = self.psql(train("there", more=direct))
        self.assertIn("HINT:  GRANT SELECT ON public.measured TO totrain_pod;", done.stderr)
        self.server.execute("GRANT SELECT ON measured TO totrain_pod")
        watch = harness.Stopwatch()
        pods = self.run_and_watch(train("there", more=direct))
        self.report("the same, read by the pods themselves", watch.read())
        self.check_spread(pods)
        self.check_like_a_local_run("there")
        self.check_tables_go()


class Late(Sessions):
    def test_the_example_of_the_page(self):
        page = (ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
        example, = [text for text in re.findall(r"^```sql\n(.*?)^```$", page, re.M | re.S) if "job.read = 'direct'" in text]
        grant, comment, more, statement = re.fullmatch(r"(GRANT .*?;) *(--.*?)\n(GRANT .*;)\n(SELECT .*;)\n",
                                                       example).groups()
        self.assertIn("once", comment)
        refused = self.psql(statement)
        self.assertIn("HINT:  " + grant.replace("points", "public.points"), refused.stderr)
        self.server.execute(f"{grant} {more}")
        done = self.psql(statement)
        self.assertEqual(done.returncode, 0, done.stderr)
        local, count = re.subn(r", job\.(where|read|worker_cpu|worker_memory) = [^,]*?(?=,| LABEL)", "", statement)
        self.assertEqual(count, 4, local)
        done = self.psql(local.replace("points_model", "here"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest("points_model"), self.digest("here"))

    def test_a_pod_that_comes_late_learns_from_the_rows_that_are_staged(self):
        """Its table has none of them any more."""
        self.server.execute("GRANT SELECT ON points TO totrain_pod")
        done = self.psql(test_train.train("here", 1500, more=""))
        self.assertEqual(done.returncode, 0, done.stderr)
        session = self.start(test_train.train("there", 1500, test_train.CLUSTER + ", job.read = 'direct'"))
        wait_for(lambda: self.server.execute("SELECT 1 FROM totrain.jobs WHERE state = 'running' AND step > 20 "
                                             "AND workers = 4"), "a job of four workers that runs")
        self.server.execute("DELETE FROM points")
        name = self.worker_pods()[0]["metadata"]["name"]
        self.api.delete(f"{self.path}/pods/{name}", 0)
        self.check_ended(session)
        self.assertEqual(self.digest("there"), self.digest("here"))
        self.assertEqual(self.joined(), 5)


if __name__ == "__main__":
    harness.main()
