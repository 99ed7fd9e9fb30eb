#include "planner/training/search.h"

#include <string.h>

#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/short_names.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/training/attached.h"
#include "planner/training/auto_kinds.h"
#include "planner/training/definition_train.h"
#include "planner/training/task_choice.h"

#define PREFIX       "tune."
#define SEARCH_THIRD 3 /* one in so many trials goes on, for so many times as long */

/* tune.* of a statement, and the setting that a RANGE is in; NULL: none. */
struct tuning {
    const struct setting *trials, *metric, *method, *seconds, *range;
};

bool search_knows(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

/* The default and all that is tried are written without a point: whole numbers are drawn. */
static bool is_whole_choice(const struct definition_argument *argument, const struct value *choice)
{
    for (size_t i = 0; i < choice->count; i++)
        if (choice->items[i].kind == VALUE_NUMBER && !choice->items[i].is_integer)
            return false;
    return argument->value->is_integer;
}

/* An argument of the definition as an attribute, as far as a search looks at one. NULL: no memory.
 */
static const struct attribute *attribute_of_argument(const struct planning *planning,
                                                     const struct definition_argument *argument,
                                                     const struct value *choice)
{
    static const enum attribute_type types[] = {[DEFINITION_NUMBER] = ATTRIBUTE_REAL,
                                                [DEFINITION_TEXT] = ATTRIBUTE_TEXT,
                                                [DEFINITION_LIST] = ATTRIBUTE_INTEGERS};
    struct attribute *made = ARENA_NEW(planning->arena, struct attribute, 1);

    if (!made)
        return NULL;
    made->type = types[argument->type];
    if (argument->type == DEFINITION_NUMBER && is_whole_choice(argument, choice))
        made->type = ATTRIBUTE_INTEGER;
    made->name = arena_printf(planning->arena, "model.%.*s", SLICE_FORMAT(argument->name)).data;
    return made->name ? made : NULL;
}

/* NULL: a name that is an error, which whoever reads the settings reports. */
static const struct attribute *attribute_of(const struct setting *setting,
                                            const struct estimator *estimator)
{
    const struct attribute *attribute =
        attribute_find_written(setting->name.text, SCOPE_TRAIN, estimator);

    return attribute ? attribute_of_kind(attribute, estimator->kind) : NULL;
}

static void note(const struct attribute *attribute, const struct setting *setting,
                 struct tuning *tuning)
{
    if (strcmp(attribute->name, "tune.trials") == 0)
        tuning->trials = setting;
    else if (strcmp(attribute->name, "tune.metric") == 0)
        tuning->metric = setting;
    else if (strcmp(attribute->name, "tune.method") == 0)
        tuning->method = setting;
    else if (strcmp(attribute->name, "tune.max_seconds") == 0)
        tuning->seconds = setting;
    else if (setting->value.kind == VALUE_RANGE)
        tuning->range = setting;
}

static struct tuning tuning_of(const struct statement *statement, const struct estimator *estimator)
{
    struct tuning tuning = {0};

    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct attribute *attribute = attribute_of(setting, estimator);

        if (attribute)
            note(attribute, setting, &tuning);
    }
    return tuning;
}

/* ----- begin ----- */

static enum status refuse_without_trials(const struct tuning *tuning, struct error *err)
{
    const struct setting *setting = tuning->range    ? tuning->range
                                    : tuning->metric ? tuning->metric
                                    : tuning->method ? tuning->method
                                                     : tuning->seconds;
    const bool is_range = setting->value.kind == VALUE_RANGE;

    fail_at(err, STATUS_INVALID, is_range ? setting->value.span.start : setting->name.position,
            "%.*s asks for a search, and tune.trials is not set",
            is_range ? 5 : (int)setting->name.text.size,
            is_range ? "RANGE" : setting->name.text.data);
    return error_hint(err, "Add tune.trials = 10, the number of models to try.");
}

/* With all that is in it: a plan borrows nothing from the statement. */
static enum status value_keep(struct planning *planning, const struct value *from, struct value *to)
{
    struct value *items;

    *to = *from;
    if (from->text.data)
        TRY(slice_keep(planning, from->text, &to->text));
    if (from->count == 0)
        return STATUS_OK;
    items = ARENA_NEW(planning->arena, struct value, from->count);
    if (!items)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < from->count; i++)
        TRY(value_keep(planning, &from->items[i], &items[i]));
    to->items = items;
    return STATUS_OK;
}

