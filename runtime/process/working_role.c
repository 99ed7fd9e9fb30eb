#include "runtime/process/working_role.h"

#include "runtime/process/working_scoring.h"
#include "runtime/process/working_servers.h"
#include "runtime/process/working_staging.h"
#include "runtime/process/working_training.h"

static const struct working_role *const roles[] = {[SPEC_TRAIN] = &training_worker,
                                                   [SPEC_PREDICT] = &scoring_worker,
                                                   [SPEC_EVALUATE] = &scoring_worker};

const struct working_role *working_role_of(const struct job *job)
{
    if (job->spec.servers > 0)
        return &pushing_worker;
    return job->spec.staged_shards > 0 ? &staging_worker : roles[job->spec.kind];
}
