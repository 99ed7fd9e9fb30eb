#include "runtime/launch/job_rows.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".spool"

static bool is_wanted(const char *name, const char *also)
{
    const size_t size = strlen(name), end = sizeof SUFFIX - 1;

    return strcmp(name, also) == 0 || (size > end && strcmp(name + size - end, SUFFIX) == 0);
}

static enum status link_file(const struct job_folder *from, const struct job_folder *to,
                             const char *name, struct error *err)
{
    char old[PATH_MAX], new[PATH_MAX];

    TRY(job_folder_file(from, name, old, err));
    TRY(job_folder_file(to, name, new, err));
    return link(old, new) == 0 ? STATUS_OK
                               : fail_errno(err, STATUS_IO, "cannot link %s to %s", old, new);
}

enum status job_rows_link(const struct job_folder *from, const struct job_folder *to,
                          const char *also, struct error *err)
{
    DIR *folder = opendir(from->path);
    enum status status = STATUS_OK;
    const struct dirent *entry;

    if (!folder)
        return fail_errno(err, STATUS_IO, "cannot open %s", from->path);
    while (status == STATUS_OK && (entry = readdir(folder)))
        if (is_wanted(entry->d_name, also))
            status = link_file(from, to, entry->d_name, err);
    closedir(folder);
    return status;
}
