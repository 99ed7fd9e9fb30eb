#include "runtime/learn/final_fit.h"

#include <math.h>
#include <stdlib.h>

#include "jobspec/job_size.h"
#include "scoring/numbers/elementary.h"

#define NEWTON_STEPS    100
#define NEWTON_HALVES   40
#define NEWTON_ENOUGH   1e-12 /* share of the loss: a step that gains no more is the last */
#define SINGULAR_MARGIN 1e-12

/* Rows of one score. */
struct group {
    double score;        /* when a threshold is chosen, the probability of the positive class */
    uint64_t rows, hits; /* hits: rows of the map's class */
};

/* The scores of one map: rows until they are sorted, and then groups. */
struct counted {
    struct group *groups;
    size_t count;
};

struct final_fit {
    const struct jobspec *spec;
    struct threshold_choice choice;
    bool has_choice;
    uint32_t classes, maps;
    uint32_t positive;
    uint64_t rows_max, rows;
    struct counted *counted; /* (maps) */
    double *scores;          /* (classes): room */
    struct arena arena;      /* the maps' memory */
};

/* ---- whether there is one ---- */

bool final_fit_is_wanted(const struct jobspec *spec)
{
    return spec->threshold.size > 0 || spec->calibration != CALIBRATION_NONE;
}

bool final_fit_reads_rows(const struct jobspec *spec)
{
    if (spec->fold_scores != FOLD_SCORES_NONE)
        return spec->fold_scores == FOLD_SCORES_KEPT;
    return job_fits_final_step(spec);
}

static const char *name_of(const struct jobspec *spec)
{
    if (spec->fold_scores == FOLD_SCORES_KEPT)
        return "train.calibration or train.threshold";
    return spec->calibration != CALIBRATION_NONE ? "train.calibration" : "train.threshold";
}

enum status final_fit_check(const struct jobspec *spec, const struct dataset *dataset,
                            struct error *err)
{
    const uint64_t rows = dataset->validation.rows;
    const uint64_t maps = dataset->labels.count == 2 ? 1 : dataset->labels.count;

    if (spec->threshold.size > 0 && dataset->labels.count != 2)
        return fail(err, STATUS_INVALID,
                    "train.threshold needs two classes, and label column \"%.*s\" has %u",
                    SLICE_FORMAT(spec->label), dataset->labels.count),
               error_hint(err, "With more classes the most probable one is predicted.");
    if (!final_fit_reads_rows(spec))
        return STATUS_OK;
    if (rows == 0)
        return fail(err, STATUS_INVALID,
                    "%s is learned from rows that are held out, and none of %llu rows is",
                    name_of(spec), (unsigned long long)dataset->train.rows),
               error_hint(err, "train.test_size = 0.2 holds out a fifth of the rows, and "
                               "validation.select names others.");
    if (rows > FINAL_FIT_SCORES_MAX / maps)
        return fail(err, STATUS_LIMIT,
                    "%s of %u classes is learned from at most %llu rows, and %llu are held out",
                    name_of(spec), dataset->labels.count,
                    (unsigned long long)(FINAL_FIT_SCORES_MAX / maps), (unsigned long long)rows),
               error_hint(err, "Lower train.test_size.");
    return STATUS_OK;
}

/* ---- rows ---- */

