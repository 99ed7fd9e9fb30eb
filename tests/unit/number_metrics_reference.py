"""Metrics that XGBoost, lifelines and scikit-learn compute: writes number_metrics_reference.h.

    pip install numpy xgboost==3.2.0 lifelines scikit-learn==1.9.1; python3 tests/unit/number_metrics_reference.py

Predictions are the base_margin of a model without trees. MRR and Coverage, which none of them has, are computed here.
"""

import pathlib

import numpy
import xgboost

ROWS = 24
SHARES = (0.1, 0.75, 0.9)


def numbers(values, digits=9):
    return ", ".join(f"{value:.{digits}g}" for value in values)


def evaluate(metrics, rows, **parameters):
    booster = xgboost.train({"base_score": 0.5, "eval_metric": metrics, "disable_default_eval_metric": 1,
                             **parameters}, rows, 0)
    found = booster.eval(rows).split("\t")[1:]
    return {text.split(":")[0][len("eval-"):]: float(text.split(":")[-1]) for text in found}


def of_numbers(random):
    labels = numpy.round(random.gamma(2, 2, ROWS) + 0.05, 2).astype("float32")
    predicted = numpy.round(labels * random.gamma(3, 0.3, ROWS) + 0.05, 2).astype("float32")
    rows = xgboost.DMatrix(numpy.zeros((ROWS, 1)), label=labels, base_margin=predicted)
    found = evaluate(["rmsle", "poisson-nloglik", "gamma-nloglik", "gamma-deviance", "tweedie-nloglik@1.3"], rows,
                     objective="reg:squarederror")
    names = {"rmsle": "RMSLE", "poisson-nloglik": "PoissonNLogLik", "gamma-nloglik": "GammaNLogLik",
             "gamma-deviance": "GammaDeviance", "tweedie-nloglik@1.3": "TweedieNLogLik@1.3"}
    return labels, predicted, {names[name]: value for name, value in found.items()}


def reciprocal_ranks(groups, labels, scores, first):
    values = []
    for group in sorted(set(groups)):
        ranked = labels[groups == group][numpy.argsort(-scores[groups == group])]
        relevant = numpy.flatnonzero(ranked > 0)
        values.append(1 if len(relevant) == 0 else 1 / (1 + relevant[0]) if relevant[0] < first else 0)
    return float(numpy.mean(values))


def of_ranks(random):
    groups = numpy.repeat(numpy.arange(6), [1, 3, 5, 7, 6, 2])
    labels = random.integers(0, 4, len(groups)).astype("float32")
    labels[groups == 5] = 0
    scores = numpy.round(random.normal(0, 1, len(groups)) + 0.4 * labels, 3).astype("float32")
    rows = xgboost.DMatrix(numpy.zeros((len(groups), 1)), label=labels, base_margin=scores, qid=groups)
    found = evaluate(["ndcg", "ndcg@2", "ndcg@4"], rows, objective="rank:ndcg")
    binary = xgboost.DMatrix(numpy.zeros((len(groups), 1)), label=labels > 1, base_margin=scores, qid=groups)
    found.update(evaluate(["map", "map@2", "map@4"], binary, objective="rank:map"))
    values = {name.upper(): value for name, value in found.items()}
    values["MRR"] = reciprocal_ranks(groups, labels > 1, scores, len(groups))
    values["MRR@2"] = reciprocal_ranks(groups, labels > 1, scores, 2)
    return groups, labels, scores, values


