#include "planner/columns/column_except.h"

#include "planner/columns/column_pattern.h"
#include "planner/columns/roles.h"
#include "planner/plan/query.h"

static enum status except_pattern(struct planning *planning, const struct column *item,
                                  bool *excepted)
{
    const size_t count = planning->plan->query.count;
    bool *matched, matches = false;

    TRY(column_pattern_match(planning, item, &matched));
    for (size_t i = 0; i < count; i++) {
        matches |= matched[i];
        excepted[i] |= matched[i];
    }
    if (matches)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, item->span.start,
            "the pattern %s'%.*s' matches no column of the query",
            item->kind == COLUMN_LIKE ? "LIKE " : "", SLICE_FORMAT(item->pattern));
    if (item->kind == COLUMN_LIKE)
        return error_hint(planning->err,
                          "In LIKE %% stands for any characters, and _ for one of them.");
    return error_hint(planning->err,
                      "A string in COLUMN is a regular expression over whole names, such as "
                      "'tmp_.*'; LIKE 'tmp_%%' is a pattern of SQL.");
}

enum status column_except_find(struct planning *planning, const struct column *all, bool **excepted)
{
    const struct query *query = &planning->plan->query;

    *excepted = ARENA_NEW(planning->arena, bool, query->count + 1);
    if (!*excepted)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < all->count; i++) {
        const struct column *item = &all->items[i];
        int column;

        if (item->kind != COLUMN_NAME || column_is_quoted_pattern(query, item)) {
            TRY(except_pattern(planning, item, *excepted));
            continue;
        }
        TRY(query_resolve(query, "", item->name.text, item->name.position, &column, planning->err));
        (*excepted)[column] = true;
    }
    return STATUS_OK;
}

static bool is_made_of(const struct choices *choices, int column)
{
    for (size_t i = 0; i < choices->made_count; i++) {
        const struct made_choice *made = &choices->made[i];

        if (made->column == column)
            return true;
        for (uint32_t j = 0; j < made->crossed_count; j++)
            if (made->crossed[j].column == column)
                return true;
    }
    return false;
}

enum status column_except_keep(struct planning *planning, const struct choices *choices)
{
    struct plan *plan = planning->plan;

    plan->excepted = ARENA_NEW(planning->arena, struct slice, plan->query.count + 1);
    if (!plan->excepted)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < plan->query.count; i++)
        if (choices->excepted[i] && choices->of[i].kind == CHOICE_NONE &&
            !is_made_of(choices, (int)i) && (int)i != plan->label_column &&
            !roles_have(plan, (int)i))
            plan->excepted[plan->excepted_count++] = plan->query.columns[i].name;
    return STATUS_OK;
}
