"""Small files of ONNX for the tests of IMPORT MODEL, and what onnxruntime predicts by them: expected.json.

    python make_files.py        with onnx 1.23.2 and onnxruntime 1.32.0 (tests/sqlite/run_onnx makes such an environment)

Layers are laid out as torch.onnx (Gemm with transB, Conv with pads, Flatten) and tf2onnx (MatMul and Add) write them.
"""

import json
import pathlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
draw = numpy.random.default_rng(7)


def floats(*shape):
    return draw.normal(0, 0.5, shape).astype(numpy.float32)


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], name=f"/{output}/{operator}", **attributes)


def save(name, nodes, arrays, inputs, output, opset):
    graph = helper.make_graph(nodes, name, inputs, [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT,
                                                                                  ["N", output])],
                              [numpy_helper.from_array(array, key) for key, array in arrays.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, HERE / f"{name}.onnx")


def value(name, *sizes, of=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, of, ["N", *sizes])


def mlp():
    save("mlp", [node("Gemm", ["x", "w1", "b1"], "h1", transB=1), node("Relu", ["h1"], "a1"),
                 node("Gemm", ["a1", "w2", "b2"], "h2", transB=1), node("Tanh", ["h2"], "a2"), node("Dropout", ["a2"], "d2"),
                 node("Gemm", ["d2", "w3", "b3"], "y", transB=1)],
         {"w1": floats(6, 4), "b1": floats(6), "w2": floats(5, 6), "b2": floats(5), "w3": floats(1, 5), "b3": floats(1)},
         [value("x", 4)], 1, 17)


def classes():
    """Two classes by a Softmax, as Keras has them; a batch norm behind a layer."""
    save("classes", [node("MatMul", ["x", "w1"], "m1"), node("Add", ["m1", "b1"], "h1"),
                     node("BatchNormalization", ["h1", "scale", "shift", "mean", "variance"], "n1", epsilon=1e-3),
                     node("Sigmoid", ["n1"], "s1"), node("Mul", ["n1", "s1"], "a1"),
                     node("MatMul", ["a1", "w2"], "m2"), node("Add", ["m2", "b2"], "h2"), node("Softmax", ["h2"], "y", axis=-1)],
         {"w1": floats(3, 4), "b1": floats(4), "scale": floats(4), "shift": floats(4), "mean": floats(4),
          "variance": floats(4) ** 2 + 0.1, "w2": floats(4, 2), "b2": floats(2)}, [value("x", 3)], 2, 13)


def one_class():
    save("probability", [node("Gemm", ["x", "w1", "b1"], "h1", transB=1), node("LeakyRelu", ["h1"], "a1", alpha=0.01),
                         node("Gemm", ["a1", "w2", "b2"], "h2", transB=1), node("Sigmoid", ["h2"], "y")],
         {"w1": floats(5, 2), "b1": floats(5), "w2": floats(1, 5), "b2": floats(1)}, [value("x", 2)], 1, 21)


