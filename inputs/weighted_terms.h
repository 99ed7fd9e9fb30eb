/*
 * weighted_terms.h - the terms of a text with a vocabulary, by how often they are there.
 *
 *     TEXT(c, weights = 'count')     a term counts as often as it is in the text
 *     TEXT(c, weights = 'tfidf')     that times its rarity, and the row is brought to length 1
 *
 *     rarity = log((1 + texts) / (1 + texts that have the term)) + 1
 *
 * The vocabulary is learned from the training rows: the terms that are in most of them. A term that
 * it lacks says nothing. A text is read to its end, but only its first words_max different terms
 * count: the others are not there, whether the vocabulary has them or not.
 *
 * Numbers are those of scikit-learn's CountVectorizer and TfidfVectorizer with the words of
 * text_words.h, where no text was cut; of 100 rows and more with min_df = 2.
 */
#pragma once

#include "base/text.h"

/* The word that `each_word` hands over behind the others where a text is cut: none is empty. */
static inline bool is_cut_mark(struct slice word)
{
    return word.size == 0;
}
