#include "extension/engine/jobs/job_database.h"

#include <stdio.h>

#define DATABASE_FILE "database"

/* False: it has no name. */
static bool name_of(const struct host *host, struct text *name)
{
    text_init(name, PATH_MAX);
    if (host->session.database)
        host->session.database(host->self, name);
    return name->size > 0 && !name->failed;
}

enum status job_database_note(const struct host *host, const struct job_folder *folder,
                              struct error *err)
{
    enum status status = STATUS_OK;
    struct text name;

    if (name_of(host, &name))
        status = job_folder_write(folder, DATABASE_FILE, text_slice(&name), err);
    text_deinit(&name);
    return status;
}

static bool holds(const char *path, struct slice name)
{
    char bytes[PATH_MAX + 1];
    FILE *file = fopen(path, "re");
    size_t size;

    if (!file)
        return false;
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return slice_equal((struct slice){bytes, size}, name);
}

bool job_database_is_ours(const struct host *host, int64_t id)
{
    struct job_folder folder;
    struct error ignored;
    char path[PATH_MAX];
    struct text name;
    bool is_ours = true;

    if (name_of(host, &name))
        is_ours = job_folder_find(host->session.state, id, &folder, &ignored) == STATUS_OK &&
                  job_folder_file(&folder, DATABASE_FILE, path, &ignored) == STATUS_OK &&
                  holds(path, text_slice(&name));
    text_deinit(&name);
    return is_ours;
}
