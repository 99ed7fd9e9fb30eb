#include "k8s/share/share_board_decide.h"

#include <stdlib.h>
#include <string.h>

#include "k8s/share/share_board_parts.h"

#define AGAIN_MS                                                                                   \
    5000 /* shares are computed so often, whatever happens: rests end, ends come near */

/* ----- what the pods of the jobs hold ----- */

struct share_table {
    struct board_job **of; /* (count) the jobs that share, the oldest first */
    struct share_job *jobs;
    struct share_part *parts;
    struct share_size *nodes;
    uint32_t *places; /* nodes of the jobs' pods */
    struct share_quota quotas[SHARE_BOARD_SPACES];
    size_t count, node_count;
};

static bool takes_part(const struct share_board *board, const struct board_job *job,
                       const bool *is_ours)
{
    return is_ours[job->space] && job->hash != board->left && !job->has_ended &&
           (!job->is_suspended || job->is_told_to_rest);
}

static int compare_age(const void *left, const void *right)
{
    const struct board_job *a = *(struct board_job *const *)left;
    const struct board_job *b = *(struct board_job *const *)right;
    const int order = strcmp(a->created, b->created);

    return order != 0 ? order : strcmp(a->uid, b->uid);
}

static struct board_job *job_of(const struct share_table *table, const struct board_pod *pod)
{
    for (size_t i = 0; pod->owner != 0 && i < table->count; i++)
        if (table->of[i]->hash == pod->owner)
            return table->of[i];
    return NULL;
}

static void add(struct share_size *sum, struct share_size size, int64_t times)
{
    sum->millis += times * size.millis;
    sum->bytes += times * size.bytes;
}

static void count_pods(struct share_board *board, struct share_table *table, int64_t now_ms,
                       int64_t *due_ms)
{
    struct share_held *held = &board->held;

    *held = (struct share_held){.is_pending = false};
    for (size_t i = 0; i < table->count; i++) {
        table->of[i]->workers = table->of[i]->rest = table->of[i]->pods = 0;
        table->of[i]->held = (struct share_size){0, 0};
    }
    for (uint32_t i = 0; i < board->pods.count; i++) {
        const struct board_pod *pod = &BOARD_PODS(board)[i];
        struct board_job *job = job_of(table, pod);

        if (!job || pod->has_ended)
            continue;
        job->pods++;
        add(&job->held, pod->size, 1);
        if (pod->node != 0) {
            add(&held->size, pod->size, 1);
            add(&held->rest, pod->size, pod->is_worker ? 0 : 1);
            job->workers += pod->is_worker && !pod->is_leaving;
            job->rest += !pod->is_worker && !pod->is_leaving;
            continue;
        }
        held->is_pending = held->is_pending || !pod->is_leaving;
        if (pod->unplaced_ms == 0 || job->report.cap > 0)
            continue;
        if (now_ms - pod->unplaced_ms >= SHARE_ROOM_SHORT_MS)
            held->is_short = true;
        else if (pod->unplaced_ms + SHARE_ROOM_SHORT_MS < *due_ms)
            *due_ms = pod->unplaced_ms + SHARE_ROOM_SHORT_MS;
    }
}

/* ----- jobs as share_jobs() sees them ----- */

static void fill_job(struct share_table *table, size_t i, int64_t now_ms)
{
    const struct board_job *job = table->of[i];
    struct share_job *out = &table->jobs[i];
    const double since = (double)(now_ms - job->moved_ms) / 1000;

    *out = job->report;
    out->rest_placed = job->rest < out->rest_count ? job->rest : out->rest_count;
    out->has = job->is_decided ? job->decided : job->workers;
    out->is_running = job->workers >= job->report.least;
    out->seconds_since_move = job->is_decided ? since : SHARE_REST_S;
    out->seconds_waited = out->is_running || out->has > 0 ? 0 : since;
    out->quota = job->space;
}

