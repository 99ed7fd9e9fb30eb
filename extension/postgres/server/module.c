/*
 * The shared library, as the server loads it: by the first call of one of its
 * functions, with session_preload_libraries before the first statement, or as it starts.
 */
#include "extension/postgres/server/session/compat.h"

#include "extension/postgres/server/functions/explain_models.h"
#include "extension/postgres/server/jobs/kept_jobs.h"
#include "extension/postgres/server/session/own_sql.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/server/session/undo.h"
#include "extension/postgres/server/statements/bare.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
    settings_define();
    bare_install();
    undo_install();
    own_sql_install();
    kept_jobs_install();
    explain_models_install();
}
