#include "cli/printing/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/printing/display.h"
#include "cli/printing/format_table.h"

static const char *const format_names[] = {
#define X(name, text) text,
    FORMAT_MAP(X)
#undef X
};

bool format_find(struct slice name, enum format *format)
{
    for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++) {
        if (slice_is(name, format_names[i])) {
            *format = (enum format)i;
            return true;
        }
    }
    return false;
}

void formatter_init(struct formatter *formatter, enum format format, FILE *out)
{
    *formatter = (struct formatter){.format = format, .out = out, .is_ours = true};
    text_init(&formatter->line, TEXT_MAXIMUM);
}

static void forget_columns(struct formatter *formatter)
{
    for (size_t i = 0; i < formatter->count; i++)
        free((char *)formatter->names[i].data);
    free(formatter->names);
    table_free(formatter->table);
    formatter->names = NULL;
    formatter->count = 0;
    formatter->table = NULL;
    formatter->is_open = false;
}

void formatter_deinit(struct formatter *formatter)
{
    forget_columns(formatter);
    text_deinit(&formatter->line);
}

void cell_append(struct text *out, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_NULL:
        break;
    case CELL_INTEGER:
        text_printf(out, "%lld", (long long)cell->integer);
        break;
    case CELL_REAL:
        text_append_real(out, cell->real);
        break;
    case CELL_TEXT:
        text_append(out, cell->text);
        break;
    case CELL_BLOB:
    case CELL_VECTOR: /* no host has vectors in rows for people */
        text_append_string(out, "X'");
        for (size_t i = 0; i < cell->text.size; i++)
            text_printf(out, "%02X", (unsigned char)cell->text.data[i]);
        text_append_char(out, '\'');
        break;
    }
}

void cell_append_rounded(struct text *out, const struct cell *cell)
{
    if (cell->type == CELL_REAL)
        text_append_rounded(out, cell->real);
    else
        cell_append(out, cell);
}

/* ----- CSV and TSV ----- */

static char separator_of(const struct formatter *formatter)
{
    return formatter->format == FORMAT_TSV ? '\t' : ',';
}

static void csv_text(struct text *out, struct slice value, char separator)
{
    bool is_quoted = value.size == 0;

    for (size_t i = 0; i < value.size && !is_quoted; i++)
        is_quoted = value.data[i] == separator || strchr("\"\r\n", value.data[i]) != NULL;
    if (is_quoted)
        text_append_identifier(out, value); /* in double quotes, those inside doubled */
    else
        text_append(out, value);
}

static void csv_row(struct text *out, const struct cell *cells, size_t count, char separator)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_append_char(out, separator);
        if (cells[i].type == CELL_TEXT)
            csv_text(out, cells[i].text, separator);
        else
            cell_append(out, &cells[i]);
    }
    text_append_char(out, '\n');
}

static void csv_header(const struct formatter *formatter, struct text *out)
{
    for (size_t i = 0; i < formatter->count; i++) {
        if (i)
            text_append_char(out, separator_of(formatter));
        csv_text(out, formatter->names[i], separator_of(formatter));
    }
    text_append_char(out, '\n');
}

/* ----- JSON ----- */

/* Bytes of one well-formed character, 0 where there is none. */
static size_t character_size(const unsigned char *at, size_t left)
{
    size_t size = at[0] < 0x80       ? 1
                  : at[0] >> 5 == 6  ? 2
                  : at[0] >> 4 == 14 ? 3
                  : at[0] >> 3 == 30 ? 4
                                     : 0;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code;

    if (size == 0 || size > left)
        return 0;
    if (size == 1)
        return 1;
    code = at[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3Fu);
    }
    return code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : size;
}

static void json_text(struct text *out, struct slice value)
{
    text_append_char(out, '"');
    for (size_t i = 0; i < value.size;) {
        unsigned char c = (unsigned char)value.data[i];
        size_t size = character_size((const unsigned char *)value.data + i, value.size - i);
        if (size == 0)
            text_append_string(out, "\xEF\xBF\xBD"); /* the replacement character */
        else if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c == '\n')
            text_append_string(out, "\\n");
        else if (c == '\t')
            text_append_string(out, "\\t");
        else if (c < 0x20)
            text_printf(out, "\\u%04x", c);
        else
            text_append(out, (struct slice){value.data + i, size});
        i += size ? size : 1;
    }
    text_append_char(out, '"');
}

