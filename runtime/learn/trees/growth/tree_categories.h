/*
 * tree_categories.h - the best ways to part a node's rows by the words of a category: one word
 * against the rest, or the first or last words of an order (tree_split.h).
 */
#pragma once

#include "runtime/learn/trees/growth/tree_split_parts.h"

/* Splits by one word; by a set of the words in their order, to *best where one is better. */
void tree_split_find_word(const struct finding *finding, struct tree_split *best);
void tree_split_find_set(const struct finding *finding, struct tree_split *best);
