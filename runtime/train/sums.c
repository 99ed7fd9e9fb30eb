#include "runtime/train/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/words.h"
#include "runtime/train/sums_rows.h"

void sums_deinit(struct sums *sums)
{
    free(sums->integers);
    free(sums->elements);
    free(sums->owned);
    free(sums->row_values);
    touched_rows_deinit(&sums->touched);
    touched_rows_deinit(&sums->totals);
    free(sums->partial_arrivals);
    free(sums->sum_arrivals);
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

/* Zero, and memory only where something is written. */
static bool make_elements(struct sums *sums, uint32_t count)
{
    free(sums->elements);
    free(sums->owned);
    sums->elements = calloc(count, sizeof *sums->elements);
    sums->owned = calloc(count, sizeof *sums->owned);
    sums->element_capacity = sums->elements && sums->owned ? count : 0;
    return sums->element_capacity > 0;
}

static enum status make_room(struct sums *sums, uint64_t elements, struct error *err)
{
    if (sums->integer_count > sums->integer_capacity) {
        if (!grow(&sums->integers, sums->integer_count, sizeof(int64_t)))
            return fail_no_memory(err);
        sums->integer_capacity = sums->integer_count;
    }
    if (elements > sums->element_capacity && !make_elements(sums, (uint32_t)elements))
        return fail_no_memory(err);
    if (sums->members > sums->member_capacity) {
        if (!grow(&sums->partial_arrivals, sums->members, sizeof *sums->partial_arrivals) ||
            !grow(&sums->sum_arrivals, sums->members, sizeof *sums->sum_arrivals))
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

struct share sums_row_share(const struct sums *sums, uint32_t rank)
{
    return rank < sums->owners ? share_of(sums->table.rows, sums->owners, rank)
                               : (struct share){sums->table.rows, 0};
}

uint32_t sums_count_owners(uint32_t elements, uint32_t least, uint32_t members)
{
    const uint32_t worth = elements / (least > 0 ? least : 1);

    return worth < 1 ? 1 : worth < members ? worth : members;
}

bool sums_is_owner(const struct sums *sums, uint32_t rank)
{
    return rank == 0 || sums_segment(sums, rank).count > 0 || sums_row_share(sums, rank).count > 0;
}

bool sums_is_through(const struct sums *sums, uint32_t rank)
{
    return (!sums_is_owner(sums, sums->rank) || sums->partial_arrivals[rank].is_all) &&
           (!sums_is_owner(sums, rank) || sums->sum_arrivals[rank].is_all);
}

struct touched_rows *sums_touched(struct sums *sums)
{
    return sums->table.rows > 0 ? &sums->touched : NULL;
}

struct slice sums_total_bytes(const struct sums *sums, uint32_t first, uint32_t count)
{
    const size_t from = word_of(sums, first), to = word_of(sums, first + count);

    return (struct slice){(const char *)sums->owned + from * sizeof(float),
                          (to - from) * sizeof(float)};
}

struct phase_totals sums_totals(const struct sums *sums)
{
    const int64_t *owned = sums->members == 1 ? sums->elements : sums->owned;

    return (struct phase_totals){sums->integers, owned, sums->reals, sums_rows_totals(sums)};
}

static enum status check_counts(const struct phase *phase, struct error *err)
{
    if (phase->integer_count > FRAME_PAYLOAD_MAX / 2 / sizeof(int64_t))
        return fail(err, STATUS_LIMIT, "a phase sums %u integers, the limit is %zu",
                    phase->integer_count, FRAME_PAYLOAD_MAX / 2 / sizeof(int64_t));
    if (phase_elements(phase) > UINT32_MAX)
        return fail(
            err, STATUS_LIMIT, "a phase sums %u integers, %u reals and %u rows of %u in segments",
            phase->owned_count, phase->real_count, phase->table.touched_most, phase->table.width);
    return STATUS_OK;
}

/* Sets the elements that the phase before has left to 0. */
static void clear_elements(struct sums *sums, uint32_t dense_before)
{
    const uint32_t dense = element_count(sums);
    const uint32_t dirty = dense_before > dense ? dense_before : dense;

    if (dirty > 0)
        memset(sums->elements, 0, dirty * sizeof(int64_t));
}

enum status sums_begin(struct sums *sums, const struct phase *phase, uint32_t rank,
                       uint32_t members, struct error *err)
{
    const uint32_t dense_before = element_count(sums);

    TRY(check_counts(phase, err));
    sums_rows_clear(sums);
    sums->phase = phase->number;
    sums->rank = rank;
    sums->members = members;
    sums->integer_count = phase->integer_count;
    sums->owned_count = phase->owned_count;
    sums->real_count = phase->real_count;
    sums->owners = sums_count_owners((uint32_t)phase_elements(phase), sums->segment_least, members);
    TRY(make_room(sums, phase_elements(phase), err));
    TRY(sums_rows_begin(sums, &phase->table, err));
    sums->own = sums_segment(sums, rank);
    if (sums->integer_count > 0)
        memset(sums->integers, 0, sums->integer_count * sizeof(int64_t));
    clear_elements(sums, dense_before);
    if (phase_elements(phase) > 0)
        sums->reals = (float *)(sums->owned + sums->owned_count);
    memset(sums->partial_arrivals, 0, members * sizeof *sums->partial_arrivals);
    memset(sums->sum_arrivals, 0, members * sizeof *sums->sum_arrivals);
    sums->partials_missing = sums_is_owner(sums, rank) ? members - 1 : 0;
    sums->elements_known = sums->integers_known = 0;
    sums->totals_known = 0;
    sums->sums_missing = 0;
    for (uint32_t other = 0; other < members; other++)
        sums->sums_missing += other != rank && sums_is_owner(sums, other);
    return STATUS_OK;
}

uint64_t sums_add_integers(int64_t *sums, struct slice bytes)
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
    own = words_sum_long(sums->elements + sums->own.first, sums->own.count) +
          sums_rows_sum(sums, sums->own_rows);
    others = words_sum_long(sums->elements, sums->own.first) +
             words_sum_long(sums->elements + end, element_count(sums) - end) +
             sums_rows_sum_others(sums, sums->own_rows);
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
    const uint32_t first = own.first + owned - sums->owned_count; /* the reals', if there are any */
    struct fixed_resolved resolved = {0, 0};

    if (owned < own.count)
        resolved = resolve(context, sums->elements + own.first + owned, first, own.count - owned,
                           sums->reals + first);
    if (owned > 0 && sums->members == 1) { /* they stay where they are */
        resolved.sums += words_sum_long(sums->elements, owned);
    } else if (owned > 0) {
        memcpy(sums->owned + own.first, sums->elements + own.first, owned * sizeof(int64_t));
        resolved.sums += words_sum_long(sums->elements + own.first, owned);
        resolved.values += words_sum(sums->owned + own.first, (size_t)2 * owned);
    }
    sums_rows_resolve(sums, resolve, context, &resolved);
    sums->totals_known += resolved.values;
    return resolved.sums == sums->elements_known && has_good_integers(sums)
               ? STATUS_OK
               : memory_damaged(err, "sums");
}

enum status sums_verify(const struct sums *sums, struct error *err)
{
    /* A member alone has written them right before. */
    if ((sums->members > 1 &&
         words_sum(sums->owned, word_of(sums, element_count(sums))) + sums_rows_sum_totals(sums) !=
             sums->totals_known) ||
        !has_good_integers(sums))
        return memory_damaged(err, "sums");
    return STATUS_OK;
}

/* A part of a message to be checked, and its bounds. */
struct piece {
    struct share segment;
    uint32_t first, elements;
    size_t integers;
    uint32_t integers_expected; /* in the first one */
    struct sums_rows_piece rows;
};

static enum status fail_piece(const struct sums_arrival *came, const struct piece *piece,
                              struct error *err)
{
    return fail(err, STATUS_PROTOCOL,
                "elements %u+%u, %zu rows and %zu integers, expected the segment %u+%u after %u",
                piece->first, piece->elements, piece->rows.rows.size / sizeof(uint32_t),
                piece->integers, piece->segment.first, piece->segment.count, came->elements);
}

/* A piece must begin where the last one of its sender ended; rows come when all elements have. */
static enum status check_piece(const struct sums *sums, struct sums_arrival *came,
                               const struct piece *piece, struct error *err)
{
    const struct share segment = piece->segment;
    const bool brings_rows = piece->rows.rows.size > 0;

    if (came->is_all || piece->first != segment.first + came->elements ||
        piece->elements > segment.count - came->elements ||
        piece->integers != (came->has_begun ? 0 : piece->integers_expected))
        return fail_piece(came, piece, err);
    if (brings_rows && came->elements + piece->elements != segment.count)
        return fail_piece(came, piece, err);
    if (piece->elements == 0 && !brings_rows &&
        (came->has_begun || segment.count > 0 || piece->rows.left > 0))
        return fail(err, STATUS_PROTOCOL, "an empty piece of the segment %u+%u", segment.first,
                    segment.count);
    TRY(sums_rows_check(sums, came, &piece->rows, err));
    came->has_begun = true;
    came->elements += piece->elements;
    came->rows_left = piece->rows.left;
    came->is_all = came->elements == segment.count && came->rows_left == 0;
    return STATUS_OK;
}

enum status sums_add_partial(struct sums *sums, uint32_t from,
                             const struct message_partial *partial, struct error *err)
{
    struct sums_arrival *came = &sums->partial_arrivals[from];
    const uint32_t elements = (uint32_t)(partial->fixed.size / sizeof(int64_t));
    const struct piece piece = {
        .segment = sums->own,
        .first = partial->first,
        .elements = elements,
        .integers = partial->integers.size / sizeof(int64_t),
        .integers_expected = sums->rank == 0 ? sums->integer_count : 0,
        .rows = {sums->own_rows, &sums->touched, partial->rows,
                 partial->row_sums.size / sizeof(int64_t), partial->rows_left},
    };

    if (!sums_is_owner(sums, sums->rank))
        return fail(err, STATUS_PROTOCOL, "a partial sum for a member that owns nothing");
    TRY(check_piece(sums, came, &piece, err));
    sums->integers_known += sums_add_integers(sums->integers, partial->integers);
    if (elements > 0)
        sums->elements_known += sums_add_integers(sums->elements + partial->first, partial->fixed);
    sums_rows_add(sums, partial->rows, partial->row_sums);
    if (came->is_all)
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
    struct sums_arrival *came = &sums->sum_arrivals[from];
    const uint32_t elements = elements_of(sums, sum->first, sum->reals.size / sizeof(float));
    const struct piece piece = {
        .segment = sums_segment(sums, from),
        .first = sum->first,
        .elements = elements,
        .integers = sum->integers.size / sizeof(int64_t),
        .integers_expected = from == 0 ? sums->integer_count : 0,
        .rows = {sums_row_share(sums, from), &sums->totals, sum->rows,
                 sum->row_totals.size / sizeof(float), sum->rows_left},
    };

    if (!sums_is_owner(sums, from))
        return fail(err, STATUS_PROTOCOL, "a sum from a member that owns nothing");
    TRY(check_piece(sums, came, &piece, err));
    if (sum->integers.size > 0) {
        memcpy(sums->integers, sum->integers.data, sum->integers.size);
        sums->integers_known = words_sum_long(sums->integers, sums->integer_count);
    }
    if (elements > 0) {
        memcpy((float *)sums->owned + word_of(sums, sum->first), sum->reals.data, sum->reals.size);
        sums->totals_known += words_sum(sum->reals.data, sum->reals.size / sizeof(float));
    }
    sums_rows_take(sums, sum->rows, sum->row_totals);
    if (came->is_all)
        sums->sums_missing--;
    return STATUS_OK;
}
