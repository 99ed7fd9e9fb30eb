#include "tests/fuzz/made_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kinds/kinds.h"
#include "scoring/tables/model_meta.h"
#include "scoring/tables/model_table.h"

#define PARAMETERS_MAX 20000

static uint8_t next_byte(struct slice *rest)
{
    uint8_t byte = 0;

    if (rest->size) {
        byte = (uint8_t)*rest->data++;
        rest->size--;
    }
    return byte;
}

/* A step of 1/16 near 0; behind byte 255 one that no training gives. */
static float next_weight(struct slice *rest)
{
    static const float far[] = {NAN,    INFINITY, -INFINITY, FLT_MAX,  -FLT_MAX, FLT_TRUE_MIN,
                                -0.0f,  0x1p24f,  0x1p31f,   -0x1p31f, 0x1p32f,  0x1p63f,
                                1e-30f, 65535,    65536,     1000};
    const uint8_t byte = next_byte(rest);

    if (byte < UINT8_MAX)
        return (float)(byte - 128) / 16;
    return far[next_byte(rest) % (sizeof far / sizeof *far)];
}

static enum status add_tensor(struct model_reader *reader, const struct model_array *array,
                              struct slice *rest, struct error *err)
{
    const size_t elements = (size_t)(array->rows * array->width);
    static char chunk[sizeof(uint64_t) + MODEL_CHUNK_BYTES];
    struct model_row row = {
        .part = SLICE("tensor"), .name = slice_of(array->name), .has_data = true};

    for (size_t at = 0; at < elements; at += MODEL_CHUNK_BYTES / sizeof(float)) {
        size_t count = elements - at;
        uint64_t hash;

        if (count > MODEL_CHUNK_BYTES / sizeof(float))
            count = MODEL_CHUNK_BYTES / sizeof(float);
        for (size_t i = 0; i < count; i++) {
            const float weight = next_weight(rest);

            memcpy(chunk + sizeof hash + i * sizeof weight, &weight, sizeof weight);
        }
        hash = XXH3_64bits(chunk + sizeof hash, count * sizeof(float));
        memcpy(chunk, &hash, sizeof hash);
        row.data = (struct slice){chunk, sizeof hash + count * sizeof(float)};
        TRY(model_reader_add(reader, &row, err));
        row.position++;
    }
    return STATUS_OK;
}

static enum status add_words(struct model_reader *reader, const struct transform_input *input,
                             struct slice *rest, struct error *err)
{
    struct model_row row = {
        .part = SLICE("vocabulary"), .name = input->spec.name, .has_data = true};

    for (uint32_t i = 0; i < input->word_count; i++) {
        size_t word_size = next_byte(rest) % 8;

        if (word_size > rest->size)
            word_size = rest->size;
        row.position = i;
        row.has_value = word_size % 2;
        row.value = (double)next_byte(rest) - 3;
        word_size = word_size > rest->size ? rest->size : word_size;
        row.data = (struct slice){rest->data, word_size};
        rest->data += word_size;
        rest->size -= word_size;
        TRY(model_reader_add(reader, &row, err));
    }
    return STATUS_OK;
}

/* Any bytes as a row: parts, positions and sizes that were not asked for. */
static enum status add_stray(struct model_reader *reader, struct slice *rest, struct error *err)
{
    static const struct slice parts[] = {
        {"tensor", 6}, {"vocabulary", 10}, {"meta", 4}, {"weight", 6}, {"tree", 4}};
    struct model_row row = {.part = parts[next_byte(rest) % 5], .name = SLICE("layer0/bias")};

    row.position = (int8_t)next_byte(rest);
    row.has_data = next_byte(rest) % 2;
    row.data = *rest;
    rest->size = 0;
    return model_reader_add(reader, &row, err);
}

static enum status add_rest(struct model_reader *reader, const struct model *shapes,
                            struct slice *rest, struct error *err)
{
    struct model_array array;

    for (uint32_t i = 0; shapes->kind && shapes->kind->array(shapes, i, &array); i++)
        TRY(add_tensor(reader, &array, rest, err));
    for (uint32_t i = 0; i < shapes->transform.input_count; i++)
        if (shapes->transform.inputs[i].word_count > 0)
            TRY(add_words(reader, &shapes->transform.inputs[i], rest, err));
    return rest->size > 4 ? add_stray(reader, rest, err) : STATUS_OK;
}

/* The shapes that the JSON calls for; none where it calls for too much. */
static struct model read_shapes(struct slice json, struct arena *arena)
{
    struct model shapes = {0};
    struct model_array array;
    uint64_t parameters = 0;
    struct error err;

    if (model_meta_read(json, kinds, arena, &shapes, &err) != STATUS_OK)
        return (struct model){0};
    for (uint32_t i = 0; shapes.kind->array(&shapes, i, &array); i++)
        parameters += array.rows * array.width;
    return parameters > PARAMETERS_MAX ? (struct model){0} : shapes;
}

static enum status load(struct slice json, struct slice rest, struct arena *arena,
                        struct model *model, struct error *err)
{
    struct model_row meta = {
        .part = SLICE("meta"), .name = SLICE("meta"), .has_data = true, .data = json};
    struct model shapes = read_shapes(json, arena);
    const bool meta_first = next_byte(&rest) % 2;
    struct model_reader *reader;
    enum status status = STATUS_OK;

    TRY(model_reader_new(kinds, arena, &reader, err));
    if (meta_first)
        status = model_reader_add(reader, &meta, err);
    if (status == STATUS_OK)
        status = add_rest(reader, &shapes, &rest, err);
    if (status == STATUS_OK && !meta_first)
        status = model_reader_add(reader, &meta, err);
    if (status == STATUS_OK)
        status = model_reader_assemble(reader, model, err);
    model_reader_free(reader);
    return status;
}

enum status made_model_load(struct slice input, struct arena *arena, struct model *model,
                            struct error *err)
{
    const char *zero = input.size ? memchr(input.data, 0, input.size) : NULL;
    const struct slice json = {input.data, zero ? (size_t)(zero - input.data) : input.size};
    struct slice rest = {input.data + json.size, input.size - json.size};

    if (zero)
        next_byte(&rest);
    return load(json, rest, arena, model, err);
}
