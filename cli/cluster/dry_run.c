#include "cli/cluster/dry_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/printing/printing.h"
#include "cli/session/cluster_jobs.h"
#include "cli/session/input.h"
#include "extension/engine/engine.h"
#include "extension/engine/jobs/cluster_job.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_read.h"
#include "k8s/job/kube_job_name.h"
#include "k8s/objects/manifest.h"
#include "parser/splitter.h"

static void append_credentials(cJSON *items, const struct kube_job *job, enum kube_role role)
{
    struct manifest_credentials *none =
        calloc(MANIFEST_WORKERS_PER_SECRET, sizeof(struct manifest_credentials));

    for (uint32_t part = 0; part < manifest_member_secrets(job, role); part++)
        json_append(items, none ? manifest_members_secret(job, role, part, none, SLICE("")) : NULL);
    free(none);
}

static void append_objects(cJSON *items, const struct kube_job *job, struct arena *arena)
{
    static const struct manifest_credentials none;
    const struct slice owner = SLICE("");
    const struct slice master = manifest_master_address(job, arena);
    const struct kube_member worker = {.memory = job->memory, .master = master};
    const struct kube_member server = {
        .role = KUBE_SERVER, .incarnation = 1, .memory = job->server_memory, .master = master};

    json_append(items, manifest_job(job));
    json_append(items, manifest_job_secret(job, owner));
    json_append(items, manifest_master_secret(job, &none, owner));
    append_credentials(items, job, KUBE_WORKER);
    append_credentials(items, job, KUBE_SERVER);
    json_append(items, manifest_service(job, owner));
    json_append(items, manifest_member(job, &worker, owner));
    if (job->servers > 0)
        json_append(items, manifest_member(job, &server, owner));
}

/* ----- of a job spec ----- */

static enum status describe_spec(const struct options *options, struct arena *arena,
                                 struct kube_job *job, struct error *err)
{
    struct text text;
    struct jobspec spec;
    enum status status;

    text_init(&text, JOBSPEC_BYTES_MAX);
    status = input_read(options->words[0], &text, err);
    if (status == STATUS_OK)
        status = jobspec_read(text_slice(&text), arena, &spec, err);
    text_deinit(&text);
    TRY(status);
    cluster_job_begin(job);
    job->workers_max = spec.max_workers;
    TRY(cluster_job_fill(&options->cluster, arena, job, err));
    if (job->name.size == 0)
        TRY(kube_job_invent_name(spec.model_name, arena, &job->name, err));
    job->memory_max = job->memory * KUBE_JOB_MEMORY_GROWTH;
    kube_job_set_servers(job, spec.servers, spec.server_memory, 0);
    return kube_job_check(job, err);
}

enum status dry_run_spec(const struct options *options, struct error *err)
{
    struct kube_job job;
    struct arena arena;
    enum status status;
    cJSON *items, *list;

    arena_init(&arena, ARENA_MAXIMUM);
    status = describe_spec(options, &arena, &job, err);
    if (status == STATUS_OK) {
        list = printing_begin(&items);
        append_objects(items, &job, &arena);
        status = printing_end(list, err);
    }
    arena_deinit(&arena);
    return status;
}

/* ----- of statements ----- */

struct dry_run {
    struct session *session;
    struct arena arena;
    cJSON *items;
    size_t jobs;
};

static enum status append_statement(struct dry_run *run, struct slice text,
                                    const struct piece *piece, struct error *err)
{
    struct cluster_request request;
    bool is_wanted;

    TRY(engine_cluster_request(run->session->host, text, piece, &run->arena, &request, &is_wanted,
                               err));
    if (!is_wanted)
        return STATUS_OK;
    append_objects(run->items, &request.job, &run->arena);
    run->jobs++;
    return STATUS_OK;
}

static enum status append_text(struct dry_run *run, struct slice text, struct error *err)
{
    for (int at = 0; (size_t)at < text.size;) {
        const struct piece piece = split_piece(text, at);

        if (piece.kind == PIECE_OURS)
            TRY(append_statement(run, text, &piece, err));
        at = piece.next;
    }
    return STATUS_OK;
}

static enum status append_file(struct dry_run *run, const char *path, struct error *err)
{
    struct text text;
    enum status status;

    text_init(&text, INPUT_BYTES_MAX);
    status = input_read(path, &text, err);
    if (status == STATUS_OK)
        status = append_text(run, text_slice(&text), err);
    text_deinit(&text);
    return status;
}

static enum status append_inputs(struct dry_run *run, const struct options *options,
                                 struct error *err)
{
    if (options->word_count == 2)
        return append_text(run, slice_of(options->words[1]), err);
    if (options->input_count == 0)
        return append_file(run, "-", err);
    for (size_t i = 0; i < options->input_count; i++)
        TRY(options->inputs[i].is_file ? append_file(run, options->inputs[i].value, err)
                                       : append_text(run, slice_of(options->inputs[i].value), err));
    return STATUS_OK;
}

static enum status print(struct dry_run *run, const struct options *options, struct error *err)
{
    cJSON *list = printing_begin(&run->items);
    enum status status = append_inputs(run, options, err);

    if (status == STATUS_OK && run->jobs == 0) {
        status = fail(err, STATUS_INVALID, "no statement here runs on the cluster");
        error_hint(err, "SELECT ... TO TRAIN ... INTO model, without job.where = 'local'");
    }
    if (status != STATUS_OK) {
        cJSON_Delete(list);
        return status;
    }
    TRY(printing_end(list, err));
    fputs("NOTE:  No row was read, and no table made: the job's number, of which its tables have "
          "their names, is 0 here, and its credentials are empty.\n",
          stderr);
    return STATUS_OK;
}

enum status dry_run_statements(const struct options *options, struct error *err)
{
    struct session session;
    struct dry_run run = {.session = &session};
    enum status status = session_open(&session, options->words[0], options, err);

    session.postgres.host.catalog.limits.wants_cluster = true;
    arena_init(&run.arena, ARENA_MAXIMUM);
    if (status == STATUS_OK)
        status = print(&run, options, err);
    arena_deinit(&run.arena);
    session_close(&session);
    return status;
}
