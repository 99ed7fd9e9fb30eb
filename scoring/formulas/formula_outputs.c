/* The results of PREDICT for a row, as formulas: the steps of scorer_prediction and its kin. */
#include "scoring/formulas/formula_outputs.h"

#include <stdio.h>

#include "inputs/cells/cells.h"
#include "scoring/formulas/formula_row.h"
#include "scoring/heads.h"
#include "scoring/kind.h"
#include "scoring/label_names.h"

#define EXPONENT_MOST        200 /* exponent of a probability: e^-200 is 0 beside any other */
#define EXPONENT_LINK        700
#define CLASS_COLUMNS_MOST   20 /* classes that have a column of their probability each */
#define CLASS_NAME_MOST      40 /* bytes of a class's name in that of its column */
#define MULTIPLICATIONS_MOST 500000.0
#define CALIBRATED_MOST      100 /* classes: each has a sum of all others */

static const struct formula *choice(struct formula_program *program, const struct formula *if_holds,
                                    double then, double otherwise)
{
    return formula_if(program, if_holds, formula_number(program, then),
                      formula_number(program, otherwise));
}

/* The greatest of outputs [first, end), by halves. */
static const struct formula *greatest_of(struct formula_program *program, enum formula_op op,
                                         const struct formula *const *z, uint32_t first,
                                         uint32_t end)
{
    const uint32_t middle = first + (end - first) / 2;

    if (end - first == 1)
        return z[first];
    return formula_of(program, op, greatest_of(program, op, z, first, middle),
                      greatest_of(program, op, z, middle, end));
}

/* Which of the outputs is the extreme one, the first of equal ones. */
static const struct formula *place_of(struct formula_program *program,
                                      const struct formula *const *z, uint32_t count,
                                      const struct formula *extreme)
{
    const struct formula *place = formula_number(program, count - 1);

    for (uint32_t i = count - 1; i-- > 0;)
        place = formula_if(program, formula_of(program, FORMULA_EQUAL, z[i], extreme),
                           formula_number(program, i), place);
    return place;
}

static void name_class(const struct model *model, uint32_t class, char *name, size_t size)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    const struct slice label = label_name(&model->labels, class, buffer);

    if (label.size > CLASS_NAME_MOST)
        snprintf(name, size, "probability_of_class_%u", class);
    else
        snprintf(name, size, "probability_%.*s", SLICE_FORMAT(label));
}

/* 1 / (1 + e^(-sign z)) */
static const struct formula *logistic_of(struct formula_program *program, const struct formula *z,
                                         double sign)
{
    const struct formula *e = formula_exp(
        program, formula_of(program, FORMULA_MULTIPLY, z, formula_number(program, -sign)),
        EXPONENT_MOST);

    return formula_of(program, FORMULA_DIVIDE, formula_number(program, 1),
                      formula_add(program, formula_number(program, 1), e));
}

/* ---- calibration ---- */

/* Between points `low` and `low` + 1 of the map. */
static const struct formula *line_of(struct formula_program *program,
                                     const struct calibration_map *map, uint32_t low,
                                     const struct formula *score)
{
    const double from = map->scores[low], first = map->shares[low];
    const double rise = map->shares[low + 1] - first;
    const struct formula *way;

    if (rise == 0)
        return formula_number(program, first);
    way = formula_of(program, FORMULA_SUBTRACT, score, formula_number(program, from));
    way = formula_of(program, FORMULA_DIVIDE, way,
                     formula_number(program, map->scores[low + 1] - from));
    return formula_add(program, formula_number(program, first), formula_times(program, way, rise));
}

/* By halves, of a score from point `low` to point `high`. */
static const struct formula *share_between(struct formula_program *program,
                                           const struct calibration_map *map, uint32_t low,
                                           uint32_t high, const struct formula *score)
{
    const uint32_t middle = low + (high - low) / 2;

    if (map->shares[low] == map->shares[high])
        return formula_number(program, map->shares[low]);
    if (high - low == 1)
        return line_of(program, map, low, score);
    return formula_if(
        program,
        formula_of(program, FORMULA_LESS, score, formula_number(program, map->scores[middle])),
        share_between(program, map, low, middle, score),
        share_between(program, map, middle, high, score));
}

