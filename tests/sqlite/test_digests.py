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
        "b3baa84a026c3c6bc5b6eb42d19270cf0792b97dc9d5531804593c6eb750154e",
    "LinearClassifier WITH train.epoch = 20, model.optimizer = 'Adagrad' LABEL class":
        "52a37d5ed2173ca37ec6fd307080fa4bdd215578973974e2f4b79a5abce5bd7e",
    "LinearRegressor WITH train.epoch = 20, model.optimizer = 'SGD' LABEL petal_width":
        "a04bccd7cad31aa2385261940111feb3f4e3e84f887b9e5e8ae2700411a0dfed",
    "DNNRegressor WITH model.hidden_units = [16], train.epoch = 20, model.dropout = 0.2, train.early_stopping = 3, "
    "train.test_size = 0.2 LABEL sepal_length":
        "e6514b6e4146636880b239465a95110534d217b16d4c89e359c515fbd63aed5d",
    "DNNRegressor WITH model.hidden_units = [16], model.activation = 'tanh', model.optimizer = 'Nesterov', "
    "model.l2 = 0.01, train.epoch = 20 LABEL sepal_length":
        "e397577a810cc3fc36f6620bf422323f22f68f129d3aa50bd068085761205050",
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
