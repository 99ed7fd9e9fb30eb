#include "runtime/data/dataset/dataset_encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inputs/cells/cells.h"
#include "inputs/encoder.h"
#include "inputs/word_table.h"
#include "runtime/data/dataset/dataset_labels.h"
#include "runtime/data/dataset/row_split.h"
#include "runtime/data/spool/spool_reader.h"

#define CHUNK_ROWS 256 /* encoded column by column while they are in the cache */

/* State that the members of the team share: blocks are their tasks. */
struct encoding {
    const struct spool *spool;
    const struct dataset *dataset;
    const struct class_index *index;
    const struct split *split;
    struct dataset_part *train, *validation;
    bool has_plain_numbers;         /* dense is a row's first numbers, standardised */
    struct chunk_encoder *encoders; /* (team_size) */
    struct error *block_errors;     /* (block_count) */
};

static bool is_missing(const struct transform_input *input, const struct spool_column_view *view,
                       uint32_t row, double number)
{
    return spool_is_null(view, row) || transform_is_code(input, number);
}

static void encode_numeric(const struct transform_input *input,
                           const struct spool_column_view *view, const uint32_t *rows,
                           uint32_t count, float *dense, size_t stride)
{
    double numbers[CHUNK_ROWS] = {0};

    for (uint32_t r = 0; r < count; r++)
        numbers[r] = spool_number(view, rows[r]);
    transform_numbers(input, numbers, count, dense, stride);
    for (uint32_t r = 0; (view->nulls || input->has_code) && r < count; r++)
        if (is_missing(input, view, rows[r], numbers[r]))
            dense[r * stride] = input->null_value;
    for (uint32_t r = 0; input->dense_count == 2 && r < count; r++)
        dense[r * stride + 1] = is_missing(input, view, rows[r], numbers[r]);
}

/* Encodes what the floats in dense lost of the numbers of an input. */
static void encode_rests(const struct transform_input *input, const struct spool_column_view *view,
                         const uint32_t *rows, uint32_t count, float *rests, size_t stride)
{
    for (uint32_t r = 0; r < count; r++) {
        const double number = spool_number(view, rows[r]);

        rests[r * stride] =
            is_missing(input, view, rows[r], number) ? 0 : transform_rest(input, number);
    }
}

/* Encodes rows [from, to) of a column of texts: NULLs, and words together. */
static void encode_words(const struct transform_input *input, const struct spool_column_view *view,
                         const uint32_t *rows, uint32_t from, uint32_t to, int32_t *ids,
                         size_t stride)
{
    struct slice words[WORD_TABLE_MANY];
    uint32_t of[WORD_TABLE_MANY], count = 0;
    int32_t found[WORD_TABLE_MANY];

    for (uint32_t r = from; r < to; r++) {
        ids[r * stride] = input->null_id;
        if (spool_is_null(view, rows[r]))
            continue;
        words[count] = spool_text(view, rows[r]);
        of[count++] = r;
    }
    if (count > 0)
        word_ids(input, words, count, found);
    for (uint32_t i = 0; i < count; i++)
        ids[of[i] * stride] = found[i];
}

/* Encodes a column of numbers that are ids, or fall into buckets. */
static enum status encode_numbers(const struct transform_input *input,
                                  const struct spool_column_view *view, const uint32_t *rows,
                                  uint32_t count, int32_t *ids, size_t stride, struct error *err)
{
    for (uint32_t r = 0; r < count; r++) {
        int32_t id = input->null_id;

        if (!spool_is_null(view, rows[r])) {
            id = input->encoder->number_id(input, spool_number(view, rows[r]));
            if (id < 0)
                return fail(err, STATUS_CORRUPT, "the spool's column \"%.*s\" holds no id",
                            SLICE_FORMAT(input->spec.name));
        }
        ids[r * stride] = id;
    }
    return STATUS_OK;
}

