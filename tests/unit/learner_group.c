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
        learner_close(group->learners[w]);
}

const struct phase *phase_of(const struct group *group)
{
    return &group->learners[0]->phase;
}

void give_state(struct learner *from, struct learner *to)
{
    const uint64_t bytes = learner_state_bytes(from);
    struct error err;
    struct text head;
    char piece[7];

    text_init(&head, TEXT_MAXIMUM);
    CHECK_OK(learner_state_head(from, &head, &err));
    CHECK_OK(learner_take_begin(to, text_slice(&head), bytes, &err));
    for (uint64_t at = 0; at < bytes; at += sizeof piece) {
        const size_t size = bytes - at < sizeof piece ? (size_t)(bytes - at) : sizeof piece;

        learner_state_read(from, at, size, piece);
        learner_take_piece(to, at, (struct slice){piece, size});
    }
    CHECK_OK(learner_take_end(to, &err));
    CHECK(learner_check(to) == learner_check(from));
    text_deinit(&head);
}

void check_bad_states(struct learner *from, struct learner *to, struct learner *other)
{
    const uint64_t before = learner_check(to);
    struct error err;
    struct text head;

    text_init(&head, TEXT_MAXIMUM);
    CHECK_OK(learner_state_head(from, &head, &err));
    for (size_t size = 0; size < head.size; size++)
        CHECK_FAILS(
            learner_take_begin(to, (struct slice){head.data, size}, learner_state_bytes(to), &err),
            STATUS_CORRUPT, "state is not usable");
    for (size_t i = 0; i < head.size; i++) {
        head.data[i] ^= 4;
        CHECK_INT(learner_take_begin(to, text_slice(&head), learner_state_bytes(to), &err),
                  STATUS_CORRUPT);
        head.data[i] ^= 4;
    }
    CHECK_FAILS(learner_take_begin(to, text_slice(&head), 1, &err), STATUS_CORRUPT, "another size");
    CHECK_OK(learner_take_begin(to, text_slice(&head), learner_state_bytes(to), &err));
    CHECK_FAILS(learner_take_end(to, &err), STATUS_CORRUPT, "does not match"); /* no pieces */
    CHECK(learner_check(to) == before);
    CHECK_FAILS(learner_take_begin(other, text_slice(&head), learner_state_bytes(other), &err),
                STATUS_CORRUPT, "it belongs to another job");
    text_deinit(&head);
}
