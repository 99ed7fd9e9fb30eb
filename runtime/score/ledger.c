#include "runtime/score/ledger.h"

#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Shards have records only while they are leased or wait to be leased again. */
struct shard {
    uint64_t first;
    uint32_t count;
    uint32_t crashes;   /* > 0: a suspect; of a single row: how often it crashed alone */
    uint32_t leases[2]; /* slots; the second is the backup's. NONE */
    uint32_t next;      /* in a queue, or of the free records */
};

struct link {
    uint32_t previous, next;
};
enum chain_kind { BY_WORKER, BY_AGE, CHAIN_KINDS };

struct held {
    uint64_t id; /* 0: the slot is free */
    uint32_t shard, worker;
    bool is_alone; /* a suspect's: the worker has nothing else */
    bool has_age;  /* it is in the chain of shards that may get a backup */
    int64_t since_ms;
    struct link links[CHAIN_KINDS]; /* a free slot's next is links[BY_WORKER].next */
};

struct chain {
    uint32_t first, last;
};

struct holder {
    struct chain leases; /* in the order in which they were claimed */
    uint32_t count;
};

struct ledger {
    struct ledger_options options;
    struct ledger_counts counts;
    uint64_t next_lease;
    double ms_per_row; /* recent mean; 0: nothing is done yet */

    uint64_t next_row;            /* the first that no worker has claimed yet */
    struct settled_rows *settled; /* joined where they touch */
    size_t settled_count, next_settled;

    struct shard *shards;
    uint32_t free_shard;
    struct chain returned, suspects; /* queues, by shard.next */

    struct held *held;
    uint32_t free_held;
    struct chain ages; /* oldest first: leases of shards that only one worker has */
    struct holder *holders;
};

/* --- chains of leases, queues of shards --- */

static void chain_insert(struct ledger *ledger, struct chain *chain, enum chain_kind kind,
                         uint32_t slot, bool is_first)
{
    struct link *link = &ledger->held[slot].links[kind];

    ledger->counts.steps++;
    link->previous = is_first ? NONE : chain->last;
    link->next = is_first ? chain->first : NONE;
    if (link->previous == NONE)
        chain->first = slot;
    else
        ledger->held[link->previous].links[kind].next = slot;
    if (link->next == NONE)
        chain->last = slot;
    else
        ledger->held[link->next].links[kind].previous = slot;
}

static void chain_remove(struct ledger *ledger, struct chain *chain, enum chain_kind kind,
                         uint32_t slot)
{
    const struct link link = ledger->held[slot].links[kind];

    ledger->counts.steps++;
    if (link.previous == NONE)
        chain->first = link.next;
    else
        ledger->held[link.previous].links[kind].next = link.next;
    if (link.next == NONE)
        chain->last = link.previous;
    else
        ledger->held[link.next].links[kind].previous = link.previous;
}

static void queue_push(struct ledger *ledger, struct chain *queue, uint32_t shard)
{
    ledger->counts.steps++;
    ledger->shards[shard].next = NONE;
    if (queue->first == NONE)
        queue->first = shard;
    else
        ledger->shards[queue->last].next = shard;
    queue->last = shard;
}

static uint32_t queue_pop(struct ledger *ledger, struct chain *queue)
{
    const uint32_t shard = queue->first;

    ledger->counts.steps++;
    if (shard != NONE)
        queue->first = ledger->shards[shard].next;
    return shard;
}

/* --- records --- */

/* There is always one: see records_max. */
static uint32_t shard_new(struct ledger *ledger, uint64_t first, uint32_t count, uint32_t crashes)
{
    const uint32_t index = ledger->free_shard;
    struct shard *shard = &ledger->shards[index];

    assert(index != NONE);
    ledger->free_shard = shard->next;
    *shard = (struct shard){
        .first = first, .count = count, .crashes = crashes, .leases = {NONE, NONE}, .next = NONE};
    ledger->counts.suspects += crashes > 0;
    return index;
}

static void shard_free(struct ledger *ledger, uint32_t index)
{
    struct shard *shard = &ledger->shards[index];

    ledger->counts.suspects -= shard->crashes > 0;
    shard->next = ledger->free_shard;
    ledger->free_shard = index;
}

/* Fresh shards are claimed only when none has been returned, so that returned
 * ones and leases together are never more than the leases there can be. */
