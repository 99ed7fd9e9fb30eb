"""A statement that sqlite3_interrupt is called for ends, whatever it is busy with.

Each function and statement is run on an input that makes it long, and is interrupted from a random moment on. What counts is the processor time that it takes
after the first interrupt: more than a second means that it has worked on for so long, on a machine however busy. TOTRAIN_MOMENTS says how many moments each
gets; tests/postgres/test_interrupts.py does the same to a server.
"""

import os
import pathlib
import random
import sqlite3
import tempfile
import threading
import time

import harness
from deep_trees import chain

MOMENTS = int(os.environ.get("TOTRAIN_MOMENTS", "2"))
AFTER = 1.0 * harness.SLOW  # seconds of processor time that may pass after the interrupt
LOOK = 0.002  # seconds from one interrupt to the next
ROWS = 200000


class Interrupter:
    """Interrupts a connection from the given moment on, until the statement has ended."""

    def __init__(self, database, moment):
        self.database, self.moment = database, moment
        self.ended = threading.Event()
        self.interrupted_at = None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        if self.ended.wait(self.moment):
            return
        while not self.ended.wait(LOOK):  # a statement that has not begun by then is not interrupted
            self.interrupted_at = self.interrupted_at or time.process_time()
            self.database.interrupt()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *thrown):
        self.ended.set()
        self.thread.join()

    def took(self):
        """Processor time since the interrupt."""
        return time.process_time() - self.interrupted_at if self.interrupted_at else 0


