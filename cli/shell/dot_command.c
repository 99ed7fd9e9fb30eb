#include "cli/shell/dot_command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/shell/import.h"
#include "cli/shell/names.h"
#include "cli/shell/script.h"
#include "parser/splitter.h"

#define COMMAND_MAP(X)                                                                             \
    X(help, "", "These commands.")                                                                 \
    X(quit, "", "End the session; so do .exit and Ctrl-D.")                                        \
    X(exit, "", "The same as .quit.")                                                              \
    X(tables, "[PATTERN]", "Tables, views and models of the database; as in LIKE.")                \
    X(models, "", "Models; as SHOW MODELS.")                                                       \
    X(jobs, "", "Training jobs; as SHOW JOBS.")                                                    \
    X(schema, "[TABLE]", "The statements that made the tables.")                                   \
    X(read, "FILE", "Run the statements of a file.")                                               \
    X(import, "FILE TABLE", "A CSV or TSV file with a header becomes a table.")                    \
    X(output, "[FILE]", "Write results into a file; alone: here again.")                           \
    X(timing, "on|off", "Say how long each statement takes.")                                      \
    X(mode, FORMAT_NAMES, "How results are written.")                                              \
    X(maxrows, "ROWS", "Most rows of a table on the terminal, 40; 0: all.")                        \
    X(maxwidth, "auto|COLUMNS",                                                                    \
      "Greatest width of a table on the terminal; auto: the terminal's; 0: any.")

#define ARGUMENT_WIDTH 24 /* in .help */

/* Limits of .maxrows and .maxwidth for a table on a terminal. */
#define ROWS_MAX    1000000
#define COLUMNS_MAX 100000
#define COLUMNS_MIN 20

const struct completion_command dot_commands[] = {
#define X(name, argument, help) {"." #name, argument, help},
    COMMAND_MAP(X)
#undef X
};
const size_t dot_command_count = sizeof dot_commands / sizeof *dot_commands;

/* Errors stand at the command; the script knows where that is. */
static enum status refuse_command(const struct session *session, const char *problem,
                                  struct slice word, const char *hint)
{
    struct error err;

    fail_at(&err, STATUS_INVALID, session->script->position, "%s \"%.*s\"", problem,
            SLICE_FORMAT(word));
    error_hint(&err, "%s", hint);
    return script_fail(session, &err);
}

static enum status run_sql(struct session *session, struct slice sql)
{
    struct piece piece = split_piece(sql, 0);
    struct error err;

    if (session_run(session, sql, &piece, &err) == STATUS_OK)
        return STATUS_OK;
    err.position = -1; /* it counts in our text, not in the user's */
    return script_fail(session, &err);
}

static enum status run_help(struct session *session, struct slice value)
{
    (void)session;
    (void)value;
    for (size_t i = 0; i < dot_command_count; i++) {
        const char *argument = dot_commands[i].argument;

        printf("  %-9s %-*s", dot_commands[i].word, ARGUMENT_WIDTH, argument);
        if (strlen(argument) > ARGUMENT_WIDTH) /* its help stands below it */
            printf("\n  %-9s %-*s", "", ARGUMENT_WIDTH, "");
        printf(" %s\n", dot_commands[i].help);
    }
    puts("All else is a statement, which ends with a semicolon. Tab completes.");
    return STATUS_OK;
}

static enum status run_quit(struct session *session, struct slice value)
{
    (void)value;
    session->is_ended = true;
    return STATUS_OK;
}

static enum status run_exit(struct session *session, struct slice value)
{
    return run_quit(session, value);
}

/* 'my file', "my file" or my file. */
static struct slice without_quotes(struct slice value)
{
    char first = value.size >= 2 ? value.data[0] : '\0';

    if ((first == '\'' || first == '"') && value.data[value.size - 1] == first)
        return (struct slice){value.data + 1, value.size - 2};
    return value;
}

static enum status run_tables(struct session *session, struct slice value)
{
    const char *query = names_query(session);
    enum status status;
    struct text sql;

    if (value.size == 0)
        return run_sql(session, slice_of(query));
    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "SELECT * FROM (%s) AS all_tables WHERE name LIKE ", query);
    text_append_literal(&sql, without_quotes(value));
    status = run_sql(session, text_slice(&sql));
    text_deinit(&sql);
    return status;
}

static enum status run_models(struct session *session, struct slice value)
{
    (void)value;
    return run_sql(session, SLICE("SHOW MODELS"));
}

static enum status run_jobs(struct session *session, struct slice value)
{
    (void)value;
    return run_sql(session, SLICE("SHOW JOBS"));
}

