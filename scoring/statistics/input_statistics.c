#include "scoring/statistics/input_statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/sort_doubles.h"
#include "inputs/cells/cell_text.h"

#define ROWS_MOST  ((int64_t)1 << 53)
#define MOST_POWER 1e15
#define MOST_WHOLE 0x1p53

uint32_t statistics_inputs(const struct transform *transform)
{
    return transform->input_count < STATISTICS_INPUTS_MAX ? transform->input_count
                                                          : STATISTICS_INPUTS_MAX;
}

bool statistics_are_numbers(const struct transform_input *input)
{
    return input->spec.type != INPUT_CATEGORY;
}

/* ---- values ---- */

/* Is the cell a missing value to the input? */
static bool is_missing(const struct transform_input *input, const struct cell *cell)
{
    enum text_kind kind;

    if (cell->type == CELL_REAL)
        return isnan(cell->real);
    if (cell->type != CELL_TEXT)
        return cell->type == CELL_NULL;
    kind = text_look_at(cell->text).kind;
    return kind == TEXT_BLANK || (kind == TEXT_MISSING && input->spec.type == INPUT_NUMERIC);
}

static struct input_value value_of_number(const struct transform *transform,
                                          const struct transform_input *input, const float *dense)
{
    struct input_value value = {.number = (double)dense[input->dense_offset]};

    value.is_null = transform_was_null(input, dense + input->dense_offset);
    if (transform->has_rests)
        value.number += (double)dense[input->rest_offset];
    return value;
}

static struct input_value value_of_category(const struct transform_input *input, int32_t id)
{
    const bool has_words = input->spec.rule == RULE_WORDS;
    struct input_value value = {.id = id < 0 ? -1 : id - (int32_t)input->first_id};

    value.is_null = input->has_nulls && (id < 0 || id == input->null_id);
    if (has_words && value.id >= (int32_t)input->word_count)
        value.id = -1;
    return value;
}

struct input_value input_value_of(const struct transform *transform,
                                  const struct transform_input *input, const float *dense,
                                  const int32_t *ids, const struct cell *cell)
{
    struct input_value value;

    if (input->spec.type == INPUT_TEXT) {
        value.number = text_ids_used(ids + input->id_offset, input->spec.words_max);
        value.is_null = value.number == 0;
        return value;
    }
    value = input->spec.type == INPUT_NUMERIC ? value_of_number(transform, input, dense)
                                              : value_of_category(input, ids[input->id_offset]);
    if (cell)
        value.is_null =
            is_missing(input, cell) || (input->spec.type == INPUT_NUMERIC && value.is_null);
    return value;
}

bool predictions_are_numbers(const struct model *model)
{
    return model->task != TASK_CLUSTERING &&
           (model->task != TASK_CLASSIFICATION || model->labels.count == 2);
}

struct input_value prediction_value_of(const struct scorer *scorer, double *probabilities)
{
    const struct model *model = scorer->model;
    struct input_value value = {.is_null = false};

    switch (model->task) {
    case TASK_CLASSIFICATION:
        value.id = (int32_t)scorer_class(scorer);
        if (model->labels.count != 2)
            break;
        if (model->link == LABEL_LINK_MARGIN) {
            value.number = (double)scorer->outputs[0];
            break;
        }
        scorer_probabilities(scorer, probabilities);
        value.number = probabilities[model_positive(model)];
        break;
    case TASK_REGRESSION:
        value.number = scorer_value(scorer);
        break;
    case TASK_CLUSTERING:
        value.id = (int32_t)scorer_cluster(scorer);
        break;
    case TASK_PROJECTION:
        value.number = scorer_component(scorer, 0);
        break;
    case TASK_DETECTION:
        value.number = scorer_distance(scorer);
        break;
    }
    value.is_null = isnan(value.number);
    return value;
}

double statistics_number(const struct transform_input *input, double number)
{
    return input->spec.type == INPUT_NUMERIC ? number * input->scale + input->mean : number;
}

double statistics_cell(const struct transform *transform, const struct transform_input *input,
                       double number)
{
    const double shown = statistics_number(input, number);

    if (input->spec.type != INPUT_NUMERIC || transform->has_rests)
        return shown;
    for (double power = 1; power < MOST_POWER && fabs(shown) * power < MOST_WHOLE; power *= 10) {
        const double rounded = nearbyint(shown * power) / power;

        if (transform_number(input, rounded) == (float)number)
            return rounded;
    }
    return shown;
}

