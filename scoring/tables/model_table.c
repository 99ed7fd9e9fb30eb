#include "scoring/tables/model_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"
#include "scoring/kind.h"
#include "scoring/statistics/input_statistics.h"
#include "scoring/tables/model_bytes.h"
#include "scoring/tables/model_meta.h"

#define CACHE_LINE 64 /* bytes */

/* A tensor that is being put together from its chunks. */
struct tensor {
    char name[MODEL_ARRAY_NAME];
    float *elements;
    size_t bytes;
    uint64_t chunks, missing;
    uint8_t *is_there; /* (chunks) */
};

/* A row that came before the meta row. */
struct pending {
    struct pending *next;
    struct model_row row;
    char bytes[];
};

struct model_reader {
    struct arena *arena;
    struct model model;
    bool has_meta;
    uint64_t rows;
    const struct kind *const *kinds;
    struct tensor *tensors; /* one for each array of the kind */
    uint32_t tensor_count;
    uint64_t words_missing;
    struct slice *statistics; /* (model.statistics_count) */
    uint32_t statistics_missing;
    uint32_t input; /* where the last word went: words come column by column */
    struct pending *pending;
    size_t pending_bytes;
};

enum status model_reader_new(const struct kind *const *kinds, struct arena *arena,
                             struct model_reader **reader, struct error *err)
{
    *reader = calloc(1, sizeof **reader);
    if (!*reader)
        return fail_no_memory(err);
    (*reader)->kinds = kinds;
    (*reader)->arena = arena;
    return STATUS_OK;
}

void model_reader_free(struct model_reader *reader)
{
    while (reader && reader->pending) {
        struct pending *next = reader->pending->next;
        free(reader->pending);
        reader->pending = next;
    }
    free(reader);
}

/* Whole vectors are read a few times faster where they do not straddle cache lines. */
static float *alloc_aligned(struct arena *arena, size_t bytes)
{
    char *memory = bytes > SIZE_MAX - CACHE_LINE ? NULL : arena_alloc(arena, bytes + CACHE_LINE);

    return memory ? (float *)(void *)(memory + (-(uintptr_t)memory & (CACHE_LINE - 1))) : NULL;
}

static enum status expect_tensor(struct model_reader *reader, const struct model_array *array,
                                 struct error *err)
{
    struct tensor *tensor = &reader->tensors[reader->tensor_count++];

    memcpy(tensor->name, array->name, sizeof tensor->name);
    tensor->bytes = array->rows * array->width * sizeof(float);
    tensor->chunks = (tensor->bytes + MODEL_CHUNK_BYTES - 1) / MODEL_CHUNK_BYTES;
    tensor->missing = tensor->chunks;
    tensor->elements = alloc_aligned(reader->arena, tensor->bytes);
    tensor->is_there = arena_alloc(reader->arena, tensor->chunks);
    if (!tensor->elements || !tensor->is_there)
        return fail(err, STATUS_NO_MEMORY,
                    "%s of the model: %zu bytes, more than there is room for", tensor->name,
                    tensor->bytes);
    *array->elements = tensor->elements;
    return STATUS_OK;
}

static enum status expect_words(struct model_reader *reader, struct transform_input *input,
                                struct error *err)
{
    input->words = ARENA_NEW(reader->arena, struct slice, input->word_count);
    input->word_counts = ARENA_NEW(reader->arena, uint64_t, input->word_count);
    reader->words_missing += input->word_count;
    if (!input->words || !input->word_counts)
        return fail(err, STATUS_NO_MEMORY, "a vocabulary of %u words, more than there is room for",
                    input->word_count);
    return STATUS_OK;
}

static enum status expect_rest(struct model_reader *reader, struct error *err)
{
    struct model *model = &reader->model;
    struct model_array array;
    uint32_t count = 0;

    while (model->kind->array(model, count, &array))
        count++;
    reader->tensors = ARENA_NEW(reader->arena, struct tensor, count);
    if (!reader->tensors)
        return fail_no_memory(err);
    for (uint32_t i = 0; model->kind->array(model, i, &array); i++)
        TRY(expect_tensor(reader, &array, err));
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.type == INPUT_CATEGORY ||
            model->transform.inputs[i].word_count > 0)
            TRY(expect_words(reader, &model->transform.inputs[i], err));
    reader->statistics = ARENA_NEW(reader->arena, struct slice, model->statistics_count + 1);
    model->statistics = reader->statistics;
    reader->statistics_missing = model->statistics_count;
    return reader->statistics ? STATUS_OK : fail_no_memory(err);
}

