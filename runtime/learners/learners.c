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

typedef enum status learner_open(const struct jobspec *spec, const struct dataset *dataset,
                                 struct team *team, struct learning *learning, struct error *err);

/* A kind is one line here. */
static const struct {
    const char *kind;
    differentiable_open *model; /* learned by descent; NULL: by a learner of its own: */
    learner_open *open;
} learners[] = {
    {"network", network_open, NULL},     {"embedding", embedding_network_open, NULL},
    {"kmeans", NULL, kmeans_open},       {"trees", NULL, trees_open},
    {"linear", NULL, newton_open},       {"regression", NULL, regression_open},
    {"bayes", NULL, bayes_open},         {"pca", NULL, pca_open},
    {"one_class", NULL, one_class_open}, {"scorecard", NULL, scorecard_open},
    {"forecast", NULL, series_open},     {"isolation", NULL, isolation_open},
    {"graph", graph_network_open, NULL},
};

enum status learning_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, struct learning *learning, struct error *err)
{
    if (final_fit_is_wanted(spec) || spec->fold_scores == FOLD_SCORES_KEPT)
        TRY(final_fit_check(spec, dataset, err));
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        if (!slice_is(spec->family, learners[i].kind))
            continue;
        return learners[i].open
                   ? learners[i].open(spec, dataset, team, learning, err)
                   : descent_open(spec, dataset, team, learners[i].model, learning, err);
    }
    fail(err, STATUS_INVALID, "there is no learner for models of kind \"%.*s\"",
         SLICE_FORMAT(spec->family));
    return error_hint(err, "The job was made by another version of totrain.");
}
