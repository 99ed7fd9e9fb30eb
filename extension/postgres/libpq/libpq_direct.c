#include "extension/postgres/libpq/libpq_direct.h"

#include <stdlib.h>

#include "extension/postgres/libpq/libpq_snapshot.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/sql.h"

struct direct_reader {
    struct libpq *libpq;
    struct postgres_host host;
    const struct direct_reading *reading;
    const struct direct_order *order;
    struct text offered; /* the snapshot as we export it; empty: it is not */
};

/* ----- the snapshot ----- */

static enum status begin(struct direct_reader *reader, struct slice snapshot, struct error *err)
{
    struct error why;
    enum status status;

    error_clear(&why);
    TRY(libpq_execute(reader->libpq, "SET max_parallel_workers_per_gather = 0", err));
    TRY(libpq_execute(reader->libpq, "SET idle_in_transaction_session_timeout = 0", err));
    TRY(libpq_execute(reader->libpq, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err));
    status = libpq_take_snapshot(reader->libpq, snapshot, &why);
    if (status == STATUS_OK || status == STATUS_CONNECTION || status == STATUS_NO_MEMORY) {
        *err = why;
        return status;
    }
    fail(err, STATUS_INVALID, "the job's rows can be read no more: %s", why.message);
    return error_hint(err, "With job.read = 'direct' the session that sent the job holds the "
                           "snapshot of its rows until the workers have staged them, and must "
                           "live for so long. Run the statement again.");
}

/* A function of the extension's own, not one that somebody has put into a schema of its name. */
static enum status can_stage(struct direct_reader *reader, bool *can, struct error *err)
{
    struct cell cell = {.type = CELL_NULL};
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = pg_first(
        &reader->host,
        "SELECT 1 FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_depend d ON d.refclassid" EQ
        "'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid" EQ "e.oid AND d.classid" EQ
        "'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype" EQ
        "'e'::pg_catalog.\"char\" JOIN pg_catalog.pg_proc p ON p.oid" EQ
        "d.objid JOIN pg_catalog.pg_namespace n ON n.oid" EQ "p.pronamespace WHERE e.extname" EQ
        "'totrain'::pg_catalog.name AND n.nspname" EQ "'totrain'::pg_catalog.name AND p.proname" EQ
        "'stage_shard'::pg_catalog.name AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE') "
        "AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')",
        NULL, 0, &arena, &cell, 1, can, err);
    arena_deinit(&arena);
    return status;
}

static enum status offer(struct direct_reader *reader, struct error *err)
{
    bool can;

    TRY(can_stage(reader, &can, err));
    return can ? libpq_export_snapshot(reader->libpq, &reader->offered, err) : STATUS_OK;
}

/* ----- life ----- */

enum status direct_open(struct libpq *libpq, const struct direct_reading *reading,
                        struct slice snapshot, const struct direct_order *order,
                        struct direct_reader **reader, struct error *err)
{
    struct direct_reader *made = calloc(1, sizeof *made);
    enum status status;

    *reader = NULL;
    if (!made)
        return fail_no_memory(err);
    made->libpq = libpq;
    made->reading = reading;
    made->order = order;
    text_init(&made->offered, TEXT_MAXIMUM);
    postgres_host_init(&made->host, &libpq->database, "", NULL);
    status = begin(made, snapshot, err);
    if (status == STATUS_OK)
        status = offer(made, err);
    if (status == STATUS_OK)
        *reader = made;
    else
        direct_close(made);
    return status;
}

struct slice direct_offer(const struct direct_reader *reader)
{
    return text_slice(&reader->offered);
}

enum status direct_read(struct direct_reader *reader, uint32_t spool, uint32_t shard,
                        struct text *index, struct error *err)
{
    return direct_read_part(&reader->host, reader->reading, &reader->order->rows[spool], shard,
                            index, err);
}

void direct_close(struct direct_reader *reader)
{
    struct error ignored;

    if (!reader)
        return;
    (void)libpq_execute(reader->libpq, "ROLLBACK", &ignored);
    text_deinit(&reader->offered);
    free(reader);
}
