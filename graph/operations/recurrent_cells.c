#include "graph/operations/recurrent_cells.h"

#include <string.h>

#include "base/vectors.h"
#include "graph/operations/loops.h"
#include "scoring/numbers/activation.h"

/* ---- rnn ---- */

static void rnn_forward(size_t units, float *gates, const float *of_state, float *kept,
                        float *state)
{
    (void)kept;
    add_to(gates, of_state, units);
    activation_forward(ACTIVATION_TANH, gates, units);
    memcpy(state, gates, units * sizeof *state);
}

WIDE_VECTORS
static void rnn_backward(size_t units, const float *restrict gates, const float *restrict kept,
                         const float *restrict before, float *restrict dstate,
                         float *restrict dgates, float *restrict dof_state)
{
    (void)kept;
    (void)before;
    for (size_t j = 0; j < units; j++) {
        dgates[j] = dof_state[j] = dstate[j] * (1 - gates[j] * gates[j]);
        dstate[j] = 0;
    }
}

/* ---- gru: gates r, z, n; kept is n's part of s U ---- */

WIDE_VECTORS
static void gru_candidate(size_t units, const float *restrict r, const float *restrict kept,
                          float *restrict n)
{
    for (size_t j = 0; j < units; j++)
        n[j] += r[j] * kept[j];
}

WIDE_VECTORS
static void gru_mix(size_t units, const float *restrict z, const float *restrict n,
                    float *restrict state)
{
    for (size_t j = 0; j < units; j++)
        state[j] = (1 - z[j]) * n[j] + z[j] * state[j];
}

static void gru_forward(size_t units, float *gates, const float *of_state, float *kept,
                        float *state)
{
    float *z = gates + units, *n = gates + 2 * units;

    memcpy(kept, of_state + 2 * units, units * sizeof *kept);
    add_to(gates, of_state, 2 * units);
    activation_forward(ACTIVATION_SIGMOID, gates, 2 * units);
    gru_candidate(units, gates, kept, n);
    activation_forward(ACTIVATION_TANH, n, units);
    gru_mix(units, z, n, state);
}

WIDE_VECTORS
static void gru_backward(size_t units, const float *restrict gates, const float *restrict kept,
                         const float *restrict before, float *restrict dstate,
                         float *restrict dgates, float *restrict dof_state)
{
    const float *r = gates, *z = gates + units, *n = gates + 2 * units;

    for (size_t j = 0; j < units; j++) {
        const float dn = dstate[j] * (1 - z[j]) * (1 - n[j] * n[j]);
        const float dz = dstate[j] * (before[j] - n[j]) * z[j] * (1 - z[j]);
        const float dr = dn * kept[j] * r[j] * (1 - r[j]);

        dgates[j] = dof_state[j] = dr;
        dgates[units + j] = dof_state[units + j] = dz;
        dgates[2 * units + j] = dn;
        dof_state[2 * units + j] = dn * r[j];
        dstate[j] *= z[j];
    }
}

/* ---- lstm: gates i, f, o, g; m lies behind the state; kept is tanh(m') ---- */

WIDE_VECTORS
static void lstm_remember(size_t units, const float *restrict gates, float *restrict memory,
                          float *restrict kept)
{
    const float *restrict i = gates, *restrict f = gates + units, *restrict g = gates + 3 * units;

    for (size_t j = 0; j < units; j++)
        kept[j] = memory[j] = f[j] * memory[j] + i[j] * g[j];
}

static void lstm_forward(size_t units, float *gates, const float *of_state, float *kept,
                         float *state)
{
    const float *o = gates + 2 * units;
    float *memory = state + units;

    add_to(gates, of_state, 4 * units);
    activation_forward(ACTIVATION_SIGMOID, gates, 3 * units);
    activation_forward(ACTIVATION_TANH, gates + 3 * units, units);
    lstm_remember(units, gates, memory, kept);
    activation_forward(ACTIVATION_TANH, kept, units);
    for (size_t j = 0; j < units; j++)
        state[j] = o[j] * kept[j];
}

WIDE_VECTORS
static void lstm_backward(size_t units, const float *restrict gates, const float *restrict kept,
                          const float *restrict before, float *restrict dstate,
                          float *restrict dgates, float *restrict dof_state)
{
    const float *i = gates, *f = gates + units, *o = gates + 2 * units, *g = gates + 3 * units;
    const float *memory = before + units;
    float *dmemory = dstate + units;

    for (size_t j = 0; j < units; j++) {
        const float dm = dmemory[j] + dstate[j] * o[j] * (1 - kept[j] * kept[j]);

        dgates[j] = dm * g[j] * i[j] * (1 - i[j]);
        dgates[units + j] = dm * memory[j] * f[j] * (1 - f[j]);
        dgates[2 * units + j] = dstate[j] * kept[j] * o[j] * (1 - o[j]);
        dgates[3 * units + j] = dm * i[j] * (1 - g[j] * g[j]);
        dmemory[j] = dm * f[j];
        dstate[j] = 0;
    }
    memcpy(dof_state, dgates, 4 * units * sizeof *dof_state);
}

const struct cell rnn_cell = {1, 0, false, rnn_forward, rnn_backward};
const struct cell gru_cell = {3, 1, false, gru_forward, gru_backward};
const struct cell lstm_cell = {4, 1, true, lstm_forward, lstm_backward};
