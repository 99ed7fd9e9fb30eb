#include "runtime/data/staged/sparse_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "base/process/progress.h"
#include "base/process/thread.h"
#include "runtime/data/staged/interval_set.h"

#define WAIT_MS         1000 /* between two signs that a wait goes on */
#define REST_MS         2000
#define EXTENTS_MAX     1024                 /* extents of one call of read */
#define GIVE_BACK_BYTES ((uint64_t)16 << 20) /* at a time, where there are so many */

struct kept_file {
    struct sparse_file is;
    int descriptor;
    struct interval_set there, wanted; /* wanted: there, or on their way */
    struct interval_set ahead;         /* expected and not needed yet */
    struct interval_set always;        /* needed for as long as the files are open */
};

/* Extents in order, none beside another one. */
struct extent_list {
    struct spool_extent *extents;
    size_t count, capacity;
};

struct spool_need {
    struct spool_need *next;
    struct extent_list list;
    size_t pending; /* requests of its own */
    struct error err;
};

/* Extents that one call of read brings. */
struct request {
    struct request *next;
    struct spool_need *need; /* NULL: expected */
    size_t count;
    struct spool_extent extents[];
};

struct request_queue {
    struct request *first, **end;
};

struct reader {
    struct sparse_files *files;
    uint32_t number;
    pthread_t thread;
    const struct request *request; /* NULL: it has none */
};

struct sparse_files {
    struct spool_source source;
    struct sparse_origin origin;
    pthread_mutex_t lock; /* over all below */
    pthread_cond_t asked, changed;
    struct kept_file *files;
    size_t count;
    struct spool_need *needs;           /* needs that are not done */
    struct request_queue urgent, later; /* later: expected */
    uint32_t queued;                    /* requests, in both */
    struct reader readers[SPARSE_READERS_MAX];
    uint32_t reader_count, idle, without_room; /* readers */
    bool is_closing;
    struct error broken; /* there was no memory to note what is there */
    uint64_t took;       /* bytes, repeated ones included */
    size_t hand_file;    /* where bytes are given back next */
    uint64_t hand_offset;
    uint64_t freed; /* how often there came to be room */
};

/* ---- lists of extents ---- */

static int compare_extents(const void *a, const void *b)
{
    const struct spool_extent *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool list_add(struct extent_list *list, const struct spool_extent *extent)
{
    if (extent->size == 0)
        return true;
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 16;
        struct spool_extent *grown = realloc(list->extents, capacity * sizeof *grown);

        if (!grown)
            return false;
        list->extents = grown;
        list->capacity = capacity;
    }
    list->extents[list->count++] = *extent;
    return true;
}

static void list_deinit(struct extent_list *list)
{
    free(list->extents);
    *list = (struct extent_list){.extents = NULL};
}

/* Sorts it and joins what touches. */
static void list_merge(struct extent_list *list)
{
    size_t kept = 0;

    if (list->count == 0)
        return;
    qsort(list->extents, list->count, sizeof *list->extents, compare_extents);
    for (size_t i = 1; i < list->count; i++) {
        struct spool_extent *last = &list->extents[kept];
        const struct spool_extent *extent = &list->extents[i];
        const uint64_t end = extent->offset + extent->size;

        if (extent->file != last->file || extent->offset > last->offset + last->size)
            list->extents[++kept] = *extent;
        else if (end > last->offset + last->size)
            last->size = end - last->offset;
    }
    list->count = kept + 1;
}

static struct interval run_of(const struct spool_extent *extent)
{
    return (struct interval){extent->offset, extent->offset + extent->size};
}

/* ---- requests ---- */

static void queue_add(struct request_queue *queue, struct request *request)
{
    request->next = NULL;
    *queue->end = request;
    queue->end = &request->next;
}

static struct request *queue_take(struct request_queue *queue)
{
    struct request *request = queue->first;

