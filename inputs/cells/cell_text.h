/*
 * cell_text.h - what a text among numbers means.
 *
 * CSV files hold numbers as texts, missing values as "n/a", and yes or no as letters. Which of it
 * a column holds is decided from all of its rows when a model is trained (column_counts.h); here is
 * how one text is read. The same functions count while rows are written, and read cells for
 * training and for scoring, so that these agree.
 *
 *     READING_NUMBER      12  -1.5e3          missing: ''  NA  n/a  ?  -  null  NaN ...
 *     READING_SEPARATED   also 1,234.5        likewise
 *     READING_BOOLEAN     also t f yes no     likewise
 *     READING_STRICT      12  -1.5e3          missing: ''
 *     READING_POINT       also €1,234.50      as numbers
 *     READING_COMMA       79,19  1.234,50 €   likewise; 1.234 is 1234 then
 *
 * The last two take whatever written_number.h knows; readings of dates take no numbers.
 * White space around a text does not count. Letters of words may be small or capital.
 */
#pragma once

#include "base/text.h"
#include "params/terms.h"

enum text_kind {
    TEXT_BLANK,
    TEXT_NUMBER,
    TEXT_CODE,      /* a number with leading zeros: "007", which is rather a name */
    TEXT_SEPARATED, /* thousands by commas: "1,234.5", never "1.234,5" */
    TEXT_MISSING,   /* a spelling of a missing value */
    TEXT_BOOLEAN,
    TEXT_DATE,         /* "2024-01-31", or with a time that is midnight (dates.h) */
    TEXT_TIMESTAMP,    /* "2024-01-31 12:34" */
    TEXT_WORD,         /* anything else */
    TEXT_WRITTEN,      /* a number that is none of the above: "79,19", "$5" (written_number.h) */
    TEXT_WRITTEN_DATE, /* a date in another form than ISO's (dates.h) */
    TEXT_KINDS
};

/* Spellings of a missing value, in small letters; NULL-terminated. */
#define MISSING_SPELLINGS 13
extern const char *const missing_spellings[];

/* The look of one text by itself. */
struct text_look {
    enum text_kind kind;
    unsigned spelling; /* TEXT_MISSING: which of missing_spellings */
    double number;     /* where it is one; infinite, as that of "1e999", too */
    unsigned by;       /* bits of enum written_by, for a number that is no code */
    bool is_percent;   /* TEXT_WRITTEN */
    unsigned currency; /* likewise */
    unsigned order;    /* TEXT_WRITTEN_DATE: bits of enum date_order */
    bool has_time;     /* likewise: one that is not midnight */
};
struct text_look text_look_at(struct slice text);

/* The number that the text, which looks so, is by a reading; *is_null for a missing value. False
 * for one that is neither. */
bool text_look_number(const struct text_look *look, struct slice text, enum input_reading reading,
                      double *number, bool *is_null);

/* Is it a whole number that an integer of 64 bits holds? */
bool text_to_whole(struct slice text, int64_t *whole);
