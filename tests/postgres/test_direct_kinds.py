"""job.read = 'direct': the workers count what the columns hold, and the model is that of all rows."""

import json
import os
import signal
import subprocess
import threading

from psycopg2 import errors

import staged
import test_cluster
import test_direct
from staged import harness


class KindsCase(test_cluster.DirectCase):
    """The kinds of columns follow from all rows, with any readers, and whatever the first rows are."""

    ROWS = 3000
    SHUFFLED = "(g * 1031) % 3000"  # each of 0 to 2,999 once
    CELLS = {"x": "(i * 37) % 500 / 10.0", "y": "(i * 11) % 700", "label": "CASE WHEN (i * 37) % 500 > 250 THEN 1 ELSE 0 END"}

    columns = ""

    def make(self, number="g", **cells):
        """Rows of the same set in the order of `number`, of `i` from 0 on."""
        cells = {**self.CELLS, **cells}
        columns = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
        self.execute(f"DROP TABLE IF EXISTS mixed; CREATE TABLE mixed AS SELECT {columns} FROM (SELECT {number} AS i "
                     f"FROM generate_series(0, {self.ROWS - 1}) g ORDER BY g) rows; "
                     f"GRANT SELECT ON mixed TO alice, bob, {staged.POD}")

    def text(self, how=""):
        return ("SELECT * FROM mixed TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 3, "
                f"job.lanes = 4, job.max_workers = 2{how} {self.columns} LABEL label INTO iris_model;")

    def run_text(self, text):
        return self.psql(text, "-v", "ON_ERROR_STOP=1", user="alice")

    def run_on_pods(self):
        """The output, and the number of Jobs that it took."""
        before = len(self.cluster.started)
        done = self.run_text(self.text(", job.where = 'kubernetes', job.read = 'direct'"))
        self.check_nothing_is_left()
        self.check_no_locks()
        return done, len(self.cluster.started) - before

    def check(self, jobs, number="g", **cells):
        self.make(number, **cells)
        done, count = self.run_on_pods()
        self.assertEqual(done.returncode, 0, done.stderr)
        digest = self.digest()
        self.assertEqual(digest, self.expected(self.text()))
        self.assertEqual(count, jobs, done.stderr)
        return digest, done.stderr


