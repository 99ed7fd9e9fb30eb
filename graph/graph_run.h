/*
 * graph_run.h - the values of a graph for some rows, and back.
 *
 *     graph_room_open --> graph_forward --> graph_backward --> ... --> graph_room_close
 *
 * A room is memory for the values of one chunk of rows; what is computed in it depends on what was
 * there before in nothing. The values of a row have the same bits whatever rows are computed with
 * it.
 */
#pragma once

#include "arithmetic/touched_rows.h"
#include "graph/graph_plan.h"

struct graph_room {
    const struct graph *graph;
    const struct graph_plan *plan;
    float *memory; /* (plan->floats) */
};

enum status graph_room_open(struct graph_room *room, const struct graph *graph,
                            const struct graph_plan *plan, struct error *err);
void graph_room_close(struct graph_room *room);

/* The rows of a chunk, no more than the plan is for. */
struct graph_rows {
    const float *features; /* (n, row.features) */
    const int32_t *ids;    /* (n, row.ids) */
    uint32_t n;
    bool learns;  /* dropout leaves numbers out, and what backward looks at is kept */
    double share; /* the rows' part of those of the step */
    uint64_t seed, step, position;
};

/* Returns the output (n, row.outputs), which lies in the room. */
const float *graph_forward(const struct graph_room *room, const float *parameters,
                           const struct graph_rows *rows);
/* After graph_forward: the losses (n) of a graph that has a loss of its own. */
const float *graph_losses(const struct graph_room *room, const struct graph_rows *rows);
/* The place of the gradient of what is minimised, the output (n, row.outputs) or the loss (n), for
 * who fills it in before graph_backward. */
float *graph_delta(const struct graph_room *room);
/* After graph_forward of the same rows with learns: gradient (graph->floats) += that of the
 * parameters, with the rows of the table of words at their places among those that are touched.
 * transposed (graph->transposed): graph_transpose. */
void graph_backward(const struct graph_room *room, const float *parameters, const float *transposed,
                    const struct graph_rows *rows, float *gradient, struct touched_rows *touched);

/* Copies the weights that backward wants transposed. Returns the sum of the words
 * (base/sums/words.h) that it wrote over. */
uint32_t graph_transpose(const struct graph *graph, const float *parameters, float *transposed);
