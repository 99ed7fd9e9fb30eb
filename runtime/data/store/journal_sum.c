#include "runtime/data/store/journal_sum.h"

#include "base/sums/blank_sum.h"
#include "base/sums/hash.h"

static bool has_sum(enum journal_kind kind)
{
    return kind == JOURNAL_INPUT || kind == JOURNAL_RESULT || kind == JOURNAL_MODEL ||
           kind == JOURNAL_SHARD;
}

static uint64_t sum_of(struct slice body, const struct slice *data)
{
    return bytes_hash(body.data, body.size, data ? 1 + bytes_hash(data->data, data->size, 0) : 0);
}

void journal_sum_append(struct text *bytes, size_t body, enum journal_kind kind,
                        const struct slice *data)
{
    if (has_sum(kind) && !bytes->failed)
        blank_sum_append(bytes,
                         sum_of((struct slice){bytes->data + body, bytes->size - body}, data));
}

enum status journal_sum_check(const struct journal_entry *entry, struct error *err)
{
    struct slice body = entry->body;
    enum blank_sum found;
    uint64_t sum;

    if (!has_sum(entry->kind))
        return STATUS_OK;
    found = blank_sum_take(&body, &sum);
    if (found == BLANK_SUM_NONE ||
        (found == BLANK_SUM_FOUND && sum == sum_of(body, entry->has_data ? &entry->data : NULL)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT,
                "the %s in the job's journal is damaged: it is not what was "
                "written",
                journal_kind_name(entry->kind));
}
