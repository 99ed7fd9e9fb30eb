"""Jobs whose lanes take steps together over parameter servers: the same bits, whoever works, whoever is killed, and
however many servers there are.

    test_server_steps.py JOB_ROLES IRIS_CSV
"""

import os
import random
import re
import signal

import job as harness
import network_roles
from test_scale import ask
from test_server_kills import EPOCHS, KILLS, RandomKills as KillsOfAnybody, SEED, SHARE, ServersCase
from waiting import wait_for

LANES = 4
GOES_ON = re.compile(r"server/(\d+).* goes on from (\d+) steps")
COUNTED = re.compile(r"server/(\d+).* has counted (\d+) steps, (\d+) to (\d+) batches of each of (\d+) shards; (\d+) came again")


class StepsCase(ServersCase):
    """The oracle is the digest of a job that nobody disturbs, of one worker and one server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.digest = harness.known(cls.undisturbed_digest, "digest", cls.csv, EPOCHS, cls.changes())

    @classmethod
    def undisturbed_digest(cls):
        job = cls.job(1, 1, paced=False)
        assert job.end() == 0, job.last
        return job.digest()

    @staticmethod
    def changes():
        changes = ServersCase.changes()
        changes["job"] = {"staleness": 0, "lanes": LANES}
        return changes

    def check_same(self, job):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest)
        self.assertFalse(list(job.folder.glob("server-*")))

    def events(self, job, event):
        return len(job.query(f"SELECT * FROM events WHERE event = '{event}'"))


class RandomKills(StepsCase):
    kill_somebody, disturb = KillsOfAnybody.kill_somebody, KillsOfAnybody.disturb

    def test_random_kills_change_no_bit(self):
        draw, killed, again = random.Random(SEED), {}, 0
        kills = jobs = 0
        most = KILLS // SHARE
        while kills < most:
            workers, servers = draw.randint(1, 5), draw.randint(1, 3)
            checkpoint = draw.choice((.2, .5, 60))  # the last: there is the log alone
            job = self.job(workers, servers, checkpoint)
            kills += self.disturb(job, draw, min(most - kills, 15), killed)
            jobs += 1
            with self.subTest(job=jobs, kills=kills, workers=workers, servers=servers, checkpoint=checkpoint):
                self.check_same(job)
                self.assertEqual(self.events(job, "anew"), 0)
            again += sum(int(found[-1]) for found in COUNTED.findall(job.log()))
            self.assertLess(jobs, most, "jobs end before anybody can be killed")
        self.assertEqual(kills, most)
        self.assertEqual(set(killed), {"master", "worker", "ps"})
        print(f"{jobs} jobs, killed {killed}, {again} pushes of lanes came again")


class Steps(StepsCase):
    def test_any_number_of_workers_and_servers(self):
        for workers, servers in ((1, 4), (2, 2), (3, 3), (6, 1)):
            with self.subTest(workers=workers, servers=servers):
                self.check_same(self.job(workers, servers, paced=False))

    def test_a_killed_server_loses_no_step_but_that_in_flight(self):
        """The lanes pushed again belong to the step that was on its way, of which each server has at most all."""
        job = self.job(2, 2, checkpoint=60)
        kills = 0
        for index in (0, 1, 0):
            server = self.wait_for_server(job, index)
            self.wait_for_more(job)
            os.kill(server, signal.SIGKILL)
            kills += 1
            self.wait_for_server(job, index, server)
            self.wait_for_more(job)
        self.check_same(job)
        log = job.log()
        self.assertEqual(len(GOES_ON.findall(log)), kills, log)
        self.assertGreater(min(int(steps) for _, steps in GOES_ON.findall(log)), 0)
        for *_, again in COUNTED.findall(log):
            self.assertLessEqual(int(again), kills * 2 * LANES)

    def test_all_servers_killed_at_once(self):
        job = self.job(2, 3, checkpoint=60)
        for _ in range(2):
            servers = [self.wait_for_server(job, index) for index in range(3)]
            self.wait_for_more(job)
            for server in servers:
                os.kill(server, signal.SIGKILL)
            for index, server in enumerate(servers):
                self.wait_for_server(job, index, server)
            self.wait_for_more(job)
        self.check_same(job)
        self.assertEqual(self.events(job, "anew"), 0)

    def test_after_a_power_cut_it_goes_on(self):
        job = self.job(2, 2, checkpoint=.2)
        self.wait_for_snapshots(job)
        self.wait_for_more(job)
        job.end_everything()
        job.start()
        self.check_same(job)
        self.assertEqual(len(GOES_ON.findall(job.log())), 2)

    def test_a_server_whose_store_is_gone_has_all_begin_anew(self):
        job = self.job(2, 2, checkpoint=.2)
        self.wait_for_snapshots(job)
        self.wait_for_more(job)
        job.end_everything()
        for file in (job.folder / "server-1").glob("job.db*"):
            file.unlink()
        job.start()
        self.check_same(job)
        self.assertEqual(self.events(job, "anew"), 1)

    def test_without_snapshots_there_is_no_log(self):
        job = self.job(2, 2, checkpoint=0)
        server = self.wait_for_server(job, 1)
        self.wait_for_more(job)
        os.kill(server, signal.SIGKILL)
        self.check_same(job)
        self.assertEqual(GOES_ON.findall(job.log()), [])
        self.assertGreaterEqual(self.events(job, "anew"), 1)

    def test_another_number_of_servers_changes_no_bit(self):
        """2 -> 4 -> 1, and each time all servers are killed as soon as the rows have moved: they go through the moves
        again by their logs, or have snapshots already."""
        job = self.job(2, 2, checkpoint=60, seconds=10 * EPOCHS)  # time enough: it is hurried at its end
        self.wait_for_more(job)
        for number, moves in ((4, 1), (1, 2)):
            self.assertEqual(ask(job, f"servers {number}"), "ok")
            while self.events(job, "moved") < moves:
                job.wait_for("progress")
            servers = [self.wait_for_server(job, index) for index in range(number)]
            for server in servers:
                os.kill(server, signal.SIGKILL)
            for index, server in enumerate(servers):
                self.wait_for_server(job, index, server)
            self.wait_for_more(job)
        wait_for(lambda: not any(job.pid_of("ps", index) for index in (1, 2, 3)), "servers to end")
        self.check_same(job)
        self.assertEqual(self.events(job, "anew"), 0)


if __name__ == "__main__":
    network_roles.PROGRAM = harness.PROGRAM
    harness.run()
