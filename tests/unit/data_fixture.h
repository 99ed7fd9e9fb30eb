/*
 * data_fixture.h - a folder of its own, and spools made of cells.
 */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/spool_writer.h"

struct folder {
    char path[64];
    char file[128]; /* path of the last folder_file */
};

static inline void folder_open(struct folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "/tmp/totrain-test-XXXXXX");
    CHECK(mkdtemp(folder->path));
}

static inline const char *folder_file(struct folder *folder, const char *name)
{
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

static inline void folder_close(struct folder *folder)
{
    static const char *const names[] = {"train.spool",   "train.1.spool",    "train.2.spool",
                                        "train.3.spool", "train.4.spool",    "train.5.spool",
                                        "train.6.spool", "validation.spool", "job.db",
                                        "job.db-wal",    "job.db-shm"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(folder_file(folder, names[i]));
    CHECK(rmdir(folder->path) == 0);
}

static inline struct cell integer_cell(int64_t integer)
{
    return (struct cell){.type = CELL_INTEGER, .integer = integer};
}

static inline struct cell real_cell(double real)
{
    return (struct cell){.type = CELL_REAL, .real = real};
}

static inline struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

static inline struct cell null_cell(void)
{
    return (struct cell){.type = CELL_NULL};
}

static inline enum status put_cell(struct spool_writer *writer, const struct cell *cell,
                                   struct error *err)
{
    switch (cell->type) {
    case CELL_INTEGER:
        return spool_put_integer(writer, cell->integer, err);
    case CELL_REAL:
        return spool_put_real(writer, cell->real, err);
    case CELL_TEXT:
        return spool_put_text(writer, cell->text, err);
    default:
        return spool_put_null(writer, err);
    }
}

/* cells: (rows, columns). order: which row comes when; NULL as they stand. */
static inline void write_spool_to_split(const char *path, const struct spool_column *columns,
                                        size_t count, const struct cell *cells, size_t rows,
                                        const uint32_t *order,
                                        const struct spool_held_out *held_out)
{
    const struct spool_order lies = {.held_out = *held_out};
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(path, columns, count, 0, &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &lies, &err));
    for (size_t i = 0; i < rows; i++) {
        const struct cell *row = cells + (order ? order[i] : i) * count;
        for (size_t c = 0; c < count; c++)
            CHECK_OK(put_cell(writer, &row[c], &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    CHECK_INT(spool_writer_rows(writer), rows);
    CHECK_OK(spool_writer_close(writer, &err));
}

static inline void write_spool(const char *path, const struct spool_column *columns, size_t count,
                               const struct cell *cells, size_t rows, const uint32_t *order)
{
    const struct spool_held_out none = {0};

    write_spool_to_split(path, columns, count, cells, rows, order, &none);
}

/* A permutation of rows that depends on the seed alone. */
static inline uint32_t *shuffled(uint32_t rows, uint64_t seed)
{
    uint32_t *order = malloc(rows * sizeof *order);

    for (uint32_t i = 0; i < rows; i++)
        order[i] = i;
    for (uint32_t i = rows; i > 1; i--) {
        uint32_t other = (uint32_t)(random_bits(seed, RANDOM_SAMPLE, 0, i) % i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    return order;
}
