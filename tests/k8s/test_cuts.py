"""A node loses its network for good at any time of a statement: psql has its model a little later, and nobody waits for
what the node still holds. TOTRAIN_CUTS: how many times at random (1; 30 in the full run).
"""

import os
import random
import statistics
import threading

import harness
import test_train
from harness import Stopwatch, wait_for

CUTS = int(os.environ.get("TOTRAIN_CUTS", "30" if harness.FULL else "1"))
LATER_S = 15  # than without: what the time-outs of the product make, the same on any machine

ROWS = 300000
TRAIN = ("SELECT * FROM many TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.test_size = 0, train.epoch = 36, "
         "train.batch_size = 2048, job.lanes = 8, job.max_workers = 4{more} LABEL class INTO {model};")
digests = {}  # digests of local runs, by attributes


def latest(usual):
    """Seconds that a statement may take longer with a cut than the `usual` ones without. What is done again is done by this
    machine, beside whatever else it has to do by then."""
    return LATER_S + 2 * usual


# The address of a worker that the server is sending rows to. It is looked for within the server, again and again: a
# worker may have its rows after a tenth of a second.
A_READER = """
    CREATE FUNCTION a_reader() RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
        address text;
    BEGIN
        WHILE clock_timestamp() < now() + interval '2 minutes' LOOP
            PERFORM pg_stat_clear_snapshot();
            SELECT host(client_addr) INTO address FROM pg_stat_activity WHERE usename = 'totrain_pod' AND state = 'active'
                AND query LIKE '%input_%' AND wait_event = 'ClientWrite' LIMIT 1;
            EXIT WHEN address IS NOT NULL;
        END LOOP;
        RETURN address;
    END $$"""


class Case(test_train.Case):
    def setUp(self):
        super().setUp()
        self.server.execute(f"CREATE TABLE many AS SELECT g % 3 AS class, g % 3 + sin(g) AS a, g % 3 * 2 + cos(g) AS b, "
                            f"g % 5 AS c, g % 7 AS d, sin(g * 2) AS e, cos(g * 3) AS f FROM generate_series(1, {ROWS}) g; "
                            "GRANT SELECT ON many TO alice")

    def expected(self, more):
        """The digest of a local run, for attributes of its own."""
        if more not in digests:  # the rows are those of all tests
            self.server.execute("SELECT count(*) FROM totrain.run($$" + TRAIN.format(more=more, model="here") + "$$)")
            digests[more] = self.digest("here")
        return digests[more]

    def begin(self, model, more=""):
        """psql in a thread, and its time."""
        outcome = {"expected": self.expected(more)}

        def run():
            watch = Stopwatch()
            outcome["done"] = self.psql(TRAIN.format(more=test_train.CLUSTER + more, model=model))
            outcome["seconds"] = watch.read()
        thread = threading.Thread(target=run)
        thread.start()
        return thread, outcome

    def end(self, begun, model):
        """How long the statement took."""
        thread, outcome = begun
        thread.join()
        self.assertEqual(outcome["done"].returncode, 0, outcome["done"].stderr + self.explain())
        self.assertEqual(self.digest(model), outcome["expected"])
        return outcome["seconds"]

    def pods_of(self, role):
        return [pod for pod in self.api.get(f"{self.path}/pods?labelSelector=totrain.dev/role={role}")["items"]
                if pod["status"]["phase"] == "Running"]

    def has_master(self, node):
        return any(pod["spec"]["nodeName"] == node for pod in self.pods_of("master"))

    def sessions(self, node):
        """Activity of the pods of that node, as the server has it."""
        number = int(node.rsplit("-", 1)[1])
        return self.server.execute("SELECT pid, state, wait_event, query, now() - state_change FROM pg_stat_activity WHERE usename = 'totrain_pod' AND "
                                   f"client_addr << '10.88.{number}.0/24'")

    def undisturbed(self):
        """Measured once for all tests."""
        if not hasattr(Case, "usual"):
            Case.usual = min(self.end(self.begin(f"whole_{number}"), f"whole_{number}") for number in range(2))
            self.report("a statement without a cut", Case.usual)
        return Case.usual

    def check_cut(self, begun, node, what, usual, model):
        """After the cut: the statement's time, then what the node held, which it does not know to be over."""
        seconds = self.end(begun, model)
        self.report(f"{what}: later than without", max(seconds - usual, 0))
        if seconds > usual + latest(usual):
            print(begun[1]["done"].stderr + self.explain())
        watch = Stopwatch()
        try:
            wait_for(lambda: not self.sessions(node) and not self.job_tables(), "the end of what the node holds")
        except AssertionError:
            print(self.sessions(node), self.job_tables(), (self.server.folder / "log").read_text()[-2000:])
            raise
        self.report(f"{what}: sessions and tables are gone after", watch.read())
        return max(seconds - usual, 0)

    def heal(self, node):
        self.lab.join(node)
        wait_for(lambda: self.lab.node_is_ready(self.lab.node(node)), f"{node} to be ready")
        wait_for(lambda: not self.pods_of("worker") and not self.pods_of("master"), "the end of all pods")


class Cuts(Case):
    """Cuts that concern everybody in the lab: no other test runs beside these."""

    def test_a_node_is_cut_off_while_the_server_sends_rows_to_it(self):
        """Without shuffle a worker takes eight mebibytes at a time, for which the server waits."""
        self.server.execute(A_READER)
        usual, begun = self.undisturbed(), self.begin("m", ", train.shuffle = false")
        ((address,),) = self.server.execute("SELECT a_reader()")
        node = f"node-{address.split('.')[2]}"
        self.cut(begun, node, "cut while it reads", usual, "m")

    def test_the_masters_node_is_cut_off_while_workers_step(self):
        """The session that follows the job makes the next master; the Job's controller would take 20 s."""
        usual, begun = self.undisturbed(), self.begin("m")
        master = wait_for(lambda: next((pod for pod in self.pods_of("master")
                                        if pod["metadata"]["name"].startswith("m-")), None), "a master")
        job = master["metadata"]["labels"]["totrain.dev/job"]
        wait_for(lambda: "training has started" in self.kubectl("describe", "job", job).stdout, "the first step")
        self.cut(begun, master["spec"]["nodeName"], "cut while workers step", usual, "m")
        self.assertIn("another master is started", begun[1]["done"].stderr)

    def cut(self, begun, node, what, usual, model):
        has_master = self.has_master(node)
        self.lab.cut(node)
        try:
            what = f"{what}, {'with' if has_master else 'without'} the master"
            later = self.check_cut(begun, node, what, usual, model)
        finally:
            self.heal(node)
        self.assertLess(later, latest(usual))
        return later

    def test_nodes_are_cut_off_at_random(self):
        draw = random.Random(int(os.environ.get("TOTRAIN_SEED", "13")))
        usual, later = self.undisturbed(), []
        while len(later) < CUTS:
            number = len(later)
            model, node = f"m_{number}", f"node-{draw.randint(1, 2)}"
            at, begun, watch = draw.uniform(0, usual), self.begin(model), Stopwatch()
            wait_for(lambda at=at, watch=watch: watch.read() >= at, "the time of the cut")
            if not begun[0].is_alive():  # the machine was slower when `usual` was measured
                usual = min(usual, self.end(begun, model))
                continue
            later.append(self.cut(begun, node, f"cut {number + 1} after {at:.1f} s", usual, model))
        self.assertLess(statistics.median(later), LATER_S + usual)


if __name__ == "__main__":
    harness.main()