/* The steps of calibration_probability; `score` is a variable. */
static const struct formula *calibrated_of(struct formula_program *program,
                                           const struct calibration_map *map,
                                           const struct formula *score)
{
    const struct formula *z, *least, *most;

    if (program->model->final.calibration == CALIBRATION_SIGMOID) {
        z = formula_of(program, FORMULA_MULTIPLY, score, formula_number(program, map->slope));
        return logistic_of(program,
                           formula_add(program, z, formula_number(program, map->intercept)), 1);
    }
    least = formula_number(program, map->scores[0]);
    most = formula_number(program, map->scores[map->count - 1]);
    z = formula_of(program, FORMULA_LEAST, formula_of(program, FORMULA_GREATEST, score, least),
                   most);
    return share_between(program, map, 0, map->count - 1, formula_let(program, z));
}

/* The probability of class 1 of two. */
static const struct formula *probability_of_two(struct formula_program *program,
                                                const struct formula *z)
{
    const struct final_step *final = &program->model->final;

    return final->calibration == CALIBRATION_NONE ? logistic_of(program, z, 1)
                                                  : calibrated_of(program, final->maps, z);
}

static void add_final_step(struct formula_program *program, const struct formula *z)
{
    const struct model *model = program->model;
    const bool is_second = model_positive(model) == 1;
    const struct formula *one = formula_number(program, 1);
    const struct formula *second, *other, *positive;

    second = formula_let(program, probability_of_two(program, z));
    other = formula_let(program, formula_of(program, FORMULA_SUBTRACT, one, second));
    positive = is_second ? second
               : model->final.calibration == CALIBRATION_NONE
                   ? formula_let(program, logistic_of(program, z, -1))
                   : other;
    if (model->final.has_threshold)
        formula_output(program, "prediction", true,
                       choice(program,
                              formula_of(program, FORMULA_AT_MOST,
                                         formula_number(program, model->final.threshold), positive),
                              is_second, !is_second));
    else
        formula_output(program, "prediction", true,
                       choice(program, formula_of(program, FORMULA_LESS, other, second), 1, 0));
    formula_output(program, "probability", false, positive);
}

static void add_two_classes(struct formula_program *program, const struct formula *z)
{
    const struct model *model = program->model;

    if (!final_step_is_none(&model->final)) {
        add_final_step(program, z);
        return;
    }

    formula_output(
        program, "prediction", true,
        choice(program, formula_of(program, FORMULA_LESS, formula_number(program, 0), z), 1, 0));
    if (model->link != LABEL_LINK_MARGIN)
        formula_output(program, "probability", false,
                       logistic_of(program, z, model_positive(model) == 1 ? 1 : -1));
}

/* The logarithm of a class's odds against the rest, as final_step_scores has it. */
static const struct formula *class_score(struct formula_program *program, const struct formula **z,
                                         const struct formula **powers, uint32_t count,
                                         uint32_t class, const struct formula *greatest)
{
    struct formula_terms others;
    const struct formula *own;

    formula_terms_init(&others, program, count);
    for (uint32_t i = 0; i < count; i++)
        if (i != class)
            formula_terms_add(&others, powers[i]);
    own = formula_of(program, FORMULA_SUBTRACT, z[class], greatest);
    own = formula_of(program, FORMULA_GREATEST, own, formula_number(program, -CLASS_EXPONENT_MOST));
    return formula_let(program,
                       formula_of(program, FORMULA_SUBTRACT, own,
                                  formula_of(program, FORMULA_LOG,
                                             formula_let(program, formula_sum(program, others.items,
                                                                              others.count)),
                                             NULL)));
}

/* powers (count): e to each output less the greatest one. They become the calibrated shares. */
static void calibrate_classes(struct formula_program *program, const struct formula **z,
                              struct formula_terms *powers, const struct formula *greatest)
{
    const struct final_step *final = &program->model->final;
    struct formula_terms shares;

