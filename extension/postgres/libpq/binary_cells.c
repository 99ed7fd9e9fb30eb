#include "extension/postgres/libpq/binary_cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "extension/postgres/sql/kinds.h"

#define DAYS_TO_2000         10957 /* from 1970 */
#define MICROSECONDS_TO_2000 INT64_C(946684800000000)

static uint16_t u16(const char *bytes)
{
    return (uint16_t)((unsigned char)bytes[0] << 8 | (unsigned char)bytes[1]);
}

static void set_integer(struct cell *cell, int64_t value)
{
    cell->type = CELL_INTEGER;
    cell->time = CELL_PLAIN;
    cell->integer = value;
}

static void set_real(struct cell *cell, double value)
{
    cell->type = CELL_REAL;
    cell->time = CELL_PLAIN;
    cell->real = value;
}

static void set_text(struct cell *cell, struct slice text)
{
    cell->type = CELL_TEXT;
    cell->text = text;
}

static bool get_integer(struct slice bytes, struct cell *cell)
{
    switch (bytes.size) {
    case 2:
        set_integer(cell, (int16_t)u16(bytes.data));
        return true;
    case 4:
        set_integer(cell, (int32_t)binary_u32(bytes.data));
        return true;
    case 8:
        set_integer(cell, (int64_t)binary_u64(bytes.data));
        return true;
    default:
        return false;
    }
}

static bool get_real(struct slice bytes, struct cell *cell)
{
    uint64_t wide;
    uint32_t narrow;
    double real;
    float single;

    if (bytes.size == 8) {
        wide = binary_u64(bytes.data);
        memcpy(&real, &wide, sizeof real);
        set_real(cell, real);
        return true;
    }
    if (bytes.size != 4)
        return false;
    narrow = binary_u32(bytes.data);
    memcpy(&single, &narrow, sizeof single);
    set_real(cell, single);
    return true;
}

#define NUMERIC_NEGATIVE     0x4000
#define NUMERIC_NAN          0xC000
#define NUMERIC_INFINITY     0xD000
#define NUMERIC_NEG_INFINITY 0xF000

#define NUMERIC_GROUPS_MAX 80 /* groups of four digits; more decide no double's last bit */

static size_t put_groups(const char *groups, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        unsigned group = u16(groups + 2 * i);
        for (int at = 3; at >= 0; at--, group /= 10)
            text[4 * i + (size_t)at] = (char)('0' + group % 10);
    }
    return 4 * count;
}

/* digits, weight, sign, scale, then the digits to the base of 10,000: as the text
 * -12345678e-4, whose nearest double is that of any other text of the number. */
static bool get_numeric(struct slice bytes, struct cell *cell)
{
    char text[4 * NUMERIC_GROUPS_MAX + 32] = "0";
    size_t count, used, size = 1;
    double real = 0;
    uint16_t sign;

    if (bytes.size < 8)
        return false;
    count = u16(bytes.data);
    sign = u16(bytes.data + 4);
    if (bytes.size != 8 + 2 * count)
        return false;
    if (sign == NUMERIC_NAN || sign == NUMERIC_INFINITY || sign == NUMERIC_NEG_INFINITY) {
        set_real(cell, sign == NUMERIC_NAN ? NAN : sign == NUMERIC_INFINITY ? INFINITY : -INFINITY);
        return true;
    }
    used = count < NUMERIC_GROUPS_MAX ? count : NUMERIC_GROUPS_MAX;
    size += put_groups(bytes.data + 8, used, text + size);
    snprintf(text + size, sizeof text - size, "e%d",
             4 * ((int16_t)u16(bytes.data + 2) - (int)used + 1));
    /* The only text of this form that is no double is one that is too large. */
    if (!slice_to_real(slice_of(text), &real))
        real = INFINITY;
    set_real(cell, sign == NUMERIC_NEGATIVE ? -real : real);
    return true;
}

static bool get_date(struct slice bytes, struct cell *cell)
{
    int32_t days;

    if (bytes.size != 4)
        return false;
    days = (int32_t)binary_u32(bytes.data);
    if (days == INT32_MAX || days == INT32_MIN)
        set_real(cell, days > 0 ? INFINITY : -INFINITY);
    else
        set_integer(cell, (int64_t)days + DAYS_TO_2000);
    cell->time = CELL_DAYS;
    return true;
}

