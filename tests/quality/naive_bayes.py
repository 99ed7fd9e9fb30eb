#!/usr/bin/env python3
"""scikit-learn's naive Bayes on the rows of linear_models.py: REFERENCE, the classes' probabilities.

Numbers are GaussianNB's, the words of kind CategoricalNB's: the logarithms of both are added up, and the classes' shares
of the rows counted once. As a program, with scikit-learn in its environment, it prints REFERENCE anew (made with
scikit-learn 1.9.1). Rows whose c is NULL are left out: scikit-learn has no such.
"""

import json

import linear_models

SETTINGS = {
    "two classes": ("y", 1.0),
    "three classes": ("k", 1.0),
    "little smoothing": ("k", 0.01),
}


def rows():
    return [row for row in linear_models.rows() if row[2] is not None]


REFERENCE = {
    "two classes": [
        [0.356778287, 0.643221713],
        [0.415596154, 0.584403846],
        [0.863826343, 0.136173657],
        [0.252116607, 0.747883393],
        [0.315513378, 0.684486622],
    ],
    "three classes": [
        [0.351408721, 0.027278085, 0.621313194],
        [0.327223114, 0.353743608, 0.319033278],
        [0.00408286222, 0.901828001, 0.0940891369],
        [0.545218635, 0.0118422617, 0.442939104],
        [0.354881644, 0.0228514411, 0.622266915],
    ],
    "little smoothing": [
        [0.349816069, 0.0275722559, 0.622611675],
        [0.32625779, 0.357360216, 0.316381993],
        [0.00403680283, 0.903435628, 0.0925275691],
        [0.543518106, 0.0119869635, 0.44449493],
        [0.352101557, 0.0220648885, 0.625833554],
    ],
}


def reference():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    from sklearn import naive_bayes
    made = rows()
    numbers = numpy.array([row[:3] for row in made])
    words = sorted({row[3] for row in made})
    kinds = numpy.array([[words.index(row[3])] for row in made])
    found = {}
    for name, (label, alpha) in SETTINGS.items():
        labels = [row[4 if label == "y" else 5] for row in made]
        normal = naive_bayes.GaussianNB().fit(numbers, labels)
        category = naive_bayes.CategoricalNB(alpha=alpha).fit(kinds, labels)
        joint = normal.predict_joint_log_proba(numbers) + category.predict_joint_log_proba(kinds)
        joint -= numpy.log(normal.class_prior_)
        joint = numpy.exp(joint - joint.max(axis=1, keepdims=True))
        joint /= joint.sum(axis=1, keepdims=True)
        found[name] = joint[:linear_models.SHOWN].tolist()
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
