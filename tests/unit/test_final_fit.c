#include "runtime/learn/final_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobspec/job_size.h"
#include "runtime/data/dataset/model_file.h"
#include "tests/check.h"
#include "tests/unit/final_fit_reference.h"

#define NEAR(a, b) CHECK(fabs((a) - (b)) < 1e-6)

/* Rows of the reference, which come in another order where `step` is another number without a
 * common divisor with theirs. */
struct finished {
    struct final_fit *fit;
    struct final_step final;
};

static struct jobspec spec_of(enum calibration calibration, const char *threshold)
{
    return (struct jobspec){.kind = SPEC_TRAIN,
                            .task = TASK_CLASSIFICATION,
                            .label = SLICE("y"),
                            .calibration = calibration,
                            .threshold = slice_of(threshold)};
}

static enum status add_all(struct final_fit *fit, uint32_t classes, uint32_t step,
                           struct error *err)
{
    for (uint32_t i = 0; i < REFERENCE_ROWS; i++) {
        const uint32_t row = i * step % REFERENCE_ROWS;
        float outputs[REFERENCE_CLASSES];
        const struct scorer scorer = {.outputs = outputs};

        for (uint32_t c = 0; c < REFERENCE_CLASSES; c++)
            outputs[c] = (float)reference_scores[row * REFERENCE_CLASSES + c];
        TRY(final_fit_add(fit, &scorer,
                          classes == 2 ? reference_labels[row] : reference_classes[row], err));
    }
    return final_fit_add(fit, NULL, -1, err); /* a class that the model does not know */
}

static enum status fit(struct jobspec *spec, uint32_t classes, bool is_lesser, uint32_t step,
                       struct finished *finished, struct error *err)
{
    const struct dataset dataset = {.labels.count = classes,
                                    .positive_is_lesser = is_lesser,
                                    .validation.rows = REFERENCE_ROWS};

    TRY(final_fit_open(spec, &dataset, &finished->fit, err));
    if (job_fits_final_step(spec))
        TRY(add_all(finished->fit, classes, step, err));
    return final_fit_finish(finished->fit, &finished->final, err);
}

static void two_classes_are_calibrated_as_by_scikit_learn(void **state)
{
    static const double *const wanted[] = {
        [CALIBRATION_ISOTONIC] = reference_isotonic, [CALIBRATION_SIGMOID] = reference_sigmoid};
    struct error err;
    (void)state;

    for (unsigned c = CALIBRATION_ISOTONIC; c <= CALIBRATION_SIGMOID; c++) {
        struct jobspec spec = spec_of((enum calibration)c, NULL);
        struct finished made;

        CHECK_OK(fit(&spec, 2, false, 1, &made, &err));
        CHECK_INT(made.final.map_count, 1);
        CHECK_INT(made.final.rows, REFERENCE_ROWS);
        CHECK(!made.final.has_threshold);
        for (uint32_t i = 0; i < REFERENCE_ROWS; i++)
            NEAR(calibration_probability((enum calibration)c, made.final.maps,
                                         reference_scores[(size_t)i * REFERENCE_CLASSES]),
                 wanted[c][i]);
        final_fit_close(made.fit);
    }
}

static void classes_are_calibrated_against_the_rest(void **state)
{
    static const double *const wanted[] = {[CALIBRATION_ISOTONIC] = reference_isotonic_of_three,
                                           [CALIBRATION_SIGMOID] = reference_sigmoid_of_three};
    struct error err;
    (void)state;

    for (unsigned c = CALIBRATION_ISOTONIC; c <= CALIBRATION_SIGMOID; c++) {
        struct jobspec spec = spec_of((enum calibration)c, NULL);
        struct finished made;

        CHECK_OK(fit(&spec, REFERENCE_CLASSES, false, 1, &made, &err));
        CHECK_INT(made.final.map_count, REFERENCE_CLASSES);
        for (uint32_t i = 0; i < REFERENCE_ROWS; i++) {
            const size_t at = (size_t)i * REFERENCE_CLASSES;
            float outputs[REFERENCE_CLASSES];
            double probabilities[REFERENCE_CLASSES];

            for (uint32_t j = 0; j < REFERENCE_CLASSES; j++)
                outputs[j] = (float)reference_scores[at + j];
            final_step_calibrate(&made.final, outputs, REFERENCE_CLASSES, probabilities);
            for (uint32_t j = 0; j < REFERENCE_CLASSES; j++)
                NEAR(probabilities[j], wanted[c][at + j]);
        }
        final_fit_close(made.fit);
    }
}

