#include "extension/engine/show_model.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "extension/engine/host/notice_rows.h"
#include "extension/engine/host/stored.h"
#include "extension/engine/show_trials.h"
#include "inputs/cells/cells.h"
#include "inputs/encoder.h"
#include "parser/parser.h"
#include "planner/attributes/short_names.h"
#include "scoring/heads.h"
#include "scoring/label_names.h"

#define CLASSES_NAMED 10
#define INPUTS_ALIKE  10 /* so many side by side, and more, are one line */

/* ----- SHOW TRAIN ----- */

/* The score of an evaluation. */
static const char *score_column(const struct model_summary *model)
{
    const enum task task = model->task;

    if (model->aim.aim == AIM_HAZARDS)
        return NULL;
    if (model->aim.aim == AIM_RANKS)
        return model->aim.has_two_labels ? "validation_map" : "validation_ndcg";
    return task == TASK_CLASSIFICATION ? "validation_accuracy"
           : task == TASK_REGRESSION   ? "validation_rmse"
                                       : NULL;
}

/* The content of a column. */
struct shown {
    struct slice metric, part; /* the history's words for them */
    struct slice name;
};

static enum status add_round(const struct plan *plan, struct slice metric, const char *part,
                             struct arena *arena, struct shown *shown, size_t *count,
                             struct error *err)
{
    const char *score = score_column(&plan->model);
    char word[WORD_BYTES_MAX + 16];
    size_t size;

    size = (size_t)snprintf(word, sizeof word, "%s_%.*s", part, SLICE_FORMAT(metric));
    for (size_t i = 0; i < size; i++)
        word[i] = (char)tolower((unsigned char)word[i]);
    if (score && strcmp(word, score) == 0)
        return STATUS_OK;
    shown[*count] = (struct shown){metric, slice_of(part), arena_copy(arena, slice_of(word))};
    return shown[(*count)++].name.data ? STATUS_OK : fail_no_memory(err);
}

/* The score of one of several labels. */
static enum status add_head(const struct model_summary_head *head, struct arena *arena,
                            struct shown *shown, size_t *count, struct error *err)
{
    const struct slice part = SLICE("validation");
    struct text name;
    struct slice metric, column;

    text_init(&name, TEXT_MAXIMUM);
    text_printf(&name, "%.*s_", SLICE_FORMAT(part));
    head_score_append(head->name, head->type, &name);
    column = name.failed ? (struct slice){0} : arena_copy(arena, text_slice(&name));
    text_deinit(&name);
    if (!column.data)
        return fail_no_memory(err);
    metric = (struct slice){column.data + part.size + 1, column.size - part.size - 1};
    shown[(*count)++] = (struct shown){metric, part, column};
    return STATUS_OK;
}

/* Behind the epoch: time, losses, score, and the metrics that were measured each round; AUC of
 * held-out rows alone. */
static enum status list_shown(const struct plan *plan, struct arena *arena, struct shown *shown,
                              size_t *count, struct error *err)
{
    const char *score = score_column(&plan->model);

    *count = 0;
    shown[(*count)++] = (struct shown){SLICE("seconds"), SLICE("train"), SLICE("seconds")};
    shown[(*count)++] = (struct shown){SLICE("loss"), SLICE("train"), SLICE("train_loss")};
    shown[(*count)++] =
        (struct shown){SLICE("loss"), SLICE("validation"), SLICE("validation_loss")};
    if (score)
        shown[(*count)++] = (struct shown){SLICE("score"), SLICE("validation"), slice_of(score)};
    for (size_t i = 0; plan->model.heads && i < plan->model.component_count && i < METRICS_MAX; i++)
        TRY(add_head(&plan->model.heads[i], arena, shown, count, err));
    for (size_t i = 0; i < plan->model.round_count; i++) {
        const struct slice metric = plan->model.rounds[i];
        struct measure measure;

        if (!measure_find(metric, &measure))
            continue;
        if (!metric_ranks(measure.metric))
            TRY(add_round(plan, metric, "train", arena, shown, count, err));
        TRY(add_round(plan, metric, "validation", arena, shown, count, err));
    }
    return STATUS_OK;
}

