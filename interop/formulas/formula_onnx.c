/*
 * ONNX: a tensor (N, 1) for each column, stage after stage of the formulas (onnx_walk.h), and the
 * outputs. A row that cannot be scored has NaN for numbers, the empty word or the least integer for
 * its class.
 */
#include "interop/formulas/formula_onnx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interop/onnx/onnx_graph.h"
#include "interop/onnx/onnx_walk.h"
#include "scoring/label_names.h"

#define LABEL         "label"
#define PROBABILITIES "probabilities"

/* ----- inputs ----- */

/* Things that formulas read of a column, added up. */
enum read {
    READS_NUMBER = 1,
    READS_WORD = 2,
    READS_DATE = 4,
    READS_ITEMS = 8, /* numbers of a list, */
    READS_WORDS = 16 /* its words */
};

static void find_reads(const struct formula *formula, uint8_t *reads)
{
    for (; formula; formula = formula->c) {
        if (formula->op == FORMULA_READ_NUMBER)
            reads[formula->index] |= READS_NUMBER;
        if (formula->op == FORMULA_READ_ITEM)
            reads[formula->index] |= READS_ITEMS;
        if (formula->op == FORMULA_READ_LISTED)
            reads[formula->index] |= READS_WORDS;
        if (formula->op == FORMULA_READ_WORD)
            reads[formula->index] |= READS_WORD;
        if (formula->op == FORMULA_READ_DATE)
            reads[formula->index] |= READS_DATE;
        if (formula->a)
            find_reads(formula->a, reads);
        if (formula->b)
            find_reads(formula->b, reads);
        for (uint32_t i = 0; formula->terms && i < formula->count; i++)
            find_reads(formula->terms[i], reads);
    }
}

static bool is_output_name(const struct formula_program *program, struct slice name)
{
    if (program->model->task == TASK_CLASSIFICATION &&
        (slice_is(name, LABEL) || slice_is(name, PROBABILITIES)))
        return true;
    for (uint32_t i = 0; i < program->output_count; i++)
        if (slice_is(name, program->outputs[i].name))
            return true;
    return false;
}

static enum status check_column(const struct formula_program *program, struct slice name,
                                uint8_t reads, struct error *err)
{
    if (name.size >= strlen(ONNX_OWN_PREFIX) &&
        slice_is(slice_prefix(name, strlen(ONNX_OWN_PREFIX)), ONNX_OWN_PREFIX))
        return fail(err, STATUS_UNSUPPORTED,
                    "column \"%.*s\" begins as the file's own names do, with " ONNX_OWN_PREFIX,
                    SLICE_FORMAT(slice_prefix(name, 60)));
    if (is_output_name(program, name)) {
        fail(err, STATUS_UNSUPPORTED,
             "column \"%.*s\" has the name of an output, and all names of an ONNX file differ",
             SLICE_FORMAT(name));
        return error_hint(err, "Train from a SELECT that calls the column otherwise.");
    }
    if (reads > READS_DATE && (reads & (reads - 1)))
        return fail(err, STATUS_UNSUPPORTED,
                    "column \"%.*s\" is taken as a %s and otherwise, too, and an input of ONNX "
                    "has one type",
                    SLICE_FORMAT(name), reads >= READS_ITEMS ? "list" : "date");
    return STATUS_OK;
}

/* Numbers of the list that the column holds; 1 of other columns. */
static uint32_t column_width(const struct transform *transform, uint32_t column)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].column == column && transform->inputs[i].spec.list.form)
            return transform->inputs[i].spec.list.size;
    return 1;
}

/* The sizes (N, 1). */
static onnx_value find_rows(struct onnx_walk *walk)
{
    static const int64_t one = 1;
    onnx_value values[2];
    struct onnx_node *node;

    if (column_width(&walk->program->model->transform, 0) == 1)
        return onnx_apply(walk->file, "Shape", walk->inputs[0], NULL, NULL);
    node = onnx_node_new(walk->file, "", "Shape", walk->inputs, 1);
    onnx_set_integer(walk->file, node, "end", 1);
    values[0] = onnx_node_value(node);
    values[1] = onnx_integers(walk->file, &one, 0, 1);
    node = onnx_node_new(walk->file, "", "Concat", values, 2);
    onnx_set_integer(walk->file, node, "axis", 0);
    return onnx_node_value(node);
}

