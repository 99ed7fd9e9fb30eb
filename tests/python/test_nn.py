"""Definitions out of functions, layers with the names of Keras, and out of modules of PyTorch through ONNX."""

import pathlib
import sys
import types
import unittest.mock

import harness

import totrain
from totrain import nn

FILES = pathlib.Path(__file__).resolve().parents[1] / "exchange" / "onnx"


def tower(inputs, dim=4, rate=0.0, hidden=(8, 6)):
    user = nn.Embedding(dim)(inputs.column("user_id"))
    item = nn.Embedding(dim)(inputs["item id"])
    h = nn.Concatenate()([user, item, user * item, inputs.numbers])
    for units in hidden:
        h = nn.Dropout(rate)(nn.Dense(units, activation="relu")(h))
    return nn.Dense(inputs.outputs)(h)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


TOWER = """DEFINE MODEL zoo/tower (dim = 4, rate = 0.0) AS '
  column_1 = column(''user_id'');
  embedding_1 = embedding(column_1, size = dim);
  column_2 = column(''item id'');
  embedding_2 = embedding(column_2, size = dim);
  value_1 = embedding_1 * embedding_2;
  concat_1 = concat(embedding_1, embedding_2, value_1, numbers);
  dense_1 = dense(concat_1, units = 8);
  relu_1 = relu(dense_1);
  dropout_1 = dropout(relu_1, rate = rate);
  dense_2 = dense(dropout_1, units = 6);
  relu_2 = relu(dense_2);
  dropout_2 = dropout(relu_2, rate = rate);
  dense_3 = dense(dropout_2, units = outputs);
  return dense_3
'"""


def pictures(inputs, filters=4):
    x = nn.Reshape([6, 6, 1])(inputs.numbers)
    x = nn.Conv2D(filters, 3, padding="same", activation="gelu")(x)
    x = nn.MaxPooling2D()(x)
    x = nn.Conv2D(filters + 2, [2, 2], strides=[1, 1])(nn.AveragePooling2D(1)(x))
    return nn.Dense(inputs.outputs)(nn.GlobalAveragePooling2D()(x))


def steps(inputs, units=3):
    x = nn.LSTM(units, return_sequences=True)(inputs.sequence("s"))
    x = nn.SimpleRNN(units)(nn.GRU(2 * units, return_sequences=True)(x))
    return nn.Dense(inputs.outputs)(nn.UnitNormalization()(x))


def all_kinds(inputs):
    h = nn.Dense(12, activation=nn.Softmax(), use_bias=False)(inputs.numbers)
    h = nn.Permute([2, 1])(nn.Reshape([3, 4])(h))
    h = nn.LayerNormalization()(nn.Conv1D(2, 2)(h))
    h = nn.Flatten()(nn.MaxPooling1D(1)(nn.AveragePooling1D(1)(h)))
    h = nn.Add()([h, nn.Multiply()([h, 2 - h]), nn.Subtract()([h, 1 / (3 + h * h), -h / 2])])
    h = nn.Activation("silu")(nn.ReLU()(h)) + 0.5
    return nn.Dense(inputs.outputs)(nn.call("slice", h, 0, 3))


