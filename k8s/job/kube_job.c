#include "k8s/job/kube_job.h"

#include <stdio.h>
#include <string.h>

#include "base/memory_size.h"
#include "k8s/job/profile.h"

#define QUANTITY_MEMORY_MIN ((int64_t)16 << 20)
#define QUANTITY_MEMORY_MAX ((int64_t)1 << 50)
#define QUANTITY_CPU_M_MAX  ((int64_t)1000000)
#define NAMESPACE_BYTES_MAX 63

const char *kube_role_name(enum kube_role role)
{
    return role == KUBE_SERVER ? "ps" : "worker";
}

const char *kube_role_title(enum kube_role role)
{
    return role == KUBE_SERVER ? "server" : "worker";
}

static bool has_only(struct slice text, const char *more)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr(more, c))))
            return false;
    }
    return true;
}

static enum status refuse_value(const char *what, struct slice value, const char *expected,
                                struct error *err)
{
    return fail(err, STATUS_INVALID, "%s is %s, not \"%.*s\"", what, expected, SLICE_FORMAT(value));
}

/* RFC 1123, as for the names of most objects; empty where that is allowed. */
static enum status check_name(const char *what, struct slice name, size_t bytes_max,
                              bool may_be_empty, struct error *err)
{
    if (name.size == 0 && may_be_empty)
        return STATUS_OK;
    if (name.size == 0 || name.size > bytes_max || !has_only(name, "-.") || name.data[0] == '-' ||
        name.data[0] == '.' || name.data[name.size - 1] == '-' || name.data[name.size - 1] == '.')
        return refuse_value(what, name, "a name of a-z, 0-9, - and .", err);
    return STATUS_OK;
}

static enum status check_image(struct slice image, struct error *err)
{
    if (image.size == 0 || image.size > 255 ||
        !has_only(image, "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-/:@") || image.data[0] == '-')
        return refuse_value("the image", image, "a name as REGISTRY/NAME:TAG", err);
    return STATUS_OK;
}

static enum status check_slot(struct slice name, struct error *err)
{
    if (name.size == 0)
        return STATUS_OK;
    if (name.size > 200 || !memchr(name.data, '/', name.size) ||
        !has_only(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-/"))
        return refuse_value("the resource", name, "a name as example.com/gpu", err);
    return STATUS_OK;
}

/* A name in a database; it is quoted wherever it stands. */
static enum status check_schema(struct slice schema, struct error *err)
{
    for (size_t i = 0; i < schema.size; i++)
        if ((unsigned char)schema.data[i] < ' ')
            return refuse_value("the schema", schema, "a name on one line", err);
    if (schema.size > 63 || (schema.size > 0 && schema.data[0] == '-'))
        return refuse_value("the schema", schema, "a name of at most 63 bytes, without a first -",
                            err);
    return STATUS_OK;
}

/* Names of databases may have any characters; they become annotations. */
static enum status check_origin(const struct kube_job *job, struct error *err)
{
    const struct slice names[] = {job->statement, job->model, job->database, job->user};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].size > KUBE_JOB_ORIGIN_MAX)
            return refuse_value("a name of the job's origin", names[i], "one of at most 255 bytes",
                                err);
    return STATUS_OK;
}

/* Checks a snapshot's name as pg_export_snapshot() makes it: 00000003-0000001B-1. */
static enum status check_snapshot(struct slice snapshot, struct error *err)
{
    if (snapshot.size > KUBE_JOB_SNAPSHOT_MAX || !has_only(snapshot, "ABCDEF-") ||
        (snapshot.size > 0 && snapshot.data[0] == '-'))
        return refuse_value("a snapshot", snapshot, "what pg_export_snapshot() returns", err);
    return STATUS_OK;
}

