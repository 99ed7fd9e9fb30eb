#include "scoring/label_names.h"

struct slice label_name(const struct cell *class, char buffer[TRANSFORM_WORD_BUFFER])
{
    struct slice word = {0};
    struct error ignored;
    bool is_null;

    cell_to_word(class, SLICE(""), buffer, &word, &is_null, &ignored);
    return word;
}

enum status label_names(const struct labels *labels, struct arena *arena, struct slice **names,
                        struct error *err)
{
    *names = ARENA_NEW(arena, struct slice, labels->count + 1u);
    if (!*names)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < labels->count; i++) {
        char buffer[TRANSFORM_WORD_BUFFER];

        (*names)[i] = arena_copy(arena, label_name(&labels->values[i], buffer));
        if (!(*names)[i].data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}