static enum status unexpected(const struct model_row *row, const char *why, struct error *err)
{
    int shown = row->name.size > 60 ? 60 : (int)row->name.size;

    return fail(err, STATUS_CORRUPT, "model: %.*s \"%.*s\" %lld %s",
                row->part.size > 20 ? 20 : (int)row->part.size, row->part.data, shown,
                row->name.data, (long long)row->position, why);
}

enum status model_chunk_check(const struct model_row *row, struct error *err)
{
    uint64_t hash;

    if (!row->has_data || row->data.size < sizeof hash)
        return unexpected(row, "has no checksum", err);
    memcpy(&hash, row->data.data, sizeof hash);
    return hash == bytes_hash(row->data.data + sizeof hash, row->data.size - sizeof hash, 0)
               ? STATUS_OK
               : unexpected(row, "does not match its checksum", err);
}

static enum status add_chunk(struct model_reader *reader, const struct model_row *row,
                             struct error *err)
{
    struct tensor *tensor = NULL;
    size_t at, size;

    for (uint32_t i = 0; i < reader->tensor_count && !tensor; i++)
        if (slice_is(row->name, reader->tensors[i].name))
            tensor = &reader->tensors[i];
    if (!tensor || row->position < 0 || (uint64_t)row->position >= tensor->chunks)
        return unexpected(row, "does not belong to it", err);
    if (tensor->is_there[row->position])
        return unexpected(row, "is there twice", err);
    at = (size_t)row->position * MODEL_CHUNK_BYTES;
    size = tensor->bytes - at < MODEL_CHUNK_BYTES ? tensor->bytes - at : MODEL_CHUNK_BYTES;
    if (!row->has_data || row->data.size != sizeof(uint64_t) + size)
        return unexpected(row, "has another size than its shape", err);
    TRY(model_chunk_check(row, err));
    memcpy((char *)tensor->elements + at, row->data.data + sizeof(uint64_t), size);
    tensor->is_there[row->position] = 1;
    tensor->missing--;
    return STATUS_OK;
}

static struct transform_input *find_input(struct model_reader *reader, struct slice name)
{
    struct transform *transform = &reader->model.transform;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        uint32_t at = (reader->input + i) % transform->input_count;
        if (slice_equal(transform->inputs[at].spec.name, name)) {
            reader->input = at;
            return &transform->inputs[at];
        }
    }
    return NULL;
}

static enum status add_word(struct model_reader *reader, const struct model_row *row,
                            struct error *err)
{
    struct transform_input *input = find_input(reader, row->name);

    if (!input || row->position < 0 || row->position >= (int64_t)input->word_count)
        return unexpected(row, "does not belong to it", err);
    if (input->words[row->position].data)
        return unexpected(row, "is there twice", err);
    if (!row->has_data)
        return unexpected(row, "has no word", err);
    input->words[row->position] = arena_copy(reader->arena, row->data);
    if (!input->words[row->position].data)
        return fail_no_memory(err);
    if (row->has_value && row->value > 0 && row->value < 0x1p53)
        input->word_counts[row->position] = (uint64_t)row->value;
    reader->words_missing--;
    return STATUS_OK;
}

/* They are kept as they are, and read where somebody asks for them (drift.h). */
static enum status add_statistics(struct model_reader *reader, const struct model_row *row,
                                  struct error *err)
{
    struct slice *statistics;

    if (row->position < 0 || row->position >= (int64_t)reader->model.statistics_count)
        return unexpected(row, "does not belong to it", err);
    statistics = &reader->statistics[row->position];
    if (statistics->data)
        return unexpected(row, "is there twice", err);
    if (!row->has_data || row->data.size == 0 || row->data.size > STATISTICS_BYTES_MAX)
        return unexpected(row, "has another size than statistics have", err);
    *statistics = arena_copy(reader->arena, row->data);
    if (!statistics->data)
        return fail_no_memory(err);
    reader->statistics_missing--;
    return STATUS_OK;
}

static enum status add_row(struct model_reader *reader, const struct model_row *row,
                           struct error *err)
{
    if (slice_is(row->part, "statistics"))
        return add_statistics(reader, row, err);
    return slice_is(row->part, "tensor") ? add_chunk(reader, row, err) : add_word(reader, row, err);
}

/* Held until the meta row shows how much memory it may take; no more bytes than
 * the arena would hold. */
static enum status keep_row(struct model_reader *reader, const struct model_row *row,
                            struct error *err)
{
    const size_t data_size = row->has_data ? row->data.size : 0;
    const size_t part_size = row->part.size, name_size = row->name.size;
    struct pending *pending;
    size_t size;

