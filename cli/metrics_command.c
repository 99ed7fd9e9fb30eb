#include "cli/metrics_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/options.h"
#include "extension/engine/jobs/jobs.h"
#include "planner/training/metrics_address.h"
#include "runtime/launch/job_folder.h"
#include "runtime/loop/loop.h"
#include "runtime/loop/loop_http.h"
#include "runtime/record/exposition.h"

#define JOBS_MAX      1000 /* the latest */
#define TICK_MS       1000
#define USAGE         "metrics [[IP:]PORT]"
#define NAME_CAPACITY 64

/* ----- the page ----- */

static double step(const struct job_row *row)
{
    return (double)row->step;
}

static double steps(const struct job_row *row)
{
    return row->steps > 0 ? (double)row->steps : (double)NAN;
}

static double epoch(const struct job_row *row)
{
    return row->epoch;
}

static double rows_applied(const struct job_row *row)
{
    return (double)row->rows_done;
}

static double rows_redone(const struct job_row *row)
{
    return (double)row->rows_redone;
}

static double rows_per_second(const struct job_row *row)
{
    return row->rows_per_second;
}

static double train_loss(const struct job_row *row)
{
    return row->loss;
}

static double validation_loss(const struct job_row *row)
{
    return row->validation_loss;
}

static double workers(const struct job_row *row)
{
    return row->workers;
}

static double slot_seconds(const struct job_row *row)
{
    return row->slot_seconds;
}

static double goodput(const struct job_row *row)
{
    return row->goodput;
}

static double waiting_seconds(const struct job_row *row)
{
    return row->seconds_waiting;
}

static double seconds(const struct job_row *row)
{
    return row->seconds;
}

/* The metrics of runtime/record/exposition.c that the job record has. */
static const struct family {
    const char *name, *type, *help;
    double (*value)(const struct job_row *row); /* NaN: it is not known */
} families[] = {
    {"step", "gauge", "Steps applied to the model.", step},
    {"steps", "gauge", "Steps in all.", steps},
    {"epoch", "gauge", "The epoch of the last step.", epoch},
    {"rows_applied", "gauge", "Rows applied to the model, of all epochs.", rows_applied},
    {"rows_redone_total", "counter", "Rows that were computed and did not count.", rows_redone},
    {"rows_per_second", "gauge", "Rows applied a second, recently.", rows_per_second},
    {"train_loss", "gauge", "Mean loss of the training rows.", train_loss},
    {"validation_loss", "gauge", "Mean loss of the rows held out.", validation_loss},
    {"workers_in_group", "gauge", "Workers that compute the steps.", workers},
    {"slot_seconds_total", "counter", "Seconds that workers were here, summed over them.",
     slot_seconds},
    {"goodput_ratio", "gauge", "Share of the slot time that the rows that count needed.", goodput},
    {"waiting_seconds_total", "counter", "Seconds with fewer workers than job.min_workers.",
     waiting_seconds},
    {"job_seconds", "gauge", "Seconds since the job began.", seconds},
};

struct sampled {
    enum job_state state;
    struct job_row row;
};

static void put_head(struct text *out, const char *name, const char *type, const char *help)
{
    text_printf(out, "# HELP totrain_%s %s\n# TYPE totrain_%s %s\n", name, help, name, type);
}

static void put_states(const struct sampled *jobs, size_t count, struct text *out)
{
    if (count > 0)
        put_head(out, "job_state", "gauge", "The state that the job is in.");
    for (size_t i = 0; i < count; i++) {
        text_printf(out, "totrain_job_state{job=\"%" PRId64 "\",model=\"", jobs[i].row.id);
        exposition_append_label(out, slice_of(jobs[i].row.model));
        text_printf(out, "\",state=\"%s\"} 1\n", job_state_name(jobs[i].state));
    }
}

/* All samples of a family stand together. */
static void put_family(const struct family *family, const struct sampled *jobs, size_t count,
                       struct text *out)
{
    bool has_head = false;

