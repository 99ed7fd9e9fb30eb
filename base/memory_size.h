/*
 * memory_size.h - amounts of memory, as people write them: "512Mi", "4Gi", "2G".
 */
#pragma once

#include "base/text.h"

#define MEMORY_SIZE_BYTES_MAX 32

/* A number without sign and exponent, and what follows it; false: there is no such number. */
bool number_with_suffix(struct slice text, double *number, struct slice *suffix);

/* "512Mi", "1.5Gi", "2G", "1073741824": bytes, as Kubernetes reads them. false: it is none. */
bool memory_size_read(struct slice text, double *bytes);

/* The other way, with the largest unit that leaves a whole number: "512Mi" of 2^29 bytes. */
void memory_size_append(struct text *out, uint64_t bytes);

/* Suggests a size where memory_size_read refuses the text: "512MB" for "512M", "4gib" for "4Gi".
 * false: nothing is like it. */
bool memory_size_suggest(struct slice text, char suggestion[MEMORY_SIZE_BYTES_MAX]);