enum status show_train_columns(const struct plan *plan, struct arena *arena,
                               struct slice names[SHOW_TRAIN_COLUMNS_MAX], size_t *count,
                               struct error *err)
{
    struct shown shown[SHOW_TRAIN_COLUMNS_MAX];

    TRY(list_shown(plan, arena, shown, count, err));
    names[0] = SLICE("epoch");
    for (size_t i = 0; i < *count; i++)
        names[i + 1] = shown[i].name;
    ++*count;
    if (plan->model.kept_epoch > 0)
        names[(*count)++] = SLICE("kept");
    return STATUS_OK;
}

/* The epoch that is being read. */
struct epochs {
    const struct sink *sink;
    struct shown shown[SHOW_TRAIN_COLUMNS_MAX];
    size_t shown_count;
    uint32_t kept_epoch; /* 0: that of the end, and no column says so */
    bool has_row;
    struct cell row[SHOW_TRAIN_COLUMNS_MAX];
};

static enum status put_epoch(struct epochs *epochs, struct error *err)
{
    size_t count = epochs->shown_count + 1;

    if (!epochs->has_row)
        return STATUS_OK;
    if (epochs->kept_epoch > 0)
        epochs->row[count++] = cell_integer(epochs->row[0].integer == epochs->kept_epoch);
    return sink_row(epochs->sink, epochs->row, count, err);
}

/* epoch, step, metric, part, value: of an epoch the last step counts. */
static enum status take_curve(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct epochs *epochs = self;

    if (count < 5)
        return fail(err, STATUS_CORRUPT, "totrain_metrics lacks columns");
    if (!epochs->has_row || cells[0].integer != epochs->row[0].integer) {
        TRY(put_epoch(epochs, err));
        epochs->has_row = true;
        epochs->row[0] = cell_integer(cells[0].integer);
        for (size_t i = 1; i <= epochs->shown_count; i++)
            epochs->row[i] = cell_null();
    }
    for (size_t i = 0; i < epochs->shown_count; i++)
        if (slice_equal(cells[2].text, epochs->shown[i].metric) &&
            slice_equal(cells[3].text, epochs->shown[i].part))
            epochs->row[i + 1] = cell_real(cells[4].real);
    return STATUS_OK;
}

enum status show_train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err)
{
    struct slice names[SHOW_TRAIN_COLUMNS_MAX];
    struct epochs epochs = {.sink = sink, .kept_epoch = plan->model.kept_epoch};
    const struct sink curves = {.self = &epochs, .row = take_curve};
    struct model model;
    size_t count;

    TRY(show_train_columns(plan, arena, names, &count, err));
    TRY(list_shown(plan, arena, epochs.shown, &epochs.shown_count, err));
    TRY(host->models->load_meta(host->self, plan->model_schema, plan->model_name, arena, &model,
                                err));
    TRY(sink_columns(sink, names, count, err));
    TRY(host->models->list_metrics(host->self, plan->model_schema, plan->model_name, &model,
                                   &curves, err));
    return put_epoch(&epochs, err);
}

/* ----- SHOW MODEL: what it is ----- */

static enum status put(const struct sink *sink, const char *name, struct cell value,
                       struct error *err)
{
    return sink_row(sink, (struct cell[]){cell_string(name), value}, 2, err);
}

static enum status put_text(const struct sink *sink, const char *name, struct slice value,
                            struct error *err)
{
    return put(sink, name, cell_text(value), err);
}

static enum status put_classes(const struct model *model, const struct sink *sink,
                               struct error *err)
{
    enum status status;
    struct text list;

