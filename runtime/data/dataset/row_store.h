/*
 * row_store.h - which rows of a data set are in memory.
 *
 *              hold                    last release
 *     away ------------> held, hashed --------------> away, or kept as long as there is room
 *                             ^                            |
 *                             '------------ hold ----------'
 *
 * A part numbers all of its rows and has room for each; what lies there is a row's only while
 * somebody holds it, or as long as it is kept. Where rows come from is the matter of a source.
 * Without one all rows are in memory from the beginning and stay there, whoever holds them.
 *
 * Rows in memory are hashed, by chunks of 1 MiB, when they are held for the first time since they
 * came. The hashes are compared again in turns, and before rows go, so that a bit of them that
 * changes by itself is found. A spool that is mapped is not hashed: its file is the system's to
 * keep.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

struct row_source {
    void *context;
    /* The rows [first, end) of the part are there then. CORRUPT, IO, NO_MEMORY. */
    enum status (*load)(void *context, const struct dataset *dataset,
                        const struct dataset_part *part, uint64_t first, uint64_t end,
                        struct team *team, struct error *err);
    /* Nobody reads them any more. Several threads may drop rows of their own. */
    void (*drop)(void *context, const struct dataset *dataset, const struct dataset_part *part,
                 uint64_t first, uint64_t end);
    /* The rows will be loaded soon. NULL: they are near. */
    void (*expect)(void *context, const struct dataset *dataset, const struct dataset_part *part,
                   uint64_t first, uint64_t end);
    bool has_sample; /* the sample's rows come from it, too; else they are there and stay */
};

/* The rows [first, end) of a part. */
struct row_span {
    uint64_t first, end;
};

struct row_run;

struct row_store {
    struct row_source source; /* load NULL: none */
    struct row_run *runs;     /* (run_count) in memory, by their numbers */
    size_t run_count, room;
    uint64_t made;              /* runs so far: the number of the next one */
    uint64_t bytes, bytes_kept; /* in memory; of rows that nobody holds, too, as many may be */
    bool was_bad;               /* rows had changed by themselves before they went */
};

/* Makes dataset->store, with a copy of the source (NULL: none), and hashes the sample. NO_MEMORY:
 * there is no store. */
enum status row_store_open(struct dataset *dataset, const struct row_source *source,
                           struct team *team, struct error *err);
void row_store_close(struct dataset *dataset); /* also where there is none */
/* Rows that nobody holds stay in memory while all there take no more than so many bytes. Before it
 * is told: none stay. */
void row_store_keep(const struct dataset *dataset, uint64_t bytes);

/*
 * The rows [first, end) of a part, whole ranges as dataset_share_out cuts them, can be read until
 * row_store_release of the same rows, as often as they are held. It may take milliseconds. After a
 * failure (CORRUPT, IO, NO_MEMORY) they are not held.
 */
enum status row_store_hold(const struct dataset *dataset, const struct dataset_part *part,
                           uint64_t first, uint64_t end, struct team *team, struct error *err);
void row_store_release(const struct dataset *dataset, const struct dataset_part *part,
                       uint64_t first, uint64_t end);
/* Rows that will be held soon are brought nearer meanwhile, where they come from far away. In the
 * order of the calls. */
void row_store_expect(const struct dataset *dataset, const struct dataset_part *part,
                      uint64_t first, uint64_t end);
/* Whether there is any use in that. */
bool row_store_expects(const struct dataset *dataset);
/* So many spans of rows at once, which the team compares and drops side by side. */
void row_store_release_all(const struct dataset *dataset, const struct dataset_part *part,
                           const struct row_span *spans, uint32_t count, struct team *team);

/* At most so many chunks of what is in memory from a position on, which is 0 again after the last
 * one. CORRUPT. */
enum status row_store_verify(const struct dataset *dataset, uint64_t *position, uint64_t most,
                             struct error *err);

/* The bytes of so many encoded rows. */
uint64_t row_store_bytes(const struct dataset *dataset, uint64_t rows);
