#include "scoring/transform.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vectors.h"
#include "inputs/bounds.h"
#include "inputs/cells.h"
#include "inputs/text_words.h"
#include "scoring/elementary.h"

#define RUN_COLUMNS 64 /* of dense, standardised at a time */

static bool is_short(struct slice word)
{
    return word.size <= sizeof(uint64_t);
}

static uint64_t mark_of(struct slice word, uint64_t hash)
{
    return is_short(word) ? slice_start(word) : hash;
}

/* Most likely, or for sure if it is short. */
static bool is_likely(const struct transform_place *place, struct slice word, uint64_t mark)
{
    return place->mark == mark && place->size == word.size;
}

/* Of a word with that hash in a table of `size` places: where it is, or the empty place where it
 * belongs. */
static struct transform_place *lookup_place(struct transform_place *lookup, uint32_t size,
                                            const struct slice *words, struct slice word,
                                            uint64_t hash)
{
    const uint64_t mark = mark_of(word, hash);
    uint32_t place = (uint32_t)hash & (size - 1);

    while (lookup[place].number &&
           !(is_likely(&lookup[place], word, mark) &&
             (is_short(word) || slice_equal(words[lookup[place].number - 1], word))))
        place = (place + 1) & (size - 1);
    return &lookup[place];
}

/* False: word i of `words` is there already. */
static bool lookup_add(struct transform_place *lookup, uint32_t size, const struct slice *words,
                       uint32_t i)
{
    const uint64_t hash = transform_word_hash(words[i]);
    struct transform_place *place = lookup_place(lookup, size, words, words[i], hash);

    if (place->number)
        return false;
    *place = (struct transform_place){i + 1, (uint32_t)words[i].size, mark_of(words[i], hash)};
    return true;
}

static uint32_t lookup_size_for(uint32_t count)
{
    uint32_t size = 4;

    while (size < 2 * count)
        size *= 2;
    return size;
}

static enum status index_words(struct transform_input *input, struct arena *arena,
                               struct error *err)
{
    input->lookup_size = lookup_size_for(input->word_count);
    input->lookup = ARENA_NEW(arena, struct transform_place, input->lookup_size);
    if (!input->lookup)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++)
        if (!lookup_add(input->lookup, input->lookup_size, input->words, i))
            return fail(err, STATUS_CORRUPT, "column \"%.*s\": vocabulary repeats \"%.*s\"",
                        SLICE_FORMAT(input->spec.name), SLICE_FORMAT(input->words[i]));
    return STATUS_OK;
}

static void place_number(struct transform *transform, struct transform_input *input,
                         uint32_t columns)
{
    input->dense_offset = transform->dense_width;
    input->dense_count = columns;
    transform->dense_width += columns;
}

static enum status keep_number(struct transform *transform, struct transform_input *input,
                               struct error *err)
{
    if (input->has_code)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": code %g of numbers that are kept",
                    SLICE_FORMAT(input->spec.name), input->code);
    if (!isfinite(input->mean))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": origin %g",
                    SLICE_FORMAT(input->spec.name), input->mean);
    input->scale = 1;
    input->limit = TRANSFORM_KEPT_MOST;
    input->null_value = NAN;
    if (!input->spec.offset)
        place_number(transform, input, 1);
    return STATUS_OK;
}

/* It is a number of a column, of which each row has one. place_offset places it. */
static enum status check_offset(const struct transform_input *input, struct error *err)
{
    if (!input->spec.offset || (!input->has_nulls && !input->has_code && !input->spec.part &&
                                !input->spec.list.form && input->spec.source.size == 0))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "column \"%.*s\" is no offset",
                SLICE_FORMAT(input->spec.name));
}

