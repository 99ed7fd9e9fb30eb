#include "extension/engine/job_collect.h"

#include "base/process/log.h"
#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/staged.h"
#include "extension/engine/score/score_deliver.h"
#include "jobspec/jobspec.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_spec.h"

#define SPEC_ARENA_MAX ((size_t)256 << 20)

static enum status collect_table(const struct host *host, int64_t number,
                                 const struct job_folder *folder, const struct jobspec *spec,
                                 const struct sink *sink, struct error *err)
{
    uint64_t rows = 0;

    TRY(score_job_collect(host, number, folder, spec, &rows, sink, err));
    TRY(train_row_number(sink, "job", folder->id, err));
    return train_row_number(sink, "rows", (int64_t)rows, err);
}

enum status job_collect_kept(const struct host *host, int64_t number,
                             const struct job_folder *folder, const struct sink *sink,
                             struct error *err)
{
    struct jobspec spec;
    struct arena arena;
    struct text json;
    enum status status;

    arena_init(&arena, SPEC_ARENA_MAX);
    text_init(&json, JOBSPEC_BYTES_MAX);
    status = job_read_spec(folder->path, &arena, &spec, &json, err);
    text_deinit(&json);
    if (status == STATUS_OK)
        status = spec.kind == SPEC_TRAIN ? job_collect_cluster(host, number, folder, sink, err)
                                         : collect_table(host, number, folder, &spec, sink, err);
    arena_deinit(&arena);
    return status;
}

static enum status drop_results(const struct job_folder *folder, struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(jobstore_open_durable(path, &store, err));
    status = shardstore_drop_results(store, err);
    jobstore_close(store);
    return status;
}

void job_drop_results(const struct job_folder *folder)
{
    struct error err;

    if (drop_results(folder, &err) != STATUS_OK)
        log_warning("the results of job %lld: %s", (long long)folder->id, err.message);
}