static void json_value(struct text *out, const struct cell *cell)
{
    struct text blob;

    switch (cell->type) {
    case CELL_NULL:
        text_append_string(out, "null");
        break;
    case CELL_REAL:
        if (isfinite(cell->real))
            text_append_real(out, cell->real);
        else
            text_append_string(out, "null");
        break;
    case CELL_TEXT:
        json_text(out, cell->text);
        break;
    case CELL_BLOB:
    case CELL_VECTOR: /* no host has vectors in rows for people */
        text_init(&blob, TEXT_MAXIMUM);
        cell_append(&blob, cell);
        json_text(out, text_slice(&blob));
        text_deinit(&blob);
        break;
    default:
        cell_append(out, cell);
    }
}

static void json_row(const struct formatter *formatter, struct text *out, const struct cell *cells)
{
    text_append_string(out, formatter->rows ? ",\n " : "[");
    for (size_t i = 0; i < formatter->count; i++) {
        text_append_char(out, i ? ',' : '{');
        json_text(out, formatter->names[i]);
        text_append_char(out, ':');
        json_value(out, &cells[i]);
    }
    text_append_char(out, '}');
}

/* ----- Markdown ----- */

static void markdown_text(struct text *out, struct slice value)
{
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '|' || value.data[i] == '\\')
            text_printf(out, "\\%c", value.data[i]);
        else if (value.data[i] == '\n')
            text_append_string(out, "<br>");
        else if (value.data[i] != '\r')
            text_append_char(out, value.data[i]);
    }
}

static void markdown_row(struct text *out, const struct cell *cells, size_t count)
{
    text_append_char(out, '|');
    for (size_t i = 0; i < count; i++) {
        struct text bare;
        text_init(&bare, TEXT_MAXIMUM);
        cell_append(&bare, &cells[i]);
        text_append_char(out, ' ');
        markdown_text(out, text_slice(&bare));
        text_append_string(out, " |");
        text_deinit(&bare);
    }
    text_append_char(out, '\n');
}

static void markdown_header(const struct formatter *formatter, struct text *out)
{
    text_append_char(out, '|');
    for (size_t i = 0; i < formatter->count; i++) {
        text_append_char(out, ' ');
        markdown_text(out, formatter->names[i]);
        text_append_string(out, " |");
    }
    text_append_string(out, "\n|");
    for (size_t i = 0; i < formatter->count; i++)
        text_append_string(out, "---|");
    text_append_char(out, '\n');
}

/* ----- one result ----- */

static enum status write_failed(struct formatter *formatter, struct error *err)
{
    formatter->reader_is_gone = errno == EPIPE;
    return fail_errno(err, STATUS_IO, "writing the result");
}

static enum status flush(struct formatter *formatter, struct error *err)
{
    struct text *line = &formatter->line;

    if (line->failed)
        return fail_no_memory(err);
    if (line->size && fwrite(line->data, 1, line->size, formatter->out) != line->size)
        return write_failed(formatter, err);
    text_clear(line);
    return STATUS_OK;
}

static enum status keep_names(struct formatter *formatter, const struct slice *names, size_t count,
                              struct error *err)
{
    formatter->names = calloc(count + 1, sizeof *formatter->names);
    if (!formatter->names)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        char *copy = strndup(names[i].data ? names[i].data : "", names[i].size);
        if (!copy)
            return fail_no_memory(err);
        formatter->names[formatter->count++] = (struct slice){copy, names[i].size};
    }
    return STATUS_OK;
}