static enum status finish_numeric(struct transform *transform, struct transform_input *input,
                                  struct error *err)
{
    TRY(check_offset(input, err));
    if (transform->keeps_numbers)
        return keep_number(transform, input, err);
    if (!isfinite(input->mean) || !isfinite(input->scale) || !isfinite(input->null_value) ||
        input->scale <= 0)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": mean %g and scale %g",
                    SLICE_FORMAT(input->spec.name), input->mean, input->scale);
    if (input->limit == 0)
        input->limit = TRANSFORM_DENSE_MAX;
    if (!(input->limit > 0 && input->limit <= TRANSFORM_DENSE_MAX))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": limit %g",
                    SLICE_FORMAT(input->spec.name), (double)input->limit);
    if (input->has_code && (!input->has_nulls || !isfinite(input->code)))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": code %g", SLICE_FORMAT(input->spec.name),
                    input->code);
    if (!input->spec.offset)
        place_number(transform, input, transform_columns_of(transform, input));
    return STATUS_OK;
}

/* The next rows of the first layer, and the next ids of a row. */
static void take_ids(struct transform *transform, struct transform_input *input, uint32_t rows,
                     uint32_t ids)
{
    input->first_id = transform->id_rows;
    input->id_rows = rows;
    input->id_offset = transform->id_count;
    transform->id_rows += rows;
    transform->id_count += ids;
    transform->id_inputs++;
}

/* Has the category what its rule needs, and nothing else? */
static bool rule_fits(const struct transform_input *input)
{
    switch (input->spec.rule) {
    case RULE_WORDS:
        return input->spec.bound_count == 0;
    case RULE_HASH:
    case RULE_ID:
        return input->spec.bound_count == 0 && input->word_count == 0 && input->hash_buckets > 0;
    case RULE_BUCKET:
        return input->word_count == input->spec.bound_count + 1 &&
               input->word_count <= BUCKETS_MAX && input->hash_buckets == 0 &&
               bounds_ascend(input->spec.bounds, input->spec.bound_count);
    case RULE_CROSS:
        return input->spec.cross && input->spec.cross->buckets == input->hash_buckets &&
               !input->has_nulls && input->spec.bound_count == 0 && input->word_count == 0 &&
               input->hash_buckets > 0;
    }
    return false;
}

static enum status finish_category(struct transform *transform, struct transform_input *input,
                                   struct arena *arena, struct error *err)
{
    uint64_t rows = (uint64_t)input->word_count + input->hash_buckets + 1;

    transform->has_rules |= input->spec.rule != RULE_WORDS;
    transform->has_crosses |= input->spec.rule == RULE_CROSS;
    if (!rule_fits(input))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": a category without what its rule needs",
                    SLICE_FORMAT(input->spec.name));

    if (input->word_count > CATEGORY_WORDS_MAX || input->hash_buckets > CATEGORY_WORDS_MAX ||
        transform->id_rows + rows > INT32_MAX)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": %u words and %u hash buckets",
                    SLICE_FORMAT(input->spec.name), input->word_count, input->hash_buckets);
    take_ids(transform, input, (uint32_t)rows, 1);
    input->null_id = input->has_nulls && !transform->keeps_numbers
                         ? (int32_t)(input->first_id + input->id_rows - 1)
                         : -1;
    return index_words(input, arena, err);
}

/* Words of a text, or items of a list that a rule takes? */
static bool text_fits(const struct transform_input *input)
{
    if (input->hash_buckets == 0 || input->hash_buckets > CATEGORY_WORDS_MAX ||
        input->spec.words_max == 0 || input->spec.words_max > TEXT_WORDS_MAX ||
        input->word_count > 0)
        return false;
    if (!input->spec.list.form)
        return input->spec.rule == RULE_WORDS && !input->spec.is_weighted;
    return (input->spec.rule == RULE_HASH || input->spec.rule == RULE_ID) &&
           input->spec.list.size == input->spec.words_max &&
           (input->spec.list.pair || !input->spec.is_weighted);
}

static enum status finish_text(struct transform *transform, struct transform_input *input,
                               struct error *err)
{
    const uint64_t rows = (uint64_t)transform->id_rows + input->hash_buckets;

    if (!text_fits(input) || rows > INT32_MAX)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": %u hash buckets for %u words of a text",
                    SLICE_FORMAT(input->spec.name), input->hash_buckets, input->spec.words_max);
    take_ids(transform, input, input->hash_buckets, transform_text_room(input));
    transform->texts[transform->text_count++] = text_ids_of(input);
    return STATUS_OK;
}