static enum status read_axis(struct planning *planning, const struct setting *setting,
                             const struct attribute *attribute,
                             const struct definition_argument *argument, struct search_axis *axis)
{
    struct setting *kept = ARENA_NEW(planning->arena, struct setting, 1);

    if (!kept)
        return fail_no_memory(planning->err);
    kept->name.position = setting->name.position;
    TRY(slice_keep(planning, setting->name.text, &kept->name.text));
    TRY(value_keep(planning, &setting->value, &kept->value));
    *axis = (struct search_axis){.attribute = attribute, .argument = argument, .setting = kept};
    return search_axis_read(planning->plan->estimator, axis, planning->err);
}

/* Each of them is read where it stands: a first mistake in the order of the statement. */
static enum status read_axes(struct planning *planning, struct search *search)
{
    const struct statement *statement = planning->statement;
    const struct estimator *estimator = planning->plan->estimator;
    struct search_space *space = &search->space;

    space->axes = ARENA_NEW(planning->arena, struct search_axis, statement->setting_count + 1);
    if (!space->axes)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct definition_argument *argument = definition_argument_of(planning, setting);
        const struct attribute *attribute =
            argument ? attribute_of_argument(planning, argument, &setting->value)
                     : attribute_of(setting, estimator);

        if (argument && !attribute)
            return fail_no_memory(planning->err);
        if (attribute && !argument && search_knows(attribute->name))
            TRY(attribute_check(setting, SCOPE_TRAIN, estimator, &attribute, planning->err));
        else if (attribute && search_is_choice(attribute, &setting->value))
            TRY(read_axis(planning, setting, attribute, argument, &space->axes[space->count++]));
    }
    return STATUS_OK;
}

static enum status check_axes(const struct planning *planning, const struct search *search)
{
    if (search->space.count > 0)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, search->position,
            "tune.trials has nothing to choose from");
    return error_hint(planning->err,
                      "Give attributes values to draw from, as in optimizer.learning_rate = "
                      "RANGE(0.0001, 0.1) or model.hidden_units = [[32], [64, 32]].");
}

static const struct setting *find_setting(const struct planning *planning, const char *name)
{
    const struct statement *statement = planning->statement;

    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct attribute *attribute =
            attribute_of(&statement->settings[i], planning->plan->estimator);

        if (attribute && strcmp(attribute->name, name) == 0)
            return &statement->settings[i];
    }
    return NULL;
}

/* Clusters have no rows that are held out, and are judged by those that they learn from. */
static bool holds_out_by_itself(const struct planning *planning)
{
    const struct setting *folds = find_setting(planning, "train.folds");

    return task_has_label(planning->plan->estimator->task) &&
           !find_setting(planning, "train.test_size") &&
           !find_setting(planning, "validation.select") && (!folds || folds->value.number == 0);
}

static uint64_t seed_of(const struct planning *planning)
{
    const struct statement *statement = planning->statement;

    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct attribute *attribute = attribute_of(setting, planning->plan->estimator);

        if (attribute && strcmp(attribute->name, "train.seed") == 0)
            return setting->value.is_integer ? (uint64_t)setting->value.integer
                                             : (uint64_t)setting->value.number;
    }
    return planning->catalog->limits.seed;
}

static enum status draw(const struct planning *planning, struct search *search)
{
    const uint64_t size = search_space_size(&search->space);
    struct value *drawn;

    if (size > 0 && size < search->trials)
        search->trials = (uint32_t)size;
    drawn = ARENA_NEW(planning->arena, struct value, search->trials * search->space.count);
    if (!drawn)
        return fail_no_memory(planning->err);
    search->drawn = drawn;
    return search_space_draw(&search->space, seed_of(planning), search->trials, planning->arena,
                             drawn, planning->err);
}

static enum status plan_first(struct planning *planning, const struct search *search)
{
    struct statement *first = ARENA_NEW(planning->arena, struct statement, 1);

    if (!first)
        return fail_no_memory(planning->err);
    TRY(search_statement(search, planning->statement, 0, planning->arena, first, planning->err));
    planning->statement = first;
    planning->plan->search = search;
    return STATUS_OK;
}

