#include "graph/operations/windows.h"

uint32_t window_item(const struct graph_argument *sizes, uint32_t i, uint32_t otherwise)
{
    if (sizes->list_count == 0)
        return otherwise;
    return (uint32_t)sizes->list[i < sizes->list_count ? i : sizes->list_count - 1];
}

uint32_t windows_within(uint32_t size, uint32_t window, uint32_t stride)
{
    return size < window ? 0 : (size - window) / stride + 1;
}
