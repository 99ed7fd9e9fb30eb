/*
 * pod_pool_next.h - the next thing to do about the workers' pods.
 */
#pragma once

#include "k8s/controller/pod_pool.h"

/* The next request to make; its answer goes to pod_pool_on_answer. *due_ms: when to call again at
 * the latest; INT64_MAX: when something has happened. */
struct pod_pool_step pod_pool_next(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms);

/*
 * How a step went. For CREATE, an object that was there already and is ours
 * (api_may_adopt) is OK; one that is not is BUSY. For DELETE, NOT_FOUND and BUSY
 * (another uid) are as good as OK. retry_after_ms: -1 where none was given.
 */
void pod_pool_on_answer(struct pod_pool *pool, int64_t now_ms, const struct pod_pool_step *step,
                        enum status status, int64_t retry_after_ms, const struct error *err);

/* Pods that are asked for, pending, or run. */
uint32_t pod_pool_staying(const struct pod_pool *pool);
uint32_t pod_pool_running(const struct pod_pool *pool);
/* No pod is known, and none is being created. */
bool pod_pool_is_empty(const struct pod_pool *pool);
/* False: all wanted workers run. Otherwise the reason, for the user's session. */
bool pod_pool_problem(const struct pod_pool *pool, struct error *problem);
enum pod_pool_problem_kind pod_pool_problem_kind(const struct pod_pool *pool);
