#include "extension/engine/host/model_pieces.h"

#include <stdio.h>
#include <stdlib.h>

#define PIECE_BYTES   ((size_t)8 << 20)
#define PIECES_OF_ONE 8

size_t pieces_bytes(void)
{
#ifdef TOTRAIN_FAULTS
    const char *bytes = getenv("TOTRAIN_PIECE_BYTES");
    int64_t number;

    if (bytes && slice_to_integer(slice_of(bytes), &number) && number > 0)
        return (size_t)number;
#endif
    return PIECE_BYTES;
}

bool pieces_are_for(uint64_t model_bytes)
{
    return model_bytes >= PIECES_OF_ONE * (uint64_t)pieces_bytes();
}

void pieces_name(uint64_t hash, struct slice digest, char name[PIECES_NAME_BYTES])
{
    snprintf(name, PIECES_NAME_BYTES, PIECES_PREFIX "%016llx_%.*s", (unsigned long long)hash,
             digest.size < 16 ? (int)digest.size : 16, digest.data);
}
