#include "runtime/role/search.h"

void search_begin(struct search *search, int64_t now_ms)
{
    if (search->is_on)
        return;
    search->is_on = true;
    search->since = now_ms;
}

void search_end(struct search *search)
{
    search->is_on = false;
}

bool search_is_over(struct search *search, int64_t now_ms, int64_t connected_at)
{
    if (search->is_on && connected_at >= 0 && now_ms - connected_at >= SEARCH_FOUND_MS)
        search_end(search);
    return search->is_on && search->limit_ms > 0 && now_ms - search->since >= search->limit_ms;
}