    if (model->task != TASK_CLASSIFICATION)
        return STATUS_OK;
    text_init(&list, TEXT_MAXIMUM);
    text_printf(&list, "%u: ", model->labels.count);
    for (uint32_t i = 0; i < model->labels.count && i < CLASSES_NAMED; i++) {
        char buffer[TRANSFORM_WORD_BUFFER];

        text_append_string(&list, i > 0 ? ", " : "");
        text_append(&list, slice_prefix(label_name(&model->labels, i, buffer), 64));
    }
    text_append_string(&list, model->labels.count > CLASSES_NAMED ? ", ..." : "");
    status = list.failed ? fail_no_memory(err) : put_text(sink, "classes", text_slice(&list), err);
    text_deinit(&list);
    return status;
}

static enum status put_printed(const struct sink *sink, const char *name, struct text *text,
                               struct error *err)
{
    const enum status status =
        text->failed ? fail_no_memory(err) : put_text(sink, name, text_slice(text), err);

    text_deinit(text);
    return status;
}

static enum status put_calibration(const struct final_step *final, const struct sink *sink,
                                   struct error *err)
{
    struct text text;

    if (final->calibration == CALIBRATION_NONE)
        return STATUS_OK;
    text_init(&text, TEXT_MAXIMUM);
    text_printf(&text, "%s, by %llu validation rows", calibration_words[final->calibration],
                (unsigned long long) final->rows);
    if (final->calibration == CALIBRATION_ISOTONIC && final->map_count == 1)
        text_printf(&text, ": %u points", final->maps[0].count);
    return put_printed(sink, "calibration", &text, err);
}

static enum status put_threshold(const struct model *model, const struct sink *sink,
                                 struct error *err)
{
    const struct final_step *final = &model->final;
    char buffer[TRANSFORM_WORD_BUFFER];
    struct threshold_choice choice;
    struct text text;

    if (!final->has_threshold)
        return STATUS_OK;
    text_init(&text, TEXT_MAXIMUM);
    text_append(&text, slice_prefix(label_name(&model->labels, model_positive(model), buffer), 64));
    text_append_string(&text, " from a probability of ");
    text_append_real(&text, final->threshold);
    text_append_string(&text, " up");
    if (threshold_choice_parse(final->rule, &choice) && choice.rule != THRESHOLD_NUMBER)
        text_printf(&text, ": '%.*s' on %llu validation rows", SLICE_FORMAT(final->rule),
                    (unsigned long long) final->rows);
    return put_printed(sink, "threshold", &text, err);
}

static enum status put_facts(const struct plan *plan, const struct model *model,
                             const struct sink *sink, struct error *err)
{
    TRY(put_text(sink, "model", plan->model_name, err));
    TRY(put_text(sink, "kind", model->estimator, err));
    if (model->definition.size > 0)
        TRY(put_text(sink, "definition", model->definition, err));
    if (task_has_label(model->task))
        TRY(put_text(sink, "label", model->label, err));
    TRY(put_classes(model, sink, err));
    TRY(put_calibration(&model->final, sink, err));
    TRY(put_threshold(model, sink, err));
    TRY(put(sink, "rows", cell_integer((int64_t)model->rows), err));
    TRY(put(sink, "version", cell_integer(model->version), err));
    return put_text(sink, "created_at", model->created_at, err);
}

static enum status put_fact(void *sink, const char *name, struct cell value, struct error *err)
{
    return put(sink, name, value, err);
}

/* The attributes that the statement set, by their full names. */
static enum status put_settings(const struct model *model, struct arena *arena,
                                const struct sink *sink, struct error *err)
{
    const struct estimator *estimator = NULL;
    struct statement statement;
    struct error ignored;

    error_clear(&ignored);
    if (parse_statement(model->statement, arena, &statement, &ignored) != STATUS_OK)
        return STATUS_OK; /* another version wrote the statement in another way */
    if (estimator_find(&statement.model, &estimator, &ignored) != STATUS_OK)
        return STATUS_OK;
    for (size_t i = 0; i < statement.setting_count; i++) {
        const struct setting *setting = &statement.settings[i];
        const struct span span = setting->value.span;
        const struct attribute *attribute =
            attribute_find_written(setting->name.text, SCOPE_TRAIN, estimator);
        const struct slice written = {model->statement.data + span.start,
                                      (size_t)(span.end - span.start)};

        TRY(sink_row(sink,
                     (struct cell[]){attribute ? cell_string(attribute->name)
                                               : cell_text(setting->name.text),
                                     cell_text(written)},
                     2, err));
    }
    return STATUS_OK;
}

