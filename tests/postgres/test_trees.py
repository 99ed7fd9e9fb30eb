"""Trees in a server: NULLs and words, leaves, and the same model as in SQLite."""

import json
import os
import sqlite3
import subprocess

import psycopg2

import harness
from server import BUILD

TRAIN = "SELECT a, b, c, y FROM t TO TRAIN XGBRegressor WITH n_estimators = 20 LABEL y INTO m"


def made_rows():
    """Numbers and words, of each of which some are missing, and a label that follows from them."""
    return [(None if i % 7 == 0 else i * 37 % 101 / 4, None if i % 11 == 0 else i % 13,
             None if i % 5 == 0 else f"w{i % 9}", i * 37 % 101 / 4 + i % 13) for i in range(1500)]


class Trees(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE t (a double precision, b bigint, c text, y double precision)")
        cursor.executemany("INSERT INTO t VALUES (%s, %s, %s, %s)", made_rows())
        cursor.execute(f"SELECT * FROM totrain.run($${TRAIN}$$)")

    def run_statement(self, sql):
        return self.execute(f"SELECT * FROM totrain.run($t${sql}$t$)")

    def test_the_model_is_that_of_sqlite_to_the_leaf(self):
        path = self.server.folder / "trees.db"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE t (a REAL, b INTEGER, c TEXT, y REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", made_rows())
        database.commit()
        predict = "SELECT * FROM t TO PREDICT predicted.p WITH predict.extra_outputs = 'leaf' USING m"
        for statement in (TRAIN, predict):
            subprocess.run([BUILD / "totrain", path, "--progress=none", "-c", statement], check=True, capture_output=True,
                           env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "sqlite-state")})
        meta = database.execute("SELECT data FROM m WHERE part = 'meta'").fetchone()[0]
        theirs = database.execute("SELECT a, b, c, y, p, leaf FROM predicted").fetchall()
        database.close()
        self.assertEqual(self.digest("m"), json.loads(meta)["digest"])
        self.run_statement(predict)
        ours = self.execute("SELECT a, b, c, y, p, leaf::text FROM predicted")
        self.assertEqual(sorted(ours, key=repr), sorted(theirs, key=repr))

    def test_functions_sessions_and_workers_predict_the_same(self):
        self.run_statement("SELECT * FROM t TO PREDICT here.p WITH predict.extra_outputs = ['leaf', 'score'] USING m")
        self.run_statement("SELECT * FROM t TO PREDICT there.p WITH predict.extra_outputs = ['leaf', 'score'], "
                           "job.max_workers = 2 USING m")
        columns = "a, b, c, y, p, leaf::text, score"
        self.assertEqual(self.execute(f"SELECT {columns} FROM here EXCEPT ALL SELECT {columns} FROM there"), [])
        different = self.execute("SELECT count(*) FROM here h WHERE totrain.predict('m', h, NULL::float8) <> p "
                                 "OR totrain.leaf('m', h)::text <> leaf::text OR score <> p")
        self.assertEqual(different, [(0,)])
        leaves = self.execute("SELECT min(json_array_length(leaf)), max(json_array_length(leaf)) FROM here")
        self.assertEqual(leaves, [(20, 20)])

    def test_quantiles_are_an_object_of_each_row(self):
        self.run_statement("SELECT a, b, y FROM t TO TRAIN XGBRegressor WITH objective = 'reg:quantileerror', "
                           "quantile_alpha = [0.25, 0.5], n_estimators = 5 LABEL y INTO q")
        self.run_statement("SELECT a, b, y FROM t TO PREDICT qp.guess WITH predict.extra_outputs = 'quantiles' USING q")
        self.assertEqual(self.execute("SELECT count(*) FROM qp WHERE (quantiles->>'0.5')::float8 <> guess "
                                      "OR quantiles->>'0.25' IS NULL"), [(0,)])
        self.assertEqual(self.execute("SELECT count(*) FROM qp h WHERE totrain.quantiles('q', h)::text <> quantiles::text"),
                         [(0,)])
        with self.assertRaisesRegex(psycopg2.Error, "has no quantiles"):
            self.execute("SELECT totrain.quantiles('m', t) FROM t")

    def test_a_row_of_nulls_and_unknown_words_is_predicted(self):
        rows = self.execute("SELECT totrain.predict('m', q) FROM (VALUES (NULL::float8, NULL::bigint, NULL::text), "
                            "('NaN', NULL, NULL), (1e300, -7, 'no word')) AS q(a, b, c)")
        self.assertEqual(len([float(prediction) for prediction, in rows]), 3)
        self.assertEqual(rows[0], rows[1])

    def test_others_have_no_leaves(self):
        self.run_statement("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO l")
        with self.assertRaisesRegex(psycopg2.Error, "a LinearClassifier has no leaves"):
            self.execute("SELECT totrain.leaf('l', i) FROM iris i")
        with self.assertRaisesRegex(psycopg2.Error, "'leaf' has no use with a LinearClassifier"):
            self.run_statement("SELECT * FROM iris TO PREDICT p.class WITH predict.extra_outputs = 'leaf' USING l")


if __name__ == "__main__":
    harness.main()