def of_times(random):
    from lifelines.utils import concordance_index

    times = numpy.round(random.gamma(2, 4, ROWS) + 0.1, 1).astype("float32")
    times[3] = times[4] = times[5]
    seen = random.random(ROWS) < 0.6
    seen[3], seen[4], seen[5] = True, True, False
    predicted = numpy.round(times * random.gamma(4, 0.25, ROWS) + 0.1, 1).astype("float32")
    upper = numpy.where(seen, times, numpy.inf)
    values = {}
    for noise in ("normal", "logistic", "extreme"):
        rows = xgboost.DMatrix(numpy.zeros((ROWS, 1)), base_margin=numpy.log(predicted))
        rows.set_float_info("label_lower_bound", times)
        rows.set_float_info("label_upper_bound", upper)
        values[noise] = evaluate(["aft-nloglik"], rows, objective="survival:aft",
                                 aft_loss_distribution=noise)["aft-nloglik"]
    order = numpy.argsort(times + numpy.arange(ROWS) / 1e3)
    apart = numpy.round(times[order] + numpy.arange(ROWS) / 1e2, 2).astype("float32")  # XGBoost knows no ties
    hazards = xgboost.DMatrix(numpy.zeros((ROWS, 1)), label=numpy.where(seen[order], apart, -apart),
                              base_margin=-numpy.log(predicted[order]))
    cox = evaluate(["cox-nloglik"], hazards, objective="survival:cox")["cox-nloglik"]
    return times, seen, predicted, values, apart, order, cox, concordance_index(times, predicted, seen)


def of_quantiles(random):
    from sklearn.metrics import mean_pinball_loss

    labels = numpy.round(random.normal(0, 3, ROWS), 2)
    quantiles = numpy.sort(numpy.round(labels[:, None] + random.normal(0, 2, (ROWS, len(SHARES))), 2), axis=1)
    losses = [mean_pinball_loss(labels, quantiles[:, i], alpha=share) for i, share in enumerate(SHARES)]
    covered = (quantiles[:, 0] <= labels) & (labels <= quantiles[:, -1])
    return labels, quantiles, {"Pinball": numpy.mean(losses), "Coverage": covered.mean()}


def table(name, values):
    rows = "".join(f'    {{"{metric}", {value:.9g}}},\n' for metric, value in values)
    return f"static const struct number_reference {name}[] = {{\n{rows}}};"


def main():
    random = numpy.random.default_rng(5)
    labels, predicted, of_losses = of_numbers(random)
    groups, relevance, scores, of_groups = of_ranks(random)
    times, seen, until, aft, apart, order, cox, concordance = of_times(random)
    quantile_labels, quantiles, of_shares = of_quantiles(random)
    text = f"""/* Written by number_metrics_reference.py with XGBoost {xgboost.__version__}. */
#ifndef TESTS_UNIT_NUMBER_METRICS_REFERENCE_H
#define TESTS_UNIT_NUMBER_METRICS_REFERENCE_H

#define REFERENCE_ROWS   {ROWS}
#define REFERENCE_RANKED {len(groups)}

/* clang-format off */
static const double quantile_shares[] = {{{numbers(SHARES)}}};
static const double quantile_labels[] = {{{numbers(quantile_labels)}}};
static const double quantile_predicted[][{len(SHARES)}] = {{{", ".join(f"{{{numbers(row)}}}" for row in quantiles)}}};
static const double number_labels[] = {{{numbers(labels)}}};
static const double number_predicted[] = {{{numbers(predicted)}}};
static const int rank_groups[] = {{{numbers(groups)}}};
/* MAP and MRR: a row is relevant where the label is above 1. */
static const double rank_labels[] = {{{numbers(relevance)}}};
static const double rank_scores[] = {{{numbers(scores)}}};
static const double survival_times[] = {{{numbers(times)}}};
static const int survival_seen[] = {{{numbers(seen.astype(int))}}};
static const double survival_predicted[] = {{{numbers(until)}}};
/* Of Cox: times that are all different, and which of the rows they are of. */
static const double hazard_times[] = {{{numbers(apart)}}};
static const int hazard_rows[] = {{{numbers(order)}}};

struct number_reference {{
    const char *name;
    double value;
}};
{table("number_values", of_losses.items())}
{table("rank_values", of_groups.items())}
{table("quantile_values", of_shares.items())}
/* normal, logistic, extreme */
{table("aft_values", [("AFTNLogLik", value) for value in aft.values()])}
{table("cox_values", [("CoxNLogLik", cox)])}
{table("concordance_values", [("Concordance", concordance)])}
/* clang-format on */

#endif
"""
    path = pathlib.Path(__file__).with_name("number_metrics_reference.h")
    path.write_text(text)


if __name__ == "__main__":
    main()
