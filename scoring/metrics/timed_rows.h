/*
 * timed_rows.h - how well predictions of survival order the events of rows.
 *
 *     timed_rows_add for each row, in any order --> timed_rows_concordance, timed_rows_cox
 *
 * A time lies between two bounds, which are equal where the event was seen; the upper one is
 * infinite where it was not.
 *
 * Concordance (Harrell's C) is the share of pairs of rows whose events come in the order that was
 * predicted. Two rows are compared where one surely comes first: its upper bound is below the
 * other's lower one, or both are equal and the first alone is the time of an event that was seen.
 * Equal predictions count half. As lifelines' concordance_index, of times censored on the right.
 *
 * Cox's loss is the mean over the events of the negative logarithm of the partial likelihood, by
 * Breslow's way of ties: at risk are all rows whose lower bound is not before the event.
 *
 * The order in which rows are added makes no difference, to the last bit.
 */
#pragma once

#include "base/error.h"

struct timed_row {
    double lower, upper;
    double output; /* the greater the later; of hazards their negative logarithm */
};

struct timed_place;
struct timed_rows { /* zeros: empty */
    struct timed_row *rows;
    struct timed_place *ends, *begins; /* room */
    uint64_t *sums;                    /* likewise: (capacity + 1) */
    size_t count, capacity;
};

#define TIMED_ROWS_MAX ((size_t)1 << 28)

void timed_rows_deinit(struct timed_rows *timed);
/* LIMIT for more than TIMED_ROWS_MAX; NO_MEMORY. */
enum status timed_rows_add(struct timed_rows *timed, struct timed_row row, struct error *err);
/* NaN where no pair can be compared. */
double timed_rows_concordance(struct timed_rows *timed);
double timed_rows_cox(struct timed_rows *timed); /* NaN without an event */
