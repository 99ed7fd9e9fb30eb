/*
 * file_memory.h - memory whose pages lie in a file.
 *
 * The file has no name and goes with the process. Where memory is short the kernel writes pages out
 * and reads them again, so what is larger than a process may be, and is used here and there, can
 * still be an array. Room on the disk is taken at once: nobody dies of a full disk later.
 * What is read in its order alone needs no pages: the file itself will do.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* Zeroed; bytes: 1 at least. IO where the folder has no room for the file, or takes none. */
enum status file_memory_new(const char *folder, size_t bytes, void **memory, struct error *err);
/* Such a file, empty: a descriptor; -1 with errno. */
int file_nameless(const char *folder);
void file_memory_free(void *memory, size_t bytes); /* NULL: nothing */
