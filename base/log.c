#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char *log_who = "totrain";
static enum log_level log_least = LOG_WARNING;

void log_open(const char *who, enum log_level least)
{
    log_who = who;
    log_least = least;
}

void log_write(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"debug", "info ", "warn ", "error"};
    char line[1024];
    struct timespec now;
    struct tm utc;
    va_list arguments;
    int size, more;

    if (level < log_least)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size = (int)strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &utc);
    size += snprintf(line + size, sizeof line - (size_t)size, ".%03ldZ %s %s ",
                     now.tv_nsec / 1000000, log_who, names[level]);
    va_start(arguments, format);
    more = vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
    va_end(arguments);
    if (more > 0)
        size += more;
    if (size > (int)sizeof line - 2)
        size = (int)sizeof line - 2;
    line[size++] = '\n';
    /* One write a line, so that the lines of several roles in one file do not
     * mix. A log that cannot be written must not end a job. */
    if (write(STDERR_FILENO, line, (size_t)size) < 0)
        return;
}