static enum status check_run(const struct kube_job *job, struct error *err)
{
    if (job->schedule.size == 0 && job->owner_pod.size == 0 && job->owner_uid.size == 0)
        return STATUS_OK;
    TRY(check_name("the schedule's name", job->schedule, MANIFEST_NAME_BYTES_MAX, false, err));
    TRY(check_name("the owning pod's name", job->owner_pod, 253, false, err));
    return check_name("the owning pod's uid", job->owner_uid, 63, false, err);
}

static enum status check_servers(const struct kube_job *job, struct error *err)
{
    if (job->servers > MANIFEST_SERVERS_MAX)
        return fail(err, STATUS_INVALID, "a job has at most %d parameter servers, not %u",
                    MANIFEST_SERVERS_MAX, job->servers);
    if (job->servers == 0)
        return STATUS_OK;
    if (job->servers_max < job->servers || job->servers_max > MANIFEST_SERVERS_MAX)
        return fail(err, STATUS_INVALID,
                    "the most parameter servers are from the %u of the beginning to %d, not %u",
                    job->servers, MANIFEST_SERVERS_MAX, job->servers_max);
    if (job->server_cpu_m < 1 || job->server_cpu_m > QUANTITY_CPU_M_MAX)
        return fail(err, STATUS_INVALID, "a parameter server has 1m to 1000 processors, not %lldm",
                    (long long)job->server_cpu_m);
    if (job->server_memory <= KUBE_JOB_SERVER_ALONE || job->server_memory > QUANTITY_MEMORY_MAX)
        return fail(err, STATUS_INVALID,
                    "a parameter server's Pod has more than 64Mi of memory, and at most 1024Ti, "
                    "not %lld bytes",
                    (long long)job->server_memory);
    if (job->server_memory_max < job->server_memory || job->server_memory_max > QUANTITY_MEMORY_MAX)
        return fail(err, STATUS_INVALID,
                    "the most memory of a parameter server is from the %lld bytes that each has "
                    "to 1024Ti, not %lld",
                    (long long)job->server_memory, (long long)job->server_memory_max);
    return STATUS_OK;
}

static enum status check_master(const struct kube_job *job, struct error *err)
{
    if (job->master_cpu_m < 0 || job->master_cpu_m > QUANTITY_CPU_M_MAX)
        return fail(err, STATUS_INVALID, "a master has 1m to 1000 processors, not %lldm",
                    (long long)job->master_cpu_m);
    if (job->master_memory != 0 &&
        (job->master_memory < QUANTITY_MEMORY_MIN || job->master_memory > QUANTITY_MEMORY_MAX))
        return fail(err, STATUS_INVALID, "a master has 16Mi to 1024Ti of memory, not %lld bytes",
                    (long long)job->master_memory);
    if (job->deadline_s < 0 || job->deadline_s > KUBE_JOB_SECONDS_MAX)
        return fail(err, STATUS_INVALID, "a job's deadline is from 1 s to 10 years, not %lld s",
                    (long long)job->deadline_s);
    return STATUS_OK;
}