    formula_terms_init(&shares, program, powers->count);
    for (uint32_t i = 0; i < powers->count && !program->failed; i++)
        formula_terms_add(
            &shares, formula_let(program, calibrated_of(program, &final->maps[i],
                                                        class_score(program, z, powers->items,
                                                                    powers->count, i, greatest))));
    *powers = shares;
}

/* The class of the greatest share, and of all classes their parts of the sum. */
static void add_shares(struct formula_program *program, const struct formula_terms *shares,
                       const struct formula *greatest)
{
    const uint32_t count = shares->count;
    const struct formula *sum =
        formula_let(program, formula_sum(program, shares->items, shares->count));
    char name[CLASS_NAME_MOST + 40];

    formula_output(program, "probability", false,
                   formula_of(program, FORMULA_DIVIDE, greatest, sum));
    for (uint32_t i = 0;
         i < count && (count <= CLASS_COLUMNS_MOST || program->is_graph) && !program->failed; i++) {
        name_class(program->model, i, name, sizeof name);
        formula_output(program, name, false,
                       formula_of(program, FORMULA_DIVIDE, shares->items[i], sum));
    }
}

static void add_calibrated_classes(struct formula_program *program, const struct formula **z,
                                   struct formula_terms *powers, const struct formula *greatest)
{
    const struct formula *most;

    calibrate_classes(program, z, powers, greatest);
    if (program->failed)
        return;
    most = formula_let(program,
                       greatest_of(program, FORMULA_GREATEST, powers->items, 0, powers->count));
    formula_output(program, "prediction", true,
                   place_of(program, powers->items, powers->count, most));
    add_shares(program, powers, most);
}

static void add_classes(struct formula_program *program, const struct formula **z, uint32_t count)
{
    const struct formula *greatest =
        formula_let(program, greatest_of(program, FORMULA_GREATEST, z, 0, count));
    struct formula_terms terms;

    formula_terms_init(&terms, program, count);
    for (uint32_t i = 0; i < count; i++)
        formula_terms_add(
            &terms,
            formula_let(program,
                        formula_exp(program, formula_of(program, FORMULA_SUBTRACT, z[i], greatest),
                                    EXPONENT_MOST)));
    if (program->failed)
        return;
    if (program->model->final.calibration != CALIBRATION_NONE) {
        add_calibrated_classes(program, z, &terms, greatest);
        return;
    }
    formula_output(program, "prediction", true, place_of(program, z, count, greatest));
    add_shares(program, &terms, formula_number(program, 1)); /* e^0 of the greatest */
}

static const struct formula *number_of(struct formula_program *program, const struct formula *z)
{
    const struct model *model = program->model;

    if (model->link == LABEL_LINK_EXP)
        z = formula_exp(program, z, EXPONENT_LINK);
    if (model->label_scale != 1)
        z = formula_times(program, z, model->label_scale);
    return model->label_mean != 0
               ? formula_add(program, z, formula_number(program, model->label_mean))
               : z;
}

static void add_numbers(struct formula_program *program, const struct formula **z)
{
    const struct aim_facts *aim = &program->model->aim;

    formula_output(program, "prediction", false, number_of(program, z[aim_prediction(aim)]));
    for (uint32_t i = 0; i < aim->quantile_count; i++) {
        struct text name;

        text_init(&name, 80);
        text_append_string(&name, "quantile_");
        text_append_real(&name, aim->quantiles[i]);
        formula_output(program, text_string(&name), false, number_of(program, z[i]));
        text_deinit(&name);
    }
}

/* One of several labels: the class whose output is the greatest, or the number in its units. */
static void add_head(struct formula_program *program, const struct formula **z, uint32_t head,
                     const char *name)
{
    const struct formula **outputs = z + program->model->heads[head].first, **ordered;
    struct head_view *view = ARENA_NEW(program->arena, struct head_view, 1);
    struct error ignored;

    ordered = (const struct formula **)arena_alloc_array(
        program->arena, (size_t)program->model->heads[head].count + 1, sizeof(struct formula *));
    if (!view || !ordered ||
        head_view_init(view, program->model, head, program->arena, &ignored) != STATUS_OK) {
        program->failed = true;
        return;
    }
    if (view->model.task == TASK_REGRESSION) {
        formula_output(program, name, false,
                       formula_add(program,
                                   formula_times(program, outputs[0], view->model.label_scale),
                                   formula_number(program, view->model.label_mean)));
        return;
    }
    for (uint32_t i = 0; i < view->model.labels.count; i++)
        ordered[i] = outputs[view->words[i]];
    formula_output_class(
        program, name, &view->model.labels,
        place_of(program, ordered, view->model.labels.count,
                 formula_let(program, greatest_of(program, FORMULA_GREATEST, ordered, 0,
                                                  view->model.labels.count))));
}

