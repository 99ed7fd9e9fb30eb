#include "planner/plan/model_words.h"

#include "kinds/graph/graph_kind.h"

static bool is_of_definition(const struct kind *kind, enum task task)
{
    return kind == &graph_kind && task == TASK_PROJECTION;
}

const char *model_word(const struct kind *kind, enum task task)
{
    return is_of_definition(kind, task) ? "model of a definition" : task_models[task];
}

const char *model_task_word(const struct kind *kind, enum task task)
{
    return is_of_definition(kind, task) ? "definition" : task_words[task];
}
