#include "scoring/heads.h"

#include <math.h>
#include <stdlib.h>

#include "inputs/cells/cells.h"
#include "scoring/kind.h"

/* ---- views ---- */

static uint32_t outputs_of(const struct model *view)
{
    return view->task == TASK_CLASSIFICATION && view->labels.count > 2 ? view->labels.count : 1;
}

static const struct kind head_kind = {.name = "head", .outputs = outputs_of};

static bool is_number(const struct transform_input *input)
{
    return input->spec.label == INPUT_LABEL_NUMBER;
}

static struct cell class_of_word(enum input_label type, struct slice word)
{
    const struct cell text = {.type = CELL_TEXT, .text = word};
    struct error ignored;
    bool is_null = false;
    double number = 0;
    int64_t integer;

    /* Digits of an integer that a double does not hold are kept. */
    if (type == INPUT_LABEL_INTEGER && slice_to_integer(word, &integer))
        return (struct cell){.type = CELL_INTEGER, .integer = integer};
    if (type == INPUT_LABEL_TEXT ||
        cell_to_number(&text, READING_NUMBER, SLICE("label"), &number, &is_null, &ignored) !=
            STATUS_OK ||
        is_null)
        return text;
    if (type == INPUT_LABEL_INTEGER && fabs(number) < 9007199254740992.0 && number == trunc(number))
        return (struct cell){.type = CELL_INTEGER, .integer = (int64_t)number};
    return (struct cell){.type = CELL_REAL, .real = number};
}

static int compare_classes(const struct cell *a, const struct cell *b)
{
    if (a->type == CELL_TEXT && b->type == CELL_TEXT)
        return slice_compare(a->text, b->text);
    if (a->type == CELL_INTEGER && b->type == CELL_INTEGER)
        return (a->integer > b->integer) - (a->integer < b->integer);
    if (a->type == CELL_REAL && b->type == CELL_REAL)
        return (a->real > b->real) - (a->real < b->real);
    return (int)a->type - (int)b->type;
}

/* By insertion: few classes, once for a model. */
static enum status list_classes(struct head_view *view, const struct transform_input *input,
                                struct arena *arena, struct error *err)
{
    struct labels *labels = &view->model.labels;

    labels->values = ARENA_NEW(arena, struct cell, input->word_count);
    view->words = ARENA_NEW(arena, uint32_t, input->word_count);
    if (!labels->values || !view->words)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++) {
        const struct cell class = class_of_word(input->spec.label, input->words[i]);
        uint32_t at = labels->count++;

        for (; at > 0 && compare_classes(&class, &labels->values[at - 1]) < 0; at--) {
            labels->values[at] = labels->values[at - 1];
            view->words[at] = view->words[at - 1];
        }
        labels->values[at] = class;
        view->words[at] = i;
    }
    return STATUS_OK;
}

static enum label_type type_of(enum input_label label)
{
    return label == INPUT_LABEL_INTEGER ? LABEL_INTEGER
           : label == INPUT_LABEL_TEXT  ? LABEL_TEXT
                                        : LABEL_REAL;
}

enum status head_view_init(struct head_view *view, const struct model *model, uint32_t head,
                           struct arena *arena, struct error *err)
{
    const struct transform_input *input = head_input(model, head);

    *view = (struct head_view){.head = head};
    view->model = (struct model){
        .estimator = model->estimator,
        .kind = &head_kind,
        .task = is_number(input) ? TASK_REGRESSION : TASK_CLASSIFICATION,
        .label = input->spec.name,
        .labels.type = type_of(input->spec.label),
        .label_mean = input->mean,
        .label_scale = input->scale,
    };
    if (!is_number(input))
        TRY(list_classes(view, input, arena, err));
    view->outputs = ARENA_NEW(arena, float, model->heads[head].count);
    view->scorer = (struct scorer){.outputs = view->outputs};
    return view->outputs ? STATUS_OK : fail_no_memory(err);
}

void head_view_take(struct head_view *view, const struct scorer *scorer)
{
    const float *z = scorer->outputs + scorer->model->heads[view->head].first;
    const uint32_t classes = view->model.labels.count;

    view->scorer.model = &view->model; /* views may have been moved */
    view->outputs[0] = z[0];
    if (classes == 2)
        view->outputs[0] = z[view->words[1]] - z[view->words[0]];
    for (uint32_t i = 0; classes > 2 && i < classes; i++)
        view->outputs[i] = z[view->words[i]];
}

bool head_view_label(const struct head_view *view, const struct scorer *scorer,
                     struct row_label *label)
{
    const struct transform_input *input = head_input(scorer->model, view->head);
    int64_t word;

    *label = (struct row_label){.upper = NAN};
    if (is_number(input)) {
        const float *dense = scorer->selected + input->dense_offset;

        label->value = label->upper = (double)dense[0] * input->scale + input->mean;
        return !(dense[1] > 0);
    }
    word = (int64_t)scorer->selected_ids[input->id_offset] - input->first_id;
    for (uint32_t i = 0; i < view->model.labels.count; i++)
        if (view->words[i] == word) {
            label->class = i;
            return true;
        }
    return false;
}

/* ---- all of them ---- */

struct head_views {
    struct arena arena;
    double *probabilities; /* room, for the classes of any head */
    struct head_view of[];
};

