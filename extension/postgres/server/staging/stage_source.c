#include "extension/postgres/server/staging/stage_source.h"

#include <stdlib.h>
#include <unistd.h>

#include <catalog/pg_type.h>
#include <storage/fd.h>
#include <utils/array.h>
#include <utils/wait_event.h>

#include "runtime/data/staged/interval_set.h"

#define SLICES_MAX   1024              /* slices per query */
#define ANSWER_BYTES ((size_t)2 << 20) /* bytes per query, about */
#define WHOLE_BYTES  ((uint64_t)2000)  /* extents of so many bytes bring whole pieces */
#define PARAMETERS   4

struct part {
    struct sparse_file is;
    File file; /* the server keeps as many of these open as it may */
    struct interval_set there;
};

/* Bytes of one piece. */
struct slice_of_piece {
    uint32_t part, size;
    uint64_t offset; /* in the part */
};

struct stage_source {
    struct spool_source source;
    struct stage_store *store;
    SPIPlanPtr plan; /* NULL: not yet */
    struct part *parts;
    size_t count;
    struct slice_of_piece slices[SLICES_MAX]; /* (slice_count): to be asked for */
    size_t slice_count, slice_bytes;
    struct error failed; /* the bytes that are there are not known any more */
};

/* ----- asking ----- */

/* The names of files; from which piece, from which byte on, how many bytes. */
static void describe(const struct stage_source *self, Datum parameters[PARAMETERS])
{
    const int count = (int)self->slice_count;
    Datum *all = palloc(PARAMETERS * SLICES_MAX * sizeof *all);
    Datum *names = all, *pieces = names + SLICES_MAX, *firsts = pieces + SLICES_MAX,
          *sizes = firsts + SLICES_MAX;

    for (size_t i = 0; i < self->slice_count; i++) {
        const struct slice_of_piece *slice = &self->slices[i];

        names[i] = CStringGetTextDatum(self->parts[slice->part].is.stored);
        pieces[i] = Int64GetDatum((int64)(slice->offset / STAGED_PIECE_BYTES));
        firsts[i] = Int32GetDatum((int32)(slice->offset % STAGED_PIECE_BYTES) + 1);
        sizes[i] = Int32GetDatum((int32)slice->size);
    }
    parameters[0] = PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, 'i'));
    parameters[1] =
        PointerGetDatum(construct_array(pieces, count, INT8OID, 8, FLOAT8PASSBYVAL, 'd'));
    parameters[2] = PointerGetDatum(construct_array(firsts, count, INT4OID, 4, true, 'i'));
    parameters[3] = PointerGetDatum(construct_array(sizes, count, INT4OID, 4, true, 'i'));
}

static void put_slice(struct stage_source *self, uint64 row)
{
    bool is_null;
    const int64 number =
        DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &is_null));
    const struct slice bytes = stage_store_bytes(row, 2);
    const struct slice_of_piece *slice;

    if (number < 1 || (uint64)number > self->slice_count)
        elog(ERROR, "there is no slice " INT64_FORMAT, number);
    slice = &self->slices[number - 1];
    if (bytes.size != slice->size)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("a piece of %s of the job's rows is too short",
                               self->parts[slice->part].is.stored)));
    if (FileWrite(self->parts[slice->part].file, (char *)(uintptr_t)bytes.data, (int)bytes.size,
                  (off_t)slice->offset, WAIT_EVENT_BUFFILE_WRITE) != (int)bytes.size)
        ereport(ERROR, (errcode_for_file_access(),
                        errmsg("cannot write into %s: %m", self->store->folder)));
}

static void prepare(struct stage_source *self)
{
    static Oid types[PARAMETERS] = {TEXTARRAYOID, INT8ARRAYOID, INT4ARRAYOID, INT4ARRAYOID};

    self->plan = stage_store_prepare(
        psprintf("SELECT w.number, pg_catalog.substring(t.bytes, w.first, w.size) FROM "
                 "unnest($1, $2, $3, $4) WITH ORDINALITY AS w(file, piece, first, size, number) "
                 "JOIN %s t ON t.file OPERATOR(pg_catalog.=) w.file AND t.piece "
                 "OPERATOR(pg_catalog.=) w.piece",
                 self->store->table),
        types, lengthof(types));
    SPI_keepplan(self->plan);
}

static enum status ask_body(struct session *session, void *of, struct error *err)
{
    struct stage_source *self = of;
    Datum parameters[PARAMETERS];

    SPI_connect();
    if (!self->plan)
        prepare(self);
    describe(self, parameters);
    stage_store_run(self->plan, parameters, true, 0);
    if (SPI_processed != self->slice_count)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("pieces of the job's rows are not there")));
    for (uint64 row = 0; row < SPI_processed; row++)
        put_slice(self, row);
    SPI_finish();
    self->slice_count = self->slice_bytes = 0;
    return STATUS_OK;
}

static enum status ask(struct stage_source *self, struct error *err)
{
    if (self->slice_count == 0)
        return STATUS_OK;
    if (session_guard(self->store->session, ask_body, self, &self->failed) == STATUS_OK)
        return STATUS_OK;
    *err = self->failed;
    return err->status;
}

/* ----- what is missing ----- */

/* The bytes to bring: those of the extent, or of all its pieces when it is large, since the bytes
 * beside it are needed next. */
static struct interval rounded(const struct part *part, const struct spool_extent *extent)
{
    struct interval run = {extent->offset, extent->offset + extent->size};

    if (extent->size < WHOLE_BYTES)
        return run;
    run.first -= run.first % STAGED_PIECE_BYTES;
    run.end += STAGED_PIECE_BYTES - 1;
    run.end -= run.end % STAGED_PIECE_BYTES;
    run.end = run.end < part->is.bytes ? run.end : part->is.bytes;
    return run;
}

