"""Models of a few passes in a server: the same as in SQLite, and what they consist of as rows and as tables."""

import json
import os
import sqlite3
import subprocess

import harness
from server import BUILD

NUMBERS = "sepal_length, sepal_width, petal_length, petal_width"
TRAIN = {
    "o": f"SELECT {NUMBERS} FROM iris TO TRAIN OLS LABEL sepal_length INTO o",
    "b": f"SELECT {NUMBERS}, class FROM iris TO TRAIN NaiveBayes LABEL class INTO b",
    "c": f"SELECT {NUMBERS}, CASE class WHEN 2 THEN 1 ELSE 0 END AS last FROM iris "
         "TO TRAIN ScoreCard WITH model.bins = 4 LABEL last INTO c",
    "v": f"SELECT {NUMBERS} FROM iris TO TRAIN OneClassSVM WITH nu = 0.1, model.n_features = 32 INTO v",
    "f": f"SELECT {NUMBERS}, class FROM iris TO TRAIN IsolationForest WITH n_estimators = 20, contamination = 0.1 "
         "COLUMN VOCABULARY(class), * INTO f",
    "p": f"SELECT {NUMBERS} FROM iris TO TRAIN PCA WITH n_components = 2 INTO p",
    "l": f"SELECT {NUMBERS}, class FROM iris TO TRAIN LogisticRegression WITH model.l2 = 1 LABEL class INTO l",
}
INSIDES = {"o": ("coefficients", "fit"), "l": ("coefficients", "fit"), "b": ("likelihoods",), "c": ("scorecard", "coefficients"),
           "p": ("components", "explained_variance")}


class SimpleModels(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        for statement in TRAIN.values():
            connection.cursor().execute(f"SELECT * FROM totrain.run($${statement}$$)")

    def rows(self, statement):
        return [tuple(row.values()) for row, in self.execute(f"SELECT * FROM totrain.rows($t${statement}$t$)")]

    def test_the_models_are_those_of_sqlite(self):
        path = self.server.folder / "simple.db"
        database = sqlite3.connect(path)
        database.execute(f"CREATE TABLE iris ({NUMBERS}, class)")
        database.executemany("INSERT INTO iris VALUES (?, ?, ?, ?, ?)",
                             self.execute(f"SELECT {NUMBERS}, class FROM iris"))
        database.commit()
        for model, statement in TRAIN.items():
            subprocess.run([BUILD / "totrain", path, "--progress=none", "-c", statement], check=True,
                           capture_output=True, env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "state-2")})
            meta = database.execute(f"SELECT data FROM {model} WHERE part = 'meta'").fetchone()[0]
            self.assertEqual(self.digest(model), json.loads(meta)["digest"], model)
        database.close()

    def test_what_they_consist_of_is_rows_and_tables(self):
        for model, tables in INSIDES.items():
            for using in tables:
                with self.subTest(f"{model} {using}"):
                    found = self.rows(f"SELECT * FROM iris TO EXPLAIN {model} USING {using}")
                    self.assertGreater(len(found), 1)
                    self.rows(f"SELECT * FROM iris TO EXPLAIN {model} USING {using} INTO shown")
                    self.assertEqual([tuple(row) for row in self.execute("SELECT * FROM shown")], found)

    def test_rows_are_predicted_and_measured(self):
        for model in set(TRAIN) - {"c", "p"}:
            self.rows(f"SELECT * FROM iris TO PREDICT guessed.label USING {model}")
            different = self.execute("SELECT count(*) FROM guessed g WHERE "
                                     f"totrain.predict('{model}', g) <> label::text")
            self.assertEqual(different, [(0,)])
            measured = self.rows(f"SELECT * FROM iris TO EVALUATE {model}")
            self.assertEqual(self.rows(f"SELECT * FROM iris TO EVALUATE {model} WITH job.max_workers = 2"), measured)

    def test_points_are_those_of_the_function(self):
        for settings in ("", ", job.max_workers = 2"):
            with self.subTest(settings):
                self.rows(f"SELECT * FROM iris TO PREDICT scored.last WITH extra_outputs = 'points'{settings} USING c")
                different = self.execute("SELECT count(*) FROM scored g WHERE points <> totrain.points('c', g)")
                self.assertEqual(different, [(0,)])

    def test_components_are_columns_of_a_table(self):
        for settings in ("", "WITH job.max_workers = 2, predict.extra_outputs = 'score'"):
            with self.subTest(settings):
                self.rows(f"SELECT * FROM iris TO PREDICT placed.pca {settings} USING p")
                different = self.execute("SELECT count(*) FROM placed g WHERE pca_1 <> totrain.component('p', g, 1) "
                                         "OR pca_2 <> totrain.component('p', g, 2)")
                self.assertEqual(different, [(0,)])
        self.assertEqual(self.execute("SELECT count(*) FROM placed g WHERE score <> totrain.distance('p', g)"), [(0,)])
        array, one, two = self.execute("SELECT totrain.predict('p', g), pca_1, pca_2 FROM placed g LIMIT 1")[0]
        self.assertEqual(json.loads(array), [one, two])
        self.assertEqual(self.execute("SELECT totrain.component('p', g, NULL) FROM placed g LIMIT 1"), [(None,)])
        measured = self.rows("SELECT * FROM iris TO EVALUATE p")
        self.assertEqual(self.rows("SELECT * FROM iris TO EVALUATE p WITH job.max_workers = 2"), measured)


if __name__ == "__main__":
    harness.main()
