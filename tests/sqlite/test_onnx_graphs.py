"""EXPORT MODEL ... FORMAT onnx of models of definitions: the operators in the file; and the same predictions by onnxruntime
where TOTRAIN_ONNX is a Python that has it (tests/sqlite/run_onnx)."""

import json
import random
import sqlite3
import unittest

import harness
from onnx_case import DOUBLE, Graph, INTEGER, OnnxCase, PYTHON, STRING

ACTIVATIONS = ("identity", "relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu", "gelu", "swish", "softplus", "softsign")
NUMBERS, SEVERAL = "SELECT a, b, c, d, y FROM t", "SELECT * FROM t"
PICTURES, STEPS, MIXED = "SELECT p, y FROM pictures", "SELECT s, y FROM steps", "SELECT p, plan, y FROM pictures"
SAID, BYTES, BASKETS = "SELECT w, y FROM said", "SELECT raw, y FROM bytes", "SELECT basket, y FROM baskets"
AS_PICTURE, AS_STEPS, AS_WORDS = "COLUMN DENSE(p, 30)", "COLUMN SEQUENCE(s, 6)", "COLUMN VOCABULARY(SEQUENCE(w, 6, ' '), 40)"
AS_BYTES, AS_BASKET = "COLUMN IMAGE(raw, 3, 2, 2)", "COLUMN SPARSE(basket, 7)"
# Name, the definition's text, rows, COLUMN.
GRAPHS = (
    ("layers", "h = gelu(dense(numbers, 6)); return dense(h, outputs)", SEVERAL, ""),
    ("words", "parts = [numbers]; for c in categories { parts = parts + [embedding(c, 3)] } h = relu(dense(concat(parts), 5)); "
              "return dense(h, outputs) + dense(numbers, words, outputs, bias = 0)", SEVERAL, ""),
    ("tables", "e = embedding(words, 4); return dense(flatten(e), outputs) + sum(e * e) / 4", SEVERAL, ""),
    ("no_numbers", "return dense(words, outputs)", SEVERAL, ""),
    ("axes", "h = reshape(dense(numbers, 24), [2, 3, 4]); h = transpose(h, [2, 0, 1]); h = concat(h, 2 * h, axis = 0); "
             "h = slice(h, 1, 6, axis = 0); h = layer_norm(h) + mean(h, [0]) / 3; "
             "return dense(concat(flatten(mean(h, -1)), sum(h)), outputs)", NUMBERS, ""),
    ("mirrored", "h = transpose(reshape(dense(numbers, 6), [2, 3])); return dense(flatten(h - reshape(slice(h, 0, 1, axis = 0), [2]) * h), outputs)",
     NUMBERS, ""),
    ("norms", "h = dense(numbers, 5); return dense(dropout(concat(softmax(h), l2_normalise(h), layer_norm(h)), 0.5), outputs)",
     NUMBERS, ""),
    ("windows", "x = relu(conv2d(reshape(p, [5, 6, 1]), 4, 3, padding = same)); x = max_pool(x, 2); "
                 "x = conv2d(x, 3, [1, 2], stride = [2, 1]); return dense(flatten(x), outputs)", PICTURES, AS_PICTURE),
    ("strided", "x = conv2d(reshape(p, [5, 6, 1]), 4, [2, 3], stride = 2, padding = same); x = mean_pool(tanh(x), [2, 1], 1); "
                "return dense(mean(x, [0, 1]), outputs)", PICTURES, AS_PICTURE),
    ("signal", "x = conv1d(reshape(p, [15, 2]), 4, 4, stride = 2, padding = same); x = max_pool(x, 3, stride = 2); "
               "x = conv1d(mean_pool(x, 1), 2, 2); return dense(flatten(x), outputs)", PICTURES, AS_PICTURE),
    ("gaps", "x = relu(conv2d(reshape(p, [5, 6, 1]), 4, [2, 3], padding = same, dilation = 2)); "
             "x = conv2d(x, 6, 2, groups = 2, dilation = [1, 2]); return dense(flatten(x), outputs)", PICTURES, AS_PICTURE),
    ("causal", "x = tanh(conv1d(reshape(p, [15, 2]), 4, 3, padding = causal, dilation = 2, groups = 2)); "
               "x = conv1d(x, 3, 2, padding = causal); x = conv1d(x, 2, 3, dilation = 3, stride = 2, padding = same); "
               "return dense(flatten(x), outputs)", PICTURES, AS_PICTURE),
    ("mixed", "x = mean_pool(reshape(p, [5, 6, 1]), [5, 2]); return dense(concat(flatten(x), embedding(plan, 2)), outputs)",
     MIXED, AS_PICTURE + ", plan"),
    ("recurrent", "h = rnn(reshape(dense(numbers, 6), [3, 2]), 5, sequences = 1); return dense(lstm(h, 4), outputs)", NUMBERS, ""),
    ("gated", "return dense(gru(sequence(s), 4), outputs)", STEPS, AS_STEPS),
    ("states", "h = lstm(sequence(s), 3, sequences = 1); h = gru(h, 4, sequences = 1); "
               "return dense(concat(rnn(h, 3), mean(h, 0)), outputs)", STEPS, AS_STEPS),
    ("activated", f"h = dense(numbers, 5); return dense(concat({', '.join(f'{name}(h)' for name in ACTIVATIONS)}), outputs)",
     NUMBERS, ""),
    ("functions", "h = dense(numbers, 4); g = clip(h, -0.5, 0.25); h = concat(exp(100 * h), log(h), sqrt(h), log(exp(h)), g, "
                  "where(h, g, constant(3)), where(sum(numbers) - 12, h, g)); return dense(clip(h, -9, 9), outputs)", NUMBERS, ""),
    ("chosen", "h = dense(numbers, 12); m = reshape(h, [3, 4]); c = where(reshape(sum(h), [1, 1, 1]), reshape(h, [2, 3, 2]), constant(1)); "
               "g = concat(gather(m, [2, 0, -1, 0], axis = 0), gather(transpose(m), [-1, 1, 0, 0]), axis = 0); "
               "return dense(concat(flatten(g), max(m, 0), flatten(split(m, 2)[1]), part(h, 2, 3)), outputs) * max(c)",
     NUMBERS, ""),
    ("normed", "h = batch_norm(dense(numbers, 6)); m = batch_norm(reshape(h, [3, 2])); "
               "return dense(concat(h, flatten(m), cosine(h, dense(numbers, 6)), cosine(m, 0 * m)), outputs)", NUMBERS, ""),
    ("products", "a = reshape(dense(numbers, 12), [2, 3, 2]); b = reshape(dense(numbers, 8), [2, 2, 2]); m = matmul(a, b); "
                 "return dense(concat(flatten(m), flatten(matmul(m, a, transpose = 1)), flatten(dense_each(numbers, 3))), outputs)",
     NUMBERS, ""),
    ("marked", "return dense(concat(one_hot(words), one_hot(city)), outputs)", SEVERAL, ""),
    ("pooled_steps", "h = positions(dense(sequence(s), 3)); r = reshape(dense(steps_mean(h), 6), [3, 2]); "
                     "return dense(concat(steps_mean(h), steps_max(h), steps_mean(r), steps_max(r)), outputs)", STEPS, AS_STEPS),
    ("attentive", "h = positions(dense(sequence(s), 8)); "
                  "h = h + attention(dense(h, 8), dense(h, 8), dense(h, 8), heads = 4, causal = 1); "
                  "a = attention(dense(h, 4), dense(h, 4), dense(h, 6), heads = 2); m = reshape(steps_max(h), [2, 4]); "
                  "return dense(concat(steps_mean(a), flatten(attention(m, m, m * m, causal = 1))), outputs)", STEPS, AS_STEPS),
    ("backward", "h = gru(sequence(s), 3, sequences = 1, direction = backward); "
                 "return dense(concat(lstm(h, 4, direction = backward), mean(h, 0)), outputs)", STEPS, AS_STEPS),
    ("both_ways", "h = lstm(sequence(s), 3, sequences = 1, direction = both); h = rnn(h, 2, sequences = 1, direction = both); "
                  "return dense(concat(gru(h, 4, direction = both), flatten(h)), outputs)", STEPS, AS_STEPS),
    ("both_whole", "h = gru(reshape(dense(numbers, 6), [3, 2]), 5, sequences = 1, direction = both); "
                   "return dense(concat(flatten(h), rnn(h, 3, direction = both)), outputs)", NUMBERS, ""),
    ("told", "e = embedding(sequence(w), 4); h = attention(e, e, e); "
             "return dense(concat(gru(h, 3, direction = both), steps_max(e), flatten(conv1d(e, 2, 3))), outputs)", SAID, AS_WORDS),
    ("told_at_once", "e = embedding(sequence(w), 2); return dense(concat(steps_mean(e), embedding(w, 3), "
                     "embedding(w, 2, combiner = sum), embedding(w, 2, combiner = mean), one_hot(w), dense(w, 2)), outputs)",
     SAID, AS_WORDS),
    ("image", "x = conv2d(image(raw, 3, 2, 2), 3, 2); return dense(flatten(x), outputs)", BYTES, AS_BYTES),
    ("sparse", "return dense(relu(dense(numbers, 4)), outputs)", BASKETS, AS_BASKET),
)
# A head for each label: two classes, a number, integers as classes.
HEADS = """DEFINE MODEL zoo/heads AS '
  h = tanh(dense(numbers, words, 6));
  heads = [];
  for l in labels { heads = heads + [dense(h, outputs(l))] }
  return heads
'"""
TRAIN_HEADS = "SELECT *, b > c AS bigger, a - 2 * b AS far, rowid % 3 AS third FROM t TO TRAIN zoo/heads " \
    "WITH train.epoch = 20, seed = 1 LABEL {} INTO heads"
