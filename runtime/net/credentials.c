#include "runtime/net/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#define AUTHORITY   "ca.crt"
#define CERTIFICATE "tls.crt"
#define KEY         "tls.key"

void credentials_init(struct credentials *credentials)
{
    text_init(&credentials->authority, CREDENTIALS_BYTES_MAX);
    text_init(&credentials->certificate, CREDENTIALS_BYTES_MAX);
    text_init(&credentials->key, CREDENTIALS_BYTES_MAX);
}

void credentials_deinit(struct credentials *credentials)
{
    text_deinit(&credentials->authority);
    text_deinit(&credentials->certificate);
    if (credentials->key.data)
        OPENSSL_cleanse(credentials->key.data, credentials->key.capacity);
    text_deinit(&credentials->key);
}

static enum status path_of(const char *folder, const char *name, char path[PATH_MAX],
                           struct error *err)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    return STATUS_OK;
}

static bool write_all(int fd, struct slice bytes)
{
    while (bytes.size > 0) {
        ssize_t size = write(fd, bytes.data, bytes.size);

        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return false;
        bytes.data += size;
        bytes.size -= (size_t)size;
    }
    return true;
}

/* Renamed into place: a role that starts at this moment reads the old file or
 * the new one. */
static enum status save(const char *folder, const char *name, const struct text *text,
                        struct error *err)
{
    char path[PATH_MAX], partial[PATH_MAX + 8];
    bool is_written;
    int fd;

    TRY(path_of(folder, name, path, err));
    snprintf(partial, sizeof partial, "%s.part", path);
    (void)unlink(partial);
    fd = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    is_written = write_all(fd, text_slice(text));
    is_written = close(fd) == 0 && is_written;
    if (is_written && rename(partial, path) == 0)
        return STATUS_OK;
    fail_errno(err, STATUS_IO, "cannot write %s", path);
    (void)unlink(partial);
    return STATUS_IO;
}

enum status credentials_save(const struct credentials *credentials, const char *folder,
                             struct error *err)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail_errno(err, STATUS_IO, "cannot make the folder %s", folder);
    TRY(save(folder, AUTHORITY, &credentials->authority, err));
    TRY(save(folder, CERTIFICATE, &credentials->certificate, err));
    return save(folder, KEY, &credentials->key, err);
}

static enum status check_secret(int fd, const char *path, struct error *err)
{
    struct stat file;

    if (fstat(fd, &file) != 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    if ((file.st_mode & S_IRWXO) == 0)
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "all users may read the private key %s (mode %04o)", path,
         (unsigned)file.st_mode & 07777);
    return error_hint(err, "Give it mode 0600; on Kubernetes, defaultMode 0400 or 0440.");
}

static enum status load(const char *folder, const char *name, bool is_secret, struct text *text,
                        struct error *err)
{
    char path[PATH_MAX], bytes[4096];
    enum status status;
    ssize_t size;
    int fd;

    TRY(path_of(folder, name, path, err));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    status = is_secret ? check_secret(fd, path, err) : STATUS_OK;
    while (status == STATUS_OK && (size = read(fd, bytes, sizeof bytes)) != 0) {
        if (size > 0)
            text_append(text, (struct slice){bytes, (size_t)size});
        else if (errno != EINTR)
            status = fail_errno(err, STATUS_IO, "cannot read %s", path);
        if (text->failed)
            status = fail(err, STATUS_LIMIT, "%s is larger than %zu bytes", path, text->maximum);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    close(fd);
    return status;
}

enum status credentials_load(struct credentials *credentials, const char *folder, struct error *err)
{
    TRY(load(folder, AUTHORITY, false, &credentials->authority, err));
    TRY(load(folder, CERTIFICATE, false, &credentials->certificate, err));
    return load(folder, KEY, true, &credentials->key, err);
}
