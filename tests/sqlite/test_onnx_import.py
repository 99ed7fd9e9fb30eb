"""IMPORT MODEL of files of ONNX (tests/exchange/onnx): what onnxruntime predicts by them, fine-tuning by their definition,
the way back, and what is refused."""

import json
import math
import pathlib
import random
import sqlite3
import struct
import unittest

import harness
from onnx_case import Graph, OnnxCase, PYTHON

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "exchange" / "onnx"
MODULES = json.loads((FOLDER / "modules.json").read_text(encoding="ascii"))
EXPECTED = {name: value for file in ("expected", "torch", "modules")
            for name, value in json.loads((FOLDER / f"{file}.json").read_text(encoding="ascii")).items()}


def field(number, value):
    """A field of a message of protobuf: a whole number, or bytes."""
    def varint(count):
        return bytes([count]) if count < 128 else bytes([count & 127 | 128]) + varint(count >> 7)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, kind, sizes, numbers):
    raw = struct.pack(f"<{len(numbers)}{'f' if kind == 1 else 'q'}", *numbers)
    return field(5, b"".join(field(1, size) for size in sizes) + field(2, kind) + field(8, name) + field(9, raw))


def made(nodes, tensors, *sizes):
    """The bytes of a model of x, (rows, sizes), whose output is y. Nodes: operator, inputs, output, an integer attribute or
    a list of integers."""
    graph = b""
    for operator, inputs, output, *attributes in nodes:
        node = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, operator)
        for name, value in attributes:
            numbers = field(3, value) + field(20, 2) if isinstance(value, int) else b"".join(field(8, i) for i in value) + field(20, 7)
            node += field(5, field(1, name) + numbers)
        graph += field(1, node)
    shape = field(1, field(2, "N")) + b"".join(field(1, field(1, size)) for size in sizes)
    graph += b"".join(tensors) + field(11, field(1, "x") + field(2, field(1, field(1, 1) + field(2, shape)))) + field(12, field(1, "y"))
    return field(1, 8) + field(8, field(2, 17)) + field(7, graph)


class ImportCase(OnnxCase):
    def take(self, name, file=None):
        self.assertEqual(self.run_all(f"IMPORT MODEL {name} FROM '{FOLDER / (file or name)}.onnx'"), [(name, 1)])

    def cells(self, name):
        """Rows of the file as a table has them: lists as texts."""
        inputs = EXPECTED[name]["inputs"]
        columns = [[",".join(map(repr, row)) if len(row) > 1 else row[0] for row in rows] for rows in inputs.values()]
        return list(inputs), list(zip(*columns))

    def make_table(self, name, table, label):
        columns, rows = self.cells(name)
        self.run_all(f"CREATE TABLE {table} ({', '.join(columns)}, {label})")
        return columns, rows

    def predictions(self, name, function="totrain_predict", model=None):
        columns, rows = self.cells(name)
        marks = ", ".join("?" for _ in columns)
        return [self.run_all(f"SELECT {function}('{model or name}', {marks})", *row)[0][0] for row in rows]

    def near(self, found, wanted):
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            self.assertLessEqual(abs(one - other), 1e-5 * max(1, abs(other)), (found, wanted))


