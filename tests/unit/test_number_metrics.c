#include "scoring/metrics/number_metrics.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "scoring/metrics/ranked_labels.h"
#include "tests/unit/number_metrics_reference.h"

#define COUNT(c)   (sizeof(c) / sizeof *(c))
#define NEAR(a, b) CHECK(fabs((a) - (b)) <= 2e-6 * (1 + fabs(b))) /* XGBoost's floats */

static const struct slice all[] = {
    SLICE("RMSLE"),   SLICE("PoissonNLogLik"),     SLICE("GammaNLogLik"),   SLICE("GammaDeviance"),
    SLICE("Pinball"), SLICE("TweedieNLogLik@1.3"), SLICE("TweedieNLogLik"), SLICE("Coverage")};

static void begin(struct number_metrics *metrics, const struct aim_facts *aim)
{
    number_metrics_init(metrics, aim, all, sizeof all / sizeof *all);
}

static double value_of(struct number_metrics *metrics, const char *name)
{
    struct measure measure;

    CHECK(measure_find(slice_of(name), &measure));
    return number_metrics_value(metrics, measure);
}

static void add(struct number_metrics *metrics, double predicted, double label, double upper,
                uint64_t group, uint64_t key)
{
    const struct number_measures row = {{&predicted, label, upper}, group, key};
    struct error err;

    CHECK_OK(number_metrics_add(metrics, &row, &err));
}

static void losses_are_those_of_xgboost(void **state)
{
    struct number_metrics metrics;
    (void)state;

    begin(&metrics, &(struct aim_facts){.power = 1.3});
    for (size_t i = 0; i < REFERENCE_ROWS; i++)
        add(&metrics, number_predicted[i], number_labels[i], NAN, 0, 0);
    for (size_t i = 0; i < COUNT(number_values); i++)
        NEAR(value_of(&metrics, number_values[i].name), number_values[i].value);
    /* Without a power it is the model's. */
    NEAR(value_of(&metrics, "tweedie-nloglik"), value_of(&metrics, "TweedieNLogLik@1.3"));
    CHECK(isnan(value_of(&metrics, "tweedie-nloglik@1.7"))); /* nobody asked for it */
    number_metrics_deinit(&metrics);
}

static void logarithms_of_what_is_none_are_finite(void **state)
{
    static const char *const names[] = {"RMSLE", "PoissonNLogLik", "GammaNLogLik", "GammaDeviance",
                                        "TweedieNLogLik"};
    struct number_metrics metrics;
    (void)state;

    begin(&metrics, &(struct aim_facts){.power = 0});
    add(&metrics, -3, -2, NAN, 0, 0);
    add(&metrics, 0, 0, NAN, 0, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(isfinite(value_of(&metrics, names[i])));
    number_metrics_deinit(&metrics);
}

/* In the given order, or from the last row on. */
static void add_ranked(struct number_metrics *metrics, bool is_binary, bool is_turned)
{
    for (size_t i = 0; i < REFERENCE_RANKED; i++) {
        const size_t row = is_turned ? REFERENCE_RANKED - 1 - i : i;

        add(metrics, rank_scores[row], is_binary ? rank_labels[row] > 1 : rank_labels[row], NAN,
            (uint64_t)rank_groups[row], 0);
    }
}

static void rankings_are_xgboosts_in_any_order_of_the_rows(void **state)
{
    const struct aim_facts aim = {.aim = AIM_RANKS};
    (void)state;

    for (int turned = 0; turned < 2; turned++)
        for (size_t i = 0; i < COUNT(rank_values); i++) {
            struct number_metrics metrics;

            begin(&metrics, &aim);
            CHECK(isnan(value_of(&metrics, "NDCG")));
            add_ranked(&metrics, rank_values[i].name[0] == 'M', turned);
            NEAR(value_of(&metrics, rank_values[i].name), rank_values[i].value);
            number_metrics_deinit(&metrics);
        }
}

/* The row of the least key comes first. */
static void keys_rank_rows_of_equal_scores(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 2; key++) {
        struct number_metrics metrics;

        begin(&metrics, &(struct aim_facts){.aim = AIM_RANKS});
        add(&metrics, 0.5, 1, NAN, 7, key);
        add(&metrics, 0.5, 0, NAN, 7, 1 - key);
        CHECK(value_of(&metrics, "MRR") == (key == 0 ? 1 : 0.5));
        number_metrics_deinit(&metrics);
    }
}

