/*
 * unseen_words.h - columns of words of which the rows that are scored have hardly one that the
 * model has learned: capitals, spaces or a code for each word make others of them, without an
 * error. A few words are enough where they look like words that it has learned
 * (inputs/cells/alike.h).
 *
 *     borrow or load --> cell, cell, cell ... --> note
 */
#pragma once

#include "base/arena.h"
#include "extension/engine/host/host.h"
#include "params/notice_list.h"
#include "planner/plan/plan.h"
#include "scoring/model.h"

#define UNSEEN_ROWS_MIN 10  /* rows with a word; fewer tell nothing */
#define UNSEEN_SHARE    .9  /* the least share; all rows where the model has hash buckets */
#define UNSEEN_ALIKE    3   /* rows that are enough where a word looks like a known one, and */
#define UNSEEN_ALIKE_OF 100 /* one of so many */
#define UNSEEN_EXAMPLES 8
#define UNSEEN_BYTES    40 /* bytes of an example */
/* A model that takes more memory is not loaded for its words alone. */
#define UNSEEN_MODEL_BYTES_MAX ((uint64_t)64 << 20)

struct unseen_words {
    struct unseen_word {
        const struct transform_input *input; /* NULL: the column has no words that are told of */
        uint64_t rows, unseen; /* rows with a word, and with one that is not the model's */
        /* (example_count): the least of these in byte order, ascending */
        char examples[UNSEEN_EXAMPLES][UNSEEN_BYTES];
        uint32_t example_count;
    } * columns; /* (count): of the model's inputs; NULL: none are looked at */
    size_t count;
};

/* The columns of a model that is loaded, and stays. In the arena. NO_MEMORY. */
enum status unseen_words_borrow(const struct model *model, struct arena *arena,
                                struct unseen_words *words, struct error *err);
/* Those of the plan's model, which is loaded for them: their words are copied into the arena. None
 * where the plan's model has no words or is too large for that, or cannot be loaded. NO_MEMORY. */
enum status unseen_words_load(const struct host *host, const struct plan *plan, struct arena *arena,
                              struct unseen_words *words, struct error *err);
/* Does the model know words of the input's column? */
static inline bool unseen_words_have(const struct unseen_words *words, size_t column)
{
    return column < words->count && words->columns[column].input;
}
/* A row's cell of such a column. */
void unseen_words_cell(struct unseen_words *words, size_t column, const struct cell *cell);
/* Adds a notice for each such column. */
void unseen_words_note(const struct unseen_words *words, struct notice_list *notices);