class Predictions(ImportCase):
    def test_numbers_are_those_of_onnxruntime(self):
        for name in ("mlp", "signal", "views", "gaps"):
            with self.subTest(name=name):
                self.take(name)
                self.near(self.predictions(name), [row[0] for row in EXPECTED[name]["outputs"]])

    def test_probabilities_are_those_of_onnxruntime(self):
        for name, second in (("classes", 1), ("probability", 0), ("words", 0)):
            with self.subTest(name=name):
                self.take(name)
                wanted = [row[second] for row in EXPECTED[name]["outputs"]]
                self.near(self.predictions(name, "totrain_probability"), wanted)
                self.assertEqual(self.predictions(name), [int(share >= 0.5) for share in wanted])

    def test_pictures_have_the_class_of_the_greatest_output(self):
        for name in ("pictures", "torch"):  # the second is PyTorch's own
            with self.subTest(name=name):
                self.take(name)
                outputs = EXPECTED[name]["outputs"]
                self.assertEqual(self.predictions(name), [row.index(max(row)) for row in outputs])
                shares = [1 / sum(math.exp(number - max(row)) for number in row) for row in outputs]
                self.near(self.predictions(name, "totrain_probability"), shares)

    def test_modules_of_pytorch_are_those_of_pytorch(self):
        """Both exporters write them: recurrent layers, attention, convolutions, norms, what goes together by shape."""
        for name, expected in MODULES.items():
            for file in (f"{name}", f"{name}_script"):
                with self.subTest(file=file):
                    self.take(file, f"modules/{file}")
                    outputs = expected["outputs"]
                    if len(outputs[0]) == 1:
                        self.near(self.predictions(name, model=file), [row[0] for row in outputs])
                        continue
                    shares = [max(math.exp(number) for number in row) / sum(math.exp(number) for number in row)
                              for row in outputs]
                    if len(outputs[0]) == 2:
                        shares = [math.exp(row[1]) / sum(math.exp(number) for number in row) for row in outputs]
                    else:
                        self.assertEqual(self.predictions(name, model=file), [row.index(max(row)) for row in outputs])
                    self.near(self.predictions(name, "totrain_probability", file), shares)

    def test_a_module_becomes_few_operations(self):
        """Recurrent layers, gelu and layer norms are operations, and no chains of arithmetic."""
        for name, wanted in (("gru_script", "gru_1 = gru(reshape_1, units = 5)"), ("gelu", "gelu_1 = gelu(dense_1)"),
                             ("lstm_script", "units = 4, sequences = 1, direction = ''both'');"),
                             ("transformer", "layer_norm_1 = layer_norm(add_")):
            self.take(name, f"modules/{name}")
            self.assertIn(wanted, dict(self.run_all(f"SHOW MODEL {name}"))["graph"])

    def test_bytes_are_taken_by_a_function_and_a_format_is_checked(self):
        data = (FOLDER / "mlp.onnx").read_bytes()
        self.assertEqual(self.run_all("SELECT totrain_import_model('m', ?, 'onnx')", data), [(1,)])
        self.near(self.predictions("mlp", model="m"), [row[0] for row in EXPECTED["mlp"]["outputs"]])
        with self.assertRaisesRegex(sqlite3.Error, 'the file is no model of the format "xgboost"'):
            self.run_all("SELECT totrain_import_model('m', ?, 'xgboost')", data)


