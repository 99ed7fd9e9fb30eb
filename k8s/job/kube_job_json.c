#include "k8s/job/kube_job_json.h"

#include <stddef.h>

#include "k8s/job/kube_job.h"

/* The members that are text, in the order in which they are written. */
static const struct {
    const char *name;
    size_t offset;
    bool is_rare; /* written where it is not empty */
} texts[] = {
    {"name", offsetof(struct kube_job, name), false},
    {"namespace", offsetof(struct kube_job, kube_namespace), false},
    {"image", offsetof(struct kube_job, image), false},
    {"pull_policy", offsetof(struct kube_job, pull_policy), false},
    {"service_account", offsetof(struct kube_job, service_account), false},
    {"priority_class", offsetof(struct kube_job, priority_class), false},
    {"database_secret", offsetof(struct kube_job, database_secret), false},
    {"slot_resource", offsetof(struct kube_job, slot_resource), false},
    {"schema", offsetof(struct kube_job, schema), false},
    {"snapshot", offsetof(struct kube_job, snapshot), false},
    {"schedule", offsetof(struct kube_job, schedule), true},
    {"owner_pod", offsetof(struct kube_job, owner_pod), true},
    {"owner_uid", offsetof(struct kube_job, owner_uid), true},
    {"statement", offsetof(struct kube_job, statement), true},
    {"model", offsetof(struct kube_job, model), true},
    {"database", offsetof(struct kube_job, database), true},
    {"user", offsetof(struct kube_job, user), true},
    {"pods", offsetof(struct kube_job, pods), true},
};

/* Numbers that are 0, and not written, in most jobs. */
static const struct {
    const char *name;
    size_t offset;
} rare_numbers[] = {
    {"deadline_s", offsetof(struct kube_job, deadline_s)},
    {"master_cpu_m", offsetof(struct kube_job, master_cpu_m)},
    {"master_memory", offsetof(struct kube_job, master_memory)},
};

#define RARE_COUNT (sizeof rare_numbers / sizeof *rare_numbers)

static void write_rare(const struct kube_job *job, cJSON *object)
{
    for (size_t i = 0; i < RARE_COUNT; i++) {
        const int64_t *member = (const void *)((const char *)job + rare_numbers[i].offset);

        if (*member != 0)
            json_add_integer(object, rare_numbers[i].name, *member);
    }
    if (job->has_read_only_root)
        json_add_boolean(object, "has_read_only_root", true);
}

static enum status read_rare(const cJSON *object, struct kube_job *job, struct error *err)
{
    for (size_t i = 0; i < RARE_COUNT; i++) {
        int64_t *member = (void *)((char *)job + rare_numbers[i].offset);

        if (json_has(object, rare_numbers[i].name))
            TRY(json_get_integer(object, rare_numbers[i].name, 0, INT64_MAX, member, err));
    }
    return json_has(object, "has_read_only_root")
               ? json_get_boolean(object, "has_read_only_root", &job->has_read_only_root, err)
               : STATUS_OK;
}

static void write_servers(const struct kube_job *job, cJSON *object)
{
    json_add_integer(object, "servers", job->servers);
    json_add_integer(object, "servers_max", job->servers_max);
    json_add_integer(object, "server_cpu_m", job->server_cpu_m);
    json_add_integer(object, "server_memory", job->server_memory);
    json_add_integer(object, "server_memory_max", job->server_memory_max);
}

enum status kube_job_write(const struct kube_job *job, struct text *out, struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct slice *member = (const void *)((const char *)job + texts[i].offset);

        if (member->size > 0 || !texts[i].is_rare)
            json_add_string(object, texts[i].name, *member);
    }
    json_add_integer(object, "job", job->job);
    json_add_integer(object, "cpu_m", job->cpu_m);
    if (job->cpu_limit_percent > 0)
        json_add_integer(object, "cpu_limit_percent", job->cpu_limit_percent);
    json_add_integer(object, "memory", job->memory);
    json_add_integer(object, "memory_max", job->memory_max);
    json_add_integer(object, "workers_max", job->workers_max);
    json_add_integer(object, "keep_s", job->keep_s);
    write_rare(job, object);
    if (job->servers > 0)
        write_servers(job, object);
    status = json_print(object, true, out, err);
    cJSON_Delete(object);
    return status;
}

static enum status read_texts(const cJSON *object, struct arena *arena, struct kube_job *job,
                              struct error *err)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct slice value, *member = (void *)((char *)job + texts[i].offset);

        if (texts[i].is_rare && !json_has(object, texts[i].name))
            continue;
        TRY(json_get_string(object, texts[i].name, &value, err));
        *member = arena_copy(arena, value);
        if (!member->data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

static enum status read_servers(const cJSON *object, struct kube_job *job, struct error *err)
{
    int64_t servers, most;

    TRY(json_get_integer(object, "servers", 0, MANIFEST_SERVERS_MAX, &servers, err));
    most = servers; /* an older submitter has made credentials for these alone */
    if (json_has(object, "servers_max"))
        TRY(json_get_integer(object, "servers_max", 0, MANIFEST_SERVERS_MAX, &most, err));
    TRY(json_get_integer(object, "server_cpu_m", 0, INT64_MAX, &job->server_cpu_m, err));
    TRY(json_get_integer(object, "server_memory", 0, INT64_MAX, &job->server_memory, err));
    TRY(json_get_integer(object, "server_memory_max", 0, INT64_MAX, &job->server_memory_max, err));
    job->servers = (uint32_t)servers;
    job->servers_max = (uint32_t)most;
    return STATUS_OK;
}

static enum status read_members(const cJSON *object, struct arena *arena, struct kube_job *job,
                                struct error *err)
{
    int64_t workers;

    TRY(read_texts(object, arena, job, err));
    TRY(json_get_integer(object, "job", 0, INT64_MAX, &job->job, err));
    TRY(json_get_integer(object, "cpu_m", 0, INT64_MAX, &job->cpu_m, err));
    if (json_has(object, "cpu_limit_percent"))
        TRY(json_get_integer(object, "cpu_limit_percent", 100, KUBE_JOB_CPU_LIMIT_PERCENT_MAX,
                             &job->cpu_limit_percent, err));
    TRY(json_get_integer(object, "memory", 0, INT64_MAX, &job->memory, err));
    TRY(json_get_integer(object, "memory_max", 0, INT64_MAX, &job->memory_max, err));
    TRY(json_get_integer(object, "workers_max", 0, MANIFEST_WORKERS_MAX, &workers, err));
    TRY(json_get_integer(object, "keep_s", 0, INT64_MAX, &job->keep_s, err));
    job->workers_max = (uint32_t)workers;
    TRY(read_rare(object, job, err));
    if (json_has(object, "servers"))
        TRY(read_servers(object, job, err));
    return kube_job_check(job, err);
}

enum status kube_job_read(struct slice json, struct arena *arena, struct kube_job *job,
                          struct error *err)
{
    enum status status;
    cJSON *object;

    *job = (struct kube_job){.workers_max = 0};
    TRY(json_parse(json, KUBE_JOB_BYTES_MAX, &object, err));
    status = read_members(object, arena, job, err);
    cJSON_Delete(object);
    return status;
}
