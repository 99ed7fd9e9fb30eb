#include "runtime/train/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

#define ALL_CAME UINT32_MAX

void sums_deinit(struct sums *sums)
{
    free(sums->integers);
    free(sums->fixed);
    free(sums->reals);
    free(sums->partial_elements);
    free(sums->sum_elements);
    *sums = (struct sums){.phase = 0};
}

static bool grow(void *pointer, size_t count, size_t size)
{
    void **array = pointer;
    void *grown = realloc(*array, count * size);

    if (!grown)
        return false;
    *array = grown;
    return true;
}

static enum status make_room(struct sums *sums, struct error *err)
{
    if (sums->integer_count > sums->integer_capacity) {
        if (!grow(&sums->integers, sums->integer_count, sizeof(int64_t)))
            return fail_no_memory(err);
        sums->integer_capacity = sums->integer_count;
    }
    if (sums->real_count > sums->real_capacity) {
        if (!grow(&sums->fixed, sums->real_count, sizeof(int64_t)) ||
            !grow(&sums->reals, sums->real_count, sizeof(float)))
            return fail_no_memory(err);
        sums->real_capacity = sums->real_count;
    }
    if (sums->members > sums->member_capacity) {
        if (!grow(&sums->partial_elements, sums->members, sizeof(uint32_t)) ||
            !grow(&sums->sum_elements, sums->members, sizeof(uint32_t)))
            return fail_no_memory(err);
        sums->member_capacity = sums->members;
    }
    return STATUS_OK;
}

struct share sums_segment(const struct sums *sums, uint32_t rank)
{
    return rank < sums->owners ? share_of(sums->real_count, sums->owners, rank)
                               : (struct share){sums->real_count, 0};
}

static uint32_t owners_of(const struct sums *sums)
{
    const uint32_t least = sums->segment_least > 0 ? sums->segment_least : 1;
    const uint32_t worth = sums->real_count / least;

    return worth < 1 ? 1 : worth < sums->members ? worth : sums->members;
}

bool sums_is_owner(const struct sums *sums, uint32_t rank)
{
    return rank == 0 || sums_segment(sums, rank).count > 0;
}

bool sums_is_through(const struct sums *sums, uint32_t rank)
{
    return (!sums_is_owner(sums, sums->rank) || sums->partial_elements[rank] == ALL_CAME) &&
           (!sums_is_owner(sums, rank) || sums->sum_elements[rank] == ALL_CAME);
}

enum status sums_begin(struct sums *sums, uint64_t phase, uint32_t rank, uint32_t members,
                       uint32_t integer_count, uint32_t real_count, struct error *err)
{
    if (integer_count > FRAME_PAYLOAD_MAX / 2 / sizeof(int64_t))
        return fail(err, STATUS_LIMIT, "a phase sums %u integers, the limit is %zu", integer_count,
                    FRAME_PAYLOAD_MAX / 2 / sizeof(int64_t));
    sums->phase = phase;
    sums->rank = rank;
    sums->members = members;
    sums->integer_count = integer_count;
    sums->real_count = real_count;
    sums->owners = owners_of(sums);
    TRY(make_room(sums, err));
    sums->own = sums_segment(sums, rank);
    if (integer_count > 0)
        memset(sums->integers, 0, integer_count * sizeof(int64_t));
    if (real_count > 0)
        memset(sums->fixed, 0, real_count * sizeof(int64_t));
    memset(sums->partial_elements, 0, members * sizeof(uint32_t));
    memset(sums->sum_elements, 0, members * sizeof(uint32_t));
    sums->partials_missing = sums_is_owner(sums, rank) ? members - 1 : 0;
    sums->fixed_known = sums->integers_known = 0;
    sums->reals_known = 0;
    sums->sums_missing = 0;
    for (uint32_t other = 0; other < members; other++)
        sums->sums_missing += other != rank && sums_is_owner(sums, other);
    return STATUS_OK;
}

/* Wraps as the machine does: the learner's scale keeps true sums inside. Returns the sum of what
 * was added. */
static uint64_t add_integers(int64_t *sums, struct slice bytes)
{
    uint64_t added = 0;

    for (size_t i = 0; i < bytes.size / sizeof(int64_t); i++) {
        int64_t term;

        memcpy(&term, bytes.data + i * sizeof term, sizeof term);
        sums[i] = (int64_t)((uint64_t)sums[i] + (uint64_t)term);
        added += (uint64_t)term;
    }
    return added;
}

static enum status damaged(struct error *err)
{
    fail(err, STATUS_CORRUPT, "sums of this worker changed in memory by themselves");
    return error_hint(err, "A bit of this machine's memory was inverted: look at its hardware.");
}

