#include "tests/check.h"

#include "runtime/train/sums.h"

static struct message_partial partial_of(uint32_t first, const void *integers, size_t integer_bytes,
                                         const void *fixed, size_t fixed_bytes)
{
    return (struct message_partial){
        .first = first,
        .integers = {integers, integer_bytes},
        .fixed = {fixed, fixed_bytes},
    };
}

static struct message_sum sum_of(uint32_t first, const void *integers, size_t integer_bytes,
                                 const void *reals, size_t real_bytes)
{
    return (struct message_sum){
        .first = first,
        .integers = {integers, integer_bytes},
        .reals = {reals, real_bytes},
    };
}

static enum status begin(struct sums *sums, uint64_t number, uint32_t rank, uint32_t members,
                         uint32_t integers, uint32_t reals, struct error *err)
{
    const struct phase phase = {.number = number, .integer_count = integers, .real_count = reals};

    return sums_begin(sums, &phase, rank, members, err);
}

static void shares_cover_everything_and_differ_by_one_at_most(void **state)
{
    (void)state;
    for (uint32_t total = 0; total < 40; total++) {
        for (uint32_t count = 1; count < 12; count++) {
            uint32_t next = 0;

            for (uint32_t rank = 0; rank < count; rank++) {
                struct share share = share_of(total, count, rank);

                CHECK_INT(share.first, next);
                CHECK(share.count == total / count || share.count == total / count + 1);
                next += share.count;
            }
            CHECK_INT(next, total);
        }
    }
}

static void partials_in_any_order_and_in_pieces_give_the_totals(void **state)
{
    const int64_t counts[] = {5}, left[] = {10, 20}, right[] = {100}, more[] = {1000, 2000};
    struct sums sums = {.phase = 0};
    struct message_partial message;
    struct error err;
    (void)state;

    /* three members, six reals: rank 0 owns [0, 2) and the integers */
    CHECK_OK(begin(&sums, 4, 0, 3, 1, 6, &err));
    sums.integers[0] = 1;
    sums.elements[0] = 7;
    message = partial_of(0, counts, sizeof counts, more, sizeof more);
    CHECK_OK(sums_add_partial(&sums, 2, &message, &err));
    message = partial_of(0, counts, sizeof counts, left, sizeof *left);
    CHECK_OK(sums_add_partial(&sums, 1, &message, &err));
    CHECK_INT(sums.partials_missing, 1);
    message = partial_of(1, NULL, 0, right, sizeof right);
    CHECK_OK(sums_add_partial(&sums, 1, &message, &err));
    CHECK_INT(sums.partials_missing, 0);
    CHECK(sums.integers[0] == 11 && sums.elements[0] == 1017 && sums.elements[1] == 2100);
    sums_deinit(&sums);
}

/* Segments in rank order and without a gap, as many as are worth it. */
static void check_owners(uint32_t members, uint32_t reals, uint32_t least, uint32_t expected)
{
    struct sums sums = {.segment_least = least};
    uint32_t owners = 0, next = 0;
    struct error err;

    CHECK_OK(begin(&sums, 1, 0, members, 1, reals, &err));
    for (uint32_t rank = 0; rank < members; rank++) {
        struct share segment = sums_segment(&sums, rank);

        CHECK_INT(segment.first, next);
        CHECK(segment.count == 0 || segment.count >= least || rank == 0);
        next += segment.count;
        owners += sums_is_owner(&sums, rank);
    }
    CHECK_INT(next, reals);
    CHECK_INT(owners, expected);
    CHECK_INT(sums.sums_missing, expected - 1);
    sums_deinit(&sums);
}

static void a_short_vector_has_few_owners(void **state)
{
    (void)state;
    check_owners(8, 5, 1024, 1);
    check_owners(8, 1024, 1024, 1);
    check_owners(8, 2048, 1024, 2);
    check_owners(8, 5000, 1024, 4);
    check_owners(8, 100000, 1024, 8);
    check_owners(8, 5, 0, 5);
    check_owners(1, 0, 1024, 1);
}

