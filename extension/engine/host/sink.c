#include "extension/engine/host/sink.h"

#include <stdio.h>

enum status sink_columns(const struct sink *sink, const struct slice *names, size_t count,
                         struct error *err)
{
    return sink->columns ? sink->columns(sink->self, names, count, err) : STATUS_OK;
}

enum status sink_row(const struct sink *sink, const struct cell *cells, size_t count,
                     struct error *err)
{
    return sink->row(sink->self, cells, count, err);
}

void sink_notice(const struct sink *sink, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    if (!sink->notice)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    sink->notice(sink->self, line);
}

void sink_progress(const struct sink *sink, const struct job_event *event)
{
    if (sink->progress)
        sink->progress(sink->self, event);
}