    if (!request)
        return NULL;
    queue->first = request->next;
    if (!queue->first)
        queue->end = &queue->first;
    return request;
}

/* With the lock, as all that follows: there was no memory. */
static enum status broken(struct sparse_files *files, struct error *err)
{
    fail_no_memory(&files->broken);
    pthread_cond_broadcast(&files->changed);
    return fail_no_memory(err);
}

static void *run_reader(void *argument);

static bool add_reader(struct sparse_files *files)
{
    struct reader *reader = &files->readers[files->reader_count];

    *reader = (struct reader){.files = files, .number = files->reader_count};
    if (!thread_start(&reader->thread, run_reader, reader))
        return false;
    files->reader_count++;
    return true;
}

/* One reader is always there; another one that cannot be started is no failure. */
static void queue_request(struct sparse_files *files, struct request *request)
{
    queue_add(request->need ? &files->urgent : &files->later, request);
    files->queued++;
    if (files->queued > files->idle && files->reader_count < SPARSE_READERS_MAX)
        (void)add_reader(files);
    pthread_cond_signal(&files->asked);
}

/* Takes as many extents from the list as one answer may have, from *at on; those at both ends may
 * be pieces of what the list has. */
static struct request *make_request(const struct extent_list *list, struct spool_extent *rest,
                                    size_t *at)
{
    struct request *request = malloc(sizeof *request + EXTENTS_MAX * sizeof *request->extents);
    uint64_t left = SPARSE_ANSWER_BYTES;

    if (!request)
        return NULL;
    request->count = 0;
    while (*at < list->count && left > 0 && request->count < EXTENTS_MAX) {
        struct spool_extent piece = *rest;

        piece.size = piece.size < left ? piece.size : left;
        request->extents[request->count++] = piece;
        left -= piece.size;
        rest->offset += piece.size;
        rest->size -= piece.size;
        if (rest->size == 0 && ++*at < list->count)
            *rest = list->extents[*at];
    }
    return request;
}

static enum status queue_missing(struct sparse_files *files, struct extent_list *missing,
                                 struct spool_need *need, struct error *err)
{
    struct spool_extent rest = missing->count ? missing->extents[0] : (struct spool_extent){0};
    size_t at = 0;

    while (at < missing->count) {
        struct request *request = make_request(missing, &rest, &at);

        if (!request)
            return broken(files, err);
        request->need = need;
        if (need)
            need->pending++;
        queue_request(files, request);
    }
    return STATUS_OK;
}

/* Asks for bytes that are neither there nor on their way. */
static enum status ask(struct sparse_files *files, const struct extent_list *list,
                       struct spool_need *need, struct error *err)
{
    struct extent_list missing = {.extents = NULL};
    enum status status = STATUS_OK;
    struct interval gap;

    for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
        const uint32_t number = list->extents[i].file;
        struct kept_file *file = &files->files[number];

        while (status == STATUS_OK &&
               interval_set_gap(&file->wanted, run_of(&list->extents[i]), &gap)) {
            const struct spool_extent extent =
                (struct spool_extent){number, gap.first, gap.end - gap.first};

            if (!list_add(&missing, &extent) || !interval_set_add(&file->wanted, gap) ||
                (!need && !interval_set_add(&file->ahead, gap)))
                status = broken(files, err);
        }
    }
    if (status == STATUS_OK)
        status = queue_missing(files, &missing, need, err);
    list_deinit(&missing);
    return status;
}

