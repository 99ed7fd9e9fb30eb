#include "tests/sim/share_world.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

#define UNIT_MILLIS    100 /* all sizes of a random cluster are multiples of it */
#define MEASURED_ERROR .03
#define ROWS           1e6 /* one worker does so many in a second */
#define MOVE_SECONDS   .3
#define NOTES          10  /* a second */
#define ROOM_WORDS     512 /* 64 units each; a node has fewer units than there are words */

struct shown {
    size_t index[SHARE_WORLD_JOBS]; /* in the world */
    struct share_job jobs[SHARE_WORLD_JOBS];
    struct share_part parts[SHARE_WORLD_JOBS];
    struct share_size nodes[SHARE_WORLD_NODES];
    size_t count;
};

static bool is_here(const struct share_world_job *job, double now)
{
    return job->comes <= now && job->ended < 0;
}

/* ----- what share_jobs() is shown ----- */

static void show_nodes(const struct share_world *world, double now, struct shown *shown)
{
    for (size_t i = 0; i < world->node_count; i++)
        shown->nodes[i] = world->nodes[i];
    for (size_t i = 0; i < world->service_count; i++) {
        const struct share_world_service *service = &world->services[i];

        if (service->from <= now && now < service->to)
            shown->nodes[service->node].millis -= service->millis;
        if (shown->nodes[service->node].millis < 0)
            shown->nodes[service->node].millis = 0;
    }
}

static void show_jobs(const struct share_world *world, double now, struct shown *shown)
{
    shown->count = 0;
    for (size_t i = 0; i < world->count; i++) {
        const struct share_world_job *job = &world->jobs[i];
        struct share_job *said = &shown->jobs[shown->count];
        const double noise =
            2 * random_uniform(world->seed, RANDOM_SIMULATION, i, (uint64_t)now) - 1;

        if (!is_here(job, now))
            continue;
        *said = job->job;
        if (job->wanted > 0)
            said->most = job->wanted > said->least ? job->wanted : said->least;
        said->nodes = job->nodes;
        said->is_running = said->has >= said->least;
        said->seconds_left = job->left * (1 + job->report_error * noise);
        said->seconds_since_move = now - job->moved;
        said->seconds_waited = said->is_running ? 0 : now - job->comes;
        shown->index[shown->count++] = i;
    }
}

/* ----- what must hold ----- */

static int64_t millis_of(const struct share_job *job, uint32_t workers)
{
    return workers == 0 ? 0
                        : (int64_t)workers * job->worker.millis +
                              (int64_t)job->rest_count * job->rest.millis;
}

static int64_t room_of(const struct share_world *world, const struct shown *shown)
{
    int64_t room = 0;

    for (size_t i = 0; i < world->node_count; i++)
        room += shown->nodes[i].millis;
    return room;
}

static enum status check_part(const struct share_job *job, const struct share_part *part,
                              struct error *err)
{
    uint32_t n = job->least;

    if (part->workers == 0)
        return STATUS_OK;
    while (n < part->workers && n != 0)
        n = share_curve_next(&job->curve, n, job->most);
    if (n != part->workers)
        return fail(err, STATUS_FAILED,
                    "%u workers are of no use to a job of %u to %u with %u "
                    "lanes",
                    part->workers, job->least, job->most, job->curve.lanes);
    return STATUS_OK;
}

/* Nobody takes a minimum that runs but services and higher bands. */
static enum status check_minimums(const struct shown *shown, bool has_less_room, struct error *err)
{
    int32_t highest = INT32_MIN;

    for (size_t i = 0; i < shown->count; i++)
        if (shown->jobs[i].band > highest)
            highest = shown->jobs[i].band;
    for (size_t i = 0; i < shown->count && !has_less_room; i++)
        if (shown->jobs[i].is_running && shown->jobs[i].band == highest &&
            shown->parts[i].workers < shown->jobs[i].least)
            return fail(err, STATUS_FAILED, "job %zu lost its minimum", shown->index[i]);
    return STATUS_OK;
}

