#include "runtime/role/master_link.h"

struct master_link master_link_of(const char *address, int64_t alive_ms, int64_t reconnect_ms,
                                  int64_t search_ms)
{
    return (struct master_link){.address = address,
                                .alive_ms = alive_ms,
                                .reconnect_ms = reconnect_ms,
                                .search = {.limit_ms = search_ms}};
}

void master_link_connect(struct master_link *link, int64_t now_ms, peer_id *next_peer,
                         struct outbox *outbox)
{
    link->peer = (*next_peer)++;
    link->connected_at = link->alive_at = now_ms;
    outbox_connect(outbox, link->peer, slice_of(link->address));
}

void master_link_lost(struct master_link *link, int64_t now_ms)
{
    link->peer = PEER_NONE;
    search_begin(&link->search, now_ms);
}

void master_link_found(struct master_link *link)
{
    search_end(&link->search);
}

enum master_need master_link_tick(struct master_link *link, int64_t now_ms)
{
    const bool is_connected = link->peer != PEER_NONE;

    if (search_is_over(&link->search, now_ms, is_connected ? link->connected_at : -1))
        return MASTER_GIVE_UP;
    if (!is_connected)
        return now_ms - link->connected_at >= link->reconnect_ms ? MASTER_CONNECT
                                                                 : MASTER_NEEDS_NOTHING;
    if (now_ms - link->alive_at < link->alive_ms)
        return MASTER_NEEDS_NOTHING;
    link->alive_at = now_ms;
    return MASTER_SEND_ALIVE;
}