static enum status make_room(struct final_fit *fit, struct error *err)
{
    fit->counted = calloc(fit->maps, sizeof *fit->counted);
    fit->scores = calloc(fit->classes, sizeof *fit->scores);
    if (!fit->counted || !fit->scores)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < fit->maps; i++) {
        fit->counted[i].groups = calloc(fit->rows_max + 1, sizeof *fit->counted[i].groups);
        if (!fit->counted[i].groups)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

static enum status refuse_classes(const struct final_fit *fit, uint32_t classes, struct error *err)
{
    fail(err, STATUS_INVALID,
         "%s: the rows have %u classes, and the model of a fold has learned %u of them",
         name_of(fit->spec), fit->classes, classes);
    return error_hint(err, "A class of one row is held out of all models that could know it; leave "
                           "it out, or hold rows out by train.test_size in place of train.folds.");
}

/* The scores of all folds: each row once, by the model that has not learned from it. */
static enum status take_folds(struct final_fit *fit, const struct dataset *dataset,
                              struct error *err)
{
    fit->counted = calloc(fit->maps, sizeof *fit->counted);
    if (!fit->counted)
        return fail_no_memory(err);
    for (size_t i = 0; i < dataset->fold_score_count; i++) {
        const struct fold_score *score = &dataset->fold_scores[i];

        if (score->classes != fit->classes || score->map >= fit->maps)
            return refuse_classes(fit, score->classes, err);
        fit->counted[score->map].count++;
        fit->rows += score->map == 0 ? score->rows : 0;
    }
    fit->rows_max = fit->rows;
    for (uint32_t i = 0; i < fit->maps; i++) {
        fit->counted[i].groups = calloc(fit->counted[i].count + 1, sizeof *fit->counted[i].groups);
        if (!fit->counted[i].groups)
            return fail_no_memory(err);
        fit->counted[i].count = 0;
    }
    for (size_t i = 0; i < dataset->fold_score_count; i++) {
        const struct fold_score *score = &dataset->fold_scores[i];
        struct counted *counted = &fit->counted[score->map];

        counted->groups[counted->count++] = (struct group){score->score, score->rows, score->hits};
    }
    return STATUS_OK;
}

enum status final_fit_open(const struct jobspec *spec, const struct dataset *dataset,
                           struct final_fit **fit, struct error *err)
{
    struct final_fit *made;

    *fit = NULL;
    TRY(final_fit_check(spec, dataset, err));
    made = calloc(1, sizeof *made);
    if (!made)
        return fail_no_memory(err);
    arena_init(&made->arena, ARENA_MAXIMUM);
    made->spec = spec;
    made->has_choice =
        spec->threshold.size > 0 && threshold_choice_parse(spec->threshold, &made->choice);
    made->classes = dataset->labels.count;
    made->maps = made->classes == 2 ? 1 : made->classes;
    made->positive = dataset->positive_is_lesser ? 0 : 1;
    made->rows_max = final_fit_reads_rows(spec) ? dataset->validation.rows : 0;
    if ((spec->fold_scores == FOLD_SCORES_GIVEN ? take_folds(made, dataset, err)
                                                : make_room(made, err)) != STATUS_OK) {
        final_fit_close(made);
        return err->status;
    }
    *fit = made;
    return STATUS_OK;
}

void final_fit_close(struct final_fit *fit)
{
    if (!fit)
        return;
    for (uint32_t i = 0; fit->counted && i < fit->maps; i++)
        free(fit->counted[i].groups);
    free(fit->counted);
    free(fit->scores);
    arena_deinit(&fit->arena);
    free(fit);
}

enum status final_fit_add(struct final_fit *fit, const struct scorer *scorer, int64_t class,
                          struct error *err)
{
    if (class < 0 || class >= (int64_t)fit->classes)
        return STATUS_OK;
    if (fit->rows == fit->rows_max)
        return fail(err, STATUS_CORRUPT, "more rows are held out than there were");
    if (fit->maps > 1)
        final_step_scores(scorer->outputs, fit->classes, fit->scores);
    else
        fit->scores[0] = (double)scorer->outputs[0];
    for (uint32_t i = 0; i < fit->maps; i++) {
        const bool is_hit = fit->maps == 1 ? class == 1 : class == (int64_t)i;

        if (isnan(fit->scores[i]))
            return fail(err, STATUS_INVALID,
                        "%s: the model's score of a row that is held out is not a number",
                        name_of(fit->spec));
        fit->counted[i].groups[fit->counted[i].count++] = (struct group){fit->scores[i], 1, is_hit};
    }
    fit->rows++;
    return STATUS_OK;
}

static int compare_groups(const void *a, const void *b)
{
    const double x = ((const struct group *)a)->score, y = ((const struct group *)b)->score;

    return (x > y) - (x < y);
}

/* Ascending, each score once. */
static void gather(struct counted *counted)
{
    struct group *groups = counted->groups;
    const size_t count = counted->count;
    size_t kept = 0;

    qsort(groups, count, sizeof *groups, compare_groups);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || groups[i].score != groups[kept - 1].score) {
            groups[kept++] = groups[i];
            continue;
        }
        groups[kept - 1].rows += groups[i].rows;
        groups[kept - 1].hits += groups[i].hits;
    }
    counted->count = kept;
}

static struct group sum_of(const struct counted *counted)
{
    struct group sum = {0, 0, 0};

