/*
 * label_names.h - classes as texts.
 */
#ifndef SCORING_LABEL_NAMES_H
#define SCORING_LABEL_NAMES_H

#include "scoring/model.h"

/* The text of a class; of a number in the buffer. */
struct slice label_name(const struct cell *class, char buffer[TRANSFORM_WORD_BUFFER]);

/* Of all classes, in the arena. */
enum status label_names(const struct labels *labels, struct arena *arena, struct slice **names,
                        struct error *err);

#endif