class Kinds(KindsCase):
    def test_words_behind_numbers(self):
        words = "CASE WHEN i < 1500 THEN (i % 40)::text ELSE chr(97 + i % 9) END"
        first, said = self.check(2, t=words)
        self.assertIn('rows are read again, as all of them show another kind of column than the first 1000: "t" is a category',
                      said)
        second, _ = self.check(1, self.SHUFFLED, t=words)
        self.assertEqual(first, second)

    def test_lists_in_texts(self):
        self.make(v="i % 7 || ', ' || i % 5 / 2.0", s="CASE WHEN i % 4 > 0 THEN i % 5 || ':' || i % 3 / 4.0 || ' 2' END")
        columns = " COLUMN x, DENSE(v, 2), SPARSE(s, 5)"
        done = self.run_text(self.text(", job.where = 'kubernetes', job.read = 'direct'" + columns))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(), self.expected(self.text(columns)))

    def test_items_of_lists_in_texts(self):
        self.make(s="CASE WHEN i % 4 > 0 THEN i % 5 || ':' || i % 3 / 4.0 || ' 2' END")
        columns = " COLUMN x, WEIGHTED_CATEGORY(CATEGORY_ID(SPARSE(s, 5), 5)), CATEGORY_HASH(s, 9, ' ')"
        done = self.run_text(self.text(", job.where = 'kubernetes', job.read = 'direct'" + columns))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(), self.expected(self.text(columns)))

    def test_a_column_that_is_left_out_and_one_that_comes_in(self):
        cells = {"t": "CASE WHEN i < 1200 THEN 'k' || i ELSE 'k' || i % 7 END",
                 "u": "CASE WHEN i < 1200 THEN 'k' || i % 7 ELSE 'k' || i * i END"}
        first, said = self.check(2, **cells)
        self.assertIn('"t" is a category', said)
        second, said = self.check(2, "2999 - g", **cells)
        self.assertIn('"u" is a category', said)
        third, _ = self.check(1, self.SHUFFLED, **cells)
        self.assertEqual({first, second}, {third})

    def test_a_label_of_words_behind_whole_numbers(self):
        """Texts from the first row on: no column of PostgreSQL has both numbers and texts."""
        self.check(1, label="CASE WHEN i < 1400 THEN ((i * 37) % 500 / 251)::text ELSE 'a' || (i * 37) % 500 / 251 END")

    def test_dates_behind_words(self):
        self.check(2, t="CASE WHEN i < 1100 THEN 'then' ELSE to_char(date '2020-01-01' + i, 'YYYY-MM-DD') END",
                   u="CASE WHEN i > 2950 THEN '2021-05-04 12:30:00' ELSE to_char(date '2020-01-01' + i, 'YYYY-MM-DD') END")

    def test_a_cross_of_columns(self):
        """Some of which are other inputs, too, and one is read for the cross alone."""
        self.columns = "COLUMN x, d, v, CROSS([t, BUCKET(y, [100, 300])], 200), CROSS([x, t, CATEGORY_ID(s, 5)], 50), BUCKET(y, 4)"
        self.check(1, self.SHUFFLED, t="'w' || i % 30", s="i % 5", d="date '2020-01-01' + i", unused="i",
                   v="CASE WHEN i % 2 = 0 THEN ARRAY[i, i % 7]::float8[] END")

    def test_the_sample_was_right(self):
        """Missing values behind it, words and all else: one staging, and the notices are of all rows."""
        self.check(1, t="CASE WHEN i % 100 = 0 THEN 'n/a' ELSE (i % 40)::text END", u="'w' || i % 300",
                   v="CASE WHEN i % 2 = 0 THEN ARRAY[i, i % 7]::float8[] END")
        meta = json.loads(self.execute("SELECT convert_from(data, 'UTF8') FROM iris_model WHERE part = 'meta'")[0][0])
        notices = [notice["text"] for notice in meta["notices"]]
        self.assertIn("column \"t\": of 3000 rows 30 are read as NULL: 'n/a' 30", notices)

    def test_a_value_that_its_column_cannot_take_is_an_error(self):
        self.make(t="CASE WHEN i = 2500 THEN 'abc' ELSE (i % 40)::text END")
        done, count = self.run_on_pods()
        self.assertIn("column \"t\" holds 'abc', where a number was expected", done.stderr)
        self.assertEqual(count, 2)
        self.assertNotIn("iris_model", self.tables())

    def test_an_interrupt_between_both(self):
        self.make(t="CASE WHEN i < 1500 THEN (i % 40)::text ELSE chr(97 + i % 9) END")
        session = self.start(text=self.text(", job.where = 'kubernetes', job.read = 'direct'"))
        first, = self.cluster.ready()
        with self.cluster.api.lock:
            self.cluster.started.append(first)  # one is run, the next stays pending
        threading.Thread(target=self.cluster.try_to_run, args=(first,)).start()
        self.cluster.wait_for(lambda: any(name != first for name in self.cluster.ready()))
        session.send_signal(signal.SIGINT)
        _, said = session.communicate(timeout=60)
        self.assertIn("canceling statement", said)
        self.check_no_locks()
        self.check_nothing_is_left()

    def test_counts_that_no_worker_stored_are_an_error(self):
        """The login of the pods may write them: whoever has it decides on no column."""
        self.make()
        session = self.start(text=self.text(", job.where = 'kubernetes', job.read = 'direct'"))
        rows, = (name for name in self.tables_of_jobs() if name.startswith("rows_"))
        self.execute(f"""
            CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.file = 'train.census' THEN NEW.bytes := NEW.bytes || '\\x00'::bytea; END IF; RETURN NEW; END $$;
            CREATE TRIGGER spoil BEFORE INSERT ON totrain_jobs.{rows} FOR EACH ROW EXECUTE FUNCTION spoil()""")
        self.go_on()
        _, said = session.communicate(timeout=60)
        self.assertIn("ERROR:  the counts of the job's rows are other bytes", said)
        self.check_no_locks()
        self.check_nothing_is_left()


class ByServer(KindsCase):
    """The server stages the rows itself, and counts them."""

    def test_words_behind_numbers(self):
        self.execute(f"GRANT USAGE ON SCHEMA totrain TO {staged.POD}; "
                     f"GRANT EXECUTE ON FUNCTION totrain.stage_shard TO {staged.POD}")
        self.check(2, t="CASE WHEN i < 1500 THEN (i % 40)::text ELSE chr(97 + i % 9) END")
        ways = {line.partition("info ")[2].strip() for role in self.cluster.roles for line in role.log.lines
                if "the rows are sent here" in line or "stages the rows itself" in line}
        self.assertEqual(ways, {"the database stages the rows itself"})


class ByProgram(KindsCase):
    """The program is the session."""

    def run_text(self, text):
        return subprocess.run([harness.BUILD / "totrain", f"dbname={self.database}", "-c", text, "--kubeconfig",
                               self.cluster.kubeconfig, "--namespace=training", "--image=localhost/totrain:3",
                               "--database-secret=login"], text=True, capture_output=True, check=False, timeout=120,
                              env={**os.environ, **self.server.variables(self.database, "alice"),
                                   "TOTRAIN_STATE": str(self.folder / "state")})

    def test_words_behind_numbers(self):
        self.check(2, t="CASE WHEN i < 1500 THEN (i % 40)::text ELSE chr(97 + i % 9) END")


class Collected(test_direct.Case):
    """A job whose session is gone: nobody has decided what its columns are."""

    def test_a_model_of_counted_rows_needs_a_verdict(self):
        job = self.stage(test_direct.DIRECT)
        self.execute(f"INSERT INTO totrain_jobs.rows_{job} VALUES ('train.census', 0, '\\x00')")
        with self.held() as snapshot:
            master = self.master(job)
            self.reader(job, 0, master, snapshot)
            self.assertEqual(self.finish(master), 0, master.log.text())
        with self.assertRaisesRegex(errors.InvalidParameterValue, f"the session that sent job {job} has not decided what "
                                                                  "its columns are(.|\n)*Run the statement again"):
            self.collect(job)
        self.assertNotIn("iris_model", self.tables())


if __name__ == "__main__":
    harness.main()