static enum status check_parts(const struct share_world *world, const struct shown *shown,
                               bool has_less_room, struct error *err)
{
    int64_t used = 0;

    for (size_t i = 0; i < shown->count; i++) {
        TRY(check_part(&shown->jobs[i], &shown->parts[i], err));
        used += millis_of(&shown->jobs[i], shown->parts[i].workers);
    }
    if (used > room_of(world, shown))
        return fail(err, STATUS_FAILED, "%lld millis are given, there are %lld", (long long)used,
                    (long long)room_of(world, shown));
    return check_minimums(shown, has_less_room, err);
}

/* ----- the best use that there could be, by a bound ----- */

static void shift_or(uint64_t *into, const uint64_t *from, size_t units)
{
    const size_t words = units / 64, bits = units % 64;

    for (size_t i = words; i < ROOM_WORDS; i++) {
        into[i] |= from[i - words] << bits;
        if (bits > 0 && i > words)
            into[i] |= from[i - words - 1] >> (64 - bits);
    }
}

/* The most of a node that whole pods of these jobs can take. */
static int64_t fill_of(const struct shown *shown, int64_t millis)
{
    bool sums[ROOM_WORDS] = {true}; /* by units */
    int64_t units = millis / UNIT_MILLIS;

    if (units >= ROOM_WORDS)
        return millis;
    for (int64_t at = 1; at <= units; at++)
        for (size_t i = 0; i < shown->count && !sums[at]; i++) {
            const int64_t worker = shown->jobs[i].worker.millis / UNIT_MILLIS;
            const int64_t rest = shown->jobs[i].rest.millis / UNIT_MILLIS;

            sums[at] = (worker <= at && sums[at - worker]) ||
                       (rest > 0 && shown->jobs[i].rest_count > 0 && rest <= at && sums[at - rest]);
        }
    while (!sums[units])
        units--;
    return units * UNIT_MILLIS;
}

/* Running minimums stay where they are: of each node that is their part, and what else it can have.
 */
static int64_t room_for_whole_pods(const struct share_world *world, const struct shown *shown)
{
    int64_t left[SHARE_WORLD_NODES], room = 0;

    for (size_t i = 0; i < world->node_count; i++)
        left[i] = shown->nodes[i].millis;
    for (size_t i = 0; i < shown->count; i++) {
        const struct share_job *job = &shown->jobs[i];

        for (uint32_t pod = 0; job->is_running && pod < job->rest_count + job->least; pod++)
            left[job->nodes[pod]] -= pod < job->rest_count ? job->rest.millis : job->worker.millis;
    }
    for (size_t i = 0; i < world->node_count; i++)
        room += left[i] < 0 ? shown->nodes[i].millis
                            : shown->nodes[i].millis - left[i] + fill_of(shown, left[i]);
    return room;
}

/* The most that can be used by whole useful numbers of all jobs, of which those that run keep their
 * minimum, as if each node could be filled as well as it can be by pods of these jobs. */
static int64_t best_use(const struct share_world *world, const struct shown *shown)
{
    uint64_t sums[ROOM_WORDS] = {1};
    int64_t units = room_for_whole_pods(world, shown) / UNIT_MILLIS;

    for (size_t i = 0; i < shown->count; i++) {
        const struct share_job *job = &shown->jobs[i];
        const bool stays = job->is_running && shown->parts[i].workers > 0;
        uint64_t before[ROOM_WORDS];

        for (size_t w = 0; w < ROOM_WORDS; w++) {
            before[w] = sums[w];
            sums[w] = stays ? 0 : sums[w];
        }
        for (uint32_t n = job->least; n != 0; n = share_curve_next(&job->curve, n, job->most))
            if (millis_of(job, n) / UNIT_MILLIS < ROOM_WORDS * 64)
                shift_or(sums, before, (size_t)(millis_of(job, n) / UNIT_MILLIS));
    }
    if (units >= ROOM_WORDS * 64)
        units = ROOM_WORDS * 64 - 1;
    while (units > 0 && !(sums[units / 64] >> (units % 64) & 1))
        units--;
    return units * UNIT_MILLIS;
}

static void look(struct share_world *world, const struct shown *shown)
{
    for (size_t i = 0; i < shown->count; i++)
        world->used += (double)millis_of(&shown->jobs[i], shown->parts[i].workers);
    world->best += (double)best_use(world, shown);
}

