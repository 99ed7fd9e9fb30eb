"""graph_peer.py cnn|gru DB

The layers of zoo/mnist_cnn and zoo/gru in PyTorch, for one epoch over table t in steps of 128 with Adam. Prints the
processor's seconds of the epoch alone, with one thread: reading and importing are not counted.
"""

import resource
import sqlite3
import sys

import numpy
import torch

BATCH, RATE = 128, 0.01


class Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (torch.nn.Conv2d(*channels, 3, padding="same") for channels in ((1, 32), (32, 64)))
        self.hidden, self.outputs = torch.nn.Linear(64 * 4, 128), torch.nn.Linear(128, 10)

    def forward(self, x):
        for layer in (self.first, self.second):
            x = torch.max_pool2d(torch.relu(layer(x)), 2)
        return self.outputs(torch.relu(self.hidden(x.flatten(1))))


class Sequences(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.outputs = torch.nn.GRU(1, 32, batch_first=True), torch.nn.Linear(32, 2)

    def forward(self, x):
        return self.outputs(self.gru(x)[0][:, -1])


def read(name, path):
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT x, y FROM t").fetchall()
    if name == "cnn":
        x = numpy.frombuffer(b"".join(x for x, _ in rows), dtype="u1").reshape(-1, 1, 8, 8).astype("f4") / 16
    else:
        x = numpy.array([[float(step) for step in x.split(",")] for x, _ in rows], dtype="f4")[:, :, None]
    return torch.from_numpy(x), torch.tensor([y for _, y in rows])


def main():
    name, path = sys.argv[1:]
    torch.set_num_threads(1)
    torch.manual_seed(1)
    x, y = read(name, path)
    model = Pictures() if name == "cnn" else Sequences()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    before = resource.getrusage(resource.RUSAGE_SELF)
    for batch in torch.randperm(len(y)).split(BATCH):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    after = resource.getrusage(resource.RUSAGE_SELF)
    print(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


main()