    for (size_t i = 0; i < counted->count; i++) {
        sum.rows += counted->groups[i].rows;
        sum.hits += counted->groups[i].hits;
    }
    return sum;
}

/* ---- isotonic ---- */

/* Neighbours that are one block of the result: [first, end) of the groups. */
struct block {
    size_t first, end;
    uint64_t rows, hits;
};

/* Does the share of a exceed, or equal, that of b? Exact: counts are below 2^32. */
static bool is_above(const struct block *a, const struct block *b)
{
    return a->hits * b->rows >= b->hits * a->rows;
}

/* Pool adjacent violators. *count of the blocks, which ascend. */
static void pool(const struct counted *counted, struct block *blocks, size_t *count)
{
    size_t kept = 0;

    for (size_t i = 0; i < counted->count; i++) {
        blocks[kept++] = (struct block){i, i + 1, counted->groups[i].rows, counted->groups[i].hits};
        while (kept > 1 && is_above(&blocks[kept - 2], &blocks[kept - 1])) {
            blocks[kept - 2].end = blocks[kept - 1].end;
            blocks[kept - 2].rows += blocks[kept - 1].rows;
            blocks[kept - 2].hits += blocks[kept - 1].hits;
            kept--;
        }
    }
    *count = kept;
}

static double cut_share(const struct block *block, uint64_t rows)
{
    const double least = 1 / ((double)rows + 2);

    return fmin(fmax((double)block->hits / (double)block->rows, least), 1 - least);
}

/* A block is the straight line from its first score to its last. */
static enum status take_points(struct final_fit *fit, const struct counted *counted,
                               const struct block *blocks, size_t count,
                               struct calibration_map *map, struct error *err)
{
    const size_t room = 2 * count;
    double *scores = ARENA_NEW(&fit->arena, double, room);
    double *shares = ARENA_NEW(&fit->arena, double, room);

    if (room > CALIBRATION_POINTS_MAX)
        return fail(err, STATUS_LIMIT, "train.calibration = 'isotonic' has %zu steps, where %d fit",
                    count, CALIBRATION_POINTS_MAX / 2),
               error_hint(err, "Hold out fewer rows, or choose 'sigmoid'.");
    if (!scores || !shares)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const double share = cut_share(&blocks[i], fit->rows);

        scores[map->count] = counted->groups[blocks[i].first].score;
        shares[map->count++] = share;
        if (blocks[i].end - blocks[i].first < 2)
            continue;
        scores[map->count] = counted->groups[blocks[i].end - 1].score;
        shares[map->count++] = share;
    }
    map->scores = scores;
    map->shares = shares;
    return STATUS_OK;
}

static enum status fit_isotonic(struct final_fit *fit, const struct counted *counted,
                                struct calibration_map *map, struct error *err)
{
    struct block *blocks = calloc(counted->count + 1, sizeof *blocks);
    enum status status;
    size_t count;

    if (!blocks)
        return fail_no_memory(err);
    pool(counted, blocks, &count);
    status = take_points(fit, counted, blocks, count, map, err);
    free(blocks);
    return status;
}

/* ---- sigmoid ---- */

/* Platt's: what a hit and another row should get, so that no rows ask for infinite weights. */
struct targets {
    double hit, other;
};

/* log(1 + e^z) */
static double softplus(double z)
{
    return z > 0 ? z + logarithm_double(1 + exponential_double(-z))
                 : logarithm_double(1 + exponential_double(z));
}

static double sigmoid_loss(const struct counted *counted, struct targets targets,
                           const struct calibration_map *map)
{
    double loss = 0;

    for (size_t i = 0; i < counted->count; i++) {
        const struct group *group = &counted->groups[i];
        const double z = map->slope * group->score + map->intercept;
        const double hits = (double)group->hits, others = (double)(group->rows - group->hits);

        loss += (hits + others) * softplus(z) - (hits * targets.hit + others * targets.other) * z;
    }
    return loss;
}

/* Gradient and second derivatives, of slope and intercept. */
struct curvature {
    double slope, intercept, slopes, both, intercepts;
};

