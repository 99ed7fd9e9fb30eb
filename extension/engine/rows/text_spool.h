/*
 * text_spool.h - texts of any size, one behind the other, in a spool of the job's folder.
 *
 * A cell of a spool is bounded, so a text lies in as many rows as it needs. Reading checks the
 * hashes of the spool's blocks first.
 */
#pragma once

#include "base/error.h"

struct spool_writer;

enum status text_spool_open(const char *path, struct spool_writer **writer, struct error *err);
/* To be closed by spool_writer_close(), or abandoned. */
enum status text_spool_put(struct spool_writer *writer, struct slice text, struct error *err);

/* Each text in its order, borrowed until `take` returns. CORRUPT for what was not written by the
 * above. */
typedef enum status text_taker(void *context, struct slice text, struct error *err);
enum status text_spool_each(const char *path, text_taker *take, void *context, struct error *err);
