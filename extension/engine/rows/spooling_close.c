#include "extension/engine/rows/spooling_close.h"

#include <stdatomic.h>

#include "base/process/thread.h"

#define INTERRUPT_POLL_MS 50
#define ROWS_MIN          65536 /* fewer are settled in some milliseconds */

struct closing {
    struct spool_writer *writer;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_done;
    atomic_bool stop;
    enum status status;
    struct error error;
};

static bool is_stopped(void *context)
{
    const struct closing *closing = context;

    return atomic_load(&closing->stop);
}

static void *close_writer(void *argument)
{
    struct closing *closing = argument;

    closing->status = spool_writer_close(closing->writer, &closing->error);
    pthread_mutex_lock(&closing->lock);
    closing->is_done = true;
    pthread_cond_signal(&closing->ended);
    pthread_mutex_unlock(&closing->lock);
    return NULL;
}

static void wait_for_end(const struct host *host, struct closing *closing)
{
    pthread_mutex_lock(&closing->lock);
    do {
        pthread_mutex_unlock(&closing->lock);
        if (!is_stopped(closing) && host->session.interrupted(host->self))
            atomic_store(&closing->stop, true);
        pthread_mutex_lock(&closing->lock);
        if (!closing->is_done)
            thread_wait(&closing->ended, &closing->lock, INTERRUPT_POLL_MS);
    } while (!closing->is_done);
    pthread_mutex_unlock(&closing->lock);
}

enum status spooling_close(const struct host *host, struct spool_writer *writer, struct error *err)
{
    struct closing closing = {.writer = writer};
    pthread_t thread;

    if (spool_writer_rows(writer) < ROWS_MIN)
        return spool_writer_close(writer, err);
    error_clear(&closing.error);
    spool_writer_watch(writer, is_stopped, &closing);
    pthread_mutex_init(&closing.lock, NULL);
    pthread_cond_init(&closing.ended, NULL);
    if (thread_start(&thread, close_writer, &closing)) {
        wait_for_end(host, &closing);
        pthread_join(thread, NULL);
    } else {
        close_writer(&closing);
    }
    pthread_cond_destroy(&closing.ended);
    pthread_mutex_destroy(&closing.lock);
    if (is_stopped(&closing))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (closing.status != STATUS_OK && err)
        *err = closing.error;
    return closing.status;
}