/* The server's last years, up to 294276, are beyond 64 bits when they are counted from 1970. */
static bool get_timestamp(struct slice bytes, struct cell *cell)
{
    int64_t microseconds;

    if (bytes.size != 8)
        return false;
    microseconds = (int64_t)binary_u64(bytes.data);
    if (microseconds == INT64_MAX || microseconds == INT64_MIN)
        set_real(cell, microseconds > 0 ? INFINITY : -INFINITY);
    else
        set_real(cell, (double)((__int128)microseconds + MICROSECONDS_TO_2000) / 1e6);
    cell->time = CELL_SECONDS;
    return true;
}

/* The text is found in the scratch only when nothing is appended to it any more. */
static bool get_uuid(struct slice bytes, struct text *scratch, struct cell *cell)
{
    const size_t start = scratch->size;

    if (bytes.size != 16)
        return false;
    for (size_t i = 0; i < 16; i++)
        text_printf(scratch, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                    (unsigned char)bytes.data[i]);
    set_text(cell, (struct slice){scratch->data + start, scratch->size - start});
    return !scratch->failed;
}

static bool get(enum pg_kind kind, struct slice bytes, struct text *scratch, struct cell *cell);

static uint32_t take_u32(struct byte_reader *reader)
{
    const struct slice bytes = read_bytes(reader, 4);

    return bytes.size == 4 ? binary_u32(bytes.data) : 0;
}

/* Each is its size, -1 for NULL, and its bytes. */
static bool get_elements(struct byte_reader *reader, enum pg_kind kind, struct text *scratch,
                         struct cell *cell)
{
    const size_t start = scratch->size;

    while (reader->at < reader->end && !reader->failed) {
        const int32_t size = (int32_t)take_u32(reader);
        struct cell element = {.type = CELL_NULL};
        double real;

        if (size < 0) {
            cell->integer = VECTOR_HAS_NULLS;
            scratch->size = start;
            return true;
        }
        if (!get(kind, read_bytes(reader, (size_t)size), NULL, &element))
            return false;
        real = element.type == CELL_INTEGER ? (double)element.integer : element.real;
        text_append(scratch, (struct slice){(const char *)&real, sizeof real});
    }
    cell->text = (struct slice){scratch->data + start, scratch->size - start};
    return !reader->failed && !scratch->failed;
}

/* Dimensions, flags, the elements' type; of each dimension its size and its lower bound,
 * which does not matter; the elements. */
static bool get_vector(struct slice bytes, struct text *scratch, struct cell *cell)
{
    struct byte_reader reader = byte_reader_over(bytes);
    const uint32_t dimensions = take_u32(&reader);
    enum pg_kind kind;
    uint32_t count;

    take_u32(&reader);
    kind = pg_kind_of(take_u32(&reader));
    if (reader.failed || (kind != PG_INTEGER && kind != PG_REAL && kind != PG_NUMERIC))
        return false;
    *cell = (struct cell){.type = CELL_VECTOR, .text = SLICE("")};
    if (dimensions > 1)
        cell->integer = VECTOR_HAS_DIMENSIONS;
    if (dimensions != 1)
        return dimensions > 1 || reader_is_done(&reader);
    count = take_u32(&reader);
    take_u32(&reader);
    if (!get_elements(&reader, kind, scratch, cell))
        return false;
    return cell->integer != VECTOR_FAULTLESS || cell_elements(cell) == count;
}

static bool get(enum pg_kind kind, struct slice bytes, struct text *scratch, struct cell *cell)
{
    switch (kind) {
    case PG_INTEGER:
        return get_integer(bytes, cell);
    case PG_OID:
        if (bytes.size == 4)
            set_integer(cell, (int64_t)binary_u32(bytes.data));
        return bytes.size == 4;
    case PG_REAL:
        return get_real(bytes, cell);
    case PG_NUMERIC:
        return get_numeric(bytes, cell);
    case PG_BOOLEAN:
        set_integer(cell, bytes.size == 1 && bytes.data[0] != 0);
        return bytes.size == 1;
    case PG_TEXT:
    case PG_ENUM:
        set_text(cell, bytes);
        return true;
    case PG_UUID:
        return get_uuid(bytes, scratch, cell);
    case PG_DATE:
        return get_date(bytes, cell);
    case PG_TIMESTAMP:
        return get_timestamp(bytes, cell);
    case PG_VECTOR:
        return get_vector(bytes, scratch, cell);
    case PG_BYTES:
    case PG_OTHER:
        cell->type = CELL_BLOB;
        cell->text = bytes;
        return true;
    }
    return false;
}