static void add_heads(struct formula_program *program, const struct formula **z)
{
    for (uint32_t i = 0; i < program->model->head_count && !program->failed; i++) {
        const struct slice name =
            arena_copy(program->arena, head_input(program->model, i)->spec.name);

        program->failed |= !name.data;
        if (name.data)
            add_head(program, z, i, name.data);
    }
}

static void add_components(struct formula_program *program, const struct formula **z)
{
    const uint32_t components = program->model->components;

    for (uint32_t i = 0; i < components; i++) {
        char name[32];

        snprintf(name, sizeof name, "component_%u", i + 1);
        formula_output(program, name, false, z[i]);
    }
    if (program->model->aim.aim != AIM_LOSSES) /* the loss is what it is learned by */
        formula_output(program, "distance", false, z[components]);
}

static void add_outputs(struct formula_program *program, const struct formula **z, uint32_t count)
{
    const struct formula *nearest;

    switch (program->model->task) {
    case TASK_CLASSIFICATION:
        if (count == 1)
            add_two_classes(program, z[0]);
        else
            add_classes(program, z, count);
        break;
    case TASK_REGRESSION:
        add_numbers(program, z);
        break;
    case TASK_CLUSTERING:
        nearest = formula_let(program, greatest_of(program, FORMULA_LEAST, z, 0, count));
        formula_output(program, "prediction", false, place_of(program, z, count, nearest));
        formula_output(program, "distance", false, nearest);
        break;
    case TASK_PROJECTION:
        if (program->model->head_count > 0)
            add_heads(program, z);
        else
            add_components(program, z);
        break;
    case TASK_DETECTION:
        formula_output(program, "prediction", false,
                       choice(program,
                              formula_of(program, FORMULA_LESS, formula_number(program, 0), z[0]),
                              1, -1));
        formula_output(program, "distance", false, z[0]);
    }
}

enum status model_formulas(const struct model *model, struct arena *arena,
                           struct formula_program *program, struct error *err)
{
    const uint32_t count = model_outputs(model);
    const struct formula **z = (const struct formula **)arena_alloc_array(arena, (size_t)count + 1,
                                                                          sizeof(struct formula *));
    struct formula_row row;

    program->arena = arena;
    program->model = model;
    if (!z)
        return fail_no_memory(err);
    if (!model->kind->formulas)
        return fail(err, STATUS_UNSUPPORTED, "a model of kind \"%s\" is not exported as a program",
                    model->kind->name),
               error_hint(err, "Trees, linear models, score cards, naive Bayes, networks, clusters "
                               "and components are.");
    if (model->kind->leaf_count == NULL && !model->kind->has_calls &&
        model_cost(model).multiplications > MULTIPLICATIONS_MOST)
        return fail(err, STATUS_LIMIT, "a model of %.0f products a row, where formulas have %.0f",
                    model_cost(model).multiplications, MULTIPLICATIONS_MOST),
               error_hint(err, "Networks that are exported are small ones.");
    if (model->final.calibration != CALIBRATION_NONE && count > CALIBRATED_MOST)
        return fail(err, STATUS_LIMIT,
                    "calibrated probabilities of %u classes, where formulas have those of %d",
                    count, CALIBRATED_MOST),
               error_hint(err, "Without train.calibration it is exported.");
    TRY(formula_row_make(program, &row, err));
    TRY(model->kind->formulas(model, program, &row, z, err));
    for (uint32_t i = 0; i < count && !program->failed; i++)
        z[i] = formula_let(program, z[i]);
    if (!program->failed)
        add_outputs(program, z, count);
    return program->failed ? fail_no_memory(err) : STATUS_OK;
}
