/*
 * looked_at_rows.h - predictions on their way to the client, which are looked at as they pass.
 *
 *     looked_at_rows_open(receiver, counting) --> rows pass --> rDestroy
 *
 * What the model has not learned of (extension/engine/score/unfamiliar_count.h) is counted; the
 * rows go on as they are. Throws where the other receiver does.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include <tcop/dest.h>

#include "extension/engine/score/unfamiliar_count.h"

/* A receiver in CurrentMemoryContext, which destroys the other one with itself. */
DestReceiver *looked_at_rows_open(DestReceiver *to, struct unfamiliar_count *counting);
