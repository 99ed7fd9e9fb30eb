#include "runtime/launch/job_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/launch/job_folder.h"

#define DETACHED_FILE "detached"
#define GIVEN_UP_FILE "given-up"
#define ROWS_FILE     "rows-are-kept"
#define LEFT_FILE     "left-behind"
#define SWEPT_FILE    "swept"

static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

static bool path_of(const char *folder, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static void remove_mark(const char *folder, const char *name)
{
    char path[PATH_MAX];

    if (path_of(folder, name, path))
        (void)unlink(path);
}

enum status job_lock(const char *folder, int *lock, struct error *err)
{
    struct flock whole = whole_file();
    char path[PATH_MAX];
    enum status status;

    *lock = -1;
    if (!path_of(folder, "job.json", path))
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    *lock = open(path, O_RDWR | O_CLOEXEC);
    if (*lock < 0)
        return fail_errno(err, STATUS_IO, "cannot open %s", path);
    if (fcntl(*lock, F_OFD_SETLK, &whole) == 0) {
        remove_mark(folder, SWEPT_FILE); /* it runs again, and makes files */
        return STATUS_OK;
    }
    status = errno == EAGAIN || errno == EACCES
                 ? fail(err, STATUS_INVALID, "the job is running already")
                 : fail_errno(err, STATUS_IO, "cannot lock %s", path);
    close(*lock);
    *lock = -1;
    return status;
}

void job_unlock(int lock)
{
    close(lock);
}

bool job_is_running(const char *folder)
{
    struct flock whole = whole_file();
    char path[PATH_MAX];
    bool is_held;
    int file;

    if (!path_of(folder, "job.json", path))
        return false;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    is_held = fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    close(file);
    return is_held;
}

static enum status make_mark(const char *folder, const char *name, struct error *err)
{
    char path[PATH_MAX];
    int file;

    if (!path_of(folder, name, path))
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(err, STATUS_IO, "cannot make %s", path);
    close(file);
    return STATUS_OK;
}

static bool has_mark(const char *folder, const char *name)
{
    char path[PATH_MAX];

    return path_of(folder, name, path) && access(path, F_OK) == 0;
}

enum status job_keep(const char *folder, struct error *err)
{
    return make_mark(folder, DETACHED_FILE, err);
}

void job_let_go(const char *folder)
{
    remove_mark(folder, DETACHED_FILE);
}

bool job_is_kept(const char *folder)
{
    return has_mark(folder, DETACHED_FILE);
}

bool job_is_unpublished(const char *folder)
{
    return has_mark(folder, JOB_UNPUBLISHED_FILE);
}

enum status job_keep_rows(const char *folder, struct error *err)
{
    return make_mark(folder, ROWS_FILE, err);
}

void job_release_rows(const char *folder)
{
    remove_mark(folder, ROWS_FILE);
}

bool job_keeps_rows(const char *folder)
{
    return has_mark(folder, ROWS_FILE);
}

enum status job_give_up(const char *folder, struct error *err)
{
    return make_mark(folder, GIVEN_UP_FILE, err);
}

bool job_is_given_up(const char *folder)
{
    return has_mark(folder, GIVEN_UP_FILE);
}

enum status job_leave_behind(const char *folder, struct error *err)
{
    return make_mark(folder, LEFT_FILE, err);
}

bool job_is_left_behind(const char *folder)
{
    return has_mark(folder, LEFT_FILE);
}

void job_mark_swept(const char *folder)
{
    struct error ignored;

    (void)make_mark(folder, SWEPT_FILE, &ignored);
}

bool job_is_swept(const char *folder)
{
    return has_mark(folder, SWEPT_FILE);
}
