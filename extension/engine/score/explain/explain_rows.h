/*
 * explain_rows.h - the rows of SELECT ... TO EXPLAIN model, as the model takes them.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/score/explain/bucket_words.h"
#include "planner/plan/plan.h"
#include "scoring/held_rows.h"

/* All rows of the SELECT go to `held`, which has the model and is not sorted, and their words to
 * `words` (NULL: nobody asks for them), of the model's transform. A NOTICE where there are more
 * rows than are held. */
enum status explain_rows_read(const struct host *host, const struct plan *plan, struct arena *arena,
                              const struct sink *sink, struct held_rows *held,
                              struct bucket_words *words, struct error *err);
