#include "runtime/ps/server/server_steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "runtime/data/store/step_log.h"
#include "runtime/ps/server/server_role.h"

/* ---- life ---- */

enum status server_steps_init(struct server_role *role, struct error *err)
{
    struct server_steps *steps = &role->steps;

    text_init(&steps->entry, STEP_LOG_BYTES_MAX);
    if (role->options.lanes == 0)
        return STATUS_OK;
    if (role->options.lanes > SERVER_LANES_MAX || role->options.batches == 0)
        return fail(err, STATUS_INVALID,
                    "steps of %" PRIu32 " lanes and shards of %" PRIu32
                    " batches, where a step has %d lanes at most",
                    role->options.lanes, role->options.batches, SERVER_LANES_MAX);
    for (uint32_t t = 0; t < role->options.table_count; t++)
        steps->widths[t] = role->options.tables[t].width;
    steps->lanes = calloc(role->options.lanes, sizeof *steps->lanes);
    steps->is_here = calloc(role->options.lanes, sizeof *steps->is_here);
    return steps->lanes && steps->is_here ? STATUS_OK : fail_no_memory(err);
}

void server_steps_deinit(struct server_role *role)
{
    struct server_steps *steps = &role->steps;

    for (uint32_t l = 0; steps->lanes && l < role->options.lanes; l++)
        step_rows_free(steps->lanes + l);
    free(steps->lanes);
    free(steps->is_here);
    step_rows_free(&steps->sum);
    step_rows_free(&steps->before);
    text_deinit(&steps->entry);
}

void server_steps_drop_pushes(struct server_role *role)
{
    struct server_steps *steps = &role->steps;

    for (uint32_t l = 0; steps->here > 0 && l < role->options.lanes; l++)
        steps->is_here[l] = false;
    steps->here = 0;
}

void server_steps_forget(struct server_role *role)
{
    server_steps_drop_pushes(role);
    role->steps.has_before = false;
}

uint64_t server_step_of(const struct server_role *role, uint64_t shard, uint32_t batch)
{
    return shard / role->options.lanes * role->options.batches + batch;
}

/* ---- the rows before the last step ---- */

void server_steps_go_back(const struct server_role *role, const uint32_t *counts,
                          const uint64_t *ids, float *values)
{
    step_rows_copy(&role->steps.before,
                   (struct row_widths){role->steps.widths, role->options.table_count}, counts, ids,
                   values, NULL);
}

static enum status keep_before(struct server_role *role, const struct step_rows *rows,
                               struct error *err)
{
    struct step_rows *before = &role->steps.before;
    uint64_t row = 0, place = 0;

    role->steps.has_before = false;
    TRY(step_rows_reserve(before, rows->rows, rows->floats, err));
    memcpy(before->counts, rows->counts, sizeof before->counts);
    if (rows->rows > 0)
        memcpy(before->ids, rows->ids, rows->rows * sizeof *rows->ids);
    before->rows = rows->rows;
    before->floats = rows->floats;
    for (uint32_t t = 0; t < role->options.table_count; t++) {
        row_table_pull(role->tables + t, (uint32_t)role->clock,
                       (struct row_ids){before->ids + row, rows->counts[t]},
                       before->values + place);
        row += rows->counts[t];
        place += (uint64_t)rows->counts[t] * role->tables[t].options.width;
    }
    role->steps.has_before = true;
    return STATUS_OK;
}

/* ---- a step ---- */

/* Where a lane is while lists are merged. */
struct lane_cursor {
    const uint64_t *id;
    const uint32_t *seen;
    const float *values;
    uint32_t left; /* rows left of this table */
};

static void add_row(struct lane_cursor *lane, uint32_t width, bool is_first, uint32_t *seen,
                    float *values)
{
    for (uint32_t j = 0; j < width; j++)
        values[j] = is_first ? lane->values[j] : values[j] + lane->values[j];
    *seen = is_first                           ? *lane->seen
            : *seen > UINT32_MAX - *lane->seen ? UINT32_MAX
                                               : *seen + *lane->seen;
    lane->id++;
    lane->seen++;
    lane->values += width;
    lane->left--;
}

/* The rows of a table, each the sum of its lanes in their order. */
static uint32_t merge_table(struct lane_cursor *lanes, uint32_t lane_count, uint32_t width,
                            uint64_t *ids, uint32_t *seen, float *values)
{
    uint32_t count = 0;

    for (;; count++, values += width) {
        uint64_t id = UINT64_MAX;
        bool is_first = true, is_over = true;

        for (uint32_t l = 0; l < lane_count; l++)
            if (lanes[l].left > 0) {
                is_over = false;
                id = *lanes[l].id < id ? *lanes[l].id : id;
            }
        if (is_over)
            return count;
        ids[count] = id;
        for (uint32_t l = 0; l < lane_count; l++)
            if (lanes[l].left > 0 && *lanes[l].id == id) {
                add_row(lanes + l, width, is_first, seen + count, values);
                is_first = false;
            }
    }
}

