#include "planner/training/auto_kinds.h"

#include <string.h>

#include "parser/parser.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/short_names.h"
#include "planner/plan/query.h"
#include "planner/training/task_choice.h"

/* Linear models first: they take every column that others take, and cost the least. */
static const struct {
    const char *classifier, *regressor, *values;
} auto_kinds[] = {
    {"LinearClassifier", "LinearRegressor",
     "model.l2 = RANGE(0.000001, 0.1), optimizer.learning_rate = RANGE(0.001, 0.1)"},
    {"XGBClassifier", "XGBRegressor",
     "max_depth = RANGE(3, 10), eta = RANGE(0.02, 0.3), subsample = RANGE(0.6, 1), "
     "colsample_bytree = RANGE(0.5, 1), min_child_weight = RANGE(1, 20)"},
    {"RandomForestClassifier", "RandomForestRegressor",
     "max_depth = RANGE(4, 24), min_samples_leaf = RANGE(1, 20), "
     "max_features = ['sqrt', 'all']"},
    {"DNNClassifier", "DNNRegressor",
     "model.hidden_units = [[32], [64, 32], [128, 64]], "
     "optimizer.learning_rate = RANGE(0.0003, 0.01), model.dropout = [0, 0.1, 0.3]"},
};
#define AUTO_KINDS (sizeof auto_kinds / sizeof *auto_kinds)

bool auto_is_named(const struct statement *statement)
{
    return slice_is_fold(statement->model.text, AUTO_NAME);
}

/* ----- the task ----- */

enum status auto_choose(struct planning *planning)
{
    const struct name *label = &planning->statement->label;
    struct name name = planning->statement->model;
    bool has_classes;
    int column;

    if (label->text.size == 0) {
        fail_at(planning->err, STATUS_INVALID, name.position, "AUTO needs a LABEL");
        return error_hint(planning->err, "It compares classifiers or regressors: TO TRAIN AUTO "
                                         "LABEL column INTO model.");
    }
    name.text = slice_of(auto_kinds[0].classifier);
    TRY(estimator_find(&name, &planning->plan->estimator, planning->err));
    TRY(query_describe(planning));
    TRY(query_resolve(&planning->plan->query, "label ", label->text, label->position, &column,
                      planning->err));
    has_classes = column_holds_classes(&planning->plan->query.columns[column]);
    name.text = slice_of(has_classes ? auto_kinds[0].classifier : auto_kinds[0].regressor);
    return estimator_find(&name, &planning->plan->estimator, planning->err);
}

/* ----- the candidates ----- */

/* The settings of a kind's ranges, as a statement has them. */
static enum status read_values(const char *values, struct arena *arena, struct statement *statement,
                               struct error *err)
{
    const struct slice text =
        arena_printf(arena, "SELECT 1 TO TRAIN x WITH %s LABEL y INTO m", values);

    return text.data ? parse_statement(text, arena, statement, err) : fail_no_memory(err);
}

static enum status read_space(struct planning *planning, const struct statement *statement,
                              const struct estimator *estimator, struct search_space *space)
{
    space->axes = ARENA_NEW(planning->arena, struct search_axis, statement->setting_count);
    if (!space->axes)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct attribute *attribute = attribute_of_kind(
            attribute_find_written(setting->name.text, SCOPE_TRAIN, estimator), estimator->kind);

        struct search_axis *axis = &space->axes[space->count++];

        *axis = (struct search_axis){.attribute = attribute, .setting = setting};
        TRY(search_axis_read(estimator, axis, planning->err));
    }
    return STATUS_OK;
}

/* A candidate with drawn values, at the place of the search in the text. */
static enum status fill(struct planning *planning, const struct search *search,
                        const struct statement *statement, const struct value *drawn,
                        struct candidate *candidate)
{
    struct setting *settings = ARENA_NEW(planning->arena, struct setting, statement->setting_count);

    if (!settings)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < statement->setting_count; i++) {
        settings[i] = statement->settings[i];
        settings[i].value = drawn[i];
        settings[i].name.position = search->position;
        settings[i].value.span = (struct span){search->position, search->position};
    }
    candidate->settings = settings;
    candidate->count = statement->setting_count;
    return STATUS_OK;
}

/* Trials kind, kind + AUTO_KINDS ...: the first as it is, the others drawn. */
static enum status draw_kind(struct planning *planning, uint32_t kind, uint64_t seed,
                             const struct search *search, struct candidate *candidates)
{
    const bool is_classifier = planning->plan->estimator->task == TASK_CLASSIFICATION;
    struct name name = planning->statement->model;
    const struct estimator *estimator;
    struct search_space space = {0};
    struct statement statement;
    struct value *drawn;
    uint32_t trials = 0;

    name.text = slice_of(is_classifier ? auto_kinds[kind].classifier : auto_kinds[kind].regressor);
    TRY(estimator_find(&name, &estimator, planning->err));
    TRY(read_values(auto_kinds[kind].values, planning->arena, &statement, planning->err));
    TRY(read_space(planning, &statement, estimator, &space));
    drawn = ARENA_NEW(planning->arena, struct value, (size_t)search->trials * space.count);
    if (!drawn)
        return fail_no_memory(planning->err);
    TRY(search_space_draw(&space, seed, search->trials, planning->arena, drawn, planning->err));
    for (uint32_t i = kind; i < search->trials; i += AUTO_KINDS, trials++) {
        candidates[i].estimator = estimator->name;
        if (trials > 0)
            TRY(fill(planning, search, &statement, drawn + (size_t)trials * space.count,
                     &candidates[i]));
    }
    return STATUS_OK;
}

enum status auto_draw(struct planning *planning, uint64_t seed, struct search *search)
{
    search->candidates = ARENA_NEW(planning->arena, struct candidate, search->trials);
    if (!search->candidates)
        return fail_no_memory(planning->err);
    for (uint32_t kind = 0; kind < AUTO_KINDS && kind < search->trials; kind++)
        TRY(draw_kind(planning, kind, seed, search, search->candidates));
    return STATUS_OK;
}

/* ----- for people ----- */

static bool is_first_of_kind(const struct search *search, uint32_t trial)
{
    for (uint32_t i = 0; i < trial; i++)
        if (strcmp(search->candidates[i].estimator, search->candidates[trial].estimator) == 0)
            return false;
    return true;
}

void auto_append_kinds(const struct search *search, struct text *out)
{
    const char *between = "";

    for (uint32_t i = 0; i < search->trials; i++) {
        uint32_t trials = 0;

        if (!is_first_of_kind(search, i))
            continue;
        for (uint32_t j = i; j < search->trials; j++)
            trials += strcmp(search->candidates[j].estimator, search->candidates[i].estimator) == 0;
        text_printf(out, "%s%s (%u)", between, search->candidates[i].estimator, trials);
        between = ", ";
    }
}
