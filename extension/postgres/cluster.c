#include "postgres_host/cluster.h"

#include "engine/staged.h"
#include "postgres_host/job_tables.h"

static struct job_tables tables_of(const struct postgres_cluster *cluster)
{
    return (struct job_tables){
        .host = cluster->host, .schema = cluster->schema, .login = cluster->login};
}

static enum status stage(void *self, const struct staging *staging, int64_t *number,
                         struct error *err)
{
    const struct postgres_cluster *cluster = self;
    const struct pg_database *database = cluster->host->database;
    struct job_tables tables = tables_of(cluster);
    struct pg_transaction transaction;

    TRY(database->begin(database->self, &transaction, err));
    TRY(database->end(database->self, &transaction, job_tables_make(&tables, staging, err), err));
    *number = tables.number;
    return STATUS_OK;
}

static enum status check_there(const struct job_tables *tables, struct error *err)
{
    bool are_there;

    TRY(job_tables_are_there(tables, &are_there, err));
    return are_there ? STATUS_OK
                     : fail(err, STATUS_NOT_FOUND, "the tables of job %lld are gone",
                            (long long)tables->number);
}

static enum status publish(const struct postgres_cluster *cluster, struct job_tables *tables,
                           const struct job_folder *folder, const struct sink *sink,
                           struct error *err)
{
    tables->journal.job = folder->id;
    TRY(check_there(tables, err));
    TRY(job_collect_into(&cluster->host->host, &tables->journal, folder, sink, err));
    return job_tables_drop(tables, err);
}

enum status postgres_cluster_collect(void *self, int64_t number, const struct job_folder *folder,
                                     const struct sink *sink, struct error *err)
{
    const struct postgres_cluster *cluster = self;
    const struct pg_database *database = cluster->host->database;
    struct job_tables tables = tables_of(cluster);
    struct pg_transaction transaction;
    enum status status;

    job_tables_find(&tables, number);
    TRY(database->begin(database->self, &transaction, err));
    status = database->end(database->self, &transaction,
                           publish(cluster, &tables, folder, sink, err), err);
    if (status != STATUS_OK && status != STATUS_INTERRUPTED)
        error_hint(err, "Nothing was changed. SELECT * FROM totrain.collect(%lld) tries again.",
                   (long long)number);
    return status;
}

static enum status check_and_drop(struct job_tables *tables, struct error *err)
{
    TRY(check_there(tables, err));
    return job_tables_drop(tables, err);
}

static enum status drop(const struct postgres_cluster *cluster, struct job_tables *tables,
                        struct error *err)
{
    const struct pg_database *database = cluster->host->database;
    struct pg_transaction transaction;

    TRY(database->begin(database->self, &transaction, err));
    return database->end(database->self, &transaction, check_and_drop(tables, err), err);
}

/* What is gone already, somebody else has dropped. What stays, totrain.sweep_jobs finds later. */
void postgres_cluster_discard(void *self, int64_t number, const struct sink *sink)
{
    const struct postgres_cluster *cluster = self;
    struct job_tables tables = tables_of(cluster);
    struct error err;

    error_clear(&err);
    job_tables_find(&tables, number);
    if (drop(cluster, &tables, &err) != STATUS_OK && err.status != STATUS_NOT_FOUND)
        sink_notice(
            sink,
            "the tables of job %lld are still there: %s; SELECT totrain.discard(%lld) drops them",
            (long long)number, err.message, (long long)number);
}

void postgres_cluster_init(struct postgres_cluster *cluster, struct postgres_host *host,
                           const char *schema, const char *login)
{
    *cluster = (struct postgres_cluster){.host = host, .schema = schema, .login = login};
    cluster->seam = (struct host_cluster){.self = cluster,
                                          .stage = stage,
                                          .collect = postgres_cluster_collect,
                                          .discard = postgres_cluster_discard};
    host->host.cluster = &cluster->seam;
}
