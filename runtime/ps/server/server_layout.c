#include "runtime/ps/server/server_layout.h"

#include <inttypes.h>
#include <string.h>

struct bucket_set buckets_of_server(const struct server_layout *layout, uint32_t index)
{
    struct bucket_set buckets = {{0}};

    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        if (server_of_bucket(layout, b) == index)
            bucket_set_add(&buckets, b);
    return buckets;
}

void server_layout_make_map(struct server_layout *layout)
{
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        layout->servers[b] = (uint16_t)server_of_bucket(layout, b);
    layout->has_map = true;
}

struct slice server_layout_runs(const struct server_layout *layout, struct layout_runs *runs)
{
    runs->count = 0;
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE && layout->has_map; b++)
        if (b == 0 || layout->servers[b] != layout->servers[b - 1])
            runs->runs[runs->count++] = b << 16 | layout->servers[b];
    return (struct slice){(const char *)runs->runs, runs->count * sizeof *runs->runs};
}

static enum status wrong(struct error *err, const char *what)
{
    return fail(err, STATUS_PROTOCOL, "a layout of parameter servers: %s", what);
}

/* The runs fill the map; each server is in it. */
static enum status read_map(struct server_layout *layout, struct slice runs, struct error *err)
{
    const uint32_t count = (uint32_t)(runs.size / sizeof(uint32_t));
    struct bucket_set have = {{0}}; /* servers */
    uint32_t next = 0, last = BUCKETS_PER_TABLE;

    for (uint32_t r = 0; r < count; r++) {
        uint32_t run, end = BUCKETS_PER_TABLE << 16;

        memcpy(&run, runs.data + r * sizeof run, sizeof run); /* need not be aligned */
        if (r + 1 < count)
            memcpy(&end, runs.data + (r + 1) * sizeof end, sizeof end);
        if (run >> 16 != next || end >> 16 <= next || end >> 16 > BUCKETS_PER_TABLE)
            return wrong(err, "runs of buckets out of order");
        if ((run & UINT16_MAX) >= layout->serving || (run & UINT16_MAX) == last)
            return wrong(err, "a run of buckets of another server");
        last = run & UINT16_MAX;
        bucket_set_add(&have, last);
        for (; next < end >> 16; next++)
            layout->servers[next] = (uint16_t)last;
    }
    return bucket_set_count(&have) == layout->serving ? STATUS_OK
                                                      : wrong(err, "a server without buckets");
}

enum status server_layout_read(struct server_layout *layout, uint64_t id, uint32_t serving,
                               struct slice runs, struct error *err)
{
    *layout = (struct server_layout){.id = id, .serving = serving};
    if (serving < 1 || serving > BUCKETS_PER_TABLE)
        return fail(err, STATUS_PROTOCOL, "a layout of %" PRIu32 " parameter servers", serving);
    if (runs.size == 0)
        return STATUS_OK;
    if (runs.size % sizeof(uint32_t) || runs.size > BUCKETS_PER_TABLE * sizeof(uint32_t))
        return wrong(err, "more runs than buckets");
    layout->has_map = true;
    return read_map(layout, runs, err);
}

void server_layout_put(const struct server_layout *layout, struct text *out)
{
    struct layout_runs runs;

    put_u64(out, layout->id);
    put_u32(out, layout->serving);
    put_sized(out, server_layout_runs(layout, &runs));
}

enum status server_layout_take(struct byte_reader *reader, struct server_layout *layout,
                               struct error *err)
{
    const uint64_t id = read_u64(reader);
    const uint32_t serving = read_u32(reader);
    const struct slice runs = read_sized(reader, sizeof(struct layout_runs));

    return reader->failed ? wrong(err, "its bytes end too early")
                          : server_layout_read(layout, id, serving, runs, err);
}
