#include "extension/postgres/sql/missing_relation.h"

#include "extension/engine/host/stored.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"
#include "parser/table_place.h"

static enum status add_relation(void *self, const struct cell *cells, size_t count,
                                struct error *err)
{
    return count == 1 ? model_names_add(self, cells[0].text, err) : STATUS_OK;
}

void hint_relation(struct sql_host *host, struct slice select, struct error *err)
{
    const bool has_place = err->status == STATUS_DATABASE && err->position >= 0 && !err->hint[0];
    const struct slice name = has_place ? table_named_at(select, err->position) : SLICE("");
    struct model_names names = {.count = 0};
    struct database_rows rows = {.self = &names, .row = add_relation};
    struct error ignored;
    int nearest;

    if (has_place && name.size == 0 && is_name_without_table(select, err->position))
        error_hint(err, "The SELECT names no table: is FROM missing?");
    if (name.size == 0)
        return;
    (void)sql_each(host,
                   "SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind" EQ
                   "ANY ('{r,v,m,p,f}'::pg_catalog.\"char\"[]) AND "
                   "pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace" NE
                   "'pg_catalog'::pg_catalog.regnamespace ORDER BY c.oid DESC LIMIT 1000",
                   NULL, NULL, 0, &rows, &ignored);
    nearest = text_nearest(name, (const char *const *)names.names, names.count);
    if (nearest >= 0)
        error_hint(err, "Did you mean %s?", names.names[nearest]);
    model_names_free(&names);
}
