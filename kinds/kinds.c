#include "kinds/kinds.h"

#include "kinds/bayes/bayes_kind.h"
#include "kinds/embedding/embedding_kind.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/graph/graph_kind.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/linear/linear_kind.h"
#include "kinds/network/network_kind.h"
#include "kinds/one_class/one_class_kind.h"
#include "kinds/pca/pca_kind.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/scorecard/scorecard_kind.h"
#include "kinds/trees/isolation_kind.h"
#include "kinds/trees/trees_kind.h"

const struct kind *const kinds[] = {
    &network_kind,    &kmeans_kind,    &trees_kind,     &linear_kind, &embedding_kind,
    &regression_kind, &bayes_kind,     &one_class_kind, &pca_kind,    &scorecard_kind,
    &forecast_kind,   &isolation_kind, &graph_kind,     NULL,
};

const struct kind *kind_find(struct slice name)
{
    for (size_t i = 0; kinds[i]; i++)
        if (slice_is(name, kinds[i]->name))
            return kinds[i];
    return NULL;
}
