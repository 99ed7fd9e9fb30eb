/*
 * unseen_words.h - columns of words of which an evaluation's rows have hardly one that the model
 * has learned: capitals, spaces or a code for each word make others of them, without an error.
 *
 *     init --> row, row, row ... --> note
 */
#ifndef EXTENSION_ENGINE_SCORE_UNSEEN_WORDS_H
#define EXTENSION_ENGINE_SCORE_UNSEEN_WORDS_H

#include "base/arena.h"
#include "params/notice_list.h"
#include "scoring/model.h"

#define UNSEEN_ROWS_MIN 10 /* rows with a word; fewer tell nothing */
#define UNSEEN_SHARE    .9 /* the least share; all rows where the model has hash buckets */

struct unseen_words {
    const struct model *model;
    struct unseen_word {
        uint64_t rows, unseen; /* rows with a word, and with one that is not the model's */
        char example[40];      /* the least of these in byte order */
    } * inputs;                /* (the model's inputs) */
};

/* In the arena. NO_MEMORY. */
enum status unseen_words_init(const struct model *model, struct arena *arena,
                              struct unseen_words *words, struct error *err);
/* Row `place` of the scorer, which is encoded; cells: of the transform's columns. */
void unseen_words_row(struct unseen_words *words, const struct scorer *scorer, uint32_t place,
                      const struct cell *cells);
/* Adds a notice for each such column. */
void unseen_words_note(const struct unseen_words *words, struct notice_list *notices);

#endif