static uint32_t leases_max(const struct ledger_options *options)
{
    return options->workers_max * options->leases_per_worker;
}

static uint32_t records_max(const struct ledger_options *options)
{
    return leases_max(options) + options->suspects_max;
}

static void link_free_records(struct ledger *ledger)
{
    for (uint32_t i = records_max(&ledger->options); i-- > 0;) {
        ledger->shards[i].next = ledger->free_shard;
        ledger->free_shard = i;
    }
    for (uint32_t i = leases_max(&ledger->options); i-- > 0;) {
        ledger->held[i].links[BY_WORKER].next = ledger->free_held;
        ledger->free_held = i;
    }
    for (uint32_t i = 0; i < ledger->options.workers_max; i++)
        ledger->holders[i].leases = (struct chain){NONE, NONE};
}

/* --- beginning and end --- */

static enum status check_options(const struct ledger_options *options, struct error *err)
{
    if (options->workers_max < 1 || options->workers_max > LEDGER_WORKERS_MAX)
        return fail(err, STATUS_INVALID, "a ledger has 1 to %u workers, not %u", LEDGER_WORKERS_MAX,
                    options->workers_max);
    if (options->leases_per_worker < 1 || options->leases_per_worker > LEDGER_LEASES_PER_WORKER_MAX)
        return fail(err, STATUS_INVALID, "a worker has 1 to %u leases, not %u",
                    LEDGER_LEASES_PER_WORKER_MAX, options->leases_per_worker);
    if (options->shard_rows < 1)
        return fail(err, STATUS_INVALID, "a shard has at least 1 row");
    if (options->rows > UINT64_MAX - options->shard_rows)
        return fail(err, STATUS_INVALID, "a ledger of %llu rows",
                    (unsigned long long)options->rows);
    if (options->suspects_max < 2 || options->suspects_max > LEDGER_SUSPECTS_MAX)
        return fail(err, STATUS_INVALID, "a ledger has room for 2 to %u suspects, not %u",
                    LEDGER_SUSPECTS_MAX, options->suspects_max);
    if (options->first_lease < 1)
        return fail(err, STATUS_INVALID, "lease ids begin at 1");
    return STATUS_OK;
}

static enum status take_settled(struct ledger *ledger, struct error *err)
{
    const struct ledger_options *options = &ledger->options;
    uint64_t end = 0;

    for (size_t i = 0; i < options->settled_count; i++) {
        const struct settled_rows *rows = &options->settled[i];
        struct settled_rows *last = &ledger->settled[ledger->settled_count];

        if (rows->count < 1 || rows->first < end || rows->first >= options->rows ||
            rows->count > options->rows - rows->first)
            return fail(err, STATUS_CORRUPT,
                        "rows %llu to %llu of %llu are said to be done, after those before %llu",
                        (unsigned long long)rows->first,
                        (unsigned long long)(rows->first + rows->count - 1),
                        (unsigned long long)options->rows, (unsigned long long)end);
        if (ledger->settled_count > 0 && rows->first == end)
            last[-1].count += rows->count;
        else
            ledger->settled[ledger->settled_count++] = *rows;
        end = rows->first + rows->count;
        *(rows->is_bad ? &ledger->counts.rows_bad : &ledger->counts.rows_done) += rows->count;
    }
    return STATUS_OK;
}

static enum status allocate(struct ledger *ledger, struct error *err)
{
    const struct ledger_options *options = &ledger->options;
    const size_t shards = records_max(options) * sizeof *ledger->shards;
    const size_t held = leases_max(options) * sizeof *ledger->held;
    const size_t holders = options->workers_max * sizeof *ledger->holders;
    const size_t settled = options->settled_count * sizeof *ledger->settled;

    ledger->shards = calloc(1, shards);
    ledger->held = calloc(1, held);
    ledger->holders = calloc(1, holders);
    ledger->settled = settled ? calloc(1, settled) : NULL;
    if (!ledger->shards || !ledger->held || !ledger->holders || (settled && !ledger->settled))
        return fail_no_memory(err);
    ledger->counts.bytes = sizeof *ledger + shards + held + holders + settled;
    return STATUS_OK;
}

enum status ledger_new(const struct ledger_options *options, struct ledger **made,
                       struct error *err)
{
    struct ledger *ledger;
    enum status status;

