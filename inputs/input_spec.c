#include "inputs/input_spec.h"

#include <string.h>

enum status input_spec_copy(const struct input_spec *spec, struct arena *arena,
                            struct input_spec *copy, struct error *err)
{
    double *bounds = ARENA_NEW(arena, double, spec->bound_count + (size_t)1);

    *copy = *spec;
    copy->name = arena_copy(arena, spec->name);
    copy->source = arena_copy(arena, spec->source);
    copy->bounds = bounds;
    copy->cross = spec->cross ? cross_copy(spec->cross, arena) : NULL;
    if (!copy->name.data || !copy->source.data || !bounds || (spec->cross && !copy->cross))
        return fail_no_memory(err);
    if (spec->bound_count > 0)
        memcpy(bounds, spec->bounds, spec->bound_count * sizeof *bounds);
    return STATUS_OK;
}

static bool same_bounds(const struct input_spec *a, const struct input_spec *b)
{
    if (a->bound_count != b->bound_count)
        return false;
    for (uint32_t i = 0; i < a->bound_count; i++)
        if (a->bounds[i] < b->bounds[i] || a->bounds[i] > b->bounds[i])
            return false;
    return true;
}

bool input_spec_equal(const struct input_spec *a, const struct input_spec *b)
{
    return slice_equal(a->name, b->name) && a->type == b->type &&
           slice_equal(a->source, b->source) && a->part == b->part &&
           cell_list_equal(&a->list, &b->list) && a->element == b->element &&
           a->reading == b->reading && a->offset == b->offset && a->rule == b->rule &&
           cross_equal(a->cross, b->cross) && same_bounds(a, b) &&
           a->vocabulary_max == b->vocabulary_max && a->words_max == b->words_max &&
           a->combiner == b->combiner && a->is_weighted == b->is_weighted &&
           a->model_part == b->model_part && a->dimension == b->dimension &&
           concat_equal(a->concat, b->concat) && a->keeps_codes == b->keeps_codes &&
           a->direction == b->direction && a->groups == b->groups;
}
