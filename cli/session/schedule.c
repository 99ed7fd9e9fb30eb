#include "cli/session/schedule.h"

#include <stdio.h>

#include "cli/printing/printing.h"
#include "cli/session/cluster_jobs.h"
#include "cli/session/input.h"
#include "k8s/client/access_find.h"
#include "k8s/client/api_answer.h"
#include "k8s/client/http.h"
#include "k8s/client/http_exchange.h"
#include "k8s/job/kube_job_name.h"
#include "k8s/objects/manifest.h"
#include "k8s/objects/rights.h"
#include "parser/parser.h"
#include "parser/splitter.h"

#define TRIES               4
#define STATEMENT_KEEPS_MAX ((size_t)512 << 10) /* a Secret holds 1 MiB in base64 */

struct scheduling {
    const struct options *options;
    struct arena arena;
    struct text statement;
    struct kube_job job;
    struct kube_schedule schedule;
};

/* ----- the database ----- */

static bool has(const PQconninfoOption *options, const char *keyword)
{
    for (const PQconninfoOption *option = options; option->keyword; option++)
        if (strcmp(option->keyword, keyword) == 0)
            return option->val && option->val[0];
    return false;
}

static enum status check_words(const PQconninfoOption *words, struct error *err)
{
    if (has(words, "password") || has(words, "sslpassword"))
        return fail(err, STATUS_INVALID, "a password would be seen in the arguments of a pod"),
               error_hint(err, "It belongs into the service file of the Secret.");
    if (!has(words, "service"))
        return fail(err, STATUS_INVALID, "a schedule takes its database as service=NAME"),
               error_hint(err, "NAME is a section of " MANIFEST_SERVICE_KEY
                               ", a key of the Secret that --service-secret names.");
    return STATUS_OK;
}

enum status schedule_check_database(const char *address, struct error *err)
{
    PQconninfoOption *words;
    enum status status;
    char *problem = NULL;

    TRY(lazy_pq_load(err));
    words = PQconninfoParse(address, &problem);
    if (words)
        status = check_words(words, err);
    else
        status = fail(err, STATUS_INVALID, "%s", problem ? problem : "out of memory");
    if (problem)
        PQfreemem(problem);
    PQconninfoFree(words);
    return status;
}

/* ----- the statement ----- */

static enum status read_statement(struct scheduling *scheduling, struct error *err)
{
    const struct options *options = scheduling->options;
    struct text *statement = &scheduling->statement;

    if (options->word_count == 2) {
        text_append_string(statement, options->words[1]);
    } else {
        const bool has_one = options->input_count == 1;

        if (options->input_count > 1)
            return fail(err, STATUS_INVALID, "a schedule takes one statement, or one file of them");
        if (!has_one || options->inputs[0].is_file)
            TRY(input_read(has_one ? options->inputs[0].value : "-", statement, err));
        else
            text_append_string(statement, options->inputs[0].value);
    }
    if (statement->size > STATEMENT_KEEPS_MAX)
        return fail(err, STATUS_LIMIT, "a schedule's statements have at most %zu bytes",
                    STATEMENT_KEEPS_MAX);
    return statement->failed ? fail_no_memory(err) : STATUS_OK;
}

/* Refuses settings that the planner would refuse at each run; this run would look as if it had
 * trained. */
static enum status check_waits(const struct statement *statement, struct error *err)
{
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];

        if ((slice_is_fold(setting->name.text, "job.wait") ||
             slice_is_fold(setting->name.text, "wait")) &&
            setting->value.kind == VALUE_BOOLEAN && !setting->value.boolean)
            return fail_at(err, STATUS_INVALID, setting->name.position,
                           "job.wait = false does not go together with --schedule"),
                   error_hint(err, "The pod of the schedule waits, and publishes the model.");
    }
    return STATUS_OK;
}

static enum status look_at(struct scheduling *scheduling, const struct piece *piece,
                           struct slice *model, struct error *err)
{
    struct statement statement;

    if (piece->kind != PIECE_OURS)
        return STATUS_OK;
    TRY(parse_piece(text_slice(&scheduling->statement), piece, &scheduling->arena, &statement,
                    err));
    if (statement.kind != STATEMENT_TRAIN || statement.explain_plan)
        return STATUS_OK;
    *model = path_last(&statement.into).text;
    return check_waits(&statement, err);
}

/* The name of the last model that it trains. */
static enum status find_model(struct scheduling *scheduling, struct slice *model, struct error *err)
{
    const struct slice text = text_slice(&scheduling->statement);

    *model = SLICE("");
    for (int at = 0; (size_t)at < text.size;) {
        const struct piece piece = split_piece(text, at);

        TRY(look_at(scheduling, &piece, model, err));
        at = piece.next;
    }
    if (model->size > 0)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "the statements to be scheduled train nothing"),
           error_hint(err, "SELECT ... TO TRAIN ... INTO model");
}

/* ----- the objects ----- */

