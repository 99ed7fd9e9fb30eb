/*
 * definitions.h - DEFINE MODEL, DROP DEFINITION, SHOW DEFINITIONS, SHOW DEFINITION name.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* definition, version */
enum status define_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err);
/* definition, state: 'dropped', or with IF EXISTS 'not there' */
enum status drop_definition_run(const struct host *host, const struct plan *plan,
                                const struct sink *sink, struct error *err);
/* name, arguments, version, created_at, digest: first those that come with ToTrain, which have no
 * version and no time */
#define SHOW_DEFINITIONS_COLUMNS 5
enum status show_definitions_run(const struct host *host, const struct sink *sink,
                                 struct error *err);
/* SHOW ATTRIBUTES FOR zoo/name: name, type, default, help of its arguments */
enum status definition_arguments_run(const struct definition *definition, const struct sink *sink,
                                     struct error *err);
/* name, value */
enum status show_definition_run(const struct plan *plan, const struct sink *sink,
                                struct error *err);
