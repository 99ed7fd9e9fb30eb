#include "base/cell_values.h"

#include <math.h>

struct cell cell_null(void)
{
    return (struct cell){.type = CELL_NULL};
}

struct cell cell_integer(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

struct cell cell_real(double value)
{
    if (isnan(value))
        return cell_null();
    return (struct cell){.type = CELL_REAL, .real = value};
}

struct cell cell_text(struct slice value)
{
    return (struct cell){.type = CELL_TEXT, .text = value};
}

struct cell cell_string(const char *value)
{
    return cell_text(slice_of(value));
}
