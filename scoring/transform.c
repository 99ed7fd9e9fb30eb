#include "scoring/transform.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/vectors.h"
#include "scoring/cell_text.h"
#include "scoring/elementary.h"
#include "scoring/text_words.h"

#define RUN_COLUMNS 64 /* of dense, standardised at a time */

uint64_t transform_word_hash(struct slice word)
{
    return XXH3_64bits(word.data ? word.data : "", word.size);
}

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
                        SLICE_FORMAT(input->name), SLICE_FORMAT(input->words[i]));
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
                    SLICE_FORMAT(input->name), input->code);
    if (!isfinite(input->mean))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": origin %g", SLICE_FORMAT(input->name),
                    input->mean);
    input->scale = 1;
    input->limit = TRANSFORM_KEPT_MOST;
    input->null_value = NAN;
    if (!input->offset)
        place_number(transform, input, 1);
    return STATUS_OK;
}

/* It is a number of a column, of which each row has one. place_offset places it. */
static enum status check_offset(const struct transform_input *input, struct error *err)
{
    if (!input->offset || (!input->has_nulls && !input->has_code && !input->part &&
                           !input->list.form && input->source.size == 0))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "column \"%.*s\" is no offset", SLICE_FORMAT(input->name));
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
                    SLICE_FORMAT(input->name), input->mean, input->scale);
    if (input->limit == 0)
        input->limit = TRANSFORM_DENSE_MAX;
    if (!(input->limit > 0 && input->limit <= TRANSFORM_DENSE_MAX))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": limit %g", SLICE_FORMAT(input->name),
                    (double)input->limit);
    if (input->has_code && (!input->has_nulls || !isfinite(input->code)))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": code %g", SLICE_FORMAT(input->name),
                    input->code);
    if (!input->offset)
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

bool bounds_ascend(const double *bounds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(bounds[i]) || (i > 0 && !(bounds[i] > bounds[i - 1])))
            return false;
    return true;
}

/* Has the category what its rule needs, and nothing else? */
static bool rule_fits(const struct transform_input *input)
{
    switch (input->rule) {
    case RULE_WORDS:
        return input->bound_count == 0;
    case RULE_HASH:
    case RULE_ID:
        return input->bound_count == 0 && input->word_count == 0 && input->hash_buckets > 0;
    case RULE_BUCKET:
        return input->word_count == input->bound_count + 1 && input->word_count <= BUCKETS_MAX &&
               input->hash_buckets == 0 && bounds_ascend(input->bounds, input->bound_count);
    case RULE_CROSS:
        return input->cross && input->cross->buckets == input->hash_buckets && !input->has_nulls &&
               input->bound_count == 0 && input->word_count == 0 && input->hash_buckets > 0;
    }
    return false;
}

static enum status finish_category(struct transform *transform, struct transform_input *input,
                                   struct arena *arena, struct error *err)
{
    uint64_t rows = (uint64_t)input->word_count + input->hash_buckets + 1;

    transform->has_rules |= input->rule != RULE_WORDS;
    transform->has_crosses |= input->rule == RULE_CROSS;
    if (!rule_fits(input))
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": a category without what its rule needs",
                    SLICE_FORMAT(input->name));

    if (input->word_count > CATEGORY_WORDS_MAX || input->hash_buckets > CATEGORY_WORDS_MAX ||
        transform->id_rows + rows > INT32_MAX)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": %u words and %u hash buckets",
                    SLICE_FORMAT(input->name), input->word_count, input->hash_buckets);
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
        input->words_max == 0 || input->words_max > TEXT_WORDS_MAX || input->word_count > 0)
        return false;
    if (!input->list.form)
        return input->rule == RULE_WORDS && !input->is_weighted;
    return (input->rule == RULE_HASH || input->rule == RULE_ID) &&
           input->list.size == input->words_max && (input->list.pair || !input->is_weighted);
}

static enum status finish_text(struct transform *transform, struct transform_input *input,
                               struct error *err)
{
    const uint64_t rows = (uint64_t)transform->id_rows + input->hash_buckets;