# Rows that no training row is like.
UNLIKE = {
    "t": [(None,) * 4 + ("never", None, 0), (1e4, -1e4, 0.5, None, "", "c1", 0), (-0.0, 300, -300, 1e-9, "basic", "nowhere", 0)],
    "pictures": [(",".join(["0"] * 30), "z", 0), (",".join(["-255"] * 30), None, 1)],
    "steps": [("[]", 0), ("[null, null]", 1), ("[5]", 0), ("[null, 1, null, 2, null, null]", 0), ("[1,2,3,4,5,6,7,8,9]", 1)],
    "said": [("", 0), ("never", 1), ("w1 never w2 w3 nor w1 w1", 0), ("never w1 w2", 1), ("W1 w1", 0)],
    "bytes": [(bytes(12), 0), (bytes([255] * 12), 1), (None, 1)],
    "baskets": [("", 0), ("6", 1), ("6,6,6,6", 0)],
}


class GraphCase(OnnxCase):
    def setUp(self):
        super().setUp()
        draw = random.Random(9)
        self.run_all("DROP TABLE t")
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, d REAL, plan TEXT, city TEXT, y REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", [
            [None if draw.random() < 0.1 else draw.gauss(3, 2) for _ in range(4)] +
            [draw.choice(("basic", "it's", None, "Grüße")), f"c{draw.randrange(9)}", draw.gauss(0, 1)] for _ in range(200)])
        self.run_all("CREATE TABLE pictures (p TEXT, plan TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO pictures VALUES (?, ?, ?)", [
            (",".join(str(draw.randrange(17)) for _ in range(30)), draw.choice("abc"), i % 3) for i in range(200)])
        self.run_all("CREATE TABLE steps (s TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO steps VALUES (?, ?)", [
            (json.dumps([None if draw.random() < 0.2 else round(draw.gauss(0, 1), 3) for _ in range(draw.randrange(9))]), i % 2)
            for i in range(200)])
        self.run_all("CREATE TABLE said (w TEXT, y INTEGER)")
        words = ["it's", "Grüße", "d,e", *(f"w{i}" for i in range(20))]
        self.database.executemany("INSERT INTO said VALUES (?, ?)", [
            (" ".join(draw.choice(words) for _ in range(draw.randrange(9))), i % 2) for i in range(200)])
        self.run_all("CREATE TABLE bytes (raw BLOB, y INTEGER)")
        self.database.executemany("INSERT INTO bytes VALUES (?, ?)", [
            (bytes(draw.randrange(256) for _ in range(12)), i % 2) for i in range(200)])
        self.run_all("CREATE TABLE baskets (basket TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO baskets VALUES (?, ?)", [
            (",".join(str(draw.randrange(7)) for _ in range(draw.randrange(6))), i % 2) for i in range(200)])

    def define(self, name, text):
        self.run_all(f"DEFINE MODEL zoo/{name} AS '{text}'")

    def train_graph(self, graph):
        name, text, select, columns = graph
        self.define(name, text)
        self.run_all(f"{select} TO TRAIN zoo/{name} WITH train.epoch = 2, train.seed = 1 {columns} LABEL y INTO {name}")

    def train_heads(self, labels="plan, far, third"):
        self.run_all(HEADS)
        self.run_all(TRAIN_HEADS.format(labels))

    def graph_of(self, name):
        graph = next(graph for graph in GRAPHS if graph[0] == name)
        self.train_graph(graph)
        return Graph(self.export(name).read_bytes())