static enum status finish_input(struct transform *transform, struct transform_input *input,
                                struct arena *arena, struct error *err)
{
    if (input->spec.type == INPUT_NUMERIC)
        return finish_numeric(transform, input, err);
    return input->spec.type == INPUT_TEXT ? finish_text(transform, input, err)
                                          : finish_category(transform, input, arena, err);
}

static enum status check_names(const struct slice *given, uint32_t count, const char *what,
                               struct arena *arena, struct error *err)
{
    uint32_t size = lookup_size_for(count);
    struct transform_place *lookup = ARENA_NEW(arena, struct transform_place, size);
    struct slice *names = ARENA_NEW(arena, struct slice, count);

    if (!lookup || !names)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = given[i];
        if (!lookup_add(lookup, size, names, i))
            return fail(err, STATUS_CORRUPT, "two %s have the name \"%.*s\"", what,
                        SLICE_FORMAT(names[i]));
    }
    return STATUS_OK;
}

static struct slice column_of(const struct transform_input *input)
{
    return input->spec.source.size > 0 ? input->spec.source : input->spec.name;
}

/* A column of which parts of dates are taken comes in the order of the parts, each once. */
static bool is_of_same_column(const struct transform_input *before,
                              const struct transform_input *input)
{
    return slice_equal(column_of(before), column_of(input)) &&
           (!before->spec.part || !input->spec.part || input->spec.part > before->spec.part);
}

/* The inputs of a list are all of its numbers, in their order. `before`: NULL in front of all. */
static bool list_goes_on(const struct transform_input *before, const struct transform_input *input)
{
    const bool is_inside = before && cell_list_has_numbers(&before->spec.list) &&
                           before->spec.element + 1 < before->spec.list.size;

    if (!is_inside || !input)
        return !is_inside && (!input || input->spec.element == 0);
    return input->spec.element == before->spec.element + 1 &&
           cell_list_equal(&input->spec.list, &before->spec.list) &&
           slice_equal(column_of(input), column_of(before));
}

/* Is it a list that such an input can have? */
static bool list_is_of(const struct transform_input *input)
{
    return cell_list_fits(&input->spec.list) && input->spec.source.size > 0 && !input->spec.part &&
           input->spec.type ==
               (cell_list_has_numbers(&input->spec.list) ? INPUT_NUMERIC : INPUT_TEXT);
}

static enum status check_list(const struct transform_input *before,
                              const struct transform_input *input, struct error *err)
{
    if (list_goes_on(before, input) && (!input || !input->spec.list.form || list_is_of(input)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "input \"%.*s\" is not the next number of a list",
                SLICE_FORMAT(input ? input->spec.name : before->spec.name));
}

static enum status check_part(const struct transform_input *input, struct error *err)
{
    if (input->spec.part < DATE_PARTS &&
        (!input->spec.part ||
         (input->spec.source.size > 0 && input->spec.type == date_part_type(input->spec.part) &&
          input->spec.rule == RULE_WORDS)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "input \"%.*s\" is no part of a column",
                SLICE_FORMAT(input->spec.name));
}

/* How many there can be. */
static size_t columns_most(const struct transform *transform)
{
    size_t most = transform->input_count;

    for (uint32_t i = 0; i < transform->input_count; i++)
        most += transform->inputs[i].spec.cross ? transform->inputs[i].spec.cross->count : 0;
    return most;
}

/* Those that no other input takes come behind the others. */
static void find_crossed(struct transform *transform, struct transform_input *input)
{
    for (uint32_t i = 0; i < input->spec.cross->count; i++) {
        struct cross_column *column = &input->spec.cross->columns[i];

        column->cell = 0;
        while (column->cell < transform->column_count &&
               !slice_equal(transform->columns[column->cell], column->name))
            column->cell++;
        if (column->cell == transform->column_count)
            transform->columns[transform->column_count++] = column->name;
    }
    input->column = TRANSFORM_NO_COLUMN;
    transform->has_parts = true;
}

static enum status find_column(struct transform *transform, uint32_t i, struct error *err)
{
    struct transform_input *input = &transform->inputs[i];

    TRY(check_part(input, err));
    if (input->spec.cross) {
        find_crossed(transform, input);
        return STATUS_OK;
    }
    if (i > 0 && input[-1].spec.cross)
        return fail(err, STATUS_CORRUPT, "input \"%.*s\" stands behind a cross",
                    SLICE_FORMAT(input->spec.name));
    if (i == 0 || !is_of_same_column(input - 1, input))
        transform->columns[transform->column_count++] = column_of(input);
    input->column = transform->column_count - 1;
    transform->has_parts |= input->spec.part != DATE_WHOLE || input->column != i;
    return STATUS_OK;
}

/* Inputs of one column lie side by side: others would repeat the column's name. */
enum status transform_find_columns(struct transform *transform, struct arena *arena,
                                   struct error *err)
{
    struct slice *names = ARENA_NEW(arena, struct slice, transform->input_count);

    transform->columns = ARENA_NEW(arena, struct slice, columns_most(transform));
    if (!transform->columns || !names)
        return fail_no_memory(err);
    transform->column_count = 0;
    transform->has_parts = transform->has_lists = false;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        TRY(find_column(transform, i, err));
        TRY(check_list(i > 0 ? &transform->inputs[i - 1] : NULL, &transform->inputs[i], err));
        transform->has_lists |= transform->inputs[i].spec.list.form ||
                                transform->inputs[i].spec.combiner != COMBINER_SQRTN;
        names[i] = transform->inputs[i].spec.name;
    }
    TRY(check_list(&transform->inputs[transform->input_count - 1], NULL, err));
    if (transform->column_count > MODEL_INPUTS_MAX)
        return fail(err, STATUS_CORRUPT, "a model has at most %d columns, not %u", MODEL_INPUTS_MAX,
                    transform->column_count);
    TRY(check_names(names, transform->input_count, "inputs", arena, err));
    return check_names(transform->columns, transform->column_count, "columns", arena, err);
}

const struct transform_input *transform_offset_input(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.offset)
            return &transform->inputs[i];
    return NULL;
}

