/*
 * checkpoint.h - the state of a job in its store, from which everything can be
 * started again when no process of it is left.
 *
 *     put piece 0, 1, ... --finish--> the newest one --drop--> none
 *          |                          (and its predecessor; the one before that goes)
 *          +--abandon, or a crash--> nothing of it is ever read
 *
 * Each piece is a transaction of its own, so that heartbeats and progress pass
 * between them. The head is written last, in the transaction that removes the
 * last but one: a reader sees the old two or the new two. The head names
 * the job and its identity (spec and rows), and its hash covers the
 * hashes of all pieces. What does not fit in any way is CORRUPT: a job then
 * goes on from the one before, and where that is damaged, too, from its beginning, never
 * from a state that may be wrong.
 *
 * What was finished survives the machine, not only the processes: finish()
 * waits for the disk.
 */
#pragma once

#include "runtime/data/store/jobstore.h"

#define CHECKPOINT_VERSION         1
#define CHECKPOINT_BYTES_MAX       ((uint64_t)64 << 30) /* more than a learner can have */
#define CHECKPOINT_PIECE_BYTES_MAX ((uint64_t)16 << 20)
#define CHECKPOINT_PIECES_MAX      ((uint64_t)1 << 20)

struct checkpoint {
    uint64_t id;            /* a new one for each writing */
    uint64_t job, identity; /* the job, and its spec and rows: runtime/role/job.h */
    uint64_t phase;         /* the next that this state computes; 0: no checkpoint */
    uint64_t step, rows_done;
    uint64_t bytes, piece_bytes; /* all pieces but the last are of this size */
};

/* How many pieces, how large each is. */
uint64_t checkpoint_pieces(const struct checkpoint *checkpoint);
uint64_t checkpoint_piece_size(const struct checkpoint *checkpoint, uint64_t position);
/* LIMIT when the sizes are impossible. */
enum status checkpoint_check(const struct checkpoint *checkpoint, struct error *err);

/* Piece 0 of a new id forgets what was left of unfinished ones. */
enum status checkpoint_put_piece(struct jobstore *store, uint64_t id, uint64_t position,
                                 struct slice bytes, struct error *err);
/* LIMIT where so many bytes more would leave little on the disk for what a job cannot do without,
 * such as its progress and its model. For who has pieces that it can do without. */
enum status checkpoint_leave_room(const struct jobstore *store, uint64_t bytes, struct error *err);
/* CORRUPT when a piece is missing: nothing changes then. */
enum status checkpoint_finish(struct jobstore *store, const struct checkpoint *checkpoint,
                              struct error *err);
/* Unfinished pieces go. */
enum status checkpoint_abandon(struct jobstore *store, struct error *err);
/* And all checkpoints but the newest: to make room after a failure, for what matters more. */
enum status checkpoint_make_room(struct jobstore *store, struct error *err);
enum status checkpoint_drop(struct jobstore *store, struct error *err);
/* All but the one of this id go: they are damaged. */
enum status checkpoint_keep(struct jobstore *store, uint64_t id, struct error *err);

/* The newest. NOT_FOUND when there is none; CORRUPT for one that is damaged, or of another
 * job, other rows or another version. */
enum status checkpoint_open(struct jobstore *store, uint64_t job, uint64_t identity,
                            struct checkpoint *checkpoint, struct error *err);
/* The same of the one before it. */
enum status checkpoint_open_older(struct jobstore *store, uint64_t job, uint64_t identity,
                                  struct checkpoint *checkpoint, struct error *err);
/* The head of the newest, unchecked: for people. NOT_FOUND, CORRUPT. */
enum status checkpoint_peek(struct jobstore *store, struct checkpoint *checkpoint,
                            struct error *err);
/* The phase and the step that none is before; 0: there is none. */
void checkpoint_oldest(struct jobstore *store, uint64_t *phase, uint64_t *step);
/* Appends the piece. NOT_FOUND when newer checkpoints have taken its place. */
enum status checkpoint_read_piece(struct jobstore *store, const struct checkpoint *checkpoint,
                                  uint64_t position, struct text *out, struct error *err);