class Files(GraphCase):
    def test_a_list_is_one_input_and_a_layer_one_operator(self):
        graph = self.graph_of("windows")
        self.assertEqual(graph.inputs, [("p", DOUBLE, ["N", 30])])
        operators = graph.operators()
        self.assertEqual((operators["Conv"], operators["MaxPool"], operators["MatMul"]), (2, 1, 1 + 1))  # and the sum of classes
        self.assertEqual((graph.attribute("MaxPool", "kernel_shape"), graph.attribute("MaxPool", "strides")), ([2, 2], [2, 2]))

    def test_windows_have_gaps_groups_and_zeros_in_front(self):
        self.train_graph(("reach", "x = conv1d(reshape(p, [15, 2]), 4, 3, padding = causal, dilation = 2, groups = 2); "
                                   "return dense(flatten(x), outputs)", PICTURES, AS_PICTURE))
        graph = Graph(self.export("reach").read_bytes())
        self.assertEqual([graph.attribute("Conv", name) for name in ("dilations", "group", "pads")], [[2], 2, [4, 0]])

    def test_steps_that_a_row_lacks_are_behind_the_others(self):
        graph = self.graph_of("gated")
        self.assertEqual(graph.inputs, [("s", DOUBLE, ["N", 6])])
        operators = graph.operators()
        self.assertEqual((operators["GRU"], operators["TopK"]), (1, 1))
        self.assertEqual(graph.attribute("GRU", "linear_before_reset"), 1)

    def test_words_are_rows_of_a_table(self):
        graph = self.graph_of("words")
        self.assertEqual([name for name, _, _ in graph.inputs], ["a", "b", "c", "d", "plan", "city"])
        self.assertGreaterEqual(graph.operators()["Gather"], 4)

    def test_words_in_order_are_one_input_of_strings(self):
        graph = self.graph_of("told")
        self.assertEqual(graph.inputs, [("w", STRING, ["N", 6])])
        operators = graph.operators()
        self.assertEqual((operators["LabelEncoder"], operators["Softmax"]), (1, 1))  # and no softmax of classes, which are two
        self.assertEqual(graph.attribute("GRU", "hidden_size"), 3)

    def test_pictures_and_sparse_lists_are_one_input_of_numbers(self):
        self.assertEqual(self.graph_of("image").inputs, [("raw", DOUBLE, ["N", 12])])
        self.assertEqual(self.graph_of("sparse").inputs, [("basket", DOUBLE, ["N", 7])])

    def test_words_by_their_hash_are_refused(self):
        self.run_all("INSERT INTO said VALUES ('once', 1)")
        self.train_graph(next(graph for graph in GRAPHS if graph[0] == "told"))
        with self.assertRaisesRegex(sqlite3.Error, r'(?s)input "SEQUENCE\(w\)" takes some words by their hash.*of one row alone'):
            self.export("told")

    def test_a_column_of_lists_and_words_is_refused(self):
        self.run_all("CREATE TABLE twice (w TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO twice VALUES (?, ?)", [(("a b", "b", "c b a")[i % 3], i % 2) for i in range(90)])
        self.train_graph(("two", "return dense(concat(steps_mean(embedding(sequence(w), 2)), embedding(words, 2)), outputs)",
                          "SELECT w, y FROM twice", "COLUMN VOCABULARY(SEQUENCE(w, 3, ' '), 9), w"))
        with self.assertRaisesRegex(sqlite3.Error, 'column "w" is taken as a list and otherwise, too, and an input of ONNX has'):
            self.export("two")

    def test_steps_that_are_not_there_count_nothing(self):
        operators = self.graph_of("attentive").operators()
        self.assertEqual((operators["Softmax"], operators["LessOrEqual"]), (3, 2))
        self.assertEqual(self.graph_of("pooled_steps").operators()["ReduceMax"], 4)  # refused rows have one

    def test_a_head_is_an_output_of_its_own_type(self):
        self.train_heads()
        graph = Graph(self.export("heads").read_bytes())
        self.assertEqual([name for name, _, _ in graph.inputs], ["a", "b", "c", "d", "city", "y", "bigger"])
        self.assertEqual(graph.outputs, [("plan", STRING, ["N"]), ("far", DOUBLE, ["N", 1]), ("third", INTEGER, ["N"])])

    def test_a_loss_is_no_part_of_the_file(self):
        self.define("code", "z = dense(numbers, 2); given = dense(z, width(numbers)); lost = tanh(numbers - given); loss = mean(lost * lost); return z")
        self.run_all("SELECT a, b, c, d FROM t TO TRAIN zoo/code WITH train.epoch = 1 INTO code")
        graph = Graph(self.export("code").read_bytes())
        self.assertEqual(graph.outputs, [(f"component_{i}", DOUBLE, ["N", 1]) for i in (1, 2)])
        self.assertNotIn("Tanh", graph.operators())

    def test_sql_and_c_have_no_graphs(self):
        self.train_graph(next(graph for graph in GRAPHS if graph[0] == "layers"))
        for kind in ("sqlite", "c"):
            with self.assertRaisesRegex(sqlite3.Error, "a model of a definition is no formula of SQL or C"):
                self.run_all(f"SELECT totrain_export_text('layers', '{kind}')")


