/*
 * job_board.h - the list of jobs as it was read last, and what has changed in it since a page last
 * asked.
 *
 *     reader    board_begin, board_put for each job, board_end
 *     pages     board_print(since): the jobs whose version is greater
 *
 * One version counts up with each change of any job; a page that has version 7 gets what changed
 * after it. Where a job went away all pages get the whole list.
 *
 * No I/O and no lock: the caller has one.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"

#define BOARD_JOBS_MAX 5000

struct job_board;

enum status board_new(struct job_board **board, struct error *err);
void board_free(struct job_board *board);

void board_begin(struct job_board *board);
/* Cells of a job; the first two are its owner (NULL or a text) and its id. LIMIT. */
enum status board_put(struct job_board *board, const struct cell *cells, size_t count,
                      struct error *err);
void board_end(struct job_board *board);
/* Nothing could be read; the jobs stay. NULL: it can again. */
void board_fail(struct job_board *board, const char *message);

/* The JSON array of a job's cells, until the board changes; empty: there is no such job. */
struct slice board_job(struct job_board *board, struct slice owner, int64_t id);

uint64_t board_version(const struct job_board *board);
/* {"version":9,"all":true,"columns":[...],"rows":[[...],...],"error":null}. since 0: all. */
void board_print(const struct job_board *board, uint64_t since, const char *const *columns,
                 size_t column_count, struct text *out);