static enum status sum_lanes(struct server_role *role, struct error *err)
{
    struct server_steps *steps = &role->steps;
    struct step_rows *sum = &steps->sum;
    struct lane_cursor cursors[SERVER_LANES_MAX];
    uint64_t rows = 0, floats = 0;

    for (uint32_t l = 0; l < role->options.lanes; l++) {
        const struct step_rows *lane = steps->lanes + l;

        cursors[l] = (struct lane_cursor){lane->ids, lane->seen, lane->values, 0};
        rows += lane->rows;
        floats += lane->floats;
    }
    TRY(step_rows_reserve(sum, rows, floats, err));
    sum->rows = 0;
    sum->floats = 0;
    for (uint32_t t = 0; t < role->options.table_count; t++) {
        const uint32_t width = role->tables[t].options.width;

        for (uint32_t l = 0; l < role->options.lanes; l++)
            cursors[l].left = steps->lanes[l].counts[t];
        sum->counts[t] = merge_table(cursors, role->options.lanes, width, sum->ids + sum->rows,
                                     sum->seen + sum->rows, sum->values + sum->floats);
        sum->rows += sum->counts[t];
        sum->floats += (uint64_t)sum->counts[t] * width;
    }
    return STATUS_OK;
}

/* The last shard of the group first: room for its count is room for all. */
static enum status count_shards(struct server_role *role, struct error *err)
{
    const uint64_t first = role->clock / role->options.batches * role->options.lanes;

    for (uint32_t l = role->options.lanes; l-- > 0;)
        TRY(shard_counts_add(&role->shards, first + l, err));
    return STATUS_OK;
}

/* All of it or nothing. */
static enum status take_step(struct server_role *role, const struct step_rows *rows,
                             struct error *err)
{
    struct row_push pushes[TABLES_MAX];
    uint64_t row = 0, place = 0;

    if (role->clock >= SERVER_CLOCK_MAX)
        return fail(err, STATUS_LIMIT, "a parameter server counts %" PRIu32 " steps at most",
                    SERVER_CLOCK_MAX);
    for (uint32_t t = 0; t < role->options.table_count; t++) {
        pushes[t] = (struct row_push){.ids = {rows->ids + row, rows->counts[t]},
                                      .seen = rows->seen + row,
                                      .gradient = rows->values + place,
                                      .step = (uint32_t)role->clock + 1,
                                      .rate_step = role->clock,
                                      .rate_factor = 1};
        row += rows->counts[t];
        place += (uint64_t)rows->counts[t] * role->tables[t].options.width;
        TRY(row_table_reserve(role->tables + t, pushes + t, err));
    }
    TRY(keep_before(role, rows, err));
    TRY(count_shards(role, err));
    for (uint32_t t = 0; t < role->options.table_count; t++)
        row_table_push(role->tables + t, pushes + t);
    role->clock++;
    role->counts.pushes++;
    return STATUS_OK;
}

/* ---- the log ---- */

static void put_array(struct text *out, const void *array, size_t count, size_t size)
{
    put_sized(out, (struct slice){array, count * size});
}

static void put_rows(const struct server_role *role, const struct step_rows *rows, bool has_seen,
                     struct text *out)
{
    put_array(out, rows->counts, role->options.table_count, sizeof *rows->counts);
    put_array(out, rows->ids, rows->rows, sizeof *rows->ids);
    put_array(out, rows->seen, has_seen ? rows->rows : 0, sizeof *rows->seen);
    put_array(out, rows->values, rows->floats, sizeof *rows->values);
}

/* One that is too large for the log ends it until the next snapshot. */
static void log_step(struct server_role *role, uint64_t step, struct outbox *outbox)
{
    struct text *entry = &role->steps.entry;
    size_t start;

    if (role->options.snapshot_ms == 0)
        return;
    text_clear(entry);
    put_u64(entry, step);
    start = put_sized_begin(entry);
    put_u64(entry, role->layout.id);
    put_rows(role, &role->steps.sum, true, entry);
    put_sized_end(entry, start);
    if (entry->failed) {
        entry->failed = false;
        return;
    }
    outbox_put(outbox, OUTBOX_LOG, entry->data, entry->size);
}

/* An array as put_array writes it, of so many elements. */
static bool read_array(struct byte_reader *reader, uint64_t count, size_t size, void *array)
{
    const struct slice bytes = read_sized(reader, count * size);

    if (reader->failed || bytes.size != count * size)
        return false;
    if (bytes.size > 0)
        memcpy(array, bytes.data, bytes.size);
    return true;
}

static enum status no_rows(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "a step of a parameter server is damaged");
}

