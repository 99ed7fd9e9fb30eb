#include "cli/session/options.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>

#define CLUSTER(member) offsetof(struct options, cluster.member)

static const struct row {
    unsigned flag;
    char letter;          /* 0: none */
    const char *name;     /* NULL: none */
    const char *argument; /* NULL: none */
    const char *help;
    size_t place; /* in struct options, of a text or a bool; 0: see apply() */
} rows[] = {
    {OPTION_SQL, 'c', NULL, "SQL", "run these statements; may be repeated", 0},
    {OPTION_FILE, 'f', NULL, "FILE", "run the statements of the file; - is standard input", 0},
    {OPTION_FORMAT, 0, "format", FORMAT_NAMES, "the format of results", 0},
    {OPTION_PROGRESS, 0, "progress", "auto|json|none", "how progress is shown", 0},
    {OPTION_PROGRESS, 'q', "quiet", NULL, "only results and errors: no progress, no notices", 0},
    {OPTION_COLOUR, 0, "color", "auto|always|never", "errors in colour", 0},
    {OPTION_OUTPUT, 'o', NULL, "FILE", "write into this file; default: standard output",
     offsetof(struct options, output)},
    {OPTION_THEME, 0, "theme", "auto|light|dark", "colours; auto: those of the reader's system", 0},
    {OPTION_PS, 0, "ps", "N", "the number of parameter servers, if the job has some",
     offsetof(struct options, servers)},
    {OPTION_HELP, 'h', "help", NULL, "this text", 0},
    {OPTION_VERSION, 0, "version", NULL, "the version", 0},
    {OPTION_FOLLOW, 'f', "follow", NULL, "follow the log until the job has ended", 0},
    {OPTION_KUBECONFIG, 0, "kubeconfig", "FILE",
     "the kubeconfig; default: $KUBECONFIG, ~/.kube/config", CLUSTER(kubeconfig)},
    {OPTION_CONTEXT, 0, "context", "NAME", "the context; default: the kubeconfig's current one",
     CLUSTER(context)},
    {OPTION_NAMESPACE, 0, "namespace", "NAME", "the namespace; default: that of the context",
     CLUSTER(kube_namespace)},
    {OPTION_INSECURE, 0, "insecure", NULL, "accept a server without a verified certificate",
     CLUSTER(allows_insecure)},
    {OPTION_IMAGE, 0, "image", "NAME", "the image of totrain, as the cluster pulls it",
     CLUSTER(image)},
    {OPTION_PULL, 0, "pull-policy", "Always|IfNotPresent|Never",
     "when to pull the image; default: IfNotPresent", CLUSTER(pull_policy)},
    {OPTION_NAME, 0, "name", "NAME", "the name of the job; default: from its model", CLUSTER(name)},
    {OPTION_CPU, 0, "cpu", "CORES",
     "processors of each worker: 2, 500m; 1:2: a limit of 2; default: 1", CLUSTER(cpu)},
    {OPTION_MEMORY, 0, "memory", "BYTES", "memory of each worker: 512Mi, 4Gi; default: 1Gi",
     CLUSTER(memory)},
    {OPTION_RESOURCE, 0, "resource", "NAME", "a resource of which each worker gets one",
     CLUSTER(resource)},
    {OPTION_PRIORITY, 0, "priority-class", "NAME", "the priority class of all Pods",
     CLUSTER(priority_class)},
    {OPTION_PRIORITY, 0, "profile", "NAME@FILE",
     "the profile of the file that selects the nodes of the Pods", CLUSTER(profile)},
    {OPTION_ACCOUNT, 0, "service-account", "NAME",
     "the service account of the master; default: totrain", CLUSTER(service_account)},
    {OPTION_DATABASE_SECRET, 0, "database-secret", "NAME", "Secret with the login of the database",
     CLUSTER(database_secret)},
    {OPTION_KEEP, 0, "keep", "SECONDS", "how long a finished job is kept; default: 86400",
     CLUSTER(keep)},
    {OPTION_SCHEDULE, 0, "schedule", "CRON", "when to train, as a CronJob: '0 3 * * *'",
     CLUSTER(schedule)},
    {OPTION_SERVICE_SECRET, 0, "service-secret", "NAME",
     "Secret with the pg_service.conf of schedules", CLUSTER(service_secret)},
    {OPTION_RUN_OF, 0, "run-of", "NAME", "in the Pod of a schedule: its name", CLUSTER(run_of)},
    {OPTION_OWNER, 0, "owner", "POD/UID/JOB", "in the Pod of a schedule: itself", CLUSTER(owner)},
    {OPTION_PODS, 0, "pods", "N", "the number of Pods in the quota; default: 100", CLUSTER(pods)},
    {OPTION_PODS, 0, "database", "CIDR:PORT",
     "the database that Pods may reach, for rbac network; default: any, port 5432",
     CLUSTER(database)},
    {OPTION_PODS, 0, "metrics", "[IP:]PORT", "where share serves the /metrics of all jobs",
     CLUSTER(metrics)},
    {OPTION_DRY_RUN, 0, "dry-run", NULL, "print the objects, create nothing", CLUSTER(is_dry_run)},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

static int code_of(const struct row *row)
{
    return row->letter ? row->letter : 256 + (int)(row - rows); /* above all characters */
}

static enum status usage(struct error *err, const char *problem, const char *word)
{
    return fail(err, STATUS_INVALID, "%s%s", problem, word),
           error_hint(err, "totrain --help shows how it is called.");
}

static enum status refuse_unknown(unsigned takes, const char *word, struct error *err)
{
    char names[ROW_COUNT][32];
    const char *candidates[ROW_COUNT];
    size_t count = 0;
    int nearest;

    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!(rows[i].flag & takes) || !rows[i].name)
            continue;
        snprintf(names[count], sizeof names[count], "--%s", rows[i].name);
        candidates[count] = names[count];
        count++;
    }
    nearest = text_nearest((struct slice){word, strcspn(word, "=")}, candidates, count);
    usage(err, "unknown option ", word);
    return nearest < 0 ? err->status : error_hint(err, "Did you mean %s?", candidates[nearest]);
}

