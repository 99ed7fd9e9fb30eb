/*
 * formula_c_words.h - the parts of exported C that read words by their hash, and free text.
 */
#pragma once

#include "base/text.h"
#include "scoring/formulas/formula.h"

/* C in which @ is the prefix. */
extern const char formula_c_hash[];  /* PREFIX_hash, PREFIX_written, PREFIX_read_hash, PREFIX_key */
extern const char formula_c_terms[]; /* PREFIX_read_terms, PREFIX_terms_sum, PREFIX_terms_of; behind
                                        the hash, and tables that the next one writes */
/* The tables of characters; terms_most: the most terms that a text of the program has. */
void formula_c_characters(const char *prefix, uint32_t terms_most, struct text *out);