    if (name_size > MODEL_META_BYTES_MAX || data_size > MODEL_META_BYTES_MAX)
        return unexpected(row, "is too long", err);
    size = sizeof *pending + part_size + name_size + data_size;
    if (size > reader->arena->maximum || reader->pending_bytes > reader->arena->maximum - size)
        return fail(err, STATUS_NO_MEMORY, "the model takes more than %zu bytes",
                    reader->arena->maximum);
    pending = malloc(size);
    if (!pending)
        return fail_no_memory(err);
    reader->pending_bytes += size;
    pending->row = *row;
    pending->row.part.data = memcpy(pending->bytes, row->part.data, part_size);
    pending->row.name.data = pending->bytes + part_size;
    if (name_size)
        memcpy(pending->bytes + part_size, row->name.data, name_size);
    pending->row.data = (struct slice){pending->bytes + part_size + name_size, data_size};
    if (data_size)
        memcpy(pending->bytes + part_size + name_size, row->data.data, data_size);
    pending->next = reader->pending;
    reader->pending = pending;
    return STATUS_OK;
}

static enum status add_meta(struct model_reader *reader, const struct model_row *row,
                            struct error *err)
{
    if (reader->has_meta)
        return unexpected(row, "is there twice", err);
    if (!row->has_data)
        return unexpected(row, "is empty", err);
    TRY(model_meta_read(row->data, reader->kinds, reader->arena, &reader->model, err));
    TRY(expect_rest(reader, err));
    reader->has_meta = true;
    while (reader->pending) {
        struct pending *pending = reader->pending;
        enum status status = add_row(reader, &pending->row, err);

        reader->pending = pending->next;
        free(pending);
        TRY(status);
    }
    return STATUS_OK;
}

enum status model_reader_add(struct model_reader *reader, const struct model_row *row,
                             struct error *err)
{
    if (++reader->rows > MODEL_ROWS_MAX)
        return fail(err, STATUS_CORRUPT, "model: more than %llu rows",
                    (unsigned long long)MODEL_ROWS_MAX);
    if (slice_is(row->part, "meta"))
        return add_meta(reader, row, err);
    if (slice_is(row->part, "weight"))
        return STATUS_OK;
    if (!slice_is(row->part, "tensor") && !slice_is(row->part, "vocabulary") &&
        !slice_is(row->part, "statistics"))
        return unexpected(row, "belongs to no known part", err);
    return reader->has_meta ? add_row(reader, row, err) : keep_row(reader, row, err);
}

enum status model_reader_take(void *reader, const struct model_row *row, struct error *err)
{
    return model_reader_add(reader, row, err);
}

static enum status check_tensor(const struct tensor *tensor, struct error *err)
{
    if (tensor->missing)
        return fail(err, STATUS_CORRUPT, "model: %s lacks %llu of %llu chunks", tensor->name,
                    (unsigned long long)tensor->missing, (unsigned long long)tensor->chunks);
    for (size_t i = 0; i < tensor->bytes / sizeof(float); i++)
        if (!isfinite(tensor->elements[i]))
            return fail(err, STATUS_CORRUPT, "model: %s has a number that is not finite",
                        tensor->name);
    return STATUS_OK;
}

enum status model_reader_assemble(struct model_reader *reader, struct model *model,
                                  struct error *err)
{
    if (!reader->has_meta)
        return fail(err, STATUS_CORRUPT, "model: there is no meta row");
    for (uint32_t i = 0; i < reader->tensor_count; i++)
        TRY(check_tensor(&reader->tensors[i], err));
    if (reader->words_missing)
        return fail(err, STATUS_CORRUPT, "model: %llu words of its vocabularies are missing",
                    (unsigned long long)reader->words_missing);
    if (reader->statistics_missing)
        return fail(err, STATUS_CORRUPT, "model: %u rows of its statistics are missing",
                    reader->statistics_missing);
    TRY(transform_finish(&reader->model.transform, reader->arena, err));
    if (reader->model.kind->check)
        TRY(reader->model.kind->check(&reader->model, err));
    *model = reader->model;
    return STATUS_OK;
}

enum status model_reader_finish(struct model_reader *reader, struct model *model, struct error *err)
{
    struct model read;

    TRY(model_reader_assemble(reader, &read, err));
    if (model_checksum(&read) != read.checksum)
        return fail(err, STATUS_CORRUPT, "model: it was changed after training");
    *model = read;
    return STATUS_OK;
}