double transform_offset_of_0(const struct transform *transform)
{
    const struct transform_input *input = transform_offset_input(transform);

    return input ? -input->mean / input->scale : 0;
}

/* Behind all else. */
static enum status place_offset(struct transform *transform, struct error *err)
{
    uint32_t offsets = 0;

    transform->offset_width = 0;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        struct transform_input *input = &transform->inputs[i];

        if (!input->spec.offset)
            continue;
        offsets++;
        input->dense_offset = transform->dense_width;
        input->rest_offset = transform->dense_width + 1;
        input->dense_count = 1;
        transform->offset_width = transform->has_rests ? 2 : 1;
    }
    transform->dense_width += transform->offset_width;
    return offsets <= 1
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "a model has one offset at most, not %u", offsets);
}

/* They stand behind all features. */
static void place_rests(struct transform *transform)
{
    transform->rest_width = 0;
    for (uint32_t i = 0; transform->has_rests && i < transform->input_count; i++)
        if (transform_is_number(&transform->inputs[i]))
            transform->inputs[i].rest_offset = transform->dense_width + transform->rest_width++;
    transform->dense_width += transform->rest_width;
}

static enum status list_columns(struct transform *transform, struct arena *arena, struct error *err)
{
    transform->means = ARENA_NEW(arena, double, transform->dense_width + 1);
    transform->scales = ARENA_NEW(arena, double, transform->dense_width + 1);
    transform->limits = ARENA_NEW(arena, float, transform->dense_width + 1);
    if (!transform->means || !transform->scales || !transform->limits)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.type != INPUT_NUMERIC)
            continue;
        transform->means[input->dense_offset] = input->mean;
        transform->scales[input->dense_offset] = input->scale;
        transform->limits[input->dense_offset] = input->limit;
        if (input->dense_count == 2) {
            transform->scales[input->dense_offset + 1] = 1;
            transform->limits[input->dense_offset + 1] = 1;
        }
    }
    return STATUS_OK;
}

struct transform_size transform_size_of(const struct transform *transform)
{
    struct transform_size size = {0};

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.type == INPUT_NUMERIC) {
            size.dense += input->spec.offset ? 0 : transform_columns_of(transform, input);
            continue;
        }
        size.id_inputs++;
        size.id_count += input->spec.type == INPUT_TEXT ? transform_text_room(input) : 1;
        size.id_rows += (uint64_t)input->word_count + input->hash_buckets +
                        (input->spec.type == INPUT_CATEGORY);
    }
    return size;
}

