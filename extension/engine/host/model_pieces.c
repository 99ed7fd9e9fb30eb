#include "extension/engine/host/model_pieces.h"

#include <stdio.h>

void pieces_name(uint64_t hash, struct slice digest, char name[PIECES_NAME_BYTES])
{
    snprintf(name, PIECES_NAME_BYTES, PIECES_PREFIX "%016llx_%.*s", (unsigned long long)hash,
             digest.size < 16 ? (int)digest.size : 16, digest.data);
}