/* ---- bins ---- */

static int compare_ids(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

struct middle middle_of(const double *numbers, size_t count)
{
    struct middle middle = {NAN, NAN};
    double sum = 0;

    if (count == 0)
        return middle;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    middle.mean = sum / (double)count;
    middle.median = (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
    return middle;
}

static void make_bounds(const double *numbers, size_t count, struct input_statistics *statistics)
{
    statistics->bins = 1;
    for (size_t i = 1; i < STATISTICS_BINS && count > 0; i++) {
        const double bound = numbers[(i * count + STATISTICS_BINS - 1) / STATISTICS_BINS - 1];

        if (statistics->bins == 1 || bound > statistics->bounds[statistics->bins - 2])
            statistics->bounds[statistics->bins++ - 1] = bound;
    }
}

/* A word before those that fewer rows have, of as many the lesser id first. */
static void insert_word(int32_t id, uint64_t rows, uint32_t *words,
                        struct input_statistics *statistics)
{
    uint32_t at = *words;

    while (at > 0 && statistics->counts[at - 1] < rows)
        at--;
    if (at == STATISTICS_WORDS)
        return;
    *words += *words < STATISTICS_WORDS;
    for (uint32_t i = *words - 1; i > at; i--) {
        statistics->ids[i] = statistics->ids[i - 1];
        statistics->counts[i] = statistics->counts[i - 1];
    }
    statistics->ids[at] = id;
    statistics->counts[at] = rows;
}

/* ids (count): ascending. */
static void make_words(const int32_t *ids, size_t count, struct input_statistics *statistics)
{
    uint32_t words = 0;

    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && ids[end] == ids[first];)
            end++;
        if (ids[first] >= 0)
            insert_word(ids[first], end - first, &words, statistics);
    }
    memset(statistics->counts, 0, sizeof statistics->counts);
    statistics->bins = words + 2;
}

uint32_t input_statistics_bin(const struct input_statistics *statistics,
                              const struct input_value *value)
{
    uint32_t bin = 0;

    if (value->is_null)
        return statistics->bins;
    if (statistics->is_number) {
        while (bin + 1 < statistics->bins && value->number > statistics->bounds[bin])
            bin++;
        return bin;
    }
    if (value->id < 0)
        return statistics->bins - 1;
    while (bin + 2 < statistics->bins && value->id != statistics->ids[bin])
        bin++;
    return bin;
}

void input_statistics_make(bool is_number, const struct input_value *values, size_t count,
                           double *numbers, struct input_statistics *statistics)
{
    int32_t *ids = (int32_t *)(void *)numbers;
    struct middle middle;
    size_t there = 0;

    *statistics = (struct input_statistics){.is_number = is_number, .rows = count};
    for (size_t i = 0; i < count; i++) {
        if (values[i].is_null)
            continue;
        if (is_number)
            numbers[there++] = values[i].number;
        else
            ids[there++] = values[i].id;
    }
    statistics->nulls = count - there;
    if (is_number) {
        sort_doubles(numbers, there);
        middle = middle_of(numbers, there);
        statistics->mean = there > 0 ? middle.mean : 0;
        statistics->median = there > 0 ? middle.median : 0;
        make_bounds(numbers, there, statistics);
    } else {
        qsort(ids, there, sizeof *ids, compare_ids);
        make_words(ids, there, statistics);
    }
    for (size_t i = 0; i < count; i++)
        if (!values[i].is_null)
            statistics->counts[input_statistics_bin(statistics, &values[i])]++;
}

/* ---- as JSON ---- */

static void add_bins(const struct input_statistics *statistics, cJSON *object)
{
    cJSON *counts = json_add_array(object, "counts"), *ids;

    for (uint32_t i = 0; i < statistics->bins; i++)
        json_append(counts, json_integer((int64_t)statistics->counts[i]));
    if (statistics->is_number) {
        json_add_reals(object, "bounds", statistics->bounds, statistics->bins - 1);
        json_add_real(object, "mean", statistics->mean);
        json_add_real(object, "median", statistics->median);
        return;
    }
    ids = json_add_array(object, "ids");
    for (uint32_t i = 0; i + 2 < statistics->bins; i++)
        json_append(ids, json_integer(statistics->ids[i]));
}

