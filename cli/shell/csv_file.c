#include "cli/shell/csv_file.h"

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PIECE_BYTES 65536

/* A file being read, line by line, so that an error can name its line. */
struct reading {
    struct csv_parser parser;
    FILE *stream;
    uint64_t line, bytes; /* the line that is read, from 1; bytes before its end */
    uint64_t cell_line;   /* on which the cell at hand began */
    size_t pending;       /* bytes of the cell at hand, at most */
    /* The row at hand: its cells' bytes one after the other. */
    struct text row;
    size_t *ends;    /* (CSV_COLUMNS_MAX + 1) */
    bool *is_absent; /* likewise */
    size_t count;
    void (*end_row)(struct reading *reading); /* may set err, or is_done */
    bool is_done;
    struct csv_file *file;
    const struct csv_reader *reader;
    struct slice *cells; /* (count of the file) */
    struct error err;    /* the first */
};

/* Blanks belong to the cells. */
static int no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static enum status refuse_cell(const struct reading *reading, struct error *err)
{
    fail(err, STATUS_INVALID, "the cell that begins at line %llu is longer than %zu bytes",
         (unsigned long long)reading->cell_line, CSV_CELL_BYTES_MAX);
    return error_hint(err, "Is the quote that closes it missing?");
}

static void on_cell(void *bytes, size_t size, void *context)
{
    struct reading *reading = context;

    if (size > CSV_CELL_BYTES_MAX && reading->err.status == STATUS_OK)
        refuse_cell(reading, &reading->err);
    reading->pending = 0;
    reading->cell_line = reading->line;
    if (reading->count < CSV_COLUMNS_MAX + 1) {
        reading->is_absent[reading->count] = !bytes;
        text_append(&reading->row, (struct slice){bytes, bytes ? size : 0});
        reading->ends[reading->count] = reading->row.size;
    }
    reading->count++;
}

/* A database's text does not end well with a zero byte. */
static const char *fault_of(struct slice bytes)
{
    for (size_t i = 0; i < bytes.size;) {
        const size_t size = utf8_sequence(bytes.data + i, bytes.size - i);

        if (size == 0)
            return "bytes that are no UTF-8";
        if (bytes.data[i] == '\0')
            return "a zero byte";
        i += size;
    }
    return NULL;
}

static struct slice cell_at(const struct reading *reading, size_t i)
{
    const size_t begin = i ? reading->ends[i - 1] : 0;

    if (reading->is_absent[i])
        return (struct slice){NULL, 0};
    return (struct slice){text_string(&reading->row) + begin, reading->ends[i] - begin};
}

/* The first fault of the row. Each cell is looked at by itself: the end of one and the beginning of
 * the next may look like UTF-8. */
static const char *fault_of_row(const struct reading *reading)
{
    const char *fault = NULL;

    for (size_t i = 0; i < reading->count && i <= CSV_COLUMNS_MAX && !fault; i++)
        fault = fault_of(cell_at(reading, i));
    return fault;
}

static void on_row(int ending, void *context)
{
    struct reading *reading = context;
    const char *fault = reading->row.failed ? NULL : fault_of_row(reading);
    (void)ending;

    if (reading->err.status == STATUS_OK && reading->row.failed)
        fail_no_memory(&reading->err);
    if (reading->err.status == STATUS_OK && fault) {
        fail(&reading->err, STATUS_INVALID, "line %llu holds %s", (unsigned long long)reading->line,
             fault);
        error_hint(&reading->err, "The file must be UTF-8: iconv -f LATIN1 -t UTF-8 FILE makes it "
                                  "so, if it is Latin 1.");
    }
    if (reading->err.status == STATUS_OK && !reading->is_done)
        reading->end_row(reading);
    text_clear(&reading->row);
    reading->count = 0;
}

