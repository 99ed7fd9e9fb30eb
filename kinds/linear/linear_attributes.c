#include "kinds/linear/linear_attributes.h"

#include "params/attribute_rows.h"

_Static_assert(sizeof(struct linear_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

const char *const linear_objective_words[] = {
    "auto", "reg:squarederror", "binary:logistic", "multi:softmax", "multi:softprob", NULL};
const char *const linear_objectives_later[] = {
    "reg:squaredlogerror",
    "reg:pseudohubererror",
    "reg:absoluteerror",
    "reg:quantileerror",
    "reg:logistic",
    "reg:gamma",
    "reg:tweedie",
    "survival:aft",
    "survival:cox",
    "count:poisson",
    "rank:pairwise",
    "rank:ndcg",
    "rank:map",
    "binary:logitraw",
    "binary:hinge",
    NULL,
};
const struct word_alias linear_objective_aliases[] = {
    {"reg:linear", "reg:squarederror"},
    {NULL, NULL},
};
const char *const linear_booster_words[] = {"gblinear", NULL};
const char *const linear_updater_words[] = {"coord_descent", NULL};
const struct word_alias linear_updater_aliases[] = {{"shotgun", "coord_descent"}, {NULL, NULL}};
const char *const linear_selector_words[] = {"cyclic", NULL};
const char *const linear_selectors_later[] = {"shuffle", "random", "greedy", "thrifty", NULL};

ATTRIBUTE_TABLE(linear_attributes, struct linear_params, LINEAR_ATTRIBUTES)

bool linear_task(unsigned objective, enum task *task)
{
    *task = objective == LINEAR_SQUARED_ERROR ? TASK_REGRESSION : TASK_CLASSIFICATION;
    return objective != LINEAR_AUTOMATIC;
}

bool linear_uses(const struct kind_params *params, const struct attribute *attribute)
{
    (void)params;
    (void)attribute;
    return true;
}

static int position_of(const struct kind_settings *settings, const char *attribute)
{
    struct slice spelled;
    int position = -1;

    (void)settings->find(settings->context, attribute, &spelled, &position);
    return position;
}

static enum status check_objective(const struct linear_params *linear,
                                   const struct kind_settings *settings, struct error *err)
{
    enum task task;

    if (!linear_task(linear->objective, &task))
        return STATUS_OK;
    if (task != settings->task) {
        fail_at(err, STATUS_INVALID, position_of(settings, "objective"),
                "the objective %s does not fit a %s", linear_objective_words[linear->objective],
                task_models[settings->task]);
        return error_hint(err, "Numbers are learned by reg:squarederror, classes by "
                               "binary:logistic and multi:softprob.");
    }
    if (linear->objective != LINEAR_LOGISTIC || settings->classes <= 2)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position_of(settings, "objective"),
            "the objective binary:logistic needs two classes, and there are %u", settings->classes);
    return error_hint(err, "More classes are learned by multi:softprob.");
}

enum status linear_settle(struct kind_params *params, const struct kind_settings *settings,
                          struct error *err)
{
    const struct linear_params *linear = linear_params(params);
    const bool is_number = settings->task == TASK_REGRESSION;

    TRY(check_objective(linear, settings, err));
    if (linear->eta <= 0) {
        fail_at(err, STATUS_INVALID, position_of(settings, "eta"), "eta must be above 0");
        return error_hint(err, "Weights that do not move learn nothing: use 0.5, for example.");
    }
    if (is_number || linear->base_score == REAL_AUTOMATIC ||
        (linear->base_score > 0 && linear->base_score < 1))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position_of(settings, "base_score"),
            "base_score must be a probability, above 0 and below 1, where classes are learned");
    return error_hint(err, "Leave it out: then the classes' shares of the rows are taken.");
}

/* The number of outputs; a lower bound where the number of classes is not known. */
static double outputs_of(const struct kind_shape *shape)
{
    return shape->task == TASK_CLASSIFICATION && shape->classes > 2 ? shape->classes : 1;
}

/* The memory of runtime/learn/sums/newton.c: for each output the weights, those of a state that is
 * taken and sums of the products of all pairs of columns, two integers each, and their totals; for
 * one of them besides the sums of a lane and the whole matrix. More columns than that are refused
 * when the words of the data are known. */
struct kind_cost linear_cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double all = shape->dense + shape->id_rows + 1, outputs = outputs_of(shape);
    const double columns = all < LINEAR_COLUMNS_MAX ? all : LINEAR_COLUMNS_MAX;
    const double read = shape->dense + shape->ids + 1;
    const double pairs = columns * (columns + 1) / 2 + columns;
    (void)params;

    return (struct kind_cost){
        .parameters = columns * outputs,
        .multiplications = read * outputs,
        .bytes = outputs * (pairs * (4 * sizeof(int64_t) + sizeof(double)) +
                            columns * 3 * sizeof(double)) +
                 columns * columns * sizeof(double),
        .learning = linear_params(params)->rounds * outputs * columns * columns * 3,
        .row_learning = linear_params(params)->rounds * outputs * read * read / 2,
    };
}

void linear_explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const struct linear_params *linear = linear_params(params);
    const double inputs = shape->dense + shape->ids;

    text_printf(detail, "%.0f input%s, ", inputs, inputs == 1 ? "" : "s");
    if (shape->task == TASK_REGRESSION)
        text_append_string(detail, "1 output");
    else if (shape->classes > 0)
        text_printf(detail, "at most %u classes", shape->classes);
    else
        text_append_string(detail, "as many classes as the data has");
    text_printf(detail, ", %u round%s of coordinate descent, each one pass over the rows",
                linear->rounds, linear->rounds == 1 ? "" : "s");
}
