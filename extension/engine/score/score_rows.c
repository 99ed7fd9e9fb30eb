#include "extension/engine/score/score_rows.h"

#include <unistd.h>

#include "extension/engine/rows/text_spool.h"
#include "runtime/data/spool/spool_writer.h"

#define KEPT_FILE   "kept.spool"
#define FAULTS_FILE "faults.spool"

static enum status write_faults(const char *path, struct slice faults, struct error *err)
{
    struct spool_writer *writer;

    TRY(text_spool_open(path, &writer, err));
    if (text_spool_put(writer, faults, err) == STATUS_OK)
        return spool_writer_close(writer, err);
    spool_writer_abandon(writer);
    return err->status;
}

enum status score_rows_save(const struct host *host, const struct job_folder *folder,
                            struct slice faults, struct error *err)
{
    char path[PATH_MAX];

    TRY(job_folder_file(folder, KEPT_FILE, path, err));
    TRY(host->kept_rows->save(host->self, path, err));
    TRY(host->kept_rows->forget(host->self, err));
    if (faults.size == 0)
        return STATUS_OK;
    TRY(job_folder_file(folder, FAULTS_FILE, path, err));
    return write_faults(path, faults, err);
}

static enum status take_faults(void *context, struct slice text, struct error *err)
{
    struct text *faults = context;

    text_append(faults, text);
    return faults->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status score_rows_restore(const struct host *host, const struct job_folder *folder,
                               struct text *faults, struct error *err)
{
    char path[PATH_MAX];

    TRY(job_folder_file(folder, KEPT_FILE, path, err));
    TRY(host->kept_rows->restore(host->self, path, err));
    TRY(job_folder_file(folder, FAULTS_FILE, path, err));
    return access(path, F_OK) == 0 ? text_spool_each(path, take_faults, faults, err) : STATUS_OK;
}
