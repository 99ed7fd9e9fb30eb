/*
 * journal.h - a job's store in another place than this machine.
 *
 *     master --put--> jobstore (a file that may be lost) --commit--> journal (authoritative)
 *     next master, waiting session: journal --replay--> jobstore
 *
 * A job whose roles share no folder keeps its store as a copy: what a transaction puts is
 * appended to the journal first, and only then committed to the file. A process with an empty
 * folder replays the journal and has the same store. So everything that reads a job reads
 * a store, and the one seam to another place is this: a list of entries that only grows.
 *
 * Entries are numbered from 1 without a gap. An append takes the number that follows the last
 * one its writer has seen, and is refused as STALE when another process has written that one.
 * That is all the fencing there is: a master that a newer one has replaced cannot write.
 *
 *     1 spec, 2 input     by the submitter (master 0): job.json; the rows
 *     claim               a new master, with a greater number than all before
 *     job worker event metric result model checkpoint drop shard
 *                         what that master puts. Nothing follows a job that has ended.
 *
 * A parameter server keeps its snapshots so, too, in a journal of its own (`before`): its index is
 * claimed as a job is by its masters, and nothing but claims and checkpoints is in it.
 *
 * The pieces of a checkpoint lie apart, since they are large and many: the entry
 * `checkpoint` has the head, whose hash covers them (checkpoint.h).
 *
 * Bodies are JSON, as bytes. Any of it may have been written by a foreign process: a replay
 * trusts nothing, and what does not fit is CORRUPT.
 */
#pragma once

#include "runtime/data/store/checkpoint.h"
#include "runtime/data/store/journal_fields.h"

#define JOURNAL_BODY_BYTES_MAX ((size_t)64 << 20) /* the spec's body; all others': */
#define JOURNAL_ROW_BYTES_MAX  ((size_t)64 << 10)
#define JOURNAL_DATA_BYTES_MAX ((size_t)64 << 20) /* a shard's results travel in one frame */

struct journal_entry {
    int64_t number; /* when read */
    int64_t master; /* the master that wrote it; 0: the submitter */
    enum journal_kind kind;
    struct slice body, data;
    bool has_data;
};

typedef enum status journal_reader(void *context, const struct journal_entry *entry,
                                   struct error *err);
typedef enum status piece_reader(void *context, uint64_t position, struct slice bytes,
                                 struct error *err);

struct journal {
    void *self;
    int64_t job; /* the job's number in the store that it is replayed to */
    /* So many entries are another journal's: the submitter's, which that of a parameter server's
     * snapshots has not. */
    int64_t before;
    /* Entries behind number `after`, in order, borrowed until `each` returns. */
    enum status (*read)(void *self, int64_t after, journal_reader *each, void *context,
                        struct error *err);
    /* Behind the last that was read or appended: all or none. STALE: another process has written
     * there. is_urgent: they are safe when it returns OK, and a lost connection is made again for
     * as long as that makes sense. Otherwise CONNECTION returns at once and nothing was sent; OK
     * means that they are there before anything that follows. */
    enum status (*append)(void *self, const struct journal_entry *entries, size_t count,
                          bool is_urgent, struct error *err);
    /* STALE when another process has written behind the last. OK also where that cannot be found
     * out. */
    enum status (*check)(void *self, struct error *err);
    /* Puts a piece of a checkpoint. The same piece may be put again. */
    enum status (*put_piece)(void *self, uint64_t checkpoint, uint64_t position, struct slice bytes,
                             struct error *err);
    /* In order of their positions. NULL: the replay needs no checkpoint. */
    enum status (*each_piece)(void *self, uint64_t checkpoint, piece_reader *each, void *context,
                              struct error *err);
    /* Pieces of checkpoints from `first` on, below `end`, are of no use any more. NULL: they all
     * stay. */
    void (*forget_pieces)(void *self, uint64_t first, uint64_t end);
    /* Appends what the session that sent the job has noted of its columns
     * (extension/engine/rows/direct_verdict.h); nothing where no rows were counted. INVALID: they
     * were, and it has noted nothing. NULL: of a journal that nothing is collected from. */
    enum status (*read_verdict)(void *self, struct text *json, struct error *err);
};

/* Place in the journal up to which it has been replayed into a store. It is kept in the store, so
 * that a later replay goes on where this one ended. */
struct journal_position {
    int64_t number, master;
    bool has_ended; /* the job */
};

/*
 * From now on the store, which is new and empty, is a copy of the journal, which must outlive
 * it: jobstore_claim replays it, and what is put goes there. Progress of a running job, metrics
 * included, is written once a second at most: as much of it is lost with its master. A failure of
 * the journal is one of the transaction.
 */
enum status jobstore_attach(struct jobstore *store, const struct journal *journal,
                            struct error *err);
/* STALE when another master has written. OK without a journal. */
enum status jobstore_check_journal(struct jobstore *store, struct error *err);
