#include "runtime/learn/networks/network.h"

#include "arithmetic/kernels.h"
#include "base/process/progress.h"
#include "runtime/learn/layers/lane_gather.h"

/* `count` rows from `offset` on go to the space. */
static void gather(const struct network *network, const struct lane_rows *rows, uint32_t offset,
                   uint32_t count, struct network_workspace *space)
{
    const struct gathered to = {space->inputs, space->ids, space->offsets, &space->labels};

    lane_gather(&network->head, rows, offset, count, &to);
}

static float *outputs_of(const struct network *network, const struct network_workspace *space)
{
    return space->activations[network->layer_count - 1];
}

/* ---- forward, backward ---- */

static struct dropout_place place_of(const struct network *network, const struct lane_rows *rows,
                                     uint32_t offset, uint32_t l)
{
    return (struct dropout_place){rows->step, (uint64_t)rows->position + offset, l,
                                  network->layers[l].width};
}

/* Leaves a1, a2, ... and the logits in space->activations. `drops`: not of an evaluation. */
static void forward(const struct network *network, const float *parameters,
                    const struct lane_rows *rows, uint32_t offset, bool drops,
                    struct network_workspace *space)
{
    const uint32_t n = lane_chunk_rows(rows, offset);
    const float *a = space->inputs;

    for (uint32_t l = 0; l < network->layer_count; l++) {
        const struct affine *layer = &network->layers[l];
        const struct dropout_place place = place_of(network, rows, offset, l);
        float *z = space->activations[l];

        affine_forward(layer, parameters, n, a, z);
        if (l == 0)
            id_rows_forward(&network->ids, parameters, n, space->ids, z);
        if (l + 1 == network->layer_count) {
            /* Adds the rows' offsets to z (n), the only output. */
            for (uint32_t i = 0; space->offsets && i < n; i++)
                z[i] += space->offsets[i];
            return;
        }
        if (drops && space->sums[l])
            memcpy(space->sums[l], z, (size_t)n * layer->width * sizeof *z);
        activation_forward(network->activation, z, (size_t)n * layer->width);
        if (drops && network->dropout.rate > 0)
            dropout_forward(&network->dropout, &place, n, space->masks[l], z);
        a = hidden_norms_forward(&network->norms, l, parameters, n, drops, z, &space->norms);
    }
}

/* From dL/dz of the last layer, which lies where its logits were. */
static void backward(const struct network *network, const float *parameters,
                     const float *transposed, const struct lane_rows *rows, uint32_t offset,
                     struct network_workspace *space)
{
    const uint32_t n = lane_chunk_rows(rows, offset);
    const bool is_first = offset == 0;

    const float *delta = outputs_of(network, space);

    for (uint32_t l = network->layer_count; l-- > 1;) {
        const struct affine *layer = &network->layers[l];
        const size_t count = (size_t)n * layer->rows;
        float *a = space->activations[l - 1], *below = space->deltas[l % 2];
        const float *sums = space->sums[l - 1];

        affine_backward(layer, n, hidden_norms_above(&space->norms, l - 1, a), delta, is_first,
                        space->gradient);
        affine_backward_inputs(layer, parameters, transposed, n, delta, false, below);
        hidden_norms_backward(&network->norms, l - 1, parameters, n, n / rows->divisor, a,
                              &space->norms, is_first, below, space->gradient);
        if (space->masks[l - 1])
            dropout_backward(&network->dropout, space->masks[l - 1], count, a, below);
        activation_backward(network->activation, sums ? sums : a, below, count);
        delta = below;
    }
    affine_backward(&network->layers[0], n, space->inputs, delta, is_first, space->gradient);
    id_rows_backward(&network->ids, n, space->ids, delta, space->gradient, &space->touched);
}

struct lane_gradient network_gradient(const void *self, const float *parameters,
                                      const float *transposed, const struct lane_rows *rows,
                                      void *room)
{
    const struct network *network = self;
    struct network_workspace *space = room;
    double loss = 0;

    for (uint32_t offset = 0; offset < rows->count; offset += LANE_CHUNK_ROWS) {
        const uint32_t n = lane_chunk_rows(rows, offset);

        progress_note();
        gather(network, rows, offset, n, space);
        forward(network, parameters, rows, offset, true, space);
        loss += loss_head_backward(&network->head, n, rows->divisor, &space->labels,
                                   outputs_of(network, space));
        backward(network, parameters, transposed, rows, offset, space);
    }
    return (struct lane_gradient){loss, space->gradient, space->touched.rows, space->touched.count};
}

void network_workspace_clear(const void *self, void *room)
{
    const struct network *network = self;
    struct network_workspace *space = room;

    id_rows_clear(&network->ids, space->gradient, &space->touched);
}

double network_evaluate(const void *self, const float *parameters, const struct lane_rows *rows,
                        void *room, uint64_t *correct)
{
    const struct network *network = self;
    struct network_workspace *space = room;
    double loss = 0;

    *correct = 0;
    for (uint32_t offset = 0; offset < rows->count; offset += LANE_CHUNK_ROWS) {
        const uint32_t n = lane_chunk_rows(rows, offset);

        progress_note();
        gather(network, rows, offset, n, space);
        forward(network, parameters, rows, offset, false, space);
        *correct += loss_head_evaluate(&network->head, n, &space->labels,
                                       outputs_of(network, space), &loss);
    }
    return loss;
}
