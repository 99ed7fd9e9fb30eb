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


def compute(interaction, wide, matrix):
    numbers = Numbers()
    dense = torch.tensor([[math.cos(3.1 * r + j) for j in range(DENSE)] for r in range(ROWS)], dtype=torch.float64)
    ids = torch.tensor([[c * WORDS + (r * (c + 2) + c) % WORDS for c in range(CATEGORIES)] for r in range(ROWS)])
    labels = torch.tensor([float(r % 3 == 0) for r in range(ROWS)], dtype=torch.float64)
    table = numbers.take(CATEGORIES * WORDS, wide + DIMENSION)
    embeddings = torch.nn.functional.embedding(ids, table[:, wide:])
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
    top = torch.cat(top, 1)
    outputs = (top @ numbers.take(top.shape[1], 1) + numbers.take(1)).squeeze(1)
    if wide:
        outputs = outputs + table[ids, 0].sum(1)
    if interaction == "pairs":
        for f in range(CATEGORIES):
            for g in range(f):
                outputs = outputs + (embeddings[:, f] * embeddings[:, g]).sum(1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(outputs, labels, reduction="sum")
    loss.backward()
    return loss.item(), [v for p in numbers.made for v in p.grad.flatten().tolist()]


def main():
    print("/* Made by embedding_reference.py. */")
    cases = [("none", 1, False), ("pairs", 1, False), ("cross", 0, False), ("cross", 0, True), ("compressed", 1, False)]
    for interaction, wide, matrix in cases:
        loss, gradient = compute(interaction, wide, matrix)
        name = f"{interaction}{'_matrix' if matrix else ''}"
        print(f"static const double {name}_loss = {loss!r};")
        print(f"static const double {name}_gradient[{len(gradient)}] = {{{', '.join(f'{v:.12g}' for v in gradient)}}};")


main()
