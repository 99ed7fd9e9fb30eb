"""EXPORT MODEL ... FORMAT onnx in SQLite: what is in the file, read here as protobuf; and the same predictions by
onnxruntime, of rows of any kind, where TOTRAIN_ONNX is a Python that has it (tests/sqlite/run_onnx)."""

import math
import sqlite3
import unittest

import harness
from formula_case import rows
from onnx_case import DOUBLE, fields, Graph, INTEGER, OnnxCase, PYTHON, STRING, texts

ACTIVATIONS = ("identity", "relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu", "gelu", "swish", "softplus", "softsign")
TREE_OBJECTIVES = ("reg:squarederror", "reg:pseudohubererror", "reg:absoluteerror", "huber", "fair", "mape", "reg:gamma",
                   "reg:tweedie", "survival:cox", "reg:squaredlogerror")
SMALL = "train.epoch = 2, model.hidden_units = [6, 4]"
# Name, estimator, attributes, label, columns, as in formula_rows.
MODELS = rows.MODELS + (
    ("wide", "DNNLinearCombinedClassifier", SMALL, "two", None),
    ("pairs", "DeepFMRegressor", SMALL, "number", None),
    ("dcn", "DCNClassifier", SMALL, "two", None),
    ("vector", "DCNRegressor", SMALL + ", model.cross_parameterization = 'vector'", "number", None),
    ("compressed", "XDeepFMRegressor", SMALL + ", model.cin_layer_size = [5, 3]", "number", None),
    ("hinge", "LinearClassifier", "train.epoch = 3, model.loss = 'hinge'", "two", None),
    ("tweedie", "DNNRegressor", SMALL + ", model.loss = 'tweedie'", "positive", None),
    ("ols", "OrdinaryLeastSquares", "", "number", None),
    ("logit", "LogisticRegression", "", "two", None),
    ("gblinear", "xgboost.gblinear", "objective = 'reg:squarederror'", "number", None),
    ("dart", "xgboost.dart", "n_estimators = 6, objective = 'binary:logistic'", "two", None),
    ("stumps", "XGBClassifier", "n_estimators = 30, max_depth = 1", "two", None),
    ("hist", "HistGradientBoostingRegressor", "max_iter = 9", "number", None),
    ("quantiles", "XGBRegressor", "n_estimators = 6, objective = 'reg:quantileerror', quantile_alpha = [0.1, 0.5, 0.9]",
     "number", None),
    ("random", "RandomForestClassifier", "n_estimators = 9", "three", None),
) + tuple((f"by_{name}", "DNNRegressor", SMALL + f", model.activation = '{name}'", "number", None) for name in ACTIVATIONS
          ) + tuple((f"trees_{i}", "XGBRegressor", f"n_estimators = 6, objective = '{name}'", "positive", None)
                    for i, name in enumerate(TREE_OBJECTIVES))


