/*
 * encoder.h - all that the system asks of a way to make numbers or ids of cells.
 *
 *     COLUMN BUCKET(age, 5)  --planner-->  struct input_spec  --encoder_of-->  bucket_encoder
 *
 * inputs/encoders/NAME.c fills one of these structs, and encoders.h has a line for it. The parts
 * that ask:
 *
 *     planning, job    explain
 *     spools           reads, counts      how cells are written, and what is counted of them
 *     a model's inputs fits, size         inputs lie side by side (scoring/transform/transform.h)
 *     training         number_id, text_ids: many rows of a column at once
 *     scoring          encode             one row, cell by cell
 *     SHOW MODEL       describe
 *
 * docs/adding-a-column.md says what a new one takes.
 */
#pragma once

#include "base/text.h"
#include "inputs/encoded_row.h"
#include "inputs/input.h"

/* How the cells of its column lie in a spool. */
enum cell_reading {
    READS_NUMBER, /* reals */
    READS_ID,     /* whole numbers below vocabulary_max */
    READS_WORD,   /* texts: each is one value */
    READS_TEXT    /* texts: each holds several values */
};

/* The facts that training learns from all cells of the column. */
enum input_census {
    COUNTS_NOTHING,
    COUNTS_MOMENTS, /* mean and scale */
    COUNTS_WORDS,   /* the most frequent ones */
    COUNTS_VALUES   /* numbers and how often they are there, unless bounds are said */
};

typedef enum status word_taker(void *self, struct slice word, struct error *err);

/* Its places in a row. */
struct input_size {
    uint32_t dense;   /* columns of dense */
    uint32_t ids;     /* ids of a row */
    uint32_t id_rows; /* rows of the first layer that these select */
};

struct encoder {
    const char *name; /* for people */
    bool (*is_of)(const struct input_spec *spec);
    enum cell_reading reads;
    enum input_census counts;
    /* Models with such an input name the encoder in their meta row ("encoders"), by which a program
     * that lacks it says what it lacks. Those of before are known by the number of the format. */
    bool is_named;

    /* Has a stored input what it needs, and nothing else? NULL: numbers, of which each has all. */
    bool (*fits)(const struct transform_input *input);
    struct input_size (*size)(const struct transform_input *input, bool keeps_numbers);

    /* The row's cells, in the order of transform.columns: into dense or ids of the row. INVALID for
     * a cell that the input does not take. */
    enum status (*encode)(const struct transform_input *input, const struct cell *cells,
                          struct encoded_row *row, struct error *err);

    /* An input that gives ids has one of these, or its words are those of word_table.h. */
    /* -1: it is none of the input's numbers. */
    int32_t (*number_id)(const struct transform_input *input, double number);
    /* ids (transform_text_room), ascending, and -1 behind them. False: the text is no such list. */
    bool (*text_ids)(const struct transform_input *input, struct slice text, int32_t *ids);

    /* COUNTS_WORDS of texts that hold several: hands each of them over, until `take` fails. NULL:
     * the text is one word. */
    enum status (*each_word)(const struct input_spec *spec, struct slice text, word_taker *take,
                             void *self, struct error *err);

    /* The words behind the type in EXPLAIN TO TRAIN, " of 5 buckets, ..."; NULL: none. */
    void (*explain)(const struct input_spec *spec, struct text *out);
    /* The same in SHOW MODEL, of what was learned. */
    void (*describe)(const struct transform_input *input, bool keeps_numbers, struct text *out);
};

/* `encode` of categories: the column's cell as a number for number_id, or as a word. */
enum status encode_number_id(const struct transform_input *input, const struct cell *cells,
                             struct encoded_row *row, struct error *err);
enum status encode_word(const struct transform_input *input, const struct cell *cells,
                        struct encoded_row *row, struct error *err);
/* The same of another cell: of a part of the column's. */
enum status encode_word_cell(const struct transform_input *input, const struct cell *cell,
                             struct encoded_row *row, struct error *err);
enum status encode_number_cell(const struct transform_input *input, const struct cell *cell,
                               struct encoded_row *row, struct error *err);
/* `size` and `describe` of a number. */
struct input_size size_of_number(const struct transform_input *input, bool keeps_numbers);
void describe_number(const struct transform_input *input, bool keeps_numbers, struct text *out);
/* `size` of a category. */
struct input_size size_of_category(const struct transform_input *input, bool keeps_numbers);
/* `size` of texts: each has as many places in a row as words_max says. */
struct input_size size_of_texts(const struct transform_input *input, bool keeps_numbers);

/* Functions that several of them have: of vocabularies, hashes, ids, texts. */
bool fits_vocabulary(const struct transform_input *input);
void explain_vocabulary(const struct input_spec *spec, struct text *out);
void describe_vocabulary(const struct transform_input *input, bool keeps_numbers, struct text *out);
bool fits_hash(const struct transform_input *input);
int32_t number_as_id(const struct transform_input *input, double number);
bool fits_texts(const struct transform_input *input);