static enum status refuse_tuning(const struct planning *planning, const struct tuning *tuning)
{
    if (tuning->range) {
        fail_at(planning->err, STATUS_INVALID, tuning->range->value.span.start,
                "AUTO draws from ranges of its own");
        return error_hint(planning->err, "TO TRAIN XGBClassifier WITH tune.trials = 20, max_depth "
                                         "= RANGE(3, 10) searches in one of yours.");
    }
    fail_at(planning->err, STATUS_UNSUPPORTED, tuning->method->name.position,
            "tune.method is not supported yet with AUTO, whose kinds have no common length");
    return error_hint(planning->err, "Leave it out: each trial learns to its end.");
}

/* tune.* of the statement, checked where they stand. */
static enum status check_tuning(const struct planning *planning)
{
    const struct statement *statement = planning->statement;
    const struct estimator *estimator = planning->plan->estimator;

    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct attribute *attribute = attribute_of(&statement->settings[i], estimator);

        if (attribute && search_knows(attribute->name))
            TRY(attribute_check(&statement->settings[i], SCOPE_TRAIN, estimator, &attribute,
                                planning->err));
    }
    return STATUS_OK;
}

/* The metric that is named, and the time. */
static enum status keep_limits(struct planning *planning, const struct tuning *tuning,
                               struct search *search)
{
    search->max_seconds = tuning->seconds ? tuning->seconds->value.number : 0;
    search->metric_position = tuning->metric ? tuning->metric->value.span.start : -1;
    return tuning->metric
               ? slice_keep(planning, slice_trim(tuning->metric->value.text), &search->metric)
               : STATUS_OK;
}

enum status search_plan_auto(struct planning *planning)
{
    struct search *search = ARENA_NEW(planning->arena, struct search, 1);
    struct tuning tuning;

    if (!search)
        return fail_no_memory(planning->err);
    TRY(auto_choose(planning));
    tuning = tuning_of(planning->statement, planning->plan->estimator);
    if (tuning.range || tuning.method)
        return refuse_tuning(planning, &tuning);
    TRY(check_tuning(planning));
    search->position =
        tuning.trials ? tuning.trials->value.span.start : planning->statement->model.position;
    search->trials = tuning.trials ? (uint32_t)tuning.trials->value.number : AUTO_TRIALS;
    search->holds_out = holds_out_by_itself(planning);
    TRY(keep_limits(planning, &tuning, search));
    TRY(auto_draw(planning, seed_of(planning), search));
    return plan_first(planning, search);
}

enum status search_plan(struct planning *planning)
{
    const struct tuning tuning = tuning_of(planning->statement, planning->plan->estimator);
    struct search *search;
    unsigned method = SEARCH_RANDOM;

    if (!tuning.trials && !tuning.range && !tuning.metric && !tuning.method && !tuning.seconds)
        return STATUS_OK;
    if (!tuning.trials)
        return refuse_without_trials(&tuning, planning->err);
    search = ARENA_NEW(planning->arena, struct search, 1);
    if (!search)
        return fail_no_memory(planning->err);
    search->position = tuning.trials->value.span.start;
    TRY(read_axes(planning, search));
    TRY(check_axes(planning, search));
    search->trials = (uint32_t)tuning.trials->value.number;
    search->holds_out = holds_out_by_itself(planning);
    if (tuning.method)
        (void)term_find_fold(attribute_find(SLICE("tune.method"))->words, tuning.method->value.text,
                             &method);
    search->method = (enum search_method)method;
    TRY(keep_limits(planning, &tuning, search));
    TRY(draw(planning, search));
    return plan_first(planning, search);
}

/* ----- statements of trials ----- */

static const struct value *value_of(const struct search *search, uint32_t number,
                                    const struct setting *setting)
{
    for (size_t i = 0; i < search->space.count; i++)
        if (search->space.axes[i].setting->name.position == setting->name.position)
            return &search->drawn[number * search->space.count + i];
    return NULL;
}

static bool is_of_search(const struct setting *setting)
{
    const struct attribute *attribute =
        attribute_find_written(setting->name.text, SCOPE_TRAIN, NULL);

    return attribute && search_knows(attribute->name);
}