static bool has_good_integers(const struct sums *sums)
{
    return words_sum_long(sums->integers, sums->integer_count) == sums->integers_known;
}

enum status sums_before_lanes(const struct sums *sums, struct error *err)
{
    return has_good_integers(sums) ? STATUS_OK : damaged(err);
}

void sums_after_lanes(struct sums *sums, uint64_t added)
{
    sums->fixed_known += added;
    sums->integers_known = words_sum_long(sums->integers, sums->integer_count);
}

enum status sums_end_lanes(struct sums *sums, struct error *err)
{
    const uint32_t end = sums->own.first + sums->own.count;
    uint64_t own, others;

    if (sums->members == 1)
        return sums_before_lanes(sums, err); /* all of it is looked at as totals, right after */
    own = words_sum_long(sums->fixed + sums->own.first, sums->own.count);
    others = words_sum_long(sums->fixed, sums->own.first) +
             words_sum_long(sums->fixed + end, sums->real_count - end);
    if (own + others != sums->fixed_known || !has_good_integers(sums))
        return damaged(err);
    sums->fixed_known = own;
    return STATUS_OK;
}

enum status sums_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                         struct error *err)
{
    const struct share own = sums->own;
    struct fixed_resolved resolved = {0, 0};

    if (own.count > 0)
        resolved = resolve(context, sums->fixed + own.first, own.first, own.count,
                           sums->reals + own.first);
    sums->reals_known += resolved.values;
    return resolved.sums == sums->fixed_known && has_good_integers(sums) ? STATUS_OK : damaged(err);
}

enum status sums_verify(const struct sums *sums, struct error *err)
{
    /* A member alone has written them right before. */
    if ((sums->members > 1 && words_sum(sums->reals, sums->real_count) != sums->reals_known) ||
        !has_good_integers(sums))
        return damaged(err);
    return STATUS_OK;
}

/* A piece must begin where the last one of its sender ended. */
static enum status check_piece(uint32_t *came, struct share segment, uint32_t first,
                               uint32_t elements, size_t integers, uint32_t integers_expected,
                               struct error *err)
{
    if (*came == ALL_CAME || first != segment.first + *came || elements > segment.count - *came ||
        integers != (*came == 0 ? integers_expected : 0))
        return fail(err, STATUS_PROTOCOL,
                    "elements %u+%u and %zu integers, expected the segment %u+%u after %u", first,
                    elements, integers, segment.first, segment.count, *came);
    if (elements == 0 && segment.count != 0)
        return fail(err, STATUS_PROTOCOL, "an empty piece of the segment %u+%u", segment.first,
                    segment.count);
    *came += elements;
    if (*came == segment.count)
        *came = ALL_CAME;
    return STATUS_OK;
}

enum status sums_add_partial(struct sums *sums, uint32_t from,
                             const struct message_partial *partial, struct error *err)
{
    uint32_t *came = &sums->partial_elements[from];
    uint32_t expected = sums->rank == 0 ? sums->integer_count : 0;
    uint32_t elements = (uint32_t)(partial->fixed.size / sizeof(int64_t));

    if (!sums_is_owner(sums, sums->rank))
        return fail(err, STATUS_PROTOCOL, "a partial sum for a member that owns nothing");
    TRY(check_piece(came, sums->own, partial->first, elements,
                    partial->integers.size / sizeof(int64_t), expected, err));
    sums->integers_known += add_integers(sums->integers, partial->integers);
    if (elements > 0)
        sums->fixed_known += add_integers(sums->fixed + partial->first, partial->fixed);
    if (*came == ALL_CAME)
        sums->partials_missing--;
    return STATUS_OK;
}

enum status sums_take_sum(struct sums *sums, uint32_t from, const struct message_sum *sum,
                          struct error *err)
{
    uint32_t *came = &sums->sum_elements[from];
    uint32_t expected = from == 0 ? sums->integer_count : 0;
    uint32_t elements = (uint32_t)(sum->reals.size / sizeof(float));

    if (!sums_is_owner(sums, from))
        return fail(err, STATUS_PROTOCOL, "a sum from a member that owns nothing");
    TRY(check_piece(came, sums_segment(sums, from), sum->first, elements,
                    sum->integers.size / sizeof(int64_t), expected, err));
    if (sum->integers.size > 0) {
        memcpy(sums->integers, sum->integers.data, sum->integers.size);
        sums->integers_known = words_sum_long(sums->integers, sums->integer_count);
    }
    if (elements > 0) {
        memcpy(sums->reals + sum->first, sum->reals.data, sum->reals.size);
        sums->reals_known += words_sum(sums->reals + sum->first, elements);
    }
    if (*came == ALL_CAME)
        sums->sums_missing--;
    return STATUS_OK;
}
