/*
 * The shared library, as the server loads it: by the first call of one of its
 * functions, with session_preload_libraries before the first statement, or as it starts.
 */
#include "postgres_host/compat.h"

#include "postgres_host/door.h"
#include "postgres_host/kept_jobs.h"
#include "postgres_host/own_sql.h"
#include "postgres_host/settings.h"
#include "postgres_host/undo.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
    settings_define();
    bare_install();
    undo_install();
    own_sql_install();
    kept_jobs_install();
}
