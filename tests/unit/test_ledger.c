#include "runtime/score/ledger.h"

#include <stdlib.h>

#include "tests/check.h"

#define LEASE_MS 1000

static struct ledger *open_ledger(uint64_t rows, uint32_t shard_rows)
{
    struct ledger_options options = {.rows = rows,
                                     .shard_rows = shard_rows,
                                     .workers_max = 10,
                                     .leases_per_worker = 2,
                                     .suspects_max = 8,
                                     .first_lease = 1,
                                     .backup_ms = 100};
    struct ledger *ledger;
    struct error err;

    CHECK_OK(ledger_new(&options, &ledger, &err));
    return ledger;
}

static struct lease claim(struct ledger *ledger, uint32_t worker, int64_t now_ms)
{
    struct lease lease;
    int64_t retry_at;

    CHECK_INT(ledger_claim(ledger, worker, now_ms, &lease, &retry_at), LEDGER_LEASED);
    return lease;
}

static int64_t wait(struct ledger *ledger, uint32_t worker, int64_t now_ms)
{
    struct lease lease;
    int64_t retry_at;

    CHECK_INT(ledger_claim(ledger, worker, now_ms, &lease, &retry_at), LEDGER_WAIT);
    return retry_at;
}

static enum status complete(struct ledger *ledger, const struct lease *lease, int64_t now_ms,
                            struct error *err)
{
    struct lease done;

    TRY(ledger_complete(ledger, lease->worker, lease->id, lease->slot, now_ms, &done, err));
    CHECK_INT(done.first, lease->first);
    CHECK_INT(done.count, lease->count);
    return STATUS_OK;
}

static enum ledger_outcome take_back(struct ledger *ledger, const struct lease *lease,
                                     enum ledger_cause cause)
{
    enum ledger_outcome outcome;
    struct error err;

    CHECK_OK(ledger_take_back(ledger, lease->id, lease->slot, cause, &outcome, &err));
    return outcome;
}

static void rows_are_shared_in_shards_of_which_the_last_is_shorter(void **state)
{
    struct ledger *ledger = open_ledger(25, 10);
    struct lease a = claim(ledger, 0, 0), b = claim(ledger, 1, 0), c = claim(ledger, 2, 0);
    struct error err;
    int64_t never;
    (void)state;

    CHECK(a.first == 0 && a.count == 10);
    CHECK(b.first == 10 && b.count == 10);
    CHECK(c.first == 20 && c.count == 5);
    CHECK_INT(wait(ledger, 3, 0), 100); /* a backup perhaps, then */
    CHECK_OK(complete(ledger, &c, 1, &err));
    CHECK_OK(complete(ledger, &a, 1, &err));
    CHECK(!ledger_is_finished(ledger));
    CHECK_OK(complete(ledger, &b, 1, &err));
    CHECK(ledger_is_finished(ledger));
    CHECK_INT(ledger_claim(ledger, 0, 2, &a, &never), LEDGER_FINISHED);
    CHECK_INT(ledger_counts(ledger).rows_done, 25);
    ledger_free(ledger);
}

static void a_late_worker_cannot_complete_a_shard_given_away(void **state)
{
    struct ledger *ledger = open_ledger(10, 10);
    struct lease slow = claim(ledger, 7, 0), fast;
    struct error err;
    (void)state;

    CHECK(ledger_holds(ledger, 7, slow.id, slow.slot));
    CHECK_INT(take_back(ledger, &slow, LEDGER_LOST), LEDGER_RETURNED);
    CHECK(!ledger_holds(ledger, 7, slow.id, slow.slot));
    fast = claim(ledger, 8, LEASE_MS);
    CHECK_INT(fast.first, slow.first);
    CHECK_INT(fast.slot, slow.slot); /* the place is used again, the id is not */
    CHECK(fast.id > slow.id);
    CHECK_FAILS(complete(ledger, &slow, LEASE_MS, &err), STATUS_STALE, "lease 1 has ended");
    CHECK_OK(complete(ledger, &fast, LEASE_MS, &err));
    CHECK_FAILS(complete(ledger, &fast, LEASE_MS, &err), STATUS_STALE, "lease 2 has ended");
    CHECK_INT(ledger_counts(ledger).rows_done, 10);
    ledger_free(ledger);
}

