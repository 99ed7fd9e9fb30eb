"""The fixture itself: servers side by side, and nothing of them left, however their test ends."""

import os
import signal
import subprocess
import sys
import unittest

import harness
from harness import Server, processes_of, wait_for, wait_until_nothing_runs

HOLDER = "from server import Server; s = Server(extension=False); print(s.folder, s.keeper.pid, flush=True); input()"


class Fixture(unittest.TestCase):
    def start_holder(self):
        """A process that holds a server, the server's folder, the keeper's id."""
        holder = subprocess.Popen([sys.executable, "-B", "-c", HOLDER], text=True, cwd=os.path.dirname(harness.__file__),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        self.addCleanup(holder.stdin.close)
        self.addCleanup(holder.stdout.close)
        folder, keeper = holder.stdout.readline().split()
        return holder, folder, int(keeper)

    def test_two_servers_side_by_side(self):
        with Server(extension=False) as one, Server(extension=False) as other:
            one.execute("CREATE DATABASE only_here")
            self.assertEqual(other.execute("SELECT * FROM pg_database WHERE datname = 'only_here'"), [])

    def test_a_killed_test_leaves_nothing(self):
        holder, folder, _ = self.start_holder()
        self.assertTrue(processes_of(folder))
        holder.kill()
        wait_until_nothing_runs(folder)
        self.assertFalse(os.path.exists(folder))

    def test_the_server_ends_with_a_killed_keeper(self):
        _, folder, keeper = self.start_holder()
        os.kill(keeper, signal.SIGKILL)
        wait_until_nothing_runs(folder)
        subprocess.run(["rm", "-r", folder], check=True)

    def test_a_killed_server_starts_again(self):
        with Server(extension=False) as server:
            server.execute("CREATE TABLE kept AS SELECT 1 AS x")
            server.stop(signal.SIGKILL)
            server.start()
            self.assertEqual(server.execute("SELECT x FROM kept"), [(1,)])

    def test_a_wrong_setting_is_reported(self):
        with self.assertRaisesRegex(RuntimeError, "max_connections"):
            Server({"max_connections": "many"}, extension=False)

    def test_the_command(self):
        done = subprocess.run([os.path.join(os.path.dirname(harness.__file__), "server.py"), "--without-extension",
                               "--set", "work_mem=7MB", "--run", "psql", "-XAtc", "SHOW work_mem"],
                              text=True, capture_output=True, check=False)
        self.assertEqual((done.stdout, done.returncode), ("7MB\n", 0), done.stderr)


if __name__ == "__main__":
    harness.main()
