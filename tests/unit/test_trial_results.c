/* Results of trials in the store of a job. */
#include "runtime/data/store/jobstore_parts.h"
#include "runtime/data/store/trial_results.h"
#include "tests/check.h"

#include "tests/unit/data_fixture.h"

#include <math.h>

static struct folder folder;

static enum status append(void *context, const struct trial_result *result, struct error *err)
{
    (void)err;
    text_printf(context, "%u %s %g %s %u %s %s %g\n", result->number, result->state, result->value,
                result->metric, result->epochs, result->settings, result->error, result->deviation);
    return STATUS_OK;
}

static enum status refuse(void *context, const struct trial_result *result, struct error *err)
{
    (void)context;
    return fail(err, STATUS_LIMIT, "not trial %u", result->number);
}

static void trials_are_read_in_their_order_as_they_were_put(void **state)
{
    const struct trial_result failed = {2,        (double)NAN, "RMSE",     0,
                                        "failed", "a = 9",     "diverged", (double)NAN};
    const struct trial_result best = {1, .5, "RMSE", 7, "best", "a = 1", "", .25};
    struct jobstore *store;
    struct text found;
    struct error err;
    (void)state;

    text_init(&found, TEXT_MAXIMUM);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(trial_results_each(store, append, &found, &err));
    CHECK_INT(found.size, 0); /* a job without a search */
    CHECK_OK(trial_result_put(store, &failed, &err));
    CHECK_OK(trial_result_put(store, &best, &err));
    CHECK_OK(trial_results_each(store, append, &found, &err));
    CHECK_SLICE(text_slice(&found),
                "1 best 0.5 RMSE 7 a = 1  0.25\n2 failed nan RMSE 0 a = 9 diverged nan\n");
    CHECK_FAILS(trial_results_each(store, refuse, NULL, &err), STATUS_LIMIT, "not trial 1");
    jobstore_close(store);
    text_deinit(&found);
}

/* A version before deviations made the store, and the job goes on after an upgrade. */
static void a_store_without_deviations_is_read(void **state)
{
    struct jobstore *store;
    struct text found;
    struct error err;
    (void)state;

    text_init(&found, TEXT_MAXIMUM);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(
        jobstore_run(store,
                     "CREATE TABLE trials(number INTEGER PRIMARY KEY, value REAL, metric TEXT, "
                     "epochs INTEGER, state TEXT, settings TEXT, error TEXT); "
                     "INSERT INTO trials VALUES(1, .5, 'RMSE', 7, 'best', 'a = 1', '')",
                     &err));
    CHECK_OK(trial_results_each(store, append, &found, &err));
    CHECK_SLICE(text_slice(&found), "1 best 0.5 RMSE 7 a = 1  nan\n");
    jobstore_close(store);
    text_deinit(&found);
}

static int open_folder(void **state)
{
    (void)state;
    folder_open(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(trials_are_read_in_their_order_as_they_were_put,
                                        open_folder, close_folder),
        cmocka_unit_test_setup_teardown(a_store_without_deviations_is_read, open_folder,
                                        close_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
