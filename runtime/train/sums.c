#include "runtime/train/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

#define ALL_CAME UINT32_MAX

void sums_deinit(struct sums *sums)
{
    free(sums->integers);
    free(sums->elements);
    free(sums->owned);
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

static uint32_t element_count(const struct sums *sums)
{
    return sums->owned_count + sums->real_count;
}

/* Where the total of an element begins among the words of totals. */
static size_t word_of(const struct sums *sums, uint32_t element)
{
    return (size_t)element + (element < sums->owned_count ? element : sums->owned_count);
}

static enum status make_room(struct sums *sums, struct error *err)
{
    if (sums->integer_count > sums->integer_capacity) {
        if (!grow(&sums->integers, sums->integer_count, sizeof(int64_t)))
            return fail_no_memory(err);
        sums->integer_capacity = sums->integer_count;
    }
    if (element_count(sums) > sums->element_capacity) {
        if (!grow(&sums->elements, element_count(sums), sizeof(int64_t)) ||
            !grow(&sums->owned, element_count(sums), sizeof(int64_t)))
            return fail_no_memory(err);
        sums->element_capacity = element_count(sums);
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
    return rank < sums->owners ? share_of(element_count(sums), sums->owners, rank)
                               : (struct share){element_count(sums), 0};
}

uint32_t sums_count_owners(uint32_t elements, uint32_t least, uint32_t members)
{
    const uint32_t worth = elements / (least > 0 ? least : 1);

    return worth < 1 ? 1 : worth < members ? worth : members;
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

struct slice sums_total_bytes(const struct sums *sums, uint32_t first, uint32_t count)
{
    const size_t from = word_of(sums, first), to = word_of(sums, first + count);

    return (struct slice){(const char *)sums->owned + from * sizeof(float),
                          (to - from) * sizeof(float)};
}

struct phase_totals sums_totals(const struct sums *sums)
{
    return (struct phase_totals){sums->integers, sums->owned, sums->reals};
}

enum status sums_begin(struct sums *sums, const struct phase *phase, uint32_t rank,
                       uint32_t members, struct error *err)
{
    if (phase->integer_count > FRAME_PAYLOAD_MAX / 2 / sizeof(int64_t))
        return fail(err, STATUS_LIMIT, "a phase sums %u integers, the limit is %zu",
                    phase->integer_count, FRAME_PAYLOAD_MAX / 2 / sizeof(int64_t));
    if (phase->owned_count > UINT32_MAX - phase->real_count)
        return fail(err, STATUS_LIMIT, "a phase sums %u integers and %u reals in segments",
                    phase->owned_count, phase->real_count);
    sums->phase = phase->number;
    sums->rank = rank;
    sums->members = members;
    sums->integer_count = phase->integer_count;
    sums->owned_count = phase->owned_count;
    sums->real_count = phase->real_count;
    sums->owners = sums_count_owners(element_count(sums), sums->segment_least, members);
    TRY(make_room(sums, err));
    sums->own = sums_segment(sums, rank);
    if (sums->integer_count > 0)
        memset(sums->integers, 0, sums->integer_count * sizeof(int64_t));
    if (element_count(sums) > 0) {
        memset(sums->elements, 0, element_count(sums) * sizeof(int64_t));
        sums->reals = (float *)(sums->owned + sums->owned_count);
    }
    memset(sums->partial_elements, 0, members * sizeof(uint32_t));
    memset(sums->sum_elements, 0, members * sizeof(uint32_t));
    sums->partials_missing = sums_is_owner(sums, rank) ? members - 1 : 0;
    sums->elements_known = sums->integers_known = 0;
    sums->totals_known = 0;
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

static bool has_good_integers(const struct sums *sums)
{
    return words_sum_long(sums->integers, sums->integer_count) == sums->integers_known;
}

enum status sums_before_lanes(const struct sums *sums, struct error *err)
{
    return has_good_integers(sums) ? STATUS_OK : memory_damaged(err, "sums");
}

void sums_after_lanes(struct sums *sums, uint64_t added)
{
    sums->elements_known += added;
    sums->integers_known = words_sum_long(sums->integers, sums->integer_count);
}

enum status sums_end_lanes(struct sums *sums, struct error *err)
{
    const uint32_t end = sums->own.first + sums->own.count;
    uint64_t own, others;

    if (sums->members == 1)
        return sums_before_lanes(sums, err); /* all of it is looked at as totals, right after */
    own = words_sum_long(sums->elements + sums->own.first, sums->own.count);
    others = words_sum_long(sums->elements, sums->own.first) +
             words_sum_long(sums->elements + end, element_count(sums) - end);
    if (own + others != sums->elements_known || !has_good_integers(sums))
        return memory_damaged(err, "sums");
    sums->elements_known = own;
    return STATUS_OK;
}

enum status sums_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                         struct error *err)
{
    const struct share own = sums->own;
    const uint32_t end = own.first + own.count;
    const uint32_t owned_end = end < sums->owned_count ? end : sums->owned_count;
    const uint32_t owned = own.first < owned_end ? owned_end - own.first : 0;
    const uint32_t first =
        own.first + owned - sums->owned_count; /* of the reals, if there are any */
    struct fixed_resolved resolved = {0, 0};

    if (owned < own.count)
        resolved = resolve(context, sums->elements + own.first + owned, first, own.count - owned,
                           sums->reals + first);
    if (owned > 0) {
        memcpy(sums->owned + own.first, sums->elements + own.first, owned * sizeof(int64_t));
        resolved.sums += words_sum_long(sums->elements + own.first, owned);
        resolved.values += words_sum(sums->owned + own.first, (size_t)2 * owned);
    }
    sums->totals_known += resolved.values;
    return resolved.sums == sums->elements_known && has_good_integers(sums)
               ? STATUS_OK
               : memory_damaged(err, "sums");
}

enum status sums_verify(const struct sums *sums, struct error *err)
{
    /* A member alone has written them right before. */
    if ((sums->members > 1 &&
         words_sum(sums->owned, word_of(sums, element_count(sums))) != sums->totals_known) ||
        !has_good_integers(sums))
        return memory_damaged(err, "sums");
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
        sums->elements_known += add_integers(sums->elements + partial->first, partial->fixed);
    if (*came == ALL_CAME)
        sums->partials_missing--;
    return STATUS_OK;
}

/* How many elements so many words of totals are, from an element on; UINT32_MAX: half of one. */
static uint32_t elements_of(const struct sums *sums, uint32_t first, size_t words)
{
    const size_t owned = first < sums->owned_count ? sums->owned_count - first : 0;

    if (words >= 2 * owned)
        return (uint32_t)(words - owned);
    return words % 2 == 0 ? (uint32_t)(words / 2) : UINT32_MAX;
}

enum status sums_take_sum(struct sums *sums, uint32_t from, const struct message_sum *sum,
                          struct error *err)
{
    uint32_t *came = &sums->sum_elements[from];
    uint32_t expected = from == 0 ? sums->integer_count : 0;
    uint32_t elements = elements_of(sums, sum->first, sum->reals.size / sizeof(float));

    if (!sums_is_owner(sums, from))
        return fail(err, STATUS_PROTOCOL, "a sum from a member that owns nothing");
    TRY(check_piece(came, sums_segment(sums, from), sum->first, elements,
                    sum->integers.size / sizeof(int64_t), expected, err));
    if (sum->integers.size > 0) {
        memcpy(sums->integers, sum->integers.data, sum->integers.size);
        sums->integers_known = words_sum_long(sums->integers, sums->integer_count);
    }
    if (elements > 0) {
        memcpy((float *)sums->owned + word_of(sums, sum->first), sum->reals.data, sum->reals.size);
        sums->totals_known += words_sum(sum->reals.data, sum->reals.size / sizeof(float));
    }
    if (*came == ALL_CAME)
        sums->sums_missing--;
    return STATUS_OK;
}
