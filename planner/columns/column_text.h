/*
 * column_text.h - TEXT(c[, n[, words]]) with ngrams = 2 and weights = 'count' or 'tfidf'.
 *
 *     TEXT(c)                          words in hash buckets, each once     inputs/encoders/text.c
 *     TEXT(c, ngrams = 2)              words and pairs, likewise
 *     TEXT(c, weights = 'tfidf')       a vocabulary, whose words weigh      inputs/weighted_terms.c
 *     of trees                         counts in hash buckets               LIST_WORDS of
 * cell_list.h
 */
#pragma once

#include "planner/columns/column_choice.h"

/* The name that the call begins with, and what it makes of the column. */
enum status column_text_read(struct planning *planning, const struct column *call,
                             const struct name **column, struct choice *choice);
