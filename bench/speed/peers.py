"""peers.py scikit-learn|pytorch DB TABLE LABEL EPOCHS BATCH [HIDDEN...]

What a user would write instead of a TO TRAIN statement: read the table with
pandas, standardise, train, look at the accuracy. Prints that as JSON.
"""

import json
import sqlite3
import sys

SCORED_ROWS = 16384  # TRAIN measures on as many


def read(path, table, label):
    import pandas

    with sqlite3.connect(path) as database:
        frame = pandas.read_sql(f'SELECT * FROM "{table}"', database)
    return frame.drop(columns=label), frame[label]


def train_sklearn(rows, labels, epochs, batch, hidden):
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import SGDClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    warnings.simplefilter("ignore", ConvergenceWarning)
    model = (MLPClassifier(hidden_layer_sizes=hidden, batch_size=batch, max_iter=epochs,
                           n_iter_no_change=epochs + 1, random_state=1)
             if hidden else SGDClassifier(loss="log_loss", max_iter=epochs, tol=None))
    model = make_pipeline(StandardScaler(), model).fit(rows, labels)
    return model.score(rows[:SCORED_ROWS], labels[:SCORED_ROWS])


def train_pytorch(rows, labels, epochs, batch, hidden):
    import torch

    torch.manual_seed(1)
    x = torch.tensor(rows.to_numpy(), dtype=torch.float32)
    y = torch.tensor(labels.to_numpy(), dtype=torch.float32).reshape(-1, 1)
    x = (x - x.mean(0)) / x.std(0)
    layers, width = [], x.shape[1]
    for units in hidden:
        layers += [torch.nn.Linear(width, units), torch.nn.ReLU()]
        width = units
    model = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))
    loss_of = torch.nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters())
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=batch,
                                       shuffle=True)
    for _ in range(epochs):
        for inputs, targets in data:
            optimizer.zero_grad()
            loss_of(model(inputs), targets).backward()
            optimizer.step()
    with torch.no_grad():
        right = (model(x[:SCORED_ROWS]) > 0) == (y[:SCORED_ROWS] > 0.5)
    return right.float().mean().item()


def main():
    peer, path, table, label, epochs, batch = sys.argv[1:7]
    hidden = [int(units) for units in sys.argv[7:]]
    train = {"scikit-learn": train_sklearn, "pytorch": train_pytorch}[peer]
    accuracy = train(*read(path, table, label), int(epochs), int(batch), hidden)
    print(json.dumps({"accuracy": accuracy}))


main()