static void a_lease_is_held_and_completed_by_its_own_worker_alone(void **state)
{
    struct ledger *ledger = open_ledger(10, 10);
    struct lease own = claim(ledger, 1, 0), other = own, none = own;
    struct error err;
    (void)state;

    other.worker = 2;
    CHECK_FAILS(complete(ledger, &other, 1, &err), STATUS_STALE,
                "lease 1 is worker 1's, not worker 2's");
    CHECK(!ledger_holds(ledger, 2, own.id, own.slot));
    none.slot = UINT32_MAX; /* a message may say so */
    CHECK_FAILS(complete(ledger, &none, 1, &err), STATUS_STALE, "has ended");
    /* The first slot that is not there, as a sanitizer sees: behind two of each worker. */
    none.slot = 20;
    CHECK_FAILS(complete(ledger, &none, 1, &err), STATUS_STALE, "has ended");
    none.slot = 3;
    none.id = 0;
    CHECK_FAILS(complete(ledger, &none, 1, &err), STATUS_STALE, "has ended");
    CHECK(ledger_holds(ledger, 1, own.id, own.slot));
    CHECK_OK(complete(ledger, &own, 1, &err));
    CHECK(!ledger_holds(ledger, 1, own.id, own.slot));
    ledger_free(ledger);
}

static void the_leases_of_one_who_dies_are_given_to_others_first(void **state)
{
    struct ledger *ledger = open_ledger(100, 10);
    struct lease first = claim(ledger, 0, 0), second = claim(ledger, 0, 0), blamed;
    enum ledger_outcome outcome;
    struct error err;
    (void)state;

    CHECK(wait(ledger, 0, 0) == LEDGER_NEVER); /* it has its two */
    CHECK_OK(ledger_worker_gone(ledger, 0, LEDGER_LOST, &blamed, &outcome, &err));
    CHECK_INT(blamed.id, first.id);
    CHECK_INT(outcome, LEDGER_RETURNED);
    CHECK_INT(claim(ledger, 1, 0).first, first.first);
    CHECK_INT(claim(ledger, 1, 0).first, second.first);
    CHECK_INT(claim(ledger, 0, 0).first, 20);
    CHECK_FAILS(complete(ledger, &first, 1, &err), STATUS_STALE, "has ended");
    CHECK_OK(ledger_worker_gone(ledger, 5, LEDGER_CRASHED, &blamed, &outcome, &err));
    CHECK_INT(blamed.count, 0); /* it had none */
    ledger_free(ledger);
}

static void the_slow_last_shard_goes_to_a_second_worker_and_the_first_result_counts(void **state)
{
    struct ledger *ledger = open_ledger(30, 10);
    struct lease slow = claim(ledger, 0, 0), a = claim(ledger, 1, 0), b, backup;
    struct error err;
    (void)state;

    CHECK_OK(complete(ledger, &a, 200, &err)); /* 20 ms a row: slow is 400 ms */
    b = claim(ledger, 1, 200);
    CHECK_INT(wait(ledger, 2, 200), 400);
    CHECK_INT(wait(ledger, 2, 399), 400);
    CHECK_OK(complete(ledger, &b, 400, &err));
    backup = claim(ledger, 1, 400);
    CHECK(backup.is_backup);
    CHECK_INT(backup.first, slow.first);
    CHECK(wait(ledger, 2, 10000) == LEDGER_NEVER); /* two have it */
    CHECK_OK(complete(ledger, &backup, 500, &err));
    CHECK_FAILS(complete(ledger, &slow, 501, &err), STATUS_STALE, "has ended");
    CHECK(ledger_is_finished(ledger));
    CHECK_INT(ledger_counts(ledger).backups, 1);
    CHECK_INT(ledger_counts(ledger).leased, 0);
    ledger_free(ledger);
}

