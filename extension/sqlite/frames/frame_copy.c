#include "extension/sqlite/frames/frame_copy.h"

#include <endian.h>
#include <string.h>

#define LENGTH_BYTES 4
#define NULL_LENGTH  UINT32_MAX /* -1 */

/* A cell as it is written, behind its length. */
struct field {
    const void *data;
    size_t size;
    bool is_null;
    uint64_t number; /* big-endian */
    uint8_t truth;
};

/* False: a number that the column's type has not. */
static bool field_of(const struct frame_column *column, int64_t row, struct field *field)
{
    struct cell cell;

    frame_cell(column, row, &cell);
    *field = (struct field){.is_null = cell.type == CELL_NULL, .data = &field->number};
    if (field->is_null)
        return true;
    if (cell.type == CELL_TEXT) {
        field->data = cell.text.data;
        field->size = cell.text.size;
    } else if (column->kind == FRAME_BOOL) {
        field->truth = cell.integer != 0;
        field->data = &field->truth;
        field->size = sizeof field->truth;
    } else {
        memcpy(&field->number, cell.type == CELL_REAL ? (void *)&cell.real : (void *)&cell.integer,
               sizeof field->number);
        field->number = htobe64(field->number);
        field->size = sizeof field->number;
    }
    return cell.type != CELL_REAL || column->kind <= FRAME_FLOAT32;
}

static uint8_t *put(uint8_t *into, const void *data, size_t size)
{
    memcpy(into, data, size);
    return into + size;
}

/* The bytes of a row; 0: they do not fit; -1 as in the header. */
static int64_t copy_row(const struct frame *frame, int64_t row, uint8_t *into, int64_t room)
{
    const uint16_t count = htobe16((uint16_t)frame->count);
    uint8_t *at = into;

    if (room < (int64_t)sizeof count)
        return 0;
    at = put(at, &count, sizeof count);
    for (int32_t i = 0; i < frame->count; i++) {
        struct field field;
        uint32_t length;

        if (!field_of(&frame->columns[i], row, &field))
            return -1;
        if (room - (at - into) < (int64_t)(LENGTH_BYTES + field.size))
            return 0;
        length = htobe32(field.is_null ? NULL_LENGTH : (uint32_t)field.size);
        at = put(at, &length, LENGTH_BYTES);
        if (field.size > 0)
            at = put(at, field.data, field.size);
    }
    return at - into;
}

static int64_t copy_rows(const struct frame *frame, int64_t *row, uint8_t *into, int64_t room)
{
    int64_t used = 0;

    while (*row < frame->rows) {
        const int64_t bytes = copy_row(frame, *row, into + used, room - used);

        if (bytes <= 0)
            return bytes < 0 ? bytes : used;
        used += bytes;
        ++*row;
    }
    return used;
}

int64_t totrain_frame_copy(int64_t key, int64_t *row, uint8_t *into, int64_t room)
{
    struct frame *frame = frame_use(key);
    int64_t used;

    if (!frame)
        return -1;
    used = copy_rows(frame, row, into, room);
    frame_let_go(frame);
    return used;
}
