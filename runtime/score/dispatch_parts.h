/*
 * dispatch_parts.h - what dispatch.c, dispatch_leases.c and dispatch_record.c share.
 */
#pragma once

#include "runtime/score/dispatch.h"

/* dispatch.c */
void dispatch_finish(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