const struct transform_input *transform_concat_first(const struct transform *transform,
                                                     const struct transform_input *input)
{
    const struct transform_input *first = transform->inputs;

    if (input->spec.concat.number == 0)
        return input;
    while (first->spec.concat.number != input->spec.concat.number)
        first++;
    return first;
}

uint32_t transform_concat_size(const struct transform *transform,
                               const struct transform_input *input)
{
    uint32_t size = 0;

    if (input->spec.concat.number == 0)
        return 1;
    for (uint32_t i = 0; i < transform->input_count; i++)
        size += transform->inputs[i].spec.concat.number == input->spec.concat.number;
    return size;
}

/* Members have one embedding: of one dimension, made in one way. */
static enum status check_concat(const struct transform *transform,
                                const struct transform_input *input, struct error *err)
{
    const struct transform_input *first = transform_concat_first(transform, input);

    if (input->spec.concat.number == 0 ||
        (input->spec.type != INPUT_NUMERIC && part_has_dnn(input->spec.model_part) &&
         concat_equal(input->spec.concat, first->spec.concat) &&
         input->spec.dimension == first->spec.dimension))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "input \"%.*s\" is unlike the others of its CONCAT",
                SLICE_FORMAT(input->spec.name));
}

enum status transform_finish(struct transform *transform, struct arena *arena, struct error *err)
{
    if (transform->input_count == 0 || transform->input_count > MODEL_INPUTS_MAX)
        return fail(err, STATUS_CORRUPT, "a model has 1 to %d inputs, not %u", MODEL_INPUTS_MAX,
                    transform->input_count);
    TRY(transform_find_columns(transform, arena, err));
    transform->dense_width = transform->id_count = transform->id_rows = 0;
    transform->id_inputs = transform->text_count = 0;
    transform->has_rules = transform->has_crosses = false;
    transform->texts = ARENA_NEW(arena, struct text_ids, transform->input_count);
    if (!transform->texts)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        TRY(finish_input(transform, &transform->inputs[i], arena, err));
        TRY(check_concat(transform, &transform->inputs[i], err));
    }
    if (transform->text_count > 0 && transform->id_count > TRANSFORM_IDS_MAX)
        return fail(err, STATUS_CORRUPT, "the texts of a row have %u words, where %d are possible",
                    transform->id_count, TRANSFORM_IDS_MAX);
    place_rests(transform);
    TRY(place_offset(transform, err));
    return list_columns(transform, arena, err);
}

enum status transform_finish_numbers(struct transform *transform, struct arena *arena,
                                     struct error *err)
{
    transform->dense_width = 0;
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_NUMERIC)
            TRY(finish_numeric(transform, &transform->inputs[i], err));
    place_rests(transform);
    TRY(place_offset(transform, err));
    return list_columns(transform, arena, err);
}

bool transform_has_model_parts(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.model_part || transform->inputs[i].spec.dimension)
            return true;
    return false;
}

bool transform_counts_words(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.list.form == LIST_WORDS)
            return true;
    return false;
}

bool transform_has_concats(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.concat.number)
            return true;
    return false;
}

/* The columns of a cross have readings of their own. */
static bool is_written(const struct transform_input *input)
{
    bool is_found = reading_is_written(input->spec.reading);

    for (uint32_t i = 0; input->spec.cross && i < input->spec.cross->count; i++)
        is_found |= reading_is_written(input->spec.cross->columns[i].reading);
    return is_found;
}

bool transform_has_written(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (is_written(&transform->inputs[i]))
            return true;
    return false;
}

bool transform_has_codes(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].has_code)
            return true;
    return false;
}

bool transform_has_origins(const struct transform *transform)
{
    for (uint32_t i = 0; transform->keeps_numbers && i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_NUMERIC && transform->inputs[i].mean != 0)
            return true;
    return false;
}