/* A string where words alone are read, else doubles. */
static enum status declare_inputs(struct onnx_walk *walk, struct error *err)
{
    const struct formula_program *program = walk->program;
    const struct transform *transform = &program->model->transform;
    const uint32_t count = transform->column_count;
    uint8_t *reads = ONNX_NEW(walk, uint8_t, (size_t)count + 1);

    walk->inputs = ONNX_NEW(walk, onnx_value, (size_t)count + 1);
    walk->has_words = ONNX_NEW(walk, bool, (size_t)count + 1);
    if (walk->failed)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < program->variable_count; i++)
        find_reads(program->variables[i], reads);
    for (uint32_t i = 0; i < count; i++) {
        walk->inputs[i] = "";
        if (transform_is_label(transform, i))
            continue;
        TRY(check_column(program, transform->columns[i], reads[i], err));
        walk->has_words[i] = reads[i] == READS_WORD || reads[i] == READS_WORDS;
        walk->inputs[i] =
            onnx_input(walk->file, transform->columns[i],
                       walk->has_words[i] ? ONNX_STRING : ONNX_DOUBLE, column_width(transform, i));
    }
    walk->rows = find_rows(walk);
    return STATUS_OK;
}

/* ----- variables ----- */

static bool may_miss(const struct onnx_walk *walk, const struct formula *formula, uint32_t present);

static bool any_may_miss(const struct onnx_walk *walk, const struct formula *formula,
                         uint32_t present)
{
    for (uint32_t i = 0; formula->terms && i < formula->count; i++)
        if (may_miss(walk, formula->terms[i], present))
            return true;
    return (formula->a && may_miss(walk, formula->a, present)) ||
           (formula->b && may_miss(walk, formula->b, present));
}

/* Is NaN among the formula's values, in rows where variable `present` is none? */
static bool may_miss(const struct onnx_walk *walk, const struct formula *formula, uint32_t present)
{
    switch (formula->op) {
    case FORMULA_NUMBER:
        return isnan(formula->number);
    case FORMULA_VARIABLE:
        return formula->index != present && walk->may_miss[formula->index];
    case FORMULA_LOOKUP:
    case FORMULA_READ_LISTED:
    case FORMULA_REFUSE: /* the row has no outputs then */
        return false;
    case FORMULA_MISSING:
    case FORMULA_READ_NUMBER:
    case FORMULA_READ_WORD:
    case FORMULA_READ_DATE:
    case FORMULA_READ_ITEM:
        return true;
    case FORMULA_IF:
        return may_miss(walk, formula->b, present) ||
               may_miss(walk, formula->c,
                        formula->a->op == FORMULA_IS_MISSING &&
                                formula->a->a->op == FORMULA_VARIABLE
                            ? formula->a->a->index
                            : present);
    default:
        return any_may_miss(walk, formula, present);
    }
}

static bool has_refusal(const struct formula *formula)
{
    for (; formula->op == FORMULA_IF; formula = formula->c)
        if (has_refusal(formula->b))
            return true;
    return formula->op == FORMULA_REFUSE;
}

struct staged {
    uint32_t stage, variable;
};

static int compare_staged(const void *a, const void *b)
{
    const struct staged *one = a, *other = b;

    if (one->stage != other->stage)
        return one->stage < other->stage ? -1 : 1;
    return one->variable < other->variable ? -1 : one->variable > other->variable;
}

/* A variable that refuses rows is NaN in these alone. */
static void note_refusal(struct onnx_walk *walk, uint32_t variable)
{
    const struct onnx_place place = walk->places[variable];
    const onnx_value column = onnx_gather(walk, &place, 1);

    onnx_refuse(walk, onnx_apply(walk->file, "IsNaN", column, NULL, NULL), 1);
}