class Files(OnnxCase):
    def graph_of(self, model):
        self.train(model)
        return Graph(self.export(model[0]).read_bytes())

    def model(self, name):
        return next(model for model in MODELS if model[0] == name)

    def test_a_network_is_a_product_for_each_layer(self):
        graph = self.graph_of(self.model("network"))
        self.assertEqual((graph.version, graph.sets, graph.producer, graph.name),
                         (10, {"": 20, "ai.onnx.ml": 5}, "ToTrain", "network"))
        kinds = {name: STRING if name == rows.PLAN else DOUBLE for name in rows.COLUMNS}
        self.assertEqual(graph.inputs, [(name, kinds[name], ["N", 1]) for name in self.inputs("network")])
        self.assertEqual(graph.outputs, [("prediction", DOUBLE, ["N", 1])])
        operators = graph.operators()
        self.assertEqual((operators["MatMul"], operators["LabelEncoder"]), (3 + 1, 1))  # and the label's scale
        self.assertLess(len(graph.nodes), 250)
        digest = dict(self.run_all("SHOW MODEL network"))["digest"]
        self.assertEqual(graph.notes, {"estimator": "DNNRegressor", "digest": digest, "label": "number",
                                       "statement": rows.statement(self.model("network"))})
        self.assertEqual(graph.statement, rows.statement(self.model("network")))

    def test_trees_are_one_operator(self):
        graph = self.graph_of(("trees3", "XGBClassifier", "n_estimators = 9, max_depth = 4", "three", rows.NUMBERS))
        self.assertEqual(graph.outputs, [("label", INTEGER, ["N"]), ("probabilities", DOUBLE, ["N", 3])])
        ensembles = [node for node in graph.nodes if texts(node, 4) == ["TreeEnsemble"]]
        roots = [len(fields(one)[8]) for node in ensembles for one in node[5] if texts(fields(one), 1) == ["tree_roots"]]
        self.assertEqual(sorted(roots), [1, 27])  # the class of the greatest sum is the other one

    def test_words_are_a_string_and_so_is_their_class(self):
        graph = self.graph_of(("linear", "LinearClassifier", "train.epoch = 1", "two", rows.quoted(rows.PLAN)))
        self.assertEqual(graph.inputs, [(rows.PLAN, STRING, ["N", 1])])
        self.assertEqual(graph.outputs, [("label", STRING, ["N"]), ("probabilities", DOUBLE, ["N", 2])])

    def test_names_are_used_once_and_before_nothing_else(self):
        graph = self.graph_of(self.model("wide"))
        known = {name for name, _, _ in graph.inputs} | set(graph.constants)
        self.assertEqual(len(known), len(graph.inputs) + len(graph.constants))
        for node in graph.nodes:
            self.assertLessEqual(set(texts(node, 1)), known)
            made, = texts(node, 2)
            self.assertNotIn(made, known)
            known.add(made)
        self.assertLessEqual({name for name, _, _ in graph.outputs}, known)

    def test_bytes_are_those_of_the_file_and_no_text(self):
        self.train(rows.MODELS[0])
        data = self.export("linear").read_bytes()
        self.assertEqual(self.run_all("SELECT totrain_export_model('linear', 'ONNX')"), [(data,)])
        with self.assertRaisesRegex(sqlite3.Error, "format onnx is bytes, and no text"):
            self.run_all("SELECT totrain_export_text('linear', 'onnx')")

    def refuses(self, sql, message):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(f"{sql} INTO m")
            self.run_all(f"EXPORT MODEL m TO '{self.folder}/m.onnx'")
        self.assertFalse((self.folder / "m.onnx").exists())

    def test_what_onnx_cannot_say_is_an_error_that_names_the_column(self):
        age = rows.quoted(rows.AGE)
        end = "TO TRAIN LinearClassifier WITH train.epoch = 1"
        self.refuses(f"SELECT {age} AS label, two FROM t {end} LABEL two",
                     'column "label" has the name of an output')
        self.refuses(f"SELECT {age} AS \"totrain:7\", two FROM t {end} LABEL two", 'column "totrain:7" begins as')
        self.refuses(f"SELECT 'a ' || two AS words, two FROM t {end} COLUMN TEXT(words) LABEL two",
                     'input "words" is the words of a text')
        self.refuses(f"SELECT two || {age} AS many, two FROM t {end} COLUMN CATEGORY_HASH(many, 50) LABEL two",
                     r'input "CATEGORY_HASH\(many\)" is a category by the hash of its words')

    def test_a_file_that_cannot_be_written_leaves_nothing(self):
        self.train(rows.MODELS[0])
        with self.assertRaisesRegex(sqlite3.Error, "cannot write"):
            self.run_all(f"EXPORT MODEL linear TO '{self.folder}/none/linear.onnx'")
        (self.folder / "linear.onnx").write_text("an older one")
        self.export("linear")
        self.assertEqual(Graph((self.folder / "linear.onnx").read_bytes()).name, "linear")
        self.assertEqual([path.name for path in self.folder.glob("*.partial")], [])


