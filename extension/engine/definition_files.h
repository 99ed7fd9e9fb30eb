/*
 * definition_files.h - EXPORT DEFINITION name TO 'file', IMPORT DEFINITION name FROM 'file'.
 *
 * A file has the statement DEFINE MODEL, or is a network of ONNX, of which the calls are taken and
 * the weights are not.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* definition, file, bytes */
enum status export_definition_run(const struct host *host, const struct plan *plan,
                                  const struct sink *sink, struct error *err);
/* definition, version */
enum status import_definition_run(const struct host *host, const struct plan *plan,
                                  const struct sink *sink, struct error *err);
