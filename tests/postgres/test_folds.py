"""train.folds: metrics by cross-validation as in SQLite, to the bit, attached, in the background and through the program."""

import json
import os
import sqlite3
import subprocess

import harness
from server import BUILD

TRAIN = ("SELECT a, word, y FROM t TO TRAIN DNNClassifier WITH hidden_units = [8], train.epoch = 3, train.batch_size = 32, "
         "train.folds = 4 LABEL y INTO m")


class Folds(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        rows = [(i * 37 % 101 / 8, f"w{i % 5}", "yes" if i * 37 % 101 + i % 5 * 9 > 70 else "no") for i in range(600)]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (a float8, word text, y text)")
            cursor.executemany("INSERT INTO t VALUES (%s, %s, %s)", reversed(rows))
        database = sqlite3.connect(cls.server.folder / "rows.db")
        database.execute("CREATE TABLE t (a REAL, word TEXT, y TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        database.commit()
        database.close()
        done = subprocess.run([BUILD / "totrain", cls.server.folder / "rows.db", "--progress=none", "--format=csv", "-c", TRAIN],
                              check=True, capture_output=True, text=True,
                              env={**os.environ, "TOTRAIN_STATE": str(cls.server.folder / "sqlite-state")})
        cls.wanted = cls.measured(done.stdout)

    @staticmethod
    def measured(csv):
        """The lines of metrics."""
        return [line for line in csv.splitlines() if any(f",{part}," in line for part in ("training", "folds", "deviation"))]

    def meta(self, model="m"):
        return json.loads(self.execute(f"SELECT convert_from(data, 'UTF8') FROM {model} WHERE part = 'meta'")[0][0])

    def check_stored(self):
        metrics = {one["name"]: one for one in self.meta()["metrics"]}
        for line in self.wanted:
            name, value, part, _ = line.split(",")
            self.assertAlmostEqual(metrics[name]["train" if part == "training" else part], float(value), 14, line)

    def test_bare_and_within_a_function(self):
        self.assertEqual(len(self.wanted), 15)
        self.check_psql(f"SET totrain.progress_interval = -1; {TRAIN};", "-o", "/dev/null")
        self.check_stored()
        self.execute("SELECT count(*) FROM totrain.run($$" + TRAIN + "$$)")
        self.check_stored()

    def test_a_calibration_by_folds_is_that_of_sqlite(self):
        train = TRAIN.replace("train.folds = 4", "train.folds = 4, train.calibration = 'isotonic', train.threshold = 'f1'")
        done = subprocess.run([BUILD / "totrain", self.server.folder / "rows.db", "--progress=none", "--format=csv", "-c", train,
                               "-c", "SELECT json_extract(data, '$.digest') AS digest FROM m WHERE part = 'meta'"],
                              check=True, capture_output=True, text=True,
                              env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "sqlite-state")})
        self.check_psql(f"SET totrain.progress_interval = -1; {train};", "-o", "/dev/null")
        self.assertEqual(self.meta()["digest"], done.stdout.split()[-1])
        self.assertEqual(self.meta()["final"]["rows"], 600)

    def test_in_the_background_all_folds_are_of_one_job(self):
        job = self.execute("SELECT totrain.submit($$" + TRAIN.replace("INTO m", "INTO later") + "$$)")[0][0]
        harness.wait_for(lambda: self.execute(f"SELECT state FROM totrain.jobs WHERE id = {job}")[0][0] == "done", "the job's end")
        metrics = {one["name"]: one for one in self.meta("later")["metrics"]}
        wanted = [line for line in self.wanted if line.startswith("Accuracy,")][1].split(",")[1]
        self.assertAlmostEqual(metrics["Accuracy"]["folds"], float(wanted), 14)

    def test_through_the_program(self):
        connection = self.server.variables(self.database)
        done = subprocess.run([BUILD / "totrain", "postgres://", "--progress=none", "--format=csv", "-c", TRAIN], check=False,
                              capture_output=True, text=True,
                              env={**os.environ, **connection, "TOTRAIN_STATE": str(self.server.folder / "program-state")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.measured(done.stdout), self.wanted)

    def test_a_session_that_does_not_wait_is_refused(self):
        done = self.psql(TRAIN.replace("train.folds = 4", "train.folds = 4, job.wait = false") + ";")
        self.assertIn("train.folds does not go together with job.wait = false", done.stderr)


if __name__ == "__main__":
    harness.main()
