#include "extension/engine/jobs/progress.h"

#include <math.h>
#include <sys/ioctl.h>

static void append_rate(double rate, struct text *out)
{
    if (rate >= 1e6)
        text_printf(out, "  %.1fM rows/s", rate / 1e6);
    else if (rate >= 1e3)
        text_printf(out, "  %.1fk rows/s", rate / 1e3);
    else if (rate > 0)
        text_printf(out, "  %.0f rows/s", rate);
}

static void append_time(double seconds, struct text *out)
{
    unsigned long long whole;

    if (!(seconds >= 0 && seconds < 1e7)) /* unknown, or nothing that one would wait for */
        return;
    whole = (unsigned long long)seconds;
    if (whole >= 3600)
        text_printf(out, "  %llu:%02llu:%02llu left", whole / 3600, whole / 60 % 60, whole % 60);
    else
        text_printf(out, "  %llu:%02llu left", whole / 60, whole % 60);
}

/* A job that scores a table has shards for its steps, and no epochs. */
static void append_place(const struct job_event *event, struct text *out)
{
    const bool has_epochs = event->epochs > 0 || event->epoch > 0;

    if (event->epochs)
        text_printf(out, "epoch %u/%u", event->epoch, event->epochs);
    else if (has_epochs)
        text_printf(out, "epoch %u", event->epoch);
    if (event->steps)
        text_printf(out, "%s %llu/%llu",
                    has_epochs    ? "  step"
                    : event->unit ? event->unit
                                  : "shard",
                    (unsigned long long)event->step, (unsigned long long)event->steps);
}

void progress_line(const struct job_event *event, struct text *out)
{
    append_place(event, out);
    if (!isnan(event->loss))
        text_printf(out, "  loss %.4g", event->loss);
    if (!isnan(event->validation_loss))
        text_printf(out, "  validation %.4g", event->validation_loss);
    append_rate(event->rows_per_second, out);
    if (event->workers > 1)
        text_printf(out, "  %u workers", event->workers);
    append_time(event->seconds_left, out);
}

int progress_bytes_drawn(const struct text *line, int fd)
{
    const int size = (int)line->size;
    struct winsize window = {0};

    if (ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || size < window.ws_col)
        return size;
    return window.ws_col - 1;
}
