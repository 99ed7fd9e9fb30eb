#include "submit_command.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/random.h>

#include "input.h"
#include "jobspec/jobspec.h"
#include "k8s/manifest.h"
#include "k8s/rights.h"
#include "options.h"

#define TAKES                                                                                      \
    (OPTION_NAMESPACE | OPTION_IMAGE | OPTION_PULL | OPTION_NAME | OPTION_CPU | OPTION_MEMORY |    \
     OPTION_RESOURCE | OPTION_PRIORITY | OPTION_ACCOUNT | OPTION_DATABASE_SECRET | OPTION_KEEP |   \
     OPTION_SCHEDULE | OPTION_DRY_RUN | OPTION_COLOUR | OPTION_HELP)
#define NAME_STEM_MAX 30

static const char usage[] =
    "usage: totrain submit FILE --image=NAME --dry-run [OPTION]...\n"
    "\n"
    "Prints the job of FILE, a job spec as the job.json of a job's folder, as objects\n"
    "of Kubernetes: a Job that runs the master and owns all else, Secrets, a Service,\n"
    "and the Pod of worker 0 as the master would make it. Credentials are left empty.\n"
    "With --schedule, a CronJob that submits it by the clock.\n"
    "\n"
    "    totrain submit job.json --image=registry.example/totrain:1 --dry-run |\n"
    "        kubectl create --dry-run=server -f -\n"
    "\n"
    "options:\n";

struct submission {
    struct arena arena;
    struct text spec_text;
    struct jobspec spec;
    struct kube_job job;
    struct slice schedule; /* empty: now */
};

static enum status read_spec(struct submission *submission, const char *file, struct error *err)
{
    TRY(input_read(file, &submission->spec_text, err));
    return jobspec_read(text_slice(&submission->spec_text), &submission->arena, &submission->spec,
                        err);
}

/* "Churn_model" becomes "churn-model-x4k2p": what a name of an object allows, and
 * another one each time. */
static enum status invent_name(struct submission *submission, struct error *err)
{
    static const char letters[] = "bcdfghjkmnpqrstvwxz2456789abcdef";
    char name[NAME_STEM_MAX + 1], end[6] = "";
    unsigned char chance[5];
    size_t size = 0;

    for (size_t i = 0; i < submission->spec.model_name.size && size < NAME_STEM_MAX; i++) {
        int c = tolower((unsigned char)submission->spec.model_name.data[i]);
        bool is_fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (is_fine || (size > 0 && name[size - 1] != '-'))
            name[size++] = is_fine ? (char)c : '-';
    }
    while (size > 0 && name[size - 1] == '-')
        size--;
    name[size] = '\0';
    if (getrandom(chance, sizeof chance, 0) != sizeof chance)
        return fail_errno(err, STATUS_IO, "no random numbers");
    for (int i = 0; i < 5; i++)
        end[i] = letters[chance[i] % 32];
    submission->job.name = arena_printf(&submission->arena, "%s-%s", size > 0 ? name : "job", end);
    return submission->job.name.data ? STATUS_OK : fail_no_memory(err);
}

static struct slice or_else(const char *value, const char *otherwise)
{
    return slice_of(value ? value : otherwise);
}

static enum status read_job(struct submission *submission, const struct cluster_options *options,
                            struct error *err)
{
    struct kube_job *job = &submission->job;

    *job = (struct kube_job){
        .name = or_else(options->name, ""),
        .kube_namespace = or_else(options->kube_namespace, "totrain"),
        .image = or_else(options->image, ""),
        .pull_policy = or_else(options->pull_policy, "IfNotPresent"),
        .service_account = or_else(options->service_account, RIGHTS_MASTER),
        .priority_class = or_else(options->priority_class, ""),
        .database_secret = or_else(options->database_secret, ""),
        .slot_resource = or_else(options->resource, ""),
        .workers_max = submission->spec.max_workers,
        .keep_s = 86400,
    };
    if (!options->image)
        return fail(err, STATUS_INVALID, "--image is missing"),
               error_hint(err, "It names totrain's image as the cluster knows it.");
    if (!options->name)
        TRY(invent_name(submission, err));
    TRY(quantity_read_cpu(or_else(options->cpu, "1"), &job->cpu_m, err));
    TRY(quantity_read_memory(or_else(options->memory, "1Gi"), &job->memory, err));
    job->memory_max = job->memory;
    if (options->keep && !slice_to_integer(slice_of(options->keep), &job->keep_s))
        return fail(err, STATUS_INVALID, "--keep takes seconds, not %s", options->keep);
    submission->schedule = or_else(options->schedule, "");
    if (options->schedule)
        TRY(schedule_check(submission->schedule, err));
    return kube_job_check(job, err);
}

