#include "scoring/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/sort_doubles.h"
#include "scoring/metrics.h"
#include "scoring/row_counts.h"

/* A measured row without what is as long as the model wants it, which lies in `numbers` and
 * `scores` of the bootstrap. It has no padding: rows are compared by their bytes. */
struct kept_row {
    uint32_t label, predicted, number_count;
    float score;
    double loss, value, upper;
    uint64_t group, key, place;
};
_Static_assert(sizeof(struct kept_row) == 64, "a kept row has padding");

struct bootstrap {
    const struct model *model;
    struct metrics_options options;
    struct kept_row *rows; /* (count) */
    size_t count, capacity;
    uint32_t number_width, score_width; /* floats and doubles of a row beside it */
    double *numbers;                    /* (count, number_width): by place */
    float *scores;                      /* (count, score_width): by place */
    bool is_sorted;
};

enum status bootstrap_new(const struct model *model, const struct metrics_options *options,
                          struct bootstrap **bootstrap, struct error *err)
{
    struct bootstrap *made = calloc(1, sizeof *made);

    *bootstrap = made;
    if (!made)
        return fail_no_memory(err);
    made->model = model;
    made->options = *options;
    made->options.keeps_rows = false;
    return STATUS_OK;
}

void bootstrap_free(struct bootstrap *bootstrap)
{
    if (!bootstrap)
        return;
    free(bootstrap->rows);
    free(bootstrap->numbers);
    free(bootstrap->scores);
    free(bootstrap);
}

/* ---- the rows ---- */

static bool grow(void *array, size_t bytes)
{
    void **memory = array;
    void *more = realloc(*memory, bytes + 1);

    if (more)
        *memory = more;
    return more != NULL;
}

static enum status make_room(struct bootstrap *bootstrap, struct error *err)
{
    const size_t capacity = bootstrap->capacity ? 2 * bootstrap->capacity : 256;
    const size_t numbers = bootstrap->number_width * sizeof(double);
    const size_t scores = bootstrap->score_width * sizeof(float);
    const size_t bytes = sizeof *bootstrap->rows + numbers + scores;

    if (capacity > BOOTSTRAP_BYTES_MAX / bytes) {
        fail(err, STATUS_LIMIT, "intervals of metrics use at most %zu such rows, of %zu bytes",
             capacity / 2, bytes);
        return error_hint(err, "Measure a sample of the rows, or leave evaluate.interval out.");
    }
    if (!grow(&bootstrap->rows, capacity * sizeof *bootstrap->rows) ||
        !grow(&bootstrap->numbers, capacity * numbers) ||
        !grow(&bootstrap->scores, capacity * scores))
        return fail_no_memory(err);
    bootstrap->capacity = capacity;
    return STATUS_OK;
}

enum status bootstrap_add(struct bootstrap *bootstrap, const struct metrics_row *row,
                          struct error *err)
{
    const size_t place = bootstrap->count;

    if (place == 0) {
        bootstrap->number_width = row->number_count;
        bootstrap->score_width = (uint32_t)(row->scores.size / sizeof(float));
    }
    if (row->number_count != bootstrap->number_width ||
        row->scores.size != bootstrap->score_width * sizeof(float))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    if (place == bootstrap->capacity)
        TRY(make_room(bootstrap, err));
    bootstrap->rows[place] = (struct kept_row){.label = row->label,
                                               .predicted = row->predicted,
                                               .number_count = row->number_count,
                                               .score = row->score,
                                               .loss = row->loss,
                                               .value = row->value,
                                               .upper = row->upper,
                                               .group = row->group,
                                               .key = row->key,
                                               .place = place};
    if (bootstrap->number_width > 0)
        memcpy(bootstrap->numbers + place * bootstrap->number_width, row->numbers,
               bootstrap->number_width * sizeof(double));
    if (bootstrap->score_width > 0)
        memcpy(bootstrap->scores + place * bootstrap->score_width, row->scores.data,
               row->scores.size);
    bootstrap->count++;
    bootstrap->is_sorted = false;
    return STATUS_OK;
}