static void gains_may_be_the_labels(void **state)
{
    const float ranked[] = {1, 3}, best[] = {3, 1};
    const struct measure ndcg = {.metric = METRIC_NDCG};
    const double second = 1 / log2(3);
    (void)state;

    NEAR(ranked_value(ndcg, true, ranked, best, 2), (1 + 3 * second) / (3 + second));
    NEAR(ranked_value(ndcg, false, ranked, best, 2), (1 + 7 * second) / (7 + second));
}

static void add_times(struct number_metrics *metrics, bool is_turned)
{
    for (size_t i = 0; i < REFERENCE_ROWS; i++) {
        const size_t row = is_turned ? REFERENCE_ROWS - 1 - i : i;

        add(metrics, survival_predicted[row], survival_times[row],
            survival_seen[row] ? survival_times[row] : (double)NAN, 0, 0);
    }
}

static void times_are_measured_as_by_xgboost_and_lifelines(void **state)
{
    (void)state;
    for (int noise = 0; noise < NOISES; noise++) {
        const struct aim_facts aim = {.aim = AIM_TIMES,
                                      .survival = {(enum survival_noise)noise, 1}};
        struct number_metrics metrics;

        begin(&metrics, &aim);
        CHECK(isnan(value_of(&metrics, "Concordance")));
        add_times(&metrics, noise == 1);
        NEAR(value_of(&metrics, "aft-nloglik"), aft_values[noise].value);
        NEAR(value_of(&metrics, "Concordance"), concordance_values->value);
        number_metrics_deinit(&metrics);
    }
}

/* -log of the density or of the share above, computed by hand. */
static void the_scale_of_times_counts(void **state)
{
    struct number_metrics metrics;
    (void)state;

    begin(&metrics, &(struct aim_facts){.aim = AIM_TIMES, .survival = {NOISE_NORMAL, 1.3}});
    add_times(&metrics, false);
    NEAR(value_of(&metrics, "aft-nloglik"), 2.728431434);
    number_metrics_deinit(&metrics);
}

static void hazards_are_measured_as_by_xgboost_and_lifelines(void **state)
{
    struct number_metrics metrics;
    (void)state;

    begin(&metrics, &(struct aim_facts){.aim = AIM_HAZARDS});
    for (size_t i = 0; i < REFERENCE_ROWS; i++)
        add(&metrics, 1 / survival_predicted[hazard_rows[i]],
            survival_seen[hazard_rows[i]] ? hazard_times[i] : -hazard_times[i], NAN, 0, 0);
    NEAR(value_of(&metrics, "cox-nloglik"), cox_values->value);
    number_metrics_deinit(&metrics);
    begin(&metrics, &(struct aim_facts){.aim = AIM_HAZARDS});
    for (size_t i = 0; i < REFERENCE_ROWS; i++)
        add(&metrics, 1 / survival_predicted[i],
            survival_seen[i] ? survival_times[i] : -survival_times[i], NAN, 0, 0);
    NEAR(value_of(&metrics, "Concordance"), concordance_values->value);
    number_metrics_deinit(&metrics);
}

/* Bounds 1 and 2, 3 and without end, 2 and 2: the first comes before the second alone. */
static void intervals_are_compared_where_one_surely_comes_first(void **state)
{
    struct number_metrics metrics;
    (void)state;

    begin(&metrics, &(struct aim_facts){.aim = AIM_TIMES, .survival = {NOISE_NORMAL, 1}});
    add(&metrics, 1, 1, 2, 0, 0);
    add(&metrics, 5, 3, INFINITY, 0, 0);
    add(&metrics, 9, 2, 2, 0, 0);
    CHECK(value_of(&metrics, "Concordance") == 0.5);
    number_metrics_deinit(&metrics);
}

