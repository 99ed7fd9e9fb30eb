/*
 * The session reads the rows, under its own rights and with its temporary
 * tables and uncommitted rows, and leaves them in the job's folder as typed
 * columns: first the inputs of the plan, then the label, then columns of roles.
 */
#include "extension/engine/rows/spooling.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/rows/spooling_close.h"
#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/input.h"
#include "planner/plan/column_kind.h"
#include "planner/training/task_choice.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/spool_writer.h"
#include "runtime/launch/job_folder.h"
#include "scoring/columns/cell_counts.h"

#define WORD_BUFFER_BYTES 32

/* One column of the spool and where its cells come from. */
struct feed {
    struct slice name;
    enum spool_type type;
    int column; /* its number in the query */
    enum input_reading reading;
    uint32_t ids; /* and the next: as struct spool_column has them */
    struct cell_list items;
    const char *needed; /* no cell may be NULL, and what the column is called then; NULL: any may */
    bool is_weight;     /* no cell may be negative */
    enum offset offset; /* each cell is one */
};

struct spooling {
    struct spool_writer *writer;
    const struct feed *feeds;
    size_t count, counted; /* behind those that are written come others that are counted alone */
    double *reals;         /* (count): of a row, those that lie side by side */
    const struct vectors *vectors;
    struct cell *spread; /* (columns and elements): a row, where there are vectors */
    uint64_t rows;
    struct bad_rows *bad; /* NULL: a bad row is an error */
    const int *kept;      /* columns of a bad row, as bad_rows_add takes them */
};

/* Counted, and read if it can be; what cannot is put as NULL, and decided upon when all rows are
 * counted (spooling.h). */
static enum status put_counted_text(struct spool_writer *writer, const struct feed *feed,
                                    uint32_t number, const struct cell *cell, struct error *err)
{
    const struct text_look look = text_look_at(cell->text);
    double real;
    bool is_null;

    TRY(cell_count_text(spool_writer_census(writer), number, cell->text, &look, err));
    if (!text_look_number(&look, cell->text, feed->reading, &real, &is_null) || is_null)
        return spool_put_null(writer, err);
    if (!isfinite(real))
        return cell_to_number(cell, feed->reading, feed->name, &real, &is_null, err);
    return spool_put_real(writer, real, err);
}

static enum status put_real(struct spool_writer *writer, const struct feed *feed, uint32_t number,
                            const struct cell *cell, struct error *err)
{
    struct cell_census *census = spool_writer_census(writer);
    double real = 0;
    bool is_null = false;

    if (census && cell->type == CELL_TEXT)
        return put_counted_text(writer, feed, number, cell, err);
    TRY(cell_to_number(cell, feed->reading, feed->name, &real, &is_null, err));
    if (census)
        TRY(cell_count(census, number, cell, err));
    return is_null ? spool_put_null(writer, err) : spool_put_real(writer, real, err);
}

/* Is it NULL, though it is a text? As CSV files have nothing between two commas. */
static bool is_missing(const struct feed *feed, const struct cell *cell)
{
    return feed->reading == READING_STRICT && cell->type == CELL_TEXT &&
           slice_trim(cell->text).size == 0;
}

static enum status read_text(const struct feed *feed, const struct cell *cell,
                             char buffer[WORD_BUFFER_BYTES], struct slice *word, bool *is_null,
                             struct error *err)
{
    TRY(cell_to_word(cell, feed->name, buffer, word, is_null, err));
    *is_null = *is_null || is_missing(feed, cell);
    if (!*is_null && word->size > SPOOL_TEXT_BYTES_MAX)
        return fail(err, STATUS_LIMIT, "column \"%.*s\" holds a text of %zu bytes, at most %zu fit",
                    SLICE_FORMAT(feed->name), word->size, SPOOL_TEXT_BYTES_MAX);
    if (feed->items.form && !*is_null && !list_items_fit(&feed->items, feed->ids, *word))
        return list_items_refuse(cell, &feed->items, feed->ids, feed->name, err);
    return STATUS_OK;
}

static bool is_plain_text(const struct feed *feed, const struct cell *cell)
{
    return cell->type == CELL_TEXT && !feed->items.form && cell->text.size <= SPOOL_TEXT_BYTES_MAX;
}

