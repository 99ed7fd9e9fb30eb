/*
 * outputs.h - what PREDICT gives for a row, as cells.
 *
 * The functions of the SQL and the workers of a job make them here, so that both
 * give the same bits.
 *
 *     prediction      in the label's own type
 *     probability     real: of the positive class of two, of the predicted one of more
 *     probabilities   JSON object: class -> probability, classes ascending
 *     logits          JSON array: one logit of two classes and of a number, else one a class
 */
#ifndef SCORING_OUTPUTS_H
#define SCORING_OUTPUTS_H

#include "scoring/model.h"

#define OUTPUT_MAP(X)                                                                              \
    X(PREDICTION, "prediction")                                                                    \
    X(PROBABILITY, "probability")                                                                  \
    X(PROBABILITIES, "probabilities")                                                              \
    X(LOGITS, "logits")

enum output {
#define X(name, text) OUTPUT_##name,
    OUTPUT_MAP(X)
#undef X
        OUTPUT_COUNT
};

/* Room for the outputs of one row at a time. */
struct output_room {
    double *probabilities; /* (classes) */
    struct text json;
};
enum status output_room_init(struct output_room *room, const struct model *model,
                             struct error *err);
void output_room_deinit(struct output_room *room);

/* Of the row that is selected. A text lives until the room's next output. INVALID
 * where the model has no such output, whatever the row. */
enum status scorer_output(const struct scorer *scorer, enum output output, struct output_room *room,
                          struct cell *cell, struct error *err);

#endif
