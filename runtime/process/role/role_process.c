#include "runtime/process/role/role_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/net/tls.h"
#include "runtime/process/role/job_in_tables.h"

#define LIFELINE           0
#define DESCRIPTORS_WANTED 8192
#define LEAVING_LINE       "leaving\n"

void role_say(const char *text, size_t size)
{
    /* A supervisor that is gone closes the lifeline: that is what ends us. */
    (void)send(LIFELINE, text, size, MSG_NOSIGNAL);
}

void role_say_leaving(void)
{
    role_say(LEAVING_LINE, sizeof LEAVING_LINE - 1);
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

void role_end_by_sigterm(void)
{
    signal(SIGTERM, end_at_once);
}

bool role_has_lifeline(void)
{
    struct stat stat;

    return fstat(LIFELINE, &stat) != 0 || !S_ISCHR(stat.st_mode) || stat.st_rdev != makedev(1, 3);
}

struct lifeline {
    struct loop *loop;
    void (*on_line)(void *context, struct slice line);
    void *context;
};

static void on_lifeline_line(void *context, struct slice line)
{
    const struct lifeline *lifeline = context;

    if (lifeline->on_line)
        lifeline->on_line(lifeline->context, line);
}

static void on_lifeline_end(void *context)
{
    const struct lifeline *lifeline = context;
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_CONNECTION, "the lifeline is closed");
    loop_stop(lifeline->loop, STATUS_CONNECTION, &err);
}

enum status role_watch_lifeline(struct loop *loop,
                                void (*on_line)(void *context, struct slice line), void *context,
                                struct error *err)
{
    static struct lifeline lifeline; /* a process has one */
    struct line_reader reader = {
        .context = &lifeline, .on_line = on_lifeline_line, .on_end = on_lifeline_end};

    lifeline = (struct lifeline){loop, on_line, context};
    return loop_read_lines(loop, LIFELINE, reader, NULL, err);
}

/* The loop's end comes at once; what a peer would still have to read does not
 * matter to a process that lost its supervisor. */
int role_finish(enum status status, const struct error *err)
{
    if (status != STATUS_OK)
        log_warning("ends: %s", err->message[0] ? err->message : status_text(status));
    return status_exit_code(status);
}

void role_raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS_WANTED)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS_WANTED ? limit.rlim_max : DESCRIPTORS_WANTED;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

enum status role_open_network(const struct role_options *options, const struct identity *self,
                              struct loop_network *network, struct error *err)
{
    char expected[IDENTITY_TEXT_MAX], found[IDENTITY_TEXT_MAX];

    *network = (struct loop_network){.master = options->master};
    if (!options->tls)
        return STATUS_OK;
    TRY(tls_open(options->tls, &network->tls, err));
    if (identity_equal(tls_identity(network->tls), self))
        return STATUS_OK;
    identity_describe(self, expected);
    identity_describe(tls_identity(network->tls), found);
    return fail(err, STATUS_PERMISSION, "the certificate in %s is of %s, expected that of %s",
                options->tls, found, expected);
}

enum status role_open_job(const struct role_options *options, struct job *job,
                          struct pgstore **tables, struct error *err)
{
    *tables = NULL;
    if (options->database)
        TRY(job_open_tables(options, job, tables, err));
    else
        TRY(job_open(options->folder, job, err));
    job->cpus = options->cpus;
    return STATUS_OK;
}
