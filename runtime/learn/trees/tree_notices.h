/*
 * tree_notices.h - what trees tell of a loss that the labels' units, or their few rows, keep them
 * from learning by: bounds in units of the label that are far from it, and limits that leave no
 * split.
 */
#pragma once

#include "runtime/learn/trees/trees_parts.h"

/* Adds the notices on a forest that has been grown. */
void tree_notices(const struct trees *trees, struct notice_list *notices);
