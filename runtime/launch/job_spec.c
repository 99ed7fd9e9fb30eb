#include "runtime/launch/job_spec.h"

#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "jobspec/jobspec.h"

static enum status read_file(const char *path, struct text *out, struct error *err)
{
    char bytes[4096];
    FILE *file = fopen(path, "re");
    size_t size;
    bool failed;

    if (!file)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_append(out, (struct slice){bytes, size});
    failed = ferror(file);
    fclose(file);
    if (failed)
        return fail(err, STATUS_IO, "cannot read %s", path);
    if (out->failed)
        return fail(err, STATUS_LIMIT, "%s is larger than %zu bytes", path, out->maximum);
    return STATUS_OK;
}

enum status job_read_spec(const char *folder, struct arena *arena, struct jobspec *spec,
                          struct text *json, struct error *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/job.json", folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    TRY(read_file(path, json, err));
    return jobspec_read(text_slice(json), arena, spec, err);
}
