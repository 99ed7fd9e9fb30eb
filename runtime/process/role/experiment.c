#include "runtime/process/role/experiment.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#ifdef TOTRAIN_FAULTS

static volatile sig_atomic_t is_flushing;

static void on_hurry(int number)
{
    (void)number;
    is_flushing = 1;
}

/* The pace of a worker or of a server. */
struct pace {
    double us, factor;
    int64_t index;
};

struct pace_names {
    const char *us, *factor, *index;
};

static const struct pace_names of_workers = {"us", "factor", "index"};
static const struct pace_names of_servers = {"server_us", "server_factor", "server"};
static const struct pace_names of_others = {.us = "others", .factor = "", .index = ""};
static const struct pace_names of_crowd = {.us = "crowd", .factor = "", .index = ""};

static void read_item(struct pace *pace, const struct pace_names *names, struct slice name,
                      struct slice value)
{
    double number;

    if (!slice_to_real(value, &number) || number < 0)
        return;
    if (slice_is(name, names->us))
        pace->us = number;
    else if (slice_is(name, names->factor))
        pace->factor = number;
    else if (slice_is(name, names->index))
        pace->index = (int64_t)number;
}

static double read_pace(const struct pace_names *names, uint32_t index)
{
    const char *at = getenv("TOTRAIN_PACE");
    struct pace pace = {.factor = 1, .index = -1};

    while (at && *at) {
        size_t size = strcspn(at, ",");
        const char *equals = memchr(at, '=', size);

        if (equals)
            read_item(&pace, names, (struct slice){at, (size_t)(equals - at)},
                      (struct slice){equals + 1, size - (size_t)(equals - at) - 1});
        at += size + (at[size] == ',');
    }
    return pace.us * (pace.index == (int64_t)index ? pace.factor : 1);
}

static int64_t ms_of(const char *variable, int64_t usual)
{
    const char *text = getenv(variable);
    int64_t ms;

    return text && slice_to_integer(slice_of(text), &ms) && ms > 0 ? ms : usual;
}

int64_t experiment_hang_ms(int64_t usual)
{
    return ms_of("TOTRAIN_HANG", usual);
}

int64_t experiment_measure_ms(int64_t usual)
{
    return ms_of("TOTRAIN_MEASURE", getenv("TOTRAIN_PACE") ? 0 : usual);
}

bool experiment_is_unsound(uint32_t index)
{
    const char *text = getenv("TOTRAIN_UNSOUND");
    int64_t unsound;

    return text && slice_to_integer(slice_of(text), &unsound) && unsound == (int64_t)index;
}

