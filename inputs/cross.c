#include "inputs/cross.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "inputs/bounds.h"
#include "inputs/cells/cells.h"
#include "inputs/encoders.h"

#define NULL_KEY 0

/* ----- of a row ----- */

static uint64_t number_key(uint32_t number)
{
    char digits[TRANSFORM_WORD_BUFFER];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    return transform_word_hash((struct slice){digits + at, sizeof digits - at});
}

static enum status key_of_number(const struct cross_column *column, const struct cell *cell,
                                 uint64_t *key, struct error *err)
{
    double number;
    bool is_null;

    TRY(cell_to_number(cell, column->reading, column->name, &number, &is_null, err));
    if (is_null)
        *key = NULL_KEY;
    else if (column->rule == RULE_BUCKET)
        *key = number_key(bounds_bucket(column->bounds, column->bound_count, number));
    else if (number_is_id(number, column->rows))
        *key = number_key((uint32_t)number);
    else
        return cell_refuse_id(cell, column->name, column->rows, err);
    return STATUS_OK;
}

static enum status key_of(const struct cross_column *column, const struct cell *cell, uint64_t *key,
                          struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    bool is_null;

    if (rule_takes_numbers(column->rule))
        return key_of_number(column, cell, key, err);
    TRY(cell_to_word(cell, column->name, buffer, &word, &is_null, err));
    *key = is_null ? NULL_KEY : transform_word_hash(word);
    if (!is_null && column->rule == RULE_HASH)
        *key = number_key((uint32_t)(*key % column->rows));
    return STATUS_OK;
}

enum status cross_bucket(const struct cross *cross, const struct cell *cells, uint32_t *bucket,
                         struct error *err)
{
    char keys[CROSS_COLUMNS_MAX * sizeof(uint64_t)];
    char *end = keys;
    uint64_t key = NULL_KEY;

    for (uint32_t i = 0; i < cross->count; i++) {
        TRY(key_of(&cross->columns[i], &cells[cross->columns[i].cell], &key, err));
        for (unsigned byte = 0; byte < sizeof key; byte++)
            *end++ = (char)(uint8_t)(key >> (8 * byte));
    }
    *bucket = (uint32_t)(transform_word_hash((struct slice){keys, (size_t)(end - keys)}) %
                         cross->buckets);
    return STATUS_OK;
}

/* ----- as a whole ----- */

static bool copy_column(const struct cross_column *from, struct arena *arena,
                        struct cross_column *to)
{
    double *bounds = ARENA_NEW(arena, double, from->bound_count + 1);

    *to = *from;
    to->name = arena_copy(arena, from->name);
    to->bounds = bounds;
    if (!bounds || !to->name.data)
        return false;
    if (from->bound_count > 0)
        memcpy(bounds, from->bounds, from->bound_count * sizeof *bounds);
    return true;
}

struct cross *cross_copy(const struct cross *cross, struct arena *arena)
{
    struct cross *copy = ARENA_NEW(arena, struct cross, 1);
    struct cross_column *columns = ARENA_NEW(arena, struct cross_column, cross->count);

    if (!copy || !columns)
        return NULL;
    for (uint32_t i = 0; i < cross->count; i++)
        if (!copy_column(&cross->columns[i], arena, &columns[i]))
            return NULL;
    *copy = (struct cross){columns, cross->count, cross->buckets};
    return copy;
}

static bool columns_equal(const struct cross_column *a, const struct cross_column *b)
{
    return slice_equal(a->name, b->name) && a->rule == b->rule && a->reading == b->reading &&
           a->rows == b->rows && a->bound_count == b->bound_count &&
           (a->bound_count == 0 ||
            memcmp(a->bounds, b->bounds, a->bound_count * sizeof *a->bounds) == 0);
}

bool cross_equal(const struct cross *a, const struct cross *b)
{
    if (!a || !b)
        return a == b;
    if (a->count != b->count || a->buckets != b->buckets)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!columns_equal(&a->columns[i], &b->columns[i]))
            return false;
    return true;
}

/* ----- as JSON ----- */

static cJSON *column_to_json(const struct cross_column *column)
{
    cJSON *object = cJSON_CreateObject();

    json_add_string(object, "column", column->name);
    json_add_string(object, "rule", slice_of(category_rule_words[column->rule]));
    if (column->reading != READING_NUMBER)
        json_add_string(object, "reading", slice_of(input_reading_words[column->reading]));
    if (column->rows > 0)
        json_add_integer(object, "rows", column->rows);
    if (column->rule != RULE_BUCKET)
        return object;
    json_add_reals(object, "bounds", column->bounds, column->bound_count);
    return object;
}

