/*
 * matrix.h - room for numbers that vectors are loaded from.
 */
#pragma once

#include <stddef.h>

/* rows x columns zeros of `size` bytes, from the start of a cache line; free() gives them back.
 * NULL: no memory. */
void *matrix_new(size_t rows, size_t columns, size_t size);
