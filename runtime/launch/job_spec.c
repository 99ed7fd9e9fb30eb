/*
 * job.json and its checksum.
 *
 *     JSON | 64 blanks, the bits of XXH3-64 of the JSON: space 0, tab 1 | end of line
 *
 * A bit that is inverted while the file lies there can make another valid job of it, one with more
 * epochs or another seed, and so another model. To a reader of JSON the blanks are nothing, so that
 * programs which know no checksum read the file as well. It goes with the text, wherever that is
 * kept. A file without it is read: it was written by hand or by such a program.
 */
#include "runtime/launch/job_spec.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"

#define SUM_BITS         64
#define SUM_BYTES        (SUM_BITS + 1)
#define PLAIN_BLANKS_MAX 2 /* at the end of a file that has no checksum */

static void append_checksum(struct text *json)
{
    const uint64_t sum = hash_bytes(json->data, json->size, 0);

    for (unsigned bit = SUM_BITS; bit-- > 0;)
        text_append_char(json, sum >> bit & 1 ? '\t' : ' ');
    text_append_char(json, '\n');
}

/* False when the blanks at the end are those of a checksum, and not of this JSON. */
static bool has_right_checksum(struct slice file)
{
    size_t blanks = 0;
    uint64_t sum = 0;

    while (blanks < file.size && memchr(" \t\r\n", file.data[file.size - 1 - blanks], 5))
        blanks++;
    if (blanks <= PLAIN_BLANKS_MAX)
        return true;
    if (blanks < SUM_BYTES || file.data[file.size - 1] != '\n')
        return false;
    for (unsigned i = 0; i < SUM_BITS; i++) {
        const char blank = file.data[file.size - SUM_BYTES + i];

        if (blank != ' ' && blank != '\t')
            return false;
        sum = sum << 1 | (blank == '\t');
    }
    return sum == hash_bytes(file.data, file.size - SUM_BYTES, 0);
}

enum status job_write_spec(const struct job_folder *folder, const struct jobspec *spec,
                           struct error *err)
{
    enum status status;
    struct text json;

    text_init(&json, JOBSPEC_BYTES_MAX);
    status = jobspec_write(spec, &json, err);
    if (status == STATUS_OK) {
        append_checksum(&json);
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
