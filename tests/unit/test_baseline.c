#include "runtime/learn/baseline.h"

#include <math.h>

#include "base/random.h"
#include "tests/check.h"
#include "tests/unit/scoring_fixture.h"

#define ROWS 1000

/* The values measured for a row: its class, the predicted class, and the positive's logit. */
struct judged_row {
    uint32_t label, predicted;
    double logit;
};

static double random_of(uint64_t stream, uint64_t row)
{
    return random_uniform(6, RANDOM_INITIAL, stream, row) - 0.5;
}

static struct metrics *metrics_of(uint32_t classes)
{
    struct fixture fixture;
    struct metrics *metrics;
    struct error err;

    fixture_init(&fixture, classes);
    CHECK_OK(metrics_new(&fixture.model, NULL, &metrics, &err));
    fixture_deinit(&fixture);
    return metrics;
}

static struct notice_list notices_of(const uint64_t *counts, uint32_t classes,
                                     struct metrics *metrics)
{
    struct notice_list notices = {0};
    float values[1];
    struct dataset dataset = {.labels.count = classes, .class_counts = (uint64_t *)counts};

    if (classes == 0)
        dataset.sample.values = values;
    baseline_notice(&dataset, metrics, "validation", &notices);
    metrics_free(metrics);
    return notices;
}

/* Two classes, of which the rare one has one row in `every`; `skill`: how far its logits are above
 * those of the other. */
static struct notice_list judge_two(uint32_t every, double skill, double bias, uint32_t rows)
{
    const uint64_t counts[] = {(uint64_t)(every - 1) * 100, 100};
    struct metrics *metrics = metrics_of(2);
    struct error err;

    for (uint32_t i = 0; i < rows; i++) {
        const bool is_rare = i % every == 0;
        const double logit = bias + (is_rare ? skill : 0) + random_of(1, i);
        const double odds = is_rare ? logit : -logit;
        const struct metrics_row row = {.label = is_rare,
                                        .predicted = logit > 0,
                                        .score = (float)logit,
                                        .loss = -log1p(exp(-odds))};

        CHECK_OK(metrics_add_row(metrics, &row, &err));
    }
    return notices_of(counts, 2, metrics);
}

static void a_classifier_of_chance_is_no_better_than_a_class(void **state)
{
    struct notice_list notices = judge_two(4, 0, -1.1, ROWS);
    (void)state;

    CHECK_INT(notices.count, 1);
    CHECK(notices.items[0].kind == NOTICE_BASELINE);
    CHECK(strstr(notices.items[0].text,
                 "no better than the most frequent class: of 1000 validation rows it is right in "
                 "75 %, where that class is 75 %"));
    CHECK(strstr(notices.items[0].hint, "Do the columns have information"));
    CHECK_INT(judge_two(4, 0, -1.1, BASELINE_ROWS_MIN - 1).count, 0);
    CHECK_INT(judge_two(4, 1, -1.2, ROWS).count, 0); /* finds some of the rare ones */
    CHECK_INT(judge_two(2, 0.3, 5, ROWS).count, 0);  /* is far off, and ranks well */
}

static void a_rare_class_that_is_never_predicted_is_told_apart(void **state)
{
    struct notice_list notices = judge_two(20, 1, -3, ROWS);
    (void)state;

    CHECK_INT(notices.count, 1);
    CHECK(strstr(notices.items[0].text,
                 "predicts the most frequent class of all 1000 validation rows"));
    CHECK(strstr(notices.items[0].hint, "train.class_weight = 'balanced'"));
}

/* Three classes; `right`: of a thousand how many are predicted by their label. */
static struct notice_list judge_three(uint32_t right, uint32_t unknown)
{
    static const uint64_t counts[] = {400, 300, 300};
    struct metrics *metrics = metrics_of(3);
    struct error err;

    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t label = i % 10 < 4 ? 0 : 1 + i % 2;
        const struct metrics_row row = {
            .label = i < unknown ? METRICS_UNKNOWN : label,
            .predicted = i < right ? label : (label + 1 + i % 7 % 2) % 3,
            .loss = i < unknown ? log(1e-15) : -1.2 + (double)right / ROWS};

        CHECK_OK(metrics_add_row(metrics, &row, &err));
    }
    return notices_of(counts, 3, metrics);
}

static void many_classes_are_judged_by_their_recall(void **state)
{
    struct notice_list notices = judge_three(100, 0);
    (void)state;

    CHECK_INT(notices.count, 1);
    CHECK(strstr(notices.items[0].text, "right in 10 %, where that class is 40 %"));
    CHECK_INT(judge_three(100, 30).count, 1);
    CHECK_INT(judge_three(380, 0).count, 0);
    CHECK_INT(judge_three(900, 0).count, 0);
}

static struct notice_list judge_numbers(double share, double constant)
{
    struct metrics *metrics = metrics_of(0);
    struct error err;

    for (uint32_t i = 0; i < ROWS; i++) {
        const double label = constant != 0 ? constant : 2 * (double)(i % 2);
        const struct metrics_row row = {.value = label, .loss = share * (1 - label)};

        CHECK_OK(metrics_add_row(metrics, &row, &err));
    }
    return notices_of(NULL, 0, metrics);
}

static void a_regressor_is_compared_with_the_mean(void **state)
{
    struct notice_list notices = judge_numbers(1.5, 0);
    (void)state;

    CHECK_INT(notices.count, 1);
    assert_string_equal(notices.items[0].text,
                        "the model is no better than the mean: its RMSE is 1.5 on 1000 validation "
                        "rows, whose labels deviate by 1");
    CHECK_INT(judge_numbers(1, 0).count, 1);
    CHECK_INT(judge_numbers(0.9, 0).count, 0);
    CHECK_INT(judge_numbers(1, 1).count, 0); /* all the same, and predicted */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classifier_of_chance_is_no_better_than_a_class),
        cmocka_unit_test(a_rare_class_that_is_never_predicted_is_told_apart),
        cmocka_unit_test(many_classes_are_judged_by_their_recall),
        cmocka_unit_test(a_regressor_is_compared_with_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