static enum status check_numbers(const struct kube_job *job, struct error *err)
{
    if (job->job < 0)
        return fail(err, STATUS_INVALID, "a job's number is not %lld", (long long)job->job);
    if (job->cpu_m < 1 || job->cpu_m > QUANTITY_CPU_M_MAX)
        return fail(err, STATUS_INVALID, "a worker has 1m to 1000 processors, not %lldm",
                    (long long)job->cpu_m);
    if (job->memory < QUANTITY_MEMORY_MIN || job->memory > QUANTITY_MEMORY_MAX)
        return fail(err, STATUS_INVALID, "a worker has 16Mi to 1024Ti of memory, not %lld bytes",
                    (long long)job->memory);
    if (job->memory_max < job->memory || job->memory_max > QUANTITY_MEMORY_MAX)
        return fail(err, STATUS_INVALID,
                    "the most memory of a worker is from the %lld bytes that each has to 1024Ti, "
                    "not %lld",
                    (long long)job->memory, (long long)job->memory_max);
    TRY(check_servers(job, err));
    if (job->workers_max < 1 || job->workers_max > MANIFEST_WORKERS_MAX)
        return fail(err, STATUS_INVALID, "a job has 1 to %d workers, not %u", MANIFEST_WORKERS_MAX,
                    job->workers_max);
    if (job->cpu_limit_percent != 0 &&
        (job->cpu_limit_percent < 100 || job->cpu_limit_percent > KUBE_JOB_CPU_LIMIT_PERCENT_MAX))
        return fail(
            err, STATUS_INVALID,
            "a limit of processors is 100 to %d percent of what a pod asks for, or 0 (none), "
            "not %lld",
            KUBE_JOB_CPU_LIMIT_PERCENT_MAX, (long long)job->cpu_limit_percent);
    if (job->keep_s < 0 || job->keep_s > KUBE_JOB_SECONDS_MAX)
        return fail(err, STATUS_INVALID, "a finished job is kept for 0 to %lld seconds, not %lld",
                    (long long)KUBE_JOB_SECONDS_MAX, (long long)job->keep_s);
    return STATUS_OK;
}

int64_t kube_job_master_cpu_m(const struct kube_job *job)
{
    return job->master_cpu_m > 0 ? job->master_cpu_m : KUBE_JOB_MASTER_CPU_M;
}

int64_t kube_job_master_memory(const struct kube_job *job)
{
    return job->master_memory > 0 ? job->master_memory : KUBE_JOB_MASTER_MEMORY;
}

int64_t kube_job_server_rows(int64_t memory)
{
    return kube_job_server_rows_most(memory) / 2;
}

int64_t kube_job_server_rows_most(int64_t memory)
{
    return memory - KUBE_JOB_SERVER_ALONE;
}

void kube_job_set_servers(struct kube_job *job, uint32_t servers, uint64_t row_bytes, int64_t cpu_m)
{
    if (servers == 0)
        return;
    job->servers = servers;
    job->servers_max = MANIFEST_SERVERS_MAX;
    job->server_cpu_m = cpu_m > 0 ? cpu_m : KUBE_JOB_CPU_M;
    job->server_memory = KUBE_JOB_MEMORY;
    if (row_bytes > 0) /* kube_job_check refuses a number that is too large */
        job->server_memory = row_bytes < (uint64_t)QUANTITY_MEMORY_MAX
                                 ? (int64_t)row_bytes * 2 + KUBE_JOB_SERVER_ALONE
                                 : QUANTITY_MEMORY_MAX + 1;
    job->server_memory_max = job->server_memory * KUBE_JOB_MEMORY_GROWTH;
}

enum status kube_job_check_secret(const char *what, struct slice name, struct error *err)
{
    return check_name(what, name, 253, false, err);
}

enum status kube_job_check(const struct kube_job *job, struct error *err)
{
    TRY(check_name("the job's name", job->name, MANIFEST_NAME_BYTES_MAX, false, err));
    if (memchr(job->name.data, '.', job->name.size)) /* it is a label and a host's name too */
        return refuse_value("the job's name", job->name, "a name of a-z, 0-9 and -", err);
    if (check_name("the namespace", job->kube_namespace, NAMESPACE_BYTES_MAX, false, err) !=
            STATUS_OK ||
        memchr(job->kube_namespace.data, '.', job->kube_namespace.size))
        return refuse_value("the namespace", job->kube_namespace, "a name of a-z, 0-9 and -", err);
    TRY(check_image(job->image, err));
    if (!slice_is(job->pull_policy, "Always") && !slice_is(job->pull_policy, "IfNotPresent") &&
        !slice_is(job->pull_policy, "Never"))
        return refuse_value("the pull policy", job->pull_policy, "Always, IfNotPresent or Never",
                            err);
    TRY(check_name("the service account", job->service_account, 253, false, err));
    TRY(check_name("the priority class", job->priority_class, 253, true, err));
    TRY(check_name("the database's Secret", job->database_secret, 253, true, err));
    TRY(check_slot(job->slot_resource, err));
    TRY(check_schema(job->schema, err));
    TRY(check_snapshot(job->snapshot, err));
    TRY(check_run(job, err));
    TRY(check_origin(job, err));
    TRY(profile_check_pods(job->pods, err));
    TRY(check_master(job, err));
    return check_numbers(job, err);
}