static bool has_extent(const struct extent_list *list, const struct spool_extent *extent)
{
    size_t low = 0, high = list->count;

    while (low < high) { /* the first that ends behind the extent's beginning */
        const size_t middle = low + (high - low) / 2;
        const struct spool_extent *other = &list->extents[middle];

        if (other->file < extent->file ||
            (other->file == extent->file && other->offset + other->size <= extent->offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->extents[low].file == extent->file &&
           list->extents[low].offset < extent->offset + extent->size;
}

/* Moves requests that were expected and are needed now to the urgent ones. */
static void hasten(struct sparse_files *files, const struct extent_list *list)
{
    struct request *next = files->later.first;

    files->later = (struct request_queue){.first = NULL};
    files->later.end = &files->later.first;
    while (next) {
        struct request *request = next;
        bool is_needed = false;

        next = request->next;
        for (size_t i = 0; i < request->count && !is_needed; i++)
            is_needed = has_extent(list, &request->extents[i]);
        queue_add(is_needed ? &files->urgent : &files->later, request);
    }
}

/* ---- readers ---- */

/* Its bytes are the volume's again. False: this volume takes none back. */
static bool punch_hole(const struct kept_file *file, struct interval run)
{
    return fallocate(file->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)run.first,
                     (off_t)(run.end - run.first)) == 0;
}

static void forget_run(struct sparse_files *files, struct kept_file *file, struct interval run)
{
    if (!interval_set_remove(&file->there, run) || !interval_set_remove(&file->wanted, run) ||
        !interval_set_remove(&file->ahead, run))
        (void)broken(files, NULL);
}

static void note_read(struct sparse_files *files, const struct request *request,
                      const struct error *err)
{
    for (size_t i = 0; i < request->count; i++) {
        struct kept_file *file = &files->files[request->extents[i].file];
        const struct interval run = run_of(&request->extents[i]);

        if (err->status != STATUS_OK) {
            (void)punch_hole(file, run);
            files->freed++;
            forget_run(files, file, run);
            continue;
        }
        files->took += request->extents[i].size;
        if (!interval_set_add(&file->there, run))
            (void)broken(files, NULL);
    }
    if (request->need) {
        request->need->pending--;
        if (err->status != STATUS_OK)
            request->need->err = *err;
    }
    pthread_cond_broadcast(&files->changed);
}

/* NULL: the files are being closed. */
static struct request *next_request(struct sparse_files *files, uint32_t reader, bool *has_rested)
{
    for (;;) {
        struct request *request;

        if (files->is_closing)
            return NULL;
        request = queue_take(&files->urgent);
        if (!request)
            request = queue_take(&files->later);
        if (request) {
            files->queued--;
            return request;
        }
        files->idle++;
        thread_wait(&files->asked, &files->lock, REST_MS);
        files->idle--;
        if (*has_rested || files->is_closing || files->urgent.first || files->later.first)
            continue;
        *has_rested = true;
        pthread_mutex_unlock(&files->lock);
        files->origin.rest(files->origin.self, reader);
        pthread_mutex_lock(&files->lock);
    }
}

static void *run_reader(void *argument)
{
    struct reader *reader = argument;
    struct sparse_files *files = reader->files;
    bool has_rested = true;
    struct request *request;

    pthread_mutex_lock(&files->lock);
    while ((request = next_request(files, reader->number, &has_rested))) {
        struct error err;

        has_rested = false;
        reader->request = request;
        error_clear(&err);
        pthread_mutex_unlock(&files->lock);
        (void)files->origin.read(files->origin.self, reader->number, request->extents,
                                 request->count, files, &err);
        pthread_mutex_lock(&files->lock);
        reader->request = NULL;
        note_read(files, request, &err);
        free(request);
    }
    pthread_mutex_unlock(&files->lock);
    return NULL;
}

/* ---- room ---- */

static bool add_in_use(const struct sparse_files *files, uint32_t number, bool with_ahead,
                       struct interval_set *in_use)
{
    const struct kept_file *file = &files->files[number];

    for (size_t i = 0; i < file->always.count; i++)
        if (!interval_set_add(in_use, file->always.runs[i]))
            return false;
    for (size_t i = 0; i < file->ahead.count && with_ahead; i++)
        if (!interval_set_add(in_use, file->ahead.runs[i]))
            return false;
    for (const struct spool_need *need = files->needs; need; need = need->next)
        for (size_t i = 0; i < need->list.count; i++)
            if (need->list.extents[i].file == number &&
                !interval_set_add(in_use, run_of(&need->list.extents[i])))
                return false;
    return true;
}

/* Bytes of one file, from `from` on, that are there and not in use, as many as `most`. Returns how
 * many, and where it ended. */
static uint64_t give_some(struct sparse_files *files, struct kept_file *file,
                          const struct interval_set *in_use, uint64_t *from, uint64_t most)
{
    struct interval run, free_run;
    uint64_t given = 0;

    while (given < most &&
           interval_set_run(&file->there, (struct interval){*from, file->is.bytes}, &run)) {
        if (!interval_set_gap(in_use, run, &free_run)) {
            *from = run.end;
            continue;
        }
        if (free_run.end - free_run.first > most - given)
            free_run.end = free_run.first + (most - given);
        if (!punch_hole(file, free_run))
            break;
        files->freed++;
        forget_run(files, file, free_run);
        given += free_run.end - free_run.first;
        *from = free_run.end;
    }
    return given;
}

/* Goes on where it ended the last time, so that everything has its turn. */
static uint64_t give_back(struct sparse_files *files, bool with_ahead, uint64_t most)
{
    uint64_t given = 0;

    for (size_t i = 0; i <= files->count && given < most; i++) {
        struct interval_set in_use = {.runs = NULL};

        if (add_in_use(files, (uint32_t)files->hand_file, with_ahead, &in_use))
            given += give_some(files, &files->files[files->hand_file], &in_use, &files->hand_offset,
                               most - given);
        interval_set_deinit(&in_use);
        if (given < most) {
            files->hand_file = (files->hand_file + 1) % files->count;
            files->hand_offset = 0;
        }
    }
    return given;
}

static uint32_t readers_at_work(const struct sparse_files *files)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < files->reader_count; i++)
        count += files->readers[i].request != NULL;
    return count;
}

