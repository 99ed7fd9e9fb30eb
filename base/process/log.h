/*
 * log.h - one line a happening, on standard error.
 *
 *     2026-11-21T06:40:01.123Z worker/1 info  joined group 3 with lanes 4-7
 *
 * The supervisor points each role's standard error at the job's log file.
 * No credential and no row of the user's data is ever logged.
 */
#pragma once

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };

/* `who`: the role that writes, "master", "worker/1"; borrowed for ever. Once, at the start. */
void log_open(const char *who, enum log_level least);
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A warning into the log file of a job that is not this process's own. */
void log_append(const char *path, const char *who, const char *message);

#define log_debug(...)   log_write(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)    log_write(LOG_INFO, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_error(...)   log_write(LOG_ERROR, __VA_ARGS__)
