"""The bars of trees against XGBoost and LightGBM, and whether they are met.

A result is what kept["SET/SEED/FOLD/MODEL"] has: [accuracy, AUC or nothing] of classes, [RMSE] of numbers; a model is
"ours LIBRARY SETTING" or "peer LIBRARY SETTING". With the same parameters no set is far behind; with defaults the means
over the sets are not behind.
"""

import math

from verdicts import paired, show_rows

LIBRARIES = ("xgboost", "lightgbm")
SETTINGS = ("same", "defaults")
SETTLED = 0.001  # standard error of a mean over sets, of points or of a ratio: more settles nothing
BEHIND = 0.005  # accuracy's and AUC's, on any set
ABOVE = 1.01  # RMSE's, likewise


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Measured:
    """Means over the seeds and folds of each set."""

    def __init__(self, kept, runs, classes, numbers):
        self.kept, self.runs, self.classes, self.numbers = kept, list(runs), classes, numbers

    def of(self, name, model, part=0):
        return mean(self.kept[f"{name}/{run}/{model}"][part] for run in self.runs)

    def has_auc(self, name, model):
        return len(self.kept[f"{name}/{self.runs[0]}/{model}"]) > 1

    def behind(self, name, library, setting, part=0):
        return self.of(name, f"peer {library} {setting}", part) - self.of(name, f"ours {library} {setting}", part)

    def ratio(self, name, library, setting):
        return self.of(name, f"ours {library} {setting}") / self.of(name, f"peer {library} {setting}")


def same(measured, library):
    """(bar, ToTrain, wanted, met) a bar: the set that is furthest behind counts."""
    for part, what in enumerate(("accuracy", "AUC")):
        found = [(measured.behind(name, library, "same", part), name) for name in measured.classes
                 if part == 0 or measured.has_auc(name, f"ours {library} same")]
        if found:
            behind, name = max(found)
            yield (f"{library}, same parameters: points of {what} behind at most ({name})", f"{100 * behind:.2f}",
                   f"<= {100 * BEHIND:g}", behind <= BEHIND)
    if measured.numbers:
        above, name = max((measured.ratio(name, library, "same"), name) for name in measured.numbers)
        yield (f"{library}, same parameters: RMSE / theirs at most ({name})", f"{above:.4f}", f"<= {ABOVE:g}", above <= ABOVE)


def defaults(measured, library):
    if measured.classes:
        ours, theirs = (mean(measured.of(name, f"{who} {library} defaults") for name in measured.classes)
                        for who in ("ours", "peer"))
        yield f"{library}, defaults: mean accuracy", f"{ours:.4f}", f">= {theirs:.4f}", ours >= theirs
    if measured.numbers:
        ratio = math.exp(mean(math.log(measured.ratio(name, library, "defaults")) for name in measured.numbers))
        yield f"{library}, defaults: mean RMSE / theirs", f"{ratio:.4f}", "<= 1", ratio <= 1


def verdicts(measured):
    for library in LIBRARIES:
        yield from same(measured, library)
        yield from defaults(measured, library)


def drawn(what, ahead):
    """The bar of tables that are drawn anew; ahead: of each set by how much ours is better, draw by draw."""
    found, error = paired(ahead)
    return (f"{what}, defaults: ahead on tables drawn anew, standard error", f"{100 * found:+.3f}, {100 * error:.3f} %",
            f">= 0, or within 2 errors of it where these are <= {100 * SETTLED:g} %",
            found >= 0 or (error <= SETTLED and found + 2 * error >= 0))


def show(measured):
    """The table of the bars. True: all are met."""
    return show_rows(list(verdicts(measured)))
