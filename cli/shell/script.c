#include "cli/shell/script.h"

#include <string.h>
#include <time.h>

#include "cli/session/input.h"
#include "cli/shell/dot_command.h"
#include "cli/shell/dot_line.h"
#include "parser/splitter.h"

static size_t line_of(const struct script *script, int position)
{
    size_t line = 1;

    for (int i = 0; i < position && (size_t)i < script->text.size; i++)
        line += script->text.data[i] == '\n';
    return line;
}

static void show_readers(const struct script *script)
{
    for (; script; script = script->reader)
        if (script->name)
            fprintf(stderr, "CONTEXT:  read at %s:%zu\n", script->name,
                    line_of(script, script->position));
}

enum status script_fail(const struct session *session, const struct error *err)
{
    const struct script *script = session->script;
    char place[PATH_MAX + 32] = "";

    if (session->formatter.reader_is_gone)
        return err->status; /* `| head` has what it wanted */
    if (!script)
        return report_error(err, place, SLICE(""), session->colour);
    if (script->name)
        snprintf(place, sizeof place, "%s:%zu:", script->name,
                 line_of(script, err->position < 0 ? script->position : err->position));
    report_error(err, place, script->text, session->colour);
    show_readers(script->reader);
    return err->status;
}

static double milliseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static enum status run_statement(struct session *session, struct slice text,
                                 const struct piece *piece)
{
    double start = milliseconds_now();
    struct error err;
    enum status status = session_run(session, text, piece, &err);

    if (status != STATUS_OK)
        script_fail(session, &err);
    if (session->is_timed)
        printf("Time: %.3f ms\n", milliseconds_now() - start);
    return status;
}

/* Run what begins at *at, and move behind it. */
static enum status run_next(struct session *session, struct script *script, int *at)
{
    struct slice text = script->text, line = dot_line_find(text, at);
    struct piece piece;
    struct error err;

    script->position = *at;
    if (session_is_interrupted()) {
        fail(&err, STATUS_INTERRUPTED, "interrupted");
        return script_fail(session, &err);
    }
    if (line.size > 0) {
        *at += (int)line.size;
        return dot_command_run(session, slice_trim(line));
    }
    piece = split_piece(text, *at);
    *at = piece.next;
    return piece.kind == PIECE_EMPTY ? STATUS_OK : run_statement(session, text, &piece);
}

enum status script_run(struct session *session, const char *name, struct slice text)
{
    struct script script = {.name = name, .text = text, .reader = session->script};
    enum status status = STATUS_OK;

    script.depth = script.reader ? script.reader->depth + 1 : 0;
    session->script = &script;
    for (int at = 0; (size_t)at < text.size && status == STATUS_OK && !session->is_ended;)
        status = run_next(session, &script, &at);
    session->script = script.reader;
    return status;
}

enum status script_run_file(struct session *session, const char *path)
{
    enum status status;
    struct text text;
    struct error err;

    text_init(&text, INPUT_BYTES_MAX);
    error_clear(&err);
    if (session->script && session->script->depth + 1 >= SCRIPT_DEPTH_MAX) {
        status =
            fail(&err, STATUS_LIMIT, "files read each other more than %d deep", SCRIPT_DEPTH_MAX);
        script_fail(session, &err);
    } else if ((status = input_read(path, &text, &err)) != STATUS_OK) {
        script_fail(session, &err);
    } else {
        status = script_run(session, strcmp(path, "-") == 0 ? NULL : path, text_slice(&text));
    }
    text_deinit(&text);
    return status;
}
