"""Losses as Keras and scikit-learn compute them, in double: writes loss_reference.h.

    python3 tests/unit/loss_reference.py

It makes a virtual environment of its own in a temporary folder. Keras 3.15.1 with jax 0.10.2 and scikit-learn 1.9.1
wrote what is there.

Values and slopes of numbers and margins are Keras' and their derivatives, but those of quantiles and deviances, which
are scikit-learn's: the values by its metrics, the slopes by the losses that its own models minimise.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import venv

PACKAGES = ("keras==3.15.1", "jax==0.10.2", "scikit-learn==1.9.1")
TARGETS = (-1.5, -0.25, 0.125, 1, 3)
POSITIVE = (0.25, 0.75, 1, 2.5, 7)
OUTPUTS = (-2.25, -0.5, 0.375, 1.125, 2)
MARGINS = (-3.5, -0.75, 0.25, 0.875, 2.5)
CLASSES = ((0.5, -1.25, 2, 0), (-0.75, 1.5, 0.25, -2), (3, 0.5, -1, 1.25), (0, 0.125, -0.5, 0.25))


def run_in_environment():
    """This script again, where its packages are."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        subprocess.run([python, __file__, "--here"], check=True)


def pairs(targets, outputs):
    """A row of each target with each output: none lies where a loss has no slope."""
    return [(target, [output]) for target in targets for output in outputs]


def differentiated(function, share=1.0):
    """Value and slopes of a function of a row's target and outputs; share: of the slopes."""
    import jax
    import jax.numpy as jnp

    slopes = jax.grad(lambda outputs, target: jnp.sum(function(target, outputs)))

    def row(target, outputs):
        outputs = jnp.asarray(outputs, "float64")
        return float(jnp.sum(function(target, outputs))), [share * float(x) for x in slopes(outputs, target)]
    return row


def of_keras(loss, **settings):
    """A Keras loss of one row, whose target is one number."""
    import jax.numpy as jnp

    made = loss(reduction=None, **settings)
    return lambda target, outputs: made(jnp.asarray([[target]], "float64"), outputs[None, :])


def of_classes(loss, **settings):
    """The same of more than two classes, whose target is a class."""
    import jax.numpy as jnp

    made = loss(reduction=None, **settings)
    return lambda target, outputs: made(jnp.eye(len(outputs), dtype="float64")[target][None, :], outputs[None, :])


def of_scikit_learn(metric, loss, link):
    """metric(targets, predictions) of one row, and the slope of the loss that scikit-learn's models minimise."""
    import numpy

    def row(target, outputs):
        targets, raw = numpy.array([target], "float64"), numpy.array(outputs, "float64")
        slope = loss.gradient(y_true=targets, raw_prediction=raw)
        return float(metric(targets, link(raw))), [float(slope[0])]
    return row


def numbers():
    import keras
    import numpy
    from sklearn import metrics
    from sklearn._loss import loss as losses

    def log_cosh(unit):
        return lambda target, outputs: (of_keras(keras.losses.LogCosh)(unit * target, unit * outputs)
                                        / min(unit, unit * unit))

    rows = pairs(TARGETS, OUTPUTS)
    keras_losses = keras.losses
    yield "squared_error", {}, rows, differentiated(of_keras(keras_losses.MeanSquaredError), 0.5)
    yield "absolute_error", {}, rows, differentiated(of_keras(keras_losses.MeanAbsoluteError))
    for delta in 0.75, 1.5:
        yield "huber", {"delta": delta}, rows, differentiated(of_keras(keras_losses.Huber, delta=delta))
    for unit in 1, 6, 0.25:
        yield "log_cosh", {"unit": unit}, rows, differentiated(log_cosh(unit))
    for alpha in 0.5, 0.875, 0.125:
        yield "quantile", {"alpha": alpha}, rows, of_scikit_learn(
            lambda y, p, alpha=alpha: metrics.mean_pinball_loss(y, p, alpha=alpha),
            losses.PinballLoss(quantile=alpha), lambda raw: raw)
    yield "poisson", {}, pairs((0, *POSITIVE), OUTPUTS), of_scikit_learn(
        metrics.mean_poisson_deviance, losses.HalfPoissonLoss(), numpy.exp)
    yield "gamma", {}, pairs(POSITIVE, OUTPUTS), of_scikit_learn(
        metrics.mean_gamma_deviance, losses.HalfGammaLoss(), numpy.exp)
    for power in 1.25, 1.5, 1.875:
        yield "tweedie", {"power": power}, pairs((0, *POSITIVE), OUTPUTS), of_scikit_learn(
            lambda y, p, power=power: metrics.mean_tweedie_deviance(y, p, power=power),
            losses.HalfTweedieLoss(power=power), numpy.exp)


