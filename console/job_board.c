#include "console/job_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console/json_rows.h"

#define ROW_BYTES_MAX ((size_t)1 << 20) /* a job's row; statements are long */

struct entry {
    struct text row;  /* its JSON */
    uint64_t version; /* in which it changed last */
    int64_t id;
    bool is_seen;
    char owner[256];
};

struct job_board {
    struct entry *entries; /* in the order in which they were found */
    size_t count, room;
    size_t next; /* where the next job is looked for first: jobs come in the same order again */
    uint64_t version, gone_version;
    char failure[256];
    struct text row; /* the one that is compared */
};

enum status board_new(struct job_board **board, struct error *err)
{
    *board = calloc(1, sizeof **board);
    if (!*board)
        return fail_no_memory(err);
    (*board)->version = 1;
    text_init(&(*board)->row, ROW_BYTES_MAX);
    return STATUS_OK;
}

void board_free(struct job_board *board)
{
    if (!board)
        return;
    for (size_t i = 0; i < board->count; i++)
        text_deinit(&board->entries[i].row);
    text_deinit(&board->row);
    free(board->entries);
    free(board);
}

void board_begin(struct job_board *board)
{
    for (size_t i = 0; i < board->count; i++)
        board->entries[i].is_seen = false;
    board->next = 0;
}

static bool is_of(const struct entry *entry, struct slice owner, int64_t id)
{
    return entry->id == id && slice_is(owner, entry->owner);
}

static struct entry *find(struct job_board *board, struct slice owner, int64_t id)
{
    for (size_t i = 0; i < board->count; i++) {
        const size_t at = (board->next + i) % board->count;

        if (is_of(&board->entries[at], owner, id)) {
            board->next = at + 1;
            return &board->entries[at];
        }
    }
    return NULL;
}

static struct entry *add(struct job_board *board, struct slice owner, int64_t id)
{
    struct entry *entries = board->entries;

    if (board->count == board->room) {
        board->room = board->room ? 2 * board->room : 64;
        entries = realloc(board->entries, board->room * sizeof *entries);
        if (!entries)
            return NULL;
        board->entries = entries;
    }
    entries += board->count++;
    *entries = (struct entry){.id = id};
    snprintf(entries->owner, sizeof entries->owner, "%.*s", SLICE_FORMAT(owner));
    text_init(&entries->row, ROW_BYTES_MAX);
    return entries;
}

enum status board_put(struct job_board *board, const struct cell *cells, size_t count,
                      struct error *err)
{
    const struct slice owner = cells[0].type == CELL_TEXT ? cells[0].text : SLICE("");
    struct entry *entry = find(board, owner, cells[1].integer);

    if (!entry && board->count == BOARD_JOBS_MAX)
        return fail(err, STATUS_LIMIT, "there are more than the %d jobs that the console shows",
                    BOARD_JOBS_MAX);
    if (!entry && !(entry = add(board, owner, cells[1].integer)))
        return fail_no_memory(err);
    entry->is_seen = true;
    text_clear(&board->row);
    json_append_cells(&board->row, cells, count);
    if (board->row.failed)
        return fail_no_memory(err);
    if (slice_equal(text_slice(&board->row), text_slice(&entry->row)))
        return STATUS_OK;
    text_clear(&entry->row);
    text_append(&entry->row, text_slice(&board->row));
    entry->version = ++board->version;
    return entry->row.failed ? fail_no_memory(err) : STATUS_OK;
}

void board_end(struct job_board *board)
{
    size_t kept = 0;

    for (size_t i = 0; i < board->count; i++) {
        if (board->entries[i].is_seen)
            board->entries[kept++] = board->entries[i];
        else
            text_deinit(&board->entries[i].row);
    }
    if (kept < board->count)
        board->gone_version = ++board->version;
    board->count = kept;
}

void board_fail(struct job_board *board, const char *message)
{
    if (strcmp(board->failure, message ? message : "") == 0)
        return;
    snprintf(board->failure, sizeof board->failure, "%s", message ? message : "");
    board->version++;
}

struct slice board_job(struct job_board *board, struct slice owner, int64_t id)
{
    const struct entry *entry = board->count > 0 ? find(board, owner, id) : NULL;

    return entry ? text_slice(&entry->row) : SLICE("");
}

uint64_t board_version(const struct job_board *board)
{
    return board->version;
}

void board_print(const struct job_board *board, uint64_t since, const char *const *columns,
                 size_t column_count, struct text *out)
{
    /* A page of an earlier console on this port has a version that we have not reached. */
    const bool all = since < board->gone_version || since == 0 || since > board->version;
    bool is_first = true;

    text_printf(out, "{\"version\":%" PRIu64 ",\"all\":%s,\"columns\":[", board->version,
                all ? "true" : "false");
    for (size_t i = 0; i < column_count; i++)
        text_printf(out, "%s\"%s\"", i > 0 ? "," : "", columns[i]);
    text_append_string(out, "],\"rows\":[");
    for (size_t i = 0; i < board->count; i++) {
        if (!all && board->entries[i].version <= since)
            continue;
        text_append_string(out, is_first ? "\n" : ",\n");
        text_append(out, text_slice(&board->entries[i].row));
        is_first = false;
    }
    text_append_string(out, "],\"error\":");
    if (board->failure[0])
        json_append_string(out, slice_of(board->failure));
    else
        text_append_string(out, "null");
    text_append_string(out, "}\n");
}
