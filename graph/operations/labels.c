#include <math.h>
#include <string.h>

#include "graph/graph_labels.h"
#include "graph/graph_shape.h"
#include "graph/operations/operations.h"
#include "scoring/numbers/elementary.h"

/*
 * label(c): one of several labels, which label_loss compares a value with. Classes are numbers that
 * are 1 for the row's class and else 0, and all 0 of a row without one; a number is one, NaN of a
 * row without it.
 *
 * label_loss(x, label): how far x is from it, one number for each row; 0 where the row has no
 * label, so that the row teaches the other heads alone.
 */

/* ---- label ---- */

static const struct operation_argument label_arguments[] = {
    {.name = "name", .type = ARGUMENT_COLUMN, .is_needed = true, .help = "The label's name."},
    {.name = NULL},
};

static const struct graph_column *column_of(const struct graph *graph,
                                            const struct graph_node *node)
{
    for (uint32_t i = 0; i < graph->row.column_count; i++)
        if (graph->row.columns[i].label &&
            slice_equal(graph->row.columns[i].name, node->arguments[0].text))
            return &graph->row.columns[i];
    return NULL;
}

static enum status label_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_column *column = column_of(graph, node);

    if (!column) {
        graph_fail(node, err, "no label is called \"%.*s\"", SLICE_FORMAT(node->arguments[0].text));
        return error_hint(err, "LABEL names several columns for it, as in LABEL clicked, amount.");
    }
    if (column->label != INPUT_LABEL_NUMBER && column->words < 2)
        return graph_fail(node, err, "label \"%.*s\" has %u class%s, and two at least are learned",
                          SLICE_FORMAT(column->name), column->words,
                          column->words == 1 ? "" : "es");
    node->first_column = (uint32_t)(column - graph->row.columns);
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1, .sizes = {1}};
    if (column->label != INPUT_LABEL_NUMBER)
        node->shape.sizes[0] = column->words;
    return STATUS_OK;
}

static void label_forward(const struct operation_call *call)
{
    const struct graph *graph = call->graph;
    const struct graph_column *column = &graph->row.columns[call->node->first_column];
    const size_t size = call->node->size;

    if (column->label == INPUT_LABEL_NUMBER) {
        for (size_t i = 0; i < call->n; i++)
            call->value[i] = graph_label_number(column, call->features + i * graph->row.features);
        return;
    }
    memset(call->value, 0, call->n * size * sizeof *call->value);
    for (size_t i = 0; i < call->n; i++) {
        const uint32_t class =
            graph_label_class(column, call->ids + i * graph->row.ids, (uint32_t)size);

        if (class != GRAPH_NONE)
            call->value[i * size + class] = 1;
    }
}

const struct operation label_operation = {
    .name = GRAPH_LABEL,
    .help = "One of several labels, for label_loss.",
    .arguments = label_arguments,
    .shape = label_shape,
    .forward = label_forward,
};

/* ---- label_loss ---- */

enum label_loss { LOSS_AUTO, LOSS_CROSS_ENTROPY, LOSS_SQUARED, LOSS_ABSOLUTE, LOSS_HUBER };

static const char *const loss_words[] = {"auto",     "cross_entropy", "squared",
                                         "absolute", "huber",         NULL};

static const struct operation_argument loss_arguments[] = {
    {.name = "loss",
     .type = ARGUMENT_WORD,
     .words = loss_words,
     .help = "auto is cross_entropy of classes, and squared of a number."},
    {.name = "weight",
     .type = ARGUMENT_REAL,
     .least = 0,
     .most = 1e6,
     .number = 1,
     .help = "The loss is multiplied by it."},
    {.name = NULL},
};

/* The label that is compared with, a node whose column is known. */
static const struct graph_column *compared(const struct graph *graph, const struct graph_node *node)
{
    return &graph->row.columns[graph_input(graph, node, 1)->first_column];
}

static enum label_loss loss_of(const struct graph *graph, const struct graph_node *node)
{
    const enum label_loss loss = (enum label_loss)graph_argument(node, "loss")->word;

    if (loss != LOSS_AUTO)
        return loss;
    return compared(graph, node)->label == INPUT_LABEL_NUMBER ? LOSS_SQUARED : LOSS_CROSS_ENTROPY;
}

/* So far the sample's classes are known alone: of all rows there may be more. */
static bool is_guess(const struct graph *graph, const struct graph_node *node)
{
    return graph->row.guesses_outputs && compared(graph, node)->label != INPUT_LABEL_NUMBER;
}