class Interrupts(harness.Case):
    """Each function and statement is interrupted at random moments."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="totrain-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.prepared = pathlib.Path(folder.name) / "long.db"
        os.environ["TOTRAIN_STATE"] = str(pathlib.Path(folder.name) / "state")
        database = sqlite3.connect(cls.prepared, isolation_level=None)
        database.enable_load_extension(True)
        database.load_extension(harness.EXTENSION)
        database.execute("CREATE TABLE narrow AS WITH RECURSIVE n(g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM n LIMIT ?) "
                         "SELECT g % 7 / 7.0 AS c0, g % 11 / 11.0 AS c1, 'w' || g % 5000 AS c, g % 2 AS y, g AS t FROM n", (ROWS,))
        database.execute("CREATE TABLE wide AS SELECT " + ", ".join(f".9 AS c{i}" for i in range(1000)))
        database.execute("SELECT totrain_import_model('deep', ?)", (chain(1000, 1000, 100),)).fetchall()
        database.execute("SELECT totrain_import_model('many', ?)", (chain(40, 2, 4000),)).fetchall()
        for kind, name in (("LogisticRegression", "line"), ("KMeans WITH model.n_clusters = 3", "groups"), ("DNNClassifier", "net"), ("XGBClassifier", "grown")):
            label = "" if kind.startswith("KMeans") else "LABEL y"
            database.execute(f"SELECT c0, c1{', y' if label else ''} FROM narrow LIMIT 2000 TO TRAIN {kind} {label} INTO {name}").fetchall()
        database.execute("SELECT c, t, y FROM narrow LIMIT 20000 TO TRAIN Naive WITH forecast.time = 't', forecast.group = 'c', forecast.horizon = 100, "
                         "forecast.backtest = 0 LABEL y INTO coming").fetchall()
        database.close()

    def setUp(self):
        super().setUp()
        self.database = self.connect(self.prepared, check_same_thread=False, isolation_level=None)
        self.models = self.run_all("SELECT name, digest FROM totrain_models ORDER BY name")
        self.moments = random.Random(self._testMethodName)

    def interrupt(self, statement, *values, longest=0.5, whole=False):
        """`longest`: the last moment, in seconds. `whole`: the statement never ends by itself in that time."""
        interrupted = 0
        for _ in range(MOMENTS):
            moment = self.moments.uniform(0.001, longest)
            with Interrupter(self.database, moment) as interrupter:
                try:
                    self.database.execute(statement, values).fetchall()
                    self.assertFalse(whole, f"{statement[:80]} has ended before {moment:.3f} s")
                except (sqlite3.OperationalError, KeyboardInterrupt) as error:
                    self.assertRegex(str(error), "interrupted")
                    interrupted += 1
                took = interrupter.took()
            self.assertLess(took, AFTER, f"{statement[:80]} interrupted after {moment:.3f} s")
            self.assertFalse(self.database.in_transaction)
        self.assertEqual(self.run_all("SELECT name, digest FROM totrain_models WHERE name NOT IN ('again', 'fresh') ORDER BY name"), self.models)
        self.check_nothing_runs()
        return interrupted

    def test_shap(self):
        self.assertEqual(self.interrupt("SELECT * FROM wide TO EXPLAIN deep USING SHAP", whole=True), MOMENTS)
        self.interrupt("SELECT * FROM wide TO PREDICT told.k WITH predict.extra_outputs = 'shap' USING deep", whole=True)

    def test_permutation_importance(self):
        self.interrupt("SELECT c0, c1, y FROM narrow TO EXPLAIN grown WITH explain.rows = 100000 USING permutation")

    def test_scoring_functions(self):
        for function, model in (("predict", "many"), ("predict", "net"), ("probability", "grown"), ("probabilities", "line"), ("logits", "net"), ("leaf", "grown"),
                                ("distance", "groups"), ("shap", "grown"), ("problem", "line")):
            with self.subTest(function=function, model=model):
                self.interrupt(f"SELECT count(totrain_{function}('{model}', c0, c1)) FROM narrow", longest=0.1)

    def test_a_row_of_a_large_model(self):
        self.interrupt("SELECT totrain_predict('many', 0.1, 0.2)", longest=0.1)

    def test_importing(self):
        content = chain(40, 2, 15000)
        path = self.folder / "again.txt"
        path.write_bytes(content)
        self.assertGreater(self.interrupt("SELECT totrain_import_model('again', ?)", content), 0)
        self.interrupt(f"IMPORT MODEL again FROM '{path}' FORMAT lightgbm")

    def test_exporting(self):
        for form, ending in (("xgboost", "json"), ("lightgbm", "txt"), ("xgboost_ubj", "ubj")):
            with self.subTest(form=form):
                path = self.folder / f"many.{ending}"
                self.interrupt("SELECT length(totrain_export_model('many', ?))", form, longest=0.2)
                self.interrupt(f"EXPORT MODEL many TO '{path}'", longest=0.2)
                self.assertLessEqual({file.name for file in self.folder.glob("many*")}, {path.name})
                path.unlink(missing_ok=True)

    def test_evaluating(self):
        self.interrupt("SELECT c0, c1, y FROM narrow TO EVALUATE grown LABEL y", longest=0.2)
        self.interrupt("SELECT c0, c1, y FROM narrow TO EVALUATE grown WITH validation.metrics = 'AUC, LogLoss, F1' LABEL y", longest=0.2)
        self.interrupt("SELECT c0, c1, y FROM narrow TO EVALUATE grown WITH evaluate.report = 'thresholds' LABEL y", longest=0.2)

    def test_predicting(self):
        self.interrupt("SELECT c0, c1 FROM narrow TO PREDICT told.k USING many")
        self.interrupt("SELECT c0, c1 FROM narrow TO PREDICT USING many")
        self.interrupt("SELECT c0, c1 FROM narrow TO PREDICT told.k WITH job.max_workers = 2 USING net")

    def test_training(self):
        for kind, inputs in (("LogisticRegression", "c0, c1"), ("XGBClassifier", "c0, c1, c"), ("DNNClassifier", "c0, c1, c"), ("RandomForestClassifier", "c0, c1, c")):
            with self.subTest(kind=kind):
                self.interrupt(f"SELECT {inputs}, y FROM narrow TO TRAIN {kind} LABEL y INTO fresh")

    def test_forecasting(self):
        self.interrupt("SELECT totrain_forecast_series(t, c0 + y, 100) FROM narrow")
        self.interrupt("SELECT c, totrain_forecast_series(t, c0 + y, 3) FROM narrow GROUP BY c")

    def test_reading_forecasts(self):
        for statement in ("SELECT count(*) FROM totrain_forecast('coming')", "FORECAST coming", "FORECAST coming INTO foretold"):
            with self.subTest(statement):
                self.interrupt(statement)

    def test_telling(self):
        self.interrupt("SHOW MODEL many", longest=0.2)
        self.interrupt("EXPLAIN SELECT c0, c1, c, y FROM narrow TO TRAIN XGBClassifier LABEL y INTO fresh", longest=0.2)


if __name__ == "__main__":
    harness.main()