static enum status reading_open(struct reading *reading, const char *path, char separator,
                                struct error *err)
{
    error_clear(&reading->err);
    text_init(&reading->row, TEXT_MAXIMUM);
    reading->line = reading->cell_line = 1;
    reading->ends = calloc(CSV_COLUMNS_MAX + 1, sizeof *reading->ends);
    reading->is_absent = calloc(CSV_COLUMNS_MAX + 1, sizeof *reading->is_absent);
    if (!reading->ends || !reading->is_absent ||
        csv_init(&reading->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL) != 0)
        return fail_no_memory(err);
    csv_set_delim(&reading->parser, (unsigned char)separator);
    csv_set_space_func(&reading->parser, no_space);
    reading->stream = fopen(path, "re");
    return reading->stream ? STATUS_OK : fail_errno(err, STATUS_IO, "%s", path);
}

static void reading_close(struct reading *reading)
{
    if (reading->stream)
        fclose(reading->stream);
    csv_free(&reading->parser);
    text_deinit(&reading->row);
    free(reading->ends);
    free(reading->is_absent);
}

static enum status refuse_quote(const struct reading *reading, struct error *err)
{
    fail(err, STATUS_INVALID, "line %llu has a quote that belongs to no quoted cell",
         (unsigned long long)reading->line);
    return error_hint(err, "A cell with quotes, separators or line breaks stands in double quotes, "
                           "and a double quote in it is written twice.");
}

/* A piece of a line. */
static enum status parse_piece(struct reading *reading, char *piece, size_t size, struct error *err)
{
    reading->pending += size;
    if (csv_parse(&reading->parser, piece, size, on_cell, on_row, reading) != size &&
        reading->err.status == STATUS_OK)
        return csv_error(&reading->parser) == CSV_EPARSE ? refuse_quote(reading, err)
                                                         : fail_no_memory(err);
    if (reading->err.status == STATUS_OK && reading->pending > CSV_CELL_BYTES_MAX)
        return refuse_cell(reading, err);
    if (reading->err.status != STATUS_OK)
        *err = reading->err;
    return reading->err.status;
}