static void compute_stage(struct onnx_walk *walk, const struct staged *staged, uint32_t count)
{
    const struct formula **formulas = ONNX_NEW(walk, const struct formula *, count);
    struct onnx_place *places = ONNX_NEW(walk, struct onnx_place, count);

    if (walk->failed)
        return;
    for (uint32_t i = 0; i < count; i++)
        formulas[i] = walk->program->variables[staged[i].variable];
    onnx_place_all(walk, formulas, count, false, places);
    for (uint32_t i = 0; i < count && !walk->failed; i++) {
        walk->places[staged[i].variable] = places[i];
        walk->may_miss[staged[i].variable] = may_miss(walk, formulas[i], UINT32_MAX);
        if (has_refusal(formulas[i]))
            note_refusal(walk, staged[i].variable);
    }
}

static enum status compute_variables(struct onnx_walk *walk, struct error *err)
{
    const struct formula_program *program = walk->program;
    struct staged *staged = ONNX_NEW(walk, struct staged, (size_t)program->variable_count + 1);
    bool *needed = formula_needed(program, 0, program->output_count);
    uint32_t count = 0, first = 0;

    walk->places = ONNX_NEW(walk, struct onnx_place, (size_t)program->variable_count + 1);
    walk->may_miss = ONNX_NEW(walk, bool, (size_t)program->variable_count + 1);
    if (walk->failed || !needed) {
        free(needed);
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < program->variable_count; i++)
        if (needed[i])
            staged[count++] = (struct staged){program->variables[i]->stage, i};
    free(needed);
    qsort(staged, count, sizeof *staged, compare_staged);
    for (uint32_t end = 1; end <= count; end++)
        if (end == count || staged[end].stage != staged[first].stage) {
            compute_stage(walk, staged + first, end - first);
            first = end;
        }
    return walk->failed ? fail_no_memory(err) : STATUS_OK;
}

/* ----- outputs ----- */

/* (N, 1): does the row have a cell that is refused? NULL: none can have one. */
static onnx_value refused_rows(struct onnx_walk *walk)
{
    int64_t *axis = ONNX_NEW(walk, int64_t, 1);
    onnx_value values[2];

    if (walk->refusal_count == 0 || !axis)
        return NULL;
    axis[0] = 1;
    values[0] = onnx_gather(walk, walk->refusals, walk->refusal_count);
    values[1] = onnx_integers(walk->file, axis, 0, 1);
    return onnx_cast(walk->file,
                     onnx_node_value(onnx_node_new(walk->file, "", "ReduceMax", values, 2)),
                     ONNX_BOOL);
}

static onnx_value kept(struct onnx_walk *walk, onnx_value refused, onnx_value without,
                       onnx_value value)
{
    return refused ? onnx_apply(walk->file, "Where", refused, without, value) : value;
}

static onnx_value flat(struct onnx_walk *walk, onnx_value value)
{
    static const int64_t all = -1;

    return onnx_apply(walk->file, "Reshape", value, onnx_integers(walk->file, &all, 0, 1), NULL);
}

/* The labels of the classes, and behind them what a refused row has. */
static onnx_value labels_of(struct onnx_walk *walk, const struct labels *labels,
                            enum onnx_type *type)
{
    const uint32_t count = labels->count;

    if (labels->type == LABEL_INTEGER && labels->spelling == LABEL_AS_NUMBER) {
        int64_t *integers = ONNX_NEW(walk, int64_t, (size_t)count + 1);

        for (uint32_t i = 0; integers && i < count; i++)
            integers[i] = labels->values[i].integer;
        if (integers)
            integers[count] = INT64_MIN;
        *type = ONNX_INT64;
        return onnx_integers(walk->file, integers, 0, (size_t)count + 1);
    }
    struct slice *names = NULL;
    struct slice *all = ONNX_NEW(walk, struct slice, (size_t)count + 1);
    struct error ignored;

    walk->failed |= label_names(labels, walk->arena, &names, &ignored) != STATUS_OK;
    for (uint32_t i = 0; !walk->failed && i < count; i++)
        all[i] = names[i];
    if (!walk->failed)
        all[count] = SLICE("");
    *type = ONNX_STRING;
    return walk->failed ? "" : onnx_strings(walk->file, all, (size_t)count + 1);
}

static onnx_value output_value(struct onnx_walk *walk, const struct formula *formula)
{
    return onnx_full(walk, onnx_pack(walk, &formula, 1));
}