static enum status add_input(struct options *options, bool is_file, const char *value,
                             struct error *err)
{
    if (options->input_count == INPUTS_MAX)
        return usage(err, "too many -c and -f", "");
    options->inputs[options->input_count++] = (struct input){is_file, value};
    return STATUS_OK;
}

static enum status add_word(struct options *options, const char *word, struct error *err)
{
    if (options->word_count == WORDS_MAX)
        return usage(err, "too many words: ", word);
    options->words[options->word_count++] = word;
    return STATUS_OK;
}

static enum status refuse_value(const struct row *row, const char *value, struct error *err)
{
    return fail(err, STATUS_INVALID, "--%s is one of %s, not %s", row->name, row->argument, value),
           error_hint(err, "totrain --help shows how it is called.");
}

/* False: it is not one of the words that the option takes. */
static bool apply_kind(struct options *options, const struct row *row, const char *value)
{
    switch (row->flag) {
    case OPTION_FORMAT:
        return format_find(slice_of(value), &options->format);
    case OPTION_PROGRESS:
        if (!value) { /* --quiet */
            options->progress = PROGRESS_QUIET;
            return true;
        }
        return progress_find(slice_of(value), &options->progress);
    case OPTION_THEME:
        return theme_find(slice_of(value), &options->theme);
    case OPTION_COLOUR:
        return colour_find(slice_of(value), &options->colour);
    case OPTION_FOLLOW:
        options->follows = true;
        return true;
    case OPTION_HELP:
        options->wants_help = true;
        return true;
    default:
        options->wants_version = true;
        return true;
    }
}

static enum status apply(struct options *options, const struct row *row, const char *value,
                         struct error *err)
{
    if (row->flag == OPTION_SQL || row->flag == OPTION_FILE)
        return add_input(options, row->flag == OPTION_FILE, value, err);
    if (row->place && row->argument)
        *(const char **)((char *)options + row->place) = value;
    else if (row->place)
        *(bool *)((char *)options + row->place) = true;
    else if (!apply_kind(options, row, value))
        return refuse_value(row, value, err);
    return STATUS_OK;
}

/* Makes getopt_long's arguments: the letters and the names that are taken. */
static void describe(unsigned takes, char letters[2 * ROW_COUNT + 3],
                     struct option names[ROW_COUNT + 1])
{
    *letters++ = '-'; /* words come in their place, as code 1 */
    *letters++ = ':'; /* getopt then reports a missing value by itself, and prints nothing */
    for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
        if (!(row->flag & takes))
            continue;
        if (row->letter)
            *letters++ = row->letter;
        if (row->letter && row->argument)
            *letters++ = ':';
        if (row->name)
            *names++ = (struct option){row->name, row->argument ? required_argument : no_argument,
                                       NULL, code_of(row)};
    }
    *letters = '\0';
    *names = (struct option){.name = NULL};
}

static enum status take_option(struct options *options, unsigned takes, int code, char **argv,
                               struct error *err)
{
    const char *word = argv[optind - 1];

    if (code == 1)
        return add_word(options, optarg, err);
    if (code == ':')
        return usage(err, "a value is missing after ", word);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if ((rows[i].flag & takes) && code == code_of(&rows[i]))
            return apply(options, &rows[i], optarg, err);
    if (strncmp(word, "--", 2) != 0) { /* a letter, perhaps among others */
        char letter[3] = {'-', (char)optopt, '\0'};
        return refuse_unknown(takes, letter, err);
    }
    return refuse_unknown(takes, word, err);
}

enum status options_read(int argc, char **argv, unsigned takes, struct options *options,
                         struct error *err)
{
    char letters[2 * ROW_COUNT + 3];
    struct option names[ROW_COUNT + 1];
    int code;

    memset(options, 0, sizeof *options);
    describe(takes, letters, names);
    optind = 1;
    while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1)
        TRY(take_option(options, takes, code, argv, err));
    for (; optind < argc; optind++)
        TRY(add_word(options, argv[optind], err));
    return STATUS_OK;
}

void options_print(unsigned takes, FILE *out)
{
    for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
        char call[64];
        const char *argument = row->argument ? row->argument : "";
        /* Commands that run no statements measure a model on the rows of one. */
        const bool is_rows = row->flag == OPTION_SQL && !(takes & OPTION_FILE);
        if (!(row->flag & takes))
            continue;
        if (row->letter && row->name)
            snprintf(call, sizeof call, "-%c, --%s", row->letter, row->name);
        else if (row->letter)
            snprintf(call, sizeof call, "-%c %s", row->letter, argument);
        else
            snprintf(call, sizeof call, "--%s%s%s", row->name, *argument ? "=" : "", argument);
        fprintf(out, "  %-34s %s\n", call,
                is_rows ? "measure on the rows of this SELECT" : row->help);
    }
}
