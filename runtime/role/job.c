#include "runtime/role/job.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/process/memory_limit.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/spool/spool_format.h"
#include "runtime/launch/job_spec.h"
#include "runtime/launch/processor.h"
#include "scoring/heads.h"

#define MEMORY_LEAST ((uint64_t)64 << 20)

/* A missing file counts as empty: code that needs its rows reports it. */
static uint64_t hash_head(const char *folder, const char *name, uint64_t seed)
{
    char path[PATH_MAX], head[sizeof(struct spool_header)];
    ssize_t size;
    int file;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return seed;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return seed;
    size = read(file, head, sizeof head);
    close(file);
    return XXH3_64bits_withSeed(head, size > 0 ? (size_t)size : 0, seed);
}

static uint64_t identify(const struct job *job, struct slice json)
{
    uint64_t hash = XXH3_64bits(json.data, json.size);

    hash = hash_head(job->folder, "train.spool", hash);
    return hash_head(job->folder, "validation.spool", hash + 1);
}

enum status job_number(const char *folder, uint64_t *number, struct error *err)
{
    const char *name = strrchr(folder, '/');
    int64_t id;

    if (!slice_to_integer(slice_of(name ? name + 1 : folder), &id) || id <= 0)
        return fail(err, STATUS_INVALID, "folder \"%s\", expected STATE/jobs/ID with a number",
                    folder);
    *number = (uint64_t)id;
    return STATUS_OK;
}

/* Names the scores of several labels; the first of these are measured. */
static enum status name_scores(struct job *job, struct error *err)
{
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    for (size_t i = 0; i < job->spec.input_count && job->round_metric_count < METRICS_MAX; i++) {
        const struct input_spec *input = &job->spec.inputs[i];

        if (!input->label)
            continue;
        text_clear(&name);
        head_score_append(input->name, input->label, &name);
        job->round_metrics[job->round_metric_count] = arena_copy(&job->arena, text_slice(&name));
        if (name.failed || !job->round_metrics[job->round_metric_count++].data) {
            text_deinit(&name);
            return fail_no_memory(err);
        }
    }
    text_deinit(&name);
    return STATUS_OK;
}

static enum status name_round_metrics(struct job *job, struct error *err)
{
    const struct jobspec *spec = &job->spec;

    if (spec->kind != SPEC_TRAIN)
        return STATUS_OK;
    if (!kind_of(spec)->measures_rounds)
        return name_scores(job, err);
    for (size_t i = 0; i < spec->metric_count && !spec->has_default_metrics; i++)
        job->round_metrics[job->round_metric_count++] = spec->metrics[i];
    return STATUS_OK;
}

enum status job_open(const char *folder, struct job *job, struct error *err)
{
    enum status status;
    struct text json;

    memset(job, 0, sizeof *job);
    if (!realpath(folder, job->folder))
        return fail_errno(err, STATUS_NOT_FOUND, "cannot open the job's folder %s", folder);
    TRY(job_number(job->folder, &job->id, err));
    arena_init(&job->arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    status = job_read_spec(job->folder, &job->arena, &job->spec, &json, err);
    if (status == STATUS_OK)
        status = name_round_metrics(job, err);
    if (status == STATUS_OK)
        job->identity = identify(job, text_slice(&json));
    text_deinit(&json);
    if (status != STATUS_OK)
        job_deinit(job);
    return status;
}

void job_deinit(struct job *job)
{
    arena_deinit(&job->arena);
}

uint32_t job_threads(const struct job *job, uint32_t workers)
{
    return job_threads_of(job, workers, 0);
}

uint32_t job_threads_of(const struct job *job, uint32_t workers, uint32_t cores)
{
    const uint32_t share = (cores > 0 ? cores : launch_cores()) / (workers > 0 ? workers : 1);

    if (job->spec.threads > 0)
        return job->spec.threads;
    if (job->cpus > 0)
        return job->cpus;
    return share > 0 ? share : 1;
}

uint64_t job_memory_of(const struct job *job, uint32_t workers, uint64_t there)
{
    const bool shares = job->cpus == 0 && workers > 1;
    const uint64_t share = shares ? there / workers : there;

    if (job->spec.memory > 0)
        return job->spec.memory;
    return share > MEMORY_LEAST ? share : MEMORY_LEAST;
}

uint64_t job_memory(const struct job *job, uint32_t workers)
{
    return job_memory_of(job, workers, memory_limit());
}
