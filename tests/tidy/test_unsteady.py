"""tools/unsteady and tools/shake on a build folder of this test's, whose tests fail as often as it says."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Each fails as often as its file has lines yet, which it takes away one by one.
SCRIPT = 'if [ -s "$0" ]; then sed -i 1d "$0"; printf "%b" "$1"; exit 1; fi'
UNITTEST = ("FAIL: test_state (__main__.Case)\\n-----\\nTraceback (most recent call last):\\n  File x.py, line 3\\n"
            "AssertionError: 1 != 2\\n\\n-----\\nRan 1 test\\n")
CMOCKA = "[ RUN      ] a_ledger\\n[  ERROR   ] --- 0 != 0x1\\n[   LINE   ] --- x.c:3: error: Failure!\\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="totrain-unsteady.")
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.list = self.build / "unsteady.txt"
        self.list.write_text("# a comment\nother 0123 it failed\n")

    def make_suite(self, **tests):
        """name=(how often it fails from now on, what it says then)."""
        lines = []
        for name, (times, says) in tests.items():
            (self.build / name).write_text("again\n" * times)
            lines.append(f"add_test({name} sh -c [==[{SCRIPT}]==] {self.build / name} [==[{says}]==])\n")
        (self.build / "CTestTestfile.cmake").write_text("".join(lines))


class Unsteady(Case):
    def run_suite(self, **tests):
        self.make_suite(**tests)
        subprocess.run(["ctest", "--test-dir", self.build], capture_output=True, check=False)

    def unsteady(self, *command):
        return subprocess.run([ROOT / "tools" / "unsteady", "--list", self.list, self.build, *command], text=True,
                              capture_output=True, check=False)

    def entries(self):
        return self.list.read_text().splitlines()[2:]

    def test_what_passes_alone_is_named_and_counted(self):
        self.run_suite(steady=(0, ""), first=(1, UNITTEST), second=(1, CMOCKA))
        done = self.unsteady()
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = self.entries()
        self.assertRegex(first, "^first [0-9a-f]{12} test_state: AssertionError: 1 != 2$")
        self.assertRegex(second, "^second [0-9a-f]{12} 0 != 0x1$")
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("unsteady: ")],
                         [f"unsteady: {line}" for line in (first, second)])

    def test_a_second_entry_fails(self):
        for turn in (1, 2):
            self.run_suite(first=(1, CMOCKA))
            done = self.unsteady()
            self.assertEqual(done.returncode, turn - 1, done.stderr)
            self.assertEqual(len(self.entries()), turn)
        self.assertIn("for the second time: first. It is a fault to be mended", done.stderr)

    def test_what_fails_again_fails(self):
        self.run_suite(first=(1, CMOCKA), broken=(2, UNITTEST))
        done = self.unsteady()
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed again, alone: broken\n", done.stderr)
        self.assertEqual([line.split()[0] for line in self.entries()], ["first"])

    def test_the_command_that_runs_the_tests_is_given(self):
        self.run_suite(first=(1, CMOCKA))
        done = self.unsteady("sh", "-c", f"echo \"$@\" && ctest --test-dir {self.build} \"$@\"", "sh", "--parallel", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--parallel 1 --rerun-failed", done.stdout)

    def test_where_nothing_has_failed_nothing_is_run(self):
        self.run_suite(steady=(0, ""))
        done = self.unsteady()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no test has failed", done.stderr)
        self.assertEqual(self.entries(), [])


class Shake(Case):
    def shake(self, *words):
        return subprocess.run([ROOT / "tools" / "shake", "--build", self.build, *words], text=True, capture_output=True, check=False)

    def test_how_often_it_fails_and_what_it_says_first(self):
        self.make_suite(steady=(0, ""), first=(2, UNITTEST), first_other=(9, CMOCKA))
        done = self.shake("first", "st.*", "--times", "3")
        self.assertEqual(done.returncode, 1, done.stderr)
        kept = self.build / "shaken"
        self.assertEqual(done.stdout.splitlines(), [
            "steady: failed 0 of 3 times", "first: test_state: AssertionError: 1 != 2", f"    {kept / 'first.1'}",
            "first: failed 2 of 3 times"])
        self.assertEqual(sorted(path.name for path in kept.iterdir()), ["first.1", "first.2"])
        self.assertIn("AssertionError: 1 != 2", (kept / "first.2").read_text())

    def test_a_test_that_is_steady_passes(self):
        self.make_suite(steady=(0, ""))
        self.assertEqual(self.shake("steady", "--times", "2").returncode, 0)

    def test_a_name_of_no_test_is_refused(self):
        self.make_suite(steady=(0, ""))
        done = self.shake("stead")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no test of this build", done.stderr)


if __name__ == "__main__":
    unittest.main()
