#!/usr/bin/env python3
"""embedding_reference.py > embedding_reference.h: losses and gradients of networks over embeddings, by PyTorch's
autograd in double (torch 2.15 wrote what is there). Rows and parameters follow from their numbers, as
test_embedding_network.c makes them, so that they need not be stored."""
import math

import torch

ROWS, DENSE, CATEGORIES, WORDS, DIMENSION, UNITS, CROSS, MAPS = 12, 2, 3, 4, 3, (7, 5), 2, (4, 3)
FIELDS = DIMENSION * CATEGORIES


def number(i):
    return math.sin(1.7 * i + 0.3) / 2


class Numbers:
    """The parameters in the order in which the network has them."""

    def __init__(self):
        self.made, self.count = [], 0

    def take(self, *shape):
        size = math.prod(shape)
        values = [number(self.count + i) for i in range(size)]
        self.count += size
        self.made.append(torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_())
        return self.made[-1]


def compute(interaction, wide, matrix, classes):
    numbers = Numbers()
    dense = torch.tensor([[math.cos(3.1 * r + j) for j in range(DENSE)] for r in range(ROWS)], dtype=torch.float64)
    ids = torch.tensor([[c * WORDS + (r * (c + 2) + c) % WORDS for c in range(CATEGORIES)] for r in range(ROWS)])
    outputs = 1 if classes == 2 else classes
    wide_width = outputs if wide else 0
    table = numbers.take(CATEGORIES * WORDS, wide_width + DIMENSION)
    embeddings = torch.nn.functional.embedding(ids, table[:, wide_width:])
    inputs = torch.cat([embeddings.reshape(ROWS, -1), dense], 1)
    top = [dense] if wide else []
    hidden = inputs
    for units in UNITS:
        hidden = torch.tanh(torch.nn.functional.linear(hidden, numbers.take(hidden.shape[1], units).T, numbers.take(units)))
    top.append(hidden)
    x = inputs
    for _ in range(CROSS if interaction == "cross" else 0):
        width = inputs.shape[1]
        weights = numbers.take(width, width if matrix else 1)
        bias = numbers.take(width)
        x = inputs * (x @ weights + bias) + x if matrix else inputs * (x @ weights) + bias + x
    if interaction == "cross":
        top.append(x)
    maps = embeddings
    for units in MAPS if interaction == "compressed" else ():
        weights = numbers.take(maps.shape[1], CATEGORIES, units)
        maps = torch.einsum("rmj,rfj,mfh->rhj", maps, embeddings, weights)
        top.append(maps.sum(2))
    pairs = sum(embeddings[:, f] * embeddings[:, g] for f in range(CATEGORIES) for g in range(f))
    if interaction == "pairs" and outputs > 1:
        top.append(pairs)
    top = torch.cat(top, 1)
    z = top @ numbers.take(top.shape[1], outputs) + numbers.take(outputs)
    if wide:
        z = z + table[ids, :outputs].sum(1)
    if interaction == "pairs" and outputs == 1:
        z = z + pairs.sum(1, keepdim=True)
    if outputs == 1:
        labels = torch.tensor([float(r % 3 == 0) for r in range(ROWS)], dtype=torch.float64)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(z.squeeze(1), labels, reduction="sum")
    else:
        loss = torch.nn.functional.cross_entropy(z, torch.tensor([r % 3 for r in range(ROWS)]), reduction="sum")
    loss.backward()
    return loss.item(), [v for p in numbers.made for v in p.grad.flatten().tolist()]


def main():
    print("/* Made by embedding_reference.py. */")
    cases = [("none", 1, False, 2), ("pairs", 1, False, 2), ("cross", 0, False, 2), ("cross", 0, True, 2), ("compressed", 1, False, 2),
             ("none", 1, False, 3), ("pairs", 1, False, 3), ("cross", 0, True, 3), ("compressed", 1, False, 3)]
    for interaction, wide, matrix, classes in cases:
        loss, gradient = compute(interaction, wide, matrix, classes)
        name = f"{interaction}{'_matrix' if matrix else ''}{f'_of_{classes}' if classes > 2 else ''}"
        print(f"static const double {name}_loss = {loss!r};")
        print(f"static const double {name}_gradient[{len(gradient)}] = {{{', '.join(f'{v:.12g}' for v in gradient)}}};")


main()
