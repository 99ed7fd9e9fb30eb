/*
 * Logs of jobs as rows: totrain.job_log(). A role reads the logs of the jobs that it sees
 * (extension/postgres/server/jobs/jobs.h).
 */
#include "extension/postgres/server/jobs/door.h"

#include <funcapi.h>
#include <mb/pg_wchar.h>
#include <utils/tuplestore.h>

#include "extension/engine/jobs/job_log.h"
#include "extension/postgres/server/jobs/jobs.h"
#include "extension/postgres/server/session/settings.h"

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

/* Lines are shown from their begins on and whole, also where the caller asks for bytes within one:
 * of a part of the path of totrain.state_directory, settings_hide_state() would see nothing. */
struct reading {
    ReturnSetInfo *info;
    uint64_t end;   /* a line that ends behind it is left for later, but for the first one */
    bool is_inside; /* the line began before the place to start at */
    bool has_line, is_full;
};

static void put_line(struct reading *reading, struct slice line, uint64_t next)
{
    ReturnSetInfo *info = reading->info;
    Datum values[2] = {Int64GetDatum((int64)next), CStringGetTextDatum(shown_line(line))};
    bool nulls[2] = {false, false};

    tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
    reading->has_line = true;
}

static void put_lines(struct reading *reading, uint64_t from, struct slice part)
{
    MemoryContext lines =
        AllocSetContextCreate(CurrentMemoryContext, "lines of a log", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(lines);

    for (size_t at = 0; at < part.size && !reading->is_full;) {
        const char *end = memchr(part.data + at, '\n', part.size - at);
        const size_t size = end ? (size_t)(end - part.data) - at : part.size - at;
        const struct slice line = {part.data + at, size};

        at += end ? size + 1 : size;
        if (reading->is_inside)
            reading->is_inside = end == NULL;
        else if (reading->has_line && from + at > reading->end)
            reading->is_full = true;
        else
            put_line(reading, line, from + at);
    }
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(lines);
}

/* Reads one part and puts its lines: where the next part begins. */
static uint64_t put_part(struct reading *reading, const char *state,
                         const struct job_log_part *part)
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
        put_lines(reading, part->from, text_slice(&text));
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

/* (job, owner, start, most): the lines that begin at byte `start` or behind it, of `most` bytes
 * together, or one. */
Datum totrain_sql_job_log(PG_FUNCTION_ARGS)
{
    const Oid owner = PG_ARGISNULL(1) ? GetUserId() : PG_GETARG_OID(1);
    const uint64_t start = (uint64_t)argument_or(fcinfo, 2, 0);
    const uint64_t most = (uint64_t)argument_or(fcinfo, 3, PG_INT64_MAX);
    struct reading reading = {.end = start + most, .is_inside = start > 0};
    uint64_t from = start > 0 ? start - 1 : 0, begin = PG_UINT64_MAX;
    const char *state;

    InitMaterializedSRF(fcinfo, 0);
    if (PG_ARGISNULL(0))
        return (Datum)0;
    check_reader(owner);
    state = settings_state(owner);
    reading.info = (ReturnSetInfo *)fcinfo->resultinfo;
    while (most > 0 && begin != from && !reading.is_full) {
        CHECK_FOR_INTERRUPTS();
        begin = from;
        from =
            put_part(&reading, state, &(struct job_log_part){PG_GETARG_INT64(0), from, PART_BYTES});
    }
    return (Datum)0;
}