@unittest.skipUnless(PYTHON, "TOTRAIN_ONNX is not set")
class Predictions(OnnxCase):
    def found(self, model, outputs):
        """(prediction, number that tells how sure it is) of each row, as FormulaCase.wanted has them."""
        name, _, _, label, _ = model
        if label in ("two", "three"):
            shares = outputs.get("probabilities", [[0, 0]] * len(outputs["label"]))
            second = [max(share) if label == "three" else share[name != "lesser"] for share in shares]
            return list(zip(outputs["label"], second))
        first = outputs["component_1" if name in rows.COMPONENTS else "prediction"]
        second = outputs.get("distance", [[0]] * len(first))
        return [(one, other) for (one,), (other,) in zip(first, second)]

    def check_onnx(self, model):
        self.train(model)
        columns = self.cells(self.inputs(model[0]))
        if model[0] == "factors":  # whole numbers are words there
            columns[rows.SIZE] = ["" if cell is None else f"{cell:.15g}" for cell in columns[rows.SIZE]]
        done = self.in_onnxruntime(self.export(model[0]), columns)
        found = self.found(model, done["outputs"])
        if model[0] == "hinge":
            wanted = [(label, 0) for label, in self.run_all(
                f"SELECT totrain_predict('hinge', {', '.join(map(rows.quoted, columns))}) FROM hostile ORDER BY id")]
        else:
            wanted = self.wanted(model)
        # Floats overflow, or lose what sums of doubles keep; sines of so many turns hang on the last digits.
        if SMALL in model[2] or model[0] in rows.DETECTORS:
            most = [(cells, 1e11 if name == rows.SIGNUP else 1e6) for name, cells in columns.items() if name != rows.PLAN]
            near = [all(abs(cells[row] or 0) < limit for cells, limit in most) for row in range(len(wanted))]
            self.assertGreater(sum(near), 5000)
            found, wanted = ([answer if is_near else (0, 0) for answer, is_near in zip(answers, near)]
                             for answers in (found, wanted))
        self.check(model, found, wanted)

    def test_refused_rows_have_no_numbers(self):
        self.train(next(model for model in MODELS if model[0] == "linear"))
        columns = {name: cells[:3] for name, cells in self.cells(self.inputs("linear")).items()}
        columns[rows.AGE][1] = math.inf
        outputs = self.in_onnxruntime(self.export("linear"), columns)["outputs"]
        self.assertEqual(outputs["label"][1], "")
        self.assertEqual(outputs["probabilities"][1], [None, None])
        self.assertNotIn(None, outputs["probabilities"][0] + outputs["probabilities"][2])

    def test_an_offset_is_an_input(self):
        age, size = rows.quoted(rows.AGE), rows.quoted(rows.SIZE)
        self.run_all(f"SELECT {age}, {size}, positive FROM t TO TRAIN XGBRegressor WITH n_estimators = 4, "
                     f"objective = 'count:poisson', train.exposure = '{rows.SIZE}' LABEL positive INTO counts")
        columns = {rows.AGE: [1.5, None, 60], rows.SIZE: [2, 0, 1e6]}
        outputs = self.in_onnxruntime(self.export("counts"), columns)["outputs"]["prediction"]
        for i in (0, 2):
            wanted = self.run_all("SELECT totrain_predict('counts', ?, ?)", columns[rows.AGE][i], columns[rows.SIZE][i])[0][0]
            self.assertTrue(rows.near(outputs[i][0], wanted), (outputs[i], wanted))
        self.assertEqual(outputs[1], [None])  # an exposure of 0

    def test_all_quantiles_and_no_rows(self):
        self.train(next(model for model in MODELS if model[0] == "quantiles"))
        columns = {name: [] for name in self.inputs("quantiles")}
        self.assertEqual(self.in_onnxruntime(self.export("quantiles"), columns)["outputs"],
                         {name: [] for name in ("prediction", "quantile_0.1", "quantile_0.5", "quantile_0.9")})


def add(model):
    def test(self):
        self.check_onnx(model)

    setattr(Predictions, f"test_{model[0]}", test)


for each in MODELS:
    add(each)


if __name__ == "__main__":
    harness.main()