/* How even the processors beyond the minimums are, among jobs that could use more than they have.
 */
static double jain_of(const struct shown *shown)
{
    double sum = 0, squares = 0;
    size_t count = 0;

    for (size_t i = 0; i < shown->count; i++) {
        const struct share_job *job = &shown->jobs[i];
        const struct share_part *part = &shown->parts[i];
        const double has = (double)(part->workers * job->worker.millis);

        if (part->workers == 0 || part->workers == part->wanted)
            continue;
        sum += has;
        squares += has * has;
        count++;
    }
    return count < 2 ? -1 : sum * sum / ((double)count * squares);
}

/* ----- decisions ----- */

/* Takes the pods that there are from the nodes' room. */
static void leave_room(const struct share_world *world, struct shown *shown)
{
    for (size_t i = 0; i < shown->count; i++) {
        const struct share_world_job *job = &world->jobs[shown->index[i]];
        const uint32_t pods = job->job.has > 0 ? job->job.rest_count + job->job.has : 0;

        for (uint32_t pod = 0; pod < pods; pod++)
            shown->nodes[job->nodes[pod]].millis -=
                pod < job->job.rest_count ? job->job.rest.millis : job->job.worker.millis;
    }
}

static bool place(const struct share_world *world, struct shown *shown, struct share_world_job *job,
                  uint32_t pod)
{
    const int64_t millis =
        pod < job->job.rest_count ? job->job.rest.millis : job->job.worker.millis;
    size_t best = world->node_count;

    for (size_t i = 0; i < world->node_count; i++)
        if (shown->nodes[i].millis >= millis &&
            (best == world->node_count || shown->nodes[i].millis < shown->nodes[best].millis))
            best = i;
    if (best == world->node_count)
        return false;
    shown->nodes[best].millis -= millis;
    job->nodes[pod] = (uint32_t)best;
    return true;
}

/* Counts the workers that find a place; none, where these are less than its minimum. */
static uint32_t place_up_to(const struct share_world *world, struct shown *shown,
                            struct share_world_job *job, uint32_t workers)
{
    const uint32_t rest = job->job.rest_count;
    uint32_t pods = job->job.has > 0 ? rest + job->job.has : 0;

    while (pods < rest + workers && place(world, shown, job, pods))
        pods++;
    return pods >= rest + job->job.least ? pods - rest : 0;
}

static void change_size(struct share_world_job *job, uint32_t workers)
{
    if (workers != job->working)
        share_measure_stop(&job->measure);
    if (workers != job->working)
        job->half = 0;
    job->working = workers;
}

static void move(struct share_world *world, struct share_world_job *job, uint32_t workers,
                 double now, bool has_changed)
{
    if (workers == job->job.has)
        return;
    if (!has_changed && job->job.has >= job->job.least) {
        world->moves++;
        world->early_moves += now - job->moved < SHARE_REST_S;
    }
    if (workers < job->working)
        change_size(job, workers);
    if (workers > job->job.has)
        job->working_at = now + world->start_s;
    world->given += workers < job->job.has;
    world->passed += workers == 0;
    job->job.has = workers;
    job->moved = now;
}

/* Those that leave do first. */
static void move_all(struct share_world *world, struct shown *shown, double now, bool has_changed)
{
    for (size_t i = 0; i < shown->count; i++) {
        struct share_world_job *job = &world->jobs[shown->index[i]];

        if (shown->parts[i].workers < job->job.has)
            move(world, job, shown->parts[i].workers, now, has_changed);
    }
    leave_room(world, shown);
    for (size_t i = 0; i < shown->count; i++) {
        struct share_world_job *job = &world->jobs[shown->index[i]];
        const uint32_t wanted = shown->parts[i].workers;

        if (wanted <= job->job.has)
            continue;
        shown->parts[i].workers = place_up_to(world, shown, job, wanted);
        world->pending += shown->parts[i].workers < wanted;
        if (shown->parts[i].workers > job->job.has)
            move(world, job, shown->parts[i].workers, now, has_changed);
    }
}

/* Workers of that size for which the nodes have room. */
static uint64_t slots_of(const struct share_world *world, const struct shown *shown,
                         const struct share_job *job)
{
    uint64_t slots = 0;

    for (size_t i = 0; i < world->node_count; i++)
        slots += (uint64_t)(shown->nodes[i].millis / job->worker.millis);
    return slots;
}

