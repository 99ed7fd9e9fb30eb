/*
 * model_desk.h - what the console shows about models: lists, pictures and reports, by statements in
 * its session. For one thread at a time.
 */
#pragma once

#include "console/desk.h"
#include "extension/engine/host/host.h"

/* Answers MODELS, MODEL, PICTURE and REPORT: reply, code and type of the task. */
void model_desk_work(const struct host *host, struct desk_task *task);
/* An answer that is an error: {"error":...,"hint":...}. */
void desk_task_fail(struct desk_task *task, const struct error *err);
