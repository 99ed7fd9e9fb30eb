#include "runtime/launch/job_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/team.h"
#include "runtime/launch/control.h"
#include "runtime/launch/job_lock.h"

#define MKDIR_TRIES_MAX 1000
#define LARGE_BYTES     (16 << 20)
#define REMOVERS        4

static enum status path_fits(int size, const char *what, struct error *err)
{
    if (size < 0 || size >= PATH_MAX)
        return fail(err, STATUS_LIMIT, "the path of %s is longer than %d bytes", what,
                    PATH_MAX - 1);
    return STATUS_OK;
}

static enum status jobs_path(const char *state, char path[PATH_MAX], struct error *err)
{
    const char *base = state ? state : getenv("TOTRAIN_STATE");
    int size;

    if (base && *base) {
        size = snprintf(path, PATH_MAX, "%s/jobs", base);
    } else if ((base = getenv("XDG_STATE_HOME")) && *base == '/') {
        size = snprintf(path, PATH_MAX, "%s/totrain/jobs", base);
    } else if ((base = getenv("HOME")) && *base == '/') {
        size = snprintf(path, PATH_MAX, "%s/.local/state/totrain/jobs", base);
    } else {
        fail(err, STATUS_NOT_FOUND, "there is no folder for jobs: HOME is not set");
        return error_hint(err, "Set TOTRAIN_STATE to a folder that is yours.");
    }
    return path_fits(size, "the jobs' folder", err);
}

enum status job_folder_jobs(const char *state, char path[PATH_MAX], struct error *err)
{
    return jobs_path(state, path, err);
}

/* mkdir -p, private from the first folder that is new. */
static enum status make_folders(char *path, struct error *err)
{
    for (char *at = path + 1;; at++) {
        char end = *at;

        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return fail_errno(err, errno == EACCES ? STATUS_PERMISSION : STATUS_IO,
                              "cannot make the folder %s", path);
        *at = end;
        if (end == '\0')
            return STATUS_OK;
    }
}

static int compare_ids(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static enum status add_id(int64_t **ids, size_t *count, size_t *capacity, int64_t id,
                          struct error *err)
{
    if (*count == *capacity) {
        size_t wanted = *capacity ? 2 * *capacity : 64;
        int64_t *grown = realloc(*ids, wanted * sizeof *grown);

        if (!grown)
            return fail_no_memory(err);
        *ids = grown;
        *capacity = wanted;
    }
    (*ids)[(*count)++] = id;
    return STATUS_OK;
}

/* Ids ascending; a folder that does not exist has none. */
static enum status list_ids(const char *jobs, int64_t **ids, size_t *count, struct error *err)
{
    enum status status = STATUS_OK;
    struct dirent *entry;
    size_t capacity = 0;
    DIR *folder = opendir(jobs);

    *ids = NULL;
    *count = 0;
    if (!folder && errno == ENOENT)
        return STATUS_OK;
    if (!folder)
        return fail_errno(err, errno == EACCES ? STATUS_PERMISSION : STATUS_IO, "cannot read %s",
                          jobs);
    while (status == STATUS_OK && (entry = readdir(folder))) {
        int64_t id;

        if (slice_to_integer(slice_of(entry->d_name), &id) && id > 0)
            status = add_id(ids, count, &capacity, id, err);
    }
    closedir(folder);
    if (status != STATUS_OK) {
        free(*ids);
        *ids = NULL;
        *count = 0;
        return status;
    }
    if (*count > 0)
        qsort(*ids, *count, sizeof **ids, compare_ids);
    return STATUS_OK;
}

enum status job_folder_list(const char *state, int64_t **ids, size_t *count, struct error *err)
{
    char jobs[PATH_MAX];

    *ids = NULL;
    *count = 0;
    TRY(jobs_path(state, jobs, err));
    return list_ids(jobs, ids, count, err);
}

static enum status folder_path(const char *jobs, int64_t id, char path[PATH_MAX], struct error *err)
{
    return path_fits(snprintf(path, PATH_MAX, "%s/%lld", jobs, (long long)id), "the job's folder",
                     err);
}

/* Checking whether a folder is held locks it for a moment, and removing an abandoned one begins
 * with such a check: so checking, removing and taking a folder exclude each other by this lock. -1:
 * there are no jobs. */
static int enter_jobs(const char *jobs)
{
    const int turn = open(jobs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    while (turn >= 0 && flock(turn, LOCK_EX) != 0 && errno == EINTR)
        ;
    return turn;
}

static void leave_jobs(int turn)
{
    if (turn >= 0)
        close(turn);
}

static int enter_jobs_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    char jobs[PATH_MAX];

    if (!slash)
        return -1;
    snprintf(jobs, sizeof jobs, "%.*s", (int)(slash - folder), folder);
    return enter_jobs(jobs);
}

/* 0 when another process holds it. The kernel releases the lock when the process ends. */
static int lock_folder(const char *path)
{
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        return 0;
    }
    return lock + 1;
}

