#include "runtime/launch/tensorboard_folder.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* `path` up to `end`. */
static enum status make(char *path, char *end, struct error *err)
{
    const char kept = *end;
    int failed;

    *end = '\0';
    failed = mkdir(path, 0777) != 0 && errno != EEXIST;
    if (failed)
        fail_errno(err, STATUS_IO, "log.tensorboard: cannot make the folder %s", path);
    *end = kept;
    return failed ? err->status : STATUS_OK;
}

enum status tensorboard_folder_make(struct slice folder, struct error *err)
{
    char path[PATH_MAX];

    if (folder.size >= sizeof path)
        return fail(err, STATUS_LIMIT, "log.tensorboard: a path of %zu bytes", folder.size);
    memcpy(path, folder.data, folder.size);
    path[folder.size] = '\0';
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/'))
        TRY(make(path, at, err));
    TRY(make(path, path + folder.size, err));
    if (access(path, W_OK | X_OK) != 0)
        return fail_errno(err, STATUS_PERMISSION, "log.tensorboard: cannot write into %s", path);
    return STATUS_OK;
}