/* Fixed sizes: who comes first has all that it wants, or waits, and those behind it wait, too. All
 * workers are equal. */
static void decide_fixed(struct share_world *world, struct shown *shown)
{
    uint64_t slots = shown->count > 0 ? slots_of(world, shown, &shown->jobs[0]) : 0;

    for (size_t i = 0; i < shown->count; i++) {
        const uint32_t most = shown->jobs[i].most;
        const bool begins = most <= slots;

        shown->parts[i] = (struct share_part){.workers = begins ? most : 0};
        slots = begins ? slots - most : 0;
    }
}

static enum status decide(struct share_world *world, double now, bool has_changed,
                          bool has_less_room, struct error *err)
{
    struct shown shown;
    const struct share_cluster cluster = {.nodes = shown.nodes,
                                          .node_count = world->node_count,
                                          .rule = world->rule,
                                          .has_changed = has_changed};

    show_nodes(world, now, &shown);
    show_jobs(world, now, &shown);
    if (world->is_fixed) {
        decide_fixed(world, &shown);
    } else {
        TRY(share_jobs(&cluster, shown.jobs, shown.count, shown.parts, err));
        TRY(check_parts(world, &shown, has_less_room, err));
    }
    world->decisions++;
    world->jain = jain_of(&shown);
    if (world->sample_every > 0 && world->decisions % world->sample_every == 0)
        look(world, &shown);
    move_all(world, &shown, now, has_changed);
    return STATUS_OK;
}

/* ----- time ----- */

/* Measures are a few percent off. */
static double measured_speed(const struct share_world *world, const struct share_world_job *job,
                             double now, double speed)
{
    const size_t index = (size_t)(job - world->jobs);
    const double noise = random_uniform(world->seed, RANDOM_SIMULATION, 100 + index, (uint64_t)now);

    return speed * (1 + MEASURED_ERROR * sqrt(12) * (noise - .5));
}

/* A tenth of a second. True: it is known anew how many of its workers pay. */
static bool note(struct share_world *world, struct share_world_job *job, double now, double speed)
{
    const uint32_t workers = job->half > 0 ? job->half : job->working;
    const struct share_moment moment = {.now_ms = (int64_t)(now * 1000),
                                        .workers = workers,
                                        .rows = (uint64_t)job->rows,
                                        .seconds_left = job->left / speed,
                                        .move_seconds = MOVE_SECONDS};

    switch (share_measure_note(&job->measure, &moment)) {
    case SHARE_HALVE:
        job->half = job->measure.half;
        break;
    case SHARE_RESTORE:
        job->half = 0;
        break;
    case SHARE_FITTED:
        job->decisions++;
        job->job.curve = job->measure.curve;
        job->wanted =
            share_measure_wanted(&job->measure, workers, moment.seconds_left, world->start_s);
        return true;
    default:
        break;
    }
    return false;
}

/* A second. */
static bool measure(struct share_world *world, struct share_world_job *job, double now)
{
    bool is_known = false;

    for (int i = 0; i < NOTES; i++) {
        const double speed = share_curve_speed(&job->is, job->half > 0 ? job->half : job->working);

        job->left -= speed / NOTES;
        job->rows += ROWS * measured_speed(world, job, now, speed) / NOTES;
        is_known = note(world, job, now + (double)i / NOTES, speed) || is_known;
    }
    return is_known;
}

/* A second of work. True: a job has ended, or knows how many workers pay. */
static bool work(struct share_world *world, double now)
{
    bool has_ended = false;

    for (size_t i = 0; i < world->count; i++) {
        struct share_world_job *job = &world->jobs[i];

        if (!is_here(job, now))
            continue;
        if (now >= job->working_at)
            change_size(job, job->job.has);
        if (job->working >= job->job.least && job->begun < 0)
            job->begun = now;
        if (job->working >= job->job.least && world->measures)
            has_ended = measure(world, job, now) || has_ended;
        else if (job->working >= job->job.least)
            job->left -= share_curve_speed(&job->is, job->working);
        if (job->left > 0)
            continue;
        job->ended = now + 1;
        job->job.has = job->working = 0;
        has_ended = true;
    }
    return has_ended;
}

