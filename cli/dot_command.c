#include "cli/dot_command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/names.h"
#include "cli/script.h"
#include "parser/splitter.h"

#define COMMAND_MAP(X)                                                                             \
    X(help, "", "These commands.")                                                                 \
    X(quit, "", "End the session; so do .exit and Ctrl-D.")                                        \
    X(exit, "", "As .quit.")                                                                       \
    X(tables, "", "Tables, views and models of the database.")                                     \
    X(models, "", "Models; as SHOW MODELS.")                                                       \
    X(jobs, "", "Training jobs; as SHOW JOBS.")                                                    \
    X(schema, "[TABLE]", "The statements that made the tables.")                                   \
    X(read, "FILE", "Run the statements of a file.")                                               \
    X(timing, "on|off", "Say how long each statement takes.")                                      \
    X(mode, "table|csv|json|markdown", "How results are written.")

const struct completion_command dot_commands[] = {
#define X(name, argument, help) {"." #name, argument, help},
    COMMAND_MAP(X)
#undef X
};
const size_t dot_command_count = sizeof dot_commands / sizeof *dot_commands;

/* Errors stand at the command; the script knows where that is. */
static enum status refuse(const struct session *session, const char *problem, struct slice word,
                          const char *hint)
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
    for (size_t i = 0; i < dot_command_count; i++)
        printf("  %-7s %-24s %s\n", dot_commands[i].word, dot_commands[i].argument,
               dot_commands[i].help);
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

static enum status run_tables(struct session *session, struct slice value)
{
    (void)value;
    return run_sql(session, slice_of(names_query(session)));
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

/* 'my file', "my file" or my file. */
static struct slice without_quotes(struct slice value)
{
    char first = value.size >= 2 ? value.data[0] : '\0';

    if ((first == '\'' || first == '"') && value.data[value.size - 1] == first)
        return (struct slice){value.data + 1, value.size - 2};
    return value;
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
        return refuse(session, ".timing is on or off, not", value, "");
    session->is_timed = slice_is(value, "on");
    return STATUS_OK;
}

static enum status run_mode(struct session *session, struct slice value)
{
    if (!format_find(value, &session->formatter.format))
        return refuse(session, ".mode is table, csv, json or markdown, not", value, "");
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
        return refuse(session, ".read takes the name of a file, not", value, "");
    if (!path_of(session, file, path))
        return refuse(session, "the path is too long:", value, "");
    return script_run_file(session, path);
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
    return refuse(session, "unknown command", word, hint);
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
            return refuse(session, "it takes nothing behind it, not", value, "");
        return run[i](session, value);
    }
    return refuse_unknown(session, word);
}
