/*
 * Masters that follow one Lease (k8s/share/share_lease.h) while holders are killed, frozen and cut
 * off at random, answers get lost, and the API server is away.
 *
 * Whatever happens: each term has one writer, terms only grow at the server and for each observer,
 * and a number that was decided does not change by a change of holders. And where somebody lives
 * that can reach the server, the Lease is renewed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "k8s/share/share_lease.h"
#include "tests/sim/seeds.h"

#define STREAM   27
#define MASTERS  6
#define STEP_MS  50
#define UNTIL_MS 300000
#define LOST_MS  SHARE_LEASE_RENEW_MS /* an answer that does not come */
#define RENEWED_MS                                                                                 \
    (SHARE_LEASE_DEAD_MS + SHARE_LEASE_SPREAD_MS + SHARE_LEASE_RENEW_MS + SHARE_LEASE_RETRY_MS +   \
     2000)

struct master {
    struct share_lease lease;
    char uid[16];
    bool is_alive, is_sought;
    int64_t frozen_until, cut_until;
    int64_t well_since; /* alive, running and connected */
    enum share_lease_step step;
    struct http_request request;
    bool is_asking, is_applied;
    int64_t sent_ms, answer_ms; /* answer_ms: when it is there; -1: lost */
    enum status status;
    struct api_answer answer;
    int64_t seen_version, term;
    bool has_number;
};

struct world {
    uint64_t seed, draws;
    int64_t now_ms, version, term, renewed_ms, away_until;
    char writer[SHARE_HOLDER_MAX]; /* the one of this term */
    cJSON *object;                 /* NULL: the Lease does not exist */
    struct master masters[MASTERS];
    uint32_t lives; /* masters that ever were */
    struct error *err;
};

struct totals {
    uint64_t worlds, writes, conflicts, terms, killed, frozen, cut, lost, left;
};

static uint64_t draw(struct world *world, uint64_t below)
{
    return seeds_pick(world->seed, STREAM, world->draws++, below);
}

static bool chance(struct world *world, uint64_t one_in)
{
    return draw(world, one_in) == 0;
}

/* ----- the API server ----- */

static void stamp(struct world *world, cJSON *object)
{
    cJSON *metadata = cJSON_GetObjectItem(object, "metadata");
    char version[32];

    snprintf(version, sizeof version, "%" PRId64, ++world->version);
    cJSON_DeleteItemFromObject(metadata, "resourceVersion");
    cJSON_DeleteItemFromObject(metadata, "uid");
    json_add_string(metadata, "resourceVersion", slice_of(version));
    json_add_string(metadata, "uid", SLICE("lease-1"));
}

static enum status note_write(struct world *world, struct master *master, struct totals *totals)
{
    const int64_t term =
        (int64_t)API_MEMBER(world->object, "spec", "leaseTransitions")->valuedouble;

    totals->writes++;
    world->renewed_ms = world->now_ms;
    if (term < world->term)
        return fail(world->err, STATUS_FAILED, "term %" PRId64 " follows %" PRId64, term,
                    world->term);
    if (term == world->term && strcmp(world->writer, master->lease.self) != 0)
        return fail(world->err, STATUS_FAILED, "%s and %s have written in term %" PRId64,
                    world->writer, master->lease.self, term);
    if (term > world->term)
        totals->terms++;
    world->term = term;
    slice_copy(slice_of(master->lease.self), world->writer, sizeof world->writer);
    return STATUS_OK;
}

static void refuse(struct master *master, enum status status, int code)
{
    master->status = status;
    master->answer.code = code;
}

static enum status serve(struct world *world, struct master *master, struct totals *totals)
{
    const struct slice body = text_slice(&master->request.body);
    struct slice version;
    cJSON *object = NULL;
    struct error err;

    master->is_applied = true;
    master->status = STATUS_OK;
    master->answer = (struct api_answer){.code = 200, .retry_after_ms = -1};
    if (master->step == SHARE_LEASE_READ) {
        if (world->object)
            master->answer.object = cJSON_Duplicate(world->object, true);
        else
            refuse(master, STATUS_NOT_FOUND, 404);
        return STATUS_OK;
    }
    TRY(json_parse(body, JSON_BYTES_MAX, &object, &err));
    version = API_TEXT(object, "metadata", "resourceVersion");
    if (strcmp(master->request.method, "POST") == 0
            ? world->object != NULL
            : !world->object ||
                  !slice_equal(version, API_TEXT(world->object, "metadata", "resourceVersion"))) {
        refuse(master, STATUS_BUSY, 409);
        totals->conflicts++;
        cJSON_Delete(object);
        return STATUS_OK;
    }
    cJSON_Delete(world->object);
    world->object = object;
    stamp(world, object);
    master->answer.object = cJSON_Duplicate(object, true);
    return note_write(world, master, totals);
}