/* Is it a text that is no list of such items? */
static bool is_unfit(const struct feed *feed, const struct cell *cell)
{
    return feed->items.form && cell->type == CELL_TEXT &&
           !list_items_fit(&feed->items, feed->ids, cell->text);
}

static enum status put_text(struct spool_writer *writer, const struct feed *feed, uint32_t number,
                            const struct cell *cell, struct error *err)
{
    struct cell_census *census = spool_writer_census(writer);
    char buffer[WORD_BUFFER_BYTES];
    struct slice word = {0};
    bool is_null = false;

    if (census)
        TRY(cell_count(census, number, cell, err));
    if (is_missing(feed, cell))
        return spool_put_null(writer, err);
    if (is_plain_text(feed, cell)) /* copied, the slice would wait for what wrote it */
        return spool_put_text(writer, cell->text, err);
    if (census && is_unfit(feed, cell)) {
        census->columns[number].unfit++;
        return spool_put_null(writer, err);
    }
    TRY(read_text(feed, cell, buffer, &word, &is_null, err));
    return is_null ? spool_put_null(writer, err) : spool_put_text(writer, word, err);
}

static enum status read_integer(const struct feed *feed, const struct cell *cell, int64_t *integer,
                                bool *is_null, struct error *err)
{
    double number = 0;

    *is_null = false;
    *integer = cell->integer;
    if (cell->type == CELL_INTEGER)
        return STATUS_OK;
    TRY(cell_to_number(cell, READING_STRICT, feed->name, &number, is_null, err));
    if (number != floor(number) || fabs(number) > 9007199254740992.0)
        return fail(err, STATUS_INVALID,
                    "column \"%.*s\" holds %g, where the rows before it hold "
                    "whole numbers",
                    SLICE_FORMAT(feed->name), number);
    *integer = (int64_t)number;
    return STATUS_OK;
}

/* No integer, though all were in the sample: the label is of another type. A blank text is missing
 * in each. */
static bool is_other_label(const struct cell *cell)
{
    return (cell->type == CELL_TEXT && slice_trim(cell->text).size > 0) ||
           (cell->type == CELL_REAL && isfinite(cell->real));
}

static enum status put_integer(struct spool_writer *writer, const struct feed *feed,
                               uint32_t number, const struct cell *cell, struct error *err)
{
    struct cell_census *census = spool_writer_census(writer);
    int64_t integer = 0;
    bool is_null = false;

    if (census) {
        TRY(cell_count(census, number, cell, err));
        if (is_other_label(cell))
            return spool_put_null(writer, err);
    }
    TRY(read_integer(feed, cell, &integer, &is_null, err));
    return is_null ? spool_put_null(writer, err) : spool_put_integer(writer, integer, err);
}

static enum status read_id(const struct feed *feed, const struct cell *cell, int64_t *id,
                           bool *is_null, struct error *err)
{
    double number = 0;

    *id = 0;
    TRY(cell_to_number(cell, feed->reading, feed->name, &number, is_null, err));
    if (*is_null)
        return STATUS_OK;
    if (!number_is_id(number, feed->ids))
        return cell_refuse_id(cell, feed->name, feed->ids, err);
    *id = (int64_t)number;
    return STATUS_OK;
}

/* Is it put as NULL until all rows are counted? */
static bool waits_for_counts(const struct feed *feed, const struct cell *cell)
{
    struct text_look look;
    double number;
    bool is_null;

    if (feed->type == SPOOL_INTEGER && !feed->ids)
        return is_other_label(cell);
    if (feed->type == SPOOL_TEXT || cell->type != CELL_TEXT)
        return false;
    look = text_look_at(cell->text);
    return !text_look_number(&look, cell->text, feed->reading, &number, &is_null);
}

static enum status put_id(struct spool_writer *writer, const struct feed *feed, uint32_t number,
                          const struct cell *cell, struct error *err)
{
    struct cell_census *census = spool_writer_census(writer);
    bool is_null = false;
    int64_t id;

    if (census) {
        TRY(cell_count(census, number, cell, err));
        if (waits_for_counts(feed, cell))
            return spool_put_null(writer, err);
    }
    TRY(read_id(feed, cell, &id, &is_null, err));
    return is_null ? spool_put_null(writer, err) : spool_put_integer(writer, id, err);
}