static uint64_t freed_so_far(struct sparse_files *files)
{
    uint64_t freed;

    pthread_mutex_lock(&files->lock);
    freed = files->freed;
    pthread_mutex_unlock(&files->lock);
    return freed;
}

/* More than there was at `before`. For what is needed, what is only expected goes, too, and others
 * that read may leave room. */
static bool make_room(struct sparse_files *files, uint32_t reader, uint64_t before)
{
    const bool is_needed = files->readers[reader].request->need != NULL;
    bool has_room;

    pthread_mutex_lock(&files->lock);
    for (;;) {
        has_room = files->freed != before || give_back(files, true, GIVE_BACK_BYTES) > 0 ||
                   (is_needed && give_back(files, false, GIVE_BACK_BYTES) > 0);
        if (has_room || !is_needed || files->is_closing ||
            files->without_room + 1 >= readers_at_work(files))
            break;
        files->without_room++;
        thread_wait(&files->changed, &files->lock, WAIT_MS);
        files->without_room--;
    }
    pthread_mutex_unlock(&files->lock);
    return has_room;
}

enum status sparse_files_put(struct sparse_files *files, uint32_t reader, uint32_t file,
                             uint64_t offset, struct slice bytes, struct error *err)
{
    while (bytes.size > 0) {
        const uint64_t freed = freed_so_far(files);
        const ssize_t size =
            pwrite(files->files[file].descriptor, bytes.data, bytes.size, (off_t)offset);

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && (errno == ENOSPC || errno == EDQUOT)) {
            if (make_room(files, reader, freed))
                continue;
            return fail(err, STATUS_LIMIT, "there is no room for the rows that are needed at once");
        }
        if (size < 0)
            return fail_errno(err, STATUS_IO, "cannot write the job's rows");
        bytes.data += size;
        bytes.size -= (size_t)size;
        offset += (uint64_t)size;
    }
    return STATUS_OK;
}

