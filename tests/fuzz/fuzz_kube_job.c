/* Whatever cluster.json holds, what was read from it is written and read again as the same. */
#include <stdlib.h>

#include "k8s/job/kube_job.h"
#include "k8s/job/kube_job_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kube_job *job, struct arena *arena)
{
    struct kube_job again;
    struct text first, second;
    struct error err;

    text_init(&first, 4 * KUBE_JOB_BYTES_MAX);
    text_init(&second, 4 * KUBE_JOB_BYTES_MAX);
    if (kube_job_check(job, &err) != STATUS_OK || kube_job_write(job, &first, &err) != STATUS_OK ||
        kube_job_read(text_slice(&first), arena, &again, &err) != STATUS_OK ||
        kube_job_write(&again, &second, &err) != STATUS_OK ||
        !slice_equal(text_slice(&first), text_slice(&second)))
        abort();
    text_deinit(&first);
    text_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kube_job job;
    struct arena arena;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    if (kube_job_read((struct slice){(const char *)data, size}, &arena, &job, &err) == STATUS_OK)
        check(&job, &arena);
    arena_deinit(&arena);
    return 0;
}
