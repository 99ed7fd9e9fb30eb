/*
 * Results that workers have scored, from the job's store: into the target's tables row by row in
 * the order of the SELECT, or added up to metrics.
 */
#include "extension/engine/score/score_results.h"

#include <stdio.h>
#include <stdlib.h>

#include "extension/engine/score/score.h"
#include "runtime/data/spool/spool_reader.h"
#include "runtime/data/store/shard_results.h"
#include "runtime/data/store/shardstore.h"
#include "scoring/heads.h"

enum status scored_open(struct scored *scored, const char *folder, const struct jobspec *spec,
                        struct error *err)
{
    char path[PATH_MAX + 16];
    enum status status;

    *scored = (struct scored){.spec = spec};
    arena_init(&scored->arena, MODEL_ARENA_MAX);
    snprintf(path, sizeof path, "%s/rows.spool", folder);
    status = spool_open(path, NULL, NULL, &scored->arena, &scored->rows, err);
    if (status != STATUS_OK)
        scored_close(scored);
    return status;
}

void scored_close(struct scored *scored)
{
    if (scored->rows.map)
        spool_close(&scored->rows);
    arena_deinit(&scored->arena);
    *scored = (struct scored){.spec = NULL};
}

/* The rows in order, while the shards that hold their results come by. */
struct walk {
    const struct spec_scoring *spec;
    const struct spool *rows;
    const struct fill_sink *sink; /* PREDICT */
    struct metrics *metrics;      /* EVALUATE */
    struct bad_rows *bad;         /* which it leaves out; NULL: nobody asks which */
    uint64_t left_out;
    bool is_kept; /* the rows are with the host, which wants their numbers */
    uint64_t next;
    struct byte_reader faults;
    uint64_t next_fault; /* the row of the next of them; UINT64_MAX: none */
    uint32_t block;
    struct cell *cells;   /* (columns): of the row */
    struct cell *outputs; /* (columns + outputs): a row of the target */
};

static uint64_t next_fault(struct walk *walk)
{
    return reader_is_done(&walk->faults) ? UINT64_MAX : read_u64(&walk->faults);
}

static enum status walk_init(struct walk *walk, const struct scored *scored, struct error *err)
{
    const struct spec_scoring *spec = &scored->spec->scoring;

    *walk = (struct walk){
        .spec = spec, .rows = &scored->rows, .faults = byte_reader_over(scored->faults)};
    walk->next_fault = next_fault(walk);
    walk->cells = calloc((size_t)spec->columns + 1, sizeof *walk->cells);
    walk->outputs = calloc((size_t)spec->columns + spec->output_count, sizeof *walk->outputs);
    return walk->cells && walk->outputs ? STATUS_OK : fail_no_memory(err);
}

static void walk_deinit(struct walk *walk)
{
    free(walk->cells);
    free(walk->outputs);
}

static enum status read_cells(struct walk *walk, struct error *err)
{
    const struct spool_block *block = &walk->rows->blocks[walk->block];
    struct byte_reader reader;

    while (walk->next >= block->first_row + block->rows)
        block = &walk->rows->blocks[++walk->block];
    reader = byte_reader_over(
        spool_cell(&block->columns[0], (uint32_t)(walk->next - block->first_row)).text);
    for (uint32_t i = 0; i < walk->spec->columns; i++)
        cell_read(&reader, &walk->cells[i]);
    return reader_is_done(&reader) ? STATUS_OK
                                   : fail(err, STATUS_CORRUPT, "row %llu of the job is damaged",
                                          (unsigned long long)walk->next + 1);
}

/* Puts a row that the host keeps: its number, why it is bad, its outputs. */
static enum status put_kept(struct walk *walk, size_t table, const struct cell *reason,
                            const struct cell *outputs, struct error *err)
{
    struct cell cells[2 + JOBSPEC_OUTPUTS_MAX];
    const size_t count = outputs ? walk->spec->output_count : 0;

    cells[0] = cell_integer((int64_t)walk->next);
    cells[1] = *reason;
    for (size_t i = 0; i < count; i++)
        cells[2 + i] = outputs[i];
    return walk->sink->put(walk->sink->self, table, cells, 2 + count, err);
}

/* All cells but the label's, then the outputs, which lie behind already. */
static enum status put_good(struct walk *walk, struct error *err)
{
    const struct spec_scoring *spec = walk->spec;
    const struct cell none = cell_null();
    size_t count = 0;

