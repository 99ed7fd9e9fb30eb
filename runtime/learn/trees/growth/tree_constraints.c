#include "runtime/learn/trees/growth/tree_constraints.h"

#include <stdlib.h>
#include <string.h>

enum status tree_constraints_init(struct tree_constraints *constraints, const struct jobspec *spec,
                                  const struct tree_bins *bins, struct error *err)
{
    const size_t count = bins->column_count;
    bool has_directions = false, has_groups = false;

    for (size_t i = 0; i < spec->input_count; i++) {
        has_directions = has_directions || spec->inputs[i].direction != 0;
        has_groups = has_groups || spec->inputs[i].groups != 0;
    }
    *constraints = (struct tree_constraints){
        .column_count = bins->column_count,
        .directions = has_directions ? calloc(count + 1, sizeof(int8_t)) : NULL,
        .groups = has_groups ? calloc(count + 1, sizeof(uint64_t)) : NULL,
    };
    if ((has_directions && !constraints->directions) || (has_groups && !constraints->groups)) {
        tree_constraints_deinit(constraints);
        return fail_no_memory(err);
    }
    for (size_t c = 0; c < count; c++) {
        const struct input_spec *input = &spec->inputs[bins->columns[c].input];

        if (has_directions)
            constraints->directions[c] = input->direction;
        if (has_groups)
            constraints->groups[c] = input->groups;
    }
    return STATUS_OK;
}

void tree_constraints_deinit(struct tree_constraints *constraints)
{
    free(constraints->directions);
    free(constraints->groups);
    *constraints = (struct tree_constraints){0};
}

/* A column that is in no group has no groups above it either, and is all that is above. */
void tree_constraints_narrow(const struct tree_constraints *constraints, struct tree_above above,
                             uint8_t *allowed)
{
    if (!constraints->groups || above.is_root)
        return;
    for (uint32_t c = 0; c < constraints->column_count; c++)
        if (!(constraints->groups[c] & above.groups) && c != above.column)
            allowed[c] = 0;
}

struct tree_above tree_constraints_below(const struct tree_constraints *constraints,
                                         struct tree_above above, uint32_t column)
{
    const uint64_t groups = constraints->groups ? constraints->groups[column] : 0;

    return (struct tree_above){.groups = above.is_root ? groups : above.groups & groups,
                               .column = column};
}