static struct setting held_out_setting(const struct search *search)
{
    const struct span where = {search->position, search->position};
    struct setting setting = {
        .name = {.text = SLICE("train.test_size"), .position = search->position},
        .value = {.kind = VALUE_NUMBER, .span = where, .text = SLICE(SEARCH_HELD_OUT)}};

    (void)slice_to_real(setting.value.text, &setting.value.number);
    return setting;
}

enum status search_statement(const struct search *search, const struct statement *statement,
                             uint32_t number, struct arena *arena, struct statement *trial,
                             struct error *err)
{
    const struct candidate *candidate = search->candidates ? &search->candidates[number] : NULL;
    const size_t added = candidate ? candidate->count : 0;
    struct setting *settings =
        ARENA_NEW(arena, struct setting, statement->setting_count + added + 1);
    size_t count = 0;

    if (!settings)
        return fail_no_memory(err);
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct value *drawn = value_of(search, number, setting);

        if (is_of_search(setting))
            continue;
        settings[count] = *setting;
        if (drawn)
            settings[count].value = *drawn;
        count++;
    }
    for (size_t i = 0; i < added; i++)
        settings[count++] = candidate->settings[i];
    if (search->holds_out)
        settings[count++] = held_out_setting(search);
    *trial = *statement;
    if (candidate)
        trial->model.text = slice_of(candidate->estimator);
    trial->settings = settings;
    trial->setting_count = count;
    return STATUS_OK;
}

static void append_candidate(const struct candidate *candidate, struct text *out)
{
    text_append_string(out, candidate->estimator);
    for (size_t i = 0; i < candidate->count; i++) {
        text_printf(out, "%s %.*s = ", i > 0 ? "," : " WITH",
                    SLICE_FORMAT(candidate->settings[i].name.text));
        value_append(&candidate->settings[i].value, out);
    }
}

void search_append_values(const struct search *search, uint32_t number, struct text *out)
{
    if (search->candidates)
        append_candidate(&search->candidates[number], out);
    for (size_t i = 0; i < search->space.count; i++) {
        text_printf(out, "%s%s = ", i > 0 ? ", " : "", search->space.axes[i].attribute->name);
        value_append(&search->drawn[number * search->space.count + i], out);
    }
}

const struct search_axis *search_axis_of(const struct search *search,
                                         const struct attribute *attribute)
{
    for (size_t i = 0; search && i < search->space.count; i++)
        if (strcmp(search->space.axes[i].attribute->name, attribute->name) == 0)
            return &search->space.axes[i];
    return NULL;
}

/* ----- finish ----- */

/* The metric that compares trials: of several, the one that tells most of a probability or of a
 * number, and for clusters the one that does not always get better with more of them. */
static struct slice usual_metric(const struct plan *plan)
{
    const enum metric first = plan->estimator->task == TASK_CLASSIFICATION ? METRIC_LOG_LOSS
                              : plan->estimator->task == TASK_CLUSTERING   ? METRIC_SILHOUETTE
                                                                           : METRIC_RMSE;

    if (plan->metric_count == 0)
        return SLICE("loss");
    for (size_t i = 0; plan->has_default_metrics && i < plan->metric_count; i++)
        if (slice_is(plan->metrics[i], metric_name(first)))
            return plan->metrics[i];
    return plan->metrics[0];
}

static enum status refuse_metric(const struct planning *planning, const struct search *search)
{
    const struct plan *plan = planning->plan;
    enum status status = STATUS_INVALID;
    struct text names;

    text_init(&names, TEXT_MAXIMUM);
    for (size_t i = 0; i < plan->metric_count; i++) {
        text_append(&names, plan->metrics[i]);
        text_append_string(&names, ", ");
    }
    fail_at(planning->err, status, search->metric_position,
            "tune.metric \"%.*s\" is not among the metrics that are measured",
            SLICE_FORMAT(search->metric));
    error_hint(planning->err, "Those are %sand loss; validation.metrics names others.",
               text_string(&names));
    if (names.failed)
        status = fail_no_memory(planning->err);
    text_deinit(&names);
    return status;
}

static enum status settle_metric(const struct planning *planning, struct search *search)
{
    const struct plan *plan = planning->plan;
    struct measure named, measured;

