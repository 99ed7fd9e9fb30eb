#include "runtime/learn/trees/growth/tree_bins.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "runtime/data/dataset/row_store.h"

#define MISSING_BIN       0
#define CUTS_MOST         (TREE_BINS_MAX - 2)
#define PIVOTS            16
#define BETWEEN           16 /* cuts from one pivot to the next, itself included */
#define LOOKED_UP         64 /* rows at once: a few vectors of each kind fit into the registers */
#define BLOCK_FLOATS      8192
#define SORT_BITS         11
#define WEIGHTS_OF_SAMPLE 0x1p30
#define SORT_PASSES       3
#define SORT_COUNTERS     ((size_t)1 << SORT_BITS)

/* The cuts, and NaN behind them, which no value is above; every 16th is a pivot. */
struct tree_search {
    float pivots[PIVOTS];
    float cuts[PIVOTS * BETWEEN];
};

_Static_assert(CUTS_MOST < PIVOTS * BETWEEN, "the last pivot is above all values");
_Static_assert(SORT_BITS *SORT_PASSES >= 32, "all bits of a float are sorted by");
_Static_assert(SORT_PASSES % 2 == 1, "the last pass is to where the first one was");

/* ---- cuts of a column ---- */

/* A value of the sample, and how many rows have it; of weighted ones their share of
 * WEIGHTS_OF_SAMPLE. */
struct counted_value {
    float value;
    uint32_t count;
};

/* Space in which the cuts of one column are found. */
struct cutting {
    uint32_t *keys, *sorted;      /* (sample) */
    struct counted_value *values; /* (sample) */
    double of_row;                /* counts of a row, in the mean */
};

/* Unsigned integers in the order of the floats. */
static uint32_t key_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits >> 31 ? UINT32_MAX : (uint32_t)1 << 31);
}

static float value_of(uint32_t key)
{
    const uint32_t bits = key ^ (key >> 31 ? (uint32_t)1 << 31 : UINT32_MAX);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* keys to sorted, by counting each of three digits. */
static void sort_keys(struct cutting *cutting, uint32_t count)
{
    uint32_t *from = cutting->keys, *to = cutting->sorted;

    for (uint32_t pass = 0; pass < SORT_PASSES; pass++) {
        const uint32_t shift = pass * SORT_BITS, mask = SORT_COUNTERS - 1;
        uint32_t starts[SORT_COUNTERS + 1] = {0}, *other = from;

        for (uint32_t i = 0; i < count; i++)
            starts[(from[i] >> shift & mask) + 1]++;
        for (uint32_t digit = 1; digit < SORT_COUNTERS; digit++)
            starts[digit] += starts[digit - 1];
        for (uint32_t i = 0; i < count; i++)
            to[starts[from[i] >> shift & mask]++] = from[i];
        from = to;
        to = other;
    }
}

/* The number of a row's column as it is binned; rows of weight 0 are as if they were not there. */
static bool has_value(const struct dataset *dataset, uint64_t row, uint32_t place, float *value)
{
    const struct dataset_part *sample = &dataset->sample;
    const float *weights = sample->roles[ROLE_SAMPLE_WEIGHT];
    const float number = sample->dense[row * dataset->transform.dense_width + place];

    *value = fminf(number, FLT_MAX) + 0.0f; /* -0 is 0 */
    return !isnan(number) && !(weights && weights[row] == 0);
}

static uint64_t sum_counts(const struct counted_value *values, uint32_t count)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < count; i++)
        rows += values[i].count;
    return rows;
}