static void quantiles_have_their_loss_and_what_they_cover(void **state)
{
    const struct aim_facts aim = {
        .aim = AIM_QUANTILES, .quantiles = {0.1, 0.9}, .quantile_count = 2};
    const double numbers[][2] = {{1, 3}, {1, 3}, {1, 3}, {1, 3}};
    const double labels[] = {0, 1, 3, 5};
    struct number_metrics metrics;
    struct error err;
    (void)state;

    begin(&metrics, &aim);
    for (int i = 0; i < 4; i++)
        CHECK_OK(number_metrics_add(
            &metrics, &(struct number_measures){{numbers[i], labels[i], NAN}, 0, 0}, &err));
    NEAR(value_of(&metrics, "quantile"), (1.2 + 0.2 + 0.2 + 2.2) / 8);
    CHECK(value_of(&metrics, "Coverage") == 0.5);
    number_metrics_deinit(&metrics);
}

static void quantiles_are_measured_as_by_scikit_learn(void **state)
{
    struct aim_facts aim = {.aim = AIM_QUANTILES, .quantile_count = COUNT(quantile_shares)};
    struct number_metrics metrics;
    struct error err;
    (void)state;

    memcpy(aim.quantiles, quantile_shares, sizeof quantile_shares);
    begin(&metrics, &aim);
    for (size_t i = 0; i < REFERENCE_ROWS; i++)
        CHECK_OK(number_metrics_add(
            &metrics,
            &(struct number_measures){{quantile_predicted[i], quantile_labels[i], NAN}, 0, 0},
            &err));
    for (size_t i = 0; i < COUNT(quantile_values); i++)
        NEAR(value_of(&metrics, quantile_values[i].name), quantile_values[i].value);
    number_metrics_deinit(&metrics);
}

static void note(bool *is_there, const struct number_reference *values, size_t count)
{
    struct measure measure;

    for (size_t i = 0; i < count; i++)
        if (measure_find(slice_of(values[i].name), &measure))
            is_there[measure.metric] = true;
}

/* A metric of numbers that is added needs its numbers; all others are in test_judging.c. */
static void every_metric_has_reference_numbers(void **state)
{
    bool is_there[METRIC_COUNT] = {false};
    (void)state;

    note(is_there, number_values, COUNT(number_values));
    note(is_there, rank_values, COUNT(rank_values));
    note(is_there, quantile_values, COUNT(quantile_values));
    note(is_there, aft_values, COUNT(aft_values));
    note(is_there, cox_values, COUNT(cox_values));
    note(is_there, concordance_values, COUNT(concordance_values));
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (!is_there[metric] && number_metrics_have((enum metric)metric))
            check_failed("no numbers for %s: add it to number_metrics_reference.py",
                         metric_name((enum metric)metric));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_of_xgboost),
        cmocka_unit_test(logarithms_of_what_is_none_are_finite),
        cmocka_unit_test(rankings_are_xgboosts_in_any_order_of_the_rows),
        cmocka_unit_test(keys_rank_rows_of_equal_scores),
        cmocka_unit_test(gains_may_be_the_labels),
        cmocka_unit_test(times_are_measured_as_by_xgboost_and_lifelines),
        cmocka_unit_test(the_scale_of_times_counts),
        cmocka_unit_test(hazards_are_measured_as_by_xgboost_and_lifelines),
        cmocka_unit_test(intervals_are_compared_where_one_surely_comes_first),
        cmocka_unit_test(quantiles_have_their_loss_and_what_they_cover),
        cmocka_unit_test(quantiles_are_measured_as_by_scikit_learn),
        cmocka_unit_test(every_metric_has_reference_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
