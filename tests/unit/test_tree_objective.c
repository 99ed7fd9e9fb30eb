#include "runtime/learn/trees/objective/tree_objective.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/learn/layers/loss_head.h"
#include "tests/check.h"
#include "tests/unit/tree_objective_reference.h"

#define ROWS 700

/* Labels of so many rows in memory, and what a data set and a job say of them. */
struct labelled {
    struct dataset dataset;
    struct jobspec spec;
    struct spool_column_summary summary, validation_summary;
    float values[ROWS], class_weights[4];
    int32_t classes[ROWS];
    uint64_t class_counts[4];
};

static float draw(uint64_t a, uint64_t b)
{
    return (float)(2 * random_uniform(3, RANDOM_SIMULATION, a, b) - 1);
}

static void begin(struct labelled *rows, enum tree_objective_name name, enum task task)
{
    struct trees_params *params;

    *rows = (struct labelled){
        .spec = {.task = task, .label = SLICE("y"), .estimator = SLICE("BoostedTrees")}};
    params = trees_params(&rows->spec.params);
    *params = (struct trees_params){.objective = name,
                                    .base_score = REAL_AUTOMATIC,
                                    .scale_pos_weight = 1,
                                    .tweedie_variance_power = 1.3,
                                    .max_delta_step = 0.7,
                                    .poisson_step = 0.7,
                                    .huber_slope = 1.5,
                                    .huber_alpha = 1.2,
                                    .fair_c = 2,
                                    .quantile_alpha = {{0.8}, 1}};
    rows->dataset.spool.summaries = &rows->summary;
    rows->dataset.validation_spool.summaries = &rows->validation_summary;
}

/* Numbers within [least, greatest], which are there. */
static void number(struct labelled *rows, enum tree_objective_name name, uint32_t count,
                   double least, double greatest)
{
    double sum = 0;

    begin(rows, name, TASK_REGRESSION);
    for (uint32_t i = 0; i < count; i++) {
        rows->values[i] =
            (float)(i == 0   ? least
                    : i == 1 ? greatest
                             : least + (greatest - least) * ((double)draw(1, i) + 1) / 2);
        sum += (double)rows->values[i];
    }
    rows->summary = (struct spool_column_summary){0, least, greatest};
    rows->dataset.train = (struct dataset_part){.rows = count, .values = rows->values};
    rows->dataset.sample = rows->dataset.train;
    rows->dataset.label_average = sum / count;
}

static void classify(struct labelled *rows, enum tree_objective_name name, uint32_t count,
                     uint32_t classes)
{
    begin(rows, name, TASK_CLASSIFICATION);
    rows->dataset.labels.count = classes;
    rows->dataset.class_weights = rows->class_weights;
    rows->dataset.class_counts = rows->class_counts;
    for (uint32_t i = 0; i < classes; i++)
        rows->class_weights[i] = 1;
    for (uint32_t i = 0; i < count; i++) {
        rows->classes[i] = (int32_t)(i * i % 7 % classes);
        rows->class_counts[rows->classes[i]]++;
    }
    rows->dataset.train = (struct dataset_part){.rows = count, .classes = rows->classes};
}

static struct tree_objective opened(struct labelled *rows)
{
    struct tree_objective objective;
    struct error err;

    CHECK_OK(tree_objective_init(&objective, &rows->spec, &rows->dataset, &err));
    return objective;
}

static void check_refused(struct labelled *rows, const char *message)
{
    struct tree_objective objective;
    struct error err;

    CHECK(tree_objective_init(&objective, &rows->spec, &rows->dataset, &err) == STATUS_INVALID);
    assert_string_equal(err.message, message);
    CHECK(err.hint[0]);
}

static float base_of(struct labelled *rows)
{
    const struct tree_objective objective = opened(rows);
    float base;

    tree_objective_base(&objective, &base);
    return base;
}

static enum tree_objective_name find_name(const char *word)
{
    for (int i = 0; i < TREE_OBJECTIVES; i++)
        if (strcmp(tree_objective_words[i], word) == 0)
            return (enum tree_objective_name)i;
    return TREE_OBJECTIVES;
}

static bool is_near(double x, double right, double tolerance)
{
    return fabs(x - right) <= tolerance * fabs(right) + 3e-7;
}

/* ---- derivatives ---- */

static struct tree_labels labels_of(const struct dataset *dataset, const struct dataset_part *part)
{
    const bool are_held_out = part == &dataset->validation;

    return (struct tree_labels){.values = part->values,
                                .classes = part->classes,
                                .weights = are_held_out ? NULL : part->roles[ROLE_SAMPLE_WEIGHT],
                                .uppers = part->roles[ROLE_LABEL_UPPER],
                                .are_held_out = are_held_out};
}

