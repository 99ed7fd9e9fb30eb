#include "launch/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FOLDER_PREFIX "totrain."

static bool link_path(const char *job_folder, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/control", job_folder) < PATH_MAX;
}

static bool make_in(const char *parent, char path[CONTROL_PATH_MAX])
{
    /* room for the sockets' own names */
    if (!parent || parent[0] != '/' || strlen(parent) > 60)
        return false;
    snprintf(path, CONTROL_PATH_MAX, "%s/" FOLDER_PREFIX "XXXXXX", parent);
    return mkdtemp(path) != NULL;
}

enum status control_folder_create(const char *job_folder, char path[CONTROL_PATH_MAX],
                                  struct error *err)
{
    char link[PATH_MAX], target[CONTROL_PATH_MAX + 16];

    if (!make_in(getenv("XDG_RUNTIME_DIR"), path) && !make_in("/tmp", path))
        return fail_errno(err, STATUS_IO, "cannot make a folder for sockets under /tmp");
    snprintf(target, sizeof target, "%s/control", path);
    if (!link_path(job_folder, link)) {
        rmdir(path);
        return fail(err, STATUS_LIMIT, "the path of %s is too long", job_folder);
    }
    (void)unlink(link);
    if (symlink(target, link) != 0) {
        fail_errno(err, STATUS_IO, "cannot make %s", link);
        rmdir(path);
        return err ? err->status : STATUS_IO;
    }
    return STATUS_OK;
}

/* The socket's path, checked to be in a folder of ours. */
static bool read_link(const char *job_folder, char socket_path[CONTROL_PATH_MAX])
{
    char link[PATH_MAX];
    ssize_t size;
    char *slash;
    const char *base;
    struct stat status;
    bool is_ours;

    if (!link_path(job_folder, link))
        return false;
    size = readlink(link, socket_path, CONTROL_PATH_MAX - 1);
    if (size <= 0)
        return false;
    socket_path[size] = '\0';
    slash = strrchr(socket_path, '/');
    if (!slash || strcmp(slash, "/control") != 0)
        return false;
    *slash = '\0';
    base = strrchr(socket_path, '/');
    is_ours = base && strncmp(base + 1, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) == 0 &&
              lstat(socket_path, &status) == 0 && S_ISDIR(status.st_mode) &&
              status.st_uid == geteuid();
    *slash = '/';
    return is_ours;
}

void control_folder_remove(const char *job_folder)
{
    char path[CONTROL_PATH_MAX], link[PATH_MAX];
    struct dirent *entry;
    DIR *folder;

    if (!read_link(job_folder, path))
        return;
    *strrchr(path, '/') = '\0';
    folder = opendir(path);
    if (folder) {
        while ((entry = readdir(folder)))
            if (entry->d_name[0] != '.')
                (void)unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
    }
    (void)rmdir(path);
    if (link_path(job_folder, link))
        (void)unlink(link);
}

int control_connect(const char *job_folder)
{
    char path[CONTROL_PATH_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (!read_link(job_folder, path))
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}
