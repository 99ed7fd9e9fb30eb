#include "runtime/role/outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void outbox_init(struct outbox *outbox)
{
    *outbox = (struct outbox){.entries = NULL};
    text_init(&outbox->bytes, OUTBOX_BYTES_MAX);
}

void outbox_deinit(struct outbox *outbox)
{
    free(outbox->entries);
    text_deinit(&outbox->bytes);
    *outbox = (struct outbox){.entries = NULL};
}

void outbox_clear(struct outbox *outbox)
{
    outbox->count = 0;
    text_clear(&outbox->bytes);
}

static struct outbox_entry *add_entry(struct outbox *outbox, enum outbox_kind kind)
{
    if (outbox->count == outbox->capacity) {
        size_t capacity = outbox->capacity ? 2 * outbox->capacity : 16;
        struct outbox_entry *grown = realloc(outbox->entries, capacity * sizeof *grown);

        if (!grown) {
            outbox->failed = true;
            return &outbox->nowhere;
        }
        outbox->entries = grown;
        outbox->capacity = capacity;
    }
    outbox->entries[outbox->count] =
        (struct outbox_entry){.kind = kind, .offset = outbox->bytes.size};
    return &outbox->entries[outbox->count++];
}

void outbox_send(struct outbox *outbox, peer_id peer, const struct message *message)
{
    struct outbox_entry *entry;

    if (peer == PEER_NONE)
        return;
    entry = add_entry(outbox, OUTBOX_SEND);
    entry->peer = peer;
    if (message_write(message, &outbox->bytes, NULL) != STATUS_OK)
        outbox->failed = true;
    entry->size = outbox->bytes.size - entry->offset;
}

void outbox_send_again(struct outbox *outbox, peer_id peer)
{
    struct outbox_entry again, *entry;

    if (outbox->failed)
        return;
    again = outbox->entries[outbox->count - 1];
    again.peer = peer;
    entry = add_entry(outbox, OUTBOX_SEND);
    *entry = again;
}

void outbox_put(struct outbox *outbox, enum outbox_kind kind, const void *bytes, size_t size)
{
    struct outbox_entry *entry = add_entry(outbox, kind);

    text_append(&outbox->bytes, (struct slice){bytes, size});
    if (outbox->bytes.failed)
        outbox->failed = true;
    entry->size = size;
}

void outbox_put_event(struct outbox *outbox, double at_seconds, const char *role, int64_t index,
                      const char *event, const char *format, va_list arguments)
{
    struct event_row row;

    memset(&row, 0, sizeof row);
    row.at_seconds = at_seconds;
    row.role = role;
    row.event = event;
    row.index = index;
    vsnprintf(row.detail, sizeof row.detail, format, arguments);
    outbox_put(outbox, OUTBOX_EVENT, &row, sizeof row);
}

static void put_two(struct outbox *outbox, enum outbox_kind kind, struct slice head,
                    struct slice bytes)
{
    outbox_put(outbox, kind, head.data, head.size);
    text_append(&outbox->bytes, bytes);
    if (outbox->bytes.failed)
        outbox->failed = true;
    else if (outbox->count > 0)
        outbox->entries[outbox->count - 1].size += bytes.size;
}

void outbox_put_piece(struct outbox *outbox, uint64_t id, uint64_t position, struct slice bytes)
{
    struct piece_head head = {id, position};

    put_two(outbox, OUTBOX_PIECE, (struct slice){(const char *)&head, sizeof head}, bytes);
}

void outbox_put_rows(struct outbox *outbox, uint64_t first, struct slice rows)
{
    struct rows_head head = {first};

    put_two(outbox, OUTBOX_MODEL_ROWS, (struct slice){(const char *)&head, sizeof head}, rows);
}

void outbox_put_shard(struct outbox *outbox, const struct shard_head *head, struct slice results)
{
    put_two(outbox, OUTBOX_SHARD, (struct slice){(const char *)head, sizeof *head}, results);
}

void outbox_connect(struct outbox *outbox, peer_id peer, struct slice address)
{
    outbox_put(outbox, OUTBOX_CONNECT, address.data, address.size);
    if (outbox->count > 0)
        outbox->entries[outbox->count - 1].peer = peer;
    text_append_char(&outbox->bytes, '\0');
}

void outbox_close(struct outbox *outbox, peer_id peer)
{
    if (peer != PEER_NONE)
        add_entry(outbox, OUTBOX_CLOSE)->peer = peer;
}

void outbox_replace(struct outbox *outbox, uint32_t index, uint32_t incarnation)
{
    struct outbox_entry *entry = add_entry(outbox, OUTBOX_REPLACE);

    entry->index = index;
    entry->incarnation = incarnation;
}

void outbox_killed_by_rows(struct outbox *outbox, uint32_t index)
{
    add_entry(outbox, OUTBOX_KILLED_BY_ROWS)->index = index;
}

void outbox_lanes(struct outbox *outbox, uint32_t lanes)
{
    add_entry(outbox, OUTBOX_LANES)->index = lanes;
}

void outbox_servers(struct outbox *outbox, uint32_t least, uint32_t most, uint32_t serving)
{
    struct outbox_entry *entry = add_entry(outbox, OUTBOX_SERVERS);

    entry->servers.least = least;
    entry->servers.most = most;
    entry->servers.serving = serving;
}

void outbox_end(struct outbox *outbox, enum status status)
{
    add_entry(outbox, OUTBOX_END)->status = status;
}

struct slice outbox_bytes(const struct outbox *outbox, const struct outbox_entry *entry)
{
    if (entry->size == 0)
        return (struct slice){"", 0};
    return (struct slice){outbox->bytes.data + entry->offset, entry->size};
}
