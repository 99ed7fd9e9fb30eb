"""Reference numbers for tests/unit/test_optimizer.c: each optimizer's formula
in double, ten steps on a fixed row of gradients, with a penalty on the weights.
Prints the table; the test holds itself to a relative error of 2e-6."""

import math

STEPS, L1, L2 = 10, 0.01, 0.02
RATE, MOMENTUM, BETA1, BETA2, EPSILON, START = 0.1, 0.9, 0.9, 0.999, 1e-8, 0.1


def gradient(i, t):
    """Exact in binary, so that float and double agree."""
    return ((7 * i + 5 * t) % 16 - 6) / 8


def schedule(kind, t):
    return {"CONSTANT": 1, "LINEAR": 1 - t / STEPS,
            "COSINE": (1 + math.cos(math.pi * t / STEPS)) / 2,
            "TRAPEZOIDAL": min(1, 4 * (1 - t / STEPS))}[kind]


def train(kind, plan, i):
    w, a, b = (i - 2) / 4, START if kind == "ADAGRAD" else 0.0, 0.0
    for t in range(STEPS):
        rate = RATE * schedule(plan, t)
        g = gradient(i, t) + L2 * w + L1 * ((w > 0) - (w < 0))
        if kind == "SGD":
            w -= rate * g
        elif kind == "MOMENTUM":
            a = MOMENTUM * a + g
            w -= rate * a
        elif kind == "NESTEROV":
            a = MOMENTUM * a + g
            w -= rate * (g + MOMENTUM * a)
        elif kind == "ADAGRAD":
            a += g * g
            w -= rate * g / (math.sqrt(a) + EPSILON)
        elif kind == "ADAM":
            a = BETA1 * a + (1 - BETA1) * g
            b = BETA2 * b + (1 - BETA2) * g * g
            corrected = math.sqrt(b) / math.sqrt(1 - BETA2 ** (t + 1)) + EPSILON
            w -= rate / (1 - BETA1 ** (t + 1)) * a / corrected
    return w


for kind in ["SGD", "MOMENTUM", "NESTEROV", "ADAGRAD", "ADAM"]:
    for plan in ["CONSTANT", "LINEAR", "COSINE", "TRAPEZOIDAL"]:
        numbers = ", ".join(f"{train(kind, plan, i):.9f}" for i in range(5))
        print(f"    {{SPEC_{kind}, SPEC_{plan}, {{{numbers}}}}},")
