/*
 * The log of a job's processes, read in parts of whole lines.
 */
#include "extension/engine/jobs/job_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "k8s/job/cluster_folder.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"

static enum status fail_without_log(const struct job_folder *folder, struct error *err)
{
    if (cluster_folder_is(folder->path))
        return fail(err, STATUS_NOT_FOUND,
                    "job %" PRId64 " has no log here: its processes run on a cluster", folder->id),
               error_hint(err, "`kubectl logs` shows the logs of its pods. The job's events are "
                               "rows of a table here.");
    return fail(err, STATUS_NOT_FOUND, "job %" PRId64 " has no log: none of its processes ran",
                folder->id);
}

/* Bytes of `read` that are whole lines; all of them if nothing can complete the last one. */
static size_t whole_lines(struct slice read, bool is_final)
{
    size_t size = read.size;

    while (!is_final && size > 0 && read.data[size - 1] != '\n')
        size--;
    return size;
}

static enum status append_part(FILE *log, const struct job_log_part *part, bool is_running,
                               struct text *out, uint64_t *next, struct error *err)
{
    char *bytes = part->from <= INT64_MAX ? malloc(part->most) : NULL;
    size_t read, size;

    *next = part->from;
    if (!bytes)
        return fail_no_memory(err);
    read = fseeko(log, (off_t)part->from, SEEK_SET) == 0 ? fread(bytes, 1, part->most, log) : 0;
    size = whole_lines((struct slice){bytes, read}, !is_running && read < part->most);
    if (size == 0 && read == part->most)
        size = read; /* one line that is longer than the part */
    text_append(out, (struct slice){bytes, size});
    free(bytes);
    if (ferror(log))
        return fail_errno(err, STATUS_IO, "cannot read the log of job %" PRId64, part->job);
    *next += size;
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status job_log_read(const char *state, const struct job_log_part *part, struct text *out,
                         uint64_t *next, struct error *err)
{
    struct job_folder folder;
    char path[PATH_MAX];
    enum status status;
    bool is_running;
    FILE *log;

    TRY(job_folder_find(state, part->job, &folder, err));
    TRY(job_folder_file(&folder, "log", path, err));
    is_running = job_is_running(folder.path); /* before its last lines are read */
    log = fopen(path, "re");
    if (!log && errno == ENOENT)
        return fail_without_log(&folder, err);
    if (!log)
        return fail_errno(err, STATUS_IO, "cannot read the log of job %" PRId64, part->job);
    status = append_part(log, part, is_running, out, next, err);
    fclose(log);
    return status;
}
