#include "tests/sim/links.h"

static void send(struct links *links, uint32_t link, uint32_t side, bool is_closing,
                 struct slice frame)
{
    struct link_end *end = &links->list[link].ends[side];
    const uint64_t luck = timeline_draw(links->time, 100);
    const uint64_t more = luck < 90 ? 0 : timeline_draw(links->time, luck < 98 ? 8 : 100);
    int64_t at = links->time->now + 1 + (int64_t)more;

    if (end->node == LINK_NOBODY)
        return;
    at = at < end->last_at ? end->last_at : at;
    end->last_at = at;
    links->plan(links->world, at, link, side, is_closing, frame);
}

void links_send(struct links *links, uint32_t link, uint32_t side, struct slice frame)
{
    send(links, link, side, false, frame);
}

void links_send_close(struct links *links, uint32_t link, uint32_t side)
{
    send(links, link, side, true, (struct slice){NULL, 0});
}

void links_connect(struct links *links, uint32_t from, peer_id peer, uint32_t to, peer_id to_peer)
{
    const uint32_t link = links->count;

    if (link == LINKS_MAX) {
        timeline_fail(links->time, "more than %d connections", LINKS_MAX);
        return;
    }
    links->count++;
    links->list[link] = (struct link){
        .ends = {{.node = from, .peer = peer, .is_open = true}, {.node = LINK_NOBODY}}};
    if (to == LINK_NOBODY)
        links_send_close(links, link, 0);
    else
        links->list[link].ends[1] = (struct link_end){.node = to, .peer = to_peer, .is_open = true};
}

void links_close(struct links *links, uint32_t link, uint32_t side)
{
    links->list[link].ends[side].is_open = false;
    if (links->list[link].ends[1 - side].is_open)
        links_send_close(links, link, 1 - side);
}

void links_close_all(struct links *links, uint32_t node)
{
    for (uint32_t link = 0; link < links->count; link++)
        for (uint32_t side = 0; side < 2; side++)
            if (links->list[link].ends[side].node == node && links->list[link].ends[side].is_open)
                links_close(links, link, side);
}

bool links_find(const struct links *links, uint32_t node, peer_id peer, uint32_t *link,
                uint32_t *side)
{
    for (*link = links->count; (*link)-- > 0;)
        for (*side = 0; *side < 2; ++*side)
            if (links->list[*link].ends[*side].node == node &&
                links->list[*link].ends[*side].peer == peer)
                return links->list[*link].ends[*side].is_open;
    return false;
}

bool links_cut_one(struct links *links, uint32_t tries, uint32_t *link)
{
    for (; tries > 0 && links->count > 0; tries--) {
        *link = (uint32_t)timeline_draw(links->time, links->count);
        if (!links->list[*link].ends[0].is_open || !links->list[*link].ends[1].is_open)
            continue;
        links_send_close(links, *link, 0);
        links_send_close(links, *link, 1);
        return true;
    }
    return false;
}
