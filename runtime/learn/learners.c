/*
 * The learners by the kind of model that they learn: a kind is one line here.
 */
#include "runtime/learn/descent.h"
#include "runtime/learn/learning.h"
#include "runtime/learn/network.h"

static const struct {
    const char *kind;
    differentiable_open *model; /* learned by descent */
} learners[] = {
    {"network", network_open},
};

enum status learning_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, struct learning *learning, struct error *err)
{
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        if (slice_is(spec->family, learners[i].kind))
            return descent_open(spec, dataset, team, learners[i].model, learning, err);
    fail(err, STATUS_INVALID, "there is no learner for models of kind \"%.*s\"",
         SLICE_FORMAT(spec->family));
    return error_hint(err, "The job was made by another version of totrain.");
}