    for (size_t i = 0; i < count; i++) {
        const double value = family->value(&jobs[i].row);

        if (!isfinite(value))
            continue;
        if (!has_head)
            put_head(out, family->name, family->type, family->help);
        has_head = true;
        text_printf(out, "totrain_%s{job=\"%" PRId64 "\"} %.17g\n", family->name, jobs[i].row.id,
                    value);
    }
}

/* A job whose folder is being removed, or whose record is being created, has no samples. */
static size_t read_jobs(const int64_t *ids, size_t count, struct sampled *jobs)
{
    const struct host bare_host = {.self = NULL};
    struct job_status status;
    struct error ignored;
    size_t found = 0;

    for (size_t i = count > JOBS_MAX ? count - JOBS_MAX : 0; i < count; i++) {
        error_clear(&ignored);
        if (job_status_read(&bare_host, ids[i], &status, &ignored) != STATUS_OK)
            continue;
        status.row.id = ids[i];
        jobs[found++] = (struct sampled){status.state, status.row};
    }
    return found;
}

static enum status write_page(struct text *out, struct error *err)
{
    struct sampled *jobs;
    int64_t *ids = NULL;
    size_t count = 0;

    TRY(job_folder_list(NULL, &ids, &count, err));
    jobs = calloc(JOBS_MAX, sizeof *jobs);
    if (!jobs) {
        free(ids);
        return fail_no_memory(err);
    }
    count = read_jobs(ids, count, jobs);
    put_states(jobs, count, out);
    for (const struct family *f = families; f < families + sizeof families / sizeof *families; f++)
        put_family(f, jobs, count, out);
    free(jobs);
    free(ids);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

/* ----- where it goes ----- */

static enum status print_page(struct error *err)
{
    enum status status;
    struct text page;

    text_init(&page, EXPOSITION_BYTES_MAX);
    status = write_page(&page, err);
    if (status == STATUS_OK)
        fwrite(text_string(&page), 1, page.size, stdout);
    text_deinit(&page);
    return status;
}

static bool get_page(void *context, const char *path, struct text *page, const char **type)
{
    struct error err;
    (void)context;

    error_clear(&err);
    if (strcmp(path, "/metrics") != 0)
        return false;
    *type = EXPOSITION_TYPE;
    if (write_page(page, &err) == STATUS_OK)
        return true;
    fprintf(stderr, "ERROR:  %s\n", err.message);
    return false;
}

static enum status serve(struct slice host, uint32_t port, struct error *err)
{
    const struct http_reader reader = {NULL, get_page};
    char name[NAME_CAPACITY], bound[NAME_CAPACITY];
    struct loop *loop;
    enum status status;

    snprintf(name, sizeof name, "%.*s", SLICE_FORMAT(host));
    TRY(loop_new(TICK_MS, &loop, err));
    status = loop_serve_http(loop, name, (uint16_t)port, reader, bound, sizeof bound, err);
    if (status == STATUS_OK) {
        printf("serves http://%s/metrics\n", bound);
        fflush(stdout);
        status = loop_run(loop, err);
    }
    loop_free(loop);
    return status;
}

static enum status run_metrics_command(const struct options *options, struct error *err)
{
    struct slice host;
    uint32_t port;

    if (options->word_count == 0)
        return print_page(err);
    if (options->word_count > 1)
        return fail(err, STATUS_INVALID, "usage: totrain " USAGE);
    if (!metrics_address_read(slice_of(options->words[0]), &host, &port)) {
        fail(err, STATUS_INVALID, "an address is PORT or IP:PORT, not %s", options->words[0]);
        return error_hint(
            err, "Write, for example, 9464, 0.0.0.0:9464 or [::1]:9464; port 0 is any free one.");
    }
    return serve(host, port, err);
}

int command_metrics(int argc, char **argv)
{
    const unsigned takes = OPTION_COLOUR | OPTION_HELP;
    struct options options;
    struct error err;

    error_clear(&err);
    if (options_read(argc, argv, takes, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        printf("usage: totrain " USAGE " [OPTION]...\n");
        options_print(takes, stdout);
        return 0;
    }
    return run_metrics_command(&options, &err) == STATUS_OK ? 0 : report(&err, options.colour);
}
