#!/usr/bin/env python3
"""Rows of which some are unlike the rest, and how well scikit-learn's IsolationForest finds them.

REFERENCE: the mean over 20 seeds of the area under the curve of its scores for rows that lie anywhere (outliers.py), by
settings, and of those that have unusual words. EXPECTED: of each eighth row its score_samples by 20,000 trees, which is
what any forest of these settings comes near to. As a program, with scikit-learn in its environment, it prints both anew
(made with scikit-learn 1.9.1).
"""

import json
import random

import outliers

SETTINGS = ("", "n_estimators = 30", "max_samples = 64", "max_features = 2", "max_samples = 0.5")
EACH = 8
WORDS = {"city": ("Oslo", "Rome", "Bern", "Lima"), "plan": ("free", "team", "firm")}


def rows_of_words(count=570, unusual=30):
    """A city, a plan that follows from it, a number, and 1 for a row of other words; so the words are in no order."""
    draw = random.Random(5)
    made = []
    for _ in range(count):
        city = draw.choices(range(4), (5, 3, 2, 1))[0]
        plan = draw.choices((WORDS["plan"][city % 3], "trial"), (9, 1))[0]
        made.append((WORDS["city"][city], plan, draw.gauss(city, 1), 0))
    for i in range(unusual):
        made.append((("Ulan", "Oslo", None)[i % 3], ("trial", None, "gift")[i // 3 % 3], draw.gauss(1, 1.5), 1))
    draw.shuffle(made)
    return made


REFERENCE = {
    "": 0.9906,
    "n_estimators = 30": 0.9874,
    "max_samples = 64": 0.9752,
    "max_features = 2": 0.9892,
    "max_samples = 0.5": 0.9927,
    "words": 0.9787,
}
EXPECTED = [
    -0.4202, -0.4121, -0.4549, -0.4163, -0.4157, -0.4866, -0.409, -0.4238, -0.4595, -0.4005, -0.4118, -0.3978, -0.4238,
    -0.438, -0.4183, -0.3994, -0.4351, -0.4051, -0.4489, -0.4102, -0.4551, -0.4186, -0.4248, -0.3945, -0.3958, -0.4028,
    -0.4085, -0.4245, -0.4774, -0.4213, -0.4314, -0.3957, -0.4313, -0.41, -0.4557, -0.4078, -0.4035, -0.4193, -0.4068,
    -0.3985, -0.4435, -0.4007, -0.4659, -0.4033, -0.4408, -0.4082, -0.4319, -0.4217, -0.3961, -0.4672, -0.408, -0.3966,
    -0.405, -0.3991, -0.4005, -0.4222, -0.3979, -0.4093, -0.3988, -0.4508, -0.4192, -0.3995, -0.4087, -0.3938, -0.419,
    -0.442, -0.4037, -0.5514, -0.4377, -0.5044, -0.4315, -0.5095, -0.4115, -0.4402, -0.4481, -0.6594, -0.6528, -0.638,
    -0.7095, -0.4522,
]


def words_as_numbers(rows):
    """Columns of 0 and 1, and the number."""
    words = [sorted({row[i] for row in rows}, key=str) for i in (0, 1)]
    return [[float(row[i] == word) for i in (0, 1) for word in words[i]] + [row[2]] for row in rows]


def reference():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    from sklearn import ensemble

    def mean_area(rows, inputs, settings):
        labels = [row[-1] for row in rows]
        return round(float(numpy.mean([
            outliers.area(ensemble.IsolationForest(random_state=seed, **settings).fit(inputs).score_samples(inputs).tolist(),
                          labels) for seed in range(20)])), 4)

    made = outliers.rows()
    inputs = numpy.array(made)[:, :3]
    found = {setting: mean_area(made, inputs, {
        name: float(value) if "." in value else int(value)
        for name, value in (part.split(" = ") for part in setting.split(", ") if part)}) for setting in SETTINGS}
    made = rows_of_words()
    found["words"] = mean_area(made, numpy.array(words_as_numbers(made)), {})
    scores = ensemble.IsolationForest(n_estimators=20000, random_state=1).fit(inputs).score_samples(inputs)
    return found, [round(float(score), 4) for score in scores[::EACH]]


if __name__ == "__main__":
    for printed in reference():
        print(json.dumps(printed, indent=4 if isinstance(printed, dict) else None))