/* ----- inputs ----- */

static bool are_alike(const struct transform_input *a, const struct transform_input *b)
{
    return transform_is_number(a) && transform_is_number(b) && !a->spec.label && !b->spec.label &&
           a->has_nulls == b->has_nulls;
}

/* How many from i on are of one kind; numbers alone. */
static uint32_t run_of(const struct transform *transform, uint32_t i)
{
    uint32_t count = 1;

    while (i + count < transform->input_count &&
           are_alike(&transform->inputs[i], &transform->inputs[i + count]))
        count++;
    return count;
}

static void describe_input(const struct transform_input *input, bool keeps_numbers,
                           struct text *out)
{
    if (input->spec.offset) {
        text_printf(out, "no input: %s added to each row's score",
                    input->spec.offset == OFFSET_EXPOSURE ? "its logarithm is" : "it is");
        return;
    }
    if (input->spec.label) {
        text_printf(out, "no input: %s",
                    input->spec.label == INPUT_LABEL_NUMBER ? "a number" : "classes of type ");
        if (input->spec.label != INPUT_LABEL_NUMBER)
            text_append_string(out, input_label_words[input->spec.label]);
        return;
    }
    text_append_string(out, input_type_words[input->spec.type]);
    input->encoder->describe(input, keeps_numbers, out);
    concat_append(input->spec.concat, out);
    text_append_string(out, input->has_nulls ? ", with NULLs" : "");
}

static enum status put_input(const struct transform *transform, uint32_t i, uint32_t count,
                             const struct sink *sink, struct error *err)
{
    const struct transform_input *first = &transform->inputs[i];
    struct text name, detail;
    enum status status;

    text_init(&name, TEXT_MAXIMUM);
    text_init(&detail, TEXT_MAXIMUM);
    text_printf(&name, "%s %.*s",
                first->spec.offset  ? offset_words[first->spec.offset]
                : first->spec.label ? "label"
                                    : "input",
                SLICE_FORMAT(first->spec.name));
    if (count > 1) {
        text_printf(&name, " ... %.*s", SLICE_FORMAT(transform->inputs[i + count - 1].spec.name));
        if (first->spec.list.form == LIST_WORDS)
            text_printf(&detail, "how many words of the text are in each of %u hash buckets",
                        count);
        else
            text_printf(&detail, "%u numeric%s", count, first->has_nulls ? ", with NULLs" : "");
    } else {
        describe_input(first, transform->keeps_numbers, &detail);
    }
    status = name.failed || detail.failed
                 ? fail_no_memory(err)
                 : sink_row(sink,
                            (struct cell[]){cell_text(text_slice(&name)),
                                            cell_text(text_slice(&detail))},
                            2, err);
    text_deinit(&name);
    text_deinit(&detail);
    return status;
}

static enum status put_inputs(const struct transform *transform, const struct sink *sink,
                              struct error *err)
{
    for (uint32_t i = 0; i < transform->input_count;) {
        const uint32_t run = run_of(transform, i), count = run >= INPUTS_ALIKE ? run : 1;

        TRY(put_input(transform, i, count, sink, err));
        i += count;
    }
    return STATUS_OK;
}

/* ----- what was measured ----- */

