/*
 * far_number.h - the notice on a number that is beyond a model's reach (transform_reach), wherever
 * it was found: among training rows, or among rows that are scored.
 */
#pragma once

#include "base/text.h"
#include "params/notice_list.h"

/* Adds it, without a hint: numbers below least are one to the model, so are those above greatest.
 */
void far_number_note(struct notice_list *notices, struct slice column, double number, double least,
                     double greatest);
