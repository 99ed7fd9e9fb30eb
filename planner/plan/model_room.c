#include "planner/plan/model_room.h"

#include "planner/plan/parameters.h"

static bool has_room(const struct catalog_limits *limits, uint64_t memory)
{
    return limits->model_memory == 0 || memory <= limits->model_memory;
}

static void append_why(const struct catalog_limits *limits, uint64_t memory, struct text *out)
{
    text_append_string(out, "takes ");
    bytes_append(out, (double)memory);
    text_append_string(out, ", and a session loads models of up to ");
    bytes_append(out, (double)limits->model_memory);
}

enum status model_room_check(const struct catalog_limits *limits, struct slice name,
                             uint64_t memory, struct error *err)
{
    struct text why;
    bool failed;

    if (has_room(limits, memory))
        return STATUS_OK;
    text_init(&why, TEXT_MAXIMUM);
    append_why(limits, memory, &why);
    fail(err, STATUS_LIMIT, "model \"%.*s\" %s", SLICE_FORMAT(name), text_string(&why));
    failed = why.failed;
    text_deinit(&why);
    if (failed)
        return fail_no_memory(err);
    return error_hint(
        err,
        "Workers score it: SELECT ... TO PREDICT USING the model, and TO EVALUATE. %s "
        "sets how much a session loads.",
        limits->model_memory_decision);
}

enum status model_room_note(struct planning *planning)
{
    const struct catalog_limits *limits = &planning->catalog->limits;
    struct plan *plan = planning->plan;
    struct text why;
    bool failed;

    if (has_room(limits, plan->model.memory))
        return STATUS_OK;
    text_init(&why, TEXT_MAXIMUM);
    append_why(limits, plan->model.memory, &why);
    text_printf(&why, " (%s)", limits->model_memory_decision);
    plan->scoring.too_large = arena_copy(planning->arena, text_slice(&why));
    failed = why.failed;
    text_deinit(&why);
    return plan->scoring.too_large.data && !failed ? STATUS_OK : fail_no_memory(planning->err);
}

enum status model_room_need(struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (plan->explain_only)
        return model_room_note(planning);
    if (model_room_check(&planning->catalog->limits, plan->model_name, plan->model.memory,
                         planning->err) == STATUS_OK)
        return STATUS_OK;
    return error_place(planning->err, path_last(&planning->statement->object).position);
}
