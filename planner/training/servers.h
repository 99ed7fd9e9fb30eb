/*
 * servers.h - job.strategy and what belongs to it: weights that lie on parameter servers.
 *
 *     job.strategy    job.ps      spec.servers
 *     'allreduce'     -           0
 *     'auto'          -           0, or 2 where the model exceeds a worker's memory
 *     'auto'          n           n
 *     'ps'            -           2
 *     'ps'            n           n
 */
#pragma once

#include "planner/plan/explanation.h"
#include "planner/plan/planning.h"

/* plan->spec.servers, when the settings are in the plan. INVALID for an attribute of servers where
 * there are none. UNSUPPORTED for what does not go together with them, and for steps that are not
 * taken together without them. */
enum status servers_plan(struct planning *planning);
/* Where the statement leaves it open: servers for a model that exceeds the memory of a worker on
 * this machine, when all inputs are planned. No servers where something in the statement does not
 * go together with them. */
enum status servers_choose(struct planning *planning);
/* UNSUPPORTED of where the job runs and who reads the rows, once that is planned. */
enum status servers_check_job(const struct planning *planning);

/* Has the attribute, which the statement does not set, any meaning with or without servers? */
bool servers_use(const struct plan *plan, const struct attribute *attribute);
/* The value of an attribute that servers decide; false: they do not decide it. setting NULL: the
 * statement does not set it. */
bool servers_append_value(const struct plan *plan, const struct attribute *attribute,
                          const struct setting *setting, struct text *out);
/* Lines of EXPLAIN: where the weights lie, and what a server may take. Nothing without servers. */
void explain_servers(struct explanation *explanation);