static void write_label(struct onnx_walk *walk, const struct formula_output *output,
                        onnx_value refused)
{
    const struct labels *classes = output->labels ? output->labels : &walk->program->model->labels;
    double *none = ONNX_NEW(walk, double, 1);
    enum onnx_type type;
    onnx_value labels = labels_of(walk, classes, &type), place;

    if (walk->failed)
        return;
    *none = classes->count;
    place = kept(walk, refused, onnx_doubles(walk->file, none, 1, 1),
                 output_value(walk, output->formula));
    place = flat(walk, onnx_cast(walk->file, place, ONNX_INT64));
    onnx_output(walk->file, output->labels ? slice_of(output->name) : SLICE(LABEL), type, 0,
                onnx_apply(walk->file, "Gather", labels, place, NULL));
}

/* The formula is that of the positive class of two; the other's is the rest of 1. */
static onnx_value both_classes(struct onnx_walk *walk, const struct formula *positive)
{
    static const double one = 1;
    onnx_value values[2], share = output_value(walk, positive);
    const int is_second = model_positive(walk->program->model) == 1;
    struct onnx_node *node;

    values[is_second] = share;
    values[!is_second] =
        onnx_apply(walk->file, "Sub", onnx_doubles(walk->file, &one, 1, 1), share, NULL);
    node = onnx_node_new(walk->file, "", "Concat", values, 2);
    onnx_set_integer(walk->file, node, "axis", 1);
    return onnx_node_value(node);
}

/* The outputs from `first` on are those of the classes in their order. */
static onnx_value all_classes(struct onnx_walk *walk, uint32_t first)
{
    const uint32_t count = walk->program->output_count - first;
    const struct formula **shares = ONNX_NEW(walk, const struct formula *, count);
    struct onnx_place *places = ONNX_NEW(walk, struct onnx_place, count);

    if (walk->failed)
        return "";
    for (uint32_t i = 0; i < count; i++)
        shares[i] = walk->program->outputs[first + i].formula;
    onnx_place_all(walk, shares, count, false, places);
    return onnx_gather(walk, places, count);
}

static void write_outputs(struct onnx_walk *walk)
{
    static const double nan_number = (double)NAN;
    const struct formula_program *program = walk->program;
    const uint32_t classes =
        program->model->task == TASK_CLASSIFICATION ? program->model->labels.count : 0;
    const onnx_value refused = refused_rows(walk),
                     missing = onnx_doubles(walk->file, &nan_number, 1, 1);

    for (uint32_t i = 0; i < program->output_count && !walk->failed; i++) {
        const struct formula_output *output = &program->outputs[i];

        if (output->is_class) {
            write_label(walk, output, refused);
            continue;
        }
        if (classes > 0 && strcmp(output->name, "probability") == 0) {
            onnx_output(walk->file, SLICE(PROBABILITIES), ONNX_DOUBLE, classes,
                        kept(walk, refused, missing,
                             classes == 2 ? both_classes(walk, output->formula)
                                          : all_classes(walk, i + 1)));
            return; /* the classes are behind it */
        }
        onnx_output(walk->file, slice_of(output->name), ONNX_DOUBLE, 1,
                    kept(walk, refused, missing, output_value(walk, output->formula)));
    }
}

static void write_notes(struct onnx_walk *walk)
{
    const struct model *model = walk->program->model;

    onnx_note(walk->file, "estimator", model->estimator);
    onnx_note(walk->file, "digest", model->digest);
    onnx_note(walk->file, "label", model->label);
    onnx_note(walk->file, "statement", model->statement);
}

enum status formula_print_onnx(const struct formula_program *program, struct slice name,
                               struct text *out, struct error *err)
{
    struct onnx_walk walk = {
        .program = program, .arena = program->arena, .file = onnx_file_new(program->arena)};

    if (!walk.file)
        return fail_no_memory(err);
    TRY(onnx_graph_check(program->model, err));
    TRY(declare_inputs(&walk, err));
    TRY(compute_variables(&walk, err));
    write_outputs(&walk);
    write_notes(&walk);
    if (walk.failed)
        return fail_no_memory(err);
    return onnx_file_write(walk.file, name, program->model->statement, out, err);
}