    if (walk->is_kept)
        return put_kept(walk, 0, &none, walk->outputs + spec->columns, err);
    for (uint32_t i = 0; i < spec->columns; i++)
        if (i != spec->label)
            walk->outputs[count++] = walk->cells[i];
    return walk->sink->put(walk->sink->self, 0, walk->outputs, count + spec->output_count, err);
}

static enum status put_bad(struct walk *walk, struct slice reason, struct error *err)
{
    if (!walk->spec->keeps_bad_rows)
        return fail(err, STATUS_CORRUPT, "row %llu was not scored",
                    (unsigned long long)walk->next + 1);
    walk->cells[walk->spec->columns] = cell_text(reason);
    if (walk->is_kept)
        return put_kept(walk, 1, &walk->cells[walk->spec->columns], NULL, err);
    return walk->sink->put(walk->sink->self, 1, walk->cells, (size_t)walk->spec->columns + 1, err);
}

/* The session's reason for this row, instead of the worker's. */
static void take_fault(struct walk *walk, struct slice *reason)
{
    struct slice fault;

    if (walk->next != walk->next_fault)
        return;
    fault = read_sized(&walk->faults, BAD_ROWS_BYTES_MAX);
    walk->next_fault = next_fault(walk);
    if (reason->size > 0)
        *reason = fault;
}

static enum status take_outputs(struct walk *walk, struct byte_reader *results, struct error *err)
{
    const struct spec_scoring *spec = walk->spec;
    const size_t kept = spec->columns - (spec->label != JOBSPEC_NO_LABEL);
    struct slice reason;

    TRY(read_cells(walk, err));
    TRY(shard_read_outputs(results, walk->outputs + kept, spec->output_count, &reason, err));
    take_fault(walk, &reason);
    return reason.size > 0 ? put_bad(walk, reason, err) : put_good(walk, err);
}

/* It counts in no metric. */
static enum status leave_out(struct walk *walk, struct slice reason, struct error *err)
{
    struct error why;

    walk->left_out++;
    if (!walk->bad)
        return STATUS_OK;
    TRY(read_cells(walk, err));
    fail(&why, STATUS_INVALID, "%.*s", SLICE_FORMAT(reason));
    return bad_rows_add(walk->bad, walk->next, walk->cells, walk->spec->columns, NULL, &why, err);
}

/* Where each of several labels has metrics. */
static enum status take_heads(struct walk *walk, struct byte_reader *results, struct error *err)
{
    struct head_metrics *heads = metrics_heads(walk->metrics);
    const uint32_t count = heads ? head_metrics_count(heads) : 0;

    for (uint32_t i = 0; i < count; i++) {
        struct metrics_row row;
        bool has_label;

        TRY(shard_read_label_metrics(results, &has_label, &row, err));
        if (has_label)
            TRY(head_metrics_add_row(heads, i, &row, err));
    }
    return STATUS_OK;
}

static enum status take_measures(struct walk *walk, struct byte_reader *results, struct error *err)
{
    struct slice reason = {NULL, 0};
    struct metrics_row row;

    TRY(shard_read_metrics(results, &row, walk->spec->keeps_bad_rows ? &reason : NULL, err));
    if (reason.size == 0)
        TRY(take_heads(walk, results, err));
    take_fault(walk, &reason);
    return reason.size > 0 ? leave_out(walk, reason, err)
                           : metrics_add_row(walk->metrics, &row, err);
}

/* No worker could score this row. */
static enum status take_bad(struct walk *walk, struct error *err)
{
    struct slice reason = SLICE("each worker that scored it alone died");

    take_fault(walk, &reason);
    if (walk->sink) {
        TRY(read_cells(walk, err));
        TRY(put_bad(walk, reason, err));
    } else {
        TRY(leave_out(walk, reason, err));
    }
    walk->next++;
    return STATUS_OK;
}

static enum status take_shard(void *context, const struct shard_row *row, struct error *err)
{
    struct byte_reader results = byte_reader_over(row->results);
    struct walk *walk = context;