static enum status describe(struct scheduling *scheduling, struct slice model, struct error *err)
{
    const struct cluster_options *options = &scheduling->options->cluster;
    struct kube_job *job = &scheduling->job;

    cluster_job_begin(job);
    job->workers_max = 1; /* each run takes the statement's */
    TRY(cluster_job_fill(options, &scheduling->arena, job, err));
    if (job->database_secret.size == 0)
        return cluster_job_needs_login(err);
    if (job->name.size == 0)
        TRY(kube_job_stem(model, &scheduling->arena, &job->name, err));
    job->memory_max = job->memory * KUBE_JOB_MEMORY_GROWTH;
    scheduling->schedule = (struct kube_schedule){
        .cron = slice_of(options->schedule),
        .database = slice_of(scheduling->options->words[0]),
        .service_secret =
            slice_of(options->service_secret ? options->service_secret : SCHEDULE_SERVICE_SECRET),
        .account = SLICE(RIGHTS_SCHEDULE)};
    TRY(schedule_check(scheduling->schedule.cron, err));
    TRY(kube_job_check_secret("the service's Secret", scheduling->schedule.service_secret, err));
    return kube_job_check(job, err);
}

static enum status print(const struct scheduling *scheduling, struct error *err)
{
    cJSON *items, *list = printing_begin(&items);

    json_append(items, manifest_cron_job(&scheduling->job, &scheduling->schedule));
    json_append(items, manifest_statement_secret(&scheduling->job,
                                                 text_slice(&scheduling->statement), SLICE("")));
    return printing_end(list, err);
}

static enum status create(struct http *http, enum api_kind kind, const struct kube_job *job,
                          cJSON *object, struct api_answer *answer, struct error *err)
{
    const struct api_target target = {.kind = kind, .kube_namespace = job->kube_namespace};
    struct http_request request;
    enum status status;

    *answer = (struct api_answer){.retry_after_ms = -1};
    http_request_init(&request);
    status = api_create(&request, &target, object, err);
    if (status == STATUS_OK)
        status = http_exchange_again(http, &request, "create the schedule", TRIES, answer, err);
    http_request_deinit(&request);
    cJSON_Delete(object);
    return status;
}

static enum status create_both(const struct scheduling *scheduling, struct http *http,
                               struct error *err)
{
    const struct kube_job *job = &scheduling->job;
    const struct slice statement = text_slice(&scheduling->statement);
    struct api_answer answer, second;
    enum status status = create(http, API_CRON_JOBS, job,
                                manifest_cron_job(job, &scheduling->schedule), &answer, err);

    if (status == STATUS_BUSY && slice_is(slice_of(answer.reason), "AlreadyExists"))
        error_hint(err,
                   "kubectl delete cronjob %.*s --namespace %.*s removes it; --dry-run prints what "
                   "kubectl apply takes; --name gives this one another name.",
                   SLICE_FORMAT(job->name), SLICE_FORMAT(job->kube_namespace));
    if (status == STATUS_OK) {
        status = create(
            http, API_SECRETS, job,
            manifest_statement_secret(job, statement, API_TEXT(answer.object, "metadata", "uid")),
            &second, err);
        api_answer_deinit(&second);
    }
    api_answer_deinit(&answer);
    if (status == STATUS_OK)
        printf("CronJob %.*s in the namespace %.*s\n", SLICE_FORMAT(job->name),
               SLICE_FORMAT(job->kube_namespace));
    return status;
}

static enum status make(struct scheduling *scheduling, struct error *err)
{
    const struct cluster_options *options = &scheduling->options->cluster;
    const struct access_choice choice = {.kubeconfig = options->kubeconfig,
                                         .context = options->context,
                                         .kube_namespace = options->kube_namespace,
                                         .allows_exec = true,
                                         .allows_insecure = options->allows_insecure};
    struct kube_access access;
    struct http *http = NULL;
    enum status status;

    TRY(access_find(&choice, &scheduling->arena, &access, err));
    if (!options->kube_namespace)
        scheduling->job.kube_namespace = access.kube_namespace;
    status = http_new(&access, NULL, &http, err);
    if (status == STATUS_OK)
        status = create_both(scheduling, http, err);
    http_free(http);
    return status;
}

static enum status submit(struct scheduling *scheduling, struct error *err)
{
    struct slice model;

    TRY(schedule_check_database(scheduling->options->words[0], err));
    TRY(read_statement(scheduling, err));
    TRY(find_model(scheduling, &model, err));
    TRY(describe(scheduling, model, err));
    return scheduling->options->cluster.is_dry_run ? print(scheduling, err) : make(scheduling, err);
}

enum status schedule_submit(const struct options *options, struct error *err)
{
    struct scheduling scheduling = {.options = options};
    enum status status;

    arena_init(&scheduling.arena, ARENA_MAXIMUM);
    text_init(&scheduling.statement, INPUT_BYTES_MAX);
    status = submit(&scheduling, err);
    text_deinit(&scheduling.statement);
    arena_deinit(&scheduling.arena);
    return status;
}
