"""The program that is installed knows nothing of fault points and paces.

    test_shipped.py JOB_ROLES IRIS_CSV BUILD
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop())
ROLES, CSV = sys.argv[1:3]
DEADLINE = 60
NAMES = (b"TOTRAIN_FAULT", b"TOTRAIN_PACE", b"TOTRAIN_HANG", b"TOTRAIN_TRACE")


class ShippedTest(unittest.TestCase):
    def run_job(self, program):
        """The supervisor of a job of two workers, whom this environment kills and slows down."""
        environment = {**os.environ, "TOTRAIN_FAULT": "role=master,point=end_before", "TOTRAIN_PACE": "us=100"}
        with tempfile.TemporaryDirectory(prefix="totrain-shipped.") as temporary:
            folder = pathlib.Path(temporary) / "1"
            folder.mkdir()
            subprocess.run([ROLES, "make", CSV, folder, "2", "1", "20", "0", "16"], check=True)
            with subprocess.Popen([program, "supervise", folder], env=environment, stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as job:
                code = job.wait(DEADLINE)  # its standard input stays open: that is its lifeline
            return code, (folder / "log").read_text(encoding="utf-8")

    def test_it_does_not_have_their_names(self):
        shipped, tested = (path.read_bytes() for path in (BUILD / "ship" / "totrain", BUILD / "totrain"))
        for name in NAMES:
            with self.subTest(name=name):
                self.assertNotIn(name, shipped)
                self.assertIn(name, tested)

    def test_a_job_in_their_environment_learns_undisturbed(self):
        code, log = self.run_job(BUILD / "ship" / "totrain")
        self.assertEqual((code, log.count(" done: ")), (0, 1), log)
        code, log = self.run_job(BUILD / "totrain")
        self.assertEqual(code, 1, "the program of the tests is not disturbed either")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