static void unlock_folder(int lock)
{
    if (lock > 0)
        close(lock - 1);
}

static enum status make_folder(const char *jobs, struct job_folder *folder, struct error *err)
{
    int64_t *ids;
    size_t count;

    TRY(list_ids(jobs, &ids, &count, err));
    folder->id = count > 0 ? ids[count - 1] + 1 : 1;
    free(ids);
    for (int tries = 0; tries < MKDIR_TRIES_MAX; tries++, folder->id++) {
        TRY(folder_path(jobs, folder->id, folder->path, err));
        if (mkdir(folder->path, 0700) == 0) {
            folder->lock = lock_folder(folder->path);
            return STATUS_OK;
        }
        if (errno != EEXIST) /* else another process took the number */
            break;
    }
    return fail_errno(err, errno == EACCES ? STATUS_PERMISSION : STATUS_IO,
                      "cannot make the job's folder %s", folder->path);
}

enum status job_folder_create(const char *state, struct job_folder *folder, struct error *err)
{
    char jobs[PATH_MAX];
    enum status status;
    int turn;

    TRY(jobs_path(state, jobs, err));
    TRY(make_folders(jobs, err));
    turn = enter_jobs(jobs);
    status = make_folder(jobs, folder, err);
    leave_jobs(turn);
    return status;
}

enum status job_folder_find(const char *state, int64_t id, struct job_folder *folder,
                            struct error *err)
{
    char jobs[PATH_MAX];
    struct stat found;

    TRY(jobs_path(state, jobs, err));
    TRY(folder_path(jobs, id, folder->path, err));
    folder->id = id;
    folder->lock = 0;
    if (id <= 0 || stat(folder->path, &found) != 0 || !S_ISDIR(found.st_mode))
        return fail(err, STATUS_NOT_FOUND, "there is no job %lld", (long long)id),
               error_hint(err, "SHOW JOBS; lists the jobs of this user.");
    return STATUS_OK;
}

enum status job_folder_adopt(const char *state, int64_t id, struct job_folder *folder,
                             struct error *err)
{
    int turn;

    TRY(job_folder_find(state, id, folder, err));
    turn = enter_jobs_of(folder->path);
    folder->lock = lock_folder(folder->path);
    leave_jobs(turn);
    if (folder->lock > 0)
        return STATUS_OK;
    return fail(err, STATUS_BUSY, "another process has the folder of job %lld", (long long)id);
}

enum status job_folder_share(const char *state, int64_t id, int lock, struct job_folder *folder,
                             struct error *err)
{
    int copy;

    TRY(job_folder_find(state, id, folder, err));
    copy = lock > 0 ? fcntl(lock - 1, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0)
        return fail_errno(err, STATUS_IO, "cannot hold the folder of job %lld", (long long)id);
    folder->lock = copy + 1;
    return STATUS_OK;
}

enum status job_folder_file(const struct job_folder *folder, const char *name, char path[PATH_MAX],
                            struct error *err)
{
    return path_fits(snprintf(path, PATH_MAX, "%s/%s", folder->path, name), name, err);
}

enum status job_folder_write(const struct job_folder *folder, const char *name, struct slice bytes,
                             struct error *err)
{
    char path[PATH_MAX], temporary[PATH_MAX + sizeof ".new"];
    bool is_written;
    FILE *file;

    TRY(job_folder_file(folder, name, path, err));
    snprintf(temporary, sizeof temporary, "%s.new", path);
    file = fopen(temporary, "we");
    if (!file)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    is_written = fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fflush(file) == 0;
    if (fclose(file) != 0 || !is_written || rename(temporary, path) != 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    return STATUS_OK;
}

/* Names of files in a folder. */
struct file_names {
    int folder;
    uint32_t count, capacity;
    char (*names)[NAME_MAX + 1];
};

static bool add_name(struct file_names *list, const char *name)
{
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
        void *names = realloc(list->names, capacity * sizeof *list->names);

        if (!names)
            return false;
        list->names = names;
        list->capacity = capacity;
    }
    snprintf(list->names[list->count++], sizeof *list->names, "%s", name);
    return true;
}

static void remove_task(void *context, uint32_t member, uint32_t number)
{
    const struct file_names *list = context;
    (void)member;

    (void)unlinkat(list->folder, list->names[number], 0);
}

/* Removing a large file takes milliseconds, in which its memory is given back. */
static bool is_large(int folder, const char *name)
{
    struct stat information;

    return fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) == 0 &&
           information.st_size >= LARGE_BYTES;
}

