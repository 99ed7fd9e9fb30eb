/*
 * model_pieces.h - a large model's rows, committed by pieces into a table beside the model's own:
 * which models, how large a piece, and the table's name, totrain_part_NAME_DIGEST. Whoever
 * publishes the same model under the same name again finds what is there.
 */
#ifndef EXTENSION_ENGINE_HOST_MODEL_PIECES_H
#define EXTENSION_ENGINE_HOST_MODEL_PIECES_H

#include <stdint.h>

#include "base/text.h"

#define PIECE_BYTES        ((size_t)8 << 20)
#define PIECES_MODEL_LEAST ((uint64_t)64 << 20) /* a smaller model is written at once */

#define PIECES_NAME_BYTES 64
#define PIECES_PREFIX     "totrain_part_"
/* Of the prefix and the hash of the model's name. */
#define PIECES_PREFIX_BYTES ((size_t)(sizeof PIECES_PREFIX - 1 + 16 + 1))

/* `hash`: of the model's name, in which names that are the same are written in the same way. */
void pieces_name(uint64_t hash, struct slice digest, char name[PIECES_NAME_BYTES]);

#endif