static size_t skip_mark(const struct reading *reading, const char *piece, size_t size)
{
    return reading->bytes == 0 && size >= 3 && memcmp(piece, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Reads up to the end, or until end_row fails. */
static enum status reading_run(struct reading *reading, struct error *err)
{
    char *piece = malloc(PIECE_BYTES);
    enum status status = STATUS_OK;

    if (!piece)
        return fail_no_memory(err);
    while (status == STATUS_OK && !reading->is_done && fgets(piece, PIECE_BYTES, reading->stream)) {
        const size_t size = strlen(piece), skip = skip_mark(reading, piece, size);
        const bool ends_line = size > 0 && piece[size - 1] == '\n';

        reading->bytes += size;
        status = parse_piece(reading, piece + skip, size - skip, err);
        if (status == STATUS_OK && !ends_line && size < PIECE_BYTES - 1 && !feof(reading->stream))
            status = fail(err, STATUS_INVALID, "line %llu holds a zero byte",
                          (unsigned long long)reading->line);
        reading->line += ends_line;
    }
    free(piece);
    if (status == STATUS_OK && reading->is_done)
        return STATUS_OK;
    if (status == STATUS_OK && ferror(reading->stream))
        return fail_errno(err, STATUS_IO, "reading the file");
    if (status != STATUS_OK)
        return status;
    if (csv_fini(&reading->parser, on_cell, on_row, reading) != 0) {
        fail(err, STATUS_INVALID, "the quoted cell that begins at line %llu has no end",
             (unsigned long long)reading->cell_line);
        return error_hint(err, "The quote that closes it is missing.");
    }
    if (reading->err.status != STATUS_OK)
        *err = reading->err;
    return reading->err.status;
}

/* ---- the header ---- */

static bool has_name(const struct csv_file *file, struct slice name)
{
    for (size_t i = 0; i < file->count; i++)
        if (slice_equal_fold(file->names[i], name))
            return true;
    return false;
}

static struct slice name_of(const struct reading *reading, size_t i, char numbered[32])
{
    const struct slice name = slice_trim(cell_at(reading, i));

    if (name.size > 0)
        return name;
    snprintf(numbered, 32, "column%zu", i + 1);
    return slice_of(numbered);
}

static void take_header(struct reading *reading)
{
    struct csv_file *file = reading->file;

    reading->is_done = true;
    if (reading->count > CSV_COLUMNS_MAX) {
        fail(&reading->err, STATUS_LIMIT, "the header has more than %d columns", CSV_COLUMNS_MAX);
        return;
    }
    file->names = calloc(reading->count + 1, sizeof *file->names);
    for (size_t i = 0; file->names && i < reading->count; i++) {
        char numbered[32];
        const struct slice name = name_of(reading, i, numbered);

        if (has_name(file, name)) {
            fail(&reading->err, STATUS_INVALID, "the header has more than one column \"%.*s\"",
                 SLICE_FORMAT(name));
            return;
        }
        file->names[i].data = strndup(name.data, name.size);
        file->names[i].size = name.size;
        if (!file->names[i].data)
            break;
        file->count = i + 1;
    }
    if (file->count < reading->count)
        fail_no_memory(&reading->err);
}

/* By the name of the file, else by what its first line has. */
static enum status find_separator(const char *path, char *separator, struct error *err)
{
    const char *end = strrchr(path, '.');
    char line[PIECE_BYTES] = "";
    FILE *stream;

    *separator = '\t';
    if (end && (strcmp(end, ".tsv") == 0 || strcmp(end, ".tab") == 0))
        return STATUS_OK;
    stream = fopen(path, "re");
    if (!stream)
        return fail_errno(err, STATUS_IO, "%s", path);
    if (!fgets(line, sizeof line, stream))
        line[0] = '\0';
    fclose(stream);
    if (strchr(line, ','))
        *separator = ',';
    else if (!strchr(line, '\t'))
        *separator = strchr(line, ';') ? ';' : ',';
    return STATUS_OK;
}

enum status csv_file_open(const char *path, char separator, struct csv_file *file,
                          struct error *err)
{
    struct reading reading = {.end_row = take_header, .file = file};
    struct stat known;
    enum status status;

    *file = (struct csv_file){.separator = separator};
    if (stat(path, &known) != 0)
        return fail_errno(err, STATUS_IO, "%s", path);
    if (!S_ISREG(known.st_mode))
        return fail(err, STATUS_INVALID, "%s is no file: it is read twice", path);
    file->size = (uint64_t)known.st_size;
    if (!separator)
        TRY(find_separator(path, &file->separator, err));
    TRY_OR(done, status, reading_open(&reading, path, file->separator, err));
    TRY_OR(done, status, reading_run(&reading, err));
    if (reading.err.status != STATUS_OK) {
        *err = reading.err;
        status = err->status;
    } else if (!reading.is_done) {
        status = fail(err, STATUS_INVALID, "the file is empty: it has no header");
    }
done:
    reading_close(&reading);
    if (status != STATUS_OK)
        csv_file_close(file);
    return status;
}

void csv_file_close(struct csv_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free((char *)file->names[i].data);
    free(file->names);
    *file = (struct csv_file){.names = NULL};
}

/* ---- the rows ---- */

static void take_row(struct reading *reading)
{
    const struct csv_file *file = reading->file;

    if (reading->count != file->count) {
        fail(&reading->err, STATUS_INVALID, "line %llu has %zu cell%s, and the header %zu",
             (unsigned long long)reading->line, reading->count, reading->count == 1 ? "" : "s",
             file->count);
        error_hint(&reading->err, "A cell with separators stands in double quotes.");
        return;
    }
    for (size_t i = 0; i < file->count; i++)
        reading->cells[i] = cell_at(reading, i);
    reading->reader->row(reading->reader->self, reading->cells, reading->line, reading->bytes,
                         &reading->err);
}

static void skip_header(struct reading *reading)
{
    reading->end_row = take_row;
}

enum status csv_file_read(const struct csv_file *file, const char *path,
                          const struct csv_reader *reader, struct error *err)
{
    struct csv_file header = *file;
    struct reading reading = {.end_row = skip_header, .file = &header, .reader = reader};
    enum status status;

    reading.cells = calloc(file->count + 1, sizeof *reading.cells);
    if (!reading.cells)
        return fail_no_memory(err);
    TRY_OR(done, status, reading_open(&reading, path, file->separator, err));
    status = reading_run(&reading, err);
done:
    reading_close(&reading);
    free(reading.cells);
    return status;
}