static void derivatives_are_those_of_xgboost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        const enum tree_objective_name name = find_name(reference[i].objective);
        const float output = (float)reference[i].output;
        struct tree_objective objective;
        struct labelled rows;
        float gradient, hessian;

        if (name == TREE_LOGISTIC || name == TREE_HINGE)
            classify(&rows, name, 10, 2);
        else
            number(&rows, name, 2, 0.5, 0.5);
        rows.values[0] = (float)reference[i].label;
        rows.classes[0] = (int32_t)reference[i].label;
        trees_params(&rows.spec.params)->scale_pos_weight = 2.5;
        objective = opened(&rows);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1,
                            &output, &gradient, &hessian, NULL, NULL);
        CHECK(is_near((double)gradient, reference[i].gradient, 1e-5));
        CHECK(is_near((double)hessian, reference[i].hessian, 3e-5));
    }
}

static void derivatives_of_classes_are_those_of_xgboost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference_of_classes / sizeof *reference_of_classes; i++) {
        struct tree_objective objective;
        struct labelled rows;
        float outputs[3], gradients[3], hessians[3];

        classify(&rows, TREE_SOFTPROB, 10, 3);
        rows.classes[0] = reference_of_classes[i].label;
        objective = opened(&rows);
        for (int j = 0; j < 3; j++)
            outputs[j] = (float)reference_of_classes[i].outputs[j];
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1,
                            outputs, gradients, hessians, NULL, NULL);
        for (int j = 0; j < 3; j++) {
            CHECK(is_near((double)gradients[j], reference_of_classes[i].gradients[j], 1e-5));
            CHECK(is_near((double)hessians[j], reference_of_classes[i].hessians[j], 1e-4));
        }
    }
}

/* The second derivative of one class among k, as each library has it. */
static void hessians_of_classes_are_those_of_the_library(void **state)
{
    static const double factors[] = {
        [TREE_SOFTMAX_XGBOOST] = 2, [TREE_SOFTMAX_LIGHTGBM] = 4 / 3.0, [TREE_SOFTMAX_SCIKIT] = 1};
    const float outputs[4] = {0};
    (void)state;

    for (int library = TREE_SOFTMAX_XGBOOST; library <= TREE_SOFTMAX_SCIKIT; library++) {
        struct tree_objective objective;
        struct labelled rows;
        float gradients[4], hessians[4];

        classify(&rows, TREE_SOFTPROB, 10, 4);
        trees_params(&rows.spec.params)->softmax_hessian = (enum tree_softmax)library;
        objective = opened(&rows);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1,
                            outputs, gradients, hessians, NULL, NULL);
        CHECK(is_near((double)hessians[0], factors[library] * .25 * .75, 1e-6));
    }
}

/* The loss of each objective, by the C library. */
static double loss_of(enum tree_objective_name name, double y, double z)
{
    const double v = 1.3, slope = 1.5;

    switch (name) {
    case TREE_SQUARED_LOG_ERROR:
        return pow(log1p(z) - log1p(y), 2) / 2;
    case TREE_PSEUDO_HUBER:
        return slope * slope * (sqrt(1 + pow((z - y) / slope, 2)) - 1);
    case TREE_REGRESSION_LOGISTIC:
    case TREE_LOGISTIC:
    case TREE_LOGIT_RAW:
        return log1p(exp(z)) - y * z;
    case TREE_GAMMA:
        return y * exp(-z) + z;
    case TREE_TWEEDIE:
        return -y * exp((1 - v) * z) / (1 - v) + exp((2 - v) * z) / (2 - v);
    case TREE_POISSON:
        return exp(z) - y * z;
    default:
        return pow(z - y, 2) / 2;
    }
}

/* Poisson's hessian is more than the second derivative, by what poisson_max_delta_step says. */
static double hessian_factor(enum tree_objective_name name)
{
    return name == TREE_POISSON ? exp(0.7) : 1;
}

static void derivatives_follow_the_loss(void **state)
{
    static const enum tree_objective_name names[] = {
        TREE_SQUARED_ERROR, TREE_SQUARED_LOG_ERROR, TREE_PSEUDO_HUBER, TREE_REGRESSION_LOGISTIC,
        TREE_GAMMA,         TREE_TWEEDIE,           TREE_POISSON,      TREE_LOGISTIC,
        TREE_LOGIT_RAW};

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const enum tree_objective_name name = names[k];
        const bool is_classifier = name == TREE_LOGISTIC || name == TREE_LOGIT_RAW;
        struct tree_objective objective;
        struct labelled rows;
        float outputs[ROWS], gradients[ROWS], hessians[ROWS];

        if (is_classifier)
            classify(&rows, name, ROWS, 2);
        else
            number(&rows, name, ROWS, 0.01, 0.99);
        objective = opened(&rows);
        for (uint32_t i = 0; i < ROWS; i++)
            outputs[i] = name == TREE_SQUARED_LOG_ERROR ? 0.5f + 0.4f * draw(7, i) : 2 * draw(7, i);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, ROWS,
                            outputs, gradients, hessians, NULL, NULL);
        for (uint32_t i = 0; i < ROWS; i++) {
            const double y = is_classifier ? rows.classes[i] : (double)rows.values[i];
            const double z = (double)outputs[i], step = 1e-4;
            const double below = loss_of(name, y, z - step), here = loss_of(name, y, z);
            const double above = loss_of(name, y, z + step);
            const double second = (above - 2 * here + below) / (step * step);

            CHECK(fabs((double)gradients[i] - (above - below) / (2 * step)) < 1e-5);
            CHECK(fabs((double)hessians[i] - hessian_factor(name) * fmax(second, 0)) < 1e-4);
        }
    }
}

