#include "extension/engine/jobs/job_history.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/whole_file.h"
#include "runtime/data/store/jobstore.h"
#include "runtime/launch/job_folder.h"

#define PACES "paces" /* the event (runtime/train/master/master_size.c) */

/* ----- one job ----- */

static bool is_text(const struct cell *cell, const char *text)
{
    return cell->type == CELL_TEXT && slice_is(cell->text, text);
}

static enum status take_event(void *context, const struct cell *cells, struct error *err)
{
    const char *const *columns = jobstore_listing_columns(LISTING_EVENTS);
    const struct cell *event = NULL, *detail = NULL;
    struct share_paces *paces = context, newer;
    (void)err;

    for (size_t i = 0; columns[i]; i++) {
        event = strcmp(columns[i], "event") == 0 ? &cells[i] : event;
        detail = strcmp(columns[i], "detail") == 0 ? &cells[i] : detail;
    }
    if (event && detail && is_text(event, PACES) && detail->type == CELL_TEXT &&
        share_paces_read(detail->text, &newer))
        *paces = newer;
    return STATUS_OK;
}

/* A short job has ended before its speed was known. */
static double seconds_of_row(const struct job_row *row)
{
    return row->rows_per_second > 0
               ? 1 / row->rows_per_second
               : (row->seconds - row->seconds_waiting) / (double)row->rows_done;
}

/* is_rough: the time of its rows is that of a short job, mostly of its begin. */
static bool read_store(const struct job_folder *folder, struct share_paces *paces, bool *is_rough)
{
    struct jobstore *store;
    struct error ignored;
    struct job_row row;
    char path[PATH_MAX];
    bool is_read;

    error_clear(&ignored);
    *paces = (struct share_paces){.count = 0};
    if (job_folder_file(folder, "job.db", path, &ignored) != STATUS_OK ||
        jobstore_open(path, true, &store, &ignored) != STATUS_OK)
        return false;
    is_read = jobstore_get_job(store, &row, &ignored) == STATUS_OK &&
              job_state_has_ended(row.state) &&
              jobstore_each_of(store, LISTING_EVENTS, take_event, paces, &ignored) == STATUS_OK;
    *is_rough = is_read && paces->count == 0 && row.rows_per_second <= 0;
    if (is_read && paces->count == 0 && row.state == JOB_STATE_DONE)
        share_paces_add(paces, (struct share_point){row.workers, seconds_of_row(&row)});
    jobstore_close(store);
    return is_read && paces->count > 0;
}

/* The spec is not parsed: its work stands in it as a text of its own. */
static bool is_of_work(const struct job_folder *folder, const char *work, struct text *spec)
{
    char path[PATH_MAX], quoted[ROW_WORK_DIGITS + 3];
    struct error ignored;

    error_clear(&ignored);
    text_clear(spec);
    snprintf(quoted, sizeof quoted, "\"%s\"", work);
    return job_folder_file(folder, "job.json", path, &ignored) == STATUS_OK &&
           whole_file_read(path, spec, &ignored) == STATUS_OK &&
           memmem(spec->data, spec->size, quoted, strlen(quoted)) != NULL;
}

/* ----- all of them ----- */

/* The newest job comes first, and its newest point: where there is no more room the oldest are
 * lost. Rough times count where there are no others: beside these they would bend the curve. */
static void add_job(struct job_history *history, int64_t id, const struct share_paces *paces,
                    bool is_rough)
{
    history->looked_at++;
    if (is_rough && history->jobs > 0 && !history->is_rough)
        return;
    if (!is_rough && history->is_rough)
        history->paces.count = history->jobs = 0;
    history->is_rough = is_rough;
    if (history->jobs++ == 0)
        history->job = id;
    if (history->paces.lanes == 0)
        history->paces.lanes = paces->lanes;
    if (paces->lanes != 0 && paces->lanes != history->paces.lanes)
        return;
    for (size_t i = paces->count; i-- > 0;)
        share_paces_add(&history->paces, paces->points[i]);
}

static void read_folders(const char *state, const int64_t *ids, size_t count,
                         struct job_history *history)
{
    const size_t end = count > JOB_HISTORY_FOLDERS ? count - JOB_HISTORY_FOLDERS : 0;
    struct text spec;

    text_init(&spec, JOBSPEC_BYTES_MAX + 256); /* with its checksum */
    for (size_t i = count; i-- > end && history->looked_at < JOB_HISTORY_JOBS;) {
        struct job_folder folder;
        struct share_paces paces;
        struct error ignored;
        bool is_rough;

        error_clear(&ignored);
        if (job_folder_find(state, ids[i], &folder, &ignored) == STATUS_OK &&
            is_of_work(&folder, history->work, &spec) && read_store(&folder, &paces, &is_rough))
            add_job(history, ids[i], &paces, is_rough);
    }
    text_deinit(&spec);
}

enum status job_history_begin(const struct plan *plan, struct job_history *history,
                              struct error *err)
{
    *history = (struct job_history){.jobs = 0};
    return row_work_print(plan, history->work) ? STATUS_OK : fail_no_memory(err);
}

void job_history_read(const char *state, struct job_history *history)
{
    struct error ignored;
    size_t count = 0;
    int64_t *ids;

    error_clear(&ignored);
    if (job_folder_list(state, &ids, &count, &ignored) != STATUS_OK)
        return;
    read_folders(state, ids, count, history);
    share_paces_reverse(&history->paces);
    free(ids);
}

/* ----- what they tell ----- */

static enum status keep(const char *text, struct arena *arena, struct slice *kept,
                        struct error *err)
{
    *kept = arena_copy(arena, slice_of(text));
    return kept->data ? STATUS_OK : fail_no_memory(err);
}

enum status job_history_take(const struct job_history *history, struct arena *arena,
                             struct jobspec *spec, struct error *err)
{
    char text[SHARE_PACES_BYTES_MAX + 1];
    uint32_t first;

    TRY(keep(history->work, arena, &spec->history.work, err));
    first = share_paces_first(&history->paces, spec->min_workers, spec->max_workers);
    if (first == 0 || spec->servers > 0)
        return STATUS_OK;
    share_paces_write(&history->paces, text);
    spec->history.first = first;
    return keep(text, arena, &spec->history.paces, err);
}

void job_history_tell(const struct job_history *history, const struct plan *plan,
                      struct plan_history *told)
{
    const struct jobspec *spec = &plan->spec;
    const uint32_t least = spec->min_workers;
    const uint32_t most = spec->max_workers > least ? spec->max_workers : least;
    const struct share_paces *paces = &history->paces;

    *told = (struct plan_history){.job = history->job, .jobs = history->jobs};
    if (most > least && spec->servers == 0)
        told->first = share_paces_first(paces, least, most);
    told->workers = told->first > 0 ? told->first : most;
    told->row_seconds = share_paces_expected(paces, told->workers);
    told->is_measured = share_paces_of(paces, told->workers) > 0;
}
