#!/usr/bin/env python3
"""statsmodels on the rows of linear_models.py: coefficients, standard errors and the fit.

SETTINGS: of each model its label, estimator and attributes; REFERENCE what is expected. As a program, with statsmodels
and scikit-learn in its environment, it prints REFERENCE anew (made with statsmodels 0.15.0, scikit-learn 1.9.1).

The design: a NULL of c is its mean and a 1 in the column "c is null"; of kind the most frequent word is what the others
compare with. Each coefficient is [estimate, standard error, p-value, low, high].
"""

import json

import linear_models

SETTINGS = {
    "numbers": ("z", "OrdinaryLeastSquares", ""),
    "weighted numbers": ("z", "OLS", "train.sample_weight = 'w'"),
    "two classes": ("y", "LogisticRegression", ""),
    "three classes": ("k", "LogisticRegression", ""),
    "penalised numbers": ("z", "OLS", "model.l2 = 30"),
    "penalised classes": ("y", "Logit", "model.l2 = 0.5"),
}


def rows():
    """Those of linear_models, with a weight."""
    return [row + (1 + number % 3 / 2,) for number, row in enumerate(linear_models.rows())]


REFERENCE = {
    "numbers": {
        "coefficients": {
            "": {
                "(intercept)": [-0.4436353281, 1.824105111, 0.807972176, -4.029888192, 3.142617535],
                "a": [2.003231975, 0.05270304261, 1.539414216e-133, 1.899615995, 2.106847954],
                "b": [0.1047007743, 0.005154119632, 3.413376558e-63, 0.09456759935, 0.1148339493],
                "c": [-4.076662003, 0.596749228, 3.221435833e-11, -5.249891339, -2.903432667],
                "c is null": [-0.01392186071, 0.13225748, 0.9162207127, -0.2739445773, 0.2461008559],
                "kind=q": [-0.05692065031, 0.1228969339, 0.6435084242, -0.298540214, 0.1846989134],
                "kind=p": [2.853983765, 0.1549815749, 5.173986073e-55, 2.549284702, 3.158682827],
                "kind=s": [0.1101720765, 0.1673078398, 0.5106039843, -0.218760843, 0.439104996],
            },
        },
        "fit": {
            "degrees of freedom, residuals": 392,
            "R2": 0.8488889267,
            "adjusted R2": 0.8461905147,
            "residual standard error": 1.030201616,
            "F statistic": 314.588328,
            "p-value of F": 1.527180307e-156,
            "log-likelihood": -575.4366826,
            "AIC": 1166.873365,
            "BIC": 1198.805081,
        },
    },
    "weighted numbers": {
        "coefficients": {
            "": {
                "(intercept)": [0.5625805665, 1.845886751, 0.7606990897, -3.066495745, 4.191656878],
                "a": [1.985041012, 0.05330432503, 8.277185767e-131, 1.880242891, 2.089839134],
                "b": [0.1043461619, 0.005226074626, 1.073499624e-61, 0.09407152094, 0.1146208029],
                "c": [-3.760247761, 0.601877744, 1.087442865e-09, -4.943559934, -2.576935588],
                "c is null": [-0.004108134449, 0.1338840341, 0.9755369486, -0.267328712, 0.2591124431],
                "kind=q": [-0.1382606085, 0.1253538969, 0.2707202441, -0.3847106452, 0.1081894282],
                "kind=p": [2.861991299, 0.1541554862, 1.163803791e-55, 2.558916355, 3.165066243],
                "kind=s": [0.01095117336, 0.1691292837, 0.9484058129, -0.3215627669, 0.3434651136],
            },
        },
        "fit": {
            "degrees of freedom, residuals": 392,
            "R2": 0.8451814473,
            "adjusted R2": 0.8424168303,
            "residual standard error": 1.273978954,
            "F statistic": 305.7137548,
            "p-value of F": 1.747439792e-154,
        },
    },
    "two classes": {
        "coefficients": {
            "1": {
                "(intercept)": [-4.329818959, 4.347207744, 0.31925014, -12.85018957, 4.190551652],
                "a": [1.384332178, 0.1633381912, 2.345731015e-17, 1.064195206, 1.70446915],
                "b": [0.07736780854, 0.0137891824, 2.014386667e-08, 0.05034150765, 0.1043941094],
                "c": [0.02382659191, 1.418784722, 0.9866012257, -2.756940365, 2.804593548],
                "c is null": [0.08579730665, 0.3160429572, 0.7860268326, -0.5336355071, 0.7052301204],
                "kind=q": [0.2373678433, 0.2885362077, 0.4107000933, -0.328152732, 0.8028884187],
                "kind=p": [2.60823942, 0.4601587511, 1.443647877e-08, 1.706344841, 3.510133999],
                "kind=s": [0.303794722, 0.3919532142, 0.4382929545, -0.4644194615, 1.072008906],
            },
        },
        "fit": {
            "pseudo R2": 0.2918954909,
            "log-likelihood of intercepts": -276.1328152,
            "likelihood ratio": 161.2038473,
            "p-value of the ratio": 1.789892237e-31,
            "log-likelihood": -195.5308916,
            "AIC": 407.0617831,
            "BIC": 438.9934995,
        },
    },
    "three classes": {
        "coefficients": {
            "low": {
                "(intercept)": [74.14328915, 11.37251365, 7.053443214e-11, 51.85357198, 96.43300632],
                "a": [-8.287302945, 0.7885853867, 7.84593298e-26, -9.832901902, -6.741703989],
                "b": [-0.4543020335, 0.04829807687, 5.143312109e-21, -0.5489645247, -0.3596395423],
                "c": [16.74501434, 3.438704827, 1.118412809e-06, 10.00527673, 23.48475196],
                "c is null": [-0.1922871388, 0.7243455818, 0.7906526099, -1.611978391, 1.227404114],
                "kind=q": [0.5385945037, 0.69992095, 0.4415920233, -0.8332253503, 1.910414358],
                "kind=p": [-12.94483258, 1.59974878, 5.879379178e-16, -16.08028257, -9.809382585],
                "kind=s": [-0.03706038357, 0.8879014808, 0.9667065268, -1.777315308, 1.703194541],
            },
            "middle": {
                "(intercept)": [34.88421448, 7.27915473, 1.648438277e-06, 20.61733337, 49.15109559],
                "a": [-3.627487177, 0.4486558046, 6.20449413e-16, -4.506836396, -2.748137959],
                "b": [-0.2348038999, 0.03292015694, 9.854291802e-13, -0.2993262219, -0.170281578],
                "c": [6.348244014, 2.124895001, 0.002812172485, 2.183526341, 10.51296169],
                "c is null": [-0.003050272425, 0.4897413941, 0.9950305415, -0.9629257665, 0.9568252217],
                "kind=q": [-0.8154723936, 0.4453813092, 0.06710750847, -1.688403719, 0.05745893174],
                "kind=p": [-5.672750893, 0.776611743, 2.783252124e-13, -7.194881939, -4.150619847],
                "kind=s": [-0.7814129506, 0.6154138165, 0.2041787583, -1.987601867, 0.4247759653],
            },
        },
        "fit": {
            "pseudo R2": 0.6197525552,
            "log-likelihood of intercepts": -427.8365261,
            "likelihood ratio": 530.3055606,
            "p-value of the ratio": 3.460645351e-104,
            "log-likelihood": -162.6837458,
            "AIC": 357.3674917,
            "BIC": 421.2309244,
        },
    },
    "penalised numbers": {
        "coefficients": {
            "": {
                "(intercept)": [11.60310009],
                "a": [1.844603362],
                "b": [0.1016617743],
                "c": [-0.3497911978],
                "c is null": [-0.02951504844],
                "kind=r": [-0.5598738421],
                "kind=q": [-0.5579079826],
                "kind=p": [1.428112549],
                "kind=s": [-0.3103307238],
            },
        },
        "fit": {
        },
    },
    "penalised classes": {
        "coefficients": {
            "1": {
                "(intercept)": [-3.465079391],
                "a": [1.349521003],
                "b": [0.07588026564],
                "c": [0.03031656205],
                "c is null": [0.07421868584],
                "kind=r": [-0.7462038341],
                "kind=q": [-0.5103823986],
                "kind=p": [1.691276932],
                "kind=s": [-0.4346906989],
            },
        },
        "fit": {
        },
    },
}


