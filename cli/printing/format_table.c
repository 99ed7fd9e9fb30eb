#include "cli/printing/format_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/printing/display.h"
#include "cli/printing/format.h"
#include "cli/printing/table_fit.h"

#define WIDTH_LEAST 10 /* a wider column is not cut below this */

/* The lines of a table. Each side of a cell has a blank besides. */
struct strokes {
    const char *left, *between, *right;                /* strokes of a row */
    const char *top[3], *middle[3], *bottom[3], *dash; /* left, crossing, right; NULL: no line */
};

static const struct strokes plain = {"", "|", "", {NULL}, {"", "+", ""}, {NULL}, "-"};
static const struct strokes box = {"│", "│", "│", {"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"},
                                   "─"};

struct table {
    struct table_shape shape;
    const struct strokes *strokes;
    struct slice *names; /* printable */
    struct arena arena;  /* the names */
    size_t count;
    unsigned *widths, *least; /* widths of the columns: as shown, and the least ones */
    bool *is_number;          /* nothing but numbers and NULL in the rows that set the widths */
    struct slice **held;      /* each row is one allocation: its cells, then their bytes */
    size_t room;              /* in `held` */
    struct slice *rest;       /* rests of a row's cells that are not written yet */
    uint64_t rows;            /* since the start, or since the rows held were written */
    struct table_fit fit;
    bool is_started; /* the header was written */
};

static bool keep_name(struct table *table, size_t column, struct slice name)
{
    struct text printable;

    text_init(&printable, TEXT_MAXIMUM);
    display_append(&printable, name);
    table->names[column] = arena_copy(&table->arena, text_slice(&printable));
    text_deinit(&printable);
    return table->names[column].data && !printable.failed;
}

static bool allocate(struct table *table)
{
    const size_t count = table->count + 1;

    table->room = table->shape.rows ? table->shape.rows : TABLE_ROWS_HELD;
    table->names = calloc(count, sizeof *table->names);
    table->widths = calloc(count, sizeof *table->widths);
    table->least = calloc(count, sizeof *table->least);
    table->is_number = calloc(count, sizeof *table->is_number);
    table->rest = calloc(count, sizeof *table->rest);
    table->held = calloc(table->room, sizeof *table->held);
    return table->names && table->widths && table->least && table->is_number && table->rest &&
           table->held;
}

struct table *table_new(const struct slice *names, size_t count, const struct table_shape *shape)
{
    struct table *table = calloc(1, sizeof *table);
    bool is_whole;

    if (!table)
        return NULL;
    table->shape = *shape;
    table->strokes = shape->is_box ? &box : &plain;
    table->count = count;
    arena_init(&table->arena, ARENA_MAXIMUM);
    is_whole = allocate(table);
    for (size_t i = 0; i < count && is_whole; i++)
        is_whole = keep_name(table, i, names[i]);
    if (is_whole)
        return table;
    table_free(table);
    return NULL;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; table->held && i < table->room; i++)
        free(table->held[i]);
    arena_deinit(&table->arena);
    free(table->names);
    free(table->widths);
    free(table->least);
    free(table->is_number);
    free(table->rest);
    free(table->held);
    free(table);
}

/* ----- one row ----- */

static void append_times(struct text *out, const char *what, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        text_append_string(out, what);
}

static void append_line(const struct table *table, const char *const crossings[3], struct text *out)
{
    const size_t left_out = table->count - table->fit.left - table->fit.right;

    if (!crossings[0])
        return;
    text_append_string(out, crossings[0]);
    for (size_t i = 0; i < table->count; i++) {
        if (i == table->fit.left && left_out > 0)
            i += left_out - 1;
        append_times(
            out, table->strokes->dash,
            2 + (i >= table->fit.left && i < table->fit.left + left_out ? 1 : table->widths[i]));
        text_append_string(out, crossings[i + 1 < table->count ? 1 : 2]);
    }
    text_append_char(out, '\n');
}

/* The part of the cell that this line has room for; *rest is what the next line has. */
static void append_part(const struct table *table, struct slice *rest, unsigned width,
                        struct text *out)
{
    const struct slice cell = *rest;
    size_t size = cell.size, next = cell.size;

    if (table->shape.columns == 0) {
        text_append(out, cell);
    } else if (table->shape.is_wrapped) {
        size = display_line(cell, width, &next);
        text_append(out, (struct slice){cell.data, size});
    } else {
        display_append_cut(out, cell, width);
    }
    *rest = (struct slice){cell.data + next, cell.size - next};
}

static void append_cell(const struct table *table, size_t column, struct slice *rest, bool is_right,
                        bool is_last, struct text *out)
{
    const bool ends_here = is_last && table->strokes == &plain; /* no blanks at the end of a line */
    const unsigned wanted = table->widths[column];
    struct text part;
    unsigned width, pad;

    text_init(&part, TEXT_MAXIMUM);
    append_part(table, rest, wanted, &part);
    width = display_width(text_slice(&part));
    pad = width < wanted ? wanted - width : 0;
    text_append_char(out, ' ');
    if (is_right && part.size > 0)
        append_times(out, " ", pad);
    text_append(out, text_slice(&part));
    if (!(is_right && part.size > 0) && !ends_here)
        append_times(out, " ", pad);
    if (!ends_here)
        text_append_char(out, ' ');
    out->failed |= part.failed;
    text_deinit(&part);
}

