#include "extension/sqlite/host/frame_scan.h"

#include <stdlib.h>
#include <string.h>

#include "extension/engine/rows/plain_scan.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/frames/frame_vtab.h"
#include "extension/sqlite/host/models.h"
#include "extension/sqlite/host/scan_threads.h"

#define ROWS_LEAST 20000 /* below, starting threads takes longer than reading */

/* Facts that all readers share. */
struct frame_order {
    const struct scan *scan;
    const struct frame *frame;
    int columns[FRAME_COLUMNS_MAX]; /* the frame's, in the order of the SELECT */
    size_t count;
};

/* One reader. */
struct frame_rows {
    const struct frame_order *order;
    struct cell *cells; /* cells of a row */
    void *room;         /* working memory of scan_put_row */
};

/* ----- which columns ----- */

/* The instructions of a statement that takes columns of a virtual table and does nothing else; a
 * result's value is in the register behind that of the one before. */
static bool is_plain(struct slice instruction)
{
    static const char *const known[] = {"Init",    "VOpen", "Explain",     "Integer",
                                        "VFilter", "VNext", "Transaction", "Goto",
                                        "Noop",    "Close", "Halt",        "RealAffinity"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (slice_is(instruction, known[i]))
            return true;
    return false;
}

/* Registers as they are met: the numbers of all columns first, then of the result's first one. */
struct program {
    struct {
        int column, reg;
    } reads[FRAME_COLUMNS_MAX];
    size_t reads_count;
    int first, count; /* the result's registers; count 0: not met yet */
};

static bool take_instruction(struct program *program, sqlite3_stmt *statement)
{
    const struct slice instruction = sql_slice(statement, 1);

    if (slice_is(instruction, "VColumn")) {
        if (program->reads_count == FRAME_COLUMNS_MAX)
            return false;
        program->reads[program->reads_count].column = sqlite3_column_int(statement, 3);
        program->reads[program->reads_count++].reg = sqlite3_column_int(statement, 4);
        return true;
    }
    if (!slice_is(instruction, "ResultRow"))
        return is_plain(instruction);
    if (program->count > 0)
        return false;
    program->first = sqlite3_column_int(statement, 2);
    program->count = sqlite3_column_int(statement, 3);
    return true;
}

static bool read_program(sqlite3 *db, struct slice select, struct program *program)
{
    sqlite3_stmt *statement;
    struct error ignored;
    struct text sql;
    bool has_row = true, is_known;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "EXPLAIN ");
    text_append(&sql, select);
    is_known = sql_prepare_text(db, &sql, &statement, &ignored) == STATUS_OK;
    text_deinit(&sql);
    if (!is_known)
        return false;
    while (is_known && sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row)
        is_known = take_instruction(program, statement);
    sqlite3_finalize(statement);
    return is_known && !has_row;
}

/* Each register of the result is written by one instruction that reads a column. */
static bool place_columns(const struct program *program, struct frame_order *order)
{
    if (program->count < 1 || program->count > FRAME_COLUMNS_MAX ||
        program->reads_count != (size_t)program->count)
        return false;
    order->count = (size_t)program->count;
    for (size_t i = 0; i < order->count; i++)
        order->columns[i] = -1;
    for (size_t i = 0; i < order->count; i++) {
        const int place = program->reads[i].reg - program->first;
        const int column = program->reads[i].column;

        if (place < 0 || place >= program->count || order->columns[place] >= 0 || column < 0 ||
            column >= order->frame->count)
            return false;
        order->columns[place] = column;
    }
    return true;
}

static bool find_columns(sqlite3 *db, struct slice select, struct frame_order *order)
{
    struct program *program = calloc(1, sizeof *program);
    const bool found =
        program && read_program(db, select, program) && place_columns(program, order);

    free(program);
    return found;
}

/* ----- rows ----- */

static enum status put_rows(struct scan_reader *reader, const struct stretch *stretch,
                            uint64_t *rows, uint64_t *at, struct error *err)
{
    const struct frame_rows *own = reader->self;
    const struct frame_order *order = own->order;

    for (uint64_t row = stretch->first; row <= stretch->last && *rows < STRETCH_ROWS_MAX; row++) {
        if (atomic_load_explicit(reader->stop, memory_order_relaxed))
            return STATUS_OK;
        for (size_t i = 0; i < order->count; i++)
            frame_cell(&order->frame->columns[order->columns[i]], (int64_t)row, &own->cells[i]);
        TRY(scan_put_row(order->scan, own->cells, own->room, reader->writer, err));
        ++*rows;
        *at = row;
    }
    return STATUS_OK;
}

static enum status run(struct sqlite_host *host, const struct frame_order *order,
                       struct scan_outcome *outcome, struct error *err)
{
    struct scan_reader readers[SCAN_READERS_MAX] = {0};
    struct frame_rows own[SCAN_READERS_MAX] = {0};
    enum status status = STATUS_OK;

    outcome->readers = scan_threads_wanted(order->scan);
    for (uint32_t i = 0; i < outcome->readers; i++) {
        own[i] = (struct frame_rows){.order = order,
                                     .cells = calloc(order->count, sizeof *own[i].cells),
                                     .room = calloc(1, scan_room_bytes(order->scan))};
        readers[i] = (struct scan_reader){.put = put_rows, .self = &own[i]};
        if (!own[i].cells || !own[i].room)
            status = fail_no_memory(err);
    }
    if (status == STATUS_OK)
        status = scan_threads_run(host, order->scan, readers, outcome->readers,
                                  (uint64_t)order->frame->rows - 1, err);
    for (uint32_t i = 0; i < outcome->readers; i++) {
        free(own[i].cells);
        free(own[i].room);
    }
    return status;
}

/* Does the statement still have the columns that it was planned with? */
static bool has_columns(const struct frame_order *order)
{
    const struct scan *scan = order->scan;
    const size_t counted = scan->order.counted ? scan->order.counted : scan->count;

    if (scan->vectors.count > 0)
        return scan->vectors.columns == order->count;
    for (size_t i = 0; i < counted; i++)
        if ((size_t)scan->columns[i] >= order->count)
            return false;
    return true;
}

/* The frame behind the SELECT's one table, which is in `plain`. */
static struct frame *find_frame(sqlite3 *db, struct slice select)
{
    struct plain_scan plain;
    struct located located;
    struct error ignored;

    if (!plain_scan_recognise(select, &plain) ||
        locate(db, plain.schema, plain.table, &located, &ignored) != STATUS_OK || !located.exists)
        return NULL;
    return frame_vtab_find(db, slice_of(located.schema), plain.table);
}

static const char *check(sqlite3 *db, struct slice select, struct frame_order *order)
{
    if (scan_threads_wanted(order->scan) < 2)
        return "there is one processor";
    if (order->frame->rows < ROWS_LEAST)
        return "the frame is small";
    if (!find_columns(db, select, order) || !has_columns(order))
        return "columns are computed or hidden";
    return NULL;
}

bool frame_scan(struct sqlite_host *host, struct slice select, const struct scan *scan,
                struct scan_outcome *outcome, enum status *status, struct error *err)
{
    struct frame *frame = find_frame(host->db, select);
    struct frame_order *order;

    *status = STATUS_OK;
    if (!frame)
        return false;
    order = calloc(1, sizeof *order);
    if (!order) {
        *status = fail_no_memory(err);
    } else {
        *order = (struct frame_order){.scan = scan, .frame = frame};
        outcome->reason = check(host->db, select, order);
        if (!outcome->reason)
            *status = run(host, order, outcome, err);
    }
    free(order);
    frame_let_go(frame);
    return true;
}
