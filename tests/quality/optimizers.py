"""Reference numbers for tests/unit/test_optimizer.c: each optimizer's formula
in double, ten steps on a fixed row of gradients, with a penalty on the weights.
Prints the tables; the test holds itself to a relative error of 2e-6. With --peers
it also runs PyTorch's and Keras' optimizers, those that are installed, says how
far they are from the formulas, and prints PyTorch's weights, which the test has, too."""

import math
import sys

STEPS, L1, L2 = 10, 0.01, 0.02
RATE, MOMENTUM, BETA1, BETA2, RHO, EPSILON, START = 0.1, 0.9, 0.9, 0.999, 0.8, 1e-8, 0.1
WEIGHT_DECAY, FTRL_L1, FTRL_L2 = 0.05, 0.3, 0.4
DECAY_STEPS, DECAY_RATE, POWER, END_RATE, WARMUP = 4, 0.5, 1.5, 0.02, 3


def gradient(i, t):
    """Exact in binary, so that float and double agree."""
    return ((7 * i + 5 * t) % 16 - 6) / 8


def schedule(kind, t):
    share = min(t, DECAY_STEPS) / DECAY_STEPS
    return {"CONSTANT": 1, "LINEAR": 1 - t / STEPS,
            "COSINE": (1 + math.cos(math.pi * t / STEPS)) / 2,
            "TRAPEZOIDAL": min(1, 4 * (1 - t / STEPS)),
            "EXPONENTIAL": DECAY_RATE ** (t / DECAY_STEPS),
            "STEP": DECAY_RATE ** (t // DECAY_STEPS),
            "POLYNOMIAL": ((RATE - END_RATE) * (1 - share) ** POWER + END_RATE) / RATE}[kind]


def sign(x):
    return (x > 0) - (x < 0)


def nadam_share(t):
    return BETA1 * (1 - 0.5 * 0.96 ** (0.004 * t))


def step(kind, w, s, g, rate, t, momentum, centered, power):
    """t counts from 1. s: what is kept of the weight, three numbers."""
    if kind == "SGD":
        return w - rate * g
    if kind == "MOMENTUM":
        s[0] = MOMENTUM * s[0] + g
        return w - rate * s[0]
    if kind == "NESTEROV":
        s[0] = MOMENTUM * s[0] + g
        return w - rate * (g + MOMENTUM * s[0])
    if kind == "ADAGRAD":
        s[0] += g * g
        return w - rate * g / (math.sqrt(s[0]) + EPSILON)
    if kind == "ADADELTA":
        s[0] = RHO * s[0] + (1 - RHO) * g * g
        by = math.sqrt(s[1] + EPSILON) / math.sqrt(s[0] + EPSILON) * g
        s[1] = RHO * s[1] + (1 - RHO) * by * by
        return w - rate * by
    if kind == "RMSPROP":
        s[0] = RHO * s[0] + (1 - RHO) * g * g
        s[1] = RHO * s[1] + (1 - RHO) * g
        square = s[0] - s[1] ** 2 if centered else s[0]
        s[2] = momentum * s[2] + g / (math.sqrt(square) + EPSILON)
        return w - rate * s[2]
    if kind == "FTRL":
        old, s[0] = s[0], s[0] + g * g
        if t == 1:  # TensorFlow's is 0, of weights that are
            s[1] = -w * (old ** power / rate + 2 * FTRL_L2) - FTRL_L1 * sign(w)
        s[1] += g - (s[0] ** power - old ** power) / rate * w
        if abs(s[1]) <= FTRL_L1:
            return 0
        return -(s[1] - FTRL_L1 * sign(s[1])) / (s[0] ** power / rate + 2 * FTRL_L2)
    s[0] = BETA1 * s[0] + (1 - BETA1) * g
    unbiased = rate / (1 - BETA1 ** t)
    if kind == "ADAMAX":
        s[1] = max(BETA2 * s[1], abs(g) + EPSILON)
        return w - unbiased * s[0] / s[1]
    s[1] = BETA2 * s[1] + (1 - BETA2) * g * g
    s[2] = max(s[1], s[2]) if kind == "AMSGRAD" else s[1]
    divisor = math.sqrt(s[2]) / math.sqrt(1 - BETA2 ** t) + EPSILON
    if kind == "NADAM":
        now, after = nadam_share(t), nadam_share(t + 1)
        product = math.prod(nadam_share(i) for i in range(1, t + 1))
        return w - rate * ((1 - now) / (1 - product) * g + after / (1 - product * after) * s[0]) / divisor
    if kind == "ADAMW":
        w -= rate * WEIGHT_DECAY * w
    return w - unbiased * s[0] / divisor


def train(kind, plan, i, momentum=MOMENTUM, centered=False, power=0.5, warmup=0, l1=L1, l2=L2):
    w, s = (i - 2) / 4, [START if kind in ("ADAGRAD", "FTRL") else 0.0, 0.0, 0.0]
    for t in range(STEPS):
        rate = RATE * schedule(plan, t) * (min(1, (t + 1) / warmup) if warmup else 1)
        w = step(kind, w, s, gradient(i, t) + l2 * w + l1 * sign(w), rate, t + 1, momentum, centered, power)
    return w


def numbers(*what, **settings):
    return ", ".join(f"{train(*what, i, **settings):.9f}" for i in range(5))


def torch_optimizers(parameters):
    import torch.optim as optim

    both = {"lr": RATE, "eps": EPSILON}
    adam = {**both, "betas": (BETA1, BETA2)}
    return {"SGD": lambda: optim.SGD(parameters, RATE),
            "MOMENTUM": lambda: optim.SGD(parameters, RATE, MOMENTUM),
            "NESTEROV": lambda: optim.SGD(parameters, RATE, MOMENTUM, nesterov=True),
            "ADAGRAD": lambda: optim.Adagrad(parameters, RATE, initial_accumulator_value=START, eps=EPSILON),
            "ADAM": lambda: optim.Adam(parameters, **adam),
            "ADAMW": lambda: optim.AdamW(parameters, weight_decay=WEIGHT_DECAY, **adam),
            "AMSGRAD": lambda: optim.Adam(parameters, amsgrad=True, **adam),
            "ADAMAX": lambda: optim.Adamax(parameters, **adam),
            "NADAM": lambda: optim.NAdam(parameters, **adam),
            "ADADELTA": lambda: optim.Adadelta(parameters, rho=RHO, **both),
            "RMSPROP": lambda: optim.RMSprop(parameters, alpha=RHO, momentum=MOMENTUM, centered=True, **both)}


def compare_torch():
    import torch

    for kind in torch_optimizers([torch.zeros(1)]):
        w = torch.tensor([(i - 2) / 4 for i in range(5)], dtype=torch.float64, requires_grad=True)
        optimizer = torch_optimizers([w])[kind]()
        for t in range(STEPS):
            w.grad = torch.tensor([gradient(i, t) for i in range(5)], dtype=torch.float64)
            optimizer.step()
        own = [train(kind, "CONSTANT", i, centered=kind == "RMSPROP", l1=0, l2=0) for i in range(5)]
        print(f"PyTorch {kind}: {max(abs(a - b) for a, b in zip(own, w.tolist())):.1e}")
        print(f"    {{OPTIMIZER_{kind}, {{{', '.join(f'{value:.9f}' for value in w.tolist())}}}}},")


def compare_keras():
    """FTRL, whose z starts from 0 there: of a weight that does. Keras has its rate as a power."""
    import tensorflow as tf

    for power in (0.5, 0.8):
        w = tf.Variable([0.0], dtype=tf.float32)
        optimizer = tf.keras.optimizers.Ftrl(
            RATE, learning_rate_power=-power, initial_accumulator_value=START,
            l1_regularization_strength=FTRL_L1, l2_regularization_strength=FTRL_L2)
        for t in range(STEPS):
            optimizer.apply_gradients([(tf.constant([gradient(2, t)]), w)])
        own = train("FTRL", "CONSTANT", 2, power=power, l1=0, l2=0)
        print(f"Keras FTRL {-power}: {abs(own - float(w[0])):.1e}")


KINDS = ["SGD", "MOMENTUM", "NESTEROV", "ADAGRAD", "ADAM", "ADADELTA", "ADAMAX", "NADAM", "AMSGRAD", "ADAMW"]

if "--peers" in sys.argv:
    for compare in (compare_torch, compare_keras):
        try:
            compare()
        except ImportError as missing:
            print(missing)
    sys.exit()
for kind in KINDS:
    plans = ["CONSTANT", "LINEAR", "COSINE", "TRAPEZOIDAL"] if kind in KINDS[:5] else ["CONSTANT"]
    for plan in plans + (["EXPONENTIAL", "STEP", "POLYNOMIAL"] if kind in ("SGD", "ADAM") else []):
        print(f"    {{OPTIMIZER_{kind}, SCHEDULE_{plan}, {{{numbers(kind, plan)}}}}},")
print()
for momentum in (0, MOMENTUM):
    for centered in (False, True):
        row = numbers("RMSPROP", "CONSTANT", momentum=momentum, centered=centered)
        print(f"    {{OPTIMIZER_RMSPROP, .momentum = {momentum}, .centered = {str(centered).lower()}, "
              f".weights = {{{row}}}}},")
for power in (0.5, 0.8, 0):
    print(f"    {{OPTIMIZER_FTRL, .rate_power = {-power}, "
          f".weights = {{{numbers('FTRL', 'CONSTANT', power=power)}}}}},")
print(f"    {{OPTIMIZER_ADAM, .momentum = 0.9, .warmup_steps = {WARMUP}, "
      f".weights = {{{numbers('ADAM', 'CONSTANT', warmup=WARMUP)}}}}},")