/* Encodes a column of texts, each of which holds several values. */
static enum status encode_texts(const struct transform_input *input,
                                const struct spool_column_view *view, const uint32_t *rows,
                                uint32_t count, int32_t *ids, size_t stride, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];

    for (uint32_t r = 0; r < count; r++) {
        struct cell cell = spool_cell(view, rows[r]);
        struct slice text;
        bool is_null;

        TRY(cell_to_word(&cell, input->spec.name, buffer, &text, &is_null, err));
        if (!input->encoder->text_ids(input, text, ids + r * stride))
            return fail(err, STATUS_CORRUPT, "the spool's column \"%.*s\" holds no such list",
                        SLICE_FORMAT(input->spec.name));
    }
    return STATUS_OK;
}

/* Encodes a column of numbers, which are words by their shortest decimals. */
static enum status encode_numbers_as_words(const struct transform_input *input,
                                           const struct spool_column_view *view,
                                           const uint32_t *rows, uint32_t count, int32_t *ids,
                                           size_t stride, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];

    for (uint32_t r = 0; r < count; r++) {
        struct cell cell = spool_cell(view, rows[r]);
        struct slice word;
        bool is_null;

        TRY(cell_to_word(&cell, input->spec.name, buffer, &word, &is_null, err));
        ids[r * stride] = is_null ? input->null_id : word_id(input, word);
    }
    return STATUS_OK;
}

/* Encodes an input that gives ids. */
static enum status encode_ids(const struct transform_input *input,
                              const struct spool_column_view *view, const uint32_t *rows,
                              uint32_t count, int32_t *ids, size_t stride, struct error *err)
{
    if (input->encoder->number_id)
        return encode_numbers(input, view, rows, count, ids, stride, err);
    if (input->encoder->text_ids)
        return encode_texts(input, view, rows, count, ids, stride, err);
    if (view->type != SPOOL_TEXT)
        return encode_numbers_as_words(input, view, rows, count, ids, stride, err);
    for (uint32_t r = 0; r < count; r += WORD_TABLE_MANY)
        encode_words(input, view, rows, r,
                     count - r < WORD_TABLE_MANY ? count : r + WORD_TABLE_MANY, ids, stride);
    return STATUS_OK;
}

/* Rows that are learned from have no class that the old model lacks; those held out may. */
static enum status check_classes_of_label(const struct transform_input *input, const int32_t *ids,
                                          uint32_t count, size_t stride, struct error *err)
{
    for (uint32_t r = 0; r < count; r++)
        if (ids[r * stride] < 0) {
            fail(err, STATUS_INVALID,
                 "label column \"%.*s\" has a class, in rows that are held out, that the old model "
                 "does not know",
                 SLICE_FORMAT(input->spec.name));
            return error_hint(err, "Leave such rows out of the SELECT, or train without USING.");
        }
    return STATUS_OK;
}

static enum status encode_inputs(const struct dataset *dataset, bool has_plain_numbers,
                                 struct chunk_encoder *encoder, const struct spool_block *block,
                                 const uint32_t *rows, uint32_t count, struct error *err)
{
    const struct transform *transform = &dataset->transform;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.type == INPUT_NUMERIC && has_plain_numbers)
            continue;
        if (input->spec.type == INPUT_NUMERIC)
            encode_numeric(input, &block->columns[i], rows, count,
                           encoder->dense + input->dense_offset, transform->dense_width);
        if (input->spec.type == INPUT_NUMERIC && transform->has_rests)
            encode_rests(input, &block->columns[i], rows, count,
                         encoder->dense + input->rest_offset, transform->dense_width);
        if (input->spec.type != INPUT_NUMERIC)
            TRY(encode_ids(input, &block->columns[i], rows, count, encoder->ids + input->id_offset,
                           transform->id_count, err));
        if (dataset->old_model && input->spec.label && input->spec.type != INPUT_NUMERIC)
            TRY(check_classes_of_label(input, encoder->ids + input->id_offset, count,
                                       transform->id_count, err));
    }
    return STATUS_OK;
}

