#include "scoring/transform/transform.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/word_table.h"
#include "scoring/numbers/elementary.h"

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

/* A row without its label has "was NULL" instead. */
static enum status check_label(const struct transform_input *input, struct error *err)
{
    return !input->spec.label || (input->has_nulls && !input->has_code)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "column \"%.*s\" is no label",
                      SLICE_FORMAT(input->spec.name));
}

static enum status finish_numeric(struct transform *transform, struct transform_input *input,
                                  struct error *err)
{
    TRY(check_offset(input, err));
    TRY(check_label(input, err));
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
static void take_ids(struct transform *transform, struct transform_input *input)
{
    const struct input_size size = input->encoder->size(input, transform->keeps_numbers);

    input->first_id = transform->id_rows;
    input->id_rows = size.id_rows;
    input->id_offset = transform->id_count;
    transform->id_rows += size.id_rows;
    transform->id_count += size.ids;
    transform->id_inputs++;
}

static enum status check_category(const struct transform *transform,
                                  const struct transform_input *input, struct error *err)
{
    const uint64_t rows = (uint64_t)input->word_count + input->hash_buckets + 1;

    if (!input->encoder->fits(input))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": a category without what its rule needs",
                    SLICE_FORMAT(input->spec.name));
    if (input->word_count > CATEGORY_WORDS_MAX || input->hash_buckets > CATEGORY_WORDS_MAX ||
        transform->id_rows + rows > INT32_MAX)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": %u words and %u hash buckets",
                    SLICE_FORMAT(input->spec.name), input->word_count, input->hash_buckets);
    return STATUS_OK;
}

static enum status finish_category(struct transform *transform, struct transform_input *input,
                                   struct arena *arena, struct error *err)
{
    transform->has_rules |= input->spec.rule != RULE_WORDS;
    transform->has_crosses |= input->spec.cross != NULL;
    TRY(check_category(transform, input, err));
    take_ids(transform, input);
    input->null_id = input->has_nulls && !transform->keeps_numbers
                         ? (int32_t)(input->first_id + input->id_rows - 1)
                     : transform->keeps_numbers && transform->has_rests ? INPUT_NULL_APART
                                                                        : -1;
    return word_table_make(input, arena, err);
}

static enum status refuse_counts(const struct transform_input *input, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "column \"%.*s\": a word of more texts than there are",
                SLICE_FORMAT(input->spec.name));
}

/* How rare each word of the vocabulary is (weighted_terms.h). */
static enum status weigh_words(struct transform_input *input, struct arena *arena,
                               struct error *err)
{
    double *rarity = ARENA_NEW(arena, double, input->word_count + 1u);

    if (!rarity)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++) {
        if (input->word_counts[i] < 1 || input->word_counts[i] > input->texts)
            return refuse_counts(input, err);
        rarity[i] =
            logarithm_double((1 + (double)input->texts) / (1 + (double)input->word_counts[i])) + 1;
    }
    input->rarity = rarity;
    return STATUS_OK;
}

static enum status finish_text(struct transform *transform, struct transform_input *input,
                               struct arena *arena, struct error *err)
{
    const uint64_t rows =
        (uint64_t)transform->id_rows + input->word_count + input->hash_buckets + 1;

    if (!input->encoder->fits(input) || rows > INT32_MAX)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": %u hash buckets for %u words of a text",
                    SLICE_FORMAT(input->spec.name), input->hash_buckets, input->spec.words_max);
    take_ids(transform, input);
    transform->texts[transform->text_count++] = text_ids_of(input);
    if (input->spec.weight == TEXT_WEIGHT_TFIDF)
        TRY(weigh_words(input, arena, err));
    return input->encoder->counts == COUNTS_WORDS ? word_table_make(input, arena, err) : STATUS_OK;
}

static enum status finish_input(struct transform *transform, struct transform_input *input,
                                struct arena *arena, struct error *err)
{
    if (input->spec.type == INPUT_NUMERIC)
        return finish_numeric(transform, input, err);
    return input->spec.type == INPUT_TEXT ? finish_text(transform, input, arena, err)
                                          : finish_category(transform, input, arena, err);
}