static enum status loss_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_node *x = graph_input(graph, node, 0), *label = graph_input(graph, node, 1);
    char shape[GRAPH_SHAPE_BYTES], wanted[GRAPH_SHAPE_BYTES];

    if (label->operation != &label_operation) {
        graph_fail(node, err, "its second value is %s, and is to be a label",
                   label->operation->name);
        return error_hint(err, "label_loss(dense(h, outputs(clicked)), label(clicked)) compares a "
                               "head with its label.");
    }
    if (x->shape.rank > 1 || (x->size != label->size && !is_guess(graph, node))) {
        graph_fail(node, err, "its value has the shape %s, and the label asks for %s",
                   graph_shape_text(&x->shape, shape), graph_shape_text(&label->shape, wanted));
        return error_hint(err, "dense(h, outputs(%.*s)) makes as many numbers.",
                          SLICE_FORMAT(label->arguments[0].text));
    }
    if ((loss_of(graph, node) == LOSS_CROSS_ENTROPY) ==
        (compared(graph, node)->label == INPUT_LABEL_NUMBER))
        return graph_fail(node, err, "%s has no use with label \"%.*s\", which is %s",
                          loss_words[loss_of(graph, node)], SLICE_FORMAT(label->arguments[0].text),
                          compared(graph, node)->label == INPUT_LABEL_NUMBER ? "a number"
                                                                             : "classes");
    node->is_sequence = false;
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 0};
    return STATUS_OK;
}

static size_t class_of(const float *label, size_t size)
{
    size_t class = 0;

    while (class < size && label[class] == 0)
        class ++;
    return class;
}

/* The sum of the exponentials of x less the greatest, which is *greatest. */
static double exponentials(const float *x, size_t size, double *greatest)
{
    double sum = 0;

    *greatest = (double)x[0];
    for (size_t j = 1; j < size; j++)
        *greatest = fmax(*greatest, (double)x[j]);
    for (size_t j = 0; j < size; j++)
        sum += exponential_double((double)x[j] - *greatest);
    return sum;
}

static double cross_entropy(const float *x, const float *label, size_t size)
{
    const size_t class = class_of(label, size);
    double greatest, sum;

    if (class == size)
        return 0;
    sum = exponentials(x, size, &greatest);
    return logarithm_double(sum) + greatest - (double)x[class];
}

/* Halves of squares up to 1, and beyond straight lines that go on from there. */
static double distance(enum label_loss loss, double difference)
{
    const double far = fabs(difference);

    if (loss == LOSS_ABSOLUTE)
        return far;
    if (loss == LOSS_HUBER)
        return far < 1 ? far * far / 2 : far - 0.5;
    return difference * difference;
}

static double distance_slope(enum label_loss loss, double difference)
{
    const double sign = (difference > 0) - (difference < 0);

    if (loss == LOSS_ABSOLUTE)
        return sign;
    if (loss == LOSS_HUBER)
        return fabs(difference) < 1 ? difference : sign;
    return 2 * difference;
}

static void loss_forward(const struct operation_call *call)
{
    const enum label_loss loss = loss_of(call->graph, call->node);
    const double weight = graph_argument(call->node, "weight")->number;
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    for (size_t i = 0; i < call->n; i++) {
        const float *x = call->inputs[0] + i * size, *label = call->inputs[1] + i * size;
        double lost = 0;

        if (loss == LOSS_CROSS_ENTROPY)
            lost = cross_entropy(x, label, size);
        else if (!isnan(label[0]))
            lost = distance(loss, (double)x[0] - (double)label[0]);
        call->value[i] = (float)(weight * lost);
    }
}

/* The probabilities, less 1 where the label is. */
static void entropy_backward(const float *x, const float *label, size_t size, double delta,
                             float *dx)
{
    double greatest, sum;

    if (class_of(label, size) == size)
        return;
    sum = exponentials(x, size, &greatest);
    for (size_t j = 0; j < size; j++)
        dx[j] +=
            (float)(delta * (exponential_double((double)x[j] - greatest) / sum - (double)label[j]));
}

static void loss_backward(const struct operation_call *call)
{
    const enum label_loss loss = loss_of(call->graph, call->node);
    const double weight = graph_argument(call->node, "weight")->number;
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    for (size_t i = 0; call->deltas[0] && i < call->n; i++) {
        const float *x = call->inputs[0] + i * size, *label = call->inputs[1] + i * size;
        const double delta = weight * (double)call->delta[i];

        if (loss == LOSS_CROSS_ENTROPY)
            entropy_backward(x, label, size, delta, call->deltas[0] + i * size);
        else if (!isnan(label[0]))
            call->deltas[0][i] +=
                (float)(delta * distance_slope(loss, (double)x[0] - (double)label[0]));
    }
}

static double loss_cost(const struct graph *graph, const struct graph_node *node)
{
    return graph_input(graph, node, 0)->size;
}

const struct operation label_loss_operation = {
    .name = GRAPH_LABEL_LOSS,
    .help = "How far x is from one of several labels; 0 for a row without it.",
    .arguments = loss_arguments,
    .inputs_least = 2,
    .inputs_most = 2,
    .keeps_inputs = true,
    .shape = loss_shape,
    .forward = loss_forward,
    .backward = loss_backward,
    .cost = loss_cost,
};