static enum status add_gap(struct stage_source *self, uint32_t number, struct interval gap,
                           struct error *err)
{
    while (gap.first < gap.end) {
        const uint64_t room = STAGED_PIECE_BYTES - gap.first % STAGED_PIECE_BYTES;
        const uint64_t left = gap.end - gap.first;
        const uint32_t size = (uint32_t)(left < room ? left : room);

        self->slices[self->slice_count++] = (struct slice_of_piece){number, size, gap.first};
        self->slice_bytes += size;
        gap.first += size;
        if (self->slice_count == SLICES_MAX || self->slice_bytes >= ANSWER_BYTES)
            TRY(ask(self, err));
    }
    return STATUS_OK;
}

static enum status add_missing(struct stage_source *self, const struct spool_extent *extent,
                               struct error *err)
{
    struct part *part = &self->parts[extent->file];
    const struct interval run = rounded(part, extent);
    struct interval gap;

    while (interval_set_gap(&part->there, run, &gap)) {
        if (!interval_set_add(&part->there, gap))
            return fail_no_memory(&self->failed), fail_no_memory(err);
        TRY(add_gap(self, extent->file, gap, err));
    }
    return STATUS_OK;
}

static enum status bring(struct stage_source *self, const struct spool_extent *extents,
                         size_t count, struct error *err)
{
    if (self->failed.status != STATUS_OK) {
        *err = self->failed;
        return err->status;
    }
    for (size_t i = 0; i < count; i++)
        TRY(add_missing(self, &extents[i], err));
    return ask(self, err);
}

/* ----- the source ----- */

static uint32_t find_part(void *of, const char *name)
{
    const struct stage_source *self = of;

    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->parts[i].is.name, name) == 0)
            return (uint32_t)i;
    return SPOOL_SOURCE_NO_FILE;
}

static enum status need(void *of, const struct spool_extent *extents, size_t count,
                        struct spool_need **need, struct error *err)
{
    if (need)
        *need = NULL; /* bytes stay until the end */
    return bring(of, extents, count, err);
}

static void done(void *of, struct spool_need *need)
{
}

/* Brings extents ahead of need: a failure is reported when they are needed. */
static void expect(void *of, const struct spool_extent *extents, size_t count)
{
    struct error ignored;

    (void)bring(of, extents, count, &ignored);
}

static void close_parts(void *of)
{
    struct stage_source *self = of;

    if (self->plan)
        SPI_freeplan(self->plan);
    for (size_t i = 0; i < self->count; i++) {
        if (self->parts[i].file >= 0)
            FileClose(self->parts[i].file);
        interval_set_deinit(&self->parts[i].there);
    }
    free(self->parts);
    free(self);
}

/* ----- opening ----- */

static enum status measure_body(struct session *session, void *of, struct error *err)
{
    static Oid types[] = {TEXTOID};
    const struct stage_source *self = of;
    Datum values[] = {CStringGetTextDatum(self->store->table)};
    uint64_t claimed = 0;
    int64 bytes;
    bool is_null;

    SPI_connect();
    stage_store_run(stage_store_prepare("SELECT pg_catalog.pg_table_size($1::pg_catalog.regclass)",
                                        types, lengthof(types)),
                    values, true, 0);
    bytes = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null));
    SPI_finish();
    for (size_t i = 0; i < self->count && claimed <= (uint64_t)bytes; i++) {
        if (self->parts[i].is.bytes > (uint64_t)bytes)
            claimed = (uint64_t)bytes;
        claimed += self->parts[i].is.bytes;
    }
    return claimed <= (uint64_t)bytes
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT,
                      "the indices of the job's rows claim more than there is");
}

static enum status make_files_body(struct session *session, void *of, struct error *err)
{
    struct stage_source *self = of;

    for (size_t i = 0; i < self->count; i++) {
        struct part *part = &self->parts[i];
        const char *path = psprintf("%s/%s", self->store->folder, part->is.name);

        part->file = PathNameOpenFile(path, O_RDWR | O_CREAT | O_TRUNC | PG_BINARY);
        if (part->file < 0 ||
            FileTruncate(part->file, (off_t)part->is.bytes, WAIT_EVENT_BUFFILE_WRITE) != 0)
            ereport(ERROR, (errcode_for_file_access(), errmsg("cannot make %s: %m", path)));
    }
    return STATUS_OK;
}

static enum status take_parts(struct stage_source *self, const struct sparse_file *parts,
                              size_t count, struct error *err)
{
    self->parts = calloc(count + 1, sizeof *self->parts);
    if (!self->parts)
        return fail_no_memory(err);
    self->count = count;
    for (size_t i = 0; i < count; i++)
        self->parts[i] = (struct part){.is = parts[i], .file = -1};
    TRY(session_guard(self->store->session, measure_body, self, err));
    return session_guard(self->store->session, make_files_body, self, err);
}

enum status stage_source_open(struct stage_store *store, const struct sparse_file *parts,
                              size_t count, const struct spool_source **source, struct error *err)
{
    struct stage_source *self = calloc(1, sizeof *self);
    enum status status;

    *source = NULL;
    if (!self)
        return fail_no_memory(err);
    self->store = store;
    self->source = (struct spool_source){.self = self,
                                         .find = find_part,
                                         .need = need,
                                         .done = done,
                                         .expect = expect,
                                         .close = close_parts};
    status = take_parts(self, parts, count, err);
    if (status == STATUS_OK)
        *source = &self->source;
    else
        close_parts(self);
    return status;
}
