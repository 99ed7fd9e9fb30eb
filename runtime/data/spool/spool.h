/*
 * spool.h - rows as typed blocks in a file of the job's folder.
 *
 * The session that runs the SELECT writes; workers map and read, and later
 * epochs never parse rows again.
 *
 *     header   magic, version, byte order, columns and their types, rows, blocks,
 *              offset of the index; written last, so that a file that was cut is refused
 *     block    rows in the order of the SELECT, or of one range of keys: for each row its 128-bit
 *              hash, for each column a NULL bitmap, the numbers row by row, the texts column by
 *              column
 *     index    offset, size, rows and XXH3-64 of each block, NULLs and least and
 *              greatest value of each column; of a spool that lies by key also the rows of each
 *              range, and statistics of the columns
 *
 * The hash is XXH3-128 over the row's cells in column order, each as a type
 * byte and its canonical bytes (reals with -0 as 0; texts with their length).
 * It is a function of the row alone: sorting by a key made from it gives an
 * order that does not depend on where the row lay in the table. Where rows are held out class by
 * class, some of its bits are those of the class (held_out.h).
 *
 * All numbers are little-endian; sections are 8-byte aligned. A reader checks
 * every offset and size against the file before it follows it.
 */
#pragma once

#include <string.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "base/process/team.h"
#include "inputs/cell_list.h"
#include "params/terms.h"

#define SPOOL_BLOCK_ROWS     16384      /* rows of a block in the SELECT's order */
#define SPOOL_BLOCK_ROWS_MAX (1u << 21) /* rows of a block where a spool lies by key */
#define SPOOL_COLUMNS_MAX    (MODEL_NUMBERS_MAX + 1)
#define SPOOL_FILES_MAX      4096
#define SPOOL_ROWS_MAX       ((uint64_t)1 << 40) /* a range of keys has some 2^24 of them then */
#define SPOOL_TEXT_BYTES_MAX ((size_t)1 << 20)   /* one cell */
#define SPOOL_RANGE_BITS     16
#define SPOOL_RANGES         (1u << SPOOL_RANGE_BITS)
#define SPOOL_SAMPLE_ROWS    16384

/* ----- columns ----- */

enum spool_type { SPOOL_REAL, SPOOL_INTEGER, SPOOL_TEXT };

/* By value; NULL-terminated. */
extern const char *const spool_type_words[];

struct spool_column {
    struct slice name; /* for messages; not stored */
    enum spool_type type;
    enum input_reading reading; /* how the caller reads texts for a column of reals; READING_STRICT
                                   for a column of texts: a blank one is NULL. Not stored */
    uint32_t ids; /* whole numbers, or the items of texts, are ids from 0 to below this, which the
                     caller checks; 0: any. Not stored */
    struct cell_list items; /* lists as which the caller reads texts; not stored */
};

#define ROW_STRATUM_BITS 16

struct row_hash {
    uint64_t low, high;
};

/* The bits that tell the row's class, where it was put as one of a class (held_out.h). */
static inline uint32_t row_hash_stratum(const struct row_hash *hash)
{
    return (uint32_t)hash->low & ((1u << ROW_STRATUM_BITS) - 1);
}

/* ----- spools that lie by key ----- */

/*
 * A row's key is random bits of the seed and its hash. In a spool that lies by key each block has
 * rows of one range of keys and of one part, so that whoever needs a range reads its blocks and no
 * others. Equal rows have hashes of their own then, by their number among each other. A sample of
 * the kept rows lies in blocks of its own, once more: whoever wants it needs no other blocks.
 */
enum spool_part { SPOOL_KEPT, SPOOL_HELD_OUT, SPOOL_PARTS, SPOOL_SAMPLED = SPOOL_PARTS };

struct jobspec;

/* Which rows are held out (held_out.h). All zero: none. */
struct spool_held_out {
    double share;
    uint32_t least_rows; /* rows; of fewer none is held out */
    bool by_class;       /* each class gives its share */
    uint32_t class_column;
    bool by_group; /* rows that have the same in the columns of their group lie side by side, and
                      are held out together */
    uint32_t group_column, group_columns; /* the first of them, and how many; 0 of them: all rows
                                             are one group */
};