static void append_workers(cJSON *items, const struct submission *submission)
{
    struct manifest_credentials *none =
        calloc(MANIFEST_WORKERS_PER_SECRET, sizeof(struct manifest_credentials));
    uint32_t parts = (submission->job.workers_max + MANIFEST_WORKERS_PER_SECRET - 1) /
                     MANIFEST_WORKERS_PER_SECRET;

    for (uint32_t part = 0; part < parts; part++)
        json_append(items,
                    none ? manifest_workers_secret(&submission->job, part, none, SLICE("")) : NULL);
    free(none);
}

static void append_objects(cJSON *items, struct submission *submission)
{
    static const struct manifest_credentials none;
    const struct kube_job *job = &submission->job;
    struct slice spec = text_slice(&submission->spec_text), owner = SLICE("");
    struct kube_worker worker = {.memory = job->memory,
                                 .master = manifest_master_address(job, &submission->arena)};

    if (submission->schedule.size > 0) {
        json_append(items, manifest_cron_job(job, submission->schedule, SLICE(RIGHTS_SUBMITTER)));
        json_append(items, manifest_spec_secret(job, spec));
        return;
    }
    json_append(items, manifest_job(job));
    json_append(items, manifest_job_secret(job, owner));
    json_append(items, manifest_master_secret(job, &none, owner));
    append_workers(items, submission);
    json_append(items, manifest_service(job, owner));
    json_append(items, manifest_worker(job, &worker, owner));
}

static enum status print_objects(struct submission *submission, struct error *err)
{
    cJSON *list = cJSON_CreateObject();
    struct text text;
    enum status status;

    json_add_string(list, "apiVersion", SLICE("v1"));
    json_add_string(list, "kind", SLICE("List"));
    append_objects(json_add_array(list, "items"), submission);
    text_init(&text, TEXT_MAXIMUM);
    status = json_print(list, true, &text, err);
    if (status == STATUS_OK)
        puts(text_string(&text));
    text_deinit(&text);
    cJSON_Delete(list);
    return status;
}

static enum status submit(const struct options *options, struct error *err)
{
    struct submission submission = {.schedule = SLICE("")};
    enum status status;

    if (options->word_count != 1)
        return fail(err, STATUS_INVALID, "submit takes one file, a job spec"),
               error_hint(err, "totrain submit --help shows how it is called.");
    if (!options->cluster.is_dry_run)
        return fail(err, STATUS_UNSUPPORTED, "jobs cannot be run on a cluster yet"),
               error_hint(err, "--dry-run prints what would be created.");
    arena_init(&submission.arena, ARENA_MAXIMUM);
    text_init(&submission.spec_text, JOBSPEC_BYTES_MAX);
    status = read_spec(&submission, options->words[0], err);
    if (status == STATUS_OK)
        status = read_job(&submission, &options->cluster, err);
    if (status == STATUS_OK)
        status = print_objects(&submission, err);
    text_deinit(&submission.spec_text);
    arena_deinit(&submission.arena);
    return status;
}

int command_submit(int argc, char **argv)
{
    struct options options;
    struct error err;

    error_clear(&err);
    if (options_read(argc, argv, TAKES, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage, stdout);
        options_print(TAKES, stdout);
        return 0;
    }
    return submit(&options, &err) == STATUS_OK ? 0 : report(&err, options.colour);
}
