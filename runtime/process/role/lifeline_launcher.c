#include "runtime/process/role/lifeline_launcher.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/process/role/role_process.h"

#define ALIVE_MS 1000

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    char line[64];
    int size;

    va_start(arguments, format);
    size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    role_say(line, (size_t)size);
}

/* ----- what the supervisor is told ----- */

static void replace(void *self, uint32_t index, uint32_t incarnation)
{
    (void)self;
    (void)incarnation; /* it knows the process that it started last */
    say("replace %" PRIu32 "\n", index);
}

static void note_worker(void *self, uint32_t index, uint32_t incarnation, bool is_here)
{
    (void)self;
    (void)incarnation;
    say("worker %" PRIu32 " %s\n", index, is_here ? "here" : "gone");
}

static void killed_by_rows(void *self, uint32_t index)
{
    (void)self;
    say("killed_by_rows %" PRIu32 "\n", index);
}

static void limit_lanes(void *self, uint32_t lanes)
{
    (void)self;
    say("lanes %" PRIu32 "\n", lanes);
}

static void limit_useful(void *self, const struct useful_workers *useful)
{
    (void)self;
    say("useful %" PRIu32 "\n", useful->workers);
}

static void run_servers(void *self, uint32_t least, uint32_t most, uint32_t serving)
{
    (void)self;
    (void)serving;
    say("servers %" PRIu32 " %" PRIu32 "\n", least, most);
}

static void servers_done(void *self)
{
    run_servers(self, 0, 0, 0);
}

static void on_event(void *self, const struct job_event *event, struct slice line)
{
    (void)self;
    (void)event;
    role_say(line.data, line.size);
}

static void leave(void *self)
{
    struct lifeline_launcher *lifeline = self;

    role_say_leaving();
    lifeline->owner.leave(lifeline->owner.context);
}

static void on_tick(void *self, int64_t now_ms)
{
    struct lifeline_launcher *lifeline = self;

    if (now_ms - lifeline->alive_at < ALIVE_MS)
        return;
    lifeline->alive_at = now_ms;
    say("alive\n");
}

/* In the voucher's thread: a line this short is sent whole. */
static void say_storing(void *context)
{
    (void)context;
    say("alive\n");
}

/* ----- what it asks ----- */

/* VERSION NUMBER */
static void take_wanted(const struct launcher_owner *owner,
                        void (*want)(void *context, uint64_t version, uint32_t number),
                        struct slice numbers)
{
    const char *space = memchr(numbers.data, ' ', numbers.size);
    size_t length = space ? (size_t)(space - numbers.data) : numbers.size;
    int64_t version, number;

    if (space && slice_to_integer((struct slice){numbers.data, length}, &version) &&
        slice_to_integer((struct slice){space + 1, numbers.size - length - 1}, &number) &&
        number >= 0 && number <= UINT32_MAX)
        want(owner->context, (uint64_t)version, (uint32_t)number);
}

static void on_line(void *context, struct slice line)
{
    const struct lifeline_launcher *lifeline = context;
    const struct launcher_owner *owner = &lifeline->owner;
    struct error why;

    if (slice_is(line, "cancel")) {
        owner->cancel(owner->context);
    } else if (line.size > 7 && memcmp(line.data, "wanted ", 7) == 0) {
        take_wanted(owner, owner->want, (struct slice){line.data + 7, line.size - 7});
    } else if (line.size > 8 && memcmp(line.data, "servers ", 8) == 0) {
        take_wanted(owner, owner->want_servers, (struct slice){line.data + 8, line.size - 8});
    } else if (line.size > 5 && memcmp(line.data, "fail ", 5) == 0) {
        error_clear(&why);
        fail(&why, STATUS_FAILED, "%.*s", (int)line.size - 5, line.data + 5);
        owner->fail(owner->context, &why);
    }
}

/* ----- life ----- */

static enum status start_lifeline(void *self, struct loop *loop, const struct job *job,
                                  const struct launcher_owner *owner, struct error *err)
{
    struct lifeline_launcher *lifeline = self;
    (void)job;

    lifeline->owner = *owner;
    TRY(role_watch_lifeline(loop, on_line, lifeline, err));
    return store_voucher_start(owner->store_call, ALIVE_MS, say_storing, NULL, &lifeline->voucher,
                               err);
}

static void stop(void *self)
{
    struct lifeline_launcher *lifeline = self;

    store_voucher_stop(lifeline->voucher);
    lifeline->voucher = NULL;
}

void lifeline_launcher_init(struct lifeline_launcher *lifeline)
{
    *lifeline = (struct lifeline_launcher){.voucher = NULL};
    lifeline->launcher = (struct launcher){.self = lifeline,
                                           .is_supervised = true,
                                           .start = start_lifeline,
                                           .on_tick = on_tick,
                                           .stop = stop,
                                           .workers = {.self = lifeline,
                                                       .replace = replace,
                                                       .note_worker = note_worker,
                                                       .killed_by_rows = killed_by_rows,
                                                       .limit_lanes = limit_lanes,
                                                       .limit_useful = limit_useful,
                                                       .servers_done = servers_done,
                                                       .run_servers = run_servers},
                                           .on_event = on_event,
                                           .leave = leave};
}
