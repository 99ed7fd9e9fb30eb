/*
 * model_pieces.h - a large model's rows, committed by pieces into a table beside the model's own:
 * which models, how large a piece, and the table's name, totrain_part_NAME_DIGEST. A later
 * statement that publishes the same model under the same name finds the pieces that are there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define PIECES_NAME_BYTES 64
#define PIECES_PREFIX     "totrain_part_"
/* Bytes of the prefix, the hash of the model's name and the "_" behind it. */
#define PIECES_PREFIX_BYTES ((size_t)(sizeof PIECES_PREFIX - 1 + 16 + 1))

/* Bytes of a piece: 8 MiB. A model that takes less than eight of them is written at once. In builds
 * with TOTRAIN_FAULTS TOTRAIN_PIECE_BYTES is another size, so that tests need no large models. */
size_t pieces_bytes(void);
bool pieces_are_for(uint64_t model_bytes);

/* `hash`: of the model's name, in which names that are the same are written in the same way. */
void pieces_name(uint64_t hash, struct slice digest, char name[PIECES_NAME_BYTES]);
