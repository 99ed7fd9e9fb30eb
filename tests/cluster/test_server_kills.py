"""Jobs over parameter servers under kills of everybody: each ends, with each batch counted once, and with as good a model.

    test_server_kills.py JOB_ROLES IRIS_CSV

Pushes come in another order each time, so no digest is the oracle: each server says at its end what is in its rows, and the
held-out rows of a table of clicks are told apart. That they are told apart as well as by a job that nobody disturbs is a
claim about many jobs: tests/quality/asynchronous.py.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import tempfile
import unittest

import job as harness
import click_table
import network_roles
from test_scale import ask
from waiting import hurry_processes, state_of, wait_for

ROWS = 20000
EPOCHS = 6
BATCH = 100
KILLS = 100
# Under sanitizers, where a kill costs ten times as much, a quarter of them looks at the same code.
SHARE = 4 if harness.SLOW > 1 else 1
SEED = 20241127
LEARNED = .8  # the AUC of a model that has learned; of those that nobody disturbs it is above .85
SECONDS = 8  # time that a job lasts at least, until everybody has been killed
TURNS = 30  # turns of a worker, at most, between a sign of progress and a kill: some ten batches
THAWS_AFTER = 8  # turns of the master: less than it waits for somebody who is silent
COUNTED = re.compile(r"server/(\d+).* has counted (\d+) batches, (\d+) to (\d+) batches of each of (\d+) shards; (\d+) came again")


def pace_of(seconds, workers):
    return f"us={seconds * 1e6 * workers / EPOCHS / ROWS / .8}"


class ServersCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="totrain-servers.")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.csv = cls.folder / "clicks.csv"
        click_table.write(cls.csv, ROWS)
        cls.count = 0

    @staticmethod
    def changes():
        return {"training": {"batch_size": BATCH, "metrics": ["AUC"]}, "optimizer": {"learning_rate": .003},
                "job": {"staleness": 8}}

    @classmethod
    def job(cls, workers=3, servers=2, checkpoint=.3, seconds=SECONDS, paced=True, **named):
        cls.count += 1
        return harness.Job(cls.folder / str(cls.count), workers, least=1, epochs=EPOCHS, csv=cls.csv, kind="machine",
                           checkpoint=checkpoint, servers=servers, changes=cls.changes(),
                           pace=pace_of(seconds, workers) if paced else None, **named)

    @staticmethod
    def auc_of(job):
        return job.query("SELECT validation FROM result WHERE name = 'AUC'")[0][0]

    def check_counted(self, job, servers=2):
        """Each batch of each shard, in each server, once; how many came again."""
        shards, = {int(detail.split()[1]) for detail, in
                   job.query("SELECT detail FROM events WHERE event = 'collecting'")}
        most_of = {}  # one that is started when all is learned goes on from an older snapshot
        for index, *numbers in COUNTED.findall(job.log()):
            most_of[int(index)] = max(list(map(int, numbers)), most_of.get(int(index), [0]))
        self.assertEqual(sorted(most_of), list(range(servers)), job.log())
        for batches, least, most, counted, _ in most_of.values():
            self.assertEqual((least, counted), (most, shards))
            self.assertEqual(batches, shards * least)
            self.assertGreaterEqual(batches, EPOCHS * ROWS * .8 / BATCH)
        return sum(numbers[-1] for numbers in most_of.values())

    def check_done(self, job, servers=2, is_counted=True):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.last["event"], "done")
        again = self.check_counted(job, servers) if is_counted else 0
        self.assertGreater(self.auc_of(job), LEARNED)
        self.assertFalse(list(job.folder.glob("server-*")))
        return again

    @staticmethod
    def wait_for_more(job):
        """Progress that the books do not have yet."""
        job.wait_for("progress")
        job.wait_for("progress", job.query("SELECT step FROM job")[0][0] + 1)

    def wait_for_server(self, job, index, other_than=None):
        def is_there():
            return job.pid_of("ps", index) not in (None, other_than)
        wait_for(is_there, f"server {index}")
        return job.pid_of("ps", index)

    @staticmethod
    def wait_for_snapshots(job, servers=2):
        """One of each."""
        def has_one(index):
            try:
                store = sqlite3.connect(f"file:{job.folder}/server-{index}/job.db?mode=ro", uri=True)
                rows = store.execute("SELECT * FROM checkpoint").fetchall()
                store.close()
            except sqlite3.OperationalError:
                return False
            return bool(rows)
        for index in range(servers):
            wait_for(lambda index=index: has_one(index), f"a snapshot of server {index}")


class RandomKills(ServersCase):
    def kill_somebody(self, job, draw):
        """The role that was killed, None where nobody was."""
        try:
            job.pass_turns(draw.randrange(TURNS))
            children = job.children()
        except OSError:
            return None  # the supervisor is at its end
        if not children:
            return None
        # By role first: else it is workers nearly always.
        role = draw.choice(sorted(set(children.values())))
        pid = draw.choice(sorted(pid for pid, its in children.items() if its == role))
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return None
        return role

    def disturb(self, job, draw, most, killed):
        """Kills until the job has ended. Steps fall when a server comes back: a sign of life after a kill is that they
        rise, from an event to the next."""
        kills, before, rose = 0, None, 0
        while job.event() is not None and job.last["event"] not in ("done", "failed"):
            if kills >= most:
                job.hurry()
                continue
            if job.last["event"] != "progress":
                continue
            rose = rose + 1 if before is not None and job.last["step"] > before else rose
            before = job.last["step"]
            if rose < 2:
                continue
            role = self.kill_somebody(job, draw)
            if role:
                killed[role] = killed.get(role, 0) + 1
                kills, rose = kills + 1, 0
        return kills

    def test_random_kills_lose_no_batch_and_count_none_twice(self):
        draw, killed = random.Random(SEED), {}
        kills = jobs = again = 0
        most = KILLS // SHARE
        while kills < most:
            workers, servers = draw.randint(2, 4), draw.randint(1, 3)
            checkpoint = draw.choice((0, .2, .5))
            job = self.job(workers, servers, checkpoint)
            kills += self.disturb(job, draw, min(most - kills, 15), killed)
            jobs += 1
            with self.subTest(job=jobs, kills=kills, workers=workers, servers=servers, checkpoint=checkpoint):
                again += self.check_done(job, servers)
            self.assertLess(jobs, most, "jobs end before anybody can be killed")
        self.assertEqual(kills, most)
        self.assertEqual(set(killed), {"master", "worker", "ps"})
        print(f"{jobs} jobs, killed {killed}, {again} batches came again")


class Bursts(ServersCase):
    def test_several_at_once(self):
        draw = random.Random(SEED)
        for _ in range(max(4 // SHARE, 1)):
            workers, servers = draw.randint(2, 4), draw.randint(2, 3)
            job = self.job(workers, servers, draw.choice((0, .2)))
            for _ in range(5):
                self.wait_for_more(job)
                job.pass_turns(draw.randrange(TURNS))
                for pid in draw.sample(sorted(job.children()), draw.randint(2, 1 + workers + servers)):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                self.wait_for_more(job)
            with self.subTest(workers=workers, servers=servers):
                self.check_done(job, servers)


class Ends(ServersCase):
    """All is learned: what is collected, stored, measured and published meets kills, too."""

    POINTS = ("checkpoint_piece", "checkpoint_before", "checkpoint_after", "model_stored", "end_before", "end_stored")

    def test_a_master_killed_at_a_named_point(self):
        for point in self.POINTS:
            with self.subTest(point=point):
                job = self.job(paced=False, fault=f"role=master,attempt=0,point={point}")
                self.check_done(job)
                self.assertEqual(job.query("SELECT count(*) FROM events WHERE event = 'done'"), [(1,)])

    def test_a_worker_killed_while_it_measures(self):
        for index in (0, 1):
            with self.subTest(index=index):
                self.check_done(self.job(paced=False, fault=f"role=worker,index={index},attempt=0,point=publishing"))

    def measuring(self):
        """A job of which all is learned, and whose servers have ended."""
        job = self.job(1, paced=False, fault="role=worker,attempt=0,point=publishing,action=hold")
        wait_for(lambda: "learned: " in job.log(), "all to be learned")
        wait_for(lambda: job.pid_of("ps", 0) is None and job.pid_of("ps", 1) is None, "the end of the servers")
        return job

    def test_measuring_may_take_long(self):
        """The servers are not needed any more, and that they end is no failure."""
        job = self.measuring()
        os.kill(job.pid_of("worker"), signal.SIGUSR2)
        self.check_done(job)
        self.assertEqual(len(re.findall("server/0.* serves rows of", job.log())), 1)

    def test_what_was_learned_is_damaged_and_its_master_gone(self):
        """The servers come back, with their snapshots or without, and the worker goes back to them."""
        for damage in ("DELETE FROM checkpoint", "UPDATE checkpoint_pieces SET bytes = zeroblob(length(bytes))"):
            with self.subTest(damage=damage):
                job = self.measuring()
                with sqlite3.connect(job.folder / "job.db") as store:
                    self.assertGreater(store.execute(damage).rowcount, 0)
                os.kill(job.pid_of("master"), signal.SIGKILL)
                os.kill(job.pid_of("worker"), signal.SIGKILL)
                self.check_done(job)
                self.assertEqual(len(job.query("SELECT * FROM events WHERE event = 'learned'")), 2)

    def test_a_power_cut_at_a_named_point(self):
        for point in self.POINTS[:4]:
            with self.subTest(point=point):
                job = self.job(paced=False, fault=f"role=master,attempt=0,point={point},action=stop")
                job.wait_for_stop("master")
                job.end_everything()
                job.start()
                # All is stored, and the servers that come then have nothing to count.
                self.check_done(job, is_counted=point != "checkpoint_after")

    def test_servers_and_workers_killed_while_the_master_stores(self):
        for point in self.POINTS[:2]:
            with self.subTest(point=point):
                job = self.job(paced=False, checkpoint=0, fault=f"role=master,attempt=0,point={point},action=stop")
                job.wait_for_stop("master")
                for pid, role in job.children().items():
                    if role != "master":
                        os.kill(pid, signal.SIGKILL)
                self.check_done(job)


class Snapshots(ServersCase):
    NOT_STORED = re.compile(r"server/(\d+) warn.* checkpoint: ")
    GOES_ON = re.compile(r"server/(\d+).* goes on from (\d+) batches")

    def test_a_server_goes_on_from_its_snapshot(self):
        job = self.job(checkpoint=.1)
        self.wait_for_snapshots(job)
        for index in (0, 1):
            server = self.wait_for_server(job, index)
            os.kill(server, signal.SIGKILL)
            self.wait_for_server(job, index, server)
        self.check_done(job)
        found = self.GOES_ON.findall(job.log())
        self.assertEqual({index for index, _ in found}, {"0", "1"})
        self.assertGreater(min(int(batches) for _, batches in found), 0)

    def test_after_a_power_cut_the_job_goes_on_from_the_servers_snapshots(self):
        job = self.job(checkpoint=.1)
        self.wait_for_snapshots(job)
        job.wait_for("progress", EPOCHS * ROWS * .8 / BATCH / 4)
        job.end_everything()
        self.assertEqual(self.GOES_ON.findall(job.log()), [])
        job.start()
        self.check_done(job)
        found = {int(index): int(batches) for index, batches in self.GOES_ON.findall(job.log())}
        self.assertEqual(sorted(found), [0, 1])
        self.assertGreater(min(found.values()), 50)

    def test_power_cuts_one_after_another(self):
        job = self.job(checkpoint=.1)
        for _ in range(4):
            self.wait_for_snapshots(job)
            self.wait_for_more(job)
            job.end_everything()
            job.start(pace=job.pace)
        self.check_done(job)

    @staticmethod
    def flip(path):
        """Bits all over it."""
        content = bytearray(path.read_bytes())
        for at in range(5000, len(content), 1009):
            content[at] ^= 4
        path.write_bytes(content)

    def test_a_damaged_store_of_a_server_is_passed_over(self):
        damages = {"flipped": self.flip, "torn": lambda path: os.truncate(path, path.stat().st_size // 2 + 100),
                   "other": lambda path: path.write_bytes(b"something else" * 1000), "empty": lambda path: path.write_bytes(b""),
                   "gone": pathlib.Path.unlink}
        for name, damage in damages.items():
            with self.subTest(damage=name):
                job = self.job(checkpoint=.1)
                self.wait_for_snapshots(job)
                self.wait_for_more(job)
                job.end_everything()
                for file in (job.folder / "server-1").glob("job.db-*"):
                    file.unlink()
                damage(job.folder / "server-1" / "job.db")
                job.start()
                self.check_done(job)

    def test_without_snapshots_it_begins_again(self):
        job = self.job(checkpoint=0)
        job.wait_for("progress", 100)
        job.end_everything()
        job.start()
        self.check_done(job)
        self.assertEqual(self.GOES_ON.findall(job.log()), [])

    def test_a_full_disk_for_snapshots_does_not_end_the_job(self):
        job = self.job(checkpoint=.1, fault="role=server,index=1,attempt=0,point=checkpoint_piece,action=no_room")
        server = self.wait_for_server(job, 1)
        wait_for(lambda: self.NOT_STORED.findall(job.log()).count("1") > 1, "two snapshots that do not fit")
        self.wait_for_more(job)
        self.assertEqual(job.pid_of("ps", 1), server)
        self.assertEqual(set(self.NOT_STORED.findall(job.log())), {"1"})
        os.kill(server, signal.SIGKILL)  # the next one has room
        self.check_done(job)


    def test_a_disk_too_full_for_the_jobs_records_does_not_end_the_job(self):
        job = self.job(fault="role=master,point=records,attempt=0,action=no_room,step=3")  # one transaction, then there is room
        self.check_done(job)
        self.assertEqual(job.log().count("the disk is full: the job goes on, and keeps its records in memory"), 1)
        self.assertEqual(job.log().count("there is room for the job's records again"), 1)
        epochs = [epoch for epoch, in job.query("SELECT DISTINCT epoch FROM metrics ORDER BY epoch")]
        self.assertEqual(epochs, list(range(epochs[0], epochs[-1] + 1)))

    def test_a_master_whose_disk_was_full_to_its_death_is_followed_by_another(self):
        job = self.job(fault="role=master,point=records,attempt=0,action=no_room")
        wait_for(lambda: "the disk is full: the job goes on" in job.log(), "a refusal")
        job.wait_for("progress", 50)
        os.kill(job.pid_of("master", 0), signal.SIGKILL)
        self.check_done(job)


class Signals(ServersCase):
    def test_a_server_that_is_asked_to_go_leaves_a_snapshot(self):
        job = self.job(checkpoint=1000)  # no other one is made
        job.wait_for("progress", 100)
        server = self.wait_for_server(job, 1)
        os.kill(server, signal.SIGTERM)
        self.wait_for_server(job, 1, server)
        self.check_done(job)
        found = Snapshots.GOES_ON.findall(job.log())
        self.assertEqual([index for index, _ in found], ["1"])
        self.assertGreaterEqual(int(found[0][1]), 100)

    def test_workers_that_are_asked_to_go(self):
        job = self.job()
        for index in (0, 1, 2):
            self.wait_for_more(job)
            worker = job.pid_of("worker", index)
            os.kill(worker, signal.SIGTERM)
            wait_for(lambda index=index, worker=worker: job.pid_of("worker", index) not in (None, worker), "the next")
        self.check_done(job)
        self.assertEqual(len(job.query("SELECT * FROM events WHERE event = 'left'")), 3)

    def test_a_master_that_is_asked_to_go(self):
        job = self.job()
        job.wait_for("progress", 50)
        master = job.pid_of("master")
        os.kill(master, signal.SIGTERM)
        wait_for(lambda: job.pid_of("master") not in (None, master), "the next")
        self.check_done(job)

    def check_frozen(self, role, index):
        job = self.job(seconds=4 * SECONDS)
        job.wait_for("progress", 100)
        frozen = job.pid_of(role, index)
        os.kill(frozen, signal.SIGSTOP)
        wait_for(lambda: job.pid_of(role, index) not in (None, frozen), "the next")
        self.assertTrue(harness.wait_until_gone([frozen], harness.DEADLINE))
        if role != "master":
            name = "server" if role == "ps" else role
            job.eventually("SELECT role, \"index\" FROM events WHERE event = 'silent'", lambda rows: (name, index) in rows)
        self.check_done(job)

    def test_a_frozen_server_is_replaced(self):
        for index in (0, 1):
            with self.subTest(index=index):
                self.check_frozen("ps", index)

    def test_a_frozen_worker_is_replaced(self):
        self.check_frozen("worker", 1)

    def test_a_frozen_master_is_replaced(self):
        self.check_frozen("master", 0)

    def test_those_that_thaw_in_time_go_on(self):
        job = self.job()
        for role, index in (("ps", 0), ("ps", 1), ("worker", 0)):
            self.wait_for_more(job)
            pid = job.pid_of(role, index)
            os.kill(pid, signal.SIGSTOP)
            wait_for(lambda pid=pid: state_of(pid) == "T", "the stop")
            master = job.pid_of("master")
            wanted = harness.turns_of(master) + THAWS_AFTER
            wait_for(lambda master=master, wanted=wanted: harness.turns_of(master) >= wanted, "turns of the master")
            os.kill(pid, signal.SIGCONT)
        self.check_done(job)

    def test_workers_come_and_go_as_they_are_wanted(self):
        job = self.job(workers=4)
        for count in (1, 4, 2, 3):
            self.wait_for_more(job)
            self.assertEqual(ask(job, f"scale {count}"), "ok")
            wait_for(lambda count=count: list(job.children().values()).count("worker") == count, f"{count} workers")
            self.wait_for_more(job)
        self.check_done(job)

    def test_nobody_outlives_the_supervisor(self):
        job = self.job()
        job.wait_for("progress", 50)
        pids = list(job.children())
        job.process.kill()
        self.assertTrue(harness.wait_until_gone(pids, harness.DEADLINE))
        job.process.wait()
        job.close()

    def test_a_job_is_cancelled(self):
        job = self.job()
        job.wait_for("progress", 50)
        pids = list(job.children())
        job.process.stdin.write(b"cancel\n")
        job.process.stdin.flush()
        while job.event() is not None:
            pass
        self.assertEqual(job.process.wait(harness.DEADLINE), 130)
        self.assertTrue(harness.wait_until_gone(pids, harness.DEADLINE))
        # settled: the supervisor and all others have ended
        self.assertEqual(job.query("SELECT state FROM job"), [("cancelled",)])
        job.close()

    def test_over_tcp(self):
        job = self.job(listen="tcp:127.0.0.1:0")
        for role, index in (("ps", 0), ("worker", 1), ("master", 0), ("ps", 1)):
            self.wait_for_more(job)
            pid = job.pid_of(role, index)
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda role=role, index=index, pid=pid: job.pid_of(role, index) not in (None, pid), "the next")
        self.check_done(job)

    def test_more_workers_than_shards_and_a_bound_of_one_batch(self):
        job = self.job(workers=4, servers=3, paced=False)
        self.check_done(job, 3)


class Zombies(ServersCase):
    """Roles started by hand: nobody kills the one that is frozen, and it thaws beside the next one."""

    def role(self, name, *arguments):
        sockets = self.folder
        listen = f"unix:{sockets}/{name}"
        master = [] if name == "master" else ["--master", f"unix:{sockets}/master"]
        role = network_roles.Role(arguments[0], self.hand, *arguments[1:], *master, "--listen", listen,
                                  pace=pace_of(2 * SECONDS, 2))
        self.addCleanup(role.stop)
        return role

    def setUp(self):
        network_roles.PROGRAM = harness.PROGRAM
        self.hand = self.folder / "900"
        harness.make_folder(self.hand, "machine", self.csv, 2, 1, EPOCHS, .2, 16, 2, self.changes())
        self.addCleanup(shutil.rmtree, self.hand)
        self.master = self.role("master", "master")
        self.servers = [self.role(f"s{i}", "ps", "--index", i) for i in (0, 1)]
        self.workers = [self.role(f"w{i}", "worker", "--index", i) for i in (0, 1)]

    def is_store_free(self, index):
        try:
            store = sqlite3.connect(self.hand / f"server-{index}" / "job.db", timeout=0, isolation_level=None)
            store.execute("BEGIN IMMEDIATE")
            store.close()
        except sqlite3.OperationalError:
            return False
        return True

    def freeze(self, role, index, older):
        """Not while it writes into its store: here nobody ends it, and the next one would find the store locked."""
        while True:
            older.process.send_signal(signal.SIGSTOP)
            wait_for(lambda: state_of(older.process.pid) == "T", "the stop")
            if role != "ps" or self.is_store_free(index):
                return
            older.process.send_signal(signal.SIGCONT)

    def check_zombie(self, role, index):
        roles = {"ps": self.servers, "worker": self.workers}[role]
        step = self.master.wait_step(50)
        older = roles[index]
        self.freeze(role, index, older)
        roles[index] = self.role(f"{role}{index}.1", role, "--index", index, "--incarnation", 1)
        self.master.wait_step(step + 50)
        older.process.send_signal(signal.SIGCONT)
        if role == "ps":
            self.assertNotEqual(older.end(), 0)
            self.assertIn("leads the job now", older.log.text())
        else:  # it hears END, as another has its index
            self.assertEqual(older.end(), 0)
        hurry_processes([one.process.pid for one in (*self.servers, *self.workers)])
        self.assertEqual(self.master.end(), 0, self.master.log.text())
        for number, server in enumerate(self.servers):
            self.assertEqual(server.end(), 0)
            found = COUNTED.findall(server.log.text())
            self.assertEqual(len(found), 1, server.log.text())
            at, batches, least, most, shards, _ = map(int, found[0])
            self.assertEqual((at, least), (number, most))
            self.assertEqual(batches, shards * least)
        store = sqlite3.connect(self.hand / "job.db")
        auc = store.execute("SELECT validation FROM result WHERE name = 'AUC'").fetchone()[0]
        store.close()
        self.assertGreater(auc, LEARNED)

    def test_a_server_that_thaws_beside_the_next_one(self):
        self.check_zombie("ps", 0)

    def test_the_same_of_one_that_is_not_the_gate(self):
        self.check_zombie("ps", 1)

    def test_a_worker_that_thaws_beside_the_next_one(self):
        self.check_zombie("worker", 1)


if __name__ == "__main__":
    harness.run()
