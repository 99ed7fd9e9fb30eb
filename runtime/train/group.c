#include "runtime/train/group.h"

#include <stdlib.h>
#include <string.h>

void group_deinit(struct group *group)
{
    free(group->members);
    *group = (struct group){.epoch = 0};
}

enum status group_resize(struct group *group, uint32_t count, struct error *err)
{
    if (count > group->capacity) {
        struct member *grown = realloc(group->members, count * sizeof *grown);

        if (!grown)
            return fail_no_memory(err);
        group->members = grown;
        group->capacity = count;
    }
    group->count = count;
    return STATUS_OK;
}

enum status group_read(struct group *group, const struct message *message, uint32_t index,
                       uint32_t lanes, struct error *err)
{
    const struct message_group *body = &message->group;
    struct byte_reader reader = byte_reader_over(body->members);
    struct message_member member;
    uint32_t dealt = 0;

    TRY(group_resize(group, body->member_count, err));
    group->epoch = message->epoch;
    group->rank = group->count;
    for (uint32_t rank = 0; rank < group->count; rank++) {
        struct member *into = &group->members[rank];

        message_next_member(&reader, &member);
        into->index = member.index;
        into->first_lane = member.first_lane;
        into->lane_count = member.lane_count;
        memcpy(into->address, member.address.data, member.address.size);
        into->address[member.address.size] = '\0';
        if (member.index == index)
            group->rank = rank;
        dealt += member.lane_count;
    }
    if (group->rank == group->count)
        return fail(err, STATUS_PROTOCOL, "a group of %u others, without worker %u", group->count,
                    index);
    if (dealt != lanes)
        return fail(err, STATUS_PROTOCOL, "a group that shares %u lanes of %u", dealt, lanes);
    return STATUS_OK;
}