/* XGBoost's are signs, and of a quantile steps of height 1 at the label. */
static void derivatives_of_quantiles_are_steps(void **state)
{
    static const float outputs[] = {0.25f, 0.5f, 0.75f};
    static const struct {
        enum tree_objective_name name;
        double gradients[3], losses[3];
    } cases[] = {{TREE_ABSOLUTE_ERROR, {-1, 0, 1}, {0.25, 0, 0.25}},
                 {TREE_QUANTILE, {-0.8, 0.2, 0.2}, {0.2, 0, 0.05}}};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct tree_objective objective;
        struct labelled rows;

        number(&rows, cases[k].name, 3, 0.5, 0.75);
        rows.values[0] = 0.5f;
        objective = opened(&rows);
        for (size_t i = 0; i < 3; i++) {
            float gradient, hessian;
            int64_t loss, squares;

            tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1,
                                &outputs[i], &gradient, &hessian, &loss, &squares);
            CHECK(is_near((double)gradient, cases[k].gradients[i], 1e-6) && hessian == 1);
            CHECK(is_near((double)loss * objective.loss_unit, cases[k].losses[i], 1e-9));
            CHECK((double)squares * objective.square_unit == pow((double)outputs[i] - 0.5, 2));
        }
    }
}

/* Rows one by one have the same bits as all at once. */
static void vectors_and_single_rows_agree_to_the_bit(void **state)
{
    (void)state;
    for (int name = TREE_AUTOMATIC; name < TREE_OBJECTIVES; name++) {
        const uint32_t classes = name >= TREE_SOFTMAX ? 4 : 2, outputs = classes > 2 ? 4 : 1;
        const uint32_t count = 301;
        static float z[4 * ROWS], gradients[4 * ROWS], hessians[4 * ROWS];
        struct tree_objective objective;
        struct labelled rows;
        int64_t loss, hits, sum = 0, sum_hits = 0;

        if (trees_rank((enum tree_objective_name)name)) /* test_tree_rankings.c */
            continue;
        if (name >= TREE_LOGISTIC)
            classify(&rows, (enum tree_objective_name)name, ROWS, classes);
        else
            number(&rows, (enum tree_objective_name)name, ROWS, 0.2, 0.9);
        objective = opened(&rows);
        CHECK(objective.outputs == outputs);
        for (uint32_t i = 0; i < ROWS * outputs; i++)
            z[i] = 5 * draw(9, i);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 9, count, z,
                            gradients, hessians, &loss, &hits);
        for (uint32_t i = 0; i < count; i++) {
            float g[4], h[4];
            int64_t l, n;

            tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 9 + i, 1,
                                z + i * outputs, g, h, &l, &n);
            for (uint32_t j = 0; j < outputs; j++) {
                assert_memory_equal(&g[j], &gradients[j * count + i], sizeof *g);
                assert_memory_equal(&h[j], &hessians[j * count + i], sizeof *h);
            }
            sum += l;
            sum_hits += n;
        }
        CHECK(sum == loss && sum_hits == hits && loss > 0);
        tree_objective_deinit(&objective);
    }
}

static void far_outputs_and_labels_have_finite_derivatives(void **state)
{
    static const float outputs[] = {-3e38f, -1e5f, -300, -90, 90, 300, 1e5f, 3e38f};

    (void)state;
    for (int name = TREE_SQUARED_ERROR; name <= TREE_SOFTPROB; name++) {
        struct tree_objective objective;
        struct labelled rows;
        float gradients[8], hessians[8];
        int64_t loss, hits;

        if (trees_rank((enum tree_objective_name)name)) /* test_tree_rankings.c */
            continue;
        if (name >= TREE_LOGISTIC)
            classify(&rows, (enum tree_objective_name)name, 8, 2);
        else
            number(&rows, (enum tree_objective_name)name, 8, 1e-3,
                   name == TREE_REGRESSION_LOGISTIC ? 1 : 1e18);
        trees_params(&rows.spec.params)->poisson_step = 1e6;
        objective = opened(&rows);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 8,
                            outputs, gradients, hessians, &loss, &hits);
        for (int i = 0; i < 8; i++) {
            CHECK(fabsf(gradients[i]) <= 1e30f);
            CHECK(hessians[i] >= 0 && hessians[i] <= 1e30f);
        }
        CHECK((double)loss * objective.loss_unit <= 8 * objective.loss_most);
        CHECK(objective.square_unit == 0 ||
              (double)hits * objective.square_unit <= 8 * objective.square_most);
        tree_objective_deinit(&objective);
    }
}

