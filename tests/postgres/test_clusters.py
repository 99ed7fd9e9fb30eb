"""KMeans in a server: no label, an integer cluster, distances, and the same model as in SQLite."""

import psycopg2

import harness

NUMBERS = "sepal_length, sepal_width, petal_length, petal_width"
TRAIN = f"SELECT {NUMBERS} FROM iris TO TRAIN KMeans WITH model.n_clusters = 3 INTO k"


class Clusters(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute(f"SELECT * FROM totrain.run($${TRAIN}$$)")

    def run_statement(self, sql):
        return self.execute(f"SELECT * FROM totrain.run($t${sql}$t$)")

    def test_the_model_is_that_of_sqlite(self):
        rows = self.execute(f"SELECT {NUMBERS} FROM iris")
        self.assertEqual(self.digest("k"), self.train_in_sqlite(f"iris ({NUMBERS})", rows, TRAIN, "k")["digest"])

    def test_rows_get_clusters_and_distances(self):
        self.run_statement("SELECT * FROM iris TO PREDICT clustered.part WITH predict.extra_outputs = 'score' USING k")
        types = self.execute("SELECT pg_typeof(part)::text, pg_typeof(score)::text FROM clustered LIMIT 1")
        self.assertEqual(types, [("bigint", "double precision")])
        different = self.execute("SELECT count(*) FROM clustered c WHERE totrain.predict('k', c) <> part::text "
                                 "OR totrain.distance('k', c) <> score")
        self.assertEqual(different, [(0,)])
        self.assertEqual(len(self.execute("SELECT DISTINCT part FROM clustered")), 3)

    def test_clusters_are_measured(self):
        names, values = zip(*self.metrics())
        self.assertEqual(names, ("loss", "Inertia", "Silhouette"))
        squares = self.execute("SELECT sum(totrain.distance('k', i) ^ 2) FROM iris i")[0][0]
        self.assertAlmostEqual(values[1], squares, 6)
        self.assertAlmostEqual(values[2], 0.459948, 6)
        self.assertEqual(self.metrics(" WITH job.max_workers = 2"), self.metrics())

    def metrics(self, more=""):
        return self.execute(f"SELECT name, value FROM totrain.run('SELECT * FROM iris TO EVALUATE k{more}')")

    def test_what_clusters_do_not_have_is_said(self):
        for function, message in (("logits", "a KMeans has no logits"), ("probability", "has no probabilities")):
            with self.assertRaisesRegex(psycopg2.Error, message):
                self.execute(f"SELECT totrain.{function}('k', i) FROM iris i")


if __name__ == "__main__":
    harness.main()