static struct curvature sigmoid_curvature(const struct counted *counted, struct targets targets,
                                          const struct calibration_map *map)
{
    struct curvature sum = {0, 0, 0, 0, 0};

    for (size_t i = 0; i < counted->count; i++) {
        const struct group *group = &counted->groups[i];
        const double x = group->score, rows = (double)group->rows;
        const double p = calibration_probability(CALIBRATION_SIGMOID, map, x);
        const double target =
            (double)group->hits * targets.hit + (rows - (double)group->hits) * targets.other;
        const double rest = rows * p - target, weight = rows * p * (1 - p);

        sum.slope += rest * x;
        sum.intercept += rest;
        sum.slopes += weight * x * x;
        sum.both += weight * x;
        sum.intercepts += weight;
    }
    return sum;
}

/* A step of Newton's, halved until the loss falls; false: it falls no more. */
static bool sigmoid_step(const struct counted *counted, struct targets targets,
                         struct calibration_map *map, double *loss)
{
    const struct curvature at = sigmoid_curvature(counted, targets, map);
    const double slopes = at.slopes + SINGULAR_MARGIN, rows = at.intercepts + SINGULAR_MARGIN;
    const double determinant = slopes * rows - at.both * at.both;
    const double slope = (rows * at.slope - at.both * at.intercept) / determinant;
    const double intercept = (slopes * at.intercept - at.both * at.slope) / determinant;
    double part = 1;

    for (int i = 0; i < NEWTON_HALVES && determinant > 0; i++, part /= 2) {
        const struct calibration_map next = {.slope = map->slope - part * slope,
                                             .intercept = map->intercept - part * intercept};
        const double lower = sigmoid_loss(counted, targets, &next);

        if (!(lower < *loss))
            continue;
        *map = next;
        part = *loss - lower;
        *loss = lower;
        return part > NEWTON_ENOUGH * fabs(lower);
    }
    return false;
}

static void fit_sigmoid(const struct counted *counted, struct calibration_map *map)
{
    const struct group sum = sum_of(counted);
    const double hits = (double)sum.hits, others = (double)(sum.rows - sum.hits);
    const struct targets targets = {(hits + 1) / (hits + 2), 1 / (others + 2)};
    double loss;

    map->intercept = logarithm_double((hits + 1) / (others + 1));
    loss = sigmoid_loss(counted, targets, map);
    for (int i = 0; i < NEWTON_STEPS && sigmoid_step(counted, targets, map, &loss); i++)
        continue;
}

static enum status calibrate(struct final_fit *fit, struct final_step *final, struct error *err)
{
    struct calibration_map *maps = ARENA_NEW(&fit->arena, struct calibration_map, fit->maps);

    if (!maps)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < fit->maps; i++)
        if (final->calibration == CALIBRATION_SIGMOID)
            fit_sigmoid(&fit->counted[i], &maps[i]);
        else
            TRY(fit_isotonic(fit, &fit->counted[i], &maps[i], err));
    final->maps = maps;
    final->map_count = fit->maps;
    return STATUS_OK;
}

/* ---- threshold ---- */

/* The probability of the positive class in place of the score. */
static void take_probabilities(const struct final_fit *fit, const struct final_step *final,
                               struct counted *counted)
{
    for (size_t i = 0; i < counted->count; i++) {
        struct group *group = &counted->groups[i];
        const double z = group->score;

        if (final->calibration == CALIBRATION_NONE)
            group->score = 1 / (1 + exponential_double(fit->positive == 1 ? -z : z));
        else
            group->score = calibration_probability(final->calibration, final->maps, z);
        if (fit->positive == 1)
            continue;
        group->hits = group->rows - group->hits;
        if (final->calibration != CALIBRATION_NONE)
            group->score = 1 - group->score;
    }
}

/* Where rows from some threshold up are predicted to be positive. */
struct cut {
    double hits, predicted;
};

/* How good it is, the greater the better; NaN: it does not do what is asked for. */
static double goodness(const struct threshold_choice *choice, const struct cut *cut, double hits)
{
    const double recall = cut->hits / hits, precision = cut->hits / cut->predicted;

    switch (choice->rule) {
    case THRESHOLD_F1:
        return 2 * cut->hits / (hits + cut->predicted);
    case THRESHOLD_RECALL:
        return recall >= choice->number ? precision : NAN;
    case THRESHOLD_PRECISION:
        return precision >= choice->number ? recall : NAN;
    case THRESHOLD_COST:
        return -(choice->false_positive * (cut->predicted - cut->hits) +
                 choice->false_negative * (hits - cut->hits));
    case THRESHOLD_NUMBER:
        break;
    }
    return NAN;
}