@unittest.skipUnless(PYTHON, "TOTRAIN_ONNX is not set")
class Predictions(GraphCase):
    def columns(self, select):
        """Cells of the columns as a program has them: of a list all numbers, those that are not there in front."""
        names = [name for name, in self.run_all(f"SELECT name FROM pragma_table_info('{select.split()[-1]}')")]
        cells = zip(*self.run_all(f"SELECT * FROM {select.split()[-1]}"))
        found = dict(zip(names, map(list, cells)))
        if "s" in found:
            lists = [json.loads(cell)[-6:] for cell in found["s"]]
            found["s"] = [[None] * (6 - len(one)) + one for one in lists]
        if "p" in found:
            found["p"] = [json.loads(f"[{cell}]") for cell in found["p"]]
        if "w" in found:
            lists = [cell.split()[-6:] for cell in found["w"]]
            found["w"] = [one + [""] * (6 - len(one)) for one in lists]
        if "raw" in found:
            found["raw"] = [list(cell) if cell else [None] * 12 for cell in found["raw"]]
        if "basket" in found:
            found["basket"] = [[cell.split(",").count(str(i)) for i in range(7)] for cell in found["basket"]]
        return {name: [cell or "" for cell in values] if name in ("plan", "city") else values for name, values in found.items()}

    def check_graph(self, graph):
        name, _, select, _ = graph
        self.train_graph(graph)
        table = select.split()[-1]
        for row in UNLIKE[table]:
            self.database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        inputs = self.inputs(name)
        outputs = self.in_onnxruntime(self.export(name), {column: self.columns(select)[column] for column in inputs})["outputs"]
        arguments = ", ".join(inputs)
        if table == "t":
            wanted = [row[0] for row in self.run_all(f"SELECT totrain_predict('{name}', {arguments}) FROM t")]
            found = [row[0] for row in outputs["prediction"]]
        else:
            wanted = [row[0] for row in self.run_all(f"SELECT totrain_probability('{name}', {arguments}) FROM {table}")]
            found = [shares[1] if len(shares) == 2 else max(shares) for shares in outputs["probabilities"]]
        self.assertEqual(len(found), len(wanted))
        self.assertGreater(len(set(wanted)), 20)
        for mine, other in zip(found, wanted):
            self.assertLessEqual(abs(mine - other), 1e-5 * max(1, abs(other)))

    def test_heads(self):
        self.train_heads()
        for row in UNLIKE["t"]:
            self.database.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", row)
        inputs = self.inputs("heads")
        columns = self.columns("SELECT * FROM t")
        columns["bigger"] = [bigger for bigger, in self.run_all("SELECT b > c FROM t")]
        found = self.in_onnxruntime(self.export("heads"), {name: columns[name] for name in inputs})["outputs"]
        wanted = [json.loads(one) for one, in self.run_all(
            f"SELECT totrain_predict('heads', {', '.join(inputs)}) FROM (SELECT *, b > c AS bigger FROM t)")]
        for label in ("plan", "third"):
            self.assertGreater(len(set(found[label])), 1)
            self.assertEqual(found[label], [row[label] for row in wanted])
        for (mine,), row in zip(found["far"], wanted, strict=True):
            self.assertLessEqual(abs(mine - row["far"]), 1e-5 * max(1, abs(row["far"])))

    def test_codes(self):
        self.define("code", "z = tanh(dense(numbers, 2)); given = dense(z, width(numbers)); lost = numbers - given; "
                            "loss = mean(lost * lost); return z")
        self.run_all("SELECT a, b, c, d FROM t TO TRAIN zoo/code WITH train.epoch = 20, seed = 1 INTO code")
        columns = self.columns("SELECT * FROM t")
        found = self.in_onnxruntime(self.export("code"), {name: columns[name] for name in "abcd"})["outputs"]
        for i in (1, 2):
            wanted = self.run_all(f"SELECT totrain_component('code', a, b, c, d, {i}) FROM t")
            self.assertGreater(len(set(wanted)), 20)
            for (mine,), (other,) in zip(found[f"component_{i}"], wanted, strict=True):
                self.assertLessEqual(abs(mine - other), 1e-5)


def add(graph):
    def test(self):
        self.check_graph(graph)

    setattr(Predictions, f"test_{graph[0]}", test)


for each in GRAPHS:
    add(each)


if __name__ == "__main__":
    harness.main()