    search->is_loss = true;
    if (search->metric.size == 0)
        search->metric = usual_metric(plan);
    if (slice_is_fold(search->metric, "loss")) {
        search->metric = SLICE("loss");
        return STATUS_OK;
    }
    if (!measure_find(search->metric, &named))
        return refuse_metric(planning, search);
    search->is_loss = metric_is_loss(named.metric);
    for (size_t i = 0; i < plan->metric_count; i++)
        if (measure_find(plan->metrics[i], &measured) && measured.metric == named.metric &&
            measured.at == named.at) {
            search->metric = plan->metrics[i];
            return STATUS_OK;
        }
    return refuse_metric(planning, search);
}

bool search_length(const struct estimator *estimator, const struct attribute **rounds)
{
    const struct attribute *attribute =
        attribute_of_kind(attribute_find(SLICE("train.num_boost_round")), estimator->kind);

    *rounds = attribute_is_of_kind(attribute, estimator->kind) ? attribute : NULL;
    return *rounds ? estimator_uses(estimator, attribute) : estimator->kind->length != NULL;
}

static enum status check_method(const struct planning *planning, const struct search *search)
{
    const struct estimator *estimator = planning->plan->estimator;
    const struct attribute *rounds;

    if (search->method == SEARCH_HALVING && search->max_seconds > 0) {
        fail_at(planning->err, STATUS_INVALID, search->position,
                "tune.max_seconds has no use with tune.method = 'halving'");
        return error_hint(planning->err, "Halving compares trials of one length; leave one of them "
                                         "out.");
    }
    if (search->method == SEARCH_RANDOM || search_length(estimator, &rounds))
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, search->position,
            "tune.method = 'halving' needs epochs or rounds, and %s has none", estimator->name);
    return error_hint(planning->err, "Leave tune.method out: each trial learns to its end.");
}

static enum status check_rows(const struct planning *planning, const struct search *search)
{
    const struct plan *plan = planning->plan;

    if (plan->folds > 0 || plan->spec.test_size != 0 || plan->validation_select.size > 0 ||
        !task_has_label(plan->estimator->task))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, search->position,
            "tune.trials needs rows that are held out, and train.test_size is 0");
    return error_hint(planning->err, "Leave train.test_size out, which holds out a fifth, or name "
                                     "rows by validation.select.");
}

static bool has_the_same_rows(const struct plan *a, const struct plan *b)
{
    bool is_same = (a->search->candidates || a->estimator->kind == b->estimator->kind) &&
                   a->estimator->task == b->estimator->task && a->input_count == b->input_count &&
                   a->label_type == b->label_type && a->label_reading == b->label_reading;

    for (size_t i = 0; is_same && i < a->input_count; i++)
        is_same = a->inputs[i].column == b->inputs[i].column &&
                  a->inputs[i].spec.type == b->inputs[i].spec.type;
    return is_same;
}

/* Plans a trial for its errors alone. */
static enum status try_trial(const struct planning *first, const struct statement *statement,
                             uint32_t number, struct arena *arena,
                             enum status (*plan_trial)(struct planning *planning))
{
    const struct plan *planned = first->plan;
    struct plan plan = {.kind = planned->kind,
                        .dialect = planned->dialect,
                        .text = planned->text,
                        .select = planned->select,
                        .estimator = planned->estimator,
                        .label_column = -1,
                        .checked_column = -1,
                        .group_column = -1,
                        .upper_column = -1,
                        .object_position = -1};
    struct planning planning = *first;
    struct statement trial;

    TRY(search_statement(planned->search, statement, number, arena, &trial, first->err));
    plan.notices = ARENA_NEW(arena, struct notice_list, 1);
    if (!plan.notices)
        return fail_no_memory(first->err);
    TRY(query_as_described(&planned->query, arena, &plan.query, first->err));
    TRY(query_add_elements(&plan.query, arena, first->err));
    planning.setting_count = 0;
    planning.statement = &trial;
    planning.arena = arena;
    planning.plan = &plan;
    TRY(estimator_choose(&planning));
    TRY(plan_trial(&planning));
    if (has_the_same_rows(planned, &plan))
        return STATUS_OK;
    if (planned->search->candidates) {
        fail_at(first->err, STATUS_INVALID, planned->search->position,
                "it makes other inputs of these columns than %s", planned->estimator->name);
        return error_hint(first->err, "A statement of its own trains it.");
    }
    fail_at(first->err, STATUS_INVALID, planned->search->position,
            "the trials of the search have different tasks or inputs");
    return error_hint(first->err, "Leave the attribute that decides it out of the search.");
}