static double middle_of(const struct counted *counted, size_t i)
{
    const double above = counted->groups[i].score;
    const double below = i > 0 ? counted->groups[i - 1].score : above;
    const double middle = below + (above - below) / 2;

    return middle > below ? middle : above;
}

static enum status refuse_precision(const struct final_fit *fit, const struct counted *counted,
                                    struct error *err)
{
    struct cut cut = {0, 0};
    double best = 0;

    for (size_t i = counted->count; i-- > 0;) {
        cut.hits += (double)counted->groups[i].hits;
        cut.predicted += (double)counted->groups[i].rows;
        best = fmax(best, cut.hits / cut.predicted);
    }
    fail(err, STATUS_INVALID,
         "train.threshold: no threshold has a precision of %g on %llu rows that are held out",
         fit->choice.number, (unsigned long long)fit->rows);
    return error_hint(err, "The greatest is %.4g.", best);
}

/* From the greatest probability down. That no row is predicted to be positive is among the
 * thresholds where it may cost least. */
static enum status choose(const struct final_fit *fit, struct counted *counted,
                          struct final_step *final, struct error *err)
{
    const struct group sum = sum_of(counted);
    const double hits = (double)sum.hits;
    struct cut cut = {0, 0};
    double best = NAN;

    if (sum.hits == 0 || sum.hits == sum.rows)
        return fail(err, STATUS_INVALID,
                    "train.threshold: all %llu held-out rows have the same class",
                    (unsigned long long)sum.rows),
               error_hint(err, "Hold out more rows: train.test_size, or validation.select.");
    if (fit->choice.rule == THRESHOLD_COST && counted->groups[counted->count - 1].score < 1) {
        best = -fit->choice.false_negative * hits;
        final->threshold = 1;
    }
    for (size_t i = counted->count; i-- > 0;) {
        double good;

        cut.hits += (double)counted->groups[i].hits;
        cut.predicted += (double)counted->groups[i].rows;
        good = goodness(&fit->choice, &cut, hits);
        if (isnan(good) || good <= best)
            continue;
        best = good;
        final->threshold = middle_of(counted, i);
    }
    return isnan(best) ? refuse_precision(fit, counted, err) : STATUS_OK;
}

static enum status take_threshold(struct final_fit *fit, struct final_step *final,
                                  struct error *err)
{
    struct counted *counted = &fit->counted[0];

    final->has_threshold = true;
    final->rule = fit->spec->threshold;
    final->threshold = fit->choice.number;
    if (fit->choice.rule == THRESHOLD_NUMBER)
        return STATUS_OK;
    take_probabilities(fit, final, counted);
    gather(counted);
    return choose(fit, counted, final, err);
}

enum status final_fit_finish(struct final_fit *fit, struct final_step *final, struct error *err)
{
    *final = (struct final_step){.calibration = fit->spec->calibration, .rows = fit->rows};
    for (uint32_t i = 0; i < fit->maps; i++)
        gather(&fit->counted[i]);
    if (fit->rows_max > 0 && fit->rows == 0)
        return fail(err, STATUS_INVALID, "%s: no held-out row has a known class",
                    name_of(fit->spec));
    if (final->calibration != CALIBRATION_NONE)
        TRY(calibrate(fit, final, err));
    return fit->has_choice ? take_threshold(fit, final, err) : STATUS_OK;
}

enum status final_fit_scores(struct final_fit *fit, struct slice **slices, uint32_t *count,
                             struct error *err)
{
    struct fold_score *scores;
    size_t total = 0, at = 0;

    for (uint32_t i = 0; i < fit->maps; i++) {
        gather(&fit->counted[i]);
        total += fit->counted[i].count;
    }
    scores = ARENA_NEW(&fit->arena, struct fold_score, total + 1);
    if (!scores)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < fit->maps; i++)
        for (size_t j = 0; j < fit->counted[i].count; j++) {
            const struct group *group = &fit->counted[i].groups[j];

            scores[at++] = (struct fold_score){.score = group->score,
                                               .rows = group->rows,
                                               .hits = group->hits,
                                               .map = i,
                                               .classes = fit->classes};
        }
    return fold_scores_slice(scores, total, &fit->arena, slices, count, err);
}
