/*
 * sums_pieces.h - what a member sends of its sums, cut into messages.
 *
 *     elements of the segment | touched rows of the share      in pieces of sums.piece_bytes
 */
#pragma once

#include "runtime/train/sums.h"

struct sums_pieces {
    struct share segment;
    uint32_t done;               /* elements of it */
    uint32_t row_next, rows_end; /* in the sorted list of touched rows, or of totals */
    bool has_integers;           /* integers go with the next piece */
    bool is_at_end;
};

/* The pieces of the own partial sums that the owner `to` adds up, once the own lanes are done.
 * Nobody else's may be added before the last piece is made. */
struct sums_pieces sums_partial_pieces(struct sums *sums, uint32_t to);
/* The next one, whose vectors are valid until another is made. */
void sums_next_partial(const struct sums *sums, struct sums_pieces *pieces,
                       struct message_partial *partial);

/* The own totals, once they are resolved. No others may be taken before the last piece is made. */
struct sums_pieces sums_total_pieces(struct sums *sums);
void sums_next_total(const struct sums *sums, struct sums_pieces *pieces, struct message_sum *sum);
