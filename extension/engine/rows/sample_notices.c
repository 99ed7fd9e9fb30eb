#include "extension/engine/rows/sample_notices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/lower_train.h"
#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/rows/spooling.h"
#include "runtime/data/dataset_open.h"
#include "runtime/launch/job_folder.h"

/* A plan and its job on the rows that are looked at. */
struct looking {
    const struct host *host;
    struct plan plan;
    struct jobspec spec;
    struct job_folder folder; /* no job's: its path alone */
    struct arena *arena;
    bool is_part; /* there are more rows */
};

/* Does a plan need more than its rows to become a job: other rows, another model, or choices that
 * are made later? */
static bool needs_more(const struct plan *plan)
{
    return plan->search || plan->model_name.size > 0 || plan->query.cross_count > 0 ||
           plan->query.sample_rows == 0 || plan->estimator->kind->learns_series;
}

static enum status take_first_rows(struct looking *looking, struct error *err)
{
    struct plan *plan = &looking->plan;
    struct text select;
    bool failed;

    if (!looking->is_part)
        return STATUS_OK;
    text_init(&select, TEXT_MAXIMUM);
    text_printf(&select, "SELECT * FROM (%.*s\n) AS totrain_sample LIMIT %d",
                SLICE_FORMAT(plan->select), QUERY_SAMPLE_ROWS);
    plan->select = arena_copy(looking->arena, text_slice(&select));
    failed = select.failed || !plan->select.data;
    text_deinit(&select);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status make_folder(struct job_folder *folder, struct error *err)
{
    const char *place = getenv("TMPDIR");

    *folder = (struct job_folder){0};
    snprintf(folder->path, sizeof folder->path, "%s/totrain-sample-XXXXXX",
             place && place[0] == '/' && strlen(place) < PATH_MAX / 2 ? place : "/tmp");
    if (!mkdtemp(folder->path))
        return fail(err, STATUS_IO, "cannot make %s: %s", folder->path, strerror(errno));
    return STATUS_OK;
}

static enum status spool_rows(struct looking *looking, struct error *err)
{
    struct spool_request request = {.host = looking->host,
                                    .plan = &looking->plan,
                                    .spec = &looking->spec,
                                    .folder = &looking->folder,
                                    .sink = NULL,
                                    .cores = 1};
    struct bad_rows bad;
    enum status status;
    uint64_t rows;

    if (looking->plan.bad_rows == BAD_ROWS_ERROR)
        return spool_inputs(&request, looking->arena, &rows, err);
    bad_rows_init(&bad, looking->host, &looking->plan);
    request.bad = &bad;
    status = spool_inputs(&request, looking->arena, &rows, err);
    bad_rows_deinit(&bad);
    return status;
}

static void take_notice(const struct looking *looking, const struct notice *notice)
{
    struct notice_list *notices = looking->plan.notices;

    if (looking->is_part && notice->kind == NOTICE_VOCABULARY)
        return;
    notice_add(notices, notice->kind, "%s%s", notice->text,
               looking->is_part ? ", in a sample of 1,000 rows" : "");
    if (notice->hint[0])
        notice_hint(notices, "%s", notice->hint);
}

static enum status look(struct looking *looking, struct error *err)
{
    struct dataset dataset;

    TRY(lower_train(&looking->plan, looking->arena, &looking->spec, err));
    looking->spec.test_size = 0;
    TRY(spool_rows(looking, err));
    TRY(dataset_open(looking->folder.path, NULL, &looking->spec, NULL, &dataset, err));
    for (size_t i = 0; i < dataset.notices->count; i++)
        take_notice(looking, &dataset.notices->items[i]);
    dataset_close(&dataset);
    return STATUS_OK;
}

/* TRAIN would say what is wrong with the rows. A plan can be explained without room for
 * them. */
static enum status tell_failure(const struct looking *looking, struct error *err)
{
    const bool is_room = err->status == STATUS_IO || err->status == STATUS_PERMISSION;

    if (err->status != STATUS_INVALID && err->status != STATUS_LIMIT && !is_room)
        return err->status;
    notice_add(looking->plan.notices, NOTICE_OTHER, "%s%s: %s",
               is_room ? "the rows were not looked at" : "TRAIN would fail",
               looking->is_part && !is_room ? " on a sample of 1,000 rows" : "", err->message);
    if (err->hint[0])
        notice_hint(looking->plan.notices, "%s", err->hint);
    error_clear(err);
    return STATUS_OK;
}

enum status sample_notices(const struct host *host, const struct plan *plan, struct arena *arena,
                           struct error *err)
{
    struct looking looking = {.host = host,
                              .plan = *plan,
                              .arena = arena,
                              .is_part = plan->query.sample_rows >= QUERY_SAMPLE_ROWS};
    enum status status;

    if (needs_more(plan))
        return STATUS_OK;
    looking.plan.validation_select = SLICE("");
    looking.plan.verbose = 0;
    TRY(take_first_rows(&looking, err));
    status = make_folder(&looking.folder, err);
    if (status == STATUS_OK) {
        status = look(&looking, err);
        job_folder_drop_rows(&looking.folder);
        (void)rmdir(looking.folder.path);
    }
    return status == STATUS_OK ? STATUS_OK : tell_failure(&looking, err);
}
