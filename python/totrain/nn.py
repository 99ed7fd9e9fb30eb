"""Definitions of models, written as functions: layers with the names of Keras.

    def tower(inputs, dim=16, rate=0.1):
        user = nn.Embedding(dim)(inputs.column("user_id"))
        item = nn.Embedding(dim)(inputs.column("item_id"))
        h = nn.Concatenate()([user, item, user * item, inputs.numbers])
        h = nn.Dropout(rate)(nn.Dense(64, activation="relu")(h))
        return nn.Dense(inputs.outputs)(h)

    totrain.define(connection, "zoo/tower", tower)

The function is called once, with symbols: it gives the text of a definition, and no code of it is run where a model is
trained. Its parameters with defaults are the definition's arguments (model.dim = 32); those whose defaults are lists
are plain lists, over which the function loops.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Optional, Sequence, Union

from ._errors import Error

ACTIVATIONS = ("elu", "gelu", "leaky_relu", "relu", "selu", "sigmoid", "softmax", "softplus", "softsign", "swish", "tanh")
_ALIASES = {"silu": "swish", "linear": "identity"}


class _Text:
    """The steps of a definition, as they are called."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.numbers: dict[str, int] = {}

    def name(self, operation: str, taken: Sequence[str]) -> str:
        while True:
            self.numbers[operation] = self.numbers.get(operation, 0) + 1
            name = f"{operation}_{self.numbers[operation]}"
            if name not in taken:
                return name


