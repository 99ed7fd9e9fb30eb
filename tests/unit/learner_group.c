#include "tests/unit/learner_group.h"

#include "runtime/learners/learners.h"
#include "tests/check.h"

void group_open(struct group *group, const struct jobspec *spec, const struct dataset *dataset,
                uint32_t workers)
{
    struct error err;

    group->count = workers;
    for (uint32_t w = 0; w < workers; w++)
        CHECK_OK(learning_open(spec, dataset, NULL, &group->learners[w], &err));
}

void group_close(struct group *group)
{
    for (uint32_t w = 0; w < group->count; w++)
        group->learners[w].close(group->learners[w].self);
}

const struct phase *phase_of(const struct group *group)
{
    return group->learners[0].phase(group->learners[0].self);
}

void give_state(const struct learning *from, const struct learning *to)
{
    const uint64_t bytes = from->state_bytes(from->self);
    struct error err;
    struct text head;
    char piece[7];

    text_init(&head, TEXT_MAXIMUM);
    CHECK_OK(from->state_head(from->self, &head, &err));
    CHECK_OK(to->take_begin(to->self, text_slice(&head), bytes, &err));
    for (uint64_t at = 0; at < bytes; at += sizeof piece) {
        const size_t size = bytes - at < sizeof piece ? (size_t)(bytes - at) : sizeof piece;

        from->state_read(from->self, at, size, piece);
        to->take_piece(to->self, at, (struct slice){piece, size});
    }
    CHECK_OK(to->take_end(to->self, &err));
    CHECK(to->check(to->self) == from->check(from->self));
    text_deinit(&head);
}

void check_bad_states(const struct learning *from, const struct learning *to,
                      const struct learning *other)
{
    const uint64_t before = to->check(to->self);
    struct error err;
    struct text head;

    text_init(&head, TEXT_MAXIMUM);
    CHECK_OK(from->state_head(from->self, &head, &err));
    for (size_t size = 0; size < head.size; size++)
        CHECK_FAILS(to->take_begin(to->self, (struct slice){head.data, size},
                                   to->state_bytes(to->self), &err),
                    STATUS_CORRUPT, "state is not usable");
    for (size_t i = 0; i < head.size; i++) {
        head.data[i] ^= 4;
        CHECK_INT(to->take_begin(to->self, text_slice(&head), to->state_bytes(to->self), &err),
                  STATUS_CORRUPT);
        head.data[i] ^= 4;
    }
    CHECK_FAILS(to->take_begin(to->self, text_slice(&head), 1, &err), STATUS_CORRUPT,
                "another size");
    CHECK_OK(to->take_begin(to->self, text_slice(&head), to->state_bytes(to->self), &err));
    CHECK_FAILS(to->take_end(to->self, &err), STATUS_CORRUPT, "does not match"); /* no pieces */
    CHECK(to->check(to->self) == before);
    CHECK_FAILS(
        other->take_begin(other->self, text_slice(&head), other->state_bytes(other->self), &err),
        STATUS_CORRUPT, "it belongs to another job");
    text_deinit(&head);
}
