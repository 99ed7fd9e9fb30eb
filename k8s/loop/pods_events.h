/*
 * pods_events.h - a master's reports to the cluster about its job. Sent one after the other;
 * nothing waits for them, but for the final one, for a moment.
 */
#pragma once

#include "k8s/loop/pods_parts.h"
#include "runtime/launch/job_event.h"

/* The events that `kubectl describe job` shows. */
void pods_events_init(struct pods *pods);
void pods_events_scaled(struct pods *pods, enum kube_role role, uint32_t before, uint32_t now);
/* The job's part of the cluster. */
void pods_events_shared(struct pods *pods, uint32_t workers, uint32_t most);
void pods_events_moved(struct pods *pods, uint32_t before, uint32_t serving);
/* So many workers pay, with what is expected of that number. */
void pods_events_measured(struct pods *pods, const struct useful_workers *useful);
void pods_events_asked(struct pods *pods, uint32_t serving, uint32_t asked);
void pods_events_problem(struct pods *pods, int64_t now_ms, int64_t *due_ms);
void pods_events_send(struct pods *pods, int64_t now_ms, int64_t *due_ms);
void pods_events_cancel(struct pods *pods);
/* The user hears of these two, too. */
void pods_on_avoided(void *context, const char *node, const char *why);
void pods_on_unjoined(void *context, enum kube_role role, uint32_t index, uint32_t incarnation,
                      const char *node);
void pods_on_loss(void *context, const struct pod_pool_loss *loss);
/* No progress. */
void pods_events_note(struct pods *pods, const struct job_event *event);