static struct counted_value *find_value(struct cutting *cutting, uint32_t different, float value)
{
    uint32_t low = 0, high = different - 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (cutting->values[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return &cutting->values[low];
}

/* Counts become the sums of their rows' weights, as integers. */
static void weigh_values(const struct dataset *dataset, uint32_t place, struct cutting *cutting,
                         uint32_t different)
{
    const struct dataset_part *sample = &dataset->sample;
    const float *weights = sample->roles[ROLE_SAMPLE_WEIGHT];
    double all = 0;
    float value;

    for (uint64_t row = 0; row < sample->rows; row++)
        all += (double)weights[row];
    for (uint32_t i = 0; i < different; i++)
        cutting->values[i].count = 0;
    for (uint64_t row = 0; row < sample->rows; row++)
        if (has_value(dataset, row, place, &value))
            find_value(cutting, different, value)->count +=
                1 + (uint32_t)((double)weights[row] / all * WEIGHTS_OF_SAMPLE);
}

/* The different values of a column of the sample, ascending. Returns how many there are. */
static uint32_t count_values(const struct dataset *dataset, uint32_t place, struct cutting *cutting)
{
    const struct dataset_part *sample = &dataset->sample;
    uint32_t count = 0, different = 0;
    float value;

    for (uint64_t row = 0; row < sample->rows; row++)
        if (has_value(dataset, row, place, &value))
            cutting->keys[count++] = key_of(value);
    sort_keys(cutting, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || cutting->sorted[i] != cutting->sorted[i - 1])
            cutting->values[different++] = (struct counted_value){value_of(cutting->sorted[i]), 0};
        cutting->values[different - 1].count++;
    }
    cutting->of_row = 1;
    if (!sample->roles[ROLE_SAMPLE_WEIGHT] || different == 0)
        return different;
    weigh_values(dataset, place, cutting, different);
    cutting->of_row = (double)sum_counts(cutting->values, different) / count;
    return different;
}

/* Halfway from a to the greater b; above a, whatever is rounded. */
static float cut_between(float a, float b)
{
    const float half = (float)(((double)a + (double)b) / 2);

    return half > a ? half : b;
}

/* Between all values that are different; where these have too few rows they share a bin. */
static uint32_t cut_all(const struct counted_value *values, uint32_t count, double least,
                        float *cuts)
{
    uint32_t made = 0;
    uint64_t filled = 0;

    for (uint32_t i = 0; i + 1 < count; i++) {
        filled += values[i].count;
        if ((double)filled < least)
            continue;
        cuts[made++] = cut_between(values[i].value, values[i + 1].value);
        filled = 0;
    }
    return made;
}

/*
 * More values than bins. A value that has a bin's share of the rows or more is frequent and gets a
 * bin; the other bins divide the other rows evenly, as far as rows of one value stay
 * together. What is left is divided anew among the bins to come after each of them. Before a
 * frequent value a bin ends if it is half full, else that joins it. This is LightGBM's way (Ke et
 * al., 2017).
 */
static uint32_t cut_evenly(const struct counted_value *values, uint32_t count, uint32_t bins,
                           float *cuts)
{
    uint64_t rows = 0, rest, filled = 0;
    uint32_t rest_bins = bins, made = 0;
    double share;

    for (uint32_t i = 0; i < count; i++)
        rows += values[i].count;
    rest = rows;
    for (uint32_t i = 0; i < count; i++)
        if ((uint64_t)values[i].count * bins >= rows) {
            rest -= values[i].count;
            rest_bins--;
        }
    share = (double)rest / (rest_bins > 0 ? rest_bins : 1);
    for (uint32_t i = 0; i + 1 < count && made + 1 < bins; i++) {
        const bool is_frequent = (uint64_t)values[i].count * bins >= rows;
        const bool is_next_frequent = (uint64_t)values[i + 1].count * bins >= rows;

        if (!is_frequent)
            rest -= values[i].count;
        filled += values[i].count;
        if (!is_frequent && (double)filled < share &&
            !(is_next_frequent && (double)filled >= share / 2))
            continue;
        cuts[made++] = cut_between(values[i].value, values[i + 1].value);
        filled = 0;
        if (!is_frequent && rest_bins > 1)
            share = (double)rest / --rest_bins;
    }
    return made;
}

/* How many bins so many rows may have, of at most `bins`. */
static uint32_t bins_of_rows(const struct counted_value *values, uint32_t count, uint32_t bins,
                             double least)
{
    const uint64_t rows = sum_counts(values, count);

    if (least <= 0 || (double)rows >= least * bins)
        return bins;
    return (double)rows < least ? 1 : (uint32_t)((double)rows / least);
}

/* least: rows of the sample in a bin. Returns how many cuts there are. */
static uint32_t find_cuts(const struct dataset *dataset, uint32_t place, uint32_t bins_most,
                          double least, struct cutting *cutting, float *cuts)
{
    const uint32_t count = count_values(dataset, place, cutting);
    const uint32_t bins = bins_most < CUTS_MOST ? bins_most : CUTS_MOST;
    uint32_t made = 0;

    least = least > 1 ? least * cutting->of_row : 0;
    if (count > bins)
        made = cut_evenly(cutting->values, count, bins_of_rows(cutting->values, count, bins, least),
                          cuts);
    else if (count > 0)
        made = cut_all(cutting->values, count, least, cuts);
    if (made == 0 || cuts[made - 1] < FLT_MAX)
        cuts[made++] = FLT_MAX;
    return made;
}

/* ---- columns ---- */

struct cutting_team {
    const struct dataset *dataset;
    struct tree_bins *bins;
    uint32_t bins_most;
    double least; /* rows of the sample in a bin */
    struct cutting *members;
};

static void cut_column(void *context, uint32_t member, uint32_t task)
{
    const struct cutting_team *team = context;
    struct tree_column *column = &team->bins->columns[task];
    float *cuts = team->bins->cuts + (size_t)task * CUTS_MOST;

    column->cuts = cuts;
    column->bins = 2 + find_cuts(team->dataset, column->place, team->bins_most, team->least,
                                 &team->members[member], cuts);
}

static void cutting_deinit(struct cutting *members, uint32_t count)
{
    for (uint32_t i = 0; members && i < count; i++) {
        free(members[i].keys);
        free(members[i].sorted);
        free(members[i].values);
    }
    free(members);
}

static struct cutting *cutting_new(uint32_t count, size_t rows)
{
    struct cutting *members = calloc(count, sizeof *members);