/* Where its pods are, the master's and servers' first; NULL unless all of them have a place. */
static const uint32_t *find_places(const struct share_board *board, const struct share_table *table,
                                   size_t i, uint32_t *places)
{
    const struct share_job *job = &table->jobs[i];
    uint32_t rest = 0, workers = job->rest_count;

    for (uint32_t p = 0; p < board->pods.count; p++) {
        const struct board_pod *pod = &BOARD_PODS(board)[p];
        uint32_t *at = pod->is_worker ? &workers : &rest;
        uint32_t node = 0;

        if (pod->owner != table->of[i]->hash || pod->has_ended || pod->is_leaving || pod->node == 0)
            continue;
        while (node < board->nodes.count && BOARD_NODES(board)[node].name != pod->node)
            node++;
        if (*at >= (pod->is_worker ? job->rest_count + job->has : job->rest_count))
            return NULL;
        places[(*at)++] = node;
    }
    return rest == job->rest_count && workers == job->rest_count + job->has ? places : NULL;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ----- the cluster ----- */

static void fill_nodes(const struct share_board *board, struct share_table *table)
{
    table->node_count = board->nodes.count;
    for (uint32_t i = 0; i < board->nodes.count; i++)
        table->nodes[i] = BOARD_NODES(board)[i].is_closed ? (struct share_size){0, 0}
                                                          : BOARD_NODES(board)[i].size;
    for (uint32_t p = 0; p < board->pods.count; p++) {
        const struct board_pod *pod = &BOARD_PODS(board)[p];
        uint32_t node = 0;
        bool is_shared;

        if (pod->has_ended || pod->node == 0)
            continue;
        while (node < board->nodes.count && BOARD_NODES(board)[node].name != pod->node)
            node++;
        if (node == board->nodes.count)
            continue;
        is_shared = pod->is_worker && job_of(table, pod);
        if (BOARD_NODES(board)[node].is_closed == is_shared)
            add(&table->nodes[node], pod->size, is_shared ? 1 : -1);
    }
    for (size_t i = 0; i < table->node_count; i++) {
        table->nodes[i].millis = table->nodes[i].millis < 0 ? 0 : table->nodes[i].millis;
        table->nodes[i].bytes = table->nodes[i].bytes < 0 ? 0 : table->nodes[i].bytes;
    }
}

/* Minimums whose pods have no place yet. */
static struct share_size find_waits(const struct share_table *table)
{
    struct share_size waits = {0, 0};

    for (size_t i = 0; i < table->count; i++) {
        const struct board_job *job = table->of[i];
        const struct share_job *report = &table->jobs[i];

        if (job->workers < report->least)
            add(&waits, report->worker, report->least - job->workers);
        if (job->rest < report->rest_count)
            add(&waits, report->rest, report->rest_count - job->rest);
    }
    return waits;
}

static void find_room(struct share_board *board, struct share_table *table, int64_t now_ms,
                      int64_t *due_ms)
{
    int64_t again_ms;

    for (size_t i = 0; i < table->count; i++) {
        const struct share_job *job = &table->jobs[i];
        const uint32_t most = share_curve_largest(&job->curve, job->least, job->most);

        if (job->has < most && job->worker.millis > board->held.worker.millis)
            board->held.worker = job->worker;
        if (table->of[i]->workers < most)
            add(&board->held.lacks, job->worker, most - table->of[i]->workers);
        if (table->of[i]->rest < job->rest_count)
            add(&board->held.lacks, job->rest, job->rest_count - table->of[i]->rest);
    }
    board->held.waits = find_waits(table);
    if (share_room_note(&board->room, now_ms, &board->held))
        board->has_changed = true;
    again_ms = share_room_due(&board->room, &board->held);
    *due_ms = least_of(*due_ms, again_ms > now_ms ? again_ms : now_ms + SHARE_ROOM_TRY_MS);
    table->nodes[0] = share_room_size(&board->room);
    add(&table->nodes[0], board->held.rest, -1);
    table->nodes[0].millis = least_of(table->nodes[0].millis, INT32_MAX);
    table->node_count = 1;
}

static uint32_t least_pods(uint32_t a, uint32_t b)
{
    return a == 0 || b < a ? b : a;
}

static int64_t least_size(int64_t a, int64_t b)
{
    return a == 0 || b < a ? b : a;
}

/* The rest of a quota for our jobs: all but what others use of it. 1: nothing. */
static int64_t left_of(int64_t hard, int64_t used, int64_t ours)
{
    const int64_t others = used > ours ? used - ours : 0;

    return hard > others ? hard - others : 1;
}

static void fill_quotas(const struct share_board *board, struct share_table *table)
{
    struct share_quota ours[SHARE_BOARD_SPACES];

    memset(ours, 0, sizeof ours);
    memset(table->quotas, 0, sizeof table->quotas);
    for (uint32_t i = 0; i < board->pods.count; i++) { /* those of a job that ends go */
        const struct board_pod *pod = &BOARD_PODS(board)[i];

        if (pod->owner != board->left || board->left == 0 || pod->has_ended ||
            pod->space >= SHARE_BOARD_SPACES)
            continue;
        add(&ours[pod->space].size, pod->size, 1);
        ours[pod->space].pods++;
    }
    for (size_t i = 0; i < table->count; i++) {
        add(&ours[table->of[i]->space].size, table->of[i]->held, 1);
        ours[table->of[i]->space].pods += table->of[i]->pods;
    }
    for (uint32_t i = 0; i < board->quotas.count; i++) {
        const struct board_quota *quota = &BOARD_QUOTAS(board)[i];
        const struct share_quota *own = &ours[quota->space];
        struct share_quota *out = &table->quotas[quota->space];

        if (quota->has_cpu)
            out->size.millis =
                least_size(out->size.millis, left_of(quota->hard.size.millis,
                                                     quota->used.size.millis, own->size.millis));
        if (quota->has_memory)
            out->size.bytes =
                least_size(out->size.bytes, left_of(quota->hard.size.bytes, quota->used.size.bytes,
                                                    own->size.bytes));
        if (quota->has_pods)
            out->pods = least_pods(
                out->pods, (uint32_t)left_of(quota->hard.pods, quota->used.pods, own->pods));
    }
}

/* ----- the decision ----- */

/* A job alone: whatever it can use. */
static void decide_alone(const struct share_table *table)
{
    const struct share_job *job = &table->jobs[0];

    table->parts[0].wanted = share_curve_largest(&job->curve, job->least, job->most);
    table->parts[0].workers = job->pinned > 0 ? job->pinned : table->parts[0].wanted;
}

static void note_parts(const struct share_table *table, int64_t now_ms)
{
    for (size_t i = 0; i < table->count; i++) {
        struct board_job *job = table->of[i];

        /* One that waits has waited since it was seen. */
        if (job->is_decided ? job->decided != table->parts[i].workers : table->parts[i].workers > 0)
            job->moved_ms = now_ms;
        job->is_decided = true;
        job->decided = table->parts[i].workers;
    }
}

static bool exceeds(const struct share_quota *sum, const struct share_quota *quota)
{
    return (quota->pods > 0 && sum->pods > quota->pods) ||
           (quota->size.millis > 0 && sum->size.millis > quota->size.millis) ||
           (quota->size.bytes > 0 && sum->size.bytes > quota->size.bytes);
}

/* Jobs with workers go on; of the others the youngest rest until the quota has what was decided.
 * Not all of them: somebody must be there who makes the others go on. */
static void find_rests(struct share_table *table)
{
    struct share_quota sums[SHARE_BOARD_SPACES];
    bool does_any_run = false;

    memset(sums, 0, sizeof sums);
    for (size_t i = 0; i < table->count; i++) {
        struct board_job *job = table->of[i];
        struct share_quota *sum = &sums[job->space];
        const struct share_job *report = &table->jobs[i];

        does_any_run = does_any_run || job->decided > 0;
        if (job->decided > 0) {
            job->must_rest = false;
            add(&sum->size, report->worker, job->decided);
            add(&sum->size, report->rest, report->rest_count);
            sum->pods += job->decided + report->rest_count;
        } else if (!job->must_rest) {
            add(&sum->size, job->held, 1);
            sum->pods += job->pods;
        }
    }
    for (size_t i = table->count; i-- > 0;) {
        struct board_job *job = table->of[i];
        struct share_quota *sum = &sums[job->space];

        if (job->decided > 0 || job->must_rest || job->pods == 0 ||
            !exceeds(sum, &table->quotas[job->space]))
            continue;
        job->must_rest = true;
        add(&sum->size, job->held, -1);
        sum->pods -= job->pods;
    }
    if (!does_any_run)
        table->of[0]->must_rest = false;
}

static enum status decide(struct share_board *board, struct share_table *table, int64_t now_ms,
                          int64_t *due_ms, struct error *err)
{
    struct share_cluster cluster;
    uint32_t *places = table->places;

    count_pods(board, table, now_ms, due_ms);
    for (size_t i = 0; i < table->count; i++)
        fill_job(table, i, now_ms);
    fill_quotas(board, table);
    if (board->sees_nodes)
        fill_nodes(board, table);
    else
        find_room(board, table, now_ms, due_ms);
    for (size_t i = 0; board->sees_nodes && i < table->count; i++) {
        table->jobs[i].nodes = find_places(board, table, i, places);
        places += table->jobs[i].rest_count + table->jobs[i].has;
    }
    cluster = (struct share_cluster){.nodes = table->nodes,
                                     .node_count = table->node_count,
                                     .quotas = table->quotas,
                                     .quota_count = SHARE_BOARD_SPACES,
                                     .rule = board->rule,
                                     .has_changed = board->has_changed};
    if (table->count == 1)
        decide_alone(table);
    else
        TRY(share_jobs(&cluster, table->jobs, table->count, table->parts, err));
    board->has_changed = false;
    note_parts(table, now_ms);
    find_rests(table);
    return STATUS_OK;
}

static enum status open_table(const struct share_board *board, const bool *is_ours,
                              struct share_table *table, struct error *err)
{
    size_t places = 1;

    memset(table, 0, sizeof *table);
    table->of = calloc(board->jobs.count + 1, sizeof *table->of);
    table->jobs = calloc(board->jobs.count + 1, sizeof *table->jobs);
    table->parts = calloc(board->jobs.count + 1, sizeof *table->parts);
    table->nodes = calloc(board->nodes.count + 1, sizeof *table->nodes);
    for (uint32_t i = 0; i < board->jobs.count; i++)
        places += BOARD_JOBS(board)[i].report.rest_count + SHARE_WORKERS_MAX;
    table->places = calloc(places, sizeof *table->places);
    if (!table->of || !table->jobs || !table->parts || !table->nodes || !table->places)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < board->jobs.count; i++)
        if (takes_part(board, &BOARD_JOBS(board)[i], is_ours))
            table->of[table->count++] = &BOARD_JOBS(board)[i];
    qsort(table->of, table->count, sizeof *table->of, compare_age);
    return STATUS_OK;
}