    if (!text_fits(input) || rows > INT32_MAX)
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": %u hash buckets for %u words of a text",
                    SLICE_FORMAT(input->name), input->hash_buckets, input->words_max);
    take_ids(transform, input, input->hash_buckets, transform_text_room(input));
    transform->texts[transform->text_count++] = text_ids_of(input);
    return STATUS_OK;
}

static enum status finish_input(struct transform *transform, struct transform_input *input,
                                struct arena *arena, struct error *err)
{
    if (input->type == INPUT_NUMERIC)
        return finish_numeric(transform, input, err);
    return input->type == INPUT_TEXT ? finish_text(transform, input, err)
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
    return input->source.size > 0 ? input->source : input->name;
}

/* A column of which parts of dates are taken comes in the order of the parts, each once. */
static bool is_of_same_column(const struct transform_input *before,
                              const struct transform_input *input)
{
    return slice_equal(column_of(before), column_of(input)) &&
           (!before->part || !input->part || input->part > before->part);
}

/* The inputs of a list are all of its numbers, in their order. `before`: NULL in front of all. */
static bool list_goes_on(const struct transform_input *before, const struct transform_input *input)
{
    const bool is_inside =
        before && cell_list_has_numbers(&before->list) && before->element + 1 < before->list.size;

    if (!is_inside || !input)
        return !is_inside && (!input || input->element == 0);
    return input->element == before->element + 1 && cell_list_equal(&input->list, &before->list) &&
           slice_equal(column_of(input), column_of(before));
}

/* Is it a list that such an input can have? */
static bool list_is_of(const struct transform_input *input)
{
    return cell_list_fits(&input->list) && input->source.size > 0 && !input->part &&
           input->type == (cell_list_has_numbers(&input->list) ? INPUT_NUMERIC : INPUT_TEXT);
}

static enum status check_list(const struct transform_input *before,
                              const struct transform_input *input, struct error *err)
{
    if (list_goes_on(before, input) && (!input || !input->list.form || list_is_of(input)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "input \"%.*s\" is not the next number of a list",
                SLICE_FORMAT(input ? input->name : before->name));
}

static enum status check_part(const struct transform_input *input, struct error *err)
{
    if (input->part < DATE_PARTS &&
        (!input->part || (input->source.size > 0 && input->type == date_part_type(input->part) &&
                          input->rule == RULE_WORDS)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "input \"%.*s\" is no part of a column",
                SLICE_FORMAT(input->name));
}

/* How many there can be. */
static size_t columns_most(const struct transform *transform)
{
    size_t most = transform->input_count;

    for (uint32_t i = 0; i < transform->input_count; i++)
        most += transform->inputs[i].cross ? transform->inputs[i].cross->count : 0;
    return most;
}

/* Those that no other input takes come behind the others. */
static void find_crossed(struct transform *transform, struct transform_input *input)
{
    for (uint32_t i = 0; i < input->cross->count; i++) {
        struct cross_column *column = &input->cross->columns[i];

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
    if (input->cross) {
        find_crossed(transform, input);
        return STATUS_OK;
    }
    if (i > 0 && input[-1].cross)
        return fail(err, STATUS_CORRUPT, "input \"%.*s\" stands behind a cross",
                    SLICE_FORMAT(input->name));
    if (i == 0 || !is_of_same_column(input - 1, input))
        transform->columns[transform->column_count++] = column_of(input);
    input->column = transform->column_count - 1;
    transform->has_parts |= input->part != DATE_WHOLE || input->column != i;
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
        transform->has_lists |=
            transform->inputs[i].list.form || transform->inputs[i].combiner != COMBINER_SQRTN;
        names[i] = transform->inputs[i].name;
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
        if (transform->inputs[i].offset)
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

        if (!input->offset)
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

        if (input->type != INPUT_NUMERIC)
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

        if (input->type == INPUT_NUMERIC) {
            size.dense += input->offset ? 0 : transform_columns_of(transform, input);
            continue;
        }
        size.id_inputs++;
        size.id_count += input->type == INPUT_TEXT ? transform_text_room(input) : 1;
        size.id_rows +=
            (uint64_t)input->word_count + input->hash_buckets + (input->type == INPUT_CATEGORY);
    }
    return size;
}

const struct transform_input *transform_concat_first(const struct transform *transform,
                                                     const struct transform_input *input)
{
    const struct transform_input *first = transform->inputs;

    if (input->concat.number == 0)
        return input;
    while (first->concat.number != input->concat.number)
        first++;
    return first;
}

uint32_t transform_concat_size(const struct transform *transform,
                               const struct transform_input *input)
{
    uint32_t size = 0;

    if (input->concat.number == 0)
        return 1;
    for (uint32_t i = 0; i < transform->input_count; i++)
        size += transform->inputs[i].concat.number == input->concat.number;
    return size;
}

/* Members have one embedding: of one dimension, made in one way. */
static enum status check_concat(const struct transform *transform,
                                const struct transform_input *input, struct error *err)
{
    const struct transform_input *first = transform_concat_first(transform, input);

    if (input->concat.number == 0 ||
        (input->type != INPUT_NUMERIC && part_has_dnn(input->model_part) &&
         concat_equal(input->concat, first->concat) && input->dimension == first->dimension))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "input \"%.*s\" is unlike the others of its CONCAT",
                SLICE_FORMAT(input->name));
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
        if (transform->inputs[i].type == INPUT_NUMERIC)
            TRY(finish_numeric(transform, &transform->inputs[i], err));
    place_rests(transform);
    TRY(place_offset(transform, err));
    return list_columns(transform, arena, err);
}

bool transform_has_model_parts(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].model_part || transform->inputs[i].dimension)
            return true;
    return false;
}