    if (row->first != walk->next || row->count > walk->rows->rows - row->first)
        return fail(err, STATUS_CORRUPT, "the job's store: rows from %llu on, where %llu is next",
                    (unsigned long long)row->first + 1, (unsigned long long)walk->next + 1);
    if (row->state == SHARD_BAD)
        return row->count == 1 && walk->spec->keeps_bad_rows
                   ? take_bad(walk, err)
                   : fail(err, STATUS_CORRUPT, "a bad shard");
    for (uint32_t i = 0; i < row->count; i++, walk->next++)
        TRY(walk->sink ? take_outputs(walk, &results, err) : take_measures(walk, &results, err));
    return reader_is_done(&results) ? STATUS_OK
                                    : fail(err, STATUS_CORRUPT,
                                           "the job's store: results of more "
                                           "rows than a shard has");
}

static enum status walk_all(struct walk *walk, struct jobstore *store, struct error *err)
{
    TRY(shardstore_each_settled(store, true, take_shard, walk, err));
    if (walk->next != walk->rows->rows)
        return fail(err, STATUS_CORRUPT,
                    "the job's store: results of %llu rows, where there are "
                    "%llu",
                    (unsigned long long)walk->next, (unsigned long long)walk->rows->rows);
    return STATUS_OK;
}

struct filling {
    struct walk walk;
    struct jobstore *store;
};

static enum status fill(void *context, const struct fill_sink *sink, struct error *err)
{
    struct filling *filling = context;

    filling->walk.sink = sink;
    return walk_all(&filling->walk, filling->store, err);
}

enum status scored_fill(const struct scored *scored, const struct host *host,
                        struct jobstore *store, struct fill *fills, size_t count, struct error *err)
{
    struct filling filling = {.store = store};
    enum status status = walk_init(&filling.walk, scored, err);

    filling.walk.is_kept = host->kept_rows != NULL;
    fills[0].outputs = scored->spec->scoring.output_count;
    if (status == STATUS_OK)
        status = host->tables->fill_rows(host->self, fills, count, fill, &filling, err);
    walk_deinit(&filling.walk);
    return status;
}

#define INTERRUPT_EVERY 1024 /* rows */

struct showing {
    const struct host *host;
    const struct sink *sink;
    uint64_t rows;
};

static enum status show_row(void *self, size_t table, const struct cell *cells, size_t count,
                            struct error *err)
{
    struct showing *showing = self;
    const struct host *host = showing->host;

    (void)table; /* bad rows are an error where there is no table */
    if (++showing->rows % INTERRUPT_EVERY == 0 && host->session.interrupted(host->self))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return sink_row(showing->sink, cells, count, err);
}

enum status scored_show(const struct scored *scored, const struct host *host,
                        struct jobstore *store, struct slice query, const struct sink *sink,
                        struct error *err)
{
    struct showing showing = {host, sink, 0};
    const struct fill_sink rows = {&showing, show_row};
    struct filling filling = {.store = store};
    enum status status = walk_init(&filling.walk, scored, err);

    filling.walk.is_kept = host->kept_rows != NULL;
    if (status == STATUS_OK && filling.walk.is_kept) {
        struct fill shown = {.select = query, .outputs = scored->spec->scoring.output_count};

        status = host->kept_rows->show(host->self, &shown, fill, &filling, sink, err);
    } else if (status == STATUS_OK) {
        status = fill(&filling, &rows, err);
    }
    walk_deinit(&filling.walk);
    return status;
}

static enum status count_row(void *self, size_t table, const struct cell *cells, size_t count,
                             struct error *err)
{
    uint64_t *rows = self;
    (void)cells;
    (void)count;
    (void)err;

    rows[table]++;
    return STATUS_OK;
}

enum status scored_count(const struct scored *scored, struct jobstore *store, uint64_t rows[2],
                         struct error *err)
{
    const struct fill_sink sink = {rows, count_row};
    struct walk walk;
    enum status status = walk_init(&walk, scored, err);

    rows[0] = rows[1] = 0;
    walk.sink = &sink;
    if (status == STATUS_OK)
        status = walk_all(&walk, store, err);
    walk_deinit(&walk);
    return status;
}

enum status scored_measure(const struct scored *scored, struct jobstore *store,
                           struct metrics *metrics, struct bad_rows *bad, struct error *err)
{
    struct walk walk;
    enum status status = walk_init(&walk, scored, err);

    walk.metrics = metrics;
    walk.bad = bad;
    if (status == STATUS_OK)
        status = walk_all(&walk, store, err);
    if (status == STATUS_OK && !bad && walk.left_out > 0 && walk.left_out == walk.rows->rows)
        status = score_no_rows(NULL, err);
    walk_deinit(&walk);
    return status;
}
