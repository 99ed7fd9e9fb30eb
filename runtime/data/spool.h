/*
 * spool.h - rows as typed blocks in a file of the job's folder.
 *
 * The session that runs the SELECT writes; workers map and read, and later
 * epochs never parse rows again.
 *
 *     header   magic, version, byte order, columns and their types, rows, blocks,
 *              offset of the index; written last, so that a file that was cut is refused
 *     block    up to SPOOL_BLOCK_ROWS rows: for each row its 128-bit hash, for each
 *              column a NULL bitmap, the numbers row by row, the texts column by column
 *     index    offset, size, rows and XXH3-64 of each block, NULLs and least and
 *              greatest value of each column
 *
 * The hash is XXH3-128 over the row's cells in column order, each as a type
 * byte and its canonical bytes (reals with -0 as 0; texts with their length).
 * It is a function of the row alone: sorting by a key made from it gives an
 * order that does not depend on where the row lay in the table.
 *
 * All numbers are little-endian; sections are 64-byte aligned. A reader checks
 * every offset and size against the file before it follows it.
 */
#ifndef RUNTIME_DATA_SPOOL_H
#define RUNTIME_DATA_SPOOL_H

#include <string.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "base/team.h"

#define SPOOL_BLOCK_ROWS     16384
#define SPOOL_COLUMNS_MAX    2001
#define SPOOL_ROWS_MAX       UINT32_MAX
#define SPOOL_TEXT_BYTES_MAX ((size_t)1 << 20) /* one cell */

enum spool_type { SPOOL_REAL, SPOOL_INTEGER, SPOOL_TEXT };

struct spool_column {
    struct slice name; /* for messages; not stored */
    enum spool_type type;
};

struct row_hash {
    uint64_t low, high;
};

struct spool_writer;

/* bytes_max bounds the file (0: no bound): LIMIT when it would grow beyond. */
enum status spool_writer_open(const char *path, const struct spool_column *columns, size_t count,
                              uint64_t bytes_max, struct spool_writer **writer, struct error *err);
/* The next cell of the current row: columns in order, then spool_end_row. */
enum status spool_put_null(struct spool_writer *writer, struct error *err);
/* NaN is put as NULL, and -0 as 0. */
enum status spool_put_real(struct spool_writer *writer, double value, struct error *err);
/* The same for the cells of several columns that follow one another: one call a
 * row where a table is all numbers. */
enum status spool_put_reals(struct spool_writer *writer, const double *values, size_t count,
                            struct error *err);
enum status spool_put_integer(struct spool_writer *writer, int64_t value, struct error *err);
enum status spool_put_text(struct spool_writer *writer, struct slice value, struct error *err);
enum status spool_end_row(struct spool_writer *writer, struct error *err);
uint64_t spool_writer_rows(const struct spool_writer *writer);
struct spool_column_summary {
    uint64_t nulls;
    double least, greatest; /* of reals and integers that are not NULL; 0 and 0 without any */
};
/* Of the rows so far, those of joined branches included. */
struct spool_column_summary spool_writer_summary(struct spool_writer *writer, uint32_t column);
/* One more writer of the same columns, for another thread, into a file of its own beside
 * the first (spool_files.h). Whose rows come first is a matter of chance. Each branch must be
 * joined, by one thread at a time, before the writer is closed or abandoned. */
enum status spool_writer_branch(const struct spool_writer *writer, struct spool_writer **branch,
                                struct error *err);
/* Writes the rows so far as a block of their own: what join does at the latest,
 * where the branch's own thread can do it. In the middle of a row it fails. */
enum status spool_writer_flush(struct spool_writer *writer, struct error *err);
/* Takes in the branch's last rows and its summaries, and frees it in every
 * case. After a failure of the branch the writer cannot be closed with OK. */
enum status spool_writer_join(struct spool_writer *writer, struct spool_writer *branch,
                              struct error *err);
/*
 * A writer in another process: a part, in a file of its own that no reader takes for a
 * spool. Closed, it is described by some bytes, by which it is joined; then its file is one
 * of the spool's.
 *
 *     process A    spool_writer_open(path)           spool_writer_join_part(7, index)
 *     process B    spool_part_open(path, 7)    spool_part_close() -> index
 */
#define SPOOL_PART_INDEX_BYTES_MAX ((size_t)256 << 20)
enum status spool_part_open(const char *path, uint32_t number, const struct spool_column *columns,
                            size_t count, struct spool_writer **part, struct error *err);
/* Appends the index, and frees the part in every case; when it fails no file is left. */
enum status spool_part_close(struct spool_writer *part, struct text *index, struct error *err);
/* As spool_writer_join. CORRUPT for an index that no part of these columns wrote. */
enum status spool_writer_join_part(struct spool_writer *writer, uint32_t number, struct slice index,
                                   struct error *err);
/* The file of a part that was left behind. */
void spool_part_remove(const char *path, uint32_t number);
/* Writes index and header. On any failure nothing readable is left. Frees the
 * writer in every case. */
enum status spool_writer_close(struct spool_writer *writer, struct error *err);
/* Throws the file away. */
void spool_writer_abandon(struct spool_writer *writer);

struct spool_column_view {
    enum spool_type type;
    const uint8_t *nulls;   /* bit r set: NULL; NULL pointer: no NULLs in this block */
    const int64_t *numbers; /* reals or integers, `stride` apart; NULL cells hold 0 */
    uint32_t stride;
    const uint32_t *offsets; /* texts: rows + 1 offsets into bytes */
    const char *bytes;
};

struct spool_block {
    uint32_t rows;
    uint64_t first_row;
    size_t size;                   /* in bytes, with its texts */
    const struct row_hash *hashes; /* what a block begins with */
    const int64_t *numbers;        /* (rows, spool.number_count) */
    struct spool_column_view *columns;
};

struct spool {
    const uint8_t *map;
    size_t map_size;
    uint64_t rows;
    uint32_t column_count;
    uint32_t number_count; /* columns that are no texts */
    uint32_t block_count;
    struct spool_block *blocks;
    struct spool_column_summary *summaries; /* (column_count) */
};

/* Maps the file read-only and checks it whole, block hashes included, with the
 * team (NULL: alone). The views live in the arena. CORRUPT for what was not
 * written by the above. */
enum status spool_open(const char *path, struct team *team, struct arena *arena,
                       struct spool *spool, struct error *err);
void spool_close(struct spool *spool);

/* The block's pages leave our memory. Whoever still looks at a cell reads them
 * from the file again. */
void spool_release_block(const struct spool *spool, uint32_t number);

/* One value as a cell; texts stay in the map. */
struct cell spool_cell(const struct spool_column_view *column, uint32_t row);

static inline double spool_real(const struct spool_column_view *column, uint32_t row)
{
    double real;

    memcpy(&real, &column->numbers[(size_t)row * column->stride], sizeof real);
    return real;
}

static inline int64_t spool_integer(const struct spool_column_view *column, uint32_t row)
{
    return column->numbers[(size_t)row * column->stride];
}

/* Of a column that is no text. */
static inline double spool_number(const struct spool_column_view *column, uint32_t row)
{
    return column->type == SPOOL_REAL ? spool_real(column, row)
                                      : (double)spool_integer(column, row);
}

static inline bool spool_is_null(const struct spool_column_view *column, uint32_t row)
{
    return column->nulls && (column->nulls[row / 8] >> (row % 8) & 1);
}

#endif
