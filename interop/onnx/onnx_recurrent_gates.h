/*
 * onnx_recurrent_gates.h - where ONNX has the gates of recurrent layers.
 */
#pragma once

#include <stdint.h>

struct onnx_gates {
    const char *name, *operator;
    uint32_t count;
    uint32_t places[4];       /* the place that each of ONNX's has among ours */
    uint32_t function_count;  /* those that ONNX calls its activations, */
    const char *functions[3]; /* usually */
};

static const struct onnx_gates onnx_gates[] = {
    {"rnn", "RNN", 1, {0}, 1, {"Tanh"}},
    {"gru", "GRU", 3, {1, 0, 2}, 2, {"Sigmoid", "Tanh"}},              /* z r n */
    {"lstm", "LSTM", 4, {0, 2, 1, 3}, 3, {"Sigmoid", "Tanh", "Tanh"}}, /* i o f g */
};

/* Parameters of one way (graph/operations/recurrent.c): weights, bias, those of the state. */
#define ONNX_WAY_PARAMETERS 4