    *made = NULL;
    TRY(check_options(options, err));
    ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return fail_no_memory(err);
    ledger->options = *options;
    ledger->next_lease = options->first_lease;
    ledger->free_shard = ledger->free_held = NONE;
    ledger->returned = ledger->suspects = ledger->ages = (struct chain){NONE, NONE};
    TRY_OR(failed, status, allocate(ledger, err));
    TRY_OR(failed, status, take_settled(ledger, err));
    ledger->options.settled = NULL;
    link_free_records(ledger);
    *made = ledger;
    return STATUS_OK;
failed:
    ledger_free(ledger);
    return status;
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger)
        return;
    free(ledger->shards);
    free(ledger->held);
    free(ledger->holders);
    free(ledger->settled);
    free(ledger);
}

/* --- claims --- */

/* The next rows that were never claimed. Shards begin at multiples of
 * shard_rows, whatever was settled before: every incarnation cuts alike. */
static uint32_t fresh_shard(struct ledger *ledger)
{
    const uint64_t rows = ledger->options.rows, size = ledger->options.shard_rows;
    uint64_t first = ledger->next_row, end;

    if (ledger->next_settled < ledger->settled_count &&
        ledger->settled[ledger->next_settled].first == first) {
        first += ledger->settled[ledger->next_settled].count;
        ledger->next_settled++;
    }
    ledger->counts.steps++;
    ledger->next_row = first;
    if (first >= rows)
        return NONE;
    end = (first / size + 1) * size;
    if (end > rows)
        end = rows;
    if (ledger->next_settled < ledger->settled_count &&
        end > ledger->settled[ledger->next_settled].first)
        end = ledger->settled[ledger->next_settled].first;
    ledger->next_row = end;
    return shard_new(ledger, first, (uint32_t)(end - first), 0);
}

/* The oldest lease, when it takes longer than shards took of late. */
static uint32_t slow_shard(const struct ledger *ledger, int64_t now_ms, int64_t *retry_at)
{
    const uint32_t slot = ledger->ages.first;
    const struct held *held;
    double usual;
    int64_t slow_at;

    if (slot == NONE)
        return NONE;
    held = &ledger->held[slot];
    usual = 2 * ledger->ms_per_row * ledger->shards[held->shard].count;
    slow_at = held->since_ms + ledger->options.backup_ms;
    if (usual > (double)ledger->options.backup_ms)
        slow_at = held->since_ms + (usual < 1e15 ? (int64_t)usual : (int64_t)1e15);
    if (now_ms >= slow_at)
        return held->shard;
    *retry_at = slow_at;
    return NONE;
}

/* A worker that has something gets only shards of good repute; see ledger.h. */
static uint32_t choose_shard(struct ledger *ledger, bool is_idle, int64_t now_ms, int64_t *retry_at)
{
    uint32_t shard = queue_pop(ledger, &ledger->returned);

    if (shard == NONE)
        shard = fresh_shard(ledger);
    if (shard == NONE && is_idle)
        shard = queue_pop(ledger, &ledger->suspects);
    if (shard == NONE && is_idle)
        shard = slow_shard(ledger, now_ms, retry_at);
    return shard;
}

static void age(struct ledger *ledger, uint32_t slot)
{
    const uint32_t first = ledger->ages.first;
    const bool is_oldest =
        first != NONE && ledger->held[slot].since_ms < ledger->held[first].since_ms;

    chain_insert(ledger, &ledger->ages, BY_AGE, slot, is_oldest);
    ledger->held[slot].has_age = true;
}

static void stop_ageing(struct ledger *ledger, uint32_t slot)
{
    if (ledger->held[slot].has_age)
        chain_remove(ledger, &ledger->ages, BY_AGE, slot);
    ledger->held[slot].has_age = false;
}

static void describe(const struct ledger *ledger, uint32_t slot, struct lease *lease)
{
    const struct held *held = &ledger->held[slot];
    const struct shard *shard = &ledger->shards[held->shard];

    *lease = (struct lease){.id = held->id,
                            .slot = slot,
                            .worker = held->worker,
                            .first = shard->first,
                            .count = shard->count,
                            .is_backup = shard->leases[1] == slot};
}

