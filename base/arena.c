#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_memory.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

/* AddressSanitizer knows the bounds of what malloc returned. So that it also sees accesses behind
 * an allocation of an arena, each is followed by poisoned bytes. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define FORBID(bytes, size) ASAN_POISON_MEMORY_REGION(bytes, size)
#define ALLOW(bytes, size)  ASAN_UNPOISON_MEMORY_REGION(bytes, size)
#define GAP                 sizeof(max_align_t)
#else
#define FORBID(bytes, size) ((void)(bytes), (void)(size))
#define ALLOW(bytes, size)  ((void)(bytes), (void)(size))
#define GAP                 ((size_t)0)
#endif

#define BLOCK_BYTES ((size_t)16 << 10)

struct arena_block {
    struct arena_block *older;
    size_t used, capacity;
    max_align_t bytes[];
};

void arena_init(struct arena *arena, size_t maximum)
{
    *arena = (struct arena){.maximum = maximum};
}

struct arena_file {
    struct arena_file *older;
    void *memory;
    size_t size;
};

void arena_use_folder(struct arena *arena, const char *folder)
{
    arena->folder = folder;
}

static void *alloc_in_file(struct arena *arena, size_t size)
{
    struct arena_file *file = malloc(sizeof *file);
    struct error ignored;

    if (!file)
        return NULL;
    error_clear(&ignored);
    if (file_memory_new(arena->folder, size, &file->memory, &ignored) != STATUS_OK) {
        free(file);
        return NULL;
    }
    file->older = arena->files;
    file->size = size;
    arena->files = file;
    arena->used += size;
    return file->memory;
}

static void free_files(struct arena *arena)
{
    while (arena->files) {
        struct arena_file *older = arena->files->older;

        file_memory_free(arena->files->memory, arena->files->size);
        free(arena->files);
        arena->files = older;
    }
}

void arena_deinit(struct arena *arena)
{
    free_files(arena);
    while (arena->newest) {
        struct arena_block *older = arena->newest->older;
        ALLOW(arena->newest->bytes, arena->newest->capacity);
        free(arena->newest);
        arena->newest = older;
    }
    arena->used = 0;
}

static struct arena_block *arena_grow(struct arena *arena, size_t size)
{
    size_t capacity = size > BLOCK_BYTES / 4 ? size : BLOCK_BYTES;
    /* Zeroed by the system: memory that is not written to yet is not taken. */
    struct arena_block *block = calloc(1, sizeof *block + capacity);

    if (!block)
        return NULL;
    block->used = 0;
    block->capacity = capacity;
    FORBID(block->bytes, capacity);
    /* A large allocation gets a block of its own behind the newest, so that
     * the room left in the newest is not lost. */
    if (arena->newest && capacity == size) {
        block->older = arena->newest->older;
        arena->newest->older = block;
    } else {
        block->older = arena->newest;
        arena->newest = block;
    }
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t align = sizeof(max_align_t), wanted = size;
    struct arena_block *block = arena->newest;
    void *result;

    if (size > arena->maximum || size > SIZE_MAX - align - GAP)
        return NULL;
    size = (size + align - 1) / align * align;
    if (size > arena->maximum - arena->used)
        return NULL;
    if (arena->folder && size >= ARENA_FILE_BYTES && (result = alloc_in_file(arena, size)))
        return result;
    if (!block || block->capacity - block->used < size + GAP)
        block = arena_grow(arena, size + GAP);
    if (!block)
        return NULL;
    result = (char *)block->bytes + block->used;
    block->used += size + GAP;
    arena->used += size;
    ALLOW(result, wanted);
    return result; /* no byte of a block is given twice */
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return arena_alloc(arena, count * size);
}

struct slice arena_copy(struct arena *arena, struct slice bytes)
{
    char *copy = arena_alloc(arena, bytes.size + 1);

    if (!copy)
        return (struct slice){NULL, 0};
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    return (struct slice){copy, bytes.size};
}

struct slice arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    int size;
    char *bytes;

    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !(bytes = arena_alloc(arena, (size_t)size + 1)))
        return (struct slice){NULL, 0};
    va_start(arguments, format);
    vsnprintf(bytes, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return (struct slice){bytes, (size_t)size};
}
