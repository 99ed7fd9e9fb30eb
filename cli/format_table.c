#include "cli/format_table.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/arena.h"
#include "cli/format.h"

struct table {
    struct slice *names;      /* printable */
    struct arena names_arena; /* the names */
    size_t count;
    unsigned *widths;
    bool *is_number;    /* nothing but numbers and NULL in the rows that set the widths */
    struct arena arena; /* the cells that are held */
    struct slice *held; /* printable */
    size_t held_rows;
    bool is_started; /* the header was written */
    bool is_rounded; /* reals have five digits */
};

/* What does not print is shown by its code: a cell must neither break the
 * table nor speak to the terminal. */
static void append_printable(struct text *out, struct slice value)
{
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if (c == '\n')
            text_append_string(out, "\\n");
        else if (c == '\t')
            text_append_string(out, "\\t");
        else if (c < 0x20 || c == 0x7F)
            text_printf(out, "\\x%02x", c);
        else
            text_append_char(out, (char)c);
    }
}

/* Columns on a terminal: wide characters take two, combining ones none. */
static unsigned display_width(struct slice text)
{
    unsigned width = 0;
    mbstate_t state = {0};

    for (size_t i = 0; i < text.size;) {
        wchar_t character;
        size_t size = mbrtowc(&character, text.data + i, text.size - i, &state);
        int columns;
        if (size == (size_t)-1 || size == (size_t)-2 || size == 0) {
            memset(&state, 0, sizeof state);
            size = 1;
            columns = 1;
        } else {
            columns = wcwidth(character);
        }
        width += columns > 0 ? (unsigned)columns : 0;
        i += size;
    }
    return width;
}

static bool keep_name(struct table *table, size_t column, struct slice name)
{
    struct text printable;

    text_init(&printable, TEXT_MAXIMUM);
    append_printable(&printable, name);
    table->names[column] = arena_copy(&table->names_arena, text_slice(&printable));
    text_deinit(&printable);
    table->widths[column] = display_width(table->names[column]);
    return table->names[column].data && !printable.failed;
}

struct table *table_new(const struct slice *names, size_t count, bool is_rounded)
{
    struct table *table = calloc(1, sizeof *table);

    if (!table)
        return NULL;
    arena_init(&table->arena, ARENA_MAXIMUM);
    arena_init(&table->names_arena, ARENA_MAXIMUM);
    table->count = count;
    table->is_rounded = is_rounded;
    table->names = calloc(count + 1, sizeof *table->names);
    table->widths = calloc(count + 1, sizeof *table->widths);
    table->held = calloc((count + 1) * TABLE_ROWS_HELD, sizeof *table->held);
    table->is_number = calloc(count + 1, sizeof *table->is_number);
    if (!table->names || !table->widths || !table->held || !table->is_number) {
        table_free(table);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        table->is_number[i] = true;
        if (!keep_name(table, i, names[i])) {
            table_free(table);
            return NULL;
        }
    }
    return table;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    arena_deinit(&table->arena);
    arena_deinit(&table->names_arena);
    free(table->names);
    free(table->widths);
    free(table->is_number);
    free(table->held);
    free(table);
}

static void append_times(struct text *out, char c, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        text_append_char(out, c);
}

static void append_cell(const struct table *table, size_t column, struct slice cell, bool is_number,
                        struct text *out)
{
    unsigned width = display_width(cell), wanted = table->widths[column];
    unsigned pad = width < wanted ? wanted - width : 0;
    bool is_last = column + 1 == table->count;

    text_append_string(out, column ? " | " : " ");
    if (is_number && cell.size > 0)
        append_times(out, ' ', pad);
    text_append(out, cell);
    if (!(is_number && cell.size > 0) && !is_last)
        append_times(out, ' ', pad);
}

static void append_header(const struct table *table, struct text *out)
{
    for (size_t i = 0; i < table->count; i++)
        append_cell(table, i, table->names[i], false, out);
    text_append_char(out, '\n');
    for (size_t i = 0; i < table->count; i++) {
        if (i)
            text_append_char(out, '+');
        append_times(out, '-', table->widths[i] + 2);
    }
    text_append_char(out, '\n');
}

static void release(struct table *table, struct text *out)
{
    if (!table->is_started)
        append_header(table, out);
    table->is_started = true;
    for (size_t row = 0; row < table->held_rows; row++) {
        for (size_t i = 0; i < table->count; i++)
            append_cell(table, i, table->held[row * table->count + i], table->is_number[i], out);
        text_append_char(out, '\n');
    }
    table->held_rows = 0;
    arena_deinit(&table->arena);
}

static enum status hold(struct table *table, const struct cell *cells, struct error *err)
{
    struct slice *row = &table->held[table->held_rows * table->count];
    struct text bare, printable;
    enum status status = STATUS_OK;

    text_init(&bare, TEXT_MAXIMUM);
    text_init(&printable, TEXT_MAXIMUM);
    for (size_t i = 0; i < table->count && status == STATUS_OK; i++) {
        unsigned width;
        text_clear(&bare);
        text_clear(&printable);
        (table->is_rounded ? cell_append_rounded : cell_append)(&bare, &cells[i]);
        append_printable(&printable, text_slice(&bare));
        row[i] = arena_copy(&table->arena, text_slice(&printable));
        if (!row[i].data || bare.failed || printable.failed)
            status = fail_no_memory(err);
        width = display_width(row[i]);
        if (table->is_started)
            continue;
        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
        if (cells[i].type == CELL_TEXT || cells[i].type == CELL_BLOB)
            table->is_number[i] = false;
    }
    text_deinit(&bare);
    text_deinit(&printable);
    return status;
}

enum status table_add(struct table *table, const struct cell *cells, struct text *out,
                      struct error *err)
{
    TRY(hold(table, cells, err));
    table->held_rows++;
    if (table->held_rows == TABLE_ROWS_HELD)
        release(table, out);
    return STATUS_OK;
}

enum status table_end(struct table *table, struct text *out, struct error *err)
{
    (void)err;
    release(table, out);
    return STATUS_OK;
}
