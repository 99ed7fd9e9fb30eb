#include "graph/operations/operations.h"

const struct operation *const operations[] = {
    &numbers_operation,    &words_operation,        &column_operation,     &sequence_operation,
    &rnn_operation,        &gru_operation,          &lstm_operation,       &constant_operation,
    &dense_operation,      &embedding_operation,    &concat_operation,     &dropout_operation,
    &add_operation,        &subtract_operation,     &multiply_operation,   &divide_operation,
    &identity_operation,   &relu_operation,         &tanh_operation,       &sigmoid_operation,
    &elu_operation,        &selu_operation,         &leaky_relu_operation, &gelu_operation,
    &swish_operation,      &softplus_operation,     &softsign_operation,   &reshape_operation,
    &flatten_operation,    &sum_operation,          &mean_operation,       &transpose_operation,
    &slice_operation,      &conv1d_operation,       &conv2d_operation,     &softmax_operation,
    &layer_norm_operation, &l2_normalise_operation, &max_operation,        &gather_operation,
    &part_operation,       &matmul_operation,       &attention_operation,  &batch_norm_operation,
    &exp_operation,        &log_operation,          &sqrt_operation,       &clip_operation,
    &where_operation,      &cosine_operation,       &one_hot_operation,    &dense_each_operation,
    &steps_mean_operation, &steps_max_operation,    &positions_operation,  &max_pool_operation,
    &mean_pool_operation,  &label_operation,        &label_loss_operation, NULL,
};
_Static_assert(sizeof operations / sizeof *operations <= GRAPH_OPERATIONS_MAX,
               "for a list of them");
