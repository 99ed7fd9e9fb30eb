#include "runtime/role/unable.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"

static void forget(struct unable_worker *worker)
{
    *worker = (struct unable_worker){
        .is_here = worker->is_here, .joined = worker->joined, .opening_at = INT64_MIN};
}

enum status unable_init(struct unable *unable, uint32_t workers, int64_t dead_ms, struct error *err)
{
    *unable = (struct unable){.count = workers, .dead_ms = dead_ms};
    error_clear(&unable->last);
    unable->workers = calloc(workers, sizeof *unable->workers);
    if (!unable->workers)
        return fail_no_memory(err);
    for (uint32_t index = 0; index < workers; index++)
        forget(&unable->workers[index]);
    return STATUS_OK;
}

void unable_deinit(struct unable *unable)
{
    free(unable->workers);
    unable->workers = NULL;
    unable->count = 0;
}

bool unable_is_stale(const struct unable *unable, const struct message_unable *message,
                     bool was_at_work)
{
    const struct unable_worker *worker;

    if (was_at_work || message->index >= unable->count)
        return false;
    worker = &unable->workers[message->index];
    return message->incarnation < worker->joined ||
           (worker->was_at_work && worker->incarnation == message->incarnation);
}

bool unable_note(struct unable *unable, const struct message_unable *message, bool was_at_work)
{
    struct unable_worker *worker;

    if (message->index >= unable->count)
        return false;
    worker = &unable->workers[message->index];
    error_restore(&unable->last, message->status, message->message, message->hint);
    unable->is_of_rows =
        unable->last.status == STATUS_INVALID || unable->last.status == STATUS_UNSUPPORTED;
    if (worker->was_at_work != was_at_work)
        worker->tries = 0;
    worker->was_at_work = was_at_work;
    unable->any_at_work = unable->any_at_work || was_at_work;
    worker->tries++;
    worker->incarnation = message->incarnation;
    worker->words = bytes_hash(unable->last.message, strlen(unable->last.message), message->status);
    return true;
}

void unable_note_alive(struct unable *unable, int64_t now_ms, uint32_t index, uint32_t incarnation)
{
    if (index >= unable->count)
        return;
    unable->workers[index].opening = incarnation;
    unable->workers[index].opening_at = now_ms;
}

void unable_note_joined(struct unable *unable, uint32_t index, uint32_t incarnation)
{
    if (index >= unable->count)
        return;
    unable->workers[index].is_here = true;
    unable->workers[index].joined = incarnation;
    if (!unable->workers[index].was_at_work)
        forget(&unable->workers[index]);
}

void unable_note_left(struct unable *unable, uint32_t index)
{
    unable->workers[index].is_here = false;
}

void unable_note_phase_done(struct unable *unable)
{
    for (uint32_t index = 0; index < unable->count && unable->any_at_work; index++)
        if (unable->workers[index].was_at_work)
            forget(&unable->workers[index]);
    unable->any_at_work = false;
}

bool unable_all_fail_at_work(const struct unable *unable)
{
    bool any_here = false;

    for (uint32_t index = 0; index < unable->count; index++) {
        const struct unable_worker *worker = &unable->workers[index];

        if (!worker->is_here)
            continue;
        any_here = true;
        if (!worker->was_at_work || worker->tries < UNABLE_TRIES_MAX)
            return false;
    }
    return any_here;
}

static bool is_opening(const struct unable *unable, const struct unable_worker *worker,
                       int64_t now_ms)
{
    if (worker->opening_at == INT64_MIN || now_ms - worker->opening_at >= unable->dead_ms)
        return false;
    return worker->tries == 0 || worker->opening > worker->incarnation;
}

bool unable_is_for_good(const struct unable *unable, int64_t now_ms, uint32_t wanted)
{
    uint32_t said = 0, most = 0;
    uint64_t words = 0;
    bool is_same = true;

    for (uint32_t index = 0; index < unable->count; index++) {
        const struct unable_worker *worker = &unable->workers[index];

        if (worker->is_here || is_opening(unable, worker, now_ms))
            return false;
        if (worker->tries == 0)
            continue;
        is_same = is_same && (said == 0 || worker->words == words);
        words = worker->words;
        said++;
        most = worker->tries > most ? worker->tries : most;
    }
    if (said == 0)
        return false;
    if (unable->dead_ms == 0 || most >= UNABLE_TRIES_MAX)
        return true;
    return unable->is_of_rows && is_same && (said >= wanted || most >= 2);
}