    for (uint32_t i = 0; members && i < count; i++) {
        members[i].keys = malloc((rows + 1) * sizeof *members->keys);
        members[i].sorted = malloc((rows + 1) * sizeof *members->sorted);
        members[i].values = malloc((rows + 1) * sizeof *members->values);
        if (members[i].keys && members[i].sorted && members[i].values)
            continue;
        cutting_deinit(members, count);
        return NULL;
    }
    return members;
}

static enum status cut_columns(struct tree_bins *bins, uint32_t numbers,
                               const struct dataset *dataset, uint32_t bins_most,
                               uint32_t rows_least, struct team *team, struct error *err)
{
    const struct dataset_part *sample = &dataset->sample;
    const uint64_t rows = dataset->train.rows;
    const double share = rows > sample->rows ? (double)sample->rows / (double)rows : 1;
    const uint32_t size = team_size(team);
    struct cutting_team cutting = {dataset, bins, bins_most, rows_least * share,
                                   cutting_new(size, sample->rows)};
    enum status status;

    if (!cutting.members)
        return fail_no_memory(err);
    status = row_store_hold(dataset, sample, 0, sample->rows, team, err);
    if (status == STATUS_OK) {
        team_run(team, numbers, cut_column, &cutting);
        row_store_release(dataset, sample, 0, sample->rows);
    }
    cutting_deinit(cutting.members, size);
    return status;
}

/* Words that splits look for by their rows. An old model's were counted in other rows: all. */
static uint32_t sorted_words(const struct dataset *dataset, const struct trees_params *params,
                             const struct transform_input *input)
{
    return dataset->old_model
               ? input->word_count
               : transform_words_of(input, trees_word_rows(params, input->word_count));
}

static struct tree_column category_of(const struct dataset *dataset,
                                      const struct trees_params *params, uint32_t number)
{
    const struct transform_input *input = &dataset->transform.inputs[number];
    const bool has_words = input->spec.rule == RULE_WORDS;
    const uint32_t values = input->word_count + (has_words ? 0 : input->hash_buckets);
    const uint32_t sorted = has_words ? sorted_words(dataset, params, input) : values;
    const bool has_others = sorted < values || sorted > TREE_WIDE_BINS_MAX - 1 ||
                            (has_words && input->hash_buckets > 0);
    const uint32_t most = TREE_WIDE_BINS_MAX - 1 - has_others;
    const uint32_t words = sorted < most ? sorted : most;

    return (struct tree_column){
        .is_category = true,
        .place = input->id_offset,
        .input = number,
        .bins = 1 + words + has_others,
        .first_id = input->first_id,
        .words = words,
    };
}

/* Those that are wide, or those that are not. Returns how many columns there are then. */
static uint32_t add_categories(struct tree_bins *bins, const struct dataset *dataset,
                               const struct trees_params *params, bool are_wide, uint32_t count)
{
    const struct transform *transform = &dataset->transform;

    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_CATEGORY) {
            const struct tree_column column = category_of(dataset, params, i);

            if ((column.bins > TREE_BINS_MAX) == are_wide)
                bins->columns[count++] = column;
        }
    return count;
}

