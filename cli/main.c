/*
 * totrain DB [-c SQL]... [-f FILE]...   run statements against a database
 * totrain COMMAND ...                   everything else, one word each
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs_command.h"
#include "parse_command.h"
#include "role_commands.h"
#include "script.h"
#include "shell.h"

#define SCRIPT_BYTES_MAX ((size_t)64 << 20)
#define INPUTS_MAX       1000 /* -c and -f together */

static const char help[] =
    "usage: totrain DB [-c SQL]... [-f FILE]... [--format table|csv|json|markdown]\n"
    "               [--progress=auto|json|none]\n"
    "       totrain COMMAND [ARGUMENT]...\n"
    "\n"
    "Runs SQL and the statements of ToTrain against the SQLite database DB, in the\n"
    "order given; without -c and -f, statements from standard input. A file that does\n"
    "not exist is created. Stops at the first error.\n"
    "\n"
    "  totrain shop.db -c \"SELECT * FROM customers TO TRAIN DNNClassifier\n"
    "      WITH model.hidden_units = [32, 16] LABEL churned INTO churn_model;\"\n"
    "  totrain shop.db -c \"SELECT * FROM customers TO PREDICT scored.churned USING "
    "churn_model;\"\n"
    "  totrain shop.db --format json -c \"SELECT * FROM customers TO EVALUATE churn_model;\"\n"
    "  totrain shop.db -f train.sql\n"
    "  totrain shop.db                      a shell, when standard input is a terminal\n"
    "\n"
    "commands:\n"
    "  jobs [--format F]  the training jobs of this user\n"
    "  cancel ID          end a running job\n"
    "  logs ID            the log of a job\n"
    "  parse [-f FILE]    statements as JSON with byte positions, without a database\n"
    "A database that has the name of a command is written ./jobs.\n"
    "\n"
    "exit codes: 0 done, 1 job failed, 2 usage or SQL error, 3 connection,\n"
    "  4 permission, 5 refused by limits, 130 interrupted\n";

static int later(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr, "ERROR:  totrain %s is not supported yet\n", argv[0]);
    return 2;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"supervise", command_supervise},
    {"master", command_master},
    {"worker", command_worker},
    {"parse", command_parse},
    {"jobs", command_jobs},
    {"cancel", command_cancel},
    {"logs", command_logs},
    {"ps", later},
    {"wait", later},
    {"scale", later},
    {"submit", later},
    {"k8s", later},
};

struct input {
    bool is_file;
    const char *value;
};

struct options {
    const char *database;
    struct input inputs[INPUTS_MAX];
    size_t input_count;
    enum format format;
    enum progress_mode progress;
};

static enum status usage(struct error *err, const char *problem, const char *word)
{
    return fail(err, STATUS_INVALID, "%s%s", problem, word),
           error_hint(err, "totrain --help shows how it is called.");
}

static enum status add_input(struct options *options, bool is_file, const char *value,
                             struct error *err)
{
    if (options->input_count == INPUTS_MAX)
        return usage(err, "too many -c and -f", "");
    options->inputs[options->input_count++] = (struct input){is_file, value};
    return STATUS_OK;
}

static enum status set_option(struct options *options, const char *name, const char *value,
                              struct error *err)
{
    if (strcmp(name, "-c") == 0)
        return add_input(options, false, value, err);
    if (strcmp(name, "-f") == 0)
        return add_input(options, true, value, err);
    if (strcmp(name, "--format") == 0) {
        if (!format_find(slice_of(value), &options->format))
            return usage(err, "--format is table, csv, json or markdown, not ", value);
        return STATUS_OK;
    }
    if (strcmp(name, "--progress") == 0) {
        if (!progress_find(slice_of(value), &options->progress))
            return usage(err, "--progress is auto, json or none, not ", value);
        return STATUS_OK;
    }
    return usage(err, "unknown option ", name);
}

/* -c SQL, --format json, --format=json; what is no option is the database. */
static enum status read_options(int argc, char **argv, struct options *options, struct error *err)
{
    *options = (struct options){.format = FORMAT_TABLE, .progress = PROGRESS_AUTO};
    for (int i = 1; i < argc; i++) {
        char name[32];
        const char *equals = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        if (argv[i][0] != '-' || strcmp(argv[i], "-") == 0) {
            if (options->database)
                return usage(err, "more than one database: ", argv[i]);
            options->database = argv[i];
            continue;
        }
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - argv[i]) : (int)strlen(argv[i]),
                 argv[i]);
        if (!equals && i + 1 == argc)
            return usage(err, "a value is missing after ", argv[i]);
        TRY(set_option(options, name, equals ? equals + 1 : argv[++i], err));
    }
    return options->database ? STATUS_OK : usage(err, "no database is named", "");
}

static enum status read_all(FILE *file, const char *name, struct text *text, struct error *err)
{
    char bytes[65536];
    size_t size;

    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_append(text, (struct slice){bytes, size});
    if (ferror(file))
        return fail_errno(err, STATUS_IO, "%s", name);
    if (text->failed)
        return fail(err, STATUS_LIMIT, "%s holds more than %zu bytes", name, SCRIPT_BYTES_MAX);
    return STATUS_OK;
}

static enum status read_file(const char *path, struct text *text, struct error *err)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    enum status status;

    if (!file)
        return fail_errno(err, STATUS_INVALID, "%s", path);
    status = read_all(file, path, text, err);
    if (file != stdin)
        fclose(file);
    return status;
}

static int report(const struct error *err)
{
    struct text rendered;

    text_init(&rendered, 8192);
    error_render(err, SLICE(""), &rendered);
    fputs(text_string(&rendered), stderr);
    text_deinit(&rendered);
    return status_exit_code(err->status);
}

static int run_file(struct session *session, const char *path)
{
    struct text text;
    struct error err;
    enum status status;

    text_init(&text, SCRIPT_BYTES_MAX);
    if (read_file(path, &text, &err) != STATUS_OK) {
        text_deinit(&text);
        return report(&err);
    }
    status = session_run(session, text_slice(&text));
    text_deinit(&text);
    return status_exit_code(status);
}

static int run_inputs(struct session *session, const struct options *options)
{
    if (options->input_count == 0) {
        if (isatty(STDIN_FILENO))
            return status_exit_code(shell_run(session));
        return run_file(session, "-");
    }
    for (size_t i = 0; i < options->input_count; i++) {
        const struct input *input = &options->inputs[i];
        int code = input->is_file ? run_file(session, input->value)
                                  : status_exit_code(session_run(session, slice_of(input->value)));
        if (code != 0)
            return code;
    }
    return 0;
}

static int run_database(int argc, char **argv)
{
    struct options *options = malloc(sizeof *options);
    struct session session;
    struct error err;
    int code;

    if (!options)
        return status_exit_code(STATUS_NO_MEMORY);
    setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters in tables */
    if (read_options(argc, argv, options, &err) != STATUS_OK) {
        free(options);
        return report(&err);
    }
    if (session_open(&session, options->database, options->format, options->progress, &err) ==
        STATUS_OK)
        code = run_inputs(&session, options);
    else
        code = report(&err);
    session_close(&session);
    free(options);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs(help, stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("totrain " TOTRAIN_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return run_database(argc, argv);
}