/* SQLite's statements are shown as they are, so that they can be copied. */
static enum status run_schema(struct session *session, struct slice value)
{
    const enum format format = session->formatter.format;
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    schema_query(session, session->db ? without_quotes(value) : value, &sql);
    if (session->db && format == FORMAT_TABLE)
        session->formatter.format = FORMAT_BARE;
    status = run_sql(session, text_slice(&sql));
    session->formatter.format = format;
    text_deinit(&sql);
    return status;
}

static enum status run_timing(struct session *session, struct slice value)
{
    if (!slice_is(value, "on") && !slice_is(value, "off"))
        return refuse_command(session, ".timing is on or off, not", value, "");
    session->is_timed = slice_is(value, "on");
    return STATUS_OK;
}

static enum status run_mode(struct session *session, struct slice value)
{
    if (!format_find(value, &session->formatter.format))
        return refuse_command(session, ".mode is table, box, line, csv, tsv, json or markdown, not",
                              value, "");
    return STATUS_OK;
}

static bool read_limit(struct slice value, unsigned limit, unsigned *number)
{
    int64_t integer;

    if (!slice_to_integer(value, &integer) || integer < 0 || integer > limit)
        return false;
    *number = (unsigned)integer;
    return true;
}

static enum status run_maxrows(struct session *session, struct slice value)
{
    if (!read_limit(value, ROWS_MAX, &session->formatter.rows_max))
        return refuse_command(session, ".maxrows is a number of rows from 0 (all) to 1000000, not",
                              value, "");
    return STATUS_OK;
}

static enum status run_maxwidth(struct session *session, struct slice value)
{
    unsigned columns;

    if (slice_is(value, "auto")) {
        session->formatter.columns_max = FORMAT_OF_TERMINAL;
        return STATUS_OK;
    }
    if (!read_limit(value, COLUMNS_MAX, &columns) || (columns > 0 && columns < COLUMNS_MIN))
        return refuse_command(session, ".maxwidth is auto, 0 (any) or from 20 to 100000, not",
                              value, "");
    session->formatter.columns_max = (int)columns;
    return STATUS_OK;
}

/* The folder that a relative path counts from: that of the file that reads it,
 * so that files that belong together work from everywhere. */
static struct slice folder_of(const struct script *script)
{
    const char *slash = script->name ? strrchr(script->name, '/') : NULL;

    return (struct slice){script->name, slash ? (size_t)(slash + 1 - script->name) : 0};
}

static bool path_of(const struct session *session, struct slice file, char path[PATH_MAX])
{
    struct slice folder = folder_of(session->script);
    const char *home = getenv("HOME");
    int size;

    if (home && file.size > 1 && file.data[0] == '~' && file.data[1] == '/')
        size = snprintf(path, PATH_MAX, "%s%.*s", home, (int)file.size - 1, file.data + 1);
    else if (file.data[0] == '/')
        size = snprintf(path, PATH_MAX, "%.*s", SLICE_FORMAT(file));
    else if (slice_is(file, "-") && folder.size == 0) /* a file, not standard input */
        size = snprintf(path, PATH_MAX, "./-");
    else
        size = snprintf(path, PATH_MAX, "%.*s%.*s", SLICE_FORMAT(folder), SLICE_FORMAT(file));
    return size < PATH_MAX;
}

static enum status run_read(struct session *session, struct slice value)
{
    struct slice file = without_quotes(value);
    char path[PATH_MAX];

    if (file.size == 0 || memchr(file.data, '\0', file.size))
        return refuse_command(session, ".read takes the name of a file, not", value, "");
    if (!path_of(session, file, path))
        return refuse_command(session, "the path is too long:", value, "");
    return script_run_file(session, path);
}

/* ---- .import ---- */

static struct slice next_word(struct slice *rest)
{
    const char quote = rest->size > 0 ? rest->data[0] : '\0';
    const char *end =
        quote == '\'' || quote == '"' ? memchr(rest->data + 1, quote, rest->size - 1) : NULL;
    struct slice word;
    size_t size = 0;

    while (!end && size < rest->size && rest->data[size] != ' ' && rest->data[size] != '\t')
        size++;
    word = (struct slice){rest->data, end ? (size_t)(end + 1 - rest->data) : size};
    *rest = slice_trim((struct slice){rest->data + word.size, rest->size - word.size});
    return word;
}

/* A name of letters, digits and points is as in SQL; any other one is quoted. */
static void append_table(struct slice word, struct text *table)
{
    bool is_plain = word.size > 0 && (word.data[0] < '0' || word.data[0] > '9');

    for (size_t i = 0; i < word.size; i++) {
        const char c = word.data[i];

        is_plain = is_plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                (c >= '0' && c <= '9') || c == '_' || c == '.');
    }
    if (is_plain)
        text_append(table, word);
    else
        text_append_identifier(table, without_quotes(word));
}

