#include "extension/postgres/server/jobs/door_cluster.h"

#include <access/xact.h>
#include <commands/dbcommands.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/snapmgr.h>

#include "base/whole_file.h"
#include "extension/postgres/server/jobs/release.h"
#include "extension/postgres/server/session/session.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/sql/direct_table.h"
#include "k8s/job/cluster_folder.h"
#include "k8s/job/profile.h"
#include "planner/plan/plan.h"

#define ROLE_NAME "totrain_k8s"

/* ----- may it be done? ----- */

static bool has_role(void)
{
    const Oid role = get_role_oid(ROLE_NAME, true);

    return superuser() || (OidIsValid(role) && has_privs_of_role(GetUserId(), role));
}

void door_cluster_limits(const struct door *door, struct catalog_limits *limits)
{
    limits->has_cluster = limits->keeps_cluster = false;
    if (!settings.enable_kubernetes) {
        limits->no_cluster = "jobs on Kubernetes are not enabled on this server";
        limits->no_cluster_hint = "totrain.enable_kubernetes in postgresql.conf allows them.";
    } else if (!has_role()) {
        limits->no_cluster = "this role may not run jobs on Kubernetes";
        limits->no_cluster_hint = "GRANT " ROLE_NAME " TO role; allows it.";
    } else if (!door->owns_transaction) {
        limits->no_cluster = "a job on Kubernetes cannot be a part of a transaction: its processes "
                             "would not see the rows";
        limits->no_cluster_hint = "SELECT totrain.submit($$ ... $$) runs it in the background once "
                                  "the transaction is committed.";
    } else {
        limits->has_cluster = true;
        limits->keeps_cluster = !door->follows_itself;
    }
}

/* ----- what the administrator has decided ----- */

/* The next of "a, b"; false at the end. */
static bool next_item(struct slice *list, struct slice *item)
{
    const char *comma;

    if (list->size == 0)
        return false;
    comma = memchr(list->data, ',', list->size);
    *item = (struct slice){list->data, comma ? (size_t)(comma - list->data) : list->size};
    list->data += item->size + (comma ? 1 : 0);
    list->size -= item->size + (comma ? 1 : 0);
    *item = slice_trim(*item);
    return true;
}

/* Chooses from "name=image, name=image" the image that is wanted, or the first. A list of one image
 * needs no name. */
static enum status choose_image(struct slice wanted, struct kube_job *job, struct error *err)
{
    struct slice list = slice_of(settings.images), item;

    while (next_item(&list, &item)) {
        const char *equals = item.size > 0 ? memchr(item.data, '=', item.size) : NULL;
        const size_t name_size = equals ? (size_t)(equals - item.data) : 0;
        struct slice name = slice_trim((struct slice){item.data, name_size}), image = item;

        if (equals)
            image = slice_trim((struct slice){equals + 1, item.size - name_size - 1});
        if (wanted.size > 0 && !slice_equal(wanted, name))
            continue;
        job->image = image;
        return STATUS_OK;
    }
    if (wanted.size > 0)
        fail(err, STATUS_INVALID, "job.image is not in the administrator's list: \"%.*s\"",
             SLICE_FORMAT(wanted));
    else
        fail(err, STATUS_UNSUPPORTED, "no image is named for jobs on Kubernetes");
    return error_hint(err, "totrain.images in postgresql.conf lists them: 'name=image, ...'.");
}

/* `wanted` empty: the attribute is not there. */
static enum status check_listed(const char *attribute, struct slice wanted, const char *setting,
                                const char *value, struct error *err)
{
    struct slice list = slice_of(value), item;

    if (wanted.size == 0)
        return STATUS_OK;
    while (next_item(&list, &item))
        if (slice_equal(item, wanted))
            return STATUS_OK;
    fail(err, STATUS_INVALID, "%s is not in the administrator's list: \"%.*s\"", attribute,
         SLICE_FORMAT(wanted));
    return error_hint(err, "%s in postgresql.conf lists them.", setting);
}

/* The file is read as the server's user, whose name for it no other role can choose. */
static enum status read_profile(struct slice name, struct arena *arena, struct kube_job *job,
                                struct error *err)
{
    struct text file;
    enum status status;

    if (!settings.profile_file[0]) {
        fail(err, STATUS_UNSUPPORTED, "no file is named with the profiles of jobs on Kubernetes");
        return error_hint(err, "totrain.profile_file in postgresql.conf names it.");
    }
    text_init(&file, PROFILE_FILE_BYTES_MAX);
    status = whole_file_read(settings.profile_file, &file, err);
    if (status == STATUS_OK)
        status = profile_read(text_slice(&file), name, arena, job, err);
    text_deinit(&file);
    return status;
}

/* The profile comes before the settings of the same things. */
static enum status choose_profile(struct slice wanted, struct arena *arena, struct kube_job *job,
                                  struct error *err)
{
    struct slice list = slice_of(settings.profiles), first;

    TRY(check_listed("job.profile", wanted, "totrain.profiles", settings.profiles, err));
    if (wanted.size > 0)
        return read_profile(wanted, arena, job, err);
    return next_item(&list, &first) ? read_profile(first, arena, job, err) : STATUS_OK;
}

static enum status name_origin(struct arena *arena, struct kube_job *job, struct error *err)
{
    job->database = arena_copy(arena, session_shown(get_database_name(MyDatabaseId)));
    job->user = arena_copy(arena, session_shown(GetUserNameFromId(GetUserId(), false)));
    return job->database.data && job->user.data ? STATUS_OK : fail_no_memory(err);
}

