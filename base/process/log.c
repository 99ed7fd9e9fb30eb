#include "base/process/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 1024

static const char *log_who = "totrain";
static enum log_level log_least = LOG_WARNING;

void log_open(const char *who, enum log_level least)
{
    log_who = who;
    log_least = least;
}

static int print_line(char line[LINE_BYTES], enum log_level level, const char *who,
                      const char *format, va_list arguments)
{
    static const char *const names[] = {"debug", "info ", "warn ", "error"};
    struct timespec now;
    struct tm utc;
    int size, more;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size = (int)strftime(line, LINE_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    size += snprintf(line + size, LINE_BYTES - (size_t)size, ".%03ldZ %s %s ",
                     now.tv_nsec / 1000000, who, names[level]);
    more = vsnprintf(line + size, LINE_BYTES - (size_t)size - 1, format, arguments);
    if (more > 0)
        size += more;
    if (size > LINE_BYTES - 2)
        size = LINE_BYTES - 2;
    line[size++] = '\n';
    return size;
}

/* One write a line, so that the lines of several roles in one file do not mix. A log that cannot be
 * written must not end a job. */
static void write_line(int file, enum log_level level, const char *who, const char *format,
                       va_list arguments)
{
    char line[LINE_BYTES];

    if (write(file, line, (size_t)print_line(line, level, who, format, arguments)) < 0)
        return;
}

void log_write(enum log_level level, const char *format, ...)
{
    va_list arguments;

    if (level < log_least)
        return;
    va_start(arguments, format);
    write_line(STDERR_FILENO, level, log_who, format, arguments);
    va_end(arguments);
}

static void warn(int file, const char *who, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_line(file, LOG_WARNING, who, format, arguments);
    va_end(arguments);
}

void log_append(const char *path, const char *who, const char *message)
{
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (file < 0)
        return;
    warn(file, who, "%s", message);
    close(file);
}
