#include "cli/shell/shell_config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/shell/script.h"

/* False: nobody says where it is. */
static bool find_path(char path[PATH_MAX])
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int size;

    if (folder && *folder == '/')
        size = snprintf(path, PATH_MAX, "%s/totrain/config", folder);
    else
        size = snprintf(path, PATH_MAX, "%s/.config/totrain/config", home ? home : "");
    return size < PATH_MAX && path[0] == '/' && (home || folder);
}

void shell_config_run(struct session *session)
{
    char path[PATH_MAX];

    if (find_path(path) && access(path, F_OK) == 0)
        (void)script_run_file(session, path);
}
