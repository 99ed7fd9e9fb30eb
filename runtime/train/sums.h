/*
 * sums.h - one phase's sums, gathered by a group.
 *
 *     own lanes ---+
 *     PARTIAL  ----+--> integers, fixed --resolve--> reals of the own segment --+--> reals
 *                                              SUM: segments of the others -----+
 *
 * A worker's lanes are added into `integers` and `fixed`. The members of the
 * lowest ranks own the reals in equal shares; rank 0 owns the integers too. A
 * short vector has few owners, because a message costs as much as some thousand
 * bytes of it: five reals among eight members take 14 messages, not 75. An
 * owner's totals are complete when the PARTIAL of every other member has come;
 * the phase is complete when the SUM of every other owner has. Addition is of
 * integers, so the order of arrival leaves no trace.
 *
 * Vectors beyond MESSAGE_PIECE_BYTES come in pieces, in order.
 */
#ifndef RUNTIME_TRAIN_SUMS_H
#define RUNTIME_TRAIN_SUMS_H

#include "runtime/learn/fixed_point.h"
#include "runtime/train/group.h"

struct sums {
    uint64_t phase;
    uint32_t rank, members;
    uint32_t segment_least; /* reals that are worth an owner; set by the caller, 0 is 1 */
    uint32_t owners;        /* of reals: ranks 0 to owners - 1 */
    uint32_t integer_count, real_count;
    struct share own; /* segment */
    int64_t *integers, *fixed;
    float *reals;
    uint32_t *partial_elements, *sum_elements; /* by rank: how much has come; UINT32_MAX: all */
    uint32_t partials_missing, sums_missing;
    /* Check sums of what memory must hold (base/words.h): over all of `fixed` until the own lanes
     * are done, then over the own segment; over the integers; over the words of `reals` that have
     * come. */
    uint64_t fixed_known, integers_known;
    uint32_t reals_known;
    uint32_t integer_capacity, real_capacity, member_capacity;
};

void sums_deinit(struct sums *sums);
/* All zero and nothing arrived. */
enum status sums_begin(struct sums *sums, uint64_t phase, uint32_t rank, uint32_t members,
                       uint32_t integer_count, uint32_t real_count, struct error *err);

/*
 * CORRUPT when a bit of the sums was inverted in memory since they were written. Called around each
 * contribution of the learner, which reports the check sum of what it added (learning.h); when the
 * own lanes are done; when the totals are resolved; when all sums have.
 */
enum status sums_before_lanes(const struct sums *sums, struct error *err);
void sums_after_lanes(struct sums *sums, uint64_t added);
enum status sums_end_lanes(struct sums *sums, struct error *err);
/* Once all partial sums are here: the reals of the own segment's totals, by the function of
 * learning.h. CORRUPT when the totals that it read are not what was added up. */
typedef struct fixed_resolved sums_resolver(const void *context, const int64_t *fixed,
                                            uint32_t first, uint32_t count, float *reals);
enum status sums_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                         struct error *err);
enum status sums_verify(const struct sums *sums, struct error *err);

/* Whether a member takes part in the exchange as an owner: one with an empty
 * segment and without the integers is sent nothing and sends no SUM. */
bool sums_is_owner(const struct sums *sums, uint32_t rank);
/* Whether nothing of this phase is still to come from this member. */
bool sums_is_through(const struct sums *sums, uint32_t rank);
struct share sums_segment(const struct sums *sums, uint32_t rank);

/* PROTOCOL for what does not continue what this member sent before. */
enum status sums_add_partial(struct sums *sums, uint32_t from,
                             const struct message_partial *partial, struct error *err);
enum status sums_take_sum(struct sums *sums, uint32_t from, const struct message_sum *sum,
                          struct error *err);

#endif
