#include "extension/engine/rows/text_spool.h"

#include "runtime/data/spool/spool_reader.h"
#include "runtime/data/spool/spool_writer.h"

#define SPOOL_ARENA_MAX ((size_t)1 << 30) /* views of the blocks */

/* Does the text go on in the next row? */
enum { COLUMN_GOES_ON, COLUMN_PIECE, COLUMNS };

enum status text_spool_open(const char *path, struct spool_writer **writer, struct error *err)
{
    const struct spool_column columns[COLUMNS] = {
        {SLICE("goes on"), SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("piece"), SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}}};

    return spool_writer_open(path, columns, COLUMNS, 0, writer, err);
}

enum status text_spool_put(struct spool_writer *writer, struct slice text, struct error *err)
{
    struct slice rest = text, piece;

    do {
        piece = rest;
        if (piece.size > SPOOL_TEXT_BYTES_MAX)
            piece.size = SPOOL_TEXT_BYTES_MAX;
        rest.data += piece.size;
        rest.size -= piece.size;
        TRY(spool_put_integer(writer, rest.size > 0, err));
        TRY(spool_put_text(writer, piece, err));
        TRY(spool_end_row(writer, err));
    } while (rest.size > 0);
    return STATUS_OK;
}

struct reading {
    text_taker *take;
    void *context;
    struct text joined; /* the pieces of a text that goes on */
};

static enum status take_piece(struct reading *reading, bool goes_on, struct slice piece,
                              struct error *err)
{
    enum status status;

    if (!goes_on && reading->joined.size == 0)
        return reading->take(reading->context, piece, err);
    text_append(&reading->joined, piece);
    if (reading->joined.failed)
        return fail_no_memory(err);
    if (goes_on)
        return STATUS_OK;
    status = reading->take(reading->context, text_slice(&reading->joined), err);
    text_clear(&reading->joined);
    return status;
}

static enum status take_block(struct reading *reading, const struct spool_block *block,
                              struct error *err)
{
    for (uint32_t row = 0; row < block->rows; row++)
        TRY(take_piece(reading, spool_integer(&block->columns[COLUMN_GOES_ON], row) != 0,
                       spool_cell(&block->columns[COLUMN_PIECE], row).text, err));
    return STATUS_OK;
}

static enum status take_all(struct reading *reading, const struct spool *spool, struct error *err)
{
    if (spool->column_count != COLUMNS || spool->number_count != 1)
        return fail(err, STATUS_CORRUPT, "a spool of texts has other columns than it should");
    for (uint32_t i = 0; i < spool->block_count; i++) {
        TRY(take_block(reading, &spool->blocks[i], err));
        spool_release_block(spool, i);
    }
    return reading->joined.size == 0
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the last text of a spool has no end");
}

enum status text_spool_each(const char *path, text_taker *take, void *context, struct error *err)
{
    struct reading reading = {.take = take, .context = context};
    struct arena arena;
    struct spool spool;
    enum status status;

    arena_init(&arena, SPOOL_ARENA_MAX);
    status = spool_open(path, NULL, NULL, &arena, &spool, err);
    if (status == STATUS_OK) {
        text_init(&reading.joined, TEXT_MAXIMUM);
        status = take_all(&reading, &spool, err);
        text_deinit(&reading.joined);
        spool_close(&spool);
    }
    arena_deinit(&arena);
    return status;
}