static enum status read_rows(const struct server_role *role, struct byte_reader *reader,
                             bool has_seen, struct step_rows *rows, struct error *err)
{
    const uint32_t tables = role->options.table_count;
    uint64_t count = 0, floats = 0, first = 0;

    if (!read_array(reader, tables, sizeof *rows->counts, rows->counts))
        return no_rows(err);
    for (uint32_t t = 0; t < tables; t++) {
        count += rows->counts[t];
        floats += (uint64_t)rows->counts[t] * role->tables[t].options.width;
    }
    /* Memory is taken for what is there. */
    if (floats * sizeof *rows->values > (size_t)(reader->end - reader->at))
        return no_rows(err);
    TRY(step_rows_reserve(rows, count, floats, err));
    if (!read_array(reader, count, sizeof *rows->ids, rows->ids) ||
        !read_array(reader, has_seen ? count : 0, sizeof *rows->seen, rows->seen) ||
        !read_array(reader, floats, sizeof *rows->values, rows->values))
        return no_rows(err);
    for (uint32_t t = 0; t < tables; t++) {
        if (!row_ids_ascend((struct row_ids){rows->ids + first, rows->counts[t]}))
            return no_rows(err);
        first += rows->counts[t];
    }
    rows->rows = (uint32_t)count;
    rows->floats = floats;
    return STATUS_OK;
}

static bool open_entry(struct slice entry, struct byte_reader *reader, uint64_t *layout)
{
    uint32_t size;

    *reader = byte_reader_over(entry);
    size = read_u32(reader);
    *layout = read_u64(reader);
    return !reader->failed && size == entry.size - sizeof size;
}

bool server_steps_layout(struct slice entry, uint64_t *layout)
{
    struct byte_reader reader;

    return open_entry(entry, &reader, layout);
}

enum status server_steps_count_again(struct server_role *role, struct slice entry,
                                     struct error *err)
{
    struct byte_reader reader;
    uint64_t layout;

    if (!open_entry(entry, &reader, &layout) || !role->steps.lanes)
        return no_rows(err);
    if (layout != role->layout.id)
        return fail(err, STATUS_NOT_FOUND, "the log goes on in another layout");
    TRY(read_rows(role, &reader, true, &role->steps.sum, err));
    if (!reader_is_done(&reader))
        return no_rows(err);
    return take_step(role, &role->steps.sum, err);
}

void server_steps_put(const struct server_role *role, struct text *out)
{
    if (role->steps.has_before)
        put_rows(role, &role->steps.before, false, out);
}

enum status server_steps_read(struct server_role *role, struct slice bytes, struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);

    if (bytes.size == 0)
        return STATUS_OK;
    TRY(read_rows(role, &reader, false, &role->steps.before, err));
    role->steps.has_before = true;
    return reader_is_done(&reader) ? STATUS_OK : no_rows(err);
}

/* ---- a push ---- */

static void count_memory(struct server_role *role)
{
    struct server_steps *steps = &role->steps;
    uint64_t bytes =
        steps->entry.capacity + step_rows_memory(&steps->sum) + step_rows_memory(&steps->before);

    for (uint32_t l = 0; l < role->options.lanes; l++)
        bytes += step_rows_memory(steps->lanes + l);
    role->memory.used += bytes - steps->memory;
    steps->memory = bytes;
}

/* Keeps the push that was read into the role: their arrays change places. */
static void keep_push(struct server_role *role, struct step_rows *lane, const uint32_t *counts)
{
    const struct step_rows old = *lane;

    *lane = (struct step_rows){.ids = role->ids,
                               .seen = role->seen,
                               .values = role->floats,
                               .ids_room = role->ids_room,
                               .seen_room = role->seen_room,
                               .values_room = role->floats_room};
    for (uint32_t t = 0; t < role->options.table_count; t++) {
        lane->counts[t] = counts[t];
        lane->rows += counts[t];
        lane->floats += (uint64_t)counts[t] * role->tables[t].options.width;
    }
    role->ids = old.ids;
    role->seen = old.seen;
    role->floats = old.values;
    role->ids_room = old.ids_room;
    role->seen_room = old.seen_room;
    role->floats_room = old.values_room;
}

enum status server_steps_take(struct server_role *role, struct outbox *outbox, struct error *err)
{
    if (role->steps.here < role->options.lanes)
        return STATUS_OK;
    TRY(sum_lanes(role, err));
    TRY(take_step(role, &role->steps.sum, err));
    log_step(role, role->clock - 1, outbox);
    count_memory(role);
    server_steps_drop_pushes(role);
    return STATUS_OK;
}

enum status server_steps_push(struct server_role *role, const struct message_push *push,
                              const uint32_t *counts, struct error *err)
{
    struct server_steps *steps = &role->steps;
    const uint64_t step = server_step_of(role, push->shard, push->batch);
    const uint32_t lane = (uint32_t)(push->shard % role->options.lanes);

    if (step > role->clock || push->batch >= role->options.batches)
        return fail(err, STATUS_PROTOCOL, "a push of a step that is to come");
    if (step < role->clock || steps->is_here[lane]) {
        role->counts.repeated++;
        return STATUS_OK;
    }
    keep_push(role, steps->lanes + lane, counts);
    count_memory(role);
    steps->is_here[lane] = true;
    steps->here++;
    return STATUS_OK;
}