static int open_trace(uint32_t index, uint32_t incarnation)
{
    const char *folder = getenv("TOTRAIN_TRACE");
    char path[PATH_MAX];

    if (!folder || !*folder)
        return -1;
    snprintf(path, sizeof path, "%s/worker-%" PRIu32 ".%" PRIu32 ".jsonl", folder, index,
             incarnation);
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void experiment_open(struct experiment *experiment, uint32_t index, uint32_t incarnation)
{
    *experiment = (struct experiment){.us_per_row = read_pace(&of_workers, index),
                                      .per_other = read_pace(&of_others, index),
                                      .trace = open_trace(index, incarnation)};
    if (experiment_is_paced(experiment))
        signal(SIGUSR1, on_hurry);
}

void experiment_close(struct experiment *experiment)
{
    if (experiment->trace >= 0)
        close(experiment->trace);
    experiment->trace = -1;
}

static bool is_computing(const struct worker *worker)
{
    return worker->state == WORKER_COMPUTING;
}

bool experiment_is_paced(const struct experiment *experiment)
{
    return experiment->us_per_row > 0;
}

bool experiment_is_hurried(void)
{
    return is_flushing;
}

/* A wait is counted from the phase's first lane, whatever the computing takes. */
void experiment_before(struct experiment *experiment, const struct worker *worker, int64_t now_us)
{
    if (!is_computing(worker) || worker->next_lane > 0)
        return;
    experiment->began_us = now_us;
    experiment->epoch = worker->group.epoch;
    experiment->phase = worker->learner->phase.number;
}

int64_t experiment_wait_until(const struct experiment *experiment, const struct worker *worker,
                              int64_t now_us)
{
    double rows = worker->next_lane * (double)worker->learner->phase.rows;
    int64_t until;

    if (!experiment_is_paced(experiment) || is_flushing || !is_computing(worker) ||
        worker->next_lane == 0 || experiment->epoch != worker->group.epoch ||
        experiment->phase != worker->learner->phase.number)
        return 0;
    rows /= worker->learner->lanes;
    rows *= 1 + experiment->per_other * worker->group.count * (worker->group.count - 1);
    until = experiment->began_us + (int64_t)(rows * experiment->us_per_row);
    return until > now_us ? until : 0;
}

/* Without a learner its data could not be opened: then there is nothing to trace. */
static bool is_traced(const struct experiment *experiment, const struct worker *worker)
{
    return experiment->trace >= 0 && worker->learner;
}

static void trace(struct experiment *experiment, const struct worker *worker, int64_t now_us,
                  const char *more)
{
    const struct group *group = &worker->group;
    const struct phase *phase = &worker->learner->phase;
    char line[200];
    int size;

    size =
        snprintf(line, sizeof line,
                 "{\"at\": %" PRId64 ", \"index\": %" PRIu32 ", \"phase\": %" PRIu64
                 ", \"step\": %" PRIu64 ", \"workers\": %" PRIu32 ", \"lanes\": %" PRIu32 "%s}\n",
                 now_us, worker->options.index, phase->number, phase->step, group->count,
                 group->count > 0 ? group->members[group->rank].lane_count : 0, more);
    if (write(experiment->trace, line, (size_t)size) < 0)
        experiment_close(experiment);
}

void experiment_after(struct experiment *experiment, const struct worker *worker, int64_t now_us)
{
    if (!is_traced(experiment, worker) || worker->learner->phase.number == experiment->traced_phase)
        return;
    experiment->traced_phase = worker->learner->phase.number;
    trace(experiment, worker, now_us, "");
}

void experiment_asked(struct experiment *experiment, const struct worker *worker, int64_t now_us)
{
    if (is_traced(experiment, worker))
        trace(experiment, worker, now_us, ", \"event\": \"asked\"");
}

/* ----- of parameter servers ----- */

/* All batches are about as large. */
static double batch_rows(const struct push_worker *worker)
{
    const struct shard_plan *plan = &worker->learning.plan;

    return (double)plan->rows / plan->shards_per_epoch / plan->batches;
}

int64_t experiment_wait_batch(struct experiment *experiment, const struct push_worker *worker,
                              int64_t now_us)
{
    int64_t until;

    if (!experiment_is_paced(experiment) || is_flushing || worker->state != PUSH_COMPUTING ||
        worker->is_collecting)
        return 0;
    if (experiment->request != worker->request)
        experiment->began_us = now_us;
    experiment->request = worker->request;
    until = experiment->began_us + (int64_t)(batch_rows(worker) * experiment->us_per_row);
    return until > now_us ? until : 0;
}

void experiment_after_batch(struct experiment *experiment, const struct push_worker *worker,
                            int64_t now_us)
{
    char line[120];
    int size;

    if (experiment->trace < 0 || experiment->traced_batches == worker->batches_done)
        return;
    experiment->traced_batches = worker->batches_done;
    size = snprintf(line, sizeof line,
                    "{\"at\": %" PRId64 ", \"index\": %" PRIu32 ", \"batches\": %" PRIu64 "}\n",
                    now_us, worker->options.index, worker->batches_done);
    if (write(experiment->trace, line, (size_t)size) < 0)
        experiment_close(experiment);
}

double experiment_server_us(uint32_t index)
{
    const double us = read_pace(&of_servers, index);

    if (us > 0)
        signal(SIGUSR1, on_hurry);
    return us;
}

void experiment_crowd(struct server_layout *first)
{
    if (read_pace(&of_crowd, 0) == 0)
        return;
    server_layout_make_map(first);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        first->servers[b] = (uint16_t)(b < first->serving ? b : 0);
}

void experiment_serve(double us_per_row, uint64_t rows)
{
    const int64_t us = (int64_t)(us_per_row * (double)rows);
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};

    if (us > 0 && !is_flushing)
        (void)ppoll(NULL, 0, &time, NULL); /* a slow server answers nobody meanwhile */
}

#else

void experiment_open(struct experiment *experiment, uint32_t index, uint32_t incarnation)
{
    (void)index;
    (void)incarnation;
    *experiment = (struct experiment){.trace = -1};
}

void experiment_close(struct experiment *experiment)
{
    (void)experiment;
}

void experiment_before(struct experiment *experiment, const struct worker *worker, int64_t now_us)
{
    (void)experiment;
    (void)worker;
    (void)now_us;
}

void experiment_after(struct experiment *experiment, const struct worker *worker, int64_t now_us)
{
    (void)experiment;
    (void)worker;
    (void)now_us;
}

void experiment_asked(struct experiment *experiment, const struct worker *worker, int64_t now_us)
{
    (void)experiment;
    (void)worker;
    (void)now_us;
}

bool experiment_is_paced(const struct experiment *experiment)
{
    (void)experiment;
    return false;
}

bool experiment_is_hurried(void)
{
    return false;
}

int64_t experiment_wait_until(const struct experiment *experiment, const struct worker *worker,
                              int64_t now_us)
{
    (void)experiment;
    (void)worker;
    (void)now_us;
    return 0;
}

int64_t experiment_hang_ms(int64_t usual)
{
    return usual;
}

int64_t experiment_measure_ms(int64_t usual)
{
    return usual;
}

bool experiment_is_unsound(uint32_t index)
{
    (void)index;
    return false;
}

int64_t experiment_wait_batch(struct experiment *experiment, const struct push_worker *worker,
                              int64_t now_us)
{
    (void)experiment;
    (void)worker;
    (void)now_us;
    return 0;
}

void experiment_after_batch(struct experiment *experiment, const struct push_worker *worker,
                            int64_t now_us)
{
    (void)experiment;
    (void)worker;
    (void)now_us;
}

double experiment_server_us(uint32_t index)
{
    (void)index;
    return 0;
}

void experiment_crowd(struct server_layout *first)
{
    (void)first;
}

void experiment_serve(double us_per_row, uint64_t rows)
{
    (void)us_per_row;
    (void)rows;
}

#endif
