#include "runtime/ps/server/server_load.h"

void server_load_begin(struct server_load *load, int64_t now_ms)
{
    *load = (struct server_load){.since = now_ms};
}

void server_load_note(struct server_load *load, const struct row_table *table,
                      struct row_ids pulled)
{
    const uint32_t cost = 1 + table->options.width / LOAD_FLOATS;

    for (uint32_t i = 0; i < pulled.count; i++)
        load->rows[row_bucket_of(table->options.number, row_hash(pulled.ids[i]))] += cost;
}

void server_load_note_busy(struct server_load *load, int64_t us)
{
    load->busy_us += us > 0 ? (uint64_t)us : 0;
}

struct message_load server_load_message(const struct server_load *load, int64_t now_ms,
                                        uint64_t layout)
{
    return (struct message_load){.layout = layout,
                                 .ms = now_ms > load->since ? (uint64_t)(now_ms - load->since) : 0,
                                 .busy_us = load->busy_us,
                                 .rows = {(const char *)load->rows, sizeof load->rows}};
}
