#include "extension/sqlite/functions/row_file.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cell_bytes.h"
#include "base/file_memory.h"

/* A row: u32 size, then its cells (cell_bytes.h). */
#define ROW_BYTES_MAX ((size_t)1 << 30)

enum status row_file_open(struct row_file *rows, const char *folder, size_t columns,
                          struct error *err)
{
    const int file = file_nameless(folder);

    *rows = (struct row_file){.columns = columns};
    text_init(&rows->bytes, ROW_BYTES_MAX);
    rows->cells = calloc(columns + 1, sizeof *rows->cells);
    rows->file = file < 0 ? NULL : fdopen(file, "w+b");
    if (!rows->file && file >= 0)
        (void)close(file);
    if (rows->file && rows->cells)
        return STATUS_OK;
    fail_errno(err, STATUS_IO, "cannot make room for rows in %s", folder);
    row_file_close(rows);
    return STATUS_IO;
}

void row_file_close(struct row_file *rows)
{
    if (rows->file)
        (void)fclose(rows->file);
    free(rows->cells);
    text_deinit(&rows->bytes);
    *rows = (struct row_file){0};
}

static enum status fail_to_write(struct error *err)
{
    return fail_errno(err, STATUS_IO, "cannot write the rows of the result");
}

enum status row_file_put(struct row_file *rows, const struct cell *cells, struct error *err)
{
    size_t start;

    text_clear(&rows->bytes);
    start = put_sized_begin(&rows->bytes);
    for (size_t i = 0; i < rows->columns; i++)
        cell_put(&rows->bytes, &cells[i]);
    put_sized_end(&rows->bytes, start);
    if (rows->bytes.failed)
        return fail(err, STATUS_LIMIT, "a row takes more than %zu bytes", ROW_BYTES_MAX);
    if (fwrite(rows->bytes.data, 1, rows->bytes.size, rows->file) != rows->bytes.size)
        return fail_to_write(err);
    rows->rows++;
    return STATUS_OK;
}

enum status row_file_end(struct row_file *rows, struct error *err)
{
    if (fflush(rows->file) != 0)
        return fail_to_write(err);
    rewind(rows->file);
    return STATUS_OK;
}

static bool take_bytes(struct row_file *rows, size_t size)
{
    char part[4096];

    text_clear(&rows->bytes);
    while (size > 0) {
        const size_t asked = size < sizeof part ? size : sizeof part;
        const size_t got = fread(part, 1, asked, rows->file);

        text_append(&rows->bytes, (struct slice){part, got});
        if (got != asked || rows->bytes.failed)
            return false;
        size -= asked;
    }
    return true;
}

static bool read_row(struct row_file *rows)
{
    struct byte_reader reader;
    size_t size;

    if (!take_bytes(rows, sizeof(uint32_t)))
        return false;
    reader = byte_reader_over(text_slice(&rows->bytes));
    size = read_u32(&reader);
    if (!take_bytes(rows, size))
        return false;
    rows->next++;
    reader = byte_reader_over(text_slice(&rows->bytes));
    for (size_t i = 0; i < rows->columns; i++)
        cell_read(&reader, &rows->cells[i]);
    return reader_is_done(&reader);
}

const struct cell *row_file_read(struct row_file *rows, uint64_t index)
{
    if (index >= rows->rows)
        return NULL;
    if (index + 1 == rows->next)
        return rows->cells;
    if (index < rows->next) {
        rewind(rows->file);
        rows->next = 0;
    }
    while (rows->next <= index)
        if (!read_row(rows)) {
            rows->next = 0;
            rewind(rows->file);
            return NULL;
        }
    return rows->cells;
}
