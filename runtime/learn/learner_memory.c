#include "runtime/learn/learner_memory.h"

#include "base/process/memory_limit.h"
#include "jobspec/job_size.h"

uint64_t learner_bytes_max(const struct jobspec *spec)
{
    const uint64_t most = job_learner_bytes_max(spec->memory), there = memory_of_machine();

    return there < most ? there : most;
}

enum status learner_hint_bytes(const struct jobspec *spec, const char *advice, struct error *err)
{
    const bool is_said = spec->memory > 0 && learner_bytes_max(spec) == spec->memory;

    return error_hint(err, "%s%s", is_said ? "Raise job.memory. " : "", advice);
}

enum status learner_check_bytes(const struct jobspec *spec, uint64_t rows, double bytes,
                                const char *who, const char *advice, struct error *err)
{
    const uint64_t most = learner_bytes_max(spec);

    if (bytes <= (double)most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "%s need %.0f bytes to train on %llu rows, and a worker has at most %llu", who, bytes,
         (unsigned long long)rows, (unsigned long long)most);
    return learner_hint_bytes(spec, advice, err);
}