static void rare_classes_weigh_more_where_the_statement_says_so(void **state)
{
    const float outputs[2] = {0.3f, 0.3f};
    struct tree_objective objective;
    struct labelled rows;
    float gradients[2], hessians[2];
    int64_t loss, hits;
    double p = 1 / (1 + exp(-0.3));

    (void)state;
    classify(&rows, TREE_AUTOMATIC, 2, 2);
    CHECK(rows.classes[0] == 0 && rows.classes[1] == 1);
    rows.class_weights[0] = 0.5f;
    rows.class_weights[1] = 4;
    trees_params(&rows.spec.params)->scale_pos_weight = 3;
    objective = opened(&rows);
    tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 2, outputs,
                        gradients, hessians, &loss, &hits);
    CHECK(is_near((double)gradients[0], 0.5 * p, 1e-6));
    CHECK(is_near((double)gradients[1], 12 * (p - 1), 1e-6));
    CHECK(is_near((double)hessians[1], 12 * p * (1 - p), 1e-6));
    /* scale_pos_weight is not a weight of the loss that people see. */
    CHECK(is_near((double)loss * objective.loss_unit, -0.5 * log(1 - p) - 4 * log(p), 1e-6));
    CHECK(hits == 1);
}

/* ---- losses ---- */

static void losses_of_numbers_are_squares_in_their_units(void **state)
{
    static const struct {
        enum tree_objective_name name;
        float output;
        double prediction;
    } cases[] = {{TREE_SQUARED_ERROR, 0.25f, 0.25},
                 {TREE_POISSON, -1, 0.36787944117144233},
                 {TREE_REGRESSION_LOGISTIC, 1, 0.7310585786300049}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct tree_objective objective;
        struct labelled rows;
        int64_t loss, hits;

        number(&rows, cases[i].name, 2, 0.125, 0.75);
        objective = opened(&rows);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 1, 1,
                            &cases[i].output, NULL, NULL, &loss, &hits);
        CHECK(
            is_near((double)loss * objective.loss_unit, pow(cases[i].prediction - 0.75, 2), 1e-6));
        CHECK(hits == 0);
    }
}

static void losses_of_margins_are_what_they_lack(void **state)
{
    static const float outputs[] = {-2, 0.25f, -0.5f, 3};
    struct tree_objective objective;
    struct labelled rows;
    int64_t loss, hits;

    (void)state;
    classify(&rows, TREE_HINGE, 4, 2);
    memcpy(rows.classes, (int32_t[]){0, 0, 1, 1}, 4 * sizeof *rows.classes);
    objective = opened(&rows);
    tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 4, outputs,
                        NULL, NULL, &loss, &hits);
    CHECK(is_near((double)loss * objective.loss_unit, 0 + 1.25 + 1.5 + 0, 1e-9));
    CHECK(hits == 2);
    CHECK(base_of(&rows) == 0);
    trees_params(&rows.spec.params)->base_score = -0.5;
    CHECK(base_of(&rows) == -0.5f);
}

static void losses_of_classes_are_logarithms(void **state)
{
    static const float outputs[] = {1, -2, 0.5f, 3, 3, 2, -1, 0, 0};
    struct tree_objective objective;
    struct labelled rows;
    int64_t loss, hits;
    double expected = 0;

    (void)state;
    classify(&rows, TREE_AUTOMATIC, 3, 3);
    memcpy(rows.classes, (int32_t[]){0, 1, 2}, 3 * sizeof *rows.classes);
    objective = opened(&rows);
    CHECK(objective.name == TREE_SOFTPROB && tree_objective_link(&objective) == TREES_LINK_NONE);
    for (int i = 0; i < 3; i++) {
        const float *z = outputs + (ptrdiff_t)3 * i;

        expected += log(exp((double)z[0]) + exp((double)z[1]) + exp((double)z[2])) - (double)z[i];
    }
    tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 3, outputs,
                        NULL, NULL, &loss, &hits);
    CHECK(is_near((double)loss * objective.loss_unit, expected, 1e-6));
    CHECK(hits == 1); /* the first of equal outputs is predicted */
}

