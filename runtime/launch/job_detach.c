#include "runtime/launch/job_detach.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_process.h"
#include "runtime/launch/spawn.h"

#define FIRST_WORD_SECONDS 30 /* on a machine with much else to do */

static enum status hear_first_word(struct job_process *process, struct error *err)
{
    const time_t deadline = time(NULL) + FIRST_WORD_SECONDS;
    struct job_event event;
    bool has_event = false;

    while (!has_event && time(NULL) < deadline)
        TRY(job_next_event(process, 1000, &event, &has_event, err));
    if (!has_event) {
        fail(err, STATUS_FAILED, "the job's supervisor is silent");
        return error_hint(err, "Its log is %.400s.", process->log);
    }
    if (event.kind != JOB_FAILED)
        return STATUS_OK;
    *err = event.error;
    err->position = -1;
    return err->status;
}

enum status job_detach(const char *program, const struct job_folder *folder, struct error *err)
{
    struct job_process process = {.pid = -1, .lifeline = -1, .events = -1};
    enum status status;
    int events[2];

    TRY(job_folder_file(folder, "log", process.log, err));
    if (pipe2(events, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    text_init(&process.pending, 2 * LAUNCH_EVENT_BYTES_MAX);
    process.events = events[0];
    status = spawn_supervisor(program, folder->path, process.log, -1, events[1], &process.pid, err);
    close(events[1]);
    if (status == STATUS_OK)
        status = hear_first_word(&process, err);
    job_close(&process);
    return status;
}