static void a_phase_without_reals_needs_rank_0_only(void **state)
{
    const int64_t totals[] = {9};
    struct sums sums = {.phase = 0};
    struct message_sum message;
    struct error err;
    (void)state;

    CHECK_OK(begin(&sums, 1, 2, 3, 1, 0, &err));
    CHECK(sums_is_owner(&sums, 0) && !sums_is_owner(&sums, 1) && !sums_is_owner(&sums, 2));
    CHECK_INT(sums.partials_missing, 0);
    CHECK_INT(sums.sums_missing, 1);
    message = sum_of(0, totals, sizeof totals, NULL, 0);
    CHECK_OK(sums_take_sum(&sums, 0, &message, &err));
    CHECK(sums.sums_missing == 0 && sums.integers[0] == 9);
    sums_deinit(&sums);
}

static void what_does_not_continue_the_senders_segment_is_refused(void **state)
{
    const int64_t numbers[8] = {1};
    struct sums sums = {.phase = 0};
    struct message_partial message;
    struct message_sum sum;
    struct error err;
    (void)state;

    CHECK_OK(begin(&sums, 4, 0, 2, 1, 8, &err));
    message = partial_of(1, numbers, 8, numbers, 8); /* not at its beginning */
    CHECK(sums_add_partial(&sums, 1, &message, &err) == STATUS_PROTOCOL);
    message = partial_of(0, numbers, 8, numbers, 40); /* longer than the segment */
    CHECK(sums_add_partial(&sums, 1, &message, &err) == STATUS_PROTOCOL);
    message = partial_of(0, NULL, 0, numbers, 8); /* without the integers */
    CHECK(sums_add_partial(&sums, 1, &message, &err) == STATUS_PROTOCOL);
    message = partial_of(0, numbers, 8, NULL, 0); /* nothing of the segment */
    CHECK(sums_add_partial(&sums, 1, &message, &err) == STATUS_PROTOCOL);
    CHECK(sums.integers[0] == 0 && sums.elements[0] == 0);
    message = partial_of(0, numbers, 8, numbers, 32);
    CHECK_OK(sums_add_partial(&sums, 1, &message, &err));
    CHECK(sums_add_partial(&sums, 1, &message, &err) == STATUS_PROTOCOL); /* twice */
    CHECK_INT(sums.integers[0], 1);
    sum = sum_of(0, NULL, 0, numbers, 16); /* a sum of rank 0's own segment */
    CHECK(sums_take_sum(&sums, 1, &sum, &err) == STATUS_PROTOCOL);
    sums_deinit(&sums);
}

static void sums_wrap_instead_of_trapping(void **state)
{
    const int64_t one[] = {1};
    struct sums sums = {.phase = 0};
    struct message_partial message = partial_of(0, NULL, 0, one, sizeof one);
    struct error err;
    (void)state;

    CHECK_OK(begin(&sums, 1, 0, 2, 0, 2, &err));
    sums.elements[0] = INT64_MAX;
    CHECK_OK(sums_add_partial(&sums, 1, &message, &err));
    CHECK(sums.elements[0] == INT64_MIN);
    sums_deinit(&sums);
}

static void a_member_that_owns_nothing_sends_and_takes_no_totals(void **state)
{
    const int64_t numbers[1] = {1};
    struct sums sums = {.segment_least = 1024};
    struct message_sum message = sum_of(0, NULL, 0, numbers, sizeof *numbers);
    struct message_partial partial;
    struct error err;
    (void)state;

    CHECK_OK(begin(&sums, 1, 0, 3, 1, 8, &err)); /* rank 0 owns all eight */
    CHECK_INT(sums.sums_missing, 0);
    message.first = 8; /* where the empty segments of the others are */
    CHECK_FAILS(sums_take_sum(&sums, 1, &message, &err), STATUS_PROTOCOL, "owns nothing");
    message = sum_of(8, NULL, 0, NULL, 0);
    CHECK_FAILS(sums_take_sum(&sums, 1, &message, &err), STATUS_PROTOCOL, "owns nothing");
    CHECK_INT(sums.sums_missing, 0);

    CHECK_OK(begin(&sums, 1, 1, 3, 1, 8, &err)); /* and so rank 1 adds up nothing */
    CHECK_INT(sums.partials_missing, 0);
    partial = partial_of(8, NULL, 0, NULL, 0);
    CHECK_FAILS(sums_add_partial(&sums, 2, &partial, &err), STATUS_PROTOCOL, "owns nothing");
    CHECK_INT(sums.partials_missing, 0);
    sums_deinit(&sums);
}