static void an_unseen_class_costs_the_most(void **state)
{
    static const float outputs[] = {30, -30, 30, -30, 30, -30};

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        int32_t unseen[2] = {-1, -1};
        struct tree_objective objective;
        struct labelled rows;
        int64_t loss, hits;

        classify(&rows, TREE_AUTOMATIC, 100, classes);
        rows.class_weights[0] = 9;
        rows.dataset.validation = (struct dataset_part){.rows = 2, .classes = unseen};
        objective = opened(&rows);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.validation), 0, 2,
                            outputs, NULL, NULL, &loss, &hits);
        CHECK(is_near((double)loss * objective.loss_unit, 2 * LOSS_ROW_MOST, 1e-6) && hits == 0);
        /* Validation is not weighted by class; training is. */
        unseen[0] = unseen[1] = 0;
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.validation), 1, 1,
                            outputs, NULL, NULL, &loss, &hits);
        CHECK((double)loss * objective.loss_unit < 31);
        rows.classes[0] = 0;
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1,
                            outputs, NULL, NULL, &loss, &hits);
        CHECK(classes == 3 || is_near((double)loss * objective.loss_unit, 9 * 30, 1e-6));
    }
}

/* Row i has the weight i % 3; what each gives is that of the row by itself, so many times. */
static void rows_count_by_their_weights(void **state)
{
    (void)state;
    for (uint32_t classes = 0; classes <= 4; classes += 2) {
        static float z[4 * ROWS], gradients[8 * ROWS], weights[ROWS];
        float *hessians = gradients + (ptrdiff_t)4 * ROWS, own[8], base, weighted;
        struct tree_objective objective;
        int64_t loss, hits, own_loss, sum = 0;
        struct tree_labels labels;
        struct labelled rows;

        if (classes)
            classify(&rows, TREE_AUTOMATIC, ROWS, classes);
        else
            number(&rows, TREE_AUTOMATIC, ROWS, -3, 5);
        objective = opened(&rows);
        for (uint32_t i = 0; i < ROWS; i++)
            weights[i] = (float)(i % 3);
        for (uint32_t i = 0; i < ROWS * objective.outputs; i++)
            z[i] = draw(11, i);
        rows.dataset.train.roles[ROLE_SAMPLE_WEIGHT] = weights;
        labels = labels_of(&rows.dataset, &rows.dataset.train);
        tree_objective_rows(&objective, labels, 0, ROWS, z, gradients, hessians, &loss, &hits);
        labels.weights = NULL;
        for (uint32_t i = 0; i < ROWS; i++) {
            tree_objective_rows(&objective, labels, i, 1, z + (size_t)i * objective.outputs, own,
                                own + 4, &own_loss, &hits);
            sum += own_loss * (i % 3);
            for (uint32_t j = 0; j < objective.outputs; j++) {
                CHECK(gradients[j * ROWS + i] == weights[i] * own[j]);
                CHECK(hessians[j * ROWS + i] == weights[i] * own[4 + j]);
            }
        }
        CHECK(llabs(loss - sum) <= 2 * ROWS);
        if (classes > 2)
            continue;
        rows.dataset.sample = rows.dataset.train;
        base = base_of(&rows);
        for (uint32_t i = 0; i < ROWS; i++)
            weights[i] *= 5; /* only their proportions count */
        weighted = base_of(&rows);
        CHECK(fabsf(base - weighted) < 1e-6f);
        rows.dataset.sample.roles[ROLE_SAMPLE_WEIGHT] = NULL;
        CHECK(base_of(&rows) != base);
    }
}

static void sums_of_losses_never_overflow(void **state)
{
    const float output = 3e38f;

    (void)state;
    for (int shift = 1; shift <= 40; shift++) {
        struct tree_objective objective;
        struct labelled rows;
        int64_t loss, hits;

        number(&rows, TREE_SQUARED_ERROR, 2, -1e18, 1e18);
        rows.dataset.train.rows = (uint64_t)1 << shift;
        objective = opened(&rows);
        tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1,
                            &output, NULL, NULL, &loss, &hits);
        CHECK(loss > 0 && loss <= INT64_MAX >> shift);
    }
}

/* Rows that differ by little have losses that differ: the unit is that of the labels' range. */
static void losses_of_labels_far_from_zero_are_told_apart(void **state)
{
    const float output = 1000000.5f;
    struct tree_objective objective;
    struct labelled rows;
    int64_t loss, hits;

    (void)state;
    number(&rows, TREE_AUTOMATIC, ROWS, 1000000, 1000001);
    objective = opened(&rows);
    CHECK(objective.name == TREE_SQUARED_ERROR);
    tree_objective_rows(&objective, labels_of(&rows.dataset, &rows.dataset.train), 0, 1, &output,
                        NULL, NULL, &loss, &hits);
    CHECK(is_near((double)loss * objective.loss_unit, 0.25, 1e-9));
    /* All labels are the same one: a loss has a unit all the same. */
    number(&rows, TREE_AUTOMATIC, ROWS, 7, 7);
    objective = opened(&rows);
    CHECK(objective.loss_unit > 0 && objective.loss_most == 1);
    /* First losses are great if the base_score is far from the labels. */
    trees_params(&rows.spec.params)->base_score = 1007;
    objective = opened(&rows);
    CHECK(objective.loss_most == 4e6);
}