static enum status put_cell(struct spool_writer *writer, const struct feed *feed, uint32_t number,
                            const struct cell *cell, struct error *err)
{
    switch (feed->type) {
    case SPOOL_REAL:
        return put_real(writer, feed, number, cell, err);
    case SPOOL_INTEGER:
        return feed->ids ? put_id(writer, feed, number, cell, err)
                         : put_integer(writer, feed, number, cell, err);
    default:
        return put_text(writer, feed, number, cell, err);
    }
}

/* "column "x" holds "abc", ..." becomes "row 12: column ...". */
static enum status name_row(uint64_t row, struct error *err)
{
    char message[sizeof err->message];

    if (err->status != STATUS_INVALID && err->status != STATUS_LIMIT)
        return err->status;
    snprintf(message, sizeof message, "row %llu: %.400s", (unsigned long long)row, err->message);
    memcpy(err->message, message, sizeof message);
    if (err->status == STATUS_INVALID && !err->hint[0])
        error_hint(err, "WITH train.bad_rows = 'skip' leaves such rows out, 'quarantine' puts them "
                        "aside.");
    return err->status;
}

/* Takes the number that put_real would put, NaN for NULL; false for a cell that put_real must look
 * at. */
static bool take_real(const struct cell *cell, double *real)
{
    *real = cell->type == CELL_REAL      ? cell->real
            : cell->type == CELL_INTEGER ? (double)cell->integer
                                         : NAN;
    return cell->type != CELL_TEXT && cell->type != CELL_BLOB && !isinf(*real);
}

/* Another number than a real is counted, if any are; false where that takes a closer look. */
static bool count_real(struct cell_census *census, size_t number, const struct cell *cell)
{
    if (cell->type == CELL_REAL || !census)
        return true;
    return !census->columns[number].counts_wholes &&
           cell_count_number(&census->columns[number], cell);
}

/* From feed i on, as many numbers as follow one another. */
static size_t take_reals(const struct spooling *spooling, const struct cell *cells, size_t i)
{
    struct cell_census *census = spool_writer_census(spooling->writer);
    size_t n = 0;

    while (i + n < spooling->count && spooling->feeds[i + n].type == SPOOL_REAL &&
           take_real(&cells[spooling->feeds[i + n].column], &spooling->reals[n]) &&
           count_real(census, i + n, &cells[spooling->feeds[i + n].column]))
        n++;
    return n;
}

static enum status put_cells(const struct spooling *spooling, const struct cell *cells,
                             struct error *err)
{
    size_t i = 0;

    while (i < spooling->count) {
        const size_t run = take_reals(spooling, cells, i);
        TRY(spool_put_reals(spooling->writer, spooling->reals, run, err));
        i += run;
        if (i < spooling->count) {
            const struct feed *feed = &spooling->feeds[i];
            TRY(put_cell(spooling->writer, feed, (uint32_t)i, &cells[feed->column], err));
            i++;
        }
    }
    for (; i < spooling->counted; i++)
        TRY(cell_count(spool_writer_census(spooling->writer), (uint32_t)i,
                       &cells[spooling->feeds[i].column], err));
    return STATUS_OK;
}

/* With the elements of its vectors. */
static enum status spread_row(const struct spooling *spooling, const struct cell **cells,
                              struct error *err)
{
    if (spooling->vectors->count == 0)
        return STATUS_OK;
    TRY(vectors_spread(spooling->vectors, *cells, spooling->spread, err));
    *cells = spooling->spread;
    return STATUS_OK;
}

/* The error that writing the cell would return. */
static enum status check_cell(const struct feed *feed, const struct cell *cell, bool *is_null,
                              struct error *err)
{
    char buffer[WORD_BUFFER_BYTES];
    struct slice word;
    int64_t integer;
    double number;

    switch (feed->type) {
    case SPOOL_REAL:
        return cell_to_number(cell, feed->reading, feed->name, &number, is_null, err);
    case SPOOL_INTEGER:
        return feed->ids ? read_id(feed, cell, &integer, is_null, err)
                         : read_integer(feed, cell, &integer, is_null, err);
    default:
        return read_text(feed, cell, buffer, &word, is_null, err);
    }
}