/* A group of two, the own lanes computed: what each kind of memory holds is known. */
static void open_sums(struct sums *sums, uint32_t members)
{
    struct error err;

    memset(sums, 0, sizeof *sums);
    sums->segment_least = 1;
    CHECK_OK(begin(sums, 3, 0, members, 2, 8, &err));
    for (uint32_t i = 0; i < 8; i++)
        sums->elements[i] = -1000 + (int64_t)i * i;
    sums->integers[0] = 17;
    sums_after_lanes(sums, (uint64_t)(-8000 + 140));
}

static struct fixed_resolved as_floats(const void *context, const int64_t *fixed, uint32_t first,
                                       uint32_t count, float *reals)
{
    (void)context;
    (void)first;
    return fixed_resolve(fixed, count, 0, reals);
}

static void a_bit_that_changes_in_sums_is_found_before_they_are_used(void **state)
{
    struct error err;
    (void)state;

    for (uint32_t members = 1; members <= 2; members++) {
        for (uint32_t bit = 0; bit < 8 * 8 * 8; bit++) {
            struct sums sums;
            enum status ends;

            open_sums(&sums, members);
            CHECK_OK(sums_before_lanes(&sums, &err));
            ((uint8_t *)sums.elements)[bit / 8] ^= (uint8_t)(1u << bit % 8);
            ends = sums_end_lanes(&sums, &err);
            CHECK(ends == STATUS_CORRUPT ||
                  sums_resolve(&sums, as_floats, NULL, &err) == STATUS_CORRUPT);
            sums_deinit(&sums);
        }
    }
}

static void a_bit_that_changes_in_the_integers_of_sums_is_found(void **state)
{
    struct error err;
    struct sums sums;
    (void)state;

    open_sums(&sums, 2);
    sums.integers[1] ^= (int64_t)1 << 62;
    CHECK_INT(sums_before_lanes(&sums, &err), STATUS_CORRUPT);
    CHECK_INT(sums_end_lanes(&sums, &err), STATUS_CORRUPT);
    CHECK_INT(sums_verify(&sums, &err), STATUS_CORRUPT);
    sums_deinit(&sums);
}

static void a_bit_that_changes_in_what_will_be_applied_is_found(void **state)
{
    const int64_t partial[4] = {1, 2, 3, 4}, integers[2] = {5, 6};
    const float others[4] = {1.5F, 2, 3, 4};
    struct error err;
    struct sums sums;
    struct message_partial sent;
    struct message_sum sum;
    (void)state;

    open_sums(&sums, 2);
    CHECK_OK(sums_end_lanes(&sums, &err));
    sent = partial_of(0, integers, sizeof integers, partial, sizeof partial);
    CHECK_OK(sums_add_partial(&sums, 1, &sent, &err));
    CHECK_OK(sums_resolve(&sums, as_floats, NULL, &err));
    sum = sum_of(4, NULL, 0, others, sizeof others);
    CHECK_OK(sums_take_sum(&sums, 1, &sum, &err));
    CHECK_OK(sums_verify(&sums, &err));
    ((uint8_t *)sums.reals)[21] ^= 8;
    CHECK_INT(sums_verify(&sums, &err), STATUS_CORRUPT);
    sums_deinit(&sums);
}

/* One member's part of a phase of three owned integers and four reals. */
static void open_owned(struct sums *sums, uint32_t rank)
{
    const struct phase phase = {.number = 5, .integer_count = 1, .owned_count = 3, .real_count = 4};
    struct error err;

    CHECK_OK(sums_begin(sums, &phase, rank, 3, &err));
    sums->integers[0] = 1;
    for (uint32_t i = 0; i < 7; i++)
        sums->elements[i] = INT64_MAX / 4 + (int64_t)(i + rank);
    sums_after_lanes(sums, (uint64_t)7 * (INT64_MAX / 4) + 21 + 7 * rank);
}

