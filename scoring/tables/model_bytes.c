#include "scoring/tables/model_bytes.h"

#include "scoring/kind.h"
#include "scoring/tables/model_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef void byte_sink(void *context, const void *bytes, size_t size);

struct feed {
    byte_sink *update;
    void *context;
};

static void feed_u64(const struct feed *feed, uint64_t value)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    feed->update(feed->context, bytes, sizeof bytes);
}

static void feed_real(const struct feed *feed, double value)
{
    union {
        double real;
        uint64_t bits;
    } both = {value};

    feed_u64(feed, both.bits);
}

static void feed_slice(const struct feed *feed, struct slice bytes)
{
    feed_u64(feed, bytes.size);
    if (bytes.size)
        feed->update(feed->context, bytes.data, bytes.size);
}

/* Plain numbers are those of models from before there was another reading, and feed nothing. */
static void feed_reading(const struct feed *feed, enum input_reading reading)
{
    if (reading != READING_NUMBER && reading != READING_STRICT)
        feed_slice(feed, slice_of(input_reading_words[reading]));
}

static void feed_scale(const struct feed *feed, uint32_t format,
                       const struct transform_input *input)
{
    feed_real(feed, input->mean);
    feed_real(feed, input->scale);
    feed_real(feed, (double)input->null_value);
    if (format >= MODEL_FORMAT_LIMITS)
        feed_real(feed, (double)input->limit);
    if (format >= MODEL_FORMAT_CODES) {
        feed_u64(feed, input->has_code);
        feed_real(feed, input->has_code ? input->code : 0);
    }
}

static void feed_bounds(const struct feed *feed, const double *bounds, uint32_t count)
{
    feed_u64(feed, count);
    for (uint32_t i = 0; i < count; i++)
        feed_real(feed, bounds[i]);
}

static void feed_cross(const struct feed *feed, const struct cross *cross)
{
    feed_u64(feed, cross->count);
    for (uint32_t i = 0; i < cross->count; i++) {
        const struct cross_column *column = &cross->columns[i];

        feed_slice(feed, column->name);
        feed_u64(feed, column->rule);
        feed_u64(feed, column->reading);
        feed_u64(feed, column->rows);
        feed_bounds(feed, column->bounds, column->bound_count);
    }
}

static void feed_rule(const struct feed *feed, const struct transform_input *input)
{
    feed_u64(feed, input->spec.rule);
    feed_u64(feed, input->spec.reading);
    feed_bounds(feed, input->spec.bounds, input->spec.bound_count);
    if (input->spec.cross)
        feed_cross(feed, input->spec.cross);
}

static void feed_list(const struct feed *feed, uint32_t format, const struct transform_input *input)
{
    feed_u64(feed, input->spec.list.form);
    feed_u64(feed, input->spec.list.size);
    feed_u64(feed, (unsigned char)input->spec.list.delimiter);
    feed_u64(feed, (unsigned char)input->spec.list.pair);
    feed_u64(feed, input->spec.element);
    if (format >= MODEL_FORMAT_COUNTS)
        feed_u64(feed, input->spec.list.words_max);
    if (input->spec.list.has_pairs) /* models of before have none */
        feed_u64(feed, 1);
    if (input->spec.list.form == LIST_PICTURE) {
        feed_u64(feed, input->spec.list.width);
        feed_u64(feed, input->spec.list.channels);
    }
}

/* Nothing where an input has neither pairs nor weights, which is that of every older model. */
static void feed_terms(const struct feed *feed, const struct transform_input *input)
{
    if (!input->spec.has_pairs && !input->spec.weight)
        return;
    feed_u64(feed, input->spec.has_pairs);
    feed_u64(feed, input->spec.weight);
    feed_u64(feed, input->texts);
    for (uint32_t i = 0; input->spec.weight == TEXT_WEIGHT_TFIDF && i < input->word_count; i++)
        feed_u64(feed, input->word_counts[i]);
}

