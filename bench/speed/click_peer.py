"""click_peer.py wide|deepfm DB TABLE LABEL TRAINED [SEED]

What a user would write with PyTorch instead of a TO TRAIN statement: read the table with pandas, keep the 10,000 most
frequent words of each text column as ToTrain does by default, and train a wide and deep network, or DeepFM, for one
epoch in steps of 512 of its first TRAINED rows: embeddings of 8, hidden layers of 128 and 64, Adam. Prints JSON: the
seconds and the processor's seconds of the script, and the AUC of the other rows.
"""

import json
import resource
import sqlite3
import sys
import time

import numpy
import pandas
import torch

WORDS, DIMENSION, HIDDEN, BATCH, RATE = 10_000, 8, (128, 64), 512, 0.007


def read(path, table, label, trained):
    """Numbers, standardised, with a column for NULLs; the row of the table that each word has; labels."""
    with sqlite3.connect(path) as database:
        frame = pandas.read_sql(f'SELECT * FROM "{table}"', database)
    labels = frame.pop(label).to_numpy(dtype=numpy.float32)
    numbers, ids, first = [], [], 0
    for name in frame:
        column = frame[name]
        if column.dtype.kind in "if":
            known = column[:trained]
            numbers.append(((column - known.mean()) / known.std(ddof=0)).fillna(0))
            if column.isna().any():
                numbers.append(column.isna())
            continue
        counts = column[:trained].value_counts()
        words = {word: number for number, word in enumerate(counts.index[:WORDS])}
        found = column.map(words)
        buckets = max(1, WORDS // 10) if len(counts) > WORDS else 1
        others = len(words) + pandas.util.hash_array(column.to_numpy(dtype=object)) % buckets
        ids.append(first + numpy.where(found.isna(), others, found.fillna(0)).astype(numpy.int64))
        first += len(words) + buckets
    return numpy.stack(numbers, 1).astype(numpy.float32), numpy.stack(ids, 1), first, labels


class Network(torch.nn.Module):
    def __init__(self, numbers, fields, rows, has_pairs):
        super().__init__()
        self.has_pairs = has_pairs
        self.embeddings = torch.nn.Embedding(rows, DIMENSION)
        self.wide = torch.nn.Embedding(rows, 1)
        torch.nn.init.uniform_(self.embeddings.weight, -0.2, 0.2)
        torch.nn.init.zeros_(self.wide.weight)
        self.of_numbers = torch.nn.Linear(numbers, 1)
        layers, width = [], numbers + fields * DIMENSION
        for units in HIDDEN:
            layers += [torch.nn.Linear(width, units), torch.nn.ReLU()]
            width = units
        self.hidden = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))

    def forward(self, numbers, ids):
        embedded = self.embeddings(ids)
        z = self.hidden(torch.cat([embedded.flatten(1), numbers], 1)) + self.of_numbers(numbers) + self.wide(ids).sum(1)
        if self.has_pairs:
            z = z + (embedded.sum(1).square() - embedded.square().sum(1)).sum(1, keepdim=True) / 2
        return z.squeeze(1)


def auc_of(scores, labels):
    order = numpy.argsort(scores, kind="stable")
    ranks = numpy.empty(len(scores))
    ranks[order] = numpy.arange(1, len(scores) + 1)
    positive = labels > 0.5
    n = positive.sum()
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(labels) - n))


def main():
    kind, path, table, label, trained = sys.argv[1:6]
    trained = int(trained)
    torch.manual_seed(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
    started = time.perf_counter()
    numbers, ids, rows, labels = read(path, table, label, trained)
    numbers, ids, y = torch.from_numpy(numbers), torch.from_numpy(ids), torch.from_numpy(labels)
    model = Network(numbers.shape[1], ids.shape[1], rows, kind == "deepfm")
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    loss_of = torch.nn.BCEWithLogitsLoss()
    for batch in torch.randperm(trained).split(BATCH):
        optimizer.zero_grad()
        loss_of(model(numbers[batch], ids[batch]), y[batch]).backward()
        optimizer.step()
    with torch.no_grad():
        scores = torch.cat([model(numbers[trained:][at], ids[trained:][at])
                            for at in torch.arange(len(y) - trained).split(65536)]).numpy()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"seconds": time.perf_counter() - started, "processor": usage.ru_utime + usage.ru_stime,
                      "auc": float(auc_of(scores, labels[trained:]))}))


main()
