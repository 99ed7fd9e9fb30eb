#include "planner/training/task_choice.h"

#include "planner/attributes/attribute_check.h"
#include "planner/columns/column_function.h"
#include "planner/columns/labels.h"
#include "planner/columns/old_model.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/definitions.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"
#include "planner/training/definition_train.h"
#include "planner/training/search.h"

bool task_is_of_label(const struct plan *plan)
{
    return estimator_beside(plan->estimator) || (plan->search && plan->search->candidates);
}

/* False: the settings do not tell. */
static bool settings_tell(const struct planning *planning, enum task *task)
{
    const struct kind *kind = planning->plan->estimator->kind;
    const struct setting *setting = settings_find(planning, kind->task_attribute);
    unsigned word = 0;

    for (size_t i = 0; setting && i < planning->setting_count; i++) {
        const struct attribute *attribute = planning->settings[i].attribute;

        if (planning->settings[i].setting == setting &&
            term_find(attribute->words, slice_of(attribute_word(attribute, setting->value.text)),
                      &word) &&
            kind->task_of(word, task))
            return true;
    }
    for (size_t i = 0; i < planning->setting_count; i++) {
        if (planning->settings[i].attribute->tasks != 1 << TASK_CLASSIFICATION)
            continue;
        *task = TASK_CLASSIFICATION;
        return true;
    }
    return false;
}

static enum status label_tells(struct planning *planning, enum task *task)
{
    const struct name *label = &planning->statement->label;
    const struct query *query = &planning->plan->query;
    int column;

    *task = planning->plan->estimator->task;
    if (label->text.size == 0)
        return STATUS_OK; /* label_plan says that it is missing */
    TRY(query_describe(planning));
    TRY(query_resolve(query, "label ", label->text, label->position, &column, planning->err));
    *task = column_holds_classes(&query->columns[column]) ? TASK_CLASSIFICATION : TASK_REGRESSION;
    return STATUS_OK;
}

static bool names_embedding(const struct statement *statement)
{
    for (size_t i = 0; i < statement->column_clause_count; i++)
        for (size_t j = 0; j < statement->columns[i].count; j++)
            if (column_calls(&statement->columns[i].columns[j], "EMBEDDING"))
                return true;
    return false;
}

/* A network over embeddings goes on from one, also where no COLUMN says that it is one. */
static enum status goes_on_from_embeddings(struct planning *planning,
                                           const struct estimator *embedded, bool *goes_on)
{
    *goes_on = false;
    if (!embedded || !old_model_is_named(planning))
        return STATUS_OK;
    TRY(model_find(planning));
    *goes_on = planning->plan->model.kind == embedded->kind;
    return STATUS_OK;
}

static enum status kind_choose(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    const struct estimator *embedded = estimator_embedded(planning->plan->estimator);
    bool goes_on;

    TRY(goes_on_from_embeddings(planning, embedded, &goes_on));
    if (embedded && (goes_on || names_embedding(statement)))
        planning->plan->estimator = embedded;
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct estimator *meant =
            slice_is_fold(setting->name.text, "booster")
                ? estimator_boosted(planning->plan->estimator, setting->value.text)
                : NULL;

        if (meant)
            planning->plan->estimator = meant;
    }
    return STATUS_OK;
}

/* The estimator of graphs, by the definition's name. */
static enum status name_definition(struct planning *planning, const struct estimator *graphs)
{
    struct estimator *named = ARENA_NEW(planning->arena, struct estimator, 1);
    const struct slice name = planning->plan->definition->name.name;
    const struct slice copy = arena_copy(planning->arena, name);

    if (!named || !copy.data)
        return fail_no_memory(planning->err);
    *named = *graphs;
    named->name = copy.data;
    planning->plan->estimator = named;
    return STATUS_OK;
}

enum status estimator_choose(struct planning *planning)
{
    const struct name *name = &planning->statement->model;

    if (!definition_is_name(name->text)) {
        TRY(estimator_find(name, &planning->plan->estimator, planning->err));
        return kind_choose(planning);
    }
    TRY(definition_find(planning));
    TRY(definition_begin_values(planning));
    return name_definition(planning, definition_has_loss(planning->plan->definition) ||
                                             labels_are_several(planning)
                                         ? estimator_minimising()
                                         : estimator_defined());
}

enum status task_choose(struct planning *planning)
{
    const struct estimator **estimator = &planning->plan->estimator;
    const struct estimator *beside = estimator_beside(*estimator);
    enum task task;

    if (!beside)
        return STATUS_OK;
    if (old_model_is_named(planning))
        task = planning->plan->model.task;
    else if (!settings_tell(planning, &task))
        TRY(label_tells(planning, &task));
    if (task != beside->task)
        return STATUS_OK;
    if (planning->plan->definition)
        return name_definition(planning, beside);
    *estimator = beside;
    return STATUS_OK;
}
