/*
 * totrain DB [-c SQL]... [-f FILE]...   run statements against a database
 * totrain COMMAND ...                   everything else, one word each
 */
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/card_command.h"
#include "cli/cluster/k8s_command.h"
#include "cli/cluster/role_commands.h"
#include "cli/console_command.h"
#include "cli/jobs_command.h"
#include "cli/journal_command.h"
#include "cli/metrics_command.h"
#include "cli/parse_command.h"
#include "cli/picture_command.h"
#include "cli/publish_command.h"
#include "cli/scale_command.h"
#include "cli/shell/complete_command.h"
#include "cli/shell/script.h"
#include "cli/shell/shell.h"
#include "cli/submit_command.h"

#define PROGRAM_TAKES                                                                              \
    (OPTION_SQL | OPTION_FILE | OPTION_FORMAT | OPTION_PROGRESS | OPTION_COLOUR | OPTION_HELP |    \
     OPTION_VERSION)
/* Besides, for job.where = 'kubernetes': submit --help shows these. */
#define PROGRAM_TAKES_TOO (OPTIONS_CLUSTER | OPTIONS_KUBE_JOB)

/* The code of a program that SIGPIPE ends: nobody reads what it had to write further (`| head`). */
#define EXIT_READER_GONE (128 + SIGPIPE)

static const char help_start[] =
    "usage: totrain DB [-c SQL]... [-f FILE]... [OPTION]...\n"
    "       totrain COMMAND [ARGUMENT]...\n"
    "\n"
    "Runs SQL and the statements of ToTrain against the SQLite database DB, or one of\n"
    "PostgreSQL (postgres://host/name, dbname=name), in the order given; without -c and\n"
    "-f, statements from standard input. A file that does not exist is created. Stops\n"
    "at the first error.\n"
    "\n"
    "  totrain shop.db -c \"SELECT * FROM customers TO TRAIN DNNClassifier\n"
    "      WITH model.hidden_units = [32, 16] LABEL churned INTO churn_model;\"\n"
    "  totrain shop.db -c \"SELECT * FROM customers TO PREDICT scored.churned USING "
    "churn_model;\"\n"
    "  totrain shop.db --format json -c \"SELECT * FROM customers TO EVALUATE churn_model;\"\n"
    "  totrain shop.db -f train.sql\n"
    "  totrain shop.db                      a shell, when standard input is a terminal\n"
    "  totrain postgres://db.example/shop   the same on PostgreSQL\n"
    "\n"
    "options:\n";

static const char help_end[] =
    "A database with the name of a command is written ./jobs. Jobs on Kubernetes\n"
    "(job.where = 'kubernetes') accept the options of totrain submit --help.\n"
    "\n"
    "exit codes: 0 done, 1 job failed, 2 usage or SQL error, 3 connection,\n"
    "  4 permission, 5 refused by limits, 130 interrupted,\n"
    "  141 the reader of the output has ended (| head)\n"
    "man totrain has the rest: dot commands, environment variables, files\n";

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *call, *help; /* NULL: not shown */
} commands[] = {
    {"help", command_help, NULL, NULL},
    {"version", command_version, NULL, NULL},
    {"jobs", command_jobs, "jobs", "the training jobs of this user; accepts --format"},
    {"cancel", command_cancel, "cancel ID", "end a running job"},
    {"scale", command_scale, "scale ID [N] [--ps N]", "give a running job N workers, or servers"},
    {"wait", command_wait, "wait ID", "follow a job to its end; continue one that was lost"},
    {"publish", command_publish, "publish ID", "write the model of an unpublished job"},
    {"logs", command_logs, "logs ID [-f]", "the log of a job; -f: until it has ended"},
    {"metrics", command_metrics, "metrics [[IP:]PORT]",
     "all jobs, for Prometheus: printed, or served there"},
    {"submit", command_submit, "submit DB STATEMENT", "train on a Kubernetes cluster"},
    {"k8s", command_k8s, "k8s rbac|check|share", "rights of jobs on a cluster, and its shares"},
    {"picture", command_picture, "picture DB MODEL KIND",
     "a curve, confusion, importance, residuals, ... as SVG"},
    {"report", command_report, "report DB MODEL", "a report of a model, as one page of HTML"},
    {"console", command_console, "console DB [PORT]", "jobs and models in a browser"},
    {"parse", command_parse, "parse [-f FILE]",
     "statements as JSON with byte positions, without a database"},
    {"complete", command_complete, "complete",
     "completions at a position of a text, for editors; JSON in and out"},
    {"supervise", command_supervise, "supervise FOLDER", "the processes of a job,"},
    {"journal", command_journal, NULL, NULL}, /* by the supervisor of a job on a cluster */
    {"master", command_master, "master FOLDER", "  which totrain starts by itself;"},
    {"worker", command_worker, "worker FOLDER", "  --help after one of them"},
    {"ps", command_ps, "ps FOLDER", "  shows its options"},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(FILE *out)
{
    fputs(help_start, out);
    options_print(PROGRAM_TAKES, out);
    fputs("\ncommands:\n", out);
    for (const struct command *command = commands; command < commands + COMMAND_COUNT; command++)
        if (command->call)
            fprintf(out, "  %-34s %s\n", command->call, command->help);
    fputs(help_end, out);
}

static int command_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    print_help(stdout);
    return 0;
}

