#include "console/job_desk.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "console/job_board.h"
#include "console/job_source.h"
#include "console/json_rows.h"
#include "console/model_desk.h"
#include "console/score.h"
#include "extension/engine/host/result.h"

#define TICK_MS     200
#define TICK_MS_MAX 5000
#define SHARE       20 /* the list takes one part of so many of a processor */

#define ROWS_MAX      20000 /* events, or metrics, of one answer; the page asks again */
#define LOG_BYTES_MAX ((size_t)256 << 10)

struct job_desk {
    const struct host *host;
    pthread_mutex_t lock; /* over the board */
    struct job_board *board;
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ----- the list ----- */

/* A list that was read in part alone takes no job away. */
static enum status put_jobs(struct job_board *board, const struct result *result, struct error *err)
{
    board_begin(board);
    for (const struct result_row *row = result->first; row; row = row->next)
        TRY(board_put(board, row->cells, SOURCE_JOB_COLUMNS, err));
    board_end(board);
    return STATUS_OK;
}

/* Pages do not wait while the database answers. */
static enum status read_list(struct job_desk *desk, struct error *err)
{
    struct result result;
    struct sink sink;
    enum status status;

    error_clear(err);
    result_init(&result);
    sink = result_sink(&result);
    sink.columns = NULL; /* rows to compute with */
    status = source_jobs(desk->host, &sink, err);
    pthread_mutex_lock(&desk->lock);
    if (status == STATUS_OK)
        status = put_jobs(desk->board, &result, err);
    board_fail(desk->board, status == STATUS_OK ? NULL : err->message);
    pthread_mutex_unlock(&desk->lock);
    result_deinit(&result);
    return status;
}

int job_desk_tick(struct job_desk *desk)
{
    const double begin = seconds_now();
    struct error ignored;
    double wanted;

    (void)read_list(desk, &ignored); /* the page shows the board's error */
    wanted = (seconds_now() - begin) * 1000 * SHARE;
    return wanted < TICK_MS ? TICK_MS : wanted > TICK_MS_MAX ? TICK_MS_MAX : (int)wanted;
}

uint64_t job_desk_version(struct job_desk *desk)
{
    uint64_t version;

    pthread_mutex_lock(&desk->lock);
    version = board_version(desk->board);
    pthread_mutex_unlock(&desk->lock);
    return version;
}

void job_desk_print(struct job_desk *desk, uint64_t since, struct text *out)
{
    const char *columns[SOURCE_JOB_COLUMNS];

    source_job_columns(columns);
    pthread_mutex_lock(&desk->lock);
    board_print(desk->board, since, columns, SOURCE_JOB_COLUMNS, out);
    pthread_mutex_unlock(&desk->lock);
}

enum status job_desk_new(const struct host *host, struct job_desk **desk, struct error *err)
{
    enum status status;

    *desk = calloc(1, sizeof **desk);
    if (!*desk)
        return fail_no_memory(err);
    (*desk)->host = host;
    pthread_mutex_init(&(*desk)->lock, NULL);
    status = board_new(&(*desk)->board, err);
    return status == STATUS_OK ? read_list(*desk, err) : status;
}

void job_desk_free(struct job_desk *desk)
{
    if (!desk)
        return;
    board_free(desk->board);
    pthread_mutex_destroy(&desk->lock);
    free(desk);
}

/* ----- one job ----- */

typedef enum status job_rows(const struct host *host, const struct source_job *job,
                             const struct sink *sink, struct error *err);

/* "NAME":[rows behind the first `skip`],"NAME_count":N */
static enum status append_rows(const struct job_desk *desk, const struct source_job *job,
                               const char *name, job_rows *read, uint64_t skip, struct text *out,
                               struct error *err)
{
    struct json_rows rows = {.out = out, .skip = skip, .most = ROWS_MAX};
    const struct sink sink = json_rows_sink(&rows);

    text_printf(out, "\"%s\":[", name);
    TRY(read(desk->host, job, &sink, err));
    text_printf(out, "],\"%s_count\":%" PRIu64, name, rows.count);
    return STATUS_OK;
}

/* "score":{...} of the job's statement, which the list has. */
static void append_score(struct job_desk *desk, const struct source_job *job, struct text *out)
{
    const char *columns[SOURCE_JOB_COLUMNS];
    const char *statement = NULL;
    struct error ignored;
    struct slice row;
    cJSON *cells = NULL;
    int at = 0;

    source_job_columns(columns);
    while (strcmp(columns[at], "statement") != 0)
        at++;
    pthread_mutex_lock(&desk->lock);
    row = board_job(desk->board, slice_of(job->owner), job->id);
    if (json_parse(row, row.size, &cells, &ignored) == STATUS_OK)
        statement = cJSON_GetStringValue(cJSON_GetArrayItem(cells, at));
    pthread_mutex_unlock(&desk->lock);
    text_append_string(out, "\"score\":");
    score_append(statement ? slice_of(statement) : SLICE(""), out);
    cJSON_Delete(cells);
}

static enum status show_job(struct job_desk *desk, const struct source_job *job,
                            struct desk_task *task, struct error *err)
{
    struct text *out = &task->reply;

    text_append_char(out, '{');
    append_score(desk, job, out);
    text_append_string(out, ",\n");
    TRY(append_rows(desk, job, "workers", source_workers, 0, out, err));
    text_append_string(out, ",\n");
    TRY(append_rows(desk, job, "events", source_events, task->request.events, out, err));
    text_append_string(out, ",\n");
    TRY(append_rows(desk, job, "metrics", source_metrics, task->request.metrics, out, err));
    text_append_string(out, "}\n");
    return STATUS_OK;
}

static enum status show_log(const struct job_desk *desk, const struct source_job *job,
                            struct desk_task *task, struct error *err)
{
    struct text part;
    uint64_t next = task->request.from;
    enum status status;

    text_init(&part, 2 * LOG_BYTES_MAX); /* an end of line more for each line, at most */
    status = source_log(desk->host, job, next, LOG_BYTES_MAX, &part, &next, err);
    text_printf(&task->reply, "{\"next\":%" PRIu64 ",\"text\":", next);
    json_append_string(&task->reply, text_slice(&part));
    text_append_string(&task->reply, "}\n");
    text_deinit(&part);
    return status;
}

static enum status act(struct job_desk *desk, const struct source_job *job, struct desk_task *task,
                       struct error *err)
{
    const struct console_request *request = &task->request;

    if (request->call == CONSOLE_CANCEL)
        TRY(source_cancel(desk->host, job, err));
    else
        TRY(source_scale(desk->host, job, request->workers, request->servers, err));
    text_append_string(&task->reply, "{\"done\":true}\n");
    return read_list(desk, err);
}

void job_desk_work(struct job_desk *desk, struct desk_task *task)
{
    const struct source_job job = {task->request.owner, task->request.id};
    struct error err;
    enum status status;

    error_clear(&err);
    task->code = 200;
    task->type = "application/json";
    if (task->request.call == CONSOLE_JOB)
        status = show_job(desk, &job, task, &err);
    else if (task->request.call == CONSOLE_LOG)
        status = show_log(desk, &job, task, &err);
    else
        status = act(desk, &job, task, &err);
    if (status != STATUS_OK)
        desk_task_fail(task, &err);
}
