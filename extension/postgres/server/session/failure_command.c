#include "extension/postgres/server/session/failure_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <miscadmin.h>
#include <pgstat.h>
#include <storage/ipc.h>
#include <storage/latch.h>
#include <storage/procsignal.h>
#include <utils/guc.h>
#include <utils/timestamp.h>

#include "base/error.h"
#include "base/text.h"
#include "extension/postgres/server/session/session.h"
#include "extension/postgres/server/session/settings.h"
#include "runtime/launch/spawn.h"

#define FAILURE_COMMAND_MS 60000

/* ----- the list ----- */

/* Takes the next "name=program" off the list; false: that is none, or the list is at its end. */
static bool next_command(struct slice *list, struct slice *name, struct slice *program)
{
    const char *comma = list->size > 0 ? memchr(list->data, ',', list->size) : NULL;
    struct slice item = {list->data, comma ? (size_t)(comma - list->data) : list->size};
    const char *equals = item.size > 0 ? memchr(item.data, '=', item.size) : NULL;

    if (!equals)
        return false;
    list->data += item.size + (comma ? 1 : 0);
    list->size -= item.size + (comma ? 1 : 0);
    *name = slice_trim((struct slice){item.data, (size_t)(equals - item.data)});
    *program = slice_trim((struct slice){equals + 1, (size_t)(item.data + item.size - equals) - 1});
    return name->size > 0 && program->size > 0 && program->data[0] == '/';
}

bool failure_command_check_list(char **value, void **extra, GucSource source)
{
    struct slice list = slice_trim(slice_of(*value ? *value : "")), name, program;
    (void)extra;
    (void)source;

    while (list.size > 0) {
        if (next_command(&list, &name, &program))
            continue;
        GUC_check_errdetail("It is a list such as \"page=/usr/local/bin/page, mail=/etc/mail\": "
                            "names and absolute paths of programs, without arguments.");
        return false;
    }
    return true;
}

/* The program of this name, in CurrentMemoryContext; NULL: the list has none. */
static char *find(const char *wanted)
{
    struct slice list = slice_trim(slice_of(settings.failure_commands)), name, program;

    while (next_command(&list, &name, &program))
        if (slice_is(name, wanted))
            return pnstrdup(program.data, program.size);
    return NULL;
}

bool failure_command_check_name(char **value, void **extra, GucSource source)
{
    char *program;
    (void)extra;

    /* The list may follow in postgresql.conf, or be changed after an ALTER ROLE ... SET. */
    if (!*value || !**value || source != PGC_S_SESSION || !settings.failure_commands)
        return true;
    program = find(*value);
    if (!program) {
        GUC_check_errdetail("totrain.failure_commands has no command of this name.");
        return false;
    }
    pfree(program);
    return true;
}

/* ----- one command ----- */

/* A pipe that has the line and its end already. */
static int open_line(const char *told)
{
    const size_t size = strlen(told);
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    if (write(ends[1], told, size) != (ssize_t)size || write(ends[1], "\n", 1) != 1) {
        close(ends[0]);
        ends[0] = -1;
    }
    close(ends[1]);
    return ends[0];
}

static bool start(char *program, int64_t job, const char *state, const char *told, pid_t *pid)
{
    char id[24], path[] = "PATH=/usr/bin:/bin";
    char *arguments[] = {program, id, pstrdup(state), NULL};
    char *environment[] = {path, NULL};
    struct spawn spawn = {.program = program,
                          .arguments = arguments,
                          .environment = environment,
                          .leads_group = true,
                          .in = open_line(told),
                          .out = -1};
    struct error err;
    enum status status;

    error_clear(&err);
    snprintf(id, sizeof id, INT64_FORMAT, job);
    status = spawn_process(&spawn, pid, &err);
    if (spawn.in >= 0)
        close(spawn.in);
    if (status != STATUS_OK)
        ereport(LOG, (errmsg("job " INT64_FORMAT ": %s", job, err.message)));
    return status == STATUS_OK;
}

/* Whether it has ended: not where it takes too long, and where the server ends. */
static bool wait_for(pid_t pid)
{
    const TimestampTz until =
        TimestampTzPlusMilliseconds(GetCurrentTimestamp(), FAILURE_COMMAND_MS);
    const int pidfd = pidfd_open(pid, 0);
    bool has_ended = false;

    while (pidfd >= 0 && !has_ended && !ProcDiePending) {
        const long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
        int found = 0;

        if (left > 0)
            found = WaitLatchOrSocket(
                MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
                pidfd, left, PG_WAIT_EXTENSION);
        if (left <= 0 || (found & WL_TIMEOUT))
            break;
        if (found & WL_LATCH_SET)
            ResetLatch(MyLatch);
        if (ProcSignalBarrierPending) /* DROP DATABASE, of any database, waits for all processes */
            ProcessProcSignalBarrier();
        has_ended = found & WL_SOCKET_READABLE;
    }
    if (pidfd >= 0)
        close(pidfd);
    return has_ended;
}

void failure_command_run(int64_t job, const char *state, const char *told)
{
    const char *wanted = settings.failure_command;
    char *program;
    bool has_ended;
    pid_t pid;
    int how = 0;

    if (!wanted || !wanted[0])
        return;
    program = find(wanted);
    if (!program) {
        ereport(LOG, (errmsg("job " INT64_FORMAT
                             ": totrain.failure_command is \"%s\", and totrain.failure_commands "
                             "has no command of this name",
                             job, wanted)));
        return;
    }
    if (!start(program, job, state, told, &pid))
        return;
    has_ended = wait_for(pid);
    if (!has_ended)
        kill(-pid, SIGKILL); /* with what a script has started */
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    if (!has_ended)
        ereport(LOG, (errmsg("job " INT64_FORMAT
                             ": %s was ended, as it had not ended after %d seconds or as the "
                             "server stops",
                             job, program, FAILURE_COMMAND_MS / 1000)));
    else if (WIFSIGNALED(how))
        ereport(LOG, (errmsg("job " INT64_FORMAT ": %s was ended by signal %d", job, program,
                             WTERMSIG(how))));
    else if (WEXITSTATUS(how) != 0)
        ereport(LOG, (errmsg("job " INT64_FORMAT ": %s failed with exit code %d", job, program,
                             WEXITSTATUS(how))));
}