/* Large ones are removed side by side. */
static void remove_files(const char *path, const char *suffix)
{
    DIR *folder = opendir(path);
    struct file_names large = {.folder = -1};
    struct dirent *entry;

    if (!folder)
        return;
    large.folder = dirfd(folder);
    while ((entry = readdir(folder))) {
        size_t size = strlen(entry->d_name), end = strlen(suffix);

        if (entry->d_name[0] != '.' && size >= end &&
            strcmp(entry->d_name + size - end, suffix) == 0 &&
            !(is_large(large.folder, entry->d_name) && add_name(&large, entry->d_name)))
            (void)unlinkat(large.folder, entry->d_name, 0);
    }
    if (large.count > 0) {
        struct team *team = team_new(large.count < REMOVERS ? large.count : REMOVERS);

        team_run(team, large.count, remove_task, &large);
        team_free(team);
    }
    free(large.names);
    closedir(folder);
}

/* Each parameter server of a job has its store in a folder of its own. */
static void remove_servers(const char *path)
{
    DIR *folder = opendir(path);
    char server[PATH_MAX];
    struct dirent *entry;

    if (!folder)
        return;
    while ((entry = readdir(folder))) {
        if (strncmp(entry->d_name, JOB_SERVER_PREFIX, strlen(JOB_SERVER_PREFIX)) != 0 ||
            path_fits(snprintf(server, sizeof server, "%s/%s", path, entry->d_name), path, NULL) !=
                STATUS_OK)
            continue;
        remove_files(server, "");
        (void)rmdir(server);
    }
    closedir(folder);
}

void job_folder_remove(const struct job_folder *folder)
{
    control_folder_remove(folder->path);
    remove_servers(folder->path);
    remove_files(folder->path, "");
    (void)rmdir(folder->path);
    unlock_folder(folder->lock);
}

void job_folder_drop_rows(const struct job_folder *folder)
{
    remove_files(folder->path, ".spool");
}

static void remove_rows(const struct job_folder *folder)
{
    control_folder_remove(folder->path);
    remove_servers(folder->path);
    if (!job_keeps_rows(folder->path))
        job_folder_drop_rows(folder);
}

void job_folder_leave(struct job_folder *folder)
{
    unlock_folder(folder->lock);
    folder->lock = 0;
}

static bool is_held(const char *path)
{
    const int lock = lock_folder(path);

    unlock_folder(lock);
    return lock == 0;
}

/* No process fills its spools or trains on them, and none will. */
static bool is_abandoned(const char *path)
{
    const int control = control_connect(path);

    if (control >= 0) {
        close(control);
        return false;
    }
    return !job_is_running(path) && !job_is_kept(path) && !is_held(path);
}

bool job_folder_is_held(const char *path)
{
    const int turn = enter_jobs_of(path);
    const bool held = is_held(path);

    leave_jobs(turn);
    return held;
}

enum status job_count_active(const char *state, uint32_t *count, struct error *err)
{
    char jobs[PATH_MAX], path[PATH_MAX];
    int64_t *ids = NULL;
    size_t folders = 0;
    enum status status = STATUS_OK;

    *count = 0;
    TRY(jobs_path(state, jobs, err));
    TRY(list_ids(jobs, &ids, &folders, err));
    for (size_t i = 0; i < folders && status == STATUS_OK; i++) {
        status = folder_path(jobs, ids[i], path, err);
        if (status == STATUS_OK && (job_is_running(path) || job_folder_is_held(path)))
            ++*count;
    }
    free(ids);
    return status;
}

static void sweep_job(const struct job_folder *old)
{
    remove_rows(old);
    if (!job_keeps_rows(old->path))
        job_mark_swept(old->path);
}

/* Other jobs of the same state folder, from the newest: of the ended ones those beyond the kept go,
 * of those that stay the rows. */
static void sweep_jobs(const char *jobs)
{
    struct job_folder old = {.lock = 0};
    size_t count, published = 0, unpublished = 0;
    int64_t *ids;

    if (list_ids(jobs, &ids, &count, NULL) != STATUS_OK)
        return;
    while (count-- > 0) {
        size_t *newer = &published;
        bool is_kept;

        if (folder_path(jobs, ids[count], old.path, NULL) != STATUS_OK)
            continue;
        if (job_is_unpublished(old.path))
            newer = &unpublished;
        ++*newer;
        is_kept = *newer <= JOB_FOLDERS_KEPT;
        if ((is_kept && job_is_swept(old.path)) || !is_abandoned(old.path))
            continue;
        if (is_kept)
            sweep_job(&old);
        else
            job_folder_remove(&old);
    }
    free(ids);
}

static void sweep(const struct job_folder *newest)
{
    char jobs[PATH_MAX];
    char *slash;
    int turn;

    memcpy(jobs, newest->path, sizeof jobs);
    slash = strrchr(jobs, '/');
    if (!slash)
        return;
    *slash = '\0';
    turn = enter_jobs(jobs);
    sweep_jobs(jobs);
    leave_jobs(turn);
}

void job_folder_clean(const struct job_folder *folder)
{
    remove_rows(folder);
    unlock_folder(folder->lock);
    sweep(folder);
}
