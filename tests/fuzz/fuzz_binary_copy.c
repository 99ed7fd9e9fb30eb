/*
 * Any bytes as the messages of a COPY: rows are read or refused, nothing is read beyond
 * the message, and what is read lies in it or is a text of our own.
 */
#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/binary_cells.h"
#include "extension/postgres/sql/kinds.h"

static const struct database_column columns[] = {
    {.kind = PG_INTEGER}, {.kind = PG_REAL}, {.kind = PG_NUMERIC}, {.kind = PG_BOOLEAN},
    {.kind = PG_TEXT},    {.kind = PG_UUID}, {.kind = PG_DATE},    {.kind = PG_TIMESTAMP},
    {.kind = PG_BYTES},   {.kind = PG_UUID}, {.kind = PG_OTHER}};

#define COLUMNS (sizeof columns / sizeof *columns)

/* Reading every byte is what lets a sanitizer look. */
static volatile unsigned char seen;

static void look_at(const struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].type == CELL_TEXT || cells[i].type == CELL_BLOB)
            for (size_t at = 0; at < cells[i].text.size; at++)
                seen = (unsigned char)cells[i].text.data[at];
}

/* In memory of exactly its size. */
static void read_message(struct binary_copy *copy, const uint8_t *data, size_t size)
{
    char *exact = malloc(size + 1);
    struct slice message = {exact + 1, size};
    bool has_row = true;
    struct error err;

    if (!exact)
        abort();
    if (size > 0)
        memcpy(exact + 1, data, size);
    while (has_row && binary_copy_next(copy, &message, &has_row, &err) == STATUS_OK)
        if (has_row)
            look_at(copy->cells, copy->count);
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says with how many columns, the second where the second message begins. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct binary_copy copy;
    struct error err;
    size_t middle;

    if (size < 2)
        return 0;
    middle = 2 + data[1] * (size - 2) / 255;
    if (binary_copy_init(&copy, columns, 1 + data[0] % COLUMNS, &err) != STATUS_OK)
        abort();
    read_message(&copy, data + 2, middle - 2);
    read_message(&copy, data + middle, size - middle);
    binary_copy_deinit(&copy);
    return 0;
}
