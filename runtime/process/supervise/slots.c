#include "runtime/process/supervise/slots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/process/log.h"
#include "runtime/launch/control.h"
#include "runtime/loop/loop_watch.h"

struct slots {
    struct loop_lines *lines; /* NULL: the broker is gone */
    void (*on_slots)(void *context, uint32_t n);
    void *context;
    uint32_t wanted, used; /* the numbers last sent */
};

static void on_line(void *context, struct slice line)
{
    struct slots *slots = context;
    static const char word[] = "slots ";
    const size_t skip = sizeof word - 1;
    int64_t n;

    if (line.size > skip && memcmp(line.data, word, skip) == 0 &&
        slice_to_integer((struct slice){line.data + skip, line.size - skip}, &n) && n >= 0 &&
        n < UINT32_MAX)
        slots->on_slots(slots->context, (uint32_t)n);
    else
        log_warning("the slot broker says %.*s", (int)(line.size < 80 ? line.size : 80), line.data);
}

static void on_end(void *context)
{
    struct slots *slots = context;

    slots->lines = NULL;
    log_warning("the slot broker is gone");
}

static void say(struct slots *slots, const char *line)
{
    if (slots->lines)
        (void)send(loop_lines_fd(slots->lines), line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum status slots_open(struct loop *loop, uint64_t job, void (*on_slots)(void *context, uint32_t n),
                       void *context, struct slots **out, struct error *err)
{
    const char *path = getenv("TOTRAIN_SLOTS");
    struct line_reader reader = {.on_line = on_line, .on_end = on_end};
    struct slots *slots;
    char line[64];
    int fd;

    *out = NULL;
    if (!path || !*path)
        return STATUS_OK;
    fd = control_connect_path(path);
    if (fd < 0) {
        fail_errno(err, STATUS_CONNECTION, "cannot reach the slot broker at %s", path);
        return error_hint(err, "TOTRAIN_SLOTS is its Unix socket; unset it to run without one.");
    }
    slots = calloc(1, sizeof *slots);
    if (!slots)
        return fail_no_memory(err);
    *slots = (struct slots){.on_slots = on_slots, .context = context, .used = UINT32_MAX};
    reader.context = slots;
    *out = slots;
    TRY(loop_read_lines(loop, fd, reader, &slots->lines, err));
    snprintf(line, sizeof line, "job %" PRIu64 "\n", job);
    say(slots, line);
    return STATUS_OK;
}

void slots_say(struct slots *slots, uint32_t wanted, uint32_t used)
{
    char line[64];

    if (!slots || (slots->wanted == wanted && slots->used == used))
        return;
    slots->wanted = wanted;
    slots->used = used;
    snprintf(line, sizeof line, "slots %" PRIu32 " %" PRIu32 "\n", wanted, used);
    say(slots, line);
}

void slots_close(struct slots *slots)
{
    if (slots && slots->lines)
        loop_lines_close(slots->lines);
    free(slots);
}
