/*
 * stored_model.h - a model of the database, as a session may take it: whole into its own memory, up
 * to a limit, or row by row to where a job finds it.
 */
#pragma once

#include "extension/engine/host/host.h"

/* Sets how many bytes a model may take in the session: `bytes`, which the administrator or the user
 * has decided by `setting`; 0: neither has, and a quarter of the memory that there is holds. A
 * lower session.memory_max holds in any case. */
void stored_model_limit(struct host *host, uint64_t bytes, const char *setting);
/* The same of a host without settings, by TOTRAIN_MODEL_MEMORY in the environment ("512Mi"). */
void stored_model_limit_of_environment(struct host *host);

/* host_models.load, where the session has room for it; else LIMIT, before anything large is read.
 */
enum status stored_model_load(const struct host *host, struct slice schema, struct slice name,
                              struct arena *arena, struct model *model, struct error *err);

/* All rows but those that are for people, the meta row first, to a sink; the session holds one at a
 * time. *model is what the meta row says (model_read_meta), in the arena. CORRUPT where a row is
 * damaged; what is missing is seen by who reads them. STALE where the model was replaced
 * meanwhile. */
enum status stored_model_copy(const struct host *host, struct slice schema, struct slice name,
                              model_row_sink *sink, void *context, struct arena *arena,
                              struct model *model, struct error *err);
