"""Same statement, set of rows and seed: the same bits as ever, on any machine and after any change.

The digests are those of models of format 2, whose lanes have rows of their own. A change that is meant to change them
says so in the changelog, and writes them anew.
"""

import csv
import pathlib

import harness

IRIS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "iris.csv"
DIGESTS = {
    "DNNClassifier WITH model.hidden_units = [16, 8], train.epoch = 20, train.batch_size = 32 LABEL class":
        "9ed25c79dd8b4773d4920281916bbc867522af8deba8e696853f5500116ac612",
    "LinearClassifier WITH train.epoch = 20, model.optimizer = 'Adagrad' LABEL class":
        "5aaac7862ca2a40ec8233506d0781f5d5e2589ccabab3a4baaacb7fe2a5202d5",
    "LinearRegressor WITH train.epoch = 20, model.optimizer = 'SGD' LABEL petal_width":
        "4730440f8cde068f675040b64af7f470d13526430a5089f08dfa17e4fae9ded2",
    "DNNRegressor WITH model.hidden_units = [16], train.epoch = 20, model.dropout = 0.2, train.early_stopping = 3, "
    "train.test_size = 0.2 LABEL sepal_length":
        "843b4ce00e68669c7b6c0dd7347e6d1fe4ca00184e7221cf5f66608195330059",
    "DNNRegressor WITH model.hidden_units = [16], model.activation = 'tanh', model.optimizer = 'Nesterov', "
    "model.l2 = 0.01, train.epoch = 20 LABEL sepal_length":
        "3275834b8433d833452dc1db50c3456b3df1d6726e3c5a273eda697b5953bdfa",
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
