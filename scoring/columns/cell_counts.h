/*
 * cell_counts.h - what the cells of a column are, counted over rows.
 *
 * From these counts follows what a column is to a model (planner/plan/column_kind.h), so they do
 * not depend on the order of rows, on which process counted which, or on how the parts were merged.
 * They are exact, but for one: of different values, a sample by hash is kept.
 *
 *     values whose hash begins with `level` zero bits, and how often each was there
 *
 * Words are kept with their texts, to be shown to people; they are held apart from codes, dates and
 * numbers in other spellings, whose many values would drive them out.
 *
 * When more than DISTINCT_MAX are held the level rises by one and half of them go; none that went
 * can come back, so the counts of those that stay are exact. Up to DISTINCT_MAX different values
 * the sample is all of them.
 *
 * Reals are not counted, so that numbers cost next to nothing: they are what is left of the rows.
 */
#pragma once

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "inputs/cells/cell_text.h"
#include "scoring/columns/list_counts.h"

struct byte_reader;

#define DISTINCT_MAX  1024
#define WORD_KEPT_MAX 40 /* bytes of a word that is kept */

struct distinct_value {
    uint64_t hash, count; /* count 0: the place is empty */
    const char *word;     /* a word of WORD_KEPT_MAX bytes at most, else NULL */
    uint32_t word_size;
};

struct distinct_sample {
    struct distinct_value *values; /* (size): open addressing */
    uint32_t size, used, level;
};

/* How the texts that are numbers, codes aside, are written (written_number.h). */
struct number_counts {
    uint64_t not_point, not_comma; /* texts that are no numbers by a decimal point, or comma */
    uint64_t either;               /* texts that may be read either way, and differ then */
    uint64_t percents;
    uint64_t currencies; /* which there are, as bits */
};

/* Texts that are dates in other forms than ISO's (dates.h). */
struct date_counts {
    uint64_t not_day_first, not_month_first;
    uint64_t either; /* dates that may be read either way, and differ then */
    uint64_t times;  /* dates with a time that is not midnight */
    uint64_t short_years, short_last;
};

struct cell_counts {
    bool counts_wholes; /* each whole number is one of the different values, too */
    uint64_t nulls, integers, blobs, vectors;
    uint64_t dates, times;      /* numbers that stand for dates; for other times than midnight */
    uint64_t texts[TEXT_KINDS]; /* by kind */
    uint64_t missing[MISSING_SPELLINGS];
    uint64_t whole_texts; /* with counts_wholes: of TEXT_NUMBER */
    struct number_counts numbers;
    struct date_counts written_dates;
    /* Counts of texts that are no numbers, truths or missing values: */
    uint64_t word_bytes, word_bytes_max, spaced; /* spaced: with white space inside */
    struct list_counts lists;
    uint64_t unfit; /* cells that their column could not be given, whatever the counts say */
    struct distinct_sample distinct; /* words, and whole numbers with counts_wholes */
    struct distinct_sample spelled;  /* codes, dates, and numbers in other spellings */
};

/* The columns of some rows. */
struct cell_census {
    uint32_t count;
    struct cell_counts *columns; /* (count) */
    struct arena arena;          /* memory of the samples */
};

/* are_keys (count): counts_wholes of each column; NULL: of none. */
enum status cell_census_new(uint32_t count, const bool *are_keys, struct cell_census **census,
                            struct error *err);
void cell_census_free(struct cell_census *census);

/* NO_MEMORY. Reals, and NaN among them, are passed over. */
enum status cell_count(struct cell_census *census, uint32_t column, const struct cell *cell,
                       struct error *err);
/* The same of a text that was looked at. */
enum status cell_count_text(struct cell_census *census, uint32_t column, struct slice text,
                            const struct text_look *look, struct error *err);

/* Is it a number that needs but to be counted, if at all? */
static inline bool cell_count_number(struct cell_counts *counts, const struct cell *cell)
{
    counts->integers += cell->type == CELL_INTEGER;
    counts->nulls += cell->type == CELL_NULL;
    return cell->type != CELL_INTEGER || !counts->counts_wholes;
}
enum status cell_count_whole(struct cell_census *census, uint32_t column, int64_t whole,
                             struct error *err);

/* Adds the other's, of the same columns. */
enum status cell_census_merge(struct cell_census *census, const struct cell_census *other,
                              struct error *err);

/* For another process. CORRUPT for bytes that no census of so many columns wrote. */
void cell_census_put(const struct cell_census *census, struct text *out);
enum status cell_census_read(struct cell_census *census, struct byte_reader *reader,
                             struct error *err);

uint64_t cell_counts_texts(const struct cell_counts *counts); /* texts of all kinds */
/* The sample's values, and the cells that they were in. */
void cell_counts_distinct(const struct cell_counts *counts, uint64_t *values, uint64_t *cells);
/* Counts the values that one cell has, and those that two have, of the same sample. */
void cell_counts_rare(const struct cell_counts *counts, uint64_t *once, uint64_t *twice);
/* Texts that a reading of numbers does not take. */
uint64_t cell_counts_unread(const struct cell_counts *counts, enum input_reading reading);
/* Texts that are dates by a reading; by READING_DATE those of ISO's form alone where it does not
 * take all others. */
uint64_t cell_counts_dates(const struct cell_counts *counts, enum input_reading reading);
/* The reading of the dates that are not of ISO's form, READING_NUMBER where all are; false where
 * nothing tells whether day or month is first. */
bool cell_counts_date_reading(const struct cell_counts *counts, enum input_reading *reading);
/* The word that is there most often, the first by its bytes where there are several, and how often.
 * Size 0: none is known. */
struct slice cell_counts_word(const struct cell_counts *counts, uint64_t *count);
