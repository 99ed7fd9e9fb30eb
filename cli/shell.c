#include "shell.h"

#include <errno.h>
#include <stdlib.h>

#include "parser/parser.h"

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

/* False at the end of the input. */
static bool read_line(struct text *typed)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;

    fputs(typed->size ? "   ...> " : "totrain> ", stdout);
    fflush(stdout);
    errno = 0;
    size = getline(&line, &capacity, stdin);
    if (size > 0)
        text_append(typed, (struct slice){line, (size_t)size});
    free(line);
    if (size < 0 && errno == EINTR) { /* Ctrl-C at the prompt: begin anew */
        clearerr(stdin);
        session_clear_interrupt();
        text_clear(typed);
        putchar('\n');
        return true;
    }
    return size >= 0;
}

enum status shell_run(struct session *session)
{
    struct text typed;

    printf("totrain " TOTRAIN_VERSION "; a statement ends with ;  and Ctrl-D ends the session\n");
    text_init(&typed, TEXT_MAXIMUM);
    while (read_line(&typed)) {
        if (!is_complete(text_slice(&typed)))
            continue;
        session_run(session, text_slice(&typed));
        session_clear_interrupt();
        text_clear(&typed);
    }
    putchar('\n');
    text_deinit(&typed);
    return STATUS_OK;
}
