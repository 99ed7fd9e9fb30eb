#include "scoring/final_step.h"

#include <math.h>
#include <string.h>

#include "scoring/numbers/elementary.h"

/* ---- the rule of a threshold ---- */

/* "recall >= 0.95": the text behind the words; false: it begins otherwise. */
static bool has_start(struct slice text, const char *word, struct slice *rest)
{
    const size_t size = strlen(word);

    if (text.size < size || !slice_is_fold((struct slice){text.data, size}, word))
        return false;
    *rest = slice_trim((struct slice){text.data + size, text.size - size});
    return true;
}

static bool parse_at_least(struct slice rest, double *number)
{
    struct slice digits;

    return has_start(rest, ">=", &digits) && slice_to_real(digits, number) && *number > 0 &&
           *number <= 1;
}

static bool parse_cost(struct slice text, double *cost)
{
    return slice_to_real(slice_trim(text), cost) && *cost >= 0 && *cost <= THRESHOLD_COST_MAX;
}

static bool parse_costs(struct slice rest, struct threshold_choice *choice)
{
    const char *comma = rest.size > 0 ? memchr(rest.data, ',', rest.size) : NULL;
    size_t size;

    choice->false_positive = choice->false_negative = 1;
    if (rest.size == 0)
        return true;
    if (!comma)
        return false;
    size = (size_t)(comma - rest.data);
    return parse_cost((struct slice){rest.data, size}, &choice->false_positive) &&
           parse_cost((struct slice){comma + 1, rest.size - size - 1}, &choice->false_negative) &&
           choice->false_positive + choice->false_negative > 0;
}

bool threshold_choice_parse(struct slice text, struct threshold_choice *choice)
{
    struct slice rest;

    text = slice_trim(text);
    *choice = (struct threshold_choice){.rule = THRESHOLD_NUMBER};
    if (slice_to_real(text, &choice->number))
        return choice->number >= 0 && choice->number <= 1;
    choice->rule = THRESHOLD_F1;
    if (slice_is_fold(text, "f1"))
        return true;
    choice->rule = THRESHOLD_RECALL;
    if (has_start(text, "recall", &rest))
        return parse_at_least(rest, &choice->number);
    choice->rule = THRESHOLD_PRECISION;
    if (has_start(text, "precision", &rest))
        return parse_at_least(rest, &choice->number);
    choice->rule = THRESHOLD_COST;
    return has_start(text, "cost", &rest) && parse_costs(rest, choice);
}

/* ---- probabilities ---- */

/* The last point at or below the score, which the first point is. */
static uint32_t point_below(const struct calibration_map *map, double score)
{
    uint32_t low = 0, high = map->count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (map->scores[middle] <= score)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double share_at(const struct calibration_map *map, double score)
{
    uint32_t i;

    if (!(score > map->scores[0])) /* also what is not a number */
        return map->shares[0];
    i = point_below(map, score);
    if (i + 1 == map->count)
        return map->shares[i];
    return map->shares[i] + (map->shares[i + 1] - map->shares[i]) *
                                ((score - map->scores[i]) / (map->scores[i + 1] - map->scores[i]));
}

double calibration_probability(enum calibration calibration, const struct calibration_map *map,
                               double score)
{
    if (calibration == CALIBRATION_ISOTONIC)
        return share_at(map, score);
    return 1 / (1 + exponential_double(-(map->slope * score + map->intercept)));
}

static uint32_t greatest_of(const float *outputs, uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t j = 1; j < count; j++)
        if (outputs[j] > outputs[best])
            best = j;
    return best;
}

/* The greatest output's score is made of the others' sum alone: 1 beside them would take their
 * digits. */
void final_step_scores(const float *outputs, uint32_t count, double *scores)
{
    const uint32_t greatest = greatest_of(outputs, count);
    double others = 0;

    for (uint32_t j = 0; j < count; j++) {
        scores[j] = fmax((double)outputs[j] - (double)outputs[greatest], -CLASS_EXPONENT_MOST);
        if (j != greatest)
            others += exponential_double(scores[j]);
    }
    for (uint32_t j = 0; j < count; j++)
        if (j != greatest)
            scores[j] -= logarithm_double(1 + (others - exponential_double(scores[j])));
    scores[greatest] = -logarithm_double(others);
}

void final_step_calibrate(const struct final_step *final, const float *outputs, uint32_t count,
                          double *probabilities)
{
    double sum = 0;

    final_step_scores(outputs, count, probabilities);
    for (uint32_t j = 0; j < count; j++)
        sum += probabilities[j] =
            calibration_probability(final->calibration, &final->maps[j], probabilities[j]);
    for (uint32_t j = 0; j < count; j++)
        probabilities[j] = sum > 0 ? probabilities[j] / sum : 1 / (double)count;
}

/* ---- in a model's meta row ---- */