class Definitions(ImportCase):
    """The statement that SHOW MODEL has of a graph can be run, and another model learned by it."""

    def define(self, model, name):
        text = dict(self.run_all(f"SHOW MODEL {model}"))["graph"]
        self.run_all(text.replace("zoo/copy", f"zoo/{name}"))

    def test_a_file_is_fine_tuned_by_its_definition(self):
        self.take("pictures")
        self.define("pictures", "net")
        self.run_all("DROP TABLE t")
        self.run_all("CREATE TABLE t (picture TEXT, label INTEGER)")
        draw = random.Random(4)
        for i in range(120):
            cells = [round(draw.gauss(i % 3, 1), 3) for _ in range(84)]
            self.run_all("INSERT INTO t VALUES (?, ?)", ",".join(map(str, cells)), i % 3)
        train = "SELECT * FROM t TO TRAIN zoo/net WITH train.epoch = {}, train.freeze = '{}' {} LABEL label {} INTO {}"
        self.run_all(train.format(30, "conv2d*", "", "USING pictures", "tuned"))
        self.run_all("SELECT * FROM t TO EVALUATE tuned LABEL label")
        right = [self.run_all(f"SELECT avg(label = totrain_predict('{name}', picture)) FROM t")[0][0]
                 for name in ("pictures", "tuned")]
        self.assertGreater(right[1], max(0.6, right[0]))
        tensors = [dict(self.run_all(f"SELECT name, group_concat(hex(data)) FROM {name} WHERE part = 'tensor' GROUP BY name"))
                   for name in ("pictures", "tuned")]
        self.assertEqual({name for name in tensors[0] if tensors[0][name] == tensors[1][name]},
                         {f"conv2d_{i}/{part}" for i in (1, 2) for part in ("weights", "bias")})
        # The same definition without the weights.
        self.run_all(train.format(1, "dense_1", "COLUMN DENSE(picture, 84)", "", "fresh"))

    def test_a_definition_is_imported_without_the_weights(self):
        file = FOLDER / "modules" / "gru_script.onnx"
        self.assertEqual(self.run_all(f"IMPORT DEFINITION zoo/Gru9 FROM '{file}'"), [("zoo/gru9", 1)])
        self.take("gru_script", "modules/gru_script")
        text = dict(self.run_all("SHOW DEFINITION zoo/gru9"))["statement"]
        self.assertEqual(text, dict(self.run_all("SHOW MODEL gru_script"))["graph"].replace("zoo/copy", "zoo/gru9"))
        self.run_all("CREATE TABLE steps (x TEXT, label INTEGER)")
        draw = random.Random(2)
        self.database.executemany("INSERT INTO steps VALUES (?, ?)", [
            (",".join(str(round(draw.gauss(i % 3, 1), 2)) for _ in range(12)), i % 3) for i in range(90)])
        self.run_all("SELECT * FROM steps TO TRAIN zoo/gru9 WITH train.epoch = 1 COLUMN DENSE(x, 12) LABEL label INTO m")

    def test_a_definition_is_written_and_read_as_its_statement(self):
        path, again = self.folder / "tower.txt", self.folder / "again.txt"
        statement = "DEFINE MODEL zoo/tower (dim = 4, word = 'it''s') AS '\n  return dense(numbers, outputs)\n'"
        self.run_all(statement)
        self.assertEqual(self.run_all(f"EXPORT DEFINITION zoo/tower TO '{path}'"),
                         [("zoo/tower", str(path), len(statement) + 2)])
        self.assertEqual(path.read_text(encoding="utf-8"), statement + ";\n")
        self.assertEqual(self.run_all(f"IMPORT DEFINITION zoo/other FROM '{path}'"), [("zoo/other", 1)])
        self.assertEqual(dict(self.run_all("SHOW DEFINITION zoo/other"))["statement"],
                         statement.replace("zoo/tower", "zoo/other"))
        self.run_all(f"EXPORT DEFINITION zoo/mlp TO '{again}'")
        self.assertIn("DEFINE MODEL zoo/mlp (hidden = [64, 32]", again.read_text(encoding="utf-8"))

    def test_files_that_are_no_definition_are_refused(self):
        path = self.folder / "d.txt"
        trees = self.folder / "trees.json"
        trees.write_bytes((FOLDER.parent / "xgboost_two.json").read_bytes())
        for pattern, text in (("the file is neither a network nor a DEFINE MODEL", "SHOW MODELS;"),
                              (r"the file, line 2, column 1: expected", "DEFINE MODEL zoo/a AS\n5;"),
                              ("there is no operation", "DEFINE MODEL zoo/a AS 'return dens(numbers)'"),
                              ("model.dropout is an attribute|model.loss is an attribute",
                               "DEFINE MODEL zoo/a (loss = 1) AS 'return dense(numbers, outputs)'")):
            path.write_text(text, encoding="utf-8")
            with self.subTest(text=text), self.assertRaisesRegex(sqlite3.Error, pattern):
                self.run_all(f"IMPORT DEFINITION zoo/new FROM '{path}'")
        for pattern, sql in (("zoo/mlp comes with ToTrain", f"IMPORT DEFINITION zoo/mlp FROM '{path}'"),
                             ("cannot read", f"IMPORT DEFINITION zoo/new FROM '{self.folder}/nothing'"),
                             ("a definition is called zoo/name", f"IMPORT DEFINITION new FROM '{path}'"),
                             ("the file(, line 1, column 1| is neither a network)", f"IMPORT DEFINITION zoo/new FROM '{trees}'"),
                             ("the name of the file is empty", "IMPORT DEFINITION zoo/new FROM ''"),
                             ("there is no definition", f"EXPORT DEFINITION zoo/nothing TO '{path}'"),
                             ("the name of the file is empty", "EXPORT DEFINITION zoo/mlp TO ''"),
                             ("cannot write|No such file", f"EXPORT DEFINITION zoo/mlp TO '{self.folder}/no/where'"),
                             ('node "/y/Erf"', f"IMPORT DEFINITION zoo/new FROM '{FOLDER / 'erf.onnx'}'")):
            with self.subTest(sql=sql), self.assertRaisesRegex(sqlite3.Error, pattern):
                self.run_all(sql)
        self.run_all(f"IMPORT DEFINITION zoo/new FROM '{FOLDER / 'mlp.onnx'}'")
        with self.assertRaisesRegex(sqlite3.Error, 'there is a definition "zoo/new" already'):
            self.run_all(f"IMPORT DEFINITION zoo/new FROM '{FOLDER / 'mlp.onnx'}'")

    def test_a_table_of_words_is_gone_on_from(self):
        self.take("words")
        self.define("words", "towers")
        self.run_all("DROP TABLE t")
        self.run_all("CREATE TABLE t (user INTEGER, item INTEGER, x REAL, label INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [
            (i % 7, i % 5, i % 3 / 2, int(i % 7 > i % 5)) for i in range(210)])
        self.run_all("SELECT * FROM t TO TRAIN zoo/towers WITH train.epoch = 20 LABEL label USING words INTO tuned")
        found = self.run_all("SELECT label, totrain_predict('tuned', user, item, x) FROM t")
        self.assertGreater(sum(one == other for one, other in found), 170)

    def test_what_is_exported_again_has_the_same_layers(self):
        for name, operators in (("mlp", {"MatMul": 3, "Tanh": 1}), ("pictures", {"Conv": 2, "MaxPool": 1})):
            self.take(name)
            graph = Graph(self.export(name).read_bytes())
            self.assertEqual([column for column, _, _ in graph.inputs], list(EXPECTED[name]["inputs"]))
            for operator, count in operators.items():
                self.assertGreaterEqual(graph.operators()[operator], count)

    @unittest.skipUnless(PYTHON, "TOTRAIN_ONNX is not set")
    def test_what_is_exported_again_predicts_the_same(self):
        for name, file in (("mlp", "mlp"), ("signal", "signal"), ("lstm", "modules/lstm"), ("norms", "modules/norms_script"),
                           ("functions", "modules/functions_script"), ("lag", "modules/lag"), ("gelu", "modules/gelu")):
            self.take(name, file)
            outputs = self.in_onnxruntime(self.export(name), EXPECTED[name]["inputs"])["outputs"]["prediction"]
            self.near([row[0] for row in outputs], [row[0] for row in EXPECTED[name]["outputs"]])