/* A regression's. */
static void place_label(const struct dataset *dataset, const struct spool_column_view *column,
                        uint32_t row, struct dataset_part *part, size_t place)
{
    const double label = spool_number(column, row);

    part->values[place] = (float)((label - dataset->label_mean) / dataset->label_scale);
    if (part->labels)
        part->labels[place] = spool_is_null(column, row) ? NAN : label;
}

static void place_dense(const struct encoding *encoding, const struct chunk_encoder *encoder,
                        const struct spool_block *block, uint32_t r, uint32_t row,
                        struct dataset_part *part, size_t place)
{
    const struct transform *transform = &encoding->dataset->transform;
    const int64_t *numbers = block->numbers + (size_t)row * encoding->spool->number_count;
    const size_t width = transform->dense_width;

    if (encoding->has_plain_numbers)
        transform_reals(transform, (const double *)numbers, part->dense + place * width);
    else if (width)
        memcpy(part->dense + place * width, encoder->dense + r * width, width * sizeof(float));
}

static void place_roles(const struct dataset *dataset, const struct spool_block *block,
                        uint32_t row, struct dataset_part *part, size_t place)
{
    for (unsigned role = 0; role < ROW_ROLES; role++) {
        const struct spool_column_view *column = &block->columns[dataset->role_columns[role]];

        if (part->roles[role])
            part->roles[role][place] =
                spool_is_null(column, row) ? NAN : (float)spool_number(column, row);
    }
}

/* Row r of the chunk, which is `row` of its block, to its place in the part. */
static void place_row(const struct encoding *encoding, const struct chunk_encoder *encoder,
                      const struct spool_block *block, uint32_t r, uint32_t row)
{
    const struct dataset *dataset = encoding->dataset;
    const struct split *split = encoding->split;
    const uint64_t number = block->first_row + row;
    const bool trains = !split->is_training || split->is_training[number];
    const size_t place = split->places[number], ids = dataset->transform.id_count;
    const uint32_t inputs = dataset->transform.input_count; /* then comes the label */
    struct dataset_part *part = trains ? encoding->train : encoding->validation;

    place_dense(encoding, encoder, block, r, row, part, place);
    if (ids)
        memcpy(part->ids + place * ids, encoder->ids + r * ids, ids * sizeof(int32_t));
    part->hashes[place] = split->hashes[number];
    if (part->classes)
        part->classes[place] = class_of(encoding->index, &block->columns[inputs], row);
    else if (part->values)
        place_label(dataset, &block->columns[inputs], row, part, place);
    place_roles(dataset, block, row, part, place);
}

static enum status encode_block(const struct encoding *encoding, struct chunk_encoder *encoder,
                                const struct spool_block *block, struct error *err)
{
    uint32_t rows[CHUNK_ROWS];

    for (uint32_t first = 0; first < block->rows; first += CHUNK_ROWS) {
        uint32_t count = block->rows - first < CHUNK_ROWS ? block->rows - first : CHUNK_ROWS;

        for (uint32_t r = 0; r < count; r++)
            rows[r] = first + r;
        TRY(encode_inputs(encoding->dataset, encoding->has_plain_numbers, encoder, block, rows,
                          count, err));
        for (uint32_t r = 0; r < count; r++)
            place_row(encoding, encoder, block, r, first + r);
    }
    return STATUS_OK;
}

static void encode_task(void *context, uint32_t member, uint32_t number)
{
    const struct encoding *encoding = context;

    error_clear(&encoding->block_errors[number]);
    encode_block(encoding, &encoding->encoders[member], &encoding->spool->blocks[number],
                 &encoding->block_errors[number]);
    spool_release_block(encoding->spool, number);
}

bool encoder_init(struct chunk_encoder *encoder, const struct transform *transform)
{
    encoder->dense = malloc((CHUNK_ROWS * (size_t)transform->dense_width + 1) * sizeof(float));
    encoder->ids = malloc((CHUNK_ROWS * (size_t)transform->id_count + 1) * sizeof(int32_t));
    return encoder->dense && encoder->ids;
}

