#!/usr/bin/env python3
"""scikit-learn's PCA of the rows of linear_models.py: REFERENCE, by whether inputs are standardised.

It has the loadings, variance and share of each component, and the components of the first rows, with the distance to
the row that the first two give back. Signs are those of the loading of the greatest magnitude, which is above 0. As a
program, with scikit-learn in its environment, it prints REFERENCE anew (made with scikit-learn 1.9.1).
"""

import json

import linear_models

COLUMNS = ("a", "b", "c", "z", "s")
KEPT = 2  # components whose distance is kept


def rows():
    """Without NULLs; s is a sum of others, so that the last component has no variance."""
    return [(a, b, c, z, a + b) for a, b, c, _, _, _, z in linear_models.rows() if c is not None]


REFERENCE = {
    "standardised": {
        "loadings": [
            [0.3507805267, 0.5389799789, -0.006695165608, 0.5138544569, 0.5677696507],
            [0.6561888566, -0.4459829595, -0.2131069986, 0.4303477514, -0.3740342287],
            [0.221333575, -0.08069376808, 0.9701172054, 0.009491283521, -0.05729299822],
            [-0.6262775449, -0.1135524755, 0.1158153256, 0.7420676017, -0.1755128399],
        ],
        "variances": [2.500648147, 1.347238651, 0.9982918485, 0.1692534517, 0.0],
        "ratios": [0.4985907691, 0.2686186603, 0.1990440363, 0.03374653436, 0.0],
        "rows": [
            [0.4216205938, 0.3589099297, 0.618152392, -0.05902022334],
            [1.541489594, -2.284476709, 0.254203582, -0.3990783431],
            [-2.133435254, -1.345140928, 0.8597703583, 0.2439514314],
            [0.8762210043, -0.1398403408, 0.4075956582, -0.6705269861],
            [-0.1205620088, 0.9701402088, 0.304407135, 0.002412263934],
        ],
        "distances": [0.6209635791, 0.4731627469, 0.8937098914, 0.7846914423, 0.3044166928],
        "error": 1.163952853,
    },
    "as they are": {
        "loadings": [
            [0.009759706347, 0.6993719844, 0.000253431906, 0.08897053698, 0.7091316908],
            [0.3316959037, -0.226756501, -0.004483363106, 0.9096850763, 0.1049394026],
            [0.7457582064, -0.3550305231, 0.02859404432, -0.4053545157, 0.3907276833],
            [-0.01984791933, 0.008961638353, 0.9995810202, 0.01565318389, -0.01088628097],
        ],
        "variances": [193.2659008, 6.495944346, 0.4738016082, 0.008740190516, 0.0],
        "ratios": [0.9651501535, 0.03244008207, 0.002366116801, 4.364761805e-05, 0.0],
        "rows": [
            [0.8063096231, 1.013543653, 0.2845925374, 0.04557071526],
            [25.10256427, -3.668914646, 0.4325042035, 0.02988355652],
            [-10.35638916, -3.493916509, -0.4373676521, 0.1113006722],
            [8.413740211, -0.6178398662, 1.134598344, -0.004511115959],
            [-6.601344906, 1.771061499, 0.1813849759, 0.01304772123],
        ],
        "distances": [0.2882179772, 0.4335353653, 0.4513073262, 1.134607312, 0.1818536569],
        "error": 0.4810570547,
    },
}

WORD_ROWS = 200
# The same for word_rows(): standardised numbers, and columns of 0 and 1 for the words of both categories, one of which is
# that it is NULL. Pairs of words have loadings of one size, so that signs are anybody's.
OF_WORDS = {
    "variances": [1.77231625, 0.3908265161, 0.3439685782, 0.3012179959, 0.2845468719, 0.2467720294],
    "rows": [
        [0.5522343072, 0.04542637326, 0.5474461571],
        [0.89623106, 0.1527393444, 0.6898969531],
        [2.267020018, 1.149608343, 0.1536235137],
        [0.2489033032, 0.1759866174, 1.226950689],
        [0.5301049335, 0.1367049098, 1.20238547],
    ],
    "distances": [1.081576322, 1.110856535, 0.4196424643, 1.321160041, 1.216033538],
}


def word_rows():
    """Two numbers and two categories, the second of which has NULLs."""
    return [(a, z, "pqr"[int(abs(7 * b)) % 3], (None, "u", "v", "v")[int(abs(5 * a)) % 4])
            for a, b, _, z, _ in rows()[:WORD_ROWS]]


def reference_of_words():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    from sklearn import decomposition, preprocessing
    made = word_rows()
    words = preprocessing.OneHotEncoder(sparse_output=False).fit_transform([[w, str(v)] for _, _, w, v in made])
    numbers = preprocessing.StandardScaler().fit_transform([[a, z] for a, z, _, _ in made])
    inputs = numpy.hstack([numbers, words])
    pca = decomposition.PCA(svd_solver="full").fit(inputs)
    placed = pca.transform(inputs)
    left = inputs - pca.mean_ - placed[:, :KEPT] @ pca.components_[:KEPT]
    return {
        "variances": pca.explained_variance_[:6].tolist(),
        "rows": numpy.abs(placed[:linear_models.SHOWN, :3]).tolist(),
        "distances": numpy.sqrt((left ** 2).sum(axis=1))[:linear_models.SHOWN].tolist(),
    }


def reference():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    from sklearn import decomposition
    made = numpy.array(rows())
    found = {}
    for name, inputs in (("standardised", (made - made.mean(axis=0)) / made.std(axis=0)), ("as they are", made)):
        pca = decomposition.PCA(svd_solver="full").fit(inputs)
        turned = numpy.array([numpy.sign(row[numpy.abs(row).argmax()]) for row in pca.components_])
        components = pca.components_ * turned[:, None]
        placed = (inputs - pca.mean_) @ components.T
        left = inputs - pca.mean_ - placed[:, :KEPT] @ components[:KEPT]
        found[name] = {
            "loadings": components[:-1].tolist(),
            "variances": pca.explained_variance_.tolist(),
            "ratios": pca.explained_variance_ratio_.tolist(),
            "rows": placed[:linear_models.SHOWN, :-1].tolist(),
            "distances": numpy.sqrt((left ** 2).sum(axis=1))[:linear_models.SHOWN].tolist(),
            "error": float((left ** 2).sum(axis=1).mean()),
        }
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
    print(json.dumps(reference_of_words(), indent=4))