void final_step_write(const struct final_step *final, cJSON *object)
{
    cJSON *maps;

    json_add_integer(object, "rows", (int64_t) final->rows);
    if (final->has_threshold) {
        json_add_real(object, "threshold", final->threshold);
        json_add_string(object, "rule", final->rule);
    }
    if (final->calibration == CALIBRATION_NONE)
        return;
    json_add_string(object, "calibration", slice_of(calibration_words[final->calibration]));
    maps = json_add_array(object, "maps");
    for (uint32_t i = 0; i < final->map_count; i++) {
        const struct calibration_map *map = &final->maps[i];
        cJSON *item = cJSON_CreateObject();

        if (final->calibration == CALIBRATION_ISOTONIC) {
            json_add_reals(item, "scores", map->scores, map->count);
            json_add_reals(item, "shares", map->shares, map->count);
        } else {
            json_add_real(item, "slope", map->slope);
            json_add_real(item, "intercept", map->intercept);
        }
        json_append(maps, item);
    }
}

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "model: %s", what);
}

static enum status read_points(const cJSON *item, struct arena *arena, struct calibration_map *map,
                               struct error *err)
{
    const cJSON *list;
    double *scores, *shares;

    TRY(json_get_array(item, "scores", CALIBRATION_POINTS_MAX, &list, err));
    map->count = (uint32_t)cJSON_GetArraySize(list);
    if (map->count == 0)
        return corrupt(err, "a calibration has no points");
    scores = ARENA_NEW(arena, double, map->count);
    shares = ARENA_NEW(arena, double, map->count);
    if (!scores || !shares)
        return fail_no_memory(err);
    TRY(json_get_reals(item, "scores", map->count, scores, err));
    TRY(json_get_reals(item, "shares", map->count, shares, err));
    for (uint32_t i = 0; i < map->count; i++)
        if (shares[i] < 0 || shares[i] > 1 ||
            (i > 0 && (scores[i] <= scores[i - 1] || shares[i] < shares[i - 1])))
            return corrupt(err, "the points of a calibration do not ascend");
    map->scores = scores;
    map->shares = shares;
    return STATUS_OK;
}

static enum status read_map(const cJSON *item, enum calibration calibration, struct arena *arena,
                            struct calibration_map *map, struct error *err)
{
    if (!cJSON_IsObject(item))
        return corrupt(err, "a map of the calibration is no object");
    if (calibration == CALIBRATION_ISOTONIC)
        return read_points(item, arena, map, err);
    TRY(json_get_real(item, "slope", &map->slope, err));
    return json_get_real(item, "intercept", &map->intercept, err);
}

static enum status read_calibration(const cJSON *object, uint32_t classes, struct arena *arena,
                                    struct final_step *final, struct error *err)
{
    const cJSON *list, *item;
    struct calibration_map *maps;
    struct slice word;
    unsigned calibration;
    uint32_t i = 0;

    TRY(json_get_string(object, "calibration", &word, err));
    if (!term_find(calibration_words, word, &calibration) || calibration == CALIBRATION_NONE)
        return corrupt(err, "its calibration has an unknown kind");
    final->calibration = (enum calibration)calibration;
    TRY(json_get_array(object, "maps", CLASSES_MAX, &list, err));
    final->map_count = classes == 2 ? 1 : classes;
    if ((uint32_t)cJSON_GetArraySize(list) != final->map_count)
        return corrupt(err, "its calibration has another number of maps than of classes");
    final->maps = maps = ARENA_NEW(arena, struct calibration_map, final->map_count);
    if (!maps)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, list) TRY(read_map(item, final->calibration, arena, &maps[i++], err));
    return STATUS_OK;
}

static enum status read_threshold(const cJSON *object, uint32_t classes, struct arena *arena,
                                  struct final_step *final, struct error *err)
{
    struct threshold_choice choice;
    struct slice rule;

    final->has_threshold = true;
    TRY(json_get_real(object, "threshold", &final->threshold, err));
    TRY(json_get_string(object, "rule", &rule, err));
    if (classes != 2 || final->threshold < 0 || final->threshold > 1 ||
        rule.size > THRESHOLD_RULE_BYTES_MAX || !threshold_choice_parse(rule, &choice))
        return corrupt(err, "its threshold does not belong to two classes");
    final->rule = arena_copy(arena, rule);
    return final->rule.data ? STATUS_OK : fail_no_memory(err);
}

enum status final_step_read(const cJSON *object, uint32_t classes, struct arena *arena,
                            struct final_step *final, struct error *err)
{
    int64_t rows;

    *final = (struct final_step){.calibration = CALIBRATION_NONE};
    TRY(json_get_integer(object, "rows", 0, INT64_MAX, &rows, err));
    final->rows = (uint64_t)rows;
    if (json_has(object, "calibration"))
        TRY(read_calibration(object, classes, arena, final, err));
    if (json_has(object, "threshold"))
        TRY(read_threshold(object, classes, arena, final, err));
    return final_step_is_none(final) ? corrupt(err, "its final step does nothing") : STATUS_OK;
}