void encoder_deinit(struct chunk_encoder *encoder)
{
    free(encoder->dense);
    free(encoder->ids);
}

static bool allocate_encoders(const struct transform *transform, uint32_t count,
                              struct chunk_encoder *encoders)
{
    for (uint32_t i = 0; i < count; i++)
        if (!encoder_init(&encoders[i], transform))
            return false;
    return true;
}

/* Their inputs, some rows at a time. */
static enum status encode_some(const struct dataset *dataset, bool has_plain_numbers,
                               struct chunk_encoder *encoder, const struct spool_block *block,
                               const struct placed_rows *rows, uint32_t first, uint32_t count,
                               struct dataset_part *part, struct error *err)
{
    const struct transform *transform = &dataset->transform;
    const size_t width = transform->dense_width, ids = transform->id_count;

    TRY(encode_inputs(dataset, has_plain_numbers, encoder, block, rows->rows + first, count, err));
    for (uint32_t r = 0; r < count; r++) {
        const size_t place = rows->start + rows->places[first + r];
        const uint32_t row = rows->rows[first + r];

        if (has_plain_numbers)
            transform_reals(transform, (const double *)block->numbers + row * rows->stride,
                            part->dense + place * width);
        else if (width)
            memcpy(part->dense + place * width, encoder->dense + r * width, width * sizeof(float));
        if (ids)
            memcpy(part->ids + place * ids, encoder->ids + r * ids, ids * sizeof(int32_t));
    }
    return STATUS_OK;
}

enum status encode_placed(const struct dataset *dataset, bool has_plain_numbers,
                          const struct class_index *index, struct chunk_encoder *encoder,
                          const struct spool_block *block, const struct placed_rows *rows,
                          struct dataset_part *part, struct error *err)
{
    const struct spool_column_view *label = &block->columns[dataset->transform.input_count];

    for (uint32_t first = 0; first < rows->count; first += CHUNK_ROWS) {
        const uint32_t left = rows->count - first;

        TRY(encode_some(dataset, has_plain_numbers, encoder, block, rows, first,
                        left < CHUNK_ROWS ? left : CHUNK_ROWS, part, err));
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const size_t place = rows->start + rows->places[i];

        part->hashes[place] = block->hashes[rows->rows[i]];
        if (part->classes)
            part->classes[place] = class_of(index, label, rows->rows[i]);
        else if (part->values)
            place_label(dataset, label, rows->rows[i], part, place);
        place_roles(dataset, block, rows->rows[i], part, place);
    }
    return STATUS_OK;
}

enum status first_failure(const struct error *errors, uint32_t count, struct error *err)
{
    for (uint32_t i = 0; i < count; i++)
        if (errors[i].status != STATUS_OK) {
            *err = errors[i];
            return err->status;
        }
    return STATUS_OK;
}

static enum status run_encoding(struct encoding *encoding, struct team *team, struct error *err)
{
    const struct spool *spool = encoding->spool;

    /* The first blocks already touch nearly every page of the parts: the places
     * of their rows lie anywhere. So the spool's pages go before, and of those
     * that are read again each block's go behind it. */
    for (uint32_t b = 0; b < spool->block_count; b++)
        spool_release_block(spool, b);
    team_run(team, spool->block_count, encode_task, encoding);
    return first_failure(encoding->block_errors, spool->block_count, err);
}

/* Numbers of a category would lie among those of dense. */
bool has_plain_numbers(const struct spool *spool, const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_NUMERIC
                ? spool->types[i] != SPOOL_REAL || spool->summaries[i].nulls > 0 ||
                      transform->inputs[i].has_nulls
                : spool->types[i] != SPOOL_TEXT)
            return false;
    return transform->dense_width > 0 && !transform->has_rests && transform->offset_width == 0;
}

