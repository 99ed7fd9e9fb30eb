"""Files of ONNX in tests: what is in them, read here as protobuf, and what onnxruntime predicts by them."""

import datetime
import json
import os
import pathlib
import subprocess

import harness
from formula_case import FormulaCase, rows

RUN = pathlib.Path(__file__).resolve().parents[1] / "formulas" / "onnx_run.py"
PYTHON = os.environ.get("TOTRAIN_ONNX")
MISSING = {"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "?", "-", "--", ".", "\\n"}


# ----- the format: fields of messages by their numbers, as onnx-ml.proto has them -----

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """{number: [values]} of a message: integers, and bytes of what has a length."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        found.setdefault(key >> 3, []).append(value)
    return found


def texts(message, number):
    return [value.decode() for value in message.get(number, [])]


class Graph:
    """A model's bytes, taken apart."""

    def __init__(self, data):
        model = fields(data)
        graph = fields(model[7][0])
        self.version = model[1][0]
        self.producer = texts(model, 2)[0]
        self.statement = texts(model, 6)[0]
        self.sets = {"".join(texts(fields(one), 1)): fields(one)[2][0] for one in model[8]}
        self.notes = {texts(fields(one), 1)[0]: "".join(texts(fields(one), 2)) for one in model[14]}
        self.name = texts(graph, 2)[0]
        self.nodes = [fields(one) for one in graph[1]]
        self.constants = [texts(fields(one), 8)[0] for one in graph.get(5, [])]
        self.inputs = [self.declared(one) for one in graph[11]]
        self.outputs = [self.declared(one) for one in graph[12]]

    @staticmethod
    def declared(data):
        """(name, number of the type, sizes)"""
        value = fields(data)
        tensor = fields(fields(value[2][0])[1][0])
        sizes = [fields(size) for size in fields(tensor[2][0])[1]]
        return (texts(value, 1)[0], tensor[1][0], [size[1][0] if 1 in size else texts(size, 2)[0] for size in sizes])

    def operators(self):
        found = {}
        for node in self.nodes:
            name = texts(node, 4)[0]
            found[name] = found.get(name, 0) + 1
        return found

    def attribute(self, operator, name):
        """The integers of an attribute of the only operator of the name."""
        node, = (node for node in self.nodes if texts(node, 4) == [operator])
        attribute, = (fields(one) for one in node[5] if texts(fields(one), 1) == [name])
        return attribute.get(8) or attribute[3][0]


DOUBLE, STRING, INTEGER = 11, 8, 7


# ----- cells as a program has them -----

def number(cell):
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING):
        return None
    return float(cell)


def word(cell):
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)


def seconds(cell):
    if cell is None or cell.strip().lower() in MISSING:
        return None
    date = datetime.datetime.fromisoformat(cell.strip().replace("Z", "+00:00"))
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.timezone.utc)
    return (date - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(seconds=1)


READERS = {rows.PLAN: word, rows.SIGNUP: seconds}


class OnnxCase(FormulaCase):
    def export(self, name):
        path = self.folder / f"{name}.onnx"
        self.run_all(f"EXPORT MODEL {name} TO '{path}'")
        return path

    def cells(self, names, table="hostile"):
        return {name: [READERS.get(name, number)(cell) for cell, in
                       self.run_all(f"SELECT {rows.quoted(name)} FROM {table} ORDER BY rowid")] for name in names}

    def in_onnxruntime(self, path, columns):
        done = subprocess.run([PYTHON, str(RUN), str(path)], input=json.dumps(columns), text=True, capture_output=True,
                              timeout=4 * harness.DEADLINE, env=harness.plain_environment())
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return json.loads(done.stdout)
