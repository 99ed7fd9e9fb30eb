/*
 * spool_writer_parts.h - the inside of a spool's writer, shared by its files.
 *
 *     spool_writer.c   cells --> a block in memory --> its file, in the order of the SELECT
 *     spool_keyed.c    or as blocks of ranges of keys, where the spool lies by key
 *     spool_settle.c   what is known of all rows alone: equal rows, which rows are held out
 */
#pragma once

#include "runtime/data/spool/column_statistics.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_writer.h"

/* A growing run of bytes that is never terminated. */
struct run {
    char *data;
    size_t size, capacity;
};

struct writer_column {
    enum spool_type type;
    char *name;
    uint8_t *nulls;    /* into the block */
    uint32_t *offsets; /* likewise, of a text column */
    uint32_t number;   /* other columns: place in a row of numbers */
    struct run texts;
    struct spool_column_entry entry;
    bool has_values; /* the entry's least and greatest are set */
    bool has_nulls;  /* the block has some */
};

/* Each reader's own changes with each row. It begins and ends so far from what others change that
 * no processor fetches its lines on the way to those. */
struct spool_writer {
    _Alignas(256) struct spool_files *files;
    uint32_t file; /* the file where the blocks go */
    uint64_t rows;
    struct error error; /* the first failure; status OK before */

    struct writer_column *columns;
    uint32_t column_count, column; /* the next to be put */
    uint32_t *reals_from;          /* (column_count): real columns in a row from here on */
    struct run row;                /* canonical bytes of the current row */

    char *block; /* the fixed part, laid out for block_rows_max rows */
    size_t block_size, block_text_size;
    uint32_t block_rows, block_rows_max;

    int64_t *numbers; /* (block_rows_max, number_count), in the block */
    uint32_t number_count;
    uint32_t summarised;      /* rows of the block that the summaries have */
    double *least, *greatest; /* (number_count) of a tile */

    bool is_keyed, is_sample;
    struct spool_order order;
    uint8_t *parts;                       /* (block_rows_max): enum spool_part, or PART_BY_HASH */
    uint32_t *ranges;                     /* (block_rows_max): of each row, where its key lies */
    uint32_t *places;                     /* (block_rows_max): the rows, range by range */
    uint32_t blocks_full;                 /* full blocks of this size */
    struct spool_column_view *views;      /* (column_count): of the block */
    struct column_statistics *statistics; /* about the kept rows; NULL: nobody asks for them */
    struct cell_census *census;           /* NULL: no cells are counted */
    struct run out; /* blocks that follow each other in the file, until they are written */
    uint64_t out_offset;

    bool (*is_stopped)(void *context); /* NULL: it is not */
    void *stop_context;
};

/* Which part a row belongs to follows from its hash, about: spool_settle.c knows. */
#define PART_BY_HASH SPOOL_PARTS

bool run_reserve(struct run *run, size_t more);

/* A writer of the sample's rows, in the order in which they are put, beside the header. Joined as
 * any branch. */
enum status spool_writer_branch_sample(const struct spool_writer *writer,
                                       struct spool_writer **branch, struct error *err);

/* A writer whose rows are many gets larger blocks: of each range more rows lie together. */
enum status spool_writer_grow(struct spool_writer *writer, struct error *err);

/* One more row, as it lies in another block, under a hash of its own; summaries have it already. */
enum status spool_put_copy(struct spool_writer *writer, const struct spool_block *block,
                           uint32_t row, struct row_hash hash, uint32_t part, struct error *err);
