/*
 * roster_next.h - the next thing to do about the workers' pods.
 */
#ifndef K8S_CONTROLLER_ROSTER_NEXT_H
#define K8S_CONTROLLER_ROSTER_NEXT_H

#include "k8s/controller/roster.h"

/* The next request to make; its answer goes to roster_on_answer. *due_ms: when to call again at the
 * latest; INT64_MAX: when something has happened. */
struct roster_step roster_next(struct roster *roster, int64_t now_ms, int64_t *due_ms);

/*
 * How a step went. For CREATE, an object that was there already and is ours
 * (api_may_adopt) is OK; one that is not is BUSY. For DELETE, NOT_FOUND and BUSY
 * (another uid) are as good as OK. retry_after_ms: -1 where none was given.
 */
void roster_on_answer(struct roster *roster, int64_t now_ms, const struct roster_step *step,
                      enum status status, int64_t retry_after_ms, const struct error *err);

uint32_t roster_running(const struct roster *roster);
/* No pod is known, and none is being created. */
bool roster_is_empty(const struct roster *roster);
/* False: all wanted workers run. Otherwise the reason, for the user's session. */
bool roster_problem(const struct roster *roster, struct error *problem);
enum roster_problem_kind roster_problem_kind(const struct roster *roster);

#endif
