#include "runtime/learn/layers/linear_layer.h"

#include <stdlib.h>

enum status linear_layer_init(struct linear_layer *linear, uint32_t rows, uint32_t outputs,
                              struct error *err)
{
    linear->weights = calloc((size_t)rows * outputs + 1, sizeof *linear->weights);
    linear->bias = calloc(outputs, sizeof *linear->bias);
    linear->layer = (struct layer){rows, outputs, linear->weights, linear->bias};
    linear->content = (struct network_model){
        .activation = ACTIVATION_IDENTITY, .layers = &linear->layer, .layer_count = 1};
    return linear->weights && linear->bias ? STATUS_OK : fail_no_memory(err);
}

void linear_layer_deinit(struct linear_layer *linear)
{
    free(linear->weights);
    free(linear->bias);
    *linear = (struct linear_layer){.weights = NULL};
}

void linear_layer_set(struct linear_layer *linear, uint32_t output, const double *weights)
{
    const uint32_t outputs = linear->layer.width;

    linear->bias[output] = (float)weights[0];
    for (uint32_t j = 0; j < linear->layer.rows; j++)
        linear->weights[(size_t)j * outputs + output] = (float)weights[1 + j];
}