enum status input_statistics_write(const struct input_statistics *statistics, struct arena *arena,
                                   struct slice *json, struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status;
    struct text text;

    json_add_integer(object, "rows", (int64_t)statistics->rows);
    json_add_integer(object, "nulls", (int64_t)statistics->nulls);
    add_bins(statistics, object);
    text_init(&text, STATISTICS_BYTES_MAX);
    status = json_print(object, false, &text, err);
    cJSON_Delete(object);
    *json = (struct slice){NULL, 0};
    if (status == STATUS_OK) {
        *json = arena_copy(arena, text_slice(&text));
        status = json->data ? STATUS_OK : fail_no_memory(err);
    }
    text_deinit(&text);
    return status;
}

static enum status corrupt(const char *why, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "%s", why);
}

static enum status read_number(const cJSON *object, struct input_statistics *statistics,
                               struct error *err)
{
    TRY(json_get_reals(object, "bounds", statistics->bins - 1, statistics->bounds, err));
    for (uint32_t i = 1; i + 1 < statistics->bins; i++)
        if (!(statistics->bounds[i] > statistics->bounds[i - 1]))
            return corrupt("bounds that do not ascend", err);
    TRY(json_get_real(object, "mean", &statistics->mean, err));
    return json_get_real(object, "median", &statistics->median, err);
}

static enum status read_ids(const cJSON *object, struct input_statistics *statistics,
                            struct error *err)
{
    const cJSON *ids, *id;
    uint32_t count = 0;

    TRY(json_get_array(object, "ids", STATISTICS_WORDS, &ids, err));
    cJSON_ArrayForEach(id, ids)
    {
        if (!cJSON_IsNumber(id) || !(id->valuedouble >= 0 && id->valuedouble <= INT32_MAX))
            return corrupt("an invalid id", err);
        statistics->ids[count++] = (int32_t)id->valuedouble;
    }
    return count + 2 == statistics->bins ? STATUS_OK : corrupt("other ids than counts", err);
}

/* Rows of the bins, which are all rows but those without a value. */
static enum status read_counts(const cJSON *object, struct input_statistics *statistics,
                               struct error *err)
{
    const cJSON *counts, *item;
    uint64_t sum = statistics->nulls;

    TRY(json_get_array(object, "counts",
                       statistics->is_number ? STATISTICS_BINS : STATISTICS_BINS_MAX, &counts,
                       err));
    cJSON_ArrayForEach(item, counts)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < 0x1p53))
            return corrupt("an invalid count", err);
        statistics->counts[statistics->bins] = (uint64_t)item->valuedouble;
        sum += statistics->counts[statistics->bins++];
    }
    if (statistics->bins < (statistics->is_number ? 1 : 2) || sum != statistics->rows)
        return corrupt("counts that are not those of the rows", err);
    return STATUS_OK;
}

static enum status read_all(const cJSON *object, struct input_statistics *statistics,
                            struct error *err)
{
    int64_t rows, nulls;

    TRY(json_get_integer(object, "rows", 1, ROWS_MOST, &rows, err));
    TRY(json_get_integer(object, "nulls", 0, rows, &nulls, err));
    *statistics = (struct input_statistics){
        .is_number = json_has(object, "bounds"), .rows = (uint64_t)rows, .nulls = (uint64_t)nulls};
    TRY(read_counts(object, statistics, err));
    return statistics->is_number ? read_number(object, statistics, err)
                                 : read_ids(object, statistics, err);
}

enum status input_statistics_read(struct slice json, struct slice name,
                                  struct input_statistics *statistics, struct error *err)
{
    struct error why;
    enum status status;
    cJSON *object;

    status = json_parse(json, STATISTICS_BYTES_MAX, &object, &why);
    if (status == STATUS_OK)
        status = read_all(object, statistics, &why);
    cJSON_Delete(object);
    if (status == STATUS_OK || status == STATUS_NO_MEMORY)
        return status == STATUS_OK ? status : fail_no_memory(err);
    return fail(err, STATUS_CORRUPT, "model: statistics of \"%.*s\": %s", SLICE_FORMAT(name),
                why.message);
}