/* Refuses a label, a weight or an offset that the job would refuse. */
static enum status check_needed(const struct feed *feed, const struct cell *cell, bool is_null,
                                struct error *why)
{
    double weight = 0;

    if (is_null)
        return fail(why, STATUS_INVALID, "%s \"%.*s\" is NULL", feed->needed,
                    SLICE_FORMAT(feed->name));
    if (feed->is_weight || feed->offset)
        TRY(cell_to_number(cell, feed->reading, feed->name, &weight, &is_null, why));
    return (feed->offset ? !offset_is_bad(feed->offset, weight)
                         : weight >= 0 && weight <= DATASET_WEIGHT_MAX)
               ? STATUS_OK
               : fail(why, STATUS_INVALID, "%s \"%.*s\" is %g", feed->needed,
                      SLICE_FORMAT(feed->name), weight);
}

/* A writer takes no half of a row back: it is looked at before. */
static enum status check_cells(const struct spooling *spooling, const struct cell *cells,
                               struct error *why)
{
    TRY(spread_row(spooling, &cells, why));
    for (size_t i = 0; i < spooling->count; i++) {
        const struct feed *feed = &spooling->feeds[i];
        const struct cell *cell = &cells[feed->column];
        bool is_null = false;

        if (spool_writer_census(spooling->writer) && waits_for_counts(feed, cell))
            continue;
        TRY(check_cell(feed, cell, &is_null, why));
        if (feed->needed)
            TRY(check_needed(feed, cell, is_null, why));
    }
    return STATUS_OK;
}

static enum status spool_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct spooling *spooling = self;
    struct error why;

    for (size_t i = 0; i < spooling->counted; i++)
        if ((size_t)spooling->feeds[i].column >= count + spooling->vectors->elements ||
            count < spooling->vectors->columns)
            return fail(err, STATUS_DATABASE, "the query no longer returns column \"%.*s\"",
                        SLICE_FORMAT(spooling->feeds[i].name));
    if (spooling->bad && check_cells(spooling, cells, &why) != STATUS_OK)
        return bad_rows_add(spooling->bad, spooling->rows + spooling->bad->count, cells, count,
                            spooling->kept, &why, err);
    spooling->rows++;
    if (spread_row(spooling, &cells, err) != STATUS_OK ||
        put_cells(spooling, cells, err) != STATUS_OK)
        return name_row(spooling->rows, err);
    return spool_end_row(spooling->writer, err);
}

static enum status scan_cell(void *self, size_t i, const struct cell *cell,
                             struct spool_writer *writer, struct error *err)
{
    const struct feed *feeds = self;

    return put_cell(writer, &feeds[i], (uint32_t)i, cell, err);
}

enum status scan_restore(const struct spool_column *spooled, const int *columns, size_t count,
                         struct arena *arena, struct scan *scan, struct error *err)
{
    struct feed *feeds = ARENA_NEW(arena, struct feed, count);
    enum spool_type *types = ARENA_NEW(arena, enum spool_type, count);

    if (!feeds || !types)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        feeds[i] = (struct feed){.name = spooled[i].name,
                                 .type = spooled[i].type,
                                 .column = columns[i],
                                 .reading = spooled[i].reading,
                                 .ids = spooled[i].ids,
                                 .items = spooled[i].items};
        types[i] = spooled[i].type;
    }
    *scan = (struct scan){.self = feeds,
                          .put = scan_cell,
                          .types = types,
                          .columns = columns,
                          .count = count,
                          .spooled = spooled};
    return STATUS_OK;
}

static size_t spread_cells(const struct vectors *vectors)
{
    return vectors->count > 0 ? vectors->columns + vectors->elements : 0;
}

size_t scan_room_bytes(const struct scan *scan)
{
    return spread_cells(&scan->vectors) * sizeof(struct cell) + (scan->count + 1) * sizeof(double);
}

enum status scan_put_row(const struct scan *scan, const struct cell *cells, void *room,
                         struct spool_writer *writer, struct error *err)
{
    struct cell *spread = room;
    double *reals = (double *)(spread + spread_cells(&scan->vectors));
    struct cell_census *census = spool_writer_census(writer);
    size_t i = 0;

