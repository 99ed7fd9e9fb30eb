#include "runtime/ps/master/shard_board.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "runtime/ps/server/shard_counts.h"

enum board_state { BOARD_OPEN, BOARD_LEASED, BOARD_DONE };

enum status shard_board_init(struct shard_board *board, const struct shard_board_options *options,
                             struct error *err)
{
    const uint64_t shards = (uint64_t)options->shards_per_epoch * options->epochs;

    *board = (struct shard_board){.options = *options, .next_lease = options->first_lease};
    if (shards < 1 || shards > SHARDS_MAX)
        return fail(err, STATUS_LIMIT, "%" PRIu64 " shards, where a job has 1 to %u", shards,
                    SHARDS_MAX);
    board->shards = (uint32_t)shards;
    board->states = calloc(board->shards, sizeof *board->states);
    return board->states ? STATUS_OK : fail_no_memory(err);
}

void shard_board_deinit(struct shard_board *board)
{
    free(board->states);
    free(board->leases);
    *board = (struct shard_board){0};
}

static void open_shard(struct shard_board *board, uint32_t shard)
{
    board->done -= board->states[shard] == BOARD_DONE;
    board->states[shard] = BOARD_OPEN;
    if (shard < board->lowest)
        board->lowest = shard;
    if (shard < board->to_do)
        board->to_do = shard;
}

static bool add_lease(struct shard_board *board, uint32_t worker, uint32_t shard,
                      struct board_lease *lease)
{
    void *leases = board->leases;

    if (reserve_array(&leases, &board->lease_room, board->lease_count + 1, sizeof *lease, NULL) !=
        STATUS_OK)
        return false;
    board->leases = leases;
    *lease = (struct board_lease){.id = board->next_lease++, .shard = shard, .worker = worker};
    board->leases[board->lease_count++] = *lease;
    board->states[shard] = BOARD_LEASED;
    return true;
}

static bool has_open(struct shard_board *board)
{
    while (board->lowest < board->shards && board->states[board->lowest] != BOARD_OPEN)
        board->lowest++;
    return board->lowest < board->shards;
}

uint32_t shard_board_first_to_do(struct shard_board *board)
{
    while (board->to_do < board->shards && board->states[board->to_do] == BOARD_DONE)
        board->to_do++;
    return board->to_do;
}

bool shard_board_is_open(const struct shard_board *board, uint32_t shard)
{
    return shard < board->shards && board->states[shard] == BOARD_OPEN;
}

bool shard_board_claim(struct shard_board *board, uint32_t worker, struct board_lease *lease)
{
    return has_open(board) && add_lease(board, worker, board->lowest, lease);
}

static uint32_t leases_of_shard(const struct shard_board *board, uint32_t shard)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < board->lease_count; i++)
        count += board->leases[i].shard == shard;
    return count;
}

/* Its worker has another to be done first. */
static bool is_behind(const struct shard_board *board, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (board->leases[i].worker == board->leases[at].worker)
            return true;
    return false;
}

bool shard_board_share(struct shard_board *board, uint32_t worker, struct board_lease *lease)
{
    const uint32_t none = board->lease_count;
    uint32_t found = none;

    if (has_open(board))
        return false;
    for (uint32_t i = 0; i < board->lease_count; i++) {
        if (board->leases[i].worker == worker || leases_of_shard(board, board->leases[i].shard) > 1)
            continue;
        if (is_behind(board, i))
            return add_lease(board, worker, board->leases[i].shard, lease);
        found = found == none ? i : found;
    }
    return found != none && add_lease(board, worker, board->leases[found].shard, lease);
}

bool shard_board_claim_shard(struct shard_board *board, uint32_t worker, uint32_t shard,
                             struct board_lease *lease)
{
    return shard_board_is_open(board, shard) && add_lease(board, worker, shard, lease);
}

static struct board_lease *find_lease(const struct shard_board *board, uint64_t id)
{
    for (uint32_t i = 0; i < board->lease_count; i++)
        if (board->leases[i].id == id)
            return board->leases + i;
    return NULL;
}

static void remove_lease(struct shard_board *board, const struct board_lease *lease)
{
    const size_t at = (size_t)(lease - board->leases);

    board->lease_count--;
    memmove(board->leases + at, board->leases + at + 1,
            (board->lease_count - at) * sizeof *board->leases);
}

bool shard_board_finish(struct shard_board *board, uint64_t id)
{
    const struct board_lease *lease = find_lease(board, id);
    uint32_t shard;

    if (!lease)
        return false;
    shard = lease->shard;
    board->states[shard] = BOARD_DONE;
    board->done++;
    for (uint32_t i = board->lease_count; i-- > 0;)
        if (board->leases[i].shard == shard)
            remove_lease(board, board->leases + i);
    return true;
}

void shard_board_take_back(struct shard_board *board, uint64_t id)
{
    const struct board_lease *lease = find_lease(board, id);

    uint32_t shard;

    if (!lease)
        return;
    shard = lease->shard;
    remove_lease(board, lease);
    if (leases_of_shard(board, shard) == 0)
        open_shard(board, shard);
}

void shard_board_take_back_all(struct shard_board *board, uint32_t worker)
{
    for (uint32_t i = board->lease_count; i-- > 0;)
        if (board->leases[i].worker == worker)
            shard_board_take_back(board, board->leases[i].id);
}

void shard_board_reopen(struct shard_board *board, const uint32_t *counted, uint32_t count)
{
    for (uint32_t shard = 0; shard < board->shards; shard++) {
        const uint32_t batches = shard < count ? counted[shard] : 0;

        if (board->states[shard] != BOARD_DONE || batches >= board->options.batches)
            continue;
        open_shard(board, shard);
        board->reopened++;
    }
}

void shard_board_reopen_from(struct shard_board *board, uint32_t first)
{
    for (uint32_t shard = first; shard < board->shards; shard++)
        if (board->states[shard] == BOARD_DONE) {
            open_shard(board, shard);
            board->reopened++;
        }
}

bool shard_board_is_finished(const struct shard_board *board)
{
    return board->done == board->shards;
}