enum status schedule_check(struct slice schedule, struct error *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*/,-? ";
    unsigned fields = 0;

    for (size_t i = 0; i < schedule.size; i++)
        fields += schedule.data[i] != ' ' && (i == 0 || schedule.data[i - 1] == ' ');
    if (schedule.size > 0 && schedule.size <= 100 &&
        (schedule.data[0] == '@' ? fields == 1 : fields == 5 && has_only(schedule, letters)))
        return STATUS_OK;
    return refuse_value("a schedule", schedule, "five fields of cron, such as '0 3 * * *'", err);
}

enum status quantity_read_cpu(struct slice text, int64_t *cpu_m, struct error *err)
{
    struct slice suffix;
    double number;

    if (!number_with_suffix(text, &number, &suffix) || (suffix.size > 0 && !slice_is(suffix, "m")))
        return refuse_value("an amount of processors", text, "a number such as 2, 1.5 or 500m",
                            err);
    if (suffix.size == 0)
        number *= 1000;
    if (number < 1 || number > (double)QUANTITY_CPU_M_MAX || number != (double)(int64_t)number)
        return refuse_value("an amount of processors", text, "from 1m to 1000, in thousandths",
                            err);
    *cpu_m = (int64_t)number;
    return STATUS_OK;
}

enum status quantity_read_memory(struct slice text, int64_t *bytes, struct error *err)
{
    double number;

    if (!memory_size_read(text, &number))
        return refuse_value("an amount of memory", text, "a number such as 512Mi, 2Gi or 2G", err);
    if (number < (double)QUANTITY_MEMORY_MIN || number > (double)QUANTITY_MEMORY_MAX)
        return refuse_value("an amount of memory", text, "from 16Mi to 1024Ti", err);
    *bytes = (int64_t)number;
    return STATUS_OK;
}

static const char *const band_ends[] = {"-low", "", "-high"};

/* The index of the band of a class that is ours; -1: it is another's. */
static int find_band(const struct kube_job *job)
{
    char name[64];

    for (int i = 0; i < (int)(sizeof band_ends / sizeof *band_ends); i++) {
        snprintf(name, sizeof name, "%s%s", KUBE_JOB_FIRST, band_ends[i]);
        if (slice_is(job->priority_class, name))
            return i;
    }
    return -1;
}

int kube_job_band(const struct kube_job *job)
{
    const int found = find_band(job);

    return found < 0 ? 0 : found - 1;
}

struct slice kube_job_more_class(const struct kube_job *job, char out[64])
{
    const int found = find_band(job);

    if (found < 0)
        return SLICE("");
    snprintf(out, 64, "%s%s", KUBE_JOB_MORE, band_ends[found]);
    return slice_of(out);
}

/* Master and servers count as pods of one size. */
struct share_job kube_job_use(const struct kube_job *job)
{
    const int64_t count = 1 + (int64_t)job->servers;
    const int64_t millis = kube_job_master_cpu_m(job) + job->servers * job->server_cpu_m;
    const int64_t bytes = kube_job_master_memory(job) + job->servers * job->server_memory;

    return (struct share_job){
        .band = kube_job_band(job),
        .least = 1,
        .most = job->workers_max,
        .worker = {.millis = job->cpu_m > 0 ? job->cpu_m : 1, .bytes = job->memory},
        .rest = {.millis = (millis + count - 1) / count, .bytes = (bytes + count - 1) / count},
        .rest_count = (uint32_t)count,
        .seconds_left = -1};
}