    if (scan->vectors.count > 0) {
        TRY(vectors_spread(&scan->vectors, cells, spread, err));
        cells = spread;
    }
    while (i < scan->count) {
        size_t run = 0;
        while (i + run < scan->count && scan->types[i + run] == SPOOL_REAL &&
               take_real(&cells[scan->columns[i + run]], &reals[run]) &&
               count_real(census, i + run, &cells[scan->columns[i + run]]))
            run++;
        TRY(spool_put_reals(writer, reals, run, err));
        i += run;
        if (i < scan->count) {
            TRY(scan->put(scan->self, i, &cells[scan->columns[i]], writer, err));
            i++;
        }
    }
    for (; census && i < census->count; i++)
        TRY(cell_count(census, (uint32_t)i, &cells[scan->columns[i]], err));
    return spool_end_row(writer, err);
}

/* ----- one SELECT into one spool ----- */

/* The plan's SELECT, or validation.select. */
struct source {
    struct slice select;
    struct query query; /* the description of `select` */
    struct feed *feeds; /* (counted) */
    size_t count;       /* feeds that are written */
    size_t counted;     /* and those behind them that are counted alone */
    int *kept;          /* columns of a bad row; NULL: it is the plan's own SELECT */
    const char *file;
};

/* How it is read. */
struct spool_job {
    const struct spool_request *request;
    const struct source *source;
    struct spool_column *columns; /* the columns of the feeds */
    char path[PATH_MAX];
    uint32_t readers; /* at most; 1: in the order of the SELECT */
    struct spool_order order;
};

static enum status open_writer(const struct spool_job *job, struct spool_writer **writer,
                               struct error *err)
{
    enum status status;

    TRY(spool_writer_open(job->path, job->columns, job->source->count, 0, writer, err));
    status = spool_writer_sort(*writer, &job->order, err);
    if (status != STATUS_OK)
        spool_writer_abandon(*writer);
    return status;
}

/* All rows may tell that they are to be read again, in another way. */
static enum status judge_and_close(const struct spool_job *job, struct spool_writer *writer,
                                   struct error *err)
{
    const struct spool_judge *judge = job->request->judge;
    enum status status = STATUS_OK;

    if (!spool_writer_census(writer))
        return spooling_close(job->request->host, writer, err);
    status = judge->judge(judge->self, spool_writer_census(writer), spool_writer_rows(writer), err);
    if (status == STATUS_OK && !*judge->reads_again)
        return spooling_close(job->request->host, writer, err);
    spool_writer_abandon(writer);
    return status;
}

/* By one reader, on the user's own connection. */
static enum status spool_in_order(const struct spool_job *job, struct arena *arena, uint64_t *rows,
                                  struct error *err)
{
    const struct host *host = job->request->host;
    const struct source *source = job->source;
    struct bad_rows *bad = job->request->bad;
    struct spooling spooling = {
        .feeds = source->feeds,
        .count = source->count,
        .counted = job->order.counted ? source->counted : source->count,
        .reals = ARENA_NEW(arena, double, source->count),
        .vectors = &source->query.vectors,
        .spread = ARENA_NEW(arena, struct cell, spread_cells(&source->query.vectors) + 1),
        .bad = bad,
        .kept = source->kept,
    };
    struct sink sink = {.self = &spooling, .row = spool_row};
    enum status status;

    if (!spooling.reals || !spooling.spread)
        return fail_no_memory(err);
    TRY(open_writer(job, &spooling.writer, err));
    status = bad && !source->kept ? bad_rows_query(bad, &sink, err)
                                  : host->rows->query(host->self, source->select, &sink, err);
    if (status != STATUS_OK) {
        spool_writer_abandon(spooling.writer);
        return status;
    }
    *rows = spooling.rows;
    return judge_and_close(job, spooling.writer, err);
}

/* Readers put numbers as they are: an infinite one, a label that is NULL or a negative weight shows
 * in the summaries. */