/* The threshold's decisions on the reference's rows, for the label `positive`. */
struct decided {
    double hits, predicted, positives;
};

static struct decided decide(const char *threshold, int positive)
{
    struct jobspec spec = spec_of(CALIBRATION_NONE, threshold);
    struct decided decided = {0, 0, 0};
    struct finished made;
    struct error err;

    CHECK_OK(fit(&spec, 2, positive == 0, 7, &made, &err));
    CHECK(made.final.has_threshold);
    CHECK_SLICE(made.final.rule, threshold);
    for (uint32_t i = 0; i < REFERENCE_ROWS; i++) {
        const double z = reference_scores[(size_t)i * REFERENCE_CLASSES];
        const double p = 1 / (1 + exp(positive == 1 ? -z : z));
        const bool is_positive = p >= made.final.threshold;

        decided.predicted += is_positive;
        decided.hits += is_positive && reference_labels[i] == positive;
        decided.positives += reference_labels[i] == positive;
    }
    final_fit_close(made.fit);
    return decided;
}

static void thresholds_are_the_best_of_all(void **state)
{
    struct decided made = decide("f1", 1);
    (void)state;

    NEAR(2 * made.hits / (made.positives + made.predicted), REFERENCE_F1);
    made = decide("recall >= 0.9", 1);
    CHECK(made.hits >= .9 * made.positives);
    NEAR(made.hits / made.predicted, REFERENCE_PRECISION);
    made = decide("Precision>=0.7", 1);
    CHECK(made.hits >= .7 * made.predicted);
    NEAR(made.hits / made.positives, REFERENCE_RECALL);
    made = decide("cost 1, 3", 1);
    NEAR(made.predicted - made.hits + 3 * (made.positives - made.hits), REFERENCE_COST);
    made = decide("cost 1, 0", 1); /* none that is missed costs anything */
    CHECK(made.predicted == 0);
    made = decide("recall >= 1", 0); /* the label that is less */
    CHECK(made.hits == made.positives);
}

static void a_number_needs_no_rows(void **state)
{
    struct jobspec spec = spec_of(CALIBRATION_NONE, "0.25");
    struct finished made;
    struct error err;
    (void)state;

    CHECK_OK(fit(&spec, 2, false, 1, &made, &err));
    CHECK(made.final.has_threshold && made.final.threshold == 0.25 && made.final.rows == 0);
    final_fit_close(made.fit);
}

static void the_order_of_rows_makes_no_difference_to_a_bit(void **state)
{
    struct error err;
    (void)state;

    for (unsigned c = CALIBRATION_ISOTONIC; c <= CALIBRATION_SIGMOID; c++) {
        struct jobspec spec = spec_of((enum calibration)c, "f1");
        struct finished a, b;

        CHECK_OK(fit(&spec, 2, false, 1, &a, &err));
        CHECK_OK(fit(&spec, 2, false, 77, &b, &err));
        CHECK(a.final.threshold == b.final.threshold);
        CHECK(a.final.maps->slope == b.final.maps->slope);
        CHECK(a.final.maps->intercept == b.final.maps->intercept);
        CHECK_INT(a.final.maps->count, b.final.maps->count);
        for (uint32_t i = 0; i < a.final.maps->count; i++)
            CHECK(a.final.maps->scores[i] == b.final.maps->scores[i] &&
                  a.final.maps->shares[i] == b.final.maps->shares[i]);
        final_fit_close(a.fit);
        final_fit_close(b.fit);
    }
}

