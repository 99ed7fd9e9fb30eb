#include <stdlib.h>

#include "graph/graph_infer.h"
#include "graph/graph_json.h"
#include "graph/graph_run.h"

#define ROWS       3
#define FLOATS_MAX 200000 /* parameters, and memory: larger graphs are not computed */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct graph_column columns[] = {
    {.name = {"x", 1}, .dense = 0, .dense_count = 8},
    {.name = {"s[0]", 4}, .source = {"s", 1}, .dense = 8, .dense_count = 2, .is_sequence = true},
    {.name = {"s[1]", 4}, .source = {"s", 1}, .dense = 10, .dense_count = 1, .is_sequence = true},
    {.name = {"c", 1}, .ids = 0, .id_count = 1, .first_row = 0, .rows = 4},
    {.name = {"t", 1}, .ids = 1, .id_count = 2, .first_row = 4, .rows = 3, .is_text = true},
    {.name = {"o", 1},
     .ids = 3,
     .id_count = 2,
     .first_row = 7,
     .rows = 2,
     .is_text = true,
     .is_sequence = true,
     .has_order = true},
};
static const struct graph_row row = {columns, 6, 11, 5, 9, 2, false};
static const int32_t ids[ROWS * 5] = {0, 4, 6, 8, 7, -1, 5, -1, 8, -1, 3, -1, -1, -1, -1};

/* Forward and back, with numbers that are all 1. */
static void compute(const struct graph *graph, const struct graph_plan *plan)
{
    float features[ROWS * 11], *parameters = calloc(graph->floats + 1, sizeof(float));
    float *gradient = calloc(graph->floats + 1, sizeof(float));
    float *transposed = calloc(graph->transposed + 1, sizeof(float));
    const struct graph_rows rows = {
        .features = features, .ids = ids, .n = ROWS, .learns = true, .share = 1};
    struct touched_rows touched = {0};
    struct graph_room room;
    struct error err;

    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        features[i] = 1;
    for (uint32_t i = 0; i < graph->floats; i++)
        parameters[i] = 1;
    if (graph_room_open(&room, graph, plan, &err) != STATUS_OK ||
        touched_rows_make(&touched, row.id_rows, &err) != STATUS_OK)
        abort();
    (void)graph_transpose(graph, parameters, transposed);
    (void)graph_forward(&room, parameters, &rows);
    for (uint32_t i = 0; i < ROWS * graph->nodes[graph_minimised(graph)].size; i++)
        graph_delta(&room)[i] = 1;
    graph_backward(&room, parameters, transposed, &rows, gradient, &touched);
    graph_room_close(&room);
    touched_rows_deinit(&touched);
    free(parameters);
    free(gradient);
    free(transposed);
}

/* A graph that is read has the calls that it is written with, and can be computed if it can be
 * inferred. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct graph graph, again;
    struct graph_plan plan;
    struct arena arena;
    struct error err;
    struct text text;
    cJSON *json, *written = cJSON_CreateObject(), *parsed = NULL;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&text, TEXT_MAXIMUM);
    if (json_parse((struct slice){(const char *)data, size}, 1 << 20, &json, &err) == STATUS_OK &&
        graph_read(json, &arena, &graph, &err) == STATUS_OK) {
        graph_write(&graph, written);
        if (json_print(written, false, &text, &err) != STATUS_OK ||
            json_parse(text_slice(&text), TEXT_MAXIMUM, &parsed, &err) != STATUS_OK ||
            graph_read(parsed, &arena, &again, &err) != STATUS_OK || !graph_equal(&graph, &again))
            abort();
        if (graph_infer(&graph, &row, &err) == STATUS_OK && graph.floats <= FLOATS_MAX &&
            graph_plan_make(&graph, ROWS, true, &arena, &plan, &err) == STATUS_OK &&
            plan.floats <= FLOATS_MAX)
            compute(&graph, &plan);
    }
    cJSON_Delete(json);
    cJSON_Delete(written);
    cJSON_Delete(parsed);
    text_deinit(&text);
    arena_deinit(&arena);
    return 0;
}