/* ---- where boosting starts ---- */

/* In 3.2; the numbers are what a booster of XGBoost has of such labels. */
static void boosting_starts_where_xgboost_starts(void **state)
{
    struct labelled rows;
    float base[3];
    struct tree_objective objective;

    (void)state;
    number(&rows, TREE_SQUARED_ERROR, ROWS, 2, 9);
    CHECK(is_near((double)base_of(&rows), rows.dataset.label_average, 1e-7));
    number(&rows, TREE_GAMMA, ROWS, 2, 9);
    CHECK(is_near((double)base_of(&rows), log(rows.dataset.label_average), 1e-7));
    number(&rows, TREE_REGRESSION_LOGISTIC, 2, 0.25, 0.25);
    CHECK(is_near((double)base_of(&rows), log(0.25 / 0.75), 1e-7));
    number(&rows, TREE_POISSON, 2, 0, 0); /* no events at all */
    CHECK(isfinite(base_of(&rows)) && base_of(&rows) < -30);
    classify(&rows, TREE_LOGISTIC, 10, 2);
    memcpy(rows.class_counts, (uint64_t[]){403, 97}, 2 * sizeof *rows.class_counts);
    CHECK(is_near((double)base_of(&rows), log(0.194 / 0.806), 1e-6));
    trees_params(&rows.spec.params)->scale_pos_weight = 5;
    CHECK(is_near((double)base_of(&rows), log(5 * 97 / 403.0), 1e-6));
    trees_params(&rows.spec.params)->scale_pos_weight = 0;
    CHECK(isfinite(base_of(&rows)));
    rows.class_weights[0] = 0;
    CHECK(base_of(&rows) == 0);
    classify(&rows, TREE_AUTOMATIC, 10, 3);
    memcpy(rows.class_counts, (uint64_t[]){248, 168, 84}, 3 * sizeof *rows.class_counts);
    objective = opened(&rows);
    tree_objective_base(&objective, base);
    CHECK(is_near((double)base[0], 0.49069065, 1e-5) && is_near((double)base[1], 0.10122681, 1e-5));
    CHECK(is_near((double)base[2], -0.5919174, 1e-5));
}

static void robust_objectives_start_at_the_best_constant(void **state)
{
    struct labelled rows;
    double derivative = 0, logarithms = 0, base;

    (void)state;
    number(&rows, TREE_PSEUDO_HUBER, ROWS, -50, 1e6);
    rows.values[1] = 1e6f;
    base = (double)base_of(&rows);
    for (uint32_t i = 0; i < ROWS; i++) {
        const double part = (base - (double)rows.values[i]) / 1.5;

        derivative += part / sqrt(1 + part * part);
    }
    CHECK(fabs(derivative) <= 1); /* 0 at the best base, but for rounding */
    number(&rows, TREE_SQUARED_LOG_ERROR, ROWS, 0, 90);
    for (uint32_t i = 0; i < ROWS; i++)
        logarithms += log1p((double)rows.values[i]) / ROWS;
    CHECK(is_near((double)base_of(&rows), expm1(logarithms), 1e-6));
    rows.dataset.sample.rows = 0;
    CHECK(is_near((double)base_of(&rows), rows.dataset.label_average, 1e-6));
}

/* The numbers are what a booster of XGBoost has of such labels. */
static void quantiles_start_at_that_of_the_labels(void **state)
{
    struct labelled rows;

    (void)state;
    number(&rows, TREE_ABSOLUTE_ERROR, 4, 1, 10);
    memcpy(rows.values, (float[]){1, 2, 10, 4}, 4 * sizeof *rows.values);
    CHECK(base_of(&rows) == 3);
    number(&rows, TREE_QUANTILE, 5, 1, 10);
    memcpy(rows.values, (float[]){1, 2, 10, 4, 7}, 5 * sizeof *rows.values);
    trees_params(&rows.spec.params)->quantile_alpha.items[0] = 0.9;
    CHECK(base_of(&rows) == 10);
    trees_params(&rows.spec.params)->quantile_alpha.items[0] = 0.25;
    CHECK(base_of(&rows) == 1.5);
    CHECK(rows.values[2] == 10); /* where they were */
    trees_params(&rows.spec.params)->base_score = -7;
    CHECK(base_of(&rows) == -7);
}

