#include "console/json_rows.h"

#include <inttypes.h>
#include <math.h>

static void append_escaped(struct text *out, unsigned char c)
{
    if (c == '"' || c == '\\')
        text_printf(out, "\\%c", c);
    else
        text_printf(out, "\\u%04x", c);
}

void json_append_string(struct text *out, struct slice value)
{
    text_append_char(out, '"');
    for (size_t at = 0; at < value.size;) {
        const unsigned char c = (unsigned char)value.data[at];
        const size_t size = utf8_sequence(value.data + at, value.size - at);

        if (size == 0)
            text_append_string(out, "\xef\xbf\xbd");
        else if (c < ' ' || c == '"' || c == '\\' || c == 0x7f)
            append_escaped(out, c);
        else
            text_append(out, (struct slice){value.data + at, size});
        at += size > 0 ? size : 1;
    }
    text_append_char(out, '"');
}

static void append_cell(struct text *out, const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        text_printf(out, "%" PRId64, cell->integer);
    else if (cell->type == CELL_REAL && isfinite(cell->real))
        text_printf(out, "%.9g", cell->real);
    else if (cell->type == CELL_TEXT)
        json_append_string(out, cell->text);
    else
        text_append_string(out, "null");
}

void json_append_cells(struct text *out, const struct cell *cells, size_t count)
{
    text_append_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_append_char(out, ',');
        append_cell(out, &cells[i]);
    }
    text_append_char(out, ']');
}

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct json_rows *rows = self;
    const uint64_t at = rows->count++;

    if (at < rows->skip || at - rows->skip >= rows->most)
        return STATUS_OK;
    if (at > rows->skip)
        text_append_char(rows->out, ',');
    json_append_cells(rows->out, cells, count);
    return rows->out->failed ? fail(err, STATUS_LIMIT, "the rows are too many for the page")
                             : STATUS_OK;
}

struct sink json_rows_sink(struct json_rows *rows)
{
    return (struct sink){.self = rows, .row = put_row};
}
