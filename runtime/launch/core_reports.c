#include "runtime/launch/core_reports.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/launch/job_lock.h"
#include "runtime/share/share_report.h"

#define CORE 1000 /* millis */

bool core_reports_folder(const char *job_folder, char path[PATH_MAX])
{
    const char *slash = strrchr(job_folder, '/');
    char host[65] = "";

    return slash && slash != job_folder && gethostname(host, sizeof host - 1) == 0 &&
           snprintf(path, PATH_MAX, "%.*s/.cores-%s", (int)(slash - job_folder), job_folder, host) <
               PATH_MAX;
}

bool core_report_read(int folder, const char *name, struct share_job *job)
{
    char bytes[SHARE_REPORT_BYTES_MAX];
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct error err;
    ssize_t size;

    if (file < 0)
        return false;
    size = read(file, bytes, sizeof bytes);
    close(file);
    if (size > 0 && share_report_read((struct slice){bytes, (size_t)size}, job, &err) == STATUS_OK)
        return true;
    log_debug("the report of job %s cannot be read", name);
    return false;
}

static uint32_t count_reports(DIR *folder)
{
    uint32_t count = 0;
    struct dirent *entry;

    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    return count;
}

bool core_reports_standing(const char *job_folder, struct core_standing *standing)
{
    const char *name = strrchr(job_folder, '/');
    char path[PATH_MAX];
    struct share_job own;
    bool is_told;
    DIR *folder;

    folder = core_reports_folder(job_folder, path) ? opendir(path) : NULL;
    if (!folder)
        return false;
    is_told = core_report_read(dirfd(folder), name + 1, &own) && own.pinned == 0;
    if (is_told)
        *standing =
            (struct core_standing){.has = (uint32_t)(own.has * own.worker.millis / CORE),
                                   .wanted = (uint32_t)(own.most * own.worker.millis / CORE),
                                   .others = count_reports(folder) - 1};
    closedir(folder);
    return is_told;
}

void core_reports_sweep(const char *jobs)
{
    char job[PATH_MAX], path[PATH_MAX];
    struct dirent *entry;
    DIR *folder;

    if (snprintf(job, sizeof job, "%s/0", jobs) >= (int)sizeof job ||
        !core_reports_folder(job, path))
        return;
    folder = opendir(path);
    while (folder && (entry = readdir(folder)))
        if (snprintf(job, sizeof job, "%s/%s", jobs, entry->d_name) < (int)sizeof job &&
            !job_is_running(job))
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    (void)rmdir(path);
}