class Number:
    """An argument of the definition, which is known where a model is trained: numbers are computed with it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _with(self, operator: str, other: Any, is_first: bool) -> Any:
        if isinstance(other, Value):
            return NotImplemented  # the value computes it
        a, b = (self.text, _argument(other)) if is_first else (_argument(other), self.text)
        return Number(f"({a} {operator} {b})")

    def __add__(self, other: Any) -> "Number":
        return self._with("+", other, True)

    def __radd__(self, other: Any) -> "Number":
        return self._with("+", other, False)

    def __sub__(self, other: Any) -> "Number":
        return self._with("-", other, True)

    def __rsub__(self, other: Any) -> "Number":
        return self._with("-", other, False)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other, True)

    def __rmul__(self, other: Any) -> "Number":
        return self._with("*", other, False)

    def __truediv__(self, other: Any) -> "Number":
        return self._with("/", other, True)

    def _unknown(self) -> Any:
        raise Error(f"{self.text} is known where a model is trained, not while the function is called: it can be an "
                    "argument of layers, and numbers are computed with it")

    def __bool__(self) -> bool:
        return bool(self._unknown())

    def __int__(self) -> int:
        return int(self._unknown())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self._unknown())


class Value:
    """The value of a call: numbers, or words, of each row."""

    def __init__(self, inputs: "Inputs", name: str) -> None:
        self.inputs = inputs
        self.name = name

    def _with(self, operator: str, other: Any, is_first: bool) -> "Value":
        text = other.name if isinstance(other, Value) else _argument(other)
        a, b = (self.name, text) if is_first else (text, self.name)
        return self.inputs._step("value", f"{a} {operator} {b}")

    def __add__(self, other: Any) -> "Value":
        return self._with("+", other, True)

    def __radd__(self, other: Any) -> "Value":
        return self._with("+", other, False)

    def __sub__(self, other: Any) -> "Value":
        return self._with("-", other, True)

    def __rsub__(self, other: Any) -> "Value":
        return self._with("-", other, False)

    def __mul__(self, other: Any) -> "Value":
        return self._with("*", other, True)

    def __rmul__(self, other: Any) -> "Value":
        return self._with("*", other, False)

    def __truediv__(self, other: Any) -> "Value":
        return self._with("/", other, True)

    def __rtruediv__(self, other: Any) -> "Value":
        return self._with("/", other, False)

    def __neg__(self) -> "Value":
        return self.inputs._step("value", f"-{self.name}")

    def __bool__(self) -> bool:
        raise Error("a value is known where a model is trained: a definition has no conditions")

    def __iter__(self) -> Any:
        raise Error("a value has no items that a function could loop over; nn.call('slice', x, a, b) takes some of its numbers")


class Inputs:
    """The inputs of a row: numbers, words, columns; and how many outputs its label asks for."""

    def __init__(self, taken: Sequence[str]) -> None:
        self._text = _Text()
        self._taken = taken
        self.outputs = Number("outputs")
        self.numbers = Value(self, "numbers")
        self.words = Value(self, "words")

    def _step(self, operation: str, text: str) -> Value:
        name = self._text.name(operation, self._taken)
        self._text.steps.append(f"{name} = {text}")
        return Value(self, name)

    def column(self, name: Union[str, Number]) -> Value:
        """One column, by its name or by an argument that holds it."""
        return self._step("column", f"column({_argument(name)})")

    __getitem__ = column

    def sequence(self, name: Union[str, Number]) -> Value:
        """The numbers of COLUMN SEQUENCE(name, n), step by step."""
        return self._step("sequence", f"sequence({_argument(name)})")


def _argument(value: Any) -> str:
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_argument, value)) + "]"
    if isinstance(value, Value):
        raise Error("a value of the graph stands before the arguments of a call")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise Error(f"a {type(value).__name__} is no argument of a layer") from None
    if not math.isfinite(number):
        raise Error(f"{number} is no argument of a layer")
    return repr(int(number)) if number.is_integer() else repr(number)


def call(operation: str, *values: Any, **arguments: Any) -> Value:
    """Any operation of the language of definitions, docs/definitions.md: call("slice", x, 0, 8, axis=-1)."""
    taken = next((value for value in values if isinstance(value, Value)), None)
    if taken is None:
        raise Error(f"{operation} takes values of the graph, such as inputs.numbers")
    texts = [value.name if isinstance(value, Value) else _argument(value) for value in values]
    texts += [f"{name} = {_argument(value)}" for name, value in arguments.items() if value is not None]
    return taken.inputs._step(operation, f"{operation}({', '.join(texts)})")


def _listed(values: Any, operation: str) -> list[Value]:
    if isinstance(values, (list, tuple)) and values and all(isinstance(value, Value) for value in values):
        return list(values)
    raise Error(f"{operation} takes a list of values: {operation}()([a, b])")


def activate(x: Value, activation: Union[None, str, Callable[[Value], Value]]) -> Value:
    """x through an activation: its name, a function of values, or None."""
    if activation is None:
        return x
    if callable(activation):
        return activation(x)
    name = _ALIASES.get(activation, activation)
    if name == "identity":
        return x
    if name not in ACTIVATIONS:
        raise Error(f"there is no activation {activation!r}: they are {', '.join(ACTIVATIONS)}")
    return call(name, x)


class Layer:
    """A layer is called once: a definition has no weights that two calls share."""

    def __init__(self) -> None:
        self._is_called = False

    def __call__(self, x: Any) -> Value:
        if self._is_called:
            raise Error(f"this {type(self).__name__} was called before, and two calls have no weights in common: make "
                        "another one")
        self._is_called = True
        if not isinstance(x, (Value, list, tuple)):
            raise Error(f"{type(self).__name__} takes a value of the graph, not a {type(x).__name__}")
        return self.build(x)

    def build(self, x: Any) -> Value:
        raise NotImplementedError


class _Simple(Layer):
    """An operation of one value, and what is said of it."""

    operation = ""

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self.arguments = arguments
        self.activation: Any = None

    def build(self, x: Any) -> Value:
        return activate(call(self.operation, x, **self.arguments), self.activation)


class Dense(_Simple):
    """units numbers over the last axis; of a list [numbers, words] words count as one-hot words."""

    def __init__(self, units: Any, activation: Any = None, use_bias: bool = True) -> None:
        super().__init__(units=units, bias=None if use_bias else 0)
        self.activation = activation

    def build(self, x: Any) -> Value:
        values = _listed(x, "Dense") if isinstance(x, (list, tuple)) else [x]
        return activate(call("dense", *values, **self.arguments), self.activation)


class Embedding(_Simple):
    """output_dim numbers for each word; the words are those of the training rows."""

    operation = "embedding"

    def __init__(self, output_dim: Any, combiner: Optional[str] = None) -> None:
        super().__init__(size=output_dim, combiner=combiner)


class _Convolution(_Simple):
    def __init__(self, filters: Any, kernel_size: Any, strides: Any = 1, padding: str = "valid", activation: Any = None) -> None:
        super().__init__(filters=filters, size=kernel_size, stride=None if strides == 1 else strides,
                         padding=None if padding == "valid" else padding)
        self.activation = activation


class Conv1D(_Convolution):
    """A layer over each window of (steps, channels)."""

    operation = "conv1d"


class Conv2D(_Convolution):
    """A layer over each window of (height, width, channels)."""

    operation = "conv2d"


class _Pooling(_Simple):
    def __init__(self, pool_size: Any = 2, strides: Any = None) -> None:
        super().__init__(size=pool_size, stride=strides)


class MaxPooling1D(_Pooling):
    """The greatest number of each window of steps."""

    operation = "max_pool"


class MaxPooling2D(MaxPooling1D):
    """The greatest number of each window of a picture."""


class AveragePooling1D(_Pooling):
    """The mean of each window of steps."""

    operation = "mean_pool"


class AveragePooling2D(AveragePooling1D):
    """The mean of each window of a picture."""


class GlobalAveragePooling1D(_Simple):
    """The mean over all steps."""

    operation = "mean"

    def __init__(self) -> None:
        super().__init__(axes=[0])


class GlobalAveragePooling2D(_Simple):
    """The mean over a picture."""

    operation = "mean"

    def __init__(self) -> None:
        super().__init__(axes=[0, 1])


class Flatten(_Simple):
    """All numbers in one axis."""

    operation = "flatten"


class Reshape(_Simple):
    """The same numbers in another shape."""

    operation = "reshape"

    def __init__(self, target_shape: Any) -> None:
        super().__init__(shape=target_shape)


class Permute(_Simple):
    """The axes in another order, counted from 1."""

    operation = "transpose"

    def __init__(self, dims: Sequence[int]) -> None:
        super().__init__(axes=[axis - 1 for axis in dims])


class Dropout(_Simple):
    """Some numbers are left out while learning."""

    operation = "dropout"

    def __init__(self, rate: Any) -> None:
        super().__init__(rate=rate)


class LayerNormalization(_Simple):
    """Mean 0 and deviation 1 along the last axis, times numbers that are learned."""

    operation = "layer_norm"


class UnitNormalization(_Simple):
    """Length 1 along the last axis."""

    operation = "l2_normalise"


class Activation(Layer):
    """An activation by its name."""

    def __init__(self, activation: Any) -> None:
        super().__init__()
        self.activation = activation

    def build(self, x: Any) -> Value:
        return activate(x, self.activation)


class ReLU(_Simple):
    """x, and 0 where it is less."""

    operation = "relu"


class Softmax(_Simple):
    """Shares of e^x along the last axis."""

    operation = "softmax"


class _Recurrent(_Simple):
    def __init__(self, units: Any, return_sequences: bool = False) -> None:
        super().__init__(units=units, sequences=1 if return_sequences else None)


class SimpleRNN(_Recurrent):
    """A state that each step of (steps, width) changes by a layer."""

    operation = "rnn"


class GRU(_Recurrent):
    """A state that each step changes through gates."""

    operation = "gru"


class LSTM(_Recurrent):
    """A state and a memory, each changed through gates."""

    operation = "lstm"


class Concatenate(Layer):
    """Values side by side; axis counts without the rows."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def build(self, x: Any) -> Value:
        return call("concat", *_listed(x, "Concatenate"), axis=None if self.axis == -1 else self.axis)