def pictures():
    """A small net of convolutions: PyTorch's layout, logits of three classes."""
    save("pictures", [node("Conv", ["picture", "w1", "b1"], "c1", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                      node("BatchNormalization", ["c1", "scale", "shift", "mean", "variance"], "n1"),
                      node("Relu", ["n1"], "a1"), node("MaxPool", ["a1"], "p1", kernel_shape=[2, 2], strides=[2, 2]),
                      node("Conv", ["p1", "w2"], "c2", kernel_shape=[2, 2], strides=[1, 1]),
                      node("Add", ["c2", "half"], "s2"), node("AveragePool", ["s2"], "p2", kernel_shape=[1, 2], strides=[1, 1]),
                      node("Flatten", ["p2"], "f2"), node("Gemm", ["f2", "w3", "b3"], "y", transB=1)],
         {"w1": floats(3, 2, 3, 3), "b1": floats(3), "scale": floats(3), "shift": floats(3), "mean": floats(3),
          "variance": floats(3) ** 2 + 0.1, "w2": floats(4, 3, 2, 2), "half": numpy.array([0.5], numpy.float32),
          "w3": floats(3, 8), "b3": floats(3)}, [value("picture", 2, 6, 7)], 3, 18)


def signal():
    """Steps, a norm, reshapes, a global pool and joined values."""
    save("signal", [node("Transpose", ["steps"], "t", perm=[0, 2, 1]),
                    node("Conv", ["t", "w1", "b1"], "c1", kernel_shape=[3], auto_pad="SAME_UPPER", strides=[2]),
                    node("Elu", ["c1"], "a1"), node("GlobalAveragePool", ["a1"], "g1"),
                    node("Reshape", ["g1", "flat"], "f1"), node("Reshape", ["steps", "wide"], "f2"),
                    node("LayerNormalization", ["f2", "gamma", "beta"], "l2", axis=-1, epsilon=1e-5),
                    node("Concat", ["f1", "l2"], "j", axis=1), node("Gemm", ["j", "w2", "b2"], "h", transB=1),
                    node("Div", ["h", "two"], "y")],
         {"w1": floats(4, 2, 3), "b1": floats(4), "flat": numpy.array([-1, 4], numpy.int64),
          "wide": numpy.array([0, -1], numpy.int64), "gamma": floats(14), "beta": floats(14), "w2": floats(1, 18),
          "b2": floats(1), "two": numpy.array(2, numpy.float32)}, [value("steps", 7, 2)], 1, 17)


def views():
    """Shapes that are computed, as of x.view(x.size(0), -1); parts, sums along axes, axes that come and go."""
    save("views", [node("Shape", ["x"], "s"), node("Gather", ["s", "zero"], "n", axis=0),
                   node("Unsqueeze", ["n", "first"], "n1"), node("Concat", ["n1", "rest"], "v", axis=0),
                   node("Reshape", ["x", "v"], "flat"), node("Slice", ["x", "one", "far", "last"], "part"),
                   node("ReduceMean", ["part"], "m", axes=[2], keepdims=0), node("ReduceSum", ["x", "axes"], "t", keepdims=1),
                   node("Squeeze", ["t", "last"], "q"), node("Unsqueeze", ["m", "last"], "u"),
                   node("Squeeze", ["u", "last"], "m2"), node("Concat", ["flat", "m2", "q"], "j", axis=-1),
                   node("Gemm", ["j", "w", "b"], "y", transB=1)],
         {"zero": numpy.array(0, numpy.int64), "first": numpy.array([0], numpy.int64), "rest": numpy.array([-1], numpy.int64),
          "one": numpy.array([1], numpy.int64), "far": numpy.array([2 ** 62], numpy.int64),
          "last": numpy.array([2], numpy.int64), "axes": numpy.array([2], numpy.int64), "w": floats(1, 18), "b": floats(1)},
         [value("x", 3, 4)], 1, 17)


def words():
    save("words", [node("Gather", ["users", "user"], "u"), node("Gather", ["items", "item"], "i"),
                   node("Mul", ["u", "i"], "m"), node("Concat", ["u", "i", "m", "x"], "j", axis=1),
                   node("Gemm", ["j", "w1", "b1"], "h", transB=1), node("Relu", ["h"], "a"),
                   node("Gemm", ["a", "w2", "b2"], "z", transB=1), node("Sigmoid", ["z"], "y")],
         {"users": floats(7, 3), "items": floats(5, 3), "w1": floats(4, 10), "b1": floats(4), "w2": floats(1, 4),
          "b2": floats(1)},
         [helper.make_tensor_value_info("user", TensorProto.INT64, ["N"]),
          helper.make_tensor_value_info("item", TensorProto.INT64, ["N"]), value("x", 1)], 1, 20)


def refused():
    """An operator that no operation is like, and weights in another file."""
    save("erf", [node("Gemm", ["x", "w", "b"], "h", transB=1), node("Erf", ["h"], "y")],
         {"w": floats(1, 2), "b": floats(1)}, [value("x", 2)], 1, 17)
    model = onnx.load(HERE / "erf.onnx")
    weights, = (tensor for tensor in model.graph.initializer if tensor.name == "w")
    weights.ClearField("raw_data")
    weights.data_location = TensorProto.EXTERNAL
    weights.external_data.add(key="location", value="/etc/passwd")
    (HERE / "external.onnx").write_bytes(model.SerializeToString())


def layer(name, operator, gates, inputs="", length=6, **attributes):
    """A recurrent layer that is refused for what it has."""
    arrays = {"w": floats(1, gates * 3, 2), "r": floats(1, gates * 3, 3), "b": floats(1, gates * 6),
              "state": floats(1, 1, 3), "lengths": numpy.array([2], numpy.int32), "peeps": floats(1, 9),
              "o": floats(3, 1), "first": numpy.array([0], numpy.int64)}
    taken = ["t", "w", "r", "b", *inputs.split(",")][:length]
    nodes = [node("Transpose", ["x"], "t", perm=[1, 0, 2]),
             helper.make_node(operator, taken, ["", "h"], name="layer", hidden_size=3, **attributes),
             node("Squeeze", ["h", "first"], "s"), node("MatMul", ["s", "o"], "y")]
    used = {key for one in nodes for key in one.input}
    save(f"refused_{name}", nodes, {key: array for key, array in arrays.items() if key in used}, [value("x", 4, 2)], 1, 17)


def more_refused():
    layer("reset", "GRU", 3)
    layer("lengths", "RNN", 1, "lengths")
    layer("state", "RNN", 1, ",state")
    layer("peepholes", "LSTM", 4, ",,,peeps", 8)
    layer("activations", "RNN", 1, activations=["Relu"])
    layer("direction", "GRU", 3, linear_before_reset=1, clip=3.0)
    arrays = {"w": floats(3, 1), "zero": numpy.array(0, numpy.float32), "two": numpy.array([2], numpy.int64),
              "one": numpy.array([1], numpy.int64), "far": numpy.array([9], numpy.int64), "flat": numpy.array([3, -1], numpy.int64)}
    for name, nodes in (("stride", [node("Slice", ["x", "one", "far", "one", "two"], "s"), node("ReduceSum", ["s", "one"], "y")]),
                        ("condition", [node("Greater", ["x", "zero"], "g"), node("Cast", ["g"], "c", to=1),
                                       node("MatMul", ["c", "w"], "y")]),
                        ("rows", [node("Reshape", ["x", "flat"], "s"), node("ReduceSum", ["s", "one"], "y")]),
                        ("operator", [node("Sin", ["x"], "s"), node("MatMul", ["s", "w"], "y")])):
        used = {key for one in nodes for key in one.input}
        save(f"refused_{name}", nodes, {key: array for key, array in arrays.items() if key in used}, [value("x", 3)], 1, 17)


def gaps():
    """Windows with gaps, groups of channels, zeros in front alone, and a window without zeros."""
    save("gaps", [node("Conv", ["steps", "w1", "b1"], "c1", kernel_shape=[3], dilations=[2], group=2, pads=[4, 0]),
                  node("Relu", ["c1"], "a1"),
                  node("Conv", ["a1", "w2", "b2"], "c2", kernel_shape=[3], dilations=[3], pads=[3, 3]),
                  node("Conv", ["c2", "w3"], "c3", kernel_shape=[2], dilations=[4], group=3),
                  node("Flatten", ["c3"], "f"), node("Gemm", ["f", "w4", "b4"], "y", transB=1)],
         {"w1": floats(6, 2, 3), "b1": floats(6), "w2": floats(3, 6, 3), "b2": floats(3), "w3": floats(3, 1, 2),
          "w4": floats(1, 15), "b4": floats(1)}, [value("steps", 4, 9)], 1, 17)


def rows(name):
    """Rows of each input, as lists, and what onnxruntime makes of them."""
    session = onnxruntime.InferenceSession(HERE / f"{name}.onnx", providers=["CPUExecutionProvider"])
    feeds = {}
    for one in session.get_inputs():
        limit = {"user": 7, "item": 5}.get(one.name)
        feeds[one.name] = (draw.integers(0, limit, 6) if limit else
                           draw.normal(0, 1, (6, *one.shape[1:])).round(3).astype(numpy.float32))
    outputs = session.run(None, feeds)[0]
    return {"inputs": {key: cells.reshape(6, -1).tolist() for key, cells in feeds.items()},
            "outputs": outputs.astype(float).round(7).tolist()}


def main():
    names = ("mlp", "classes", "probability", "pictures", "signal", "words", "views")
    for make in (mlp, classes, one_class, pictures, signal, words, views, refused):
        make()
    found = {name: rows(name) for name in names}
    gaps()
    found["gaps"] = rows("gaps")
    more_refused()
    text = json.dumps(found, indent=None, separators=(",", ":"))
    (HERE / "expected.json").write_text(text.replace('},"', '},\n"') + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
