/*
 * Logs of jobs as rows: totrain.job_log(). A role reads the logs of the jobs that it sees
 * (extension/postgres/server/jobs.h).
 */
#include "extension/postgres/server/door.h"

#include <funcapi.h>
#include <mb/pg_wchar.h>
#include <utils/tuplestore.h>

#include "extension/engine/jobs/job_log.h"
#include "extension/postgres/server/jobs.h"
#include "extension/postgres/server/settings.h"

SQL_FUNCTION(totrain_sql_job_log);

#define PART_BYTES ((size_t)256 << 10) /* read at once; a longer line is several rows */

/* The line for the server: a log has any bytes, the database those of its encoding alone. */
static const char *shown_line(struct slice line)
{
    const bool is_utf8 = GetDatabaseEncoding() == PG_UTF8;
    char *copy = palloc(line.size + 1);
    size_t size;

    for (size_t at = 0; at < line.size; at += size) {
        const char first = line.data[at];

        size = is_utf8 ? utf8_sequence(line.data + at, line.size - at) : (first & 0x80) == 0;
        if (size == 0 || first == '\0') {
            size = 1;
            copy[at] = '?';
        } else {
            memcpy(copy + at, line.data + at, size);
        }
    }
    copy[line.size] = '\0';
    return settings_hide_state(copy);
}

static void put_lines(ReturnSetInfo *info, uint64_t from, struct slice part)
{
    MemoryContext lines =
        AllocSetContextCreate(CurrentMemoryContext, "lines of a log", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(lines);

    for (size_t at = 0; at < part.size;) {
        const char *end = memchr(part.data + at, '\n', part.size - at);
        const size_t size = end ? (size_t)(end - part.data) - at : part.size - at;
        Datum values[2];
        bool nulls[2] = {false, false};

        values[1] = CStringGetTextDatum(shown_line((struct slice){part.data + at, size}));
        at += end ? size + 1 : size;
        values[0] = Int64GetDatum((int64)(from + at));
        tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
    }
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(lines);
}

/* Reads one part and puts its lines: where the next part begins. */
static uint64_t put_part(ReturnSetInfo *info, const char *state, const struct job_log_part *part)
{
    struct session nobody = {.memory = CurrentMemoryContext};
    uint64_t next = part->from;
    struct error err;
    struct text text;

    error_clear(&err);
    text_init(&text, PART_BYTES + 1);
    PG_TRY();
    {
        if (job_log_read(state, part, &text, &next, &err) != STATUS_OK)
            session_raise(&nobody, &err, SLICE(""), false);
        put_lines(info, part->from, text_slice(&text));
    }
    PG_FINALLY();
    {
        text_deinit(&text);
    }
    PG_END_TRY();
    return next;
}

static void check_reader(Oid owner)
{
    const char *name = GetUserNameFromId(owner, true);

    if (!jobs_may_see(owner))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied to read logs of jobs of role \"%s\"",
                               name ? name : psprintf("%u", owner))));
}

static int64 argument_or(FunctionCallInfo fcinfo, int argument, int64 otherwise)
{
    const int64 value = PG_ARGISNULL(argument) ? otherwise : PG_GETARG_INT64(argument);

    if (value < 0)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("a place in a log is a number from 0 on, not " INT64_FORMAT, value)));
    return value;
}

/* (job, owner, start, most): lines behind byte `start`, of about `most` bytes together. */
Datum totrain_sql_job_log(PG_FUNCTION_ARGS)
{
    const Oid owner = PG_ARGISNULL(1) ? GetUserId() : PG_GETARG_OID(1);
    int64 from = argument_or(fcinfo, 2, 0), left = argument_or(fcinfo, 3, PG_INT64_MAX);
    int64 begin = -1;
    const char *state;

    InitMaterializedSRF(fcinfo, 0);
    if (PG_ARGISNULL(0))
        return (Datum)0;
    check_reader(owner);
    state = settings_state(owner);
    while (left > 0 && begin != from) {
        const size_t most = left < (int64)PART_BYTES ? (size_t)left : PART_BYTES;

        CHECK_FOR_INTERRUPTS();
        begin = from;
        from = (int64)put_part((ReturnSetInfo *)fcinfo->resultinfo, state,
                               &(struct job_log_part){PG_GETARG_INT64(0), (uint64_t)from, most});
        left -= from - begin;
    }
    return (Datum)0;
}
