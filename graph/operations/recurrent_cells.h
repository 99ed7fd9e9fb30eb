/*
 * recurrent_cells.h - a step of rnn, gru and lstm (recurrent.c has the formulas) of one row, and
 * back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row of data at one step. Gates (blocks, units) hold sums, and then what comes of them. */
struct cell {
    uint32_t gates; /* blocks that have columns of W and U */
    uint32_t
        kept; /* blocks that are kept besides: of gru n's part of s U, of lstm m and tanh(m') */
    bool has_memory; /* m, which lies behind the state */
    void (*forward)(size_t units, float *gates, const float *of_state, float *kept, float *state);
    /* dstate: gradient of the state after, which becomes that of the state before but for what goes
     * through U. dgates: of the sums, and dof_state of their part from U. */
    void (*backward)(size_t units, const float *gates, const float *kept, const float *before,
                     float *dstate, float *dgates, float *dof_state);
};

extern const struct cell rnn_cell, gru_cell, lstm_cell;
