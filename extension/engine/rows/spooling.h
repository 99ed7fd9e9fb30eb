/*
 * spooling.h - the session reads the rows of TRAIN into typed columns in the job's folder.
 */
#pragma once

#include "base/error.h"
#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

struct bad_rows;
struct cell_census;

/*
 * The judge that decides, when all rows of the plan's SELECT have been read, whether the plan was
 * right about its columns. While rows are judged every cell is counted, and a text that its column
 * cannot take is put as NULL.
 */
struct spool_judge {
    void *self;
    /* The cells of the plan's inputs, the label, and the columns that were left out. */
    enum status (*judge)(void *self, const struct cell_census *census, uint64_t rows,
                         struct error *err);
    const bool *reads_again; /* set by judge: what was written is thrown away */
};

/* The plan's SELECT into train.spool, and validation.select into validation.spool, of the folder.
 */
struct spool_request {
    const struct host *host;
    const struct plan *plan;
    const struct jobspec *spec; /* the spec of the job that the rows are for */
    const struct job_folder *folder;
    const struct sink *sink; /* for notices */
    uint32_t cores;
    struct bad_rows *bad;            /* takes them; NULL: the first is an error */
    const struct spool_judge *judge; /* NULL: the plan stands, and the first such text is an error
                                        or its row a bad one */
};
enum status spool_inputs(const struct spool_request *request, struct arena *arena, uint64_t *rows,
                         struct error *err);

/* The cells that the spools hold of the plan's SELECT, and of validation.select where there is one
 * (*count 2): for workers that read the rows instead. */
struct spool_cells {
    struct slice select;
    struct query query;           /* the description of `select` */
    struct spool_column *spooled; /* (count) */
    int *columns;                 /* (count, or counted): of the query, or behind them of its
                                     vectors */
    size_t count;
    /* Count of cells that are counted, as in struct spool_order; 0: none is. */
    uint32_t counted;
    const bool *are_keys;
};
/* counts: the cells of the first are to be judged, as by a spool_judge. */
enum status spool_list_cells(const struct host *host, const struct plan *plan, bool counts,
                             struct arena *arena, struct spool_cells cells[2], size_t *count,
                             struct error *err);
