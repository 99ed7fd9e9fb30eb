/*
 * binary_cells.h - values as the server sends them in binary, into cells.
 *
 * The formats are those of the types' send functions (the PostgreSQL manual, "COPY",
 * "Binary Format"; src/backend/utils/adt of the server): big-endian numbers, days and
 * microseconds since 2000, numeric as digits to the base of 10,000.
 */
#pragma once

#include "extension/postgres/sql/kinds.h"
#include "extension/sql/database.h"

/* PROTOCOL when the bytes cannot be a value of that kind. `scratch` holds the texts and
 * arrays that are made here (uuid, VECTOR) until it is cleared; others borrow from `bytes`. */
enum status binary_cell(enum pg_kind kind, struct slice bytes, struct text *scratch,
                        struct cell *cell, struct error *err);

/* Once a row is read: what was made in the scratch moved while more was made. */
void binary_cells_settle(const struct database_column *columns, size_t count,
                         const struct text *scratch, struct cell *cells);

/* The tuples of COPY ... (FORMAT binary), one message of the server after the other. */
struct binary_copy {
    const struct database_column *columns;
    size_t count;
    struct cell *cells; /* (count) the row that was read last, borrowed from the message */
    struct text scratch;
    bool has_begun, has_ended;
};

enum status binary_copy_init(struct binary_copy *copy, const struct database_column *columns,
                             size_t count, struct error *err);
void binary_copy_deinit(struct binary_copy *copy);
/* The next row of *message, which is moved behind it; *has_row is false when the message
 * holds no more. */
enum status binary_copy_next(struct binary_copy *copy, struct slice *message, bool *has_row,
                             struct error *err);

static inline uint32_t binary_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline uint64_t binary_u64(const char *bytes)
{
    return (uint64_t)binary_u32(bytes) << 32 | binary_u32(bytes + 4);
}

static inline void binary_put_u64(uint64_t value, char bytes[8])
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (56 - 8 * i));
}
