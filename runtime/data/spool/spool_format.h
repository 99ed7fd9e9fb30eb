/*
 * spool_format.h - the bytes of a spool, shared by its writer and its reader.
 *
 *     PATH             header | block | block | ... | index
 *     PATH with 1 ...  block | block | ...
 *
 * Each file but the first, which has all of it, holds nothing but the blocks of
 * another writer; train.spool is followed by train.1.spool.
 *
 * A block is the hashes of its rows, the fixed part and then the texts. Where each section of the
 * fixed part lies follows from the number of rows and the columns' types alone:
 *
 *     row hashes | ... | NULL bitmap of each column | numbers | offsets of each text column | texts
 *
 * so that the writer fills a full block in place and writes it as it stands. In a spool that lies
 * by key the hashes of many blocks lie together before all of these: what is settled over all rows
 * needs no more of them.
 * Numbers lie row by row: 8 bytes for each real or integer column, in column
 * order, so that a row that is wanted alone is one piece of memory. Offsets are
 * rows + 1 of 4 bytes. Every section is padded with zeros to 8 bytes.
 *
 * The index is a spool_column_entry for each column, then the size of each file
 * but the first in 8 bytes, then a spool_block_entry for each block, and of a spool
 * that lies by key:
 *
 *     spool_keyed_entry | rows of each range, of both parts | bits of rows that are gone
 *     | statistics of the columns | a sampled_column for each column, or none
 *
 * The blocks of its sample come last, in the first file beside the index.
 *
 * The blocks of a file lie in the order of their entries, none over another one's, and the index
 * behind those of the first.
 */
#pragma once

#include <stddef.h>

#include "runtime/data/spool/spool.h"

#define SPOOL_MAGIC      "TTSPOOL\n"
#define SPOOL_VERSION    7
#define SPOOL_BYTE_ORDER 0x01020304u
#define SPOOL_ALIGN      ((size_t)8)
#define SPOOL_PATH_MAX   4096

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "sections are mapped as they stand");

struct spool_header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t file_size, rows;
    uint32_t column_count, block_count;
    uint64_t index_offset, index_size;
    uint64_t index_hash; /* XXH3-64 of the index */
    uint32_t file_count, is_keyed;
    uint64_t header_hash; /* XXH3-64 of everything before it */
    uint8_t padding[48];
};
_Static_assert(sizeof(struct spool_header) == 128, "a multiple of the alignment");

struct spool_column_entry {
    uint64_t nulls;
    double least, greatest;
    uint32_t type, zero;
};

struct spool_block_entry {
    uint64_t hashes;       /* where those of its rows begin in the file */
    uint64_t offset, size; /* place and bytes of the rest */
    uint64_t hash;         /* XXH3-64 of the rest, seeded with that of the hashes */
    uint32_t rows, file;
    /* In a spool that lies by key: */
    uint64_t gone_at;                 /* where the bits of its rows that are gone begin, in words */
    uint32_t gone;                    /* how many; 0: it has no bits */
    uint16_t first_range, last_range; /* the keys of its rows are in these, of SPOOL_RANGES */
    uint32_t part, zero;              /* enum spool_part */
};

struct spool_keyed_entry {
    uint64_t rows[SPOOL_PARTS];
    struct row_hash sums[SPOOL_PARTS]; /* sums of the rows' hashes: the same in any order */
    uint32_t range_bits, sample_rows;
    uint64_t gone_words, seed;
    uint64_t statistics_size;
    uint32_t sampled_columns; /* 0: nobody asked for it */
    uint32_t zero;
};

/* First byte of each cell in the bytes that the row hash covers. */
enum spool_hash_tag { HASH_NULL, HASH_REAL, HASH_INTEGER, HASH_TEXT };

static inline size_t spool_pad(size_t size)
{
    return (size + SPOOL_ALIGN - 1) / SPOOL_ALIGN * SPOOL_ALIGN;
}

/* Tables of fewer rows are counted by fewer ranges: a power of two, of so many bits. */
static inline uint32_t spool_range_bits(uint64_t rows)
{
    return rows < SPOOL_RANGES ? SPOOL_RANGE_BITS - 4 : SPOOL_RANGE_BITS;
}

static inline size_t spool_bit_words(uint32_t rows)
{
    return ((size_t)rows + 63) / 64;
}

static inline size_t spool_hashes_size(uint32_t rows)
{
    return spool_pad((size_t)rows * sizeof(struct row_hash));
}

static inline size_t spool_nulls_size(uint32_t rows)
{
    return spool_pad(((size_t)rows + 7) / 8);
}

static inline size_t spool_numbers_size(uint32_t rows, uint32_t number_count)
{
    return spool_pad((size_t)rows * number_count * sizeof(int64_t));
}

static inline size_t spool_offsets_size(uint32_t rows)
{
    return spool_pad(((size_t)rows + 1) * sizeof(uint32_t));
}