/* All zero: as the SELECT gave the rows. */
struct spool_order {
    bool by_key;
    uint64_t seed;
    struct spool_held_out held_out;
    uint32_t threads; /* threads that may be started when the writer is closed */
    /* The job whose columns these are: the spool has statistics of them then. NULL: it has none. */
    const struct jobspec *spec;
    /* Cells of a row that who puts it counts as well (cell_counts.h): those of the columns, and
     * behind them others that are not written. 0: none. Of which of them (counted) a whole number
     * may be a key; NULL: of none. */
    uint32_t counted;
    const bool *are_keys;
};

struct spool_writer;

/* ----- a spool in memory ----- */

struct spool_column_summary {
    uint64_t nulls;
    double least, greatest; /* range of reals and integers that are not NULL; 0 and 0 without any */
};

struct spool_column_view {
    enum spool_type type;
    const uint8_t *nulls;   /* bit r set: NULL; NULL pointer: no NULLs in this block */
    const int64_t *numbers; /* reals or integers, `stride` apart; NULL cells hold 0 */
    uint32_t stride;
    const uint32_t *offsets; /* texts: rows + 1 offsets into bytes */
    const char *bytes;
};

struct spool_block {
    uint32_t rows, file;
    uint64_t first_row;            /* not of a spool that lies by key */
    const struct row_hash *hashes; /* (rows) */
    const uint8_t *bytes;          /* (size): the columns */
    size_t size;                   /* with its texts */
    uint64_t hash;                 /* hash of all of its bytes */
    /* In a spool that lies by key there are no views of the block until it is opened. */
    const int64_t *numbers; /* (rows, spool.number_count) */
    struct spool_column_view *columns;
    enum spool_part part;
    uint32_t first_range, last_range; /* numbers among SPOOL_RANGES */
    const uint64_t *gone;             /* bits of rows that do not count; NULL: all count */
};

/* Ranges of a spool that lies by key. */
struct spool_ranges {
    uint64_t seed; /* seed of the keys */
    bool by_group; /* they are keys of groups; who opens the spool says it */
    uint32_t bits; /* ranges are 2^bits */
    uint64_t rows[SPOOL_PARTS];
    struct row_hash sums[SPOOL_PARTS];   /* sums of the rows' hashes */
    const uint32_t *counts[SPOOL_PARTS]; /* (2^bits): rows of each range */
    /* The kept rows of least random(seed, hash), in that order: the last blocks, from here on. */
    uint32_t sample_rows, sample_block;
    struct slice statistics; /* about the kept rows (column_statistics_bytes.h); empty: none */
    const struct sampled_column *sampled; /* (column_count): column_sample.h; NULL: not measured */
};

struct spool_source;

struct spool {
    const uint8_t *map;
    size_t map_size;
    const struct spool_source *source; /* source of bytes that are not there yet; NULL: all are */
    struct spool_file {
        uint32_t number; /* by the source */
        size_t base;     /* where it begins in the map */
    } files[SPOOL_FILES_MAX];
    uint64_t rows;
    uint32_t column_count;
    uint32_t number_count; /* columns that are no texts */
    uint32_t block_count;
    struct spool_block *blocks;
    enum spool_type *types;                 /* (column_count) */
    struct spool_column_summary *summaries; /* (column_count) */
    bool is_keyed;
    struct spool_ranges ranges;
};

/* ----- rows ----- */

static inline bool spool_is_gone(const struct spool_block *block, uint32_t row)
{
    return block->gone && (block->gone[row / 64] >> (row % 64) & 1);
}

/* ----- cells ----- */

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

/* The number in a cell of a column that is no text. */
static inline double spool_number(const struct spool_column_view *column, uint32_t row)
{
    return column->type == SPOOL_REAL ? spool_real(column, row)
                                      : (double)spool_integer(column, row);
}

/* The text in a cell that is not NULL, of a column of texts. */
static inline struct slice spool_text(const struct spool_column_view *column, uint32_t row)
{
    return (struct slice){column->bytes + column->offsets[row],
                          column->offsets[row + 1] - column->offsets[row]};
}

static inline bool spool_is_null(const struct spool_column_view *column, uint32_t row)
{
    return column->nulls && (column->nulls[row / 8] >> (row % 8) & 1);
}
