#include "base/name_list.h"

#include <string.h>

static void skip(struct slice *rest, size_t size)
{
    rest->data += size;
    rest->size -= size;
}

/* rest begins with the opening quote, and then with what follows the closing one. */
static enum status take_quoted(struct slice *rest, struct arena *arena, struct slice *name,
                               struct error *err)
{
    const struct slice whole = *rest;
    char *bytes = ARENA_NEW(arena, char, rest->size);
    size_t size = 0;

    if (!bytes)
        return fail_no_memory(err);
    for (skip(rest, 1); rest->size > 0; skip(rest, 1)) {
        if (*rest->data == '"' && (rest->size == 1 || rest->data[1] != '"')) {
            skip(rest, 1);
            *name = (struct slice){bytes, size};
            return STATUS_OK;
        }
        if (*rest->data == '"')
            skip(rest, 1);
        bytes[size++] = *rest->data;
    }
    return fail(err, STATUS_INVALID, "a double quote is not closed in %.*s", SLICE_FORMAT(whole));
}

enum status name_list_next(struct slice *rest, struct arena *arena, struct slice *name,
                           struct error *err)
{
    const bool is_quoted = slice_trim(*rest).size > 0 && *slice_trim(*rest).data == '"';
    const char *comma;
    size_t size;

    if (is_quoted) {
        *rest = slice_trim(*rest);
        TRY(take_quoted(rest, arena, name, err));
    }
    comma = rest->size > 0 ? memchr(rest->data, ',', rest->size) : NULL;
    size = comma ? (size_t)(comma - rest->data) : rest->size;
    if (!is_quoted)
        *name = slice_trim((struct slice){rest->data, size});
    else if (slice_trim((struct slice){rest->data, size}).size > 0)
        return fail(err, STATUS_INVALID, "a comma is missing behind \"%.*s\"", SLICE_FORMAT(*name));
    skip(rest, comma ? size + 1 : size);
    return STATUS_OK;
}

void name_list_append(struct text *list, struct slice name)
{
    const struct slice trimmed = slice_trim(name);

    text_append_string(list, list->size > 0 ? ", " : "");
    if (name.size == 0 || trimmed.size < name.size || memchr(name.data, ',', name.size) ||
        *name.data == '"')
        text_append_identifier(list, name);
    else
        text_append(list, name);
}