/* ----- masters ----- */

static bool is_frozen(const struct world *world, const struct master *master)
{
    return world->now_ms < master->frozen_until;
}

static bool is_cut(const struct world *world, const struct master *master)
{
    return world->now_ms < master->cut_until || world->now_ms < world->away_until;
}

static void begin(struct world *world, struct master *master)
{
    char self[32];

    memset(master, 0, sizeof *master);
    snprintf(self, sizeof self, "master-%" PRIu32, world->lives++);
    snprintf(master->uid, sizeof master->uid, "uid-%zu", (size_t)(master - world->masters));
    share_lease_init(&master->lease, slice_of(self), draw(world, 1000000), false, world->now_ms);
    http_request_init(&master->request);
    master->is_alive = true;
    master->well_since = world->now_ms;
}

static void end(struct master *master)
{
    share_lease_deinit(&master->lease);
    http_request_deinit(&master->request);
    api_answer_deinit(&master->answer);
    master->is_alive = false;
}

/* Each decides the same: index + 1 workers for each that lives. */
static void send(struct world *world, struct master *master, enum share_lease_step step)
{
    const struct api_target target = {
        .kind = API_LEASES, .kube_namespace = SLICE("n"), .name = SLICE(SHARE_LEASE_NAME)};
    const struct timespec clock = {.tv_sec = world->now_ms / 1000,
                                   .tv_nsec = world->now_ms % 1000 * 1000000};
    struct share_decided jobs[MASTERS];
    struct share_decision decision = {.jobs = jobs, .count = MASTERS};
    struct error err;

    for (size_t i = 0; i < MASTERS; i++) {
        jobs[i] = (struct share_decided){.workers = (uint32_t)i + 1};
        snprintf(jobs[i].uid, sizeof jobs[i].uid, "uid-%zu", i);
    }
    if (share_lease_ask(&master->lease, world->now_ms, step, &target, &decision, &clock,
                        &master->request, &err) != STATUS_OK)
        abort();
    master->step = step;
    master->is_asking = true;
    master->is_applied = false;
    master->sent_ms = world->now_ms;
    master->answer_ms = chance(world, 30) ? -1 : world->now_ms + (int64_t)draw(world, 400);
}

/* A request is applied half-way, when the server can be reached; its answer comes unless it is
 * lost. */
static enum status move_request(struct world *world, struct master *master, struct totals *totals)
{
    const struct api_answer none = {.retry_after_ms = -1};

    if (!master->is_asking)
        return STATUS_OK;
    if (!master->is_applied && !is_cut(world, master) &&
        world->now_ms >= master->sent_ms + (master->answer_ms - master->sent_ms) / 2)
        TRY(serve(world, master, totals));
    if (is_frozen(world, master))
        return STATUS_OK;
    if (master->is_applied && master->answer_ms >= 0 && world->now_ms >= master->answer_ms &&
        !is_cut(world, master)) {
        share_lease_on_answer(&master->lease, world->now_ms, master->step, master->status,
                              &master->answer);
    } else if (world->now_ms >= master->sent_ms + LOST_MS) {
        share_lease_on_answer(&master->lease, world->now_ms, master->step, STATUS_CONNECTION,
                              &none);
        totals->lost++;
    } else {
        return STATUS_OK;
    }
    master->is_asking = false;
    api_answer_deinit(&master->answer);
    return STATUS_OK;
}

static void watch(struct world *world, struct master *master)
{
    if (is_cut(world, master) || chance(world, 3))
        return;
    if (!world->object) {
        if (!master->is_sought && !master->is_asking)
            share_lease_on_object(&master->lease, world->now_ms, NULL);
        master->is_sought = true;
    } else if (master->seen_version != world->version) {
        share_lease_on_object(&master->lease, world->now_ms, world->object);
        master->seen_version = world->version;
    }
}

static enum status check_number(struct world *world, struct master *master)
{
    const struct share_decision *decision = share_lease_decision(&master->lease, world->now_ms);
    const struct share_decided *own = decision ? share_decision_find(decision, master->uid) : NULL;
    const bool was_long_away = world->now_ms - master->well_since < SHARE_LEASE_STALE_MS;

    if (decision && decision->term < master->term)
        return fail(world->err, STATUS_FAILED,
                    "%s has followed term %" PRId64 " and follows %" PRId64, master->lease.self,
                    master->term, decision->term);
    if (decision)
        master->term = decision->term;
    if (own && own->workers != (uint32_t)(master - world->masters) + 1)
        return fail(world->err, STATUS_FAILED, "%s has %u workers", master->lease.self,
                    own->workers);
    if (master->has_number && !own && !was_long_away)
        return fail(world->err, STATUS_FAILED, "%s has lost its number", master->lease.self);
    master->has_number = master->has_number || own;
    return STATUS_OK;
}

