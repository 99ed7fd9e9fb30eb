/*
 * sample_statistics.h - the statistics that a model keeps of its training rows
 * (scoring/statistics/input_statistics.h), from the data set's sample of them.
 *
 *     init --> predict for each row of the sample --> some ... until done --> deinit
 *                                                     while the sample's rows are held
 *
 * The sample is the same rows in the same order for every worker, and so are the statistics.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "scoring/statistics/input_statistics.h"

struct sample_statistics {
    const struct dataset *dataset; /* borrowed; NULL: nothing has begun */
    bool predicts_numbers;
    struct input_value *values, *predictions; /* (sample rows) */
    double *numbers;                          /* (sample rows): room */
    double *probabilities;                    /* (classes): room */
    struct slice *written;                    /* (count), in the arena */
    uint32_t next, count;                     /* inputs that have statistics, and the predictions */
    struct arena arena;
};

/* The data set's sample has rows. The model may lack its content. NO_MEMORY. */
enum status sample_statistics_init(struct sample_statistics *statistics,
                                   const struct dataset *dataset, const struct model *model,
                                   struct error *err);
/* The prediction of a row of the sample; the scorer has it selected. */
void sample_statistics_predict(struct sample_statistics *statistics, uint64_t row,
                               const struct scorer *scorer);
bool sample_statistics_are_done(const struct sample_statistics *statistics);
/* The next inputs, some milliseconds of them. NO_MEMORY. */
enum status sample_statistics_some(struct sample_statistics *statistics, struct error *err);
/* Once they are done: the model points to them. */
void sample_statistics_give(const struct sample_statistics *statistics, struct model *model);
void sample_statistics_deinit(struct sample_statistics *statistics); /* zeros, too */
