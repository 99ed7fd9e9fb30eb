/*
 * outputs.h - what PREDICT gives for a row, as cells.
 *
 * The functions of the SQL and the workers of a job make them here, so that both
 * give the same bits.
 *
 *     prediction      in the label's own type; of a projection a JSON array of its components
 *     component       real: one of them
 *     probability     real: of the positive class of two, of the predicted one of more
 *     probabilities   JSON object: class -> probability, classes ascending
 *     logits          JSON array: one logit (or margin) of two classes and of a number, else one a
 *                     class
 *     distance        real: to the nearest cluster, or to what a projection's components give back;
 *                     of a detection to the border, above 0 inside
 *     points          real: of a score card, a whole number
 *     quantiles       JSON object: quantile -> number, in the order in which they were named
 *     lower, upper    real: the bounds of a forecast, for intervals of a level
 *     anomaly_probability  real: how probable it is that a value lies nearer to its forecast than
 *                     the one that came
 *     is_anomaly      boolean: is that probability above the level?
 *     leaf            JSON array: of each tree the node that the row ends in, from the tree's first
 *     shap            JSON object: input -> what it adds to the output (shap.h), and "(base)"; of
 *                     more than two classes, and of several quantiles, such an object of each
 */
#pragma once

#include "base/stop.h"
#include "scoring/model.h"

/* Its word in a job spec, the SQL function that gives it (totrain_NAME, totrain.NAME), and what it
 * is there. */
#define OUTPUT_MAP(X)                                                                              \
    X(PREDICTION, "prediction", "predict", OUTPUT_AS_LABEL)                                        \
    X(PROBABILITY, "probability", "probability", OUTPUT_REAL)                                      \
    X(PROBABILITIES, "probabilities", "probabilities", OUTPUT_JSON)                                \
    X(LOGITS, "logits", "logits", OUTPUT_JSON)                                                     \
    X(DISTANCE, "distance", "distance", OUTPUT_REAL)                                               \
    X(LEAF, "leaf", "leaf", OUTPUT_JSON)                                                           \
    X(QUANTILES, "quantiles", "quantiles", OUTPUT_JSON)                                            \
    X(COMPONENT, "component", "component", OUTPUT_REAL)                                            \
    X(SHAP, "shap", "shap", OUTPUT_JSON)                                                           \
    X(POINTS, "points", "points", OUTPUT_REAL)                                                     \
    X(LOWER, "lower", "forecast_lower", OUTPUT_REAL)                                               \
    X(UPPER, "upper", "forecast_upper", OUTPUT_REAL)                                               \
    X(ANOMALY, "anomaly_probability", "anomaly_probability", OUTPUT_REAL)                          \
    X(IS_ANOMALY, "is_anomaly", "is_anomaly", OUTPUT_BOOLEAN)

enum output_type { OUTPUT_AS_LABEL, OUTPUT_REAL, OUTPUT_JSON, OUTPUT_BOOLEAN };
enum output {
#define X(name, text, function, type) OUTPUT_##name,
    OUTPUT_MAP(X)
#undef X
        OUTPUT_COUNT
};

extern const char *const output_words[]; /* by value; NULL-terminated */
const char *output_function(enum output output);
enum output_type output_type(enum output output);

/* Those of a value that came: scorer_checked_output gives them. */
static inline bool output_is_checked(enum output output)
{
    return output >= OUTPUT_LOWER && output <= OUTPUT_IS_ANOMALY;
}

/* The facts of a model that not all of its task share. */
struct output_facts {
    enum task task;
    bool has_leaves, has_quantiles, has_margins, has_shap; /* margins: no probabilities */
    bool has_points;
};

/* Finds the extra output of this name for such models; false: they have none of it. */
bool extra_output_find(struct output_facts facts, struct slice name, enum output *output);
/* "'probability', 'probabilities', 'score' and 'logits'" */
void extra_outputs_append(struct output_facts facts, struct text *out);

/* Room for the outputs of one row at a time. */
struct output_workspace {
    double *probabilities;   /* (classes) */
    uint32_t *leaves;        /* (leaf_count) */
    struct shap *shap;       /* made with the first row that they are asked of */
    double *shares;          /* (outputs, inputs + 1): likewise */
    const struct stop *stop; /* asked within rows that take long: borrowed; NULL: nobody is */
    struct text json;
};
enum status output_workspace_init(struct output_workspace *workspace, const struct model *model,
                                  struct error *err);
void output_workspace_deinit(struct output_workspace *workspace);

/* Gives an output of the row that is selected. A text lives until the workspace's next output.
 * INVALID where the model has no such output, whatever the row; INTERRUPTED by the workspace's
 * `stop`. A component, and what is said of a value that came, have calls of their own. */
enum status scorer_output(const struct scorer *scorer, enum output output,
                          struct output_workspace *workspace, struct cell *cell, struct error *err);

/* Component `number`, from 1 on. INVALID where the model has none of that number. */
enum status scorer_component_output(const struct scorer *scorer, int64_t number, struct cell *cell,
                                    struct error *err);

#define CHECKED_LEVEL_LEAST 0.5
#define CHECKED_LEVEL_MOST  0.99999

/* One of the outputs for which output_is_checked. value: NULL has bounds alone. INVALID where it is
 * no number, the level is out of range, or the model forecasts nothing. */
enum status scorer_checked_output(const struct scorer *scorer, enum output output,
                                  const struct cell *value, double level, struct cell *cell,
                                  struct error *err);