cJSON *cross_to_json(const struct cross *cross)
{
    cJSON *list = cJSON_CreateArray();

    for (uint32_t i = 0; i < cross->count; i++)
        json_append(list, column_to_json(&cross->columns[i]));
    return list;
}

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "CROSS: a column %s", what);
}

static enum status read_word(const cJSON *object, const char *name, const char *const *words,
                             unsigned *value, struct error *err)
{
    struct slice word;

    TRY(json_get_string(object, name, &word, err));
    return term_find(words, word, value) ? STATUS_OK : corrupt(err, "has an unknown rule");
}

static enum status read_bounds(const cJSON *object, struct arena *arena,
                               struct cross_column *column, struct error *err)
{
    const cJSON *list, *item;
    double *bounds;

    TRY(json_get_array(object, "bounds", BUCKETS_MAX - 1, &list, err));
    bounds = ARENA_NEW(arena, double, (size_t)cJSON_GetArraySize(list) + 1);
    if (!bounds)
        return fail_no_memory(err);
    column->bounds = bounds;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item))
            return corrupt(err, "has a bound that is no number");
        bounds[column->bound_count++] = item->valuedouble;
    }
    return column->bound_count > 0 && bounds_ascend(bounds, column->bound_count)
               ? STATUS_OK
               : corrupt(err, "has bounds that do not ascend");
}

static enum status read_rule(const cJSON *object, struct arena *arena, struct cross_column *column,
                             struct error *err)
{
    unsigned rule, reading = READING_NUMBER;
    int64_t rows = 0;

    TRY(read_word(object, "rule", category_rule_words, &rule, err));
    if (json_has(object, "reading"))
        TRY(read_word(object, "reading", input_reading_words, &reading, err));
    column->rule = (enum category_rule)rule;
    column->reading = (enum input_reading)reading;
    if (column->rule >= RULE_CROSS ||
        (reading != READING_NUMBER && !rule_takes_numbers(column->rule)))
        return corrupt(err, "has a rule that it cannot have");
    if (column->rule == RULE_HASH || column->rule == RULE_ID)
        TRY(json_get_integer(object, "rows", 1, CATEGORY_WORDS_MAX, &rows, err));
    column->rows = (uint32_t)rows;
    return column->rule == RULE_BUCKET ? read_bounds(object, arena, column, err) : STATUS_OK;
}

static enum status read_column(const cJSON *object, struct arena *arena,
                               struct cross_column *column, struct error *err)
{
    struct slice name;

    if (!cJSON_IsObject(object))
        return corrupt(err, "has no name");
    TRY(json_get_string(object, "column", &name, err));
    column->name = arena_copy(arena, name);
    if (!column->name.data)
        return fail_no_memory(err);
    return read_rule(object, arena, column, err);
}

enum status cross_from_json(const cJSON *object, const char *name, uint32_t buckets,
                            struct arena *arena, struct cross **cross, struct error *err)
{
    const cJSON *list, *item;
    struct cross *made = ARENA_NEW(arena, struct cross, 1);

    TRY(json_get_array(object, name, CROSS_COLUMNS_MAX, &list, err));
    if (cJSON_GetArraySize(list) < 2)
        return fail(err, STATUS_CORRUPT, "CROSS: fewer than two columns");
    if (!made)
        return fail_no_memory(err);
    made->columns = ARENA_NEW(arena, struct cross_column, CROSS_COLUMNS_MAX);
    if (!made->columns)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, list)
        TRY(read_column(item, arena, &made->columns[made->count++], err));
    made->buckets = buckets;
    *cross = made;
    return STATUS_OK;
}

/* ---- the input ---- */

static bool is_cross(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_CROSS;
}

static bool fits(const struct transform_input *input)
{
    return fits_hash(input) && input->spec.cross && !input->has_nulls &&
           input->spec.cross->buckets == input->hash_buckets;
}

static enum status encode(const struct transform_input *input, const struct cell *cells,
                          struct encoded_row *row, struct error *err)
{
    uint32_t bucket;

    TRY(cross_bucket(input->spec.cross, cells, &bucket, err));
    row->ids[input->id_offset] = (int32_t)(input->first_id + bucket);
    return STATUS_OK;
}

static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " of %u hash buckets of %u columns", spec->vocabulary_max, spec->cross->count);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, " of %u buckets of %u columns", input->hash_buckets, input->spec.cross->count);
}

const struct encoder cross_encoder = {
    .name = "cross",
    .is_of = is_cross,
    .reads = READS_ID,
    .counts = COUNTS_NOTHING,
    .fits = fits,
    .size = size_of_category,
    .encode = encode,
    .number_id = number_as_id,
    .explain = explain,
    .describe = describe,
};