static enum status show_import(struct session *session, struct slice table, uint64_t rows)
{
    const struct slice names[] = {SLICE("table"), SLICE("rows")};
    const struct cell cells[] = {{.type = CELL_TEXT, .text = table},
                                 {.type = CELL_INTEGER, .integer = (int64_t)rows}};
    struct error err;

    if (formatter_columns(&session->formatter, names, 2, &err) == STATUS_OK &&
        formatter_row(&session->formatter, cells, 2, &err) == STATUS_OK &&
        formatter_end(&session->formatter, &err) == STATUS_OK)
        return STATUS_OK;
    return script_fail(session, &err);
}

static enum status run_import(struct session *session, struct slice value)
{
    char path[PATH_MAX], separator = '\0';
    enum status status;
    const struct slice all = value;
    struct slice file, word;
    struct text table;
    uint64_t rows;
    struct error err;

    word = next_word(&value);
    if (slice_is(word, "--csv") || slice_is(word, "--tsv")) {
        separator = slice_is(word, "--csv") ? ',' : '\t';
        word = next_word(&value);
    }
    file = without_quotes(word);
    word = next_word(&value);
    if (file.size == 0 || word.size == 0 || value.size > 0 || memchr(file.data, '\0', file.size))
        return refuse_command(session, ".import takes a file and a table, not", all,
                              "Write .import FILE TABLE; a name with blanks stands in quotes.");
    if (!path_of(session, file, path))
        return refuse_command(session, "the path is too long:", file, "");
    text_init(&table, TEXT_MAXIMUM);
    append_table(word, &table);
    status = import_file(session, path, separator, text_slice(&table), &rows, &err);
    if (status == STATUS_OK) {
        status = show_import(session, without_quotes(word), rows);
    } else {
        err.position = -1;
        script_fail(session, &err);
    }
    text_deinit(&table);
    return status;
}

/* ---- .output ---- */

/* Results are written to standard output again, and the file is closed. */
static enum status end_output(struct session *session)
{
    FILE *file = session->formatter.out;
    struct error err;

    session->formatter.out = stdout;
    if (file == stdout || fclose(file) == 0)
        return STATUS_OK;
    fail_errno(&err, STATUS_IO, "writing the file of .output");
    return script_fail(session, &err);
}

static enum status run_output(struct session *session, struct slice value)
{
    const struct slice file = without_quotes(value);
    char path[PATH_MAX];
    struct error err;
    FILE *stream;

    if (memchr(file.data ? file.data : "", '\0', file.size))
        return refuse_command(session, ".output takes the name of a file, not", value, "");
    if (file.size > 0 && !path_of(session, file, path))
        return refuse_command(session, "the path is too long:", value, "");
    TRY(end_output(session));
    if (file.size == 0 || slice_is(file, "stdout"))
        return STATUS_OK;
    stream = fopen(path, "we");
    if (!stream) {
        fail_errno(&err, STATUS_IO, "%s", path);
        return script_fail(session, &err);
    }
    session->formatter.out = stream;
    return STATUS_OK;
}

static enum status refuse_unknown(const struct session *session, struct slice word)
{
    const char *words[sizeof dot_commands / sizeof *dot_commands];
    char hint[64] = ".help lists the commands.";
    int nearest;

    for (size_t i = 0; i < dot_command_count; i++)
        words[i] = dot_commands[i].word;
    nearest = text_nearest(word, words, dot_command_count);
    if (nearest >= 0)
        snprintf(hint, sizeof hint, "Did you mean %s?", words[nearest]);
    return refuse_command(session, "unknown command", word, hint);
}

enum status dot_command_run(struct session *session, struct slice line)
{
    static enum status (*const run[])(struct session *, struct slice) = {
#define X(name, argument, help) run_##name,
        COMMAND_MAP(X)
#undef X
    };
    size_t size = 0;
    struct slice word, value;

    while (size < line.size && line.data[size] != ' ' && line.data[size] != '\t')
        size++;
    word = (struct slice){line.data, size};
    value = slice_trim((struct slice){line.data + size, line.size - size});
    for (size_t i = 0; i < dot_command_count; i++) {
        if (!slice_is(word, dot_commands[i].word))
            continue;
        if (value.size > 0 && !*dot_commands[i].argument)
            return refuse_command(session, "it takes nothing behind it, not", value, "");
        return run[i](session, value);
    }
    return refuse_unknown(session, word);
}
