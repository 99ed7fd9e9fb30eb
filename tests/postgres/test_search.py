"""tune.trials: the same trials and the same model as in SQLite, attached, in a transaction, in the background."""

import json
import os
import subprocess

import harness
from server import BUILD

TRAIN = ("SELECT a, word, y FROM t TO TRAIN DNNClassifier WITH tune.trials = 3, hidden_units = [[8], [4, 4]], "
         "optimizer.learning_rate = RANGE(1e-3, 1e-1), train.epoch = 3, train.batch_size = 32 LABEL y INTO m")


class Search(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        rows = [(i * 37 % 101 / 8, f"w{i % 5}", "yes" if i * 37 % 101 + i % 5 * 9 > 70 else "no") for i in range(600)]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (a float8, word text, y text)")
            cursor.executemany("INSERT INTO t VALUES (%s, %s, %s)", reversed(rows))
        cls.rows = rows
        cls.wanted = cls.train_in_sqlite("t (a REAL, word TEXT, y TEXT)", rows, TRAIN)

    def check_stored(self, model="m"):
        meta = json.loads(self.execute(f"SELECT convert_from(data, 'UTF8') FROM {model} WHERE part = 'meta'")[0][0])
        self.assertEqual(len(meta["trials"]), 3)
        for member in ("trials", "metrics", "digest"):
            self.assertEqual(meta[member], self.wanted[member])

    def test_bare_and_within_a_transaction(self):
        self.check_psql(f"SET totrain.progress_interval = -1; {TRAIN};", "-o", "/dev/null")
        self.check_stored()
        done = self.psql("SHOW TRIALS m;")
        self.assertIn("optimizer.learning_rate = ", done.stdout)
        self.execute("DROP TABLE m")
        self.check_psql(f"BEGIN; SELECT * FROM totrain.run($${TRAIN}$$); SELECT * FROM totrain.rows('SHOW TRIALS m'); COMMIT;",
                        "-o", "/dev/null")
        self.check_stored()

    def test_auto_tries_the_kinds_that_sqlite_tries(self):
        train = "SELECT a, word, y FROM t TO TRAIN AUTO WITH tune.trials = 5, train.epoch = 3 LABEL y INTO m"
        self.check_psql(f"SET totrain.progress_interval = -1; {train};", "-o", "/dev/null")
        meta = json.loads(self.execute("SELECT convert_from(data, 'UTF8') FROM m WHERE part = 'meta'")[0][0])
        wanted = self.train_in_sqlite("t (a REAL, word TEXT, y TEXT)", self.rows, train)
        for member in ("trials", "metrics", "digest"):
            self.assertEqual(meta[member], wanted[member])

    def test_a_transaction_that_is_rolled_back_leaves_no_model(self):
        self.check_psql(f"BEGIN; SELECT * FROM totrain.run($${TRAIN.replace('INTO m', 'INTO gone')}$$); ROLLBACK;",
                        "-o", "/dev/null")
        self.assertEqual(self.execute("SELECT to_regclass('gone')"), [(None,)])

    def test_in_the_background_all_trials_are_of_one_job(self):
        self.train_in_the_background(TRAIN.replace("INTO m", "INTO later"))
        self.check_stored("later")

    def test_through_the_program(self):
        connection = self.server.variables(self.database)
        done = subprocess.run([BUILD / "totrain", "postgres://", "--progress=none", "-c", TRAIN.replace("INTO m", "INTO far")],
                              check=False, capture_output=True, text=True,
                              env={**os.environ, **connection, "TOTRAIN_STATE": str(self.server.folder / "program-state")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_stored("far")

    def check_folded(self, train):
        """Trains into `folded` with train(statement), and compares with SQLite's model."""
        rows = [(i * 37 % 101 / 8, f"w{i % 5}", "yes" if i * 37 % 101 + i % 5 * 9 > 70 else "no") for i in range(600)]
        statement = TRAIN.replace("tune.trials = 3", "tune.trials = 3, train.folds = 3")
        wanted = self.train_in_sqlite("t (a REAL, word TEXT, y TEXT)", rows, statement)
        self.assertTrue(all(trial["deviation"] > 0 for trial in wanted["trials"]))
        train(statement.replace("INTO m", "INTO folded"))
        meta = json.loads(self.execute("SELECT convert_from(data, 'UTF8') FROM folded WHERE part = 'meta'")[0][0])
        for member in ("trials", "metrics", "digest"):
            self.assertEqual(meta[member], wanted[member])
        self.execute("DROP TABLE folded")

    def train_in_the_background(self, statement):
        job = self.execute(f"SELECT totrain.submit($${statement}$$)")[0][0]
        harness.wait_for(lambda: self.execute(f"SELECT state FROM totrain.jobs WHERE id = {job}")[0][0] == "done", "the job's end")

    def test_with_folds_trials_and_model_are_those_of_sqlite(self):
        self.check_folded(lambda statement: self.check_psql(f"SET totrain.progress_interval = -1; {statement};",
                                                            "-o", "/dev/null"))

    def test_with_folds_in_the_background_they_are_the_same(self):
        self.check_folded(self.train_in_the_background)

    def test_a_session_that_does_not_wait_is_refused(self):
        done = self.psql(TRAIN.replace("tune.trials = 3", "tune.trials = 3, job.wait = false") + ";")
        self.assertIn("tune.trials does not go together with job.wait = false", done.stderr)


if __name__ == "__main__":
    harness.main()
