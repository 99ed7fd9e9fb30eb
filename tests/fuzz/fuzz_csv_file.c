/*
 * Whatever bytes a file has, it is read or refused; rows have as many cells as the header, cells
 * are UTF-8 without zero bytes, and a file that was read once reads the same again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/shell/csv_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    size_t columns;
    uint64_t rows, bytes, line;
};

static enum status check_row(void *self, const struct slice *cells, uint64_t line, uint64_t bytes,
                             struct error *err)
{
    struct seen *seen = self;
    (void)bytes;
    (void)err;

    for (size_t i = 0; i < seen->columns; i++) {
        seen->bytes += cells[i].size;
        for (size_t at = 0; at < cells[i].size;) {
            const size_t step = utf8_sequence(cells[i].data + at, cells[i].size - at);

            if (step == 0 || cells[i].data[at] == '\0')
                abort();
            at += step;
        }
    }
    if (line < seen->line)
        abort();
    seen->line = line;
    seen->rows++;
    return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separators[] = {'\0', ',', '\t', ';'};
    const int file = memfd_create("csv", MFD_CLOEXEC);
    struct seen seen = {0}, again = {0};
    struct csv_file csv;
    char path[64];
    struct error err;

    if (file < 0 || (size > 1 && write(file, data + 1, size - 1) != (ssize_t)size - 1))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (csv_file_open(path, separators[size ? data[0] % 4 : 0], &csv, &err) == STATUS_OK) {
        const struct csv_reader first = {&seen, check_row}, second = {&again, check_row};
        enum status status;

        if (csv.count == 0 || csv.count > CSV_COLUMNS_MAX)
            abort();
        seen.columns = again.columns = csv.count;
        status = csv_file_read(&csv, path, &first, &err);
        if (csv_file_read(&csv, path, &second, &err) != status || seen.rows != again.rows ||
            seen.bytes != again.bytes)
            abort();
        csv_file_close(&csv);
    }
    close(file);
    return 0;
}
