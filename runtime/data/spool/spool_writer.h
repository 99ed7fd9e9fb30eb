/*
 * spool_writer.h - rows into a spool, typed by column.
 */
#pragma once

#include "runtime/data/spool/spool.h"
#include "scoring/columns/cell_counts.h"

#define SPOOL_WORD_BYTES_MAX       ((size_t)1 << 30) /* different words, while they are counted */
#define SPOOL_STATISTICS_BYTES_MAX ((size_t)2 << 30)

struct spool_writer;

/* bytes_max bounds the file (0: no bound): LIMIT when it would grow beyond. */
enum status spool_writer_open(const char *path, const struct spool_column *columns, size_t count,
                              uint64_t bytes_max, struct spool_writer **writer, struct error *err);
/* Before the first row: how the spool lies (spool.h). Branches do as their writer, parts of
 * other processes must be told the same. */
enum status spool_writer_sort(struct spool_writer *writer, const struct spool_order *order,
                              struct error *err);
/* Where cells are counted, by who puts them; NULL: they are not. After the join of all branches
 * that of all rows. */
struct cell_census *spool_writer_census(struct spool_writer *writer);
/* The next cell of the current row: columns in order, then spool_end_row. */
enum status spool_put_null(struct spool_writer *writer, struct error *err);
/* NaN is put as NULL, and -0 as 0. */
enum status spool_put_real(struct spool_writer *writer, double value, struct error *err);
/* The same for the cells of several columns that follow one another: one call a
 * row where a table is all numbers. */
enum status spool_put_reals(struct spool_writer *writer, const double *values, size_t count,
                            struct error *err);
enum status spool_put_integer(struct spool_writer *writer, int64_t value, struct error *err);
enum status spool_put_text(struct spool_writer *writer, struct slice value, struct error *err);
enum status spool_end_row(struct spool_writer *writer, struct error *err);
uint64_t spool_writer_rows(const struct spool_writer *writer);
/* Summary of the rows so far, those of joined branches included. */
struct spool_column_summary spool_writer_summary(struct spool_writer *writer, uint32_t column);
/* One more writer of the same columns, for another thread, into a file of its own beside
 * the first (spool_files.h). The order of the branches' rows is not fixed. Each branch must be
 * joined, by one thread at a time, before the writer is closed or abandoned. */
enum status spool_writer_branch(const struct spool_writer *writer, struct spool_writer **branch,
                                struct error *err);
/* Writes the rows so far as a block of their own: what join does at the latest,
 * where the branch's own thread can do it. In the middle of a row it fails. */
enum status spool_writer_flush(struct spool_writer *writer, struct error *err);
/* Takes in the branch's last rows and its summaries, and frees it in every
 * case. After a failure of the branch the writer cannot be closed with OK. */
enum status spool_writer_join(struct spool_writer *writer, struct spool_writer *branch,
                              struct error *err);
/*
 * A writer in another process: a part, in a file of its own that no reader takes for a
 * spool. Closed, it is described by some bytes, by which it is joined; then its file is one
 * of the spool's.
 *
 *     process A    spool_writer_open(path)           spool_writer_join_part(7, index)
 *     process B    spool_part_open(path, 7)    spool_part_close() -> index
 */
#define SPOOL_PART_INDEX_BYTES_MAX ((size_t)256 << 20)
enum status spool_part_open(const char *path, uint32_t number, const struct spool_column *columns,
                            size_t count, struct spool_writer **part, struct error *err);
/* Appends the index, and frees the part in every case; when it fails no file is left. */
enum status spool_part_close(struct spool_writer *part, struct text *index, struct error *err);
/* Joins a part like spool_writer_join. CORRUPT for an index that no part of these columns wrote. */
enum status spool_writer_join_part(struct spool_writer *writer, uint32_t number, struct slice index,
                                   struct error *err);
/* Sets how closing the writer is stopped: it settles what all rows tell, for seconds where they are
 * many. Any thread asks meanwhile whether it is to stop; then closing fails as INTERRUPTED. */
void spool_writer_watch(struct spool_writer *writer, bool (*is_stopped)(void *context),
                        void *context);
/* Where the bytes of parts come from that are joined afterwards and lie elsewhere: files of full
 * size are in their places. What closing looks at is brought, hashes above all. NULL, as before the
 * call: the bytes are there. */
struct spool_source;
void spool_writer_read_from(struct spool_writer *writer, const struct spool_source *source);
/* Writes index and header. On any failure nothing readable is left. Frees the
 * writer in every case. */
enum status spool_writer_close(struct spool_writer *writer, struct error *err);
/* Throws the file away. */
void spool_writer_abandon(struct spool_writer *writer);
