#include "planner/attributes/search_space.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/sums/hash.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "scoring/numbers/elementary.h"

#define LOG_RATIO    10 /* ratio of the bounds beyond which numbers are drawn by their logarithm */
#define DRAWN_DIGITS 4  /* digits of a drawn number, so that it can be read and typed */
#define SIZE_MOST    1e15 /* size of a space beyond which no trial is likely to be drawn twice */

/* ----- what can be searched ----- */

bool search_is_choice(const struct attribute *attribute, const struct value *value)
{
    if (value->kind != VALUE_LIST)
        return value->kind == VALUE_RANGE;
    if (!attribute_takes_list(attribute))
        return true;
    for (size_t i = 0; i < value->count; i++)
        if (value->items[i].kind == VALUE_LIST)
            return true;
    return false;
}

/* May trials differ in the attribute? All of them share rows, how these are held out, classes and
 * the job itself. */
static bool is_of_learning(const struct attribute *attribute)
{
    static const char *const others[] = {"model.n_classes", "train.seed", "train.shuffle",
                                         "train.test_size", "train.early_stopping"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(attribute->name, others[i]) == 0)
            return false;
    return attribute->store != STORE_NONE && !attribute->same_bits &&
           strncmp(attribute->name, "job.", 4) != 0;
}

static enum status refuse_attribute(const struct attribute *attribute,
                                    const struct setting *setting, struct error *err)
{
    fail_at(err, STATUS_INVALID, setting->value.span.start, "%s accepts one value in a search",
            attribute->name);
    return error_hint(err, "All trials have the same rows and the same job; what the model is and "
                           "how it learns is searched.");
}

/* ----- RANGE ----- */

static bool is_text(const struct value *value)
{
    return value->kind == VALUE_STRING || value->kind == VALUE_WORD;
}

static enum status refuse_range(const struct value *range, int position, struct error *err)
{
    fail_at(err, STATUS_INVALID, position < 0 ? range->span.start : position,
            "RANGE needs the least and the greatest value");
    return error_hint(
        err, "Write, for example, RANGE(0.001, 0.1); RANGE(1, 100, 'log') and 'linear' say how "
             "values between them are drawn.");
}

static enum status read_scale(const struct value *range, struct search_axis *axis,
                              struct error *err)
{
    const struct value *scale = &range->items[2];

    if (!is_text(scale) ||
        (!slice_is_fold(scale->text, "log") && !slice_is_fold(scale->text, "linear")))
        return refuse_range(range, scale->span.start, err);
    axis->is_log = slice_is_fold(scale->text, "log");
    if (!axis->is_log || axis->least > 0)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, range->items[0].span.start, "there is no logarithm of %.*s",
            SLICE_FORMAT(range->items[0].text));
    return error_hint(err, "Begin above 0, or leave 'log' out.");
}

static enum status check_value(const struct search_axis *axis, const struct value *value,
                               const struct estimator *estimator, struct error *err)
{
    const struct setting one = {axis->setting->name, *value};
    const struct attribute *attribute;

    return axis->argument ? definition_check_value(axis->argument, value, err)
                          : attribute_check(&one, SCOPE_TRAIN, estimator, &attribute, err);
}

static enum status check_bound(const struct search_axis *axis, const struct value *bound,
                               const struct estimator *estimator, struct error *err)
{
    if (bound->kind != VALUE_NUMBER)
        return refuse_range(&axis->setting->value, bound->span.start, err);
    return check_value(axis, bound, estimator, err);
}

static enum status read_range(const struct estimator *estimator, struct search_axis *axis,
                              struct error *err)
{
    const struct value *range = &axis->setting->value;