/* Each row has the outputs of models of one quantile, one after the other; losses are the mean. */
static void several_quantiles_are_outputs(void **state)
{
    static const double quantiles[] = {0.1, 0.5, 0.25};
    struct labelled rows;
    struct tree_objective objective;
    float base[3], z[3 * 5], gradients[3 * 5], hessians[3 * 5], one[5], of_one[5], of_two[5];
    int64_t loss, hits, sum = 0;
    (void)state;

    number(&rows, TREE_QUANTILE, 5, 1, 10);
    memcpy(rows.values, (float[]){1, 2, 10, 4, 7}, 5 * sizeof *rows.values);
    memcpy(trees_params(&rows.spec.params)->quantile_alpha.items, quantiles, sizeof quantiles);
    trees_params(&rows.spec.params)->quantile_alpha.count = 3;
    objective = opened(&rows);
    CHECK_INT(objective.outputs, 3);
    CHECK_INT(objective.prediction, 1);
    tree_objective_base(&objective, base);
    CHECK(base[0] == 1 && base[1] == 4 && base[2] == 1.5f);
    for (uint32_t i = 0; i < 15; i++)
        z[i] = (float)i / 2 + 1;
    tree_objective_rows(&objective, (struct tree_labels){.values = rows.values}, 0, 5, z, gradients,
                        hessians, &loss, &hits);
    for (uint32_t j = 0; j < 3; j++) {
        int64_t loss_of_one, hits_of_one;

        trees_params(&rows.spec.params)->quantile_alpha = (struct reals){{quantiles[j]}, 1};
        objective = opened(&rows);
        for (uint32_t i = 0; i < 5; i++)
            one[i] = z[3 * i + j];
        tree_objective_rows(&objective, (struct tree_labels){.values = rows.values}, 0, 5, one,
                            of_one, of_two, &loss_of_one, &hits_of_one);
        assert_memory_equal(gradients + (size_t)5 * j, of_one, sizeof of_one);
        assert_memory_equal(hessians + (size_t)5 * j, of_two, sizeof of_two);
        sum += loss_of_one;
        CHECK((j == 1) == (hits_of_one == hits)); /* the squared error of what is predicted */
    }
    CHECK(is_near((double)sum, 3 * (double)loss, 1e-9));
}

static double loss_at(const struct tree_objective *objective, const float *y, float z)
{
    int64_t loss, hits;

    tree_objective_rows(objective, (struct tree_labels){.values = y}, 0, 1, &z, NULL, NULL, &loss,
                        &hits);
    return (double)loss * objective->loss_unit;
}

/* The gradient is the slope of the loss, on either side of where it changes. */
static void losses_of_lightgbm_have_its_gradients(void **state)
{
    static const enum tree_objective_name names[] = {TREE_HUBER, TREE_FAIR, TREE_MAPE};
    static const double at_plus_2[][2] = {{1.25, 1}, {3. * 2 / 5, 9. / 25}, {1. / 5, 1}};
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct labelled rows;
        struct tree_objective objective;

        number(&rows, names[i], 5, -50, 50);
        trees_params(&rows.spec.params)->huber_alpha = 1.25;
        trees_params(&rows.spec.params)->fair_c = 3;
        objective = opened(&rows);
        for (float z = -20; z <= 20; z += 0.75f) {
            const float y = 5, step = 0x1p-7f;
            float gradient, hessian;
            double slope;
            int64_t loss, hits;

            tree_objective_rows(&objective, (struct tree_labels){.values = &y}, 0, 1, &z, &gradient,
                                &hessian, &loss, &hits);
            slope = (loss_at(&objective, &y, z + step) - loss_at(&objective, &y, z - step)) /
                    (2 * (double)step);
            if (fabs((double)(z - y)) > 2 * (double)step) /* but at the kink of mape */
                CHECK(is_near((double)gradient, slope, 2e-2));
        }
        {
            const float y = 5, z = 7;
            float gradient, hessian;

            tree_objective_rows(&objective, (struct tree_labels){.values = &y}, 0, 1, &z, &gradient,
                                &hessian, NULL, NULL);
            CHECK(is_near((double)gradient, at_plus_2[i][0], 1e-6));
            CHECK(is_near((double)hessian, at_plus_2[i][1], 1e-6));
        }
    }
}

/* Rows with labels as large as these weigh little; those with the least labels count the most. */
static void rows_of_percentages_count_by_their_labels(void **state)
{
    static const float weights[] = {1, 0, 2};
    struct labelled rows;
    struct tree_objective objective;
    int64_t least;
    (void)state;

    number(&rows, TREE_MAPE, 5, 1e9, 4e9);
    objective = opened(&rows);
    least = tree_objective_count(&objective, 1e9f, &weights[0]);
    CHECK(tree_objective_weighs(&objective));
    CHECK(least > 1 << 28 && least < 1 << 30);
    CHECK_INT(tree_objective_count(&objective, 1e9f, NULL), least);
    CHECK(llabs(tree_objective_count(&objective, -4e9f, NULL) - least / 4) <= 1);
    CHECK(tree_objective_count(&objective, 2e9f, &weights[2]) >= least - 1);
    CHECK_INT(tree_objective_count(&objective, 1e9f, &weights[1]), 0);
    CHECK_INT(tree_objective_count(&objective, 1e30f, NULL), 1);
    number(&rows, TREE_MAPE, 3, 1, 100);
    memcpy(rows.values, (float[]){1, 3, 100}, 3 * sizeof *rows.values);
    CHECK(base_of(&rows) == 1); /* 100 and 3 together weigh less */
}

