#include "base/cell_bytes.h"

#define TIME_SHIFT 4 /* in the byte of the type */

static bool has_time(const struct cell *cell)
{
    return cell->type == CELL_INTEGER || cell->type == CELL_REAL;
}

void cell_put(struct text *out, const struct cell *cell)
{
    put_u8(out, (uint8_t)(cell->type | (has_time(cell) ? cell->time << TIME_SHIFT : 0)));
    if (cell->type == CELL_INTEGER || cell->type == CELL_VECTOR)
        put_i64(out, cell->integer);
    else if (cell->type == CELL_REAL)
        put_f64(out, cell->real);
    if (cell->type >= CELL_TEXT)
        put_sized(out, cell->text);
}

void cell_read(struct byte_reader *reader, struct cell *cell)
{
    const uint8_t type = read_u8(reader);

    *cell = (struct cell){.type = CELL_NULL};
    cell->type = (enum cell_type)(type & ((1u << TIME_SHIFT) - 1));
    cell->time = (enum cell_time)(type >> TIME_SHIFT);
    if (cell->type > CELL_VECTOR || cell->time > CELL_SECONDS || (cell->time && !has_time(cell))) {
        *cell = (struct cell){.type = CELL_NULL};
        reader->failed = true;
        return;
    }
    if (cell->type == CELL_INTEGER || cell->type == CELL_VECTOR)
        cell->integer = read_i64(reader);
    else if (cell->type == CELL_REAL)
        cell->real = read_f64(reader);
    if (cell->type >= CELL_TEXT)
        cell->text = read_sized(reader, TEXT_MAXIMUM);
}
