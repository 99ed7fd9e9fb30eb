#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension/sqlite/bare.h"
#include "extension/sqlite/frames/frame_vtab.h"
#include "extension/sqlite/functions/functions.h"
#include "extension/sqlite/functions/sqlite_connection.h"
#include "extension/sqlite/intercept.h"
#include "extension/sqlite/rows_table.h"
#include "extension/sqlite/run.h"

const sqlite3_api_routines *sqlite3_api;

int sqlite3_totrain_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

/* `totrain` lies beside the extension: no PATH, no environment. */
static bool find_program(char program[PATH_MAX])
{
    char path[PATH_MAX];
    Dl_info info;
    int size;

    if (!dladdr((void *)&sqlite3_totrain_init, &info) || !info.dli_fname)
        return false;
    if (!realpath(info.dli_fname, path))
        return false;
    size = snprintf(program, PATH_MAX, "%.*s/totrain", (int)(strrchr(path, '/') - path), path);
    return size > 0 && size < PATH_MAX;
}

static int register_all(sqlite3 *db, const char *program, char **message)
{
    struct sqlite_connection *connection = sqlite_connection_add(db, program);
    struct error err;
    int code;

    if (!connection)
        return SQLITE_NOMEM;
    code = run_register(connection);
    if (code != SQLITE_OK)
        return code;
    code = bare_register(connection);
    if (code == SQLITE_OK)
        code = frame_vtab_register(db);
    if (code != SQLITE_OK)
        return code;
    if (rows_table_register(connection, &err) != STATUS_OK ||
        functions_register(connection, &err) != STATUS_OK) {
        *message = sqlite3_mprintf("%s", err.message);
        return SQLITE_ERROR;
    }
    return SQLITE_OK;
}

__attribute__((visibility("default"))) int sqlite3_totrain_init(sqlite3 *db, char **message,
                                                                const sqlite3_api_routines *api)
{
    char program[PATH_MAX];
    unsigned objects;
    int code;

    /* One table of functions serves all connections: calls with another library's objects crash. */
    if (sqlite3_api && sqlite3_api != api && sqlite_connection_exists()) {
        *message =
            api->mprintf("this process uses totrain with another SQLite library, %s, and this one "
                         "is %s: close the other one's connections first",
                         sqlite3_libversion(), api->libversion());
        return SQLITE_ERROR;
    }
    sqlite3_api = api;
    if (sqlite3_libversion_number() < SQLITE_VERSION_LEAST) {
        *message = sqlite3_mprintf("totrain needs SQLite 3.34.0 or later, this is %s",
                                   sqlite3_libversion());
        return SQLITE_ERROR;
    }
    if (!find_program(program)) {
        *message = sqlite3_mprintf("totrain cannot find the path of its own file");
        return SQLITE_ERROR;
    }
    /* Loaded again: objects that came since then are redirected too. */
    if (!sqlite_connection_find(db)) {
        code = register_all(db, program, message);
        if (code != SQLITE_OK)
            return code;
    }
    intercept_install(&objects);
    if (objects == 0)
        fputs("NOTICE:  this program has SQLite linked in: bare statements cannot be served here, "
              "SELECT totrain('...') can\n",
              stderr);
    return SQLITE_OK_LOAD_PERMANENTLY;
}
