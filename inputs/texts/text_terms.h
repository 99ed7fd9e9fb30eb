/*
 * text_terms.h - the terms of a free text: its words, or its words and pairs of neighbours.
 *
 *     "Not good at all"    words    not  good  at  all
 *                          pairs    not  good  "not good"  at  "good at"  all  "at all"
 *
 * A pair is two words that follow each other, with a blank between them, which no word has. Words
 * are those of text_words.h: whatever stands between two of them, they are neighbours.
 */
#pragma once

#include "inputs/texts/text_words.h"

#define TEXT_TERM_BYTES (2 * TEXT_WORD_BYTES + 1)

/* The terms of a text that is borrowed. */
struct text_terms {
    struct text_words words;
    bool has_pairs, is_pair_next;
    size_t before, size; /* bytes of the word before, 0: there is none; bytes of the pair */
    char pair[TEXT_TERM_BYTES];
};

static inline struct text_terms text_terms_of(struct slice text, bool has_pairs)
{
    return (struct text_terms){.words = text_words_of(text), .has_pairs = has_pairs};
}

/* The next term, which is valid until the next call; false: there is none. */
bool text_terms_next(struct text_terms *terms, struct slice *term);