enum status encode_rows(const struct spool *spool, const struct dataset *dataset,
                        const struct class_index *index, const struct split *split,
                        struct team *team, struct dataset_part *train,
                        struct dataset_part *validation, struct error *err)
{
    struct encoding encoding = {.spool = spool,
                                .dataset = dataset,
                                .index = index,
                                .split = split,
                                .train = train,
                                .validation = validation,
                                .has_plain_numbers = has_plain_numbers(spool, &dataset->transform)};
    const uint32_t members = team_size(team);
    enum status status;

    encoding.encoders = calloc(members, sizeof *encoding.encoders);
    encoding.block_errors = calloc(spool->block_count + 1u, sizeof *encoding.block_errors);
    if (encoding.encoders && encoding.block_errors &&
        allocate_encoders(&dataset->transform, members, encoding.encoders))
        status = run_encoding(&encoding, team, err);
    else
        status = fail_no_memory(err);
    for (uint32_t i = 0; encoding.encoders && i < members; i++)
        encoder_deinit(&encoding.encoders[i]);
    free(encoding.encoders);
    free(encoding.block_errors);
    return status;
}

/* More have no size of 64 bits with the arrays of a part. */
static bool has_size(const struct dataset *dataset, uint64_t rows)
{
    const struct transform *transform = &dataset->transform;
    const uint64_t of_row = sizeof(struct row_hash) + (1 + ROW_ROLES) * sizeof(int32_t) +
                            sizeof(double) +
                            (transform->dense_width + transform->id_count) * sizeof(float);

    return rows <= (UINT64_MAX >> 1) / of_row;
}

/* One mapping, of which each array has whole pages. */
static size_t lay_out(const struct dataset *dataset, enum task task, struct dataset_part *part,
                      char *memory)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), rows = part->rows;
    size_t sizes[5 + ROW_ROLES] = {
        rows * dataset->transform.dense_width * sizeof *part->dense,
        rows * dataset->transform.id_count * sizeof *part->ids,
        rows * sizeof *part->hashes,
        task_has_label(task) ? rows * sizeof *part->classes : 0,
        dataset->keeps_labels ? rows * sizeof *part->labels : 0,
    };
    size_t at[sizeof sizes / sizeof *sizes], end = 0;

    for (unsigned role = 0; role < ROW_ROLES; role++)
        sizes[5 + role] = dataset->role_columns[role] ? rows * sizeof(float) : 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        at[i] = end;
        end += (sizes[i] + page) / page * page; /* never empty */
    }
    if (memory) {
        part->dense = (float *)(memory + at[0]);
        part->ids = (int32_t *)(memory + at[1]);
        part->hashes = (struct row_hash *)(memory + at[2]);
        if (task == TASK_CLASSIFICATION)
            part->classes = (int32_t *)(memory + at[3]);
        else if (task == TASK_REGRESSION)
            part->values = (float *)(memory + at[3]);
        if (dataset->keeps_labels)
            part->labels = (double *)(memory + at[4]);
        for (unsigned role = 0; role < ROW_ROLES; role++)
            if (dataset->role_columns[role])
                part->roles[role] = (float *)(memory + at[5 + role]);
    }
    return end;
}

enum status part_allocate(const struct dataset *dataset, enum task task, uint64_t rows,
                          struct dataset_part *part, struct error *err)
{
    void *memory;

    if (!has_size(dataset, rows))
        return fail(err, STATUS_LIMIT, "%llu rows are more than can have addresses",
                    (unsigned long long)rows);
    part->rows = rows;
    if (rows == 0)
        return STATUS_OK;
    part->memory_size = lay_out(dataset, task, part, NULL);
    memory = mmap(NULL, part->memory_size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fail(err, STATUS_NO_MEMORY, "no addresses are free for %llu rows, which are %llu bytes",
             (unsigned long long)rows, (unsigned long long)part->memory_size);
        *part = (struct dataset_part){0};
        return STATUS_NO_MEMORY;
    }
    part->memory = memory;
    lay_out(dataset, task, part, memory);
    return STATUS_OK;
}

void part_free(struct dataset_part *part)
{
    if (part->memory)
        munmap(part->memory, part->memory_size);
    *part = (struct dataset_part){0};
}