static bool has_bad_rows(const struct spool_job *job, struct spool_writer *writer)
{
    const struct source *source = job->source;

    for (size_t i = 0; i < source->count; i++) {
        const struct spool_column_summary summary = spool_writer_summary(writer, (uint32_t)i);

        if (source->feeds[i].type == SPOOL_REAL &&
            !(isfinite(summary.least) && isfinite(summary.greatest)))
            return true;
        if (source->feeds[i].needed && summary.nulls > 0)
            return true;
        if (offset_is_bad(source->feeds[i].offset, summary.least))
            return true;
        if (source->feeds[i].is_weight &&
            (summary.least < 0 || summary.greatest > DATASET_WEIGHT_MAX))
            return true;
    }
    return false;
}

/* By several readers, where the host can. A value that does not fit is met again by the one reader
 * that then reads in order, and can name its row. */
static enum status spool_in_parallel(const struct spool_job *job, struct arena *arena,
                                     struct scan_outcome *outcome, uint64_t *rows,
                                     struct error *err)
{
    const struct host *host = job->request->host;
    const struct source *source = job->source;
    enum spool_type *types = ARENA_NEW(arena, enum spool_type, source->count);
    int *columns = ARENA_NEW(arena, int, source->counted);
    struct scan scan = {.self = source->feeds,
                        .put = scan_cell,
                        .types = types,
                        .columns = columns,
                        .count = source->count,
                        .vectors = source->query.vectors,
                        .spooled = job->columns,
                        .path = job->path,
                        .threads = job->readers,
                        .order = job->order};
    enum status status;

    if (!types || !columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < source->count; i++)
        types[i] = source->feeds[i].type;
    for (size_t i = 0; i < source->counted; i++)
        columns[i] = source->feeds[i].column;
    TRY(open_writer(job, &scan.writer, err));
    status = host->rows->scan(host->self, source->select, &scan, outcome, err);
    if (status == STATUS_OK && job->request->bad && has_bad_rows(job, scan.writer))
        *outcome = (struct scan_outcome){.reason = "there are bad rows"};
    if (status == STATUS_OK && outcome->readers > 0) {
        *rows = spool_writer_rows(scan.writer);
        status = judge_and_close(job, scan.writer, err);
    } else {
        spool_writer_abandon(scan.writer);
    }
    if (status != STATUS_INVALID && status != STATUS_LIMIT && status != STATUS_DATABASE)
        return status;
    *outcome = (struct scan_outcome){.reason = "a value was refused"};
    error_clear(err);
    return STATUS_OK;
}

/* All cells of the source, but of validation.select, whose columns are what those are. The label's
 * whole numbers are told apart where they decide whether classes or numbers are learned
 * (planner/training/task_choice.h). */
static enum status count_cells(const struct source *source, const struct plan *plan,
                               struct arena *arena, struct spool_order *order, struct error *err)
{
    const bool label_decides = plan->estimator && task_is_of_label(plan);
    const bool has_label = plan->label_column >= 0;
    bool *are_keys = ARENA_NEW(arena, bool, source->counted);

    if (!are_keys)
        return fail_no_memory(err);
    for (size_t i = 0; i < source->counted; i++)
        are_keys[i] = has_label && i == plan->input_count
                          ? label_decides
                          : name_is_key(source->feeds[i].name) ||
                                (i < plan->input_count && plan->inputs[i].spec.label);
    order->counted = (uint32_t)source->counted;
    order->are_keys = are_keys;
    return STATUS_OK;
}

static struct spool_column column_of_feed(const struct feed *feed)
{
    return (struct spool_column){feed->name, feed->type, feed->reading, feed->ids, feed->items};
}

static enum status spool_source(const struct spool_request *request, const struct source *source,
                                struct arena *arena, uint64_t *rows, struct error *err)
{
    const struct jobspec *training = request->spec;
    struct scan_outcome outcome = {.reason = training->shuffle ? "there is one processor"
                                                               : "rows are wanted in order"};
    struct spool_job job = {.request = request,
                            .source = source,
                            .columns = ARENA_NEW(arena, struct spool_column, source->count),
                            .readers = training->shuffle ? request->cores : 1,
                            .order = dataset_order(training, source->kept != NULL,
                                                   request->host->jobs ? 1 : request->cores)};

