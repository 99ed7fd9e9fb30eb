#include "submit_command.h"

#include <locale.h>
#include <stdlib.h>

#include "cluster_jobs.h"
#include "input.h"
#include "jobspec/jobspec.h"
#include "k8s/manifest.h"
#include "k8s/rights.h"
#include "options.h"
#include "script.h"

#define TAKES                                                                                      \
    (OPTION_SQL | OPTION_FILE | OPTION_FORMAT | OPTION_PROGRESS | OPTIONS_CLUSTER |                \
     OPTIONS_KUBE_JOB | OPTION_SCHEDULE | OPTION_DRY_RUN | OPTION_COLOUR | OPTION_HELP)

static const char usage[] =
    "usage: totrain submit DB STATEMENT --image=NAME --database-secret=NAME [OPTION]...\n"
    "       totrain submit DB [-c SQL]... [-f FILE]... --image=NAME ...\n"
    "       totrain submit FILE --image=NAME --dry-run [OPTION]...\n"
    "\n"
    "Runs statements as totrain DB does, and sends what trains to a Kubernetes cluster,\n"
    "unless it says job.where = 'local': rows go into tables of the database, the job's\n"
    "processes are Pods that reach it with the login of the Secret, and the model is\n"
    "written here when they are done. DB is PostgreSQL's (postgres://host/name).\n"
    "\n"
    "    totrain submit postgres://db.example/shop --image=registry.example/totrain:1\n"
    "        --database-secret=totrain-login \"SELECT * FROM customers TO TRAIN\n"
    "        DNNClassifier WITH model.hidden_units = [32, 16], job.max_workers = 4\n"
    "        LABEL churned INTO churn_model\"\n"
    "\n"
    "--dry-run prints the objects instead and creates nothing: a Job that runs the\n"
    "master and owns all else, Secrets, a Service, and the Pod of worker 0 as the master\n"
    "would make it. Credentials are left empty. FILE is a job spec, as the job.json of a\n"
    "job's folder. With --schedule, a CronJob that submits it by the clock.\n"
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

static enum status read_job(struct submission *submission, const struct cluster_options *options,
                            struct error *err)
{
    struct kube_job *job = &submission->job;

    *job = (struct kube_job){
        .kube_namespace = SLICE(KUBE_JOB_NAMESPACE),
        .pull_policy = SLICE("IfNotPresent"),
        .service_account = SLICE(KUBE_JOB_ACCOUNT),
        .cpu_m = KUBE_JOB_CPU_M,
        .memory = KUBE_JOB_MEMORY,
        .workers_max = submission->spec.max_workers,
        .keep_s = KUBE_JOB_KEEP_S,
    };
    TRY(cluster_job_fill(options, job, err));
    if (job->name.size == 0)
        TRY(kube_job_invent_name(submission->spec.model_name, &submission->arena, &job->name, err));
    job->memory_max = job->memory * KUBE_JOB_MEMORY_GROWTH;
    submission->schedule = slice_of(options->schedule ? options->schedule : "");
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

static enum status print_spec(const struct options *options, struct error *err)
{
    struct submission submission = {.schedule = SLICE("")};
    enum status status;

    if (!options->cluster.is_dry_run)
        return fail(err, STATUS_UNSUPPORTED, "a job spec has no rows that a cluster could read"),
               error_hint(err, "Name the database and the statement: totrain submit postgres://... "
                               "'SELECT ... TO TRAIN ...'. --dry-run prints a spec's objects.");
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

/* ----- for real ----- */

static enum status run_inputs(struct session *session, const struct options *options)
{
    enum status status = STATUS_OK;

    if (options->word_count == 2)
        return script_run(session, NULL, slice_of(options->words[1]));
    if (options->input_count == 0)
        return script_run_file(session, "-");
    for (size_t i = 0; i < options->input_count && status == STATUS_OK && !session->is_ended; i++) {
        const struct input *input = &options->inputs[i];

        status = input->is_file ? script_run_file(session, input->value)
                                : script_run(session, NULL, slice_of(input->value));
    }
    return status;
}

/* The exit code. */
static int run_on_cluster(const struct options *options)
{
    struct session session;
    struct error err;
    enum status status;

    setlocale(LC_CTYPE, "C.UTF-8");
    status = session_open(&session, options->words[0], options, &err);
    session.postgres.host.catalog.limits.wants_cluster = true;
    if (status == STATUS_OK)
        status = run_inputs(&session, options);
    else
        report(&err, options->colour);
    session_close(&session);
    return status_exit_code(status);
}

static enum status check(const struct options *options, struct error *err)
{
    const bool is_database = options->word_count > 0 && libpq_is_address(options->words[0]);

    if (options->word_count == 0 || (options->word_count == 2 && !is_database))
        return fail(err, STATUS_INVALID,
                    "submit takes a database and a statement, or one file, a job spec"),
               error_hint(err, "totrain submit --help shows how it is called.");
    if (options->word_count == 2 && options->input_count > 0)
        return fail(err, STATUS_INVALID, "a statement, or -c and -f, not both");
    if (!is_database || (!options->cluster.is_dry_run && !options->cluster.schedule))
        return STATUS_OK;
    return fail(err, STATUS_UNSUPPORTED, "--dry-run and --schedule are for job specs yet"),
           error_hint(err, "The job.json in the folder of a job is one.");
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
    if (check(&options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (libpq_is_address(options.words[0]))
        return run_on_cluster(&options);
    return print_spec(&options, &err) == STATUS_OK ? 0 : report(&err, options.colour);
}
