/*
 * fuzz_parser.c - any bytes as a program.
 *
 * The pieces tile the text; a statement that parses is parsed again, to the
 * same tree, from its own span alone, as the doors hand it around; and its
 * tree prints as JSON. An error points into the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "parser/parser.h"
#include "parser/placeholders.h"
#include "parser/refused.h"
#include "parser/splitter.h"
#include "parser/statement_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

/* Checks that the places of hints and parameters lie within the text. */
static void check_refused(struct slice program)
{
    const struct span span = {0, (int)program.size};
    struct placeholders found;
    struct arena arena;
    struct error err;

    fail_at(&err, STATUS_SYNTAX, program.size > 8 ? 8 : -1, "syntax error");
    (void)refused_hint(program, err.position, &err);
    (void)refused_show_hint(program, &err);
    fail(&err, STATUS_DATABASE, "no such column: m");
    (void)refused_missing_hint(program, &err);
    arena_init(&arena, ARENA_MAXIMUM);
    for (int style = PLACEHOLDERS_SQLITE; style <= PLACEHOLDERS_POSTGRES; style++) {
        int end = 0;

        if (placeholders_find(program, span, (enum placeholder_style)style, &arena, &found, &err) !=
            STATUS_OK)
            continue;
        for (size_t i = 0; i < found.count; i++) {
            CLAIM(found.places[i].span.start >= end);
            CLAIM(found.places[i].number >= 1 && found.places[i].number <= found.most);
            end = found.places[i].span.end;
        }
        CLAIM((size_t)end <= program.size);
    }
    arena_deinit(&arena);
}

static void check_json(const struct statement *statement, struct text *out)
{
    struct error err;
    cJSON *json;

    text_clear(out);
    CLAIM(statement_print_json(statement, out, &err) == STATUS_OK);
    json = cJSON_ParseWithLength(out->data, out->size);
    CLAIM(json);
    cJSON_Delete(json);
}

/* The span's text, after as many blanks as it had bytes before it, so that
 * positions stay. */
static void check_again(struct slice program, const struct piece *piece, const struct text *first)
{
    struct arena arena;
    struct statement statement;
    struct error err;
    struct text alone, second;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&alone, TEXT_MAXIMUM);
    text_init(&second, TEXT_MAXIMUM);
    for (int i = 0; i < piece->span.start; i++)
        text_append_char(&alone, ' ');
    text_append(&alone, (struct slice){program.data + piece->span.start,
                                       (size_t)(piece->span.end - piece->span.start)});
    CLAIM(parse_statement(text_slice(&alone), &arena, &statement, &err) == STATUS_OK);
    CLAIM(statement_print_json(&statement, &second, &err) == STATUS_OK);
    CLAIM(slice_equal(text_slice(first), text_slice(&second)));
    text_deinit(&second);
    text_deinit(&alone);
    arena_deinit(&arena);
}

static void check_piece(struct slice program, const struct piece *piece)
{
    struct arena arena;
    struct statement statement;
    struct error err;
    struct text json, rendered;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, TEXT_MAXIMUM);
    text_init(&rendered, TEXT_MAXIMUM);
    if (parse_piece(program, piece, &arena, &statement, &err) == STATUS_OK) {
        check_json(&statement, &json);
        check_again(program, piece, &json);
    } else {
        CLAIM(err.position >= piece->span.start && err.position <= piece->next);
        CLAIM(!strchr(err.message, '\n') && err.message[0]);
        error_render(&err, program, &rendered);
    }
    text_deinit(&rendered);
    text_deinit(&json);
    arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice program = {(const char *)data, size};
    struct piece piece = {.next = 0};

    check_refused(program);
    while ((size_t)piece.next < size) {
        int from = piece.next;
        piece = split_piece(program, from);
        CLAIM(piece.next > from && (size_t)piece.next <= size);
        CLAIM(piece.span.start >= from && piece.span.start <= piece.span.end);
        CLAIM(piece.span.end <= piece.next);
        CLAIM(piece.terminated || (size_t)piece.next == size);
        if (piece.kind != PIECE_EMPTY)
            check_piece(program, &piece);
    }
    return 0;
}