    if (!job.columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < source->count; i++)
        job.columns[i] = column_of_feed(&source->feeds[i]);
    if (request->judge && !source->kept)
        TRY(count_cells(source, request->plan, arena, &job.order, err));
    TRY(job_folder_file(request->folder, source->file, job.path, err));
    if (job.readers > 1)
        TRY(spool_in_parallel(&job, arena, &outcome, rows, err));
    if (request->plan->verbose > 1 && outcome.readers > 0)
        sink_notice(request->sink, "rows are read by %u reader%s", outcome.readers,
                    outcome.readers == 1 ? "" : "s");
    else if (request->plan->verbose > 1)
        sink_notice(request->sink, "rows are read by one reader: %s", outcome.reason);
    return outcome.readers > 0 ? STATUS_OK : spool_in_order(&job, arena, rows, err);
}

/* ----- which SELECTs ----- */

static enum spool_type label_type(const struct plan *plan)
{
    switch (plan->label_type) {
    case LABEL_INTEGER:
        return SPOOL_INTEGER;
    case LABEL_REAL:
        return SPOOL_REAL;
    default:
        return SPOOL_TEXT;
    }
}

/* Ids, and buckets of crosses, are whole numbers; names of columns stand in messages, those of
 * their inputs do not. */
static struct feed input_feed(const struct plan_input *input)
{
    static const enum spool_type types[] = {[READS_NUMBER] = SPOOL_REAL,
                                            [READS_ID] = SPOOL_INTEGER,
                                            [READS_WORD] = SPOOL_TEXT,
                                            [READS_TEXT] = SPOOL_TEXT};
    const struct encoder *encoder = encoder_of(&input->spec);
    const bool is_list = cell_list_has_items(&input->spec.list);
    const bool takes_ids = encoder->reads == READS_ID || input->spec.rule == RULE_ID;

    return (struct feed){
        .name = plan_input_read(input),
        .type = types[encoder->reads],
        .column = input->column,
        .reading = encoder->counts == COUNTS_WORDS ? READING_STRICT : input->spec.reading,
        .ids = takes_ids ? input->spec.vocabulary_max : 0,
        .items = is_list ? input->spec.list : (struct cell_list){LIST_NONE},
        .needed = input->spec.offset ? offset_columns[input->spec.offset] : NULL,
        .offset = input->spec.offset,
    };
}

static struct feed role_feed(const struct plan_role *role)
{
    const bool is_weight = role->role == ROLE_SAMPLE_WEIGHT;

    return (struct feed){.name = role->name,
                         .type = role_is_number(role->role) ? SPOOL_REAL : SPOOL_TEXT,
                         .column = role->column,
                         .reading = role->reading,
                         .needed =
                             role->role == ROLE_LABEL_UPPER ? NULL : row_role_columns[role->role],
                         .is_weight = is_weight};
}

/* The inputs of the plan, then the label, then columns of roles; behind them what is left out, and
 * columns of dates and of counted lists, of which the inputs are parts. */
static enum status plan_source(const struct plan *plan, struct arena *arena, struct source *source,
                               struct error *err)
{
    const struct vectors *vectors = &plan->query.vectors;
    struct feed *feeds =
        ARENA_NEW(arena, struct feed,
                  plan->input_count + plan->left_out_count + vectors->count + 1 + ROW_ROLES);
    size_t n = 0, counted;

    if (!feeds)
        return fail_no_memory(err);
    for (size_t i = 0; i < plan->input_count; i++)
        feeds[n++] = input_feed(&plan->inputs[i]);
    if (plan->label_column >= 0)
        feeds[n++] = (struct feed){
            .name = plan->label,
            .type = label_type(plan),
            .column = plan->label_column,
            .reading = plan->label_type == LABEL_TEXT ? READING_STRICT : plan->label_reading,
            .needed = plan->estimator->kind->keeps_labels ? NULL : "label column"};
    for (size_t i = 0; i < plan->role_count; i++)
        feeds[n++] = role_feed(&plan->roles[i]);
    counted = n;
    for (size_t i = 0; i < plan->left_out_count; i++)
        feeds[counted++] =
            (struct feed){.name = plan->left_out[i].name, .column = plan->left_out[i].column};
    for (size_t i = 0; i < vectors->count; i++)
        if (vector_is_judged(&vectors->items[i]))
            feeds[counted++] = (struct feed){.name = vectors->items[i].name,
                                             .column = (int)vectors->items[i].column};
    *source = (struct source){.select = plan->select,
                              .query = plan->query,
                              .feeds = feeds,
                              .count = n,
                              .counted = counted,
                              .file = "train.spool"};
    return STATUS_OK;
}

