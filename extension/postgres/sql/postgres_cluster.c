#include "extension/postgres/sql/postgres_cluster.h"

#include "extension/postgres/sql/direct_table.h"
#include "extension/postgres/sql/job_tables.h"
#include "extension/sql/publish.h"

static struct job_tables tables_of(const struct postgres_cluster *cluster)
{
    return (struct job_tables){
        .host = cluster->host, .schema = cluster->schema, .login = cluster->login};
}

static enum status stage(void *self, const struct staging *staging, int64_t *number,
                         struct error *err)
{
    const struct postgres_cluster *cluster = self;
    const struct database *database = cluster->host->database;
    struct job_tables tables = tables_of(cluster);
    struct database_transaction transaction;

    TRY(database->begin(database->self, &transaction, err));
    TRY(database->end(database->self, &transaction, job_tables_make(&tables, staging, err), err));
    *number = tables.number;
    return STATUS_OK;
}

static enum status find_table(void *self, struct slice select, const struct slice *columns,
                              size_t count, struct arena *arena, struct direct_table *table,
                              struct error *err)
{
    const struct postgres_cluster *cluster = self;

    return postgres_find_table(cluster->host, select, columns, count, arena, table, err);
}

static enum status read_staged(void *self, int64_t number, const char *file, struct text *bytes,
                               struct error *err)
{
    struct job_tables tables = tables_of(self);

    job_tables_find(&tables, number);
    return job_tables_read_staged(&tables, file, bytes, err);
}

static enum status keep_verdict(void *self, int64_t number, struct slice json, struct error *err)
{
    const struct postgres_cluster *cluster = self;
    const struct database *database = cluster->host->database;
    struct job_tables tables = tables_of(cluster);
    struct database_transaction transaction;

    job_tables_find(&tables, number);
    TRY(database->begin(database->self, &transaction, err));
    TRY(database->end(database->self, &transaction, job_tables_keep_verdict(&tables, json, err),
                      err));
    return host_rows_read(&cluster->host->host, err);
}

/* Nothing that fails here ends a transaction that holds a snapshot. */
enum status postgres_cluster_read_reports(void *self, int64_t number, int64_t *after,
                                          const struct report_reader *reader, struct error *err)
{
    const struct postgres_cluster *cluster = self;
    const struct database *database = cluster->host->database;
    struct job_tables tables = tables_of(cluster);
    struct database_transaction transaction;

    job_tables_find(&tables, number);
    TRY(database->begin(database->self, &transaction, err));
    return database->end(database->self, &transaction,
                         job_tables_read_reports(&tables, after, reader, err), err);
}

static enum status write(struct job_tables *tables, const struct collection *collection,
                         struct error *err)
{
    TRY(job_tables_check_use(tables, err));
    TRY(job_tables_end(tables, err));
    return collection->write(collection->context, &tables->journal, err);
}

/* The rows are written when this returns: in the server, too, a transaction of its own. */
static enum status write_and_commit(const struct postgres_cluster *cluster, int64_t number,
                                    const struct collection *collection, struct error *err)
{
    const struct database *database = cluster->host->database;
    const struct host *host = &cluster->host->host;
    struct job_tables tables = tables_of(cluster);
    struct database_transaction transaction;

    job_tables_find(&tables, number);
    if (collection->prepare) {
        TRY(job_tables_check_use(&tables, err));
        TRY(collection->prepare(collection->context, &tables.journal, err));
    }
    TRY(database->begin(database->self, &transaction, err));
    TRY(database->end(database->self, &transaction, write(&tables, collection, err), err));
    return host_rows_read(host, err);
}

static enum status write_pieces(void *self, struct slice schema, struct slice name,
                                struct publication *publication, struct error *err)
{
    const struct postgres_cluster *cluster = self;

    return sql_write_pieces(cluster->host, schema, name, publication, err);
}

enum status postgres_cluster_collect(void *self, int64_t number,
                                     const struct collection *collection, const struct sink *sink,
                                     struct error *err)
{
    TRY(write_and_commit(self, number, collection, err));
    postgres_cluster_discard(self, number, sink);
    return STATUS_OK;
}

static enum status release(const struct job_tables *tables, struct error *err)
{
    bool are_there;

    TRY(job_tables_are_there(tables, &are_there, err));
    return are_there ? job_tables_release(tables, err) : STATUS_OK;
}

/* Missing tables were dropped by another session. Those that stay, totrain.sweep_jobs
 * finds later. */
void postgres_cluster_discard(void *self, int64_t number, const struct sink *sink)
{
    const struct postgres_cluster *cluster = self;
    const struct database *database = cluster->host->database;
    struct job_tables tables = tables_of(cluster);
    struct database_transaction transaction;
    enum status status;
    struct error err;

    error_clear(&err);
    job_tables_find(&tables, number);
    status = database->begin(database->self, &transaction, &err);
    if (status == STATUS_OK)
        status = database->end(database->self, &transaction, release(&tables, &err), &err);
    if (status != STATUS_OK)
        sink_notice(
            sink,
            "the tables of job %lld are still there: %s; SELECT totrain.discard(%lld) drops them",
            (long long)number, err.message, (long long)number);
}

void postgres_cluster_init(struct postgres_cluster *cluster, struct sql_host *host,
                           const char *schema, const char *login)
{
    *cluster = (struct postgres_cluster){.host = host, .schema = schema, .login = login};
    cluster->seam = (struct host_cluster){.self = cluster,
                                          .stage = stage,
                                          .find_table = find_table,
                                          .read_staged = read_staged,
                                          .keep_verdict = keep_verdict,
                                          .read_reports = postgres_cluster_read_reports,
                                          .collect = postgres_cluster_collect,
                                          .write_pieces = write_pieces,
                                          .discard = postgres_cluster_discard};
    host->host.cluster = &cluster->seam;
}