bool transform_counts_words(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].list.form == LIST_WORDS)
            return true;
    return false;
}

bool transform_has_concats(const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].concat.number)
            return true;
    return false;
}

/* The columns of a cross have readings of their own. */
static bool is_written(const struct transform_input *input)
{
    bool is_found = reading_is_written(input->reading);

    for (uint32_t i = 0; input->cross && i < input->cross->count; i++)
        is_found |= reading_is_written(input->cross->columns[i].reading);
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
        if (transform->inputs[i].type == INPUT_NUMERIC && transform->inputs[i].mean != 0)
            return true;
    return false;
}

bool transform_input_takes(const struct transform_input *input, uint32_t column)
{
    for (uint32_t i = 0; input->cross && i < input->cross->count; i++)
        if (input->cross->columns[i].cell == column)
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

enum status cell_refuse(const struct cell *cell, struct slice column, const char *wanted,
                        struct error *err)
{
    double number;

    if (cell->type == CELL_VECTOR)
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds an array, where %s was expected",
                    SLICE_FORMAT(column), wanted);
    if (cell->type == CELL_BLOB)
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds a blob, where %s was expected",
                    SLICE_FORMAT(column), wanted);
    if (cell->type == CELL_TEXT) {
        int shown = cell->text.size > 40 ? 40 : (int)cell->text.size;
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds '%.*s%s', where %s was expected",
                    SLICE_FORMAT(column), shown, cell->text.data, cell->text.size > 40 ? "..." : "",
                    wanted);
    }
    if (cell->type == CELL_REAL && isinf(cell->real))
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds an infinite %s",
                    SLICE_FORMAT(column), cell->time ? "date" : "number");
    number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;
    return fail(err, STATUS_INVALID, "column \"%.*s\" holds %.15g, where %s was expected",
                SLICE_FORMAT(column), number, wanted);
}

static bool read_text(struct slice text, enum input_reading reading, double *number, bool *is_null)
{
    const struct text_look look = text_look_at(text);

    return text_look_number(&look, text, reading, number, is_null);
}

