#include "runtime/data/spool/spool_keyed.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/sums/hash.h"
#include "runtime/data/spool/held_out.h"
#include "runtime/data/spool/row_order.h"

#define RANGE_BYTES    32768 /* about, of a block of one range */
#define RANGES_BITS    10    /* into which a block in memory is dealt, at most */
#define OUT_BYTES      ((size_t)1 << 20)
#define TEXTS_AHEAD    16
#define KEY_BITS       64
#define PART_SHIFT     SPOOL_RANGE_BITS
#define RANGE_OF(row)  ((row) & (SPOOL_RANGES - 1))
#define PART_OF(range) ((range) >> PART_SHIFT)

/* The block as columns. */
static const struct spool_column_view *view_block(struct spool_writer *writer)
{
    for (uint32_t i = 0; i < writer->column_count; i++) {
        const struct writer_column *column = &writer->columns[i];

        writer->views[i] = (struct spool_column_view){
            .type = column->type, .nulls = column->has_nulls ? column->nulls : NULL};
        if (column->type == SPOOL_TEXT) {
            writer->views[i].offsets = column->offsets;
            writer->views[i].bytes = column->texts.data;
        } else {
            writer->views[i].numbers = writer->numbers + column->number;
            writer->views[i].stride = writer->number_count;
        }
    }
    return writer->views;
}

static enum status add_statistics(struct spool_writer *writer, struct error *err)
{
    if (!writer->statistics)
        return STATUS_OK;
    for (uint32_t row = 0; row < writer->block_rows; row++)
        writer->parts[row] = PART_OF(writer->ranges[row]) == SPOOL_KEPT;
    return column_statistics_add(writer->statistics, view_block(writer), 0, writer->block_rows,
                                 writer->parts, err);
}

/* Part and range of each row; counts of both parts. */
static void find_ranges(struct spool_writer *writer, uint32_t counts[SPOOL_PARTS])
{
    const struct row_hash *hashes = (const struct row_hash *)writer->block;
    const bool by_group = writer->order.held_out.by_group;
    const struct row_key lane = row_key_of_lane(writer->order.seed, by_group);
    const struct row_key held_out = row_key_of_held_out(writer->order.seed, by_group);
    const uint64_t below = held_out_below(&writer->order.held_out);

    for (uint32_t row = 0; row < writer->block_rows; row++) {
        uint32_t part = writer->parts[row];

        if (part == PART_BY_HASH)
            part = below > 0 && row_key_bits(&held_out, &hashes[row]) < below ? SPOOL_HELD_OUT
                                                                              : SPOOL_KEPT;
        counts[part]++;
        writer->ranges[row] = part << PART_SHIFT | (uint32_t)(row_key_bits(&lane, &hashes[row]) >>
                                                              (KEY_BITS - SPOOL_RANGE_BITS));
    }
}

static uint32_t bits_of(uint64_t bytes)
{
    uint32_t bits = 0;

    while (bits < RANGES_BITS && bytes >> bits > RANGE_BYTES)
        bits++;
    return bits;
}

/* The rows' numbers, range by range of both parts, to writer->places. Where each range begins, and
 * behind the last: starts (SPOOL_PARTS << RANGES_BITS, and one). */
static void deal_rows(struct spool_writer *writer, const uint32_t bits[SPOOL_PARTS],
                      uint32_t *starts)
{
    const uint32_t all = SPOOL_PARTS << RANGES_BITS;
    uint32_t next[SPOOL_PARTS << RANGES_BITS] = {0}, sum = 0;

    for (uint32_t row = 0; row < writer->block_rows; row++) {
        const uint32_t part = PART_OF(writer->ranges[row]);
        const uint32_t range = RANGE_OF(writer->ranges[row]) >> (SPOOL_RANGE_BITS - bits[part]);

        writer->ranges[row] = part << RANGES_BITS | range;
        next[writer->ranges[row]]++;
    }
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t count = next[i];

        starts[i] = next[i] = sum;
        sum += count;
    }
    starts[all] = sum;
    for (uint32_t row = 0; row < writer->block_rows; row++)
        writer->places[next[writer->ranges[row]]++] = row;
}