bool sparse_files_are_closing(const struct sparse_files *files)
{
    return __atomic_load_n(&files->is_closing, __ATOMIC_RELAXED);
}

/* ---- the source ---- */

static uint32_t find_file(void *self, const char *name)
{
    const struct sparse_files *files = self;

    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->files[i].is.name, name) == 0)
            return (uint32_t)i;
    return SPOOL_SOURCE_NO_FILE;
}

static enum status take_extents(const struct sparse_files *files,
                                const struct spool_extent *extents, size_t count,
                                struct extent_list *list, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct spool_extent *extent = &extents[i];

        if (extent->file >= files->count || extent->offset > files->files[extent->file].is.bytes ||
            extent->size > files->files[extent->file].is.bytes - extent->offset)
            return fail(err, STATUS_CORRUPT, "the job's rows have no such bytes");
        if (!list_add(list, extent))
            return fail_no_memory(err);
    }
    list_merge(list);
    return STATUS_OK;
}

static bool is_there(const struct sparse_files *files, const struct extent_list *list)
{
    struct interval gap;

    for (size_t i = 0; i < list->count; i++)
        if (interval_set_gap(&files->files[list->extents[i].file].there, run_of(&list->extents[i]),
                             &gap))
            return false;
    return true;
}

/* They are not ahead of anything any more. */
static bool note_needed(struct sparse_files *files, const struct extent_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!interval_set_remove(&files->files[list->extents[i].file].ahead,
                                 run_of(&list->extents[i])))
            return false;
    return true;
}

static void wait_for_change(struct sparse_files *files)
{
    thread_wait(&files->changed, &files->lock, WAIT_MS);
    progress_note(); /* the origin's patience has an end */
}

/* Until all is there. What somebody else asked for may fail, and is asked for again then. */
static enum status wait_for(struct sparse_files *files, struct spool_need *need, struct error *err)
{
    for (;;) {
        if (need->err.status == STATUS_OK && files->broken.status != STATUS_OK)
            need->err = files->broken;
        if (need->err.status == STATUS_OK)
            (void)ask(files, &need->list, need, &need->err);
        if (need->pending == 0 && (need->err.status != STATUS_OK || is_there(files, &need->list)))
            break;
        wait_for_change(files);
    }
    if (err)
        *err = need->err;
    return need->err.status;
}

static void need_free(struct spool_need *need)
{
    list_deinit(&need->list);
    free(need);
}

/* It is no longer among those that are not done. */
static void unlink_need(struct sparse_files *files, const struct spool_need *need)
{
    struct spool_need **at = &files->needs;

    while (*at != need)
        at = &(*at)->next;
    *at = need->next;
}

static enum status bring(struct sparse_files *files, struct spool_need *need, bool for_ever,
                         struct error *err)
{
    enum status status;

    pthread_mutex_lock(&files->lock);
    need->next = files->needs;
    files->needs = need;
    hasten(files, &need->list);
    status = note_needed(files, &need->list) ? STATUS_OK : broken(files, err);
    if (status == STATUS_OK)
        status = wait_for(files, need, err);
    for (size_t i = 0; for_ever && status == STATUS_OK && i < need->list.count; i++)
        if (!interval_set_add(&files->files[need->list.extents[i].file].always,
                              run_of(&need->list.extents[i])))
            status = broken(files, err);
    if (status != STATUS_OK || for_ever)
        unlink_need(files, need);
    pthread_mutex_unlock(&files->lock);
    return status;
}

static enum status need_extents(void *self, const struct spool_extent *extents, size_t count,
                                struct spool_need **out, struct error *err)
{
    struct spool_need *need = calloc(1, sizeof *need);
    enum status status;

    if (out)
        *out = NULL;
    if (!need)
        return fail_no_memory(err);
    error_clear(&need->err);
    status = take_extents(self, extents, count, &need->list, err);
    if (status == STATUS_OK)
        status = bring(self, need, !out, err);
    if (status != STATUS_OK || !out)
        need_free(need);
    else
        *out = need;
    return status;
}