enum status binary_cell(enum pg_kind kind, struct slice bytes, struct text *scratch,
                        struct cell *cell, struct error *err)
{
    if (get(kind, bytes, scratch, cell))
        return STATUS_OK;
    if (scratch->failed)
        return fail_no_memory(err);
    return fail(err, STATUS_PROTOCOL, "the server sent an invalid value of %zu bytes", bytes.size);
}

/* They lie in the order of their columns. */
void binary_cells_settle(const struct database_column *columns, size_t count,
                         const struct text *scratch, struct cell *cells)
{
    for (size_t i = 0, at = 0; i < count; i++)
        if ((columns[i].kind == PG_UUID && cells[i].type == CELL_TEXT) ||
            (columns[i].kind == PG_VECTOR && cells[i].type == CELL_VECTOR &&
             cells[i].text.size > 0)) {
            cells[i].text.data = scratch->data + at;
            at += cells[i].text.size;
        }
}

/* ----- COPY ----- */

static const char signature[] = "PGCOPY\n\377\r\n"; /* and a zero byte */

enum status binary_copy_init(struct binary_copy *copy, const struct database_column *columns,
                             size_t count, struct error *err)
{
    *copy = (struct binary_copy){.columns = columns, .count = count};
    text_init(&copy->scratch, TEXT_MAXIMUM);
    copy->cells = calloc(count + 1, sizeof *copy->cells);
    return copy->cells ? STATUS_OK : fail_no_memory(err);
}

void binary_copy_deinit(struct binary_copy *copy)
{
    free(copy->cells);
    text_deinit(&copy->scratch);
}

static enum status refuse(struct error *err)
{
    return fail(err, STATUS_PROTOCOL, "the server's rows are cut, or no rows");
}

static void skip(struct slice *message, size_t size)
{
    message->data += size;
    message->size -= size;
}

/* Signature, flags, and the length of an extension that there is not yet. */
static enum status read_header(struct binary_copy *copy, struct slice *message, struct error *err)
{
    const size_t size = sizeof signature + 8;
    uint32_t extension;

    if (message->size < size || memcmp(message->data, signature, sizeof signature) != 0)
        return refuse(err);
    extension = binary_u32(message->data + sizeof signature + 4);
    if (extension > message->size - size)
        return refuse(err);
    skip(message, size + extension);
    copy->has_begun = true;
    return STATUS_OK;
}

static enum status read_cells(struct binary_copy *copy, struct slice *message, struct error *err)
{
    for (size_t i = 0; i < copy->count; i++) {
        int32_t size;

        if (message->size < 4)
            return refuse(err);
        size = (int32_t)binary_u32(message->data);
        skip(message, 4);
        if (size < 0) {
            copy->cells[i].type = CELL_NULL;
            continue;
        }
        if ((size_t)size > message->size)
            return refuse(err);
        TRY(binary_cell(copy->columns[i].kind, (struct slice){message->data, (size_t)size},
                        &copy->scratch, &copy->cells[i], err));
        skip(message, (size_t)size);
    }
    return STATUS_OK;
}

enum status binary_copy_next(struct binary_copy *copy, struct slice *message, bool *has_row,
                             struct error *err)
{
    int16_t count;

    *has_row = false;
    if (!copy->has_begun)
        TRY(read_header(copy, message, err));
    if (message->size == 0 || copy->has_ended)
        return message->size == 0 ? STATUS_OK : refuse(err);
    if (message->size < 2)
        return refuse(err);
    count = (int16_t)u16(message->data);
    skip(message, 2);
    if (count == -1) {
        copy->has_ended = true;
        return STATUS_OK;
    }
    if (count < 0 || (size_t)count != copy->count)
        return refuse(err);
    text_clear(&copy->scratch);
    TRY(read_cells(copy, message, err));
    binary_cells_settle(copy->columns, copy->count, &copy->scratch, copy->cells);
    *has_row = true;
    return STATUS_OK;
}
