/*
 * arena.h - memory that goes all at once.
 *
 * A statement's tree, plan and spec live in one arena: no per-node free, and
 * nothing to leak when the database jumps out on an error. An allocation that
 * does not fit under the maximum returns NULL.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/text.h"

struct arena_block;

struct arena {
    struct arena_block *newest;
    size_t used;    /* bytes handed out */
    size_t maximum; /* bytes */
};

#define ARENA_MAXIMUM ((size_t)256 << 20)

void arena_init(struct arena *arena, size_t maximum);
void arena_deinit(struct arena *arena); /* the arena can be used again, empty */

/* Zeroed memory, aligned for any type; NULL beyond the maximum. */
void *arena_alloc(struct arena *arena, size_t size);
#define ARENA_NEW(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))
void *arena_alloc_array(struct arena *arena, size_t count, size_t size); /* checks the product */

/* A terminated copy; .data is NULL when memory ran out. */
struct slice arena_copy(struct arena *arena, struct slice bytes);
struct slice arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