class Refused(ImportCase):
    def refused(self, data, message):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all("SELECT totrain_import_model('m', ?)", data)
        self.assertEqual(self.run_all("SELECT name FROM sqlite_master WHERE name = 'm'"), [])

    def test_what_is_not_read_is_named(self):
        for name, message in (
                ("erf", r'node "/y/Erf" \(Erf, operator set 17\): it is read of x / sqrt\(2\), as a part of gelu'),
                ("refused_operator", r'node "/s/Sin" \(Sin, operator set 17\): no operation of a definition is like it'),
                ("refused_reset", "its linear_before_reset is to be 1"),
                ("refused_lengths", "lengths of sequences are not read"),
                ("refused_state", "its first states are to be zeros"),
                ("refused_peepholes", "peepholes are not read"),
                ("refused_activations", "its activations are not the usual ones"),
                ("refused_direction", "clip and input_forget are not read"),
                ("refused_stride", "its step is to be 1 or -1"),
                ("refused_condition", "a comparison is read as the condition of Where alone"),
                ("refused_rows", "rows and other numbers change their places|another number of numbers|size .* does not follow")):
            with self.subTest(name=name):
                self.refused((FOLDER / f"{name}.onnx").read_bytes(), message)

    def test_files_that_no_exporter_writes_are_refused(self):
        square, one = tensor("w", 1, [8, 8], [1.0] * 64), tensor("w", 1, [1, 1], [1.0])
        large = [tensor("s", 7, [4], [1, 4096, 1024, 16]), tensor("b", 1, [16], [1.0] * 16)]
        empty = [tensor("z", 1, [0, 1 << 27], []), tensor("f", 7, [1], [0]), tensor("t", 7, [1], [1 << 27]), tensor("a", 7, [1], [1])]
        for message, data in (
                ("its axes are not those of its input",
                 made([("Transpose", ["w"], "t", ("perm", [0, 0])), ("MatMul", ["x", "t"], "y")], [square], 8)),
                ("more than 1048576 numbers of a row", made([("Expand", ["x", "s"], "e"), ("Add", ["e", "b"], "y")], large, 1, 1, 1)),
                ("it is read of at most 1048576 places",
                 made([("Slice", ["z", "f", "t", "a"], "p"), ("MatMul", ["x", "w"], "y")], [*empty, one], 1)),
                ("a number of it cannot be computed",
                 made([("Sub", ["w", "w"], "z"), ("Div", ["z", "z"], "n"), ("Mul", ["x", "n"], "y")], [one], 1)),
                ("floats of a row become no integers",
                 made([("Cast", ["x"], "i", ("to", 7)), ("Cast", ["i"], "c", ("to", 1)), ("MatMul", ["c", "w"], "y")], [one], 1)),
                ("input 2 is not known", made([("Gemm", ["x", "w", "nothing"], "y")], [one], 1))):
            with self.subTest(message=message):
                self.refused(data, message)

    def test_operator_sets_and_files_that_end_early_are_named(self):
        data = (FOLDER / "mlp.onnx").read_bytes()
        at = data.rindex(bytes([0x10, 17]))
        self.refused(data[:at + 1] + bytes([12]) + data[at + 2:], "uses operator set 12, and only 13 to 21 can be read")
        for size in (3, len(data) // 2, len(data) - 1):
            self.refused(data[:size], "the file is no model of ONNX, or it ends too early|operator set|no graph|no number")

    def test_weights_in_another_file_are_refused(self):
        self.refused((FOLDER / "external.onnx").read_bytes(), 'tensor "w" has its numbers in another file')


if __name__ == "__main__":
    harness.main()
