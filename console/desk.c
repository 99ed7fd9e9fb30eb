#include "console/desk.h"

#include <stdlib.h>
#include <time.h>

#include "base/process/thread.h"

#define IDLE_MS 60000 /* nothing to do: a look now and then costs nothing */

struct queue {
    struct desk_task *first, **last;
    size_t count;
};

struct desk {
    struct desk_calls calls;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct queue waiting, answered;
    bool wants_ticks, is_ending;
    int64_t tick_ms; /* the time of the next */
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void queue_push(struct queue *queue, struct desk_task *task)
{
    task->next = NULL;
    *queue->last = task;
    queue->last = &task->next;
    queue->count++;
}

static struct desk_task *queue_pop(struct queue *queue)
{
    struct desk_task *task = queue->first;

    if (!task)
        return NULL;
    queue->first = task->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->count--;
    return task;
}

/* Without the lock. */
static void work(struct desk *desk, struct desk_task *task)
{
    desk->calls.work(desk->calls.context, task);
    pthread_mutex_lock(&desk->lock);
    queue_push(&desk->answered, task);
    pthread_mutex_unlock(&desk->lock);
    desk->calls.notify(desk->calls.context);
}

static bool is_tick_due(const struct desk *desk)
{
    return desk->calls.tick && desk->wants_ticks && now_ms() >= desk->tick_ms;
}

static int wait_ms(const struct desk *desk)
{
    const int64_t left = desk->tick_ms - now_ms();

    return desk->calls.tick && desk->wants_ticks && left < IDLE_MS ? (int)(left > 1 ? left : 1)
                                                                   : IDLE_MS;
}

static void *run(void *argument)
{
    struct desk *desk = argument;

    pthread_mutex_lock(&desk->lock);
    while (!desk->is_ending) {
        struct desk_task *task = queue_pop(&desk->waiting);
        const bool is_due = is_tick_due(desk);
        int64_t next_ms;

        if (!task && !is_due) {
            thread_wait(&desk->changed, &desk->lock, wait_ms(desk));
            continue;
        }
        pthread_mutex_unlock(&desk->lock);
        if (task)
            work(desk, task);
        next_ms = is_due ? now_ms() + desk->calls.tick(desk->calls.context) : 0;
        pthread_mutex_lock(&desk->lock);
        if (is_due)
            desk->tick_ms = next_ms;
    }
    pthread_mutex_unlock(&desk->lock);
    return NULL;
}

struct desk *desk_start(const struct desk_calls *calls)
{
    struct desk *desk = calloc(1, sizeof *desk);

    if (!desk)
        return NULL;
    desk->calls = *calls;
    desk->waiting.last = &desk->waiting.first;
    desk->answered.last = &desk->answered.first;
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->changed, NULL);
    if (thread_start(&desk->thread, run, desk))
        return desk;
    pthread_cond_destroy(&desk->changed);
    pthread_mutex_destroy(&desk->lock);
    free(desk);
    return NULL;
}

void desk_stop(struct desk *desk)
{
    struct desk_task *task;

    if (!desk)
        return;
    pthread_mutex_lock(&desk->lock);
    desk->is_ending = true;
    pthread_cond_signal(&desk->changed);
    pthread_mutex_unlock(&desk->lock);
    pthread_join(desk->thread, NULL);
    while ((task = queue_pop(&desk->waiting)) || (task = queue_pop(&desk->answered)))
        desk_task_free(task);
    pthread_cond_destroy(&desk->changed);
    pthread_mutex_destroy(&desk->lock);
    free(desk);
}

struct desk_task *desk_task_new(const struct console_request *request, void *ticket)
{
    struct desk_task *task = calloc(1, sizeof *task);

    if (!task)
        return NULL;
    task->request = *request;
    task->ticket = ticket;
    text_init(&task->reply, DESK_REPLY_MAX);
    return task;
}

void desk_task_free(struct desk_task *task)
{
    if (task)
        text_deinit(&task->reply);
    free(task);
}

bool desk_put(struct desk *desk, struct desk_task *task)
{
    bool has_room;

    pthread_mutex_lock(&desk->lock);
    has_room = desk->waiting.count < DESK_TASKS_MAX;
    if (has_room) {
        queue_push(&desk->waiting, task);
        pthread_cond_signal(&desk->changed);
    }
    pthread_mutex_unlock(&desk->lock);
    return has_room;
}

struct desk_task *desk_take(struct desk *desk)
{
    struct desk_task *task;

    pthread_mutex_lock(&desk->lock);
    task = queue_pop(&desk->answered);
    pthread_mutex_unlock(&desk->lock);
    return task;
}

void desk_want_ticks(struct desk *desk, bool wanted)
{
    pthread_mutex_lock(&desk->lock);
    desk->wants_ticks = wanted;
    if (wanted)
        desk->tick_ms = 0;
    pthread_cond_signal(&desk->changed);
    pthread_mutex_unlock(&desk->lock);
}