/* Columns of the terminal that results go to; 0: they do not go to one, or it does not say. */
static unsigned terminal_columns(const struct formatter *formatter)
{
    struct winsize size;

    return ioctl(fileno(formatter->out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* A file and a pipe get all rows and all of their cells. */
static struct table *new_table(const struct formatter *formatter)
{
    struct table_shape shape = {.is_box = formatter->format == FORMAT_BOX,
                                .is_rounded = formatter->is_ours,
                                .is_wrapped = formatter->is_ours};

    if (isatty(fileno(formatter->out))) {
        shape.rows = formatter->rows_max;
        shape.columns = formatter->columns_max == FORMAT_OF_TERMINAL
                            ? terminal_columns(formatter)
                            : (unsigned)formatter->columns_max;
    }
    return table_new(formatter->names, formatter->count, &shape);
}

enum status formatter_columns(void *self, const struct slice *names, size_t count,
                              struct error *err)
{
    struct formatter *formatter = self;

    forget_columns(formatter);
    text_clear(&formatter->line);
    formatter->rows = 0;
    TRY(keep_names(formatter, names, count, err));
    formatter->is_open = true;
    switch (formatter->format) {
    case FORMAT_CSV:
    case FORMAT_TSV:
        csv_header(formatter, &formatter->line);
        break;
    case FORMAT_MARKDOWN:
        markdown_header(formatter, &formatter->line);
        break;
    case FORMAT_TABLE:
    case FORMAT_BOX:
        formatter->table = new_table(formatter);
        if (!formatter->table)
            return fail_no_memory(err);
        break;
    default:
        break;
    }
    return flush(formatter, err);
}

/* ----- lines ----- */

/* Breaks of lines stay, and the next one begins below the first. */
static void line_value(struct text *out, struct slice value, unsigned indent)
{
    for (size_t from = 0; from <= value.size;) {
        const char *end = memchr(value.data + from, '\n', value.size - from);
        const size_t size = end ? (size_t)(end - value.data) - from : value.size - from;

        if (from > 0)
            text_printf(out, "%*s", (int)indent, "");
        display_append(out, (struct slice){value.data + from, size});
        text_append_char(out, '\n');
        from += size + 1;
    }
}

static void line_row(const struct formatter *formatter, struct text *out, const struct cell *cells)
{
    unsigned widest = 0;
    struct text name, value;

    text_init(&name, TEXT_MAXIMUM);
    text_init(&value, TEXT_MAXIMUM);
    for (size_t i = 0; i < formatter->count; i++) {
        text_clear(&name);
        display_append(&name, formatter->names[i]);
        if (display_width(text_slice(&name)) > widest)
            widest = display_width(text_slice(&name));
    }
    if (formatter->rows > 0)
        text_append_char(out, '\n');
    for (size_t i = 0; i < formatter->count; i++) {
        text_clear(&name);
        text_clear(&value);
        display_append(&name, formatter->names[i]);
        text_printf(out, "%*s", (int)(widest - display_width(text_slice(&name))), "");
        text_append(out, text_slice(&name));
        text_append_string(out, " = ");
        (formatter->is_ours ? cell_append_rounded : cell_append)(&value, &cells[i]);
        line_value(out, value.size > 0 ? text_slice(&value) : SLICE(""), widest + 3);
    }
    out->failed |= name.failed || value.failed;
    text_deinit(&name);
    text_deinit(&value);
}

/* Line breaks and tabs stay; nothing else speaks to the terminal. */
static void bare_line(struct text *line, const struct cell *cell)
{
    const size_t first = line->size;
    struct text shown;

    cell_append(line, cell);
    text_init(&shown, TEXT_MAXIMUM);
    for (size_t i = first; i < line->size; i++) {
        const unsigned char c = (unsigned char)line->data[i];

        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
            text_printf(&shown, "\\x%02x", c);
        else
            text_append_char(&shown, (char)c);
    }
    line->size = first;
    text_append(line, text_slice(&shown));
    line->failed |= shown.failed;
    text_deinit(&shown);
    text_append_char(line, '\n');
}

enum status formatter_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct formatter *formatter = self;

    if (count > formatter->count)
        count = formatter->count;
    switch (formatter->format) {
    case FORMAT_TABLE:
    case FORMAT_BOX:
        TRY(table_add(formatter->table, cells, &formatter->line, err));
        break;
    case FORMAT_LINE:
        line_row(formatter, &formatter->line, cells);
        break;
    case FORMAT_CSV:
    case FORMAT_TSV:
        csv_row(&formatter->line, cells, count, separator_of(formatter));
        break;
    case FORMAT_JSON:
        json_row(formatter, &formatter->line, cells);
        break;
    case FORMAT_MARKDOWN:
        markdown_row(&formatter->line, cells, count);
        break;
    case FORMAT_BARE:
        for (size_t i = 0; i < count; i++)
            bare_line(&formatter->line, &cells[i]);
        break;
    }
    formatter->rows++;
    return flush(formatter, err);
}

enum status formatter_end(struct formatter *formatter, struct error *err)
{
    enum status status = STATUS_OK;

    if (!formatter->is_open)
        return STATUS_OK;
    if (formatter->table)
        table_end(formatter->table, &formatter->line);
    else if (formatter->format == FORMAT_JSON)
        text_append_string(&formatter->line, formatter->rows ? "]\n" : "[]\n");
    if (status == STATUS_OK)
        status = flush(formatter, err);
    forget_columns(formatter);
    if (status == STATUS_OK && fflush(formatter->out) != 0)
        return write_failed(formatter, err);
    return status;
}
