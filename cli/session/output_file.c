#include "cli/session/output_file.h"

#include <stdio.h>
#include <sys/stat.h>

#include "interop/exchange_file.h"

static bool is_stream(const char *path)
{
    struct stat found;

    return !path || (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode));
}

enum status output_file_write(const char *path, const struct text *text, struct error *err)
{
    FILE *file;
    bool is_written;

    if (!is_stream(path))
        return exchange_file_write(path, text_slice(text), err);
    file = path ? fopen(path, "w") : stdout;
    if (!file)
        return fail_errno(err, STATUS_IO, "%s", path);
    is_written = fwrite(text_string(text), 1, text->size, file) == text->size;
    is_written = fflush(file) == 0 && is_written;
    if (path && fclose(file) != 0)
        is_written = false;
    return is_written ? STATUS_OK
                      : fail_errno(err, STATUS_IO, "%s", path ? path : "standard output");
}
