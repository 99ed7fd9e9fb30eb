"""Parameter servers as real processes: alone, and as children of a supervisor.

    test_servers.py JOB_ROLES IRIS_CSV
"""

import os
import pathlib
import signal
import socket
import tempfile
import unittest

import job as harness
import network_roles
from test_scale import ask
from waiting import wait_for

EPOCHS = harness.LONG


class AloneTest(unittest.TestCase):
    """`totrain ps` with its lifeline in our hands; where its master listens, there are we."""

    def setUp(self):
        network_roles.PROGRAM = harness.PROGRAM
        self.temporary = tempfile.TemporaryDirectory(prefix="totrain-servers.")
        self.folder = pathlib.Path(self.temporary.name) / "17"
        harness.make_folder(self.folder, "clicks", None, 2, 1, 20, 1, 16, servers=2)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{self.temporary.name}/master")
        self.listener.listen()
        self.listener.settimeout(network_roles.DEADLINE)

    def tearDown(self):
        self.listener.close()
        self.temporary.cleanup()

    def start(self, index=0, incarnation=0):
        server = network_roles.Role(
            "ps", self.folder, "--index", index, "--incarnation", incarnation,
            "--master", f"unix:{self.temporary.name}/master",
            "--listen", f"unix:{self.temporary.name}/s{index}.{incarnation}")
        self.addCleanup(server.stop)
        return server

    def hear(self, address):
        """The address where the next process that connects listens: it says it first."""
        connection = self.listener.accept()[0]
        connection.settimeout(network_roles.DEADLINE)
        said = b""
        while address.encode() not in said:
            more = connection.recv(65536)
            self.assertTrue(more, said)
            said += more
        with socket.socket(socket.AF_UNIX) as worker:
            worker.connect(address)
        return connection

    def test_a_server_opens_its_job_and_says_where_it_listens(self):
        server = self.start(1)
        server.wait_log("serves rows of")
        self.hear(f"{self.temporary.name}/s1.0").close()
        self.assertTrue((self.folder / "server-1" / "job.db").exists())
        self.assertFalse((self.folder / "server-0").exists())
        self.hear(f"{self.temporary.name}/s1.0").close()  # it looks for its master again
        server.stop()
        self.assertIn("the lifeline is closed", server.log.text())
        self.assertEqual(server.process.returncode, 3)

    def test_a_server_that_is_asked_to_go_says_so(self):
        server = self.start()
        self.hear(f"{self.temporary.name}/s0.0").close()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.end(), 0)
        self.assertEqual(server.said.text(), "leaving")

    def test_an_older_process_of_the_index_ends_by_itself(self):
        older = self.start()
        self.hear(f"{self.temporary.name}/s0.0").close()
        younger = self.start(incarnation=1)
        self.assertNotEqual(older.end(), 0)
        self.assertIn("leads the job now", older.log.text())
        self.assertIsNone(younger.process.poll())

    def test_rows_that_cannot_be_opened_are_told_to_the_master(self):
        (self.folder / "train.spool").unlink()
        server = self.start()
        connection = self.hear(f"{self.temporary.name}/s0.0")
        self.assertIsNone(server.process.poll())
        connection.close()
        server.stop()
        self.assertIn("train.spool", server.log.text())

    def test_an_index_that_the_job_has_not_is_refused(self):
        server = self.start(64)
        self.assertEqual(server.end(), 2)
        self.assertIn("parameter server 64 of a job that has 64 at most", server.log.text())


class ChildrenTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="totrain-servers.")
        self.addCleanup(temporary.cleanup)
        self.jobs = pathlib.Path(temporary.name)

    def job(self, **named):
        return harness.Job(self.jobs / "17", 2, least=1, epochs=EPOCHS, kind="clicks", servers=2, **named)

    @staticmethod
    def wait_for_server(job, index, other_than=None):
        def is_there():
            return job.pid_of("ps", index) not in (None, other_than)
        wait_for(is_there, f"server {index}")
        return job.pid_of("ps", index)

    def check_restarts(self, **named):
        """However it ends, another takes its place, and in the end nobody and nothing is left."""
        job = self.job(**named)
        for index, number in ((0, signal.SIGKILL), (1, signal.SIGTERM), (0, signal.SIGKILL)):
            server = self.wait_for_server(job, index)
            job.wait_for("progress", 1 + (job.last or {"step": 0})["step"])
            os.kill(server, number)
            self.wait_for_server(job, index, server)
        pids = list(job.children())
        self.assertEqual(job.end(), 0, job.last)
        self.assertTrue(harness.wait_until_gone(pids, harness.DEADLINE))
        self.assertIn("serves rows of", job.log())
        self.assertFalse(list(job.folder.glob("server-*")))

    def test_a_server_that_ends_is_started_again(self):
        self.check_restarts()

    def test_the_same_over_tcp(self):
        self.check_restarts(listen="tcp:127.0.0.1:0")

    @staticmethod
    def wait_for_moves(job, count):
        """Rows have moved so many times."""
        def moves():
            return job.query("SELECT detail FROM events WHERE event = 'moved' ORDER BY at, rowid")
        while len(moves()) < count:
            job.wait_for("progress")
        return moves()[-1][0]

    def check_another_number(self, **named):
        """2 -> 4 -> 1, while a server and the master are killed: the job ends with a model, and no server too
        many is left."""
        job = self.job(**named)
        self.wait_for_server(job, 1)
        job.wait_for("progress", 1)
        self.assertEqual(ask(job, "servers 4"), "ok")
        self.assertIn("4 servers have the rows", self.wait_for_moves(job, 1))
        job.wait_for("progress", 1 + job.last["step"])
        server = self.wait_for_server(job, 3)
        os.kill(server, signal.SIGKILL)
        self.wait_for_server(job, 3, server)
        job.wait_for("progress", 1 + job.last["step"])
        os.kill(job.pid_of("master"), signal.SIGKILL)
        self.assertEqual(ask(job, "servers 1"), "ok")
        self.assertIn("1 servers have the rows", self.wait_for_moves(job, 2))
        wait_for(lambda: not any(job.pid_of("ps", index) for index in (1, 2, 3)), "servers to end")
        job.wait_for("progress", 1 + job.last["step"])
        self.assertEqual((job.folder / "wanted_servers").read_text(), "2 1\n")
        self.assertEqual(job.end(), 0, job.last)
        self.assertTrue(job.digest())

    def test_another_number_of_servers_while_the_job_runs(self):
        self.check_another_number()

    def test_another_number_over_tcp(self):
        self.check_another_number(listen="tcp:127.0.0.1:0")

    def test_rows_leave_a_server_that_has_nearly_all_of_them(self):
        """One that is killed then goes on with those that are left to it."""
        job = self.job(pace="us=0,server_us=500,crowd=1")
        job.wait_for_event_row("balanced")
        server = self.wait_for_server(job, 0)
        os.kill(server, signal.SIGKILL)
        self.wait_for_server(job, 0, server)
        job.wait_for("progress", 1 + (job.last or {"step": 0})["step"])
        self.assertEqual(job.end(), 0, job.last)
        self.assertTrue(job.digest())

    def test_a_number_that_no_job_has_is_refused(self):
        job = self.job()
        job.wait_for("progress")
        self.assertIn("a job has 1 to 64 parameter servers, not 65", ask(job, "servers 65"))
        self.assertIn("not 0", ask(job, "servers 0"))
        job.process.stdin.write(b"cancel\n")
        job.process.stdin.flush()
        while job.event() is not None:
            pass
        self.assertEqual(job.process.wait(harness.DEADLINE), 130)
        job.close()

    def test_servers_end_with_a_job_that_is_cancelled(self):
        job = self.job()
        pids = [self.wait_for_server(job, index) for index in (0, 1)]
        job.process.stdin.write(b"cancel\n")
        job.process.stdin.flush()
        while job.event() is not None:
            pass
        self.assertEqual(job.process.wait(harness.DEADLINE), 130)
        self.assertTrue(harness.wait_until_gone(pids, harness.DEADLINE))
        job.close()


if __name__ == "__main__":
    harness.run()
