"""The weights of the best epoch, which networks keep by default where the last epoch is clearly worse."""

import contextlib
import os
import random
import sqlite3

import harness

COLUMNS = [f"x{i}" for i in range(12)]


class BestEpoch(harness.Case):
    """700 rows whose label hardly follows from twelve numbers: a network learns their noise by heart. Of `clear` it
    follows from one."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all(f"CREATE TABLE t ({', '.join(COLUMNS)}, y REAL, kind TEXT)")
        draw = random.Random(3)
        for _ in range(700):
            row = [draw.gauss(0, 1) for _ in COLUMNS]
            y = row[0] + draw.gauss(0, 3)
            self.run_all(f"INSERT INTO t VALUES ({', '.join('?' * 14)})", *row, y, "high" if y > 0 else "low")
        self.run_all("CREATE TABLE clear AS SELECT x0, x1, 3 * x0 + x1 * x2 / 10 AS y FROM t")

    def train(self, settings="", into="m", model="DNNRegressor", label="y", rows="t"):
        columns = ", ".join([*COLUMNS, label]) if rows == "t" else "*"
        written = f"WITH {settings}" if settings else ""
        return self.run_all(f"SELECT {columns} FROM {rows} TO TRAIN {model} {written} LABEL {label} INTO {into}")

    def kept(self, rows):
        return [text for text in harness.notices(rows) if " are kept: the loss of the rows held out was " in text]

    def test_the_best_epoch_is_kept_where_the_last_is_clearly_worse(self):
        for model, label, metric in (("DNNRegressor", "y", "RMSE"), ("DNNClassifier", "kind", "LogLoss"),
                                     ("WideAndDeepRegressor", "y", "RMSE")):
            with self.subTest(model):
                rows = self.train(model=model, label=label)
                notice, = self.kept(rows)
                self.assertIn("train.early_stopping = 0 keeps those of the last epoch.", notice)
                shown = dict(self.run_all("SHOW MODEL m"))
                self.assertEqual(shown["kept epoch"], shown["best epoch"])
                self.assertLess(shown["kept epoch"], shown["epochs"])
                self.assertIn(f"epoch {shown['kept epoch']} of {shown['epochs']} ", notice)
                last = self.train("train.early_stopping = 0", "last", model, label)
                self.assertEqual(self.kept(last), [])
                self.assertNotIn("kept epoch", dict(self.run_all("SHOW MODEL last")))
                self.assertLess(harness.validated(rows)[metric], 0.97 * harness.validated(last)[metric])

    def test_show_train_marks_the_epoch(self):
        self.train()
        cursor = self.database.execute("SHOW TRAIN m")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row)) for row in cursor]
        self.assertEqual(names, ["epoch", "seconds", "train_loss", "validation_loss", "validation_rmse", "kept"])
        marked, = [row for row in rows if row["kept"] == 1]
        self.assertEqual(marked["validation_loss"], min(row["validation_loss"] for row in rows))
        self.assertEqual({row["kept"] for row in rows}, {0, 1})
        self.assertAlmostEqual(dict(self.run_all("SHOW MODEL m"))["loss, validation"], marked["validation_loss"], 4)

    def test_the_curve_is_that_of_learning_to_the_end(self):
        self.train()
        self.train("early_stopping_rounds = 0", "last")
        one, other = ([(row[0], *row[2:5]) for row in self.run_all(f"SHOW TRAIN {model}")] for model in ("m", "last"))
        self.assertEqual(one, other)

    def test_where_the_last_epoch_is_no_worse_the_bits_are_those_without_it(self):
        for settings, rows in (("", "clear"), ("train.test_size = 0", "t"), ("train.folds = 3", "t"),
                               ("train.test_size = 0.06", "t")):  # 42 rows say nothing
            with self.subTest(settings, rows=rows):
                result = self.train(settings, rows=rows)
                self.assertEqual(self.kept(result), [])
                self.train(", ".join(filter(None, [settings, "train.early_stopping = 0"])), "last", rows=rows)
                self.assertEqual(self.model_digest("m"), self.model_digest("last"))

    def test_few_rows_hold_none_out_and_keep_the_last(self):
        self.run_all("DELETE FROM t WHERE rowid > 400")
        self.assertEqual(self.kept(self.train()), [])
        self.train("train.early_stopping = 0", "last")
        self.assertEqual(self.model_digest("m"), self.model_digest("last"))

    def test_rows_of_a_select_of_their_own_tell_it_too(self):
        self.run_all("CREATE TABLE others AS SELECT * FROM t WHERE rowid > 600")
        rows = self.run_all(f"SELECT {', '.join(COLUMNS)}, y FROM t WHERE rowid <= 600 TO TRAIN DNNRegressor "
                            "WITH validation.select = 'SELECT * FROM others' LABEL y INTO m")
        self.assertEqual(len(self.kept(rows)), 1)

    def test_any_number_of_workers_keeps_the_same_bits(self):
        self.check_workers(lambda settings, into: self.assertEqual(len(self.kept(self.train(settings, into))), 1))

    def test_a_worker_or_a_master_that_is_killed_changes_no_bit(self):
        self.train(into="one")
        more = "job.min_workers = 2, job.max_workers = 2"
        for fault in ("role=worker,index=0,step=120,attempt=0", "role=worker,index=1,step=120,attempt=0",
                      "role=master,point=end_before,attempt=0"):
            with self.subTest(fault):
                os.environ["TOTRAIN_FAULT"] = fault
                self.addCleanup(os.environ.pop, "TOTRAIN_FAULT", None)
                rows = self.train(more, "several")
                del os.environ["TOTRAIN_FAULT"]
                self.assertEqual(len(self.kept(rows)), 1)
                self.assertEqual(self.digest(self.database, "several"), self.digest(self.database, "one"))
                self.assertGreater(self.groups(harness.facts(rows)["job"]), 1)

    def groups(self, job):
        """How often workers of the job began to learn together."""
        with contextlib.closing(sqlite3.connect(self.state / "jobs" / str(job) / "job.db")) as store:
            return store.execute("SELECT count(*) FROM events WHERE event = 'group'").fetchone()[0]

    def test_each_trial_keeps_its_best_epoch(self):
        rows = self.train("tune.trials = 2, model.hidden_units = [[16], [64, 32]], train.test_size = 0.2")
        self.assertEqual(len(self.kept(rows)), 1)
        settings = dict(self.run_all("SHOW MODEL m"))["best trial"]
        self.train(f"{settings}, train.test_size = 0.2", "again")
        self.assertEqual(self.model_digest("m"), self.model_digest("again"))

    def test_learning_goes_on_from_what_is_kept(self):
        self.train()
        again = self.run_all(f"SELECT {', '.join(COLUMNS)}, y FROM t TO TRAIN DNNRegressor "
                             "WITH optimizer.learning_rate = 1e-9, train.epoch = 1 LABEL y USING m INTO n")
        before = dict(self.run_all("SHOW MODEL m"))["loss, validation"]
        self.assertAlmostEqual(harness.validated(again)["loss"], before, 3)

    def test_explain_says_what_auto_becomes(self):
        kept = "auto: the best epoch where the last is clearly worse"
        for model, settings, becomes in (
                ("DNNRegressor", "", kept),
                ("DNNRegressor", "train.early_stopping = 'auto'", kept),
                ("DNNRegressor", "train.test_size = 0, train.early_stopping = 'auto'", "auto: 0"),
                ("DNNRegressor", "train.folds = 3", "auto: 0"),
                ("WideAndDeepRegressor", "job.strategy = 'ps'", "auto: 0"),
                ("LinearRegressor", "", "0"),
                ("XGBRegressor", "train.early_stopping = 'auto'", "auto: 0"),
                ("XGBRegressor", "", "0")):
            with self.subTest(model, settings=settings):
                written = f"WITH {settings}" if settings else ""
                rows = dict(row[:2] for row in self.run_all(f"EXPLAIN SELECT * FROM clear TO TRAIN {model} {written} "
                                                            "LABEL y INTO m"))
                found = rows.get("train.early_stopping") or rows["defaults"].partition("train.early_stopping = ")[2]
                self.assertEqual(found.split(",")[0], becomes)

    def test_a_word_that_is_not_auto_is_refused(self):
        with self.assertRaisesRegex(sqlite3.Error, "a whole number from 0 to 1000000 or 'auto'"):
            self.train("train.early_stopping = 'best'")


if __name__ == "__main__":
    harness.main()
