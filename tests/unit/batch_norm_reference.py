"""Prints batch_norm_reference.h: BatchNorm1d of PyTorch in double precision, step by step.

    python3 -m venv venv && venv/bin/pip install torch==2.15.* numpy && venv/bin/python batch_norm_reference.py

Several steps of rows with a momentum of .1 (the running variance is that of the rows, not n / (n - 1) times it, as in
TensorFlow), then rows that are not learned from.
"""
import torch

ROWS, WIDTH, STEPS, EPSILON, MOMENTUM = 6, 3, 4, 1e-3, 0.1

torch.manual_seed(5)
norm = torch.nn.BatchNorm1d(WIDTH, eps=EPSILON, momentum=MOMENTUM, dtype=torch.double)
with torch.no_grad():
    norm.weight.copy_(torch.tensor([0.5, -1.25, 2.0]))
    norm.bias.copy_(torch.tensor([0.25, 0.0, -0.75]))
mean, variance = torch.zeros(WIDTH, dtype=torch.double), torch.ones(WIDTH, dtype=torch.double)


def put(name, values):
    flat = ", ".join(f"{value:.9g}" for value in values.detach().reshape(-1).tolist())
    print(f"static const double {name}[] = {{{flat}}};")


print("/* Written by batch_norm_reference.py. */")
print(f"#define REFERENCE_ROWS  {ROWS}\n#define REFERENCE_WIDTH {WIDTH}\n#define REFERENCE_STEPS {STEPS}")
print("/* clang-format off */")
inputs, outputs, deltas, passed, gammas, betas, means, variances = [], [], [], [], [], [], [], []
for step in range(STEPS):
    a = (torch.randn(ROWS, WIDTH, dtype=torch.float) * 2 + step).double().requires_grad_()
    delta = torch.randn(ROWS, WIDTH, dtype=torch.float).double()
    norm.zero_grad()
    y = norm(a)
    y.backward(delta)
    mean = mean + MOMENTUM * (a.detach().mean(0) - mean)
    variance = variance + MOMENTUM * (a.detach().var(0, unbiased=False) - variance)
    for to, values in ((inputs, a), (outputs, y), (deltas, delta), (passed, a.grad), (gammas, norm.weight.grad),
                       (betas, norm.bias.grad), (means, mean), (variances, variance)):
        to.append(values.detach().clone())
torch.testing.assert_close(norm.running_mean, mean)
norm.running_var.copy_(variance)
norm.eval()
for name, values in (("inputs", inputs), ("outputs", outputs), ("deltas", deltas), ("passed", passed),
                     ("gammas", gammas), ("betas", betas), ("means", means), ("variances", variances)):
    put("reference_" + name, torch.stack(values))
put("reference_evaluated", norm(inputs[0]))