/* ---- one range ---- */

static size_t text_bytes(const struct writer_column *column, const uint32_t *rows, uint32_t count)
{
    size_t size = 0;

    for (uint32_t i = 0; i < count; i++)
        size += column->offsets[rows[i] + 1] - column->offsets[rows[i]];
    return size;
}

static size_t gather_nulls(const struct writer_column *column, const uint32_t *rows, uint32_t count,
                           char *to)
{
    for (uint32_t i = 0; i < count && column->has_nulls; i++)
        if (column->nulls[rows[i] / 8] >> (rows[i] % 8) & 1)
            to[i / 8] = (char)(to[i / 8] | 1 << (i % 8));
    return spool_nulls_size(count);
}

static size_t gather_numbers(const struct spool_writer *writer, const uint32_t *rows,
                             uint32_t count, char *to)
{
    const size_t width = writer->number_count, bytes = width * sizeof *writer->numbers;

    for (uint32_t i = 0; i < count && width; i++)
        memcpy(to + i * bytes, writer->numbers + rows[i] * width, bytes);
    return spool_numbers_size(count, writer->number_count);
}

/* Words are most often short: two halves, which may overlap, are faster than a call. */
static void copy_text(char *to, const char *from, uint32_t size)
{
    uint64_t first, last;
    uint32_t start, end;

    if (size > 2 * sizeof first) {
        memcpy(to, from, size);
    } else if (size >= sizeof first) {
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + size - sizeof last, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy(to + size - sizeof last, &last, sizeof last);
    } else if (size >= sizeof start) {
        memcpy(&start, from, sizeof start);
        memcpy(&end, from + size - sizeof end, sizeof end);
        memcpy(to, &start, sizeof start);
        memcpy(to + size - sizeof end, &end, sizeof end);
    } else {
        for (uint32_t i = 0; i < size; i++)
            to[i] = from[i];
    }
}

/* The texts' offsets to `offsets`, and the texts to `to`. The rows lie anywhere in the block: their
 * offsets are near since text_bytes, and texts are fetched beside those before them. */
static size_t gather_texts(const struct writer_column *column, const uint32_t *rows, uint32_t count,
                           uint32_t *offsets, char *to)
{
    const char *texts = column->texts.size > 0 ? column->texts.data : ""; /* no bytes: no address */
    uint32_t size = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = column->offsets[rows[i]];
        const uint32_t own = column->offsets[rows[i] + 1] - first;

        if (i + TEXTS_AHEAD < count)
            __builtin_prefetch(texts + column->offsets[rows[i + TEXTS_AHEAD]]);
        copy_text(to + size, texts + first, own);
        size += own;
        offsets[i + 1] = size;
    }
    return spool_pad(size);
}

/* The rows as a block, at `to`, which is zeroed. */
static void gather(const struct spool_writer *writer, const uint32_t *rows, uint32_t count,
                   char *to)
{
    size_t at = 0, texts;

    for (uint32_t i = 0; i < writer->column_count; i++)
        at += gather_nulls(&writer->columns[i], rows, count, to + at);
    at += gather_numbers(writer, rows, count, to + at);
    texts = at + (writer->column_count - writer->number_count) * spool_offsets_size(count);
    for (uint32_t i = 0; i < writer->column_count; i++)
        if (writer->columns[i].type == SPOOL_TEXT) {
            texts +=
                gather_texts(&writer->columns[i], rows, count, (uint32_t *)(to + at), to + texts);
            at += spool_offsets_size(count);
        }
}

static enum status write_out(struct spool_writer *writer, struct error *err)
{
    if (writer->out.size > 0)
        TRY(spool_files_write(writer->files, writer->file, writer->out.data, writer->out.size,
                              writer->out_offset, err));
    writer->out.size = 0;
    return STATUS_OK;
}

