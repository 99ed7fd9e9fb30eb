/*
 * keyed_rows.h - the rows of a job whose spools lie by key, as a source of a row store.
 *
 *     spools --range_load--> places of the parts --drop--> away
 *
 * A worker so has in memory what its lanes need, and no more: the spools are mapped, and what was
 * read of them is the system's to forget.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/dataset/dataset.h"

struct keyed_rows;

/* Opens the rows of a data set that has its spools. The data set gets transform and labels, parts
 * without rows, keyed rows and a row store that has them for its source. Errors: dataset_open's. */
enum status keyed_rows_open(struct dataset *dataset, const struct jobspec *spec, struct team *team,
                            struct error *err);
void keyed_rows_close(struct keyed_rows *rows);

/* For how long somebody was kept until rows that he holds were there, in all. */
uint64_t keyed_rows_loading_ms(const struct keyed_rows *rows);
