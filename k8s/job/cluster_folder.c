#include "k8s/job/cluster_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "k8s/job/kube_job_json.h"

#define JOB_FILE    "cluster.json"
#define ACCESS_FILE "access.json"
#define UID_FILE    "job.uid"

static enum status path_of(const char *folder, const char *name, char path[PATH_MAX],
                           struct error *err)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX
               ? STATUS_OK
               : fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
}

/* Written whole and renamed: a reader sees all of it or nothing. */
static enum status write_file(const char *folder, const char *name, struct slice bytes,
                              struct error *err)
{
    char path[PATH_MAX], temporary[PATH_MAX + 4];
    ssize_t written;
    int file;

    TRY(path_of(folder, name, path, err));
    snprintf(temporary, sizeof temporary, "%s.new", path);
    file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    written = write(file, bytes.data, bytes.size);
    if (close(file) != 0 || written != (ssize_t)bytes.size || rename(temporary, path) != 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    return STATUS_OK;
}

static enum status invent_submission(char text[17], struct error *err)
{
    unsigned char chance[8];

    if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance)
        return fail_errno(err, STATUS_IO, "there are no random numbers");
    for (size_t i = 0; i < sizeof chance; i++)
        snprintf(text + 2 * i, 3, "%02x", chance[i]);
    return STATUS_OK;
}

static enum status write_access(const char *folder, const struct cluster_access *access,
                                struct error *err)
{
    char submission[17];
    enum status status;
    struct text text;
    cJSON *object;

    TRY(invent_submission(submission, err));
    object = cJSON_CreateObject();
    json_add_string(object, "submission", slice_of(submission));
    json_add_string(object, "kubeconfig", access->kubeconfig);
    json_add_string(object, "context", access->context);
    json_add_boolean(object, "allows_exec", access->allows_exec);
    json_add_boolean(object, "allows_insecure", access->allows_insecure);
    text_init(&text, KUBE_JOB_BYTES_MAX);
    status = json_print(object, true, &text, err);
    if (status == STATUS_OK)
        status = write_file(folder, ACCESS_FILE, text_slice(&text), err);
    text_deinit(&text);
    cJSON_Delete(object);
    return status;
}

enum status cluster_folder_write(const char *folder, const struct kube_job *job,
                                 const struct cluster_access *access, struct error *err)
{
    TRY(kube_job_check(job, err));
    TRY(write_access(folder, access, err));
    return cluster_folder_rename(folder, job, err);
}

enum status cluster_folder_rename(const char *folder, const struct kube_job *job, struct error *err)
{
    enum status status;
    struct text text;

    text_init(&text, KUBE_JOB_BYTES_MAX);
    status = kube_job_write(job, &text, err);
    if (status == STATUS_OK)
        status = write_file(folder, JOB_FILE, text_slice(&text), err);
    text_deinit(&text);
    return status;
}

bool cluster_folder_is(const char *folder)
{
    char path[PATH_MAX];
    struct error ignored;

    return path_of(folder, JOB_FILE, path, &ignored) == STATUS_OK && access(path, F_OK) == 0;
}

static enum status read_file(const char *folder, const char *name, struct arena *arena,
                             struct slice *bytes, struct error *err)
{
    char path[PATH_MAX];
    ssize_t size;
    char *room;
    int file;

    TRY(path_of(folder, name, path, err));
    room = arena_alloc(arena, KUBE_JOB_BYTES_MAX);
    if (!room)
        return fail_no_memory(err);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail_errno(err, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "cannot read %s",
                          path);
    size = read(file, room, KUBE_JOB_BYTES_MAX);
    close(file);
    if (size < 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    *bytes = (struct slice){room, (size_t)size};
    return STATUS_OK;
}

static enum status keep(struct arena *arena, const cJSON *object, const char *name,
                        struct slice *kept, struct error *err)
{
    struct slice value;

    TRY(json_get_string(object, name, &value, err));
    *kept = arena_copy(arena, value);
    return kept->data ? STATUS_OK : fail_no_memory(err);
}

static enum status read_access(const cJSON *object, struct arena *arena,
                               struct cluster_access *access, struct error *err)
{
    TRY(keep(arena, object, "kubeconfig", &access->kubeconfig, err));
    TRY(keep(arena, object, "context", &access->context, err));
    TRY(keep(arena, object, "submission", &access->submission, err));
    TRY(json_get_boolean(object, "allows_exec", &access->allows_exec, err));
    return json_get_boolean(object, "allows_insecure", &access->allows_insecure, err);
}

enum status cluster_folder_read(const char *folder, struct arena *arena, struct kube_job *job,
                                struct cluster_access *access, struct error *err)
{
    enum status status;
    struct slice bytes;
    cJSON *object;

    TRY(read_file(folder, JOB_FILE, arena, &bytes, err));
    TRY(kube_job_read(bytes, arena, job, err));
    TRY(read_file(folder, ACCESS_FILE, arena, &bytes, err));
    TRY(json_parse(bytes, KUBE_JOB_BYTES_MAX, &object, err));
    status = read_access(object, arena, access, err);
    cJSON_Delete(object);
    return status;
}

enum status cluster_folder_release(const char *folder, struct slice uid, struct error *err)
{
    if (uid.size == 0 || uid.size >= CLUSTER_UID_BYTES_MAX)
        return fail(err, STATUS_PROTOCOL, "a uid of %zu bytes", uid.size);
    return write_file(folder, UID_FILE, uid, err);
}

void cluster_folder_released(const char *folder, char uid[CLUSTER_UID_BYTES_MAX])
{
    char path[PATH_MAX];
    ssize_t size = -1;
    int file = -1;

    if (path_of(folder, UID_FILE, path, NULL) == STATUS_OK)
        file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        size = read(file, uid, CLUSTER_UID_BYTES_MAX - 1);
        close(file);
    }
    uid[size > 0 ? size : 0] = '\0';
}
