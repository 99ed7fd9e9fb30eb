#include "extension/postgres/server/session/compat.h"

#include <limits.h>
#include <unistd.h>

#include <lib/stringinfo.h>
#include <postmaster/postmaster.h>
#include <utils/guc.h>
#include <utils/guc_tables.h>

#include "extension/engine/host/held_models.h"
#include "extension/engine/host/stored.h"
#include "extension/engine/host/stored_model.h"
#include "extension/postgres/server/session/failure_command.h"
#include "extension/postgres/server/session/model_cache.h"
#include "extension/postgres/server/session/settings.h"
#include "k8s/job/kube_job.h"

/* Where `make install` puts it. */
#ifndef TOTRAIN_PROGRAM
#define TOTRAIN_PROGRAM "/usr/local/bin/totrain"
#endif

#define WORKERS_MAX     1024 /* the most that job.max_workers takes */
#define WORKERS_DEFAULT 64
#define JOBS_DEFAULT    4

struct settings settings;

/* An assign hook. */
static void limit_model_cache(int kilobytes, void *extra)
{
    model_cache_limit((size_t)kilobytes * 1024);
}

static void define_for_users(void)
{
    DefineCustomBoolVariable("totrain.bare_statements",
                             "Understands SELECT ... TO TRAIN and its sisters without a function "
                             "around them.",
                             "Needs totrain in session_preload_libraries or "
                             "shared_preload_libraries.",
                             &settings.bare_statements, true, PGC_USERSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("totrain.progress_interval",
                            "Time between two notices of how training goes.",
                            "-1 turns them off, 0 shows each.", &settings.progress_interval, 1000,
                            -1, INT_MAX, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
    DefineCustomIntVariable("totrain.seed", "Seed of a statement that sets no train.seed.", NULL,
                            &settings.seed, 0, 0, INT_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("totrain.kept_versions",
                            "Older versions that stay with a model when it is trained again.", NULL,
                            &settings.kept_versions, VERSIONS_KEPT, 1, VERSIONS_KEPT_MAX,
                            PGC_USERSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable(
        "totrain.model_memory", "Most memory of a model that a session itself loads.",
        "Larger ones are scored by worker processes. 0 means a quarter of the "
        "memory that the server has.",
        &settings.model_memory, 0, 0, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
    DefineCustomIntVariable("totrain.model_cache",
                            "Most memory of models that a session keeps between statements.",
                            "The ones that were used last are kept. 0 keeps none.",
                            &settings.model_cache, HELD_MODELS_BYTES_DEFAULT / 1024, 0,
                            MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, NULL, limit_model_cache, NULL);
    DefineCustomStringVariable("totrain.failure_command",
                               "Command of totrain.failure_commands that is told of failed jobs.",
                               "For jobs that no session waits for. Empty means none.",
                               &settings.failure_command, "", PGC_USERSET, 0,
                               failure_command_check_name, NULL, NULL);
}

static void define_for_administrators(void)
{
    DefineCustomIntVariable("totrain.max_workers", "Most worker processes of one job.", NULL,
                            &settings.max_workers, WORKERS_DEFAULT, 1, WORKERS_MAX, PGC_SUSET, 0,
                            NULL, NULL, NULL);
    DefineCustomIntVariable("totrain.max_jobs_per_role",
                            "Most jobs that one role may have running in a database.",
                            "-1 means no limit. Superusers have none.", &settings.max_jobs_per_role,
                            JOBS_DEFAULT, -1, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("totrain.max_background_jobs",
                            "Most jobs of totrain.submit that run in the server at a time.",
                            "-1 means half of max_worker_processes. One of them is left for other "
                            "roles than the one that submits.",
                            &settings.max_background_jobs, -1, -1, MAX_BACKENDS, PGC_SUSET, 0, NULL,
                            NULL, NULL);
    DefineCustomIntVariable(
        "totrain.max_memory", "Most memory of its own of each process of a job.",
        "0 means no limit. The rows, which are mapped files, do not count.", &settings.max_memory,
        0, 0, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
    DefineCustomStringVariable("totrain.program", "Path of the program totrain.", NULL,
                               &settings.program, TOTRAIN_PROGRAM, PGC_SIGHUP, GUC_SUPERUSER_ONLY,
                               NULL, NULL, NULL);
    DefineCustomStringVariable(
        "totrain.job_schema", "Schema of the tables of jobs that run somewhere else.", NULL,
        &settings.job_schema, "totrain_jobs", PGC_SIGHUP, 0, NULL, NULL, NULL);
    DefineCustomStringVariable("totrain.job_login",
                               "Role that the processes of such jobs log in as.",
                               "Empty means that there are no such jobs.", &settings.job_login, "",
                               PGC_SIGHUP, 0, NULL, NULL, NULL);
    DefineCustomStringVariable("totrain.failure_commands",
                               "Programs that totrain.failure_command may name: name=path, ...",
                               "They run as the server's user, with a job's id and state as "
                               "arguments.",
                               &settings.failure_commands, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY,
                               failure_command_check_list, NULL, NULL);
    DefineCustomStringVariable("totrain.state_directory", "Folder of the jobs.",
                               "Empty means the folder pgsql_tmp_totrain in the data directory.",
                               &settings.state_directory, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL,
                               NULL, NULL);
}

static void define_text(const char *name, const char *help, const char *more, char **value,
                        const char *otherwise, int flags)
{
    DefineCustomStringVariable(name, help, more, value, otherwise, PGC_SIGHUP, flags, NULL, NULL,
                               NULL);
}

static void define_for_clusters(void)
{
    DefineCustomBoolVariable("totrain.enable_kubernetes",
                             "Allows job.where = 'kubernetes' to members of totrain_k8s.", NULL,
                             &settings.enable_kubernetes, false, PGC_SIGHUP, 0, NULL, NULL, NULL);
    define_text("totrain.kubeconfig",
                "File with the addresses of clusters and the credentials for them.",
                "Empty means the service account of the server's own pod. It runs no programs.",
                &settings.kubeconfig, "", GUC_SUPERUSER_ONLY);
    define_text("totrain.kubernetes_namespace", "Namespace of the jobs.", NULL,
                &settings.kubernetes_namespace, "totrain", 0);
    define_text("totrain.kubernetes_resource", "Each worker asks for one of this resource.",
                "Empty means processors and memory only.", &settings.kubernetes_resource, "", 0);
    define_text("totrain.images", "Images of the program: name=image, ...",
                "job.image chooses one by its name; the first is the default.", &settings.images,
                "", 0);
    define_text("totrain.priority_classes", "PriorityClasses that job.priority may name.", NULL,
                &settings.priority_classes, "", 0);
    DefineCustomIntVariable("totrain.kubernetes_cpu_limit",
                            "Limit of processors of each pod, in percent of what it asks for.",
                            "0: none. From 100 on where a quota or a LimitRange demands limits.",
                            &settings.kubernetes_cpu_limit, 0, 0, KUBE_JOB_CPU_LIMIT_PERCENT_MAX,
                            PGC_SIGHUP, 0, NULL, NULL, NULL);
    /* A superuser's, for roles or databases, too. */
    DefineCustomStringVariable("totrain.default_priority",
                               "PriorityClass of jobs whose statement names none.",
                               "totrain-first: what the job can do without has totrain-more.",
                               &settings.default_priority, "", PGC_SUSET, 0, NULL, NULL, NULL);
    DefineCustomStringVariable("totrain.profiles",
                               "Profiles of totrain.profile_file that job.profile may name.",
                               "The first is the default. Empty: jobs have no profile.",
                               &settings.profiles, "", PGC_SUSET, 0, NULL, NULL, NULL);
    define_text("totrain.profile_file", "File of profiles: where jobs on Kubernetes run.",
                "A JSON object, a member for each profile.", &settings.profile_file, "",
                GUC_SUPERUSER_ONLY);
    define_text(
        "totrain.database_secret", "Secret of the namespace with the login of the jobs' processes.",
        "Its key login holds a connection string of libpq.", &settings.database_secret, "", 0);
}

/* NULL where it was never set: before we define it, the server knows no more. */
static const struct config_generic *find_setting(const char *name)
{
    int count;
    struct config_generic **variables = COMPAT_GUC_VARIABLES(&count);

    for (int i = 0; i < count; i++)
        if (pg_strcasecmp(variables[i]->name, name) == 0)
            return variables[i];
    return NULL;
}

/* A setting in the connection's options (-c totrain.max_workers=9) takes the place of
 * postgresql.conf's value before this library is loaded and can object; then the server drops
 * it for want of rights, and falls back to our default. So an administrator's limit would
 * be lost: the connection is refused instead. */
static void refuse_at_connection(const char *name, bool by_superuser)
{
    const struct config_generic *said = find_setting(name);

    if (!said || said->reset_source < PGC_S_CLIENT ||
        (by_superuser && said->reset_scontext == PGC_SU_BACKEND))
        return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("parameter \"%s\" cannot be set as a connection is opened", name),
                    errhint("An administrator sets it in postgresql.conf, or with ALTER ROLE or "
                            "ALTER DATABASE.")));
}

void settings_define(void)
{
    refuse_at_connection("totrain.max_workers", true);
    refuse_at_connection("totrain.max_jobs_per_role", true);
    refuse_at_connection("totrain.max_background_jobs", true);
    refuse_at_connection("totrain.max_memory", true);
    refuse_at_connection("totrain.program", false);
    refuse_at_connection("totrain.state_directory", false);
    refuse_at_connection("totrain.failure_commands", false);
    refuse_at_connection("totrain.job_schema", false);
    refuse_at_connection("totrain.job_login", false);
    refuse_at_connection("totrain.enable_kubernetes", false);
    refuse_at_connection("totrain.kubeconfig", false);
    refuse_at_connection("totrain.kubernetes_namespace", false);
    refuse_at_connection("totrain.kubernetes_resource", false);
    refuse_at_connection("totrain.images", false);
    refuse_at_connection("totrain.priority_classes", false);
    refuse_at_connection("totrain.database_secret", false);
    refuse_at_connection("totrain.profile_file", false);
    refuse_at_connection("totrain.profiles", true);
    define_for_administrators();
    define_for_users(); /* after the list of failure commands, which one of theirs names */
    define_for_clusters();
    MarkGUCPrefixReserved("totrain");
}

void settings_limit_memory(struct host *host)
{
    host->session.memory_max = (uint64_t)settings.max_memory * 1024;
    stored_model_limit(host, (uint64_t)settings.model_memory * 1024, "totrain.model_memory");
}

/* Base backups leave out what begins so: jobs are of this server, and hold rows of its tables. */
#define STATE_FOLDER "pgsql_tmp_totrain"
/* Where it was before. */
#define OLD_STATE_FOLDER "totrain"

static void move_old_folder(const char *folder)
{
    const char *old = psprintf("%s/" OLD_STATE_FOLDER, DataDir);

    if (access(folder, F_OK) != 0 && access(old, F_OK) == 0 && rename(old, folder) == 0)
        ereport(LOG, (errmsg("the jobs of totrain are in %s now", folder)));
}

char *settings_state_root(void)
{
    static bool has_looked;
    char *folder;

    if (settings.state_directory && settings.state_directory[0])
        return pstrdup(settings.state_directory);
    folder = psprintf("%s/" STATE_FOLDER, DataDir);
    if (!has_looked)
        move_old_folder(folder);
    has_looked = true;
    return folder;
}

char *settings_state_of(Oid database, Oid role)
{
    return psprintf("%s/%u/%u", settings_state_root(), database, role);
}

char *settings_state(Oid role)
{
    return settings_state_of(MyDatabaseId, role);
}

/* Where the server keeps its files is a superuser's to know, as the setting is. */
const char *settings_hide_state(const char *text)
{
    const char *root = settings_state_root();
    const char *found;
    StringInfoData hidden;

    if (!strstr(text, root) || superuser())
        return text;
    initStringInfo(&hidden);
    for (; (found = strstr(text, root)) != NULL; text = found + strlen(root)) {
        appendBinaryStringInfo(&hidden, text, (int)(found - text));
        appendStringInfoString(&hidden, "totrain.state_directory");
    }
    appendStringInfoString(&hidden, text);
    return hidden.data;
}
