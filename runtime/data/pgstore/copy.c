#include "runtime/data/pgstore/copy.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

static void append_number(struct text *out, const void *bytes, size_t size)
{
    text_append(out, (struct slice){bytes, size});
}

static void append_length(struct text *out, int32_t length)
{
    const uint32_t value = htonl((uint32_t)length);

    append_number(out, &value, sizeof value);
}

void copy_begin(struct text *out)
{
    text_clear(out);
    out->failed = false;
    append_number(out, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", COPY_HEADER_BYTES);
}

void copy_row(struct text *out, uint16_t columns)
{
    const uint16_t value = htons(columns);

    append_number(out, &value, sizeof value);
}

void copy_integer(struct text *out, int64_t value)
{
    const uint64_t swapped = htobe64((uint64_t)value);

    append_length(out, sizeof swapped);
    append_number(out, &swapped, sizeof swapped);
}

void copy_bytes(struct text *out, const struct slice *value)
{
    append_length(out, value ? (int32_t)value->size : -1);
    if (value)
        text_append(out, *value);
}

void copy_end(struct text *out)
{
    copy_row(out, UINT16_MAX);
}

struct slice result_bytes(const PGresult *result, int row, int column)
{
    return (struct slice){PQgetvalue(result, row, column),
                          (size_t)PQgetlength(result, row, column)};
}

enum status result_integer(const PGresult *result, int row, int column, int64_t *value,
                           struct error *err)
{
    uint64_t swapped;

    if (PQgetisnull(result, row, column) || PQgetlength(result, row, column) != sizeof swapped)
        return fail(err, STATUS_CORRUPT, "the job's tables: column %d is no bigint", column + 1);
    memcpy(&swapped, PQgetvalue(result, row, column), sizeof swapped);
    *value = (int64_t)be64toh(swapped);
    return STATUS_OK;
}
