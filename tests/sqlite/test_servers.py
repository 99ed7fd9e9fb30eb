"""Jobs over parameter servers, from the statement: they learn, whoever is killed; and what they make of rows and settings
of which nobody thinks. That they learn as well as workers that sum is a claim about many jobs: TOTRAIN_QUALITY_RUNS says
how many of each kind there are, and from 20 on it is checked (`make test-full`)."""

import os
import random
import signal
import sqlite3
import subprocess
import threading

import harness
import click_table
import intervals

MODELS = ("DNNLinearCombined", "DeepFM", "DCN", "XDeepFM")
ROWS = 100000 // harness.SLOW
RUNS = int(os.environ.get("TOTRAIN_QUALITY_RUNS", "1"))
NEAR = .003  # difference of the AUC: P3
LEARNED = .8  # the AUC of a model that has learned; workers that sum come above .85
KILLS = 8 if harness.SLOW == 1 else 3
ROLES = (b"master", b"worker", b"ps")
LEARNING = f"train.epoch = {3 if harness.SLOW == 1 else 12}"  # until the models are at their best
ASYNCHRONOUS = f"{LEARNING}, job.strategy = 'ps', job.ps = 2, job.max_workers = 4, job.min_workers = 1, job.staleness = 8"
SEED = 7


class ServersCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def make(self, rows, table="clicks"):
        self.database.execute(f"CREATE TABLE {table} (ad TEXT, site TEXT, x REAL, z REAL, clicked TEXT)")
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", rows)
        self.database.execute("COMMIT")

    def train(self, more, table="clicks", model="DeepFM", columns="", label="clicked", into="m"):
        """The statement's output; within a deadline, as a job that hangs is what these tests are for."""
        over = threading.Timer(4 * harness.DEADLINE, self.database.interrupt)
        over.start()
        try:
            return self.run_all(f"SELECT * FROM {table} TO TRAIN {model}Classifier WITH {more} {columns} LABEL {label} INTO {into}")
        finally:
            over.cancel()

    @staticmethod
    def auc(rows):
        value, = [row[1] for row in rows if row[0] == "AUC" and row[2] == "validation"]
        return float(value)


