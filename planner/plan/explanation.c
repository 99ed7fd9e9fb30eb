#include "planner/plan/explanation.h"

enum status explanation_begin(struct explanation *explanation, const struct plan *plan,
                              struct arena *arena, size_t most, struct error *err)
{
    *explanation = (struct explanation){.plan = plan, .arena = arena};
    explanation->lines = ARENA_NEW(arena, struct plan_line, most);
    if (!explanation->lines)
        return fail_no_memory(err);
    text_init(&explanation->detail, STATEMENT_BYTES_MAX);
    return STATUS_OK;
}

void explanation_line_of(struct explanation *explanation, const char *item, struct slice name)
{
    struct plan_line *line = &explanation->lines[explanation->count++];

    line->item = name.size > 0
                     ? arena_printf(explanation->arena, "%s %.*s", item, SLICE_FORMAT(name))
                     : slice_of(item);
    line->detail = arena_copy(explanation->arena, text_slice(&explanation->detail));
    if (!line->item.data || !line->detail.data || explanation->detail.failed)
        explanation->failed = true;
    text_clear(&explanation->detail);
}

void explanation_line(struct explanation *explanation, const char *item)
{
    explanation_line_of(explanation, item, (struct slice){NULL, 0});
}

enum status explanation_end(struct explanation *explanation, struct plan_line **lines,
                            size_t *count, struct error *err)
{
    text_deinit(&explanation->detail);
    if (explanation->failed)
        return fail_no_memory(err);
    *lines = explanation->lines;
    *count = explanation->count;
    return STATUS_OK;
}