static void feed_input(const struct feed *feed, uint32_t format, bool keeps_numbers,
                       const struct transform_input *input)
{
    feed_slice(feed, input->spec.name);
    feed_u64(feed, input->spec.type);
    if (format >= MODEL_FORMAT_PARTS) {
        feed_u64(feed, input->spec.part);
        feed_slice(feed, input->spec.source);
    }
    if (format >= MODEL_FORMAT_SHARES) {
        feed_u64(feed, input->spec.model_part);
        feed_u64(feed, input->spec.dimension);
    }
    if (format >= MODEL_FORMAT_LISTS)
        feed_list(feed, format, input);
    if (format >= MODEL_FORMAT_CONCATS) {
        feed_u64(feed, input->spec.concat.number);
        feed_u64(feed, input->spec.concat.combiner);
    }
    feed_u64(feed, input->has_nulls);
    if (format >= MODEL_FORMAT_OFFSETS)
        feed_u64(feed, input->spec.offset);
    if (input->spec.label) /* without several labels the bytes are those of before */
        feed_u64(feed, input->spec.label);
    if (input->spec.type == INPUT_NUMERIC) {
        feed_reading(feed, input->spec.reading);
        if (!keeps_numbers) /* which follows from the kind */
            feed_scale(feed, format, input);
        else if (format >= MODEL_FORMAT_ORIGINS)
            feed_real(feed, input->mean);
        return;
    }
    if (format >= MODEL_FORMAT_RULES)
        feed_rule(feed, input);
    feed_u64(feed, input->hash_buckets);
    if (input->spec.type ==
        INPUT_TEXT) /* beside category and numeric, which feed what they always did */
        feed_u64(feed, input->spec.words_max);
    if (format >= MODEL_FORMAT_LISTS) {
        feed_u64(feed, input->spec.combiner);
        feed_u64(feed, input->spec.is_weighted);
        feed_terms(feed, input);
    }
    feed_u64(feed, input->word_count);
    for (uint32_t i = 0; i < input->word_count; i++)
        feed_slice(feed, input->words[i]);
}

static void feed_labels(const struct feed *feed, const struct labels *labels)
{
    feed_u64(feed, labels->type);
    feed_reading(feed, labels->reading);
    feed_u64(feed, labels->count);
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct cell *cell = &labels->values[i];
        if (cell->type == CELL_TEXT)
            feed_slice(feed, cell->text);
        else if (cell->type == CELL_INTEGER)
            feed_u64(feed, (uint64_t)cell->integer);
        else
            feed_real(feed, cell->real);
    }
}

static void feed_array(const struct feed *feed, const struct model_array *array)
{
    if (!array->has_known_shape) {
        feed_u64(feed, array->rows);
        feed_u64(feed, array->width);
    }
    feed->update(feed->context, *array->elements,
                 (size_t)(array->rows * array->width) * sizeof **array->elements);
}

static void feed_final(const struct feed *feed, const struct final_step *final)
{
    feed_u64(feed, final->has_threshold);
    feed_real(feed, final->threshold);
    feed_u64(feed, final->calibration);
    feed_u64(feed, final->map_count);
    for (uint32_t i = 0; i < final->map_count; i++) {
        feed_real(feed, final->maps[i].slope);
        feed_real(feed, final->maps[i].intercept);
        feed_bounds(feed, final->maps[i].scores, final->maps[i].count);
        feed_bounds(feed, final->maps[i].shares, final->maps[i].count);
    }
}

/* Every field has a fixed size or comes after its size: no two models feed the same bytes. */
void model_feed_bytes(const struct model *model, byte_sink *update, void *context)
{
    const struct feed feed = {update, context};
    struct model_array array;
    uint64_t number;

    feed_u64(&feed, model->format);
    feed_slice(&feed, slice_of(model->kind->name));
    feed_u64(&feed, model->task);
    feed_u64(&feed, model->transform.input_count);
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        feed_input(&feed, model->format, model->transform.keeps_numbers,
                   &model->transform.inputs[i]);
    feed_labels(&feed, &model->labels);
    if (model->positive_is_lesser) /* models of before that could be chosen have their digests */
        feed_u64(&feed, 1);
    feed_real(&feed, model->label_mean);
    feed_real(&feed, model->label_scale);
    if (model->format >= MODEL_FORMAT_LINKS)
        feed_u64(&feed, model->link);
    if (model->format >= MODEL_FORMAT_FINALS)
        feed_final(&feed, &model->final);
    for (uint32_t i = 0; model->kind->number(model, i, &number); i++)
        feed_u64(&feed, number);
    for (uint32_t i = 0; model->kind->array(model, i, &array); i++)
        feed_array(&feed, &array);
}

static void checksum_update(void *state, const void *bytes, size_t size)
{
    XXH3_64bits_update(state, bytes, size);
}

uint64_t model_checksum(const struct model *model)
{
    XXH3_state_t state;

    XXH3_64bits_reset(&state);
    model_feed_bytes(model, checksum_update, &state);
    return XXH3_64bits_digest(&state);
}
