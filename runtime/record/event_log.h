/*
 * event_log.h - how a job learns, as event files for TensorBoard.
 *
 *     DIR/train/events.out.tfevents.TIME.HOST.PID.N         loss; at the end each metric
 *     DIR/validation/events.out.tfevents.TIME.HOST.PID.N    loss, score; at the end each metric
 *
 * Training and validation are two runs, so that TensorBoard draws them into one
 * picture. Rows are written inside the transaction that stores them: when that
 * was committed both have them, and no older master can add one later. Each
 * master begins new files; which ones the masters before wrote stands in the
 * file `event_files` of the job's folder. What they hold is not written again, and
 * what the store has and they have not is written first.
 *
 * Reads the clock for wall_time. A failed write is reported once, and the job goes on.
 */
#pragma once

#include <limits.h>

#include "runtime/data/store/jobstore.h"
#include "runtime/record/event_file.h"
#include "runtime/role/outbox.h"

#define EVENT_TAGS_MAX 32 /* tags of one step and part; more are written, and may come again */

enum event_part { EVENT_TRAIN, EVENT_VALIDATION, EVENT_PARTS };

struct event_log {
    bool is_open;
    char list[PATH_MAX];   /* event_files */
    char folder[PATH_MAX]; /* log.tensorboard */
    struct event_run {
        int file;            /* -1: none yet */
        char path[PATH_MAX]; /* the file's path */
        uint64_t step;       /* step of the last events */
        char tags[EVENT_TAGS_MAX][EVENT_TAG_MAX + 1];
        uint32_t tag_count;  /* 0: there is no event yet */
        struct text pending; /* events that are to be written */
    } runs[EVENT_PARTS];
};

/* Finds what the masters before have written, and writes what they have not. IO;
 * the log is then closed. */
enum status event_log_open(struct event_log *log, const char *folder, struct slice directory,
                           struct jobstore *store, struct error *err);
/* The metrics and results that the master asked to store, except what is there already. IO. */
enum status event_log_put(struct event_log *log, const struct outbox *outbox, struct error *err);
void event_log_close(struct event_log *log);
