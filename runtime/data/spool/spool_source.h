/*
 * spool_source.h - where the bytes of a spool's files come from while they are not all there.
 *
 *     files of full size, without bytes --expect--> on their way
 *                                       --need----> there, until done; afterwards as long as there
 *                                                   is room
 *
 * A caller that looks at bytes of such files needs them before, and says when it is done. Without a
 * source all bytes are there. Need, done and expect may come from any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SPOOL_SOURCE_NO_FILE UINT32_MAX

struct spool_extent {
    uint32_t file; /* by the source's number */
    uint64_t offset, size;
};

struct spool_need; /* one that was fulfilled and is not done yet */

struct spool_source {
    void *self;
    /* The number of the file of this name, without folders. */
    uint32_t (*find)(void *self, const char *name);
    /* The bytes are there then, until done(*need) or, where need is NULL, close. On failure none
     * of them can be relied on, and *need is NULL. */
    enum status (*need)(void *self, const struct spool_extent *extents, size_t count,
                        struct spool_need **need, struct error *err);
    void (*done)(void *self, struct spool_need *need); /* NULL: nothing to be done */
    /* They will be needed soon, in the order of the calls. What cannot be brought in advance is
     * reported when it is needed. */
    void (*expect)(void *self, const struct spool_extent *extents, size_t count);
    /* Nobody uses the files any more. */
    void (*close)(void *self);
};
