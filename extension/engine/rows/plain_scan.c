/*
 * Is this SELECT a plain scan of one table? A small reader that knows names,
 * commas and comments; whatever it does not know is no plain scan.
 */
#include <string.h>

#include "extension/engine/rows/plain_scan.h"

enum piece_kind { PIECE_END, PIECE_NAME, PIECE_WORD, PIECE_MARK, PIECE_OTHER };

struct piece_text {
    enum piece_kind kind;
    struct slice text; /* with its quotes */
};

struct reader {
    struct slice rest;
    struct piece_text piece; /* the one that is looked at */
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static void skip(struct reader *reader, size_t size)
{
    reader->rest.data += size;
    reader->rest.size -= size;
}

/* "a", `a` or [a]; one with a quote inside is left to the database. */
static size_t quoted_size(struct slice rest)
{
    char closing = rest.data[0] == '[' ? ']' : rest.data[0];
    const char *end = memchr(rest.data + 1, closing, rest.size - 1);
    size_t size = end ? (size_t)(end - rest.data) + 1 : 0;

    return size > 2 && (size == rest.size || rest.data[size] != closing) ? size : 0;
}

static void next(struct reader *reader)
{
    struct piece_text piece = {PIECE_OTHER, {reader->rest.data, 0}};
    struct slice rest;

    while (reader->rest.size > 0 && is_space(reader->rest.data[0]))
        skip(reader, 1);
    rest = reader->rest;
    piece.text.data = rest.data;
    if (rest.size == 0) {
        piece.kind = PIECE_END;
    } else if (is_name_character(rest.data[0]) && (rest.data[0] < '0' || rest.data[0] > '9')) {
        piece.kind = PIECE_WORD;
        while (piece.text.size < rest.size && is_name_character(rest.data[piece.text.size]))
            piece.text.size++;
    } else if (memchr("\"`[", rest.data[0], 3)) {
        piece.text.size = quoted_size(rest);
        piece.kind = piece.text.size ? PIECE_NAME : PIECE_OTHER;
    } else if (memchr("*,.;", rest.data[0], 4)) {
        piece.kind = PIECE_MARK;
        piece.text.size = 1;
    }
    skip(reader, piece.text.size);
    reader->piece = piece;
}

static bool take_word(struct reader *reader, const char *word)
{
    if (reader->piece.kind != PIECE_WORD || !slice_is_fold(reader->piece.text, word))
        return false;
    next(reader);
    return true;
}

static bool take_mark(struct reader *reader, char mark)
{
    if (reader->piece.kind != PIECE_MARK || reader->piece.text.data[0] != mark)
        return false;
    next(reader);
    return true;
}

static bool take_name(struct reader *reader, struct slice *name)
{
    struct slice text = reader->piece.text;

    if (reader->piece.kind == PIECE_NAME)
        text = (struct slice){text.data + 1, text.size - 2};
    else if (reader->piece.kind != PIECE_WORD)
        return false;
    *name = text;
    next(reader);
    return true;
}

static bool take_columns(struct reader *reader, bool *renames)
{
    struct slice name;

    if (take_mark(reader, '*'))
        return true;
    do {
        if (!take_name(reader, &name))
            return false;
        if (take_word(reader, "as")) {
            *renames = true;
            if (!take_name(reader, &name))
                return false;
        }
    } while (take_mark(reader, ','));
    return true;
}

bool plain_scan_recognise(struct slice select, struct plain_scan *plain)
{
    return plain_scan_recognise_some(select, plain) && plain->where.size == 0;
}

bool plain_scan_recognise_some(struct slice select, struct plain_scan *plain)
{
    struct reader reader = {.rest = select};

    *plain = (struct plain_scan){0};
    next(&reader);
    if (!take_word(&reader, "select"))
        return false;
    plain->columns.data = reader.piece.text.data;
    if (!take_columns(&reader, &plain->renames))
        return false;
    plain->columns.size = (size_t)(reader.piece.text.data - plain->columns.data);
    if (!take_word(&reader, "from"))
        return false;
    plain->from.data = reader.piece.text.data;
    if (!take_name(&reader, &plain->table))
        return false;
    if (take_mark(&reader, '.')) {
        plain->schema = plain->table;
        if (!take_name(&reader, &plain->table))
            return false;
    }
    plain->from.size = (size_t)(reader.piece.text.data - plain->from.data);
    if (reader.piece.kind == PIECE_WORD && slice_is_fold(reader.piece.text, "where")) {
        plain->where = slice_trim(reader.rest);
        return plain->where.size > 0;
    }
    while (take_mark(&reader, ';'))
        ;
    return reader.piece.kind == PIECE_END;
}