def classes():
    from keras import losses

    two = pairs((0, 1), MARGINS)
    many = [(label, list(outputs)) for outputs in CLASSES for label in range(len(outputs))]
    for smoothing in 0, 0.125, 0.5:
        settings = {"from_logits": True, "label_smoothing": smoothing}
        yield "log_loss", {"smoothing": smoothing}, two, differentiated(of_keras(losses.BinaryCrossentropy, **settings))
        yield "log_loss", {"smoothing": smoothing}, many, differentiated(
            of_classes(losses.CategoricalCrossentropy, **settings))
    for gamma in 0, 0.5, 2:
        yield "focal", {"gamma": gamma}, two, differentiated(
            of_keras(losses.BinaryFocalCrossentropy, gamma=gamma, from_logits=True))
        yield "focal", {"gamma": gamma}, many, differentiated(
            of_classes(losses.CategoricalFocalCrossentropy, alpha=1.0, gamma=gamma, from_logits=True))
    yield "hinge", {}, two, differentiated(of_keras(losses.Hinge))
    yield "squared_hinge", {}, two, differentiated(of_keras(losses.SquaredHinge))


def braces(values):
    return "{" + ", ".join(f"{value:.10g}" for value in values) + "}"


def lines_of(word, settings, rows, compute):
    setting = next(iter(settings.values()), 0)
    for target, outputs in rows:
        loss, slopes = compute(target, outputs)
        yield (f'    {{"{word}", {setting:.10g}, {len(outputs)}, {target:.10g}, {braces(outputs)}, {loss:.10g}, '
               f"{braces(slopes)}}},")


def write():
    os.environ["KERAS_BACKEND"] = "jax"  # before keras is imported
    import jax
    import keras

    jax.config.update("jax_enable_x64", True)
    keras.config.set_floatx("float64")
    keras.config.set_epsilon(1e-15)  # probabilities of focal losses are cut there
    lines = ["/* Written by loss_reference.py. */",
             "#ifndef TESTS_UNIT_LOSS_REFERENCE_H", "#define TESTS_UNIT_LOSS_REFERENCE_H", "",
             f"#define REFERENCE_OUTPUTS {len(CLASSES[0])}", "",
             "/* clang-format off */", "static const struct {",
             "    const char *word;  /* of model.loss */",
             "    double setting;    /* what the loss has: delta, unit of log_cosh, alpha, power, smoothing or gamma */",
             "    unsigned outputs;", "    double target;     /* a number, or a class */",
             "    double z[REFERENCE_OUTPUTS];", "    double loss, slopes[REFERENCE_OUTPUTS];",
             "} loss_reference[] = {"]
    for made in (numbers(), classes()):
        for case in made:
            lines += lines_of(*case)
    lines += ["};", "/* clang-format on */", "", "#endif", ""]
    pathlib.Path(__file__).with_suffix(".h").write_text("\n".join(lines))


if __name__ == "__main__":
    if sys.argv[1:] == ["--here"]:
        write()
    else:
        run_in_environment()