class Quality(ServersCase):
    def kill_somebody(self, draw):
        """A role of the job; whether one was there."""
        pids = {}
        for pid in harness.processes_of(self.state):
            words = harness.command_of(pid).split(b"\0")
            if words[1:2] and words[1] in ROLES:
                pids.setdefault(words[1], []).append(pid)
        if not pids:
            return False
        try:
            os.kill(draw.choice(sorted(pids[draw.choice(sorted(pids))])), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def steps_rise(self, job):
        """A sign of life from after the last kill; when a server is lost they fall first."""
        def step():
            rows = self.run_all("SELECT step FROM totrain_jobs WHERE id = ?", job)
            return rows[0][0] if rows else 0
        before = [step()]

        def have_risen():
            now = step()
            if now > before[0]:
                return True
            before[0] = now
            return False
        harness.wait_for(have_risen, "progress")

    def disturbed(self, model, draw):
        before = {row[0] for row in self.run_all("SELECT id FROM totrain_jobs")}
        self.pace(5e6 / ROWS * 4)  # an epoch of five seconds
        statement = (f"SELECT * FROM clicks TO TRAIN {model}Classifier WITH {ASYNCHRONOUS}, job.checkpoint_seconds = 0.3 "
                     "LABEL clicked INTO disturbed;")
        process = subprocess.Popen([harness.PROGRAM, self.path, "--progress=none", "--format=csv", "-c", statement],
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        job = harness.wait_for(lambda: {row[0] for row in self.run_all("SELECT id FROM totrain_jobs")} - before, "a job").pop()
        kills = 0
        while kills < KILLS:
            self.steps_rise(job)
            self.steps_rise(job)
            kills += self.kill_somebody(draw)
        self.hurry(lambda: process.poll() is not None, "the end of the statement")
        out, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)
        return self.auc([line.split(",") for line in out.splitlines()[1:]])

    def test_it_is_learned_whoever_is_killed(self):
        self.make(click_table.rows(ROWS))
        draw = random.Random(SEED)
        for model in MODELS:
            with self.subTest(model=model):
                wanted = self.auc(self.train(f"{LEARNING}, job.max_workers = 1", model=model))
                self.assertGreater(wanted, .85)
                self.check_learned(wanted, [self.auc(self.train(ASYNCHRONOUS, model=model)) for _ in range(RUNS)])
                self.check_learned(wanted, [self.disturbed(model, draw) for _ in range(RUNS)])

    def check_learned(self, wanted, found):
        print(f"AUC {wanted:.4f}, over servers {', '.join(f'{auc:.4f}' for auc in found)}")
        self.assertGreater(min(found), LEARNED)
        if RUNS >= 20:
            least, most = intervals.of_difference(found, [wanted] * RUNS)
            self.assertTrue(-NEAR < least and most < NEAR, f"{least:+.5f} to {most:+.5f}")


class Steps(ServersCase):
    def test_all_workers_in_step_make_the_same_bits(self):
        self.make(click_table.rows(6000))
        found = []
        for number, (workers, servers) in enumerate(((1, 1), (3, 2), (2, 4))):
            rows = self.train(f"job.sync = true, train.epoch = 2, train.batch_size = 64, job.ps = {servers}, "
                              f"job.max_workers = {workers}, job.min_workers = {workers}", into=f"m{number}")
            tensors = self.run_all(f"SELECT part, name, position, value, data FROM m{number} WHERE part = 'tensor'")
            self.assertGreater(len(tensors), 4)
            found.append((self.auc(rows), tensors))
        self.assertGreater(found[0][0], .8)
        self.assertEqual(found[1], found[0])
        self.assertEqual(found[2], found[0])


class Oddities(ServersCase):
    PS = "job.strategy = 'ps', train.epoch = 2"

    def setUp(self):
        super().setUp()
        self.make(click_table.rows(3000))

    def refused(self, message, more=PS, **named):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.train(more, **named)
        self.assertFalse([pid for pid in harness.processes_of(self.state)
                          if harness.command_of(pid).split(b"\0")[1] in ROLES])

    def test_labels_that_tell_nothing(self):
        self.refused("is NULL in 3000 of 3000 rows", table="(SELECT ad, site, x, NULL AS clicked FROM clicks)")
        self.refused("is NULL in 1000 of 3000 rows",
                     table="(SELECT ad, site, iif(rowid % 3 = 0, NULL, clicked) AS clicked FROM clicks)")
        self.refused('has only the value "yes"', table="(SELECT ad, site, x, 'yes' AS clicked FROM clicks)")
        self.refused("returned no rows", table="(SELECT * FROM clicks LIMIT 0)")

    def test_few_rows_many_workers_and_many_servers(self):
        few = "(SELECT * FROM clicks LIMIT {})"
        for rows, more in ((5, ""), (5, ", job.max_workers = 8, job.min_workers = 8"), (5, ", job.ps = 64"),
                           (100, ", train.batch_size = 1000, job.max_workers = 4"),
                           (200, ", train.batch_size = 1, job.max_workers = 3, job.min_workers = 3")):
            with self.subTest(rows=rows, more=more):
                facts = harness.facts(self.train(self.PS + more, table=few.format(rows)))
                self.assertIn("AUC", facts)

    def test_bounds_of_staleness(self):
        for staleness in (0, 1, 1024):
            with self.subTest(staleness=staleness):
                self.train(f"{self.PS}, job.staleness = {staleness}, job.max_workers = 4, job.min_workers = 4")
        for staleness in (-1, 1025):
            self.refused("job.staleness takes a whole number from 0 to 1024", f"{self.PS}, job.staleness = {staleness}")
        for servers in (0, 65):
            self.refused("job.ps takes a whole number from 1 to 64", f"{self.PS}, job.ps = {servers}")

    def test_columns_that_tell_little(self):
        for columns in ("iif(rowid % 2, ad, NULL) AS ad, iif(rowid % 3, x, NULL) AS x, NULL AS z", "NULL AS ad, NULL AS x", "'a' AS ad",
                        "ad, 1e300 * x AS x"):
            with self.subTest(columns=columns):
                self.train(self.PS, table=f"(SELECT {columns}, clicked FROM clicks)")
        self.refused("an infinite number", table="(SELECT ad, 9e999 AS x, clicked FROM clicks)")
        self.train(self.PS, table="(SELECT x, z, clicked FROM clicks)", model="DNNLinearCombined")

    def test_a_rate_at_which_numbers_grow_without_end(self):
        self.refused("learning went to numbers that are not finite in shard",
                     f"{self.PS}, model.optimizer = 'SGD', optimizer.learning_rate = 100")

    def test_layers_that_no_message_holds(self):
        for units in (4084, 4090):
            self.refused("numbers of the parameter servers, which is too many",
                         f"{self.PS}, job.ps = 1, dnn_hidden_units = [{units}, {units}]")

    def test_more_rows_than_the_servers_have_memory_for(self):
        self.make(((f"w{i % 20000}", None, 0, 0, "yes" if i % 3 else "no") for i in range(60000)), "many")
        self.refused("memory", f"{self.PS}, job.ps_memory = '16Mi', model.embedding_dimension = 512", table="many",
                     columns="COLUMN VOCABULARY(ad, 20000), x")


if __name__ == "__main__":
    harness.main()
