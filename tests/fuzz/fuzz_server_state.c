/*
 * The state that a parameter server goes on from, as anybody may have written it: a snapshot by
 * pieces, or entries of the log (runtime/ps/server/server_log.h).
 *
 *     input: 0, size of a piece (2), the snapshot   |   1, entries of  size (2), bytes; size 0:
 * none
 *
 * A server that takes it can be pulled from, and takes a snapshot of its own.
 */
#include <string.h>

#include "runtime/ps/server/server_replay.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/server_save.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY ((uint64_t)8 << 20)

static const struct row_table_options table = {
    .width = 2, .settings = {.optimizer = OPTIMIZER_ADAM, .learning_rate = .1}};

static enum status restore(struct server_role *role, const uint8_t *data, size_t size,
                           struct error *err)
{
    const size_t most = size < 2 ? 1 : 1 + (data[0] | (size_t)data[1] << 8);

    data += size < 2 ? size : 2;
    size -= size < 2 ? size : 2;
    do {
        const size_t piece = size < most ? size : most;

        TRY(server_save_restore(role, (struct slice){(const char *)data, piece}, piece == size,
                                err));
        data += piece;
        size -= piece;
    } while (size > 0);
    return STATUS_OK;
}

static enum status read_log(struct server_role *role, const uint8_t *data, size_t size,
                            struct error *err)
{
    while (size >= 2) {
        const size_t asked = data[0] | (size_t)data[1] << 8;
        const struct slice entry = {(const char *)data + 2, asked < size - 2 ? asked : size - 2};

        TRY(server_replay_entry(role, entry.size > 0 ? &entry : NULL, err));
        data += 2 + entry.size;
        size -= 2 + entry.size;
    }
    return STATUS_OK;
}

static void use(struct server_role *role)
{
    const uint64_t ids[] = {0, 1, 1000};
    const uint32_t counts[] = {3};
    float values[6];
    struct outbox outbox;

    outbox_init(&outbox);
    server_role_start(role, 1000, &outbox);
    row_table_pull(role->tables, (uint32_t)role->clock, (struct row_ids){ids, 3}, values);
    if (role->steps.has_before)
        server_steps_go_back(role, counts, ids, values);
    (void)server_role_digest(role);
    role->snapshot_clock = UINT64_MAX;
    server_save_begin(role, 2000);
    while (server_save_has_work(role)) {
        server_save_work(role, 2000, &outbox);
        outbox_clear(&outbox);
    }
    outbox_deinit(&outbox);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct server_options options = {.job = 7,
                                           .server_count = 1,
                                           .master = "unix:m",
                                           .address = "unix:s",
                                           .tables = &table,
                                           .table_count = 1,
                                           .memory_limit = MEMORY,
                                           .lanes = 2,
                                           .batches = 3,
                                           .snapshot_ms = 500,
                                           .piece_bytes = 4096};
    struct server_role role;
    enum status status;
    struct error err;

    if (size == 0)
        return 0;
    error_clear(&err);
    status = server_role_init(&role, &options, &err);
    if (status == STATUS_OK)
        status = (data[0] ? read_log : restore)(&role, data + 1, size - 1, &err);
    if (status == STATUS_OK || status == STATUS_NOT_FOUND)
        use(&role);
    server_role_deinit(&role);
    return 0;
}
