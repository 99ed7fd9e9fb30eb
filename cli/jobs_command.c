#include "cli/jobs_command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/log_print.h"
#include "cli/publish_command.h"
#include "cli/session/options.h"
#include "extension/engine/engine.h"
#include "extension/engine/jobs/job_wait.h"
#include "extension/engine/jobs/jobs.h"

/* The arguments of one of these commands, and its function. */
struct call {
    unsigned takes;
    bool has_id;
    const char *usage;
    enum status (*run)(const struct options *options, int64_t id, struct error *err);
};

/* Statements about jobs touch no database: a host without one serves. */
static enum status show_jobs(const struct options *options, int64_t id, struct error *err)
{
    struct host host = {0};
    struct formatter formatter;
    struct sink sink = {.self = &formatter, .columns = formatter_columns, .row = formatter_row};
    enum status status;

    (void)id;
    formatter_init(&formatter, options->format, stdout);
    status = engine_run(&host, SLICE("SHOW JOBS;"), NULL, &sink, err);
    if (status == STATUS_OK)
        status = formatter_end(&formatter, err);
    formatter_deinit(&formatter);
    return status;
}

static enum status cancel(const struct options *options, int64_t id, struct error *err)
{
    (void)options;
    TRY(job_end(&(struct host){.session = {.program = "/proc/self/exe"}}, id, err));
    printf("job %lld is cancelled\n", (long long)id);
    return STATUS_OK;
}

/* For waiting: where the program is, and what Ctrl-C does. */
static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts++;
}

static bool is_interrupted(void *self)
{
    (void)self;
    return interrupts > 0;
}

static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

struct display {
    struct formatter formatter;
    struct progress progress;
};

static enum status put_columns(void *self, const struct slice *names, size_t count,
                               struct error *err)
{
    struct display *display = self;

    progress_erase(&display->progress);
    return formatter_columns(&display->formatter, names, count, err);
}

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    return formatter_row(&((struct display *)self)->formatter, cells, count, err);
}

static void put_notice(void *self, const char *line)
{
    progress_notice(&((struct display *)self)->progress, line);
}

static void put_progress(void *self, const struct job_event *event)
{
    progress_event(&((struct display *)self)->progress, event);
}

static enum status wait_for(const struct options *options, int64_t id, struct error *err)
{
    struct host host = {.session = {.program = "/proc/self/exe", .interrupted = is_interrupted}};
    struct display display;
    struct sink sink = {.self = &display,
                        .columns = put_columns,
                        .row = put_row,
                        .notice = put_notice,
                        .progress = put_progress};
    enum status status;

    catch_interrupt();
    formatter_init(&display.formatter, options->format, stdout);
    progress_init(&display.progress, options->progress);
    status = job_wait(&host, id, &sink, err);
    progress_erase(&display.progress);
    if (status == STATUS_OK)
        status = formatter_end(&display.formatter, err);
    formatter_deinit(&display.formatter);
    return status;
}

/* The publisher of a detached job is started by a supervisor. */
static enum status publish(const struct options *options, int64_t id, struct error *err)
{
    const struct host bare_host = {.self = NULL};
    struct job_status status;

    TRY(job_status_read(&bare_host, id, &status, err));
    if (status.life->publishes == ACTOR_SUPERVISOR &&
        (status.state == JOB_STATE_UNPUBLISHED || status.state == JOB_STATE_LOST))
        return wait_for(options, id, err);
    return publish_kept(options, id, err);
}

static enum status logs(const struct options *options, int64_t id, struct error *err)
{
    return log_print(id, options->follows, err);
}

static enum status read_id(const struct options *options, const struct call *call, int64_t *id,
                           struct error *err)
{
    *id = 0;
    if (options->word_count != call->has_id)
        return fail(err, STATUS_INVALID, "usage: totrain %s", call->usage);
    if (call->has_id && (!slice_to_integer(slice_of(options->words[0]), id) || *id < 1))
        return fail(err, STATUS_INVALID, "an id is a number from 1 on, not %s", options->words[0]),
               error_hint(err, "`totrain jobs` lists the ids.");
    return STATUS_OK;
}

static int run_call(int argc, char **argv, const struct call *call)
{
    struct options options;
    struct error err;
    int64_t id;

    if (options_read(argc, argv, call->takes | OPTION_COLOUR | OPTION_HELP, &options, &err) !=
        STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        printf("usage: totrain %s [OPTION]...\n", call->usage);
        options_print(call->takes | OPTION_COLOUR | OPTION_HELP, stdout);
        return 0;
    }
    if (read_id(&options, call, &id, &err) != STATUS_OK || call->run(&options, id, &err))
        return report(&err, options.colour);
    return 0;
}

int command_jobs(int argc, char **argv)
{
    return run_call(argc, argv, &(struct call){OPTION_FORMAT, false, "jobs", show_jobs});
}

int command_cancel(int argc, char **argv)
{
    return run_call(argc, argv, &(struct call){0, true, "cancel ID", cancel});
}

int command_logs(int argc, char **argv)
{
    return run_call(argc, argv, &(struct call){OPTION_FOLLOW, true, "logs ID", logs});
}

int command_publish_job(int argc, char **argv)
{
    return run_call(argc, argv,
                    &(struct call){OPTION_FORMAT | OPTION_PROGRESS, true, "publish ID", publish});
}

int command_wait(int argc, char **argv)
{
    return run_call(argc, argv,
                    &(struct call){OPTION_FORMAT | OPTION_PROGRESS, true, "wait ID", wait_for});
}