/* One line of a row whose cells are in table->rest. False: nothing is left for another one. */
static bool append_row_line(struct table *table, const bool *is_right, struct text *out)
{
    const size_t left_out = table->count - table->fit.left - table->fit.right;
    bool goes_on = false;

    text_append_string(out, table->strokes->left);
    for (size_t i = 0; i < table->count; i++) {
        if (i > 0)
            text_append_string(out, table->strokes->between);
        if (i == table->fit.left && left_out > 0) {
            i += left_out - 1;
            text_append_string(out, i + 1 < table->count || table->shape.is_box ? " … " : " …");
            continue;
        }
        append_cell(table, i, &table->rest[i], is_right && is_right[i], i + 1 == table->count, out);
        goes_on |= table->rest[i].size > 0;
    }
    text_append_string(out, table->strokes->right);
    text_append_char(out, '\n');
    return goes_on;
}

static void append_row(struct table *table, const struct slice *cells, const bool *is_right,
                       struct text *out)
{
    memcpy(table->rest, cells, table->count * sizeof *cells);
    while (append_row_line(table, is_right, out))
        ;
}

/* ----- widths and rows that are held ----- */

static void measure(struct table *table, const struct slice *cells)
{
    for (size_t i = 0; i < table->count; i++) {
        const unsigned width = display_width(cells[i]);

        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
    }
}

/* Numbers are shown whole. */
static void set_widths(struct table *table)
{
    for (size_t i = 0; i < table->room && table->held[i]; i++)
        measure(table, table->held[i]);
    for (size_t i = 0; i < table->count; i++)
        table->least[i] =
            table->is_number[i] && table->widths[i] > WIDTH_LEAST ? table->widths[i] : WIDTH_LEAST;
    measure(table, table->names);
}

static void start_table(struct table *table, struct text *out)
{
    const unsigned columns = table->shape.columns;

    if (table->is_started)
        return;
    table->is_started = true;
    set_widths(table);
    table->fit = (struct table_fit){table->count, 0};
    if (columns > 0) /* a plain line of dashes has one less than a frame a cell, a box one more */
        table->fit = table_fit(table->widths, table->least, table->count,
                               table->shape.is_box ? columns - 1 : columns + 1);
    append_line(table, table->strokes->top, out);
    append_row(table, table->names, NULL, out);
    append_line(table, table->strokes->middle, out);
}

/* Where a row is held. Behind the first ones, which stay, the last ones take turns. */
static size_t place_of(const struct table *table, uint64_t row)
{
    const size_t first = table->room / 2, last = table->room - first;

    return row < table->room ? (size_t)row : first + (size_t)((row - table->room) % last);
}

static void write_held(struct table *table, uint64_t row, struct text *out)
{
    struct slice **held = &table->held[place_of(table, row)];

    append_row(table, *held, table->is_number, out);
    free(*held);
    *held = NULL;
}

static void write_gap(struct table *table, struct text *out)
{
    for (size_t i = 0; i < table->count; i++)
        table->rest[i] = SLICE("…");
    append_row_line(table, table->is_number, out);
}

static void release(struct table *table, struct text *out)
{
    const uint64_t first = table->rows > table->room ? table->room / 2 : table->rows;

    start_table(table, out);
    for (uint64_t row = 0; row < first; row++)
        write_held(table, row, out);
    if (first < table->rows)
        write_gap(table, out);
    for (uint64_t row = table->rows - (first < table->rows ? table->room - first : 0);
         row < table->rows; row++)
        write_held(table, row, out);
}

/* The cells as texts, in one allocation; NULL without memory. */
static struct slice *row_new(struct table *table, const struct cell *cells)
{
    struct slice *row = NULL;
    struct text bare, printable;
    char *bytes;

    text_init(&bare, TEXT_MAXIMUM);
    text_init(&printable, TEXT_MAXIMUM);
    for (size_t i = 0; i < table->count; i++) {
        const size_t before = printable.size;

        text_clear(&bare);
        (table->shape.is_rounded ? cell_append_rounded : cell_append)(&bare, &cells[i]);
        display_append(&printable, text_slice(&bare));
        table->rest[i] = (struct slice){NULL, printable.size - before};
    }
    if (!bare.failed && !printable.failed)
        row = malloc((table->count + 1) * sizeof *row + printable.size);
    if (row) {
        bytes = (char *)(row + table->count + 1);
        memcpy(bytes, printable.data ? printable.data : "", printable.size);
        for (size_t i = 0; i < table->count; bytes += row[i++].size)
            row[i] = (struct slice){bytes, table->rest[i].size};
    }
    text_deinit(&bare);
    text_deinit(&printable);
    return row;
}

enum status table_add(struct table *table, const struct cell *cells, struct text *out,
                      struct error *err)
{
    struct slice *row = row_new(table, cells), **held = &table->held[place_of(table, table->rows)];

    if (!row)
        return fail_no_memory(err);
    free(*held);
    *held = row;
    for (size_t i = 0; i < table->count && !table->is_started; i++)
        table->is_number[i] = (table->rows == 0 || table->is_number[i]) &&
                              cells[i].type != CELL_TEXT && cells[i].type != CELL_BLOB;
    table->rows++;
    if (table->shape.rows == 0 && table->rows == table->room) {
        release(table, out);
        table->rows = 0;
    }
    return STATUS_OK;
}

/* Says which rows and columns are not shown, and how to see them. */
static void append_left_out(const struct table *table, struct text *out)
{
    const size_t shown = table->fit.left + table->fit.right;

    if (table->shape.rows > 0 && table->rows > table->room)
        text_printf(out, "%llu rows, of which %zu are shown (.maxrows 0 shows all)\n",
                    (unsigned long long)table->rows, table->room);
    if (shown < table->count)
        text_printf(out,
                    "%zu columns, of which %zu are shown (.maxwidth 0 shows all, .mode line one "
                    "a line)\n",
                    table->count, shown);
}

void table_end(struct table *table, struct text *out)
{
    release(table, out);
    append_line(table, table->strokes->bottom, out);
    append_left_out(table, out);
}