static void what_cannot_be_learned_is_refused(void **state)
{
    struct jobspec spec = spec_of(CALIBRATION_NONE, "precision >= 0.9");
    struct dataset dataset = {.labels.count = 2, .train.rows = 50};
    const float outputs[] = {1, 0};
    const struct scorer scorer = {.outputs = outputs}, lower = {.outputs = outputs + 1};
    struct final_step final;
    struct finished made;
    struct error err;
    (void)state;

    CHECK_FAILS(final_fit_check(&spec, &dataset, &err), STATUS_INVALID, "none of 50 rows is");
    dataset.validation.rows = FINAL_FIT_SCORES_MAX + 1;
    CHECK_FAILS(final_fit_check(&spec, &dataset, &err), STATUS_LIMIT, "at most");
    dataset.validation.rows = 2;
    dataset.labels.count = 3;
    CHECK_FAILS(final_fit_check(&spec, &dataset, &err), STATUS_INVALID, "needs two classes");
    dataset.labels.count = 2;
    CHECK_OK(final_fit_open(&spec, &dataset, &made.fit, &err));
    CHECK_FAILS(final_fit_finish(made.fit, &final, &err), STATUS_INVALID, "no held-out row");
    CHECK_OK(final_fit_add(made.fit, &scorer, 1, &err));
    CHECK_OK(final_fit_add(made.fit, &scorer, 1, &err));
    CHECK_FAILS(final_fit_add(made.fit, &scorer, 1, &err), STATUS_CORRUPT, "more rows");
    CHECK_FAILS(final_fit_finish(made.fit, &final, &err), STATUS_INVALID, "the same class");
    final_fit_close(made.fit);
    CHECK_OK(final_fit_open(&spec, &dataset, &made.fit, &err));
    CHECK_OK(final_fit_add(made.fit, &scorer, 0, &err));
    CHECK_OK(final_fit_add(made.fit, &lower, 1, &err));
    CHECK_FAILS(final_fit_finish(made.fit, &final, &err), STATUS_INVALID,
                "no threshold has a precision of 0.9 on 2 rows");
    CHECK(strstr(err.hint, "0.5"));
    final_fit_close(made.fit);
}

/* The rows of the reference in two folds, whose scores come to a third fit. */
static void scores_of_folds_make_what_their_rows_make(void **state)
{
    struct error err;
    (void)state;

    for (uint32_t classes = 2; classes <= REFERENCE_CLASSES; classes++) {
        struct jobspec spec = spec_of(CALIBRATION_ISOTONIC, classes == 2 ? "f1" : NULL);
        struct fold_score scores[REFERENCE_CLASSES * REFERENCE_ROWS];
        struct dataset dataset = {.labels.count = classes, .validation.rows = REFERENCE_ROWS};
        struct finished whole, folded = {.fit = NULL};
        struct slice *slices;
        uint32_t count;

        CHECK_OK(fit(&spec, classes, false, 1, &whole, &err));
        spec.fold_scores = FOLD_SCORES_KEPT;
        CHECK(final_fit_reads_rows(&spec));
        dataset.fold_scores = scores;
        for (uint32_t fold = 0; fold < 2; fold++) {
            struct final_fit *kept;

            CHECK_OK(final_fit_open(&spec, &dataset, &kept, &err));
            for (uint32_t row = fold; row < REFERENCE_ROWS; row += 2) {
                float outputs[REFERENCE_CLASSES];
                const struct scorer scorer = {.outputs = outputs};

                for (uint32_t c = 0; c < REFERENCE_CLASSES; c++)
                    outputs[c] = (float)reference_scores[row * REFERENCE_CLASSES + c];
                CHECK_OK(final_fit_add(
                    kept, &scorer, classes == 2 ? reference_labels[row] : reference_classes[row],
                    &err));
            }
            CHECK_OK(final_fit_scores(kept, &slices, &count, &err));
            CHECK_INT(count, 1);
            memcpy(scores + dataset.fold_score_count, slices[0].data, slices[0].size);
            dataset.fold_score_count += slices[0].size / sizeof *scores;
            final_fit_close(kept);
        }
        spec.fold_scores = FOLD_SCORES_GIVEN;
        dataset.validation.rows = 0;
        CHECK(!final_fit_reads_rows(&spec));
        CHECK_OK(final_fit_open(&spec, &dataset, &folded.fit, &err));
        CHECK_OK(final_fit_finish(folded.fit, &folded.final, &err));
        CHECK_INT(folded.final.rows, whole.final.rows);
        CHECK(memcmp(&folded.final.threshold, &whole.final.threshold, sizeof(double)) == 0);
        for (uint32_t i = 0; i < whole.final.map_count; i++) {
            const struct calibration_map *a = &whole.final.maps[i], *b = &folded.final.maps[i];

            CHECK_INT(b->count, a->count);
            assert_memory_equal(b->scores, a->scores, a->count * sizeof *a->scores);
            assert_memory_equal(b->shares, a->shares, a->count * sizeof *a->shares);
        }
        final_fit_close(whole.fit);
        final_fit_close(folded.fit);
        scores[0].classes++;
        CHECK_FAILS(final_fit_open(&spec, &dataset, &folded.fit, &err), STATUS_INVALID,
                    "the model of a fold has learned");
        CHECK(!folded.fit);
    }
}

