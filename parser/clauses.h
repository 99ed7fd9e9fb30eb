/*
 * clauses.h - the clauses that stand behind a verb, in any order.
 *
 *     SELECT * FROM iris TO TRAIN DNNClassifier LABEL class INTO m WITH train.epoch = 3
 *
 * The grammar takes each clause any number of times; here it is said which may come only once, and
 * which the statement cannot end without.
 */
#pragma once

#include "parser/expect.h"

/* Does a token of this kind begin a clause of the verb's? Verbs and kinds are the grammar's. */
bool clauses_have(int verb, int kind);

/* Does what was read so far allow a token of this kind? A clause that may come once and was read is
 * not allowed, nor is LEXER_END where a clause is missing; all other tokens are. */
bool clauses_allow(const struct progress *progress, int kind);
