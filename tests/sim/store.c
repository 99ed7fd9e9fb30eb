#include "tests/sim/store.h"

#include <stdlib.h>
#include <string.h>

void store_init(struct store *store)
{
    memset(store, 0, sizeof *store);
    text_init(&store->whole_bytes, TEXT_MAXIMUM);
    text_init(&store->older_bytes, TEXT_MAXIMUM);
    text_init(&store->partial_bytes, TEXT_MAXIMUM);
}

void store_deinit(struct store *store)
{
    free(store->metrics);
    text_deinit(&store->whole_bytes);
    text_deinit(&store->older_bytes);
    text_deinit(&store->partial_bytes);
}

static bool has_same_key(const struct metric_row *a, const struct metric_row *b)
{
    return a->epoch == b->epoch && a->step == b->step && strcmp(a->metric, b->metric) == 0 &&
           strcmp(a->part, b->part) == 0;
}

static bool is_evaluation(const struct metric_row *metric)
{
    return strcmp(metric->metric, "loss") == 0 && strcmp(metric->part, "validation") == 0;
}

/* All but the time is a function of the job. */
static bool is_time(const struct metric_row *metric)
{
    return strcmp(metric->metric, "seconds") == 0;
}

bool store_put_metric(struct store *store, const struct metric_row *metric)
{
    for (uint32_t i = store->metric_count; i-- > 0;)
        if (has_same_key(&store->metrics[i], metric))
            return is_time(metric) ||
                   memcmp(&store->metrics[i].value, &metric->value, sizeof metric->value) == 0;
    store->metrics = realloc(store->metrics, (store->metric_count + 1) * sizeof *store->metrics);
    if (!store->metrics)
        abort();
    store->metrics[store->metric_count++] = *metric;
    return true;
}

void store_put_result(struct store *store, const struct result_row *result)
{
    size_t at = 0;

    while (at < store->result_count && strcmp(store->results[at].name, result->name) != 0)
        at++;
    if (at == LEARNER_METRICS_MAX)
        abort();
    store->result_count += at == store->result_count;
    store->results[at] = *result;
}

uint64_t store_count_evaluations(const struct store *store)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < store->metric_count; i++)
        count += is_evaluation(&store->metrics[i]);
    return count;
}

enum status store_put_piece(struct store *store, struct slice bytes, struct error *err)
{
    struct piece_head head;

    memcpy(&head, bytes.data, sizeof head);
    if (head.position == 0) {
        store->partial_id = head.id;
        text_clear(&store->partial_bytes);
    }
    if (head.id != store->partial_id)
        return fail(err, STATUS_CORRUPT, "a piece of a checkpoint that was not begun");
    text_append(&store->partial_bytes,
                (struct slice){bytes.data + sizeof head, bytes.size - sizeof head});
    return STATUS_OK;
}

enum status store_finish(struct store *store, struct slice bytes, struct error *err)
{
    struct checkpoint head;

    memcpy(&head, bytes.data, sizeof head);
    if (head.id != store->partial_id || head.bytes != store->partial_bytes.size)
        return fail(err, STATUS_CORRUPT, "a piece is missing");
    if (store->whole.phase != 0) {
        store->older = store->whole;
        store->older_is_damaged = store->is_damaged;
        text_clear(&store->older_bytes);
        text_append(&store->older_bytes, text_slice(&store->whole_bytes));
    }
    store->whole = head;
    store->is_damaged = false;
    text_clear(&store->whole_bytes);
    text_append(&store->whole_bytes, text_slice(&store->partial_bytes));
    return STATUS_OK;
}

void store_drop(struct store *store)
{
    store->whole = store->older = (struct checkpoint){.phase = 0};
}

void store_keep(struct store *store, uint64_t id)
{
    if (store->older.phase != 0 && store->older.id == id) {
        store->whole = store->older;
        store->is_damaged = store->older_is_damaged;
        text_clear(&store->whole_bytes);
        text_append(&store->whole_bytes, text_slice(&store->older_bytes));
    }
    store->older = (struct checkpoint){.phase = 0};
}

enum status store_read_piece(void *context, const struct checkpoint *checkpoint, uint64_t position,
                             struct text *out, struct error *err)
{
    const struct store *store = context;
    const bool is_whole = store->whole.phase != 0 && store->whole.id == checkpoint->id;
    const bool is_older = store->older.phase != 0 && store->older.id == checkpoint->id;
    const struct text *bytes = is_whole ? &store->whole_bytes : &store->older_bytes;
    uint64_t offset = position * checkpoint->piece_bytes;

    if (!is_whole && !is_older)
        return fail(err, STATUS_NOT_FOUND, "the checkpoint has been replaced");
    if ((is_whole ? store->is_damaged : store->older_is_damaged) &&
        position == checkpoint_pieces(checkpoint) - 1)
        return fail(err, STATUS_CORRUPT, "a piece is damaged");
    text_append(out,
                (struct slice){bytes->data + offset, checkpoint_piece_size(checkpoint, position)});
    return STATUS_OK;
}

/* In the last bytes is the learner's part, which it looks at. */
static void change(struct text *bytes, uint64_t where)
{
    bytes->data[bytes->size - 1 - where % 100] ^= 0x10;
}

bool store_damage(struct store *store, uint64_t where, bool shows_early)
{
    const bool both = store->older.phase != 0 && where % 4 == 0;

    if (store->whole.phase == 0)
        return false;
    store->was_damaged = true;
    if (shows_early) {
        store->is_damaged = true;
        store->older_is_damaged |= both;
        return true;
    }
    change(&store->whole_bytes, where);
    if (both)
        change(&store->older_bytes, where);
    return true;
}