static enum status describe(void *self, const struct plan_cluster *wanted, struct arena *arena,
                            struct kube_job *job, struct cluster_access *access, struct error *err)
{
    (void)self;
    TRY(choose_image(wanted->image, job, err));
    TRY(check_listed("job.priority", wanted->priority_class, "totrain.priority_classes",
                     settings.priority_classes, err));
    job->cpu_limit_percent = settings.kubernetes_cpu_limit;
    job->priority_class = slice_of(settings.default_priority);
    job->kube_namespace = slice_of(settings.kubernetes_namespace);
    job->database_secret = slice_of(settings.database_secret);
    job->slot_resource = slice_of(settings.kubernetes_resource);
    job->schema = slice_of(settings.job_schema);
    TRY(choose_profile(wanted->profile, arena, job, err));
    if (job->database_secret.size == 0) {
        fail(err, STATUS_UNSUPPORTED, "no Secret is named with the login of jobs on Kubernetes");
        return error_hint(err, "totrain.database_secret in postgresql.conf names it.");
    }
    TRY(name_origin(arena, job, err));
    *access =
        (struct cluster_access){.kubeconfig = slice_of(settings.kubeconfig), .context = SLICE("")};
    return STATUS_OK;
}

/* ----- rows that workers read ----- */

struct export_call {
    char *snapshot; /* KUBE_JOB_SNAPSHOT_MAX + 1 */
};

static struct door *door_of(struct postgres_cluster *cluster)
{
    return (struct door *)((char *)cluster - offsetof(struct door, cluster));
}

/* No subtransaction may export. The file that others find the snapshot by goes with the
 * transaction, and with the backend, however it ends. */
static void export_snapshot(void *call)
{
    const struct export_call *export = call;

    strlcpy(export->snapshot, ExportSnapshot(GetTransactionSnapshot()), KUBE_JOB_SNAPSHOT_MAX + 1);
}

/* The transaction has just begun. Whatever its isolation by default: the snapshot is to be younger
 * than the locks. */
static enum status hold(void *self, const struct direct_order *order,
                        char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1], struct error *err)
{
    struct door *door = door_of(self);
    const struct database *database = &door->session.database;
    struct export_call call = {snapshot};
    struct database_transaction transaction;

    door->holds = true;
    XactIsoLevel = XACT_READ_COMMITTED;
    TRY(database->begin(database->self, &transaction, err));
    TRY(database->end(database->self, &transaction, postgres_lock_tables(&door->host, order, err),
                      err));
    return session_catch(&door->session, export_snapshot, &call, err);
}

/* The transaction that has the locks and the snapshot ends. */
static enum status let_go(void *self, struct error *err)
{
    struct door *door = door_of(self);

    if (!door->holds)
        return STATUS_OK;
    door->holds = false;
    return door->host.host.jobs->rows_read(door->host.host.self, err);
}

/* Between two looks no transaction keeps what others have deleted, unless it holds the table. */
static enum status read_reports(void *self, int64_t number, int64_t *after,
                                const struct report_reader *reader, struct error *err)
{
    struct door *door = door_of(self);

    TRY(postgres_cluster_read_reports(self, number, after, reader, err));
    return door->holds ? STATUS_OK : host_rows_read(&door->host.host, err);
}

/* A Ctrl-C that comes after the commit changes nothing any more. */
static enum status collect(void *self, int64_t number, const struct collection *collection,
                           const struct sink *sink, struct error *err)
{
    struct postgres_cluster *cluster = self;
    struct door *door = door_of(cluster);

    TRY(let_go(self, err));
    TRY(postgres_cluster_collect(cluster, number, collection, sink, err));
    door->has_published = true;
    door->session.interrupt = NULL;
    return STATUS_OK;
}

/* ----- after a failure ----- */

/* Keeps aside the error that the statement will throw: the tables are to go, and that is to be
 * committed before the error takes everything back. */
static void discard(void *self, int64_t number, const struct sink *sink)
{
    struct postgres_cluster *cluster = self;
    struct door *door = door_of(cluster);
    ErrorData *interrupt = door->session.interrupt;
    struct error ignored;

    /* The postmaster passes a cancel on twice, to the process and to its group: the second may have
     * come after the first was taken. Another Ctrl-C from here on leaves the tables. */
    QueryCancelPending = false;
    door->session.interrupt = NULL;
    error_clear(&ignored);
    postgres_cluster_discard(cluster, number, sink);
    (void)door->host.host.jobs->rows_read(door->host.host.self, &ignored);
    if (interrupt)
        door->session.interrupt = interrupt;
}

static void watch(void *self, int64_t number, const struct job_folder *folder)
{
    (void)self;
    release_when_session_dies(number, folder ? folder->id : 0);
}

void door_cluster_background(struct door *door)
{
    door->follows_itself = true;
    door->cluster.seam.keeps = KEEPS_ALL;
}

void door_cluster_init(struct door *door)
{
    postgres_cluster_init(&door->cluster, &door->host, settings.job_schema, settings.job_login);
    door->cluster.seam.describe = describe;
    door->cluster.seam.hold = hold;
    door->cluster.seam.let_go = let_go;
    door->cluster.seam.read_reports = read_reports;
    door->cluster.seam.collect = collect;
    door->cluster.seam.discard = discard;
    door->cluster.seam.watch = watch;
    door->cluster.seam.keeps = KEEPS_DETACHED;
}
