/*
 * spawn.h - one child process, the way all of ours are started.
 *
 * An argument array, never a shell; nothing inherited but three descriptors;
 * signals as at the start of a program.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"

struct spawn {
    const char *program;
    char *const *arguments;   /* NULL at the end */
    char *const *environment; /* the same; NULL: this process's own */
    bool is_in_path;          /* a program without a slash is looked for in PATH */
    bool leads_group;         /* a signal to -pid then ends what it has started, too */
    int in, out;              /* its descriptors 0 and 1; -1: /dev/null */
    const char *log;          /* the file that its descriptor 2 appends to; NULL: ours */
};

enum status spawn_process(const struct spawn *spawn, pid_t *pid, struct error *err);

/* `program supervise FOLDER`. Lifeline -1: detached, what it does not hold cannot
 * end it. */
enum status spawn_supervisor(const char *program, const char *folder, const char *log, int lifeline,
                             int events, pid_t *pid, struct error *err);
