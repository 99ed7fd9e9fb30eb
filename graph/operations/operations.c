#include "graph/operations/operations.h"

const struct operation *const operations[] = {
    &numbers_operation,      &words_operation,      &column_operation,    &dense_operation,
    &embedding_operation,    &concat_operation,     &dropout_operation,   &add_operation,
    &subtract_operation,     &multiply_operation,   &divide_operation,    &identity_operation,
    &relu_operation,         &tanh_operation,       &sigmoid_operation,   &elu_operation,
    &selu_operation,         &leaky_relu_operation, &gelu_operation,      &swish_operation,
    &softplus_operation,     &softsign_operation,   &reshape_operation,   &flatten_operation,
    &sum_operation,          &mean_operation,       &transpose_operation, &slice_operation,
    &conv1d_operation,       &conv2d_operation,     &softmax_operation,   &layer_norm_operation,
    &l2_normalise_operation, &max_pool_operation,   &mean_pool_operation, NULL,
};
_Static_assert(sizeof operations / sizeof *operations <= GRAPH_OPERATIONS_MAX,
               "for a list of them");
