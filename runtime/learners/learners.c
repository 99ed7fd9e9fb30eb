#include "runtime/learners/learners.h"

#include "runtime/learn/clusters/kmeans.h"
#include "runtime/learn/descent/descent.h"
#include "runtime/learn/final_fit.h"
#include "runtime/learn/isolation/isolation.h"
#include "runtime/learn/networks/embedding_layout.h"
#include "runtime/learn/networks/graph_network.h"
#include "runtime/learn/networks/network_shape.h"
#include "runtime/learn/series/series.h"
#include "runtime/learn/sums/bayes.h"
#include "runtime/learn/sums/newton.h"
#include "runtime/learn/sums/one_class.h"
#include "runtime/learn/sums/pca.h"
#include "runtime/learn/sums/regression.h"
#include "runtime/learn/sums/scorecard.h"
#include "runtime/learn/trees/trees.h"

/* A kind is one line here. */
static const struct {
    const char *kind;
    const struct learner_method *method;
    const void *subject;
} learners[] = {
    {"network", &descent_learner, &(differentiable_open *){network_open}},
    {"embedding", &descent_learner, &(differentiable_open *){embedding_network_open}},
    {"graph", &descent_learner, &(differentiable_open *){graph_network_open}},
    {"kmeans", &kmeans_learner, NULL},
    {"trees", &trees_learner, NULL},
    {"forecast", &series_learner, NULL},
    {"isolation", &isolation_learner, NULL},
    {"linear", &row_sums_learner, &newton_method},
    {"regression", &row_sums_learner, &regression_method},
    {"bayes", &row_sums_learner, &bayes_method},
    {"pca", &row_sums_learner, &pca_method},
    {"one_class", &row_sums_learner, &one_class_method},
    {"scorecard", &row_sums_learner, &scorecard_method},
};

enum status learning_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, struct learner **learner, struct error *err)
{
    if (final_fit_is_wanted(spec) || spec->fold_scores == FOLD_SCORES_KEPT)
        TRY(final_fit_check(spec, dataset, err));
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        if (slice_is(spec->family, learners[i].kind))
            return learner_open(learners[i].method, learners[i].subject, spec, dataset, team,
                                learner, err);
    fail(err, STATUS_INVALID, "there is no learner for models of kind \"%.*s\"",
         SLICE_FORMAT(spec->family));
    return error_hint(err, "The job was made by another version of totrain.");
}
