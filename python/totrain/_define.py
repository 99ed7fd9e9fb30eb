"""Definitions of models from Python: functions over symbols (nn), and PyTorch's modules through ONNX."""

from __future__ import annotations

import importlib
import inspect
import io
import warnings
from typing import Any, Optional

from . import nn
from ._errors import Error
from ._run import Session
from ._sqlite import connect

_OPERATORS = 20  # operator set of the files that PyTorch writes: the first with Gelu


def define(connection: Any, name: str, model: Any, example: Any = None, *, into: Optional[str] = None,
           replace: bool = False) -> None:
    """DEFINE MODEL name: `model` is a function of inputs (totrain.nn), or a module of PyTorch, which `example`, a
    tensor or a tuple of tensors with one row or more, is given to. A module's weights are left out of the definition;
    into='m' makes a model of them, which SELECT ... TO TRAIN name USING m goes on from."""
    if hasattr(model, "state_dict") and hasattr(model, "forward"):
        data = _onnx_of(model, example)
        statement = _statement_of(data, name, replace)
    elif callable(model):
        if example is not None or into is not None:
            raise Error("example= and into= are those of a module of PyTorch, whose weights there are")
        data, statement = b"", nn.statement(name, model, replace)
    else:
        raise Error(f"a {type(model).__name__} is neither a function of inputs nor a module of PyTorch")
    with Session(connection) as session:
        session.run(statement)
        if into is not None:
            _import(session, into, data)


def _onnx_of(module: Any, example: Any) -> bytes:
    """The file that torch.onnx writes, with all weights in it. Rows are the first axis of each input."""
    if example is None:
        raise Error("example= is needed: a tensor, or a tuple of tensors, that the module takes")
    torch = importlib.import_module("torch")
    examples = example if isinstance(example, tuple) else (example,)
    names = list(inspect.signature(module.forward).parameters)[:len(examples)]
    written = io.BytesIO()
    was_training = module.training
    module.eval()
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(module, examples, written, input_names=names, output_names=["output"],
                              dynamic_axes={key: {0: "N"} for key in [*names, "output"]}, opset_version=_OPERATORS,
                              **options)
    finally:
        module.train(was_training)
    return written.getvalue()


def _statement_of(data: bytes, name: str, replace: bool) -> str:
    """A database of its own reads the file, so that nothing but the definition stays in the user's."""
    connection = connect(":memory:")
    try:
        with Session(connection) as session:
            _import(session, "module", data)
            text = dict(session.run("SHOW MODEL module").rows)["graph"]
    finally:
        connection.close()
    return text.replace("DEFINE MODEL zoo/copy", f"DEFINE {'OR REPLACE ' if replace else ''}MODEL {name}", 1)


def _import(session: Session, name: str, data: bytes) -> None:
    if session.kind == "sqlite":
        session.run("SELECT totrain_import_model(?, ?, 'onnx')", (name, data))
        return
    cursor = session.driver.cursor()
    try:
        cursor.execute("SELECT totrain.import_model(%s, %s, 'onnx')", (name, data))
    finally:
        cursor.close()