/* The hashes of all rows, range by range; where they begin in the file. */
static enum status write_hashes(struct spool_writer *writer, uint64_t *offset, struct error *err)
{
    const struct row_hash *hashes = (const struct row_hash *)writer->block;
    const size_t size = writer->block_rows * sizeof *hashes;
    struct row_hash *to;

    TRY(spool_files_reserve(writer->files, &writer->file, size, offset, err));
    if (!run_reserve(&writer->out, size))
        return fail_no_memory(err);
    to = (struct row_hash *)writer->out.data;
    for (uint32_t i = 0; i < writer->block_rows; i++)
        to[i] = hashes[writer->places[i]];
    return spool_files_write(writer->files, writer->file, to, size, *offset, err);
}

static uint64_t sum_hashes(const struct spool_writer *writer, const uint32_t *rows, uint32_t count)
{
    const struct row_hash *hashes = (const struct row_hash *)writer->block;
    XXH3_state_t state;

    XXH3_64bits_reset(&state);
    for (uint32_t i = 0; i < count; i++)
        XXH3_64bits_update(&state, &hashes[rows[i]], sizeof *hashes);
    return XXH3_64bits_digest(&state);
}

static enum status write_range(struct spool_writer *writer, uint64_t hashes, uint32_t part,
                               uint32_t range, uint32_t bits, const uint32_t *rows, uint32_t count,
                               struct error *err)
{
    const uint32_t of_range = 1u << (SPOOL_RANGE_BITS - bits);
    struct spool_block_entry entry = {.hashes = hashes,
                                      .rows = count,
                                      .part = part,
                                      .first_range = (uint16_t)(range * of_range),
                                      .last_range = (uint16_t)(range * of_range + of_range - 1)};
    struct spool_place place;
    char *to;

    entry.size = writer->column_count * spool_nulls_size(count) +
                 spool_numbers_size(count, writer->number_count);
    for (uint32_t i = 0; i < writer->column_count; i++)
        if (writer->columns[i].type == SPOOL_TEXT)
            entry.size +=
                spool_offsets_size(count) + spool_pad(text_bytes(&writer->columns[i], rows, count));
    TRY(spool_files_place(writer->files, &writer->file, &entry, &place, err));
    if (writer->out.size > 0 && place.offset != writer->out_offset + writer->out.size)
        TRY(write_out(writer, err)); /* the file has another writer, too */
    if (writer->out.size == 0)
        writer->out_offset = place.offset;
    if (!run_reserve(&writer->out, entry.size))
        return fail_no_memory(err);
    to = writer->out.data + writer->out.size;
    memset(to, 0, entry.size);
    gather(writer, rows, count, to);
    spool_files_seal(writer->files, &place,
                     bytes_hash(to, entry.size, sum_hashes(writer, rows, count)));
    writer->out.size += entry.size;
    return writer->out.size < OUT_BYTES ? STATUS_OK : write_out(writer, err);
}

enum status spool_write_keyed(struct spool_writer *writer, struct error *err)
{
    uint32_t starts[(SPOOL_PARTS << RANGES_BITS) + 1], counts[SPOOL_PARTS] = {0};
    const uint64_t row_bytes =
        sizeof(struct row_hash) + writer->number_count * sizeof *writer->numbers +
        (writer->block_rows ? writer->block_text_size / writer->block_rows : 0);
    uint32_t bits[SPOOL_PARTS];
    uint64_t hashes;

    find_ranges(writer, counts);
    TRY(add_statistics(writer, err));
    for (uint32_t part = 0; part < SPOOL_PARTS; part++)
        bits[part] = bits_of(counts[part] * row_bytes);
    deal_rows(writer, bits, starts);
    TRY(write_hashes(writer, &hashes, err));
    for (uint32_t part = 0; part < SPOOL_PARTS; part++)
        for (uint32_t range = 0; range < 1u << bits[part]; range++) {
            const uint32_t *start = starts + (part << RANGES_BITS) + range;

            if (start[1] > start[0])
                TRY(write_range(writer, hashes + start[0] * sizeof(struct row_hash), part, range,
                                bits[part], writer->places + start[0], start[1] - start[0], err));
        }
    return write_out(writer, err);
}
