#include "runtime/data/spool/spool_block.h"

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "spool: %s", what);
}

size_t spool_fixed_size(const struct spool_shape *shape, uint32_t rows)
{
    const uint32_t texts = shape->column_count - shape->number_count;

    return shape->column_count * spool_nulls_size(rows) +
           spool_numbers_size(rows, shape->number_count) + texts * spool_offsets_size(rows);
}

/* The bitmap, unless no bit is set in it. */
static enum status read_nulls(const uint8_t *bitmap, uint32_t rows, const uint8_t **nulls,
                              struct error *err)
{
    uint8_t any = 0;

    if (rows % 8 && bitmap[rows / 8] >> (rows % 8))
        return corrupt(err, "a NULL bitmap is longer than its block");
    for (uint32_t i = 0; i < (rows + 7) / 8; i++)
        any |= bitmap[i];
    *nulls = any ? bitmap : NULL;
    return STATUS_OK;
}

/* Rows [first, end) of a block. */
struct looked_at {
    uint32_t first, end;
};

/* Offsets that start at 0 and, as far as they are looked at, never fall; *left is what the file
 * still has. */
static enum status read_texts(struct spool_column_view *view, uint32_t rows,
                              const struct looked_at *looked_at, const uint8_t **at, size_t *left,
                              struct error *err)
{
    size_t size = view->offsets[rows];

    if (view->offsets[0] != 0)
        return corrupt(err, "a text starts before its column");
    for (uint32_t i = looked_at->first; i < looked_at->end; i++)
        if (view->offsets[i] > view->offsets[i + 1] ||
            view->offsets[i + 1] - view->offsets[i] > SPOOL_TEXT_BYTES_MAX)
            return corrupt(err, "a text ends before it starts");
    if (view->offsets[looked_at->end] > size)
        return corrupt(err, "a text ends behind its column");
    if (spool_pad(size) > *left)
        return corrupt(err, "a text is longer than its block");
    view->bytes = (const char *)*at;
    *at += spool_pad(size);
    *left -= spool_pad(size);
    return STATUS_OK;
}

static enum status view(const struct spool_shape *shape, struct spool_block *block,
                        const struct looked_at *looked_at, struct error *err)
{
    const uint32_t rows = block->rows;
    const uint8_t *at = block->bytes;
    const uint8_t *texts = at + spool_fixed_size(shape, rows);
    size_t left = block->size - (size_t)(texts - at);
    uint32_t number = 0;

    for (uint32_t i = 0; i < shape->column_count; i++, at += spool_nulls_size(rows))
        TRY(read_nulls(at, rows, &block->columns[i].nulls, err));
    block->numbers = (const int64_t *)at;
    at += spool_numbers_size(rows, shape->number_count);
    for (uint32_t i = 0; i < shape->column_count; i++) {
        struct spool_column_view *column = &block->columns[i];

        column->type = shape->types[i];
        if (column->type != SPOOL_TEXT) {
            column->numbers = block->numbers + number++;
            column->stride = shape->number_count;
            continue;
        }
        column->offsets = (const uint32_t *)at;
        at += spool_offsets_size(rows);
        TRY(read_texts(column, rows, looked_at, &texts, &left, err));
    }
    return left == 0 ? STATUS_OK : corrupt(err, "a block is longer than its rows");
}

enum status spool_view_columns(const struct spool_shape *shape, struct spool_block *block,
                               struct error *err)
{
    return view(shape, block, &(struct looked_at){0, block->rows}, err);
}

enum status spool_view_row(const struct spool_shape *shape, struct spool_block *block, uint32_t row,
                           struct error *err)
{
    return view(shape, block, &(struct looked_at){row, row + 1}, err);
}
