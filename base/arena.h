/*
 * arena.h - memory that goes all at once.
 *
 * A statement's tree, plan and spec live in one arena: no per-node free, and
 * nothing to leak when the database jumps out on an error. An allocation that
 * does not fit under the maximum returns NULL.
 *
 * Large allocations of an arena with a folder lie in files there (file_memory.h), so that a model
 * may be larger than the memory of the process that works with it.
 */
#pragma once

#include "base/text.h"

struct arena_block;
struct arena_file;

struct arena {
    struct arena_block *newest;
    struct arena_file *files;
    const char *folder; /* the files' folder; NULL: there are none */
    size_t used;        /* bytes handed out */
    size_t maximum;     /* bytes */
};

#define ARENA_MAXIMUM    ((size_t)256 << 20)
#define ARENA_FILE_BYTES ((size_t)16 << 20) /* an allocation of so many lies in a file */

void arena_init(struct arena *arena, size_t maximum);
/* From now on, in files of the folder, whose name outlives the arena. Where it has no room, in
 * memory. */
void arena_use_folder(struct arena *arena, const char *folder);
void arena_deinit(struct arena *arena); /* the arena can be used again, empty */

/* Zeroed memory, aligned for any type; NULL beyond the maximum. Of 0 bytes it is not NULL. */
void *arena_alloc(struct arena *arena, size_t size);
#define ARENA_NEW(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))
void *arena_alloc_array(struct arena *arena, size_t count, size_t size); /* checks the product */

/* A terminated copy; .data is NULL when memory ran out. */
struct slice arena_copy(struct arena *arena, struct slice bytes);
struct slice arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
