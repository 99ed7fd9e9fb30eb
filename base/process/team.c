#include "base/process/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/process/progress.h"
#include "base/process/thread.h"

#define SPINS       4000  /* looks for work before a member sleeps: some 50 microseconds */
#define SPINS_FEW   200   /* the looks where other processes want the processor */
#define FEW_WAITS   32    /* waits with few looks after a sign that they do */
#define WAKING_PAYS 2.5e5 /* nanoseconds of work: several times what waking a sleeper takes */

/* A ticket is the number of a call, in the upper half, and its next task in the
 * lower: the thread that raises it from n to n + 1 has taken task n of that call.
 * While a call is prepared the ticket has an odd number and no tasks, so that no
 * thread can take a task of the old call by the count of the new. */
typedef uint64_t ticket;

struct call {
    _Atomic(team_task *) task;
    void *_Atomic context;
    _Atomic uint32_t count;
};

struct member {
    struct team *team;
    uint32_t number;
    pthread_t thread;
};

/* A thread's own. */
struct patience {
    long taken;        /* times that the processor was taken from the thread for another */
    uint32_t few_left; /* waits */
};

/* Where sleepers wait for something to become true. */
struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rung;
    _Atomic uint32_t sleepers;
};

struct team {
    uint32_t size;
    struct call call;
    _Atomic ticket ticket;
    _Atomic uint32_t done; /* tasks of the call that are done */
    atomic_bool stop;
    struct bell called, ended; /* members wait for the one, the caller for the other */
    struct patience caller;
    struct member members[]; /* (size - 1) */
};

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static uint32_t call_of(ticket value)
{
    return (uint32_t)(value >> 32);
}

static void bell_init(struct bell *bell)
{
    pthread_mutex_init(&bell->lock, NULL);
    pthread_cond_init(&bell->rung, NULL);
}

static void bell_deinit(struct bell *bell)
{
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->lock);
}

/* After the change that sleepers wait for. */
static void ring(struct bell *bell)
{
    if (atomic_load(&bell->sleepers) == 0)
        return;
    pthread_mutex_lock(&bell->lock);
    pthread_cond_broadcast(&bell->rung);
    pthread_mutex_unlock(&bell->lock);
}

typedef bool team_condition(const struct team *team, uint32_t call);

static void learn_patience(struct patience *patience)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return;
    if (usage.ru_nivcsw != patience->taken)
        patience->few_left = FEW_WAITS;
    patience->taken = usage.ru_nivcsw;
}

static void wait_until(struct team *team, struct bell *bell, team_condition *is_met, uint32_t call,
                       struct patience *patience)
{
    const int spins = patience->few_left > 0 ? SPINS_FEW : SPINS;

    for (int i = 0; i < spins; i++) {
        if (is_met(team, call))
            return;
        relax();
    }
    patience->few_left -= patience->few_left > 0;
    learn_patience(patience);
    pthread_mutex_lock(&bell->lock);
    atomic_fetch_add(&bell->sleepers, 1);
    while (!is_met(team, call))
        pthread_cond_wait(&bell->rung, &bell->lock);
    atomic_fetch_sub(&bell->sleepers, 1);
    pthread_mutex_unlock(&bell->lock);
}

/* Takes tasks until none is left. A ticket that could be raised proves that
 * task, context and count were those of its call. */
static void work(struct team *team, uint32_t number)
{
    ticket at = atomic_load(&team->ticket);

    for (;;) {
        const uint32_t count = atomic_load(&team->call.count);
        team_task *task = atomic_load(&team->call.task);
        void *context = atomic_load(&team->call.context);

        if ((uint32_t)at >= count)
            return;
        if (!atomic_compare_exchange_weak(&team->ticket, &at, at + 1))
            continue;
        task(context, number, (uint32_t)at);
        progress_note();
        if (atomic_fetch_add(&team->done, 1) + 1 == count)
            ring(&team->ended);
        at = atomic_load(&team->ticket);
    }
}

static bool has_other_call(const struct team *team, uint32_t call)
{
    return call_of(atomic_load(&team->ticket)) != call || atomic_load(&team->stop);
}

static bool is_done(const struct team *team, uint32_t call)
{
    (void)call;
    return atomic_load(&team->done) == atomic_load(&team->call.count);
}

static void *live(void *argument)
{
    struct member *member = argument;
    struct team *team = member->team;
    struct patience patience = {0};
    uint32_t call = 0;

    while (!atomic_load(&team->stop)) {
        wait_until(team, &team->called, has_other_call, call, &patience);
        call = call_of(atomic_load(&team->ticket));
        work(team, member->number);
    }
    return NULL;
}

static void start_members(struct team *team, uint32_t size)
{
    for (team->size = 1; team->size < size; team->size++) {
        struct member *member = &team->members[team->size - 1];

        member->team = team;
        member->number = team->size;
        if (!thread_start(&member->thread, live, member))
            break;
    }
}

struct team *team_new(uint32_t size)
{
    struct team *team;

    if (size > TEAM_SIZE_MAX)
        size = TEAM_SIZE_MAX;
    if (size < 2)
        return NULL;
    team = calloc(1, sizeof *team + (size - 1) * sizeof *team->members);
    if (!team)
        return NULL;
    bell_init(&team->called);
    bell_init(&team->ended);
    start_members(team, size);
    if (team->size > 1)
        return team;
    team_free(team);
    return NULL;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    atomic_store(&team->stop, true);
    ring(&team->called);
    for (uint32_t i = 0; i + 1 < team->size; i++)
        pthread_join(team->members[i].thread, NULL);
    bell_deinit(&team->called);
    bell_deinit(&team->ended);
    free(team);
}

uint32_t team_size(const struct team *team)
{
    return team ? team->size : 1;
}

struct team *team_for(struct team *team, double nanoseconds)
{
    return nanoseconds < WAKING_PAYS ? NULL : team;
}

void team_run(struct team *team, uint32_t count, team_task *task, void *context)
{
    uint32_t call;

    if (!team || count < 2) {
        for (uint32_t i = 0; i < count; i++) {
            task(context, 0, i);
            progress_note();
        }
        return;
    }
    call = call_of(atomic_load(&team->ticket)) + 2;
    atomic_store(&team->ticket, (ticket)(call - 1) << 32 | UINT32_MAX);
    atomic_store(&team->done, 0);
    atomic_store(&team->call.count, count);
    atomic_store(&team->call.task, task);
    atomic_store(&team->call.context, context);
    atomic_store(&team->ticket, (ticket)call << 32);
    ring(&team->called);
    work(team, 0);
    wait_until(team, &team->ended, is_done, call, &team->caller);
}