static void a_shard_that_loses_one_of_two_workers_stays_with_the_other(void **state)
{
    struct ledger *ledger = open_ledger(10, 10);
    struct lease slow = claim(ledger, 0, 0), backup = claim(ledger, 1, 100), third;
    struct error err;
    (void)state;

    CHECK_INT(take_back(ledger, &slow, LEDGER_LOST), LEDGER_RETURNED);
    CHECK_INT(wait(ledger, 2, 199), 200); /* the backup's own 100 ms */
    third = claim(ledger, 2, 200);
    CHECK(third.is_backup);
    CHECK_INT(take_back(ledger, &third, LEDGER_LOST), LEDGER_RETURNED);
    CHECK_OK(complete(ledger, &backup, 201, &err));
    CHECK(ledger_is_finished(ledger));
    ledger_free(ledger);
}

static void a_shard_that_crashed_a_worker_waits_until_the_end_and_has_no_backup(void **state)
{
    struct ledger *ledger = open_ledger(40, 10);
    struct lease crashed = claim(ledger, 0, 0), b, c, lost, suspect;
    struct error err;
    (void)state;

    CHECK_INT(take_back(ledger, &crashed, LEDGER_CRASHED), LEDGER_SUSPECTED);
    b = claim(ledger, 0, 0);
    c = claim(ledger, 0, 0);
    lost = claim(ledger, 2, 0);
    CHECK(b.first == 10 && c.first == 20);
    CHECK_OK(complete(ledger, &b, 1, &err));
    CHECK(wait(ledger, 0, 1) == LEDGER_NEVER); /* it has c: the blame would not be certain */
    suspect = claim(ledger, 1, 1);
    CHECK_INT(suspect.first, 0);
    CHECK_INT(take_back(ledger, &lost, LEDGER_LOST), LEDGER_RETURNED);
    CHECK(wait(ledger, 1, 1) == LEDGER_NEVER); /* nothing beside a suspect */
    CHECK_OK(complete(ledger, &c, 2, &err));
    lost = claim(ledger, 2, 2);
    CHECK_OK(complete(ledger, &lost, 2, &err));
    CHECK(wait(ledger, 2, 100000) == LEDGER_NEVER);
    CHECK_OK(complete(ledger, &suspect, 100001, &err));
    CHECK(ledger_is_finished(ledger));
    CHECK_INT(ledger_counts(ledger).suspects, 0);
    ledger_free(ledger);
}

/* Workers die over some rows until everything is settled. Which rows are found? */
static uint64_t run_with_bad_rows(struct ledger *ledger, const bool *is_bad, bool *is_found)
{
    uint64_t deaths = 0;

    for (int64_t now_ms = 0; !ledger_is_finished(ledger); now_ms++) {
        struct lease lease = claim(ledger, 0, now_ms);
        enum ledger_outcome outcome;
        struct error err;
        bool dies = false;

        for (uint32_t row = 0; row < lease.count; row++)
            dies = dies || is_bad[lease.first + row];
        if (!dies) {
            CHECK_OK(complete(ledger, &lease, now_ms, &err));
            continue;
        }
        deaths++;
        CHECK_OK(ledger_worker_gone(ledger, 0, LEDGER_CRASHED, &lease, &outcome, &err));
        if (outcome == LEDGER_BAD) {
            CHECK_INT(lease.count, 1);
            CHECK(!is_found[lease.first]);
            is_found[lease.first] = true;
        }
    }
    return deaths;
}

static void rows_that_kill_their_workers_are_found_by_halving_and_no_other_row_is_bad(void **state)
{
    struct ledger *ledger = open_ledger(4096, 1024);
    bool is_bad[4096] = {false}, is_found[4096] = {false};
    uint64_t deaths;
    (void)state;

    is_bad[0] = is_bad[1500] = is_bad[1501] = is_bad[4095] = true;
    deaths = run_with_bad_rows(ledger, is_bad, is_found);
    CHECK(memcmp(is_bad, is_found, sizeof is_bad) == 0);
    CHECK_INT(ledger_counts(ledger).rows_bad, 4);
    CHECK_INT(ledger_counts(ledger).rows_done, 4092);
    /* a bad row: once among others, once for each halving, three times alone */
    CHECK(deaths <= 4 * (1 + 10 + LEDGER_CRASHES_MAX));
    ledger_free(ledger);
}