class _Together(Layer):
    operator = ""

    def build(self, x: Any) -> Value:
        first, *others = _listed(x, type(self).__name__)
        for other in others:
            first = first._with(self.operator, other, True)
        return first


class Add(_Together):
    """The sum of values of one shape."""

    operator = "+"


class Subtract(_Together):
    """The first value less the others."""

    operator = "-"


class Multiply(_Together):
    """The product of values of one shape."""

    operator = "*"


# ----- definitions -----

def _arguments_of(function: Callable[..., Value]) -> dict[str, Any]:
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise Error("the function takes the inputs first: def model(inputs, units=64)")
    for parameter in parameters[1:]:
        if parameter.default is inspect.Parameter.empty:
            raise Error(f"parameter {parameter.name} has no default, which an argument of a definition has")
    return {parameter.name: parameter.default for parameter in parameters[1:]}


def statement(name: str, function: Callable[..., Value], replace: bool = False) -> str:
    """The statement DEFINE MODEL of the function."""
    defaults = _arguments_of(function)
    lists = {key: list(value) for key, value in defaults.items() if isinstance(value, (list, tuple))}
    symbols = {key: value for key, value in defaults.items() if key not in lists}
    inputs = Inputs([*symbols, "numbers", "words", "outputs"])
    given = function(inputs, **lists, **{key: Number(key) for key in symbols})
    if not isinstance(given, Value):
        raise Error(f"the function returns the value that is the model's output, not a {type(given).__name__}")
    steps = inputs._text.steps + [f"return {given.name}"]
    text = ";\n".join("  " + step for step in steps).replace("'", "''")
    arguments = ", ".join(f"{key} = {_default(value)}" for key, value in symbols.items())
    return f"DEFINE {'OR REPLACE ' if replace else ''}MODEL {name}{f' ({arguments})' if arguments else ''} AS '\n{text}\n'"


def _default(value: Any) -> str:
    """A real number stays one: 0.0 is no whole number, of which an argument takes no others."""
    return repr(value) if isinstance(value, float) else _argument(value)
