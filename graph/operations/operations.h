/*
 * operations.h - the operations that there are; operations.c lists them.
 */
#pragma once

#include "graph/operation.h"

/* inputs.c */
extern const struct operation numbers_operation, words_operation, column_operation,
    sequence_operation;
/* dense.c, embedding.c, concat.c, dropout.c */
extern const struct operation dense_operation, embedding_operation, concat_operation,
    dropout_operation;
/* recurrent.c */
extern const struct operation rnn_operation, gru_operation, lstm_operation;
/* axes.c, convolution.c, norms.c, pooling.c */
extern const struct operation sum_operation, mean_operation, transpose_operation, slice_operation;
extern const struct operation conv1d_operation, conv2d_operation;
extern const struct operation softmax_operation, layer_norm_operation, l2_normalise_operation;
extern const struct operation max_pool_operation, mean_pool_operation;
/* matmul.c, attention.c, batch_norm.c, one_hot.c, dense_each.c, where.c, cosine.c, maximum.c */
extern const struct operation matmul_operation, attention_operation, batch_norm_operation,
    one_hot_operation, dense_each_operation, where_operation, cosine_operation, max_operation;
/* functions.c, select.c, steps.c */
extern const struct operation exp_operation, log_operation, sqrt_operation, clip_operation;
extern const struct operation gather_operation, part_operation;
extern const struct operation steps_mean_operation, steps_max_operation, positions_operation;
/* labels.c */
extern const struct operation label_operation, label_loss_operation;
/* constant.c */
extern const struct operation constant_operation;
/* shapes.c */
extern const struct operation reshape_operation, flatten_operation;
/* arithmetic.c */
extern const struct operation add_operation, subtract_operation, multiply_operation,
    divide_operation;
/* activations.c */
extern const struct operation identity_operation, relu_operation, tanh_operation, sigmoid_operation,
    elu_operation, selu_operation, leaky_relu_operation, gelu_operation, swish_operation,
    softplus_operation, softsign_operation;
