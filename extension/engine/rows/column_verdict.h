/*
 * column_verdict.h - was the plan right about its columns?
 *
 *     sample ----> plan ----> rows, while every cell is counted ----> counts of all rows
 *                                                                          |
 *               the same inputs: what was written stands  <---- plan again, from these
 *               others: the rows are read once more, as that plan says
 *
 * What a column is depends on the set of rows alone then, whichever came first. The second time
 * nothing is counted: a text that its column cannot take is an error or a bad row.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/rows/spooling.h"
#include "parser/statement.h"

struct column_verdict {
    const struct host *host;
    const struct statement *statement;
    struct slice text; /* the text that the statement's positions refer to */
    const struct plan *first;
    struct arena *arena;
    struct query counted; /* from all rows, when judged: the columns, and */
    struct plan plan;     /* the plan that is made from these */
    bool is_judged;
    bool reads_again;
};

/* All members but counted, plan, is_judged and reads_again are set. */
struct spool_judge column_verdict_judge(struct column_verdict *verdict);

/* Another statement over the same SELECT, by what is known of its columns: all rows where the
 * verdict is judged, else what the host describes. */
enum status column_verdict_plan(const struct column_verdict *verdict,
                                const struct statement *statement, struct arena *arena,
                                struct plan *plan, struct error *err);

/* Puts a notice of the columns that another reading would take otherwise: "x" is a number, "note"
 * is left out. */
void column_verdict_note(const struct column_verdict *verdict, const struct sink *sink);