static enum status write_scores(const char *path, const struct fold_score *score, size_t size,
                                const char *part, struct error *err)
{
    struct model_file *file;
    const struct model_row row = {.part = slice_of(part),
                                  .name = SLICE(""),
                                  .has_data = true,
                                  .data = {(const char *)score, size}};

    TRY(model_file_create(path, &file, err));
    return model_file_close(file, model_file_put(file, &row, err), err);
}

static void damaged_scores_are_refused(void **state)
{
    const struct fold_score good = {0.5, 3, 2, 0, 2};
    const struct fold_score bad[] = {
        {NAN, 3, 2, 0, 2}, {0.5, 0, 0, 0, 2}, {0.5, 3, 4, 0, 2}, {0.5, 3, 2, 2, 2}};
    char path[] = "/tmp/fold-scores-XXXXXX";
    const int handle = mkstemp(path);
    struct fold_score *scores;
    struct arena arena;
    struct error err;
    size_t count;
    (void)state;

    CHECK(handle >= 0 && close(handle) == 0);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(write_scores(path, &good, sizeof good, "fold scores", &err));
    CHECK_OK(fold_scores_read(path, &arena, &scores, &count, &err));
    CHECK_INT(count, 1);
    assert_memory_equal(scores, &good, sizeof good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_OK(write_scores(path, &bad[i], sizeof bad[i], "fold scores", &err));
        CHECK_FAILS(fold_scores_read(path, &arena, &scores, &count, &err), STATUS_CORRUPT,
                    "are damaged");
    }
    CHECK_OK(write_scores(path, &good, sizeof good - 1, "fold scores", &err));
    CHECK_FAILS(fold_scores_read(path, &arena, &scores, &count, &err), STATUS_CORRUPT, "damaged");
    CHECK_OK(write_scores(path, &good, sizeof good, "tensor", &err));
    CHECK_FAILS(fold_scores_read(path, &arena, &scores, &count, &err), STATUS_CORRUPT, "damaged");
    CHECK(unlink(path) == 0);
    CHECK_FAILS(fold_scores_read(path, &arena, &scores, &count, &err), STATUS_IO, "");
    arena_deinit(&arena);
}

static void rules_are_read(void **state)
{
    static const char *const good[] = {
        "f1", "F1 ", "recall>=0.5", "precision >= 1", "cost", "0.5", "cost 2,5", "0", "1"};
    static const char *const bad[] = {
        "",    "f2", "recall",         "recall > 0.5", "recall >= 2", "cost 1",
        "1.5", "-1", "precision >= x", "cost 0,0",     "cost -1, 2",  "nan"};
    struct threshold_choice choice;
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(threshold_choice_parse(slice_of(good[i]), &choice));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!threshold_choice_parse(slice_of(bad[i]), &choice));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_are_calibrated_as_by_scikit_learn),
        cmocka_unit_test(classes_are_calibrated_against_the_rest),
        cmocka_unit_test(thresholds_are_the_best_of_all),
        cmocka_unit_test(a_number_needs_no_rows),
        cmocka_unit_test(the_order_of_rows_makes_no_difference_to_a_bit),
        cmocka_unit_test(what_cannot_be_learned_is_refused),
        cmocka_unit_test(scores_of_folds_make_what_their_rows_make),
        cmocka_unit_test(damaged_scores_are_refused),
        cmocka_unit_test(rules_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
