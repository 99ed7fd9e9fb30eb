/*
 * exchange_run.h - EXPORT MODEL and IMPORT MODEL: models between tables and files.
 *
 * Files are the client's. Inside of a server no statement reads or writes one: UNSUPPORTED.
 */
#ifndef EXTENSION_ENGINE_EXCHANGE_RUN_H
#define EXTENSION_ENGINE_EXCHANGE_RUN_H

#include "extension/engine/host/host.h"
#include "planner/plan.h"

/* A row: model, file, bytes. */
enum status export_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err);
/* A row: model, version. A model of the name becomes an older version, as TRAIN has it. */
enum status import_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err);

#endif