/* A column of which parts of dates are taken comes in the order of the parts, each once. */
static bool is_of_same_column(const struct transform_input *before,
                              const struct transform_input *input)
{
    return slice_equal(input_column(&before->spec), input_column(&input->spec)) &&
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
           slice_equal(input_column(&input->spec), input_column(&before->spec));
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
    input->encoder = encoder_of(&input->spec);
    if (!input->encoder)
        return fail(err, STATUS_CORRUPT, "input \"%.*s\" is made in no way that is known",
                    SLICE_FORMAT(input->spec.name));
    if (input->spec.cross) {
        find_crossed(transform, input);
        return STATUS_OK;
    }
    if (i > 0 && input[-1].spec.cross)
        return fail(err, STATUS_CORRUPT, "input \"%.*s\" follows a cross",
                    SLICE_FORMAT(input->spec.name));
    if (i == 0 || !is_of_same_column(input - 1, input))
        transform->columns[transform->column_count++] = input_column(&input->spec);
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
    transform->are_labels = ARENA_NEW(arena, bool, columns_most(transform));
    if (!transform->columns || !transform->are_labels || !names)
        return fail_no_memory(err);
    memset(transform->are_labels, 0, columns_most(transform) * sizeof *transform->are_labels);
    transform->column_count = transform->label_columns = 0;
    transform->has_parts = transform->has_lists = false;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        TRY(find_column(transform, i, err));
        TRY(check_list(i > 0 ? &transform->inputs[i - 1] : NULL, &transform->inputs[i], err));
        transform->has_lists |= transform->inputs[i].spec.list.form ||
                                transform->inputs[i].spec.combiner != COMBINER_SQRTN;
        if (transform->inputs[i].spec.label && !transform->inputs[i].spec.cross) {
            transform->are_labels[transform->inputs[i].column] = true;
            transform->label_columns++;
        }
        names[i] = transform->inputs[i].spec.name;
    }
    TRY(check_list(&transform->inputs[transform->input_count - 1], NULL, err));
    if (transform->column_count > MODEL_INPUTS_MAX)
        return fail(err, STATUS_CORRUPT, "a model has at most %d columns, not %u", MODEL_INPUTS_MAX,
                    transform->column_count);
    TRY(words_check(names, transform->input_count, "inputs", arena, err));
    return words_check(transform->columns, transform->column_count, "columns", arena, err);
}

void transform_copy_input(const struct transform *transform, const struct transform_input *input,
                          const float *from_dense, const int32_t *from_ids, float *dense,
                          int32_t *ids)
{
    if (input->spec.type == INPUT_NUMERIC) {
        memcpy(dense + input->dense_offset, from_dense + input->dense_offset,
               input->dense_count * sizeof *dense);
        if (transform->has_rests)
            dense[input->rest_offset] = from_dense[input->rest_offset];
    } else
        memcpy(ids + input->id_offset, from_ids + input->id_offset,
               (input->spec.type == INPUT_TEXT ? transform_text_room(input) : 1) * sizeof *ids);
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
    struct transform_size sum = {0};

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const struct input_size size = input->encoder->size(input, transform->keeps_numbers);

        sum.dense += input->spec.offset ? 0 : size.dense;
        sum.id_inputs += size.ids > 0;
        sum.id_count += size.ids;
        sum.id_rows += size.id_rows;
    }
    return sum;
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
    if (transform->input_count == 0 || transform->input_count > MODEL_NUMBERS_MAX)
        return fail(err, STATUS_CORRUPT, "a model has 1 to %d inputs, not %u", MODEL_NUMBERS_MAX,
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

bool transform_names_encoders(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (encoder_of(&transform->inputs[i].spec)->is_named)
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

bool transform_is_label(const struct transform *transform, uint32_t column)
{
    return transform->label_columns > 0 && transform->are_labels[column];
}

void transform_add_labels(const struct transform *transform, struct cell *cells)
{
    uint32_t from = transform->column_count - transform->label_columns;

    for (uint32_t i = transform->column_count; i-- > 0;)
        cells[i] =
            transform_is_label(transform, i) ? (struct cell){.type = CELL_NULL} : cells[--from];
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

/* The number as it is counted: an exposure's logarithm, else itself. */
static double counted_number(const struct transform_input *input, double number)
{
    return input->spec.offset == OFFSET_EXPOSURE ? logarithm_double(number) : number;
}

bool transform_reach(const struct transform *transform, const struct transform_input *input,
                     double *least, double *greatest)
{
    /* The limits are not there in a model whose meta row alone was read. */
    const double reach = transform->keeps_numbers ? (double)TRANSFORM_KEPT_MOST
                                                  : (double)TRANSFORM_DENSE_MAX * input->scale;

    *least = input->mean - reach;
    *greatest = input->mean + reach;
    return input->spec.type == INPUT_NUMERIC && !input->spec.offset && !input->spec.part &&
           !input->spec.list.form &&
           (transform->keeps_numbers || !transform_input_is_limited(input));
}

float transform_number(const struct transform_input *input, double number)
{
    return number_standardised(counted_number(input, number), input->mean, input->scale,
                               input->limit);
}

float transform_rest(const struct transform_input *input, double number)
{
    return number_rest(input, counted_number(input, number));
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
        dense[i * stride] = number_standardised(numbers[i], mean, scale, limit);
}

void transform_reals(const struct transform *transform, const double *numbers, float *dense)
{
    numbers_standardise(numbers, transform->dense_width, transform->means, transform->scales,
                        transform->limits, dense);
}

/* An offset's place is behind that of features. */
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

enum status transform_row(const struct transform *transform, const struct cell *cells, float *dense,
                          int32_t *ids, struct error *err)
{
    struct encoded_row row;

    row.dense = dense;
    row.ids = ids;
    row.means = transform->means;
    row.scales = transform->scales;
    row.limits = transform->limits;
    row.keeps_numbers = transform->keeps_numbers;
    row.has_rests = transform->has_rests;
    encoded_row_begin(&row);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.offset)
            TRY(transform_offset_cell(transform, input, &cells[input->column], dense, err));
        else
            TRY(input->encoder->encode(input, cells, &row, err));
    }
    encoded_row_finish(&row);
    return STATUS_OK;
}