/* Its values do not suit the rows or the statement, rather than that the machine fails. */
static bool is_of_candidate(enum status status)
{
    return status == STATUS_INVALID || status == STATUS_UNSUPPORTED || status == STATUS_LIMIT;
}

/* Takes all trials of a kind out of the search, from this one on, and says why. */
static void leave_out(const struct planning *planning, struct search *search, uint32_t number)
{
    const char *estimator = search->candidates[number].estimator;
    uint32_t kept = number;

    notice_add(planning->plan->notices, NOTICE_SETTING, "AUTO does not try %s: %s", estimator,
               planning->err->message);
    notice_hint(planning->plan->notices, "%s", planning->err->hint);
    for (uint32_t i = number; i < search->trials; i++)
        if (strcmp(search->candidates[i].estimator, estimator) != 0)
            search->candidates[kept++] = search->candidates[i];
    search->trials = kept;
    error_clear(planning->err);
}

static enum status try_others(struct planning *planning, const struct statement *statement,
                              enum status (*plan_trial)(struct planning *planning))
{
    struct search *search = (struct search *)planning->plan->search;

    for (uint32_t i = 1; i < search->trials;) {
        struct arena arena;
        enum status status;

        arena_init(&arena, ARENA_MAXIMUM);
        status = try_trial(planning, statement, i, &arena, plan_trial);
        arena_deinit(&arena);
        if (status != STATUS_OK && search->candidates && is_of_candidate(status)) {
            leave_out(planning, search, i);
            continue;
        }
        TRY(status);
        i++;
    }
    return STATUS_OK;
}

enum status search_plan_others(struct planning *planning, const struct statement *whole,
                               enum status (*plan_trial)(struct planning *planning))
{
    struct search *search = (struct search *)planning->plan->search;

    if (!search)
        return STATUS_OK;
    TRY(settle_metric(planning, search));
    TRY(check_method(planning, search));
    TRY(check_rows(planning, search));
    TRY(attached_check(planning, "tune.trials", search->position));
    return try_others(planning, whole, plan_trial);
}

bool search_is_held_out(const struct plan *plan)
{
    return task_has_label(plan->estimator->task) || plan->spec.test_size > 0 ||
           plan->validation_select.size > 0;
}

void search_notice(const struct plan *plan)
{
    if (!plan->search || plan->folds > 0 || !search_is_held_out(plan))
        return;
    notice_add(plan->notices, NOTICE_SETTING,
               "the model of the best trial has not learned from the rows that are held out to "
               "compare trials");
    notice_hint(plan->notices, "WITH train.folds = 5 compares them by folds, and the model learns "
                               "from all rows.");
}

/* ----- halving ----- */

uint32_t search_stages(const struct search *search, uint32_t length)
{
    uint32_t stages = 1;

    if (search->method == SEARCH_RANDOM)
        return 1;
    for (uint32_t trials = search->trials; trials > 1 && length >= SEARCH_THIRD;
         trials = search_left(trials), length /= SEARCH_THIRD)
        stages++;
    return stages;
}

uint32_t search_left(uint32_t trials)
{
    return (trials + SEARCH_THIRD - 1) / SEARCH_THIRD;
}

uint32_t search_shortened(uint32_t length, uint32_t stage, uint32_t stages)
{
    for (; stage + 1 < stages; stage++)
        length /= SEARCH_THIRD;
    return length > 0 ? length : 1;
}

double search_work(const struct search *search)
{
    const uint32_t stages = search_stages(search, UINT32_MAX);
    uint32_t trials = search->trials;
    double work = 0, share = 1;

    for (uint32_t stage = 0; stage + 1 < stages; stage++)
        share /= SEARCH_THIRD;
    for (uint32_t stage = 0; stage < stages; stage++, share *= SEARCH_THIRD) {
        work += trials * share;
        trials = search_left(trials);
    }
    return work;
}

uint32_t search_trainings(const struct search *search)
{
    const uint32_t stages = search_stages(search, UINT32_MAX);
    uint32_t trials = search->trials, trainings = 0;

    for (uint32_t stage = 0; stage < stages; stage++) {
        trainings += trials;
        trials = search_left(trials);
    }
    return trainings;
}