static void a_row_is_not_bad_because_workers_were_lost_over_it(void **state)
{
    struct ledger *ledger = open_ledger(1, 1);
    struct lease lease;
    struct error err;
    (void)state;

    for (int64_t now_ms = 0; now_ms < 100; now_ms++) {
        lease = claim(ledger, 0, now_ms);
        CHECK_INT(take_back(ledger, &lease, LEDGER_LOST), LEDGER_RETURNED);
    }
    for (int crash = 0; crash < LEDGER_CRASHES_MAX; crash++) { /* the first was not alone */
        lease = claim(ledger, 0, 100);
        CHECK_INT(take_back(ledger, &lease, LEDGER_CRASHED), LEDGER_SUSPECTED);
    }
    lease = claim(ledger, 0, 100);
    CHECK_OK(complete(ledger, &lease, 101, &err));
    CHECK_INT(ledger_counts(ledger).rows_bad, 0);
    ledger_free(ledger);
}

static void one_suspect_too_many_is_an_error_that_loses_no_row(void **state)
{
    struct ledger *ledger = open_ledger(90, 10);
    enum ledger_outcome outcome;
    struct lease lease;
    struct error err;
    (void)state;

    for (int i = 0; i < 8; i++) {
        lease = claim(ledger, 0, 0);
        CHECK_INT(take_back(ledger, &lease, LEDGER_CRASHED), LEDGER_SUSPECTED);
    }
    lease = claim(ledger, 0, 0);
    CHECK_FAILS(ledger_take_back(ledger, lease.id, lease.slot, LEDGER_CRASHED, &outcome, &err),
                STATUS_LIMIT, "workers crash over rows of 8 shards (the last: rows 80 to 89)");
    CHECK_INT(outcome, LEDGER_RETURNED);
    lease = claim(ledger, 0, 0);
    CHECK_INT(lease.first, 80);
    CHECK_OK(complete(ledger, &lease, 0, &err));
    lease = claim(ledger, 0, 0); /* a suspect, which cannot be halved any more */
    CHECK_FAILS(ledger_take_back(ledger, lease.id, lease.slot, LEDGER_CRASHED, &outcome, &err),
                STATUS_LIMIT, "workers crash over rows of 8 shards");
    while (!ledger_is_finished(ledger)) {
        lease = claim(ledger, 0, 0);
        CHECK_INT(lease.count, 10);
        CHECK_OK(complete(ledger, &lease, 0, &err));
    }
    ledger_free(ledger);
}

static enum status restore(const struct settled_rows *settled, size_t count, struct ledger **ledger,
                           struct error *err)
{
    struct ledger_options options = {.rows = 100,
                                     .shard_rows = 10,
                                     .workers_max = 1,
                                     .leases_per_worker = 1,
                                     .suspects_max = 2,
                                     .first_lease = (uint64_t)2 << 32,
                                     .settled = settled,
                                     .settled_count = count};

    return ledger_new(&options, ledger, err);
}

static void what_an_earlier_incarnation_settled_is_not_done_again(void **state)
{
    static const struct settled_rows settled[] = {
        {0, 10, false}, {10, 10, false}, {25, 3, false}, {28, 1, true}, {90, 10, false}};
    static const struct settled_rows expected[] = {{20, 5, false}, {29, 1, false}, {30, 10, false}};
    struct ledger *ledger;
    struct error err;
    uint64_t rows = 0;
    (void)state;

    CHECK_OK(restore(settled, 5, &ledger, &err));
    CHECK_INT(ledger_counts(ledger).rows_done, 33);
    CHECK_INT(ledger_counts(ledger).rows_bad, 1);
    for (int i = 0; !ledger_is_finished(ledger); i++) {
        struct lease lease = claim(ledger, 0, 0);

        CHECK(lease.id >= (uint64_t)2 << 32);
        if (i < 3)
            CHECK(lease.first == expected[i].first && lease.count == expected[i].count);
        rows += lease.count;
        CHECK_OK(complete(ledger, &lease, 0, &err));
    }
    CHECK_INT(rows, 66);
    ledger_free(ledger);
}

