#include "scoring/numbers/matrix.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64 /* bytes */

void *matrix_new(size_t rows, size_t columns, size_t size)
{
    const size_t bytes = rows * columns * size;
    void *matrix = aligned_alloc(CACHE_LINE, (bytes / CACHE_LINE + 1) * CACHE_LINE);

    if (matrix)
        memset(matrix, 0, bytes);
    return matrix;
}
