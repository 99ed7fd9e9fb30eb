/*
 * engine.h - one statement of ours, from its text to its rows.
 *
 *     text --parse--> statement --plan--> plan --+--> job: spool, launch, follow, publish
 *                                                +--> scoring SQL, or rows of the catalog
 *
 * Every door (bare statement, function, CLI, notebook) calls these two, and
 * this module is the only one that knows all stages. The engine keeps nothing
 * between calls.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "parser/parser.h"

/* The result of a statement, known without running it. */
struct description {
    struct slice *columns;
    size_t count;
    /* Where the statement is nothing but a query with scoring functions
     * (PREDICT without a target that the session scores): that query. The host may stream it. */
    struct slice query;
    /* PREDICT as such a query: its plan, which has notices, in the arena; else NULL. */
    const struct plan *plan;
    struct slice select; /* the one that any other statement of ours reads; size 0: none */
};

/* `text` is the whole program, `piece` the statement's place in it: positions
 * of errors count from the text's start. NULL: the text is one statement. */
enum status engine_describe(const struct host *host, struct slice text, const struct piece *piece,
                            struct arena *arena, struct description *description,
                            struct error *err);

/* The Job that a statement would have on a cluster, found without reading a row or making anything.
 * *is_wanted: the statement would run there. struct cluster_request is that of
 * extension/engine/jobs/cluster_job.h; its texts live in the arena. */
struct cluster_request;
enum status engine_cluster_request(const struct host *host, struct slice text,
                                   const struct piece *piece, struct arena *arena,
                                   struct cluster_request *request, bool *is_wanted,
                                   struct error *err);

/* Runs it. Whatever fails, nothing is published and an old model stays. */
enum status engine_run(const struct host *host, struct slice text, const struct piece *piece,
                       const struct sink *sink, struct error *err);