enum status head_views_new(const struct model *model, struct head_views **made, struct error *err)
{
    struct head_views *views = calloc(1, sizeof *views + model->head_count * sizeof *views->of);
    uint32_t classes = 1;

    *made = views;
    if (!views)
        return fail_no_memory(err);
    arena_init(&views->arena, ARENA_MAXIMUM);
    for (uint32_t i = 0; i < model->head_count; i++) {
        TRY(head_view_init(&views->of[i], model, i, &views->arena, err));
        if (views->of[i].model.labels.count > classes)
            classes = views->of[i].model.labels.count;
    }
    views->probabilities = ARENA_NEW(&views->arena, double, classes);
    return views->probabilities ? STATUS_OK : fail_no_memory(err);
}

void head_views_free(struct head_views *views)
{
    if (views)
        arena_deinit(&views->arena);
    free(views);
}

struct cell scorer_head(const struct scorer *scorer, uint32_t head)
{
    struct head_view *view = &scorer->heads->of[head];

    head_view_take(view, scorer);
    return scorer_prediction(&view->scorer);
}

enum status scorer_measure_head(const struct scorer *scorer, uint32_t head, bool *has_label,
                                struct metrics_row *row, struct error *err)
{
    struct head_view *view = &scorer->heads->of[head];
    struct row_label label;

    *has_label = head_view_label(view, scorer, &label);
    if (!*has_label)
        return STATUS_OK;
    head_view_take(view, scorer);
    return metrics_measure(&view->scorer, &label, scorer->heads->probabilities, NULL, row, err);
}

/* ---- metrics ---- */

struct measured_head {
    struct head_view view;
    struct metrics *metrics;
};

struct head_metrics {
    struct arena arena;
    uint32_t count;
    struct measured_head *heads; /* (count) */
};

static enum status init_heads(struct head_metrics *metrics, const struct model *model,
                              struct error *err)
{
    metrics->heads = ARENA_NEW(&metrics->arena, struct measured_head, model->head_count);
    if (!metrics->heads)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < model->head_count; i++) {
        struct measured_head *head = &metrics->heads[metrics->count];

        *head = (struct measured_head){.metrics = NULL};
        TRY(head_view_init(&head->view, model, i, &metrics->arena, err));
        TRY(metrics_new(&head->view.model, NULL, &head->metrics, err));
        metrics->count++;
    }
    return STATUS_OK;
}

enum status head_metrics_new(const struct model *model, struct head_metrics **made,
                             struct error *err)
{
    struct head_metrics *metrics = calloc(1, sizeof *metrics);

    *made = NULL;
    if (!metrics)
        return fail_no_memory(err);
    arena_init(&metrics->arena, ARENA_MAXIMUM);
    if (init_heads(metrics, model, err) != STATUS_OK) {
        head_metrics_free(metrics);
        return err->status;
    }
    *made = metrics;
    return STATUS_OK;
}

void head_metrics_free(struct head_metrics *metrics)
{
    if (!metrics)
        return;
    for (uint32_t i = 0; i < metrics->count; i++)
        metrics_free(metrics->heads[i].metrics);
    arena_deinit(&metrics->arena);
    free(metrics);
}

enum status head_metrics_add(struct head_metrics *metrics, const struct scorer *scorer,
                             struct error *err)
{
    for (uint32_t i = 0; i < metrics->count; i++) {
        struct measured_head *head = &metrics->heads[i];
        struct row_label label;

        if (!head_view_label(&head->view, scorer, &label))
            continue;
        head_view_take(&head->view, scorer);
        TRY(metrics_add(head->metrics, &head->view.scorer, &label, err));
    }
    return STATUS_OK;
}

enum status head_metrics_add_row(struct head_metrics *metrics, uint32_t head,
                                 const struct metrics_row *row, struct error *err)
{
    return metrics_add_row(metrics->heads[head].metrics, row, err);
}

uint32_t head_metrics_count(const struct head_metrics *metrics)
{
    return metrics->count;
}

/* Is it one of those that such a label has where a statement names none? */
static bool is_usual(const struct model *view, enum metric metric)
{
    return metric_task(metric) == view->task &&
           metric_is_default(metric, AIM_MEANS, view->labels.count);
}

bool head_metrics_value(struct head_metrics *metrics, uint32_t i, struct slice *label,
                        const char **metric, double *value)
{
    for (uint32_t h = 0; h < metrics->count; h++)
        for (unsigned m = 0; m < METRIC_COUNT; m++) {
            struct measured_head *head = &metrics->heads[h];

            if (!is_usual(&head->view.model, (enum metric)m) || i-- > 0)
                continue;
            *label = head->view.model.label;
            *metric = metric_name((enum metric)m);
            *value = metrics_rows(head->metrics) > 0 ? metrics_value(head->metrics, (enum metric)m)
                                                     : NAN;
            return true;
        }
    return false;
}

uint32_t head_metrics_most(const struct head_metrics *metrics)
{
    return metrics->count * METRIC_COUNT;
}

/* ---- of an epoch ---- */

void head_score_append(struct slice label, enum input_label type, struct text *out)
{
    text_append_string(out, type == INPUT_LABEL_NUMBER ? "rmse of " : "accuracy of ");
    text_append(out, label);
}
