/*
 * share_settle.h - from what the jobs have towards what they should have: free room at once, and
 * from the others only what somebody lacks.
 */
#pragma once

#include "runtime/share/share_parts.h"

/* Fills `parts` (count), by the targets. */
void sharing_settle(struct sharing *sharing, struct share_part *parts);
