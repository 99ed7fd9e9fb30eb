#include "extension/engine/rows/direct_verdict.h"

#include <stdio.h>

#include "base/bytes.h"
#include "codegen/lower_train.h"
#include "jobspec/jobspec_write.h"
#include "params/notice_list.h"
#include "runtime/data/staged/staged_pieces.h"
#include "scoring/columns/cell_counts.h"

/* ----- what all rows tell ----- */

/* How many cells of a row were counted: as many as the order to read the table said. */
static enum status count_columns(const struct column_verdict *verdict, uint32_t *counted,
                                 struct error *err)
{
    struct spool_cells cells[2];
    size_t count;

    TRY(spool_list_cells(verdict->host, verdict->first, true, verdict->arena, cells, &count, err));
    *counted = cells[0].counted;
    return STATUS_OK;
}

static enum status judge_counts(struct column_verdict *verdict, struct slice bytes,
                                struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);
    const uint64_t rows = read_u64(&reader);
    const struct spool_judge judge = column_verdict_judge(verdict);
    struct cell_census *census;
    uint32_t counted = 0;
    enum status status;

    TRY(count_columns(verdict, &counted, err));
    TRY(cell_census_new(counted, NULL, &census, err));
    status = cell_census_read(census, &reader, err);
    if (status == STATUS_OK && !reader_is_done(&reader))
        status = fail(err, STATUS_CORRUPT, "the counts of the job's rows are other bytes");
    if (status == STATUS_OK)
        status = judge.judge(judge.self, census, rows, err);
    cell_census_free(census);
    return status;
}

/* ----- is it another job? ----- */

static enum status print_spec(const struct jobspec *spec, struct text *json, struct error *err)
{
    struct jobspec bare = *spec;

    bare.notices = NULL;
    return jobspec_write(&bare, json, err);
}

/* But for the notices, which the verdict replaces. */
static enum status makes_another(const struct column_verdict *verdict, const struct jobspec *spec,
                                 bool *is_another, struct error *err)
{
    struct jobspec of_all;
    struct text a, b;
    enum status status;

    TRY(lower_train(&verdict->plan, verdict->arena, &of_all, err));
    of_all.staged_shards = spec->staged_shards;
    of_all.in_one_process = spec->in_one_process;
    of_all.history = spec->history;
    text_init(&a, JOBSPEC_BYTES_MAX);
    text_init(&b, JOBSPEC_BYTES_MAX);
    status = print_spec(spec, &a, err);
    if (status == STATUS_OK)
        status = print_spec(&of_all, &b, err);
    *is_another = status == STATUS_OK && !slice_equal(text_slice(&a), text_slice(&b));
    text_deinit(&a);
    text_deinit(&b);
    return status;
}

enum status direct_verdict(struct column_verdict *verdict, int64_t number,
                           const struct jobspec *spec, struct error *err)
{
    const struct host_cluster *cluster = verdict->host->cluster;
    char name[STAGED_NAME_MAX];
    enum status status;
    struct text bytes;
    bool is_another = false;

    snprintf(name, sizeof name, STAGED_CENSUS_NAME, "train");
    text_init(&bytes, STAGED_CENSUS_BYTES_MAX);
    status = cluster->read_staged(cluster->self, number, name, &bytes, err);
    if (status == STATUS_OK)
        status = judge_counts(verdict, text_slice(&bytes), err);
    text_deinit(&bytes);
    TRY(status);
    if (verdict->is_judged && !verdict->reads_again) {
        TRY(makes_another(verdict, spec, &is_another, err));
        verdict->reads_again = is_another;
    }
    return STATUS_OK;
}

/* ----- the verdict ----- */

enum status direct_verdict_keep(const struct column_verdict *verdict, int64_t number,
                                struct error *err)
{
    const struct host_cluster *cluster = verdict->host->cluster;
    const struct plan *plan = verdict->is_judged ? &verdict->plan : verdict->first;
    cJSON *body = cJSON_CreateObject();
    enum status status;
    struct text json;

    json_add(body, "notices", notice_list_to_json(plan->notices));
    text_init(&json, TEXT_MAXIMUM);
    status = json_print(body, false, &json, err);
    if (status == STATUS_OK)
        status = cluster->keep_verdict(cluster->self, number, text_slice(&json), err);
    cJSON_Delete(body);
    text_deinit(&json);
    return status;
}