/* Has something changed from outside in this second? */
static bool has_news(const struct share_world *world, double now, bool *has_less_room)
{
    bool has_changed = false;

    *has_less_room = false;
    for (size_t i = 0; i < world->count; i++)
        has_changed =
            has_changed || (world->jobs[i].comes > now - 1 && world->jobs[i].comes <= now);
    for (size_t i = 0; i < world->service_count; i++) {
        const struct share_world_service *service = &world->services[i];

        *has_less_room = *has_less_room || (service->from > now - 1 && service->from <= now);
        has_changed = has_changed || (service->to > now - 1 && service->to <= now);
    }
    return has_changed || *has_less_room;
}

/* The part of the processors that services and pods that have started use. *fits: the part that
 * services and as many whole pods as each node has room for would. */
static double busy_part(const struct share_world *world, double now, double *fits)
{
    struct shown shown;
    double room = 0, used = 0, most = 0;

    show_nodes(world, now, &shown);
    show_jobs(world, now, &shown);
    for (size_t i = 0; i < world->node_count; i++) {
        const int64_t service = world->nodes[i].millis - shown.nodes[i].millis;

        room += (double)world->nodes[i].millis;
        used += (double)service;
        most += (double)(service + fill_of(&shown, shown.nodes[i].millis));
    }
    for (size_t i = 0; i < world->count; i++)
        used += (double)millis_of(&world->jobs[i].job, world->jobs[i].working);
    *fits = most / room;
    return used / room;
}

static bool is_over(const struct share_world *world, double now)
{
    if (world->stop_s > 0)
        return now >= world->stop_s;
    for (size_t i = 0; i < world->count; i++)
        if (world->jobs[i].ended < 0)
            return false;
    return true;
}

static enum status go_on(struct share_world *world, struct error *err)
{
    double jain = 0, sharing_s = 0, decided = -INFINITY, fits;
    bool has_ended = false;

    for (double now = 0; !is_over(world, now); now++) {
        bool has_less_room;
        const bool has_changed = has_news(world, now, &has_less_room) || has_ended;

        if (now > world->until_s)
            return fail(err, STATUS_FAILED, "a job starves: it has not ended after %.0f s", now);
        if (has_changed || now - decided >= world->every_s) {
            TRY(decide(world, now, has_changed, has_less_room, err));
            decided = now;
        }
        if (world->jain >= 0) {
            jain += world->jain;
            sharing_s++;
        }
        has_ended = work(world, now);
        if (world->stop_s > 0) {
            world->busy += busy_part(world, now, &fits) / world->stop_s;
            world->fits += fits / world->stop_s;
        }
    }
    world->jain = sharing_s > 0 ? jain / sharing_s : 1;
    return STATUS_OK;
}

enum status share_world_run(struct share_world *world, struct error *err)
{
    for (size_t i = 0; i < world->count; i++) {
        struct share_world_job *job = &world->jobs[i];

        job->begun = job->ended = -1;
        job->left = job->work;
        job->moved = -INFINITY;
        job->working_at = 0;
        job->working = job->job.has = 0;
        if (world->measures)
            job->job.curve = (struct share_curve){.lanes = job->is.lanes};
        share_measure_open(&job->measure, job->is.lanes, job->job.least, job->job.most,
                           (struct share_window){1000, NOTES});
        job->half = job->wanted = job->decisions = 0;
        job->rows = 0;
    }
    world->jain = -1;
    TRY(go_on(world, err));
    for (size_t i = 0; i < world->count; i++)
        world->waits += world->jobs[i].begun - world->jobs[i].comes > world->start_s + 1;
    return STATUS_OK;
}

double share_world_mean_wait(const struct share_world *world)
{
    double sum = 0;

    for (size_t i = 0; i < world->count; i++)
        sum += world->jobs[i].begun - world->jobs[i].comes;
    return sum / (double)world->count;
}

double share_world_mean_completion(const struct share_world *world)
{
    double sum = 0;

    for (size_t i = 0; i < world->count; i++)
        sum += world->jobs[i].ended - world->jobs[i].comes;
    return sum / (double)world->count;
}
