#include "options.h"

#include <getopt.h>
#include <string.h>

/* Codes of options that have no letter; above all characters. */
#define CODE_OF(flag) (256 + (int)(flag))

static const struct row {
    unsigned flag;
    char letter;          /* 0: none */
    const char *name;     /* NULL: none */
    const char *argument; /* NULL: none */
    const char *help;
} rows[] = {
    {OPTION_SQL, 'c', NULL, "SQL", "run these statements; may be given again, as -f"},
    {OPTION_FILE, 'f', NULL, "FILE", "run the statements of the file; - is standard input"},
    {OPTION_FORMAT, 0, "format", "table|csv|json|markdown", "how results are written"},
    {OPTION_PROGRESS, 0, "progress", "auto|json|none", "how training is followed"},
    {OPTION_COLOUR, 0, "color", "auto|always|never", "errors in colour"},
    {OPTION_HELP, 'h', "help", NULL, "this text"},
    {OPTION_VERSION, 0, "version", NULL, "the version"},
    {OPTION_FOLLOW, 'f', "follow", NULL, "go on until the job has ended"},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

static int code_of(const struct row *row)
{
    return row->letter ? row->letter : CODE_OF(row->flag);
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

static enum status apply(struct options *options, const struct row *row, const char *value,
                         struct error *err)
{
    bool is_known = true;

    switch (row->flag) {
    case OPTION_SQL:
    case OPTION_FILE:
        return add_input(options, row->flag == OPTION_FILE, value, err);
    case OPTION_FORMAT:
        is_known = format_find(slice_of(value), &options->format);
        break;
    case OPTION_PROGRESS:
        is_known = progress_find(slice_of(value), &options->progress);
        break;
    case OPTION_COLOUR:
        is_known = colour_find(slice_of(value), &options->colour);
        break;
    case OPTION_FOLLOW:
        options->follows = true;
        break;
    case OPTION_HELP:
        options->wants_help = true;
        break;
    default:
        options->wants_version = true;
    }
    return is_known ? STATUS_OK : refuse_value(row, value, err);
}

/* What getopt_long wants: the letters that are taken, and the names. */
static void describe(unsigned takes, char letters[2 * ROW_COUNT + 3],
                     struct option names[ROW_COUNT + 1])
{
    *letters++ = '-'; /* words come in their place, as code 1 */
    *letters++ = ':'; /* a missing value is told apart, and nothing is printed */
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

static enum status take(struct options *options, unsigned takes, int code, char **argv,
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
        TRY(take(options, takes, code, argv, err));
    for (; optind < argc; optind++)
        TRY(add_word(options, argv[optind], err));
    return STATUS_OK;
}

void options_print(unsigned takes, FILE *out)
{
    for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
        char call[64];
        const char *argument = row->argument ? row->argument : "";
        if (!(row->flag & takes))
            continue;
        if (row->letter && row->name)
            snprintf(call, sizeof call, "-%c, --%s", row->letter, row->name);
        else if (row->letter)
            snprintf(call, sizeof call, "-%c %s", row->letter, argument);
        else
            snprintf(call, sizeof call, "--%s%s%s", row->name, *argument ? "=" : "", argument);
        fprintf(out, "  %-34s %s\n", call, row->help);
    }
}