static void settled_rows_that_cannot_be_are_refused(void **state)
{
    static const struct settled_rows overlap[] = {{0, 10, false}, {9, 2, false}};
    static const struct settled_rows backwards[] = {{50, 10, false}, {0, 10, false}};
    static const struct settled_rows beyond[] = {{95, 6, false}};
    static const struct settled_rows huge[] = {{95, UINT64_MAX - 90, false}};
    static const struct settled_rows empty[] = {{5, 0, false}};
    struct ledger *ledger;
    struct error err;
    (void)state;

    CHECK_FAILS(restore(overlap, 2, &ledger, &err), STATUS_CORRUPT, "rows 9 to 10 of 100");
    CHECK(!ledger);
    CHECK_FAILS(restore(backwards, 2, &ledger, &err), STATUS_CORRUPT, "rows 0 to 9 of 100");
    CHECK_FAILS(restore(beyond, 1, &ledger, &err), STATUS_CORRUPT, "rows 95 to 100 of 100");
    CHECK_FAILS(restore(huge, 1, &ledger, &err), STATUS_CORRUPT, "of 100");
    CHECK_FAILS(restore(empty, 1, &ledger, &err), STATUS_CORRUPT, "rows 5 ");
}

static void a_ledger_without_rows_is_finished_and_impossible_options_are_refused(void **state)
{
    struct ledger *ledger = open_ledger(0, 10);
    struct ledger_options options = {.rows = 1, .workers_max = 0};
    struct error err;
    (void)state;

    CHECK(ledger_is_finished(ledger));
    ledger_free(ledger);
    CHECK_FAILS(ledger_new(&options, &ledger, &err), STATUS_INVALID, "1 to 65536 workers, not 0");
    options.workers_max = 1;
    CHECK_FAILS(ledger_new(&options, &ledger, &err), STATUS_INVALID, "1 to 64 leases, not 0");
    options.leases_per_worker = 1;
    CHECK_FAILS(ledger_new(&options, &ledger, &err), STATUS_INVALID, "at least 1 row");
    options.shard_rows = 1;
    CHECK_FAILS(ledger_new(&options, &ledger, &err), STATUS_INVALID, "2 to 65536 suspects, not 0");
    options.suspects_max = 2;
    CHECK_FAILS(ledger_new(&options, &ledger, &err), STATUS_INVALID, "lease ids begin at 1");
    options.first_lease = 1;
    options.rows = UINT64_MAX;
    CHECK_FAILS(ledger_new(&options, &ledger, &err), STATUS_INVALID, "a ledger of 184467440737");
}

/* --- costs, counted in elementary steps: no clock is looked at --- */

struct crowd {
    struct ledger *ledger;
    struct lease *leases; /* (workers): what each has */
    uint32_t workers;
};

static void crowd_open(struct crowd *crowd, uint64_t shards, uint32_t workers)
{
    struct ledger_options options = {.rows = shards * 16384,
                                     .shard_rows = 16384,
                                     .workers_max = workers,
                                     .leases_per_worker = 1,
                                     .suspects_max = 64,
                                     .first_lease = 1,
                                     .backup_ms = 1000000000};
    struct error err;

    crowd->workers = workers;
    crowd->leases = calloc(workers, sizeof *crowd->leases);
    CHECK(crowd->leases != NULL);
    CHECK_OK(ledger_new(&options, &crowd->ledger, &err));
    for (uint32_t worker = 0; worker < workers; worker++)
        crowd->leases[worker] = claim(crowd->ledger, worker, 0);
}