static enum status run_master(struct world *world, struct master *master, struct totals *totals)
{
    int64_t due_ms = INT64_MAX;
    enum share_lease_step step;

    if (is_frozen(world, master) || is_cut(world, master))
        master->well_since = world->now_ms + STEP_MS;
    TRY(move_request(world, master, totals));
    if (is_frozen(world, master))
        return STATUS_OK;
    (void)share_lease_tick(&master->lease, world->now_ms);
    watch(world, master);
    if (!master->is_asking) {
        step = share_lease_next(&master->lease, world->now_ms, chance(world, 40), true, &due_ms);
        if (step != SHARE_LEASE_NOTHING)
            send(world, master, step);
    }
    return check_number(world, master);
}

/* ----- what goes wrong ----- */

static struct master *pick_victim(struct world *world)
{
    struct master *any = &world->masters[draw(world, MASTERS)];

    for (size_t i = 0; i < MASTERS && !chance(world, 3); i++)
        if (world->masters[i].is_alive && share_lease_is_ours(&world->masters[i].lease))
            return &world->masters[i];
    return any;
}

static void disturb(struct world *world, struct totals *totals)
{
    struct master *victim = pick_victim(world);
    const int64_t ms = (int64_t)draw(world, 40000);

    if (!victim->is_alive)
        return;
    switch (draw(world, 5)) {
    case 0:
        end(victim);
        totals->killed++;
        break;
    case 1:
        victim->frozen_until = world->now_ms + ms;
        totals->frozen++;
        break;
    case 2:
        victim->cut_until = world->now_ms + ms;
        totals->cut++;
        break;
    case 3:
        share_lease_leave(&victim->lease);
        totals->left++;
        break;
    default:
        if (chance(world, 8))
            world->away_until = world->now_ms + ms / 2;
    }
}

static bool is_anybody_well(const struct world *world)
{
    for (size_t i = 0; i < MASTERS; i++)
        if (world->masters[i].is_alive && !world->masters[i].lease.is_leaving &&
            world->now_ms - world->masters[i].well_since > RENEWED_MS)
            return true;
    return false;
}

static enum status run(struct world *world, struct totals *totals)
{
    for (; world->now_ms < UNTIL_MS; world->now_ms += STEP_MS) {
        for (size_t i = 0; i < MASTERS; i++) {
            struct master *master = &world->masters[i];

            if (!master->is_alive && chance(world, 100))
                begin(world, master);
            if (master->is_alive)
                TRY(run_master(world, master, totals));
            if (master->is_alive && share_lease_has_left(&master->lease))
                end(master);
        }
        if (chance(world, 150))
            disturb(world, totals);
        if (world->now_ms - world->renewed_ms > RENEWED_MS && is_anybody_well(world))
            return fail(world->err, STATUS_FAILED, "nobody renews the Lease at %" PRId64 " ms",
                        world->now_ms);
    }
    return STATUS_OK;
}

static enum status run_world(void *context, uint64_t seed, bool verbose, struct error *err)
{
    struct totals *totals = context;
    struct world *world = calloc(1, sizeof *world);
    enum status status;

    if (!world)
        return fail_no_memory(err);
    world->seed = seed;
    world->err = err;
    status = run(world, totals);
    if (verbose)
        printf("%" PRIu32 " masters, %" PRId64 " terms\n", world->lives, world->term);
    for (size_t i = 0; i < MASTERS; i++)
        if (world->masters[i].is_alive)
            end(&world->masters[i]);
    cJSON_Delete(world->object);
    free(world);
    totals->worlds++;
    return status;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"writes",       "writes that were refused",
                                        "terms",        "killed",
                                        "frozen",       "cut off",
                                        "answers lost", "left"};
    struct totals totals = {.worlds = 0};
    struct seeds seeds;
    uint64_t failures;

    if (!seeds_parse(&seeds, argc, argv))
        return 2;
    failures = seeds_run(&seeds, run_world, &totals);
    printf("%" PRIu64 " worlds, %" PRIu64 " failures, %" PRIu64 " writes, %" PRIu64
           " refused, %" PRIu64 " terms\n",
           totals.worlds, failures, totals.writes, totals.conflicts, totals.terms);
    return seeds_exit_code(
        &seeds, failures,
        (struct seeds_counts){names,
                              (const uint64_t[]){totals.writes, totals.conflicts, totals.terms,
                                                 totals.killed, totals.frozen, totals.cut,
                                                 totals.lost, totals.left},
                              sizeof names / sizeof *names});
}