enum status cell_to_number(const struct cell *cell, enum input_reading reading, struct slice column,
                           double *number, bool *is_null, struct error *err)
{
    *number = 0;
    *is_null = cell->type == CELL_NULL || (cell->type == CELL_REAL && isnan(cell->real));
    if (*is_null)
        return STATUS_OK;
    if (cell->type == CELL_INTEGER)
        *number = (double)cell->integer;
    else if (cell->type == CELL_REAL)
        *number = cell->real;
    else if (cell->type >= CELL_BLOB || !read_text(cell->text, reading, number, is_null))
        return cell_refuse(cell, column, reading == READING_BOOLEAN ? "yes or no" : "a number",
                           err);
    return isfinite(*number) ? STATUS_OK : cell_refuse(cell, column, "a finite number", err);
}

static struct slice real_as_word(double real, char *buffer)
{
    struct text digits;
    size_t size;

    /* Below 2^63 a whole number prints as the integer that it is. */
    if (real == floor(real) && fabs(real) < 0x1p63) {
        size = (size_t)snprintf(buffer, TRANSFORM_WORD_BUFFER, "%lld", (long long)real);
        return (struct slice){buffer, size};
    }
    text_init(&digits, TRANSFORM_WORD_BUFFER);
    text_append_real(&digits, real);
    size = digits.size;
    memcpy(buffer, text_string(&digits), size);
    text_deinit(&digits);
    return (struct slice){buffer, size};
}

enum status cell_to_word(const struct cell *cell, struct slice column, char *buffer,
                         struct slice *word, bool *is_null, struct error *err)
{
    *word = (struct slice){buffer, 0};
    *is_null = cell->type == CELL_NULL || (cell->type == CELL_REAL && isnan(cell->real));
    if (*is_null)
        return STATUS_OK;
    if (cell->type == CELL_TEXT)
        *word = cell->text;
    else if (cell->type == CELL_INTEGER)
        word->size =
            (size_t)snprintf(buffer, TRANSFORM_WORD_BUFFER, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL && isfinite(cell->real))
        *word = real_as_word(cell->real, buffer);
    else
        return cell_refuse(cell, column, "text or a number", err);
    return STATUS_OK;
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
    return input->offset == OFFSET_EXPOSURE ? logarithm_double(number) : number;
}

