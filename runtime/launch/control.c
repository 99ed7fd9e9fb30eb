#include "runtime/launch/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/launch/job_folder.h"

#define FOLDER_PREFIX "totrain."
/* A socket is bound before it listens, a folder made before it has a socket. */
#define SOCKET_AGE_S 60
#define FOLDER_AGE_S 3600

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

static void sweep(void)
{
    const int64_t now_s = (int64_t)time(NULL);

    (void)control_folders_sweep(getenv("XDG_RUNTIME_DIR"), now_s);
    (void)control_folders_sweep("/tmp", now_s);
}

enum status control_folder_create(const char *job_folder, char path[CONTROL_PATH_MAX],
                                  struct error *err)
{
    char link[PATH_MAX], target[CONTROL_PATH_MAX + 16];

    sweep();

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

    errno = ENOENT;
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
              lstat(socket_path, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_ours && status.st_uid != geteuid()) {
        is_ours = false;
        errno = EACCES;
    }
    *slash = '/';
    return is_ours;
}

/* Takes the descriptor over. Credentials lie one level deeper than sockets. */
static void empty_folder(int fd, int levels)
{
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name;

        if (name[0] == '.' || unlinkat(fd, name, 0) == 0 || levels == 0)
            continue;
        empty_folder(openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), levels - 1);
        (void)unlinkat(fd, name, AT_REMOVEDIR);
    }
    closedir(folder);
}

/* Ours by name and owner, so no other user could put another folder in its place meanwhile. */
static bool is_our_folder(int parent, const char *name, struct stat *status)
{
    return strncmp(name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) == 0 &&
           strlen(name) == strlen(FOLDER_PREFIX "XXXXXX") &&
           fstatat(parent, name, status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status->st_mode) &&
           status->st_uid == geteuid() && (status->st_mode & 077) == 0;
}

/* A listening process accepts the connection even while it is frozen. */
static bool is_refused(const char *path)
{
    const int fd = control_connect_path(path);

    if (fd < 0)
        return errno == ECONNREFUSED;
    close(fd);
    return false;
}

static bool is_abandoned(const char *parent, const char *name, const struct stat *folder,
                         int64_t now_s)
{
    char path[CONTROL_PATH_MAX];
    struct stat status;

    if (snprintf(path, sizeof path, "%s/%s/control", parent, name) >= (int)sizeof path)
        return false;
    if (lstat(path, &status) != 0)
        return errno == ENOENT && now_s - (int64_t)folder->st_ctime >= FOLDER_AGE_S;
    return S_ISSOCK(status.st_mode) && now_s - (int64_t)status.st_ctime >= SOCKET_AGE_S &&
           is_refused(path);
}

size_t control_folders_sweep(const char *parent, int64_t now_s)
{
    DIR *folder = parent && parent[0] == '/' ? opendir(parent) : NULL;
    struct dirent *entry;
    struct stat status;
    size_t count = 0;

    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;

        if (!is_our_folder(dirfd(folder), name, &status) ||
            !is_abandoned(parent, name, &status, now_s))
            continue;
        empty_folder(openat(dirfd(folder), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                     1);
        count += unlinkat(dirfd(folder), name, AT_REMOVEDIR) == 0;
    }
    if (folder)
        closedir(folder);
    return count;
}

void control_folder_remove(const char *job_folder)
{
    char path[CONTROL_PATH_MAX], link[PATH_MAX];

    if (!read_link(job_folder, path))
        return;
    *strrchr(path, '/') = '\0';
    empty_folder(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 1);
    (void)rmdir(path);
    if (link_path(job_folder, link))
        (void)unlink(link);
}

int control_connect(const char *job_folder)
{
    char path[CONTROL_PATH_MAX];

    return read_link(job_folder, path) ? control_connect_path(path) : -1;
}

int control_connect_path(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int why = errno;

        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

void control_write_reply(const struct error *err, struct text *reply)
{
    if (err->status == STATUS_OK)
        text_append_string(reply, "ok\n");
    else
        text_printf(reply, "no %d\t%s\t%s\n", (int)err->status, err->message, err->hint);
}

/* Up to the separator, or all that is left. */
static struct slice take_field(struct slice *rest)
{
    const char *tab = rest->size > 0 ? memchr(rest->data, '\t', rest->size) : NULL;
    size_t size = tab ? (size_t)(tab - rest->data) : rest->size;
    struct slice field = {rest->data, size};

    rest->data += size + (tab != NULL);
    rest->size -= size + (tab != NULL);
    return field;
}

enum status control_read_reply(struct slice reply, struct error *err)
{
    struct slice number, message, rest = reply;
    int64_t status;

    if (slice_is(reply, "ok"))
        return STATUS_OK;
    if (reply.size < 3 || memcmp(reply.data, "no ", 3) != 0)
        return fail(err, STATUS_PROTOCOL, "the job's supervisor gave an invalid answer");
    rest = (struct slice){reply.data + 3, reply.size - 3};
    number = take_field(&rest);
    message = take_field(&rest);
    if (!slice_to_integer(number, &status) || status <= STATUS_OK || status > STATUS_INTERRUPTED)
        status = STATUS_FAILED;
    fail(err, (enum status)status, "%.*s", SLICE_FORMAT(message));
    if (rest.size > 0)
        error_hint(err, "%.*s", SLICE_FORMAT(rest));
    return (enum status)status;
}

/* One line of at most `size` bytes, within the time; its length, or -1. */
static ssize_t receive_line(int fd, char *line, size_t size)
{
    struct pollfd answer = {.fd = fd, .events = POLLIN};
    size_t have = 0;

    while (have < size && poll(&answer, 1, CONTROL_ANSWER_MS) > 0) {
        ssize_t got = recv(fd, line + have, size - have, 0);

        if (got <= 0)
            return -1;
        have += (size_t)got;
        if (line[have - 1] == '\n')
            return (ssize_t)have - 1;
    }
    return -1;
}

enum status control_ask(const char *job_folder, const char *line, struct error *err)
{
    char answer[1024];
    ssize_t size = -1;
    int fd = control_connect(job_folder);

    if (fd < 0 && (errno == EACCES || errno == EPERM))
        return fail(err, STATUS_PERMISSION, "the job is another user's");
    if (fd < 0)
        return fail(err, STATUS_NOT_FOUND, "the job has no supervisor");
    if (send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line))
        size = receive_line(fd, answer, sizeof answer);
    close(fd);
    if (size < 0)
        return fail(err, STATUS_CONNECTION, "the job's supervisor does not answer");
    return control_read_reply((struct slice){answer, (size_t)size}, err);
}
