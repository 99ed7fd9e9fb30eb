#include "extension/sqlite/host/scan_threads.h"

#include "base/process/thread.h"
#include "extension/sqlite/host/query.h"
#include "runtime/data/spool/spool_writer.h"

#define INTERRUPT_POLL_MS 50

struct scan_threads {
    const struct scan *scan;
    struct scan_reader *readers;
    uint32_t count;
    struct scan_ranges ranges;
    atomic_bool stop;
    pthread_mutex_t lock; /* over running */
    pthread_cond_t ended;
    uint32_t running;
};

uint32_t scan_threads_wanted(const struct scan *scan)
{
    return scan->threads < SCAN_READERS_MAX ? scan->threads : SCAN_READERS_MAX;
}

static void stop(struct scan_threads *threads)
{
    atomic_store(&threads->stop, true);
    scan_ranges_stop(&threads->ranges);
}

static enum status read_stretch(struct scan_reader *reader, const struct stretch *stretch)
{
    uint64_t rows = 0, at = stretch->last;
    enum status status = reader->put(reader, stretch, &rows, &at, &reader->error);

    if (rows < STRETCH_ROWS_MAX)
        at = stretch->last;
    scan_ranges_finish(&reader->threads->ranges, reader->number, stretch, rows, at);
    return status;
}

static void *read_stretches(void *argument)
{
    struct scan_reader *reader = argument;
    struct scan_threads *threads = reader->threads;
    struct stretch stretch;

    while (reader->status == STATUS_OK &&
           scan_ranges_claim(&threads->ranges, reader->number, &stretch))
        reader->status = read_stretch(reader, &stretch);
    if (reader->status == STATUS_OK && !atomic_load(&threads->stop))
        reader->status = spool_writer_flush(reader->writer, &reader->error);
    if (reader->status != STATUS_OK)
        stop(threads);
    pthread_mutex_lock(&threads->lock);
    threads->running--;
    pthread_cond_signal(&threads->ended);
    pthread_mutex_unlock(&threads->lock);
    return NULL;
}

/* Until all readers have ended; the session may be asked to stop meanwhile. */
static bool wait_for_readers(struct sqlite_host *host, struct scan_threads *threads)
{
    bool is_interrupted = false;

    pthread_mutex_lock(&threads->lock);
    while (threads->running > 0) {
        thread_wait(&threads->ended, &threads->lock, INTERRUPT_POLL_MS);
        pthread_mutex_unlock(&threads->lock);
        if (!is_interrupted && host_interrupted(host)) {
            is_interrupted = true;
            stop(threads);
        }
        pthread_mutex_lock(&threads->lock);
    }
    pthread_mutex_unlock(&threads->lock);
    return is_interrupted || host_interrupted(host);
}

static uint32_t start_readers(struct scan_threads *threads)
{
    uint32_t started = 0;

    pthread_mutex_lock(&threads->lock);
    while (started < threads->count && thread_start(&threads->readers[started].thread,
                                                    read_stretches, &threads->readers[started]))
        started++;
    threads->running = started;
    pthread_mutex_unlock(&threads->lock);
    return started;
}

/* Every branch is joined, whatever happened to the others. */
static enum status join_branches(struct scan_threads *threads, struct error *err)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < threads->count; i++) {
        struct scan_reader *reader = &threads->readers[i];
        struct error ignored;

        if (reader->status != STATUS_OK && status == STATUS_OK) {
            status = reader->status;
            *err = reader->error;
        }
        if (reader->writer &&
            spool_writer_join(threads->scan->writer, reader->writer,
                              status == STATUS_OK ? err : &ignored) != STATUS_OK &&
            status == STATUS_OK)
            status = err->status;
    }
    return status;
}

static enum status branch(struct scan_threads *threads, struct error *err)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        struct scan_reader *reader = &threads->readers[i];

        reader->threads = threads;
        reader->number = i;
        reader->stop = &threads->stop;
        TRY(spool_writer_branch(threads->scan->writer, &reader->writer, err));
    }
    return STATUS_OK;
}

static enum status run_readers(struct sqlite_host *host, struct scan_threads *threads,
                               struct error *err)
{
    enum status status = branch(threads, err);
    bool is_interrupted = false;
    uint32_t started = 0;

    if (status == STATUS_OK) {
        started = start_readers(threads);
        is_interrupted = wait_for_readers(host, threads);
    }
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads->readers[i].thread, NULL);
    if (status == STATUS_OK && started == 0)
        status = fail(err, STATUS_NO_MEMORY, "no thread can be started");
    if (status != STATUS_OK) {
        struct error ignored;
        join_branches(threads, &ignored);
        return status;
    }
    status = join_branches(threads, err);
    return is_interrupted ? fail(err, STATUS_INTERRUPTED, "interrupted") : status;
}

enum status scan_threads_run(struct sqlite_host *host, const struct scan *scan,
                             struct scan_reader *readers, uint32_t count, uint64_t last,
                             struct error *err)
{
    struct scan_threads threads = {.scan = scan, .readers = readers, .count = count};
    enum status status;

    scan_ranges_init(&threads.ranges, last, count);
    pthread_mutex_init(&threads.lock, NULL);
    pthread_cond_init(&threads.ended, NULL);
    status = run_readers(host, &threads, err);
    pthread_cond_destroy(&threads.ended);
    pthread_mutex_destroy(&threads.lock);
    scan_ranges_deinit(&threads.ranges);
    return status;
}
