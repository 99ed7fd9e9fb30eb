#include "runtime/data/dataset/model_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "scoring/tables/model_write.h"

#define ROW_BYTES_MAX (2 * MODEL_META_BYTES_MAX)

enum { HAS_VALUE = 1, HAS_DATA = 2, IS_TEXT = 4 };

/* ----- writing ----- */

struct model_file {
    FILE *file;
    struct text row;
    char path[PATH_MAX];
};

enum status model_file_create(const char *path, struct model_file **file, struct error *err)
{
    struct model_file *made = calloc(1, sizeof *made);

    *file = made;
    if (!made)
        return fail_no_memory(err);
    text_init(&made->row, ROW_BYTES_MAX);
    snprintf(made->path, sizeof made->path, "%s", path);
    made->file = fopen(path, "we");
    if (made->file)
        return STATUS_OK;
    fail_errno(err, STATUS_IO, "cannot write %s", path);
    free(made);
    *file = NULL;
    return err->status;
}

enum status model_file_put(void *self, const struct model_row *row, struct error *err)
{
    struct model_file *file = self;
    struct text *bytes = &file->row, size;
    bool is_written;

    text_clear(bytes);
    put_sized(bytes, row->part);
    put_sized(bytes, row->name);
    put_sized(bytes, row->has_data ? row->data : SLICE(""));
    put_u8(bytes, (uint8_t)((row->has_value ? HAS_VALUE : 0) | (row->has_data ? HAS_DATA : 0) |
                            (row->data_is_text ? IS_TEXT : 0)));
    put_i64(bytes, row->position);
    put_f64(bytes, row->has_value ? row->value : 0);
    if (bytes->failed)
        return fail(err, STATUS_LIMIT, "a row of the model takes more than %zu bytes",
                    ROW_BYTES_MAX);
    text_init(&size, sizeof(uint64_t));
    put_u32(&size, (uint32_t)bytes->size);
    is_written = !size.failed && fwrite(size.data, 1, size.size, file->file) == size.size &&
                 fwrite(bytes->data, 1, bytes->size, file->file) == bytes->size;
    text_deinit(&size);
    return is_written ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot write %s", file->path);
}

enum status model_file_close(struct model_file *file, enum status so_far, struct error *err)
{
    if (fclose(file->file) != 0 && so_far == STATUS_OK)
        so_far = fail_errno(err, STATUS_IO, "cannot write %s", file->path);
    text_deinit(&file->row);
    free(file);
    return so_far;
}

enum status model_file_write(const char *path, const struct model *model, struct error *err)
{
    struct model_file *file;

    TRY(model_file_create(path, &file, err));
    return model_file_close(file, model_write(model, model_file_put, file, err), err);
}

/* ----- reading ----- */

static enum status refuse(const char *path, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "%s is damaged", path);
}

/* *size: of the next row; 0: there is none. */
static enum status read_size(FILE *file, const char *path, uint32_t *size, struct error *err)
{
    char bytes[sizeof *size];
    const size_t got = fread(bytes, 1, sizeof bytes, file);
    struct byte_reader reader = byte_reader_over((struct slice){bytes, got});

    *size = 0;
    if (got == 0)
        return ferror(file) ? fail_errno(err, STATUS_IO, "cannot read %s", path) : STATUS_OK;
    *size = read_u32(&reader);
    return got == sizeof bytes && *size > 0 && *size <= ROW_BYTES_MAX ? STATUS_OK
                                                                      : refuse(path, err);
}

static enum status read_rest(FILE *file, const char *path, uint32_t size, struct text *bytes,
                             struct error *err)
{
    char piece[4096];

    text_clear(bytes);
    while (size > 0) {
        const size_t got = fread(piece, 1, size < sizeof piece ? size : sizeof piece, file);

        if (got == 0)
            return refuse(path, err);
        text_append(bytes, (struct slice){piece, got});
        size -= (uint32_t)got;
    }
    return bytes->failed ? fail_no_memory(err) : STATUS_OK;
}

static bool parse_row(struct slice bytes, struct model_row *row)
{
    struct byte_reader reader = byte_reader_over(bytes);
    uint8_t flags;

    row->part = read_sized(&reader, bytes.size);
    row->name = read_sized(&reader, bytes.size);
    row->data = read_sized(&reader, bytes.size);
    flags = read_u8(&reader);
    row->position = read_i64(&reader);
    row->value = read_f64(&reader);
    row->has_value = (flags & HAS_VALUE) != 0;
    row->has_data = (flags & HAS_DATA) != 0;
    row->data_is_text = (flags & IS_TEXT) != 0;
    return reader_is_done(&reader) && flags <= (HAS_VALUE | HAS_DATA | IS_TEXT);
}

static enum status read_rows(FILE *file, const char *path, struct text *bytes, model_row_sink *each,
                             void *context, struct error *err)
{
    for (;;) {
        struct model_row row;
        uint32_t size;

        TRY(read_size(file, path, &size, err));
        if (size == 0)
            return STATUS_OK;
        TRY(read_rest(file, path, size, bytes, err));
        if (!parse_row(text_slice(bytes), &row))
            return refuse(path, err);
        TRY(each(context, &row, err));
    }
}

enum status model_file_read(const char *path, model_row_sink *each, void *context,
                            struct error *err)
{
    FILE *file = fopen(path, "re");
    enum status status;
    struct text bytes;

    if (!file)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    text_init(&bytes, ROW_BYTES_MAX);
    status = read_rows(file, path, &bytes, each, context, err);
    text_deinit(&bytes);
    fclose(file);
    return status;
}
