/*
 * job.json and its checksum, XXH3-64 in blanks (base/sums/blank_sum.h): another valid job, one with
 * more epochs or another seed, would learn another model. A file without it is read.
 */
#include "runtime/launch/job_spec.h"

#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "base/sums/blank_sum.h"
#include "base/sums/hash.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"

/* False when the blanks at the end are those of a checksum, and not of this JSON. */
static bool has_right_checksum(struct slice json)
{
    uint64_t sum;
    const enum blank_sum found = blank_sum_take(&json, &sum);

    return found == BLANK_SUM_NONE ||
           (found == BLANK_SUM_FOUND && sum == bytes_hash(json.data, json.size, 0));
}

enum status job_write_spec(const struct job_folder *folder, const struct jobspec *spec,
                           struct error *err)
{
    enum status status;
    struct text json;

    text_init(&json, JOBSPEC_BYTES_MAX);
    status = jobspec_write(spec, &json, err);
    if (status == STATUS_OK) {
        blank_sum_append(&json, bytes_hash(json.data, json.size, 0));
        status = json.failed ? fail_no_memory(err)
                             : job_folder_write(folder, "job.json", text_slice(&json), err);
    }
    text_deinit(&json);
    return status;
}

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
    if (!has_right_checksum(text_slice(json))) {
        fail(err, STATUS_CORRUPT, "%s is damaged: it is not what was written", path);
        return error_hint(err, "Run the job's statement again, and look at this disk.");
    }
    return jobspec_read(text_slice(json), arena, spec, err);
}

enum status job_load_spec(const char *folder, struct arena *arena, struct jobspec *spec,
                          struct error *err)
{
    enum status status;
    struct text json;

    text_init(&json, JOBSPEC_BYTES_MAX);
    status = job_read_spec(folder, arena, spec, &json, err);
    text_deinit(&json);
    return status;
}
