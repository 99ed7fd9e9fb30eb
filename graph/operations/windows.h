/*
 * windows.h - windows that go over an axis, of convolutions and of pools.
 */
#pragma once

#include "graph/graph.h"

/* The item of a list of sizes that is for axis i; the last item is for all axes behind it.
 * `otherwise`: the list is empty. */
uint32_t window_item(const struct graph_argument *sizes, uint32_t i, uint32_t otherwise);
/* How many windows lie within an axis of this size. */
uint32_t windows_within(uint32_t size, uint32_t window, uint32_t stride);
