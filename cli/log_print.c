#include "cli/log_print.h"

#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runtime/launch/control.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"

#define LOOK_MS 500 /* for file systems without notifications */

/* Copies the lines added since the last call. */
static enum status copy(FILE *log, struct error *err)
{
    char bytes[65536];
    size_t size;

    clearerr(log);
    while ((size = fread(bytes, 1, sizeof bytes, log)) > 0)
        if (fwrite(bytes, 1, size, stdout) != size)
            return fail_errno(err, STATUS_IO, "cannot write the log");
    return fflush(stdout) == 0 ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot write the log");
}

/* Until a line is added or the supervisor has gone. */
static void wait_for_more(int changes, int *control, const char *folder)
{
    struct pollfd wait[2] = {{.fd = changes, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    char bytes[4096];

    if (*control < 0)
        *control = control_connect(folder);
    wait[1].fd = *control;
    if (poll(wait, 2, LOOK_MS) <= 0)
        return;
    if (wait[0].revents && read(changes, bytes, sizeof bytes) < 0)
        return;
    if (wait[1].revents) {
        close(*control);
        *control = -1;
    }
}

static enum status follow(FILE *log, const char *path, const char *folder, struct error *err)
{
    int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), control = -1;
    enum status status = STATUS_OK;
    bool is_running = true;

    if (changes >= 0)
        (void)inotify_add_watch(changes, path, IN_MODIFY);
    while (status == STATUS_OK && is_running) {
        is_running = job_is_running(folder); /* before what it has written is read */
        status = copy(log, err);
        if (status == STATUS_OK && is_running)
            wait_for_more(changes, &control, folder);
    }
    if (changes >= 0)
        close(changes);
    if (control >= 0)
        close(control);
    return status;
}

enum status log_print(int64_t id, bool follows, struct error *err)
{
    struct job_folder folder;
    char path[PATH_MAX];
    enum status status;
    FILE *log;

    TRY(job_folder_find(NULL, id, &folder, err));
    TRY(job_folder_file(&folder, "log", path, err));
    log = fopen(path, "re");
    if (!log)
        return fail_errno(err, STATUS_NOT_FOUND, "%s", path);
    fprintf(stderr, "%s\n", path);
    status = follows ? follow(log, path, folder.path, err) : copy(log, err);
    fclose(log);
    return status;
}
