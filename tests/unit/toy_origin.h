/*
 * toy_origin.h - files in another folder as the origin of sparse files, which counts what it gives.
 */
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/data/staged/sparse_files.h"

#define TOY_FILES_MAX 16

struct toy_origin {
    struct sparse_file files[TOY_FILES_MAX];
    int descriptors[TOY_FILES_MAX];
    size_t count;
    _Atomic uint64_t bytes, calls, extents; /* bytes, calls and extents read */
    _Atomic int64_t extents_left;           /* before it fails; negative: it does not */
    _Atomic uint32_t rests, closes;
    pthread_mutex_t lock; /* over the waiting for one of these to change */
    pthread_cond_t changed;
};

static inline void toy_tell(struct toy_origin *toy)
{
    pthread_mutex_lock(&toy->lock);
    pthread_cond_broadcast(&toy->changed);
    pthread_mutex_unlock(&toy->lock);
}

/* The test's own deadline is the end of it. */
#define TOY_WAIT_FOR(toy, condition)                                                               \
    do {                                                                                           \
        pthread_mutex_lock(&(toy)->lock);                                                          \
        while (!(condition))                                                                       \
            pthread_cond_wait(&(toy)->changed, &(toy)->lock);                                      \
        pthread_mutex_unlock(&(toy)->lock);                                                        \
    } while (0)

static inline enum status toy_give(struct toy_origin *toy, uint32_t reader,
                                   const struct spool_extent *extents, size_t count,
                                   struct sparse_files *files, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct spool_extent *extent = &extents[i];
        char *bytes = malloc(extent->size);
        enum status status;

        CHECK(bytes && pread(toy->descriptors[extent->file], bytes, extent->size,
                             (off_t)extent->offset) == (ssize_t)extent->size);
        toy->extents++;
        toy->bytes += extent->size;
        status = sparse_files_put(files, reader, extent->file, extent->offset,
                                  (struct slice){bytes, extent->size}, err);
        free(bytes);
        TRY(status);
        if (toy->extents_left == 0) /* in the middle of it */
            return fail(err, STATUS_CONNECTION, "the toy has had enough");
        toy->extents_left -= toy->extents_left > 0;
    }
    return STATUS_OK;
}

static inline enum status toy_read(void *self, uint32_t reader, const struct spool_extent *extents,
                                   size_t count, struct sparse_files *files, struct error *err)
{
    struct toy_origin *toy = self;
    const enum status status = toy_give(toy, reader, extents, count, files, err);

    toy->calls++;
    toy_tell(toy);
    return status;
}

static inline void toy_rest(void *self, uint32_t reader)
{
    struct toy_origin *toy = self;
    (void)reader;

    toy->rests++;
    toy_tell(toy);
}

static inline void toy_close(void *self)
{
    struct toy_origin *toy = self;

    toy->closes++;
    for (size_t i = 0; i < toy->count; i++)
        close(toy->descriptors[i]);
    pthread_mutex_destroy(&toy->lock);
    pthread_cond_destroy(&toy->changed);
}

static inline void toy_add(struct toy_origin *toy, const char *folder, const char *name)
{
    struct stat information;
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    toy->descriptors[toy->count] = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(toy->count < TOY_FILES_MAX && toy->descriptors[toy->count] >= 0 &&
          fstat(toy->descriptors[toy->count], &information) == 0);
    snprintf(toy->files[toy->count].name, SPARSE_NAME_MAX, "%s", name);
    toy->files[toy->count++].bytes = (uint64_t)information.st_size;
}

/* Sparse files in `folder`, of all that were added. */
static inline const struct spool_source *toy_open(struct toy_origin *toy, const char *folder)
{
    const struct sparse_origin origin = {toy, toy_read, toy_rest, toy_close};
    const struct spool_source *source;
    struct error err;

    toy->extents_left = -1;
    pthread_mutex_init(&toy->lock, NULL);
    pthread_cond_init(&toy->changed, NULL);
    CHECK_OK(sparse_files_open(folder, toy->files, toy->count, &origin, &source, &err));
    return source;
}