class Functions(harness.Case):
    def test_a_function_is_the_text_of_a_definition(self):
        self.assertEqual(nn.statement("zoo/tower", tower), TOWER)

    def train(self, rows, fn, columns=""):
        """The model of the function, trained from rows whose last column is y."""
        connection = self.connect(":memory:")
        names = list(rows)
        connection.execute(f"CREATE TABLE t ({', '.join(map(quoted, names))})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' for _ in names)})", zip(*rows.values()))
        totrain.define(connection, "zoo/" + fn.__name__, fn)
        totrain.run(connection, f"SELECT * FROM t TO TRAIN zoo/{fn.__name__} WITH train.epoch = 2 {columns} LABEL y INTO m")
        return connection

    def test_what_is_defined_is_trained(self):
        count = 60
        connection = self.train({"user_id": [f"u{i % 5}" for i in range(count)], "item id": [f"i{i % 7}" for i in range(count)],
                                 "x": [i / 9 for i in range(count)], "y": [i % 2 for i in range(count)]}, tower)
        totrain.define(connection, "zoo/tower", tower, replace=True)
        totrain.run(connection, "SELECT * FROM t TO TRAIN zoo/tower WITH model.dim = 2, train.epoch = 1 LABEL y INTO m")
        self.train({"s": [f"{i},{i % 4},1" for i in range(count)], "y": [i % 2 for i in range(count)]}, steps,
                   "COLUMN SEQUENCE(s, 4)")
        self.train({**{f"p{k}": [(i * k) % 17 for i in range(count)] for k in range(36)}, "y": [i % 3 for i in range(count)]},
                   pictures)
        self.train({"a": [i / 7 for i in range(count)], "b": [i % 9 for i in range(count)], "y": [i / 3 for i in range(count)]},
                   all_kinds)

    def test_mistakes(self):
        def refused(pattern, function):
            with self.assertRaisesRegex(totrain.Error, pattern):
                nn.statement("zoo/m", function)

        def twice(inputs):
            layer = nn.Dense(3)
            return layer(layer(inputs.numbers))

        def decides(inputs, n=3):
            return nn.Dense(n)(inputs.numbers) if n > 2 else inputs.numbers

        refused("this Dense was called before, and two calls have no weights in common", twice)
        refused("n is known where a model is trained", lambda inputs, n=3: nn.Dense(2 if n else 3)(inputs.numbers))
        refused("there is no activation 'relo': they are elu", lambda inputs: nn.Dense(2, activation="relo")(inputs.numbers))
        refused("the function returns the value that is the model's output, not a int", lambda inputs: 3)
        refused("parameter n has no default", lambda inputs, n: inputs.numbers)
        refused("Add takes a list of values", lambda inputs: nn.Add()(inputs.numbers))
        refused("a value is known where a model is trained", lambda inputs: inputs.numbers or 3)
        refused("a dict is no argument of a layer", lambda inputs: nn.Dense({})(inputs.numbers))
        self.assertRaises(TypeError, nn.statement, "zoo/m", decides)
        with self.assertRaisesRegex(totrain.Error, "neither a function of inputs nor a module"):
            totrain.define(self.connect(), "zoo/m", 3)


class Module:
    """The members of a module of PyTorch that are looked at."""

    training = True

    def state_dict(self):
        return {}

    def forward(self, x):
        return x

    def eval(self):
        self.training = False

    def train(self, mode):
        self.training = mode


class Modules(harness.Case):
    """torch.onnx.export stands for itself here: it writes a file that was made before."""

    def setUp(self):
        super().setUp()
        self.exports = []

        def export(module, examples, written, *, input_names, output_names, dynamic_axes, opset_version, dynamo=True):
            self.exports.append((module.training, examples, input_names, output_names, dynamic_axes, opset_version, dynamo))
            written.write((FILES / "mlp.onnx").read_bytes())

        torch = types.ModuleType("torch")
        torch.onnx = types.SimpleNamespace(export=export)
        patch = unittest.mock.patch.dict(sys.modules, {"torch": torch})
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_module_is_a_definition_and_a_model_to_go_on_from(self):
        connection, module = self.connect(), Module()
        totrain.define(connection, "zoo/net", module, "a tensor", into="net")
        self.assertEqual(self.exports, [(False, ("a tensor",), ["x"], ["output"], {"x": {0: "N"}, "output": {0: "N"}}, 20,
                                         False)])
        self.assertTrue(module.training)
        connection.execute("CREATE TABLE t AS SELECT value || ',1,2,' || value AS x, value * 2.0 AS y FROM "
                           "json_each('[1,2,3,4,5,6,7,8,9,10,11,12]')")
        totrain.run(connection, "SELECT * FROM t TO TRAIN zoo/net WITH train.epoch = 3 LABEL y USING net INTO tuned")
        totrain.run(connection, "SELECT * FROM t TO TRAIN zoo/net WITH train.epoch = 3 COLUMN DENSE(x, 4) LABEL y INTO fresh")

    def test_mistakes(self):
        with self.assertRaisesRegex(totrain.Error, "example= is needed"):
            totrain.define(self.connect(), "zoo/net", Module())
        with self.assertRaisesRegex(totrain.Error, "are those of a module of PyTorch"):
            totrain.define(self.connect(), "zoo/net", tower, into="m")


if __name__ == "__main__":
    harness.main()
