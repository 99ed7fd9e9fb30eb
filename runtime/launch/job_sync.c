#include "runtime/launch/job_sync.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Closes it. Some file systems have no fsync of folders, and nothing to lose by it. */
static enum status sync_and_close(int file, bool is_folder, const char *path, struct error *err)
{
    enum status status = STATUS_OK;

    if (file < 0 || (fsync(file) != 0 && !(is_folder && errno == EINVAL)))
        status = fail_errno(err, STATUS_IO, "cannot bring %s to the disk", path);
    if (file >= 0)
        close(file);
    return status;
}

/* Sockets and links are of processes that run. */
static enum status sync_entry(int folder, const char *path, const char *name, struct error *err)
{
    char full[PATH_MAX];
    struct stat found;

    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode))
        return STATUS_OK;
    if (snprintf(full, sizeof full, "%s/%s", path, name) >= (int)sizeof full)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", path);
    return sync_and_close(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), false, full,
                          err);
}

static enum status sync_entries(const char *path, struct error *err)
{
    DIR *folder = opendir(path);
    enum status status = STATUS_OK;
    struct dirent *entry;

    if (!folder)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    while (status == STATUS_OK && (entry = readdir(folder)))
        status = sync_entry(dirfd(folder), path, entry->d_name, err);
    closedir(folder);
    return status;
}

/* The folder above; false where there is none. */
static bool go_up(char path[PATH_MAX])
{
    char *slash = strrchr(path, '/');

    if (!slash || path[1] == '\0')
        return false;
    slash[slash == path] = '\0';
    return true;
}

/* A folder's entry is in the folder above it, which may be as new, and so on up to the first that
 * another user owns. */
static enum status sync_folders(const char *folder, struct error *err)
{
    char path[PATH_MAX];
    bool is_ours = true;

    snprintf(path, sizeof path, "%s", folder);
    do {
        const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct stat found;

        is_ours = file >= 0 && fstat(file, &found) == 0 && found.st_uid == geteuid();
        if (file < 0 && errno == EACCES)
            return STATUS_OK;
        TRY(sync_and_close(file, true, path, err));
    } while (is_ours && go_up(path));
    return STATUS_OK;
}

enum status job_sync(const char *folder, struct error *err)
{
    TRY(sync_entries(folder, err));
    return sync_folders(folder, err);
}
