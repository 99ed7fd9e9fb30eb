/*
 * text_notices.h - what a model does not know of the words of its texts (weighted_terms.h).
 */
#pragma once

#include "inputs/input.h"
#include "params/notice_list.h"

/* Notes texts that are cut, and a vocabulary that is full. counted: different words of the rows'
 * texts, and the mark of texts that are cut. */
void text_terms_note(const struct transform_input *input, uint64_t counted, uint64_t rows,
                     struct notice_list *notices);
