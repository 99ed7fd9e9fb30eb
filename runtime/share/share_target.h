/*
 * share_target.h - minimums and extras: what each job should have, whatever it has now.
 */
#ifndef RUNTIME_SHARE_SHARE_TARGET_H
#define RUNTIME_SHARE_SHARE_TARGET_H

#include "runtime/share/share_parts.h"

/* Fills `targets`. */
void sharing_find_targets(struct sharing *sharing);

#endif
