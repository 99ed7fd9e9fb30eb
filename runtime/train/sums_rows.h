/*
 * sums_rows.h - the part of a phase's sums that is a table, of which few rows are touched.
 *
 *     own lanes ------------+
 *     PARTIAL: rows, sums --+--> touched rows of the own share --resolve--> totals --+--> totals
 *                                                   SUM: rows, totals of the others -+
 *
 * Sums and totals lie at the places of their rows (touched_rows.h). Behind the sums there are
 * zeros, so that a row that is touched for the first time is added to like any other. Which rows
 * were touched is the same for all members when the phase is complete: whatever a member touched it
 * has sent to the row's owner.
 *
 * Rows of a message ascend, from piece to piece, too: none comes twice.
 */
#pragma once

#include "runtime/train/sums.h"

/* The sums of the phase before are 0 again. */
void sums_rows_clear(struct sums *sums);
/* The table of this phase, which may have none; the owners are known. */
enum status sums_rows_begin(struct sums *sums, const struct phase_table *table, struct error *err);

/* The sum of the sums of a share's rows, modulo 2^64, and of all others; of the totals' words. */
uint64_t sums_rows_sum(const struct sums *sums, struct share rows);
uint64_t sums_rows_sum_others(const struct sums *sums, struct share rows);
uint32_t sums_rows_sum_totals(const struct sums *sums);

/* Rows whose totals are here; a member alone has those that it touched. NULL: there is no table. */
const struct touched_rows *sums_rows_totals(const struct sums *sums);
/* The totals of the touched rows of the own share. Adds to `resolved` what it read and wrote. */
void sums_rows_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                       struct fixed_resolved *resolved);

/* ---- of a message ---- */

struct sums_rows_piece {
    struct share share; /* share of the sender or the receiver: the rows that may come */
    const struct touched_rows *listed; /* those that came before, of this sender and others */
    struct slice rows;
    size_t values;
    uint32_t left;
};

/* PROTOCOL for what does not continue what came before, or more rows than a phase has. */
enum status sums_rows_check(const struct sums *sums, struct sums_arrival *came,
                            const struct sums_rows_piece *piece, struct error *err);
void sums_rows_add(struct sums *sums, struct slice rows, struct slice row_sums);
void sums_rows_take(struct sums *sums, struct slice rows, struct slice row_totals);

/* ---- for a message: rows [first, first + count) of the sorted list, one behind the other ---- */

struct slice sums_rows_listed(const struct touched_rows *rows, uint32_t first, uint32_t count);
struct slice sums_rows_gather_sums(const struct sums *sums, uint32_t first, uint32_t count);
struct slice sums_rows_gather_totals(const struct sums *sums, uint32_t first, uint32_t count);
