#include "shell.h"

#include "dot_command.h"
#include "prompt.h"
#include "script.h"

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

/* What was typed is a whole line of ours or whole statements. */
static void run_typed(struct session *session, struct prompt *prompt, struct text *typed)
{
    struct slice text = slice_trim(text_slice(typed));
    bool is_command = text.size > 0 && text.data[0] == '.';

    if (!is_command && !is_complete(text_slice(typed)))
        return;
    prompt_remember(prompt, text);
    script_run(session, NULL, text_slice(typed));
    fflush(stdout);
    session_clear_interrupt();
    text_clear(typed);
}

enum status shell_run(struct session *session)
{
    struct prompt *prompt = prompt_new(session, dot_commands, dot_command_count);
    enum prompt_result result = PROMPT_LINE;
    struct text typed;

    if (!prompt)
        return STATUS_NO_MEMORY;
    printf("totrain " TOTRAIN_VERSION "; a statement ends with ;  .help lists commands, Ctrl-D "
           "ends the session\n");
    text_init(&typed, TEXT_MAXIMUM);
    while (!session->is_ended && (result = prompt_read(prompt, &typed)) != PROMPT_END) {
        if (result == PROMPT_INTERRUPTED) { /* begin anew */
            session_clear_interrupt();
            text_clear(&typed);
            putchar('\n');
        } else {
            run_typed(session, prompt, &typed);
        }
    }
    if (result == PROMPT_END)
        putchar('\n');
    text_deinit(&typed);
    prompt_free(prompt);
    return STATUS_OK;
}