bool transform_input_takes(const struct transform_input *input, uint32_t column)
{
    for (uint32_t i = 0; input->spec.cross && i < input->spec.cross->count; i++)
        if (input->spec.cross->columns[i].cell == column)
            return true;
    return input->column == column;
}

bool transform_is_limited(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform_input_is_limited(&transform->inputs[i]))
            return true;
    return false;
}

static inline float to_dense(double number, double mean, double scale, float limit)
{
    float dense = (float)((number - mean) / scale);

    dense = dense > limit ? limit : dense;
    return dense < -limit ? -limit : dense;
}

/* What is counted: of an exposure the logarithm. */
static double counted_number(const struct transform_input *input, double number)
{
    return input->spec.offset == OFFSET_EXPOSURE ? logarithm_double(number) : number;
}

float transform_number(const struct transform_input *input, double number)
{
    return to_dense(counted_number(input, number), input->mean, input->scale, input->limit);
}

float transform_rest(const struct transform_input *input, double number)
{
    const double whole = (counted_number(input, number) - input->mean) / input->scale;

    return fabs(whole) < (double)input->limit ? (float)(whole - (double)(float)whole) : 0;
}

void transform_numbers(const struct transform_input *input, const double *numbers, size_t count,
                       float *dense, size_t stride)
{
    const double mean = input->mean, scale = input->scale;
    const float limit = input->limit;

    if (input->spec.offset == OFFSET_EXPOSURE) {
        for (size_t i = 0; i < count; i++)
            dense[i * stride] = transform_number(input, numbers[i]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        dense[i * stride] = to_dense(numbers[i], mean, scale, limit);
}

static int32_t id_of(const struct transform_input *input, struct slice word, uint64_t hash)
{
    const struct transform_place *place =
        lookup_place(input->lookup, input->lookup_size, input->words, word, hash);
    uint32_t index;

    if (place->number)
        index = place->number - 1;
    else if (input->hash_buckets)
        index = input->word_count + (uint32_t)(hash % input->hash_buckets);
    else
        return -1;
    return (int32_t)(input->first_id + index);
}

int32_t transform_number_id(const struct transform_input *input, double number)
{
    if (input->spec.rule == RULE_BUCKET)
        return (int32_t)(input->first_id +
                         bounds_bucket(input->spec.bounds, input->spec.bound_count, number));
    return number_is_id(number, input->hash_buckets) ? (int32_t)(input->first_id + (uint32_t)number)
                                                     : -1;
}

int32_t transform_word(const struct transform_input *input, struct slice word)
{
    return id_of(input, word, transform_word_hash(word));
}

/* The word as the table has it, where it most often is; NULL for one that is not looked at. */
static const struct slice *likely_word(const struct transform_input *input, struct slice word,
                                       uint64_t hash)
{
    const struct transform_place *place = &input->lookup[(uint32_t)hash & (input->lookup_size - 1)];

    return !is_short(word) && place->number && is_likely(place, word, hash)
               ? &input->words[place->number - 1]
               : NULL;
}

void transform_words_many(const struct transform_input *input, const struct slice *words,
                          uint32_t count, int32_t *ids)
{
    uint64_t hashes[TRANSFORM_WORDS_MANY];
    const struct slice *likely;

    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = transform_word_hash(words[i]);
        __builtin_prefetch(&input->lookup[(uint32_t)hashes[i] & (input->lookup_size - 1)]);
    }
    for (uint32_t i = 0; i < count; i++)
        if ((likely = likely_word(input, words[i], hashes[i])))
            __builtin_prefetch(likely);
    for (uint32_t i = 0; i < count; i++)
        if ((likely = likely_word(input, words[i], hashes[i])))
            __builtin_prefetch(likely->data);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = id_of(input, words[i], hashes[i]);
}

/* Ids ascend: the sum of a text's rows has the same bits whatever the order of its words. */
static uint32_t insert_id(int32_t *ids, uint32_t count, int32_t id)
{
    uint32_t at = count;

    while (at > 0 && ids[at - 1] > id)
        at--;
    if (at > 0 && ids[at - 1] == id)
        return count;
    memmove(ids + at + 1, ids + at, (count - at) * sizeof *ids);
    ids[at] = id;
    return count + 1;
}

bool transform_text(const struct transform_input *input, struct slice text, int32_t *ids)
{
    struct text_words words = text_words_of(text);
    struct slice word;
    uint32_t count = 0;

    if (input->spec.list.form)
        return list_ids_read(input, text, ids);
    while (count < input->spec.words_max && text_words_next(&words, &word)) {
        const uint64_t bucket = transform_word_hash(word) % input->hash_buckets;

        count = insert_id(ids, count, (int32_t)(input->first_id + bucket));
    }
    for (; count < input->spec.words_max; count++)
        ids[count] = -1;
    return true;
}

/* Numbers on their way to neighbouring columns of dense: divisions are slow one
 * by one. */
struct run {
    uint32_t first, count;
    double numbers[RUN_COLUMNS];
};

WIDE_VECTORS
static void standardise(const double *restrict numbers, size_t count, const double *restrict means,
                        const double *restrict scales, const float *restrict limits,
                        float *restrict dense)
{
    for (size_t i = 0; i < count; i++)
        dense[i] = to_dense(numbers[i], means[i], scales[i], limits[i]);
}

void transform_reals(const struct transform *transform, const double *numbers, float *dense)
{
    standardise(numbers, transform->dense_width, transform->means, transform->scales,
                transform->limits, dense);
}

static void finish_run(struct run *run, const struct transform *transform, float *dense)
{
    standardise(run->numbers, run->count, transform->means + run->first,
                transform->scales + run->first, transform->limits + run->first, dense + run->first);
    run->first += run->count;
    run->count = 0;
}

static enum status transform_numeric(const struct transform *transform,
                                     const struct transform_input *input, const struct cell *cell,
                                     struct run *run, float *dense, struct error *err)
{
    double number = cell->real;
    bool is_null = false;

    if (cell->type != CELL_REAL || !isfinite(number))
        TRY(cell_to_number(cell, input->spec.reading, input->spec.name, &number, &is_null, err));
    is_null = is_null || transform_is_code(input, number);
    if (run->count + 2 > RUN_COLUMNS)
        finish_run(run, transform, dense);
    run->numbers[run->count++] = is_null ? (double)input->null_value : number;
    if (input->dense_count == 2)
        run->numbers[run->count++] = is_null;
    if (transform->has_rests)
        dense[input->rest_offset] = is_null ? 0 : transform_rest(input, number);
    if (is_null && !transform->keeps_numbers) {
        finish_run(run, transform, dense);
        dense[input->dense_offset] = input->null_value;
    }
    return STATUS_OK;
}

/* Whose place is behind that of features. */
static enum status transform_offset_cell(const struct transform *transform,
                                         const struct transform_input *input,
                                         const struct cell *cell, float *dense, struct error *err)
{
    double number;
    bool is_null;

    TRY(cell_to_number(cell, input->spec.reading, input->spec.name, &number, &is_null, err));
    if (is_null)
        return fail(err, STATUS_INVALID, "%s \"%.*s\" is NULL", offset_columns[input->spec.offset],
                    SLICE_FORMAT(input->spec.name));
    if (offset_is_bad(input->spec.offset, number))
        return fail(err, STATUS_INVALID, "%s \"%.*s\" is %.15g, and exposures are above 0",
                    offset_columns[input->spec.offset], SLICE_FORMAT(input->spec.name), number);
    dense[input->dense_offset] = transform_number(input, number);
    if (transform->has_rests)
        dense[input->rest_offset] = transform_rest(input, number);
    return STATUS_OK;
}

static enum status transform_place_of(const struct transform_input *input, const struct cell *cell,
                                      int32_t *id, struct error *err)
{
    double number;
    bool is_null;

    TRY(cell_to_number(cell, input->spec.reading, column_of(input), &number, &is_null, err));
    *id = is_null ? input->null_id : transform_number_id(input, number);
    return *id >= 0 || is_null ? STATUS_OK
                               : cell_refuse_id(cell, column_of(input), input->hash_buckets, err);
}

/* A blank text is NULL, as where rows are trained on; models of before may have it as a word. */
static bool is_missing_word(const struct transform_input *input, struct slice word)
{
    return input->spec.rule == RULE_WORDS && slice_trim(word).size == 0 &&
           !lookup_place(input->lookup, input->lookup_size, input->words, word,
                         transform_word_hash(word))
                ->number;
}

static enum status transform_category(const struct transform_input *input, const struct cell *cell,
                                      int32_t *id, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    bool is_null;

    if (rule_takes_numbers(input->spec.rule))
        return transform_place_of(input, cell, id, err);
    TRY(cell_to_word(cell, column_of(input), buffer, &word, &is_null, err));
    is_null = is_null || is_missing_word(input, word);
    *id = is_null ? input->null_id : transform_word(input, word);
    return STATUS_OK;
}

static enum status transform_words(const struct transform_input *input, const struct cell *cell,
                                   int32_t *ids, struct error *err)
{
    const struct slice column = column_of(input);
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice text;
    bool is_null;

    TRY(cell_to_word(cell, column, buffer, &text, &is_null, err));
    if (transform_text(input, text, ids))
        return STATUS_OK;
    return list_items_refuse(cell, &input->spec.list,
                             input->spec.rule == RULE_ID ? input->hash_buckets : 0, column, err);
}

/* The date of the column whose parts are being taken. */
struct dated {
    uint32_t column;
    bool is_null;
    struct date date;
    struct cell part;
};

/* The cell of an input: its column's, or a part of it. */
static enum status take_cell(const struct transform_input *input, const struct cell *cells,
                             struct dated *dated, const struct cell **cell, struct error *err)
{
    *cell = &cells[input->column];
    if (!input->spec.part)
        return STATUS_OK;
    if (dated->column != input->column)
        TRY(cell_to_date(*cell, input->spec.reading, input->spec.source, &dated->date,
                         &dated->is_null, err));
    dated->column = input->column;
    dated->part = dated->is_null ? (struct cell){.type = CELL_NULL}
                                 : date_part_cell(&dated->date, input->spec.part);
    *cell = &dated->part;
    return STATUS_OK;
}

static enum status transform_cross(const struct transform_input *input, const struct cell *cells,
                                   int32_t *id, struct error *err)
{
    uint32_t bucket;

    TRY(cross_bucket(input->spec.cross, cells, &bucket, err));
    *id = (int32_t)(input->first_id + bucket);
    return STATUS_OK;
}

/* All numbers of a list: of this input and of those behind it. */
static enum status transform_list(const struct transform *transform,
                                  const struct transform_input *first, const struct cell *cell,
                                  struct run *run, float *dense, struct error *err)
{
    double numbers[LIST_SIZE_MAX];
    bool is_null;

    TRY(cell_list_read(cell, &first->spec.list, first->spec.source, numbers, &is_null, err));
    for (uint32_t i = 0; i < first->spec.list.size; i++) {
        const struct cell number = {.type = is_null ? CELL_NULL : CELL_REAL, .real = numbers[i]};

        TRY(transform_numeric(transform, first + i, &number, run, dense, err));
    }
    return STATUS_OK;
}

enum status transform_row(const struct transform *transform, const struct cell *cells, float *dense,
                          int32_t *ids, struct error *err)
{
    struct dated dated;
    struct run run;

    dated.column = UINT32_MAX;
    run.first = run.count = 0;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const struct cell *cell = &cells[i];

        if (input->spec.cross) {
            TRY(transform_cross(input, cells, ids + input->id_offset, err));
            continue;
        }
        if (transform->has_parts)
            TRY(take_cell(input, cells, &dated, &cell, err));
        if (transform->has_lists && cell_list_has_numbers(&input->spec.list)) {
            TRY(transform_list(transform, input, cell, &run, dense, err));
            i += input->spec.list.size - 1;
        } else if (input->spec.offset)
            TRY(transform_offset_cell(transform, input, cell, dense, err));
        else if (input->spec.type == INPUT_NUMERIC)
            TRY(transform_numeric(transform, input, cell, &run, dense, err));
        else if (input->spec.type == INPUT_TEXT)
            TRY(transform_words(input, cell, ids + input->id_offset, err));
        else
            TRY(transform_category(input, cell, ids + input->id_offset, err));
    }
    finish_run(&run, transform, dense);
    return STATUS_OK;
}