enum status share_board_decide(struct share_board *board, int64_t now_ms, const bool *is_ours,
                               int64_t *due_ms, struct error *err)
{
    struct share_table table;
    enum status status = open_table(board, is_ours, &table, err);

    *due_ms = now_ms + AGAIN_MS;
    if (status == STATUS_OK && table.count > 0)
        status = decide(board, &table, now_ms, due_ms, err);
    free(table.of);
    free(table.jobs);
    free(table.parts);
    free(table.nodes);
    free(table.places);
    return status;
}

/* ----- what was decided ----- */

struct share_decision share_board_decision(struct share_board *board, int64_t now_ms, size_t space)
{
    struct share_decision decision = {.count = 0};
    struct share_decided *decided = calloc(board->jobs.count + 1, sizeof *decided);

    free(board->decided);
    board->decided = decision.jobs = decided;
    for (uint32_t i = 0; decided && i < board->jobs.count; i++) {
        const struct board_job *job = &BOARD_JOBS(board)[i];

        if (job->space != space || !job->is_decided || job->has_ended || job->hash == board->left)
            continue;
        memcpy(decided->uid, job->uid, sizeof decided->uid);
        decided->workers = job->decided;
        decided->seconds = (uint32_t)((now_ms - job->moved_ms) / 1000);
        decided++;
        decision.count++;
    }
    return decision;
}

bool share_board_has_news(const struct share_board *board, size_t space,
                          const struct share_decision *than)
{
    for (uint32_t i = 0; i < board->jobs.count; i++) {
        const struct board_job *job = &BOARD_JOBS(board)[i];
        const struct share_decided *decided;

        if (job->space != space || !job->is_decided || job->has_ended || job->hash == board->left)
            continue;
        decided = share_decision_find(than, job->uid);
        if (!decided || decided->workers != job->decided)
            return true;
    }
    return false;
}

bool share_board_rest(const struct share_board *board, const bool *is_ours, struct share_rest *rest)
{
    for (uint32_t i = 0; i < board->jobs.count; i++) {
        const struct board_job *job = &BOARD_JOBS(board)[i];
        /* A holder that leaves may be the last: nobody is left to rest behind it. */
        const bool must_rest = job->must_rest && board->left == 0;

        if (!takes_part(board, job, is_ours) || !job->is_decided || must_rest == job->is_suspended)
            continue;
        *rest = (struct share_rest){job->space, job->uid, job->name, must_rest};
        return true;
    }
    return false;
}
