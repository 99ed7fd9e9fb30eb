/*
 * card_collect.h - the sections of a model card, from a database.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "report/card.h"

/* `select`: the rows that the model is measured on; size 0: those of the statement that trained it.
 * To be freed by card_deinit, also after a failure. CANCELLED after Ctrl-C. */
enum status card_collect(const struct host *host, const char *model, struct slice select,
                         enum theme theme, struct card *card, struct error *err);