/* By label and score first, so that what ranks them finds them in order. */
static int compare_rows(const void *a, const void *b, void *context)
{
    const struct bootstrap *bootstrap = context;
    const struct kept_row *x = a, *y = b;
    int order;

    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    if (x->score < y->score || x->score > y->score)
        return x->score < y->score ? -1 : 1;
    order = memcmp(x, y, offsetof(struct kept_row, place));
    if (order == 0 && bootstrap->number_width > 0)
        order = memcmp(bootstrap->numbers + x->place * bootstrap->number_width,
                       bootstrap->numbers + y->place * bootstrap->number_width,
                       bootstrap->number_width * sizeof(double));
    if (order == 0 && bootstrap->score_width > 0)
        order = memcmp(bootstrap->scores + x->place * bootstrap->score_width,
                       bootstrap->scores + y->place * bootstrap->score_width,
                       bootstrap->score_width * sizeof(float));
    return order;
}

/* ---- resamples ---- */

/* SplitMix64: the numbers behind a start, a step apart, well mixed. */
static inline uint64_t mixed(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* times (count): how often each row is drawn. */
static void draw(const struct bootstrap *bootstrap, uint32_t resample, uint32_t *times)
{
    const size_t count = bootstrap->count;
    uint64_t next = random_bits(bootstrap->options.bootstrap.seed, RANDOM_BOOTSTRAP, resample, 0);

    memset(times, 0, count * sizeof *times);
    for (size_t i = 0; i < count; i++) {
        next += 0x9e3779b97f4a7c15u;
        times[(uint64_t)((unsigned __int128)mixed(next) * count >> 64)]++;
    }
}

static void take_row(const struct bootstrap *bootstrap, size_t i, struct metrics_row *row)
{
    const struct kept_row *kept = &bootstrap->rows[i];

    row->label = kept->label;
    row->predicted = kept->predicted;
    row->score = kept->score;
    row->loss = kept->loss;
    row->value = kept->value;
    row->upper = kept->upper;
    row->group = kept->group;
    row->key = kept->key;
    row->number_count = kept->number_count;
    if (bootstrap->number_width > 0)
        memcpy(row->numbers, bootstrap->numbers + kept->place * bootstrap->number_width,
               bootstrap->number_width * sizeof(double));
    row->scores = (struct slice){NULL, 0};
    if (bootstrap->score_width > 0)
        row->scores =
            (struct slice){(const char *)(bootstrap->scores + kept->place * bootstrap->score_width),
                           bootstrap->score_width * sizeof(float)};
}

static enum status add_resample(const struct bootstrap *bootstrap, const uint32_t *times,
                                struct metrics *metrics, struct error *err)
{
    struct metrics_row row = {0};

    for (size_t i = 0; i < bootstrap->count; i++) {
        if (times[i] == 0)
            continue;
        take_row(bootstrap, i, &row);
        for (uint32_t j = 0; j < times[i]; j++)
            TRY(metrics_add_row(metrics, &row, err));
    }
    return STATUS_OK;
}

/* values (count, resamples). */
static enum status measure_resample(const struct bootstrap *bootstrap, uint32_t resample,
                                    const struct measure *measures, size_t count, uint32_t *times,
                                    double *values, struct error *err)
{
    const uint32_t resamples = bootstrap->options.bootstrap.resamples;
    struct metrics *metrics;
    enum status status;

    TRY(metrics_new(bootstrap->model, &bootstrap->options, &metrics, err));
    status = add_resample(bootstrap, times, metrics, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        values[i * resamples + resample] = metrics_measured(metrics, measures[i]);
    metrics_free(metrics);
    return status;
}

/* ---- quantiles ---- */

/* values (count): ascending. */
static double quantile(const double *values, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;

    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

static struct metric_bounds bounds_of(double *values, uint32_t resamples, double level)
{
    size_t count = 0;

    for (uint32_t i = 0; i < resamples; i++)
        if (isfinite(values[i]))
            values[count++] = values[i];
    if (2 * count < resamples)
        return (struct metric_bounds){NAN, NAN};
    sort_doubles(values, count);
    return (struct metric_bounds){quantile(values, count, (1 - level) / 2),
                                  quantile(values, count, (1 + level) / 2)};
}

static enum status check_draws(const struct bootstrap *bootstrap, struct error *err)
{
    const uint32_t resamples = bootstrap->options.bootstrap.resamples;

    if ((double)bootstrap->count * resamples <= BOOTSTRAP_DRAWS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "%u resamples of %zu rows are more than %g draws", resamples,
         bootstrap->count, BOOTSTRAP_DRAWS_MAX);
    return error_hint(err, "Set evaluate.bootstrap to fewer, or measure a sample of the rows.");
}

static enum status put_rows(const struct bootstrap *bootstrap, struct row_counts *counts,
                            struct error *err)
{
    struct metrics_row row = {0};

    for (size_t i = 0; i < bootstrap->count; i++) {
        take_row(bootstrap, i, &row);
        TRY(row_counts_put(counts, &row, err));
    }
    return STATUS_OK;
}

/* one (count): room for the values of a resample. */
static enum status measure_counts(const struct bootstrap *bootstrap, struct row_counts *counts,
                                  size_t count, const struct stop *stop, uint32_t *times,
                                  double *one, double *values, struct error *err)
{
    const uint32_t resamples = bootstrap->options.bootstrap.resamples;

    TRY(put_rows(bootstrap, counts, err));
    for (uint32_t i = 0; i < resamples; i++) {
        TRY(stop_ask(stop, err));
        draw(bootstrap, i, times);
        row_counts_measure(counts, times, one);
        for (size_t j = 0; j < count; j++)
            values[j * resamples + i] = one[j];
    }
    return STATUS_OK;
}

/* values (count, resamples), and room for another (count). */
static enum status measure_all(struct bootstrap *bootstrap, const struct measure *measures,
                               size_t count, const struct stop *stop, uint32_t *times,
                               double *values, struct error *err)
{
    const uint32_t resamples = bootstrap->options.bootstrap.resamples;
    struct row_counts *counts;
    enum status status;

    if (row_counts_have(bootstrap->model, &bootstrap->options, measures, count)) {
        TRY(row_counts_new(bootstrap->model, &bootstrap->options, measures, count, bootstrap->count,
                           &counts, err));
        status = measure_counts(bootstrap, counts, count, stop, times,
                                values + (size_t)resamples * count, values, err);
        row_counts_free(counts);
        return status;
    }
    for (uint32_t i = 0; i < resamples; i++) {
        TRY(stop_ask(stop, err));
        draw(bootstrap, i, times);
        TRY(measure_resample(bootstrap, i, measures, count, times, values, err));
    }
    return STATUS_OK;
}

enum status bootstrap_bounds(struct bootstrap *bootstrap, const struct measure *measures,
                             size_t count, const struct stop *stop, struct metric_bounds *bounds,
                             struct error *err)
{
    const struct bootstrap_choice *choice = &bootstrap->options.bootstrap;
    uint32_t *times = calloc(bootstrap->count + 1, sizeof *times);
    double *values = calloc(((size_t)choice->resamples + 1) * count + 1, sizeof *values);
    enum status status = times && values ? check_draws(bootstrap, err) : fail_no_memory(err);

    if (!bootstrap->is_sorted && bootstrap->count > 0)
        qsort_r(bootstrap->rows, bootstrap->count, sizeof *bootstrap->rows, compare_rows,
                bootstrap);
    bootstrap->is_sorted = true;
    if (status == STATUS_OK)
        status = measure_all(bootstrap, measures, count, stop, times, values, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        bounds[i] = bounds_of(values + i * choice->resamples, choice->resamples, choice->level);
    free(times);
    free(values);
    return status;
}
