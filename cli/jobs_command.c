#include "jobs_command.h"

#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "format.h"

static int report(const struct error *err)
{
    struct text rendered;

    text_init(&rendered, 8192);
    error_render(err, SLICE(""), &rendered);
    fputs(text_string(&rendered), stderr);
    text_deinit(&rendered);
    return status_exit_code(err->status);
}

static enum status usage(const char *line, struct error *err)
{
    return fail(err, STATUS_INVALID, "usage: totrain %s", line);
}

/* Statements about jobs touch no database: a host without one serves. */
static enum status run(const char *sql, enum format format, struct error *err)
{
    struct host host = {0};
    struct formatter formatter;
    struct sink sink = {.self = &formatter, .columns = formatter_columns, .row = formatter_row};
    enum status status;

    formatter_init(&formatter, format, stdout);
    status = engine_run(&host, slice_of(sql), NULL, &sink, err);
    if (status == STATUS_OK)
        status = formatter_end(&formatter, err);
    formatter_deinit(&formatter);
    return status;
}

static enum status read_format(int argc, char **argv, enum format *format, struct error *err)
{
    const char *name = NULL;

    *format = FORMAT_TABLE;
    if (argc == 1)
        return STATUS_OK;
    if (argc == 3 && strcmp(argv[1], "--format") == 0)
        name = argv[2];
    else if (argc == 2 && strncmp(argv[1], "--format=", 9) == 0)
        name = argv[1] + 9;
    if (!name || !format_find(slice_of(name), format))
        return usage("jobs [--format table|csv|json|markdown]", err);
    return STATUS_OK;
}

int command_jobs(int argc, char **argv)
{
    enum format format;
    struct error err;

    if (read_format(argc, argv, &format, &err) != STATUS_OK ||
        run("SHOW JOBS;", format, &err) != STATUS_OK)
        return report(&err);
    return 0;
}

static enum status read_id(int argc, char **argv, int64_t *id, struct error *err)
{
    if (argc != 2 || !slice_to_integer(slice_of(argv[1]), id) || *id < 1)
        return fail(err, STATUS_INVALID, "usage: totrain %s ID", argv[0]),
               error_hint(err, "`totrain jobs` lists the ids.");
    return STATUS_OK;
}

int command_cancel(int argc, char **argv)
{
    struct error err;
    int64_t id;

    if (read_id(argc, argv, &id, &err) != STATUS_OK ||
        job_cancel_by_id(NULL, id, &err) != STATUS_OK)
        return report(&err);
    printf("job %lld is cancelled\n", (long long)id);
    return 0;
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

int command_logs(int argc, char **argv)
{
    struct job_folder folder;
    char path[PATH_MAX];
    struct error err;
    int64_t id;

    if (read_id(argc, argv, &id, &err) != STATUS_OK ||
        job_folder_find(NULL, id, &folder, &err) != STATUS_OK ||
        job_folder_file(&folder, "log", path, &err) != STATUS_OK)
        return report(&err);
    fprintf(stderr, "%s\n", path);
    return print_file(path, &err) == STATUS_OK ? 0 : report(&err);
}