static void a_base_score_is_a_prediction(void **state)
{
    struct labelled rows;
    struct tree_objective objective;
    float base[3];

    (void)state;
    classify(&rows, TREE_LOGIT_RAW, 10, 2);
    trees_params(&rows.spec.params)->base_score = 0.2;
    CHECK(is_near((double)base_of(&rows), log(0.25), 1e-6));
    number(&rows, TREE_TWEEDIE, ROWS, 0, 9);
    trees_params(&rows.spec.params)->base_score = 4;
    objective = opened(&rows);
    CHECK(tree_objective_link(&objective) == TREES_LINK_EXP);
    CHECK(is_near((double)base_of(&rows), log(4), 1e-6));
    number(&rows, TREE_PSEUDO_HUBER, ROWS, -5, 9);
    trees_params(&rows.spec.params)->base_score = -4;
    CHECK(base_of(&rows) == -4);
    classify(&rows, TREE_SOFTMAX, 10, 3);
    trees_params(&rows.spec.params)->base_score = 0.5;
    objective = opened(&rows);
    tree_objective_base(&objective, base);
    CHECK(base[0] == 0.5f && base[1] == 0.5f && base[2] == 0.5f);
}

/* ---- labels that have no loss ---- */

static void labels_without_a_loss_are_refused(void **state)
{
    struct labelled rows;

    (void)state;
    number(&rows, TREE_POISSON, ROWS, -2.5, 9);
    check_refused(&rows, "label column \"y\" has the number -2.5, and count:poisson learns numbers "
                         "from 0 on");
    number(&rows, TREE_GAMMA, ROWS, 0, 9);
    check_refused(&rows,
                  "label column \"y\" has the number 0, and reg:gamma learns numbers greater "
                  "than 0");
    number(&rows, TREE_TWEEDIE, ROWS, 0, 9);
    opened(&rows);
    number(&rows, TREE_SQUARED_LOG_ERROR, ROWS, -1, 9);
    check_refused(&rows, "label column \"y\" has the number -1, and reg:squaredlogerror learns "
                         "numbers greater than -1");
    number(&rows, TREE_REGRESSION_LOGISTIC, ROWS, 0, 1.5);
    check_refused(
        &rows, "label column \"y\" has the number 1.5, and reg:logistic learns numbers from 0 to "
               "1");
    rows.summary.greatest = 1;
    opened(&rows);
    /* Rows that are held out by a SELECT of their own count, too. */
    rows.spec.has_validation = true;
    rows.validation_summary.least = -0.5;
    check_refused(&rows,
                  "label column \"y\" has the number -0.5, and reg:logistic learns numbers from 0 "
                  "to 1");
    classify(&rows, TREE_LOGISTIC, 10, 3);
    check_refused(&rows, "binary:logistic learns two classes, and label column \"y\" has 3");
    classify(&rows, TREE_LOGIT_RAW, 10, 4);
    check_refused(&rows, "binary:logitraw learns two classes, and label column \"y\" has 4");
    classify(&rows, TREE_HINGE, 10, 3);
    check_refused(&rows, "binary:hinge learns two classes, and label column \"y\" has 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_xgboost),
        cmocka_unit_test(derivatives_of_classes_are_those_of_xgboost),
        cmocka_unit_test(hessians_of_classes_are_those_of_the_library),
        cmocka_unit_test(derivatives_follow_the_loss),
        cmocka_unit_test(derivatives_of_quantiles_are_steps),
        cmocka_unit_test(vectors_and_single_rows_agree_to_the_bit),
        cmocka_unit_test(far_outputs_and_labels_have_finite_derivatives),
        cmocka_unit_test(rare_classes_weigh_more_where_the_statement_says_so),
        cmocka_unit_test(losses_of_numbers_are_squares_in_their_units),
        cmocka_unit_test(losses_of_margins_are_what_they_lack),
        cmocka_unit_test(losses_of_classes_are_logarithms),
        cmocka_unit_test(an_unseen_class_costs_the_most),
        cmocka_unit_test(rows_count_by_their_weights),
        cmocka_unit_test(sums_of_losses_never_overflow),
        cmocka_unit_test(losses_of_labels_far_from_zero_are_told_apart),
        cmocka_unit_test(boosting_starts_where_xgboost_starts),
        cmocka_unit_test(robust_objectives_start_at_the_best_constant),
        cmocka_unit_test(quantiles_start_at_that_of_the_labels),
        cmocka_unit_test(several_quantiles_are_outputs),
        cmocka_unit_test(losses_of_lightgbm_have_its_gradients),
        cmocka_unit_test(rows_of_percentages_count_by_their_labels),
        cmocka_unit_test(a_base_score_is_a_prediction),
        cmocka_unit_test(labels_without_a_loss_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
