#include "interop/formulas/character_runs.h"

#include "inputs/cells/characters.h"

struct class_run class_run_of(uint32_t first)
{
    struct class_run run = {first, first, text_character_class(first)};

    while (run.last + 1 < CHARACTER_POINTS && text_character_class(run.last + 1) == run.class)
        run.last++;
    return run;
}

static int32_t shift_of(uint32_t point)
{
    return (int32_t)(character_small(point) - point);
}

bool capital_run_find(uint32_t first, struct capital_run *run)
{
    while (first < CHARACTER_POINTS && shift_of(first) == 0)
        first++;
    if (first == CHARACTER_POINTS)
        return false;
    *run = (struct capital_run){.first = first, .last = first, .shift = shift_of(first)};
    run->step = shift_of(first + 1) == run->shift ? 1 : 2;
    while (shift_of(run->last + run->step) == run->shift &&
           (run->step == 1 || shift_of(run->last + 1) == 0))
        run->last += run->step;
    return true;
}