static enum status put_metric(void *context, struct slice name, struct slice label,
                              const char *part, double value, struct error *err)
{
    const struct sink *sink = context;
    struct text item;
    enum status status;

    text_init(&item, TEXT_MAXIMUM);
    text_append(&item, name);
    if (label.size > 0)
        text_printf(&item, " of %.*s", SLICE_FORMAT(label));
    text_printf(&item, ", %s", part);
    status =
        item.failed ? fail_no_memory(err) : put(sink, text_string(&item), cell_real(value), err);
    text_deinit(&item);
    return status;
}

/* The last epoch, and the best one by the rows that were held out: by what early stopping goes by,
 * the last metric that was measured each round, else by the loss. */
struct ending {
    struct slice metric;
    bool is_loss; /* less of it is better */
    int64_t epochs, steps, best_epoch;
    double best, seconds;
};

static enum status take_ending(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    struct ending *ending = self;
    double value;

    if (count < 5)
        return fail(err, STATUS_CORRUPT, "totrain_metrics lacks columns");
    ending->epochs = cells[0].integer;
    ending->steps = cells[1].integer;
    if (slice_is(cells[2].text, "seconds"))
        ending->seconds = cells[4].real;
    if (!slice_equal(cells[2].text, ending->metric) || !slice_is(cells[3].text, "validation"))
        return STATUS_OK;
    value = ending->is_loss ? cells[4].real : -cells[4].real;
    if (ending->best_epoch == 0 || value < ending->best) {
        ending->best_epoch = cells[0].integer;
        ending->best = value;
    }
    return STATUS_OK;
}

static enum status put_ending(const struct host *host, const struct plan *plan,
                              const struct model *model, const struct sink *sink, struct error *err)
{
    const size_t rounds = plan->model.round_count;
    struct ending ending = {.metric = SLICE("loss"), .is_loss = true, .seconds = (double)NAN};
    const struct sink metrics = {.self = &ending, .row = take_ending};
    enum metric last;

    if (rounds > 0 && metric_find(plan->model.rounds[rounds - 1], &last)) {
        ending.metric = plan->model.rounds[rounds - 1];
        ending.is_loss = metric_is_loss(last);
    }
    TRY(host->models->list_metrics(host->self, plan->model_schema, plan->model_name, model,
                                   &metrics, err));
    if (ending.epochs == 0)
        return STATUS_OK;
    TRY(put(sink, "epochs", cell_integer(ending.epochs), err));
    TRY(put(sink, "steps", cell_integer(ending.steps), err));
    if (ending.best_epoch > 0)
        TRY(put(sink, "best epoch", cell_integer(ending.best_epoch), err));
    if (model->kept_epoch > 0)
        TRY(put(sink, "kept epoch", cell_integer(model->kept_epoch), err));
    return isnan(ending.seconds) ? STATUS_OK : put(sink, "seconds", cell_real(ending.seconds), err);
}

static enum status put_best_trial(const struct model *model, struct arena *arena,
                                  const struct sink *sink, struct error *err)
{
    struct slice settings;

    TRY(best_trial(model, arena, &settings, err));
    return settings.size > 0 ? put_text(sink, "best trial", settings, err) : STATUS_OK;
}

enum status show_model_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err)
{
    struct model model;

    TRY(host->models->load_meta(host->self, plan->model_schema, plan->model_name, arena, &model,
                                err));
    TRY(put_facts(plan, &model, sink, err));
    TRY(put_settings(&model, arena, sink, err));
    TRY(put_inputs(&model.transform, sink, err));
    if (model.kind->show)
        TRY(model.kind->show(&model, put_fact, (void *)(uintptr_t)sink, err));
    TRY(stored_metrics(&model, put_metric, (void *)(uintptr_t)sink, err));
    TRY(put_ending(host, plan, &model, sink, err));
    TRY(put_best_trial(&model, arena, sink, err));
    TRY(notice_rows(model.notices, 2, 1, sink, err));
    TRY(put_text(sink, "digest", model.digest, err));
    return put_text(sink, "statement", model.statement, err);
}
