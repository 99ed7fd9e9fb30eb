/*
 * The session reads the rows, under its own rights and with its temporary
 * tables and uncommitted rows, and leaves them in the job's folder as typed
 * columns: first the inputs of the plan, then the label.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/spool.h"
#include "engine/stages.h"
#include "scoring/transform.h"

#define WORD_BUFFER_BYTES 32

/* One column of the spool and where its cells come from. */
struct feed {
    struct slice name;
    enum spool_type type;
    int column; /* of the query */
};

struct spooling {
    struct spool_writer *writer;
    const struct feed *feeds;
    size_t count;
    uint64_t rows;
};

static enum status put_real(struct spooling *spooling, const struct feed *feed,
                            const struct cell *cell, struct error *err)
{
    double number = 0;
    bool is_null = false;

    TRY(cell_to_number(cell, feed->name, &number, &is_null, err));
    return is_null ? spool_put_null(spooling->writer, err)
                   : spool_put_real(spooling->writer, number, err);
}

static enum status put_text(struct spooling *spooling, const struct feed *feed,
                            const struct cell *cell, struct error *err)
{
    char buffer[WORD_BUFFER_BYTES];
    struct slice word = {0};
    bool is_null = false;

    TRY(cell_to_word(cell, feed->name, buffer, &word, &is_null, err));
    if (!is_null && word.size > SPOOL_TEXT_BYTES_MAX)
        return fail(err, STATUS_LIMIT, "column \"%.*s\" holds a text of %zu bytes, at most %zu fit",
                    SLICE_FORMAT(feed->name), word.size, SPOOL_TEXT_BYTES_MAX);
    return is_null ? spool_put_null(spooling->writer, err)
                   : spool_put_text(spooling->writer, word, err);
}

static enum status put_integer(struct spooling *spooling, const struct feed *feed,
                               const struct cell *cell, struct error *err)
{
    double number = 0;
    bool is_null = false;

    if (cell->type == CELL_INTEGER)
        return spool_put_integer(spooling->writer, cell->integer, err);
    TRY(cell_to_number(cell, feed->name, &number, &is_null, err));
    if (is_null)
        return spool_put_null(spooling->writer, err);
    if (number != floor(number) || fabs(number) > 9007199254740992.0)
        return fail(err, STATUS_INVALID,
                    "column \"%.*s\" holds %g, where the rows before it hold "
                    "whole numbers",
                    SLICE_FORMAT(feed->name), number);
    return spool_put_integer(spooling->writer, (int64_t)number, err);
}

static enum status put_cell(struct spooling *spooling, const struct feed *feed,
                            const struct cell *cell, struct error *err)
{
    switch (feed->type) {
    case SPOOL_REAL:
        return put_real(spooling, feed, cell, err);
    case SPOOL_INTEGER:
        return put_integer(spooling, feed, cell, err);
    default:
        return put_text(spooling, feed, cell, err);
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
    return err->status;
}

static enum status spool_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct spooling *spooling = self;

    spooling->rows++;
    for (size_t i = 0; i < spooling->count; i++) {
        const struct feed *feed = &spooling->feeds[i];
        if ((size_t)feed->column >= count)
            return fail(err, STATUS_DATABASE, "the query no longer returns column \"%.*s\"",
                        SLICE_FORMAT(feed->name));
        if (put_cell(spooling, feed, &cells[feed->column], err) != STATUS_OK)
            return name_row(spooling->rows, err);
    }
    return spool_end_row(spooling->writer, err);
}

static enum status spool_query(const struct host *host, struct slice select,
                               const struct feed *feeds, size_t count,
                               const struct job_folder *folder, const char *file,
                               struct arena *arena, uint64_t *rows, struct error *err)
{
    struct spool_column *columns = ARENA_NEW(arena, struct spool_column, count);
    struct spooling spooling = {.feeds = feeds, .count = count};
    struct sink sink = {.self = &spooling, .row = spool_row};
    char path[PATH_MAX];
    enum status status;

    if (!columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++)
        columns[i] = (struct spool_column){feeds[i].name, feeds[i].type};
    TRY(job_folder_file(folder, file, path, err));
    TRY(spool_writer_open(path, columns, count, 0, &spooling.writer, err));
    status = host->query(host->self, select, &sink, err);
    if (status != STATUS_OK) {
        spool_writer_abandon(spooling.writer);
        return status;
    }
    *rows = spooling.rows;
    return spool_writer_close(spooling.writer, err);
}

static enum spool_type label_type(const struct plan *plan)
{
    switch (plan->label_kind) {
    case LABEL_INTEGER:
        return SPOOL_INTEGER;
    case LABEL_REAL:
        return SPOOL_REAL;
    default:
        return SPOOL_TEXT;
    }
}

static enum status make_feeds(const struct plan *plan, struct arena *arena, struct feed **feeds,
                              size_t *count, struct error *err)
{
    struct feed *made = ARENA_NEW(arena, struct feed, plan->input_count + 1);
    size_t n = 0;

    if (!made)
        return fail_no_memory(err);
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct plan_input *input = &plan->inputs[i];
        made[n++] = (struct feed){
            input->name, input->kind == INPUT_NUMERIC ? SPOOL_REAL : SPOOL_TEXT, input->column};
    }
    if (plan->label_column >= 0)
        made[n++] = (struct feed){plan->label, label_type(plan), plan->label_column};
    *feeds = made;
    *count = n;
    return STATUS_OK;
}

/* validation.select may return its columns in another order: match by name. */
static enum status match_validation(const struct host *host, const struct plan *plan,
                                    struct feed *feeds, size_t count, struct arena *arena,
                                    struct error *err)
{
    struct query query;

    if (host->catalog.describe(host->catalog.self, plan->validation_select, arena, &query, err) !=
        STATUS_OK) {
        char message[sizeof err->message];
        snprintf(message, sizeof message, "validation.select: %.400s", err->message);
        memcpy(err->message, message, sizeof message);
        err->position = -1;
        return err->status;
    }
    for (size_t i = 0; i < count; i++) {
        feeds[i].column = -1;
        for (size_t c = 0; c < query.count && feeds[i].column < 0; c++)
            if (slice_equal_fold(query.columns[c].name, feeds[i].name))
                feeds[i].column = (int)c;
        if (feeds[i].column < 0)
            return fail(err, STATUS_INVALID, "validation.select does not return column \"%.*s\"",
                        SLICE_FORMAT(feeds[i].name)),
                   error_hint(err, "It must return the label and every column that the model "
                                   "is trained on.");
    }
    return STATUS_OK;
}

enum status spool_inputs(const struct host *host, const struct plan *plan,
                         const struct job_folder *folder, struct arena *arena, uint64_t *rows,
                         struct error *err)
{
    struct feed *feeds = NULL;
    size_t count = 0;
    uint64_t validation_rows;

    TRY(make_feeds(plan, arena, &feeds, &count, err));
    TRY(spool_query(host, plan->select, feeds, count, folder, "train.spool", arena, rows, err));
    if (plan->validation_select.size == 0)
        return STATUS_OK;
    TRY(match_validation(host, plan, feeds, count, arena, err));
    return spool_query(host, plan->validation_select, feeds, count, folder, "validation.spool",
                       arena, &validation_rows, err);
}
