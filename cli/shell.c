#include "cli/shell.h"

#include <string.h>

#include "cli/dot_command.h"
#include "cli/dot_line.h"
#include "cli/prompt.h"
#include "cli/script.h"
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

/* quit, exit or help alone, as in other shells: the dot command of that name. */
static bool spell_as_command(struct text *typed)
{
    static const char *const words[] = {"quit", "exit", "help"};
    struct slice word = slice_trim(text_slice(typed));

    while (word.size > 0 && word.data[word.size - 1] == ';')
        word.size--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!slice_is_fold(word, words[i]))
            continue;
        text_clear(typed);
        text_printf(typed, ".%s", words[i]);
        return true;
    }
    return false;
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
    if (!spell_as_command(typed) && !is_dot_line(text_slice(typed)) &&
        !(may_complete(text_slice(typed), from) && is_complete(text_slice(typed))))
        return;
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
    text_init(&typed, TYPED_BYTES_MAX);
    while (!session->is_ended && step(session, prompt, &typed))
        ;
    text_deinit(&typed);
    prompt_free(prompt);
    return STATUS_OK;
}
