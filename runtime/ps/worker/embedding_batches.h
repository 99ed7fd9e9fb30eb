/*
 * embedding_batches.h - a network over embeddings whose weights lie on parameter servers, as a
 * worker learns it (batch_learning.h).
 *
 *     shard --> rows of data [first, end) of the part --> batches, one behind the other
 *                                                            |  ids that they select
 *     tables of the servers:   0  rows of the model's table  | <- pulled: these rows alone
 *                              1  hidden0/weights            | <- pulled: all rows
 *                              2  hidden0/bias ...           |
 *                                                            v
 *                        a network with a table of these rows alone (id_places.h) --> gradients
 *
 * The arrays of the model (kinds/embedding/embedding_shape.h) are the tables, in their order. Rows
 * start where those of the network that one worker holds start; the output biases start at 0 on the
 * servers, and whoever computes with them adds what a model without inputs would say.
 *
 * An epoch has so many shards, which are equal ranges of keys, so the rows of each are as good as
 * drawn at random. All shards have as many batches, to which its rows are dealt in an order of
 * their own in each epoch. A worker has the rows of the shards in memory that it works on. Where
 * all lanes take steps together the gradient of a batch is its part of the mean over all lanes'
 * rows.
 *
 * When all is learned it opens the learner that trains in a worker, with all rows of the table
 * there are, and gives it the servers' weights: rows of the table by as many as a batch selects at
 * most, everything else with the last of them.
 */
#pragma once

#include "base/process/team.h"
#include "runtime/learn/layers/id_places.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/networks/embedding_layout.h"
#include "runtime/ps/rows/row_table.h"
#include "runtime/ps/worker/batch_learning.h"

struct open_shard {
    uint64_t shard, first, rows;
    uint32_t *order; /* (rows): its rows' order, from the first */
};

struct embedding_batches {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team;    /* loads rows; NULL: the caller alone */
    struct dataset small; /* the data set, with a table of the rows of one batch */
    struct embedding_network network;
    struct embedding_space space;
    struct id_places places;
    struct shard_plan plan;
    float weight_share;  /* factor of sample weights: makes their mean 1 */
    uint32_t batch_most; /* rows of data of one batch */
    uint64_t *starts;    /* (shards_per_epoch + 1): rows of the part */

    struct open_shard *open; /* (open_count): shards with rows in memory */
    uint32_t open_count, open_room;
    struct lane_rows rows;                 /* the batch's */
    float *parameters, *derived, *outputs; /* the small network's; outputs: the start's biases */

    uint32_t *counts, *widths; /* (arrays) */
    uint64_t *row_ids;         /* ids of all tables */
    uint32_t *seen;
    struct batch_loss loss; /* since it was asked for last */

    struct {
        struct learner *learner; /* NULL: nothing is collected */
        uint32_t batch, batches;
        struct text front; /* begins its state: runtime/train/worker/worker_state.h */
    } collected;
};

/* Tables of the servers for a network whose inputs are the data set's: *count of them. LIMIT for
 * rows wider than ROW_WIDTH_MAX; else as embedding_network_init. tables (EMBEDDING_ARRAYS_MAX). */
enum status embedding_tables(const struct jobspec *spec, const struct dataset *dataset,
                             uint64_t steps, struct row_table_options *tables, uint32_t *count,
                             struct error *err);

/* spec, dataset and team outlive it. */
enum status embedding_batches_init(struct embedding_batches *batches, const struct jobspec *spec,
                                   const struct dataset *dataset, const struct shard_plan *plan,
                                   struct team *team, struct error *err);
void embedding_batches_deinit(struct embedding_batches *batches);

/* The functions that push_worker.h calls. Valid until embedding_batches_deinit. */
struct batch_learning embedding_batches_learning(struct embedding_batches *batches);