/* Rank 0 owns two of the integers and one is in the segment of rank 1, beside two reals' places. */
static void owned_integers_reach_their_owner_and_everybody_whole(void **state)
{
    struct sums sums[3] = {{.phase = 0}, {.phase = 0}, {.phase = 0}};
    struct error err;
    (void)state;

    for (uint32_t rank = 0; rank < 3; rank++)
        open_owned(&sums[rank], rank);
    for (uint32_t to = 0; to < 3; to++) {
        const struct share segment = sums_segment(&sums[0], to);

        for (uint32_t from = 0; from < 3; from++) {
            const struct message_partial partial =
                partial_of(segment.first, sums[from].integers, to == 0 ? sizeof(int64_t) : 0,
                           sums[from].elements + segment.first, segment.count * sizeof(int64_t));

            if (from == to)
                CHECK_OK(sums_end_lanes(&sums[to], &err));
            else
                CHECK_OK(sums_add_partial(&sums[to], from, &partial, &err));
        }
    }
    for (uint32_t rank = 0; rank < 3; rank++)
        CHECK_OK(sums_resolve(&sums[rank], as_floats, NULL, &err));
    for (uint32_t from = 0; from < 3; from++) {
        const struct share segment = sums_segment(&sums[0], from);

        for (uint32_t to = 0; to < 3; to++) {
            for (uint32_t i = 0; to != from && i < segment.count; i++) { /* an element a piece */
                const struct slice total = sums_total_bytes(&sums[from], segment.first + i, 1);
                const struct message_sum sum =
                    sum_of(segment.first + i, sums[0].integers,
                           from == 0 && i == 0 ? sizeof(int64_t) : 0, total.data, total.size);

                CHECK_INT(total.size, segment.first + i < 3 ? 8 : 4);
                CHECK_OK(sums_take_sum(&sums[to], from, &sum, &err));
            }
        }
    }
    for (uint32_t rank = 0; rank < 3; rank++) {
        const struct phase_totals totals = sums_totals(&sums[rank]);

        CHECK_OK(sums_verify(&sums[rank], &err));
        CHECK_INT(sums[rank].sums_missing, 0);
        CHECK_INT(totals.integers[0], 3);
        for (int64_t i = 0; i < 3; i++)
            CHECK(totals.owned[i] == INT64_MAX / 4 * 3 + 3 * i + 3);
        for (int64_t i = 3; i < 7; i++)
            CHECK(totals.reals[i - 3] == (float)(INT64_MAX / 4 * 3 + 3 * i + 3));
        ((uint8_t *)sums[rank].owned)[17] ^= 1;
        CHECK_INT(sums_verify(&sums[rank], &err), STATUS_CORRUPT);
        sums_deinit(&sums[rank]);
    }
}

static void half_an_owned_integer_is_refused(void **state)
{
    const int64_t numbers[4] = {1, 2, 3, 4};
    struct sums sums = {.phase = 0};
    struct message_sum sum;
    struct error err;
    (void)state;

    open_owned(&sums, 2);
    sum = sum_of(0, numbers, 8, numbers, 12);
    CHECK_INT(sums_take_sum(&sums, 0, &sum, &err), STATUS_PROTOCOL);
    sum = sum_of(0, numbers, 8, numbers, 32); /* into the segment of rank 1 */
    CHECK_INT(sums_take_sum(&sums, 0, &sum, &err), STATUS_PROTOCOL);
    sum = sum_of(0, numbers, 8, numbers, 8);
    CHECK_OK(sums_take_sum(&sums, 0, &sum, &err));
    sums_deinit(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_cover_everything_and_differ_by_one_at_most),
        cmocka_unit_test(partials_in_any_order_and_in_pieces_give_the_totals),
        cmocka_unit_test(a_short_vector_has_few_owners),
        cmocka_unit_test(a_phase_without_reals_needs_rank_0_only),
        cmocka_unit_test(what_does_not_continue_the_senders_segment_is_refused),
        cmocka_unit_test(sums_wrap_instead_of_trapping),
        cmocka_unit_test(a_member_that_owns_nothing_sends_and_takes_no_totals),
        cmocka_unit_test(a_bit_that_changes_in_sums_is_found_before_they_are_used),
        cmocka_unit_test(a_bit_that_changes_in_the_integers_of_sums_is_found),
        cmocka_unit_test(a_bit_that_changes_in_what_will_be_applied_is_found),
        cmocka_unit_test(owned_integers_reach_their_owner_and_everybody_whole),
        cmocka_unit_test(half_an_owned_integer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
