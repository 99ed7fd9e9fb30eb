"""Activations as Keras computes them, in double: writes activation_reference.h.

    python3 -m venv /tmp/environment && /tmp/environment/bin/pip install tensorflow-cpu
    KERAS_BACKEND=tensorflow /tmp/environment/bin/python tests/unit/activation_reference.py

Keras 3.15 wrote what is there.
"""

import pathlib

import keras
import tensorflow

INPUTS = (-3, -1, -0.5, -0.125, 0, 0.25, 1, 2.5)
OWN = {"identity": keras.activations.linear, "swish": keras.activations.silu,
       "leaky_relu": lambda x: keras.activations.leaky_relu(x, 0.01),
       "gelu": lambda x: keras.activations.gelu(x, approximate=False)}
NAMES = ("identity", "relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu", "gelu", "swish", "softplus", "softsign")

lines = ["/* Written by activation_reference.py. */", "/* clang-format off */",
         f"static const float activation_inputs[] = {{{', '.join(f'{float(x)}f' for x in INPUTS)}}};",
         "static const struct {", "    const char *word;", f"    double values[{len(INPUTS)}];",
         "} activation_reference[] = {"]
for name in NAMES:
    values = OWN.get(name, getattr(keras.activations, name, None))(tensorflow.constant(INPUTS, "float64"))
    lines.append(f'    {{"{name}", {{{", ".join(f"{float(value):.9g}" for value in values)}}}}},')
lines += ["};", ""]
pathlib.Path(__file__).with_suffix(".h").write_text("\n".join(lines))
