"""Same statement, set of rows and seed: the same bits as ever, on any machine and after any change.

The digests are those of models of format 2, whose lanes have rows of their own. A change that is meant to change them
says so in the changelog, and writes them anew.
"""

import csv
import pathlib
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import equal_rows  # noqa: E402  pylint: disable=wrong-import-position

IRIS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "iris.csv"
DIGESTS = {
    "DNNClassifier WITH model.hidden_units = [16, 8], train.epoch = 20, train.batch_size = 32, model.l2 = 0 LABEL class":
        "ecd30203769731d63a2e4095f87edb0d35df1ef792c2d80aa806681cbab622a2",
    "DNNClassifier WITH model.hidden_units = [16, 8], model.activation = 'relu', train.epoch = 20, train.batch_size = 32, "
    "model.l2 = 0 LABEL class":
        "e40e308a875eb9887f0d7e586c011673b75636d3beb2ea5924f38ce64796deb7",
    "LinearClassifier WITH train.epoch = 20, model.optimizer = 'Adagrad', model.l2 = 0 LABEL class":
        "c78d6089e566a2556d951cb8a7aaa2bfefa07e296387ea18de97c9c6fcde7f5e",
    "LinearRegressor WITH train.epoch = 20, model.optimizer = 'SGD', model.l2 = 0 LABEL petal_width":
        "995f2473443965dcee9a8dcc660d749e363c140e5604b7e3b76d02861e4fbf9b",
    "DNNRegressor WITH model.hidden_units = [16], train.epoch = 20, model.dropout = 0.2, train.early_stopping = 3, "
    "train.test_size = 0.2, model.l2 = 0 LABEL sepal_length":
        "e6514b6e4146636880b239465a95110534d217b16d4c89e359c515fbd63aed5d",
    "DNNRegressor WITH model.hidden_units = [16], model.activation = 'tanh', model.optimizer = 'Nesterov', "
    "model.l2 = 0.01, train.epoch = 20 LABEL sepal_length":
        "d679a0afd5db416df6749374c324254a90cedc75023c51a6d0e935450ed9f46e",
}


class Digests(harness.Case):
    def test_models_have_the_bits_that_they_had(self):
        database = self.connect(isolation_level=None)
        with open(IRIS, encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        columns = ", ".join(f"{name} {'TEXT' if name == 'class' else 'REAL'}" for name in names)
        database.execute(f"CREATE TABLE iris ({columns})")
        database.executemany(f"INSERT INTO iris VALUES ({', '.join('?' * len(names))})", rows)
        for statement, digest in DIGESTS.items():
            with self.subTest(statement):
                database.execute(f"SELECT * FROM iris TO TRAIN {statement} INTO m").fetchall()
                self.assertEqual(database.execute("SELECT digest FROM totrain_models").fetchall(), [(digest,)])


class EqualRows(harness.Case):
    """Four different rows, 400,000 in all, each kind after the other."""

    TRAIN = "SELECT a, b, y FROM {} TO TRAIN LinearClassifier WITH train.epoch = 1, train.test_size = 0 LABEL y INTO {}"

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.database.execute("CREATE TABLE t (a INTEGER, b REAL, y INTEGER)")
        for a, b, y, count in equal_rows.ROWS:
            self.database.execute("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ?) "
                                  "INSERT INTO t SELECT ?, ?, ? FROM r", (20000 * count, a, b, y))

    def test_the_model_is_as_good_as_the_reference(self):
        self.database.execute(self.TRAIN.format("t", "m")).fetchall()
        loss = self.database.execute("SELECT * FROM t TO EVALUATE m").fetchall()[0][0]
        self.assertLess(abs(loss / equal_rows.LOG_LOSS - 1), 0.001)
        found = self.database.execute("SELECT a, totrain_probability('m', a, b) FROM (SELECT DISTINCT a, b FROM t)")
        for a, probability in found.fetchall():
            self.assertAlmostEqual(probability, equal_rows.PROBABILITIES[a], places=2)

    def test_the_order_of_the_rows_and_the_number_of_workers_change_no_bit(self):
        self.database.execute(self.TRAIN.format("t", "m")).fetchall()
        self.database.execute("CREATE TABLE mixed AS SELECT * FROM t ORDER BY rowid * 7919 % 400009")
        self.database.execute(self.TRAIN.format("mixed", "other").replace("WITH ", "WITH job.max_workers = 2, ")).fetchall()
        self.assertEqual(self.digest(self.database, "m"), self.digest(self.database, "other"))


if __name__ == "__main__":
    harness.main()