bool transform_reach(const struct transform *transform, const struct transform_input *input,
                     double *least, double *greatest)
{
    /* Of a model whose meta row alone was read they are not there. */
    const double reach = transform->keeps_numbers ? (double)TRANSFORM_KEPT_MOST
                                                  : (double)TRANSFORM_DENSE_MAX * input->scale;

    *least = input->mean - reach;
    *greatest = input->mean + reach;
    return input->type == INPUT_NUMERIC && !input->offset && !input->part && !input->list.form &&
           (transform->keeps_numbers || !transform_input_is_limited(input));
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

    if (input->offset == OFFSET_EXPOSURE) {
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

uint32_t bounds_bucket(const double *bounds, uint32_t count, double number)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (number >= bounds[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t transform_number_id(const struct transform_input *input, double number)
{
    if (input->rule == RULE_BUCKET)
        return (int32_t)(input->first_id +
                         bounds_bucket(input->bounds, input->bound_count, number));
    return number_is_id(number, input->hash_buckets) ? (int32_t)(input->first_id + (uint32_t)number)
                                                     : -1;
}

static void append_bound(struct text *name, const double *bounds, uint32_t count, uint32_t i,
                         const char *infinite)
{
    if (i < count)
        text_append_real(name, bounds[i]);
    else
        text_append_string(name, infinite);
}

enum status transform_bucket_name(const double *bounds, uint32_t count, uint32_t i,
                                  struct arena *arena, struct slice *name, struct error *err)
{
    struct text text;

    text_init(&text, 80);
    text_append_string(&text, i > 0 ? "[" : "(");
    append_bound(&text, bounds, i > 0 ? count : 0, i - 1, "-inf");
    text_append_string(&text, ", ");
    append_bound(&text, bounds, count, i, "inf");
    text_append_string(&text, ")");
    *name = text.failed ? (struct slice){0} : arena_copy(arena, text_slice(&text));
    text_deinit(&text);
    return name->data ? STATUS_OK : fail_no_memory(err);
}

enum status cell_refuse_id(const struct cell *cell, struct slice column, uint32_t ids,
                           struct error *err)
{
    char wanted[64];

    snprintf(wanted, sizeof wanted, "a whole number from 0 to %u", ids - 1);
    cell_refuse(cell, column, wanted, err);
    return error_hint(err, "CATEGORY_ID takes ids below its second argument; CATEGORY_HASH takes "
                           "any value.");
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

    if (input->list.form)
        return list_ids_read(input, text, ids);
    while (count < input->words_max && text_words_next(&words, &word)) {
        const uint64_t bucket = transform_word_hash(word) % input->hash_buckets;

        count = insert_id(ids, count, (int32_t)(input->first_id + bucket));
    }
    for (; count < input->words_max; count++)
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
        TRY(cell_to_number(cell, input->reading, input->name, &number, &is_null, err));
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

    TRY(cell_to_number(cell, input->reading, input->name, &number, &is_null, err));
    if (is_null)
        return fail(err, STATUS_INVALID, "%s \"%.*s\" is NULL", offset_columns[input->offset],
                    SLICE_FORMAT(input->name));
    if (offset_is_bad(input->offset, number))
        return fail(err, STATUS_INVALID, "%s \"%.*s\" is %.15g, and exposures are above 0",
                    offset_columns[input->offset], SLICE_FORMAT(input->name), number);
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

    TRY(cell_to_number(cell, input->reading, column_of(input), &number, &is_null, err));
    *id = is_null ? input->null_id : transform_number_id(input, number);
    return *id >= 0 || is_null ? STATUS_OK
                               : cell_refuse_id(cell, column_of(input), input->hash_buckets, err);
}

/* A blank text is NULL, as where rows are trained on; models of before may have it as a word. */
static bool is_missing_word(const struct transform_input *input, struct slice word)
{
    return input->rule == RULE_WORDS && slice_trim(word).size == 0 &&
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

    if (rule_takes_numbers(input->rule))
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
    return list_items_refuse(cell, &input->list, input->rule == RULE_ID ? input->hash_buckets : 0,
                             column, err);
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
    if (!input->part)
        return STATUS_OK;
    if (dated->column != input->column)
        TRY(cell_to_date(*cell, input->reading, input->source, &dated->date, &dated->is_null, err));
    dated->column = input->column;
    dated->part = dated->is_null ? (struct cell){.type = CELL_NULL}
                                 : date_part_cell(&dated->date, input->part);
    *cell = &dated->part;
    return STATUS_OK;
}

static enum status transform_cross(const struct transform_input *input, const struct cell *cells,
                                   int32_t *id, struct error *err)
{
    uint32_t bucket;

    TRY(cross_bucket(input->cross, cells, &bucket, err));
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

    TRY(cell_list_read(cell, &first->list, first->source, numbers, &is_null, err));
    for (uint32_t i = 0; i < first->list.size; i++) {
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

        if (input->cross) {
            TRY(transform_cross(input, cells, ids + input->id_offset, err));
            continue;
        }
        if (transform->has_parts)
            TRY(take_cell(input, cells, &dated, &cell, err));
        if (transform->has_lists && cell_list_has_numbers(&input->list)) {
            TRY(transform_list(transform, input, cell, &run, dense, err));
            i += input->list.size - 1;
        } else if (input->offset)
            TRY(transform_offset_cell(transform, input, cell, dense, err));
        else if (input->type == INPUT_NUMERIC)
            TRY(transform_numeric(transform, input, cell, &run, dense, err));
        else if (input->type == INPUT_TEXT)
            TRY(transform_words(input, cell, ids + input->id_offset, err));
        else
            TRY(transform_category(input, cell, ids + input->id_offset, err));
    }
    finish_run(&run, transform, dense);
    return STATUS_OK;
}
