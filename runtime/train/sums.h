/*
 * sums.h - one phase's sums, gathered by a group.
 *
 *     own lanes ---+
 *     PARTIAL  ----+--> integers, elements --resolve--> totals of the own segment --+--> totals
 *                                                  SUM: segments of the others -----+
 *
 * A worker's lanes are added into `integers` and `elements`: owned integers, and
 * then reals in fixed point. The members of the lowest ranks own the elements in
 * equal shares; rank 0 owns the few `integers` too. The total of an owned integer
 * is that integer, the total of a real a float. A
 * short vector has few owners, because a message costs as much as some thousand
 * bytes of it: five reals among eight members take 14 messages, not 75. An
 * owner's totals are complete when the PARTIAL of every other member has come;
 * the phase is complete when the SUM of every other owner has. Addition is of
 * integers, so the order of arrival leaves no trace.
 *
 * Behind the reals lie the touched rows of the phase's table, if it has one. Its rows are dealt to
 * the owners in equal shares, and of a share those that somebody touched are sent, added up,
 * resolved and sent on: sums_rows.h.
 *
 * Vectors beyond MESSAGE_PIECE_BYTES come in pieces, in order: elements, then rows.
 */
#pragma once

#include "runtime/learn/learning.h"
#include "runtime/train/group.h"

/* How many members add up a segment, when `least` elements are worth an owner (0 is 1): the ranks
 * below that number. At least rank 0, which also adds up the integers. */
uint32_t sums_count_owners(uint32_t elements, uint32_t least, uint32_t members);

/* How much of a member's vector has come. */
struct sums_arrival {
    uint32_t elements;
    uint32_t row_next;  /* the least row that may come */
    uint32_t rows_left; /* rows that were announced and have not come */
    bool has_begun, is_all;
};

struct sums {
    uint64_t phase;
    uint32_t rank, members;
    uint32_t segment_least; /* elements that are worth an owner; set by the caller, 0 is 1 */
    size_t piece_bytes;     /* bytes of a message's vector; set by the caller */
    uint32_t owners;        /* owners of elements: ranks 0 to owners - 1 */
    uint32_t integer_count, owned_count, real_count;
    struct share own;  /* segment of the elements */
    int64_t *integers; /* (integer_count) */
    int64_t
        *elements;  /* (owned_count, real_count, table): sums, of the own lanes and then of all */
    int64_t *owned; /* (owned_count): totals, followed at once by those that are reals */
    float *reals;   /* (real_count, table) */
    struct phase_table table;
    struct share own_rows;       /* own share of the table's rows */
    struct touched_rows touched; /* rows whose sums are here; behind them there are zeros */
    struct touched_rows totals;  /* rows whose totals are here */
    void *row_values;            /* (row_values_bytes): those of the rows of a message */
    size_t row_values_bytes;
    struct sums_arrival *partial_arrivals, *sum_arrivals; /* by rank */
    uint32_t partials_missing, sums_missing;
    /* Check sums of what memory must hold (base/sums/words.h): over all elements until the own
     * lanes are done, then over the own segment; over the integers; over the words of the totals
     * that have come. */
    uint64_t elements_known, integers_known;
    uint32_t totals_known;
    uint32_t integer_capacity, element_capacity, member_capacity;
};

void sums_deinit(struct sums *sums);
/* All zero and nothing arrived. */
enum status sums_begin(struct sums *sums, const struct phase *phase, uint32_t rank,
                       uint32_t members, struct error *err);

/*
 * CORRUPT when a bit of the sums was inverted in memory since they were written. Called around each
 * contribution of the learner, which reports the check sum of what it added (learner.h); when the
 * own lanes are done; when the totals are resolved; when all sums have.
 */
enum status sums_before_lanes(const struct sums *sums, struct error *err);
void sums_after_lanes(struct sums *sums, uint64_t added);
enum status sums_end_lanes(struct sums *sums, struct error *err);
/* Once all partial sums are here: the totals of the own segment, reals by the function of
 * learner.h. CORRUPT when the totals that it read are not what was added up. */
typedef struct fixed_resolved sums_resolver(const void *context, const int64_t *fixed,
                                            uint32_t first, uint32_t count, float *reals);
enum status sums_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                         struct error *err);
enum status sums_verify(const struct sums *sums, struct error *err);

/* Where the learner notes the rows that it adds to (learning.h). */
struct touched_rows *sums_touched(struct sums *sums);

/* Whether a member takes part in the exchange as an owner: one with an empty
 * segment and without the integers is sent nothing and sends no SUM. */
bool sums_is_owner(const struct sums *sums, uint32_t rank);
/* Whether nothing of this phase is still to come from this member. */
bool sums_is_through(const struct sums *sums, uint32_t rank);
struct share sums_segment(const struct sums *sums, uint32_t rank);
/* The totals of some elements as they are sent: two words of an owned integer, one of a real. */
/* Those of the table that this member adds up. */
struct share sums_row_share(const struct sums *sums, uint32_t rank);
struct slice sums_total_bytes(const struct sums *sums, uint32_t first, uint32_t count);
struct phase_totals sums_totals(const struct sums *sums);

/* sums += the integers of these bytes. Wraps as the machine does: the learner's scale keeps true
 * sums inside. Returns the sum of what was added. */
uint64_t sums_add_integers(int64_t *sums, struct slice bytes);

/* PROTOCOL for what does not continue what this member sent before. */
enum status sums_add_partial(struct sums *sums, uint32_t from,
                             const struct message_partial *partial, struct error *err);
enum status sums_take_sum(struct sums *sums, uint32_t from, const struct message_sum *sum,
                          struct error *err);