static int column_of(const struct query *query, struct slice name)
{
    for (size_t i = 0; i < query->count + query->vectors.elements; i++)
        if (slice_equal_fold(query->columns[i].name, name))
            return (int)i;
    return -1;
}

/* validation.select may return its columns in another order: match by name. */
static enum status validation_source(const struct host *host, const struct plan *plan,
                                     struct arena *arena, struct source *source, struct error *err)
{
    struct query *query = &source->query;

    TRY(plan_source(plan, arena, source, err));
    source->select = plan->validation_select;
    source->file = "validation.spool";
    source->counted = source->count;
    source->kept = ARENA_NEW(arena, int, plan->query.count);
    if (!source->kept)
        return fail_no_memory(err);
    if (host->catalog.describe(host->catalog.self, source->select, arena, query, err) !=
        STATUS_OK) {
        char message[sizeof err->message];
        snprintf(message, sizeof message, "validation.select: %.400s", err->message);
        memcpy(err->message, message, sizeof message);
        err->position = -1;
        return err->status;
    }
    TRY(query_take_parts(query, &plan->query, arena, err));
    TRY(query_add_elements(query, arena, err));
    for (size_t i = 0; i < plan->query.count; i++)
        source->kept[i] = column_of(query, plan->query.columns[i].name);
    for (size_t i = 0; i < source->count; i++) {
        struct feed *feed = &source->feeds[i];

        feed->column = column_of(query, feed->name);
        if (feed->column < 0)
            return fail(err, STATUS_INVALID, "validation.select does not return column \"%.*s\"",
                        SLICE_FORMAT(feed->name)),
                   error_hint(err, "It must return the label and every column that the model "
                                   "is trained on.");
    }
    return STATUS_OK;
}

enum status spool_inputs(const struct spool_request *request, struct arena *arena, uint64_t *rows,
                         struct error *err)
{
    uint64_t validation_rows;
    struct source source;

    TRY(plan_source(request->plan, arena, &source, err));
    source.query.vectors.waits = request->judge != NULL;
    TRY(spool_source(request, &source, arena, rows, err));
    if (request->plan->validation_select.size == 0 ||
        (request->judge && *request->judge->reads_again))
        return STATUS_OK;
    TRY(validation_source(request->host, request->plan, arena, &source, err));
    return spool_source(request, &source, arena, &validation_rows, err);
}

/* ----- rows that another process reads ----- */

static enum status list_cells(const struct source *source, struct arena *arena,
                              struct spool_cells *cells, struct error *err)
{
    *cells = (struct spool_cells){.select = source->select,
                                  .query = source->query,
                                  .spooled = ARENA_NEW(arena, struct spool_column, source->count),
                                  .columns = ARENA_NEW(arena, int, source->counted),
                                  .count = source->count};
    if (!cells->spooled || !cells->columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < source->count; i++)
        cells->spooled[i] = column_of_feed(&source->feeds[i]);
    for (size_t i = 0; i < source->counted; i++)
        cells->columns[i] = source->feeds[i].column;
    return STATUS_OK;
}

static enum status list_counted(const struct source *source, const struct plan *plan,
                                struct arena *arena, struct spool_cells *cells, struct error *err)
{
    struct spool_order order = {.counted = 0};

    TRY(count_cells(source, plan, arena, &order, err));
    cells->counted = order.counted;
    cells->are_keys = order.are_keys;
    return STATUS_OK;
}

enum status spool_list_cells(const struct host *host, const struct plan *plan, bool counts,
                             struct arena *arena, struct spool_cells cells[2], size_t *count,
                             struct error *err)
{
    struct source source;

    TRY(plan_source(plan, arena, &source, err));
    TRY(list_cells(&source, arena, &cells[0], err));
    if (counts)
        TRY(list_counted(&source, plan, arena, &cells[0], err));
    *count = 1;
    if (plan->validation_select.size == 0)
        return STATUS_OK;
    TRY(validation_source(host, plan, arena, &source, err));
    *count = 2;
    return list_cells(&source, arena, &cells[1], err);
}