static uint32_t grant(struct ledger *ledger, uint32_t worker, uint32_t index, int64_t now_ms)
{
    struct shard *shard = &ledger->shards[index];
    const uint32_t slot = ledger->free_held, other = shard->leases[0];
    struct held *held = &ledger->held[slot];

    assert(slot != NONE && shard->leases[1] == NONE);
    ledger->free_held = held->links[BY_WORKER].next;
    *held = (struct held){.id = ledger->next_lease++,
                          .shard = index,
                          .worker = worker,
                          .is_alone = shard->crashes > 0,
                          .since_ms = now_ms};
    shard->leases[other != NONE] = slot;
    if (other != NONE)
        stop_ageing(ledger, other);
    else if (!held->is_alone)
        age(ledger, slot);
    chain_insert(ledger, &ledger->holders[worker].leases, BY_WORKER, slot, false);
    ledger->holders[worker].count++;
    ledger->counts.leases++;
    ledger->counts.backups += other != NONE;
    ledger->counts.leased++;
    return slot;
}

enum ledger_answer ledger_claim(struct ledger *ledger, uint32_t worker, int64_t now_ms,
                                struct lease *lease, int64_t *retry_at)
{
    const struct holder *holder;
    uint32_t shard;

    assert(worker < ledger->options.workers_max);
    holder = &ledger->holders[worker];
    *retry_at = LEDGER_NEVER;
    if (ledger_is_finished(ledger))
        return LEDGER_FINISHED;
    if (holder->count == ledger->options.leases_per_worker ||
        (holder->count > 0 && ledger->held[holder->leases.first].is_alone))
        return LEDGER_WAIT;
    shard = choose_shard(ledger, holder->count == 0, now_ms, retry_at);
    if (shard == NONE)
        return LEDGER_WAIT;
    describe(ledger, grant(ledger, worker, shard, now_ms), lease);
    return LEDGER_LEASED;
}

/* --- ends of leases --- */

static enum status find(const struct ledger *ledger, uint64_t id, uint32_t slot, struct error *err)
{
    if (id == 0 || slot >= leases_max(&ledger->options) || ledger->held[slot].id != id)
        return fail(err, STATUS_STALE, "lease %llu has ended", (unsigned long long)id);
    return STATUS_OK;
}

static enum status find_own(const struct ledger *ledger, uint32_t worker, uint64_t id,
                            uint32_t slot, struct error *err)
{
    TRY(find(ledger, id, slot, err));
    if (ledger->held[slot].worker != worker)
        return fail(err, STATUS_STALE, "lease %llu is worker %u's, not worker %u's",
                    (unsigned long long)id, ledger->held[slot].worker, worker);
    return STATUS_OK;
}

/* The lease is gone; its shard keeps the other one, if there is one. */
static void release(struct ledger *ledger, uint32_t slot)
{
    struct held *held = &ledger->held[slot];
    struct shard *shard = &ledger->shards[held->shard];

    stop_ageing(ledger, slot);
    if (shard->leases[0] == slot)
        shard->leases[0] = shard->leases[1];
    shard->leases[1] = NONE;
    chain_remove(ledger, &ledger->holders[held->worker].leases, BY_WORKER, slot);
    ledger->holders[held->worker].count--;
    ledger->counts.leased--;
    held->id = 0;
    held->links[BY_WORKER].next = ledger->free_held;
    ledger->free_held = slot;
}

static void learn_pace(struct ledger *ledger, const struct held *held, uint32_t count,
                       int64_t now_ms)
{
    const double pace = (double)(now_ms - held->since_ms) / count;

    ledger->ms_per_row += (pace - ledger->ms_per_row) / (ledger->counts.shards_done ? 8 : 1);
}

bool ledger_holds(const struct ledger *ledger, uint32_t worker, uint64_t id, uint32_t slot)
{
    return find_own(ledger, worker, id, slot, NULL) == STATUS_OK;
}

enum status ledger_complete(struct ledger *ledger, uint32_t worker, uint64_t id, uint32_t slot,
                            int64_t now_ms, struct lease *lease, struct error *err)
{
    struct shard *shard;
    uint32_t index;

    TRY(find_own(ledger, worker, id, slot, err));
    describe(ledger, slot, lease);
    index = ledger->held[slot].shard;
    shard = &ledger->shards[index];
    learn_pace(ledger, &ledger->held[slot], shard->count, now_ms);
    release(ledger, slot);
    if (shard->leases[0] != NONE)
        release(ledger, shard->leases[0]);
    ledger->counts.rows_done += shard->count;
    ledger->counts.shards_done++;
    shard_free(ledger, index);
    return STATUS_OK;
}