static void done_with(void *self, struct spool_need *need)
{
    struct sparse_files *files = self;

    if (!need)
        return;
    pthread_mutex_lock(&files->lock);
    unlink_need(files, need);
    pthread_mutex_unlock(&files->lock);
    need_free(need);
}

static void expect(void *self, const struct spool_extent *extents, size_t count)
{
    struct sparse_files *files = self;
    struct extent_list list = {.extents = NULL};
    struct error ignored;

    if (take_extents(files, extents, count, &list, &ignored) == STATUS_OK) {
        pthread_mutex_lock(&files->lock);
        (void)ask(files, &list, NULL, &ignored);
        pthread_mutex_unlock(&files->lock);
    }
    list_deinit(&list);
}

/* ---- open and close ---- */

static void queue_free(struct request_queue *queue)
{
    struct request *request;

    while ((request = queue_take(queue)))
        free(request);
}

static void files_free(struct sparse_files *files)
{
    for (size_t i = 0; files->files && i < files->count; i++) {
        struct kept_file *file = &files->files[i];

        if (file->descriptor >= 0)
            close(file->descriptor);
        interval_set_deinit(&file->there);
        interval_set_deinit(&file->wanted);
        interval_set_deinit(&file->ahead);
        interval_set_deinit(&file->always);
    }
    queue_free(&files->urgent);
    queue_free(&files->later);
    files->origin.close(files->origin.self);
    pthread_mutex_destroy(&files->lock);
    pthread_cond_destroy(&files->asked);
    pthread_cond_destroy(&files->changed);
    free(files->files);
    free(files);
}

static void close_files(void *self)
{
    struct sparse_files *files = self;
    uint64_t bytes = 0;

    pthread_mutex_lock(&files->lock);
    __atomic_store_n(&files->is_closing, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&files->asked);
    pthread_mutex_unlock(&files->lock);
    for (uint32_t i = 0; i < files->reader_count; i++)
        pthread_join(files->readers[i].thread, NULL);
    for (size_t i = 0; i < files->count; i++)
        bytes += files->files[i].is.bytes;
    log_info("took %llu bytes of %llu of the job's rows", (unsigned long long)files->took,
             (unsigned long long)bytes);
    files_free(files);
}

static enum status make_file(const char *folder, struct kept_file *file, struct error *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, file->is.name) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    file->descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file->descriptor < 0 || ftruncate(file->descriptor, (off_t)file->is.bytes) != 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    return STATUS_OK;
}

enum status sparse_files_open(const char *folder, const struct sparse_file *files, size_t count,
                              const struct sparse_origin *origin,
                              const struct spool_source **source, struct error *err)
{
    struct sparse_files *made = calloc(1, sizeof *made);
    enum status status = STATUS_OK;

    *source = NULL;
    if (!made) {
        origin->close(origin->self);
        return fail_no_memory(err);
    }
    made->origin = *origin;
    made->source =
        (struct spool_source){made, find_file, need_extents, done_with, expect, close_files};
    error_clear(&made->broken);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->asked, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->urgent.end = &made->urgent.first;
    made->later.end = &made->later.first;
    made->files = calloc(count + 1, sizeof *made->files);
    if (!made->files)
        status = fail_no_memory(err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        made->files[i] = (struct kept_file){.is = files[i], .descriptor = -1};
        made->count = i + 1;
        status = make_file(folder, &made->files[i], err);
    }
    pthread_mutex_lock(&made->lock);
    if (status == STATUS_OK && !add_reader(made))
        status = fail(err, STATUS_LIMIT, "cannot start a thread");
    pthread_mutex_unlock(&made->lock);
    if (status == STATUS_OK)
        *source = &made->source;
    else
        files_free(made);
    return status;
}
