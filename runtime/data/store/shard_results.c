#include "runtime/data/store/shard_results.h"

#define REASON_BYTES_MAX 1024
#define INPUTS_BYTES_MAX ((size_t)1 << 28)

enum entry { ENTRY_OUTPUTS, ENTRY_REASON };

void shard_put_outputs(struct text *out)
{
    put_u8(out, ENTRY_OUTPUTS);
}

void shard_put_reason(struct text *out, const char *reason)
{
    struct slice text = slice_of(reason);

    if (text.size > REASON_BYTES_MAX)
        text.size = REASON_BYTES_MAX;
    put_u8(out, ENTRY_REASON);
    put_sized(out, text);
}

void shard_put_metrics(struct text *out, const struct metrics_row *row)
{
    put_u32(out, row->label);
    put_u32(out, row->predicted);
    put_f64(out, (double)row->score);
    put_f64(out, row->loss);
    put_f64(out, row->value);
    put_sized(out, row->inputs);
    put_sized(out, row->scores);
    put_u8(out, (uint8_t)row->number_count);
    for (uint32_t i = 0; i < row->number_count; i++)
        put_f64(out, row->numbers[i]);
    if (row->number_count == 0)
        return;
    put_f64(out, row->upper);
    put_u64(out, row->group);
    put_u64(out, row->key);
}

void shard_put_label_metrics(struct text *out, const struct metrics_row *row)
{
    put_u8(out, row != NULL);
    if (row)
        shard_put_metrics(out, row);
}

static enum status damaged(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "the results of a shard are damaged");
}

/* Reads the reason why a row has no results. A reason of size 0: the results follow. */
static enum status read_entry(struct byte_reader *reader, struct slice *reason, struct error *err)
{
    const uint8_t entry = read_u8(reader);

    *reason = (struct slice){NULL, 0};
    if (entry == ENTRY_REASON) {
        *reason = read_sized(reader, REASON_BYTES_MAX);
        return reader->failed || reason->size == 0 ? damaged(err) : STATUS_OK;
    }
    return entry == ENTRY_OUTPUTS && !reader->failed ? STATUS_OK : damaged(err);
}

enum status shard_read_outputs(struct byte_reader *reader, struct cell *cells, size_t count,
                               struct slice *reason, struct error *err)
{
    TRY(read_entry(reader, reason, err));
    if (reason->size > 0)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        cell_read(reader, &cells[i]);
    return reader->failed ? damaged(err) : STATUS_OK;
}

/* Reads the measures of a regressor with another aim than means. */
static bool read_numbers(struct byte_reader *reader, struct metrics_row *row)
{
    row->number_count = read_u8(reader);
    if (row->number_count > QUANTILES_MAX)
        return false;
    for (uint32_t i = 0; i < row->number_count; i++)
        row->numbers[i] = read_f64(reader);
    if (row->number_count == 0)
        return true;
    row->upper = read_f64(reader);
    row->group = read_u64(reader);
    row->key = read_u64(reader);
    return true;
}

enum status shard_read_metrics(struct byte_reader *reader, struct metrics_row *row,
                               struct slice *reason, struct error *err)
{
    if (reason) {
        TRY(read_entry(reader, reason, err));
        if (reason->size > 0)
            return STATUS_OK;
    }
    *row = (struct metrics_row){.label = read_u32(reader)};
    row->predicted = read_u32(reader);
    row->score = (float)read_f64(reader);
    row->loss = read_f64(reader);
    row->value = read_f64(reader);
    row->inputs = read_sized(reader, INPUTS_BYTES_MAX);
    row->scores = read_sized(reader, RANKED_CLASSES_MAX * sizeof(float));
    return !read_numbers(reader, row) || reader->failed ? damaged(err) : STATUS_OK;
}

enum status shard_read_label_metrics(struct byte_reader *reader, bool *has_label,
                                     struct metrics_row *row, struct error *err)
{
    const uint8_t is_there = read_u8(reader);

    if (reader->failed || is_there > 1)
        return damaged(err);
    *has_label = is_there;
    return is_there ? shard_read_metrics(reader, row, NULL, err) : STATUS_OK;
}