    if (axis->attribute->type != ATTRIBUTE_INTEGER && axis->attribute->type != ATTRIBUTE_REAL &&
        axis->attribute->type != ATTRIBUTE_REALS) {
        fail_at(err, STATUS_INVALID, range->span.start,
                "RANGE has numbers, and %s accepts other values", axis->attribute->name);
        return error_hint(err, "Write the values to choose from as a list: %s = [..., ...].",
                          axis->attribute->name);
    }
    if (range->count < 2 || range->count > 3)
        return refuse_range(range, -1, err);
    for (size_t i = 0; i < 2; i++)
        TRY(check_bound(axis, &range->items[i], estimator, err));
    axis->is_range = true;
    axis->least = range->items[0].number;
    axis->most = range->items[1].number;
    if (axis->least >= axis->most) {
        fail_at(err, STATUS_INVALID, range->items[1].span.start,
                "the greatest value of a RANGE is above the least: %.*s is not above %.*s",
                SLICE_FORMAT(range->items[1].text), SLICE_FORMAT(range->items[0].text));
        return error_hint(err, "A value that is the same in all trials stands alone, without "
                               "RANGE.");
    }
    axis->is_log = axis->least > 0 && axis->most > LOG_RATIO * axis->least;
    return range->count == 3 ? read_scale(range, axis, err) : STATUS_OK;
}

/* ----- choices ----- */

static enum status read_choices(const struct estimator *estimator, const struct search_axis *axis,
                                struct error *err)
{
    const struct setting *setting = axis->setting;

    for (size_t i = 0; i < setting->value.count; i++)
        TRY(check_value(axis, &setting->value.items[i], estimator, err));
    if (setting->value.count > 0)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, setting->value.span.start, "the list has nothing to choose from");
    return error_hint(err, "Write the values in brackets: [0.1, 0.2].");
}

enum status search_axis_read(const struct estimator *estimator, struct search_axis *axis,
                             struct error *err)
{
    if (!axis->argument && !is_of_learning(axis->attribute))
        return refuse_attribute(axis->attribute, axis->setting, err);
    return axis->setting->value.kind == VALUE_RANGE ? read_range(estimator, axis, err)
                                                    : read_choices(estimator, axis, err);
}

/* ----- draws ----- */

static bool is_whole(const struct search_axis *axis)
{
    return axis->attribute->type == ATTRIBUTE_INTEGER;
}

/* How many values the axis has; 0: any number. */
static double values_of(const struct search_axis *axis)
{
    if (!axis->is_range)
        return (double)axis->setting->value.count;
    return is_whole(axis) && !axis->is_log ? axis->most - axis->least + 1 : 0;
}

uint64_t search_space_size(const struct search_space *space)
{
    double size = 1;

    for (size_t i = 0; i < space->count; i++)
        size *= values_of(&space->axes[i]);
    return size > SIZE_MOST ? 0 : (uint64_t)size;
}

/* Within the bounds; the greatest whole number has its share, too. share: [0, 1) */
static double number_at(const struct search_axis *axis, double share)
{
    const double beyond = axis->most + (is_whole(axis) ? 1 : 0);
    double number;

    if (axis->is_log) {
        const double least = logarithm_double(axis->least), most = logarithm_double(beyond);

        number = exponential_double(least + share * (most - least));
    } else {
        number = axis->least + share * (beyond - axis->least);
    }
    return is_whole(axis) ? floor(number) : number;
}

static double bounded(const struct search_axis *axis, double number)
{
    return number < axis->least ? axis->least : number > axis->most ? axis->most : number;
}

static enum status put_number(const struct search_axis *axis, double number, struct arena *arena,
                              struct value *value, struct error *err)
{
    enum status status = STATUS_OK;
    double rounded;
    struct text text;

    text_init(&text, 64);
    number = bounded(axis, number);
    if (is_whole(axis))
        text_printf(&text, "%.0f", number);
    else
        text_append_digits(&text, number, DRAWN_DIGITS);
    if (!text.failed && slice_to_real(text_slice(&text), &rounded) &&
        bounded(axis, rounded) != rounded) { /* four digits are beyond a bound */
        text_clear(&text);
        text_append_real(&text, number);
    }
    *value = (struct value){.kind = VALUE_NUMBER, .span = axis->setting->value.span};
    value->text = arena_copy(arena, text_slice(&text));
    if (text.failed || !value->text.data)
        status = fail_no_memory(err);
    else if (slice_to_real(value->text, &value->number))
        value->is_integer = slice_to_integer(value->text, &value->integer);
    text_deinit(&text);
    return status;
}