static int command_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("totrain " TOTRAIN_VERSION);
    return 0;
}

static enum status run_input(struct session *session, const struct input *input)
{
    return input->is_file ? script_run_file(session, input->value)
                          : script_run(session, NULL, slice_of(input->value));
}

static enum status run_inputs(struct session *session, const struct options *options)
{
    enum status status = STATUS_OK;

    if (options->input_count == 0)
        return isatty(STDIN_FILENO) ? shell_run(session) : script_run_file(session, "-");
    for (size_t i = 0; i < options->input_count && status == STATUS_OK && !session->is_ended; i++)
        status = run_input(session, &options->inputs[i]);
    return status;
}

static bool begins_a_statement(const char *word)
{
    static const char *const starts[] = {"select",  "with",   "train",  "predict", "evaluate",
                                         "explain", "show",   "export", "import",  "drop",
                                         "create",  "insert", "update", "delete",  "alter",
                                         "pragma",  "report"};
    const struct slice first = {word, strcspn(word, " \t\n;")};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (slice_is_fold(first, starts[i]))
            return true;
    return false;
}

/* No file is made of a word alone, which may be meant as a command, a statement or an old
 * database's name: a new database's name has a point, a slash, or is an address. */
static enum status check_name(const char *word, struct error *err)
{
    const char *names[COMMAND_COUNT];
    int nearest;

    if (access(word, F_OK) == 0 || (strpbrk(word, "./:=") && !begins_a_statement(word)))
        return STATUS_OK;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    nearest = text_nearest(slice_of(word), names, COMMAND_COUNT);
    fail(err, STATUS_INVALID, "there is neither a command nor a database \"%s\"", word);
    if (begins_a_statement(word))
        return error_hint(err,
                          "Write a statement after -c: totrain DATABASE -c \"...\". A new "
                          "database of that name is written ./%s.",
                          word);
    if (nearest >= 0)
        return error_hint(err,
                          "Did you mean totrain %s? A new database of that name is written ./%s.",
                          names[nearest], word);
    return error_hint(err, "A new database of that name is written ./%s, or with an ending: %s.db.",
                      word, word);
}

static enum status check_words(const struct options *options, struct error *err)
{
    /* "" is to SQLite a file that goes with the session: an unset variable would lose it all. */
    if (options->word_count == 1 && options->words[0][0] != '\0')
        return check_name(options->words[0], err);
    if (options->word_count <= 1)
        fail(err, STATUS_INVALID, "no database is named");
    else
        fail(err, STATUS_INVALID, "more than one database: %s", options->words[1]);
    if (options->word_count > 1 &&
        (begins_a_statement(options->words[0]) || begins_a_statement(options->words[1])))
        return error_hint(err, "Write a statement after -c: totrain DATABASE -c \"...\".");
    return error_hint(err, "totrain --help shows how it is called.");
}

static int run_database(const struct options *options)
{
    struct session session;
    struct error err;
    enum status status;
    bool is_heard;

    setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters in tables */
    if (check_words(options, &err) != STATUS_OK)
        return report(&err, options->colour);
    status = session_open(&session, options->words[0], options, &err);
    if (status == STATUS_OK)
        status = run_inputs(&session, options);
    else
        report(&err, options->colour);
    is_heard = !session.formatter.reader_is_gone;
    session_close(&session);
    return is_heard ? status_exit_code(status) : EXIT_READER_GONE;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error err;

    if (argc < 2) {
        print_help(stderr);
        return status_exit_code(STATUS_INVALID);
    }
    for (const struct command *command = commands; command < commands + COMMAND_COUNT; command++)
        if (strcmp(argv[1], command->name) == 0)
            return command->run(argc - 1, argv + 1);
    if (options_read(argc, argv, PROGRAM_TAKES | PROGRAM_TAKES_TOO, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (!options.wants_help && !options.wants_version)
        return run_database(&options);
    return options.wants_help ? command_help(argc, argv) : command_version(argc, argv);
}