/* Numbers first; where a column is among those of its kind its input says. */
static uint32_t describe_columns(struct tree_bins *bins, const struct dataset *dataset,
                                 const struct trees_params *params)
{
    const struct transform *transform = &dataset->transform;
    uint32_t count = 0, numbers;

    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform_is_number(&transform->inputs[i]))
            bins->columns[count++] =
                (struct tree_column){.input = i, .place = transform->inputs[i].dense_offset};
    numbers = count;
    count = add_categories(bins, dataset, params, false, count);
    bins->wide_count = add_categories(bins, dataset, params, true, count) - count;
    return numbers;
}

static void fill_search(const struct tree_column *column, struct tree_search *search)
{
    for (uint32_t i = 0; i < PIVOTS * BETWEEN; i++)
        search->cuts[i] = i < column->bins - 2 ? column->cuts[i] : NAN;
    for (uint32_t i = 0; i < PIVOTS; i++)
        search->pivots[i] = search->cuts[(i + 1) * BETWEEN - 1];
}

static enum status check_inputs(const struct transform *transform, struct error *err)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_TEXT) {
            fail(err, STATUS_INVALID, "column \"%.*s\" is a text, which trees cannot be split by",
                 SLICE_FORMAT(transform->inputs[i].spec.name));
            return error_hint(err, "Leave it out, or let it be a category.");
        }
    return STATUS_OK;
}

enum status tree_bins_init(struct tree_bins *bins, const struct dataset *dataset,
                           uint32_t bins_most, const struct trees_params *params, struct team *team,
                           struct error *err)
{
    const struct transform *transform = &dataset->transform;
    const size_t count = transform->input_count - (transform->offset_width > 0);
    enum status status;
    uint32_t numbers;

    assert(bins_most >= 2 && bins_most < TREE_BINS_MAX);
    *bins = (struct tree_bins){0};
    TRY(check_inputs(transform, err));
    *bins = (struct tree_bins){
        .columns = calloc(count + 1, sizeof *bins->columns),
        .column_count = (uint32_t)count,
        .offsets = calloc(count + 1, sizeof *bins->offsets),
        .cuts = calloc(count * CUTS_MOST + 1, sizeof *bins->cuts),
        .searches = calloc(count + 1, sizeof *bins->searches),
    };
    if (!bins->columns || !bins->offsets || !bins->cuts || !bins->searches) {
        tree_bins_deinit(bins);
        return fail_no_memory(err);
    }
    numbers = describe_columns(bins, dataset, params);
    status = cut_columns(bins, numbers, dataset, bins_most, params->min_bin_rows, team, err);
    if (status != STATUS_OK) {
        tree_bins_deinit(bins);
        return status;
    }
    for (uint32_t c = 0; c < numbers; c++)
        fill_search(&bins->columns[c], &bins->searches[c]);
    for (uint32_t c = 0; c < count; c++)
        bins->offsets[c + 1] = bins->offsets[c] + bins->columns[c].bins;
    return STATUS_OK;
}

void tree_bins_deinit(struct tree_bins *bins)
{
    free(bins->columns);
    free(bins->offsets);
    free(bins->cuts);
    free(bins->searches);
    *bins = (struct tree_bins){0};
}

uint32_t tree_bins_widest(const struct tree_bins *bins)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < bins->column_count; c++)
        most = bins->columns[c].bins > most ? bins->columns[c].bins : most;
    return most;
}

/* ---- bins of values ---- */