static enum status put_place(const struct search_axis *axis, double share, struct arena *arena,
                             struct value *value, struct error *err)
{
    const struct value *choices = &axis->setting->value;

    if (axis->is_range)
        return put_number(axis, number_at(axis, share), arena, value, err);
    *value = choices->items[(size_t)(share * (double)choices->count)];
    return STATUS_OK;
}

/* The names stand for the axes: one more leaves what is drawn of the others. */
static uint64_t key_of(const struct search_axis *axis)
{
    return bytes_hash(axis->attribute->name, strlen(axis->attribute->name), 0) | 1;
}

static enum status draw_freely(const struct search_space *space, uint64_t seed, uint32_t trial,
                               struct arena *arena, struct value *values, struct error *err)
{
    for (size_t i = 0; i < space->count; i++)
        TRY(put_place(&space->axes[i],
                      random_uniform(seed, RANDOM_TRIAL, trial, key_of(&space->axes[i])), arena,
                      &values[i], err));
    return STATUS_OK;
}

static bool is_taken(const uint64_t *taken, uint32_t count, uint64_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (taken[i] == number)
            return true;
    return false;
}

/* Number `number` of all trials of the space. */
static enum status put_numbered(const struct search_space *space, uint64_t number,
                                struct arena *arena, struct value *values, struct error *err)
{
    for (size_t i = space->count; i-- > 0;) {
        const struct search_axis *axis = &space->axes[i];
        const uint64_t count = (uint64_t)values_of(axis), place = number % count;

        number /= count;
        if (axis->is_range)
            TRY(put_number(axis, axis->least + (double)place, arena, &values[i], err));
        else
            values[i] = axis->setting->value.items[place];
    }
    return STATUS_OK;
}

/* One after the other, each among those that no trial before it has. */
static enum status draw_without_repetition(const struct search_space *space, uint64_t seed,
                                           uint32_t trials, struct arena *arena,
                                           struct value *values, struct error *err)
{
    const uint64_t size = search_space_size(space);
    uint64_t *taken = ARENA_NEW(arena, uint64_t, trials);

    if (!taken)
        return fail_no_memory(err);
    for (uint32_t trial = 0; trial < trials; trial++) {
        uint64_t number = (uint64_t)(random_uniform(seed, RANDOM_TRIAL, trial, 0) * (double)size);

        while (is_taken(taken, trial, number))
            number = (number + 1) % size;
        taken[trial] = number;
        TRY(put_numbered(space, number, arena, &values[trial * space->count], err));
    }
    return STATUS_OK;
}

enum status search_space_draw(const struct search_space *space, uint64_t seed, uint32_t trials,
                              struct arena *arena, struct value *values, struct error *err)
{
    if (search_space_size(space) > 0)
        return draw_without_repetition(space, seed, trials, arena, values, err);
    for (uint32_t trial = 0; trial < trials; trial++)
        TRY(draw_freely(space, seed, trial, arena, &values[trial * space->count], err));
    return STATUS_OK;
}

/* ----- for people ----- */

void search_axis_append(const struct search_axis *axis, struct text *out)
{
    const struct value *value = &axis->setting->value;

    if (axis->is_range) {
        text_printf(out, "%.*s to %.*s%s", SLICE_FORMAT(value->items[0].text),
                    SLICE_FORMAT(value->items[1].text), axis->is_log ? ", by its logarithm" : "");
        return;
    }
    for (size_t i = 0; i < value->count; i++) {
        const char *before = i + 1 == value->count ? " or " : ", ";

        text_append_string(out, i > 0 ? before : "");
        value_append(&value->items[i], out);
    }
}
