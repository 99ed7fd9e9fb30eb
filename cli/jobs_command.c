#include "jobs_command.h"

#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "options.h"

/* What one of these commands is called with, and what it does. */
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
    TRY(job_cancel_by_id(NULL, id, err));
    printf("job %lld is cancelled\n", (long long)id);
    return STATUS_OK;
}

static enum status print_file(const char *path, struct error *err)
{
    char bytes[65536];
    size_t size;
    FILE *file = fopen(path, "r");

    if (!file)
        return fail_errno(err, STATUS_NOT_FOUND, "%s", path);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        fwrite(bytes, 1, size, stdout);
    fclose(file);
    return STATUS_OK;
}

static enum status print_log(const struct options *options, int64_t id, struct error *err)
{
    struct job_folder folder;
    char path[PATH_MAX];

    (void)options;
    TRY(job_folder_find(NULL, id, &folder, err));
    TRY(job_folder_file(&folder, "log", path, err));
    fprintf(stderr, "%s\n", path);
    return print_file(path, err);
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

static int run(int argc, char **argv, const struct call *call)
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
    return run(argc, argv, &(struct call){OPTION_FORMAT, false, "jobs", show_jobs});
}

int command_cancel(int argc, char **argv)
{
    return run(argc, argv, &(struct call){0, true, "cancel ID", cancel});
}

int command_logs(int argc, char **argv)
{
    return run(argc, argv, &(struct call){0, true, "logs ID", print_log});
}
