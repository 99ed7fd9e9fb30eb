"""Four statements whose API server is killed every five seconds from their begin on: all four have their models, and no
pod or table is left.

TOTRAIN_RESTARTS: how many times it is killed (6; 60 in the full run, which are five minutes).
"""

import contextlib
import os
import signal
import threading

import harness
import test_train
import watched
from harness import Stopwatch, wait_for

RESTARTS = int(os.environ.get("TOTRAIN_RESTARTS", "60" if harness.FULL else "6"))
EVERY_S = 5
STATEMENTS = 4
EPOCHS = 6 + 4 * RESTARTS  # two paced workers take some 3 s for each: no statement ends before the last restart
TRAIN = ("SELECT * FROM points TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.test_size = 0, train.epoch = {epochs}, "
         "train.batch_size = 1000, job.lanes = 4, job.checkpoint_seconds = 2{more} LABEL class INTO {model};")
CLUSTER = ", job.where = 'kubernetes', job.max_workers = 2, job.worker_cpu = 0.05, job.worker_memory = '128Mi'"


class Restarts(test_train.Case):
    def test_four_statements_outlive_an_api_server_that_restarts_all_the_time(self):
        self.server.execute(f"ALTER SYSTEM SET totrain.images = '{test_train.PACED}'")
        self.server.execute("SELECT pg_reload_conf()")
        pods = watched.Watched(self.lab, self.space)
        self.addCleanup(pods.close)
        watch, begun = Stopwatch(), [self.begin(f"model_{number}") for number in range(STATEMENTS)]
        self.restart([thread for thread, _ in begun])
        self.report("four statements whose API server restarts: they have lived for", watch.read())

        def have_ended():
            hurry(pods)
            return not any(thread.is_alive() for thread, _ in begun)
        wait_for(have_ended, "the end of all statements", test_train.DEADLINE)
        self.report("and have ended after", watch.read())
        for _, done in begun:
            self.assertEqual(done["done"].returncode, 0, done["done"].stderr)
        self.check_models()
        wait_for(lambda: not self.running_pods(), "the jobs' pods to end")
        self.check_tables_go()

    def begin(self, model):
        """A statement in a psql of its own."""
        done = {}

        def run():
            done["done"] = self.psql(TRAIN.format(epochs=EPOCHS, more=CLUSTER, model=model))
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        return thread, done

    def restart(self, statements):
        watch, longest = Stopwatch(), 0
        for number in range(RESTARTS):
            wait_for(lambda number=number: watch.read() >= EVERY_S * number, "the time of the next restart")
            self.assertTrue(all(thread.is_alive() for thread in statements), "a statement has ended")
            self.lab.kill("kube-apiserver")
            away = Stopwatch()
            wait_for(self.api.answers, "the API server")
            longest = max(longest, away.read())
        self.report("the API server was killed, times", RESTARTS)
        self.report("it was away for at most", longest)

    def check_models(self):
        self.server.execute("SELECT count(*) FROM totrain.run($$" + TRAIN.format(epochs=EPOCHS, more="", model="here") + "$$)")
        for number in range(STATEMENTS):
            self.assertEqual(self.digest(f"model_{number}"), self.digest("here"))

    def running_pods(self):
        """A Job that has ended keeps its master's pod, with the log."""
        return [found for found in self.pods() if found["status"]["phase"] in ("Pending", "Running")]


def hurry(pods):
    """The workers are not paced any more."""
    for pod in pods.pods(role="worker"):
        run = pod.run()
        if run:
            with contextlib.suppress(ProcessLookupError):
                run.send(signal.SIGUSR1)


if __name__ == "__main__":
    harness.main()
