/*
 * real_calls.h - what libraries for LD_PRELOAD share that stand in the place of a program's calls.
 */
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

/* The function of that name behind this library. */
#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real) {                                                                                   \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        memcpy(&real, &found, sizeof found);                                                       \
    }

/* The third argument of open and the fourth of openat, behind `flags`. Also for files that are not
 * made: then the mode is not looked at. */
#define MODE_BEHIND(flags, mode)                                                                   \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                         \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode = va_arg(arguments, mode_t);                                                          \
        va_end(arguments);                                                                         \
    }

/* With files of more than 2 GiB, as all are here. */
int open64(const char *path, int flags, ...)
{
    MODE_BEHIND(flags, mode)
    return open(path, flags, mode);
}
