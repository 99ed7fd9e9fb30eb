"""The bars of the quality of defaults, and whether they are met.

A result is what kept["SET/SEED/MODEL"] has: [accuracy, LogLoss] of classes, [RMSE] of numbers. All bars are of means over
the seeds, and over the sets: arithmetic of accuracy and LogLoss, geometric of the ratio of two RMSE.
"""

import math

ACCURACY_BEHIND = 0.002  # linear models', in the mean
RMSE_ABOVE = 1.01        # likewise
WORST_BEHIND = 0.03  # a network's, on any set
WORST_ABOVE = 1.10


def mean(values):
    return sum(values) / len(values)


def paired(differences):
    """(mean, standard error) over sets of the mean difference of each, which has two or more of them."""
    means = [mean(of_set) for of_set in differences]
    squares = sum(sum((d - m) ** 2 for d in of_set) / (len(of_set) - 1) / len(of_set)
                  for of_set, m in zip(differences, means))
    return mean(means), math.sqrt(squares) / len(means)


def geometric(ratios):
    return math.exp(mean([math.log(ratio) for ratio in ratios]))


class Measured:
    """The means over the seeds of the sets by their names: of classes, and of numbers."""

    def __init__(self, kept, seeds, classes, numbers):
        self.kept, self.seeds, self.classes, self.numbers = kept, seeds, classes, numbers

    def of(self, name, model, part=0):
        return mean([self.kept[f"{name}/{seed}/{model}"][part] for seed in range(self.seeds)])

    def accuracy(self, model):
        return mean([self.of(name, model) for name in self.classes])

    def ahead(self, model):
        """Points of accuracy, in the mean over the sets, and the standard error: splits of one table overlap, so it is
        more than that."""
        return paired([[self.kept[f"{name}/{seed}/{model}"][0] - self.kept[f"{name}/{seed}/peer {model}"][0]
                        for seed in range(self.seeds)] for name in self.classes])

    def log_loss(self, model):
        return mean([self.of(name, model, 1) for name in self.classes])

    def ratio(self, model):
        return geometric([self.of(name, model) / self.of(name, f"peer {model}") for name in self.numbers])

    def furthest_behind(self, model):
        """(points, set): where accuracy is furthest behind."""
        return max((self.of(name, f"peer {model}") - self.of(name, model), name) for name in self.classes)

    def furthest_above(self, model):
        return max((self.of(name, model) / self.of(name, f"peer {model}"), name) for name in self.numbers)


def verdicts(measured):
    """(bar, ToTrain, wanted, met) a bar."""
    linear, peer_linear = measured.accuracy("linear"), measured.accuracy("peer linear")
    network, peer_network = measured.accuracy("network"), measured.accuracy("peer network")
    behind, behind_at = measured.furthest_behind("network")
    above, above_at = measured.furthest_above("network")
    loss, best = measured.log_loss("network"), min(map(measured.log_loss, ("peer linear", "peer network")))
    yield ("linear: accuracy", f"{linear:.4f}", f">= {peer_linear - ACCURACY_BEHIND:.4f}",
           linear >= peer_linear - ACCURACY_BEHIND)
    yield ("linear: RMSE / Ridge", f"{measured.ratio('linear'):.4f}", f"<= {RMSE_ABOVE}",
           measured.ratio("linear") <= RMSE_ABOVE)
    yield (f"network: accuracy (standard error of the difference {measured.ahead('network')[1]:.4f})", f"{network:.4f}",
           f"> {peer_network:.4f}", network > peer_network)
    yield ("network: RMSE / MLP", f"{measured.ratio('network'):.4f}", "< 1", measured.ratio("network") < 1)
    yield (f"network: points behind at most ({behind_at})", f"{100 * behind:.1f}", f"<= {100 * WORST_BEHIND:.0f}",
           behind <= WORST_BEHIND)
    yield (f"network: RMSE / MLP at most ({above_at})", f"{above:.3f}", f"<= {WORST_ABOVE}", above <= WORST_ABOVE)
    yield ("network: LogLoss", f"{loss:.4f}", f"<= {best:.4f}", loss <= best)


def show_rows(rows):
    """The table of the bars. True: all are met."""
    print("\n| bar | ToTrain | wanted | met |\n|---|---|---|---|")
    for bar, value, wanted, met in rows:
        print(f"| {bar} | {value} | {wanted} | {'yes' if met else 'NO'} |")
    return all(row[3] for row in rows)


def show(measured):
    return show_rows(list(verdicts(measured)))
