#include "scoring/tables/model_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"
#include "scoring/kind.h"
#include "scoring/numbers/elementary.h"
#include "scoring/statistics/input_statistics.h"
#include "scoring/tables/model_meta.h"
#include "scoring/transform/feature_names.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are copied as they stand");

struct writer {
    const struct model *model;
    struct linear_weights linear; /* a linear model's */
    model_row_sink *sink;
    void *context;
    uint64_t to_skip, written; /* rows: before the first that is asked for, from it on */
    size_t bytes_left;
    bool is_full;
};

/* The first row to write of a section that has `count`; `count`: none of it. */
static uint64_t begin_section(struct writer *writer, uint64_t count)
{
    const uint64_t first = writer->to_skip < count ? writer->to_skip : count;

    writer->to_skip -= first;
    return first;
}

static enum status give(struct writer *writer, const struct model_row *row, struct error *err)
{
    const size_t bytes = MODEL_ROW_BYTES + row->name.size + (row->has_data ? row->data.size : 0);

    writer->written++;
    writer->is_full = bytes >= writer->bytes_left;
    writer->bytes_left -= writer->is_full ? writer->bytes_left : bytes;
    return writer->sink(writer->context, row, err);
}

static enum status write_meta(struct writer *writer, struct error *err)
{
    struct model_row row = {
        .part = SLICE("meta"), .name = SLICE("meta"), .has_data = true, .data_is_text = true};
    struct text json;
    enum status status;

    if (begin_section(writer, 1) == 1)
        return STATUS_OK;
    text_init(&json, 4 * MODEL_META_BYTES_MAX);
    status = model_meta_write(writer->model, &json, err);
    row.data = text_slice(&json);
    if (status == STATUS_OK)
        status = give(writer, &row, err);
    text_deinit(&json);
    return status;
}

/* In the units of the label, or of its logarithm. */
static enum status write_weight(struct writer *writer, struct slice name, uint32_t output,
                                double value, bool is_intercept, struct error *err)
{
    const struct model *model = writer->model;
    struct model_row row = {.part = SLICE("weight"), .name = name, .has_value = true};

    if (model->link == LABEL_LINK_EXP) {
        value += is_intercept ? logarithm_double(model->label_scale) : 0;
    } else if (model->task == TASK_REGRESSION) {
        value *= model->label_scale;
        value += is_intercept ? model->label_mean : 0;
    }
    /* The only output of two classes speaks for class 1. */
    row.position = model->task == TASK_CLASSIFICATION && model->labels.count == 2 ? 1 : output;
    row.value = value;
    return give(writer, &row, err);
}

static enum status write_intercepts(struct writer *writer, struct error *err)
{
    const struct transform *transform = &writer->model->transform;
    const struct linear_weights *linear = &writer->linear;

    for (uint64_t j = begin_section(writer, linear->width); j < linear->width && !writer->is_full;
         j++) {
        double intercept = (double)linear->bias[j] + transform_offset_of_0(transform);

        for (uint32_t i = 0; i < transform->input_count; i++) {
            const struct transform_input *input = &transform->inputs[i];
            if (transform_is_number(input))
                intercept -=
                    (double)linear->weights[(size_t)input->dense_offset * linear->width + j] *
                    (input->mean / input->scale);
        }
        TRY(write_weight(writer, SLICE(INTERCEPT_NAME), (uint32_t)j, intercept, true, err));
    }
    return STATUS_OK;
}

/* One row of the layer's weights, divided by `scale`, under a name. */
static enum status write_feature(struct writer *writer, const struct text *name, size_t layer_row,
                                 double scale, struct error *err)
{
    const struct linear_weights *linear = &writer->linear;

    if (name->failed)
        return fail_no_memory(err);
    for (uint64_t j = begin_section(writer, linear->width); j < linear->width && !writer->is_full;
         j++)
        TRY(write_weight(writer, text_slice(name), (uint32_t)j,
                         (double)linear->weights[layer_row * linear->width + j] / scale, false,
                         err));
    return STATUS_OK;
}

/* In the order of their rows. A number's weight is of the column as it is. */
static enum status write_input(struct writer *writer, const struct transform_input *input,
                               struct text *name, struct error *err)
{
    const struct transform *transform = &writer->model->transform;
    const size_t first = feature_first(transform, input);

    for (uint32_t i = 0; i < feature_count(input); i++) {
        const bool is_number = input->spec.type == INPUT_NUMERIC && i == 0;

        feature_name(input, i, name);
        TRY(write_feature(writer, name, first + i, is_number ? input->scale : 1, err));
    }
    return STATUS_OK;
}

static enum status write_weights(struct writer *writer, struct error *err)
{
    const struct transform *transform = &writer->model->transform;
    enum status status = STATUS_OK;
    struct text name;

    if (model_weight_rows(writer->model) == 0)
        return STATUS_OK;
    writer->model->kind->linear(writer->model, &writer->linear);
    TRY(write_intercepts(writer, err));
    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; status == STATUS_OK && i < transform->input_count; i++)
        status = write_input(writer, &transform->inputs[i], &name, err);
    text_deinit(&name);
    return status;
}

