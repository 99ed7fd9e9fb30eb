/*
 * share_target.h - minimums and extras: what each job should have, whatever it has now.
 */
#pragma once

#include "runtime/share/share_parts.h"

/* Fills `targets`. */
void sharing_find_targets(struct sharing *sharing);