/* Nobody has the shard any more: it waits to be claimed again. */
static void give_back(struct ledger *ledger, uint32_t index)
{
    const bool is_suspect = ledger->shards[index].crashes > 0;

    queue_push(ledger, is_suspect ? &ledger->suspects : &ledger->returned, index);
}

static enum status suspect_room(const struct ledger *ledger, const struct shard *shard,
                                struct error *err)
{
    if (ledger->counts.suspects < ledger->options.suspects_max)
        return STATUS_OK;
    return fail(err, STATUS_LIMIT,
                "workers crash over rows of %u shards (the last: rows %llu to %llu)",
                ledger->counts.suspects, (unsigned long long)shard->first,
                (unsigned long long)(shard->first + shard->count - 1));
}

/* The worker had nothing else, so it was these rows. The first half keeps the record. */
static enum status blame_alone(struct ledger *ledger, uint32_t index, enum ledger_outcome *outcome,
                               struct error *err)
{
    struct shard *shard = &ledger->shards[index];
    const uint32_t half = shard->count / 2;

    if (shard->count == 1) {
        *outcome = ++shard->crashes > LEDGER_CRASHES_MAX ? LEDGER_BAD : LEDGER_SUSPECTED;
        return STATUS_OK;
    }
    TRY(suspect_room(ledger, shard, err));
    queue_push(ledger, &ledger->suspects,
               shard_new(ledger, shard->first + half, shard->count - half, 1));
    shard->count = half;
    ledger->counts.halved++;
    *outcome = LEDGER_HALVED;
    return STATUS_OK;
}

static enum status blame(struct ledger *ledger, uint32_t index, bool is_alone,
                         enum ledger_outcome *outcome, struct error *err)
{
    struct shard *shard = &ledger->shards[index];

    if (is_alone)
        return blame_alone(ledger, index, outcome, err);
    if (shard->crashes == 0) {
        TRY(suspect_room(ledger, shard, err));
        shard->crashes = 1;
        ledger->counts.suspects++;
    }
    *outcome = LEDGER_SUSPECTED;
    return STATUS_OK;
}

enum status ledger_take_back(struct ledger *ledger, uint64_t id, uint32_t slot,
                             enum ledger_cause cause, enum ledger_outcome *outcome,
                             struct error *err)
{
    enum status status = STATUS_OK;
    struct shard *shard;
    uint32_t index;
    bool is_alone;

    *outcome = LEDGER_RETURNED;
    TRY(find(ledger, id, slot, err));
    index = ledger->held[slot].shard;
    is_alone = ledger->held[slot].is_alone;
    shard = &ledger->shards[index];
    release(ledger, slot);
    if (cause == LEDGER_CRASHED)
        status = blame(ledger, index, is_alone, outcome, err);
    if (*outcome == LEDGER_BAD) {
        ledger->counts.rows_bad += shard->count;
        shard_free(ledger, index);
    } else if (shard->leases[0] == NONE) {
        give_back(ledger, index);
    } else if (shard->crashes == 0) {
        age(ledger, shard->leases[0]);
    }
    return status;
}

enum status ledger_worker_gone(struct ledger *ledger, uint32_t worker, enum ledger_cause cause,
                               struct lease *blamed, enum ledger_outcome *outcome,
                               struct error *err)
{
    const struct holder *holder = &ledger->holders[worker];
    enum status status = STATUS_OK;
    enum ledger_outcome other;

    assert(worker < ledger->options.workers_max);
    *blamed = (struct lease){.count = 0};
    *outcome = LEDGER_RETURNED;
    if (holder->count > 0) {
        const uint32_t slot = holder->leases.first;

        describe(ledger, slot, blamed);
        status = ledger_take_back(ledger, blamed->id, slot, cause, outcome, err);
    }
    while (holder->count > 0) {
        const uint32_t slot = holder->leases.first;

        ledger_take_back(ledger, ledger->held[slot].id, slot, LEDGER_LOST, &other, NULL);
    }
    return status;
}

struct ledger_counts ledger_counts(const struct ledger *ledger)
{
    return ledger->counts;
}

bool ledger_is_finished(const struct ledger *ledger)
{
    return ledger->counts.rows_done + ledger->counts.rows_bad == ledger->options.rows;
}
