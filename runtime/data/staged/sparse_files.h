/*
 * sparse_files.h - copies of files, made as far as they are needed.
 *
 *     origin --read, several threads--> files of full size in a folder --> whoever maps them
 *
 * The files are made without bytes, and get those that somebody needs or expects, each once. They
 * keep them while there is room: where the volume is full, bytes that nobody uses at the time are
 * given back to it, and are brought again when they are needed again.
 *
 * Threads are started when there is something to read, and what the origin keeps open for them is
 * closed when there has been nothing to read for some seconds.
 */
#pragma once

#include "base/text.h"
#include "runtime/data/spool/spool_source.h"

#define SPARSE_READERS_MAX  4
#define SPARSE_ANSWER_BYTES ((uint64_t)2 << 20) /* bytes of one call of read */
#define SPARSE_NAME_MAX     64

struct sparse_files;

struct sparse_file {
    char name[SPARSE_NAME_MAX];   /* in the folder */
    char stored[SPARSE_NAME_MAX]; /* for the origin */
    uint64_t bytes;
};

/* Where the bytes are. */
struct sparse_origin {
    void *self;
    /* Puts all bytes of the extents into the files, in any order. From several threads, each with
     * a number below SPARSE_READERS_MAX of its own. It gives up when sparse_files_are_closing. */
    enum status (*read)(void *self, uint32_t reader, const struct spool_extent *extents,
                        size_t count, struct sparse_files *files, struct error *err);
    void (*rest)(void *self, uint32_t reader); /* it has nothing to read for a while */
    void (*close)(void *self);
};

/* Makes the files anew. It takes the origin, also when it fails; closing the source frees all but
 * the files themselves. IO, NO_MEMORY. */
enum status sparse_files_open(const char *folder, const struct sparse_file *files, size_t count,
                              const struct sparse_origin *origin,
                              const struct spool_source **source, struct error *err);

/* For origins, in a call of read: bytes of a file. LIMIT where there is no room for them. */
enum status sparse_files_put(struct sparse_files *files, uint32_t reader, uint32_t file,
                             uint64_t offset, struct slice bytes, struct error *err);
bool sparse_files_are_closing(const struct sparse_files *files);
