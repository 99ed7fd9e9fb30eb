#include "dot_command.h"

#include <string.h>

#include "names.h"

const struct completion_word dot_commands[] = {
    {".help", "These commands."},
    {".quit", "End the session; so do .exit and Ctrl-D."},
    {".exit", "As .quit."},
    {".tables", "Tables, views and models of the database."},
    {".models", "Models; as SHOW MODELS."},
    {".jobs", "Training jobs; as SHOW JOBS."},
    {".schema", "[TABLE]: the statements that made the tables."},
    {".timing", "on|off: say how long each statement takes."},
    {".mode", "table|csv|json|markdown: how results are written."},
};
const size_t dot_command_count = sizeof dot_commands / sizeof *dot_commands;

static void print_help(void)
{
    for (size_t i = 0; i < dot_command_count; i++)
        printf("  %-9s %s\n", dot_commands[i].word, dot_commands[i].help);
    puts("  All else is a statement, which ends with a semicolon. Tab completes.");
}

static void refuse_unknown(struct slice word)
{
    const char *words[sizeof dot_commands / sizeof *dot_commands];
    int nearest;

    for (size_t i = 0; i < dot_command_count; i++)
        words[i] = dot_commands[i].word;
    nearest = text_nearest(word, words, dot_command_count);
    fprintf(stderr, "ERROR:  unknown command \"%.*s\"\n", SLICE_FORMAT(word));
    if (nearest >= 0)
        fprintf(stderr, "HINT:  Did you mean %s?\n", words[nearest]);
    else
        fputs("HINT:  .help lists the commands.\n", stderr);
}

static void set_timing(struct session *session, struct slice value)
{
    if (slice_is(value, "on") || slice_is(value, "off"))
        session->is_timed = slice_is(value, "on");
    else
        fprintf(stderr, "ERROR:  .timing is on or off, not \"%.*s\"\n", SLICE_FORMAT(value));
}

static void set_mode(struct session *session, struct slice value)
{
    if (!format_find(value, &session->formatter.format))
        fprintf(stderr, "ERROR:  .mode is table, csv, json or markdown, not \"%.*s\"\n",
                SLICE_FORMAT(value));
}

static void show_schema(struct session *session, struct slice table)
{
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL");
    if (table.size > 0) {
        text_append_string(&sql, " AND tbl_name = ");
        text_append_literal(&sql, table);
        text_append_string(&sql, " COLLATE NOCASE");
    }
    session_run(session, text_slice(&sql));
    text_deinit(&sql);
}

bool dot_command_run(struct session *session, struct slice line)
{
    size_t size = 0;
    struct slice word, value;

    while (size < line.size && line.data[size] != ' ' && line.data[size] != '\t')
        size++;
    word = (struct slice){line.data, size};
    value = slice_trim((struct slice){line.data + size, line.size - size});
    if (slice_is(word, ".quit") || slice_is(word, ".exit"))
        return true;
    if (slice_is(word, ".help"))
        print_help();
    else if (slice_is(word, ".tables"))
        session_run(session, slice_of(names_query));
    else if (slice_is(word, ".models"))
        session_run(session, SLICE("SHOW MODELS"));
    else if (slice_is(word, ".jobs"))
        session_run(session, SLICE("SHOW JOBS"));
    else if (slice_is(word, ".schema"))
        show_schema(session, value);
    else if (slice_is(word, ".timing"))
        set_timing(session, value);
    else if (slice_is(word, ".mode"))
        set_mode(session, value);
    else
        refuse_unknown(word);
    return false;
}
