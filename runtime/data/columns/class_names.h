/*
 * class_names.h - the classes of a label, as statements name them and messages show them.
 */
#pragma once

#include "scoring/model.h"

/* A class by its number: 'setosa', or as label_name writes a number. */
void class_name_append(const struct labels *labels, uint32_t class, struct text *out);
/* Is this the label that the statement names, as label_name writes it or as a number? */
bool class_is_named(const struct labels *labels, uint32_t class, struct slice name);
/* The hint: "The labels of column "class" are 'a', 'b' and 'c'." Returns INVALID. */
enum status class_names_hint(struct slice column, const struct labels *labels, struct error *err);
