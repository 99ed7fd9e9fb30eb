"""The common parts of the tests of the program on PostgreSQL: totrain postgres://... with a state of its own."""

import json
import os
import signal
import subprocess
import tempfile

import harness
from harness import DEADLINE

PROGRAM = str(harness.BUILD / "totrain")


class Case(harness.Case):
    settings = {}
    pace = None  # pace of jobs, also of programs that are started from then on

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="totrain-cli-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(harness.end_processes_of, folder.name)  # a job that nobody waits for still writes into it
        self.folder = folder.name

    def environment(self, user=harness.SUPERUSER):
        return {**os.environ, **self.server.variables(self.database, user), "TOTRAIN_STATE": self.folder,
                "LC_ALL": "C.UTF-8", **({"TOTRAIN_PACE": self.pace} if self.pace else {})}

    def run_program(self, *words, address="postgres://", user=harness.SUPERUSER, **options):
        return subprocess.run([PROGRAM, address, *words], text=True, capture_output=True, check=False,
                              timeout=4 * DEADLINE, env=self.environment(user), **options)

    def check(self, sql, **options):
        """Rows of the last statement."""
        done = self.run_program("--format", "json", "-c", sql, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = done.stdout.strip()
        return json.loads(found[found.rindex("\n[") if "\n[" in found else 0:]) if found else []

    def refused(self, sql, status, *messages, **options):
        done = self.run_program("-c", sql, **options)
        for message in messages:
            self.assertIn(message, done.stderr)
        self.assertEqual(done.returncode, status, done.stderr)

    def started(self, *words):
        program = subprocess.Popen([PROGRAM, "postgres://", *words], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment())
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def hurried(self, program):
        """All that is to be done to its job is done; what it says."""
        while True:
            harness.hurry(self.folder)
            try:
                return program.communicate(timeout=.1)[1]
            except subprocess.TimeoutExpired:
                pass

    def check_interrupted(self, program):
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=DEADLINE)
        self.assertEqual(program.returncode, 130, errors)
        self.assertIn("interrupted", errors)
