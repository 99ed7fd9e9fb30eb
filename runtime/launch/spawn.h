/*
 * spawn.h - one child process, the way all of ours are started.
 *
 * An argument array, never a shell; nothing inherited but three descriptors;
 * signals as at the start of a program.
 */
#ifndef LAUNCH_SPAWN_H
#define LAUNCH_SPAWN_H

#include <sys/types.h>

#include "base/error.h"

struct spawn {
    const char *program;
    char *const *arguments; /* NULL at the end */
    int in, out, log;       /* its descriptors 0, 1, 2; -1: /dev/null */
};

enum status spawn_process(const struct spawn *spawn, pid_t *pid, struct error *err);

#endif