static enum status write_tensor(struct writer *writer, struct slice name, const float *elements,
                                size_t count, char *chunk, struct error *err)
{
    const size_t bytes = count * sizeof *elements;
    const uint64_t chunks = (bytes + MODEL_CHUNK_BYTES - 1) / MODEL_CHUNK_BYTES;
    struct model_row row = {.part = SLICE("tensor"), .name = name, .has_data = true};

    for (uint64_t i = begin_section(writer, chunks); i < chunks && !writer->is_full; i++) {
        const size_t at = i * MODEL_CHUNK_BYTES;
        size_t size = bytes - at < MODEL_CHUNK_BYTES ? bytes - at : MODEL_CHUNK_BYTES;
        uint64_t hash;

        memcpy(chunk + sizeof hash, (const char *)elements + at, size);
        hash = bytes_hash(chunk + sizeof hash, size, 0);
        memcpy(chunk, &hash, sizeof hash);
        row.position = (int64_t)i;
        row.data = (struct slice){chunk, sizeof hash + size};
        TRY(give(writer, &row, err));
    }
    return STATUS_OK;
}

static enum status write_tensors(struct writer *writer, struct error *err)
{
    const struct model *model = writer->model;
    struct model_array array;
    char *chunk = malloc(sizeof(uint64_t) + MODEL_CHUNK_BYTES);
    enum status status = chunk ? STATUS_OK : fail_no_memory(err);

    for (uint32_t i = 0; status == STATUS_OK && model->kind->array(model, i, &array); i++)
        status = write_tensor(writer, slice_of(array.name), *array.elements,
                              (size_t)(array.rows * array.width), chunk, err);
    free(chunk);
    return status;
}

/* How many bytes follow the first of a UTF-8 character; -1: it is none. */
static int bytes_after(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first < 0xC2 || first > 0xF4)
        return -1;
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

/* Well-formed UTF-8 without zero bytes: what every database takes as text. */
static bool is_plain_text(struct slice bytes)
{
    static const uint32_t least[] = {1, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)bytes.data, *end = at + bytes.size;

    while (at < end) {
        const int more = bytes_after(*at);
        uint32_t point;

        if (more < 0 || end - at <= more)
            return false;
        point = *at++ & (more ? 0x3Fu >> more : 0x7Fu);
        for (int i = 0; i < more; i++, at++) {
            if ((*at & 0xC0) != 0x80)
                return false;
            point = point << 6 | (*at & 0x3Fu);
        }
        if (point < least[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
            return false;
    }
    return true;
}

static enum status write_vocabulary(struct writer *writer, struct error *err)
{
    const struct transform *transform = &writer->model->transform;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        struct model_row row = {
            .part = SLICE("vocabulary"), .name = input->spec.name, .has_data = true};

        for (uint64_t w = begin_section(writer, input->word_count);
             w < input->word_count && !writer->is_full; w++) {
            row.position = (int64_t)w;
            row.has_value = input->word_counts != NULL;
            row.value = row.has_value ? (double)input->word_counts[w] : 0;
            row.data = input->words[w];
            row.data_is_text = is_plain_text(row.data);
            TRY(give(writer, &row, err));
        }
    }
    return STATUS_OK;
}

static enum status write_statistics(struct writer *writer, struct error *err)
{
    const struct model *model = writer->model;
    const uint32_t count = model->statistics_count;
    struct model_row row = {.part = SLICE("statistics"), .has_data = true, .data_is_text = true};

    for (uint64_t i = begin_section(writer, count); i < count && !writer->is_full; i++) {
        row.name =
            i + 1 < count ? model->transform.inputs[i].spec.name : SLICE(STATISTICS_PREDICTION);
        row.position = (int64_t)i;
        row.data = model->statistics[i];
        TRY(give(writer, &row, err));
    }
    return STATUS_OK;
}

static enum status write_fold_scores(struct writer *writer, struct error *err)
{
    const struct model *model = writer->model;
    const uint32_t count = model->fold_score_count;
    struct model_row row = {.part = SLICE(MODEL_FOLD_SCORES), .name = SLICE(""), .has_data = true};

    for (uint64_t i = begin_section(writer, count); i < count && !writer->is_full; i++) {
        row.position = (int64_t)i;
        row.data = model->fold_scores[i];
        TRY(give(writer, &row, err));
    }
    return STATUS_OK;
}

enum status model_write_some(const struct model *model, uint64_t *next, size_t bytes_max,
                             bool *is_at_end, model_row_sink *sink, void *context,
                             struct error *err)
{
    struct writer writer = {.model = model,
                            .sink = sink,
                            .context = context,
                            .to_skip = *next,
                            .bytes_left = bytes_max};

    TRY(write_meta(&writer, err));
    if (!writer.is_full)
        TRY(write_weights(&writer, err));
    if (!writer.is_full)
        TRY(write_tensors(&writer, err));
    if (!writer.is_full)
        TRY(write_vocabulary(&writer, err));
    if (!writer.is_full)
        TRY(write_statistics(&writer, err));
    if (!writer.is_full)
        TRY(write_fold_scores(&writer, err));
    *next += writer.written;
    *is_at_end = !writer.is_full;
    return STATUS_OK;
}

enum status model_write(const struct model *model, model_row_sink *sink, void *context,
                        struct error *err)
{
    uint64_t next = 0;
    bool is_at_end;

    return model_write_some(model, &next, SIZE_MAX, &is_at_end, sink, context, err);
}
