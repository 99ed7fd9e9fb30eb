#include "extension/sql/query.h"

#include <stdlib.h>

#include "extension/engine/host/stored.h"

static enum status pass_columns(void *self, const struct database_column *columns, size_t count,
                                struct error *err)
{
    const struct sink *sink = self;
    struct slice *names = calloc(count + 1, sizeof *names);
    enum status status;

    if (!names)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++)
        names[i] = columns[i].name;
    status = sink_columns(sink, names, count, err);
    free(names);
    return status;
}

static enum status pass_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    return sink_row(self, cells, count, err);
}

enum status sql_query(struct sql_host *host, struct slice select, const struct sink *sink,
                      struct error *err)
{
    const struct database_rows rows = {
        .self = (void *)sink, .columns = sink->columns ? pass_columns : NULL, .row = pass_row};
    const struct database_statement statement = {.sql = select,
                                                 .form = sink->columns ? FORM_SHOWN : FORM_DATA};

    return host->database->query(host->database->self, &statement, &rows, NULL, err);
}

static enum status sample_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct sample *sample = self;

    if (count != sample->query->count)
        return fail(err, STATUS_DATABASE, "the query has other columns than before");
    return sample_cells(sample, cells, err);
}

enum status sql_sample(struct sql_host *host, struct slice select, struct query *query,
                       struct error *err)
{
    const struct database_statement statement = {.sql = select, .rows_max = QUERY_SAMPLE_ROWS};
    struct sample sample = {0};
    const struct database_rows rows = {.self = &sample, .row = sample_row};
    enum status status = sample_begin(&sample, query, err);

    if (status == STATUS_OK)
        status = host->database->query(host->database->self, &statement, &rows, NULL, err);
    sample_end(&sample);
    return status;
}
