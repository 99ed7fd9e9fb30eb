#include "runtime/process/staffing.h"

void staffing_init(struct staffing *staffing, uint32_t least, uint32_t most, uint32_t slots)
{
    *staffing = (struct staffing){
        .least = least, .most = most, .wanted = most, .slots = slots, .lanes = STAFFING_UNLIMITED};
}

enum status staffing_want(struct staffing *staffing, int64_t workers, struct error *err)
{
    if (workers < (int64_t)staffing->least || workers > (int64_t)staffing->most) {
        if (staffing->least == staffing->most)
            fail(err, STATUS_INVALID, "the job has %u workers, not %lld", staffing->most,
                 (long long)workers);
        else
            fail(err, STATUS_INVALID, "the job has %u to %u workers, not %lld", staffing->least,
                 staffing->most, (long long)workers);
        return error_hint(err, "The range is job.min_workers to job.max_workers of its statement.");
    }
    staffing->wanted = (uint32_t)workers;
    staffing->version++;
    return STATUS_OK;
}

static uint32_t count(const struct staffing *staffing, const enum place *places, enum place what)
{
    uint32_t found = 0;

    for (uint32_t index = 0; index < staffing->most; index++)
        found += places[index] == what;
    return found;
}

uint32_t staffing_slots_used(const struct staffing *staffing, const enum place *places)
{
    return count(staffing, places, PLACE_RUNNING) + count(staffing, places, PLACE_LEAVING);
}

uint32_t staffing_useful(const struct staffing *staffing)
{
    const uint32_t lanes = staffing->lanes > staffing->least ? staffing->lanes : staffing->least;

    return staffing->wanted < lanes ? staffing->wanted : lanes;
}

struct staffing_step staffing_next(const struct staffing *staffing, const enum place *places)
{
    const uint32_t running = count(staffing, places, PLACE_RUNNING);
    const uint32_t used = staffing_slots_used(staffing, places);
    const uint32_t useful = staffing_useful(staffing);
    const uint32_t target = useful < staffing->slots ? useful : staffing->slots;

    if (running > target)
        for (uint32_t index = staffing->most; index-- > 0;)
            if (places[index] == PLACE_RUNNING)
                return (struct staffing_step){STAFFING_STOP, index};
    if (running < target && used < staffing->slots)
        for (uint32_t index = 0; index < staffing->most; index++)
            if (places[index] == PLACE_EMPTY)
                return (struct staffing_step){STAFFING_START, index};
    return (struct staffing_step){STAFFING_NOTHING, 0};
}