/* Everybody completes and claims in turn until all is done. */
static void crowd_work(struct crowd *crowd)
{
    for (uint64_t turn = 0; !ledger_is_finished(crowd->ledger); turn++) {
        struct lease *lease = &crowd->leases[turn * 7919 % crowd->workers];
        const uint32_t worker = (uint32_t)(turn * 7919 % crowd->workers);
        struct error err;
        int64_t retry_at;

        if (lease->count > 0)
            CHECK_OK(complete(crowd->ledger, lease, (int64_t)turn, &err));
        if (ledger_claim(crowd->ledger, worker, (int64_t)turn, lease, &retry_at) != LEDGER_LEASED)
            lease->count = 0;
    }
}

static void crowd_close(struct crowd *crowd)
{
    ledger_free(crowd->ledger);
    free(crowd->leases);
}

static void a_shard_costs_the_same_among_a_million_as_among_twenty_thousand(void **state)
{
    static const uint64_t shards[] = {20000, 1000000};
    struct ledger_counts counts[2];
    (void)state;

    for (int i = 0; i < 2; i++) {
        struct crowd crowd;

        crowd_open(&crowd, shards[i], 1000);
        crowd_work(&crowd);
        counts[i] = ledger_counts(crowd.ledger);
        CHECK_INT(counts[i].shards_done, shards[i]);
        CHECK(counts[i].steps <= 30 * shards[i]);
        crowd_close(&crowd);
    }
    CHECK_INT(counts[0].bytes, counts[1].bytes); /* memory is that of the workers */
    CHECK(counts[1].steps * shards[0] <= counts[0].steps * shards[1] * 11 / 10);
}

static void a_thousand_deaths_at_once_cost_what_their_leases_cost(void **state)
{
    struct crowd crowd;
    struct lease blamed;
    enum ledger_outcome outcome;
    struct error err;
    uint64_t before;
    (void)state;

    crowd_open(&crowd, 1000000, 10000);
    before = ledger_counts(crowd.ledger).steps;
    for (uint32_t worker = 0; worker < 1000; worker++) {
        CHECK_OK(ledger_worker_gone(crowd.ledger, worker, LEDGER_LOST, &blamed, &outcome, &err));
        crowd.leases[worker].count = 0;
    }
    CHECK(ledger_counts(crowd.ledger).steps - before <= 1000 * 20); /* log2(10,000) is 13.3 */
    CHECK_INT(ledger_counts(crowd.ledger).leased, 9000);
    CHECK(ledger_counts(crowd.ledger).bytes / 10000 <= 256); /* a worker */
    crowd_close(&crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_shared_in_shards_of_which_the_last_is_shorter),
        cmocka_unit_test(a_late_worker_cannot_complete_a_shard_given_away),
        cmocka_unit_test(a_lease_is_held_and_completed_by_its_own_worker_alone),
        cmocka_unit_test(the_leases_of_one_who_dies_are_given_to_others_first),
        cmocka_unit_test(the_slow_last_shard_goes_to_a_second_worker_and_the_first_result_counts),
        cmocka_unit_test(a_shard_that_loses_one_of_two_workers_stays_with_the_other),
        cmocka_unit_test(a_shard_that_crashed_a_worker_waits_until_the_end_and_has_no_backup),
        cmocka_unit_test(rows_that_kill_their_workers_are_found_by_halving_and_no_other_row_is_bad),
        cmocka_unit_test(a_row_is_not_bad_because_workers_were_lost_over_it),
        cmocka_unit_test(one_suspect_too_many_is_an_error_that_loses_no_row),
        cmocka_unit_test(what_an_earlier_incarnation_settled_is_not_done_again),
        cmocka_unit_test(settled_rows_that_cannot_be_are_refused),
        cmocka_unit_test(a_ledger_without_rows_is_finished_and_impossible_options_are_refused),
        cmocka_unit_test(a_shard_costs_the_same_among_a_million_as_among_twenty_thousand),
        cmocka_unit_test(a_thousand_deaths_at_once_cost_what_their_leases_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