uint8_t tree_bin_of_number(const struct tree_column *column, float value)
{
    uint32_t below = 0, rest = column->bins - 2; /* cuts */

    if (isnan(value))
        return MISSING_BIN;
    while (rest > 0) {
        const uint32_t half = (rest + 1) / 2;

        if (column->cuts[below + half - 1] <= value)
            below += half;
        rest -= half;
    }
    return (uint8_t)(below + 1);
}

uint16_t tree_bin_of_word(const struct tree_column *column, int32_t id)
{
    const uint32_t word = (uint32_t)id - column->first_id;

    if (id < 0)
        return MISSING_BIN;
    return (uint16_t)(word < column->words ? word + 1 : column->bins - 1);
}

/* How many cuts are not above each value. First how many pivots, of which all are looked at, since
 * a vector of values is compared with one at once; then four steps of halves. */
WIDE_VECTORS
static void look_up(const struct tree_search *search, const float *values, int32_t *found)
{
    memset(found, 0, LOOKED_UP * sizeof *found);
    for (uint32_t pivot = 0; pivot < PIVOTS; pivot++) {
        const float above = search->pivots[pivot];

        for (uint32_t i = 0; i < LOOKED_UP; i++)
            found[i] += above <= values[i] ? BETWEEN : 0;
    }
    for (int32_t half = BETWEEN / 2; half > 0; half /= 2)
        for (uint32_t i = 0; i < LOOKED_UP; i++)
            found[i] += search->cuts[found[i] + half - 1] <= values[i] ? half : 0;
}

static void numbers_to_bins(const struct tree_search *search, const float *dense, size_t width,
                            uint32_t rows, uint8_t *out, size_t stride)
{
    float values[LOOKED_UP] = {0};
    int32_t found[LOOKED_UP];

    for (uint32_t first = 0; first < rows; first += LOOKED_UP) {
        const uint32_t count = rows - first < LOOKED_UP ? rows - first : LOOKED_UP;

        for (uint32_t i = 0; i < count; i++)
            values[i] = dense[(first + i) * width];
        look_up(search, values, found);
        for (uint32_t i = 0; i < count; i++)
            out[(first + i) * stride] = (uint8_t)(isnan(values[i]) ? MISSING_BIN : found[i] + 1);
    }
}

static void words_to_bins(const struct tree_column *column, const int32_t *ids, size_t width,
                          uint32_t rows, uint8_t *out, size_t stride)
{
    for (uint32_t row = 0; row < rows; row++)
        out[row * stride] = (uint8_t)tree_bin_of_word(column, ids[row * width]);
}

void tree_bins_wide_rows(const struct tree_bins *bins, const struct dataset *dataset,
                         uint32_t column, const int32_t *ids, uint32_t rows, uint16_t *out)
{
    const struct tree_column *about = &bins->columns[column];
    const size_t width = dataset->transform.id_count;

    for (uint32_t row = 0; row < rows; row++)
        out[row] = tree_bin_of_word(about, ids[row * width + about->place]);
}

/* By blocks of rows, whose inputs stay near while one column after the other is taken of them. */
void tree_bins_rows(const struct tree_bins *bins, const struct dataset *dataset, const float *dense,
                    const int32_t *ids, uint32_t rows, uint8_t *const *out, size_t stride)
{
    const struct transform *transform = &dataset->transform;
    const size_t dense_width = transform->dense_width, id_count = transform->id_count;
    const size_t fitting = BLOCK_FLOATS / (dense_width + id_count + 1);
    const uint32_t block = fitting > LOOKED_UP ? (uint32_t)fitting : LOOKED_UP;

    for (uint32_t first = 0; first < rows; first += block) {
        const uint32_t count = rows - first < block ? rows - first : block;

        for (uint32_t c = 0; c < tree_bins_narrow(bins); c++) {
            const struct tree_column *column = &bins->columns[c];
            uint8_t *to = out[c] + first * stride;

            if (column->is_category)
                words_to_bins(column, ids + first * id_count + column->place, id_count, count, to,
                              stride);
            else
                numbers_to_bins(&bins->searches[c], dense + first * dense_width + column->place,
                                dense_width, count, to, stride);
        }
    }
}
