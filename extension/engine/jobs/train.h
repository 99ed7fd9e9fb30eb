/*
 * train.h - SELECT ... TO TRAIN: rows into a job's folder, processes over them, and what they leave
 * in job.db into the user's database.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "parser/statement.h"
#include "planner/plan/plan.h"

/* The plan knows a sample of the rows; when all have been read the statement is planned again. */
struct train_request {
    const struct plan *plan;
    const struct statement *statement;
    struct slice text; /* the text that the statement's positions refer to */
};
/* The statement's rows: train_rows.h; of a job that goes on without the session its number
 * alone. */
enum status train_run(const struct host *host, const struct train_request *train,
                      struct arena *arena, const struct sink *sink, struct error *err);
