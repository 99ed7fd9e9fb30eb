#include "cli/shell/shell.h"

#include <string.h>

#include "cli/shell/dot_command.h"
#include "cli/shell/dot_line.h"
#include "cli/shell/prompt.h"
#include "cli/shell/script.h"
#include "cli/shell/shell_config.h"
#include "parser/splitter.h"

#define TYPED_BYTES_MAX ((size_t)64 << 20) /* bytes of one statement */

/* Is there a whole statement, or nothing at all? */
static bool is_complete(struct slice text)
{
    for (int from = 0; (size_t)from < text.size;) {
        struct piece piece = split_piece(text, from);
        if (piece.kind != PIECE_EMPTY && !piece.terminated)
            return false;
        if (piece.open)
            return false;
        from = piece.next;
    }
    return true;
}

/* May the line that begins at `from` complete what was begun before it? Then it
 * closes a statement or a comment. To look at all lines again for each new one
 * would take long where thousands are pasted. */
static bool may_complete(struct slice text, size_t from)
{
    const char *line = text.data + from;
    size_t size = text.size - from;

    return from == 0 || memchr(line, ';', size) || memmem(line, size, "*/", 2);
}

/* quit, exit, help or ? alone, as in other shells: the dot command of that name. */
static bool spell_as_command(struct text *typed)
{
    static const char *const words[][2] = {
        {"quit", ".quit"}, {"exit", ".exit"}, {"help", ".help"}, {"?", ".help"}};
    struct slice word = slice_trim(text_slice(typed));

    while (word.size > 0 && word.data[word.size - 1] == ';')
        word.size--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!slice_is_fold(word, words[i][0]))
            continue;
        text_clear(typed);
        text_append_string(typed, words[i][1]);
        return true;
    }
    return false;
}

/* psql's commands: the error names the dot command. */
static void refuse_backslash(const struct session *session, struct slice line)
{
    static const char *const words[][2] = {{"\\d", ".tables, or .schema TABLE"},
                                           {"\\dt", ".tables"},
                                           {"\\dv", ".tables"},
                                           {"\\q", ".quit"},
                                           {"\\i", ".read FILE"},
                                           {"\\o", ".output FILE"},
                                           {"\\x", ".mode line"},
                                           {"\\timing", ".timing on"},
                                           {"\\copy", ".import FILE TABLE"}};
    const char *command = ".help lists them";
    struct slice word = {line.data, 0};
    struct error err;

    while (word.size < line.size && !strchr(" \t;+", line.data[word.size]))
        word.size++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is(word, words[i][0]))
            command = words[i][1];
    fail(&err, STATUS_INVALID, "unknown command \"%.*s\"", SLICE_FORMAT(slice_prefix(word, 40)));
    error_hint(&err, "Commands begin with a point here: %s.", command);
    script_fail(session, &err);
}

/* Does the text end within a string, a quoted name or a comment? */
static bool ends_inside(struct slice text)
{
    struct piece piece = {.open = false};

    for (int from = 0; (size_t)from < text.size; from = piece.next)
        piece = split_piece(text, from);
    return piece.open;
}

/* A command typed behind a part of a statement has become a part of it. */
static void say_open(struct slice text, size_t from)
{
    const struct slice line = slice_trim((struct slice){text.data + from, text.size - from});

    if (from == 0 || line.size == 0 || (line.data[0] != '.' && line.data[0] != '\\') ||
        ends_inside((struct slice){text.data, from}))
        return;
    fputs(
        "HINT:  A statement was begun above, and this line is part of it: ; ends it, Ctrl-C clears "
        "it.\n",
        stderr);
}

static bool is_dot_line(struct slice text)
{
    int at = 0;

    return dot_line_find(text, &at).size > 0;
}

/* Run what was typed where the line that begins at `from` makes it whole. */
static void run_typed(struct session *session, struct prompt *prompt, struct text *typed,
                      size_t from)
{
    const struct slice first = slice_trim(text_slice(typed));

    if (first.size > 0 && first.data[0] == '\\') {
        prompt_remember(prompt, first);
        refuse_backslash(session, first);
        text_clear(typed);
        return;
    }
    if (!spell_as_command(typed) && !is_dot_line(text_slice(typed)) &&
        !(may_complete(text_slice(typed), from) && is_complete(text_slice(typed)))) {
        say_open(text_slice(typed), from);
        return;
    }
    prompt_remember(prompt, text_slice(typed));
    script_run(session, NULL, text_slice(typed));
    fflush(stdout);
    session_clear_interrupt();
    text_clear(typed);
}

/* Ctrl-D behind a part of a statement: it may be half of what was meant, so it
 * is not run. */
static void say_unfinished(struct session *session, struct prompt *prompt, struct text *typed)
{
    struct error err;

    if (is_complete(text_slice(typed)))
        return; /* nothing, or white space */
    fail(&err, STATUS_SYNTAX, "the last statement has no end, and was not run");
    error_hint(&err, "A statement ends with a semicolon. This one is in the history.");
    prompt_remember(prompt, text_slice(typed));
    script_fail(session, &err);
}

/* Read a line and answer it. False at the end of the input. */
static bool step(struct session *session, struct prompt *prompt, struct text *typed)
{
    size_t from = typed->size;
    struct error err;

    switch (prompt_read(prompt, typed)) {
    case PROMPT_END:
        putchar('\n');
        fflush(stdout);
        say_unfinished(session, prompt, typed);
        return false;
    case PROMPT_INTERRUPTED: /* begin anew */
        session_clear_interrupt();
        text_clear(typed);
        putchar('\n');
        return true;
    case PROMPT_LINE:
        break;
    }
    if (typed->failed) {
        fail(&err, STATUS_LIMIT, "a statement holds more than %zu bytes", TYPED_BYTES_MAX);
        script_fail(session, &err);
        text_clear(typed);
    } else {
        run_typed(session, prompt, typed, from);
    }
    return true;
}

enum status shell_run(struct session *session)
{
    struct prompt *prompt = prompt_new(session, dot_commands, dot_command_count);
    struct text typed;

    if (!prompt)
        return STATUS_NO_MEMORY;
    printf("totrain " TOTRAIN_VERSION "; a statement ends with ;  .help lists commands, Ctrl-D "
           "ends the session\n");
    shell_config_run(session);
    fflush(stdout);
    text_init(&typed, TYPED_BYTES_MAX);
    while (!session->is_ended && step(session, prompt, &typed))
        ;
    text_deinit(&typed);
    prompt_free(prompt);
    return STATUS_OK;
}
