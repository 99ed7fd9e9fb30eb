#include "cli/session/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum status fail_to_read(const char *name, enum status status, struct error *err)
{
    if (errno == EINTR)
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return fail_errno(err, status, "%s", name);
}

static enum status read_all(FILE *file, const char *name, struct text *text, struct error *err)
{
    char bytes[65536];
    size_t size;

    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0) {
        text_append(text, (struct slice){bytes, size});
        if (text->failed)
            return fail(err, STATUS_LIMIT, "%s holds more than %zu bytes", name, INPUT_BYTES_MAX);
    }
    return ferror(file) ? fail_to_read(name, STATUS_IO, err) : STATUS_OK;
}

enum status input_read(const char *path, struct text *text, struct error *err)
{
    enum status status;
    FILE *file;

    if (strcmp(path, "-") == 0)
        return read_all(stdin, "standard input", text, err);
    file = fopen(path, "re");
    if (!file)
        return fail_to_read(path, STATUS_INVALID, err);
    status = read_all(file, path, text, err);
    fclose(file);
    return status;
}