def design(made, every_word=False):
    """Names and columns."""
    words = linear_models.words_of(made)
    known = [row[2] for row in made if row[2] is not None]
    mean = sum(known) / len(known)
    names = ["(intercept)", "a", "b", "c", "c is null"] + [f"kind={word}" for word in words[0 if every_word else 1:]]
    columns = [[1, row[0], row[1], mean if row[2] is None else row[2], row[2] is None] +
               [row[3] == word for word in words[0 if every_word else 1:]] for row in made]
    return names, [[float(number) for number in row] for row in columns]


def of_coefficients(result, names, equation=None):
    def column(values):
        return values if equation is None else values[:, equation]
    intervals = result.conf_int()
    intervals = intervals if equation is None else intervals[equation]
    return {name: [float(number) for number in (estimate, error, p_value, low, high)]
            for name, estimate, error, p_value, (low, high) in zip(
                names, column(result.params), column(result.bse), column(result.pvalues), intervals)}


def fit_of_numbers(result):
    return {"degrees of freedom, residuals": result.df_resid, "R2": result.rsquared, "adjusted R2": result.rsquared_adj,
            "residual standard error": result.mse_resid ** .5, "F statistic": result.fvalue,
            "p-value of F": result.f_pvalue}


def likelihood(result, parameters):
    return {"log-likelihood": result.llf, "AIC": 2 * parameters - 2 * result.llf}


