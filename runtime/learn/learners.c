/*
 * The learners by the kind of model that they learn: a kind is one line here.
 */
#include "runtime/learn/descent.h"
#include "runtime/learn/learning.h"

static const struct {
    const char *kind;
    enum status (*open)(const struct jobspec *spec, const struct dataset *dataset,
                        struct team *team, struct learning *learning, struct error *err);
} learners[] = {
    {"network", descent_open},
};

enum status learning_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, struct learning *learning, struct error *err)
{
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        if (slice_is(spec->family, learners[i].kind))
            return learners[i].open(spec, dataset, team, learning, err);
    fail(err, STATUS_INVALID, "there is no learner for models of kind \"%.*s\"",
         SLICE_FORMAT(spec->family));
    return error_hint(err, "The job was made by another version of totrain.");
}
