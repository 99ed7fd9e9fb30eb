"""The second day with a model (tests/second_day.py), in the stock sqlite3 from its first file to its last view."""

import math
import re
import sqlite3
import subprocess
import sys

import harness

sys.path.append(str(harness.pathlib.Path(__file__).resolve().parents[1]))
import second_day  # noqa: E402  pylint: disable=wrong-import-position


class SecondDay(harness.Case):
    def sqlite3(self, *lines, path=None, loads=True):
        """The output of the shell, in its mode list. An error fails the test."""
        first = [f".load {harness.EXTENSION}"] if loads else []
        done = subprocess.run(["sqlite3", "-bail", path or self.path], input="\n".join([*first, *lines, ""]), text=True,
                              capture_output=True, timeout=4 * harness.DEADLINE, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def ask(self, sql):
        return self.connect().execute(sql).fetchall()

    def test_from_files_to_a_view_without_the_extension(self):
        second_day.write_files(self.folder)
        imports = [f".import --csv {name}.csv {name}" for name in second_day.TABLES]
        self.sqlite3(*imports, second_day.VIEW["sqlite"])
        for name in ("linear", "boosted", "forest", "auto", "compare", "final", "thresholds", "explain", "watch"):
            self.sqlite3(second_day.STEPS[name])
        second_day.check(self, self.ask)

        # The call that the model takes is the view's; the threshold is the model's.
        call = self.sqlite3("SELECT totrain_call('churn');").strip()
        chance = call.replace("totrain_predict", "totrain_probability")
        self.sqlite3(f"CREATE VIEW scored AS SELECT customer, {call} AS guess, {chance} AS chance FROM facts;")
        first = self.ask("SELECT * FROM scored ORDER BY customer")
        self.assertEqual(len(first), second_day.CUSTOMERS)
        threshold = min(row[2] for row in first if row[1] == "yes")
        self.assertGreater(threshold, max(row[2] for row in first if row[1] == "no"))
        self.assertLess(threshold, 0.5)
        model = dict(line.split("|", 1) for line in self.sqlite3("SHOW MODEL churn;").splitlines())
        kept = float(re.search("from a probability of ([0-9.]+)", model["threshold"])[1])
        self.assertLess(max(row[2] for row in first if row[1] == "no"), kept)
        self.assertLessEqual(kept, threshold)
        self.assertIn("sigmoid", model["calibration"])

        # Trained anew the view has the new model, and taken back the old one.
        self.sqlite3(second_day.STEPS["again"], second_day.STEPS["watch again"])
        self.assertNotEqual(self.ask("SELECT * FROM scored ORDER BY customer"), first)
        states = [line.split("|")[0::3] for line in self.sqlite3("SHOW VERSIONS churn;").splitlines()]
        self.assertEqual(states, [["2", "current"], ["1", "kept"]])
        self.sqlite3(second_day.STEPS["back"])
        self.assertEqual(self.ask("SELECT * FROM scored ORDER BY customer"), first)

        # The model leaves as SQL, which a database of the same rows runs by itself.
        self.sqlite3("EXPORT MODEL churn TO 'churn.sql' FORMAT sqlite;")
        other = str(self.folder / "plain.db")
        self.sqlite3(*imports, second_day.VIEW["sqlite"], "CREATE VIEW churn_rows AS SELECT * FROM facts;", ".read churn.sql",
                     path=other, loads=False)
        plain = sqlite3.connect(other)
        self.addCleanup(plain.close)
        found = [line.split("|") for line in self.sqlite3(
            "SELECT customer, prediction, probability FROM churn_predictions ORDER BY customer;", path=other,
            loads=False).splitlines()]
        self.assertEqual([(int(row[0]), row[1]) for row in found], [row[:2] for row in first])
        self.assertTrue(all(math.isclose(float(row[2]), wanted[2], abs_tol=1e-5) for row, wanted in zip(found, first)))


if __name__ == "__main__":
    harness.main()
