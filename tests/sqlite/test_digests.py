"""Same statement, set of rows and seed: the same bits as ever, on any machine and after any change.

The digests are those of the program of 2026-11-22 09:57, before kinds of models and learners were seams. A change that
is meant to change them says so in the changelog, and writes them anew.
"""

import csv
import pathlib

import harness

IRIS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "iris.csv"
DIGESTS = {
    "DNNClassifier WITH model.hidden_units = [16, 8], train.epoch = 20, train.batch_size = 32 LABEL class":
        "c3aefbe18f0eddea985647169bab849aa6dd00f59a12923a3911cad322530612",
    "LinearClassifier WITH train.epoch = 20, model.optimizer = 'Adagrad' LABEL class":
        "7b2465265480d2524d9d5e45b282945ac011cc0adeab2f6e4949906acd769a67",
    "LinearRegressor WITH train.epoch = 20, model.optimizer = 'SGD' LABEL petal_width":
        "554debe9a83d7fa102706276e903e69f856e505c0b7f2587841313f5e72f366b",
    "DNNRegressor WITH model.hidden_units = [16], train.epoch = 20, model.dropout = 0.2, train.early_stopping = 3, "
    "train.test_size = 0.2 LABEL sepal_length":
        "c2d1193cd381f2e1d3defcb086e0f1d0773d04e13a4ef2c4eb31340f4b066c63",
    "DNNRegressor WITH model.hidden_units = [16], model.activation = 'tanh', model.optimizer = 'Nesterov', "
    "model.l2 = 0.01, train.epoch = 20 LABEL sepal_length":
        "1daee17d7b2641af79e5da3eadcf93a19b6873898bedebed141fb7625ce9fd76",
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


if __name__ == "__main__":
    harness.main()
