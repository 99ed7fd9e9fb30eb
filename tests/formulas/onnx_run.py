"""A file of ONNX is checked by the package onnx and run by onnxruntime: rows as JSON come in, outputs as JSON go out.

    python onnx_run.py MODEL < {"column": [cells], ...} > {"outputs": {"name": [values], ...}, "notes": {...}}

Cells are numbers, null for a missing one, lists of them, or strings. It is run by a Python that has both packages.
"""

import json
import sys

import numpy
import onnx
import onnxruntime


def tensor(declared, cells):
    if declared.type == "tensor(string)":
        return numpy.array(cells, dtype=object).reshape(len(cells), declared.shape[1])
    assert declared.type == "tensor(double)", declared.type
    return numpy.array(cells, dtype=numpy.float64).reshape(len(cells), -1 if cells else declared.shape[1])


def plain(array):
    if array.dtype == numpy.float64:
        return [[None if numpy.isnan(number) else float(number) for number in row] for row in array]
    return [value if isinstance(value, str) else int(value) for value in array.reshape(-1)]


def main():
    path = sys.argv[1]
    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    columns = json.load(sys.stdin)
    feeds = {declared.name: tensor(declared, columns[declared.name]) for declared in session.get_inputs()}
    names = [declared.name for declared in session.get_outputs()]
    outputs = dict(zip(names, map(plain, session.run(names, feeds))))
    json.dump({"outputs": outputs, "notes": dict(session.get_modelmeta().custom_metadata_map)}, sys.stdout)


if __name__ == "__main__":
    main()
