#include "runtime/launch/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int direct(posix_spawn_file_actions_t *actions, int from, int to, int flags)
{
    if (from < 0)
        return posix_spawn_file_actions_addopen(actions, to, "/dev/null", flags, 0);
    return posix_spawn_file_actions_adddup2(actions, from, to);
}

static int prepare(const struct spawn *spawn, int log, posix_spawn_file_actions_t *actions,
                   posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    int failed;

    sigemptyset(&none);
    sigfillset(&all);
    failed = direct(actions, spawn->in, 0, O_RDONLY);
    failed = failed ? failed : direct(actions, spawn->out, 1, O_WRONLY);
    failed = failed ? failed : direct(actions, log, 2, O_WRONLY);
    failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, 3);
    failed = failed ? failed : posix_spawnattr_setsigmask(attributes, &none);
    failed = failed ? failed : posix_spawnattr_setsigdefault(attributes, &all);
    failed = failed ? failed : posix_spawnattr_setpgroup(attributes, 0);
    return failed ? failed
                  : posix_spawnattr_setflags(attributes,
                                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                 (spawn->leads_group ? POSIX_SPAWN_SETPGROUP : 0));
}

/* A descriptor that already is 0, 1 or 2 would be overwritten by the dup2 of
 * another before its own turn. */
static int lifted(int fd)
{
    return fd >= 0 && fd <= 2 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : fd;
}

static int call_posix_spawn(const struct spawn *spawn, pid_t *pid,
                            const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes)
{
    char *const *environment = spawn->environment ? spawn->environment : environ;

    return (spawn->is_in_path ? posix_spawnp : posix_spawn)(
        pid, spawn->program, actions, attributes, spawn->arguments, environment);
}

static int spawn_logged(const struct spawn *wanted, int log, pid_t *pid)
{
    struct spawn spawn = *wanted;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    const int lifted_log = lifted(log);
    int failed;

    spawn.in = lifted(wanted->in);
    spawn.out = lifted(wanted->out);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    failed = prepare(&spawn, lifted_log, &actions, &attributes);
    if (!failed)
        failed = call_posix_spawn(&spawn, pid, &actions, &attributes);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (spawn.in != wanted->in)
        close(spawn.in);
    if (spawn.out != wanted->out)
        close(spawn.out);
    if (lifted_log != log)
        close(lifted_log);
    return failed;
}

static int open_log(const char *log)
{
    return log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
               : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

enum status spawn_process(const struct spawn *spawn, pid_t *pid, struct error *err)
{
    const int log = open_log(spawn->log);
    int failed;

    if (log < 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", spawn->log ? spawn->log : "the log");
    failed = spawn_logged(spawn, log, pid);
    close(log);
    if (failed) {
        errno = failed;
        fail_errno(err, failed == EACCES ? STATUS_PERMISSION : STATUS_IO, "cannot start %s",
                   spawn->program);
        if (failed == ENOENT)
            error_hint(err, "The program totrain trains. It must lie beside totrain.so for SQLite, "
                            "and where the setting totrain.program says for PostgreSQL.");
        return err->status;
    }
    return STATUS_OK;
}

enum status spawn_supervisor(const char *program, const char *folder, const char *log, int lifeline,
                             int events, pid_t *pid, struct error *err)
{
    char *arguments[] = {(char *)(uintptr_t)program, "supervise", (char *)(uintptr_t)folder,
                         lifeline < 0 ? "--detached" : NULL, NULL};
    const struct spawn spawn = {
        .program = program, .arguments = arguments, .in = lifeline, .out = events, .log = log};

    return spawn_process(&spawn, pid, err);
}