def fit_of_classes(result, parameters):
    return {"pseudo R2": result.prsquared, "log-likelihood of intercepts": result.llnull, "likelihood ratio": result.llr,
            "p-value of the ratio": result.llr_pvalue, **likelihood(result, parameters)}


def reference():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    import statsmodels.api as statsmodels
    from sklearn import linear_model
    made = rows()
    names, columns = design(made)
    columns = numpy.array(columns)
    labels = {"y": numpy.array([row[4] for row in made]), "z": numpy.array([row[6] for row in made]),
              "k": numpy.array([["high", "low", "middle"].index(row[5]) for row in made])}
    found = {}
    result = statsmodels.OLS(labels["z"], columns).fit()
    found["numbers"] = {"coefficients": {"": of_coefficients(result, names)},
                        "fit": {**fit_of_numbers(result), **likelihood(result, len(names)), "BIC": result.bic}}
    result = statsmodels.WLS(labels["z"], columns, weights=[row[7] for row in made]).fit()
    found["weighted numbers"] = {"coefficients": {"": of_coefficients(result, names)}, "fit": fit_of_numbers(result)}
    result = statsmodels.Logit(labels["y"], columns).fit(tol=1e-10, maxiter=100, disp=False)
    found["two classes"] = {"coefficients": {"1": of_coefficients(result, names)},
                            "fit": {**fit_of_classes(result, len(names)), "BIC": result.bic}}
    result = statsmodels.MNLogit(labels["k"], columns).fit(tol=1e-10, maxiter=100, disp=False)
    found["three classes"] = {"coefficients": {word: of_coefficients(result, names, number)
                                               for number, word in enumerate(["low", "middle"])},
                              "fit": {**fit_of_classes(result, 2 * len(names)), "BIC": result.bic}}
    every, columns = design(made, True)
    columns = numpy.array(columns)[:, 1:]
    ridge = linear_model.Ridge(alpha=30, tol=1e-14, solver="cholesky").fit(columns, labels["z"])
    found["penalised numbers"] = {"coefficients": {"": dict(zip(every, [[ridge.intercept_]] +
                                                                [[number] for number in ridge.coef_]))}, "fit": {}}
    ridge = linear_model.LogisticRegression(C=2, tol=1e-14, solver="newton-cholesky", max_iter=1000)
    ridge.fit(columns, labels["y"])
    found["penalised classes"] = {"coefficients": {"1": dict(zip(every, [[ridge.intercept_[0]]] +
                                                                 [[number] for number in ridge.coef_[0]]))}, "fit": {}}
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
