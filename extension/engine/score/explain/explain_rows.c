#include "extension/engine/score/explain/explain_rows.h"

#include "extension/engine/score/score.h"

struct reading {
    const struct plan *plan;
    struct scorer scorer;
    struct row_room room;
    struct held_rows *held;
    struct bucket_words *words;
    uint64_t rows;
};

static enum status take_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct reading *reading = self;
    struct row_label label = {0};

    reading->rows++;
    if (score_take_row(reading->plan, &reading->room, reading->rows, cells, count, &reading->scorer,
                       0, &label, err) != STATUS_OK)
        return score_name_row(reading->rows, "Leave such rows out in the SELECT.", err);
    if (reading->words)
        TRY(bucket_words_add(reading->words, reading->room.inputs, err));
    return held_rows_add(reading->held, &reading->scorer, &label, err);
}

static enum status read_rows(const struct host *host, struct reading *reading, struct arena *arena,
                             struct error *err)
{
    const struct sink rows = {.self = reading, .row = take_row};

    TRY(row_room_make(reading->plan, arena, &reading->room, err));
    return host->rows->query(host->self, reading->plan->select, &rows, err);
}

enum status explain_rows_read(const struct host *host, const struct plan *plan, struct arena *arena,
                              const struct sink *sink, struct held_rows *held,
                              struct bucket_words *words, struct error *err)
{
    struct reading reading = {.plan = plan, .held = held, .words = words};
    enum status status;

    TRY(scorer_init(&reading.scorer, held->model, 1, err));
    status = read_rows(host, &reading, arena, err);
    scorer_deinit(&reading.scorer);
    if (status == STATUS_OK && held->count < reading.rows)
        sink_notice(sink,
                    "the model is explained by %u of %llu rows, those whose hashes are the least: "
                    "explain.rows",
                    held->count, (unsigned long long)reading.rows);
    return status;
}
